/** §12: a link between languages is reported where the page that it leads to does not return it, or is not listed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkSitemaps } from '../../src/check/check-sitemap.ts';
import type { Finding } from '../../src/check/finding.ts';
import { parseSitemap } from '../../src/parse/index.ts';
import { sized } from '../support/tier.ts';

const ORIGIN = 'https://example.org';
const SITEMAP =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"';
const PAGES = ['/', '/de/', '/fr/', '/es/', '/pt/', '/it/?a=1', '/never-listed'];
/** Links to this one are written without a host. */
const RELATIVE = '/fr/';
const ELSEWHERE = 'https://elsewhere.example/';
const NOT_A_URL = 'https://[example]/';

type Entry = readonly [path: string, alternates: readonly string[], document: number];

const entries = fc.array(
  fc.tuple(
    fc.constantFrom(...PAGES.slice(0, -1)),
    fc.subarray([...PAGES, ELSEWHERE, NOT_A_URL]),
    fc.nat({ max: 2 }),
  ),
  { minLength: 2, maxLength: 12 },
);

function entryOf(url: string, alternates: readonly string[]): string {
  const links = alternates.map((href) => {
    const isWritten = !href.startsWith('/') || href === RELATIVE;
    return `<xhtml:link rel="alternate" hreflang="de" href="${isWritten ? href : ORIGIN + href}"/>`;
  });
  return `<url><loc>${url}</loc>${links.join('')}</url>\n`;
}

/** @param given - how many of the documents that the index declares are given with it */
function checked(
  documents: readonly (readonly string[])[],
  given = documents.length,
): ReturnType<typeof checkSitemaps> {
  const all = documents.map((entries, number) => ({
    url: `${ORIGIN}/${number}.xml`,
    content: `<urlset ${SITEMAP}>\n${entries.join('')}</urlset>`,
  }));
  const sitemaps = all.map(({ url }) => `<sitemap><loc>${url}</loc></sitemap>`).join('');
  const index = {
    url: `${ORIGIN}/index.xml`,
    content: `<sitemapindex ${SITEMAP}>${sitemaps}</sitemapindex>`,
  };
  return checkSitemaps([index, ...all.slice(0, given)]);
}

/** How often each of the two rules is broken in each document. */
function cases(findings: Iterable<Finding>): Record<string, number> {
  const found = [...findings].filter(({ rule }) => /^hreflang-no[-t]|^check-failed/.test(rule));
  return Object.fromEntries(
    found
      .filter(({ rule }) => rule !== 'hreflang-no-self')
      .map(({ rule, document, count = 1 }) => [`${rule} ${document}`, count]),
  );
}

/** The same by looking at each link from the other side. All declarations of a page count. */
function expected(all: readonly Entry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [path, alternates, document] of all) {
    for (const target of alternates) {
      if (target === path || !target.startsWith('/')) continue;
      const others = all.filter(([other]) => other === target);
      const isReturned = others.some(([, named]) => named.includes(path));
      if (others.length > 0 && isReturned) continue;
      const rule = others.length === 0 ? 'hreflang-not-listed' : 'hreflang-no-return';
      const key = `${rule} ${ORIGIN}/${document}.xml`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
  }
  return counts;
}

test('every link that is not returned is counted in its document, and no other', () => {
  fc.assert(
    fc.property(entries, (all) => {
      const documents = [0, 1, 2].map((number) =>
        all.flatMap(([path, alternates, document]) =>
          document === number ? [entryOf(ORIGIN + path, alternates)] : [],
        ),
      );
      expect(cases(checked(documents))).toEqual(expected(all));
    }),
    { numRuns: sized({ fast: 60, full: 100, strong: 1000 }) },
  );
});

test('the first case has its place and its words', () => {
  const documents = [[entryOf(`${ORIGIN}/`, ['/', '/de/'])], [entryOf(`${ORIGIN}/de/`, ['/de/'])]];
  const found = [...checked(documents)].find(({ rule }) => rule === 'hreflang-no-return');
  expect(found).toMatchObject({
    message: `${ORIGIN}/ names ${ORIGIN}/de/ as an alternate, but is not named in return.`,
    document: `${ORIGIN}/0.xml`,
    line: 2,
    page: `${ORIGIN}/`,
    count: 1,
  });
});

