/** §16: the rows of an input: what its form is, where each row is, and why one cannot be read. */
import { describe, expect, test } from 'vitest';
import { type InputRow, pageRows } from '../../../src/cli/args/page-rows.ts';
import { LONGEST_ROW } from '../../../src/cli/args/row-text.ts';
import { written } from '../../support/folder.ts';

const A = 'https://example.org/a';
const B = 'https://example.org/b';
const signal = new AbortController().signal;

interface Read {
  readonly rows: readonly InputRow[];
  readonly unread: readonly string[];
}

async function collected(
  path: string,
  stdin: AsyncIterable<Uint8Array>,
  column: readonly string[],
): Promise<Read> {
  const rows: InputRow[] = [];
  const unread: string[] = [];
  for await (const row of pageRows(path, { column }, { stdin, signal }, (name) => unread.push(name)))
    rows.push(row);
  return { rows, unread };
}

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The rows of a file of this name; of `-`, those of stdin, which must be the same in single bytes. */
async function read(text: string, name = '-', ...column: readonly string[]): Promise<Read> {
  if (name !== '-') return collected(written({ [name]: text })(name), inPieces('', 1), column);
  const whole = await collected('-', inPieces(text, text.length + 1), column);
  expect(await collected('-', inPieces(text, 1), column)).toEqual(whole);
  return whole;
}

/** The URLs of the rows, or why they have none. */
async function urls(text: string, name?: string, ...column: readonly string[]): Promise<unknown[]> {
  const { rows } = await read(text, name, ...column);
  return rows.map(({ page, refusal }) =>
    page === undefined
      ? refusal
      : typeof page === 'string'
        ? page
        : (Reflect.get(page, 'url') ?? Reflect.get(page, 'loc')),
  );
}

describe('a list of URLs', () => {
  test.each([
    ['one', A],
    ['lines', `${A}\n${B}`],
    ['lines of Windows', `${A}\r\n${B}\r\n`],
    ['white space', `\n \n  ${A} \t\n\n${B}\n \n`],
    ['comments', `# one\n${A}\n  # two\n${B}\n#`],
    ['a comma in a URL', `${A},x\n${B}`],
    ['a semicolon and a number', `${A};2024\n`],
    ['a quote', `'${A}'\n`],
    ['a capital scheme', `HTTPS://example.org/\n`],
    ['paths', `/a\n/b`],
  ])('with %s', async (_what, text) => {
    const expected = text.split('\n').map((line) => line.trim());
    expect(await urls(text)).toEqual(expected.filter((line) => line !== '' && !line.startsWith('#')));
  });

  test('has the numbers of rows and of lines', async () => {
    const { rows } = await read(`\n# x\n${A}\n\n${B}`);
    expect(rows).toEqual([
      { row: 1, line: 3, page: A },
      { row: 2, line: 5, page: B },
    ]);
  });

  test('a line may have a million characters', async () => {
    const long = (length: number): string => `/${'x'.repeat(length - 1)}`;
    const { rows } = await read(`${long(LONGEST_ROW)}\n${long(LONGEST_ROW + 1)}\n${A}\n`, 'list.txt');
    expect(rows.map(({ row, refusal }) => [row, refusal])).toEqual([
      [1, undefined],
      [2, 'it has more than 1,000,000 characters'],
      [3, undefined],
    ]);
    expect(rows[2]?.page).toBe(A);
  });
});

