/**
 * What a summary of a tree has: plain data, written by `JSON.stringify` as it is. Dates are UTC. Its types are
 * experimental: a minor version may change them.
 */
import type { SitemapKind } from '../parse/model/kinds.ts';
import type { Freshness, Stopped } from '../sitemap/node-fields.ts';

/** Everything that a report shows of a tree, its findings aside. @experimental */
export interface TreeSummary {
  readonly url: string;
  /** Whether everything that was declared was fetched and read to its end; absent where that is not known. */
  readonly complete?: boolean | undefined;
  /** The limit that ended the call before everything was fetched. */
  readonly stopped?: Stopped | undefined;
  /** When the first document was requested; absent for what was not fetched. */
  readonly readAt?: string | undefined;
  readonly sitemaps: SitemapTotals;
  /** The pages of all documents; a document at several places of the tree counts once. */
  readonly pages: { readonly count: number; readonly distinct: number };
  /** Of all documents, after all decoding. */
  readonly bytes: number;
  /** Why sitemaps could not be read, the most frequent reason first. */
  readonly failures: readonly FailureCount[];
  /** What the parser noticed, the most frequent first. */
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
  /** The sitemaps; of large trees, alike ones are one row. */
  readonly tree: SummarizedSitemap;
  readonly samples: readonly SitemapSample[];
}

/** How many sitemaps there are; one at several places of the tree counts once. @experimental */
export interface SitemapTotals {
  /** That were read: indexes, sitemaps of pages, feeds and text lists. robots.txt is not one of them. */
  readonly count: number;
  /** That could not be read. */
  readonly unreadable: number;
  /** That were not requested because of a limit, or because nothing is requested for a local file. */
  readonly notFetched: number;
  /** Of which the end is missing. */
  readonly truncated: number;
  /** That could not be read this time, and are shown as an earlier tree has them. */
  readonly stale: number;
  readonly kinds: Readonly<Partial<Record<SitemapKind, number>>>;
}

/** How many sitemaps could not be read for one reason. @experimental */
export interface FailureCount {
  readonly code: string;
  readonly status?: number | undefined;
  readonly count: number;
  /** The first of them. */
  readonly url: string;
  readonly reason: string;
  /** The option that would change it, where there is one. */
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

/** Pages by the date of their last modification, else of the publication of their story. @experimental */
export interface DateSummary {
  /** Those that the years count. */
  readonly dated: number;
  readonly undated: number;
  /** Dated more than a day after their document was requested. */
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
  /** Empty where there are more than 20,000 different days. */
  readonly days: readonly { readonly day: number; readonly pages: number }[];
}

/** The pages of a folder and all below it. @experimental */
export interface FolderSummary {
  /** A segment of the path with digits as `{n}`, or a year; below the top of several hosts, the origin. */
  readonly name: string;
  readonly pages: number;
  /** Those that are in it, and in none of its folders. */
  readonly direct: number;
  /** The largest, at most twenty. */
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

/** What becomes of the links between languages (`hreflang`). @experimental */
export interface LanguageSummary {
  /** Pages that have such links. */
  readonly pages: number;
  /** Worst first. */
  readonly languages: readonly LanguageCount[];
  /** Links that were not followed: there were too many to remember. */
  readonly notChecked: number;
}

/** The links to the pages of one language; those of a page to itself do not count. @experimental */
export interface LanguageCount {
  /** The code, in small letters. */
  readonly language: string;
  readonly links: number;
  /** Links to a page that links back. */
  readonly returned: number;
  /** Links to a page that is listed, and does not link back. */
  readonly notReturned: number;
  /** No sitemap lists the other page. */
  readonly notListed: number;
}

/** A sitemap, or several that are alike, and what is below. @experimental */
export interface SummarizedSitemap {
  /** Of several: with digits as `{n}`. */
  readonly url: string;
  readonly kind: SitemapKind;
  /** How many sitemaps this row is for. */
  readonly count: number;
  /** The URL of the first one, where there are several. */
  readonly example?: string | undefined;
  readonly pages: number;
  readonly bytes?: number | undefined;
  /** As the index declares it; of several, the newest. */
  readonly lastModified?: string | undefined;
  readonly durationMs?: number | undefined;
  /** Only where it is the same for all of them. */
  readonly freshness?: Freshness | undefined;
  readonly truncated: number;
  readonly problems: number;
  /** Why it could not be read; of several, why the first could not. */
  readonly failure?: { readonly code: string; readonly status?: number; readonly reason: string } | undefined;
  readonly sitemaps: readonly SummarizedSitemap[];
  /** How many rows of this level are not here, since a summary has at most 2,000. */
  readonly more: number;
}

/** Some pages of a sitemap, taken at even distances. @experimental */
export interface SitemapSample {
  readonly sitemap: string;
  /** How many it lists. */
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
