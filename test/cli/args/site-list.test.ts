/** §14: the list of sites: what a line or a cell means, and what is reported of those that are no site. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SiteList, type SiteListOptions } from '../../../src/cli/args/site-list.ts';
import { folder } from '../../support/folder.ts';

interface Listed {
  readonly sites: readonly string[];
  readonly size: number;
  readonly bad: readonly { readonly line: number; readonly why: string }[];
  readonly badCount: number;
}

async function listOf(text: string | Uint8Array, options: SiteListOptions = {}): Promise<Listed> {
  const file = `${folder()}/list`;
  writeFileSync(file, text);
  const list = await SiteList.read(file, options, {
    stdin: (async function* () {})(),
    signal: new AbortController().signal,
  });
  const { size, bad, badCount } = list;
  return { sites: [...list.sites(() => true)], size, bad, badCount };
}

describe('a line', () => {
  test.each<[string, readonly string[]]>([
    ['https://a.example/x/y?z#f', ['https://a.example/']],
    ['https://a.example?z', ['https://a.example/']],
    ['https://a.example/#f', ['https://a.example/']],
    ['  a.example  ', ['https://a.example/']],
    ['\ta.example\r', ['https://a.example/']],
    ['HTTP://A.Example:8080', ['http://a.example:8080/']],
    ['a.example:443', ['https://a.example/']],
    ['münchen.example', ['https://xn--mnchen-3ya.example/']],
    ['', []],
    ['   ', []],
    ['# a comment', []],
    ['  # a comment', []],
    ['#https://a.example', []],
  ])('%j', async (line, sites) => {
    expect(await listOf(`${line}\n`)).toEqual({ sites, size: sites.length, bad: [], badCount: 0 });
    // The last line of a file may have no end.
    expect((await listOf(line)).sites).toEqual(sites);
  });

  test.each([
    ['https://a.example/x?y#z', 'https://a.example/x/'],
    ['https://a.example/x/', 'https://a.example/x/'],
    ['https://a.example', 'https://a.example/'],
  ])('with --no-normalize, %s keeps its path, which ends in a slash', async (line, site) => {
    expect((await listOf(line, { normalize: false })).sites).toEqual([site]);
    expect((await listOf(line, { normalize: true })).sites).toEqual(['https://a.example/']);
  });

  test.each([
    ['no site', '"no site" is not an http or https URL or a host'],
    ['ftp://a.example', '"ftp://a.example" is not an http or https URL or a host'],
    ['https://u@a.example', '"https://a.example" has a user or a password; -H sends an Authorization header'],
    [
      'https://:p@a.example',
      '"https://a.example" has a user or a password; -H sends an Authorization header',
    ],
    ['x'.repeat(90), `"${'x'.repeat(80)}…" is not an http or https URL or a host`],
  ])('%s is bad, with the number of its line', async (line, why) => {
    const list = await listOf(`# comment\n\na.example\n${line}\nb.example`);
    expect(list).toEqual({
      sites: ['https://a.example/', 'https://b.example/'],
      size: 2,
      bad: [{ line: 4, why }],
      badCount: 1,
    });
  });

  test('of a site that was there before is not a second one, whatever is between', async () => {
    const { sites, size } = await listOf('a.example\nb.example\nhttps://A.example/x\nc.example\nb.example/');
    expect([sites, size]).toEqual([['https://a.example/', 'https://b.example/', 'https://c.example/'], 3]);
  });

  test('lines that end in CRLF, and a byte order mark in front', async () => {
    expect((await listOf('\ufeffa.example\r\nb.example\r\n')).sites).toEqual([
      'https://a.example/',
      'https://b.example/',
    ]);
  });

  test('bytes that are not UTF-8 cost their line', async () => {
    const { sites, badCount } = await listOf(Buffer.from('a.example\n\xfc b\nc.example\n', 'latin1'));
    expect([sites, badCount]).toEqual([['https://a.example/', 'https://c.example/'], 1]);
  });

  test('of a single byte is one', async () => {
    expect(await listOf('x')).toMatchObject({ sites: [], bad: [{ line: 1 }], badCount: 1 });
    expect(await listOf('')).toMatchObject({ sites: [], badCount: 0 });
  });

  test('the first 1,000 bad ones are kept, and all are counted', async () => {
    const { bad, badCount } = await listOf('no site\n'.repeat(1001));
    expect([bad.length, bad.at(-1)?.line, badCount]).toEqual([1000, 1000, 1001]);
    expect((await listOf('no site\n'.repeat(1000))).bad).toHaveLength(1000);
  });
});

describe('a column', () => {
  const CSV =
    'Name, Site ,x\none, a.example ,1\n\ntwo,b.example,2\n# three,c.example,3\nfour,,4\nfive,no site,5\n';

  test.each(['Site', ' site ', 'SITE', '2'])('%j is that of its name or its number', async (column) => {
    const { sites, bad } = await listOf(CSV, { column });
    expect(sites).toEqual(['https://a.example/', 'https://b.example/', 'https://c.example/']);
    expect(bad.map(({ line }) => line)).toEqual(column === '2' ? [1, 7] : [7]);
  });

  test.each([
    ['4', 'has no column "4"'],
    ['0', 'has no column "0"'],
    ['Sites', 'has no column "Sites"'],
    ['y'.repeat(90), `has no column "${'y'.repeat(80)}…"`],
  ])('%s that is not there is bad usage', async (column, message) => {
    if (column === '4') expect((await listOf(CSV, { column })).sites).toEqual([]);
    else await expect(listOf(CSV, { column })).rejects.toThrow(message);
  });

  test('the last row may have no end, and a comment is a cell that begins with #', async () => {
    const { sites } = await listOf('site\na.example\n#b.example\nc.example', { column: 'site' });
    expect(sites).toEqual(['https://a.example/', 'https://c.example/']);
  });
});

test('a quote that is not closed is a bad line, which names how far it goes: in a row, and in the heading', async () => {
  const row = await listOf('name,site\na,a.example\n"b,b.example\nc,c.example\n', { column: 'site' });
  expect(row).toMatchObject({ sites: ['https://a.example/'], badCount: 1 });
  expect(row.bad).toEqual([{ line: 3, why: expect.stringMatching(/^it has a quote .* up to line \d+$/) }]);
  const heading = await listOf('site,"name\na.example,a\n', { column: 'site' });
  expect(heading.bad).toEqual([{ line: 1, why: expect.stringContaining('a quote that is not closed') }]);
});

test('a list of several pieces has each site once, in its order', async () => {
  const names = Array.from({ length: 6000 }, (_, at) => `https://${at}.example.org/`);
  const { sites, size } = await listOf(names.join('\n'));
  expect([sites, size]).toEqual([names, 6000]);
});

test('the sites that are wanted are counted and given in order, as often as they are asked for', async () => {
  const file = `${folder()}/list`;
  writeFileSync(file, 'a.example\nb.example\nc.example\n');
  const io = { stdin: (async function* () {})(), signal: new AbortController().signal };
  const list = await SiteList.read(file, {}, io);
  const isWanted = (site: string): boolean => !site.includes('b.');
  for (const _ of [1, 2]) {
    expect(list.countOf(isWanted)).toBe(2);
    expect([...list.sites(isWanted)]).toEqual(['https://a.example/', 'https://c.example/']);
  }
});