test('a page of a sitemap that is cut has no verdict: the rest may name the other one', () => {
  const [one, other] = [entryOf(`${ORIGIN}/`, ['/', '/de/']), entryOf(`${ORIGIN}/de/`, ['/de/'])];
  const rulesFor = (end: string): Record<string, number> =>
    cases(
      checkSitemaps([
        { url: `${ORIGIN}/robots.txt`, content: `Sitemap: ${ORIGIN}/0.xml\nSitemap: ${ORIGIN}/1.xml` },
        { url: `${ORIGIN}/0.xml`, content: `<urlset ${SITEMAP}>${one}</urlset>` },
        { url: `${ORIGIN}/1.xml`, content: `<urlset ${SITEMAP}>${other}${end}` },
      ]),
    );
  expect(rulesFor('</urlset>')).toEqual({ [`hreflang-no-return ${ORIGIN}/0.xml`]: 1 });
  expect(rulesFor('<url><loc>https://exam')).toEqual({});
  expect(rulesFor('')).toEqual({});
});

test('sets that share a page are distinguished, as where the homepage is the x-default of every page', () => {
  const pages = Array.from({ length: 100 }, (_, number) => `/${number}`);
  const all = [...pages.map((path) => entryOf(ORIGIN + path, [path, '/'])), entryOf(`${ORIGIN}/`, ['/'])];
  expect(cases(checked([all]))).toEqual({ [`hreflang-no-return ${ORIGIN}/0.xml`]: 100 });
});

test.each([
  ['an entry without an address', '</url>\n<url>', ''],
  ['the first of two addresses in an entry', '', `<loc>${ORIGIN}/es/</loc>`],
])('the alternates of %s are not those of the page behind it', (_what, between, before) => {
  const links = (...paths: string[]): string =>
    paths.map((path) => `<xhtml:link rel="alternate" hreflang="de" href="${ORIGIN}${path}"/>`).join('');
  const page = `<loc>${ORIGIN}/</loc>${links('/', '/fr/')}`;
  const others = ['/de/', '/fr/'].map((path) => entryOf(ORIGIN + path, [path]));
  const entry = `<url>${before}${links('/de/')}${between}${page}</url>\n`;
  const ofFirst = before === '' ? 0 : 1;
  expect(cases(checked([[entry, ...others]]))).toEqual({
    [`hreflang-no-return ${ORIGIN}/0.xml`]: 1 + ofFirst,
  });
});

test('alternates beyond 200 of a page are not checked, and counted', () => {
  const many = Array.from({ length: 210 }, (_, number) => `/${number}`);
  const check = checked([[entryOf(`${ORIGIN}/`, many)]]);
  expect(cases(check)).toEqual({ [`hreflang-not-listed ${ORIGIN}/0.xml`]: 200 });
  expect(check.summary).toMatchObject({ alternatesNotChecked: 10, complete: true });
  const pages = ['/a', '/b', '/c'].map((path) => entryOf(ORIGIN + path, many.slice(0, 201)));
  const several = checked([[...pages, entryOf(`${ORIGIN}/d`, ['/a', '/b'])]]);
  for (const _ of several);
  expect(several.summary.alternatesNotChecked).toBe(3);
});

test('an alternate on an origin that has a sitemap and lists no page is not missing', () => {
  const content = `<urlset ${SITEMAP}>${entryOf(`${ORIGIN}/`, ['/', 'https://files.example/de'])}</urlset>`;
  const findings = checkSitemaps([
    { url: `${ORIGIN}/robots.txt`, content: 'Sitemap: https://files.example/sitemap.xml' },
    { url: 'https://files.example/sitemap.xml', content },
  ]);
  expect([...findings].map(({ rule }) => rule)).not.toContain('hreflang-not-listed');
});

test('an alternate that no document lists may be in a declared sitemap that is not given', () => {
  const documents = [[entryOf(`${ORIGIN}/`, ['/', '/de/'])], [entryOf(`${ORIGIN}/fr/`, [])]];
  expect(cases(checked(documents))).toEqual({ [`hreflang-not-listed ${ORIGIN}/0.xml`]: 1 });
  expect(cases(checked(documents, 1))).toEqual({});
});

test('of an attribute that is written twice the first counts, as for the pages of a sitemap', () => {
  const twice = `<xhtml:link rel="alternate" hreflang="de" href="${ORIGIN}/de/" HREF="${ORIGIN}/at/"/>`;
  const entry = `<url><loc>${ORIGIN}/</loc>${twice}</url>`;
  const content = `<urlset ${SITEMAP}>${entry}</urlset>`;
  const found = [...checked([[entry]])].find(({ rule }) => rule === 'hreflang-not-listed');
  expect(found?.message).toBe(`${ORIGIN}/ names ${ORIGIN}/de/ as an alternate, which is in no sitemap.`);
  const [item] = parseSitemap(content);
  expect(item).toMatchObject({ page: { alternates: [{ hreflang: 'de', href: `${ORIGIN}/de/` }] } });
});
