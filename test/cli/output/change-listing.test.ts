/** §11.4: changes in every format, and the sentence with their numbers. Commands are in test/cli/diff.test.ts. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { CommandIO } from '../../../src/cli/io.ts';
import { describeChanges, openChangeListing } from '../../../src/cli/output/change-listing.ts';
import type { ChangeRow } from '../../../src/diff/page-change.ts';
import type { DiffCounts } from '../../../src/index.ts';
import { folder } from '../../support/folder.ts';
import { tableOf } from '../../support/part-rows.ts';

const COUNTS: DiffCounts = { added: 1, removed: 2, changed: 3, same: 4, unknown: 5 };

function row(type: ChangeRow['type'], path: string, more: object = {}): ChangeRow {
  const url = `https://a.example${path}`;
  return { type, sitemap: 'https://a.example/s.xml', url, priority: 0.5, ...more } as ChangeRow;
}

/** The rows of a comparison, with its counts. */
function comparison(rows: readonly ChangeRow[], counts: DiffCounts = COUNTS) {
  return {
    counts,
    async *[Symbol.asyncIterator]() {
      yield* rows;
    },
  };
}

type Verdict = Parameters<Awaited<ReturnType<typeof openChangeListing>>['print']>[1];

/** What a listing of several comparisons prints, and how many rows of each. */
async function printed(
  format: string,
  comparisons: readonly ReturnType<typeof comparison>[],
  {
    only,
    verdictOf,
    output,
  }: { only?: readonly ChangeRow['type'][]; verdictOf?: Verdict; output?: string } = {},
): Promise<{ readonly text: string; readonly rows: readonly number[] }> {
  const written: string[] = [];
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const closers: (() => void | Promise<void>)[] = [];
  const io = {
    ...{ stdout, stderr: stdout, env: {}, version: '1.2.3', signal: new AbortController().signal },
    isTerminal: { stdout: false, stderr: false, stdin: false },
    onEnd: (close: () => void) => closers.push(close),
  } as unknown as CommandIO;
  const listing = await openChangeListing({ format, only, output }, io);
  const rows: number[] = [];
  try {
    for (const each of comparisons) rows.push(await listing.print(each, verdictOf));
    await listing.finish();
  } finally {
    for (const close of closers) await close();
  }
  return { text: written.join(''), rows };
}

const ROWS = [row('added', '/1'), row('changed', '/2', { fields: ['images'] }), row('removed', '/3')];

describe('changes', () => {
  const changed = (fields: readonly string[], more: object): Promise<string> =>
    printed('changes', [comparison([row('changed', '/', { fields, ...more })])]).then(({ text }) =>
      text.slice('~ https://a.example/  '.length, -1),
    );
  const date = (text: string): Date => new Date(text);

  test.each<[string, object, string]>([
    [
      'lastModified',
      { lastModifiedBefore: date('2014-05-06'), lastModified: date('2014-05-07T10:20:30Z') },
      'lastmod 2014-05-06 → 2014-05-07T10:20:30Z',
    ],
    [
      'lastModified',
      {
        lastModifiedBefore: date('2014-05-06T00:00:00.001Z'),
        lastModified: date('2014-05-06T00:00:01.500Z'),
      },
      'lastmod 2014-05-06T00:00:00.001Z → 2014-05-06T00:00:01.500Z',
    ],
    ['lastModified', { lastModified: date('2014-05-06') }, 'lastmod none → 2014-05-06'],
    ['lastModified', { lastModifiedBefore: date('2014-05-06') }, 'lastmod 2014-05-06 → none'],
    ['priority', { priorityBefore: 0, priority: 1 }, 'priority 0 → 1'],
    ['changeFrequency', { changeFrequency: 'daily' }, 'changefreq none → daily'],
    ['changeFrequency', { changeFrequencyBefore: 'daily' }, 'changefreq daily → none'],
    ['newsStory', {}, 'news'],
    ['images', {}, 'images'],
    ['videos', {}, 'videos'],
    ['alternates', {}, 'alternates'],
  ])('of %s', async (field, more, words) => {
    expect(await changed([field], more)).toBe(words);
  });

  test('of several fields are divided by commas', async () => {
    expect(await changed(['images', 'newsStory', 'videos'], {})).toBe('images, news, videos');
  });

  test('have a sign each', async () => {
    const { text, rows } = await printed('changes', [comparison(ROWS)]);
    expect(text).toBe('+ https://a.example/1\n~ https://a.example/2  images\n- https://a.example/3\n');
    expect(rows).toEqual([3]);
  });
});

describe('the kinds that are printed', () => {
  test.each<[string, readonly ChangeRow['type'][] | undefined, number]>([
    ['changes', undefined, 3],
    ['pages', undefined, 2],
    ['pages', ['removed'], 1],
    ['pages', ['added', 'removed', 'changed'], 3],
    ['ndjson', ['changed'], 1],
    ['csv', undefined, 3],
    ['json', ['added', 'removed'], 2],
  ])('%s with --only %s', async (format, only, many) => {
    expect((await printed(format, [comparison(ROWS)], only === undefined ? {} : { only })).rows).toEqual([
      many,
    ]);
  });
});

