/** §13: charts: how much of their data fits, and what is left out of them. */
import { describe, expect, test } from 'vitest';
import { summarize, type TreeSummary } from '../../src/index.ts';
import { chartsSection, drillData } from '../../src/report/figures.ts';
import { BUDGETS, dataText } from '../../src/report/markup.ts';
import { sampleTree } from '../support/trees.ts';

const site = await summarize(sampleTree());

test('years have their days, older ones their months alone, and the oldest none, as long as they fit', () => {
  const days = Array.from({ length: 28 }, (_, at) => ({ day: at + 1, pages: 1 }));
  const months = Array.from({ length: 12 }, (_, at) => ({ month: at + 1, pages: 28, days }));
  const years = Array.from({ length: 300 }, (_, at) => ({ year: 1800 + at, pages: 12 * 28, months }));
  const { dates } = drillData({ ...site, lastModified: { ...site.lastModified, years } });
  expect(dates.map(([year, pages]) => [year, pages])).toEqual(years.map(({ year, pages }) => [year, pages]));
  const forms = dates.map(([, , ofYear = []]) =>
    ofYear.length === 0
      ? 'none'
      : ofYear.every(([, , ofMonth = []]) => ofMonth.length > 0)
        ? 'days'
        : 'months',
  );
  const orders = forms.filter((form, at) => form !== forms[at - 1]);
  expect(orders).toEqual(['none', 'months', 'days']);
  // Years and their sums are there in any case.
  const size = JSON.stringify(dates.map(([, , ofYear]) => ofYear)).length;
  expect(size).toBeLessThan(BUDGETS.drilling / 2 + 3 * years.length);
});

test.each([
  [30, undefined],
  [31, '1 more language with fewer faults is not shown.'],
  [32, '2 more languages with fewer faults are not shown.'],
])('of %i languages at most thirty are shown: %s', (count, sentence) => {
  const languages = Array.from({ length: count }, (_, at) => ({
    language: `l${at}`,
    ...{ links: 1, returned: 1, notReturned: 0, notListed: 0 },
  }));
  const html = chartsSection(
    { ...site, languages: { pages: 1, languages, notChecked: 0 } },
    { ...drillData(site) },
  );
  expect(/\d+ more languages?[^.]*\./.exec(html)?.[0]).toBe(sentence);
});

test('the line at 100 percent is between the sitemaps that use all of a limit and those over it', () => {
  const histogram = { within: [3, 0, 0, 0, 0, 0, 0, 0, 0, 1], over: 1 };
  const limits = { sitemaps: 5, entries: histogram, bytes: histogram };
  const html = chartsSection({ ...site, limits }, drillData(site));
  for (const chart of ['entries', 'bytes']) {
    const svg = new RegExp(`<figure id="chart-${chart}"[\\s\\S]*?</svg>`).exec(html)?.[0] ?? '';
    const titles = Array.from(svg.matchAll(/<title>([^<]*)/g), ([, title]) => title);
    expect(titles.slice(-2)).toEqual(['up to 100 %: 1 sitemap', 'more than 100 %: 1 sitemap']);
    // Of eleven columns ten are before it.
    expect(svg).toMatch(/<line class="limit" x1="90\.91%" x2="90\.91%"/);
  }
});

/** The section of charts for a summary with some other fields. */
const chartsOf = (more: Partial<TreeSummary>): string =>
  chartsSection({ ...site, ...more }, drillData({ ...site, ...more }));
