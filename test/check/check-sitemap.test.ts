/** §12: what is given to a check of documents: their contents, names, order, and what they declare of each other. */
import { expect, test } from 'vitest';
import {
  type CheckOptions,
  checkSitemap,
  checkSitemaps,
  type DocumentToCheck,
} from '../../src/check/index.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"';
const SITE = 'https://example.org/';
const urlset = (...urls: readonly string[]): string =>
  `<urlset ${NS}>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;
const index = (...urls: readonly string[]): string =>
  `<sitemapindex ${NS}>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;

/** What is found besides missing dates, as `document rule`. */
function found(documents: readonly DocumentToCheck[], options: CheckOptions = {}): readonly string[] {
  return Array.from(checkSitemaps(documents, options), ({ document, rule }) => `${document} ${rule}`).filter(
    (each) => !each.endsWith('lastmod-missing'),
  );
}

test('every sort of content is read from its first byte, once or again', async () => {
  const text = urlset(`${SITE}#x`);
  const bytes = new TextEncoder().encode(text);
  const larger = new Uint8Array(bytes.length + 9);
  larger.set(bytes, 5);
  const contents = [
    text,
    bytes,
    bytes.buffer,
    larger.subarray(5, -4),
    [bytes],
    [bytes].values(),
    Buffer.from(text),
  ];
  const rules = ['url-fragment', 'lastmod-missing'];
  for (const content of contents)
    expect(Array.from(checkSitemap(content as string), ({ rule }) => rule)).toEqual(rules);
  const arriving: string[] = [];
  const stream = checkSitemap(new Blob([text]).stream());
  for await (const { rule } of stream) arriving.push(rule);
  expect(arriving).toEqual(rules);
  expect(stream.summary).toMatchObject({
    complete: true,
    documents: 1,
    pages: 1,
    rules: { 'url-fragment': 1 },
  });
});

test.each([
  [{ url: `${SITE}a.xml` }, `${SITE}a.xml`],
  [{ url: `${SITE}a.xml`, name: 'my.xml' }, 'my.xml'],
  [{ name: 'my.xml' }, 'my.xml'],
  [{ url: `${SITE}a.xml`, name: '' }, ''],
  [{}, ''],
])('with %j the document of findings is %j', (options, document) => {
  const [finding] = checkSitemap(urlset(`${SITE}#x`), options);
  expect(finding?.document).toBe(document);
});

test('a name is no address: robots.txt is known by its URL where there is one', () => {
  const content = 'Sitemap: /a.xml\n';
  expect(found([{ url: `${SITE}robots.txt`, name: 'a.xml', content }])).toEqual([
    'a.xml robots-relative-sitemap',
  ]);
  expect(found([{ url: `${SITE}a.xml`, name: 'robots.txt', content }])).toEqual([
    'robots.txt sitemap-unreadable',
  ]);
});

test('a check can be read once, and says which function to call again', () => {
  const checks = { checkSitemap: checkSitemap(''), checkSitemaps: checkSitemaps([]) };
  for (const [name, check] of Object.entries(checks)) {
    for (const _ of check);
    expect(() => [...check]).toThrow(`A check can be iterated over once; call ${name} again.`);
  }
});

test('what is not a sitemap is named in words, also without a name', () => {
  const message = (name?: string): string | undefined => [...checkSitemap('{}', { name })][0]?.message;
  expect(message('a.json')).toBe('a.json is not a sitemap or feed: it is JSON.');
  expect(message()).toBe('The document is not a sitemap or feed: it is JSON.');
});

test('robots.txt counts for pages, wherever it is among the documents', () => {
  const robots = { url: `${SITE}robots.txt`, content: 'User-agent: *\nDisallow: /a\n' };
  const other = { url: 'http://example.org/robots.txt', content: 'User-agent: *\nDisallow: /b\n' };
  const pages = { url: `${SITE}s.xml`, content: urlset(`${SITE}a`, `${SITE}b`) };
  for (const documents of [
    [robots, other, pages],
    [pages, other, robots],
  ])
    expect(found(documents)).toEqual([`${SITE}s.xml page-blocked`]);
});

test('a sitemap below a declared index may list pages of the host that declares it, in any order', () => {
  const documents = [
    { url: 'https://maps.example/a.xml', content: urlset(`${SITE}1`) },
    { url: 'https://maps.example/i.xml', content: index('https://maps.example/j.xml') },
    { url: 'https://maps.example/j.xml', content: index('https://maps.example/a.xml') },
    { url: `${SITE}robots.txt`, content: 'Sitemap: https://maps.example/i.xml' },
  ];
  const other = 'https://maps.example/a.xml url-other-host';
  expect(found(documents)).not.toContain(other);
  expect(found(documents.toReversed())).not.toContain(other);
  expect(found(documents.filter(({ url }) => !url.endsWith('j.xml')))).toContain(other);
  expect(found(documents.slice(0, 3))).toContain(other);
});

