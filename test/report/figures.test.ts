/** §13: charts: how much of their data fits, and what is left out of them. */
import { expect, test } from 'vitest';
import { summarize } from '../../src/index.ts';
import { chartsSection, drillData } from '../../src/report/figures.ts';
import { BUDGETS } from '../../src/report/markup.ts';
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
    expect(titles.slice(-2)).toEqual(['up to 100 %: 1 sitemap', 'over the limit: 1 sitemap']);
    // Of eleven columns ten are before it.
    expect(svg).toMatch(/<line class="limit" x1="90\.91%" x2="90\.91%"/);
  }
});
