/** §16: `usp fix`: sites, saved trees and files, however broken, as a valid set of sitemaps. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Site } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { siteOf as serve } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { filesIn, fix, urlsIn, urlsOf } from '../support/fix-world.ts';
import { folder, written } from '../support/folder.ts';
import { withMoreTime } from '../support/more-time.ts';

const A = 'https://example.org/a';
const B = 'https://example.org/b';
const C = 'https://example.org/c';

describe('what was done is reported', () => {
  const BROKEN = `<urlset>
<url><loc>${A}?x=1&y=2</loc><priority>7</priority></url>
<url><loc>${B} b</loc></url>
<url><loc>mailto:a@example.org</loc></url>
</urlset>`;

  test('json: every entry that was dropped or changed, with its place, and rules with numbers', async () => {
    const { report, code } = await fix(['-'], { stdin: BROKEN });
    expect(code).toBe(0);
    const short = report.repairs.map(
      ({ action, rule, line, column }) => `${line}:${column} ${action} ${rule}`,
    );
    expect(short).toEqual([
      '1:1 changed missing-namespace',
      '2:11 changed bare-ampersand',
      '2:56 changed bad-priority',
      '3:11 changed url-not-encoded',
      '4:11 dropped not-http-url',
    ]);
    expect(report.repairs[2]?.['message']).toContain('; it was left out');
    expect(report.repairs[3]).toMatchObject({ document: 'stdin', page: `${B} b` });
    expect(report.rules['not-http-url']).toEqual({ dropped: 1, changed: 0 });
    expect(report.pages).toEqual({ read: 2, written: 2 });
  });

  test('elements that reading does not keep are named with their number, and where the first is', async () => {
    const links = [
      '<xhtml:link rel="alternate" hreflang="de" href=" "/>',
      '<xhtml:link rel="canonical" href="https://example.org/c"/>',
      `<xhtml:link rel="alternate" hreflang="en" media="print" href="${A}"/>`,
    ];
    const video =
      '<video:video><video:title>t</video:title><video:tvshow><video:x/></video:tvshow></video:video>';
    const stdin = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"
xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:my="urn:my" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>${A}</loc><my:thing>x</my:thing><extra/>
<image:image><image:loc>${A}.png</image:loc><my:thing/></image:image>
${links.join('\n')}
${video}
</url>
<url><loc>${B}<my:thing/></loc></url>
</urlset>`;
    const { report } = await fix(['-'], { stdin });
    const short = report.repairs.map(
      ({ rule, line, column, message, count }) => `${line}:${column} ${rule} ${count} ${message}`,
    );
    expect(short.filter((each) => /left-out|no-href/.test(each))).toEqual([
      '3:38 left-out 2 Reading does not keep <my:thing>; left out 2 times.',
      '3:60 left-out undefined Reading does not keep <extra>; left out.',
      '5:1 hreflang-no-href undefined An alternate has no href; it was left out.',
      '6:1 left-out undefined Reading does not keep <xhtml:link rel="canonical"> without a language; left out.',
      '7:1 left-out undefined Reading does not keep media of <xhtml:link>; left out.',
      '8:42 left-out undefined Reading does not keep <video:tvshow>; left out.',
      '8:56 left-out undefined Reading does not keep <video:x>; left out.',
    ]);
    expect(report.rules['left-out']).toEqual({ dropped: 0, changed: 7 });
  });

  const NEWS = (title: string): string =>
    `<news:news><news:publication><news:name>P</news:name><news:language>en</news:language></news:publication><news:publication_date>2024-05-06</news:publication_date><news:title>${title}</news:title></news:news>`;
  const VIDEO = (values: string): string =>
    `<video:video><video:thumbnail_loc>${A}.png</video:thumbnail_loc><video:title>T</video:title><video:description>D</video:description><video:content_loc>${A}.mp4</video:content_loc>${values}</video:video>`;

  test.each<[string, string, string, string]>([
    ['a second news story', NEWS('one') + NEWS('two'), 'news-repeated', 'more than one <news:news>'],
    [
      'neither yes nor no',
      VIDEO('<video:live>x</video:live>'),
      'video-not-yes-or-no',
      'The live "x" is neither',
    ],
    [
      'another word for yes',
      VIDEO('<video:live>true</video:live>'),
      'video-not-yes-or-no',
      'The live "true" is',
    ],
    [
      'a second value of a video',
      VIDEO('<video:title>U</video:title>'),
      'left-out',
      'more than one <video:title>',
    ],
    [
      'a restriction to no country',
      VIDEO('<video:restriction relationship="allow"/>'),
      'left-out',
      'does not keep <video:restriction> without a country',
    ],
    [
      'a video for no platform',
      VIDEO('<video:platform relationship="deny"> </video:platform>'),
      'left-out',
      'does not keep <video:platform> without a platform',
    ],
    [
      'two addresses of an image',
      `<image:image><image:loc>${A}.png</image:loc><image:title>a</image:title><image:loc>${B}.png</image:loc><image:title>b</image:title></image:image>`,
      'several-locs',
      'each was read as an image',
    ],
    [
      'a second title of an image',
      `<image:image><image:title>a</image:title><image:loc>${A}.png</image:loc><image:title>b</image:title></image:image>`,
      'left-out',
      'more than one <image:title>',
    ],
    ['a date that is invalid', '<lastmod>soon</lastmod>', 'bad-date', '"soon" is not a date'],
  ])('what reading does not keep is said, once: %s', async (_name, inEntry, rule, message) => {
    const stdin = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>${A}</loc>${inEntry}</url>
<url><loc>${B}</loc>${NEWS('t')}${VIDEO('<video:tag>a</video:tag><video:tag>b</video:tag><video:live>yes</video:live>')}
<image:image><image:loc>${A}.png</image:loc></image:image><image:image><image:loc>${B}.png</image:loc></image:image></url></urlset>`;
    const { report } = await fix(['-'], { stdin });
    expect(report.repairs).toEqual([
      expect.objectContaining({ rule, line: 2, message: expect.stringContaining(message) }),
    ]);
    expect(report.rules[rule]).toEqual({ dropped: 0, changed: 1 });
  });

  test('a document in UTF-16 without a byte order mark', async () => {
    const text = `<?xml version="1.0" encoding="UTF-16"?>\n${urlset(A).replace(/^<\?.*\?>\s*/, '')}`;
    const at = written({ 'a.xml': Buffer.from(text, 'utf16le') });
    const { report, files } = await fix([at('a.xml')]);
    expect(urlsIn(files['a.xml'])).toEqual([A]);
    expect(report.repairs.map(({ rule }) => rule)).toEqual(['not-utf-8']);
  });

  test('gzip whose checksum is wrong, or that has bytes behind it', async () => {
    const wrong = gzipSync(urlset(A));
    wrong[wrong.length - 8]! ^= 1;
    const at = written({
      'a.xml.gz': wrong,
      'b.xml.gz': Buffer.concat([gzipSync(urlset(B)), Buffer.from('more')]),
      'c.xml.gz': gzipSync(urlset(C)),
    });
    const { report, files } = await fix([at('a.xml.gz'), at('b.xml.gz'), at('c.xml.gz')]);
    expect(Object.keys(files)).toHaveLength(3);
    expect(report.repairs.map(({ rule }) => rule)).toEqual(['bad-checksum', 'gzip-trailing-bytes']);
  });

  test('the entries of an index: repeated ones, and dates that are written anew, as reading takes them', async () => {
    const entry = (url: string, ...dates: string[]): string =>
      `<sitemap><loc>${url}</loc>${dates.map((date) => `<lastmod>${date}</lastmod>`).join('')}</sitemap>\n`;
    const list = [
      entry(`${A}.xml`, '6 May 2024'),
      entry(`${B}.xml`, 'soon', '2024-05-07'),
      entry(`${C}.xml`, '2024-05-08', '2024-05-09', ''),
      entry(`${A}.xml`, '2024-05-10'),
    ].join('');
    const at = written({
      'index.xml': `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${list}</sitemapindex>`,
      'a.xml': urlset(A),
      'b.xml': urlset(B),
      'c.xml': urlset(C),
    });
    const { report, files } = await fix(['index.xml', 'a.xml', 'b.xml', 'c.xml'].map((name) => at(name)));
    expect([...files['index.xml']!.matchAll(/<lastmod>(.*?)<\/lastmod>/g)].map(([, date]) => date)).toEqual([
      '2024-05-06',
      '2024-05-07',
      '2024-05-09',
    ]);
    const short = report.repairs.map(({ rule, line, action }) => `${line} ${action} ${rule}`);
    expect(short.sort()).toEqual([
      '2 changed lastmod-not-w3c',
      '3 changed bad-date',
      '3 changed value-repeated',
      '4 changed empty-value',
      '5 dropped sitemap-repeated',
    ]);
  });

  test('a relative URL that cannot be resolved names the flag', async () => {
    const { report } = await fix(['-', '--partial'], {
      stdin: `<urlset><url><loc>${A}</loc></url><url><loc>/b</loc></url></urlset>`,
    });
    expect(report.repairs.map(({ message }) => message).join('\n')).toContain(
      'without the option --url there',
    );
  });

  test('text: below its document, then rules, files, and the lines for robots.txt', async () => {
    const out = join(folder(), 'out');
    const { stdout } = await usp(['fix', '-', '-o', out, '--base', 'https://example.org/'], {
      stdin: BROKEN,
    });
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'stdin',
      '  1:1      changed  The root has no namespace; it was read all the same.  missing-namespace',
    ]);
    expect(stdout).toContain('\ndropped  changed  rule\n');
    expect(stdout).toContain(`\n      1           not-http-url\n`);
    expect(stdout).toContain(`${out}: 2 of 2 pages in 1 file.\n  stdin.xml  2 pages, from stdin\n`);
    expect(stdout).toContain('\nFor robots.txt:\nSitemap: https://example.org/stdin.xml\n');
  });

  test('text: an index is called so, and a file of one page has one page', async () => {
    const { origin } = await serve({ '/robots.txt': ['/i.xml'], '/i.xml': ['/a.xml'], '/a.xml': urlset(A) });
    const out = join(folder(), 'out');
    const { stdout } = await usp(['fix', origin, '-o', out]);
    expect(stdout).toContain(
      `\n  i.xml  index, from ${origin}/i.xml\n  a.xml  1 page, from ${origin}/a.xml\n`,
    );
  });

  test('the first output of repairing.md is what usp fix prints', async () => {
    const page = readFileSync(new URL('../../docs/repairing.md', import.meta.url), 'utf8');
    const [, xml = '', printed = ''] = /```xml\n(.*?)```.*?```text\n(.*?)```/s.exec(page) ?? [];
    const at = written({ 'sitemap.xml': xml });
    const out = join(folder(), 'repaired');
    const { stdout } = await usp(['fix', at('sitemap.xml'), '-o', out]);
    const shown = stdout.replaceAll(at('sitemap.xml'), 'sitemap.xml').replace(out, 'repaired');
    expect(shown.replace(', from sitemap.xml', '')).toBe(printed);
  });

  test('text: the first 10 of a rule, or --all', async () => {
    const shown = async (many: number, ...more: string[]): Promise<readonly unknown[]> => {
      const spaces = Array.from({ length: many }, (_, at) => `https://example.org/${at} x`);
      const { stdout } = await usp(['fix', '-', '-o', join(folder(), 'out'), ...more], {
        stdin: urlset('mailto:x', ...spaces),
      });
      // The rules behind the repairs: the most frequent one first.
      const rules = stdout.split('dropped  changed  rule\n')[1]?.split('\n').slice(0, 2);
      expect(rules).toEqual([
        `${String(many).padStart(16)}  url-not-encoded`,
        '      1           not-http-url',
      ]);
      return [
        stdout.match(/ {2}url-not-encoded$/gm)?.length,
        stdout.includes('\nThe first 10 of each rule are shown; --all shows all of them.\n'),
      ];
    };
    expect(await shown(10)).toEqual([10 + 1, false]);
    expect(await shown(12)).toEqual([10 + 1, true]);
    expect(await shown(12, '--all')).toEqual([12 + 1, false]);
  });

  test('text: the first repair that is shown of a document stands below its name, whatever is hidden before it', async () => {
    const spaces = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) => `https://example.org/${name}${at} x`);
    const at = written({
      'a.xml': urlset(...spaces('a', 11)),
      'b.xml': urlset(...spaces('b', 2)).replace('</url>', '<priority>2</priority></url>'),
      'c.xml': urlset(...spaces('c', 1)),
    });
    const names = ['a.xml', 'b.xml', 'c.xml'].map(at);
    const { stdout } = await usp([
      'fix',
      ...names,
      '-o',
      join(folder(), 'out'),
      '--base',
      'https://example.org/',
    ]);
    const lines = stdout.split('\n');
    expect(lines[lines.indexOf(at('b.xml')) + 1]).toMatch(/priority/);
    expect([lines.includes(at('a.xml')), lines.includes(at('c.xml'))]).toEqual([true, false]);
  });

  test('what is right is not changed', async () => {
    const xml =
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n' +
      `<url><loc>${A}</loc><lastmod>2024-05</lastmod><changefreq>daily</changefreq><priority>0.8</priority>` +
      '<image:image><image:loc>https://example.org/1.png</image:loc></image:image></url>\n</urlset>\n';
    const { report, files } = await fix([written({ 'a.xml': xml })('a.xml')]);
    expect(report.repairs).toEqual([]);
    expect(files).toEqual({ 'a.xml': xml });
  });
});

