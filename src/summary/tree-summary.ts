/**
 * The types of a summary of a tree: plain data for `JSON.stringify`. Dates are UTC. The types are experimental: a minor
 * version may change them.
 */
import type { SitemapKind } from '../parse/model/kinds.ts';
import type { Freshness, Stopped } from '../sitemap/node-fields.ts';

/** Everything that a report shows of a tree, except findings. @experimental */
export interface TreeSummary {
  readonly url: string;
  /** Whether everything that was declared was fetched and read to its end; absent if that is not known. */
  readonly complete?: boolean | undefined;
  /** The limit that ended the call before everything was fetched. */
  readonly stopped?: Stopped | undefined;
  /** When the first document was requested; absent if none was fetched. */
  readonly readAt?: string | undefined;
  readonly sitemaps: SitemapTotals;
  /** The pages of all documents; a document at several places of the tree counts once. */
  readonly pages: { readonly count: number; readonly distinct: number };
  /** The bytes of all documents, after all decoding. */
  readonly bytes: number;
  /** Why sitemaps could not be read, the most frequent reason first. */
  readonly failures: readonly FailureCount[];
  /** The problems that the parser noticed, the most frequent first. */
  readonly problems: { readonly count: number; readonly codes: readonly ProblemCount[] };
  readonly lastModified: DateSummary;
  readonly folders: FolderSummary;
  readonly limits: LimitSummary;
  readonly languages: LanguageSummary;
  /** Pages of news sitemaps. */
  readonly news: { readonly pages: number };
  /** Items of RSS and entries of Atom feeds. */
  readonly feeds: { readonly items: number };
  readonly images: { readonly pages: number; readonly images: number };
  readonly videos: { readonly pages: number; readonly videos: number };
  /** The sitemaps; in a large tree, similar ones are one row. */
  readonly tree: SummarizedSitemap;
  readonly samples: readonly SitemapSample[];
}

/** How many sitemaps there are; a sitemap at several places of the tree counts once. @experimental */
export interface SitemapTotals {
  /** Sitemaps that were read: indexes, sitemaps of pages, feeds and text lists, but not robots.txt. */
  readonly count: number;
  /** Sitemaps that could not be read. */
  readonly unreadable: number;
  /** Sitemaps that were not requested because of a limit, or because a local file was read without a network. */
  readonly notFetched: number;
  /** Sitemaps whose end is missing. */
  readonly truncated: number;
  /** Sitemaps that could not be read this time, and are those of an earlier tree. */
  readonly stale: number;
  readonly kinds: Readonly<Partial<Record<SitemapKind, number>>>;
}

/** How many sitemaps could not be read for one reason. @experimental */
export interface FailureCount {
  readonly code: string;
  readonly status?: number | undefined;
  readonly count: number;
  /** The first such sitemap. */
  readonly url: string;
  readonly reason: string;
  /** The option that would change it, if there is one. */
  readonly option?: string | undefined;
}

/**
 * How often a problem was noticed. A sitemap keeps a hundred of its problems, and no more are counted here.
 * @experimental
 */
export interface ProblemCount {
  readonly code: string;
  readonly count: number;
  /** The first sitemap that has it. */
  readonly url: string;
  readonly message: string;
}

/** Pages by the date of their last modification or, without one, of the publication of their story. @experimental */
export interface DateSummary {
  /** Pages that the years count. */
  readonly dated: number;
  readonly undated: number;
  /** Pages with a date more than a day after their document was requested. */
  readonly future: number;
  /** Days, as `2024-05-06`. */
  readonly oldest?: string | undefined;
  readonly newest?: string | undefined;
  readonly years: readonly YearCount[];
}

/** The pages of a year; years, months and days without a page are left out. @experimental */
export interface YearCount {
  readonly year: number;
  readonly pages: number;
  readonly months: readonly MonthCount[];
}

/** The pages of a month. @experimental */
export interface MonthCount {
  /** From 1. */
  readonly month: number;
  readonly pages: number;
  /** Empty if there are more than 20,000 different days. */
  readonly days: readonly { readonly day: number; readonly pages: number }[];
}

/** The pages of a folder and all below it. @experimental */
export interface FolderSummary {
  /** A segment of the path with digits as `{n}`, or a year; below the top of several hosts, the origin. */
  readonly name: string;
  readonly pages: number;
  /** The pages directly in it, not in one of its folders. */
  readonly direct: number;
  /** The largest folders, at most twenty. */
  readonly folders: readonly FolderSummary[];
  /** The pages of its other folders. */
  readonly other: number;
}

/** Sitemaps by how much of a limit they use. @experimental */
export interface LimitSummary {
  /** The sitemaps that are counted: those that list pages or sitemaps. */
  readonly sitemaps: number;
  /** By entries, in percent of 50,000. */
  readonly entries: LimitHistogram;
  /** By size, in percent of 50 MiB. */
  readonly bytes: LimitHistogram;
}

/** How many sitemaps use how much of a limit. @experimental */
export interface LimitHistogram {
  /** Ten counts: up to 10 percent, up to 20, … up to 100. */
  readonly within: readonly number[];
  /** Above the limit. */
  readonly over: number;
  readonly largest?: { readonly url: string; readonly value: number } | undefined;
}

/** The links between languages (`hreflang`). @experimental */
export interface LanguageSummary {
  /** Pages that have such links. */
  readonly pages: number;
  /** The language with the most faults first. */
  readonly languages: readonly LanguageCount[];
  /** Links that were not checked: there were too many to remember. */
  readonly notChecked: number;
}

/** The links to the pages of one language; links of a page to itself do not count. @experimental */
export interface LanguageCount {
  /** The code, in small letters. */
  readonly language: string;
  readonly links: number;
  /** Links to a page that links back. */
  readonly returned: number;
  /** Links to a page that is listed, and does not link back. */
  readonly notReturned: number;
  /** Links to a page that no sitemap lists. */
  readonly notListed: number;
}

/** A sitemap, or several similar ones, and the sitemaps below. @experimental */
export interface SummarizedSitemap {
  /** With digits as `{n}` for several sitemaps. */
  readonly url: string;
  readonly kind: SitemapKind;
  /** How many sitemaps this row is for. */
  readonly count: number;
  /** The URL of the first one, if there are several. */
  readonly example?: string | undefined;
  readonly pages: number;
  readonly bytes?: number | undefined;
  /** As the index declares it; the newest of several. */
  readonly lastModified?: string | undefined;
  readonly durationMs?: number | undefined;
  /** Absent if it is not the same for all of them. */
  readonly freshness?: Freshness | undefined;
  readonly truncated: number;
  readonly problems: number;
  /** Why it could not be read; for several, why the first could not. */
  readonly failure?: { readonly code: string; readonly status?: number; readonly reason: string } | undefined;
  readonly sitemaps: readonly SummarizedSitemap[];
  /** How many rows of this level were left out, since a summary has at most 2,000. */
  readonly more: number;
}

/** Some pages of a sitemap, taken at even distances. @experimental */
export interface SitemapSample {
  readonly sitemap: string;
  /** How many pages it lists. */
  readonly of: number;
  readonly pages: readonly SampledPage[];
}

/** A page of a sample. @experimental */
export interface SampledPage {
  readonly url: string;
  readonly lastModified?: string | undefined;
  readonly priority?: number | undefined;
  readonly changeFrequency?: string | undefined;
  readonly title?: string | undefined;
  readonly images: number;
  readonly videos: number;
  readonly alternates: number;
}

export type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
