/** §13: what the charts of a report show: axes, the length of bars, their labels, and what is in a year or a folder. */
import { describe, expect, test } from 'vitest';
import {
  type ChartData,
  chartMarkup,
  dateChart,
  escaped,
  type FolderData,
  folderChart,
  type PeriodData,
  tableRows,
  withoutMiddle,
} from '../../src/report/charts.ts';

const columns = (...values: readonly number[]): ChartData => ({
  form: 'columns',
  title: 'Pages',
  unit: 'page',
  bars: values.map((value, at) => ({ name: `n${at}`, label: `l${at}`, values: [value] })),
});

/** What an expression finds in a chart: its groups, for each place. */
const found = (svg: string, expression: RegExp): string[] =>
  Array.from(svg.matchAll(expression), ([, ...groups]) => groups.join(' '));

const fills = (svg: string): string[] =>
  found(svg, /<rect class="fill[^"]*"[^>]* x="([^"]*)" width="([^"]*)"/g);

describe('columns', () => {
  test.each([
    [0, '0 1'],
    [1, '0 1'],
    [3, '0 1 2 3'],
    [4, '0 1 2 3 4'],
    [5, '0 2 4 6'],
    [8, '0 2 4 6 8'],
    [10, '0 5 10'],
    [100, '0 50 100'],
    [4_000, '0 1,000 2,000 3,000 4,000'],
    [40_000, '0 10k 20k 30k 40k'],
    [1_500_000, '0 500k 1M 1.5M'],
    [6_000_001, '0 2M 4M 6M 8M'],
  ])('the axis up to %i has round numbers: %s', (largest, ticks) => {
    expect(found(chartMarkup(columns(largest)), /text-anchor="end">([^<]*)/g).join(' ')).toBe(ticks);
  });

  test('they are as high as their values, and as wide as there is room for', () => {
    const svg = chartMarkup(columns(4, 2, 1, 0));
    expect(found(svg, /<rect class="fill"[^>]* height="([^"]*)"/g)).toEqual(['186', '93', '46.5', '0']);
    expect(fills(svg)).toEqual(['2.75% 19.5%', '27.75% 19.5%', '52.75% 19.5%', '77.75% 19.5%']);
    expect(svg).toMatch(
      /^<svg class="chart columns" width="360" height="240" role="img" aria-label="Pages">/,
    );
  });

  test('what is small beside the others can still be seen', () => {
    expect(found(chartMarkup(columns(1_000_000, 1)), /<rect class="fill"[^>]* height="([^"]*)"/g)[1]).toBe(
      '1.5',
    );
  });

  test('those with more than a fifth of everything say how much', () => {
    expect(found(chartMarkup(columns(50, 30, 20)), /class="value"[^>]*>([^<]*)/g)).toEqual(['50', '30']);
  });

  test.each([
    [10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 2, 4, 6, 8]],
    [40, [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39], [0, 6, 12, 18, 24, 30, 36]],
  ])('of %i, those have a label that there is room for', (count, wide, narrow) => {
    const svg = chartMarkup(columns(...Array.from({ length: count }, () => 1)));
    const labels = found(svg, /class="(tick[^"]*)" x="[^-][^"]*"[^>]*>l(\d+)/g);
    expect(labels.map((label) => Number(label.split(' ').at(-1)))).toEqual(wide);
    const everywhere = labels.filter((label) => !label.includes('wide'));
    expect(everywhere.map((label) => Number(label.split(' ').at(-1)))).toEqual(narrow);
  });

  test('a limit is a line between two of them', () => {
    const svg = chartMarkup({ ...columns(1, 2, 3, 4), limitBefore: 3 });
    expect(found(svg, /<line class="limit" x1="([^"]*)" x2="([^"]*)"/g)).toEqual(['75% 75%']);
    expect(chartMarkup(columns(1))).not.toContain('limit');
  });
});

