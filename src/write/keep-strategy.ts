/** `--layout keep`: a series of files for each document, under its name, and each index again. */
import { isPagesKind } from '../parse/model/kinds.ts';
import { count } from '../text/wording.ts';
import { documentKey, webUrl } from '../url.ts';
import { unnumbered } from './layout.ts';
import type { IndexEntry, Repair } from './repair.ts';
import {
  type RepairedFile,
  RepairedFiles,
  type RepairStrategy,
  type StrategyOptions,
} from './repaired-files.ts';
import type { SitemapGroup, SitemapSet } from './sitemap-set.ts';
import type { WritableSitemap } from './sitemap-xml.ts';
import { hasUnread, type SourceDocument, type SourceDocuments } from './source-documents.ts';

export class KeepStrategy implements RepairStrategy {
  readonly files: RepairedFiles;
  readonly #sources: SourceDocuments;
  readonly #set: SitemapSet;
  readonly #onRepair: (repair: Repair) => void;
  /** The name of the first file of each document. */
  readonly #names: ReadonlyMap<SourceDocument, string>;
  readonly #readNames: ReadonlySet<string>;
  /** The names of the first files of what could not be read: an earlier set may have them. */
  readonly #unreadNames: ReadonlySet<string>;
  /** The files of each document. */
  readonly #filesOf = new Map<SourceDocument, readonly RepairedFile[]>();
  readonly #indexes = new Map<SourceDocument, readonly IndexEntry[]>();
  /** The files of the document that is being read. */
  #group: SitemapGroup | undefined;

  constructor(sources: SourceDocuments, set: SitemapSet, options: StrategyOptions) {
    this.#sources = sources;
    this.#set = set;
    this.#onRepair = options.onRepair;
    const addresses = sources.all.map(({ address }) => address);
    const unreadAddresses = sources.unreadAddresses;
    const hosts = new Set(
      [...addresses, ...unreadAddresses].flatMap((address) => webUrl(address)?.host ?? []),
    );
    this.files = new RepairedFiles(set, options, { byHost: hosts.size > 1 });
    // All names are known before the first file is divided: `a-2.xml` may be one of them.
    const names = this.files.layout.namesOf(addresses);
    this.#names = new Map(sources.all.map((source, at) => [source, names[at]!]));
    this.#readNames = new Set(names);
    this.#unreadNames = new Set(this.files.layout.namesOf(unreadAddresses));
  }

  groupOf(source: SourceDocument): SitemapGroup {
    const { layout } = this.files;
    const name = this.#nameOf(source);
    this.#group ??= this.files.open(
      (number) => (number === 1 ? name : layout.next(name, number)),
      this.files.addressOf(name),
    );
    return this.#group;
  }

  async endDocument(source: SourceDocument, entries: readonly IndexEntry[] | undefined): Promise<void> {
    if (entries !== undefined) this.#indexes.set(source, entries);
    const files = this.#group === undefined ? [] : await this.files.end(this.#group, source.name);
    this.#group = undefined;
    this.#filesOf.set(source, files);
    if (!isPagesKind(source.sitemap.kind)) return;
    if (files.length === 0) {
      const message = 'The document has no page that can be written; there is no file for it.';
      this.#report(source, 'dropped', 'empty-sitemap', message);
      return;
    }
    this.#reportName(source);
    if (files.length === 1) return;
    const message = `The document is over a limit, and divided into ${count(files.length, 'file')}.`;
    this.#report(source, 'changed', 'over-50000-urls', message);
  }

  async end(): Promise<void> {
    for (const [source, above] of this.#sources.topsOf([...this.#indexes.keys()])) {
      if (above === undefined) await this.#writeIndex(source);
      else {
        const message = `An index in an index: its sitemaps are listed by ${above.name} itself.`;
        this.#report(source, 'changed', 'nested-index', message);
      }
    }
  }

  /**
   * Not a file of a document that was read. `sitemap-2.xml` is the second file of `sitemap.xml`, unless it is the name
   * of a document.
   */
  isKept(name: string): boolean {
    if (this.#readNames.has(name)) return false;
    return this.#unreadNames.has(name) || !this.#readNames.has(unnumbered(name));
  }

  /** Writes an index again, with the files of all sitemaps below it. */
  async #writeIndex(source: SourceDocument): Promise<void> {
    const name = this.#nameOf(source);
    const below = [...this.#sources.below(source)];
    const entries: WritableSitemap[] = [...this.#entriesOf(source, below)];
    if (hasUnread([source, ...below]))
      for await (const entry of this.#earlierEntries(name)) entries.push(entry);
    for (const url of this.#sources.recursionsOf(source)) {
      const message = `The index leads back to itself, or to an index above it: ${url}`;
      this.#report(source, 'dropped', 'sitemap-recursion', message);
    }
    await this.files.addIndex(name, entries, source.name);
    if (entries.length > 0) this.#reportName(source);
  }

  /** The files of the documents below an index, with the dates that it has for them, or that the nodes have. */
  *#entriesOf(
    index: SourceDocument,
    below: readonly SourceDocument[],
  ): Generator<WritableSitemap, void, undefined> {
    // The first date of a document wins: it is set last.
    const indexes = [index, ...below].flatMap((each) => this.#indexes.get(each) ?? []).reverse();
    const dates = new Map(indexes.map(({ url, lastModifiedText }) => [documentKey(url), lastModifiedText]));
    for (const child of below) {
      // With the precision that it was written with: a node has a moment.
      const text = child.keys.map((key) => dates.get(key)).find((date) => date !== undefined);
      for (const { name, url } of this.#filesOf.get(child) ?? []) {
        if (url === undefined) continue;
        this.files.list(name);
        yield { url, lastModified: text ?? child.sitemap.lastModified };
      }
    }
  }

  /**
   * What an index listed in the earlier set, and lists still: files that stay since something below it could not be
   * read. That may be an index, whose sitemaps the outer one lists, so their names say nothing.
   */
  async *#earlierEntries(index: string): AsyncGenerator<WritableSitemap, void, undefined> {
    const { layout } = this.files;
    const files = new Map(
      this.#set.unwritten
        .filter((file) => this.isKept(file))
        .map((file) => [documentKey(this.files.addressOf(layout.placeWith(file, index)) ?? file), file]),
    );
    for await (const { url, lastModified, lastModifiedText } of this.#set.earlierEntries(index)) {
      const file = files.get(documentKey(url));
      if (file === undefined || this.files.isListed(file)) continue;
      this.files.list(file);
      yield { url, lastModified: lastModifiedText ?? lastModified };
    }
  }

  #nameOf(source: SourceDocument): string {
    return this.#names.get(source)!;
  }

  #reportName(source: SourceDocument): void {
    const name = this.#nameOf(source);
    if (source.name === 'stdin' || !this.files.layout.isRenamed(name)) return;
    this.#report(source, 'changed', 'renamed', `The file is called ${name}.`);
  }

  #report({ name }: SourceDocument, action: Repair['action'], rule: string, message: string): void {
    this.#onRepair({ action, rule, message, document: name });
  }
}
