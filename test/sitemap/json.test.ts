/** Specification §5, JSON: the same from `toJSON`, `JSON.stringify` and `jsonChunks`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  jsonChunks,
  PagesAtomSitemap,
  PagesRSSSitemap,
  PagesTextSitemap,
  PagesXMLSitemap,
  type Sitemap,
} from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { type TreeJsonOptions, treeJson } from '../../src/sitemap/tree-json.ts';
import { sized } from '../support/tier.ts';
import { pagesNode, SITE, source, treeFrom, treeSpec, urlset } from '../support/trees.ts';

const spool = new Spool({ memoryBytes: 1e9 });
const url = `${SITE}x`;
const lastModified = new Date('2024-05-06T07:08:09.010Z');
const stopped = { limit: 'maxSitemaps', message: 'Enough.' };
const problems = [{ code: 'truncated', message: 'It was cut.', offset: 123 } as const];
const full = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"><url>
 <loc>${SITE}p</loc><lastmod>2018-01-12T21:57:27Z</lastmod><changefreq>daily</changefreq>
 <news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:title>T</news:title>
 <news:publication_date>2018-01-12</news:publication_date><news:genres>Blog</news:genres></news:news>
 <image:image><image:loc>${SITE}i.png</image:loc><image:caption>C</image:caption></image:image>
 <video:video><video:title>V</video:title><video:expiration_date>2030-01-01</video:expiration_date><video:tag>t</video:tag></video:video>
 <xhtml:link rel="alternate" hreflang="de" href="${SITE}de"/></url><url><loc>${SITE}q</loc><lastmod>2018-01-12T21:57:27.000Z</lastmod></url></urlset>`;
const BARE_PAGE = `{"url":"${SITE}a"}`;
const pages = source(spool, urlset('a'));
const none = source(spool, urlset());
const bad = urlset('a').replace('</loc>', '</loc><changefreq>often</changefreq>');

const CASES: readonly (readonly [string, Sitemap, string])[] = [
  [
    'pages-xml',
    new PagesXMLSitemap({ url, pages }),
    `{"kind":"pages-xml","url":"${url}","pages":[${BARE_PAGE}]}`,
  ],
  [
    'no pages: the list is there',
    new PagesTextSitemap({ url, pages: none }),
    `{"kind":"pages-text","url":"${url}","pages":[]}`,
  ],
  [
    'pages-rss',
    new PagesRSSSitemap({ url, pages }),
    `{"kind":"pages-rss","url":"${url}","pages":[${BARE_PAGE}]}`,
  ],
  [
    'pages-atom',
    new PagesAtomSitemap({ url, pages }),
    `{"kind":"pages-atom","url":"${url}","pages":[${BARE_PAGE}]}`,
  ],
  [
    'declaredUrl and lastModified',
    new PagesXMLSitemap({ url, pages: none, declaredUrl: `${SITE}y`, lastModified }),
    `{"kind":"pages-xml","url":"${url}","declaredUrl":"${SITE}y","lastModified":"2024-05-06T07:08:09.010Z","pages":[]}`,
  ],
  [
    'every extension; lastModifiedText only where it is not exactly the ISO form',
    new PagesXMLSitemap({ url, pages: source(spool, full) }),
    `{"kind":"pages-xml","url":"${url}","pages":[{"url":"${SITE}p","lastModified":"2018-01-12T21:57:27.000Z","lastModifiedText":"2018-01-12T21:57:27Z","changeFrequency":"daily","newsStory":{"title":"T","publishDate":"2018-01-12T00:00:00.000Z","publishDateText":"2018-01-12","publicationName":"N","publicationLanguage":"en","genres":["Blog"]},"images":[{"loc":"${SITE}i.png","caption":"C"}],"videos":[{"title":"V","tags":["t"],"expirationDate":"2030-01-01T00:00:00.000Z","expirationDateText":"2030-01-01"}],"alternates":[{"hreflang":"de","href":"${SITE}de"}]},{"url":"${SITE}q","lastModified":"2018-01-12T21:57:27.000Z"}]}`,
  ],
  [
    'what is known of its document; truncated only where it is',
    new PagesXMLSitemap({ url, pages: none, status: 200, bytes: 12, crc32: 34, truncated: true }),
    `{"kind":"pages-xml","url":"${url}","status":200,"bytes":12,"crc32":34,"truncated":true,"pages":[]}`,
  ],
  [
    'index-xml: the list is there',
    new IndexXMLSitemap({ url, subSitemaps: [] }),
    `{"kind":"index-xml","url":"${url}","subSitemaps":[]}`,
  ],
  [
    'robots-txt, and what is below it',
    new IndexRobotsTxtSitemap({
      url,
      subSitemaps: [new IndexXMLSitemap({ url, subSitemaps: [] }), new PagesXMLSitemap({ url, pages })],
    }),
    `{"kind":"robots-txt","url":"${url}","subSitemaps":[{"kind":"index-xml","url":"${url}","subSitemaps":[]},{"kind":"pages-xml","url":"${url}","pages":[${BARE_PAGE}]}]}`,
  ],
  [
    'invalid',
    new InvalidSitemap({
      url,
      code: 'http-status',
      reason: 'It answered 404.',
      status: 404,
      error: new Error('x'),
    }),
    `{"kind":"invalid","url":"${url}","status":404,"code":"http-status","reason":"It answered 404."}`,
  ],
  [
    'problems, with those that are only counted',
    new IndexXMLSitemap({ url, subSitemaps: [], problems, problemCount: 150 }),
    `{"kind":"index-xml","url":"${url}","subSitemaps":[],"problems":[{"code":"truncated","message":"It was cut.","offset":123}],"problemCount":150}`,
  ],
  [
    'problems of the document',
    new PagesXMLSitemap({ url, pages: source(spool, bad) }),
    `{"kind":"pages-xml","url":"${url}","pages":[${BARE_PAGE}],"problems":[{"code":"bad-change-frequency","message":MESSAGE,"offset":OFFSET}],"problemCount":1}`,
  ],
  [
    'website: complete',
    new IndexWebsiteSitemap({ url, subSitemaps: [], complete: true }),
    `{"kind":"website","url":"${url}","complete":true,"outcome":"none","code":"no-sitemap","reason":"No sitemap was found.","subSitemaps":[]}`,
  ],
  [
    'website: stopped',
    new IndexWebsiteSitemap({ url, subSitemaps: [], complete: false, stopped, problems }),
    `{"kind":"website","url":"${url}","complete":false,"stopped":{"limit":"maxSitemaps","message":"Enough."},"outcome":"failed","code":"limit","reason":"Enough.","subSitemaps":[],"problems":[{"code":"truncated","message":"It was cut.","offset":123}],"problemCount":1}`,
  ],
];

async function chunksOf(tree: Sitemap): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of jsonChunks(tree)) chunks.push(chunk);
  return chunks;
}

describe('§5 JSON of each kind', () => {
  test.each(CASES)('%s', async (_, node, expected) => {
    const [problem] = node.problems;
    const json = expected
      .replace('MESSAGE', JSON.stringify(problem?.message))
      .replace('OFFSET', `${problem?.offset}`);
    expect(JSON.stringify(node)).toBe(json);
    expect(JSON.stringify(node.toJSON())).toBe(json);
    expect(JSON.stringify(node.toObject())).toBe(json);
    expect((await chunksOf(node)).join('')).toBe(json);
  });

  test('toObject({pages: false}) leaves pages out, everywhere below', () => {
    const node = new IndexXMLSitemap({ url, subSitemaps: [new PagesXMLSitemap({ url, pages })] });
    expect(node.toObject({ pages: false })).toEqual({
      kind: 'index-xml',
      url,
      subSitemaps: [{ kind: 'pages-xml', url }],
    });
  });
});

test('§5 jsonChunks, put together, is what JSON.stringify gives, for trees of any shape', async () => {
  await fc.assert(
    fc.asyncProperty(treeSpec, async (spec) => {
      const own = new Spool({ memoryBytes: 1e9 });
      const tree = treeFrom(spec, own);
      const sync = JSON.stringify(tree);
      expect((await chunksOf(tree)).join('')).toBe(sync);
      expect((await chunksOf(treeFrom(spec, own))).join('')).toBe(sync);
      tree.close();
    }),
    { numRuns: sized({ fast: 40, full: 150 }) },
  );
});

test('§5 jsonChunks streams: many pieces, each of modest size, and of a deep tree too', async () => {
  const paths = Array.from({ length: 30_000 }, (_, index) => `a/page/with/a/rather/long/path/${index}`);
  let tree: Sitemap = pagesNode(spool, 'big', ...paths);
  const chunks = await chunksOf(tree);
  expect(chunks.length).toBeGreaterThan(5);
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(1_000_000);
  for (let depth = 0; depth < 20_000; depth++) tree = new IndexXMLSitemap({ url, subSitemaps: [tree] });
  expect((await chunksOf(tree)).join('')).toContain('/29999"}]}]}]}');
});

// A call for each level would overflow it at some 10,000.
const LEVELS = sized({ fast: 20_000, full: 50_000 });
test(`§5 toObject and allSitemaps of a tree ${LEVELS} levels deep do not overflow the stack`, () => {
  let tree: Sitemap = pagesNode(spool, 'deep', 'a');
  for (let depth = 0; depth < LEVELS; depth++) tree = new IndexXMLSitemap({ url, subSitemaps: [tree] });
  let object = tree.toObject();
  let depth = 0;
  for (; 'subSitemaps' in object && object.subSitemaps[0] !== undefined; depth++)
    object = object.subSitemaps[0];
  expect([depth, object.kind]).toEqual([LEVELS, 'pages-xml']);
  expect([...tree.allSitemaps()]).toHaveLength(LEVELS);
});

test('§5 the JSON of a tree leaves out pages, or has them and the URLs of sitemaps written differently', async () => {
  const tree = new IndexXMLSitemap({
    url,
    declaredUrl: `${SITE}redirects`,
    subSitemaps: [pagesNode(spool, 's', 'a', 'b'), pagesNode(spool, 't', 'c')],
  });
  const text = (options: TreeJsonOptions): Promise<string> => jsonOf(tree, options);
  expect(await text({ pages: false })).toBe(JSON.stringify(tree.toObject({ pages: false })));
  const short = await text({
    sitemapUrl: (whole) => whole.slice(SITE.length),
    pageBatch: (batch) => batch.filter((page) => !page.url.endsWith('a')).map((page) => page.toJSON()),
  });
  expect(JSON.parse(short)).toMatchObject({
    url: 'x',
    declaredUrl: 'redirects',
    subSitemaps: [
      { url: 's', pages: [{ url: `${SITE}b` }] },
      { url: 't', pages: [{ url: `${SITE}c` }] },
    ],
  });
  expect(JSON.parse(await text({ pageBatch: () => undefined })).subSitemaps[0].pages).toEqual([]);
});

test('§5 after a batch that ends the pages of a sitemap, those of the next one are written', async () => {
  const paths = Array.from({ length: 3_000 }, (_, at) => `${at}`);
  const tree = new IndexXMLSitemap({
    url,
    subSitemaps: [pagesNode(spool, 's', ...paths), pagesNode(spool, 't', 'c')],
    filteredUrls: [`${SITE}z`],
  });
  const calls: number[] = [];
  const pageBatch: TreeJsonOptions['pageBatch'] = (batch) => {
    calls.push(batch.length);
    return calls.length === 2 ? undefined : batch.slice(0, 1).map((page) => page.toJSON());
  };
  const { subSitemaps } = JSON.parse(await jsonOf(tree, { pageBatch }));
  expect(
    subSitemaps.map(({ pages: list }: { pages: { url: string }[] }) => list.map((page) => page.url)),
  ).toEqual([[`${SITE}0`], [`${SITE}c`]]);
  expect(calls).toHaveLength(3);
});

test('§5 invalid sitemaps and those without a declared URL are written differently, too', async () => {
  const invalid = new InvalidSitemap({
    url,
    declaredUrl: `${SITE}y`,
    code: 'max-depth',
    reason: 'Deep.',
    option: 'maxDepth',
    problems,
    problemCount: 3,
  });
  const tree = new IndexXMLSitemap({ url, subSitemaps: [invalid, pagesNode(spool, 's')] });
  const short = JSON.parse(
    await jsonOf(tree, { sitemapUrl: (whole) => whole.slice(SITE.length), pages: false }),
  );
  expect(short).toEqual({
    kind: 'index-xml',
    url: 'x',
    subSitemaps: [
      {
        kind: 'invalid',
        url: 'x',
        declaredUrl: 'y',
        code: 'max-depth',
        reason: 'Deep.',
        option: 'maxDepth',
        problems,
        problemCount: 3,
      },
      { kind: 'pages-xml', url: 's' },
    ],
  });
});

test('§5 the JSON of a tree has no comma for a batch of pages that a filter empties', async () => {
  const paths = Array.from({ length: 20_000 }, (_, at) => `${at}`);
  const tree = pagesNode(spool, 's', ...paths);
  const written: string[][] = [];
  const pageBatch: TreeJsonOptions['pageBatch'] = (batch) => {
    // The first batch, and then every second one, is empty.
    const kept = written.length % 2 === 0 ? [] : batch.slice(0, 2).map((page) => page.toJSON());
    written.push(kept.map((page) => page.url));
    return kept;
  };
  const { pages } = JSON.parse(await jsonOf(tree, { pageBatch }));
  expect(written.length).toBeGreaterThan(4);
  expect(pages.map((page: { readonly url: string }) => page.url)).toEqual(written.flat());
});

async function jsonOf(tree: Sitemap, options: TreeJsonOptions): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of treeJson(tree, options)) pieces.push(piece);
  return pieces.join('');
}
