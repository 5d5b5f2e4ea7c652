/**
 * What every real file of the corpus must yield, and what its own project's tests say about it.
 *
 * The numbers were judged by looking at the files: where one is below what another parser finds, or below what a
 * plain text search finds, the row says why, and the test refuses both a missing reason and one that has become
 * needless.
 */
import type { DocumentKind, ParseProblemCode } from '../../src/parse/index.ts';

/** What else a row says. */
interface CorpusNote {
  readonly truncated?: boolean;
  /** Part of the reason why the document is invalid. */
  readonly reason?: string;
  /** Why there is less than another parser, or a text search, finds. */
  readonly why?: string;
}

/** One file: its kind, how many pages or children it yields, and which codes its problems have. */
export type CorpusRow = readonly [
  path: string,
  kind: DocumentKind,
  count: number,
  problems: readonly ParseProblemCode[],
  note?: CorpusNote,
];

// biome-ignore format: one file a line makes this a table
export const CORPUS: readonly CorpusRow[] = [
  ['advertools/error_sitemap.xml', 'pages-xml', 0, ['entry-without-loc', 'mis-nested-tag', 'missing-namespace', 'tag-cut-short', 'unclosed-tag'], { why: 'its one entry has no loc: the tag never closes, and no address follows' }],
  ['advertools/news_sitemap.xml', 'pages-xml', 6, []],
  ['advertools/regular_sitemap.xml.gz', 'pages-xml', 5, []],
  ['advertools/sitemap_index.xml', 'index-xml', 4, []],
  ['benbalter/malformed_sitemap.xml', 'pages-xml', 3, ['text-entry']],
  ['benbalter/whitespace_sitemap_index.xml', 'index-xml', 2, []],
  ['crawlee/bad_schemes.xml', 'pages-xml', 1, ['not-http-url'], { why: 'mailto:, javascript: and ftp: are not http (§6)' }],
  ['crawlee/invalid_sitemap_child.xml.gz', 'invalid', 0, [], { reason: 'gzip' }],
  ['crawlee/leak-metadata-url-without-loc.xml', 'pages-xml', 2, ['bad-date', 'entry-without-loc'], { why: 'one entry has no loc' }],
  ['crawlee/non_gzipped_sitemap.xml.gz', 'pages-xml', 2, []],
  ['crawlee/not_actual_xml.xml', 'invalid', 0, [], { reason: 'HTML' }],
  ['crawlee/sitemap_cdata.xml', 'pages-xml', 1, []],
  ['crawlee/sitemap_pretty.xml', 'pages-xml', 1, []],
  ['crawlee/sneakily_gzipped_sitemap.xml', 'pages-xml', 5, []],
  ['crawler-commons/inline-bom-then-whitespace-before-decl.xml', 'pages-xml', 5, []],
  ['crawler-commons/inline-broken-xml.xml', 'pages-xml', 1, ['entry-without-loc', 'mis-nested-tag'], { why: 'one entry has no loc, only a comment' }],
  ['crawler-commons/inline-index-cdata-charref.xml', 'index-xml', 4, [], { why: 'there are four entries, with four addresses' }],
  ['crawler-commons/inline-index-three-locs-lastmod-reset.xml', 'index-xml', 3, ['missing-namespace', 'several-locs']],
  ['crawler-commons/inline-index-two-locs-in-one.xml', 'index-xml', 2, ['missing-namespace', 'several-locs']],
  ['crawler-commons/inline-partial-index.xml', 'index-xml', 1, ['truncated'], { truncated: true }],
  ['crawler-commons/inline-partial-urlset.xml', 'pages-xml', 0, ['truncated'], { truncated: true }],
  ['crawler-commons/inline-rss10-rdf.xml', 'pages-rss', 1, []],
  ['crawler-commons/inline-unicode-whitespace-index.xml', 'index-xml', 2, ['missing-namespace'], { why: 'there are two entries, with two addresses' }],
  ['crawler-commons/inline-url-inside-loc.xml', 'pages-xml', 1, [], { why: 'there is one address' }],
  ['crawler-commons/inline-xinclude.xml', 'pages-xml', 1, ['empty-loc'], { why: 'the second loc is empty: an xi:include is never followed' }],
  ['crawler-commons/inline-xxe-doctype.xml', 'pages-xml', 1, ['doctype', 'empty-loc', 'entity-dropped'], { why: 'the second loc is only an entity of the DOCTYPE, which is never expanded (§7)' }],
  ['feedparser/atom-entry_issued_parsed.xml', 'pages-atom', 0, ['entry-without-loc'], { why: 'the entry has no link' }],
  ['feedparser/atom-entry_link_no_href.xml', 'pages-atom', 1, []],
  ['feedparser/atom10-entry_link_alternate_map_link_3.xml', 'pages-atom', 1, []],
  ['feedparser/atom10-entry_link_no_rel.xml', 'pages-atom', 1, []],
  ['feedparser/cdf-item_href_map_link.xml', 'invalid', 0, [], { reason: '<CHANNEL>' }],
  ['feedparser/encoding-bozo_bogus_encoding.xml', 'pages-rss', 0, ['unknown-charset']],
  ['feedparser/encoding-bozo_invalid-bytes-with-bom.xml', 'pages-rss', 0, ['truncated'], { truncated: true }],
  ['feedparser/encoding-demoronize-1.xml', 'pages-rss', 0, ['entry-without-loc'], { why: 'the item has no link' }],
  ['feedparser/encoding-euc-kr-item.xml', 'pages-rss', 0, ['entry-without-loc'], { why: 'the item has no link' }],
  ['feedparser/encoding-utf-16be-bom.xml', 'pages-rss', 0, []],
  ['feedparser/encoding-utf-16le-autodetect.xml', 'pages-rss', 0, []],
  ['feedparser/encoding-utf-32le-bom.xml', 'pages-rss', 0, []],
  ['feedparser/illformed-always_strip_doctype.xml', 'pages-rss', 0, ['doctype']],
  ['feedparser/illformed-chardet-gb2312.xml', 'pages-rss', 0, ['entry-without-loc', 'invalid-bytes'], { why: 'the item has no link' }],
  ['feedparser/illformed-chardet-koi8r.xml', 'pages-rss', 0, ['entry-without-loc', 'invalid-bytes'], { why: 'the item has no link' }],
  ['feedparser/illformed-chardet-shiftjis.xml', 'pages-atom', 0, ['entry-without-loc', 'invalid-bytes'], { why: 'the entry has no link' }],
  ['feedparser/illformed-http_high_bit_date.xml', 'pages-rss', 0, []],
  ['feedparser/illformed-rss_empty_document.xml', 'invalid', 0, [], { reason: 'without any element' }],
  ['feedparser/illformed-rss_incomplete_cdata.xml', 'pages-rss', 0, ['truncated'], { truncated: true, why: 'the only item is cut inside its title' }],
  ['feedparser/illformed-rss_item_link_corrupted_ampersands.xml', 'pages-rss', 1, ['truncated'], { truncated: true }],
  ['feedparser/illformed-undeclared_namespace.xml', 'pages-rss', 0, []],
  ['feedparser/namespace-rss2.0nswithmodulesnodefnslocalnameclash.xml', 'pages-rss', 1, []],
  ['feedparser/rss-item_guid_conflict_link.xml', 'pages-rss', 1, []],
  ['feedparser/rss-item_guid_ispermalink_map_link.xml', 'pages-rss', 1, []],
  ['feedparser/rss-item_guid_not_permalink.xml', 'pages-rss', 0, ['entry-without-loc'], { why: 'a guid with isPermaLink="false" is no address (§6)' }],
  ['feedparser/xml-empty_xmlns_uri.xml', 'pages-rss', 0, []],
  ['feedsmith/atom-03.xml', 'pages-atom', 2, ['relative-url'], { why: 'the third entry links to the same page as the second (§4)' }],
  ['go-sitemap-parser/atom-self-link-only.xml', 'pages-atom', 1, []],
  ['go-sitemap-parser/relative-loc-urlset.xml', 'pages-xml', 2, ['relative-url']],
  ['go-sitemap-parser/rss-blank-link.xml', 'pages-rss', 2, ['entry-without-loc'], { why: 'the link of the third item is blank' }],
  ['go-sitemap-parser/text-with-hash-comment.txt', 'pages-text', 2, ['line-not-a-url']],
  ['go-sitemap/aspnet-sitemap.xml', 'invalid', 0, [], { reason: '<siteMap>' }],
  ['gofeed/atom10_feed_entry_link_href_invalid_space_prefix.xml', 'pages-atom', 1, []],
  ['gofeed/issue_305_bare_ampersand.xml', 'pages-rss', 0, []],
  ['gofeed/issue_320_legacy_entity_prefix.xml', 'pages-rss', 0, []],
  ['gofeed/rss_feed_leading_spaces.xml', 'pages-rss', 0, []],
  ['gopher-parse-sitemap/image-comment-before-decl.xml', 'pages-xml', 2, []],
  ['norconex/sitemap.xml', 'pages-xml', 4, ['bad-priority', 'missing-namespace', 'undeclared-prefix']],
  ['nutch/rsstest.rss', 'pages-rss', 2, []],
  ['python-sitemap/broken-sitemap-index.xml', 'index-xml', 2, ['loc-outside-entry']],
  ['python-sitemap/google-sitemap.xml', 'pages-xml', 7, ['wrong-namespace']],
  ['real-broken/baidu-document-root.xml', 'invalid', 0, [], { reason: '<document>' }],
  ['real-broken/browser-serialised-as-html.xml', 'pages-xml', 320, ['inside-html']],
  ['real-broken/decl-missing-gt.xml', 'pages-xml', 3, ['tag-cut-short']],
  ['real-broken/git-lfs-pointer.xml.gz', 'invalid', 0, [], { reason: 'Git LFS' }],
  ['real-broken/git-merge-conflict-images.xml', 'pages-xml', 6, ['junk-after-root', 'relative-url', 'second-root', 'text-before-root']],
  ['real-broken/ie-view-paste-0.84.xml', 'pages-xml', 27, ['bare-ampersand', 'text-before-root']],
  ['real-broken/js-rendered.html', 'invalid', 0, [], { reason: 'HTML', why: 'the sitemap is inside a script (§7)' }],
  ['real-broken/leading-newline-equalsmoney.xml', 'pages-xml', 721, []],
  ['real-broken/leading-newline-single-quotes.xml', 'pages-xml', 292, []],
  ['real-broken/meta-refresh.html', 'invalid', 0, [], { reason: 'https://bluetrick.web.app/sitemap.xml' }],
  ['real-broken/no-root-element.xml', 'pages-xml', 29, ['entry-without-root', 'mis-nested-tag']],
  ['real-broken/placeholder-in-loc.xml', 'pages-xml', 9, ['unclosed-tag']],
  ['real-broken/root-start-tag-missing-gt.xml', 'pages-xml', 1, ['tag-cut-short']],
  ['real-broken/video-unescaped-amp-1.5MB.xml', 'pages-xml', 999, ['bare-ampersand'], { why: '1,511 entries, 999 addresses: pages are listed once for each video (§4)' }],
  ['real-feed/atom-content-cdata.xml', 'pages-atom', 7, []],
  ['real-feed/rss-declared-latin1-iso-dates.xml', 'pages-rss', 6, []],
  ['real-feed/rss-stylesheet-german.xml', 'pages-rss', 10, []],
  ['real-gz/cve-10000-urls.xml.gz', 'pages-xml', 10000, []],
  ['real-gz/repetitive-45002-urls-290x.xml.gz', 'pages-xml', 2, [], { why: '45,002 entries, two addresses (§4)' }],
  ['real-gz/rubyberlin-index.xml.gz', 'index-xml', 1, []],
  ['real-hreflang/equalsmoney-international.xml', 'pages-xml', 14, []],
  ['real-hreflang/shopify-image-and-hreflang.xml', 'pages-xml', 196, []],
  ['real-hreflang/sos-694.xml', 'pages-xml', 694, []],
  ['real-image/aioseo-all-cdata-220.xml', 'pages-xml', 220, []],
  ['real-image/japanese-slugs-cdata.xml', 'pages-xml', 191, []],
  ['real-image/one-page-many-images-243KB.xml', 'pages-xml', 55, ['wrong-namespace']],
  ['real-image/shopify-products.xml', 'pages-xml', 114, []],
  ['real-image/yoast-image-titles-cdata.xml', 'pages-xml', 14, []],
  ['real-image/yoast-relative-locs.xml', 'pages-xml', 35, ['relative-url']],
  ['real-index/aioseo-cdata.xml', 'index-xml', 5, []],
  ['real-index/git-merge-conflict.xml', 'index-xml', 2, ['junk-after-root', 'relative-url', 'second-root', 'text-before-root']],
  ['real-index/self-closed-root.xml', 'index-xml', 0, []],
  ['real-index/shopify-app.xml', 'index-xml', 12, []],
  ['real-index/sogou-no-namespace.xml', 'index-xml', 1, ['missing-namespace']],
  ['real-index/yoast-root-relative-locs.xml', 'index-xml', 8, ['relative-url']],
  ['real-mobile/jmor-126.xml', 'pages-xml', 126, []],
  ['real-news/equalsmoney-news.xml', 'pages-xml', 134, []],
  ['real-news/jetpack-empty-news.xml', 'pages-xml', 0, []],
  ['real-news/keywords-genres.xml', 'pages-xml', 3, []],
  ['real-news/news-image-bom-594.xml', 'pages-xml', 594, []],
  ['real-news/rfc822-dates-whitespace.xml', 'pages-xml', 47, [], { why: 'three of the 50 addresses are repeated (§4)' }],
  ['real-robots/109-sitemaps.txt', 'robots-txt', 109, []],
  ['real-robots/wikipedia.txt', 'robots-txt', 0, []],
  ['real-text/bom-crlf-blank-lines.txt', 'pages-text', 21, []],
  ['real-text/gbk-bytes-in-query.txt', 'pages-text', 3694, ['invalid-bytes', 'line-not-a-url']],
  ['real-text/livejournal-1396.txt', 'pages-text', 1396, []],
  ['real-urlset/anthropic-platform-docs-2913.xml', 'pages-xml', 2913, []],
  ['real-urlset/bom-4220-urls.xml', 'pages-xml', 4220, []],
  ['real-urlset/bom-mac-line-endings-annually.xml', 'pages-xml', 12, ['bad-change-frequency']],
  ['real-urlset/changefreq-Always-stylesheet.xml', 'pages-xml', 829, ['double-escaped-url']],
  ['real-urlset/changefreq-capitalised.xml', 'pages-xml', 120, []],
  ['real-urlset/large-chinese-slugs-3.7MB.xml', 'pages-xml', 9935, []],
  ['real-urlset/lastmod-space-separated.xml', 'pages-xml', 1, []],
  ['real-urlset/lastmod-year-0001-charref.xml', 'pages-xml', 18, []],
  ['real-urlset/mozilla-en-US-2659.xml', 'pages-xml', 2659, []],
  ['real-urlset/no-encoding-crlf-nonascii.xml', 'pages-xml', 3885, []],
  ['real-urlset/no-xml-decl.xml', 'pages-xml', 10, []],
  ['real-urlset/ns-0.84-1345-urls.xml', 'pages-xml', 1328, [], { why: '17 of the 1,345 addresses are repeated (§4)' }],
  ['real-urlset/ns-0.84-taxi.xml', 'pages-xml', 50, []],
  ['real-urlset/php-net.xml', 'pages-xml', 39, []],
  ['real-urlset/wordpress-xml-sitemaps-plugin.xml', 'pages-xml', 353, []],
  ['real-video/jetpack-relative-loc.xml', 'pages-xml', 20, ['relative-url']],
  ['real-video/prefixed-ns1-ns2.xml', 'pages-xml', 1, [], { why: 'the five entries are one page, listed once for each video (§4)' }],
  ['real-video/protocol-relative-ns-and-loc.xml', 'pages-xml', 1, ['relative-url', 'wrong-namespace']],
  ['real-video/scootergrisen-danish.xml', 'pages-xml', 1, []],
  ['real-video/wedding-58-videos.xml', 'pages-xml', 58, []],
  ['robots-google/mac-line-endings.txt', 'robots-txt', 0, []],
  ['robots-ropensci/rbloggers.txt', 'robots-txt', 1, []],
  ['robots-ropensci/robots_amazon.txt', 'robots-txt', 3, []],
  ['robots-ropensci/robots_facebook_unsupported.html.txt', 'invalid', 0, [], { reason: 'HTML' }],
  ['robots-ropensci/robots_google.txt', 'robots-txt', 18, []],
  ['robots-ropensci/robots_new_york_times.txt', 'robots-txt', 3, []],
  ['robots-ropensci/robots_wikipedia.txt', 'robots-txt', 0, []],
  ['robots-temoto/google-sitemaps.txt', 'robots-txt', 3, []],
  ['robots-temoto/html.txt', 'invalid', 0, [], { reason: 'HTML' }],
  ['robots-webignition/newscientist.com.txt', 'robots-txt', 1, []],
  ['robots-webignition/stackoverflow.com.txt', 'robots-txt', 1, ['relative-url']],
  ['robots-webignition/withBom.txt', 'robots-txt', 1, []],
  ['rust-sitemap/two-roots.xml', 'pages-xml', 5, ['other-entry-kind', 'second-root'], { why: 'the two sitemaps of the second root are of the other kind, and not followed (§7)' }],
  ['scrapy/child-resets-xmlns.xml', 'pages-xml', 2, []],
  ['scrapy/hreflang-missing-href.xml', 'pages-xml', 1, []],
  ['scrapy/index-leading-blank-line.xml', 'index-xml', 3, []],
  ['scrapy/leading-space-loc-empty-lastmod.xml', 'pages-xml', 2, []],
  ['scrapy/not-a-sitemap.xml', 'invalid', 0, [], { reason: '<some>' }],
  ['scrapy/ns084.xml', 'pages-xml', 2, []],
  ['scrapy/robots-invalid-utf8.txt', 'robots-txt', 2, ['invalid-bytes']],
  ['scrapy/robots-uppercase-scheme-relative.txt', 'robots-txt', 4, ['relative-url']],
  ['scrapy/undeclared-entity-truncated.xml', 'pages-xml', 0, ['entry-without-root', 'truncated'], { truncated: true }],
  ['scrapy/xxe.xml', 'pages-xml', 1, ['doctype', 'entity-dropped']],
  ['sitemap-js/alltags-index.cdata.xml', 'index-xml', 2, []],
  ['sitemap-js/alltags.cdata.xml', 'pages-xml', 7, []],
  ['sitemap-js/alltags.xml', 'pages-xml', 7, []],
  ['sitemap-js/long-list.txt.gz', 'pages-text', 1000000, []],
  ['sitemap-js/unescaped-lt.xml', 'pages-xml', 1, ['bad-change-frequency', 'literal-less-than']],
  ['sitemapr/compressed-invalid.gz', 'invalid', 0, [], { reason: 'gzip' }],
  ['sitemapr/compressed-valid.tar.gz', 'pages-xml', 2, ['junk-after-root', 'second-root', 'text-before-root']],
  ['sitemapr/encoding-bom-conflict.xml', 'pages-xml', 1, []],
  ['sitemapr/encoding-declared-iso8859-no-bom.xml', 'pages-xml', 1, []],
  ['sitemapr/encoding-utf16-le-bom.xml', 'pages-xml', 1, ['wrong-charset']],
  ['sitemapr/feed-atom03.xml', 'pages-atom', 2, []],
  ['sitemapr/feed-malformed.xml', 'pages-atom', 0, ['truncated'], { truncated: true, why: 'the only entry is cut inside its link' }],
  ['sitemapr/feed-rss2.xml', 'pages-rss', 3, []],
  ['sitemapr/hreflang-xdefault-malformed.xml', 'pages-xml', 1, []],
  ['sitemapr/text-long-urls.txt', 'pages-text', 3, []],
  ['sitemapr/text-mac-line-endings.txt', 'pages-text', 3, []],
  ['sitemapr/text-utf8-bom.txt', 'pages-text', 3, []],
  ['sitemapr/url-iri-path.xml', 'pages-xml', 1, []],
  ['sitemapr/xml-bad-namespace.xml', 'pages-xml', 1, ['wrong-namespace']],
  ['sitemapr/xml-image-missing-loc.xml', 'pages-xml', 1, ['entry-without-loc']],
  ['sitemapr/xml-index-invalid-child-urls.xml', 'index-xml', 2, ['not-http-url', 'relative-url'], { why: 'one child is ftp:' }],
  ['sitemapr/xml-malformed.xml', 'pages-xml', 3, ['truncated', 'unclosed-tag'], { truncated: true }],
  ['sitemapr/xml-namespace-uri-typo.xml', 'pages-xml', 1, ['wrong-namespace']],
  ['sitemapr/xml-valid-schema-bad-protocol.xml', 'pages-xml', 2, ['bad-change-frequency', 'bad-date', 'bad-priority']],
  ['sitemapr/xml-whitespace-heavy.xml', 'pages-xml', 3, []],
  ['stormcrawler/sitemap.extensions.all.xml', 'pages-xml', 7, []],
  ['trafilatura/sitemap-hreflang.xml', 'pages-xml', 3, ['other-entry-kind'], { why: 'the sitemap entry in the urlset is of the other kind, and not followed (§7)' }],
  ['trafilatura/sitemap.xml.gz', 'pages-xml', 84, []],
  ['trafilatura/sitemap2.xml', 'index-xml', 2, []],
  ['usp/atom-1.0-three-links.xml', 'pages-atom', 2, []],
  ['usp/basic-news-1.xml', 'pages-xml', 2, []],
  ['usp/basic-news-2-cdata-utf8-title.xml', 'pages-xml', 2, []],
  ['usp/basic-pages-invalid-freq-priority.xml', 'pages-xml', 2, ['bad-change-frequency', 'bad-priority']],
  ['usp/basic-robots.txt', 'robots-txt', 2, []],
  ['usp/billion-laughs.xml', 'pages-xml', 1, ['doctype']],
  ['usp/doc-atom0.3.xml', 'pages-atom', 2, []],
  ['usp/doc-hreflang.xml', 'pages-xml', 2, ['wrong-namespace']],
  ['usp/doc-plaintext.txt', 'pages-text', 2, ['line-not-a-url']],
  ['usp/doc-robots.txt', 'robots-txt', 4, []],
  ['usp/edge-bom.xml', 'pages-xml', 1, []],
  ['usp/edge-no-ns-unknown-tag.xml', 'pages-xml', 1, ['missing-namespace']],
  ['usp/edge-truncated-mid-url.xml', 'pages-xml', 49, ['truncated'], { truncated: true, why: 'the last loc is cut' }],
  ['usp/edge-truncated-missing-close.xml', 'pages-xml', 50, ['truncated'], { truncated: true }],
  ['usp/gzip-as-dat.dat', 'pages-xml', 1, []],
  ['usp/hreflang-missing-attrs.xml', 'pages-xml', 4, []],
  ['usp/image-all-fields.xml', 'pages-xml', 2, []],
  ['usp/plain-text-1.txt', 'pages-text', 2, ['line-not-a-url']],
  ['usp/robots-weird-spacing.txt', 'robots-txt', 1, []],
  ['usp/rss-2.0.xml', 'pages-rss', 2, []],
  ['usp/xml-prematurely-ending.xml', 'pages-xml', 2, ['truncated'], { truncated: true, why: 'the third entry is cut inside its news' }],
  ['vipnytt/cache-comment-before-xml-decl.xml', 'index-xml', 5, []],
  ['vipnytt/robots-glued-comment.txt', 'robots-txt', 1, []],
  ['vipnytt/urlset-xhtml-amp.xml', 'pages-xml', 5, []],
];