describe('inputs', () => {
  const site: Site = {
    '/robots.txt': ['/maps/index.xml'],
    '/maps/index.xml': [['/maps/1.xml', '2024-05'], '/maps/2.xml.gz'],
    '/maps/1.xml': urlset(A),
    '/maps/2.xml.gz': { body: gzipSync(urlset(B)) },
  };

  test('a site: names and folders are kept, and robots.txt needs no new line', async () => {
    const { origin } = await serve(site);
    const { files, report } = await fix([origin]);
    expect(urlsOf(files)).toEqual({
      'maps/1.xml': [A],
      'maps/2.xml.gz': [B],
      'maps/index.xml': [`${origin}/maps/1.xml`, `${origin}/maps/2.xml.gz`],
    });
    expect(files['maps/index.xml']).toContain('<lastmod>2024-05</lastmod>');
    expect(report.robots).toEqual([]);
  });

  test('a saved tree gives the same files as its site', async () => {
    const { origin } = await serve(site);
    const archive = join(folder(), 'site.warc.gz');
    await usp(['ls', origin, '--no-known', '--save', archive]);
    expect((await fix([archive])).files).toEqual((await fix([origin])).files);
  });

  test('a file that is named twice is one', async () => {
    const at = written({ 'a.xml': urlset(A), 'b.xml': urlset(B) });
    const { files, report } = await fix([at('a.xml'), at('*.xml'), at('a.xml')]);
    expect([urlsOf(files), report.repairs]).toEqual([{ 'a.xml': [A], 'b.xml': [B] }, []]);
  });

  test('an index and its sitemaps as files, with the addresses that the index has', async () => {
    const file = written({ 'index.xml': index(`https://example.org/x/1.xml`), '1.xml': urlset(A) });
    const { files, report } = await fix([file('index.xml'), file('1.xml')]);
    expect(urlsOf(files)).toEqual({ 'index.xml': ['https://example.org/x/1.xml'], 'x/1.xml': [A] });
    expect(report.robots).toEqual(['Sitemap: https://example.org/index.xml']);
  });

  test('a site without a sitemap ends with 1', async () => {
    const { origin } = await serve({ '/robots.txt': 'User-agent: *' });
    const { code, files } = await fix([origin]);
    expect(code).toBe(1);
    expect(files).toEqual({});
  });
});

