/** §10: a site in numbers, as text. What the numbers are is in test/summary. */
import { describe, expect, test } from 'vitest';
import { uspDeclared as usp } from '../../support/cli-world.ts';
import { siteOf } from '../../support/crawled-site.ts';
import { index, urlset } from '../../support/documents.ts';
import { written } from '../../support/folder.ts';

const H = 'https://a.example';
const summary = async (stdin: string, ...argv: readonly string[]): Promise<string> =>
  (await usp(['ls', '-', '-f', 'summary', '-q', '--url', `${H}/s.xml`, ...argv], { stdin })).stdout;
/** The line of a fact. */
const fact = (text: string, name: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(name.padEnd(10)))
    ?.slice(10);

test('one small sitemap', async () => {
  const text = urlset(
    [`${H}/blog/1`, '2013-01-02'],
    [`${H}/blog/2`, '2014-05-06'],
    `${H}/about`,
    `${H}/shop/1`,
  );
  expect(await summary(text)).toBe(`${H}/s.xml
read without a network

sitemaps  1
pages     4 pages
size      ${text.length} B
dates     2013-01-02 to 2014-05-06; 2 undated

Pages by last modification
  2014  1  ████████████████████████
  2013  1  ████████████████████████

Pages by folder
  /blog/  2  ████████████████████████
  /shop/  1  ████████████
  /       1  ████████████
`);
});

test('filters leave pages out', async () => {
  const text = urlset([`${H}/blog/1`, '2013-01-02'], `${H}/about`);
  expect(fact(await summary(text, '--include', 'blog'), 'pages')).toBe('1 page');
  expect(fact(await summary(text, '--max-pages', '1'), 'pages')).toBe('1 page');
});

test('what is over the limit of entries, though not over that of bytes', async () => {
  const lines = Array.from({ length: 50_001 }, (_, at) => `${H}/${at}\n`).join('');
  expect(await summary(lines)).toContain('\nOver a limit\n  1 over 50,000 entries, 0 over 50 MiB\n');
});

test('a document from stdin goes by that name', async () => {
  const { stdout } = await usp(['ls', '-', '-f', 'summary', '-q'], { stdin: urlset(`${H}/?a&b`) });
  expect(stdout).toMatch(/^stdin\nread without a network\n/);
  expect(stdout).toMatch(/\nProblems\n {2}1 × bare-ampersand, as in stdin\n$/);
});

test.each<[string, string, string]>([
  ['nothing more', urlset(`${H}/1`), '1'],
  ['what was not fetched', index(`${H}/a.xml`, `${H}/b.xml`), '1 (2 not fetched)'],
  ['what is truncated', urlset(`${H}/1`).slice(0, -9), '1 (1 truncated)'],
])('the number of sitemaps has %s', async (_what, text, words) => {
  expect(fact(await summary(text), 'sitemaps')).toBe(words);
});

test('nothing has no tables', async () => {
  const text = await summary(urlset());
  expect([fact(text, 'pages'), fact(text, 'dates')]).toEqual(['0 pages', 'none']);
  expect(text).not.toMatch(/Pages by|█|problems|contents/);
});

test('of languages, only those whose links are not returned are listed', async () => {
  const links = (...languages: readonly string[]): string =>
    languages.map((each) => `<xhtml:link rel="alternate" hreflang="${each}" href="${H}/${each}"/>`).join('');
  const text = urlset(`${H}/en`, `${H}/de`, `${H}/fr`)
    .replace('<urlset', '<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml"')
    .replace(`${H}/en</loc>`, `$&${links('de', 'fr')}`)
    .replace(`${H}/de</loc>`, `$&${links('en')}`);
  expect(await summary(text)).toMatch(/Links between languages that are not returned\n {2}fr {2}1 .*\n(?! )/);
});

describe('tables', () => {
  test('have twelve rows, and say how many more there are', async () => {
    const years = (many: number) =>
      urlset(...Array.from({ length: many }, (_, at): [string, string] => [`${H}/${at}`, `${2000 + at}`]));
    expect(await summary(years(12))).not.toContain('more');
    const text = await summary(years(14));
    expect(text.match(/^ {2}20\d\d /gm)).toHaveLength(12);
    expect(text).toMatch(/2002 {2}1 {2}█+\n {2}and 2 more\n/);
    expect(text).not.toMatch(/^ {2}2001 /m);
  });

  test('have a column for names of at most 40 characters, as wide as the rows that are shown need', async () => {
    const long = 'x'.repeat(45);
    const pages = (...folders: readonly string[]): string =>
      urlset(...folders.map((each, at) => `${H}/${each}/page${at}`));
    expect(await summary(pages('a', 'a', long))).toContain(
      `\n  /a/${' '.repeat(37)}  2  ${'█'.repeat(24)}\n  /${long}/  1  ${'█'.repeat(12)}\n`,
    );
    const twelve = [...'abcdefghijkl'];
    const text = await summary(pages(...twelve, ...twelve, long));
    expect(text).toContain(`\n  /a/  2  ${'█'.repeat(24)}\n`);
    expect(text).toMatch(/\/l\/ {2}2 {2}█+\n {2}and 1 more\n/);
  });

  test('have the pages of several hosts, of no folder, and of folders that are too many to name', async () => {
    expect(await summary(urlset(`${H}/1`, 'https://b.example/x/2', 'https://b.example/3'))).toContain(
      `\n  https://b.example  2  ${'█'.repeat(24)}\n  ${H}  1  ${'█'.repeat(12)}\n`,
    );
    const folders = Array.from({ length: 11 }, (_, at) => String.fromCharCode(97 + at));
    expect(await summary(urlset(`${H}/1`, ...folders.map((each) => `${H}/${each}/1`)))).toMatch(
      /\/k\/ {2}1 {2}█+\n {2}\/ {4}1 {2}█+\n$/,
    );
  });

  test('have bars in proportion, of one sign at least', async () => {
    const pages = [
      [`${H}/b/2`, '2015'] as [string, string],
      [`${H}/b/1`, '2014'] as [string, string],
      ...Array.from({ length: 1000 }, (_, at): [string, string] => [`${H}/a/${at}`, '2013']),
    ];
    const text = await summary(urlset(...pages));
    // The newest year is first, whichever has most.
    expect(text).toContain(`  2015      1  █\n  2014      1  █\n  2013  1,000  ${'█'.repeat(24)}\n`);
  });
});

