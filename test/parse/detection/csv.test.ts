/** Specification §6: rows with columns are not a list of URLs, and commas inside of URLs are not columns. */
import { describe, expect, test } from 'vitest';
import { readEveryWay } from '../../support/every-cut.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const rows = (count: number, row: (n: number) => string): string =>
  `${Array.from({ length: count }, (_, n) => row(n)).join('\n')}\n`;

const CSV: readonly (readonly [string, string])[] = [
  ['a header', 'url,lastmod,image\nhttps://a.example/1\nhttps://a.example/2\n'],
  ['a header in quotes, with semicolons', '"Title";"URL"\n"One";"https://a.example/1"\n'],
  ['a header with tabs', 'loc\tpriority\nhttps://a.example/1\t0.5\n'],
  ['a header behind a byte order mark and an empty line', '\ufeff\n page | name \nhttps://a.example/1\n'],
  [
    'a URL, a date and an image',
    rows(3, (n) => `https://a.example/${n},2026-02-02T10:00:00+01:00,https://a.example/${n}.jpg`),
  ],
  ['a URL and a date', rows(3, (n) => `https://a.example/${n},2026-02-02`)],
  ['a URL in quotes and a date', rows(3, (n) => `"https://a.example/${n}";"2026-02-02 10:00"`)],
  ['a URL, a title and a URL', rows(3, (n) => `https://a.example/${n},A title,https://a.example/i.jpg`)],
  ['a number in front', rows(3, (n) => `${n};https://a.example/${n};2026-02`)],
  ['most lines', 'https://a.example/1,2026-02-02\nhttps://a.example/2,2026-02-02\nhttps://a.example/3\n'],
  [
    'more than is looked at',
    rows(3000, (n) => `https://a.example/${n},2026-02-02,https://a.example/${n}.jpg`),
  ],
];

const LISTS: readonly (readonly [string, string, number])[] = [
  ['commas in the path', rows(3, (n) => `https://a.example/0,1518,${n},00.html`), 3],
  ['semicolons in the path', rows(3, (n) => `https://a.example/${n};jsessionid=1`), 3],
  ['commas in the query', rows(3, (n) => `https://a.example/?p=${n},2,3;4`), 3],
  ['numbers behind the URL', rows(3, (n) => `https://a.example/${n},2026`), 3],
  ['a date inside of a cell', rows(3, (n) => `https://a.example/${n},2026-02-02-news`), 3],
  ['a URL inside of a URL', rows(3, (n) => `https://a.example/?u=https://b.example/${n}`), 3],
  ['as many rows as plain lines', 'https://a.example/1,2026-02-02\nhttps://a.example/2\n', 2],
  ...[
    'Our pages, all of them',
    'Pages of our shop, and of our blog',
    'Urls; made today',
    '# Pages, of us',
  ].map(
    (line) =>
      [`a first line of prose: ${line}`, `${line}\nhttps://a.example/1\nhttps://a.example/2\n`, 2] as const,
  ),
  ['a header of one cell', 'url\nhttps://a.example/1\n', 1],
  [
    'columns only behind what is looked at',
    `${rows(2000, (n) => `https://a.example/${'x'.repeat(40)}/${n}`)}${rows(5000, (n) => `https://a.example/${n},2026-02-02`)}`,
    7000,
  ],
];

describe('§6 plain text', () => {
  test.each(CSV)('CSV data: %s', async (_name, text) => {
    const { kind, reason, items } = await readEveryWay(bytes(text));
    expect({ kind, items }).toEqual({ kind: 'invalid', items: [] });
    expect(reason).toMatch(/it is CSV data .*`usp write`.*docs\/writing\.md/);
  });

  test.each(LISTS)('a list of URLs: %s', async (_name, text, pages) => {
    const { kind, items } = await readEveryWay(bytes(text));
    expect({ kind, pages: items.length }).toEqual({ kind: 'pages-text', pages });
  });

  test('a robots.txt and JSON are not CSV data', async () => {
    const robots = 'page, url\nSitemap: https://a.example/s.xml\n';
    expect((await readEveryWay(bytes(robots), { url: 'https://a.example/robots.txt' })).kind).toBe(
      'robots-txt',
    );
    const json = '["https://a.example/1","https://a.example/2"]';
    expect((await readEveryWay(bytes(json))).reason).toContain('it is JSON');
  });
});
