/**
 * What commands read: a site, a saved tree, a sitemap in a file or on stdin. What cannot be opened is a UsageError,
 * with a hint where there is another way.
 */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, sep } from 'node:path';
import {
  type LoadTreeOptions,
  type LocalOptions,
  loadTree,
  type Sitemap,
  SitemapException,
  sitemapFromFile,
  sitemapFromStream,
} from '../index.ts';
import { unlessAborted } from '../runtime/abort.ts';
import { fileTrouble } from '../runtime/files.ts';
import { parsedUrl } from '../url.ts';
import { inFlags } from './args/option-flags.ts';
import { addressInList, parseAddress } from './args/option-values.ts';
import { EXIT, type ExitCode, Interrupted, isDamage, Unwritable, UsageError } from './endings.ts';
import type { CliIO, CommandIO, Reporter } from './io.ts';
import { exitCodeOf, resultOfTree, type SiteResult } from './messages/site-messages.ts';
import type { SiteFlags } from './program/flags.ts';
import type { CommandWorld } from './world.ts';

export type CommandInput = { readonly type: 'site'; readonly url: URL } | LocalInput;

export type LocalInput =
  | { readonly type: 'stdin' }
  /** `isRegular`: not a pipe or a device, which can be read once. */
  | { readonly type: 'file'; readonly path: string; readonly isRegular: boolean };

/** A path, or a file's name: no host ends like this. */
const PATH = /^(?:\.{0,2}\/|[a-z]:(?!\d)|~)|\\|\.(?:xml|txt|gz|warc|rss|atom|html?|json|csv)$/i;

/** Each input once: a pattern may name a file that is named by itself, too. */
export function distinctInputs(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return texts.flatMap(filesOf).filter((text) => {
    const { size } = seen;
    return seen.add(realPathOf(text)).size > size;
  });
}

/** As the file system has it, which may spell a name in another way than the user. */
function realPathOf(text: string): string {
  try {
    return realpathSync.native(text);
  } catch {
    return text;
  }
}

/** The files that a pattern with `*` or `?` in its last part names, where no shell has expanded it. */
function filesOf(text: string): readonly string[] {
  const name = basename(text);
  if (!/[*?]/.test(name) || /^https?:/i.test(text) || existsSync(text)) return [text];
  const folder = text.slice(0, text.length - name.length);
  try {
    const names = readdirSync(folder || '.').filter((each) => matchesGlob(each, name));
    return names.length === 0 ? [text] : names.sort().map((each) => folder + each);
  } catch {
    return [text];
  }
}

/** As a shell matches: a name that begins with a dot is not meant. */
function matchesGlob(name: string, glob: string): boolean {
  const source = glob
    .normalize()
    .replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return !name.startsWith('.') && new RegExp(`^${source}$`, 's').test(name.normalize());
}

/**
 * What an input is. For a name that could be a host, a file of that name wins, and that is said; a folder never does.
 *
 * @throws UsageError for what is neither a file that is there nor a URL
 */
export function inputOf(text: string, reporter: Reporter): CommandInput {
  if (text === '-') return { type: 'stdin' };
  if (/^https?:\/\//i.test(text)) return { type: 'site', url: parseAddress(text) };
  const host = PATH.test(text) ? undefined : addressInList(text);
  try {
    const stats = statSync(text);
    if (!stats.isDirectory()) {
      if (host !== undefined)
        reporter.say(`${text} is a file, and is read; for the site, write ${host.href}`);
      return { type: 'file', path: text, isRegular: stats.isFile() };
    }
    if (host === undefined)
      throw new UsageError(`${text} is a folder; name the files in it.`, {
        hint: `as ${text.replace(/[\\/]$/, '')}${sep}*.xml`,
      });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (PATH.test(text))
      throw new UsageError(`${text} cannot be read: ${fileTrouble(error)}.`, { cause: error });
  }
  return { type: 'site', url: parseAddress(text) };
}

/** Acts on one input after the other. What cannot be opened, or is damaged, is reported, and the others are still read. */
export async function forEachInput<Input>(
  inputs: readonly Input[],
  { io, reporter }: { readonly io: Pick<CliIO, 'signal'>; readonly reporter: Reporter },
  act: (input: Input) => Promise<void>,
): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  for (const input of inputs) {
    try {
      await act(input);
    } catch (error) {
      const isOfInput = isDamage(error) || (error instanceof UsageError && !(error instanceof Unwritable));
      if (!isOfInput || io.signal.aborted) throw error;
      reporter.error(error.message, error instanceof UsageError ? error.hint : undefined);
      reporter.stack(error);
      code = EXIT.badUsage;
    }
  }
  return code;
}

/** @throws UsageError for `--url` that is not a URL, or that one file of several would have */
export function checkUrl(url: string | undefined, inputs: readonly string[] = []): void {
  if (url !== undefined && inputs.length > 1)
    throw new UsageError('--url is the address of one file, and there are several inputs.');
  if (url === undefined || parsedUrl(url) !== undefined) return;
  throw new UsageError(`--url needs an absolute URL, not "${url}".`, {
    hint: 'as https://example.org/sitemap.xml',
  });
}

/** A sitemap that was read without a network. */
export interface OpenedFile {
  /** A saved tree is of a site. */
  readonly type: 'archive' | 'file';
  readonly tree: Sitemap;
  /** As messages and findings name it. */
  readonly name: string;
}

export interface LocalFlags
  extends Pick<LoadTreeOptions, 'maxSitemaps' | 'maxDepth' | 'verify' | 'problemPositions'> {
  readonly url?: string | undefined;
  readonly mapHost?: LoadTreeOptions['mapHosts'];
}