describe('--layout keep', () => {
  test('RSS, Atom and text become urlsets, and queries become parts of names', async () => {
    const { origin } = await serve((origin) => ({
      '/robots.txt': ['/urls.txt', '/feed/', '/sitemap.php?page=2&lang=en', '/sitemap.php?page=1']
        .map((path) => `Sitemap: ${origin}${path}\n`)
        .join(''),
      '/urls.txt': `${A}\n`,
      '/feed/': `<rss><channel><item><title>t</title><link>${B}</link></item></channel></rss>`,
      '/sitemap.php?page=2&lang=en': urlset(C),
      '/sitemap.php?page=1': urlset(`${C}/1`),
    }));
    const { files, report } = await fix([origin]);
    expect(urlsOf(files)).toEqual({
      'feed.xml': [B],
      'sitemap-page-1.xml': [`${C}/1`],
      'sitemap-page-2-lang-en.xml': [C],
      'urls.xml': [A],
    });
    expect(report.robots).toContain(`Sitemap: ${origin}/sitemap-page-2-lang-en.xml`);
  });

  test('nested indexes become flat', async () => {
    const { origin } = await serve({
      '/robots.txt': ['/top.xml'],
      '/top.xml': ['/1.xml', '/inner.xml'],
      '/inner.xml': ['/2.xml'],
      '/1.xml': urlset(A),
      '/2.xml': urlset(B),
    });
    const { files, report } = await fix([origin]);
    expect(urlsOf(files)).toEqual({
      '1.xml': [A],
      '2.xml': [B],
      'top.xml': [`${origin}/1.xml`, `${origin}/2.xml`],
    });
    expect(report.rules['nested-index']).toEqual({ dropped: 0, changed: 1 });
  });

  test('several hosts get a folder each, and --base is where the folders will be', async () => {
    const other = await serve({ '/maps/b.xml': urlset(B) });
    const { origin } = await serve((origin) => ({
      '/robots.txt': ['/index.xml'],
      '/index.xml': index(`${origin}/a.xml`, `${other.origin}/maps/b.xml`),
      '/a.xml': urlset(A),
    }));
    const own = new URL(origin).host.replace(':', '-');
    const theirs = new URL(other.origin).host.replace(':', '-');
    const { files } = await fix([origin, '--allow-private']);
    expect(urlsOf(files)).toEqual({
      [`${own}/a.xml`]: [A],
      [`${own}/index.xml`]: [`${origin}/a.xml`, `${other.origin}/maps/b.xml`],
      [`${theirs}/maps/b.xml`]: [B],
    });
    const based = await fix([origin, '--allow-private', '--base', 'https://cdn.example.org/maps']);
    expect(urlsIn(based.files[`${own}/index.xml`])).toEqual([
      `https://cdn.example.org/maps/${own}/a.xml`,
      `https://cdn.example.org/maps/${theirs}/maps/b.xml`,
    ]);
    expect(based.report.robots).toEqual([`Sitemap: https://cdn.example.org/maps/${own}/index.xml`]);
  });

  test('what is over a limit gets a second file, under a name that no other document has', async () => {
    const file = written({ 'a.xml': urlset(A, B, C), 'a-2.xml': urlset(`${A}/2`) });
    const { files, report } = await fix([file('a.xml'), file('a-2.xml'), '--max-urls', '2']);
    expect(urlsOf(files)).toEqual({ 'a-2.xml': [`${A}/2`], 'a-2-2.xml': [C], 'a.xml': [A, B] });
    expect(report.rules['over-50000-urls']).toEqual({ dropped: 0, changed: 1 });
  });

  test('a name cannot lead out of the folder', async () => {
    const { origin } = await serve({
      '/robots.txt': ['/%2e%2e%2fx/..%5c..%5cy.xml', '/.hidden/.xml'],
      '/%2e%2e%2fx/..%5c..%5cy.xml': urlset(A),
      '/.hidden/.xml': urlset(B),
    });
    const into = join(folder(), 'a', 'b', 'out');
    mkdirSync(into, { recursive: true });
    const { files } = await fix([origin], { into });
    expect(Object.values(urlsOf(files)).flat().sort()).toEqual([A, B]);
    expect(readdirSync(join(into, '..'))).toEqual(['out']);
  });
});

