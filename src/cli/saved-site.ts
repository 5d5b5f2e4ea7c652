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
import { randomUUID } from 'node:crypto';
import { chmod, link, lstat, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Sitemap, SitemapException, type SitemapOptions, saveTree, type TreeOrigin } from '../index.ts';
import { OWN_ARCHIVE_SITEMAPS } from '../options/option-table.ts';
import { list } from '../problems/wording.ts';
import {
  createOwned,
  errorCode,
  type FoundFile,
  fileTarget,
  flushFolder,
  ownerOf,
  replaceFile,
  temporaryBeside,
} from '../runtime/files.ts';
import { ownIdentity } from '../runtime/process-identity.ts';
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
  readonly #found: FoundFile | undefined;
  #pending: number;

  private constructor(path: string, found: FoundFile | undefined, trees: SavedSite['trees']) {
    this.#path = path;
    this.#found = found;
    this.trees = trees;
    this.#pending = trees.length - 1;
  }

  /** @throws UsageError where an archive is there and cannot be read */
  static async open(file: string, io: CommandIO): Promise<SavedSite> {
    const { path, found } = await fileTarget(file).catch(() => ({ path: file, found: undefined }));
    const trees = [await load(file, io)];
    for (;;) {
      const pending = await load(pendingPath(path, trees.length), io);
      if (pending === undefined) return new SavedSite(path, found, trees);
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
    if (this.#found !== undefined) await chmod(path, this.#found.mode & 0o777);
  }

  /** Everything is printed: the last archive takes the place of the one before. */
  async putInPlace(): Promise<void> {
    // From the first on: what is left if this ends in between is a change of the archive that is in place, too.
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
async function load(file: string, io: CommandIO): Promise<Sitemap | undefined> {
  const hints = { 'archive-damaged': `move ${file} away and give the URL of the site, to start anew.` };
  try {
    return await savedTree(file, io, { maxSitemaps: OWN_ARCHIVE_SITEMAPS }, hints);
  } catch (error) {
    const { cause } = error instanceof UsageError ? error : {};
    if (cause instanceof SitemapException && errorCode(cause.cause) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Another process may take the lock between two looks at it; then this is tried again. */
const ATTEMPTS = 10;

export interface FileLock {
  /** @throws UsageError where someone else has removed the lock, or taken it */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Locks a file, which need not be there yet, by a file beside it that says which process is working on it. One that a
 * dead process left behind is taken over; one of another host never is, since nothing is known here about its processes.
 *
 * @throws UsageError where another process holds the lock, or where it cannot be written
 */
export async function lockFile(file: string): Promise<FileLock> {
  try {
    const path = `${(await fileTarget(file)).path}.lock`;
    // A key, so that a lock of the same process in another call is not taken for this one.
    const text = `${JSON.stringify({ ...ownIdentity(), key: randomUUID() })}\n`;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await createOwned(path, text)) return heldLock(file, path, text);
      await removeDead(path, file);
    }
  } catch (cause) {
    throw cause instanceof UsageError ? cause : unwritable(file, cause);
  }
  throw new UsageError(`${file} is being updated by others; try again later.`);
}

function heldLock(file: string, path: string, text: string): FileLock {
  const isOurs = async (): Promise<boolean> => (await ownerOf(path))?.text === text;
  return {
    async check() {
      if (await isOurs()) return;
      throw new UsageError(
        `${file} was not saved: its lock file ${path} was removed or replaced by someone else.`,
      );
    },
    async release() {
      if (await isOurs()) await rm(path, { force: true });
    },
  };
}

/** Removes the lock of a dead process. @throws UsageError where it is not dead, or not known to be */
async function removeDead(path: string, file: string): Promise<void> {
  const found = await ownerOf(path);
  if (found === undefined) {
    const there = await lstat(path).catch(() => undefined);
    if (there?.isSymbolicLink() !== true) return;
    throw new UsageError(`${file} cannot be locked: ${path} is a link to a file that is not there.`, {
      hint: `remove ${path}.`,
    });
  }
  const { text, identity, fate } = found;
  if (identity === undefined) {
    throw new UsageError(`${file} is locked, and ${path} does not say by which process.`, {
      hint: `if no update is running, remove ${path}.`,
    });
  }
  const { host, pid } = identity;
  if (fate === 'running') {
    throw new UsageError(
      `${file} is being updated by process ${pid}; two updates of one file at once would lose changes.`,
    );
  }
  if (fate === 'elsewhere') {
    throw new UsageError(`${file} is being updated by process ${pid} on ${host}.`, {
      hint: `if no update is running there, remove ${path}.`,
    });
  }
  // Two processes may find the same dead lock. The one that comes second would remove the lock of the first, so a lock
  // is moved aside and looked at before it is removed.
  const aside = temporaryBeside(path);
  try {
    await rename(path, aside);
    if ((await ownerOf(aside))?.text !== text) await link(aside, path);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(errorCode(error))) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

export interface UpdateCall {
  readonly call: TreeOrigin['call'];
  /** With its userinfo, if it was given with any. */
  readonly url: URL;
  readonly options: SitemapOptions;
}

export interface Given {
  /** As the user wrote it. */
  readonly file: string;
  readonly url: URL | undefined;
  readonly isSitemap: boolean;
  readonly options: SitemapOptions;
}

/** How what is not saved is given again, where it is not by the flag of an option. */
const OTHERWISE: Readonly<Record<string, string>> = {
  recurseCallback: '--sitemap-include or --sitemap-exclude',
  userinfo: 'a user and a password in the URL',
};

/** The call for a site that was not saved yet. @throws UsageError where no URL is given */
export function firstCall({ file, url, isSitemap, options }: Given): UpdateCall {
  if (url !== undefined) return { call: isSitemap ? 'sitemap' : 'homepage', url, options };
  throw new UsageError(`There is no ${file} yet: the first time, give the URL of the site.`, {
    hint: `usp update ${file} https://example.org`,
  });
}

/** The call that a tree was made with, as far as nothing else is given. @throws UsageError */
export function callAgain(origin: TreeOrigin | undefined, given: Given): UpdateCall {
  const { file, url, isSitemap } = given;
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
  const defined = Object.entries(given.options).filter(([, value]) => value !== undefined);
  const options: SitemapOptions = { ...origin.options, ...Object.fromEntries(defined) };
  if (isSitemap && call === 'homepage')
    throw new UsageError(`${file} is of the whole site ${saved.href}, not of one sitemap (--sitemap).`);
  if (url !== undefined) {
    const isWholeSite = call === 'homepage' && options.normalizeHomepageUrl !== false;
    checkSameSite(file, saved, new URL(withoutUserinfo(url)), isWholeSite);
  }
  const missing = notKept.filter((name) => !isGiven(name, url, given.options));
  if (missing.length === 0) return { call, url: url ?? saved, options };
  const flags = missing.map(
    (name) => OTHERWISE[name] ?? flagOf(name) ?? `the option ${name}, which usp does not have`,
  );
  const what =
    missing.length === 1 ? 'which is not saved: give it again' : 'which are not saved: give them again';
  throw new UsageError(`${file} was made with ${list(flags)}, ${what}.`);
}

function isGiven(name: string, url: URL | undefined, options: SitemapOptions): boolean {
  if (name === 'userinfo') return url !== undefined && withoutUserinfo(url) !== url;
  return Object.hasOwn(options, name) && options[name as keyof SitemapOptions] !== undefined;
}

function checkSameSite(file: string, saved: URL, given: URL, isWholeSite: boolean): void {
  given.hash = '';
  const isSame = isWholeSite
    ? given.origin === saved.origin
    : given.href === saved.href || `${given.href}/` === saved.href;
  if (isSame) return;
  throw new UsageError(`${file} is of ${saved.href}, not of ${given.href}.`, {
    hint: 'each site has a file of its own.',
  });
}
