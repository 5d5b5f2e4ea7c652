/** §16: `usp write`: rows of any form become a set of sitemaps; what is refused is named. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Told, usp, type WorldOptions } from '../support/cli-world.ts';
import { filesIn } from '../support/fix-world.ts';
import { folder, written } from '../support/folder.ts';

const A = 'https://example.org/a';
const B = 'https://example.org/b';
const BASE = ['--base', 'https://example.org/'];

interface Report {
  readonly problems: readonly Readonly<Record<string, unknown>>[];
  readonly problemCounts: Readonly<Record<string, number>>;
  readonly rows: number;
  readonly refused: number;
  readonly pages: number;
  readonly url: string;
}

interface Wrote extends Told {
  readonly report: Report;
  /** The entries of sitemap.xml. */
  readonly entries: readonly string[];
}

async function write(argv: readonly string[], options?: WorldOptions): Promise<Wrote> {
  const into = join(folder(), 'out');
  const told = await usp(['write', ...argv, '-o', into, ...BASE, '-f', 'json'], options);
  const xml = filesIn(into)['sitemap.xml'] ?? '';
  const entries = xml.split('\n').filter((line) => line.startsWith('<url>'));
  return { ...told, entries, report: told.stdout === '' ? undefined : JSON.parse(told.stdout) };
}

/** Writes one file of rows. */
function writeFile(name: string, content: string | Uint8Array, ...argv: string[]): Promise<Wrote> {
  return write([written({ [name]: content })(name), ...argv]);
}

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
const ENTRIES = [`<url><loc>${A}</loc><lastmod>2024-05</lastmod></url>`, `<url><loc>${B}</loc></url>`];

describe('the form of rows is found out', () => {
  test.each<[string, string, string | Uint8Array]>([
    ['CSV', 'rows.csv', `url,lastmod\n${A},2024-05\n${B},\n`],
    [
      'CSV with semicolons, a BOM and lines of Windows',
      'rows.csv',
      `\ufeff"url";"lastmod"\r\n"${A}";2024-05\r\n${B};\r\n`,
    ],
    ['CSV with another ending', 'rows.dat', `id,loc,lastmod\n,${A},2024-05\n,${B}`],
    ['TSV', 'rows.tsv', `Last Modified\tURL\n2024-05\t${A}\n\t${B}\n`],
    ['text of a spreadsheet, in UTF-16', 'rows.txt', utf16(`url\tlastmod\r\n${A}\t2024-05\r\n${B}\t\r\n`)],
    ['NDJSON', 'rows.ndjson', `{"url":"${A}","lastModified":"2024-05"}\n\n"${B}"\n`],
    ['NDJSON with another ending', 'rows', `{"loc":"${A}","lastmod":"2024-05"}\n{"loc":"${B}"}`],
    ['a list of JSON', 'rows.json', `[{"url":"${A}","lastmod":"2024-05"},"${B}"]`],
    [
      'a list of JSON in lines',
      'rows',
      JSON.stringify([{ loc: A, lastmod: '2024-05' }, { url: B }], null, 2),
    ],
    [
      'objects that follow each other',
      'rows',
      `{\n"loc": "${A}",\n"lastmod": "2024-05"\n}\n{\n"url": "${B}"}\n`,
    ],
  ])('%s', async (_what, name, content) => {
    const { entries, report, code, stderr } = await writeFile(name, content);
    expect([code, stderr, entries]).toEqual([0, '', ENTRIES]);
    expect(report).toMatchObject({
      problems: [],
      rows: 2,
      refused: 0,
      pages: 2,
      url: 'https://example.org/sitemap.xml',
    });
  });

  test('a list of URLs, with commas and comments in it', async () => {
    const { entries, report } = await writeFile('urls.txt', `\n# ours\n${A}\n\n${B},x;y\n/c\n`);
    expect(entries).toEqual(
      [A, `${B},x;y`, 'https://example.org/c'].map((url) => `<url><loc>${url}</loc></url>`),
    );
    expect(report.problems).toMatchObject([{ row: 3, line: 6, code: 'relative-url' }]);
  });

  test.each(['url;lastmod\n', '{"url":"', `${A}\n`])('stdin in single bytes: %s', async (beginning) => {
    const rows = { u: `${A};2024-05\n${B};`, '{': `${A}","lastmod":"2024-05"}\n{"loc":"${B}"}\n`, h: B };
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for (const byte of Buffer.from(beginning + rows[beginning[0] as keyof typeof rows]))
        yield Uint8Array.of(byte);
    }
    const { entries } = await write(['-'], { chunks: bytes() });
    const expected = beginning.startsWith('h') ? [`<url><loc>${A}</loc></url>`, ENTRIES[1]] : ENTRIES;
    expect(entries).toEqual(expected);
  });

  test('several inputs are one set, and each problem names its input', async () => {
    const path = written({ 'a.csv': `url\n${A}\n \nnope:x\n`, 'b.txt': `${B}\n\nmailto:x\n` });
    const { entries, report } = await write([path('a.csv'), path('b.txt'), path('*.csv')]);
    expect(entries).toHaveLength(2);
    expect(report.problems.map(({ input, row, line }) => [input, row, line])).toEqual([
      [path('a.csv'), 2, 4],
      [path('b.txt'), 2, 3],
    ]);
  });
});