test('indexes that lead to each other end', () => {
  const documents = [
    { url: `${SITE}robots.txt`, content: `Sitemap: ${SITE}i.xml\n` },
    { url: `${SITE}i.xml`, content: index(`${SITE}j.xml`) },
    { url: `${SITE}j.xml`, content: index(`${SITE}i.xml`) },
  ];
  expect(found(documents)).toEqual([
    `${SITE}i.xml nested-index`,
    `${SITE}j.xml nested-index`,
    `${SITE}j.xml sitemap-repeated`,
  ]);
});

test.each([
  ['all that is declared', [`${SITE}s.xml`], true],
  ['not all', [`${SITE}s.xml`, `${SITE}t.xml`], false],
  ['nothing', [], false],
])('an alternate is in no sitemap where the documents are %s', (_what, declared, isReported) => {
  const link = `<xhtml:link rel="alternate" hreflang="de" href="${SITE}de"/>`;
  const own = `<xhtml:link rel="alternate" hreflang="en" href="${SITE}en"/>`;
  const content = urlset(`${SITE}en`).replace('</url>', `${own}${link}</url>`);
  const robots = declared.map((url) => `Sitemap: ${url}`).join('\n');
  const rules = found([
    { url: `${SITE}robots.txt`, content: `${robots}\n` },
    { url: `${SITE}s.xml`, content },
  ]);
  expect(rules).toEqual(isReported ? [`${SITE}s.xml hreflang-not-listed`] : []);
});

test('the time of a check may be the first of all times, and a rule that is undefined stays as it is', () => {
  const dated = urlset(`${SITE}1#x`).replace('</url>', '<lastmod>2013-01-01</lastmod></url>');
  const rulesAt = (now: Date | number): readonly string[] =>
    Array.from(
      checkSitemap(dated, { now, rules: { 'url-fragment': undefined } as never }),
      ({ rule }) => rule,
    );
  for (const now of [0, new Date(0)]) expect(rulesAt(now)).toEqual(['lastmod-future', 'url-fragment']);
  expect(rulesAt(Date.UTC(2014, 0))).toEqual(['url-fragment']);
});

test('rules are set one by one, for all documents', () => {
  const documents = ['a', 'b'].map((name) => ({
    url: `${SITE}${name}.xml`,
    content: urlset(`${SITE}${name}#x`, '/r'),
  }));
  const check = checkSitemaps(documents, {
    rules: { 'url-fragment': 'info', 'lastmod-missing': 'off', 'relative-url': 'warning' },
  });
  expect(Array.from(check, ({ rule, severity }) => `${rule} ${severity}`).toSorted()).toEqual([
    ...['relative-url warning', 'relative-url warning', 'url-fragment info', 'url-fragment info'],
    'url-in-several-sitemaps info',
  ]);
  expect(check.summary).toMatchObject({
    counts: { error: 0, warning: 2, info: 3 },
    rules: { 'relative-url': 2, 'url-fragment': 2, 'url-in-several-sitemaps': 1 },
    complete: true,
  });
});

test('a value that is cut inside a character makes a message that is a text', () => {
  const url = `${SITE}${'x'.repeat(179)}\u{1f600}`;
  for (const { message } of checkSitemap(`<urlset ${NS}><url><loc>https://[${url}</loc></url></urlset>`))
    expect(message.isWellFormed()).toBe(true);
});

test.each([
  [
    'RSS',
    '<rss version="2.0"><channel><item><title>é</title><link>https://example.org/</link></item></channel></rss>',
  ],
  [
    'Atom',
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>é</title><link href="https://example.org/"/></entry></feed>',
  ],
])('%s may be in any charset that it names', (_format, feed) => {
  const severityOf = (declaration: string): string | undefined => {
    const content = Buffer.from(`${declaration}${feed}`, 'latin1');
    return [...checkSitemap([content])].find(({ rule }) => rule === 'not-utf-8')?.severity;
  };
  expect(severityOf('<?xml version="1.0" encoding="ISO-8859-1"?>')).toBe('info');
  expect(severityOf('<?xml version="1.0" encoding="UTF-8"?>')).toBe('error');
});