describe('the form of rows', () => {
  const CSV = `loc,title\n${A},x\n`;
  test.each<[string, string, string]>([
    ['a heading', '-', CSV],
    ['a heading behind empty lines', '-', `\n\n${CSV}`],
    ['a heading in quotes', '-', `"loc","title"\n"${A}","x"\n`],
    ['one column with a heading', '-', `loc\n${A}`],
    ['a URL and a tab, in a CSV', 'a.csv', `loc\ttitle\n${A}\tx`],
    ['.tab', 'a.tab', `loc\ttitle\n${A}\tx`],
    ['.TSV', 'a.TSV', `loc\ttitle\n${A}\tx`],
    ['.ndjson', 'a.ndjson', `\n{"loc":"${A}"}\n`],
    ['.jsonl', 'a.jsonl', `{"loc":"${A}"}\n`],
    ['.JSONL', 'a.JSONL', `{"loc":"${A}"}`],
    ['.json', 'a.json', `[{"loc":"${A}"}]`],
    ['.json with a text', 'a.json', `"${A}"`],
    ['.JSON with a text', 'a.JSON', `"${A}"`],
    ['an object', '-', `{"loc":"${A}"}`],
    ['an object in lines', '-', `{\n"loc":\n"${A}"\n}`],
    ['a list behind white space', '-', `\n [{"loc":"${A}"}]`],
    ['a list in lines', '-', `[\n{"loc":"${A}"}\n]\n`],
    ['a list on one line, and nothing else', '-', `["${A}"]\n`],
  ])('is found out of %s', async (_what, name, text) => {
    expect(await urls(text, name)).toEqual([A]);
  });

  test('NDJSON by its name: a first line that is not JSON costs that row', async () => {
    expect(await urls(`nothing\n{"loc":"${A}"}\n`, 'a.ndjson')).toEqual(['"nothing" is not JSON', A]);
    expect(await urls(`["x"]\n{"loc":"${A}"}\n`, 'a.jsonl')).toEqual([
      '"["x"]" is neither an object nor a text',
      A,
    ]);
  });

  test.each([
    `${A}\t2024\n`,
    `${A},${B}\n`,
    `${A}, "${B}"\n`,
    `${A};HTTPS://example.org/\n`,
    `${A},2024-05\n`,
    `${A},2024-05-06\n`,
    `${A};"2024-05"\n`,
    `"${A}";2024-05;x\n`,
    `${A},x,2024-05-06T10:00\n`,
  ])('%j is columns without a heading', async (text) => {
    await expect(read(text)).rejects.toMatchObject({
      message: 'The first line of stdin has no names of columns.',
      hint: '--column url=1 reads the URLs of column 1; --column lastmod=N others.',
    });
  });

  test.each([`${A},2024\n`, `${A},2024-5\n`, `${A}?x=1,2024-056\n`, `${A},x\n`])(
    '%j is a URL',
    async (text) => {
      expect(await urls(text)).toEqual([text.trim()]);
    },
  );

  test('with --column a list is one column', async () => {
    expect(await urls(`${A}\n${B}\n`, '-', 'url=1')).toEqual([A, B]);
  });

  test('XML is none, and neither is a line that does not end', async () => {
    await expect(read('  <urlset>')).rejects.toThrow('stdin is XML, and not rows.');
    const long = 'x'.repeat(1024 * 1024);
    await expect(read(long, 'a.csv')).rejects.toThrow(
      /The first line of .+a\.csv has over a million characters: these are not rows\./,
    );
    await expect(read(long.slice(0, 999_999), 'a.csv')).rejects.toThrow('has no column "url" or "loc"');
  });
});

describe('CSV', () => {
  test('has the numbers of rows and of lines, without empty rows', async () => {
    const { rows } = await read(`url,title\n${A},"x\ny"\n,\n\n${B},z\n`);
    expect(rows.map(({ row, line, page }) => [row, line, Reflect.get(page as object, 'url')])).toEqual([
      [1, 2, A],
      [2, 6, B],
    ]);
  });

  test('cells have no white space around them', async () => {
    const { rows } = await read(` url , lastmod \n ${A} , 2024 \n`);
    expect({ ...(rows[0]?.page as object) }).toEqual({ url: A, lastmod: '2024' });
  });

  test.each([
    [`${A}`, A],
    [`${A},`, A],
    [`${A},,`, A],
    [`${A},x,,  ,`, A],
    [`${A},x,y`, 'it has 3 cells, and the first line 2; a cell with a separator needs quotes'],
    [`${A},x,,y`, 'it has 4 cells, and the first line 2; a cell with a separator needs quotes'],
    [`${A},"x,y"`, A],
  ])('a row %j below two columns', async (row, result) => {
    expect(await urls(`url,title\n${row}\n${B},z\n`)).toEqual([result, B]);
  });

  test('a row that is too long costs that row', async () => {
    const { rows } = await read(`url,title\n${A},${'x'.repeat(LONGEST_ROW)}\n${B},y\n`, 'a.csv');
    expect(rows.map(({ row, line, refusal }) => [row, line, refusal])).toEqual([
      [1, 2, 'it has more than 1,000,000 characters'],
      [2, 3, undefined],
    ]);
  });

  test('a quote that is not closed costs its row, also in the heading', async () => {
    const last = (await read(`url,title\n${A},x\n${B},"y\nz\n`)).rows.at(-1);
    expect(last).toMatchObject({ row: 2, line: 3, refusal: expect.stringMatching(/up to line \d+$/) });
    const { rows } = await read(`url,"title\n${A},x\n`);
    expect(rows).toEqual([
      { row: 1, line: 1, refusal: expect.stringContaining('a quote that is not closed') },
    ]);
  });

  test.each<[string, string, readonly string[], readonly unknown[]]>([
    ['a number where there is no heading', `2024,${A}\n2023,${B}\n`, ['url=2'], [A, B]],
    ['numbers of which one is behind the row', `${A}\n${B}\n`, ['url=1', 'lastmod=3'], [A, B]],
    ['more cells than are named', `${A},x,y\n${B},x\n`, ['url=1'], [A, B]],
    ['a number below a heading', `when,link\n2024,${A}\n`, ['url=2'], [A]],
    ['a name and a number', `link,when\n${A},2024\n`, ['url=link', 'lastmod=2'], [A]],
    ['a path in the column', `x,/a\n`, ['url=2'], ['/a']],
  ])('--column with %s', async (_what, text, column, expected) => {
    expect(await urls(text, '-', ...column)).toEqual(expected);
  });

  test('--column with a name needs a heading, also where the URLs have a number', async () => {
    await expect(read(`${A},2024\n`, '-', 'url=1', 'lastmod=When')).rejects.toThrow('has no column "When"');
  });

  test('--column with numbers gives each its field', async () => {
    const { rows } = await read(`2024,${A},0.5\n`, '-', 'priority=3', 'lastmod=1', 'url=2');
    expect({ ...(rows[0]?.page as object) }).toEqual({ url: A, lastModified: '2024', priority: '0.5' });
  });

  test.each<[string, string, string]>([
    [`a,${A}\n`, '-', '--column url=2 reads the URLs of column 2; --column lastmod=N others.'],
    [
      'a,b\n',
      '-',
      'its first line has "a", "b"; --column url=NAME says which has the URLs, by its name or its number.',
    ],
  ])('%j has no column for the URL', async (text, name, hint) => {
    await expect(read(text, name)).rejects.toMatchObject({ hint });
  });
});