describe('columns', () => {
  const CSV = `Link;Changed at;loc\n${A};2024-05;x\n${B};;y\n`;

  test.each<[string, readonly string[]]>([
    ['names', ['--column', 'url=Link', '--column', 'lastmod=changed AT']],
    ['numbers', ['--column', 'loc=1', '--column', 'lastModified=2']],
    ['both', ['--column', 'url=Link', '--column', 'lastmod=2']],
  ])('are given by %s, and win over those with a known name', async (_what, argv) => {
    const { entries, report, stderr } = await writeFile('rows.csv', CSV, ...argv);
    expect(entries).toEqual(ENTRIES);
    expect(report.problems).toEqual([]);
    expect(stderr).toMatch(/^.+rows\.csv: "loc" is not read, since --column names another one\.\n$/);
  });

  test('numbers may name columns of rows without a line of names', async () => {
    const argv = ['--column', 'url=2', '--column', 'lastmod=1'];
    expect((await writeFile('rows.csv', `2024-05,${A}\n,${B}\n`, ...argv)).entries).toEqual(ENTRIES);
  });

  test('a name may have a = in it, and keys of JSON are named too', async () => {
    const csv = await writeFile('rows.csv', `url,a=b\n${A},2024-05\n${B},\n`, '--column', 'lastmod=a=b');
    expect(csv.entries).toEqual(ENTRIES);
    const rows = [{ url: 'x', Link: A, 'a=b': '2024-05' }, { link: B }];
    const json = await writeFile(
      'rows.json',
      JSON.stringify(rows),
      '--column',
      'lastmod=a=b',
      '--column',
      'url=Link',
    );
    expect([json.entries, json.stderr]).toEqual([ENTRIES, expect.stringContaining('"url" is not read')]);
  });

  test('what is in columns without a use is reported, also where a name is missing or repeated', async () => {
    const { report } = await writeFile('rows.csv', `url,price,,URL,updated\n${A},3,x,${B},2024\n`);
    expect(
      report.problems.map(({ message }) =>
        /^The field "(.*?)" .*?\. (.{0,13})/.exec(String(message))?.slice(1),
      ),
    ).toEqual([
      ['price', 'The fields ar'],
      ['column 3', 'The fields ar'],
      ['URL (column 4)', 'The fields ar'],
      ['updated', 'Did you mean '],
    ]);
    expect(report.problems[0]).not.toHaveProperty('row');
  });

  test.each<[string, string, readonly string[], RegExp]>([
    [
      'no URL',
      'a.csv',
      ['a,b\n1,2\n'],
      /a\.csv has no column "url" or "loc"\.\nhint: its first line has "a", "b"; --column url=NAME/,
    ],
    [
      'no names',
      'a.csv',
      [`2024,${A}\n`],
      /first line of .+a\.csv has no names of columns\.\nhint: --column url=2/,
    ],
    [
      'no names, in a text',
      'a.txt',
      [`${A},2024-05-06\n`],
      /has no names of columns\.\nhint: --column url=1/,
    ],
    [
      'an unknown column',
      'a.csv',
      ['url\nx\n', '--column', 'lastmod=When'],
      /has no column "When"\.\nhint: its first line has "url"/,
    ],
    ['a number that is too high', 'a.csv', ['url\nx\n', '--column', 'lastmod=2'], /has no column "2"/],
    [
      'an unknown field',
      'a.csv',
      ['url\n', '--column', 'lastMood=x'],
      /--column: "lastMood" is not a field of a page\.\nhint: the fields are url/,
    ],
    [
      'no field',
      'a.csv',
      ['url\n', '--column', '=x'],
      /--column needs FIELD=NAME, not "=x"\.\nhint: as --column url=Link/,
    ],
    ['no name', 'a.csv', ['url\n', '--column', 'url'], /--column needs FIELD=NAME, not "url"/],
    [
      'a field twice',
      'a.csv',
      ['url,b\n', '--column', 'loc=url', '--column', 'url=b'],
      /--column names the field url twice/,
    ],
    [
      'a column twice',
      'a.csv',
      ['url,b\n', '--column', 'url=b', '--column', 'lastmod=2'],
      /--column names the column "b" twice/,
    ],
    ['a number for JSON', 'a.json', ['[]', '--column', 'url=1'], /--column url=1: the rows of .+ are JSON/],
    ['XML', 'a.xml', ['<urlset/>'], /a\.xml is XML, and not rows\.\nhint: usp fix/],
    ['JSON that is cut off', 'a.json', [`[{"url":"${A}"},`], /ends inside of its JSON, after 1 row:/],
  ])('%s is bad usage', async (_what, name, [content = '', ...argv], message) => {
    const { code, stderr, entries } = await writeFile(name, content, ...argv);
    expect([code, stderr, entries]).toEqual([2, expect.stringMatching(message), []]);
  });

  test('bytes that are not UTF-8 write no wrong URL', async () => {
    const { code, stderr } = await writeFile(
      'rows.csv',
      Buffer.from('url\nhttps://example.org/ü\n', 'latin1'),
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/rows\.csv is not UTF-8\.\nhint: save it as UTF-8/),
    ]);
  });
});

