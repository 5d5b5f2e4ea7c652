/**
 * What is repaired in sitemaps, and why: pure, for the command and for the playground.
 *
 * A document is repaired by reading it and writing it again. So everything that the parser noticed is a repair, and so
 * is what the writer reports. Every repair says where it was: document, line and column.
 */

import { DocumentCheck, type DocumentToRead } from '../check/document-check.ts';
import type { Finding } from '../check/finding.ts';
import type { CheckedEnd, DocumentListener, RuleName } from '../check/rule.ts';
import { ruleOfProblem } from '../check/rule-table.ts';
import { entries } from '../check/rules/entries.ts';
import { video } from '../check/rules/media-rules.ts';
import { news } from '../check/rules/news-rules.ts';
import { xml } from '../check/rules/xml.ts';
import { IMAGE_TAGS } from '../parse/extensions/image.ts';
import { NEWS_TAGS } from '../parse/extensions/news.ts';
import { VIDEO_TAGS } from '../parse/extensions/video.ts';
import type { StartHandler, TagAttribute } from '../parse/listener.ts';
import { isIndexKind } from '../parse/model/kinds.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { SoughtUrls } from '../parse/seen-urls.ts';
import { isDropping } from '../problems/catalogue.ts';
import type { Position } from '../problems/position.ts';
import type { Problem } from '../problems/problem-list.ts';
import { clip, number } from '../text/wording.ts';
import { documentKey } from '../url.ts';
import { DateText } from './value-text.ts';

type RepairPlace = {
  readonly [Field in 'line' | 'column' | 'offset' | 'page' | 'count']?: Finding[Field] | undefined;
};

/** One thing that was repaired: where it was is said as a finding says it. */
export interface Repair extends Pick<Finding, 'document' | 'message'>, RepairPlace {
  readonly action: 'dropped' | 'changed';
  /** The rule of `usp check` that it broke, the flag that asked for it, or `renamed`. */
  readonly rule: string;
}

/** A page, and where its URL is written. */
export interface PlacedPage {
  readonly page: SitemapPage;
  readonly offset: number;
}

export interface IndexEntry {
  readonly url: string;
  readonly lastModifiedText: string | undefined;
}

/** The findings that the parser does not report as problems, and that writing anew repairs. */
const FORM: ReadonlySet<RuleName> = new Set<RuleName>([
  'not-well-formed',
  'xml-declaration-late',
  'empty-value',
  'value-repeated',
  'news-repeated',
  'video-not-yes-or-no',
  'check-failed',
]);

/** The values that an image, a video or a news story may have once: of more, reading keeps the last. */
const SINGLE_VALUES = Object.entries({ ...IMAGE_TAGS, ...VIDEO_TAGS, ...NEWS_TAGS })
  .filter(([name, content]) => content === 'value' && !/:(?:tag|price|loc)$/.test(name))
  .map(([name]) => name);

/** Names of elements that are reported as left out of one document; the rest is counted together. */
const MOST_LEFT_OUT = 100;

/** Has every entry read, repeated or not: which of them is kept is decided later. */
export function everyUrl(): SoughtUrls {
  return new SoughtUrls(() => true);
}

/** Reads one document: bytes in, pages with their places out, and what had to be repaired to read them. */
export class RepairReader {
  readonly #check: DocumentCheck;
  readonly #repair: (repair: Repair) => void;
  #pages: SitemapPage[] = [];
  /** The places of the pages that are still to come. */
  #locations: { readonly url: string; readonly offset: number }[] = [];
  readonly #entries: IndexEntry[] = [];
  /** What reading does not keep, and so cannot be written, by what it is. */
  readonly #leftOut = new Map<
    string,
    { readonly offset: number; readonly place: Position | undefined; count: number }
  >();
  /** The date of the entry of an index, as reading takes it: the last that is not empty. */
  #lastmod: { readonly text: string; readonly offset: number } | undefined;
  readonly #date = new DateText();
  /** The sitemaps that an index has listed so far. */
  readonly #listedUrls = new Set<string>();
  #isTruncated = false;
  #hasInvalidBytes = false;

  constructor(document: Pick<DocumentToRead, 'name' | 'options'>, repair: (repair: Repair) => void) {
    this.#repair = repair;
    const { name, options } = document;
    const facts = {
      name,
      options: { ...options, sought: everyUrl() },
      now: 0,
      isFetched: false,
      declaredBy: new Set<string>(),
    };
    const rules = [xml, entries, video, news, () => this.#recorder()];
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
    this.#check.end(isCut);
    if (isCut && !this.#isTruncated) {
      this.#isTruncated = true;
      this.#add('dropped', 'truncated', 'The rest of the document did not arrive.');
    }
    return this.#take();
  }

  /**
   * Reports what was done about a page: while no more than a MiB of the document was read since. Not an invalid date,
   * as the parser has said so, with its place.
   */
  report(action: Repair['action'], rule: string, message: string, { page, offset }: PlacedPage): void {
    if (rule !== 'bad-date') this.#add(action, rule, message, offset, page.url);
  }

  #add(action: Repair['action'], rule: string, message: string, offset?: number, page?: string): void {
    const place = offset === undefined ? undefined : this.#check.place(offset);
    this.#repair({ action, rule, message, document: this.#check.name, ...place, offset, page });
  }

