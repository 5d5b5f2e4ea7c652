/** §12 url-in-several-sitemaps: a page in two sitemaps of the same sort, whatever else their entries have. */
import { expect, test } from 'vitest';
import { checkSitemaps, type Finding, type RuleName } from '../../src/check/index.ts';

const SITE = 'https://example.org/';
const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" ' +
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"';
const EXTENSIONS = { news: '<news:news/>', image: '<image:image/>', video: '<video:video/>' };

/** @param extensions - of the two pages that it lists, each */
function urlset(...extensions: readonly (readonly (keyof typeof EXTENSIONS)[])[]): string {
  const urls = extensions.map(
    (names, at) => `<url><loc>${SITE}${at}</loc>${names.map((name) => EXTENSIONS[name]).join('')}</url>`,
  );
  return `<urlset ${NAMESPACES}>${urls.join('')}</urlset>`;
}

const SORTS = {
  plain: [urlset([], [])],
  news: [urlset(['news'], ['news']), urlset(['news', 'image'], []), urlset(['image'], ['video', 'news'])],
  image: [urlset(['image'], ['image']), urlset([], ['image'])],
  video: [urlset(['video'], [])],
};

const rows = Object.entries(SORTS).flatMap(([sort, documents]) =>
  documents.flatMap((first, at) =>
    Object.entries(SORTS).flatMap(([other, others]) =>
      others.map(
        (second, number) => [`${sort} ${at}`, `${other} ${number}`, first, second, sort === other] as const,
      ),
    ),
  ),
);

test.each(rows)('a page of the sitemaps %s and %s', (_first, _second, first, second, isShared) => {
  const findings = checkSitemaps([
    { url: `${SITE}a.xml`, content: first },
    { url: `${SITE}b.xml`, content: second },
  ]);
  const shared = [...findings].filter(({ rule }) => rule === 'url-in-several-sitemaps');
  expect(shared.map(({ count }) => count)).toEqual(isShared ? [2] : []);
});

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const plain = (...urls: readonly string[]): string =>
  `<urlset ${NS}>\n${urls.map((url) => `<url><loc>${url}</loc></url>\n`).join('')}</urlset>`;

/** The findings of one rule, of sitemaps `1.xml`, `2.xml` … that list these pages. */
function findingsOf(rule: RuleName, ...documents: readonly (readonly string[])[]): readonly Finding[] {
  const given = documents.map((urls, at) => ({ url: `${SITE}${at + 1}.xml`, content: plain(...urls) }));
  return [...checkSitemaps(given)].filter((finding) => finding.rule === rule);
}

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['with a slash', ['/a', '/a/'], ['listed as https://example.org/a too: https://example.org/a/']],
  ['without a slash', ['/a/', '/a'], ['listed as https://example.org/a/ too: https://example.org/a']],
  [
    'with a slash before its query',
    ['/a?b=c', '/a/?b=c'],
    ['listed as https://example.org/a?b=c too: https://example.org/a/?b=c'],
  ],
  ['by http', ['/a', 'http://example.org/a'], ['listed as https://example.org/a too: http://example.org/a']],
  ['by https', ['http://example.org/a', '/a'], ['listed as http://example.org/a too: https://example.org/a']],
  [
    'with www',
    ['/a', 'https://www.example.org/a'],
    ['listed as https://example.org/a too: https://www.example.org/a'],
  ],
  [
    'without www',
    ['https://www.example.org/a', '/a'],
    ['listed as https://www.example.org/a too: https://example.org/a'],
  ],
  [
    'on a port, with www',
    ['https://example.org:8443/a', 'https://www.example.org:8443/a'],
    ['listed as https://example.org:8443/a too: https://www.example.org:8443/a'],
  ],
  [
    'in three ways',
    ['http://www.example.org/a/', '/a'],
    ['listed as http://www.example.org/a/ too: https://example.org/a'],
  ],
  [
    'by http, with www',
    ['/a/', 'http://www.example.org/a'],
    ['listed as https://example.org/a/ too: http://www.example.org/a'],
  ],
  ['in capitals', ['/a', '/A'], ['listed in another case too: https://example.org/A']],
  ['in small letters', ['/A', '/a'], ['listed in another case too: https://example.org/a']],
  [
    'with its index file',
    ['/a/', '/a/index.html'],
    ['listed without the name of its index file too: https://example.org/a/index.html'],
  ],
  [
    'without its index file',
    ['/a/index.htm', '/a/'],
    ['listed with the name of its index file too: https://example.org/a/'],
  ],
  [
    'with an index file and a query',
    ['/index.php?a=b', '/?a=b'],
    ['listed with the name of its index file too: https://example.org/?a=b'],
  ],
  ['with an index file in capitals', ['/a/Index.html', '/a/'], []],
  ['with a file like an index file', ['/a/index.html5', '/a/', '/a/index.aspx', '/a/myindex.html'], []],
  ['with an index file in a query', ['/a?/index.html', '/a?/'], []],
  ['with an index file as its folder', ['/index.html/', '/'], []],
  ['with another query', ['/a?b=c', '/a/?b=C', '/a?B=c', '/a'], []],
  [
    'on another port, or in another domain',
    ['/', 'https://example.org:8443/', 'https://www2.example.org/'],
    [],
  ],
  ['with www in its path or twice', ['/www.a', '/a', 'https://www.www.example.org/a'], []],
])('a page %s is another form, or another page', (_what, urls, expected) => {
  const whole = urls.map((url) => (url.startsWith('/') ? `https://example.org${url}` : url));
  const messages = findingsOf('url-variants', whole).map(({ message }) => message);
  expect(messages).toEqual(expected.map((words) => `The page is ${words}`));
});

