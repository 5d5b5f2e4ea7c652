/**
 * The archive of a site and what lies beside it. Output and archive are one step: a new archive is written beside the old
 * one, as pending, before the first change is printed, and takes its place after the last. Where a run ends in between
 * (killed, a closed pipe, a full disk), its changes may have been printed in part. So the next run, which finds the
 * pending archive, prints them once more, whole, and goes on from there. If that run ends too early as well, there are
 * two pending archives, and so on.
 */
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Sitemap, SitemapException, saveTree } from '../../index.ts';
import { errorCode, flushFolder, replaceFile, writeTarget } from '../../runtime/files.ts';
import { savedTree } from '../input.ts';
import type { CliIO } from '../io.ts';
import { UsageError } from '../messages/endings.ts';

/** Limits are for files from others; this one is our own, and remembers the limit that it was made with. */
const MAX_SITEMAPS = 5_000_000;

export class SavedSite {
  /** The tree that is in place, undefined where there is none; then those of pending archives, in order. */
  readonly trees: readonly (Sitemap | undefined)[];
  readonly #path: string;
  #pending: number;

  private constructor(path: string, trees: readonly (Sitemap | undefined)[]) {
    this.#path = path;
    this.trees = trees;
    this.#pending = trees.length - 1;
  }

  /** @throws UsageError where an archive is there and cannot be read */
  static async open(file: string, io: CliIO): Promise<SavedSite> {
    const target = await writeTarget(file).catch(() => undefined);
    const path = target?.type === 'file' ? target.path : file;
    const trees: (Sitemap | undefined)[] = [];
    try {
      trees.push(await load(file, io));
      for (;;) {
        const pending = await load(pendingPath(path, trees.length), io);
        if (pending === undefined) return new SavedSite(path, trees);
        trees.push(pending);
      }
    } catch (error) {
      for (const tree of trees) tree?.close();
      throw error;
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
    await saveTree(tree, pendingPath(this.#path, this.#pending + 1));
    this.#pending++;
  }

  /** Everything is printed: the last archive takes the place of the one before. */
  async putInPlace(): Promise<void> {
    // From the first on: what is left if this ends in between is a change of the archive that is in place, too.
    for (let number = 1; number < this.#pending; number++) await rm(pendingPath(this.#path, number));
    if (this.#pending > 0) await replaceFile(pendingPath(this.#path, this.#pending), this.#path);
    await flushFolder(dirname(this.#path));
    this.#pending = 0;
  }

  close(): void {
    for (const tree of this.trees) tree?.close();
  }
}

/** With the ending that says whether it is compressed. */
function pendingPath(path: string, number: number): string {
  return `${path}.pending-${number}${/\.warc$/i.test(path) ? '.warc' : ''}`;
}

/** The saved tree; undefined where there is no such file. */
async function load(file: string, io: CliIO): Promise<Sitemap | undefined> {
  const hints = { 'archive-damaged': `move ${file} away and give the URL of the site, to start anew.` };
  try {
    return await savedTree(file, io, { maxSitemaps: MAX_SITEMAPS }, hints);
  } catch (error) {
    const { cause } = error instanceof UsageError ? error : {};
    if (cause instanceof SitemapException && errorCode(cause.cause) === 'ENOENT') return undefined;
    throw error;
  }
}
