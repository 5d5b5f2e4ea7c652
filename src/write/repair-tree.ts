/**
 * Trees → a valid set of sitemaps. Documents are read twice: once for which of repeated pages is kept, and once to
 * write. Neither pages nor documents are held.
 */

import { documentsOf, type TreeDocument } from '../check/check-tree.ts';
import { PROTOCOL_LIMITS } from '../check/protocol-limits.ts';
import { pieces } from '../parse/given-input.ts';
import { isPagesKind } from '../parse/model/kinds.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { FairShare } from '../runtime/time.ts';
import { partsOf, type Sitemap, walkTree } from '../sitemap/sitemap.ts';
import { count } from '../text/wording.ts';
import { documentKey, isPrivateHost, parsedUrl, webUrl } from '../url.ts';
import { BestDated } from './best-dated.ts';
import type { Division } from './divisions.ts';
import { addressesOfFiles } from './file-addresses.ts';
import { Layout, partOf, unnumbered, wordInName } from './layout.ts';
import { judged, type Opinions } from './opinions.ts';
import {
  everyUrl,
  type IndexEntry,
  type PageRepair,
  type PlacedPage,
  type Repair,
  RepairReader,
} from './repair.ts';
import type { Naming, SitemapGroup, SitemapSet } from './sitemap-set.ts';
import type { WriteProblem } from './writable-page.ts';

/** What is read: a tree, and what its document is called where it came from a file. */
export interface RepairInput {
  readonly tree: Sitemap;
  readonly fileName?: string | undefined;
}

export interface RepairTreeOptions {
  readonly layout: 'keep' | 'new';
  readonly by?: Division | undefined;
  readonly maxUrls?: number | undefined;
  readonly gzip?: boolean | undefined;
  readonly baseUrl?: string | undefined;
  readonly keepDuplicates?: boolean | undefined;
  readonly opinions: Opinions;
  readonly signal?: AbortSignal | undefined;
}

/** A file of the set, and the documents that its pages come from. */
export interface RepairedFile {
  readonly name: string;
  readonly url: string | undefined;
  readonly pages: number;
  /** The document that it replaces, where there is one. */
  readonly from?: string | undefined;
  /** The newest date of its pages. */
  readonly lastModified?: string | undefined;
}

export interface RepairResult {
  readonly files: readonly RepairedFile[];
  readonly pagesRead: number;
  readonly pagesWritten: number;
  /** Sitemaps among pages, and pages among sitemaps, which are not read: a sentence for each document. */
  readonly unfollowed: readonly string[];
  /** The addresses for the `Sitemap:` lines that no robots.txt has yet. */
  readonly robots: readonly string[];
  /** What is an error in a check and was written all the same, since only its site knows what is right. */
  readonly left: readonly ErrorLeft[];
}

interface ErrorLeft {
  readonly rule: 'page-blocked';
  readonly count: number;
  /** The first page. */
  readonly page: string;
}

/** Pages of more parts than this are in one: what they have in common is not worth a file. */
const MOST_PARTS = 1000;

interface SourceDocument extends TreeDocument {
  /** Its address: its own, or that by which an index among the inputs lists it. */
  readonly address: string;
  /** The name of its first file, where files are those of documents; else empty. */
  readonly file: string;
}

export class TreeRepair {
  readonly #inputs: readonly RepairInput[];
  readonly #options: RepairTreeOptions;
  readonly #layout: Layout;
  readonly #best: BestDated | undefined;
  readonly #share = new FairShare();
  readonly #sources: readonly SourceDocument[];
  readonly #bySitemap: ReadonlyMap<Sitemap, SourceDocument>;
  readonly #byKey: ReadonlyMap<string, SourceDocument>;
  /** The names of the first files of what could not be read: those of an earlier set may be there. */
  readonly #unreadFiles: ReadonlySet<string>;
  readonly #files: RepairedFile[] = [];
  readonly #indexes: RepairedFile[] = [];
  readonly #inIndexes = new Set<string>();
  /** The files that came of each document. */
  readonly #written = new Map<SourceDocument, readonly RepairedFile[]>();
  readonly #unfollowed: string[] = [];
  readonly #blocked = { rule: 'page-blocked' as const, count: 0, page: '' };
  #repairs: Repair[] = [];
  /** What the writer says is about the page that was added last. */
  #onProblem: (problem: WriteProblem) => void = () => {};
  #pagesRead = 0;
  /** Where documents belong that have no address. */
  #origin: string | undefined;

