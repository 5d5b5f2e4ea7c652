/** Counts pages by day and by folder, and their links by language. */
import { AlternateSets, MOST_OF_PAGE } from '../check/alternate-sets.ts';
import { urlKey } from '../check/ordinary-url.ts';
import { Fingerprint, type FingerprintTable } from '../parse/fingerprint-table.ts';
import type { SitemapAlternate } from '../parse/model/page.ts';
import { FairShare } from '../runtime/time.ts';
import { parsedUrl, unescaped } from '../url.ts';
import type {
  DateSummary,
  FolderSummary,
  LanguageCount,
  LanguageSummary,
  MonthCount,
  Mutable,
  YearCount,
} from './tree-summary.ts';

const DAY_MS = 86_400_000;

/** Fifty-five years of days; from then on a new day counts for its month only. */
const MOST_DAYS = 20_000;

export class DateCounts {
  /** By days since 1970. */
  readonly #days = new Map<number, number>();
  /** By months since the year 0, where there are too many days. */
  readonly #months = new Map<number, number>();
  #undated = 0;
  #future = 0;
  #oldest = Number.POSITIVE_INFINITY;
  #newest = Number.NEGATIVE_INFINITY;

  /**
   * @param time - of the page's date, in milliseconds; `NaN` where it has none
   * @param now - when its document was requested, in milliseconds
   */
  add(time: number, now: number): void {
    if (Number.isNaN(time)) {
      this.#undated++;
      return;
    }
    if (time > now + DAY_MS) {
      this.#future++;
      return;
    }
    if (time < this.#oldest) this.#oldest = time;
    if (time > this.#newest) this.#newest = time;
    const day = Math.floor(time / DAY_MS);
    const known = this.#days.get(day);
    if (known !== undefined || this.#days.size < MOST_DAYS) {
      this.#days.set(day, (known ?? 0) + 1);
      return;
    }
    const month = monthOf(new Date(time));
    this.#months.set(month, (this.#months.get(month) ?? 0) + 1);
  }

  summary(): DateSummary {
    const years = this.#years();
    const hasDates = this.#newest !== Number.NEGATIVE_INFINITY;
    return {
      dated: years.reduce((sum, { pages }) => sum + pages, 0),
      undated: this.#undated,
      future: this.#future,
      ...(hasDates && { oldest: dayText(this.#oldest), newest: dayText(this.#newest) }),
      years,
    };
  }

  #years(): YearCount[] {
    const months = new Map<number, { pages: number; days: { day: number; pages: number }[] }>();
    const add = (number: number, pages: number) => {
      const month = months.get(number) ?? { pages: 0, days: [] };
      months.set(number, month);
      month.pages += pages;
      return month;
    };
    for (const [day, pages] of [...this.#days].sort((a, b) => a[0] - b[0])) {
      const date = new Date(day * DAY_MS);
      add(monthOf(date), pages).days.push({ day: date.getUTCDate(), pages });
    }
    // Some days of these are not known.
    for (const [number, pages] of this.#months) add(number, pages).days = [];
    const years = new Map<number, { year: number; pages: number; months: MonthCount[] }>();
    for (const [number, { pages, days }] of [...months].sort((a, b) => a[0] - b[0])) {
      const year = Math.floor(number / 12);
      const entry = years.get(year) ?? { year, pages: 0, months: [] };
      entry.pages += pages;
      entry.months.push({ month: number - year * 12 + 1, pages, days });
      years.set(year, entry);
    }
    return [...years.values()];
  }
}

/** Counted from the year 0. */
function monthOf(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function dayText(time: number): string {
  return new Date(time).toISOString().replace(/T.*/, '');
}

const MOST_FOLDERS = 20_000;
const MOST_LEVELS = 8;
const LONGEST_NAME = 200;
const YEAR = /^(?:19|20)\d\d$/;
/** A letter beyond ASCII is one letter, escaped or not. */
const ESCAPED_LETTERS = /(?:%[89a-f][\da-f])+/gi;
/** An origin as `new URL` writes it: lower case, without a port. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z\d.-]+$/;
/** Folders as written whose place in the tree is remembered. */
const MOST_REMEMBERED = 5_000;
/** Of a folder, in the summary. */
const LARGEST = 20;

interface Folder {
  readonly name: string;
  /** Pages in it, and in folders below the deepest level. */
  direct: number;
  /** Pages of folders that were merged into it. */
  merged: number;
  readonly folders: Map<string, Folder>;
}

/**
 * Counts in a tree of at most 20,000 folders: where there are more, the smallest are merged into their parents. A
 * folder that has many pages survives that, wherever its pages are in the documents.
 */
export class FolderCounts {
  readonly #top = folderOf('');
  /** Folders as written, and where each is in the tree. */
  readonly #known = new Map<string, Folder>();
  #size = 1;

  add(url: string): void {
    const path = folderPath(url);
    const folder = this.#known.get(path) ?? this.#find(path);
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
      const name = segment.replaceAll(ESCAPED_LETTERS, unescaped).slice(0, LONGEST_NAME);
      folder = this.#below(folder, YEAR.test(name) ? name : withoutNumbers(name));
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
  }
}

/** A text with its numbers replaced; the digits of an escape, as in `%20`, are part of a character. */
export function withoutNumbers(text: string): string {
  return text.replaceAll(/%[\da-f]{2}|\d+/gi, (found) => (found.startsWith('%') ? found : '{n}'));
}

/** The same for `https://EXAMPLE.org:443` as for `https://example.org`. */
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

/** Years tell pages apart only where there is nothing else: beside other folders they are numbers like any. */
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
    const known = into.folders.get(name) ?? folderOf(name);
    into.folders.set(name, known);
    merge(below, known);
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

const MOST_LANGUAGES = 500;
const LONGEST_CODE = 35;

/** Sets that are counted in one turn of the event loop. */
const SETS_OF_TURN = 1_024;

/**
 * Follows the links between languages: which are returned. Pages are numbered by a table, which the targets of links
 * are added to; both by what URLs are compared by.
 */
export class LanguageLinks {
  readonly #urls: FingerprintTable;
  readonly #print = new Fingerprint();
  readonly #sets = new AlternateSets();
  readonly #languages = new Map<string, number>();
  readonly #counts: Mutable<LanguageCount>[] = [];
  #pages = 0;
  #notChecked = 0;

  constructor(urls: FingerprintTable) {
    this.#urls = urls;
  }

  /** Adds a declaration of a page. */
  add(page: number, alternates: readonly SitemapAlternate[]): void {
    if (!this.#sets.isKnown(page)) this.#pages++;
    const room = this.#sets.isFull ? 0 : MOST_OF_PAGE;
    const links = alternates.slice(0, room).map(({ hreflang, href }) => {
      const target = this.#urls.add(this.#print.take(urlKey(href)));
      return { target, language: this.#language(hreflang) };
    });
    const isAdded = links.length > 0 && this.#sets.add(page, links) !== undefined;
    for (const { hreflang } of isAdded ? alternates.slice(room) : alternates) {
      this.#counts[this.#language(hreflang) - 1]!.links++;
      this.#notChecked++;
    }
  }

  /** @param isListed - whether a sitemap lists the page with this number */
  async summary(isListed: (page: number) => boolean, signal?: AbortSignal): Promise<LanguageSummary> {
    const share = new FairShare();
    for (let set = 0; set < this.#sets.size; set++) {
      for (const { target, language, links, returned } of this.#sets.linksOf(set)) {
        const counts = this.#counts[language - 1]!;
        counts.links += links;
        counts.returned += returned;
        if (isListed(target)) counts.notReturned += links - returned;
        else counts.notListed += links - returned;
      }
      if (set % SETS_OF_TURN !== 0) continue;
      await share.turn();
      signal?.throwIfAborted();
    }
    const languages = this.#counts.filter(({ links }) => links > 0);
    languages.sort((a, b) => b.notReturned - a.notReturned || b.notListed - a.notListed || b.links - a.links);
    return { pages: this.#pages, languages, notChecked: this.#notChecked };
  }

  #language(hreflang: string): number {
    // Most are written in lower case.
    const usual = this.#languages.get(hreflang);
    if (usual !== undefined) return usual;
    const code = hreflang.slice(0, LONGEST_CODE).toLowerCase();
    const name = this.#languages.has(code) || this.#languages.size < MOST_LANGUAGES ? code : 'other';
    const known = this.#languages.get(name);
    if (known !== undefined) return known;
    this.#counts.push({ language: name, links: 0, returned: 0, notReturned: 0, notListed: 0 });
    this.#languages.set(name, this.#counts.length);
    return this.#counts.length;
  }
}
