/**
 * §14.3: what differs between two crawls, by their rows alone. The folders are written without a crawl, and each pair is
 * compared in both ways: without the sites that are equal, and all of it.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { finishedCrawl } from '../../src/batch/crawl-rows.ts';
import { diffCrawls } from '../../src/batch/diff-crawls.ts';
import { equalSites } from '../../src/batch/equal-sites.ts';
import { TABLE_FORMATS } from '../../src/batch/output/table-file.ts';
import { COMPARED_FIELDS } from '../../src/diff/page-change.ts';
import { crawlPath, linesOf, writtenCrawl } from '../support/crawl-folders.ts';

const [A, B, C] = ['https://a.example/', 'https://b.example/', 'https://c.example/'] as const;
const { signal } = new AbortController();

type Sites = Parameters<typeof writtenCrawl>[0];
type Row = Sites[number]['rows'][number];

const rows = (...names: readonly string[]): Row[] =>
  names.map((name) => ({ url: `https://x.example/${name}` }));

interface Asked {
  readonly compare?: readonly (typeof COMPARED_FIELDS)[number][];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly countSame?: boolean;
}

async function compared(before: string, after: string, asked: Asked = {}) {
  const said: string[] = [];
  const changes = diffCrawls(before, after, {
    ...{ compare: COMPARED_FIELDS, include: [], exclude: [], countSame: false, signal, ...asked },
    onUnsettled: (site, why) => said.push(`${site} ${why}`),
    onOtherFlags: (flags) => said.push(flags.join(' ')),
  });
  const found: string[] = [];
  for await (const { type, site, url, fields } of changes) {
    const where = `${site?.slice(8, 9)}/${new URL(url).pathname.slice(1)}`;
    found.push(`${type} ${where}${fields === undefined ? '' : ` ${fields.join('+')}`}`);
  }
  return { found: found.sort(), counts: changes.counts, said };
}

describe('the rows of two crawls', () => {
  const day = (text: string): Date => new Date(`${text}T00:00:00.000Z`);
  const links = (...codes: readonly string[]) =>
    codes.map((hreflang) => ({ hreflang, href: `https://x.example/${hreflang}` }));
  const page = (more: object): readonly Row[] => [{ url: 'https://x.example/p', ...more }];
  const CASES: readonly (readonly [string, readonly Row[], readonly Row[], readonly string[], number])[] = [
    ['that are equal', rows('1', '2'), rows('1', '2'), [], 2],
    ['in another order', rows('1', '2'), rows('2', '1'), [], 2],
    ['with one more', rows('1'), rows('1', '2'), ['added a/2'], 1],
    ['with one less, first', rows('1', '2'), rows('2'), ['removed a/1'], 1],
    ['with the same one twice', rows('1', '1'), rows('1'), [], 1],
    ['of none before', [], rows('1'), ['added a/1'], 0],
    ['of none after', rows('1', '2'), [], ['removed a/1', 'removed a/2'], 0],
    [
      'whose first one counts',
      [...page({ priority: 0.1 }), ...page({ priority: 0.9 })],
      page({ priority: 0.1 }),
      [],
      1,
    ],
    [
      'whose first one counts, afterwards',
      page({ priority: 0.1 }),
      [...page({ priority: 0.9 }), ...page({ priority: 0.1 })],
      ['changed a/p priority'],
      0,
    ],
    [
      'with another date',
      page({ lastModified: day('2012-01-02') }),
      page({ lastModified: day('2012-01-03') }),
      ['changed a/p lastModified'],
      0,
    ],
    ['with a new date', page({}), page({ lastModified: day('2012-01-03') }), ['changed a/p lastModified'], 0],
    [
      'without a date now',
      page({ lastModified: day('2012-01-02') }),
      page({}),
      ['changed a/p lastModified'],
      0,
    ],
    [
      'of another text of a date',
      page({ lastModified: day('2012-01-02'), lastModifiedText: '2012-01-02' }),
      page({ lastModified: day('2012-01-02'), lastModifiedText: '2012-01-02T00:00Z' }),
      [],
      1,
    ],
    ['with the default of a priority', page({}), page({ priority: 0.5 }), [], 1],
    ['with no priority at all', page({ priority: 0 }), page({}), ['changed a/p priority'], 0],
    [
      'with another frequency',
      page({ changeFrequency: 'daily' }),
      page({ changeFrequency: 'weekly' }),
      ['changed a/p changeFrequency'],
      0,
    ],
    [
      'with other alternates',
      page({ alternates: links('de', 'en') }),
      page({ alternates: links('de') }),
      ['changed a/p alternates'],
      0,
    ],
    [
      'with alternates in another order',
      page({ alternates: links('de', 'en') }),
      page({ alternates: links('en', 'de') }),
      [],
      1,
    ],
    [
      'with images in another order',
      page({ images: [{ loc: 'a' }, { loc: 'b' }] }),
      page({ images: [{ loc: 'b' }, { loc: 'a' }] }),
      ['changed a/p images'],
      0,
    ],
    [
      'with another title of a story',
      page({ newsStory: { title: 'a' } }),
      page({ newsStory: { title: 'ä' } }),
      ['changed a/p newsStory'],
      0,
    ],
    [
      'with another text of the date of a story',
      page({ newsStory: { title: 'a', publishDateText: '1' } }),
      page({ newsStory: { title: 'a', publishDateText: '2' } }),
      [],
      1,
    ],
    [
      'with several differences',
      page({ priority: 0.1, changeFrequency: 'daily' }),
      page({ priority: 0.2, videos: [{ title: 'a' }] }),
      ['changed a/p priority+changeFrequency+videos'],
      0,
    ],
    [
      'of another sitemap',
      page({ sitemap: 'https://x.example/1.xml' }),
      page({ sitemap: 'https://x.example/2.xml' }),
      [],
      1,
    ],
    ['that are marked', page({}), page({ stale: true }), [], 1],
  ];

  test.each(CASES)('%s', async (_, before, after, expected, same) => {
    const crawls = [
      await writtenCrawl([{ site: A, rows: before }]),
      await writtenCrawl([{ site: A, rows: after }]),
    ];
    const [one = '', other = ''] = crawls;
    const { found, said } = await compared(one, other);
    expect([found, said]).toEqual([expected, []]);
    const all = await compared(one, other, { countSame: true });
    expect(all.found).toEqual(expected);
    const count = (type: string): number => expected.filter((change) => change.startsWith(type)).length;
    expect(all.counts).toEqual({
      ...{ added: count('added'), removed: count('removed'), changed: count('changed') },
      ...{ same, unknown: 0 },
    });
  });

  test.each(
    TABLE_FORMATS.flatMap((one, at) => TABLE_FORMATS.slice(at + 1).map((other) => [one, other] as const)),
  )('mean the same in %s and %s', async (one, other) => {
    const rich = page({
      ...{
        lastModified: day('2012-01-02'),
        lastModifiedText: 'x',
        priority: 0.25,
        changeFrequency: 'daily',
      },
      ...{ newsStory: { title: 'ä,"', publishDate: day('2011-12-31'), genres: ['a', 'b'] }, stale: true },
      ...{
        images: [{ loc: 'a' }],
        videos: [{ title: 'b', duration: 1.5, live: false }],
        alternates: links('de', 'en'),
      },
    });
    const sites: Sites = [
      { site: A, rows: rich },
      { site: B, rows: rows('1', '2') },
    ];
    const before = await writtenCrawl(sites, { format: one });
    expect(
      (await compared(before, await writtenCrawl(sites, { format: other }), { countSame: true })).counts,
    ).toEqual({
      ...{ added: 0, removed: 0, changed: 0, same: 3, unknown: 0 },
    });
  });

  test('are compared for the pages that pass the patterns, and in the fields that are named', async () => {
    const before = await writtenCrawl([{ site: A, rows: [...page({ priority: 0.1 }), ...rows('1', '2')] }]);
    const after = await writtenCrawl([{ site: A, rows: [...page({ priority: 0.2 }), ...rows('2', '3')] }]);
    const found = async (asked: Asked) => (await compared(before, after, asked)).found;
    expect(await found({})).toEqual(['added a/3', 'changed a/p priority', 'removed a/1']);
    expect(await found({ compare: ['lastModified'] })).toEqual(['added a/3', 'removed a/1']);
    expect(await found({ include: ['/1', '/p'] })).toEqual(['changed a/p priority', 'removed a/1']);
    expect(await found({ exclude: ['/1', '/p'] })).toEqual(['added a/3']);
    expect(await found({ include: ['/1', '/p'], exclude: ['/p'] })).toEqual(['removed a/1']);
  });
});

describe('sites that are equal', () => {
  const equal = async (before: Sites, after: Sites, format: 'ndjson' | 'csv' = 'ndjson'): Promise<string> => {
    const crawls = [
      await finishedCrawl(await writtenCrawl(before)),
      await finishedCrawl(await writtenCrawl(after, { format })),
    ];
    const sites = await equalSites(crawls[0]!, crawls[1]!, signal);
    return [A, B, C]
      .filter((site) => sites.has(site))
      .map((site) => site[8])
      .join('');
  };

  test.each<[string, Sites, Sites, string]>([
    [
      'in parts of their own',
      [
        { site: A, rows: rows('1') },
        { site: B, rows: rows('2') },
      ],
      [
        { site: B, rows: rows('2') },
        { site: A, rows: rows('1') },
      ],
      'ab',
    ],
    [
      'in a part that both have',
      [
        { site: A, rows: rows('1'), part: 1 },
        { site: B, rows: rows('2'), part: 1 },
      ],
      [
        { site: A, rows: rows('1'), part: 1 },
        { site: B, rows: rows('2'), part: 1 },
      ],
      'ab',
    ],
    [
      'beside one that has changed in their part',
      [
        { site: A, rows: rows('1'), part: 1 },
        { site: B, rows: rows('2'), part: 1 },
      ],
      [
        { site: A, rows: rows('1'), part: 1 },
        { site: B, rows: rows('3'), part: 1 },
      ],
      'a',
    ],
    [
      'in other parts than before',
      [
        { site: A, rows: rows('1'), part: 1 },
        { site: B, rows: rows('2'), part: 1 },
      ],
      [
        { site: A, rows: rows('1') },
        { site: B, rows: rows('2') },
      ],
      'ab',
    ],
    [
      'of which one has more rows',
      [
        { site: A, rows: rows('1') },
        { site: B, rows: rows('1') },
      ],
      [
        { site: A, rows: rows('1', '2') },
        { site: B, rows: rows('1') },
      ],
      'b',
    ],
    [
      'of which one has the rows of another one',
      [
        { site: A, rows: rows('1') },
        { site: B, rows: rows('2') },
      ],
      [
        { site: A, rows: rows('2') },
        { site: B, rows: rows('1') },
      ],
      '',
    ],
    [
      'of which one is new',
      [{ site: A, rows: rows('1') }],
      [
        { site: A, rows: rows('1') },
        { site: C, rows: rows('1') },
      ],
      'a',
    ],
    [
      'without rows',
      [
        { site: A, rows: [] },
        { site: B, rows: rows('1') },
      ],
      [
        { site: A, rows: [] },
        { site: B, rows: [] },
      ],
      'a',
    ],
    [
      'whose texts would be the same together',
      [{ site: A, rows: [{ url: 'https://x.example/1', changeFrequency: 'a' }] }],
      [{ site: A, rows: [{ url: 'https://x.example/1a' }] }],
      '',
    ],
  ])('%s', async (_, before, after, expected) => {
    expect(await equal(before, after)).toBe(expected);
  });

  test('are not looked for in two formats', async () => {
    const sites = [{ site: A, rows: rows('1') }];
    expect([await equal(sites, sites), await equal(sites, sites, 'csv')]).toEqual(['a', '']);
  });
});

describe('what two crawls cannot show', () => {
  const partial = { outcome: 'partial', code: 'http-status' } as const;
  const cut = { outcome: 'partial', code: 'limit', stopped: { limit: 'maxPages', message: 'x' } } as const;
  const late = { outcome: 'partial', code: 'limit', stopped: { limit: 'maxTimeMs', message: 'x' } } as const;
  const cutAndPartial = { ...cut, code: 'http-status' } as const;

  test.each<[string, object, object, readonly string[], number, readonly string[]]>([
    ['complete in both', {}, {}, ['added a/3', 'removed a/1'], 0, []],
    ['partial before', partial, {}, ['added a/3'], 1, [`${A} incomplete`]],
    ['partial after', {}, partial, ['added a/3'], 1, [`${A} incomplete`]],
    ['failed after', {}, { outcome: 'failed' }, ['added a/3'], 1, [`${A} incomplete`]],
    ['stopped by another limit', {}, late, ['added a/3'], 1, [`${A} incomplete`]],
    ['cut before', cut, {}, ['removed a/1'], 1, [`${A} cut`]],
    ['cut after', {}, cut, ['added a/3'], 1, [`${A} cut`]],
    ['cut in both', cut, cut, [], 2, [`${A} cut`]],
    ['cut and partial before', cutAndPartial, {}, [], 2, [`${A} incomplete`]],
  ])('of a site that is %s', async (_, one, other, expected, unknown, expectedSaid) => {
    const before = await writtenCrawl([
      { site: A, rows: rows('1', '2'), ...one },
      { site: B, rows: rows('1') },
    ]);
    const after = await writtenCrawl([
      { site: A, rows: rows('2', '3'), ...other },
      { site: C, rows: rows('1') },
    ]);
    const { found, counts, said } = await compared(before, after);
    expect(found).toEqual([...expected, 'added c/1', 'removed b/1'].sort());
    expect([counts.unknown, said]).toEqual([unknown, expectedSaid]);
  });

  test('a site that is partial and has no row in both is not named; one that had rows, or has some, is', async () => {
    const sites = (one: readonly Row[], other: readonly Row[]): Sites => [
      { site: A, rows: one, ...partial },
      { site: B, rows: other, ...partial },
      { site: C, rows: [], ...partial },
    ];
    const { said } = await compared(
      await writtenCrawl(sites(rows('1'), [])),
      await writtenCrawl(sites([], rows('1'))),
    );
    expect(said).toEqual([`${A} incomplete`, `${B} incomplete`]);
  });

  test.each<[object, object, readonly string[], readonly string[]]>([
    [{ include: ['/'] }, { include: ['/'] }, ['added a/3', 'removed a/1'], []],
    [{ include: ['/'] }, {}, ['removed a/1'], ['--include']],
    [{}, { include: ['/'] }, ['added a/3'], ['--include']],
    [{ include: ['/'] }, { exclude: ['x'] }, [], ['--include --exclude']],
    [{ include: ['/'] }, { include: ['x'] }, [], ['--include']],
    [{ listAlternates: true }, {}, ['added a/3'], ['--list-alternates']],
    [{ known: 'always' }, {}, [], ['--known']],
    [{ maxPages: 3 }, { maxDepth: 2 }, ['added a/3', 'removed a/1'], []],
  ])('of crawls with %j and %j', async (options, otherOptions, expected, flags) => {
    const before = await writtenCrawl([{ site: A, rows: rows('1', '2') }], { options });
    const after = await writtenCrawl([{ site: A, rows: rows('2', '3') }], { options: otherOptions });
    const { found, said, counts } = await compared(before, after);
    expect([found, said, counts.unknown]).toEqual([expected, flags, 2 - expected.length]);
    // Of a site that only one of them has, nothing is unknown.
    const none = await writtenCrawl([{ site: B, rows: rows('1') }], { options: otherOptions });
    expect((await compared(before, none)).said).toEqual([]);
  });
});

test.each<[string, (path: string) => Promise<string>, string, RegExp]>([
  ['no crawl', async () => crawlPath(), 'not-a-crawl', /^There is no crawl in .+\.$/],
  [
    'a part that is missing',
    async (path) => {
      rmSync(join(path, linesOf(path)[0]?.parts[0] ?? ''));
      return path;
    },
    'part-damaged',
    /^.+ cannot be read: no such file or directory\. Run the same usp crawl command with --verify to crawl its sites again\.$/,
  ],
])('%s cannot be compared', async (_, damage, code, message) => {
  const good = await writtenCrawl([{ site: A, rows: rows('1') }]);
  const bad = await damage(await writtenCrawl([{ site: A, rows: rows('1') }]));
  for (const pair of [
    [good, bad],
    [bad, good],
  ] as const)
    await expect(compared(...pair)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});
