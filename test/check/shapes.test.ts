/**
 * §12: documents that have much of two things at once are checked in linear time: four times as much of both takes
 * about four times as long, where work for each pair would take sixteen times. And where every few bytes are a fault,
 * a check takes at most twenty times as long as walking. The times are those of the processor, within one run, and the
 * best of two.
 */
import { expect, test } from 'vitest';
import { checkSitemaps } from '../../src/check/index.ts';
import { parseSitemap } from '../../src/parse/index.ts';
import { sized } from '../support/tier.ts';

const SIZE = sized({ fast: 1000, full: 5000, strong: 20_000 });
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

function cpuMs(work: () => void): number {
  const runs = Array.from({ length: 2 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}

function checkMs(documents: Readonly<Record<string, string>>): number {
  const given = Object.entries(documents).map(([url, content]) => ({ url, content }));
  return cpuMs(() => {
    for (const _finding of checkSitemaps(given));
  });
}

test.each(Object.entries(SHAPES))('%s', (_name, shape) => {
  const small = checkMs(shape(SIZE));
  const large = checkMs(shape(4 * SIZE));
  expect(large / small).toBeLessThan(10);
});

const FLOOD_BYTES = sized({ fast: 500_000, full: 2_000_000, strong: 20_000_000 });
/** What there is of nothing else, in which place of the document. */
const FLOODS: readonly { readonly flood: string; readonly before?: string; readonly behind?: string }[] = [
  { flood: '<' },
  { flood: '&' },
  { flood: '&amp' },
  { flood: '&foo;' },
  { flood: '&#0;' },
  { flood: '&#1' },
  { flood: ']]>' },
  { flood: '\u0001' },
  { flood: '\uffff' },
  { flood: '<!---' },
  { flood: '-', before: '<!--', behind: '-->' },
  { flood: '<a b="<" b>' },
  { flood: '<url x x x x x x x x/>' },
  { flood: '&amp', before: '<url x="', behind: '"></url>' },
  { flood: '<url>' },
  { flood: '<url/>' },
  { flood: '</a>' },
  { flood: '<url><loc>http://h:x/</loc></url>', before: '<url>', behind: '</url>' },
];

test.each(FLOODS)(
  'a flood of $flood costs at most 20 times as much as walking',
  ({ flood, before = '', behind = '' }) => {
    const walkMs = (content: string) =>
      cpuMs(() => {
        for (const _page of parseSitemap(content, { url: `${SITE}/a.xml` }));
      });
    const content = `${before}${flood.repeat(FLOOD_BYTES / flood.length)}${behind}`;
    // What the parser skips in one step costs it next to nothing, but no sitemap is like that.
    const usual = walkMs(`<${ROOT}>${pages(FLOOD_BYTES / 40)}</urlset>`);
    const walked = Math.max(usual, walkMs(`<${ROOT}>${content}</urlset>`));
    expect(checkMs(urlset(content)) / walked).toBeLessThan(20);
  },
);