describe('JSON', () => {
  test.each<[string, string, readonly unknown[]]>([
    ['objects and texts', `[{"url":"${A}"},"${B}"]`, [A, B]],
    ['objects that follow each other', `{\n"url":"${A}"\n}\n{"url":"${B}"}`, [A, B]],
    ['objects without a space', `{"url":\n"${A}"}{"url":"${B}"}`, [A, B]],
    [
      'what is no row',
      `[null,7,true,["x"],"${A}"]`,
      ['null', '7', 'true', '["x"]']
        .map((text): string => `"${text}" is neither an object nor a text`)
        .concat(A),
    ],
    ['nothing', '[]', []],
  ])('with %s', async (_what, text, expected) => {
    expect(await urls(text)).toEqual(expected);
  });

  test('rows are numbered, and lines are known where each is one', async () => {
    expect((await read(`[{"url":"${A}"},7,"${B}"]`)).rows.map(({ row, line }) => [row, line])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, undefined],
    ]);
    const lines = `{"url":"${A}"}\n\nnull\n"${B}"`;
    expect((await read(lines)).rows.map(({ row, line, refusal }) => [row, line, refusal])).toEqual([
      [1, 1, undefined],
      [2, 3, '"null" is neither an object nor a text'],
      [3, 4, undefined],
    ]);
  });

  test('a long text that is no row is named by its beginning', async () => {
    expect(await urls(`{"url":"${A}"}\n${'x'.repeat(81)}\n${'y'.repeat(80)}`)).toEqual([
      A,
      `"${'x'.repeat(80)}…" is not JSON`,
      `"${'y'.repeat(80)}" is not JSON`,
    ]);
  });

  test('that ends inside of a row is refused, with how many there were', async () => {
    await expect(read(`[{"url":"${A}"},{"url":`)).rejects.toThrow(
      'stdin ends inside of its JSON, after 1 row: it may be cut off.',
    );
  });

  test('a row that does not end is refused, with its number', async () => {
    const long = `[\n"${A}",\n"${B}",\n"${'x'.repeat(16 * 1024 * 1024)}`;
    await expect(read(long, 'a.json')).rejects.toThrow(
      /^Row 3 of .+a\.json does not end: rows of JSON are a list/,
    );
  });

  test('a column of it has no number', async () => {
    await expect(read('{"a":1}', '-', 'url=1')).rejects.toThrow(
      'the rows of stdin are JSON, and have names only.',
    );
  });

  test('a key that --column names wins', async () => {
    const { rows, unread } = await read(`{"url":"x","Link":"${A}"}\n{"link":"${B}"}`, '-', 'url=link');
    expect(rows.map(({ page }) => Reflect.get(page as object, 'url'))).toEqual([A, B]);
    expect(unread).toEqual(['url']);
  });
});

test('values that are left out are named with their row', async () => {
  const { rows } = await read(`url,videos\n${A},no\n${B},\n`);
  expect(rows.map(({ leftOut }) => leftOut)).toEqual([['its videos are not JSON; left out'], undefined]);
});

test('nothing has no rows', async () => {
  for (const text of ['', '\n', ' \n\n', '# only a comment'])
    expect((await read(text).catch(() => ({ rows: [] }))).rows).toEqual([]);
});
