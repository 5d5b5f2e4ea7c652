/** Counts pages by folder of their URLs. */
import { parsedUrl, unescaped } from '../url.ts';
import type { FolderSummary } from './tree-summary.ts';

const MOST_FOLDERS = 20_000;
const MOST_LEVELS = 8;
const LONGEST_NAME = 200;
const YEAR = /^(?:19|20)\d\d$/;
/** Escaped letters beyond ASCII are unescaped, so that a folder has one name. */
const ESCAPED_LETTERS = /(?:%[89a-f][\da-f])+/gi;
/** An origin as `new URL` writes it: lower case, without a port. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z\d.-]+$/;
/** How many folders, as they are written, have their node remembered. */
const MOST_REMEMBERED = 5_000;
/** How many of its largest subfolders a folder has in the summary. */
const LARGEST = 20;

interface Folder {
  readonly name: string;
  /** Pages directly in it, and in folders below the deepest level. */
  direct: number;
  /** Pages of folders that were merged into it. */
  merged: number;
  readonly folders: Map<string, Folder>;
}

/**
 * Counts in a tree of at most 20,000 folders: if there are more, the smallest are merged into their parents. A folder
 * with many pages stays, wherever its pages are in the documents.
 */
export class FolderCounts {
  readonly #top = folderOf('');
  /** The nodes of folders, by the folder as it is written. */
  readonly #folders = new Map<string, Folder>();
  #size = 1;

  add(url: string): void {
    const path = folderPath(url);
    const folder = this.#folders.get(path) ?? this.#find(path);
    folder.direct++;
  }

  summary(): FolderSummary {
    const [only] = this.#top.folders.values();
    const top = this.#top.folders.size === 1 && this.#top.merged === 0 ? only : undefined;
    return summaryOf(top ?? this.#top);
  }

  #find(path: string): Folder {
    if (this.#size >= MOST_FOLDERS) this.#merge();
    const start = path.indexOf('://') + 3;
    const [host = '', ...segments] = path.slice(start).split('/');
    let folder = this.#below(this.#top, originOf(path.slice(0, start) + host));
    for (const segment of segments.slice(0, MOST_LEVELS)) {
      // Not `clip`: names are grouped by their first characters.
      const name = segment.replaceAll(ESCAPED_LETTERS, unescaped).slice(0, LONGEST_NAME);
      folder = this.#below(folder, YEAR.test(name) ? name : withoutNumbers(name));
    }
    if (this.#folders.size >= MOST_REMEMBERED) this.#folders.clear();
    this.#folders.set(path, folder);
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

  // Merges at least half of the leaves, so that this happens rarely.
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
    this.#folders.clear();
  }
}

/** A text with its numbers replaced; the digits of an escape, as in `%20`, are part of a character. */
export function withoutNumbers(text: string): string {
  return text.replaceAll(/%[\da-f]{2}|\d+/gi, (match) => (match.startsWith('%') ? match : '{n}'));
}

/** `https://EXAMPLE.org:443` is `https://example.org`. */
function originOf(text: string): string {
  return PLAIN_ORIGIN.test(text) ? text : (parsedUrl(text)?.origin ?? text);
}

function folderOf(name: string): Folder {
  return { name, direct: 0, merged: 0, folders: new Map() };
}

/**
 * The folder that a page is in, without its last slash. A slash at the end of the URL does not make the page a folder:
 * most sites that have one have it on every page.
 */
function folderPath(url: string): string {
  const path = url.replace(/\/?(?:[?#].*)?$/s, '');
  const slash = path.lastIndexOf('/');
  return slash < url.indexOf(':') + 3 ? path : path.slice(0, slash);
}

/** Years are kept only if all folders are years; beside other folders they become `{n}`. */
function withoutYears(folder: Folder): readonly Folder[] {
  const folders = [...folder.folders.values()];
  const years = folders.filter(({ name }) => YEAR.test(name));
  if (years.length === folders.length) return folders;
  const numbered = folderOf('{n}');
  for (const each of folders) if (YEAR.test(each.name) || each.name === numbered.name) merge(each, numbered);
  const others = folders.filter(({ name }) => !YEAR.test(name) && name !== numbered.name);
  return years.length === 0 ? folders : [...others, numbered];
}

function merge(from: Folder, into: Folder): void {
  into.direct += from.direct;
  into.merged += from.merged;
  for (const [name, below] of from.folders) {
    const folder = into.folders.get(name) ?? folderOf(name);
    into.folders.set(name, folder);
    merge(below, folder);
  }
}

function summaryOf(folder: Folder): FolderSummary {
  const all = withoutYears(folder)
    .map(summaryOf)
    .sort((a, b) => b.pages - a.pages);
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
