/** §10: a site in numbers, as text. What the numbers are is in test/summary. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { uspDeclared as usp } from '../../support/cli-world.ts';
import { siteOf } from '../../support/crawled-site.ts';
import { urlset } from '../../support/documents.ts';

const H = 'https://a.example';
const summary = async (stdin: string | Uint8Array, ...argv: readonly string[]): Promise<string> =>
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

test('what is over one of the limits, though not over the other', async () => {
  const filler = `<!--${' '.repeat(50 * 2 ** 20)}-->`;
  const stdin = gzipSync(urlset(`${H}/1`).replace('</urlset>', `${filler}$&`), { level: 1 });
  expect(await summary(stdin)).toContain('\nOver a limit\n  0 over 50,000 entries, 1 over 50 MiB\n');
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

  test('have bars in proportion, of one sign at least', async () => {
    const pages = [
      ...Array.from({ length: 1000 }, (_, at): [string, string] => [`${H}/a/${at}`, '2014']),
      [`${H}/b/1`, '2013'] as [string, string],
    ];
    const text = await summary(urlset(...pages));
    expect(text).toContain(`  2014  1,000  ${'█'.repeat(24)}\n  2013      1  █\n`);
  });
});

test('a date in the future, and problems by their code', async () => {
  const text = await summary(
    urlset([`${H}/1`, '2999-01-01'], `${H}/?a&b`, `${H}/?c&d`).replace('</urlset>', '<url/></urlset>'),
  );
  expect(fact(text, 'dates')).toMatch(/; 2 undated; 1 in the future$/);
  expect(fact(text, 'problems')).toBe('3');
  expect(text).toContain(`\nProblems\n  2 × bare-ampersand, as in ${H}/s.xml\n  1 × `);
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
  const full = (...inside: readonly string[]): string =>
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ${NAMES.join(' ')}>${inside
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
