/** Makes nodes from what documents turned out to be: those of a tree, or whatever else a crawl is for. */

import type { SubSitemap } from '../parse/model/item.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { Freshness } from '../sitemap/fields.ts';
import type { DocumentFacts } from '../sitemap/kept-document.ts';
import { NO_PAGES } from '../sitemap/page-source.ts';
import {
  IndexRobotsTxtSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesAtomSitemap,
  PagesRSSSitemap,
  PagesTextSitemap,
  PagesXMLSitemap,
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

const PAGES_CLASSES = {
  'pages-xml': PagesXMLSitemap,
  'pages-text': PagesTextSitemap,
  'pages-rss': PagesRSSSitemap,
  'pages-atom': PagesAtomSitemap,
} as const;

/** The nodes of `sitemapTreeForHomepage` and `sitemapFromUrl`. */
export const treeNodes: NodeFactory<Sitemap> = {
  index(declared, outcome, subSitemaps, problems, filteredUrls) {
    const Class = outcome.kind === 'robots-txt' ? IndexRobotsTxtSitemap : IndexXMLSitemap;
    return new Class({
      ...common(declared, outcome, problems),
      subSitemaps,
      filteredUrls,
    });
  },

  pages(declared, outcome) {
    return new PAGES_CLASSES[outcome.kind]({
      ...common(declared, outcome, []),
      pages: outcome.pages ?? NO_PAGES,
    });
  },

  // An invalid sitemap keeps the URL it was declared by: what it redirects to is in the reason.
  invalid({ url, lastModified }, { code, reason, status, option, error, facts }: InvalidOutcome) {
    return new InvalidSitemap({ url, lastModified, code, reason, status, option, error, facts });
  },
};

function common(
  { url, lastModified }: SubSitemap,
  outcome: IndexOutcome | PagesOutcome,
  problems: readonly Problem[],
): {
  url: string;
  declaredUrl: string | undefined;
  lastModified: Date | undefined;
  problems: readonly Problem[];
  problemCount: number;
  truncated: boolean;
  bytes: number | undefined;
  status: number | undefined;
  freshness: Freshness | undefined;
  facts: DocumentFacts | undefined;
} {
  return {
    url: outcome.redirected ? outcome.url : url,
    declaredUrl: outcome.redirected ? url : undefined,
    lastModified,
    problems: [...outcome.problems, ...problems],
    problemCount: outcome.problemCount + problems.length,
    truncated: outcome.truncated,
    bytes: outcome.bytes,
    status: outcome.status,
    freshness: outcome.freshness,
    facts: outcome.facts,
  };
}
