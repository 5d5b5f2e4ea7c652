/** The results of a comparison of two trees. */
import type { SitemapPage } from '../parse/model/page.ts';
import type { ChangeFrequency } from '../parse/values/change-frequency.ts';
import type { Sitemap } from '../sitemap/sitemap.ts';

/** The fields of a page that are compared, in the order in which they are reported. */
export const COMPARED_FIELDS = [
  'lastModified',
  'priority',
  'changeFrequency',
  'newsStory',
  'images',
  'videos',
  'alternates',
] as const;

/** The fields that are compared by a hash: structs and lists. */
export const HASHED_FIELDS = ['newsStory', 'images', 'videos', 'alternates'] as const;

/** A field of a page that is compared. */
export type ComparedField = (typeof COMPARED_FIELDS)[number];

/** The values of the earlier page. Other fields are compared by a hash, so their earlier values are not known. */
export interface EarlierPage {
  readonly lastModified: Date | undefined;
  readonly priority: number;
  readonly changeFrequency: ChangeFrequency | undefined;
}

/** A page that only the later tree lists. */
export interface AddedPage {
  readonly type: 'added';
  readonly page: SitemapPage;
  /** The sitemap of the later tree that lists it first. */
  readonly sitemap: Sitemap;
  readonly before?: undefined;
  readonly fields?: undefined;
}

/** A page that only the earlier tree lists. */
export interface RemovedPage {
  readonly type: 'removed';
  /** As the earlier tree has it. */
  readonly page: SitemapPage;
  /** The sitemap of the earlier tree that listed it first. */
  readonly sitemap: Sitemap;
  readonly before?: undefined;
  readonly fields?: undefined;
}

/** A page that both trees list, with different values. */
export interface ChangedPage {
  readonly type: 'changed';
  /** As the later tree has it. */
  readonly page: SitemapPage;
  /** The sitemap of the later tree that lists it first. */
  readonly sitemap: Sitemap;
  readonly before: EarlierPage;
  /** The fields that differ; at least one. */
  readonly fields: readonly ComparedField[];
}

/** A difference between two trees. */
export type PageChange = AddedPage | RemovedPage | ChangedPage;

/** How many pages there are of each kind, each page once. */
export interface DiffCounts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** Listed by both trees, with equal values. */
  readonly same: number;
  /** Not reported: a document that lists the page was not settled in the other tree. */
  readonly unknown: number;
}

/**
 * A change as one flat record, in the order in which `usp diff` and `usp update` print its fields. The values are those
 * of the page, for a removed page the earlier ones; only a changed page has `…Before`.
 */
export interface ChangeRow {
  readonly type: PageChange['type'];
  /** The homepage; undefined if single sitemaps were compared. */
  readonly site: string | undefined;
  readonly sitemap: string;
  readonly url: string;
  readonly fields: readonly ComparedField[] | undefined;
  readonly lastModified: Date | undefined;
  readonly priority: number;
  readonly changeFrequency: string | undefined;
  readonly lastModifiedBefore: Date | undefined;
  readonly priorityBefore: number | undefined;
  readonly changeFrequencyBefore: string | undefined;
}

/** The values of a page for its row, and those of the earlier page if it has changed. */
interface RowSource extends Pick<ChangeRow, 'type' | 'site' | 'sitemap' | 'url' | 'fields'> {
  readonly page: RowValues;
  readonly before?: RowValues | undefined;
}

export type RowValues = Pick<ChangeRow, 'lastModified' | 'priority' | 'changeFrequency'>;

export function changeRow({ type, site, sitemap, url, fields, page, before }: RowSource): ChangeRow {
  return {
    ...{ type, site, sitemap, url, fields },
    lastModified: page.lastModified,
    priority: page.priority,
    changeFrequency: page.changeFrequency,
    lastModifiedBefore: before?.lastModified,
    priorityBefore: before?.priority,
    changeFrequencyBefore: before?.changeFrequency,
  };
}

/** @param site - the homepage of the trees, if they have one */
export function rowOfChange({ sitemap, ...change }: PageChange, site: string | undefined): ChangeRow {
  const { type, page, before, fields } = change;
  return changeRow({ type, site, sitemap: sitemap.url, url: page.url, fields, page, before });
}
