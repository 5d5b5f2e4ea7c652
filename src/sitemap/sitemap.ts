/** The nodes of the tree, by what they are. */
import {
  AbstractSitemap,
  type IndexSitemapFields,
  type PagesSitemapFields,
  type SitemapFields,
} from './abstract-sitemap.ts';

export {
  AbstractSitemap,
  type AllPagesOptions,
  type IndexSitemapFields,
  makeTop,
  type PagesSitemapFields,
} from './abstract-sitemap.ts';
export type { IndexSitemapKind, PagesSitemapKind, SitemapKind } from './kind.ts';

/** Any node; `switch (node.kind)` narrows it. */
export type Sitemap =
  | IndexWebsiteSitemap
  | IndexRobotsTxtSitemap
  | IndexXMLSitemap
  | PagesXMLSitemap
  | PagesTextSitemap
  | PagesRSSSitemap
  | PagesAtomSitemap
  | InvalidSitemap;

/** Which limit ended a call before everything was fetched. */
export interface Stopped {
  /** The option that set it: `maxSitemaps`, `maxTimeMs` or `maxPages`. */
  readonly limit: string;
  readonly message: string;
}

/** What the root of a site's tree is made of. */
export interface IndexWebsiteSitemapFields extends IndexSitemapFields {
  readonly complete: boolean;
}

/** What a sitemap that could not be read is made of. */
export interface InvalidSitemapFields extends SitemapFields {
  readonly code: string;
  readonly reason: string;
  readonly status?: number | undefined;
  readonly error?: unknown;
}

/** The root of a site's tree: the parent of its robots.txt and of the sitemaps that were found. */
export class IndexWebsiteSitemap extends AbstractSitemap {
  override readonly kind = 'website';

  constructor(fields: IndexWebsiteSitemapFields) {
    super(fields);
  }

  /** Whether nothing that was declared was unreadable, not fetched or cut. */
  override get complete(): boolean {
    return super.complete === true;
  }
}

/** A robots.txt, and the sitemaps that its `Sitemap:` lines declare. */
export class IndexRobotsTxtSitemap extends AbstractSitemap {
  override readonly kind = 'robots-txt';

  constructor(fields: IndexSitemapFields) {
    super(fields);
  }
}

/** A `<sitemapindex>`. */
export class IndexXMLSitemap extends AbstractSitemap {
  override readonly kind = 'index-xml';

  constructor(fields: IndexSitemapFields) {
    super(fields);
  }
}

/** A `<urlset>`. */
export class PagesXMLSitemap extends AbstractSitemap {
  override readonly kind = 'pages-xml';

  constructor(fields: PagesSitemapFields) {
    super(fields);
  }
}

/** A plain text of URLs. */
export class PagesTextSitemap extends AbstractSitemap {
  override readonly kind = 'pages-text';

  constructor(fields: PagesSitemapFields) {
    super(fields);
  }
}

/** An RSS feed, 0.9x to 2.0, or RSS 1.0 (`RDF`). */
export class PagesRSSSitemap extends AbstractSitemap {
  override readonly kind = 'pages-rss';

  constructor(fields: PagesSitemapFields) {
    super(fields);
  }
}

/** An Atom feed, 0.3 or 1.0. */
export class PagesAtomSitemap extends AbstractSitemap {
  override readonly kind = 'pages-atom';

  constructor(fields: PagesSitemapFields) {
    super(fields);
  }
}

/** A sitemap that was declared, but could not be fetched or read. Its URL is the declared one. */
export class InvalidSitemap extends AbstractSitemap {
  override readonly kind = 'invalid';
  /** A stable kebab-case word for programs: `http-status`, `timeout`, `recursion`, `not-a-sitemap`… */
  readonly code: string;
  /** A sentence that names the URL and the cause. */
  readonly reason: string;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /**
   * The exception, where there was one: a `SitemapXMLParsingException` for an unsupported root. With code `limit` only what
   * was on its way has one; the rest only waited.
   */
  readonly error: unknown;

  constructor(fields: InvalidSitemapFields) {
    super(fields);
    this.code = fields.code;
    this.reason = fields.reason;
    this.status = fields.status;
    this.error = fields.error;
  }
}