describe('--layout new', () => {
  const PAGES = urlset(
    ['https://example.org/blog/1', '2023-01-01'],
    ['https://example.org/blog/2', '2024-01-01'],
    'https://example.org/shop/1',
    'https://www.example.org/',
  );

  test('pages are divided anew, with an index', async () => {
    const file = written({ 'a.xml': PAGES, 'b.xml': urlset(A) });
    const { files, report } = await fix([
      file('a.xml'),
      file('b.xml'),
      '--layout',
      'new',
      '--max-urls',
      '3',
      '--gzip',
    ]);
    expect(Object.keys(files)).toEqual(['sitemap-1.xml.gz', 'sitemap-2.xml.gz', 'sitemap.xml.gz']);
    expect(urlsIn(files['sitemap.xml.gz'])).toEqual([
      'https://example.org/sitemap-1.xml.gz',
      'https://example.org/sitemap-2.xml.gz',
    ]);
    expect(urlsIn(files['sitemap-1.xml.gz'])).toHaveLength(3);
    expect(report.robots).toEqual(['Sitemap: https://example.org/sitemap.xml.gz']);
  });

  test.each([
    ['folder', ['sitemap-blog.xml', 'sitemap-root.xml', 'sitemap-shop.xml', 'sitemap.xml']],
    ['lastmod-year', ['sitemap-2023.xml', 'sitemap-2024.xml', 'sitemap-undated.xml', 'sitemap.xml']],
    ['host', ['example.org/sitemap.xml', 'www.example.org/sitemap.xml']],
  ])('--by %s', async (by, names) => {
    const { files } = await fix(['-', '--layout', 'new', '--by', by], { stdin: PAGES });
    expect(Object.keys(files)).toEqual(names);
  });

  test('--by language, by the alternate that is the page itself; news have files of their own', async () => {
    const link = (lang: string, href: string): string =>
      `<xhtml:link rel="alternate" hreflang="${lang}" href="${href}"/>`;
    const stdin =
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" ' +
      'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">' +
      `<url><loc>${A}</loc>${link('en', A)}${link('de', B)}</url><url><loc>${B}</loc>${link('en', A)}${link('de', B)}</url>` +
      `<url><loc>${C}</loc><news:news><news:publication><news:name>N</news:name><news:language>fr</news:language>` +
      '</news:publication><news:publication_date>2024-05-06</news:publication_date><news:title>T</news:title></news:news></url>' +
      '</urlset>';
    const { files } = await fix(['-', '--layout', 'new', '--by', 'language'], { stdin });
    expect(urlsOf(files)).toEqual({
      'sitemap-de.xml': [B],
      'sitemap-en.xml': [A],
      'sitemap-fr-news.xml': [C],
      'sitemap.xml': ['en', 'de', 'fr-news'].map((name) => `https://example.org/sitemap-${name}.xml`),
    });
  });
});

test('--layout new --by language knows the page itself however its address is written', async () => {
  const links =
    '<xhtml:link rel="alternate" hreflang="en" href="https://example.org/"/>' +
    '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/stra%C3%9Fe"/>';
  const stdin =
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">' +
    `<url><loc>https://example.org</loc>${links}</url><url><loc>https://example.org/straße</loc>${links}</url></urlset>`;
  const { files } = await fix(['-', '--layout', 'new', '--by', 'language'], { stdin });
  expect(Object.keys(files)).toEqual(['sitemap-de.xml', 'sitemap-en.xml', 'sitemap.xml']);
});

describe('repeated pages', () => {
  const file = (): ((name: string) => string) =>
    written({
      'a.xml': urlset([A, '2024-01-01'], [B, '2024-01-01'], [A, '2024-06-01'], `${A}#top`),
      'b.xml': urlset(B, [C, '2024-01-01']),
    });

  test('the best-dated is kept, and the report says where', async () => {
    const at = file();
    const { files, report } = await fix([at('a.xml'), at('b.xml')]);
    expect(urlsOf(files)).toEqual({ 'a.xml': [B, A], 'b.xml': [C] });
    expect(files['a.xml']).toContain(`<loc>${A}</loc><lastmod>2024-06-01</lastmod>`);
    expect(report.rules).toMatchObject({
      'url-repeated': { dropped: 2, changed: 0 },
      'url-in-several-sitemaps': { dropped: 1, changed: 0 },
    });
    const [other] = report.repairs.filter(({ rule }) => rule === 'url-in-several-sitemaps');
    expect(other).toMatchObject({ page: B, document: at('b.xml'), line: 1 });
    expect(other?.['message']).toContain(at('a.xml'));
  });

  test('--keep-duplicates keeps them', async () => {
    const at = file();
    const { files } = await fix([at('a.xml'), at('b.xml'), '--keep-duplicates']);
    expect(files['a.xml']?.match(/<loc>/g)).toHaveLength(4);
    expect(urlsIn(files['b.xml'])).toEqual([B, C]);
  });

  test('a page may be in a plain sitemap and in one of images', async () => {
    const images =
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">' +
      `<url><loc>${A}</loc><image:image><image:loc>https://example.org/1.png</image:loc></image:image></url></urlset>`;
    const at = written({ 'a.xml': urlset(A), 'images.xml': images });
    const { files, report } = await fix([at('a.xml'), at('images.xml')]);
    expect(urlsOf(files)).toEqual({ 'a.xml': [A], 'images.xml': [A] });
    expect(report.pages).toEqual({ read: 2, written: 2 });
  });
});

