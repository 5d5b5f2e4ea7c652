/** §13: sections that list: how much of them fits, what they say is missing, and the borders between two forms. */
import { describe, expect, test } from 'vitest';
import { SitemapPage, summarize, type TreeSummary } from '../../src/index.ts';
import { BUDGETS } from '../../src/report/markup.ts';
import { ChangedPages, samplesSection, sitemapsSection } from '../../src/report/sections.ts';
import { SITE, sampleTree } from '../support/trees.ts';

const tree = sampleTree();
const site = await summarize(tree);

type Row = TreeSummary['tree'];

const row = (name: string, sitemaps: readonly Row[] = [], more: Partial<Row> = {}): Row => ({
  url: `${SITE}${name}`,
  kind: sitemaps.length === 0 ? 'pages-xml' : 'index-xml',
  ...{ count: 1, pages: 1, truncated: 0, problems: 0, more: 0 },
  sitemaps,
  ...more,
});
const rows = (count: number, name: (at: number) => string): Row[] =>
  Array.from({ length: count }, (_, at) => row(name(at)));
const htmlOf = (top: Row): string => sitemapsSection({ ...site, tree: top });
const times = (html: string, text: string): number => html.split(text).length - 1;

describe('the sitemaps', () => {
  test.each([
    ['40 rows are unfolded', 40, true],
    ['41 rows are folded', 41, false],
  ])('%s', (_name, total, isOpen) => {
    // The site, robots.txt and an index are above the others.
    const index = row('index.xml', rows(total - 3, String));
    const html = htmlOf(row('', [row('robots.txt', [index])]));
    expect(times(html, '<span class="url">')).toBe(total);
    expect(times(html, '<details')).toBe(3);
    expect(times(html, '<details open>')).toBe(isOpen ? 3 : 2);
  });

  test('rows that do not fit are counted, with those below them', () => {
    const long = 'x'.repeat(500);
    const indexes = Array.from({ length: 300 }, (_, at) =>
      row(`${at}-${long}`, [
        row(
          `${at}/in`,
          rows(3, (child) => `${at}/${child}`),
        ),
      ]),
    );
    const html = htmlOf(row('', indexes));
    const hidden = Number(/>([\d,]+) rows did not fit/.exec(html)?.[1]?.replaceAll(',', ''));
    expect(times(html, '<span class="url">') + hidden).toBe(1 + 300 * 5);
    expect(Buffer.byteLength(html)).toBeLessThan(BUDGETS.sitemaps + 1_000);
  });

  test.each([
    [999, '999&nbsp;ms'],
    [1_000, '1.0&nbsp;s'],
  ])('a response that took %i ms took %s', (durationMs, text) => {
    expect(htmlOf(row('', [row('a.xml', [], { durationMs })]))).toContain(` · ${text}<`);
  });
});

describe('the sample of pages', () => {
  const sampled = (path: string) => ({ url: `${SITE}${path}`, images: 0, videos: 0, alternates: 0 });
  /** How many of its pages each sitemap shows, in their order. */
  const shownOf = (samples: TreeSummary['samples']): number[] =>
    samplesSection({ ...site, samples })
      .split('<tbody>')
      .slice(1)
      .map((group) => times(group, '<tr><td>'));

  test('has the first page of every sitemap before the second page of any', () => {
    const samples = Array.from({ length: 100 }, (_, at) => ({
      sitemap: `${SITE}${at}.xml`,
      of: 2,
      pages: ['first', 'second'].map((path) => sampled(`${at}/${path}/${'x'.repeat(400)}`)),
    }));
    const shown = shownOf(samples);
    expect(shown).toHaveLength(100);
    const seconds = shown.filter((pages) => pages === 2).length;
    expect(seconds).toBeGreaterThan(10);
    expect(shown).toEqual(samples.map((_, at) => (at < seconds ? 2 : 1)));
    expect(seconds).toBeLessThan(100);
  });

  test('ends with the first page that does not fit, also if shorter ones come after it', () => {
    const samples = Array.from({ length: 200 }, (_, at) => ({
      sitemap: `${SITE}${at}.xml`,
      of: 2,
      pages: [sampled(`${at}/${'x'.repeat(800)}`), sampled(`${at}`)],
    }));
    const shown = shownOf(samples);
    expect(shown.length).toBeLessThan(200);
    expect(new Set(shown)).toEqual(new Set([1]));
  });

  test.each([
    ['the priority 0', { priority: 0 }, 'priority 0'],
    ['the priority 1', { priority: 1 }, 'priority 1'],
    [
      'all facts',
      { priority: 0.5, changeFrequency: 'daily', images: 1, videos: 2, alternates: 3 },
      'priority 0.5 · daily · 1 image · 2 videos · 3 alternates',
    ],
    ['none', {}, ''],
  ])('says of a page what its entry has besides a date: %s', (_what, facts, text) => {
    const pages = [{ ...sampled('page'), ...facts }];
    const html = samplesSection({ ...site, samples: [{ sitemap: `${SITE}a.xml`, of: 1, pages }] });
    expect(/<td>([^<]*)<\/td><\/tr>/.exec(html)?.[1]).toBe(text);
  });
});

test('the rows of the sitemaps count for the size of the sample of pages', () => {
  const samples = Array.from({ length: 600 }, (_, at) => ({
    sitemap: `${SITE}${at}/${'x'.repeat(300)}.xml`,
    of: 1,
    pages: [{ url: `${SITE}${at}`, images: 0, videos: 0, alternates: 0 }],
  }));
  const html = samplesSection({ ...site, samples });
  const shown = times(html, '<tbody>');
  expect(shown).toBeGreaterThan(100);
  expect(html).toContain(`${shown} pages from ${shown} sitemaps`);
  expect(Buffer.byteLength(html)).toBeLessThan(BUDGETS.samples + 10 * shown + 1_000);
});

test.each([
  ['beyond the examples', 60, 10],
  ['that do not fit', 60, 900],
  ['that do not fit among the examples', 50, 900],
])('changes %s are counted', (_name, added, length) => {
  const changes = new ChangedPages();
  for (let at = 0; at < added; at++)
    changes.add({
      type: 'added',
      page: new SitemapPage({ url: `${SITE}${at}/${'x'.repeat(length)}` }),
      sitemap: tree,
    });
  const counts = { added, changed: 0, removed: 0, same: 0, unknown: 0 };
  const html = changes.section(counts, undefined, SITE);
  const more = Number(/and (\d+) more/.exec(html)?.[1]);
  expect(times(html, '<li><a ') + more).toBe(added);
});
