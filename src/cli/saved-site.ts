/**
 * The archive of a site and what lies beside it: its lock, and pending archives. Output and archive are one step: a
 * new archive is written beside the old one, as pending, before the first change is printed, and takes its place after
 * the last. Where a run ends in between (killed, a closed pipe, a full disk), its changes may have been printed in
 * part. So the next run, which finds the pending archive, prints them once more, whole, and goes on from there. If
 * that run ends too early as well, there are two pending archives, and so on.
 *
 * The archive remembers the call that made it; what the user gives again wins. What may be a secret is not in the file,
 * only that it was used; then it must be given again, or the site would be read in another way.
 */

import { chmod, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { keptOriginOf } from '../diff/diff-pages.ts';
import { type Sitemap, SitemapException, type SitemapOptions, saveTree, type TreeOrigin } from '../index.ts';
import { OWN_ARCHIVE_SITEMAPS } from '../options/option-table.ts';
import {
  errorCode,
  type FileFacts,
  fileTarget,
  flushFolder,
  removeLeftovers,
  replaceFile,
} from '../runtime/files.ts';
import { type LockHolder, takeLock } from '../runtime/owned-lock.ts';
import { list } from '../text/wording.ts';
import { withoutUserinfo } from '../url.ts';
import { flagOf } from './args/option-flags.ts';
import { UsageError } from './endings.ts';
import { savedTree } from './input.ts';
import type { CommandIO } from './io.ts';
import { unwritable } from './output/output.ts';

export class SavedSite {
  /** The tree that is in place, undefined where there is none; then those of pending archives, in order. */
  readonly trees: readonly (Sitemap | undefined)[];
  readonly #path: string;
  readonly #file: FileFacts | undefined;
  #pending: number;

  private constructor(path: string, file: FileFacts | undefined, trees: SavedSite['trees']) {
    this.#path = path;
    this.#file = file;
    this.trees = trees;
    this.#pending = trees.length - 1;
  }

  /** @throws UsageError where an archive is there and cannot be read */
  static async open(file: string, io: CommandIO, maxDepth?: number): Promise<SavedSite> {
    const { path, file: target } = await fileTarget(file).catch(() => ({ path: file, file: undefined }));
    // An archive that a kill left moved aside is not a missing one.
    await removeLeftovers(dirname(path));
    const trees = [await load(file, io, maxDepth)];
    for (;;) {
      const pending = await load(pendingPath(path, trees.length), io, maxDepth);
      if (pending === undefined) return new SavedSite(path, target, trees);
      trees.push(pending);
    }
  }

  /** The tree to go on from. */
  get last(): Sitemap | undefined {
    return this.trees.at(-1);
  }

  get hasPending(): boolean {
    return this.#pending > 0;
  }

  /** Writes a tree beside the others, so that it survives whatever happens from here on. */
  async save(tree: Sitemap): Promise<void> {
    const path = pendingPath(this.#path, this.#pending + 1);
    await saveTree(tree, path);
    this.#pending++;
    // It takes the place of a file that may not be for everyone.
    if (this.#file !== undefined) await chmod(path, this.#file.mode & 0o777);
  }

  /** Everything is printed: the last archive takes the place of the one before. */
  async putInPlace(): Promise<void> {
    // The oldest first: if this ends in between, each archive that is left still follows the one in place.
    for (let number = 1; number < this.#pending; number++) await rm(pendingPath(this.#path, number));
    if (this.#pending > 0) await replaceFile(pendingPath(this.#path, this.#pending), this.#path);
    await flushFolder(dirname(this.#path));
    this.#pending = 0;
  }
}

/** With the ending that says whether it is compressed. */
function pendingPath(path: string, number: number): string {
  return `${path}.pending-${number}${/\.warc$/i.test(path) ? '.warc' : ''}`;
}

/** The saved tree; undefined where there is no such file. */
async function load(file: string, io: CommandIO, maxDepth: number | undefined): Promise<Sitemap | undefined> {
  const hints = { 'archive-damaged': `move ${file} away and give the URL of the site, to start anew.` };
  try {
    return await savedTree(file, io, { maxSitemaps: OWN_ARCHIVE_SITEMAPS, maxDepth }, hints);
  } catch (error) {
    const { cause } = error instanceof UsageError ? error : {};
    if (cause instanceof SitemapException && errorCode(cause.cause) === 'ENOENT') return undefined;
    throw error;
  }
}

export interface FileLock {
  /** @throws UsageError where someone else has removed the lock, or taken it */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Locks a file, which need not be there yet, by a file beside it. A lock of another host is never taken over.
 *
 * @throws UsageError where another process holds the lock, or where it cannot be written
 */
export async function lockFile(file: string): Promise<FileLock> {
  try {
    const path = `${(await fileTarget(file)).path}.lock`;
    const result = await takeLock(path);
    if ('holder' in result) throw inUse(file, path, result.holder);
    const { lock } = result;
    return {
      async check() {
        if (await lock.isHeld()) return;
        throw new UsageError(
          `${file} was not saved: its lock file ${path} was removed or replaced by someone else.`,
        );
      },
      release: () => lock.release(),
    };
  } catch (cause) {
    throw cause instanceof UsageError ? cause : unwritable(file, cause);
  }
}

function inUse(file: string, path: string, holder: LockHolder): UsageError {
  if (holder === undefined) return new UsageError(`${file} is being updated by others; try again later.`);
  const { identity, fate } = holder;
  if (identity === undefined) {
    return new UsageError(`${file} is locked, and ${path} does not say by which process.`, {
      hint: `if no update is running, remove ${path}.`,
    });
  }
  if (fate === 'running') {
    return new UsageError(
      `${file} is being updated by process ${identity.pid}; two updates of one file at once would lose changes.`,
      { hint: `if that process is something else, remove ${path}.` },
    );
  }
  return new UsageError(`${file} is being updated by process ${identity.pid} on ${identity.host}.`, {
    hint: `if no update is running there, remove ${path}.`,
  });
}

export interface UpdateCall {
  readonly call: TreeOrigin['call'];
  /** With its userinfo, if it was given with any. */
  readonly url: URL;
  readonly options: SitemapOptions;
}

export interface UpdateRequest {
  /** As the user wrote it. */
  readonly file: string;
  readonly url: URL | undefined;
  readonly isSitemap: boolean;
  readonly options: SitemapOptions;
}

/** What an archive does not keep, and no flag alone gives again. */
const WITHOUT_FLAG: ReadonlyMap<string, string> = new Map(
  Object.entries({
    recurseCallback: '--sitemap-include or --sitemap-exclude',
    userinfo: 'a user and a password in the URL',
  }),
);

/** The call for a site that was not saved yet. @throws UsageError where no URL is given */
export function firstCall({ file, url, isSitemap, options }: UpdateRequest): UpdateCall {
  if (url !== undefined) return { call: isSitemap ? 'sitemap' : 'homepage', url, options };
  throw new UsageError(`There is no ${file} yet: the first time, give the URL of the site.`, {
    hint: `usp update ${file} https://example.org`,
  });
}

/** The call that a tree was made with, as far as nothing else is given. @throws UsageError */
export function callAgain(origin: ReturnType<typeof keptOriginOf>, request: UpdateRequest): UpdateCall {
  const { file, url, isSitemap } = request;
  if (origin === undefined) {
    throw new UsageError(
      `${file} does not say which site it is of: it holds a part of a tree, or a local file.`,
      {
        hint: 'usp update with another file, and the URL of the site, starts anew.',
      },
    );
  }
  const { call, notKept } = origin;
  const saved = new URL(origin.url);
  const defined = Object.entries(request.options).filter(([, value]) => value !== undefined);
  const options: SitemapOptions = { ...origin.options, ...Object.fromEntries(defined) };
  if (isSitemap && call === 'homepage')
    throw new UsageError(`${file} is of the whole site ${saved.href}, not of one sitemap (--sitemap).`);
  if (url !== undefined) {
    const isWholeSite = call === 'homepage' && options.normalizeHomepageUrl !== false;
    checkSameSite(file, saved, new URL(withoutUserinfo(url)), isWholeSite);
  }
  const missing = notKept.filter((name) => !isGiven(name, url, request.options));
  if (missing.length === 0) return { call, url: url ?? saved, options };
  const flags = missing.map(
    (name) => WITHOUT_FLAG.get(name) ?? flagOf(name) ?? `the option ${name}, which usp does not have`,
  );
  const what =
    missing.length === 1 ? 'which is not saved: give it again' : 'which are not saved: give them again';
  throw new UsageError(`${file} was made with ${list(flags)}, ${what}.`);
}

function isGiven(name: string, url: URL | undefined, options: SitemapOptions): boolean {
  if (name === 'userinfo') return url !== undefined && withoutUserinfo(url) !== url;
  // The command filters sitemaps by the callback.
  const option = /^(?:sitemap(?:In|Ex)clude|since)$/.test(name) ? 'recurseCallback' : name;
  return Object.hasOwn(options, option) && Reflect.get(options, option) !== undefined;
}

function checkSameSite(file: string, saved: URL, requested: URL, isWholeSite: boolean): void {
  requested.hash = '';
  const isSame = isWholeSite
    ? requested.origin === saved.origin
    : requested.href === saved.href || `${requested.href}/` === saved.href;
  if (isSame) return;
  throw new UsageError(`${file} is of ${saved.href}, not of ${requested.href}.`, {
    hint: 'each site has a file of its own.',
  });
}
