/** The files that a repair writes, and what a strategy is: the way in which pages are divided into these files. */
import { PROTOCOL_LIMITS } from '../check/protocol-limits.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { Layout } from './layout.ts';
import type { IndexEntry, Repair } from './repair.ts';
import type { Naming, SitemapGroup, SitemapSet } from './sitemap-set.ts';
import type { WritableSitemap } from './sitemap-xml.ts';
import type { SourceDocument } from './source-documents.ts';
import type { WriteProblem } from './writable-page.ts';

/** A file of the set, and the document that its pages come from. */
export interface RepairedFile {
  readonly name: string;
  readonly url: string | undefined;
  readonly pages: number;
  /** The document that it replaces, where there is one. */
  readonly from?: string | undefined;
  /** The newest date of its pages. */
  readonly lastModified?: string | undefined;
}

export interface RepairStrategy {
  readonly files: RepairedFiles;
  /** The series of files that a page goes into. */
  groupOf(source: SourceDocument, page: SitemapPage): SitemapGroup;
  /** Is called after the last page of a document. @param entries - what it lists, if it is an index */
  endDocument(source: SourceDocument, entries: readonly IndexEntry[] | undefined): Promise<void>;
  /** Ends the files that are open, and writes the indexes. */
  end(): Promise<void>;
  /** Whether a file of an earlier set stays where something could not be read: it may be the file of that. */
  isKept(name: string): boolean;
}

export interface StrategyOptions {
  readonly maxUrls?: number | undefined;
  readonly gzip?: boolean | undefined;
  readonly baseUrl?: string | undefined;
  /** Where documents without an address belong. */
  readonly origin: string | undefined;
  /** Gets what is wrong with the page that was added last. */
  readonly onProblem: (problem: WriteProblem) => void;
  /** Gets what was repaired about a document as a whole. */
  readonly onRepair: (repair: Repair) => void;
}

export class RepairedFiles {
  readonly layout: Layout;
  readonly #set: SitemapSet;
  readonly #options: StrategyOptions;
  readonly #sitemaps: RepairedFile[] = [];
  readonly #indexes: RepairedFile[] = [];
  readonly #listedNames = new Set<string>();

  /** @param byHost - whether each host has a folder */
  constructor(set: SitemapSet, options: StrategyOptions, { byHost }: { readonly byHost: boolean }) {
    this.#set = set;
    this.#options = options;
    this.layout = new Layout({ baseUrl: options.baseUrl, gzip: options.gzip, byHost });
  }

  get all(): readonly RepairedFile[] {
    return [...this.#indexes, ...this.#sitemaps];
  }

  get sitemaps(): readonly RepairedFile[] {
    return this.#sitemaps;
  }

  /** What a robots.txt has to declare: the indexes, and the sitemaps that no index lists. */
  get tops(): readonly RepairedFile[] {
    return [...this.#indexes, ...this.#sitemaps.filter(({ name }) => !this.#listedNames.has(name))];
  }

  addressOf(name: string): string | undefined {
    return this.layout.addressOf(name, this.#options.origin);
  }

  isListed(name: string): boolean {
    return this.#listedNames.has(name);
  }

  /** Notes that an index lists a file. */
  list(name: string): void {
    this.#listedNames.add(name);
  }

  /** Starts a series of files. @param url - where they are */
  open(naming: Naming, url: string | undefined): SitemapGroup {
    const { maxUrls, onProblem } = this.#options;
    return this.#set.group(naming, { maxUrls, url, onProblem });
  }

  /** Ends a series. @param from - the document that it replaces */
  async end(group: SitemapGroup, from?: string): Promise<readonly RepairedFile[]> {
    const groupFiles = await group.end();
    const files = groupFiles.map(({ name, entries: pages, lastModified }) => {
      return { name, url: this.addressOf(name), pages, from, lastModified };
    });
    this.#sitemaps.push(...files);
    return files;
  }

  /** Writes an index, in as many files as it needs. @param from - the document that it replaces */
  async addIndex(name: string, entries: readonly WritableSitemap[], from?: string): Promise<void> {
    for (let at = 0; at < entries.length; at += PROTOCOL_LIMITS.entries) {
      const file = at === 0 ? name : this.layout.next(name, at / PROTOCOL_LIMITS.entries + 1);
      await this.#set.addIndex(file, entries.slice(at, at + PROTOCOL_LIMITS.entries));
      this.#indexes.push({ name: file, url: this.addressOf(file), pages: 0, from });
    }
  }
}