describe('more than a URL and a date', () => {
  const IMAGES =
    '<image:image><image:loc>https://example.org/1.jpg</image:loc></image:image><image:image><image:loc>https://example.org/2%203.jpg</image:loc></image:image>';
  const LINKS = ['de', 'fr']
    .map((code) => `<xhtml:link rel="alternate" hreflang="${code}" href="${A}/${code}"/>`)
    .join('');
  const NEWS =
    '<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>' +
    '<news:publication_date>2024-05-06</news:publication_date><news:title>T</news:title><news:keywords>a, b</news:keywords></news:news>';
  const story = { title: 'T', publishDate: '2024-05-06', publicationName: 'N', publicationLanguage: 'en' };
  const cell = (value: unknown): string => `"${JSON.stringify(value).replaceAll('"', '""')}"`;

  test.each<[string, string, string]>([
    [
      'images in one cell',
      `url,images\n${A},https://example.org/1.jpg https://example.org/2 3.jpg\n`,
      IMAGES,
    ],
    [
      'images in two columns',
      `url,image,image\n${A},https://example.org/1.jpg,https://example.org/2 3.jpg\n`,
      IMAGES,
    ],
    [
      'images as JSON',
      `url,images\n${A},${cell([{ loc: 'https://example.org/1.jpg' }, 'https://example.org/2 3.jpg'])}\n`,
      IMAGES,
    ],
    [
      'a column for each language',
      `url,alternate:de,Alternate: fr,alternate:it\n${A},${A}/de,${A}/fr,\n`,
      LINKS,
    ],
    ['alternates as JSON', `url,alternates\n${A},${cell({ de: `${A}/de`, fr: `${A}/fr` })}\n`, LINKS],
    ['alternates as usp ls prints them', `url,alternates\n${A},de=${A}/de fr=${A}/fr\n`, LINKS],
    [
      'alternates as JSON and as a column',
      `url,alternates,alternate:fr\n${A},${cell({ de: `${A}/de` })},${A}/fr\n`,
      LINKS,
    ],
    [
      'alternates of JSON',
      JSON.stringify([{ url: A, 'alternate:de': `${A}/de`, 'alternate:fr': `${A}/fr` }]),
      LINKS,
    ],
    ['news as JSON', `url,news\n${A},${cell({ ...story, keywords: ['a', 'b'] })}\n`, NEWS],
    [
      'news in columns of the protocol',
      `url,news:title,news:publication_date,news:name,news:language,news:keywords\n${A},T,2024-05-06,N,en,"a, b"\n`,
      NEWS,
    ],
    [
      'news in columns of usp ls',
      `url,newsTitle,newsPublishDate,newsPublicationName,newsPublicationLanguage,newsKeywords\n${A},T,2024-05-06,N,en,"a,b"\n`,
      NEWS,
    ],
    [
      'changefreq and priority',
      `url,changefreq,priority\n${A},daily,0.8\n`,
      '<changefreq>daily</changefreq><priority>0.8</priority>',
    ],
  ])('%s', async (_what, rows, inside) => {
    const { entries, report } = await write(['-'], { stdin: rows });
    expect(entries).toEqual([`<url><loc>${A}</loc>${inside}</url>`]);
    expect(
      report.problems.filter(({ code }) => code !== 'url-not-encoded' && code !== 'url-not-ascii'),
    ).toEqual([]);
  });

  test.each([
    ['images', 'https://example.org/1.jpg'],
    ['alternates', `de=${A}/de`],
    ['news:keywords', 'a'],
  ])('white space in a cell of %s takes no more time than other text', async (name, start) => {
    const { code, report } = await write(['-'], {
      stdin: `url,${name}\n${A},"${start}${' '.repeat(300_000)}b"\n`,
    });
    expect([code, report.pages]).toEqual([0, 1]);
  });

  test('a line of JSON that does not end costs that row', async () => {
    const long = `{"url":"${B}","other":"${'b'.repeat(17 * 1024 * 1024)}"}`;
    const { entries, report } = await writeFile('rows.ndjson', `"${A}"\n${long}\n{"url":"${A}/2"}\n`);
    expect(entries).toEqual([A, `${A}/2`].map((url) => `<url><loc>${url}</loc></url>`));
    expect(report.problems).toMatchObject([{ row: 2, line: 2, code: 'bad-row' }]);
  });

  test('a cell that cannot be read costs the cell, with a problem', async () => {
    const csv = `url,images,videos,alternates,lastmod\n${A},"[{",no,de,soon\n`;
    const { entries, report } = await write(['-'], { stdin: csv });
    expect(entries).toEqual([`<url><loc>${A}</loc></url>`]);
    expect(report.problems.map(({ row, code, dropped }) => [row, code, dropped])).toEqual([
      [1, 'bad-cell', 'value'],
      [1, 'bad-cell', 'value'],
      [1, 'bad-cell', 'value'],
      [1, 'bad-date', 'value'],
    ]);
  });

  test.each(['csv', 'ndjson'])('what usp ls -f %s prints becomes the same pages', async (format) => {
    const first = await write(['-'], {
      stdin: JSON.stringify([
        {
          url: A,
          lastmod: '2024-05',
          alternates: { de: `${A}/de` },
          newsStory: story,
          images: ['https://example.org/1.jpg'],
        },
      ]),
    });
    const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">${first.entries.join('')}</urlset>`;
    const { stdout } = await usp(['ls', '-', '-f', format], { stdin: xml });
    const { entries, report } = await write(['-'], { stdin: stdout });
    expect(entries.map((entry) => entry.replace('T00:00:00.000Z', '').replace('T00:00:00Z', ''))).toEqual(
      first.entries,
    );
    expect(report.problems.map(({ message }) => message)).toEqual(
      [expect.stringContaining('"sitemap"')].slice(0, report.problems.length),
    );
  });
});

