/** §13: sections that list: how much of them fits, what they say is missing, and the borders between two forms. */
import { describe, expect, test } from 'vitest';
import { type ComparedField, SitemapPage, summarize, type TreeSummary } from '../../src/index.ts';
import { BUDGETS } from '../../src/report/markup.ts';
import {
  ChangedPages,
  requestedSection,
  samplesSection,
  sitemapsSection,
} from '../../src/report/sections.ts';
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

describe('a row of the sitemaps', () => {
  /** Text, with ordinary spaces. */
  const textOf = (html: string): string =>
    html
      .replaceAll(/<svg[\s\S]*?<\/svg>/g, '')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll('&nbsp;', ' ')
      .replaceAll(/ +/g, ' ');
  /** The first row below the site. */
  const rowOf = (below: Row, top: Partial<Row> = {}): string =>
    htmlOf(row('', [below], top)).split('<span class="url">')[2] ?? '';

  test.each<[string, Row, string]>([
    ['a sitemap', row('a.xml'), '/a.xml sitemap · 1 page'],
    ['an empty one', row('a.xml', [], { pages: 0 }), '/a.xml sitemap · 0 pages'],
    ['an index', row('i.xml', [row('a.xml')], { pages: 2 }), '/i.xml index · 2 pages'],
    ['an index of nothing', row('i.xml', [], { kind: 'index-xml', pages: 0 }), '/i.xml index'],
    ['a feed', row('feed', [], { kind: 'pages-rss', pages: 2 }), '/feed RSS · 2 pages'],
    [
      'similar ones',
      row('{n}.xml', [], { count: 1200, pages: 3000 }),
      '/{n}.xml 1,200 × sitemap · 3,000 pages',
    ],
    [
      'all facts',
      row('a.xml', [], {
        ...{ bytes: 2_000, lastModified: '2013-05-06T07:08:09.000Z', durationMs: 12, problems: 1 },
      }),
      '/a.xml sitemap · 1 page · 2.0 kB · changed 2013-05-06 · 12 ms · 1 problem',
    ],
    [
      'facts that are zero',
      row('a.xml', [], { bytes: 0, durationMs: 0, problems: 0 }),
      '/a.xml sitemap · 1 page · 0 B · 0 ms',
    ],
    [
      'another host',
      row('a.xml', [], { url: 'https://b.example/a.xml' }),
      'https://b.example/a.xml sitemap · 1 page',
    ],
    [
      'one that is cut',
      row('a.xml', [], { truncated: 1 }),
      '/a.xml sitemap · 1 page truncated: its end is missing',
    ],
    [
      'similar ones of which some are cut',
      row('{n}.xml', [], { count: 3, pages: 4, truncated: 1 }),
      '/{n}.xml 3 × sitemap · 4 pages truncated: the end of 1 is missing',
    ],
    [
      'a failure, which counts more than its end',
      row('a.xml', [], {
        ...{ kind: 'invalid', pages: 0, truncated: 1 },
        failure: { code: 'timeout', reason: `${SITE}a.xml took too long.` },
      }),
      '/a.xml unreadable /a.xml took too long.',
    ],
  ])('%s', (_what, below, text) => {
    expect(textOf(rowOf(below).replace(/<ul>[\s\S]*|<\/li>[\s\S]*/, ''))).toBe(text);
  });

  test('says what is fresh only where an earlier tree was read', () => {
    const fresh = (freshness: Row['freshness']) => row('a.xml', [], { freshness });
    expect(textOf(htmlOf(row('', [fresh('new'), fresh('new')])))).not.toContain('· new');
    const html = textOf(htmlOf(row('', [fresh('new'), row('i.xml', [fresh('unchanged')])])));
    expect([times(html, '· new'), times(html, '· unchanged')]).toEqual([1, 1]);
  });

  test('is a link to its document, or has one where a click unfolds it', () => {
    const link = (path: string, text: string) =>
      `<a href="${SITE}${path}" rel="noreferrer"><bdi>${text}</bdi></a>`;
    expect(rowOf(row('a.xml'))).toContain(link('a.xml', '/a.xml'));
    const index = rowOf(row('i.xml', [row('a.xml')]));
    expect(index).toMatch(/^<bdi>\/i\.xml<\/bdi>/);
    expect(index).toContain(link('i.xml', '↗ open this document'));
    const group = rowOf(row('{n}.xml', [row('a.xml')], { count: 2 }));
    expect(group).toMatch(/^<bdi>\/\{n\}\.xml<\/bdi>/);
    expect(group).not.toContain('open this document');
    expect(rowOf(row('{n}.xml', [], { count: 2 }))).toMatch(/^<bdi>\/\{n\}\.xml<\/bdi>/);
  });

  test('of a site or of a file has no document to open', () => {
    const of = (more: Partial<Row>) => htmlOf(row('', [row('a.xml')], more));
    expect(of({})).toContain('open this document');
    expect(of({ kind: 'website' })).not.toContain('open this document');
    expect(of({ url: 'maps/index.xml' })).not.toContain('open this document');
    // The whole address is on the first row only.
    expect(of({ kind: 'website' })).toContain(`<bdi>${SITE}</bdi>`);
  });

  test.each([
    [0, undefined],
    [1, 'and 1 more row of sitemaps'],
    [2, 'and 2 more rows of sitemaps'],
  ])('has %i rows that a summary left out', (more, text) => {
    const html = htmlOf(row('', [row('a.xml')], { more }));
    expect(/and \d+ more rows? of sitemaps/.exec(html)?.[0]).toBe(text);
    expect(times(htmlOf(row('', [], { more })), '<details')).toBe(more === 0 ? 0 : 1);
  });
});