describe('opinions are off, and have a flag each:', () => {
  const STDIN = urlset(
    'http://example.org/a?utm_source=x&amp;b=1&amp;gclid=2#c',
    ['https://example.org/b', '2024-01-01'],
    'https://example.org/b/',
    'https://shop.example.net/x',
  );
  const AS_IT_WAS = [
    'http://example.org/a?utm_source=x&b=1&gclid=2#c',
    'https://example.org/b',
    'https://example.org/b/',
    'https://shop.example.net/x',
  ];

  test.each<[string, string[], string, string[]]>([
    ['none', [], '', AS_IT_WAS],
    [
      '--drop-tracking',
      ['--drop-tracking'],
      'url-tracking-parameter',
      ['http://example.org/a?b=1#c', ...AS_IT_WAS.slice(1)],
    ],
    ['--https', ['--https'], 'url-other-scheme', [`https${AS_IT_WAS[0]?.slice(4)}`, ...AS_IT_WAS.slice(1)]],
    [
      '--canonical-slash',
      ['--canonical-slash'],
      'url-variants',
      AS_IT_WAS.filter((url) => url !== 'https://example.org/b/'),
    ],
    [
      '--drop-other-hosts',
      ['--drop-other-hosts', '--base', 'http://www.example.org:8080/'],
      'url-other-host',
      AS_IT_WAS.slice(0, 3),
    ],
  ])('%s', async (_name, flags, rule, urls) => {
    const { files, report } = await fix(['-', ...flags], { stdin: STDIN });
    expect(urlsIn(files['stdin.xml'])).toEqual(urls);
    expect(Object.keys(report.rules)).toEqual(rule === '' ? [] : [rule]);
  });

  test('--drop-tracking removes a parameter up to the next separator, `&` or `;`', async () => {
    const urls = [
      ['/1?utm_source=a;id=5', '/1?id=5'],
      ['/2?id=5;utm_source=a', '/2?id=5'],
      ['/3?id=5;gclid=1;b=2', '/3?id=5;b=2'],
      ['/4?utm_source=a;gclid=1&id=5#c', '/4?id=5#c'],
      ['/5?utm_source=a;gclid=1', '/5'],
    ].map((pair) => pair.map((path) => `https://example.org${path}`));
    const stdin = urlset(...urls.map(([url = '']) => url.replaceAll('&', '&amp;')));
    const { files } = await fix(['-', '--drop-tracking'], { stdin });
    expect(urlsIn(files['stdin.xml'])).toEqual(urls.map(([, url]) => url));
  });

  test('--canonical-slash looks at the end of the path, not of the query', async () => {
    const urls = [
      'https://example.org/p?next=/',
      'https://example.org/p?next=',
      'https://example.org/q/?a=/',
    ];
    const variants = ['https://example.org/q?a=/', 'https://example.org/p/?next=/'];
    const { files, report } = await fix(['-', '--canonical-slash'], { stdin: urlset(...urls, ...variants) });
    expect(urlsIn(files['stdin.xml'])).toEqual(urls);
    expect(Object.keys(report.rules)).toEqual(['url-variants']);
  });

  test('--drop-blocked, by the robots.txt of the site or of a file', async () => {
    const at = written({
      'robots.txt': 'User-agent: *\nDisallow: /private/\nSitemap: https://example.org/a.xml',
      'a.xml': urlset(A, 'https://example.org/private/1'),
    });
    const inputs = [at('robots.txt'), at('a.xml')];
    expect(Object.values(urlsOf((await fix(inputs)).files))).toEqual([[A, 'https://example.org/private/1']]);
    const { files, report } = await fix([...inputs, '--drop-blocked']);
    expect(Object.values(urlsOf(files))).toEqual([[A]]);
    expect(report.repairs[0]).toMatchObject({ rule: 'page-blocked', action: 'dropped' });
    expect(report.repairs[0]?.['message']).toContain('Disallow: /private/');
    // The rules are those of --agent, where it is given.
    writeFileSync(
      at('robots.txt'),
      'User-agent: Bingbot\nDisallow: /private/\nSitemap: https://example.org/a.xml',
    );
    const droppedFor = async (...agent: readonly string[]) =>
      (await fix([...inputs, '--drop-blocked', ...agent])).report.repairs.length;
    expect([await droppedFor(), await droppedFor('--agent', 'bingbot')]).toEqual([0, 1]);
  });

  test.each([
    [
      1,
      '1 error is left: robots.txt forbids fetching',
      '--drop-blocked drops it; if search engines should read it,',
    ],
    [
      2,
      '2 errors are left: robots.txt forbids fetching',
      '--drop-blocked drops them; if search engines should read',
    ],
  ])(
    '%d pages that robots.txt blocks are errors that are left, and the flag is named',
    async (many, left, hint) => {
      const blocked = Array.from({ length: many }, (_, number) => `https://example.org/private/${number}`);
      const at = written({
        'robots.txt': 'User-agent: *\nDisallow: /private/\nSitemap: https://example.org/a.xml',
        'a.xml': urlset(A, ...blocked, 'mailto:private'),
      });
      const inputs = [at('robots.txt'), at('a.xml')];
      const { report } = await fix(inputs);
      expect(report.left).toEqual([{ rule: 'page-blocked', count: many, page: blocked[0] }]);
      const { stdout } = await usp(['fix', ...inputs, '-o', join(folder(), 'text')]);
      expect(stdout).toContain(`${left} ${blocked[0]}  page-blocked\n${hint}`);
      const dropped = await usp(['fix', ...inputs, '-o', join(folder(), 'dropped'), '--drop-blocked']);
      expect(dropped.stdout).not.toContain('left');
      expect((await fix([...inputs, '--drop-blocked'])).report.left).toEqual([]);
    },
  );

  test('--drop-blocked does not take a file to which robots.txt redirects for the robots.txt of that host', async () => {
    let declared = '';
    const other = await serve({
      '/rules.txt': () => `User-agent: *\nDisallow: /private/\nSitemap: ${declared}\n`,
    });
    const site = await serve((origin) => ({
      '/robots.txt': { status: 302, headers: { Location: `${other.origin}/rules.txt` } },
      '/sitemap.xml': urlset(A, `${origin}/private/1`, `${other.origin}/private/2`),
    }));
    declared = `${site.origin}/sitemap.xml`;
    const { report } = await fix([`${site.origin}/`, '--drop-blocked', '--allow-private']);
    const blocked = report.repairs.filter(({ rule }) => rule === 'page-blocked');
    expect(blocked.map(({ page }) => page)).toEqual([`${site.origin}/private/1`]);
  });
});