describe('rows', () => {
  const rows = (bars: readonly (readonly number[])[], more: Partial<ChartData> = {}): ChartData => ({
    ...{ form: 'rows', title: 'Links', unit: 'link' },
    bars: bars.map((values, at) => ({ name: `r${at}`, values })),
    ...more,
  });

  test.each([
    ['the longest is as long as the chart', rows([[8], [2], [0]]), ['0% 100%', '0% 25%']],
    ['what is little can be seen', rows([[10_000], [1]]), ['0% 100%', '0% 0.5%']],
    [
      'parts follow each other',
      rows(
        [
          [2, 1, 1],
          [1, 0, 1],
        ],
        { segments: ['a', 'b', 'c'] },
      ),
      ['0% 50%', '50% 25%', '75% 25%', '0% 25%', '25% 25%'],
    ],
    [
      'shares fill the chart, and a small one at the end stays in it',
      rows(
        [
          [1, 3],
          [9_999, 1],
        ],
        { segments: ['a', 'b'], isShare: true },
      ),
      ['0% 25%', '25% 75%', '0% 99.99%', '99.5% 0.5%'],
    ],
  ])('%s', (_, chart, expected) => {
    expect(fills(chartMarkup(chart))).toEqual(expected);
  });

  test('each has its name, its sum, and what its parts are', () => {
    const chart = rows([[2000, 1]], { segments: ['returned', 'not-returned'] });
    const svg = chartMarkup(chart);
    expect(svg).toContain('<title>r0: 2,000 returned, 1 not returned</title>');
    expect(svg).toContain('<text class="name" x="0" y="15">r0</text>');
    expect(svg).toContain('<text class="amount" x="100%" y="15" text-anchor="end">2,001</text>');
    expect(tableRows(chart)).toBe(
      '<tr><th scope="row"><bdi>r0</bdi></th><td class="n">2,000</td><td class="n">1</td></tr>',
    );
  });

  test.each([
    [34, 'whole', ['name 34']],
    [35, 'whole on a desk and cut on a phone', ['name wide 35', 'name narrow 34']],
    [56, 'whole on a desk and cut on a phone', ['name wide 56', 'name narrow 34']],
    [57, 'cut on both', ['name wide 56', 'name narrow 34']],
  ])('a name of %i letters is %s, in the middle', (length, _how, texts) => {
    const name = `/${'a'.repeat(length - 9)}/end.xml`;
    const svg = chartMarkup({ ...rows([]), bars: [{ name, values: [1] }] });
    const names = Array.from(svg.matchAll(/<text class="(name[^"]*)"[^>]*>([^<]*)/g));
    expect(names.map(([, kind, text = '']) => `${kind} ${text.length}`)).toEqual(texts);
    for (const [, , text = ''] of names)
      expect(text).toMatch(text.length === length ? /^\/a+\/end\.xml$/ : /^\/a+…a*\/end\.xml$/);
  });
});

describe('pages by date', () => {
  const data: readonly PeriodData[] = [
    [2019, 3, [[12, 3, [[31, 3]]]]],
    [
      2024,
      7,
      [
        [
          2,
          4,
          [
            [6, 3],
            [29, 1],
          ],
        ],
        [5, 3],
      ],
    ],
  ];
  const labels = (place: string, of = data): unknown =>
    dateChart(of, place)?.bars.map(({ label, values, key }) => [label, ...values, key].join(' ').trim());

  test('years, from the first to the last', () => {
    expect(labels('')).toEqual(['2019 3 2019', '2020 0', '2021 0', '2022 0', '2023 0', '2024 7 2024']);
  });

  test('the months of a year; one can be looked into where its days are known', () => {
    expect(labels('2024')).toEqual([
      ...['Jan 0', 'Feb 4 2024-02', 'Mar 0', 'Apr 0', 'May 3', 'Jun 0'],
      ...['Jul 0', 'Aug 0', 'Sep 0', 'Oct 0', 'Nov 0', 'Dec 0'],
    ]);
    expect(dateChart(data, '2024')?.bars[1]?.name).toBe('February 2024');
  });

  test.each([
    [2024, 2, 29],
    [2023, 2, 28],
    [1900, 2, 28],
    [2000, 2, 29],
    [24, 2, 29],
    [2023, 4, 30],
    [2023, 12, 31],
  ])('of year %i, month %i has %i days', (year, month, days) => {
    const place = `${year}-${String(month).padStart(2, '0')}`;
    const chart = dateChart([[year, 1, [[month, 1, [[6, 1]]]]]], place);
    expect(chart?.bars.map(({ label }) => Number(label))).toEqual(
      Array.from({ length: days }, (_, at) => at + 1),
    );
    expect(chart?.bars[5]?.values).toEqual([1]);
  });

  test.each(['2020', '2024-05', '2024-13', 'x', '2024-2'])('there is no chart of %s', (place) => {
    expect(dateChart(data, place)).toBeUndefined();
  });

  test.each([
    [2021, 2023, 'months'],
    [2021, 2024, 'years'],
  ])('%i to %i: by %s', (first, last, by) => {
    const years = [first, last].map((year): PeriodData => [year, 1, [[1, 1]]]);
    expect(dateChart(years, '')?.bars).toHaveLength(by === 'months' ? 25 : 4);
  });

  test.each<[string, readonly PeriodData[], readonly string[]]>([
    [
      'all',
      [
        [2023, 3, []],
        [2024, 2, []],
      ],
      ['2023 3', '2024 2'],
    ],
    [
      'the older one',
      [
        [2023, 3, []],
        [2024, 2, [[5, 2]]],
      ],
      ['2023 3', '2024 2 2024'],
    ],
  ])('years are shown by year where the months of %s did not fit', (_which, years, bars) => {
    expect(labels('', years)).toEqual(bars);
  });

  test('what is older than sixty columns show is one of them', () => {
    const years = [1900, 1910, 1965, 1966, 2024].map((year): PeriodData => [year, 2]);
    const bars = labels('', years) as string[];
    expect(bars).toHaveLength(60);
    expect([bars[0], bars[1], bars.at(-1)]).toEqual(['<1966 6', '1966 2', '2024 2']);
  });
});