describe('a row that is refused', () => {
  const CSV = `url,title\n${A},x\n,y\nmailto:x,\n"${B},z",1,2\nhttps://example.org/a,b,c\n${B},ok\n"${A},open\n`;

  test('is named by its number and its line, with the reason; the others are written', async () => {
    const { code, entries, report } = await writeFile('rows.csv', CSV);
    expect([code, entries.length, report.rows, report.refused]).toEqual([0, 2, 7, 5]);
    const refused = report.problems.filter(({ dropped }) => dropped === 'page');
    expect(refused.map(({ row, line, code: why, message }) => [row, line, why, message])).toEqual([
      [2, 3, 'empty-loc', 'it has no URL; it was left out.'],
      [3, 4, 'not-http-url', expect.stringContaining('mailto:x')],
      [4, 5, 'bad-row', expect.stringContaining('it has 3 cells, and the first line 2')],
      [5, 6, 'bad-row', expect.stringContaining('it has 3 cells')],
      [7, 8, 'bad-row', expect.stringContaining('a quote that is not closed up to line')],
    ]);
  });

  test('of JSON is named too', async () => {
    const rows = `{"url":"${A}"}\n{"url":\n7\n["x"]\n{"title":"x"}\n{"url":"${B}","images":[{"loc":""}]}`;
    const { entries, report } = await writeFile('rows.ndjson', rows);
    expect(entries).toHaveLength(2);
    const refused = report.problems.filter(({ dropped }) => dropped === 'page');
    expect(refused.map(({ row, line, message }) => [row, line, message])).toEqual([
      [2, 2, '"{"url":" is not JSON; it was left out.'],
      [3, 3, '"7" is neither an object nor a text; it was left out.'],
      [4, 4, '"["x"]" is neither an object nor a text; it was left out.'],
      [5, 5, 'it has no URL; it was left out.'],
    ]);
    // An image without an address costs the image.
    const left = report.problems.filter(({ dropped }) => dropped === 'value');
    expect(left[0]).toMatchObject({ row: 6, message: 'A URL is empty, and was dropped.' });
  });

  test('--strict-rows names all of them, and writes nothing', async () => {
    const path = written({ 'rows.csv': CSV, 'good.csv': `url\n${A}\n`, 'out/.keep': '' });
    const out = path('out/set');
    const argv = ['-o', out, ...BASE];
    expect((await usp(['write', path('good.csv'), ...argv])).code).toBe(0);
    const before = filesIn(out);
    const { code, stdout, stderr } = await usp(['write', path('rows.csv'), ...argv, '--strict-rows']);
    expect([code, stderr]).toEqual([2, `usp: 5 rows are refused (--strict-rows); ${out} is as it was.\n`]);
    expect(stdout.split('\n').filter((line) => line.includes('refused: '))).toHaveLength(5);
    expect(filesIn(out)).toEqual(before);
    expect((await usp(['write', path('good.csv'), ...argv, '--strict-rows'])).code).toBe(0);
    const one = await usp(['write', '-', path('good.csv'), ...argv, '--strict-rows'], {
      stdin: 'url\nmailto:x\n',
    });
    expect([one.code, one.stderr]).toEqual([
      2,
      expect.stringContaining('usp: 1 row is refused (--strict-rows);'),
    ]);
    expect(one.stdout).toMatch(/^stdin, row 1, line 2: refused: /);
    // JSON is whole, a second reading counts nothing twice, and a value that is left out refuses no row.
    const json = [...argv, '--strict-rows', '-f', 'json'];
    const refused = await usp(['write', '-', ...json], { stdin: 'url\nmailto:x\n' });
    expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([2, { rows: 1, refused: 1, files: [] }]);
    const twice = await usp(['write', path('rows.csv'), ...json, '--reciprocal']);
    expect([twice.code, JSON.parse(twice.stdout)]).toMatchObject([2, { rows: 7, refused: 5 }]);
    const cell = await usp(['write', '-', ...json], { stdin: `url,lastmod,images\n${A},soon,"[{"\n` });
    expect([cell.code, JSON.parse(cell.stdout)]).toMatchObject([0, { rows: 1, refused: 0, pages: 1 }]);
  });

  test('where nothing is left, nothing is written, and the exit code is 1', async () => {
    const { code, stderr, report } = await write(['-'], { stdin: 'url,x\n,1\n' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^usp: there is no page to write; nothing was written/),
    ]);
    expect(report).toMatchObject({ rows: 1, refused: 1, pages: 0 });
    expect((await write(['-'], { stdin: '' })).code).toBe(1);
  });
});