/** A page or a sub-sitemap as JSON. */
type ItemJson = Readonly<Record<string, unknown>>;

/** What a file says, in one sentence and in full. Of long files only some of the items are named. */
export interface CorpusFact {
  readonly path: string;
  readonly says: string;
  /** All addresses, in order. */
  readonly urls?: readonly string[];
  /** Everything, in order. */
  readonly items?: readonly ItemJson[];
  /** Some of the items, by their place. */
  readonly some?: Readonly<Record<number, ItemJson>>;
}

const page = (url: string, more: ItemJson = {}): ItemJson => ({ url, priority: 0.5, ...more });

/** A date as JSON: as written only where that is not the ISO form. */
function dated(text: string, iso: string): ItemJson {
  return text === iso ? { lastModified: iso } : { lastModified: iso, lastModifiedText: text };
}

const midnight = (day: string): ItemJson => dated(day, `${day}T00:00:00.000Z`);

// The one date of the reference's tests, and where it points.
const TEST_DATE = '2009-12-17T12:04:56+02:00';
const TEST_ISO = '2009-12-17T10:04:56.000Z';
const usp = (path: string): string => `http://test_ultimate-sitemap-parser.com/${path}`;
const testStory = (title: string): ItemJson => ({
  newsStory: {
    title,
    publishDate: TEST_ISO,
    publicationName: 'Test publication',
    publicationLanguage: 'en',
  },
});