  static async open(inputs: readonly RepairInput[], options: RepairTreeOptions): Promise<TreeRepair> {
    const pace = { share: new FairShare(), signal: options.signal };
    const known: TreeDocument[] = [];
    for (const { tree, fileName } of inputs) known.push(...(await documentsOf(tree, fileName, pace)));
    return new TreeRepair(inputs, options, known);
  }

  private constructor(
    inputs: readonly RepairInput[],
    options: RepairTreeOptions,
    known: readonly TreeDocument[],
  ) {
    this.#inputs = inputs;
    this.#options = options;
    const isKept = options.layout === 'keep';
    const isFile = ({ sitemap }: TreeDocument): boolean => webUrl(sitemap.url) === undefined;
    const addresses = addressesOfFiles(known.filter(isFile), this.#unfetched);
    const placed = known
      .filter(({ sitemap }) => sitemap.kind === 'index-xml' || isPagesKind(sitemap.kind))
      .map((document) => {
        if (!isFile(document)) return { ...document, address: document.sitemap.url };
        const address = addresses.get(document) ?? document.name;
        return { ...document, address, keys: [...document.keys, documentKey(address)] };
      });
    const unread = isKept ? unreadAddresses(inputs, new Set(placed.flatMap(({ keys }) => keys))) : [];
    const named = [...placed.map(({ address }) => address), ...unread];
    const hosts = new Set(named.flatMap((address) => webUrl(address)?.host ?? []));
    const byHost = isKept ? hosts.size > 1 : options.by === 'host';
    this.#layout = new Layout({ baseUrl: options.baseUrl, gzip: options.gzip, byHost });
    // All names are known before the first file is divided: `a-2.xml` may be one of them.
    const files = isKept ? this.#layout.namesOf(placed.map(({ address }) => address)) : [];
    this.#unreadFiles = new Set(this.#layout.namesOf(unread));
    this.#sources = placed.map((each, at) => ({ ...each, file: files[at] ?? '' }));
    this.#bySitemap = new Map(this.#sources.map((each) => [each.sitemap, each]));
    this.#byKey = new Map(this.#sources.flatMap((each) => each.keys.map((key) => [key, each] as const)));
    if (options.keepDuplicates !== true) {
      const canonicalSlash = options.opinions.canonicalSlash === true;
      this.#best = new BestDated({ bySort: isKept, canonicalSlash });
    }
  }

  /** What indexes list and no input has, of indexes that were read without a network. */
  get unread(): readonly string[] {
    return this.#unfetched.map(({ url }) => url).filter((url) => !this.#byKey.has(documentKey(url)));
  }

  get #unfetched(): readonly Sitemap[] {
    return this.#inputs
      .flatMap(({ tree }) => tree.subSitemaps)
      .filter((child) => child.kind === 'invalid' && child.code === 'not-fetched');
  }

