/**
 * Counts pages by folder, in a tree of at most 20,000 folders: where there are more, the smallest are merged into their
 * parents. A folder that has many pages survives that, wherever its pages are in the documents.
 */
import { asciiString } from '../../parse/values/text.ts';
import type { FolderSummary } from './summary.ts';

const MOST_FOLDERS = 20_000;
const MOST_LEVELS = 8;
const LONGEST_NAME = 200;
/** Folders as written whose place in the tree is remembered. */
const MOST_REMEMBERED = 5_000;
/** Of a folder, in the summary. */
const LARGEST = 20;

/** Folders whose bytes are remembered. */
const RECENT = 1024;
const SLASH = 0x2f;
const QUESTION = 0x3f;
const HASH = 0x23;
const FOUR_QUESTIONS = 0x3f3f3f3f;
const FOUR_HASHES = 0x23232323;
const FOUR_SLASHES = 0x2f2f2f2f;

interface Folder {
  readonly name: string;
  /** Pages in it, and in folders below the deepest level. */
  direct: number;
  /** Pages of folders that were merged into it. */
  merged: number;
  readonly folders: Map<string, Folder>;
}

/** A folder as it is written. */
interface RecentFolder {
  /** How many bytes it has. */
  readonly length: number;
  /** Its bytes, four at a time; the last four may overlap with those before. */
  readonly words: readonly number[];
  readonly folder: Folder;
}

/** Counts pages by folder. */
export class FolderCounts {
  readonly #top = folderOf('');
  readonly #known = new Map<string, Folder>();
  #size = 1;
  /** Folders of plain URLs, by a hash of how they are written. */
  #recent: (RecentFolder | undefined)[] = [];
  #lastPath = '';
  #last: Folder | undefined;

  add(url: string): void {
    const path = folderPath(url);
    if (this.#last === undefined || path !== this.#lastPath) {
      this.#last = this.#known.get(path) ?? this.#find(path);
      this.#lastPath = path;
    }
    this.#last.direct++;
  }

  /**
   * The same of a URL in printable ASCII. Its folder is mostly one that was seen before: no text is made of it then.
   */
  addBytes(bytes: Uint8Array, view: DataView, start: number, end: number): void {
    const stop = folderEnd(bytes, view, start, end);
    // Without a slash behind its host, a folder is written otherwise.
    if (stop === start) {
      this.add(asciiString(bytes, start, end));
      return;
    }
    // The end tells folders apart, and the beginning does not.
    const first = Math.imul(view.getInt32(stop - 8, true) ^ (stop - start), 0x2c1b3c6d);
    const hash = Math.imul(view.getInt32(stop - 4, true) ^ first ^ (first >>> 15), 0x297a2d39);
    const place = (hash ^ (hash >>> 15)) & (RECENT - 1);
    const recent = this.#recent[place];
    if (recent !== undefined && isSame(recent, view, start, stop)) {
      recent.folder.direct++;
      return;
    }
    this.add(asciiString(bytes, start, end));
    if (this.#last !== undefined)
      this.#recent[place] = {
        length: stop - start,
        words: wordsOf(view, start, stop),
        folder: this.#last,
      };
  }

  /** The folders of the only origin, or the origins. */
  summary(): FolderSummary {
    const [only] = this.#top.folders.values();
    const top = this.#top.folders.size === 1 && this.#top.merged === 0 ? only : undefined;
    return summaryOf(top ?? this.#top);
  }

  #find(path: string): Folder {
    if (this.#size >= MOST_FOLDERS) this.#merge();
    const start = path.indexOf('://') + 3;
    const [host = '', ...segments] = path.slice(start, -1).split('/');
    let folder = this.#below(this.#top, path.slice(0, start) + host);
    for (const segment of segments.slice(0, MOST_LEVELS)) {
      folder = this.#below(folder, segment.slice(0, LONGEST_NAME).replaceAll(/\d+/g, '{n}'));
    }
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear();
    this.#known.set(path, folder);
    return folder;
  }

  #below(parent: Folder, name: string): Folder {
    let folder = parent.folders.get(name);
    if (folder === undefined) {
      folder = folderOf(name);
      parent.folders.set(name, folder);
      this.#size++;
    }
    return folder;
  }