const textOf = (html: string): string =>
  html
    .replaceAll(/<svg[\s\S]*?<\/svg>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
const figureOf = (html: string, name: string): string =>
  new RegExp(`<figure id="chart-${name}"[\\s\\S]*?</figure>`).exec(html)?.[0] ?? '';

describe('the dates', () => {
  const dates = { dated: 1200, undated: 3, future: 1, oldest: '2012-02-03', newest: '2013-05-06' };
  const month = (number: number) => ({ month: number, pages: 1, days: [{ day: 1, pages: 1 }] });
  const year = (number: number, ...months: readonly number[]) => ({
    ...{ year: number, pages: months.length },
    months: months.map(month),
  });

  test('are counted beside their chart, with the first and the last', () => {
    const html = figureOf(
      chartsOf({ lastModified: { ...dates, years: [year(2012, 2), year(2013, 5)] } }),
      'dates',
    );
    expect(textOf(html)).toContain('1,200 dated, 2012-02-03 to 2013-05-06 3 without a date 1 in the future');
    expect(html).toContain('data-drill="dates"');
    expect(html).toContain('<th scope="col">When</th><th scope="col" class="n">Pages</th>');
    expect(html).toContain('<tr><th scope="row"><bdi>February 2012</bdi></th><td class="n">1</td></tr>');
  });

  test.each<[string, TreeSummary['lastModified'], string]>([
    [
      'none',
      { dated: 0, undated: 7, future: 0, years: [] },
      '0 dated 7 without a date 0 in the future No page has a date.',
    ],
    ['one month', { ...dates, years: [year(2013, 5)] }, 'All dates are in May 2013.'],
    [
      'one year without its months',
      { ...dates, years: [{ year: 2013, pages: 2, months: [] }] },
      'All dates are in 2013.',
    ],
  ])('are a sentence where there would be one bar: %s', (_what, lastModified, sentence) => {
    const html = figureOf(chartsOf({ lastModified }), 'dates');
    expect(textOf(html)).toContain(sentence);
    expect(html).not.toContain('<svg');
  });
});

describe('the folders', () => {
  const folder = (name: string, pages: number, folders: TreeSummary['folders'][] = [], direct = pages) => ({
    ...{ name, pages, direct, folders, other: 0 },
  });

  test('are a chart that can be looked into', () => {
    const folders = folder('https://a.example', 9, [folder('blog', 7), folder('shop', 2)], 0);
    const html = figureOf(chartsOf({ folders }), 'folders');
    expect(textOf(html)).toContain('Folder Pages /blog/ 7 /shop/ 2');
    expect(html).toContain('data-drill="folders"');
  });

  test('are a sentence where all pages are in one, and left out where there is no page', () => {
    const one = folder('https://a.example', 7, [folder('<blog>', 7)], 0);
    expect(textOf(figureOf(chartsOf({ folders: one }), 'folders'))).toContain(
      'All pages are in /&lt;blog&gt;/ .',
    );
    expect(figureOf(chartsOf({ folders: folder('', 0) }), 'folders')).toBe('');
  });

  test('§13 have as many levels as fit, in bytes as they are written', () => {
    for (const name of ['a'.repeat(40), 'ü'.repeat(20), '<'.repeat(20)]) {
      const level = (depth: number): TreeSummary['folders'][] =>
        depth === 0 ? [] : Array.from({ length: 20 }, (_, at) => folder(`${name}${at}`, 1, level(depth - 1)));
      const { folders } = drillData({ ...site, folders: folder('top', 1, level(3)) });
      expect(Buffer.byteLength(dataText(folders))).toBeLessThan(BUDGETS.drilling / 2 + 200);
      expect(folders[4]).toHaveLength(20);
      expect(Buffer.byteLength(dataText(folders))).toBeGreaterThan(BUDGETS.drilling / 2 - 3_000);
    }
  });
});

describe('the limits', () => {
  const within = (...counts: readonly number[]) => Array.from({ length: 10 }, (_, at) => counts[at] ?? 0);

  test('name the largest sitemap, without the origin of the site', () => {
    const entries = { within: within(1, 1), over: 0, largest: { url: `${site.url}a.xml`, value: 6_000 } };
    const bytes = { within: within(2), over: 0, largest: { url: 'https://b.example/b.xml', value: 7_000 } };
    const html = chartsOf({ limits: { sitemaps: 2, entries, bytes } });
    expect(textOf(figureOf(html, 'entries'))).toContain(
      'In percent of the limit of 50,000 entries for each sitemap. The largest has 6,000: /a.xml',
    );
    expect(figureOf(html, 'entries')).toContain(`<a href="${site.url}a.xml"`);
    expect(textOf(figureOf(html, 'bytes'))).toContain(
      'All 2 sitemaps use up to 10 % of the limit of 50 MiB for each sitemap, uncompressed. The largest has 7,000: https://b.example/b.xml',
    );
  });

  test.each([
    ['one sitemap', 1, within(0, 0, 1), 0, 'The sitemap uses up to 30 % of the limit of 50,000 entries'],
    [
      'one sitemap at its limit',
      1,
      within(0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
      0,
      'The sitemap uses up to 100 % of',
    ],
    [
      'one sitemap over it',
      1,
      within(),
      1,
      'The sitemap uses more than 100 % of the limit of 50,000 entries',
    ],
    [
      'many sitemaps',
      1200,
      within(1200),
      0,
      'All 1,200 sitemaps use up to 10 % of the limit of 50,000 entries',
    ],
  ])('are a sentence for one bar: %s', (_what, sitemaps, counts, over, sentence) => {
    const histogram = { within: counts, over };
    const html = chartsOf({ limits: { sitemaps, entries: histogram, bytes: histogram } });
    expect(textOf(figureOf(html, 'entries'))).toContain(sentence);
  });

  test('are left out where there is no sitemap', () => {
    const none = { within: within(), over: 0 };
    const html = chartsOf({ limits: { sitemaps: 0, entries: none, bytes: none } });
    expect(figureOf(html, 'entries') + figureOf(html, 'bytes')).toBe('');
  });
});

describe('the languages', () => {
  const language = (name: string, returned: number, notReturned: number, notListed: number) => ({
    ...{ language: name, links: returned + notReturned + notListed, returned, notReturned, notListed },
  });

  test.each([
    [1, 0, '1 page has links to other languages. A link is returned if the other page links back. returned'],
    [
      1200,
      3000,
      '1,200 pages have links to other languages. A link is returned if the other page links back. ' +
        '3,000 links were not checked: there are too many. returned',
    ],
  ])('of %i pages, with %i links that were not checked', (pages, notChecked, sentence) => {
    const languages = [language('de', 5, 2, 1), language('fr', 1, 0, 0)];
    const html = figureOf(chartsOf({ languages: { pages, languages, notChecked } }), 'languages');
    expect(textOf(html)).toContain(sentence);
    expect(textOf(html)).toContain('Language Returned Not returned Not listed de 5 2 1 fr 1 0 0');
    expect(html).toContain('<title>de: 5 returned, 2 not returned, 1 not listed</title>');
  });

  test('are left out where there is none', () => {
    expect(figureOf(chartsOf({ languages: { pages: 0, languages: [], notChecked: 0 } }), 'languages')).toBe(
      '',
    );
  });
});

test('what pages carry is counted: news, images, videos, and items of feeds where there are some', () => {
  const carried = {
    ...{ pages: { count: 200, distinct: 150 }, news: { pages: 100 }, feeds: { items: 0 } },
    ...{ images: { pages: 1, images: 1200 }, videos: { pages: 2, videos: 3 } },
  };
  const of = (more: Partial<TreeSummary>): string => {
    const html = chartsOf({ ...carried, ...more });
    return textOf(html.slice(html.indexOf('<section id="carried"'))).trim();
  };
  expect(of({})).toBe(
    'News, images and videos 100 news stories, on 50 % of the pages 1,200 images, on 1 page 3 videos, on 2 pages',
  );
  expect(of({ feeds: { items: 7 } })).toContain('pages 7 items of feeds 1,200 images');
});