describe('with --request-pages, pages are requested:', () => {
  const site: Site = {
    '/robots.txt': ['/a.xml'],
    '/a.xml': { pages: [['/fine', '2020-01-01'], '/gone', '/moved', '/hidden', '/error'] },
    '/fine': { body: '<html>', headers: { 'Last-Modified': 'Mon, 06 May 2024 10:00:00 GMT' } },
    '/gone': { status: 410 },
    '/moved': { status: 301, headers: { Location: '/fine' } },
    '/hidden': { body: '<html>', headers: { 'X-Robots-Tag': 'noindex' } },
    '/error': { status: 500 },
  };

  test('--drop-dead drops what is gone, redirects or says noindex, not what fails', async () => {
    const { origin } = await serve(site);
    const { files, report } = await fix([origin, '--request-pages', 'all', '--drop-dead', '--retries', '0']);
    expect(urlsIn(files['a.xml'])).toEqual([`${origin}/fine`, `${origin}/error`]);
    expect(report.rules).toMatchObject({
      'page-missing': { dropped: 1 },
      'page-redirected': { dropped: 1 },
      'page-noindex': { dropped: 1 },
    });
    expect(files['a.xml']).toContain('<lastmod>2020-01-01</lastmod>');
  });

  test('--agent says whose noindex counts, and a time that is over ends the requests with exit code 3', async () => {
    const { origin } = await serve({
      ...site,
      '/a.xml': { pages: ['/bing', '/silent'] },
      '/bing': { body: '<html>', headers: { 'X-Robots-Tag': 'bingbot: noindex' } },
      '/silent': { silent: true },
    });
    const argv = [origin, '--request-pages', 'all', '--drop-dead', '--retries', '0', '--agent', 'bingbot'];
    await withMoreTime([0.3, 5, 40], async (seconds) => {
      const { code, stderr, files } = await fix([...argv, '--timeout', String(seconds)]);
      expect([code, stderr]).toEqual([3, 'Not all pages were requested: the time was over (--timeout).\n']);
      // What was found until then is done.
      expect(urlsIn(files['a.xml'])).toEqual([`${origin}/silent`]);
    });
  });

  test('--lastmod-from-head takes the dates of the pages themselves', async () => {
    const { origin } = await serve(site);
    const { files, report } = await fix([
      origin,
      '--request-pages',
      'all',
      '--lastmod-from-head',
      '--retries',
      '0',
    ]);
    expect(files['a.xml']).toContain('/fine</loc><lastmod>2024-05-06T10:00:00Z</lastmod>');
    expect(urlsIn(files['a.xml'])).toHaveLength(5);
    expect(report.rules).toEqual({ 'lastmod-from-head': { dropped: 0, changed: 1 } });
  });
});

describe('with --request-pages and a password in the URL of a site', () => {
  test('pages of the first site are requested with it, also where another site is behind it', async () => {
    const asked: (string | undefined)[] = [];
    const first = await serve({
      '/robots.txt': ['/a.xml'],
      '/a.xml': { pages: ['/page'] },
      '/page': ({ headers }) => {
        asked.push(headers['authorization']);
        return { status: 410 };
      },
    });
    const second = await serve({ '/robots.txt': ['/b.xml'], '/b.xml': { pages: ['/b'] } });
    const inputs = [first.origin.replace('//', '//u:p@'), second.origin];
    await fix([...inputs, '--request-pages', 'all', '--drop-dead']);
    expect(asked).toEqual([`Basic ${btoa('u:p')}`]);
  });
});