// What many of the files repeat: the example of sitemaps.org.
const VACATIONS = [
  '12&desc=vacation_hawaii',
  '73&desc=vacation_new_zealand',
  '74&desc=vacation_newfoundland',
  '83&desc=vacation_usa',
];
const exampleUrls = (host: string): string[] => [
  `http://${host}/`,
  ...VACATIONS.map((item) => `http://${host}/catalog?item=${item}`),
];

const HREFLANG_PAGE = (language: string): ItemJson =>
  page(`http://www.example.com/${language}/page.html`, {
    alternates: [
      { hreflang: 'de', href: 'http://www.example.com/deutsch/page.html' },
      { hreflang: 'de-ch', href: 'http://www.example.com/schweiz-deutsch/page.html' },
      { hreflang: 'en', href: 'http://www.example.com/english/page.html' },
    ],
  });

// Behind every value of sitemap.js's file stand the characters that XML must escape.
const META = `&><'"`;
const META_URL = `&%3E%3C'%22`;

/** The facts that the peers' own tests state, as far as the specification does not decide otherwise. */
export const FACTS: readonly CorpusFact[] = [
  {
    path: 'crawler-commons/inline-index-cdata-charref.xml',
    says: 'text and CDATA of one loc are joined; CDATA and a character reference in a date are read',
    items: [
      { url: 'http://www.example.com/sitemap1.xml.gz', lastModified: '2004-10-01T18:23:17.000Z' },
      { url: 'http://www.example.com/sitemap2.xml.gz', lastModified: '2005-01-01T00:00:00.000Z' },
      {
        url: 'http://www.example.com/dynsitemap?date=now&all=true',
        lastModified: '2004-10-01T18:23:17.000Z',
      },
      { url: 'http://www.example.com/dynsitemap?date=lastyear&all=false' },
    ],
  },
  {
    path: 'crawler-commons/inline-xxe-doctype.xml',
    says: 'the entry whose loc is only an external entity yields nothing, and the file behind it is not read',
    items: [page('http://www.example.com/visit-here', midnight('2019-06-19'))],
  },
  {
    path: 'crawler-commons/inline-xinclude.xml',
    says: 'xi:include is not followed',
    items: [page('http://www.example.com/visit-here', midnight('2019-06-19'))],
  },
  {
    path: 'crawler-commons/inline-bom-then-whitespace-before-decl.xml',
    says: 'a BOM and white space before the declaration change nothing',
    items: [
      page('http://www.example.com/', {
        ...midnight('2005-01-01'),
        changeFrequency: 'monthly',
        priority: 0.8,
      }),
      page('http://www.example.com/catalog?desc=vacation_hawaii&item=12', { changeFrequency: 'weekly' }),
      page('http://www.example.com/catalog?desc=vacation_new_zealand&item=73', {
        ...midnight('2004-12-23'),
        changeFrequency: 'weekly',
      }),
      page('http://www.example.com/catalog?desc=vacation_newfoundland&item=74', {
        ...dated('2004-12-23T18:00:15+00:00', '2004-12-23T18:00:15.000Z'),
        priority: 0.3,
      }),
      page('http://www.example.com/catalog?desc=vacation_usa&item=83', midnight('2004-11-23')),
    ],
  },
  {
    path: 'crawler-commons/inline-broken-xml.xml',
    says: 'an extra closing tag costs nothing',
    urls: ['http://cs.harding.edu/fmccown/sitemaps/something.html'],
  },
  {
    path: 'crawler-commons/inline-index-two-locs-in-one.xml',
    says: 'a second loc in one entry is an entry',
    urls: ['https://www.example.org/sitemap1.xml', 'https://www.example.org/sitemap2.xml'],
  },
  {
    path: 'crawler-commons/inline-index-three-locs-lastmod-reset.xml',
    says: 'a lastmod belongs to the loc before it',
    items: [
      { url: 'https://www.example.org/sitemap1.xml', lastModified: '2004-10-01T18:23:17.000Z' },
      { url: 'https://www.example.org/sitemap2.xml' },
      { url: 'https://www.example.org/sitemap3.xml', lastModified: '2005-11-02T19:24:18.000Z' },
    ],
  },
  {
    path: 'crawler-commons/inline-unicode-whitespace-index.xml',
    says: 'U+00A0 and U+2000 around a URL are trimmed',
    urls: ['https://www.example.com/sitemap1.xml', 'https://www.example.com/sitemap2.xml'],
  },
  {
    path: 'crawler-commons/inline-rss10-rdf.xml',
    says: 'RSS 1.0 counts as RSS',
    items: [
      page('http://www.example.com/pub/2000/08/09/xslt/xslt.html', {
        newsStory: { title: 'Processing Inclusions with XSLT' },
      }),
    ],
  },
  {
    path: 'crawler-commons/inline-partial-index.xml',
    says: 'a child whose loc is complete is kept where the document is cut',
    urls: ['http://www.example.com/sitemap1.xml.gz'],
  },
  {
    path: 'crawler-commons/inline-url-inside-loc.xml',
    says: 'a url tag inside the loc does not hide the address, nor what follows it',
    items: [
      page('http://jobs.optistaffing.com/EXPERIENCED-DISPATCHER-NEEDED-NOW----Jobs-in-Vancouver-WA/2333221', {
        ...midnight('2015-04-28'),
        changeFrequency: 'daily',
      }),
    ],
  },
  {
    path: 'scrapy/ns084.xml',
    says: 'the namespace of Google’s 0.84 is known',
    items: [
      page('http://www.example.com/', { ...midnight('2009-08-16'), changeFrequency: 'daily', priority: 1 }),
      page('http://www.example.com/Special-Offers.html', {
        ...midnight('2009-08-16'),
        changeFrequency: 'weekly',
        priority: 0.8,
      }),
    ],
  },
  ...['leading-space-loc-empty-lastmod', 'child-resets-xmlns'].map((name) => ({
    path: `scrapy/${name}.xml`,
    says: 'a leading space in a loc is trimmed, and an empty lastmod is none',
    items: [
      page('http://www.example.com/', { ...midnight('2009-08-16'), changeFrequency: 'daily', priority: 1 }),
      page('http://www.example.com/2'),
    ],
  })),
  {
    path: 'scrapy/robots-uppercase-scheme-relative.txt',
    says: 'a relative line is resolved; an upper-case scheme is http, and stays as written (§6)',
    urls: [
      'http://example.com/sitemap.xml',
      'http://example.com/sitemap-product-index.xml',
      'HTTP://example.com/sitemap-uppercase.xml',
      'http://example.com/sitemap-relative-url.xml',
    ],
  },
  {
    path: 'scrapy/robots-invalid-utf8.txt',
    says: 'an invalid byte becomes U+FFFD and costs no line (§2)',
    urls: ['http://example.com/\uFFFD.xml', 'http://example.com/ok.xml'],
  },
  {
    path: 'scrapy/index-leading-blank-line.xml',
    says: 'a blank line before the declaration and comments are no matter',
    items: [1, 2, 3].map((number) => ({
      url: `http://www.example.com/sitemap${number}.xml`,
      lastModified: '2013-07-15T00:00:00.000Z',
    })),
  },
  {
    path: 'scrapy/hreflang-missing-href.xml',
    says: 'an alternate without href is left out',
    items: [
      page('http://www.example.com/english/', {
        alternates: [
          { hreflang: 'de', href: 'http://www.example.com/deutsch/' },
          { hreflang: 'de-ch', href: 'http://www.example.com/schweiz-deutsch/' },
          { hreflang: 'en', href: 'http://www.example.com/english/' },
        ],
      }),
    ],
  },
  {
    path: 'scrapy/xxe.xml',
    says: 'an external entity inside a loc is dropped, the rest of the loc kept',
    urls: ['http://127.0.0.1:8000/'],
  },
  {
    path: 'crawlee/sneakily_gzipped_sitemap.xml',
    says: 'gzip is known by its bytes, not by its name',
    urls: exampleUrls('not-exists.com'),
    some: {
      0: page('http://not-exists.com/', {
        ...midnight('2005-01-01'),
        changeFrequency: 'monthly',
        priority: 0.8,
      }),
    },
  },
  {
    path: 'crawlee/non_gzipped_sitemap.xml.gz',
    says: '.gz that is not gzip is read as it is',
    urls: [
      'http://not-exists.com/catalog?item=80&desc=vacation_turkey',
      'http://not-exists.com/catalog?item=81&desc=vacation_maledives',
    ],
  },
  { path: 'crawlee/sitemap_cdata.xml', says: 'a loc in CDATA', urls: ['http://not-exists.com/catalog'] },
  {
    path: 'crawlee/sitemap_pretty.xml',
    says: 'line ends around every value are trimmed',
    items: [
      page('http://not-exists.com/catalog?item=80&desc=vacation_turkey', {
        ...midnight('2005-02-03'),
        changeFrequency: 'monthly',
        priority: 0.8,
      }),
    ],
  },
  {
    path: 'crawlee/bad_schemes.xml',
    says: 'only http and https are pages',
    urls: ['http://not-exists.com/ok'],
  },
  {
    path: 'crawlee/leak-metadata-url-without-loc.xml',
    says: 'what an entry without loc says does not leak into the next; a date that is none stays as text',
    items: [
      page('http://not-exists.com/a', { lastModifiedText: 'not-a-date' }),
      page('http://not-exists.com/c'),
    ],
  },
  {
    path: 'vipnytt/cache-comment-before-xml-decl.xml',
    says: 'a cache’s comment before the declaration is no matter',
    items: [
      ['post', '2019-07-19T17:18:07.000Z'],
      ['page', '2019-07-29T13:51:35.000Z'],
      ['category', '2019-07-19T17:18:07.000Z'],
      ['post_tag', '2019-05-16T17:06:14.000Z'],
      ['author', '2018-08-23T00:12:52.000Z'],
    ].map(([name, lastModified]) => ({
      url: `https://www.bellinghambaymarathon.org/${name}-sitemap.xml`,
      lastModified,
    })),
  },
  {
    path: 'vipnytt/robots-glued-comment.txt',
    says: 'a comment glued to the URL is cut, and a commented line is none',
    urls: ['http://www.example.com/sitemap.xml'],
  },
  {
    path: 'vipnytt/urlset-xhtml-amp.xml',
    says: '&amp; in an href is decoded',
    urls: exampleUrls('www.example.com'),
    some: {
      0: page('http://www.example.com/', {
        ...midnight('2005-01-01'),
        changeFrequency: 'monthly',
        priority: 0.8,
        alternates: [
          { hreflang: 'en-US', href: 'http://www.example.com/?land=en&country=US' },
          { hreflang: 'en-GB', href: 'http://www.example.com/?land=en&country=GB' },
        ],
      }),
    },
  },
  ...['alltags', 'alltags.cdata'].map((name) => ({
    path: `sitemap-js/${name}.xml`,
    says: 'every tag of every extension, the same in CDATA',
    urls: [
      `https://roosterteeth.com/episode/rouletsplay-2018-goldeneye-source${META_URL}`,
      `https://roosterteeth.com/episode/let-s-play-2018-minecraft-episode-310${META_URL}`,
      'https://roosterteeth.com/episode/let-s-watch-2018-house-party-part-2',
      `http://www.example.org/business/article55.html${META_URL}`,
      `http://example.com/2${META_URL}`,
      `http://example.com/1${META_URL}`,
      `http://example.com/${META}/`,
    ],
    some: {
      0: page(`https://roosterteeth.com/episode/rouletsplay-2018-goldeneye-source${META_URL}`, {
        changeFrequency: 'weekly',
        videos: [
          {
            thumbnailLoc: `https://rtv3-img-roosterteeth.akamaized.net/store/0e841100-289b-4184-ae30-b6a16736960a.jpg/sm/thumb3.jpg${META}`,
            title: `2018:E6 - GoldenEye: Source${META}`,
            description: `We play gun game in GoldenEye: Source with a good friend of ours. His name is Gruchy. Dan Gruchy.${META}`,
            playerLoc: `https://roosterteeth.com/embed/rouletsplay-2018-goldeneye-source${META}`,
            playerAutoplay: `ap=1${META}`,
            playerAllowEmbed: true,
            duration: 1208,
            publicationDate: '2018-04-27T17:00:00.000Z',
            tags: [`fruit${META}`, `flies${META}`],
            requiresSubscription: true,
          },
        ],
      }),
      1: page(`https://roosterteeth.com/episode/let-s-play-2018-minecraft-episode-310${META_URL}`, {
        changeFrequency: 'weekly',
        videos: [
          {
            thumbnailLoc: `https://rtv3-img-roosterteeth.akamaized.net/store/f255cd83-3d69-4ee8-959a-ac01817fa204.jpg/sm/thumblpchompinglistv2.jpg${META}`,
            title: `2018:E90 - Minecraft - Episode 310 - Chomping List${META}`,
            description: `Now that the gang's a bit more settled into Achievement Cove, it's time for a competition. Whoever collects the most unique food items by the end of the episode wins. The winner may even receive a certain golden tower.${META}`,
            playerLoc: `https://roosterteeth.com/embed/let-s-play-2018-minecraft-episode-310${META}`,
            duration: 3070,
            expirationDate: '2012-07-16T11:20:30.000Z',
            rating: 2.5,
            viewCount: 1000,
            publicationDate: '2018-04-27T14:00:00.000Z',
            tags: [`steak${META}`],
            category: `Baking${META}`,
            familyFriendly: false,
            restriction: { relationship: 'deny', countries: ['IE', 'GB', 'US', 'CA'] },
            prices: [{ value: 1.99, currency: 'USD', type: 'rent', resolution: 'HD' }],
            requiresSubscription: false,
            uploader: {
              name: `GrillyMcGrillerson${META}`,
              info: 'http://www.example.com/users/grillymcgrillerson',
            },
            platform: { relationship: 'allow', platforms: ['tv'] },
            live: false,
          },
        ],
      }),
      2: page('https://roosterteeth.com/episode/let-s-watch-2018-house-party-part-2', {
        lastModified: '2016-09-12T00:00:00.000Z',
        changeFrequency: 'daily',
        priority: 0.6,
        videos: [
          {
            thumbnailLoc: `https://rtv3-img-roosterteeth.akamaized.net/store/9dd9681a-0557-45fe-86b3-b662c91bbae7.jpg/sm/thumblwhouseparty2v4.jpg${META}`,
            title: `2018:E10 - House Party - Part 2 (Uncensored)${META}`,
            description: `Achievement Hunter's House Party quest for some one-night intimacy continues. Can they use Ashley and Madison's sibling rivalry for their own dubious gains?${META}`,
            contentLoc: 'http://streamserver.example.com/video123.mp4',
            duration: 2422,
            publicationDate: '2018-04-26T17:00:00.000Z',
            requiresSubscription: false,
          },
        ],
        alternates: [
          { hreflang: 'en', href: `http://test.com/page-1/${META_URL}` },
          { hreflang: 'ja', href: `http://test.com/page-1/ja/${META_URL}` },
        ],
      }),
      3: page(`http://www.example.org/business/article55.html${META_URL}`, {
        lastModified: '2015-06-27T15:30:00.000Z',
        newsStory: {
          title: `Companies A, B in Merger Talks${META}`,
          publishDate: '2008-12-23T00:00:00.000Z',
          publicationName: `The Example Times${META}`,
          publicationLanguage: 'en',
          access: 'Registration',
          genres: ['PressRelease', 'Blog'],
          keywords: ['business', 'merger', 'acquisition', 'A', `B${META}`],
          stockTickers: ['NASDAQ:A', 'NASDAQ:B'],
        },
      }),
      4: page(`http://example.com/2${META_URL}`, {
        lastModified: '2011-06-27T00:00:00.000Z',
        changeFrequency: 'always',
        priority: 0.9,
        images: [
          ['1', 'An', 'One'],
          ['2', 'Another', 'Two'],
        ].map(([number, article, name]) => ({
          loc: `http://test.com/img${number}.jpg${META_URL}`,
          caption: `${article} image${META}`,
          geoLocation: `London, United Kingdom${META}`,
          title: `The Title of Image ${name}${META}`,
          license: `https://creativecommons.org/licenses/by/4.0/${META}`,
        })),
      }),
    },
  })),
  {
    path: 'sitemap-js/alltags-index.cdata.xml',
    says: 'an unknown tag with CDATA is ignored',
    items: [
      { url: 'https://www.example.com/sitemap1.xml.gz', lastModified: '2004-10-01T18:23:17.000Z' },
      { url: 'https://www.example.com/sitemap2.xml.gz', lastModified: '2005-01-01T00:00:00.000Z' },
    ],
  },
  {
    path: 'sitemap-js/unescaped-lt.xml',
    says: 'a "<" in a value costs that value only',
    items: [
      page(`http://example.com${META}/`, {
        lastModified: '2011-06-27T00:00:00.000Z',
        priority: 0.9,
        images: [{ loc: `http://urltest.com${META}/` }],
      }),
    ],
  },
  {
    path: 'trafilatura/sitemap2.xml',
    says: 'a child in CDATA',
    urls: ['http://www.example.com/sitemap1.xml.gz', 'http://www.example.com/sitemap2.xml.gz'],
  },
  {
    path: 'trafilatura/sitemap-hreflang.xml',
    says: 'a sitemap entry in a urlset costs no page, nor do its links end up on one',
    items: ['english', 'deutsch', 'schweiz-deutsch'].map(HREFLANG_PAGE),
  },
  {
    path: 'trafilatura/sitemap.xml.gz',
    says: 'a gzipped sitemap',
    some: { 0: page('https://www.sitemaps.org/', midnight('2016-11-21')) },
  },
  {
    path: 'go-sitemap-parser/rss-blank-link.xml',
    says: 'a blank link gives no page',
    urls: ['http://www.example.com/valid-1', 'http://www.example.com/wrong-1'],
  },
  {
    path: 'go-sitemap-parser/relative-loc-urlset.xml',
    says: 'relative locs are resolved on the sitemap’s host',
    urls: ['http://example.com/page-01', 'http://example.com/page-02'],
  },
  {
    path: 'go-sitemap-parser/text-with-hash-comment.txt',
    says: 'comments and blank lines are no pages',
    urls: ['http://www.example.com/text-url-1', 'https://www.example.com/text-url-2'],
  },
  {
    path: 'stormcrawler/sitemap.extensions.all.xml',
    says: 'all extensions on one page, behind a licence in a comment',
    some: {
      0: page('http://www.example.com/', {
        ...dated('2012-12-05T10:59:04+00:00', '2012-12-05T10:59:04.000Z'),
        changeFrequency: 'monthly',
        priority: 1,
        newsStory: {
          title: 'Companies A, B in Merger Talks',
          publishDate: '2008-12-23T00:00:00.000Z',
          publicationName: 'The Example Times',
          publicationLanguage: 'en',
          genres: ['PressRelease', 'Blog'],
          keywords: ['business', 'merger', 'acquisition', 'A', 'B'],
          stockTickers: ['NASDAQ:A', 'NASDAQ:B'],
        },
        images: [
          {
            loc: 'http://example.com/photo.jpg',
            caption: 'This is the caption.',
            geoLocation: 'Limerick, Ireland',
            title: 'Example photo shot in Limerick, Ireland',
            license: 'https://creativecommons.org/licenses/by/4.0/legalcode',
          },
        ],
        videos: [
          {
            thumbnailLoc: 'http://www.example.com/thumbs/123.jpg',
            title: 'Grilling steaks for summer',
            description: 'Alkis shows you how to get perfectly done steaks every time',
            contentLoc: 'http://www.example.com/video123.flv',
            playerLoc: 'http://www.example.com/videoplayer.swf?video=123',
            playerAllowEmbed: true,
            playerAutoplay: 'ap=1',
            duration: 600,
            expirationDate: '2009-11-05T11:20:30.000Z',
            rating: 4.2,
            viewCount: 12_345,
            publicationDate: '2007-11-05T11:20:30.000Z',
            tags: ['sample_tag1', 'sample_tag2'],
            familyFriendly: true,
            restriction: { relationship: 'allow', countries: ['IE', 'GB', 'US', 'CA'] },
            prices: [{ value: 1.99, currency: 'EUR' }],
            requiresSubscription: true,
            uploader: {
              name: 'GrillyMcGrillerson',
              info: 'http://www.example.com/users/grillymcgrillerson',
            },
            live: false,
          },
        ],
        alternates: [{ hreflang: 'en', href: 'http://www.example.com/english/' }],
      }),
    },
  },
  {
    path: 'sitemapr/feed-rss2.xml',
    says: 'atom:link in an RSS item is not its link; dates stay as written beside the date',
    items: [
      page('https://example.com/posts/1', {
        ...dated('Mon, 06 Sep 2010 16:45:00 +0000', '2010-09-06T16:45:00.000Z'),
        newsStory: { title: 'First post', publishDate: '2010-09-06T16:45:00.000Z' },
      }),
      page('https://example.com/posts/2', {
        ...dated('Tue, 07 Sep 2010 08:00:00 GMT', '2010-09-07T08:00:00.000Z'),
        newsStory: { title: 'Second post', publishDate: '2010-09-07T08:00:00.000Z' },
      }),
      page('https://example.com/posts/3', { newsStory: { title: 'Third post (no date)' } }),
    ],
  },
  {
    path: 'sitemapr/feed-atom03.xml',
    says: 'Atom 0.3: a service link is not the page, and modified is its date',
    items: [
      page('https://example.com/legacy/1', {
        ...dated('2026-02-02T03:04:05Z', '2026-02-02T03:04:05.000Z'),
        newsStory: { title: 'First entry', publishDate: '2026-02-02T03:04:05.000Z' },
      }),
      page('https://example.com/legacy/2', { newsStory: { title: 'Second entry (no date)' } }),
    ],
  },
  {
    path: 'sitemapr/xml-whitespace-heavy.xml',
    says: 'spaces, tabs and line ends around values are trimmed',
    items: [
      page('https://example.com/leading-spaces', midnight('2024-01-15')),
      page('https://example.com/newlines-around'),
      page('https://example.com/tab-prefixed'),
    ],
  },
  ...['text-mac-line-endings', 'text-utf8-bom'].map((name) => ({
    path: `sitemapr/${name}.txt`,
    says: 'CR alone ends a line, and a BOM is not part of the first URL',
    urls: [1, 2, 3].map((number) => `https://example.com/page${number}`),
  })),
  {
    path: 'sitemapr/url-iri-path.xml',
    says: 'letters beyond ASCII stay as written',
    urls: ['https://example.com/café'],
  },
  {
    path: 'sitemapr/xml-valid-schema-bad-protocol.xml',
    says: 'a date in words is read; biweekly, 1.5 and -0.1 are left out, and so is the 45th of a 13th month',
    items: [
      page('https://example.com/page1', dated('January 15, 2024', '2024-01-15T00:00:00.000Z')),
      page('https://example.com/page2', { lastModifiedText: '2024-13-45' }),
    ],
  },
  {
    path: 'sitemapr/hreflang-xdefault-malformed.xml',
    says: 'codes of languages are not validated',
    items: [
      page('https://example.com/page', {
        alternates: [
          { hreflang: 'X-DEFAULT', href: 'https://example.com/page' },
          { hreflang: 'x_default', href: 'https://example.com/page-alt' },
          { hreflang: 'en', href: 'https://example.com/en/page' },
        ],
      }),
    ],
  },
  {
    path: 'sitemapr/xml-bad-namespace.xml',
    says: 'versions of namespaces that never were are read by their meaning',
    items: [
      page('https://example.com/page1', { images: [{ loc: 'https://example.com/images/photo1.jpg' }] }),
    ],
  },
  {
    path: 'benbalter/malformed_sitemap.xml',
    says: 'a URL in a misspelt tag is the entry’s own text, and with that its loc',
    urls: ['http://ben.balter.com/', 'http://ben.balter.com/about/', 'http://ben.balter.com/contact/'],
  },
  {
    path: 'benbalter/whitespace_sitemap_index.xml',
    says: 'a padded child is trimmed',
    urls: ['https://example.com/sitemap.xml', 'https://example.com/sitemap2.xml'],
  },
  {
    path: 'python-sitemap/broken-sitemap-index.xml',
    says: 'a misspelt entry tag does not hide the child in it',
    items: [
      { url: 'http://www.example.com/sitemap1.xml.gz', lastModified: '2004-10-01T18:23:17.000Z' },
      { url: 'http://www.example.com/sitemap2.xml.gz', lastModified: '2005-01-01T00:00:00.000Z' },
    ],
  },
  {
    path: 'norconex/sitemap.xml',
    says: 'no namespace, prefixes never declared, a priority of 1.5',
    items: [
      page('https://example.com/linkA', { ...midnight('2021-02-26'), changeFrequency: 'daily' }),
      page('https://example.com/linkB', {
        ...midnight('2021-04-01'),
        changeFrequency: 'daily',
        priority: 1,
        images: [{ loc: 'https://example.com/image.png', title: 'Some image title' }],
      }),
      page('https://example.com/linkC', { ...midnight('2021-07-26'), changeFrequency: 'daily' }),
      page('https://example.com/linkD', {
        ...dated('2021-01-28T16:11:08+01:00', '2021-01-28T15:11:08.000Z'),
        changeFrequency: 'weekly',
        priority: 0.7,
        images: [{ loc: 'https://https://example.com/about/photos/some_image.jpg', title: 'About Image' }],
        alternates: [
          { hreflang: 'x-default', href: 'https://example.com/about' },
          { hreflang: 'en', href: 'https://example.com/about' },
          { hreflang: 'fr', href: 'https://example.com/fr/about' },
          { hreflang: 'es', href: 'https://example.com/es/about' },
        ],
      }),
    ],
  },
  {
    path: 'rust-sitemap/two-roots.xml',
    says: 'the first root gives the kind, and all its pages',
    urls: exampleUrls('www.example.com'),
  },
  {
    path: 'gopher-parse-sitemap/image-comment-before-decl.xml',
    says: 'images in order, behind a comment before the declaration',
    items: [
      page('https://example.com/sample1.html', {
        images: [{ loc: 'https://example.com/image.jpg' }, { loc: 'https://example.com/photo.jpg' }],
      }),
      page('https://example.com/sample2.html', { images: [{ loc: 'https://example.com/picture.jpg' }] }),
    ],
  },
  {
    path: 'usp/basic-robots.txt',
    says: 'Site-map: is followed as Sitemap: is',
    urls: [usp('sitemap_pages.xml'), usp('sitemap_news_index_1.xml')],
  },
  {
    path: 'usp/doc-robots.txt',
    says: 'sItE-mAp: too',
    urls: ['sitemap.xml', 'weirdly-named-sitemap.xml', 'another-sitemap.xml', 'and-another-sitemap.xml'].map(
      (name) => `https://example.org/${name}`,
    ),
  },
  {
    path: 'usp/basic-pages-invalid-freq-priority.xml',
    says: 'a bad change frequency is absent (the reference’s "always" is not ours), a bad priority 0.5',
    items: [
      page(usp('about.html'), { ...dated(TEST_DATE, TEST_ISO), changeFrequency: 'monthly', priority: 0.8 }),
      page(usp('contact.html'), dated(TEST_DATE, TEST_ISO)),
    ],
  },
  {
    path: 'usp/basic-news-1.xml',
    says: 'an empty lastmod is none; a link by media is no alternate',
    items: [
      page(usp('news/foo.html'), testStory('Foo <foo>')),
      page(usp('news/bar.html'), testStory('Bar & bar')),
    ],
  },
  {
    path: 'usp/basic-news-2-cdata-utf8-title.xml',
    says: 'a padded loc, an unknown tag inside the news, a title in CDATA',
    items: [page(usp('news/bar.html'), testStory('Bar & bar')), page(usp('news/baz.html'), testStory('Bąž'))],
  },
  {
    path: 'usp/gzip-as-dat.dat',
    says: 'gzip as .dat',
    items: [page(usp('news/bar.html'), testStory('Bąr'))],
  },
  {
    path: 'usp/edge-bom.xml',
    says: 'a BOM',
    items: [page(usp('news/first.html'), testStory('First story'))],
  },
  {
    path: 'usp/edge-truncated-mid-url.xml',
    says: 'the cut entry is dropped',
    urls: Array.from({ length: 49 }, (_, number) => usp(`page_${number}.html`)),
  },
  {
    path: 'usp/edge-truncated-missing-close.xml',
    says: 'a missing end costs nothing',
    urls: Array.from({ length: 50 }, (_, number) => usp(`page_${number}.html`)),
  },
  {
    path: 'usp/xml-prematurely-ending.xml',
    says: 'a page that is cut inside its news is dropped',
    items: [
      page(usp('news/first.html'), testStory('First story')),
      page(usp('news/second.html'), testStory('Second story')),
    ],
  },
  {
    path: 'usp/edge-no-ns-unknown-tag.xml',
    says: 'no namespace and an unknown tag',
    items: [
      page(usp('about.html'), { ...dated(TEST_DATE, TEST_ISO), changeFrequency: 'monthly', priority: 0.8 }),
    ],
  },
  {
    path: 'usp/plain-text-1.txt',
    says: 'a line of prose is skipped',
    urls: [usp('news/foo.html'), usp('news/bar.html')],
  },
  {
    path: 'usp/robots-weird-spacing.txt',
    says: 'spaces before Sitemap:, none behind it',
    urls: [usp('sitemap.xml')],
  },
  {
    path: 'usp/rss-2.0.xml',
    says: 'an item is a page and a story',
    items: [1, 2].map((number) =>
      page(usp(`rss_story_${number}.html`), {
        ...dated('Thu, 17 Dec 2009 12:04:56 +0200', TEST_ISO),
        newsStory: { title: `Test RSS 2.0 story #${number}`, publishDate: TEST_ISO },
      }),
    ),
  },
  {
    path: 'usp/atom-1.0-three-links.xml',
    says: 'the link without rel is the page, updated its date',
    items: [1, 2].map((number) =>
      page(usp(`atom_1_0_story_${number}.html`), {
        ...dated(TEST_DATE, TEST_ISO),
        newsStory: { title: `Test Atom 1.0 story #${number}`, publishDate: TEST_ISO },
      }),
    ),
  },
  {
    path: 'usp/doc-atom0.3.xml',
    says: 'Atom 0.3: issued is the date',
    items: [1, 2].map((number) =>
      page(`https://example.org/page${number}`, {
        ...midnight(`2024-01-0${number}`),
        newsStory: { title: `Page ${number}`, publishDate: `2024-01-0${number}T00:00:00.000Z` },
      }),
    ),
  },
  {
    path: 'usp/billion-laughs.xml',
    says: 'the DOCTYPE is skipped, not a reason to refuse the page (the reference refuses it)',
    urls: [usp('page.html')],
  },
  {
    path: 'usp/image-all-fields.xml',
    says: 'two images on the first page, one on the second',
    items: [
      page(usp('sample1.html'), {
        images: [
          {
            loc: usp('image.jpg'),
            caption: 'Example Caption',
            geoLocation: 'Sheffield, UK',
            title: 'Example Title',
            license: 'https://creativecommons.org/publicdomain/zero/1.0/',
          },
          { loc: usp('photo.jpg') },
        ],
      }),
      page(usp('sample2.html'), { images: [{ loc: usp('picture.jpg') }] }),
    ],
  },
  {
    path: 'usp/hreflang-missing-attrs.xml',
    says: 'no alternate without rel, hreflang and href',
    items: ['en/page', 'en/page2', 'fr/page', 'fr/page2'].map((path) =>
      page(usp(path), { ...dated(TEST_DATE, TEST_ISO), changeFrequency: 'monthly', priority: 0.8 }),
    ),
  },
  {
    path: 'usp/doc-hreflang.xml',
    says: 'a slash behind the namespace does not hide the alternates',
    items: [
      page('https://example.org/en/page', {
        ...midnight('2024-01-01'),
        alternates: [{ hreflang: 'fr-FR', href: 'https://example.org/fr/page' }],
      }),
      page('https://example.org/fr/page', {
        ...midnight('2024-01-02'),
        alternates: [{ hreflang: 'en-GB', href: 'https://example.org/en/page' }],
      }),
    ],
  },
  {
    path: 'feedparser/rss-item_guid_ispermalink_map_link.xml',
    says: 'a permalink guid is the address',
    urls: ['http://guid.example.com/'],
  },
  {
    path: 'feedparser/rss-item_guid_conflict_link.xml',
    says: 'a link goes before a guid',
    urls: ['http://link.example.com/'],
  },
  {
    path: 'feedparser/atom10-entry_link_alternate_map_link_3.xml',
    says: 'alternate, not related or via',
    urls: ['http://www.example.com/alternate'],
  },
  {
    path: 'feedparser/atom10-entry_link_no_rel.xml',
    says: 'a link without rel is an alternate',
    urls: ['http://www.example.com/'],
  },
  {
    path: 'feedparser/atom-entry_link_no_href.xml',
    says: 'Atom 0.3: the address as the link’s text',
    urls: ['http://www.example.com/'],
  },
  {
    path: 'feedparser/illformed-rss_item_link_corrupted_ampersands.xml',
    says: 'a feed that ends in "</rss" keeps its item',
    urls: ['http://link/get?a=1&b=2'],
  },
  {
    path: 'feedparser/namespace-rss2.0nswithmodulesnodefnslocalnameclash.xml',
    says: 'tags of other namespaces are not RSS’s; a prefixed root is',
    items: [
      page('http://www.pocketsoap.com/weblog/rssTests/rss2.0NSwithModulesNoDefNSLocalNameClash.xml#1', {
        newsStory: { title: 'Test Item - RSS2.0 w/ NS, no default NS, localName clash' },
      }),
    ],
  },
  {
    path: 'gofeed/atom10_feed_entry_link_href_invalid_space_prefix.xml',
    says: 'a space before an href is trimmed',
    urls: ['http://example.org'],
  },
  {
    path: 'feedsmith/atom-03.xml',
    says: 'the link of an entry’s source is not the entry’s; issued is the date',
    some: {
      0: page('http://example.com/entry/3', {
        ...dated('2004-04-20T00:23:47Z', '2004-04-20T00:23:47.000Z'),
        newsStory: { title: 'First entry title', publishDate: '2004-04-20T00:23:47.000Z' },
      }),
    },
  },
  {
    path: 'robots-temoto/google-sitemaps.txt',
    says: 'Sitemap lines may stand anywhere',
    urls: ['http://test.com/a', 'http://test.com/b', 'http://test.com/c'],
  },
  {
    path: 'robots-webignition/stackoverflow.com.txt',
    says: 'a relative Sitemap line is resolved',
    urls: ['http://example.com/sitemap.xml'],
  },
  {
    path: 'robots-webignition/withBom.txt',
    says: 'a robots.txt is read past its BOM',
    urls: ['http://tsdme.nl/sitemap.txt'],
  },
  {
    path: 'sitemapr/compressed-valid.tar.gz',
    says: 'two sitemaps in a tar are found between its headers',
    urls: ['https://example.com/archive/page1', 'https://example.com/archive/page2'],
  },
  {
    path: 'real-broken/root-start-tag-missing-gt.xml',
    says: 'a root tag without ">" still declares its namespaces',
    items: [
      page('https://www.myastrology.in/rashifal/2026-03-23.html', {
        ...midnight('2026-03-23'),
        changeFrequency: 'daily',
        priority: 0.95,
        newsStory: {
          title: '৯ চৈত্র ১৪৩২ — দৈনিক রাশিফল | ১২ রাশির বিস্তারিত ফল',
          publishDate: '2026-03-22T23:30:00.000Z',
          publicationName: 'MyAstrology',
          publicationLanguage: 'bn',
        },
      }),
    ],
  },
  {
    path: 'real-urlset/lastmod-space-separated.xml',
    says: 'a space between day and time, and no zone: UTC',
    items: [
      page('http://xuchanggui.github.io/', {
        ...dated('2014-10-30 15:10:50', '2014-10-30T15:10:50.000Z'),
        changeFrequency: 'hourly',
        priority: 1,
      }),
    ],
  },
  {
    path: 'real-news/rfc822-dates-whitespace.xml',
    says: 'a news date of RFC 822, padded',
    some: {
      0: page(
        'http://hukumonline.dev/berita/baca/lt50f901630e6d0/ky-diminta-terapkan-sistem-gugur-seleksi-cha',
        { newsStory: { publishDate: '2013-01-17T19:52:48.000Z' } },
      ),
      1: page(
        'http://hukumonline.dev/berita/baca/lt509259f18499d/panja-sepakat-stop-pembahasan-revisi-uu-kpk',
        { newsStory: { publishDate: '2012-10-31T23:11:14.000Z', keywords: ['KPK', 'DPR'] } },
      ),
    },
  },
];