  #recorder(): DocumentListener {
    return {
      startTags: {
        'sitemap:sitemap': () => {
          this.#lastmod = undefined;
        },
        'video:gallery_loc': (offset) => this.#leaveOut('<video:gallery_loc>', offset),
        'video:tvshow': (offset) => this.#leaveOut('<video:tvshow>', offset),
        'xhtml:link': (offset, attributes) => this.#link(offset, attributes.list()),
        ...this.#repeatedValues(),
      },
      unknownTag: (name, offset) => this.#leaveOut(`<${name}>`, offset),
      values: {
        'sitemap:lastmod': (value) => {
          if (value.textLength > 0) this.#lastmod = { text: value.text(), offset: value.offset };
        },
        'video:restriction': ({ textLength, offset }) => {
          if (textLength === 0) this.#leaveOut('<video:restriction> without a country', offset);
        },
        'video:platform': ({ textLength, offset }) => {
          if (textLength === 0) this.#leaveOut('<video:platform> without a platform', offset);
        },
      },
      location: ({ url }, offset) => this.#location(url, offset),
      problem: (problem) => this.#problem(problem),
      end: (end) => this.#endDocument(end),
    };
  }

  #repeatedValues(): Record<string, StartHandler> {
    const seen = new Set<string>();
    const handlers: Record<string, StartHandler> = {};
    for (const group of ['image:image', 'video:video', 'news:news']) handlers[group] = () => seen.clear();
    // A second one starts another image.
    handlers['image:loc'] = () => {
      if (seen.has('image:loc')) seen.clear();
      seen.add('image:loc');
    };
    for (const name of SINGLE_VALUES) {
      handlers[name] = (offset) => {
        if (seen.has(name)) this.#leaveOut(`more than one <${name}>`, offset);
        else seen.add(name);
      };
    }
    return handlers;
  }

  #link(offset: number, attributes: readonly TagAttribute[]): void {
    const values = new Map(attributes.map(({ name, value }) => [name.toLowerCase(), value]));
    const rel = values.get('rel') ?? '';
    const isAlternate = rel.toLowerCase() === 'alternate' && Boolean(values.get('hreflang'));
    if (!isAlternate) this.#leaveOut(`<xhtml:link rel="${clip(rel, 50)}"> without a language`, offset);
    else if (!values.get('href')?.trim())
      this.#add('changed', 'hreflang-no-href', 'An alternate has no href; it was left out.', offset);
    else if (values.has('media')) this.#leaveOut('media of <xhtml:link>', offset);
  }

  #leaveOut(what: string, offset: number): void {
    const key = this.#leftOut.size < MOST_LEFT_OUT || this.#leftOut.has(what) ? what : 'other elements';
    const omission = this.#leftOut.get(key);
    if (omission === undefined)
      this.#leftOut.set(key, { offset, place: this.#check.place(offset), count: 1 });
    else omission.count++;
  }

  #location(url: string, offset: number): void {
    if (isIndexKind(this.kind)) this.#indexEntry(url, offset);
    else this.#locations.push({ url, offset });
    this.#lastmod = undefined;
  }

  #indexEntry(url: string, offset: number): void {
    const { text, offset: at } = this.#lastmod ?? {};
    this.#entries.push({ url, lastModifiedText: text });
    const key = documentKey(url);
    if (this.#listedUrls.has(key))
      this.#add('dropped', 'sitemap-repeated', `The index lists the sitemap more than once: ${url}`, offset);
    else if (text !== undefined)
      this.#date.read(text, 'lastmod-not-w3c', (code, message) => {
        if (code !== 'bad-date') this.#add('changed', code, message, at);
      });
    this.#listedUrls.add(key);
  }

  #problem(problem: Problem): boolean {
    const { code, message, offset } = problem;
    if (code === 'truncated') this.#isTruncated = true;
    if (code === 'invalid-bytes') this.#hasInvalidBytes = true;
    this.#add(isDropping(problem) ? 'dropped' : 'changed', ruleOfProblem(code), message, offset);
    return true;
  }

  #endDocument({ isUtf8, charset, kind }: CheckedEnd): void {
    // Of feeds only what a sitemap has is written, as the specification says.
    if (kind === 'pages-xml' || kind === 'index-xml') this.#tellLeftOut();
    // UTF-16 of ASCII letters is valid UTF-8, too.
    const isWideCharset = /^utf-(?:16|32)/.test(charset);
    if ((isUtf8 && !isWideCharset) || this.#hasInvalidBytes || kind === 'invalid') return;
    this.#add('changed', 'not-utf-8', `The document was in ${charset}; it is written in UTF-8.`);
  }

  #tellLeftOut(): void {
    for (const [what, { offset, place, count }] of this.#leftOut) {
      const message = `Reading does not keep ${what}; left out${count === 1 ? '' : ` ${number(count)} times`}.`;
      this.#changed('left-out', message, { ...place, offset, count });
    }
  }

  #finding({ rule, message, line, column, offset, count }: Finding): void {
    if (FORM.has(rule)) this.#changed(rule, message, { line, column, offset, count });
  }

  #changed(rule: string, message: string, place: RepairPlace): void {
    const count = place.count === 1 ? undefined : place.count;
    this.#repair({ action: 'changed', rule, message, document: this.#check.name, ...place, count });
  }

  /** The event of a URL comes before the end of its page, so a location may wait for its page, never the reverse. */
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

/** What was done about a page, and why. */
export interface PageRepair extends Pick<Repair, 'action' | 'rule' | 'message'> {}
