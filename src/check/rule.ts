/**
 * A rule has a name and a row of the rule table. A rule about single documents also has a function that listens to a
 * document. Names are in this file, so that the files of rules do not import the table that joins them.
 */
import type { EndHandler, ParseListener, StartHandler, ValueHandler } from '../parse/listener.ts';
import type { DocumentKind } from '../parse/model/item.ts';
import type { FetchProblemCode, ParseProblemCode } from '../problems/catalogue.ts';
import type { Position } from '../problems/position.ts';
import type { Problem } from '../problems/problem-list.ts';
import { number } from '../text/wording.ts';
import type { AlternateLink, ListedUrl } from './ordinary-url.ts';

/** The names of rules, by the table that has their rows: the compiler checks that both agree. */
export interface RuleNames {
  readonly xml:
    | 'not-well-formed'
    | 'xml-declaration-late'
    | 'bare-ampersand'
    | 'literal-less-than'
    | 'control-character'
    | 'unclosed-tag'
    | 'mis-nested-tag'
    | 'tag-cut-short'
    | 'text-before-root'
    | 'junk-after-root'
    | 'second-root'
    | 'entry-without-root'
    | 'truncated'
    | 'inside-html'
    | 'undeclared-prefix'
    | 'doctype'
    | 'missing-namespace'
    | 'wrong-namespace'
    | 'nested-root'
    | 'nesting-too-deep'
    | 'other-entry-kind'
    | 'upper-case-tag'
    | 'unknown-charset'
    | 'wrong-charset'
    | 'check-failed';
  /** Problems of the parser are rules with the same name, except for two. */
  readonly entries:
    | Exclude<ParseProblemCode, RuleNames['xml'] | 'invalid-bytes' | 'oversized-url'>
    | 'empty-value'
    | 'value-repeated';
  readonly limits: 'over-50000-urls' | 'over-50-mib' | 'index-over-50000' | 'empty-sitemap' | 'not-utf-8';
  readonly urls:
    | 'url-too-long'
    | 'url-not-public'
    | 'url-other-host'
    | 'url-other-scheme'
    | 'url-outside-directory'
    | 'url-not-encoded'
    | 'url-not-ascii'
    | 'url-fragment'
    | 'url-tracking-parameter'
    | 'url-session-id'
    | 'url-double-slash'
    | 'url-not-a-page'
    | 'sitemap-listed-as-page'
    | 'url-other-origin';
  readonly listings: 'url-variants' | 'url-repeated' | 'url-in-several-sitemaps' | 'page-blocked';
  readonly lastmod:
    | 'lastmod-not-w3c'
    | 'lastmod-no-zone'
    | 'lastmod-future'
    | 'lastmod-epoch'
    | 'lastmod-all-equal'
    | 'lastmod-is-fetch-time'
    | 'lastmod-missing'
    | 'index-lastmod-old';
  readonly hreflang:
    | 'hreflang-bad-code'
    | 'hreflang-unsupported'
    | 'hreflang-no-self'
    | 'hreflang-repeated'
    | 'hreflang-no-href';
  readonly returnLinks: 'hreflang-no-return' | 'hreflang-not-listed';
  readonly extensions: 'extension-namespace';
  readonly news:
    | 'news-missing-field'
    | 'news-too-many'
    | 'news-too-old'
    | 'news-bad-language'
    | 'news-date-not-w3c'
    | 'news-repeated';
  readonly images: 'images-too-many' | 'image-old-tag';
  readonly video:
    | 'video-missing-field'
    | 'video-same-as-page'
    | 'video-bad-duration'
    | 'video-bad-rating'
    | 'video-long-description'
    | 'video-expired'
    | 'video-old-tag'
    | 'video-date-not-w3c'
    | 'video-too-many-tags'
    | 'video-no-relationship'
    | 'video-not-yes-or-no';
  readonly declarations:
    | 'sitemap-unreadable'
    | 'sitemap-recursion'
    | 'sitemap-is-html'
    | 'sitemap-blocked'
    | 'sitemap-redirected'
    | 'sitemap-other-host'
    | 'sitemap-outside-directory'
    | 'sitemap-repeated'
    | 'robots-over-500-kib'
    | 'robots-relative-sitemap'
    | 'nested-index';
  readonly delivery:
    | FetchProblemCode
    | 'no-sitemap'
    | 'site-refused'
    | 'site-unreachable'
    | 'sitemap-not-declared'
    | 'no-robots-txt'
    | 'robots-txt-refused'
    | 'robots-txt-failed'
    | 'content-type';
  readonly pages:
    | 'page-missing'
    | 'page-error'
    | 'page-redirected'
    | 'page-refused'
    | 'page-unreachable'
    | 'page-noindex'
    | 'page-canonical';
}