test('a date in the future, and problems by their code', async () => {
  const text = await summary(
    urlset([`${H}/1`, '2999-01-01'], `${H}/?a&b`, `${H}/?c&d`).replace('</urlset>', '<url/></urlset>'),
  );
  expect(fact(text, 'dates')).toMatch(/; 2 undated; 1 in the future$/);
  expect(fact(text, 'problems')).toBe('3');
  expect(text).toContain(`\nProblems\n  2 × bare-ampersand, as in ${H}/s.xml\n  1 × `);
  expect(await summary(urlset(`${H}/?a&b`), '-u')).toContain('1 × bare-ampersand, as in /s.xml\n');
  expect(fact(await summary(urlset([`${H}/1`, '2999-01-01'])), 'dates')).toBe('none; 1 in the future');
});

describe('contents', () => {
  const rss = (many: number): string =>
    `<rss version="2.0"><channel>${Array.from({ length: many }, (_, at) => `<item><link>${H}/${at}</link></item>`).join('')}</channel></rss>`;
  const NAMES = ['image/1.1', 'video/1.1', 'news/0.9'].map(
    (name) => `xmlns:${name.slice(0, 5).replace('/', '')}="http://www.google.com/schemas/sitemap-${name}"`,
  );
  const image = `<image:image><image:loc>${H}/i</image:loc></image:image>`;
  const video = `<video:video><video:title>T</video:title><video:thumbnail_loc>${H}/t</video:thumbnail_loc></video:video>`;
  const news = '<news:news><news:title>T</news:title></news:news>';
  const link = (language: string): string =>
    `<xhtml:link rel="alternate" hreflang="${language}" href="${H}/${language}"/>`;
  const full = (...inside: readonly string[]): string =>
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" ${NAMES.join(' ')}>${inside
      .map((each, at) => `<url><loc>${H}/${at}</loc>${each}</url>`)
      .join('')}</urlset>`;

  test.each([
    [rss(1), '1 item of feeds'],
    [rss(2), '2 items of feeds'],
    [full(news), '1 news story'],
    [full(news, news), '2 news stories'],
    [full(image), '1 image'],
    [full(image + image), '2 images'],
    [full(video), '1 video'],
    [full(link('de')), '1 page in other languages'],
    [full(link('de'), link('en') + link('fr'), news), '1 news story and 2 pages in other languages'],
    [full(image + image + image, video + video, news), '1 news story, 3 images and 2 videos'],
  ])('are counted: %#', async (text, words) => {
    expect(fact(await summary(text), 'contents')).toBe(words);
  });
});

describe('a site', () => {
  test('that was read whole, and one of which something could not be read', async () => {
    const server = await siteOf({
      '/robots.txt': ['/index.xml', '/b.xml', '/c.xml'],
      '/index.xml': ['/a.xml', '/b.xml'],
      '/a.xml': { pages: ['/1', '/2'] },
      '/b.xml': { pages: ['/1', '/3'] },
      '/c.xml': { pages: [] },
    });
    const read = async (...argv: readonly string[]) =>
      (await usp(['ls', server.origin, '-f', 'summary', '-q', '--retries', '0', ...argv])).stdout;
    const whole = await read('-u');
    expect(whole.split('\n').slice(0, 5)).toEqual([
      `${server.origin}/`,
      'complete: everything that is declared was read',
      '',
      'sitemaps  4',
      'pages     4 pages (3 distinct)',
    ]);
    const drawn = await usp(['ls', server.origin, '-f', 'tree', '-q']);
    expect(drawn.lines.at(-1)).toBe('4 sitemaps, 4 pages (3 distinct)');
    // A sitemap at two places of the tree is listed once; --ordered lists it at each.
    const pages = async (...argv: readonly string[]) =>
      (await usp(['ls', server.origin, '-f', 'pages', '-u', '-q', ...argv])).lines.toSorted();
    expect(await pages('--sample', '9')).toEqual(['/1', '/2', '/3']);
    expect(await pages('--list-alternates', '--save', written({})('a.warc'))).toEqual([
      '/1',
      '/1',
      '/2',
      '/3',
    ]);
    expect(await pages('--ordered')).toEqual(['/1', '/1', '/1', '/2', '/3', '/3']);
    server.site['/a.xml'] = { status: 403 };
    const broken = await read();
    expect(broken).toContain('\nincomplete: 1 sitemap could not be read\n');
    expect(fact(broken, 'sitemaps')).toMatch(/\(1 unreadable\)$/);
    expect(broken).toContain(
      `Could not be read\n  1 × ${server.origin}/a.xml: the server responded with 403`,
    );
    expect(await read('-u')).toContain('Could not be read\n  1 × /a.xml: the server responded with 403');
    const limited = await read('--max-sitemaps', '3');
    expect(limited).toMatch(/\nincomplete: .*\(--max-sitemaps\)/);
  });
});
