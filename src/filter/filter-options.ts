/** Options that are filters. Their types need nothing of Node or the DOM, since methods of a tree take them, too. */

/**
 * A part of the URL (`/blog/`); with a `*`, a glob that must match the whole URL (`*.html`), so a glob that starts with
 * `/` matches nothing; after `re:` or as a `RegExp`, a regular expression.
 */
export type UrlPattern = string | RegExp;

/** Which pages are kept: by their dates and URLs, and each once. */
export interface PageFilterOptions {
  /**
   * Only pages that changed then or later. A text is a date (`2024-05-06`, `2024-05-06T08:00Z`), a time before now
   * (`90m`, `24h`, `7d`, `2w`), `today` or `yesterday`, in UTC. A page dated without a time covers its day. The date of
   * a page is its `lastModified`, else the publication date of its news story. If sitemaps are fetched, children that
   * their index declares to be older are left out. @default none
   */
  readonly since?: Date | string | undefined;
  /** Only pages that changed before then. @default none */
  readonly until?: Date | string | undefined;
  /** What to do with pages that have no date, if `since` or `until` is set. @default 'drop' */
  readonly undated?: 'keep' | 'drop' | undefined;
  /** Only pages whose URL matches one of these. @default all */
  readonly include?: UrlPattern | readonly UrlPattern[] | undefined;
  /** No pages whose URL matches one of these. @default none */
  readonly exclude?: UrlPattern | readonly UrlPattern[] | undefined;
  /** Leave out pages whose URL was listed before. @default false; true for `collectPages` */
  readonly unique?: boolean | undefined;
}

/** The filters of pages that need to know the site. */
export interface SitePageOptions extends PageFilterOptions {
  /**
   * Only pages on the site: on its host, with and without `www.` (`'same'`), or also on subdomains (`'subdomains'`; of
   * `www.example.org` these are `*.example.org`). The site is the given host and those that its robots.txt and, if it
   * is requested, its homepage redirect to; for one sitemap it is the host of its URL. Ports and schemes do not count.
   * @default 'any'
   */
  readonly hosts?: 'any' | 'same' | 'subdomains' | undefined;
  /**
   * Only this many pages, each once: one of every sitemap first, and the same pages every time, as long as they are
   * listed. They are chosen after all filters, from the whole site; a stream gives them at its end. Not with
   * `maxPages`. @default all
   */
  readonly sample?: number | undefined;
  /**
   * Also list the alternates of entries (`hreflang`) as pages: each once, unless a sitemap lists it. Such a page has
   * only its URL, so it is undated. It comes after the page that names it, in a stream at the end. All filters apply to
   * it. @default false
   */
  readonly listAlternates?: boolean | undefined;
}

/** Which children of indexes are fetched. */
export interface SitemapFilterOptions {
  /**
   * Only sitemaps whose URL matches one of these. Indexes must match, too, or their children are not found.
   *
   * @default all
   */
  readonly sitemapInclude?: UrlPattern | readonly UrlPattern[] | undefined;
  /** No sitemaps whose URL matches one of these. @default none */
  readonly sitemapExclude?: UrlPattern | readonly UrlPattern[] | undefined;
}
