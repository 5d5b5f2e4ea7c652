/**
 * §12: documents that have much of two things at once are checked in linear time: four times as much of both takes
 * about four times as long, where work for each pair would take sixteen times. The times are those of the processor. The
 * small and the large document take turns, the shortest time of each counts, and they take turns until that is so: a
 * busy machine slows one or the other, and work for each pair is there every time. Single documents are in
 * test/parse/linear.test.ts, where work is counted.
 */
import { expect, test } from 'vitest';
import { checkSitemaps } from '../../src/check/index.ts';
import { sized } from '../support/tier.ts';

const SIZE = sized({ fast: 500, full: 800, strong: 20_000 });
const SITE = 'https://example.org';
const ROOT =
  'urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';

const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join('');
const urlset = (entries: string): Record<string, string> => ({
  [`${SITE}/a.xml`]: `<${ROOT}>${entries}</urlset>`,
});
const entry = (url: string, more = ''): string => `<url><loc>${url}</loc>${more}</url>`;
const link = (language: string, path: string): string =>
  `<xhtml:link rel="alternate" hreflang="${language}" href="${SITE}${path}"/>`;
const pages = (size: number): string => times(size, (at) => entry(`${SITE}/p${at}`));
const robots = (lines: string): Record<string, string> => ({
  [`${SITE}/robots.txt`]: `User-agent: *\n${lines}`,
});
const NEWS = '<news:news><news:publication_date>2001-01-01</news:publication_date></news:news>';

/** Documents by their URL. All of them are one line. */
const SHAPES: Readonly<Record<string, (size: number) => Record<string, string>>> = {
  'pages × hosts': (size) => urlset(times(size, (at) => entry(`https://h${at}.example/`))),
  'pages × languages': (size) =>
    urlset(
      times(size / 5, (at) =>
        entry(
          `${SITE}/${at}`,
          times(5, (each) => link(`x${at}-${each}`, `/${at}`)),
        ),
      ),
    ),
  'one page × languages': (size) =>
    urlset(
      entry(
        SITE,
        times(size, (at) => link(`l${at}`, `/${at}`)),
      ),
    ),
  'one page × one language': (size) =>
    urlset(
      entry(
        SITE,
        times(size, (at) => link('de', `/${at}`)),
      ),
    ),
  'listed × linked': (size) =>
    urlset(
      times(size / 10, (at) =>
        entry(
          `${SITE}/${at}`,
          times(10, (each) => link('de', `/${(at * 31 + each * 7) % (size / 10)}`)),
        ),
      ),
    ),
  'one page × its repetitions': (size) => urlset(times(size, () => entry(SITE))),
  'pages × their variants': (size) =>
    urlset(times(size, (at) => entry(`${SITE}/${at >> 1}${at & 1 ? '/' : ''}`))),
  'pages × old news': (size) => urlset(times(size, (at) => entry(`${SITE}/${at}`, NEWS))),
  'pages × rules of robots.txt': (size) => ({
    ...robots(times(2 * size, (at) => `Disallow: /p${at}x\n`)),
    ...urlset(pages(size)),
  }),
  'pages × patterns of robots.txt': (size) => ({
    ...robots(times(2 * size, (at) => `Disallow: /*q${at}z\n`)),
    ...urlset(pages(size)),
  }),
  'index × declared sitemaps': (size) => ({
    [`${SITE}/index.xml`]: `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${times(size, (at) => `<sitemap><loc>${SITE}/${at}.xml</loc><lastmod>2024-01-01</lastmod></sitemap>`)}</sitemapindex>`,
  }),
};

/** The CPU time of a check, in milliseconds. */
function checkMs(documents: Readonly<Record<string, string>>): number {
  const given = Object.entries(documents).map(([url, content]) => ({ url, content }));
  const before = process.cpuUsage();
  for (const _finding of checkSitemaps(given));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const MOST = 10;
const ATTEMPTS = 8;

test.each(Object.entries(SHAPES))('%s', (_name, shape) => {
  const documents = [shape(SIZE), shape(4 * SIZE)];
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < ATTEMPTS && !(attempt > 0 && large / small < MOST); attempt++) {
    const [first, second] = documents.map(checkMs);
    small = Math.min(small, first!);
    large = Math.min(large, second!);
  }
  expect(large / small).toBeLessThan(MOST);
});