export async function openLocal(
  input: LocalInput,
  { url, verify, maxSitemaps, maxDepth, problemPositions, mapHost: mapHosts }: LocalFlags,
  io: CommandIO,
  reporter: Reporter,
): Promise<OpenedFile> {
  const settings = { url, problemPositions, mapHosts };
  if (input.type === 'stdin') {
    if (io.isTerminal.stdin) reporter.hint('reading a sitemap from the terminal; Ctrl-D ends it.');
    const tree = closedAtEnd(await sitemapFromStream(stdinChunks(io), settings), io);
    return { type: 'file', tree, name: url ?? 'stdin' };
  }
  const { path: name, isRegular } = input;
  const saved = isRegular
    ? await treeIfSaved(name, io, { verify, maxSitemaps, maxDepth, problemPositions, mapHosts })
    : undefined;
  if (saved !== undefined) return { type: 'archive', tree: saved, name };
  return { type: 'file', tree: await fileSitemap(name, io, settings), name };
}

interface OpenedInput extends Pick<OpenedFile, 'tree' | 'name'> {
  readonly type: OpenedFile['type'] | 'site';
  readonly result: SiteResult;
  /** The exit code for this input. A limit that stopped the crawl of a saved tree does not count: it was loaded. */
  readonly code: ExitCode;
}

export interface InputUse {
  /** What `--sitemap` does with the URL of a sitemap: `checks`. */
  readonly does: string;
  /** The part of a site's result that messages are about. @default all of it */
  readonly reportedResult?: (result: SiteResult) => SiteResult;
}

/** Opens any input: a site is crawled and reported, a file is read. */
export async function openInput(
  input: CommandInput,
  flags: SiteFlags & { readonly url?: string | undefined },
  world: CommandWorld,
  { does, reportedResult = (result) => result }: InputUse,
): Promise<OpenedInput> {
  if (input.type !== 'site') {
    const file = await openLocal(input, flags, world.io, world.reporter);
    const result = resultOfTree(file.tree);
    return { ...file, result, code: exitCodeOf({ ...result, stopped: undefined }, flags) };
  }
  // Loaded here: a file needs nothing of what fetches sites.
  const { SiteCrawl } = await import('./site-crawl.ts');
  const crawl = new SiteCrawl(input.url, flags, world);
  crawl.hintAtSitemap(() => `--sitemap ${does} it and those below`);
  const tree = await crawl.showing(
    () => crawl.tree(),
    () => `interrupted at ${crawl.name}`,
  );
  closedAtEnd(tree, world.io);
  const result = resultOfTree(tree);
  const code = crawl.report(result, { reportedResult: reportedResult(result) });
  return { type: 'site', tree, name: crawl.name, result, code };
}

/** A saved tree. @param hints - by the code of the exception */
export async function savedTree(
  file: string,
  io: CommandIO,
  options: LoadTreeOptions = {},
  hints: Readonly<Record<string, string>> = {},
): Promise<Sitemap> {
  try {
    return closedAtEnd(await loadTree(file, { ...options, signal: io.signal }), io);
  } catch (error) {
    if (!(error instanceof SitemapException)) throw error;
    const isUnreadable = error.code === 'archive-unreadable';
    const message = isUnreadable
      ? `${file} cannot be read: ${fileTrouble(error.cause)}.`
      : inFlags(error.message, error.option);
    throw new UsageError(message, { hint: hints[error.code], cause: error });
  }
}

/** A saved tree; undefined for any other file that is not a WARC file: its pages would be those of no sitemap. */
async function treeIfSaved(
  file: string,
  io: CommandIO,
  options: LoadTreeOptions,
): Promise<Sitemap | undefined> {
  try {
    return await savedTree(file, io, options);
  } catch (error) {
    const cause = error instanceof UsageError ? error.cause : undefined;
    const isFormat = cause instanceof SitemapException && cause.code === 'archive-format';
    if (isFormat && cause.option !== 'webClient') return undefined;
    throw error;
  }
}

async function fileSitemap(file: string, io: CommandIO, options: LocalOptions = {}): Promise<Sitemap> {
  try {
    return closedAtEnd(await sitemapFromFile(file, options), io);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    throw new UsageError(`${file} cannot be read: ${fileTrouble(cause ?? error)}.`, { cause: error });
  }
}

/** @throws UsageError for a local file that is neither a saved tree nor a sitemap */
export function checkLocalSitemap(name: string, tree: Sitemap): void {
  if (tree.kind !== 'invalid' || tree.code !== 'not-a-sitemap' || /^https?:/.test(tree.url)) return;
  throw new UsageError(`${name} is neither a saved tree nor a sitemap. ${tree.reason}`);
}

export function closedAtEnd<Tree extends Sitemap>(tree: Tree, io: CommandIO): Tree {
  io.onEnd(() => tree.close());
  return tree;
}

/** stdin, until the user interrupts: a read that waits for a terminal or a pipe cannot be ended otherwise. */
export async function* stdinChunks({
  stdin,
  signal,
}: Pick<CliIO, 'stdin' | 'signal'>): AsyncGenerator<Uint8Array, void, undefined> {
  const interruption = (): Interrupted => new Interrupted('interrupted while reading stdin.');
  const chunks = stdin[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await unlessAborted(chunks.next(), signal, interruption);
      if (done === true) return;
      yield value;
    }
  } finally {
    // Not waited for: it may come only after a read that never ends.
    void chunks.return?.()?.catch(() => {});
  }
}
