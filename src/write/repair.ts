/**
 * What is repaired in sitemaps, and why: pure, for the command and for the playground.
 *
 * A document is repaired by reading it and writing it again. So everything that the parser noticed is a repair, and so is
 * what the writer reports. Every repair says where it was: document, line and column.
 */
import { DocumentCheck, type DocumentToRead } from '../check/document-check.ts';
import type { Finding } from '../check/finding.ts';
import type { CheckedEnd, DocumentListener } from '../check/rule.ts';
import { type RuleName, ruleOfProblem } from '../check/rule-table.ts';
import { entries } from '../check/rules/entries.ts';
import { withoutTracking } from '../check/rules/urls.ts';
import { xml } from '../check/rules/xml.ts';
import { urlKey } from '../check/url-key.ts';
import { Fingerprint, FingerprintTable, float64Column, int32Column } from '../parse/fingerprint-table.ts';
import { SitemapPage, timeOf } from '../parse/model/page.ts';
import { SeenUrls, SoughtUrls } from '../parse/seen-urls.ts';
import type { ParseProblemCode } from '../problems/catalogue.ts';
import type { Problem } from '../problems/problem-list.ts';
import { parsedUrl } from '../url.ts';

/** One thing that was repaired. */
export interface Repair {
  readonly action: 'dropped' | 'changed';
  /** The rule of `usp check` that it broke, or the flag that asked for it. */
  readonly rule: string;
  /** What was there, and what was done. */
  readonly message: string;
  /** The URL of the document, or the name of its file. */
  readonly document: string;
  readonly line?: number;
  readonly column?: number;
  /** In bytes of the decoded text as UTF-8, from 0 behind a byte order mark. */
  readonly offset?: number;
  /** The page it is about. */
  readonly page?: string;
  /** How many times, where it stands for more than one. */
  readonly count?: number;
}

/** A page, and where its URL is written. */
export interface PlacedPage {
  readonly page: SitemapPage;
  readonly offset: number;
}

/** An entry of an index, as it is written. */
export interface IndexEntry {
  readonly url: string;
  readonly lastModifiedText: string | undefined;
}

/** The problems of the parser that cost an entry, a URL in one, or more; all others cost a value at most. */
const DROPPING: ReadonlySet<string> = new Set<ParseProblemCode>([
  ...(['empty-loc', 'entry-without-loc', 'line-not-a-url', 'not-http-url', 'other-entry-kind'] as const),
  ...(['oversized-url', 'robots-line-skipped', 'truncated', 'unresolvable-url'] as const),
]);

/** The findings that are no problem of the parser, which reads on, and that writing anew repairs. */
const FORM: ReadonlySet<RuleName> = new Set<RuleName>([
  ...(['not-well-formed', 'xml-declaration-late', 'empty-value', 'value-repeated'] as const),
  'check-failed',
]);

/** Reads every entry, repeated or not: which of them is kept is decided later. */
export class EveryUrl extends SoughtUrls {
  override add(): boolean {
    return true;
  }

  override addMarked(): boolean {
    return true;
  }
}

/** Reads one document: bytes in, pages with their places out, and what had to be repaired to read them. */
export class RepairReader {
  readonly #check: DocumentCheck;
  readonly #repair: (repair: Repair) => void;
  #pages: SitemapPage[] = [];
  /** The places of the pages that are still to come. */
  #locations: { readonly url: string; readonly offset: number }[] = [];
  readonly #entries: IndexEntry[] = [];
  #lastmod: string | undefined;
  #isTruncated = false;
  #hasInvalidBytes = false;