test.each<readonly [string, (at: number) => readonly [string, string], string]>([
  ['scheme', (at) => [`${SITE}${at}`, `http://example.org/${at}`], 'as http and as https'],
  ['host', (at) => [`${SITE}${at}`, `https://www.example.org/${at}`], 'with and without "www."'],
  ['slash', (at) => [`${SITE}${at}`, `${SITE}${at}/`], 'with and without a slash at the end'],
  ['index file', (at) => [`${SITE}${at}/`, `${SITE}${at}/index.html`], 'as a folder and as its index file'],
  ['case', (at) => [`${SITE}${at}/a`, `${SITE}${at}/A`], 'with and without capitals'],
])('pages that differ by %s are one finding with the other sitemap', (_what, forms, words) => {
  const all = [1, 2, 3].map(forms);
  const found = findingsOf(
    'url-variants',
    all.map(([first]) => first),
    [...all.map(([, second]) => second), `${SITE}other`],
  );
  expect(found).toMatchObject([
    {
      document: `${SITE}2.xml`,
      line: 2,
      page: all[0]![1],
      count: 3,
      related: [{ document: `${SITE}1.xml` }, { line: 3 }, { line: 4 }],
    },
  ]);
  expect(found[0]?.message).toContain(
    `3 pages are listed in two forms, ${words}; the first is ${all[0]![1]}`,
  );
  expect(found[0]?.message).toMatch(/ too in https:\/\/example\.org\/1\.xml\.$/);
});

test('variants are a finding for each way in which they differ', () => {
  const urls = ['a', 'a/', 'b', 'B', 'c', 'c/'].map((path) => SITE + path);
  const found = findingsOf('url-variants', urls);
  expect(
    found.map(({ line, count, related = [] }) => [line, count, related.map(({ line }) => line)]),
  ).toEqual([
    [3, 2, [7]],
    [5, 1, []],
  ]);
});

test('the sitemap that listed a page last is named, and each other sitemap once', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((path) => SITE + path) as [string, string, string];
  const found = findingsOf('url-in-several-sitemaps', [a, b], [b, c], [c, a, b]);
  expect(
    found.map(({ document, line, count, page, message, related }) => [
      document.slice(SITE.length),
      line,
      count,
      page,
      message,
      related,
    ]),
  ).toEqual([
    ['2.xml', 2, 1, b, `The page is also listed in ${SITE}1.xml: ${b}`, [{ document: `${SITE}1.xml` }]],
    [
      '3.xml',
      2,
      2,
      c,
      `2 pages are also listed in ${SITE}2.xml; the first is ${c}`,
      [{ document: `${SITE}2.xml` }],
    ],
    ['3.xml', 3, 1, a, `The page is also listed in ${SITE}1.xml: ${a}`, [{ document: `${SITE}1.xml` }]],
  ]);
});