describe('pages by folder', () => {
  const blog: FolderData = ['blog', 9, 2, 0, [['2024', 7, 7, 0, []]]];
  const data: FolderData = ['https://a.example', 20, 3, 4, [['shop', 4, 4, 0, []], blog]];
  const rowsAt = (place: string, of = data): unknown =>
    folderChart(of, place)?.bars.map(({ name, values, key }) => [name, ...values, key].join(' ').trim());

  test.each([
    ['', ['/blog/ 9 1', '/shop/ 4', 'directly in / 3', 'other folders 4']],
    ['1', ['/blog/2024/ 7', 'directly in /blog/ 2']],
    ['1.0', ['/blog/2024/ 7']],
    ['7', undefined],
    ['1.0.0', undefined],
  ])('at %j: %j', (place, expected) => {
    expect(rowsAt(place)).toEqual(expected);
  });

  test('pages directly in a folder are named so beside folders that are too many to show', () => {
    const onlyOthers: FolderData = ['https://a.example', 7, 3, 4, []];
    expect(rowsAt('', onlyOthers)).toEqual(['directly in / 3', 'other folders 4']);
  });

  test('the place of a folder is that below the folders that it is in', () => {
    const at = (name: string, ...below: readonly FolderData[]): FolderData => [name, 1, 1, 0, below];
    const deep = at('https://a.example', at('a'), at('b', at('c'), at('d', at('e', at('f')))));
    expect(rowsAt('', deep)).toContain('/b/ 1 1');
    expect(rowsAt('1', deep)).toContain('/b/d/ 1 1.1');
    expect(rowsAt('1.1', deep)).toContain('/b/d/e/ 1 1.1.0');
    expect(rowsAt('1.1.0', deep)).toContain('/b/d/e/f/ 1');
  });

  test('several hosts are not in a folder', () => {
    const hosts: FolderData = ['', 2, 0, 0, [['https://a.example', 1, 0, 0, [['x', 1, 1, 0, []]]]]];
    expect(rowsAt('', hosts)).toEqual(['https://a.example 1 0']);
    expect(rowsAt('0', hosts)).toEqual(['https://a.example/x/ 1']);
  });
});

test.each([
  ['<a href="x">&\'', '&lt;a href=&quot;x&quot;&gt;&amp;&#39;'],
  ['a\u202eb\u0000', 'a⟨U+202E⟩b⟨U+0000⟩'],
  ['a\u{e0041}b', 'a⟨U+E0041⟩b'],
  ['a\ud800', 'a\ufffd'],
  ['\u{1f468}\u200d\u{1f33e}\t\n', '\u{1f468}\u200d\u{1f33e}\t\n'],
])('%j is shown as %j', (text, html) => {
  expect(escaped(text)).toBe(html);
});

test.each([
  ['short', 5, 'short'],
  ['abcdefghi', 8, 'abcde…hi'],
  [`${'a'.repeat(150)}${'b'.repeat(40)}`, undefined, `${'a'.repeat(119)}…${'b'.repeat(40)}`],
])('a text without its middle: %s within %s', (text, longest, expected) => {
  expect(withoutMiddle(text, longest)).toBe(expected);
});