  constructor(document: Pick<DocumentToRead, 'name' | 'options'>, repair: (repair: Repair) => void) {
    this.#repair = repair;
    const { name, options } = document;
    const facts = {
      name,
      options: { ...options, sought: new EveryUrl() },
      now: 0,
      isFetched: false,
      declaredBy: new Set<string>(),
    };
    const rules = [xml, entries, () => this.#recorder()];
    this.#check = new DocumentCheck(facts, rules, (finding) => this.#finding(finding), {
      pages: (pages) => {
        for (const page of pages) this.#pages.push(page);
      },
      end: () => {},
    });
  }

  get kind(): DocumentCheck['kind'] {
    return this.#check.kind;
  }

  /** Whether something is missing at its end. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** The entries of an index so far, in order. */
  get entries(): readonly IndexEntry[] {
    return this.#entries;
  }

  /** @returns the pages that have ended since the last time */
  write(chunk: Uint8Array): readonly PlacedPage[] {
    this.#check.write(chunk);
    return this.#take();
  }

  /** @param isCut - whether the rest of the document never arrived */
  end(isCut = false): readonly PlacedPage[] {
    this.#check.close(isCut);
    this.#check.end();
    if (isCut && !this.#isTruncated) {
      this.#isTruncated = true;
      this.#add('dropped', 'truncated', 'The rest of the document did not arrive.');
    }
    return this.#take();
  }

  /** Reports what was done about a page: while no more than a MiB of the document was read since. */
  report(action: Repair['action'], rule: string, message: string, { page, offset }: PlacedPage): void {
    this.#add(action, rule, message, offset, page.url);
  }

  #add(action: Repair['action'], rule: string, message: string, offset?: number, page?: string): void {
    const place = offset === undefined ? undefined : this.#check.place(offset);
    this.#repair({
      action,
      rule,
      message,
      document: this.#check.name,
      ...place,
      ...(offset !== undefined && { offset }),
      ...(page !== undefined && { page }),
    });
  }

  #recorder(): DocumentListener {
    return {
      startTags: {
        'sitemap:sitemap': () => {
          this.#lastmod = undefined;
        },
      },
      values: {
        'sitemap:lastmod': (text) => {
          this.#lastmod ??= text;
        },
      },
      location: (url, offset) => this.#location(url, offset),
      plainPage: ({ entry }) => this.#locations.push({ url: entry.url, offset: entry.urlOffset }),
      problem: (problem) => this.#problem(problem),
      end: (end) => this.#ended(end),
    };
  }

  #location(url: string, offset: number): void {
    if (this.kind === 'index-xml' || this.kind === 'robots-txt')
      this.#entries.push({ url, lastModifiedText: this.#lastmod });
    else this.#locations.push({ url, offset });
    this.#lastmod = undefined;
  }

  #problem({ code, message, offset }: Problem): boolean {
    if (code === 'truncated') this.#isTruncated = true;
    if (code === 'invalid-bytes') this.#hasInvalidBytes = true;
    this.#add(DROPPING.has(code) ? 'dropped' : 'changed', ruleOfProblem(code), message, offset);
    return true;
  }

  #ended({ isUtf8, charset, kind }: CheckedEnd): void {
    if (isUtf8 || this.#hasInvalidBytes || kind === 'invalid') return;
    this.#add('changed', 'not-utf-8', `The document was in ${charset}; it is written in UTF-8.`);
  }

  #finding({ rule, message, line, column, offset, count }: Finding): void {
    if (!FORM.has(rule)) return;
    const place =
      line === undefined ? {} : { line, column: column ?? 1, ...(offset !== undefined && { offset }) };
    const times = count === undefined || count === 1 ? {} : { count };
    this.#repair({ action: 'changed', rule, message, document: this.#check.name, ...place, ...times });
  }

  /** A page ends after its URL was told of, so a location may wait for its page, never the other way round. */
  #take(): readonly PlacedPage[] {
    const pages = this.#pages;
    if (pages.length === 0) return [];
    this.#pages = [];
    let at = 0;
    const placed = pages.map((page) => {
      while (at < this.#locations.length && this.#locations[at]!.url !== page.url) at++;
      return { page, offset: this.#locations[at++]?.offset ?? 0 };
    });
    this.#locations = this.#locations.slice(at);
    return placed;
  }
}

/** What the user asks for besides a valid form; nothing of it unless it is asked for. */
export interface Opinions {
  /** Remove tracking parameters from URLs. */
  readonly dropTracking?: boolean | undefined;
  /** Write http URLs as https. */
  readonly https?: boolean | undefined;
  /** Of two URLs that differ only in a slash at the end, keep one. */
  readonly canonicalSlash?: boolean | undefined;
  /** Keep pages of these hosts only. */
  readonly hosts?: ReadonlySet<string> | undefined;
  /** Why a page must not be fetched, by robots.txt. */
  readonly blocked?: ((url: string) => string | undefined) | undefined;
  /** The pages that are gone, redirect or say noindex: the rule and the message, by the key of the URL. */
  readonly dead?: ReadonlyMap<string, Pick<Repair, 'rule' | 'message'>> | undefined;
  /** When pages changed by their own header, by the key of the URL. */
  readonly lastModified?: ReadonlyMap<string, number> | undefined;
}

export interface Opinion extends Pick<Repair, 'action' | 'rule' | 'message'> {}

/** What the opinions make of a page: undefined where they drop it. */
export function judged(
  page: SitemapPage,
  opinions: Opinions,
  tell: (opinion: Opinion) => void,
): SitemapPage | undefined {
  const key = urlKey(page.url);
  const dropped = reasonToDrop(page.url, key, opinions);
  if (dropped !== undefined) {
    tell({ action: 'dropped', ...dropped });
    return undefined;
  }
  const url = rewritten(page.url, opinions, tell);
  const time = opinions.lastModified?.get(key);
  if (url === page.url && time === undefined) return page;
  if (time !== undefined && time !== timeOf(page)) {
    const message = `The date is that of the page's Last-Modified header: ${new Date(time).toISOString()}.`;
    tell({ action: 'changed', rule: 'lastmod-from-head', message });
  }
  const quiet = (): void => {};
  return new SitemapPage({
    url,
    priority: page.declaredPriority,
    changeFrequency: page.changeFrequency,
    lastModifiedTime: time ?? timeOf(page),
    lastModifiedText: time === undefined ? page.lastModifiedText : undefined,
    extensions: {
      newsStory: page.newsStory,
      images: page.images,
      videos: page.videos,
      // A page is among its own alternates.
      alternates: page.alternates.map((one) => ({ ...one, href: rewritten(one.href, opinions, quiet) })),
    },
  });
}