describe('several comparisons', () => {
  const two = [comparison(ROWS.slice(0, 1)), comparison(ROWS.slice(1), { ...COUNTS, added: 10, same: 7 })];

  test('are one document with the sum of their counts; what is the same is so in the last one', async () => {
    const { text, rows } = await printed('json', two);
    const { changes, counts } = JSON.parse(text);
    expect([changes.length, rows]).toEqual([3, [1, 2]]);
    expect(counts).toEqual({ added: 11, removed: 4, changed: 6, same: 7, unknown: 10 });
  });

  test('have one heading', async () => {
    const { text } = await printed('csv', two);
    expect(text.match(/^type,/gm)).toHaveLength(1);
    expect(text.split('\n')).toHaveLength(5);
  });

  test('without a comparison there is no heading and no document', async () => {
    for (const format of ['changes', 'pages', 'ndjson', 'csv', 'json'])
      expect(await printed(format, [])).toEqual({ text: '', rows: [] });
  });
});

describe('rows', () => {
  const FULL = row('changed', '/2', {
    site: 'https://a.example/',
    fields: ['lastModified', 'images'],
    lastModified: new Date('2014-05-07'),
    changeFrequency: 'daily',
    lastModifiedBefore: new Date('2014-05-06'),
    priorityBefore: 0.1,
    changeFrequencyBefore: 'weekly',
  });
  const verdictOf = (url: string) =>
    ({ allowed: url.endsWith('/1'), rule: 'Allow: /', ruleLine: 2 }) as never;

  test('of CSV have every value in its column, and what an agent may fetch', async () => {
    const values = [
      'changed,https://a.example/,https://a.example/s.xml,https://a.example/2,lastModified images',
      '2014-05-07T00:00:00.000Z,0.5,daily,2014-05-06T00:00:00.000Z,0.1,weekly',
    ].join(',');
    const heading =
      'type,site,sitemap,url,fields,lastModified,priority,changeFrequency,lastModifiedBefore,priorityBefore,changeFrequencyBefore';
    expect((await printed('csv', [comparison([FULL])])).text).toBe(`${heading}\n${values}\n`);
    expect((await printed('csv', [comparison([FULL])], { verdictOf })).text).toBe(
      `${heading},allowed,rule,ruleLine\n${values},false,Allow: /,2\n`,
    );
  });

  test('of JSON have them, too', async () => {
    const lines = (await printed('ndjson', [comparison(ROWS)], { verdictOf })).text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).allowed)).toEqual([true, false, false]);
    const document = await printed('json', [comparison(ROWS)], { verdictOf });
    expect(JSON.parse(document.text).changes[0]).toMatchObject({
      allowed: true,
      rule: 'Allow: /',
      ruleLine: 2,
    });
  });

  test('a file is replaced at the end', async () => {
    const output = `${folder()}/changes`;
    const { text } = await printed('pages', [comparison(ROWS)], { output });
    expect([text, readFileSync(output, 'utf8')]).toEqual(['', 'https://a.example/1\nhttps://a.example/2\n']);
  });

  test('of Parquet have them, too, in a file that is replaced at the end and otherwise stays', async () => {
    const place = folder();
    const output = `${place}/changes`;
    writeFileSync(output, 'before');
    const broken = {
      counts: COUNTS,
      async *[Symbol.asyncIterator]() {
        yield FULL;
        throw new Error('broken');
      },
    };
    await expect(printed('parquet', [broken], { output })).rejects.toThrow('broken');
    expect([readFileSync(output, 'utf8'), readdirSync(place)]).toEqual(['before', ['changes']]);
    const { text, rows } = await printed('parquet', [comparison(ROWS), comparison([FULL])], {
      output,
      verdictOf,
    });
    expect([text, rows, readdirSync(place)]).toEqual(['', [3, 1], ['changes']]);
    const table = tableOf(output)
      .toArray()
      .map((each) => each?.toJSON());
    expect(table.map(({ type, allowed }) => [type, allowed])).toEqual([
      ['added', true],
      ['changed', false],
      ['removed', false],
      ['changed', false],
    ]);
    expect(table[3]).toMatchObject({
      url: FULL.url,
      priorityBefore: 0.1,
      rule: 'Allow: /',
      changeFrequencyBefore: 'weekly',
    });
    const only = await printed('parquet', [comparison(ROWS)], { output, only: ['removed'] });
    expect([only.rows, tableOf(output).numRows]).toEqual([[1], 1]);
    expect(tableOf(output).toArray()[0]?.toJSON()).toMatchObject({
      type: 'removed',
      allowed: null,
      rule: null,
    });
  });

  test.each([undefined, '-'])('parquet needs a file, and not %s', async (output) => {
    await expect(printed('parquet', [], output === undefined ? {} : { output })).rejects.toThrow(
      '-f parquet needs -o FILE.',
    );
  });
});

test.each([
  [{ added: 0, removed: 0, changed: 0, unknown: 0 }, '0 pages added, 0 removed, 0 changed'],
  [{ added: 1, removed: 2, changed: 3, unknown: 0 }, '1 page added, 2 removed, 3 changed'],
  [
    { added: 1000, removed: 2000, changed: 3000, unknown: 4000 },
    '1,000 pages added, 2,000 removed, 3,000 changed, 4,000 unknown',
  ],
])('the sentence of %j', (counts, words) => {
  expect(describeChanges(counts)).toBe(words);
});
