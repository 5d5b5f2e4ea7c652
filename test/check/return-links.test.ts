/**
 * §12: whether the links between languages were noted while documents were checked, or are noted in a reading of their
 * own, makes no difference to what is found. An entry with more alternates than are compared makes the difference.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkSitemaps } from '../../src/check/check-sitemap.ts';
import type { Finding } from '../../src/check/finding.ts';
import { sized } from '../support/tier.ts';

const ORIGIN = 'https://example.org';
const SITEMAP =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"';
const PAGES = ['/', '/de/', '/fr/', '/es/', '/fr', '/it/?a=1', '/never-listed'];
const ELSEWHERE = 'https://elsewhere.example/';
const NOT_A_URL = 'https://[example]/';

/** Each page is listed once: of two entries of a page, only the first makes its set complete. */
const entries = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom(...PAGES.slice(0, -1)),
    fc.subarray([...PAGES, ELSEWHERE, NOT_A_URL]),
    fc.nat({ max: 2 }),
  ),
  { minLength: 2, selector: ([path]) => path },
);
const documents = entries.map((all) =>
  [0, 1, 2].map((number) =>
    all.flatMap(([path, alternates, place]) =>
      place === number ? [entryOf(ORIGIN + path, alternates)] : [],
    ),
  ),
);

function entryOf(url: string, alternates: readonly string[]): string {
  const links = alternates.map(
    (href) =>
      `<xhtml:link rel="alternate" hreflang="de" href="${href.startsWith('/') ? ORIGIN + href : href}"/>`,
  );
  return `<url><loc>${url}</loc>${links.join('')}</url>\n`;
}

const MANY = entryOf(
  ELSEWHERE,
  Array.from({ length: 500 }, (_, number) => `https://${number}.example/`),
);

/** What is found of alternates in the first documents; the last one has no page of the others. */
function found(documents: readonly (readonly string[])[], last: string): readonly Finding[] {
  const all = [...documents, [last]].map((entries, number) => ({
    url: `${ORIGIN}/${number}.xml`,
    content: `<urlset ${SITEMAP}>\n${entries.join('')}</urlset>`,
  }));
  const sitemaps = all.map(({ url }) => `<sitemap><loc>${url}</loc></sitemap>`).join('');
  const index = {
    url: `${ORIGIN}/index.xml`,
    content: `<sitemapindex ${SITEMAP}>${sitemaps}</sitemapindex>`,
  };
  return [...checkSitemaps([index, ...all])].filter(
    ({ rule, document }) => /^hreflang-no|^check-failed/.test(rule) && document !== all.at(-1)?.url,
  );
}

test('links between languages are found to return or not, however they were noted', () => {
  let findings = 0;
  fc.assert(
    fc.property(documents, (given) => {
      const noted = found(given, entryOf(ELSEWHERE, []));
      findings += noted.length;
      expect(noted).toEqual(found(given, MANY));
      expect(noted.map(({ rule }) => rule)).not.toContain('check-failed');
    }),
    { numRuns: sized({ fast: 30, full: 120, strong: 400 }) },
  );
  expect(findings).toBeGreaterThan(20);
});

test('an alternate on an origin that has a sitemap and lists no page is not missing', () => {
  const content = `<urlset ${SITEMAP}>${entryOf(`${ORIGIN}/`, ['/', 'https://files.example/de'])}</urlset>`;
  const findings = checkSitemaps([
    { url: `${ORIGIN}/robots.txt`, content: 'Sitemap: https://files.example/sitemap.xml' },
    { url: 'https://files.example/sitemap.xml', content },
  ]);
  expect([...findings].map(({ rule }) => rule)).not.toContain('hreflang-not-listed');
});