describe('what is printed as text', () => {
  test('problems, the files and the line for robots.txt', async () => {
    const path = written({ 'rows.csv': `url,lastmod\n${A},2024\n,\nmailto:x,\n${B}/ü,\n` });
    const out = path('out');
    const argv = ['write', path('rows.csv'), '-o', out, ...BASE];
    const { stdout } = await usp([...argv, '--max-urls', '1']);
    expect(
      stdout.replaceAll(join(path(''), '/'), ''),
    ).toBe(`rows.csv, row 2, line 4: refused: A URL is not an http or https URL, and was dropped: mailto:x  not-http-url
rows.csv, row 3, line 5: A URL was encoded as https://example.org/b/%C3%BC (${B}/ü)  url-not-ascii

out: 2 pages of 3 rows in 3 files. 1 refused.
  sitemap-1.xml  1 page
  sitemap-2.xml  1 page
  sitemap.xml  index

For robots.txt:
Sitemap: https://example.org/sitemap.xml
`);
    const again = await usp(argv);
    expect(again.stdout).toContain(
      '  sitemap.xml  2 pages\n  sitemap-1.xml  removed: an earlier run wrote it\n',
    );
    expect((await usp(argv)).stdout).toContain('  sitemap.xml  2 pages, unchanged\n');
  });

  test('the first of each kind, and with --all every one', async () => {
    const stdin = `url,priority\n${'mailto:x,\n'.repeat(103)}${`${B}/ü,9\n`.repeat(13)}`;
    const argv = ['write', '-', ...BASE, '-o'];
    const lines = (await usp([...argv, join(folder(), 'out')], { stdin })).lines;
    const of = (code: string): number => lines.filter((line) => line.endsWith(`  ${code}`)).length;
    expect([of('not-http-url'), of('url-not-ascii'), of('url-repeated')]).toEqual([100, 10, 10]);
    // A value that is left out is missing as well.
    expect(of('bad-priority')).toBe(13);
    expect(lines).toContain('3 more problems of code not-http-url: --all shows all of them.');
    expect(lines).toContain('2 more problems of code url-repeated: --all shows all of them.');
    const all = (await usp([...argv, join(folder(), 'out'), '--all'], { stdin })).lines;
    expect(all.filter((line) => / {2}(?:not-http-url|url-not-ascii|url-repeated)$/.test(line))).toHaveLength(
      103 + 13 + 12,
    );
  });
});