  // Half of the leaves at least, so that the work is done rarely.
  #merge(): void {
    while (this.#size > MOST_FOLDERS / 2) {
      const leaves: { readonly parent: Folder; readonly leaf: Folder }[] = [];
      const open: Folder[] = [this.#top];
      for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
        for (const leaf of parent.folders.values()) {
          if (leaf.folders.size === 0) leaves.push({ parent, leaf });
          else open.push(leaf);
        }
      }
      leaves.sort((a, b) => a.leaf.direct + a.leaf.merged - b.leaf.direct - b.leaf.merged);
      for (const { parent, leaf } of leaves.slice(0, Math.ceil(leaves.length / 2))) {
        parent.merged += leaf.direct + leaf.merged;
        parent.folders.delete(leaf.name);
        this.#size--;
      }
    }
    this.#known.clear();
    this.#recent = [];
    this.#last = undefined;
  }
}

function folderOf(name: string): Folder {
  return { name, direct: 0, merged: 0, folders: new Map() };
}

/**
 * The folder that a page is in, as written, with its last slash. A slash at the end of the URL does not make the page
 * a folder: most sites that have one have it on every page.
 */
function folderPath(url: string): string {
  const start = url.indexOf('://') + 3;
  let end = url.length;
  const query = url.indexOf('?', start);
  if (query !== -1) end = query;
  const fragment = url.indexOf('#', start);
  if (fragment !== -1 && fragment < end) end = fragment;
  const slash = url.lastIndexOf('/', url[end - 1] === '/' ? end - 2 : end - 1);
  return slash < start ? `${url.slice(0, url[end - 1] === '/' ? end - 1 : end)}/` : url.slice(0, slash + 1);
}

/** Where the folder of a URL ends, behind its last slash; the start of the URL if it has no folder with a slash. */
function folderEnd(bytes: Uint8Array, view: DataView, start: number, end: number): number {
  const host = start + 'https://'.length;
  // A slash at the end does not make a folder.
  let at = pathEnd(bytes, view, host, end) - 2;
  while (at - 3 >= host && !hasZero(view.getInt32(at - 3, true) ^ FOUR_SLASHES)) at -= 4;
  while (at >= host && bytes[at] !== SLASH) at--;
  return at >= host ? at + 1 : start;
}

/** Where the query or the fragment begins, or `end`. Four bytes are looked at at once, since most URLs have neither. */
function pathEnd(bytes: Uint8Array, view: DataView, start: number, end: number): number {
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = view.getInt32(at, true);
    if (hasZero(word ^ FOUR_QUESTIONS) || hasZero(word ^ FOUR_HASHES)) break;
  }
  while (at < end && bytes[at] !== QUESTION && bytes[at] !== HASH) at++;
  return at;
}

/** Whether one of four bytes is zero. */
function hasZero(word: number): boolean {
  return ((word - 0x01010101) & ~word & 0x80808080) !== 0;
}

function isSame({ length, words }: RecentFolder, view: DataView, start: number, stop: number): boolean {
  if (length !== stop - start) return false;
  for (let index = words.length - 1; index >= 0; index--) {
    if (view.getInt32(Math.min(start + 4 * index, stop - 4), true) !== words[index]) return false;
  }
  return true;
}

function wordsOf(view: DataView, start: number, stop: number): readonly number[] {
  return Array.from({ length: Math.ceil((stop - start) / 4) }, (_, index) =>
    view.getInt32(Math.min(start + 4 * index, stop - 4), true),
  );
}

function summaryOf(folder: Folder): FolderSummary {
  const all = [...folder.folders.values()].map(summaryOf).sort((a, b) => b.pages - a.pages);
  const pagesOf = (folders: readonly FolderSummary[]): number =>
    folders.reduce((sum, { pages }) => sum + pages, 0);
  return {
    name: folder.name,
    pages: folder.direct + folder.merged + pagesOf(all),
    direct: folder.direct,
    folders: all.slice(0, LARGEST),
    other: folder.merged + pagesOf(all.slice(LARGEST)),
  };
}