  /**
   * Says whether a file of an earlier set stays where something could not be read: it may be the file of that. Not one
   * of a document that was read, nor one of a new division, whose files are not those of documents. `sitemap-2.xml` is
   * the second file of `sitemap.xml`, unless it is the name of a document.
   */
  get isKept(): (name: string) => boolean {
    const read = new Set(this.#sources.map(({ file }) => file));
    const unread = this.#unreadFiles;
    const isOfUnread = (name: string): boolean => {
      const first = unnumbered(name);
      return unread.has(name) || unread.has(first) || !read.has(first);
    };
    return (name) => this.#options.layout === 'keep' && !read.has(name) && isOfUnread(name);
  }

  get result(): RepairResult {
    const { baseUrl } = this.#options;
    const declared = new Set<string>();
    for (const { tree } of this.#inputs) {
      for (const { sitemap, parent } of walkTree(tree)) {
        if (parent?.kind !== 'robots-txt') continue;
        for (const url of [sitemap.url, sitemap.declaredUrl]) if (url) declared.add(documentKey(url));
      }
    }
    const tops = [...this.#indexes, ...this.#files.filter(({ name }) => !this.#inIndexes.has(name))];
    const addresses = tops.flatMap(({ url }) => url ?? []);
    return {
      files: [...this.#indexes, ...this.#files],
      pagesRead: this.#pagesRead,
      pagesWritten: this.#files.reduce((sum, { pages }) => sum + pages, 0),
      unfollowed: this.#unfollowed,
      robots: addresses.filter((url) => baseUrl !== undefined || !declared.has(documentKey(url))),
      left: this.#blocked.count === 0 ? [] : [this.#blocked],
    };
  }

  /** Reads all pages for the first time. */
  async survey(): Promise<void> {
    const best = this.#best;
    const isOriginNeeded = !this.#sources.every(({ address }) => webUrl(address));
    const origins = isOriginNeeded ? new Map<string, number>() : undefined;
    if (best === undefined && origins === undefined) return;
    for (const { sitemap, name } of this.#sources) {
      if (!isPagesKind(sitemap.kind)) continue;
      best?.startNoting(name);
      const batches = partsOf(sitemap).source.batchesAsync(this.#options.signal, everyUrl());
      for await (const batch of batches) {
        for (const page of batch) {
          const kept = judged(page, this.#options.opinions, () => {});
          if (kept === undefined) continue;
          best?.note(kept);
          if (origins !== undefined) countOrigin(kept.url, origins);
        }
      }
    }
    best?.endNoting();
    this.#origin = origins && mainOrigin(origins);
  }

  /** Writes the files into a set, which is to be committed then. Yields what was repaired, as it is found. */
  async *write(set: SitemapSet): AsyncGenerator<readonly Repair[], void, undefined> {
    const indexes = new Map<SourceDocument, readonly IndexEntry[]>();
    const groups: Groups = this.#options.layout === 'keep' ? this.#keptGroups(set) : this.#newGroups(set);
    for (const source of this.#sources) {
      const reader = new RepairReader({ name: source.name, options: source.document.options }, (repair) =>
        this.#add(repair),
      );
      for await (const chunk of source.document.chunksAsync()) {
        for (const piece of pieces(chunk)) {
          await this.#pages(reader, reader.write(piece), source, groups);
          yield this.#take();
          if (this.#share.isUsedUp) await this.#share.turn();
          this.#options.signal?.throwIfAborted();
        }
      }
      const isCut = source.document.truncatedBy !== undefined;
      // Of a document that is cut, the reader says so.
      for (const { code, message } of isCut ? [] : source.sitemap.problems)
        if (code === 'bad-checksum' || code.startsWith('gzip-')) this.#tell(source, 'changed', code, message);
      await this.#pages(reader, reader.end(isCut), source, groups);
      if (reader.kind === 'index-xml') indexes.set(source, reader.entries);
      await groups.endDocument(source);
      yield this.#take();
    }
    await groups.end();
    if (this.#options.layout === 'keep')
      for (const [source, above] of this.#topsOf([...indexes.keys()]))
        await this.#index(set, source, above, indexes);
    else await this.#newIndexes(set);
    yield this.#take();
  }

  #add(repair: Repair): void {
    this.#repairs.push(repair);
    if (repair.rule === 'other-entry-kind') this.#unfollowed.push(`${repair.document}: ${repair.message}`);
  }

  #tell({ name }: SourceDocument, action: Repair['action'], rule: string, message: string): void {
    this.#add({ action, rule, message, document: name });
  }

  #take(): readonly Repair[] {
    const repairs = this.#repairs;
    this.#repairs = [];
    // What the parser says of some entries comes before what is done about them.
    return repairs.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
  }

  async #pages(
    reader: RepairReader,
    pages: readonly PlacedPage[],
    source: SourceDocument,
    groups: Groups,
  ): Promise<void> {
    const { opinions } = this.#options;
    for (const placed of pages) {
      this.#pagesRead++;
      const tell = ({ action, rule, message }: PageRepair): void =>
        reader.report(action, rule, message, placed);
      const page = judged(placed.page, opinions, tell);
      if (page === undefined) continue;
      const repeated = this.#best?.reasonToDrop(page);
      if (repeated !== undefined) {
        tell(repeated);
        continue;
      }
      let isWritten = true;
      this.#onProblem = ({ code, message, dropped }) => {
        if (dropped === 'page') isWritten = false;
        tell({ action: dropped === 'page' ? 'dropped' : 'changed', rule: code, message });
      };
      const wait = groups.of(source, page).add(page);
      if (wait !== undefined) await wait;
      if (isWritten && opinions.blocked?.(page.url) !== undefined && this.#blocked.count++ === 0)
        this.#blocked.page = page.url;
    }
  }

  #open(set: SitemapSet, naming: Naming, url: string | undefined): SitemapGroup {
    const onProblem = (problem: WriteProblem): void => this.#onProblem(problem);
    return set.group(naming, { maxUrls: this.#options.maxUrls, url, onProblem });
  }

  async #end(group: SitemapGroup, from?: string): Promise<readonly RepairedFile[]> {
    const written = await group.end();
    const files = written.map(({ name, entries: pages, lastModified }) => {
      return { name, url: this.#addressOf(name), pages, from, lastModified };
    });
    this.#files.push(...files);
    return files;
  }

  #addressOf(name: string): string | undefined {
    return this.#layout.addressOf(name, this.#origin);
  }

  /** A series of files for each document, under its own name. */
  #keptGroups(set: SitemapSet): Groups {
    let group: SitemapGroup | undefined;
    return {
      of: ({ file }) => {
        group ??= this.#open(
          set,
          (number) => (number === 1 ? file : this.#layout.next(file, number)),
          this.#addressOf(file),
        );
        return group;
      },
      endDocument: async (source) => {
        const files = group === undefined ? [] : await this.#end(group, source.name);
        group = undefined;
        this.#written.set(source, files);
        if (!isPagesKind(source.sitemap.kind)) return;
        if (files.length === 0) {
          const message = 'The document has no page that can be written; there is no file for it.';
          this.#tell(source, 'dropped', 'empty-sitemap', message);
          return;
        }
        this.#tellName(source);
        if (files.length === 1) return;
        const message = `The document is over a limit, and divided into ${count(files.length, 'file')}.`;
        this.#tell(source, 'changed', 'over-50000-urls', message);
      },
      end: async () => {},
    };
  }

  #tellName(source: SourceDocument): void {
    if (source.name === 'stdin' || !this.#layout.isRenamed(source.file)) return;
    this.#tell(source, 'changed', 'renamed', `The file is called ${source.file}.`);
  }

  /** A series of files for each part, and one for its news, which search engines want by themselves. */
  #newGroups(set: SitemapSet): Groups {
    const { by, gzip } = this.#options;
    const groups = new Map<string, SitemapGroup>();
    const ofHost = new Map<string | undefined, number>();
    let isEnding = false;
    return {
      of: (source, page) => {
        const part = partOf(page, by);
        const news = page.newsStory === undefined ? '' : 'news';
        const wanted = `${news} ${part}`;
        const key = groups.has(wanted) || groups.size < MOST_PARTS ? wanted : 'other';
        const known = groups.get(key);
        if (known !== undefined) return known;
        const origin = by === 'host' && key !== 'other' ? webUrl(page.url)?.origin : undefined;
        const host = origin && webUrl(origin)?.host;
        ofHost.set(host, (ofHost.get(host) ?? 0) + 1);
        const word = by === undefined || by === 'host' ? '' : wordInName(key === 'other' ? key : part);
        const words = ['sitemap', word, news].filter((each) => each !== '');
        const naming = (number: number, count: number): string => {
          // How many files there are is known in the end.
          if (!isEnding) return gzip === true ? 'sitemap.xml.gz' : 'sitemap.xml';
          const isPlain = count === 1 && (words.length > 1 || ofHost.get(host) === 1);
          return this.#layout.named([`${[...words, ...(isPlain ? [] : [number])].join('-')}.xml`], origin);
        };
        const url = this.#options.baseUrl ?? webUrl(source.address)?.origin ?? this.#origin;
        const group = this.#open(set, naming, url);
        groups.set(key, group);
        return group;
      },
      endDocument: async () => {},
      end: async () => {
        isEnding = true;
        for (const group of groups.values()) await this.#end(group);
      },
    };
  }

  /** Writes an index again, with the files of all sitemaps below it; one that is listed by an index is part of that. */
  async #index(
    set: SitemapSet,
    source: SourceDocument,
    above: SourceDocument | undefined,
    indexes: ReadonlyMap<SourceDocument, readonly IndexEntry[]>,
  ): Promise<void> {
    if (above !== undefined) {
      const message = `An index in an index: its sitemaps are listed by ${above.name} itself.`;
      this.#tell(source, 'changed', 'nested-index', message);
      return;
    }
    const below = [...this.#below(source)];
    const written = [source, ...below].flatMap((each) => indexes.get(each) ?? []).reverse();
    const dates = new Map(written.map(({ url, lastModifiedText }) => [documentKey(url), lastModifiedText]));
    const entries: { url: string; lastModified?: Date | string | undefined }[] = [];
    for (const child of below) {
      // With the precision that it was written with: a node has a moment.
      const text = child.keys.map((key) => dates.get(key)).find((date) => date !== undefined);
      const date = text ?? child.sitemap.lastModified;
      for (const { name, url } of this.#written.get(child) ?? []) {
        if (url === undefined) continue;
        entries.push({ url, lastModified: date });
        this.#inIndexes.add(name);
      }
    }
    for await (const entry of this.#keptEntries(set, source.file, [source, ...below])) entries.push(entry);
    for (const child of source.sitemap.subSitemaps) {
      const isRecursion = child.kind === 'invalid' && child.code === 'recursion';
      if (!isRecursion && this.#sourceOf(child) !== source) continue;
      const message = `The index leads back to itself, or to an index above it: ${child.url}`;
      this.#tell(source, 'dropped', 'sitemap-recursion', message);
    }
    await this.#writeIndex(set, source.file, entries, source.name);
    if (entries.length > 0) this.#tellName(source);
  }

  /**
   * What an index listed in the earlier set, and lists still: files that stay since something below it could not be
   * read. That may be an index, whose sitemaps the outer one lists, so their names say nothing.
   */
  async *#keptEntries(
    set: SitemapSet,
    name: string,
    documents: readonly SourceDocument[],
  ): AsyncGenerator<{ readonly url: string; readonly lastModified: Date | string | undefined }> {
    const below = documents.flatMap(({ sitemap }) => [...walkTree(sitemap)]);
    if (!below.some(({ sitemap }) => sitemap.kind === 'invalid')) return;
    const { isKept } = this;
    const kept = new Map(
      set.unwritten
        .filter(isKept)
        .map((file) => [documentKey(this.#addressOf(this.#layout.placeWith(file, name)) ?? file), file]),
    );
    for await (const { url, lastModified, lastModifiedText } of set.earlierEntries(name)) {
      const file = kept.get(documentKey(url));
      if (file === undefined || this.#inIndexes.has(file)) continue;
      this.#inIndexes.add(file);
      yield { url, lastModified: lastModifiedText ?? lastModified };
    }
  }

  async #writeIndex(
    set: SitemapSet,
    name: string,
    entries: readonly { url: string; lastModified?: Date | string | undefined }[],
    from?: string,
  ): Promise<void> {
    for (let at = 0; at < entries.length; at += PROTOCOL_LIMITS.entries) {
      const own = at === 0 ? name : this.#layout.next(name, at / PROTOCOL_LIMITS.entries + 1);
      await set.addIndex(own, entries.slice(at, at + PROTOCOL_LIMITS.entries));
      this.#indexes.push({ name: own, url: this.#addressOf(own), pages: 0, from });
    }
  }

  /** The documents below an index, each once, in order; also those that are inputs of their own. */
  *#below(
    index: SourceDocument,
    seen: Set<SourceDocument> = new Set([index]),
  ): Generator<SourceDocument, void, undefined> {
    for (const { sitemap } of walkTree(index.sitemap)) {
      const child = this.#sourceOf(sitemap);
      if (child === undefined || seen.has(child)) continue;
      seen.add(child);
      yield child;
      if (child.sitemap !== sitemap) yield* this.#below(child, seen);
    }
  }

  #sourceOf(sitemap: Sitemap): SourceDocument | undefined {
    const own = this.#bySitemap.get(sitemap);
    if (own !== undefined) return own;
    const keys = [sitemap.url, sitemap.declaredUrl].flatMap((url) => (url ? documentKey(url) : []));
    return keys.map((key) => this.#byKey.get(key)).find((found) => found !== undefined);
  }

  /** Each index with the one that lists it, directly or not; without one where something else declares it, too. */
  #topsOf(indexes: readonly SourceDocument[]): ReadonlyMap<SourceDocument, SourceDocument | undefined> {
    const listed = new Set<SourceDocument>();
    const declared = new Set<SourceDocument>();
    for (const { tree } of this.#inputs) {
      for (const { sitemap, parent } of walkTree(tree)) {
        const source = this.#sourceOf(sitemap);
        if (source === undefined || parent === undefined || this.#sourceOf(parent) === source) continue;
        (parent.kind === 'index-xml' ? listed : declared).add(source);
      }
    }
    const tops = new Map<SourceDocument, SourceDocument | undefined>();
    const take = (top: SourceDocument): void => {
      tops.set(top, undefined);
      for (const each of this.#below(top)) if (!tops.has(each)) tops.set(each, top);
    };
    const isTop = (each: SourceDocument): boolean => declared.has(each) || !listed.has(each);
    for (const each of indexes.filter(isTop)) take(each);
    // Indexes that list each other.
    for (const each of indexes) if (!tops.has(each)) take(each);
    return new Map(indexes.map((each) => [each, tops.get(each)]));
  }

  async #newIndexes(set: SitemapSet): Promise<void> {
    const byFolder = new Map<string, RepairedFile[]>();
    for (const file of this.#files) {
      const folder = file.name.includes('/') ? file.name.slice(0, file.name.indexOf('/')) : '';
      byFolder.set(folder, [...(byFolder.get(folder) ?? []), file]);
    }
    for (const files of byFolder.values()) {
      if (files.length < 2) continue;
      const origin = this.#layout.originOf(files[0]!.name);
      for (const { name } of files) this.#inIndexes.add(name);
      const entries = files.flatMap(({ url, lastModified }) =>
        url === undefined ? [] : { url, lastModified },
      );
      await this.#writeIndex(set, this.#layout.named(['sitemap.xml'], origin), entries);
    }
  }
}

/** Which series of files a page goes into. */
interface Groups {
  of(source: SourceDocument, page: SitemapPage): SitemapGroup;
  endDocument(source: SourceDocument): Promise<void>;
  end(): Promise<void>;
}

/** More than these are not worth counting. */
const MOST_ORIGINS = 1000;

function countOrigin(url: string, counts: Map<string, number>): void {
  const origin = /^https?:\/\/[^/?#]+/i.exec(url)?.[0];
  if (origin === undefined) return;
  const times = counts.get(origin);
  if (times !== undefined || counts.size < MOST_ORIGINS) counts.set(origin, (times ?? 0) + 1);
}

/** That of most pages; a private one only where there is no other. */
function mainOrigin(counts: ReadonlyMap<string, number>): string | undefined {
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([origin]) => parsedUrl(origin));
  return (sorted.find((url) => url !== undefined && !isPrivateHost(url.hostname)) ?? sorted[0])?.origin;
}

/** The addresses of what could not be read. @param read - the keys of the documents that were */
function unreadAddresses(inputs: readonly RepairInput[], read: ReadonlySet<string>): readonly string[] {
  const addresses = new Map<string, string>();
  for (const { sitemap } of inputs.flatMap(({ tree }) => [...walkTree(tree)])) {
    const key = documentKey(sitemap.url);
    const isUnread = sitemap.kind === 'invalid' && webUrl(sitemap.url) !== undefined;
    if (isUnread && !read.has(key)) addresses.set(key, sitemap.url);
  }
  return [...addresses.values()];
}