describe('what could not be read whole', () => {
  const half = async (): Promise<string> => {
    const { origin } = await serve({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/1.xml', '/2.xml'],
      '/1.xml': urlset(A),
      '/2.xml': { status: 503 },
    });
    return origin;
  };

  test('a child that responds with 503 stops the writing, with exit code 4', async () => {
    const origin = await half();
    const { code, stderr, stdout, files } = await fix([origin, '--retries', '0']);
    expect(code).toBe(4);
    expect(stdout).toBe('');
    expect(files).toEqual({});
    expect(stderr).toContain(`${origin}/2.xml: the server responded with 503`);
    expect(stderr).toContain('nothing was written');
    expect(stderr).toContain('--partial');
  });

  test('--partial writes the rest, and the report names what is missing', async () => {
    const origin = await half();
    const { code, files, report } = await fix([origin, '--partial', '--retries', '0']);
    expect(code).toBe(0);
    expect(urlsOf(files)).toEqual({ '1.xml': [A], 'index.xml': [`${origin}/1.xml`] });
    expect(report.missing).toEqual([expect.stringContaining(`${origin}/2.xml`)]);
  });

  test('the file of an earlier run stays, and in its index, until its sitemap can be read again', async () => {
    const into = join(folder(), 'out');
    let isDown = false;
    const { origin } = await serve({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/1.xml', '/2.xml', '/3.xml'],
      '/1.xml': urlset(A),
      '/2.xml': () => (isDown ? { status: 503 } : urlset(B, `${B}2`)),
      '/3.xml': () => (isDown ? urlset('ftp://example.org/') : urlset(`${A}3`)),
    });
    const run = ['--max-urls', '1', '--retries', '0', '--partial'];
    const before = (await fix([origin, ...run], { into })).files;
    expect(Object.keys(before)).toEqual(['1.xml', '2-2.xml', '2.xml', '3.xml', 'index.xml']);
    isDown = true;
    const { files, report } = await fix([origin, ...run], { into });
    expect(report).toMatchObject({ kept: ['2.xml', '2-2.xml'], removed: ['3.xml'] });
    expect(files['2-2.xml']).toBe(before['2-2.xml']);
    expect(urlsIn(files['index.xml'])).toEqual(['1', '2', '2-2'].map((name) => `${origin}/${name}.xml`));
    // The manifest names them: a run without them removes them.
    isDown = false;
    const at = written({ '1.xml': urlset(A) });
    const removed = ['2.xml', '2-2.xml', 'index.xml'];
    const { report: last } = await fix([at('1.xml'), '--base', origin], { into });
    expect([...last.removed].sort()).toEqual([...removed].sort());
  });

  test('it stays also where its name looks like a part of the index', async () => {
    const into = join(folder(), 'out');
    let isDown = false;
    const { origin } = await serve({
      '/robots.txt': ['/sitemap.xml'],
      '/sitemap.xml': ['/sitemap-1.xml', '/sitemap-2.xml'],
      '/sitemap-1.xml': urlset(A),
      '/sitemap-2.xml': () => (isDown ? { status: 503 } : urlset(B)),
    });
    const run = [origin, '--retries', '0', '--partial'];
    const before = (await fix(run, { into })).files;
    isDown = true;
    const { files, report } = await fix(run, { into });
    expect(report).toMatchObject({ kept: ['sitemap-2.xml'], removed: [] });
    expect(files).toEqual(before);
  });

  test('it stays also where its sitemap is not among the files that are given', async () => {
    const into = join(folder(), 'out');
    const at = written({
      'index.xml': index('https://example.org/a.xml', 'https://example.org/b.xml'),
      'a.xml': urlset(A),
      'b.xml': urlset(B),
    });
    const before = (await fix([at('index.xml'), at('a.xml'), at('b.xml')], { into })).files;
    const { files, report } = await fix([at('index.xml'), at('a.xml'), '--partial'], { into });
    expect(report).toMatchObject({ kept: ['b.xml'], removed: [] });
    expect(files).toEqual(before);
  });

  test('no index lists what is removed, or itself, and each lists what stays of an unread index below it', async () => {
    const into = join(folder(), 'out');
    let isDown = false;
    const { origin } = await serve((origin) => ({
      '/robots.txt': ['/a-3.xml'],
      '/a-3.xml': index(...['a', 'a-2', 'sub', 'r', 'z'].map((name) => `${origin}/${name}.xml`)),
      '/a.xml': () => (isDown ? { status: 503 } : urlset(A)),
      '/a-2.xml': () => (isDown ? urlset('ftp://example.org/') : urlset(B)),
      '/sub.xml': () => (isDown ? { status: 503 } : index(`${origin}/c.xml`)),
      '/c.xml': urlset(`${A}c`),
      '/r.xml': { status: 302, headers: { location: '/real/r.xml' } },
      '/real/r.xml': () => (isDown ? { status: 503 } : urlset(`${A}r`)),
      '/z.xml': urlset(`${A}z`),
    }));
    const run = [origin, '--retries', '0', '--partial'];
    await fix(run, { into });
    isDown = true;
    const { files, report } = await fix(run, { into });
    expect(report.removed).toEqual(['a-2.xml']);
    expect(urlsIn(files['a-3.xml'])).toEqual(
      ['z', 'a', 'c', 'real/r'].map((name) => `${origin}/${name}.xml`),
    );
  });

  test('a truncated gzip file is one part that is missing', async () => {
    const at = written({
      'a.xml.gz': gzipSync(urlset(...Array.from({ length: 99 }, (_, n) => A + n ** 7))).subarray(0, 400),
    });
    const { code, stderr } = await fix([at('a.xml.gz')]);
    expect(code).toBe(4);
    expect(stderr).toContain('usp: 1 part of the input could not be read');
    expect(stderr).toContain('inflated bytes. The document ends inside');
  });

  test('a truncated file stops the writing', async () => {
    const stdin = `<urlset><url><loc>${A}</loc></url><url><loc>https://exam`;
    const { code, stderr, files } = await fix(['-'], { stdin });
    expect(code).toBe(4);
    expect(stderr).toContain('stdin: ');
    expect(files).toEqual({});
    expect(urlsOf((await fix(['-', '--partial'], { stdin })).files)).toEqual({ 'stdin.xml': [A] });
  });

  test('an index that lists itself was read', async () => {
    const { origin } = await serve({
      '/robots.txt': ['/index.xml'],
      '/index.xml': ['/1.xml', '/index.xml'],
      '/1.xml': urlset(A),
    });
    const { code, files, report } = await fix([origin]);
    expect(code).toBe(0);
    expect(report.missing).toEqual([]);
    expect(urlsOf(files)).toEqual({ '1.xml': [A], 'index.xml': [`${origin}/1.xml`] });
  });

  test('an index in a file that lists its own address is repaired', async () => {
    const at = written({
      'index.xml': index('https://example.org/index.xml', 'https://example.org/1.xml'),
      '1.xml': urlset(A),
    });
    const { code, files, report } = await fix([at('index.xml'), at('1.xml')]);
    expect(code).toBe(0);
    expect(urlsOf(files)).toEqual({ '1.xml': [A], 'index.xml': ['https://example.org/1.xml'] });
    expect(report.rules).toEqual({ 'sitemap-recursion': { dropped: 1, changed: 0 } });
  });

  test.each([
    ['of another host', 'https://blog.example.org/index.xml'],
    ['in a folder', 'https://example.org/blog/index.xml'],
  ])('a sitemap of the same name %s is another one', async (_where, other) => {
    const at = written({ 'index.xml': index(other, 'https://example.org/1.xml'), '1.xml': urlset(A) });
    expect((await fix([at('index.xml'), at('1.xml')])).code).toBe(4);
  });

  test('sitemaps that a urlset lists are among what is missing', async () => {
    const stdin = `<urlset><url><loc>${A}</loc></url><sitemap><loc>https://example.org/2.xml</loc></sitemap></urlset>`;
    const { report } = await fix(['-'], { stdin });
    expect(report.missing).toEqual([expect.stringMatching(/^stdin: 1 entry is of the other kind/)]);
  });

  test.each([
    [1, '1 part of the input could not be read', undefined],
    [20, '20 parts of the input could not be read', undefined],
    [21, '21 parts of the input could not be read', '… and 1 more of these.'],
  ])('%d parts: the first 20 are named, and the others are counted', async (many, total, rest) => {
    const urls = Array.from({ length: many + 1 }, (_, at) => `https://example.org/${at}.xml`);
    const at = written({ 'index.xml': index(...urls), '0.xml': urlset(A) });
    const { stderr } = await fix([at('index.xml'), at('0.xml')]);
    const lines = stderr.split('\n');
    expect(lines.filter((line) => line.includes(' was not fetched, '))).toHaveLength(Math.min(many, 20));
    expect(lines.find((line) => line.startsWith('…'))).toBe(rest);
    expect(stderr).toContain(`usp: ${total}; nothing was written.\nhint: --partial writes the rest.\n`);
  });

  test('text: what is missing, kept and removed is named', async () => {
    const out = join(folder(), 'out');
    const at = written({
      'index.xml': index('https://example.org/a.xml', 'https://example.org/b.xml'),
      'a.xml': urlset(A),
      'b.xml': urlset(B),
    });
    const run = async (...argv: readonly string[]): Promise<string> =>
      (await usp(['fix', ...argv, '-o', out])).stdout.replaceAll(at(''), '');
    const all = await run(at('index.xml'), at('a.xml'), at('b.xml'));
    expect(all).toMatch(/^Nothing had to be repaired\.\n\n/);
    expect(all).not.toMatch(/Missing|kept|removed/);
    const partial = await run(at('index.xml'), at('a.xml'), '--partial');
    expect(partial).toContain('\n  b.xml  kept as an earlier run wrote it\n');
    expect(partial).toContain(
      '\nMissing, or incomplete:\n  https://example.org/b.xml was not fetched, since its index is a file: add its file as an input.\n',
    );
    expect(await run(at('a.xml'))).toContain('\n  b.xml  removed: an earlier run wrote it\n');
  });

  test('the exit code is the worst of the sites, also where the others are written', async () => {
    const at = written({ 'a.xml': urlset(A) });
    const down = ['http://127.0.0.1:1/', '--retries', '0'];
    const { code, files, stdout } = await fix([at('a.xml'), ...down, '--partial']);
    expect([code, urlsOf(files)]).toEqual([6, { 'a.xml': [A] }]);
    expect(JSON.parse(stdout).missing).toHaveLength(1);
    expect(await fix(down)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('usp: there is no sitemap to repair.'),
      files: {},
    });
  });

  test('without a page to write the exit code is that of reading, or else 1, and the earlier set stays', async () => {
    const into = join(folder(), 'out');
    const { files: before } = await fix(['-'], { stdin: urlset(A), into });
    const none = await fix(['-'], { stdin: urlset('mailto:x'), into });
    const message = `usp: there is no page to write; nothing was written, and ${into} is as it was.\n`;
    expect([none.code, none.stderr, none.files]).toEqual([1, expect.stringContaining(message), before]);
    expect(JSON.parse(none.stdout)).toMatchObject({
      pages: { written: 0 },
      files: [],
      removed: [],
      kept: [],
    });
    const { origin } = await serve({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': urlset('mailto:a'),
      '/b.xml': urlset('mailto:b'),
    });
    const stopped = await fix([origin, '--max-sitemaps', '2', '--partial'], { into });
    expect([stopped.code, stopped.stderr, stopped.files]).toEqual([
      3,
      expect.stringContaining(message),
      before,
    ]);
  });

  test('an index in a file without its sitemaps stops the writing', async () => {
    const at = written({
      'index.xml': index('https://example.org/1.xml', 'https://example.org/2.xml'),
      '1.xml': urlset(A),
    });
    const { code, stderr } = await fix([at('index.xml'), at('1.xml')]);
    expect(code).toBe(4);
    expect(stderr).toContain('https://example.org/2.xml was not fetched');
    expect(stderr).not.toContain('https://example.org/1.xml was');
  });
});