describe('the options of writeSitemaps', () => {
  test('are flags', async () => {
    const news = { title: 'T', publishDate: '2014-05-06', publicationName: 'N', publicationLanguage: 'en' };
    const rows = [
      { url: A, alternates: { en: A, de: B }, news },
      { url: B },
      ...Array.from({ length: 20 }, (_, at) => ({ url: `${A}/${at}` })),
    ];
    const path = written({ 'rows.json': JSON.stringify(rows), 'out/other.txt': 'x' });
    const out = path('out');
    const argv = ['write', path('rows.json'), '-o', out, '--base', 'https://example.org/maps'];
    expect((await usp(argv)).stderr).toContain('--force');
    const flags =
      '--force --gzip --max-urls 15 --max-bytes 1000 --names part{n}.xml --index all.xml --news fresh --reciprocal';
    const { code, stdout } = await usp([...argv, ...flags.split(' ')]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('Sitemap: https://example.org/maps/all.xml.gz'),
    ]);
    const files = filesIn(out);
    expect(Object.keys(files).sort().slice(0, 3)).toEqual(['all.xml.gz', 'other.txt', 'part1.xml.gz']);
    const xml = Object.values(files).join('');
    expect(xml).not.toContain('news:');
    expect(xml).toContain(
      `<loc>${B}</loc><xhtml:link rel="alternate" hreflang="de" href="${B}"/><xhtml:link rel="alternate" hreflang="en" href="${A}"/>`,
    );
    expect(Math.max(...Object.values(files).map((text) => text.length))).toBeLessThanOrEqual(1000);
  });

  test('--reciprocal reports what is wrong with a row once', async () => {
    const { report } = await writeFile('rows.ndjson', `{"url":"${A}"}\n{\n`, '--reciprocal');
    expect([report.rows, report.refused, report.problems.length]).toEqual([2, 1, 1]);
  });

  test('--reciprocal names a column that is not read once', async () => {
    const argv = ['--column', 'url=Link', '--reciprocal'];
    const { stderr, entries } = await writeFile('rows.csv', `Link,loc\n${A},x\n${B},y\n`, ...argv);
    expect([stderr.match(/is not read/g)?.length, entries.length]).toEqual([1, 2]);
  });

  test.each<[string, readonly string[], RegExp]>([
    ['--base', ['--base', 'example.org'], /--base must be the http or https address/],
    ['--max-urls', ['--max-urls', '60000'], /--max-urls must be a whole number from 1 to 50,000/],
    ['--max-bytes', ['--max-bytes', '9'], /--max-bytes must be a whole number from 1,000/],
    ['--names', ['--names', 'x.xml'], /--names must have \{n\} in it/],
    ['--news', ['--news', 'old'], /Allowed choices are all, fresh/],
    [
      '--reciprocal with stdin',
      ['--reciprocal'],
      /--reciprocal reads the rows twice, and stdin can be read once/,
    ],
  ])('%s: a bad value is named', async (_what, argv, message) => {
    const { code, stderr } = await usp(['write', '-', '-o', join(folder(), 'out'), ...BASE, ...argv], {
      stdin: A,
    });
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test.each<[string, string, RegExp]>([
    [
      'a site',
      'https://example.org',
      /takes files with rows, and https:\/\/example\.org is a site\.\nhint: usp ls https:\/\/example\.org -f ndjson \| usp write -/,
    ],
    [
      'a site in capitals',
      'HTTPS://Example.org',
      /takes files with rows, and https:\/\/example\.org is a site/i,
    ],
    ['a folder', '.', /\. is a folder; name the files in it/],
    ['a file that is not there', 'gone.csv', /gone\.csv cannot be read: no such file/],
  ])('an input that is %s is bad usage', async (_what, input, message) => {
    const { code, stderr } = await write([input]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

test('a folder with other files stays as it is, and so does a set that another program wrote', async () => {
  const path = written({ 'out/sitemap.xml': 'theirs' });
  const argv = ['write', '-', '-o', path('out'), ...BASE];
  expect((await usp(argv, { stdin: A })).code).toBe(2);
  const { code, stderr } = await usp([...argv, '--force'], { stdin: A });
  expect([code, stderr]).toEqual([2, expect.stringContaining('hint: give -o another folder')]);
  expect(readFileSync(path('out/sitemap.xml'), 'utf8')).toBe('theirs');
});

test.each(['write', 'fix'])(
  'usp %s waits for no other command in its folder, and says what to do',
  async (command) => {
    const path = written({ 'a.txt': A });
    const out = path('out');
    const argv = (name: string) => [command, name, '-o', out, ...(command === 'write' ? BASE : [])];
    let second: Promise<Told> | undefined;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(A);
      second = usp(argv(path('a.txt')));
      await second;
    }
    const first = await usp(argv('-'), { chunks: chunks() });
    const { code, stderr } = (await second) ?? {};
    expect([first.code, code, stderr]).toEqual([
      0,
      2,
      expect.stringContaining('\nhint: wait for its end, or give -o another folder.\n'),
    ]);
  },
);

test('an input that breaks off leaves the old set', async () => {
  const path = written({ 'a.txt': A });
  const out = path('out');
  await usp(['write', path('a.txt'), '-o', out, ...BASE]);
  const before = [filesIn(out), readdirSync(out)];
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${B}\n`);
    throw new Error('gone');
  }
  const { code, stderr } = await usp(['write', '-', '-o', out, ...BASE], { chunks: broken() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('stdin cannot be read')]);
  expect([filesIn(out), readdirSync(out)]).toEqual(before);
});

/** Two rows, of which one is refused; then what happens. */
async function* rowsThen(next: () => void): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`url\nmailto:x\n${B}\n`);
  next();
  await new Promise(() => {});
}

test('what was refused until an input breaks off is printed as text, and half a document of JSON is not', async () => {
  const argv = ['write', '-', '-o', join(folder(), 'out'), ...BASE];
  const fail = (): void => {
    throw new Error('gone');
  };
  const text = await usp(argv, { chunks: rowsThen(fail) });
  expect([text.code, text.lines]).toEqual([2, [expect.stringMatching(/^stdin, row 1, line 2: refused: /)]]);
  const json = await usp([...argv, '-f', 'json'], { chunks: rowsThen(fail) });
  expect([json.code, json.stdout]).toEqual([2, '']);
});

test('an interruption leaves the old set', async () => {
  const path = written({ 'a.txt': A });
  const argv = ['-o', path('out'), ...BASE];
  await usp(['write', path('a.txt'), ...argv]);
  const before = [filesIn(path('out')), readdirSync(path('out'))];
  const ending = new AbortController();
  const chunks = rowsThen(() => ending.abort());
  const { code, stderr } = await usp(['write', '-', ...argv], { chunks, signal: ending.signal });
  expect([code, stderr]).toEqual([130, `usp: interrupted; ${path('out')} is as it was.\n`]);
  expect([filesIn(path('out')), readdirSync(path('out'))]).toEqual(before);
});

test('rows from a terminal are waited for, and a hint says so', async () => {
  const argv = ['write', '-', '-o', join(folder(), 'out'), ...BASE];
  const hint = 'hint: reading rows from the terminal; Ctrl-D ends it.\n';
  const told = (stdin: boolean) => usp(argv, { stdin: A, isTerminal: { stdin } });
  expect([(await told(true)).stderr, (await told(false)).stderr]).toEqual([hint, '']);
});

test.each(['ls', 'fix', 'check'])('usp %s names this command for CSV', async (command) => {
  const path = written({ 'rows.csv': `url,lastmod\n${A},2024-05-06\n` });
  const argv = command === 'fix' ? ['-o', path('out')] : [];
  const { code, stdout, stderr } = await usp([command, path('rows.csv'), ...argv]);
  expect([code > 0, stdout + stderr]).toEqual([true, expect.stringContaining('usp write')]);
  expect(existsSync(path('out'))).toBe(false);
});