test('requested pages: their results, with the share of those that were requested, and examples', () => {
  const results = [
    { result: 'indexable', status: 200, count: 2, examples: [`${SITE}a`, 'https://b.example/b'] },
    { result: 'page-missing', status: 404, count: 1, examples: [`${SITE}c`] },
    { result: 'not-requested', count: 3, examples: [] },
  ] as const;
  const html = requestedSection({ listed: 1000, requested: 3, results }, site);
  const cells = Array.from(html.matchAll(/<tr><th scope="row">.*?<\/tr>/g), ([tr]) =>
    tr.replaceAll(/<\/t[hd]>/g, '|').replaceAll(/<[^>]*>/g, ''),
  );
  expect(cells).toEqual([
    'listed and indexable|200|2|67 %|/a, https://b.example/b|',
    'page-missing|404|1|33 %|/c|',
    'not requested||3|||',
  ]);
  expect(html).toContain('<a href="#rule-page-missing">');
  expect(html).toContain(`<a href="${SITE}a"`);
  expect(html).toContain('3 of 1,000 pages were requested.');
  expect(requestedSection({ listed: 1, requested: 1, results: [] }, site)).toContain(
    '1 of 1 page was requested.',
  );
  expect(requestedSection({ listed: 2, requested: 0, results: [] }, site)).toContain(
    '0 of 2 pages were requested.',
  );
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

  test('says how many pages each sitemap has, and when each page changed', () => {
    const html = samplesSection({
      ...site,
      samples: [
        {
          sitemap: `${SITE}a.xml`,
          of: 1,
          pages: [{ ...sampled('1'), lastModified: '2013-05-06T23:08:09.000Z' }],
        },
        { sitemap: 'https://b.example/b.xml', of: 1200, pages: [sampled('2'), sampled('3')] },
        { sitemap: `${SITE}empty.xml`, of: 0, pages: [] },
      ],
    });
    const heads = Array.from(html.matchAll(/rowgroup">(.*?)<\/th>/g), ([, head = '']) =>
      head.replaceAll(/<[^>]*>/g, ''),
    );
    expect(heads).toEqual(['/a.xml 1 page', 'https://b.example/b.xml 2 of 1,200 pages']);
    expect(html).toContain('3 pages from 2 sitemaps, evenly spaced.');
    expect(html).toContain('<time datetime="2013-05-06T23:08:09.000Z">2013-05-06</time>');
    expect(times(html, '<time')).toBe(1);
    const one = samplesSection({
      ...site,
      samples: [{ sitemap: `${SITE}a.xml`, of: 1, pages: [sampled('1')] }],
    });
    expect(one).toContain('1 page from 1 sitemap, evenly spaced.');
    expect(samplesSection({ ...site, samples: [] })).toContain('<p class="empty">There is no page.</p>');
  });

  test('has the title of a page, of which at most 80 letters', () => {
    const titled = (title: string) => {
      const pages = [{ ...sampled('1'), title, images: 2 }];
      const html = samplesSection({ ...site, samples: [{ sitemap: `${SITE}a.xml`, of: 1, pages }] });
      return /<td><bdi>([^<]*)<\/bdi> · 2 images<\/td><\/tr>/.exec(html)?.[1];
    };
    expect(titled('<b> & more')).toBe('&lt;b&gt; &amp; more');
    expect(titled('x'.repeat(80))).toBe('x'.repeat(80));
    expect(titled('x'.repeat(81))).toMatch(/^x+…x+$/);
    expect(titled('x'.repeat(81))).toHaveLength(80);
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

describe('the changes', () => {
  const NONE = { added: 0, changed: 0, removed: 0, same: 0, unknown: 0 };
  const groupsOf = (html: string): string[] =>
    Array.from(
      html.matchAll(/<(?:details|p class="none")[^>]*>([\s\S]*?)<\/(?:details|p)>/g),
      ([, group = '']) =>
        group
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
    );

  test('are in three groups, each with its pages in order', () => {
    const changes = new ChangedPages();
    for (const [type, path] of [
      ['removed', 'r'],
      ['added', 'a1'],
      ['added', 'a2'],
    ] as const)
      changes.add({ type, page: new SitemapPage({ url: SITE + path }), sitemap: tree });
    const html = changes.section({ ...NONE, added: 1002, removed: 1 }, undefined, SITE);
    expect(groupsOf(html)).toEqual([
      '1,002 added /a1 /a2 and 1,000 more: usp diff lists all',
      '0 changed',
      '1 removed /r',
    ]);
    expect(html).toContain('<h2>Changes</h2>');
    expect(html).not.toContain('could not be compared');
  });

  test('that are unknown are counted, and the heading has the day of the earlier tree', () => {
    const html = new ChangedPages().section(
      { ...NONE, same: 7, unknown: 1200 },
      '2013-05-06T23:00:00.000Z',
      SITE,
    );
    expect(groupsOf(html)).toEqual(['0 added', '0 changed', '0 removed']);
    expect(html).toContain('<h2>Changes since 2013-05-06</h2>');
    expect(html).toContain('1,200 pages could not be compared');
  });

  test.each<[string, string | undefined, string | undefined, readonly ComparedField[], string]>([
    ['a priority', undefined, undefined, ['priority'], 'priority'],
    ['two fields', undefined, undefined, ['priority', 'images'], 'priority, images'],
    ['a date', '2013-05-06', '2013-05-07', ['lastModified'], 'lastmod 2013-05-06 → 2013-05-07'],
    [
      'a date and more',
      '2013-05-06',
      '2013-05-07',
      ['lastModified', 'images'],
      'lastmod 2013-05-06 → 2013-05-07, images',
    ],
    ['a new date', undefined, '2013-05-07', ['lastModified'], 'lastmod no date → 2013-05-07'],
    ['a date that is gone', '2013-05-06', undefined, ['lastModified'], 'lastmod 2013-05-06 → no date'],
    [
      'a time of day',
      '2013-05-06T07:08:09.000Z',
      '2013-05-06T07:08:09.010Z',
      ['lastModified'],
      'lastmod 2013-05-06T07:08:09Z → 2013-05-06T07:08:09.010Z',
    ],
  ])('of a page say what differs: %s', (_what, from, to, fields, note) => {
    const dateOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
    const changes = new ChangedPages();
    changes.add({
      type: 'changed',
      page: new SitemapPage({ url: `${SITE}p`, lastModified: dateOf(to) }),
      before: { lastModified: dateOf(from), priority: 0.5, changeFrequency: undefined },
      fields,
      sitemap: tree,
    });
    const html = changes.section({ ...NONE, changed: 1 }, undefined, SITE);
    expect(/class="facts">([^<]*)</.exec(html)?.[1]).toBe(note);
  });
});