describe('the folder', () => {
  test('one with other files is refused unless --force, and then they stay', async () => {
    const into = folder();
    writeFileSync(join(into, 'index.html'), 'mine');
    const { code, stderr } = await fix(['-'], { stdin: urlset(A), into });
    expect(code).toBe(2);
    expect(stderr).toContain('index.html');
    expect(stderr).toContain('--force');
    const forced = await fix(['-', '--force'], { stdin: urlset(A), into });
    expect(forced.code).toBe(0);
    expect(forced.files).toMatchObject({ 'index.html': 'mine' });
    expect(urlsIn(forced.files['stdin.xml'])).toEqual([A]);
  });

  test('--force does not replace a file that is not of an earlier set', async () => {
    const into = folder();
    writeFileSync(join(into, 'stdin.xml'), 'mine');
    const { code, files } = await fix(['-', '--force'], { stdin: urlset(A), into });
    expect(code).toBe(2);
    expect(files).toEqual({ 'stdin.xml': 'mine' });
  });

  test('a second run replaces the files of the first, and removes what is no longer there', async () => {
    const at = written({ 'a.xml': urlset(A), 'b.xml': urlset(B) });
    const into = join(folder(), 'out');
    await fix([at('a.xml'), at('b.xml')], { into });
    expect(Object.keys(filesIn(into))).toEqual(['a.xml', 'b.xml']);
    const { files } = await fix([at('b.xml')], { into });
    expect(urlsOf(files)).toEqual({ 'b.xml': [B] });
  });

  test('an interruption leaves the old set whole', async () => {
    const into = join(folder(), 'out');
    await fix(['-'], { stdin: urlset(A), into });
    const before = filesIn(into);
    const ending = new AbortController();
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode(urlset(B).slice(0, 40));
      ending.abort();
      await new Promise(() => {});
    }
    const { code, stderr } = await fix(['-'], { chunks: chunks(), signal: ending.signal, into });
    expect(code).toBe(130);
    expect(stderr).toContain('interrupted');
    expect(filesIn(into)).toEqual(before);
  });
});

describe('bad usage: exit code 2, and nothing is written', () => {
  const at = (): ((name: string) => string) => written({ 'a.xml': urlset(A), 'a.html': '<html><body>Hello' });

  test.each([
    [['a.xml', 'gone.xml'], 'gone.xml cannot be read'],
    [['a.html'], 'is neither a saved tree nor a sitemap'],
    [['a.xml', 'a.html', '--url', 'https://example.org/a.xml'], 'and there are several inputs'],
    [['a.xml', '--url', 'a.example'], '--url needs an absolute URL'],
    [['a.xml', '--by', 'host'], '--layout new --by host'],
    [['a.xml', '--drop-other-hosts'], '--base'],
    [['a.xml', '--drop-dead'], '--drop-dead --request-pages all'],
    [['a.xml', '--lastmod-from-head'], '--lastmod-from-head --request-pages all'],
    [['a.xml', '--lastmod-from-head', '--drop-dead'], '--drop-dead needs --request-pages'],
    [['a.xml', '--layout', 'keep', '--by', 'folder'], '--layout new --by folder'],
    [['a.xml', '--base', 'example.org'], '--base needs an http or https URL, not "example.org".'],
    [['a.xml', '--base', 'ftp://example.org/'], '--base needs an http or https URL'],
    [['a.xml', '--base', 'https://'], '--base needs an http or https URL'],
    [['a.xml', '--base', 'https://example.org/?a'], '--base needs an http or https URL'],
    [['a.xml', '--base', 'https://example.org#a'], '--base needs an http or https URL'],
  ])('usp fix %j', async (words, message) => {
    const file = at();
    const { code, stderr, files } = await fix(words.map((word) => (/^a\./.test(word) ? file(word) : word)));
    expect([code, stderr, files]).toEqual([2, expect.stringContaining(message), {}]);
  });
});

describe('§7: unmatched tags', () => {
  const NS0 = 'xmlns:ns0="http://www.sitemaps.org/schemas/sitemap/0.9"';
  const entry = (url: string) => `<ns0:url><ns0:loc>${url}</ns0:loc></ns0:url>`;

  test('a document with stray and unclosed tags loses no page', async () => {
    const stdin = `<ns0:urlset ${NS0}>${entry(A)}</ns0:url></p>${entry(B)}<br>${entry(C)}</ns0:urlset>`;
    const { report, code } = await fix(['-'], { stdin });
    expect(code).toBe(0);
    expect(report.pages).toEqual({ read: 3, written: 3 });
  });

  test('a document whose end is in an unclosed comment is truncated: nothing is written', async () => {
    const stdin = `<ns0:urlset ${NS0}>${entry(A)}<!--${entry(B)}</ns0:urlset>`;
    const { code, stderr } = await usp(['fix', '-', '-o', join(folder(), 'out')], { stdin });
    expect(code).toBe(4);
    expect(stderr).toContain('nothing was written');
  });
});