test('a page that is listed again in its own sitemap is repeated, not in several', () => {
  const [a, b] = [`${SITE}a`, `${SITE}b`];
  expect(findingsOf('url-repeated', [a], [a, b, a, a])).toMatchObject([
    {
      document: `${SITE}2.xml`,
      line: 4,
      page: a,
      message: `The page was listed before in this document: ${a}`,
    },
    { document: `${SITE}2.xml`, line: 5 },
  ]);
  expect(findingsOf('url-in-several-sitemaps', [a], [a, b, a, a])).toMatchObject([{ count: 1, line: 2 }]);
});

test.each(['rss', 'atom'])(
  'a page in a sitemap and in a feed (%s) is in one sitemap of each sort',
  (kind) => {
    const page = `${SITE}a`;
    const feed =
      kind === 'rss'
        ? `<rss version="2.0"><channel><item><link>${page}</link></item></channel></rss>`
        : `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="${page}"/></entry></feed>`;
    const rulesOf = (contents: readonly string[]): readonly (number | undefined)[] =>
      [...checkSitemaps(contents.map((content, at) => ({ url: `${SITE}${at}.xml`, content })))]
        .filter(({ rule }) => rule === 'url-in-several-sitemaps')
        .map(({ count }) => count);
    expect(rulesOf([plain(page), feed])).toEqual([]);
    expect(rulesOf([feed, plain(page)])).toEqual([]);
    expect(rulesOf([feed, feed])).toEqual([1]);
  },
);

test('a sitemap that an index or a robots.txt lists is not a page in several sitemaps', () => {
  const found = checkSitemaps([
    { url: `${SITE}robots.txt`, content: `Sitemap: ${SITE}a.xml\n` },
    {
      url: `${SITE}index.xml`,
      content: `<sitemapindex ${NS}><sitemap><loc>${SITE}a.xml</loc></sitemap></sitemapindex>`,
    },
    { url: `${SITE}a.xml`, content: plain(`${SITE}index.xml/`) },
  ]);
  const rules = Array.from(found, ({ rule }) => rule);
  expect(rules.filter((rule) => /^url-(?:in|rep|var)/.test(rule))).toEqual([]);
});

test('pages that robots.txt disallows are one finding for each of its lines, with the line', () => {
  const content = plain(
    ...['a/1', 'b/1', 'a/2', 'c', 'a/3'].map((path) => SITE + path),
    'http://example.org/a/4',
  );
  const lines = 'User-agent: *\n\nDisallow: /a/\nDisallow: /b/1\nAllow: /a/2\n';
  const found = checkSitemaps(
    [
      { url: `${SITE}robots.txt`, content: lines },
      { url: `${SITE}a.xml`, content },
    ],
    { robotsAgent: 'Bingbot' },
  );
  const blocked = [...found].filter(({ rule }) => rule === 'page-blocked');
  const robotsTxt = `${SITE}robots.txt`;
  expect(
    blocked.map(({ message, line, page, count, related }) => ({ message, line, page, count, related })),
  ).toEqual([
    {
      message: `2 pages are disallowed for Bingbot by "Disallow: /a/" (line 3 of ${robotsTxt}); the first is ${SITE}a/1`,
      line: 2,
      page: `${SITE}a/1`,
      count: 2,
      related: [
        { document: robotsTxt, line: 3, column: 1, message: 'Disallow: /a/' },
        { document: `${SITE}a.xml`, line: 6, column: 11, offset: expect.any(Number), message: `${SITE}a/3` },
      ],
    },
    {
      message: `The page is disallowed for Bingbot by "Disallow: /b/1" (line 4 of ${robotsTxt}): ${SITE}b/1`,
      line: 3,
      page: `${SITE}b/1`,
      count: 1,
      related: [{ document: robotsTxt, line: 4, column: 1, message: 'Disallow: /b/1' }],
    },
  ]);
});

test.each([
  [`${SITE}private/1`, true],
  ['https://EXAMPLE.org/private/1', true],
  [`${SITE}private/1?a=b`, true],
  ['https://example.org:443/private/1#a', true],
  ['https://me@example.org/private/1', true],
  ['https://example.org:8443/private/1', false],
  ['https://www.example.org/private/1', false],
  [`${SITE}Private/1`, false],
])('%s is disallowed by the robots.txt of its own origin: %s', (url, isBlocked) => {
  const found = checkSitemaps([
    { url: `${SITE}robots.txt`, content: 'User-agent: *\nDisallow: /private/\n' },
    { url: `${SITE}a.xml`, content: plain(url) },
  ]);
  expect([...found].some(({ rule }) => rule === 'page-blocked')).toBe(isBlocked);
});
