/** Makes nodes from what documents turned out to be: those of a tree, or whatever else a crawl is for. */

import type { SubSitemap } from '../parse/model/item.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { PagesSitemapFields } from '../sitemap/node-fields.ts';
import { NO_PAGES } from '../sitemap/page-source.ts';
import {
  IndexRobotsTxtSitemap,
  type IndexSitemapFields,
  IndexXMLSitemap,
  InvalidSitemap,
  PAGES_CLASSES,
  type Sitemap,
} from '../sitemap/sitemap.ts';
import type { IndexOutcome, InvalidOutcome, PagesOutcome } from './outcome.ts';

/** Makes nodes of the kind that the caller wants: a tree makes node objects, a stream makes nothing. */
export interface NodeFactory<Node> {
  index(
    declared: SubSitemap,
    outcome: IndexOutcome,
    children: readonly Node[],
    problems: readonly Problem[],
    filteredUrls?: readonly string[],
  ): Node;
  pages(declared: SubSitemap, outcome: PagesOutcome): Node;
  invalid(declared: SubSitemap, outcome: InvalidOutcome): Node;
}

/** The nodes of `sitemapTreeForHomepage` and `sitemapFromUrl`. */
export const treeNodes: NodeFactory<Sitemap> = {
  index(declared, outcome, subSitemaps, problems, filteredUrls) {
    const Class = outcome.kind === 'robots-txt' ? IndexRobotsTxtSitemap : IndexXMLSitemap;
    return new Class(fieldsOf(declared, outcome, problems, subSitemaps, filteredUrls));
  },

  pages(declared, outcome) {
    return new PAGES_CLASSES[outcome.kind](fieldsOf(declared, outcome, NOTHING, NOTHING));
  },

  // An invalid sitemap keeps the URL it was declared by: what it redirects to is in the reason.
  invalid({ url, lastModified }, { code, reason, status, option, error, facts }: InvalidOutcome) {
    return new InvalidSitemap({ url, lastModified, code, reason, status, option, error, facts });
  },
};

const NOTHING: readonly never[] = [];

/** The fields of a node: of an index with its children, of any other one with its pages. */
function fieldsOf(
  { url, lastModified }: SubSitemap,
  outcome: IndexOutcome | PagesOutcome,
  besides: readonly Problem[],
  subSitemaps: readonly Sitemap[],
  filteredUrls?: readonly string[],
): PagesSitemapFields & IndexSitemapFields {
  const { problems, problemCount, truncated, bytes, status, freshness, facts } = outcome;
  // Field by field: see the note on objects in CONTRIBUTING.md.
  return {
    url: outcome.redirected ? outcome.url : url,
    declaredUrl: outcome.redirected ? url : undefined,
    lastModified,
    problems: besides.length === 0 ? problems : [...problems, ...besides],
    problemCount: problemCount + besides.length,
    truncated,
    bytes,
    status,
    freshness,
    facts,
    pages: (outcome.type === 'pages' ? outcome.pages : undefined) ?? NO_PAGES,
    subSitemaps,
    filteredUrls,
  };
}