/** The name of a rule; `docs/check-rules.md` explains each. */
export type RuleName = RuleNames[keyof RuleNames];

/** How bad a finding is: an error breaks something, a warning may, an info is worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** @internal The worst first. */
export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

/** What a rule is about: the groups of `docs/check-rules.md`. */
export type RuleSubject =
  | 'xml'
  | 'limits'
  | 'urls'
  | 'lastmod'
  | 'hreflang'
  | 'extensions'
  | 'news'
  | 'images'
  | 'video'
  | 'site'
  | 'pages';

/** The kinds of documents that a rule checks; `site` is for rules that need the tree or its responses. */
export type CheckedKind = Exclude<DocumentKind, 'invalid'> | 'site';

/** @internal */
export const PAGE_KINDS: readonly CheckedKind[] = ['pages-xml', 'pages-text', 'pages-rss', 'pages-atom'];
/** @internal */
export const XML_KINDS: readonly CheckedKind[] = ['pages-xml', 'index-xml', 'pages-rss', 'pages-atom'];
/** @internal */
export const ALL_KINDS: readonly CheckedKind[] = [...XML_KINDS, 'pages-text', 'robots-txt'];

/** @internal */
export const PROTOCOL = 'https://www.sitemaps.org/protocol.html';

/** Why a rule exists and what to do, each a sentence or two in Markdown. */
export interface RuleExplanation {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** One row of the rule table. */
export interface RuleRow {
  readonly severity: Severity;
  readonly about: RuleSubject;
  readonly documents: readonly CheckedKind[];
  readonly explanation: RuleExplanation;
  /** A short text that breaks the rule, and the fixed text. */
  readonly bad: string;
  readonly good: string;
  /** Where the rule comes from: the address of a specification or of a search engine's documentation. */
  readonly source: string;
  /** Whether there is one finding per document and cause, with a count. @default false */
  readonly aggregated?: boolean;
}

/** Rows by name. */
export type RuleRows<Rule extends string> = Readonly<Record<Rule, RuleRow>>;

type SharedRow = Omit<RuleRow, 'explanation' | 'bad' | 'good'>;

/** @internal A row as it is written: its explanation, its example, and where it differs from the rows of its file. */
export type WrittenRow = RuleExplanation & Pick<RuleRow, 'bad' | 'good'> & Partial<SharedRow>;

/** @param shared - the fields that rows have unless they set their own @internal */
export function ruleRows<Rule extends RuleName>(
  shared: SharedRow,
  table: Readonly<Record<Rule, WrittenRow>>,
): RuleRows<Rule> {
  const rows = Object.entries<WrittenRow>(table).map(([name, { what, why, fix, ...rest }]) => [
    name,
    { ...shared, ...rest, explanation: { what, why, fix } },
  ]);
  return Object.fromEntries(rows);
}

/** Another place that belongs to a finding. */
export interface RelatedPlace {
  /** The URL of the document, or the name of the file. */
  readonly document: string;
  readonly line?: number;
  readonly column?: number;
  readonly offset?: number;
  /** What is there. */
  readonly message?: string;
}

/** @internal */
export interface Report {
  readonly rule: RuleName;
  /** A sentence for people: what is wrong here, with the value. What to do is in the rule table. */
  readonly message: string;
  /** The offset of the value or, without one, of its start tag. Absent if the report is about the whole document. */
  readonly offset?: number | undefined;
  /**
   * The position of {@link offset}. Needed for late reports: {@link CheckedDocument.place} knows only recent offsets.
   */
  readonly position?: Position | undefined;
  /** @default the address of the entry that {@link offset} is in */
  readonly page?: string | undefined;
  readonly related?: readonly RelatedPlace[] | undefined;
  /** How many cases this report is about. @default 1 */
  readonly count?: number | undefined;
  /** @default the severity in the rule table */
  readonly severity?: Severity | undefined;
  /**
   * For aggregated rules: the reports of one document are grouped by this, for example by the host of `url-other-host`.
   * The first report of a cause gives the position, the page and the message; see {@link Report.total}.
   * @default ''
   */
  readonly cause?: string | undefined;
  /** For aggregated rules: the message for the final count, if it differs from {@link Report.message}. */
  readonly total?: ((count: number) => string) | undefined;
}

/** For {@link Report.total}: the message for one case, and for many. @internal */
export function oneOrMany(one: string, many: (count: string) => string): (count: number) => string {
  return (count) => (count === 1 ? one : many(number(count)));
}

/** @internal */
export interface CheckedDocument {
  /** Its name in findings: its URL, or the name of its file. */
  readonly name: string;
  /** Its URL; undefined if it is not known. */
  readonly url: string | undefined;
  /** When it was fetched, in milliseconds since the epoch; else the time that the caller gave, or the clock. */
  readonly now: number;
  /** Its kind; undefined until enough of it was read. Always known when listeners get tags or locations. */
  readonly kind: DocumentKind | undefined;
  /** Whether {@link now} is the time of a request, not that of the clock. */
  readonly isFetched: boolean;
  /** The hosts and the origins whose robots.txt declares it, or an index above it: it may list their pages. */
  readonly declaredBy: ReadonlySet<string>;
  /** The line and column of an offset; undefined if it is more than about a MiB back in the text. */
  place(offset: number): Position | undefined;
  /**
   * True if only the number of further cases is wanted, for an aggregated rule or one that has reached its limit in
   * this document; counts this case. Else the case must be reported. So rules do not make a million messages that are
   * not used.
   */
  isOnlyCounted(rule: RuleName, cause?: string): boolean;
  /** Reports a case. Line, column and page are added to it, until the document has ended. */
  report(report: Report): void;
  /** For reports after the end of the document: calls `deliver` with the report once its page is known. */
  withPage(report: Report, deliver: (report: Report) => void): void;
}

/** @internal */
export interface CheckedEnd {
  readonly kind: DocumentKind | undefined;
  readonly truncated: boolean;
  /** Its size before decoding to text, and after all decompression. */
  readonly bytes: number;
  /** The charset that it was read in, in lower case. */
  readonly charset: string;
  /** Whether its bytes are valid UTF-8, whatever charset is declared. */
  readonly isUtf8: boolean;
  /** The offset of the first byte that is not UTF-8, if its place in the text is known. */
  readonly invalidAt?: number | undefined;
  readonly invalidPosition?: Position | undefined;
}

/**
 * @internal The events of one document that a rule listens to. Tags are listed by name (`news:title`, see {@link
 * ParseListener}), so that a rule costs nothing where its tags do not occur. The order is that of the document;
 * `location` comes at the end of an entry, before its `endTags`.
 */
export interface DocumentListener {
  /** The start tag of the root, with its name as written; `xmlns:…` are among the attributes. */
  readonly root?: ParseListener['root'];
  /** The text of the document as UTF-8, in chunks that are only valid during the call. */
  readonly text?: ParseListener['text'];
  readonly parsed?: ParseListener['parsed'];
  /** The offset up to which it has made all its reports about entries that have ended. */
  readTo?(): number;
  readonly unknownTag?: ParseListener['unknownTag'];
  /** The start tags of entries, groups, values and empty tags. */
  readonly startTags?: Readonly<Record<string, StartHandler>>;
  readonly values?: Readonly<Record<string, ValueHandler>>;
  /** The ends of groups and entries. */
  readonly endTags?: Readonly<Record<string, EndHandler>>;
  /** An `xhtml:link` of an entry. */
  link?(link: AlternateLink, offset: number): void;
  /** The URL of a page or a sub-sitemap. */
  location?(url: ListedUrl, offset: number, isRepeated: boolean): void;
  /** A problem that the parser noticed. Returns true if the rule itself reports the same fact. */
  problem?(problem: ParserProblem): boolean;
  /** The end of the text: the last chance to report with the page of an entry. */
  textEnd?(): void;
  /** The end of the document: the last chance to report. */
  end?(end: CheckedEnd): void;
}

/** @internal A problem of the parser, with the text that its message quotes or names. */
export interface ParserProblem extends Problem {
  /** Its position, if that was taken. */
  readonly position?: Position | undefined;
  readonly subject?: string | undefined;
}

/** @internal */
export type DocumentRule = (document: CheckedDocument) => DocumentListener;