function reasonToDrop(
  url: string,
  key: string,
  { hosts, blocked, dead }: Opinions,
): Pick<Repair, 'rule' | 'message'> | undefined {
  if (hosts !== undefined) {
    const host = parsedUrl(url)?.host ?? '';
    if (!hosts.has(host)) return { rule: 'url-other-host', message: `The page is on another host: ${host}.` };
  }
  const why = blocked?.(url);
  if (why !== undefined) return { rule: 'page-blocked', message: `robots.txt forbids fetching it: ${why}.` };
  return dead?.get(key);
}

function rewritten(url: string, { dropTracking, https }: Opinions, tell: (opinion: Opinion) => void): string {
  let result = url;
  if (dropTracking === true) {
    result = withoutTracking(result);
    if (result !== url) {
      const message = `The tracking parameters are removed: ${result}`;
      tell({ action: 'changed', rule: 'url-tracking-parameter', message });
    }
  }
  if (https === true && /^http:/i.test(result)) {
    result = result.replace(/^http:/i, 'https:').replace(/^(https:\/\/[^/?#]*):80(?=[/?#]|$)/, '$1');
    tell({ action: 'changed', rule: 'url-other-scheme', message: `http is written as https: ${result}` });
  }
  return result;
}

/** What sort of listing a page is: it may be listed once in each, in different documents. */
function sortOf(page: SitemapPage): string {
  if (page.newsStory !== undefined) return 'news ';
  if (page.videos.length > 0) return 'video ';
  return page.images.length > 0 ? 'image ' : '';
}

const UNDATED = Number.MIN_SAFE_INTEGER;

/**
 * Finds which of the entries of a page is kept: the best-dated, of equal ones the first. All pages are noted first, then
 * asked about in the same order. About 30 bytes for a URL, as in a diff: fingerprints and numbers, no texts.
 */
export class BestDated {
  readonly #table = new FingerprintTable();
  readonly #print = new Fingerprint();
  readonly #times = float64Column();
  /** The number of the entry that is kept, plus one. */
  readonly #kept = int32Column();
  /** A part of the fingerprint of its URL, where URLs are compared without their last slash. */
  readonly #written = int32Column();
  readonly #options: { readonly bySort: boolean; readonly canonicalSlash: boolean };
  /** Where the entries of each document begin, by number. */
  readonly #starts: { readonly first: number; readonly name: string }[] = [];
  #noted = 0;
  #asked = 0;
  #inDocument = new SeenUrls();

  /** @param options - whether a page may be listed once in each sort of sitemap */
  constructor(options: { readonly bySort: boolean; readonly canonicalSlash: boolean }) {
    this.#options = options;
  }

  /** The entries that are noted from now on are those of this document. */
  startNoting(name: string): void {
    this.#starts.push({ first: this.#noted, name });
  }

  note(page: SitemapPage): void {
    const entry = this.#table.add(this.#print.take(this.#key(page)));
    const time = timeOf(page);
    const dated = Number.isNaN(time) ? UNDATED : time;
    const number = this.#noted++;
    if (this.#kept.get(entry) !== 0 && dated <= this.#times.get(entry)) return;
    this.#times.set(entry, dated);
    this.#kept.set(entry, number + 1);
    if (this.#options.canonicalSlash) this.#written.set(entry, this.#print.take(urlKey(page.url)).a);
  }

  /** The entries that are asked about from now on are those of the next document. */
  startAsking(): void {
    this.#inDocument = new SeenUrls();
  }

  /** Why the entry is dropped; undefined where it is kept. */
  reasonToDrop(page: SitemapPage): Opinion | undefined {
    const number = this.#asked++;
    const entry = this.#table.find(this.#print.take(this.#key(page)));
    const kept = this.#kept.get(entry) - 1;
    if (kept === number && this.#inDocument.add(this.#plainKey(page))) return undefined;
    const other = this.#documentOf(kept);
    const isOwn = other === this.#documentOf(number);
    const { canonicalSlash } = this.#options;
    const isVariant = canonicalSlash && this.#written.get(entry) !== this.#print.take(urlKey(page.url)).a;
    const where = isOwn ? 'The document lists the page more than once' : `${other} lists the page too`;
    const variant = isVariant ? ', with or without a slash at the end' : '';
    const which = kept < number ? 'an entry before this one' : 'a later entry';
    const rule = isVariant ? 'url-variants' : isOwn ? 'url-repeated' : 'url-in-several-sitemaps';
    return { action: 'dropped', rule, message: `${where}${variant}; ${which} is kept.` };
  }

  #plainKey({ url }: SitemapPage): string {
    const key = urlKey(url);
    return this.#options.canonicalSlash ? key.replace(/\/(?=$|\?)/, '') : key;
  }

  #key(page: SitemapPage): string {
    return (this.#options.bySort ? sortOf(page) : '') + this.#plainKey(page);
  }

  #documentOf(number: number): string {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (starts[middle]!.first <= number) low = middle;
      else high = middle;
    }
    return starts[low]?.name ?? '';
  }
}
