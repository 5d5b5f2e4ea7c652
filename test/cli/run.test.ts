/** Specification §10, held in this process against real servers on loopback. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { EXIT_MEANINGS, worst } from '../../src/cli/endings.ts';
import { KNOWN_PATHS } from '../../src/index.ts';
import { closedPort } from '../server/raw-server.ts';
import type { Site } from '../server/scripted-server.ts';
import { uspDeclared as usp, usp as uspWithKnownPaths } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { siteOf as serve } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { folderUntil, openFiles, written } from '../support/folder.ts';
import { withMoreTime } from '../support/more-time.ts';
import { HAS_PIPES, IS_LINUX } from '../support/platform.ts';

const folder = folderUntil(afterAll);

/** A small site: an index of two sitemaps, one page in both. */
const small: Site = {
  '/robots.txt': ['/index.xml'],
  '/index.xml': [
    ['/a.xml', '2024-05-06'],
    ['/b.xml', '2020-01-01'],
  ],
  '/a.xml': { pages: [['/1', '2024-05-06'], ['/2', '2024-01-01'], '/3'] },
  '/b.xml': { pages: ['/1', '/4'] },
};

const sorted = (lines: readonly string[]): string[] => [...lines].sort();

describe('usp ls: formats', () => {
  test('tabtree is the default: sitemaps and pages, nested by tabs', async () => {
    const { origin } = await serve(small);
    const { code, stdout, stderr } = await usp(['ls', origin]);
    expect(stdout.replaceAll(origin, '')).toBe(
      '/\n\t/robots.txt\n\t\t/index.xml\n\t\t\t/a.xml\n\t\t\t\t/1\n\t\t\t\t/2\n\t\t\t\t/3\n\t\t\t/b.xml\n\t\t\t\t/1\n\t\t\t\t/4\n',
    );
    expect([code, stderr]).toEqual([0, '']);
  });

  test('pages: one URL a line, in any order; --ordered gives the tree’s', async () => {
    const { origin } = await serve(small);
    const arrived = await usp(['ls', origin, '-f', 'pages', '-u']);
    expect(sorted(arrived.lines)).toEqual(['/1', '/1', '/2', '/3', '/4']);
    const ordered = await usp(['ls', origin, '-f', 'pages', '-u', '--ordered']);
    expect(ordered.lines).toEqual(['/1', '/2', '/3', '/1', '/4']);
  });

  test('json is what JSON.stringify(tree) gives, with filters too', async () => {
    const { origin } = await serve(small);
    const whole = JSON.parse((await usp(['ls', origin, '-f', 'json'])).stdout);
    const filtered = await usp(['ls', origin, '-f', 'json', '--exclude', 'nothing-is-like-this']);
    expect(JSON.stringify(JSON.parse(filtered.stdout))).toBe(JSON.stringify(whole));
    expect(whole).toMatchObject({ kind: 'website', url: `${origin}/`, complete: true });
    const few = JSON.parse((await usp(['ls', origin, '-f', 'json', '-u', '--include', '/4'])).stdout);
    expect(few.subSitemaps[0].subSitemaps[0].subSitemaps).toMatchObject([
      { url: '/a.xml', pages: [] },
      { url: '/b.xml', pages: [{ url: '/4' }] },
    ]);
    const bare = JSON.parse((await usp(['ls', origin, '-f', 'json', '--no-pages'])).stdout);
    expect(bare.subSitemaps[0].subSitemaps[0].subSitemaps[0]).not.toHaveProperty('pages');
  });

  test.each(['json', 'ndjson', 'csv'])('-u shortens every URL of a page (%s)', async (format) => {
    const { origin } = await serve((own) => ({
      '/robots.txt': ['/sitemap.xml'],
      '/sitemap.xml': urlset(`${own}/1`).replace(
        '</url>',
        `<image:image><image:loc>${own}/1.jpg</image:loc><image:license>${own}/l</image:license></image:image>` +
          `<xhtml:link rel="alternate" hreflang="de" href="${own}/de/1"/>` +
          `<video:video><video:title>About ${own}/</video:title><video:thumbnail_loc>${own}/t.jpg</video:thumbnail_loc>` +
          `<video:content_loc>${own}/v.mp4</video:content_loc><video:player_loc>${own}/p</video:player_loc>` +
          `<video:uploader info="${own}/who">Who</video:uploader></video:video></url>`,
      ),
    }));
    const { stdout } = await usp(['ls', origin, '-f', format, '-u']);
    for (const short of ['/1', '/1.jpg', '/de/1', '/v.mp4', '/sitemap.xml']) expect(stdout).toContain(short);
    // A title is no URL.
    expect(stdout.replace(`About ${origin}/`, '')).not.toContain(origin);
    expect((await usp(['ls', origin, '-f', format])).stdout).toContain(`${origin}/1.jpg`);
  });

  test('ndjson: a page a line, with its sitemap', async () => {
    const { origin } = await serve(small);
    const { lines } = await usp(['ls', origin, '-f', 'ndjson', '--ordered']);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      url: `${origin}/1`,
      lastModified: '2024-05-06T00:00:00.000Z',
      lastModifiedText: '2024-05-06',
      sitemap: `${origin}/a.xml`,
    });
  });

  test('csv: quoted where needed, formulas defused, a header even without pages', async () => {
    const rss = (title: string): string =>
      `<rss version="2.0"><channel><item><title>${title}</title><link>https://h.example/</link></item></channel></rss>`;
    const titles = ['=1+1', '+1', '-1', '@x', 'a,"b"', 'two\nlines'];
    for (const title of titles) {
      const { stdout } = await usp(['ls', '-', '-f', 'csv'], { stdin: rss(title) });
      const cell = stdout.slice(stdout.indexOf('\n') + 1);
      const shown = title === 'a,"b"' ? '"a,""b"""' : title === 'two\nlines' ? '"two\nlines"' : `'${title}`;
      expect(cell).toBe(`https://h.example/,,,,,${shown},,,,,,,,,,\n`);
    }
    const { origin } = await serve(small);
    const none = await usp(['ls', origin, '-f', 'csv', '--include', 'none']);
    expect(none.lines).toHaveLength(1);
    expect(none.stdout).toMatch(/^url,sitemap,lastModified,priority,changeFrequency,/);
  });

  test('tree: counts, what is filtered, and why something is unreadable', async () => {
    const { origin } = await serve({ ...small, '/b.xml': { status: 410 } });
    const { stdout } = await usp(['ls', origin, '-f', 'tree', '-u', '--include', '/2']);
    expect(stdout).toBe(
      [
        '/',
        '└── /robots.txt (robots.txt)',
        '    └── /index.xml (index)',
        '        ├── /a.xml (sitemap, 1 of 3 pages)',
        '        └── /b.xml (unreadable: HTTP 410)',
        '',
        '2 sitemaps, 1 page, 1 unreadable',
        '',
      ].join('\n'),
    );
  });

  test('tree: each sitemap is drawn below its own index, whatever is above it', async () => {
    const { origin } = await serve((own) => ({
      '/robots.txt': ['/index.xml', '/c.xml'],
      '/index.xml': index(`${own}/inner.xml`, `${own}/b.xml`),
      '/inner.xml': index(`${own}/a.xml`),
      ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`/${name}.xml`, urlset(`${own}/${name}`)])),
    }));
    const { lines } = await usp(['ls', origin, '-f', 'tree', '-u']);
    expect(lines.slice(0, 7)).toEqual([
      '/',
      '└── /robots.txt (robots.txt)',
      '    ├── /index.xml (index)',
      '    │   ├── /inner.xml (index)',
      '    │   │   └── /a.xml (sitemap, 1 page)',
      '    │   └── /b.xml (sitemap, 1 page)',
      '    └── /c.xml (sitemap, 1 page)',
    ]);
  });

  test('several sites run one after the other; json prints a document a line', async () => {
    const [one, two] = [await serve(small), await serve(small)];
    const { code, lines } = await usp(['ls', one.origin, two.origin, '-f', 'json']);
    expect(lines.map((line) => JSON.parse(line).url)).toEqual([`${one.origin}/`, `${two.origin}/`]);
    expect(code).toBe(0);
    // Each loses its own address, and the pages of the first do not count as seen for the second.
    const short = await usp([
      'ls',
      one.origin,
      two.origin,
      '-f',
      'pages',
      '-u',
      '--ordered',
      '--max-pages',
      '2',
    ]);
    expect(short.lines).toEqual(['/1', '/2', '/1', '/2']);
  });

  test('json says whether --agent may fetch a page, with whole URLs and with -u', async () => {
    const { origin } = await serve((own) => ({
      '/robots.txt': `User-agent: GPTBot\nDisallow: /1\nSitemap: ${own}/a.xml`,
      '/a.xml': { pages: ['/1', '/2'] },
    }));
    for (const more of [[], ['-u']]) {
      const { stdout } = await usp(['ls', origin, '-f', 'json', '--agent', 'GPTBot', ...more]);
      expect(JSON.parse(stdout).subSitemaps[0].subSitemaps[0].pages).toMatchObject([
        { allowed: false, rule: 'Disallow: /1', ruleLine: 2 },
        { allowed: true },
      ]);
    }
  });

  test('--no-pages with the format pages is bad usage', async () => {
    const { code, stderr } = await usp(['ls', 'https://a.example', '-f', 'pages', '--no-pages']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--no-pages leaves nothing to print')]);
  });
});

describe('usp ls: what is listed', () => {
  test('--sitemap: one sitemap and what is below it, robots.txt and known paths not asked', async () => {
    const server = await serve(small);
    for (const format of ['pages', 'tabtree']) {
      const { code, lines } = await usp(['ls', '--sitemap', `${server.origin}/index.xml`, '-f', format]);
      expect(code).toBe(0);
      expect(lines.length).toBe(format === 'pages' ? 5 : 8);
    }
    expect(new Set(server.paths())).toEqual(new Set(['/index.xml', '/a.xml', '/b.xml']));
  });

  test('--sample of the pages that an agent may fetch has as many as it can', async () => {
    const paths = Array.from({ length: 40 }, (_, at) => `${at % 2 === 0 ? '/private' : ''}/${at}`);
    const { origin } = await serve((own) => ({
      '/robots.txt': `User-agent: *\nDisallow: /private/\n\nSitemap: ${own}/a.xml\n`,
      '/a.xml': { pages: paths },
    }));
    const agent = ['--agent', 'example-bot', '--only-allowed', '--no-known'];
    const { lines } = await usp(['ls', origin, '-f', 'pages', '--sample', '10', ...agent]);
    expect([lines.length, lines.filter((line) => line.includes('/private/'))]).toEqual([10, []]);
  });

  test('--sample with --list-alternates chooses among both, and lists what it chose', async () => {
    const { origin } = await serve((own) => ({
      '/robots.txt': ['/a.xml'],
      '/a.xml': urlset(`${own}/1`, `${own}/2`).replaceAll(
        /<loc>(.*?)<\/loc>/g,
        '$&<xhtml:link rel="alternate" hreflang="de" href="$1/de"/>',
      ),
    }));
    for (const format of ['pages', 'tabtree']) {
      const { lines } = await usp(['ls', origin, '-f', format, '-u', '--list-alternates', '--sample', '9']);
      expect(lines.map((line) => line.trim()).slice(-4)).toEqual(['/1', '/1/de', '/2', '/2/de']);
    }
  });

  test('--sample with --unique lists the whole sample, and each page once over several inputs', async () => {
    const path = written({
      'a.xml': urlset('https://a.example/1', 'https://a.example/2'),
      'b.xml': urlset('https://a.example/2', 'https://a.example/3'),
    });
    const argv = ['ls', path('a.xml'), path('b.xml'), '-f', 'pages', '--sample', '2', '--unique'];
    expect((await usp(argv)).lines).toEqual([1, 2, 3].map((page) => `https://a.example/${page}`));
  });

  test.each([
    ['--hosts', 'same'],
    ['--include', 'a.example'],
    ['--since', '2014-01-01'],
  ])('--sample with %s %s has as many pages as it can', async (...filter) => {
    const url = (at: number): string => `https://${at % 4 === 0 ? 'a' : 'b'}.example/${at}`;
    const stdin = urlset(
      ...Array.from({ length: 24 }, (_, at): [string, string] => [url(at), at % 4 === 0 ? '2014' : '2013']),
    );
    const argv = ['ls', '-', '--url', 'https://a.example/s.xml', '-f', 'pages', '--sample', '5', ...filter];
    const { lines } = await usp(argv, { stdin });
    expect([lines.length, lines.filter((line) => line.includes('b.example'))]).toEqual([5, []]);
  });

  test.each(['pages', 'tree'])('--sitemap that is not there or none: 1, and why (%s)', async (format) => {
    const server = await serve({ '/page': '<!doctype html><html><body>hi</body></html>' });
    const { origin } = server;
    const missing = await usp(['ls', '--sitemap', `${origin}/none.xml`, '-f', format]);
    expect(server.paths()).toEqual(['/none.xml']);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      `${origin}/none.xml: the server responded with 404 Not Found.\n`,
    ]);
    const page = await usp(['ls', '--sitemap', `${origin}/page`, '-f', format]);
    expect([page.code, page.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^http\S+\/page is not a sitemap.*HTML.*\nhint: --sitemap reads one sitemap.*\n$/,
      ),
    ]);
  });

  test('--unique lists each page once, over all sites', async () => {
    const { origin } = await serve(small);
    const once = await usp(['ls', origin, origin, '-f', 'pages', '-u', '--unique']);
    expect(sorted(once.lines)).toEqual(['/1', '/2', '/3', '/4']);
    const tree = await usp(['ls', origin, '-f', 'tabtree', '-u', '--unique']);
    expect(tree.lines.filter((line) => line.trim() === '/1')).toHaveLength(1);
  });

  test('--include and --exclude add up', async () => {
    const { origin } = await serve(small);
    const { lines } = await usp(`ls ${origin} -f pages -u --include */1 --include */2 --exclude re:1$`);
    expect(lines).toEqual(['/2']);
  });

  test('--sitemap-include and --sitemap-exclude decide what is fetched', async () => {
    const server = await serve(small);
    const { lines } = await usp(['ls', server.origin, '-f', 'pages', '-u', '--sitemap-exclude', 'b.xml']);
    expect(lines).toEqual(['/1', '/2', '/3']);
    expect(server.paths()).not.toContain('/b.xml');
    const none = await usp(['ls', server.origin, '-f', 'pages', '--sitemap-include', 'b.xml']);
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain('no sitemap is left: 1 sitemap not matched by --sitemap-include');
    expect(none.stderr).toContain(`${server.origin}/index.xml`);
    const both = await usp(`ls ${server.origin} -f pages -u --sitemap-include b.xml --sitemap-include index`);
    expect(both.lines).toEqual(['/1', '/4']);
  });

  test('--since: a child that is declared with a month or a year is fetched until its end', async () => {
    const { origin } = await serve({
      '/robots.txt': ['/index.xml'],
      '/index.xml': [
        ['/month.xml', '2024-05'],
        ['/year.xml', '2024'],
        ['/before.xml', '2024-04'],
      ],
      '/month.xml': { pages: [['/1', '2024-05-20']] },
      '/year.xml': { pages: [['/2', '2024-05-20']] },
      '/before.xml': { pages: [['/3', '2024-05-20']] },
    });
    const { lines } = await usp(`ls ${origin} -f pages -u --since 2024-05-15`);
    expect(sorted(lines)).toEqual(['/1', '/2']);
  });

  test('--since: older children are not fetched, undated pages are left out and counted', async () => {
    const server = await serve(small);
    const { code, lines, stderr } = await usp(`ls ${server.origin} -f pages -u --since 2024-05-06T18:00Z`);
    expect([code, lines]).toEqual([0, ['/1']]);
    expect(stderr).toBe(
      `${server.origin}/: 1 page without a date was left out; --undated keep lists them.\n`,
    );
    expect(server.paths()).not.toContain('/b.xml');
  });

  test('what was filtered is said when nothing is left', async () => {
    const { origin } = await serve(small);
    const { code, stderr } = await usp(['ls', origin, '-f', 'pages', '--include', 'x', '--exclude', 'y']);
    expect([code, stderr]).toEqual([0, `${origin}/: no page is left: 5 pages not matched by --include.\n`]);
  });

  test.each(['pages', 'ndjson', 'csv', 'tabtree', 'json'])(
    '--max-pages with %s is success',
    async (format) => {
      const { origin } = await serve(small);
      const { code, stdout } = await usp(['ls', origin, '-f', format, '-u', '--max-pages', '2', '--strict']);
      expect(code).toBe(0);
      expect(stdout.match(/\/[1234]\b/g)).toHaveLength(2);
    },
  );

  test('-r, -k and --known-path', async () => {
    const server = await serve({ ...small, '/hidden/map.xml': { pages: ['/5'] } });
    const hidden = await usp(`ls ${server.origin} -rk --known-path hidden/map.xml -f pages -u`);
    expect(hidden.lines).toEqual(['/5']);
    expect(server.paths()).toEqual(['/hidden/map.xml']);
    const neither = await usp(['ls', server.origin, '-r', '-k']);
    expect(neither.code).toBe(1);
    expect(neither.stderr).toContain(
      'robots.txt (--no-robots) and the known paths (--no-known) not requested',
    );
  });

  test('--known if-none-declared: known paths are requested only if robots.txt declares no sitemap', async () => {
    const known = ['--known', 'if-none-declared'];
    const declaring = await serve({ ...small, '/sitemap.xml': { pages: ['/9'] } });
    const { lines } = await usp(['ls', declaring.origin, '-f', 'pages', '-u', ...known]);
    expect(lines).not.toContain('/9');
    expect(declaring.paths()).not.toContain('/sitemap.xml');
    const always = await usp(['ls', declaring.origin, '-f', 'pages', '-u', '--known', 'always']);
    expect(always.lines).toContain('/9');
    const without = await serve({ '/sitemap.xml': { pages: ['/9'] } });
    expect((await usp(['ls', without.origin, '-f', 'pages', '-u', ...known])).lines).toEqual(['/9']);
    const refusing = await serve({ '/robots.txt': { status: 403 } });
    expect((await usp(['ls', refusing.origin, ...known])).code).toBe(6);
    const empty = await usp(['ls', (await serve({})).origin, ...known]);
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('none is at 21 known paths')]);
    expect((await usp(['ls', without.origin, '--known', 'sometimes'])).code).toBe(2);
  });

  test('headers, user agent', async () => {
    const server = await serve(small);
    await usp(['ls', server.origin, '-H', 'X-One: 1', '-H', 'Accept-Language: de', '--user-agent', 'me/1']);
    expect(server.requests[0]?.headers).toMatchObject({
      'x-one': '1',
      'accept-language': 'de',
      'user-agent': 'me/1',
    });
  });

  test('a homepage that looks like a sitemap gets a hint, any other path too', async () => {
    const { origin } = await serve(small);
    const sitemap = await usp(['ls', `${origin}/index.xml`]);
    expect(sitemap.stderr).toContain(`hint: ${origin}/index.xml looks like a sitemap: usp ls --sitemap`);
    const path = await usp(['ls', `${origin}/blog/`]);
    expect(path.stderr).toContain('--no-normalize');
    for (const argv of [
      [`${origin}/blog/`, '--no-normalize', '--known-path', '/a.xml'],
      [`${origin}/index.xml`, '--sitemap'],
    ])
      expect((await usp(['ls', ...argv])).stderr).not.toContain('hint:');
    expect((await usp(['ls', `${origin}/blog/`, '-q'])).stderr).toBe('');
    const empty = await serve({ '/robots.txt': `Sitemap: http://other.example/s.xml` });
    const none = await usp(['check', `${empty.origin}/blog/`, '--no-normalize']);
    expect(none.stderr).toContain(
      `1 of 1 sitemap in ${empty.origin}/robots.txt was not read: only those below`,
    );
    const bare = await serve({});
    const { stderr } = await usp(['ls', `${bare.origin}/blog/`]);
    expect(stderr).toMatch(/no sitemap found: .*\. --no-normalize looks below \/blog\/ instead\.\n$/);
  });

  test.each(['ls', 'check'])(
    '%s --sitemap with a homepage hints at how its sitemaps are found',
    async (command) => {
      const { origin } = await serve({ '/': '<!doctype html><html><body>A shop</body></html>' });
      const { stderr } = await usp([command, '--sitemap', `${origin}/`]);
      expect(stderr).toContain('hint: --sitemap reads one sitemap; without it, ');
      const missing = await usp([command, '--sitemap', `${origin}/gone.xml`]);
      expect(missing.stderr).not.toContain('hint: --sitemap');
    },
  );

  test.each([
    ['ls', [], 'usp ls --sitemap URL lists it alone'],
    ['check', [], '--sitemap checks it and those below'],
    ['report', [], '--sitemap reports it and those below'],
    ['diff', ['-'], '--sitemap compares it and those below'],
    ['fix', ['-o', join(folder, 'none')], '--sitemap repairs it and those below'],
  ])('%s of a URL that looks like a sitemap says what --sitemap would do', async (command, more, doing) => {
    const { origin } = await serve({});
    const url = `${origin}/sitemap.xml`;
    const argv = [command, url.replace('//', '//user:secret@'), ...more, '-k'];
    const hint = `hint: ${url} looks like a sitemap: ${doing.replace('URL', url)}. Now for all of ${origin}/\n`;
    const stdin = urlset('https://a.example/1');
    expect((await usp(argv, { stdin })).stderr.startsWith(hint)).toBe(true);
    expect((await usp([...argv, '--no-normalize'], { stdin })).stderr).not.toContain('looks like');
  });

  test('--follow-listed reads what is listed as pages, and --sitemap refuses it', async () => {
    const { site, origin } = await serve({
      '/robots.txt': ['/a.xml'],
      '/sitemap-1.xml': urlset('https://example.org/'),
    });
    site['/a.xml'] = urlset(`${origin}/sitemap-1.xml`);
    const { stdout } = await usp(['ls', origin, '--follow-listed', '-f', 'pages']);
    expect(stdout).toBe(`${origin}/sitemap-1.xml\nhttps://example.org/\n`);
    const refused = await uspWithKnownPaths(['ls', '--sitemap', `${origin}/a.xml`, '--follow-listed']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--follow-listed belongs to sitemapTreeForHomepage');
  });

  test('userinfo appears nowhere', async () => {
    const { port } = await serve(small);
    const { stdout, stderr } = await usp(`ls http://user:secret@127.0.0.1:${port}/x -vv -f ndjson`);
    expect(stdout + stderr).not.toContain('secret');
    const sitemap = await usp(`ls --sitemap http://user:secret@127.0.0.1:${port}/none.xml -vv -f pages`);
    expect(sitemap.stdout + sitemap.stderr).not.toContain('secret');
  });
});

test('one sitemap of a site that cannot be read is named below its site, and one that is asked for alone', async () => {
  const { origin } = await serve({ '/robots.txt': ['/gone.xml'] });
  const gone = `${origin}/gone.xml: the server responded with 404 Not Found.\n`;
  const { stderr } = await usp(['ls', origin, '-f', 'pages']);
  expect(stderr).toContain(`${origin}/: 1 sitemap could not be read:\n  ${gone}`);
  const alone = await usp(['ls', '--sitemap', `${origin}/gone.xml`, '-f', 'pages']);
  expect(alone.stderr.startsWith(gone)).toBe(true);
});

testIf(IS_LINUX)(
  'a tree that was listed is closed, with what was kept of it on disk, and with its archive',
  async () => {
    const spools = join(tmpdir(), `ultimate-sitemap-parser-${process.pid}-`);
    const archive = join(folder, 'large.warc.gz');
    const open = (): string[] => [spools, archive].flatMap((path) => openFiles(path));
    const pages = Array.from({ length: 30_000 }, (_, at) => `https://a.example/${'x'.repeat(60)}${at}`);
    const { origin } = await serve({ '/robots.txt': ['/large.xml'], '/large.xml': urlset(...pages) });
    const before = open();
    for (const argv of [
      ['ls', origin, '--save', archive],
      ['ls', archive],
    ]) {
      expect((await usp([...argv, '-f', 'tree'])).stdout).toContain('30,000');
      expect(open().filter((path) => !before.includes(path))).toEqual([]);
    }
  },
);

describe('exit codes', () => {
  test('1: no sitemap, and what was requested', async () => {
    const { origin } = await serve({ '/robots.txt': 'User-agent: *' });
    for (const format of ['tabtree', 'pages']) {
      const { code, stderr } = await uspWithKnownPaths(['ls', origin, '-f', format]);
      expect(code).toBe(1);
      expect(stderr).toBe(
        `${origin}/: no sitemap found: robots.txt declares none and none is at 21 known paths.\n`,
      );
    }
  });

  test('1: what robots.txt declares is not there, and is not said to be undeclared', async () => {
    const { origin } = await serve({ '/robots.txt': ['/gone.xml'] });
    const { code, stderr } = await uspWithKnownPaths(['ls', origin, '-f', 'pages']);
    expect([code, stderr.split('\n').slice(-3)]).toEqual([
      1,
      [
        `  ${origin}/gone.xml: the server responded with 404 Not Found.`,
        `${origin}/: no readable sitemap.`,
        '',
      ],
    ]);
  });

  test('6: a site that is down is not a site without sitemaps', async () => {
    for (const format of ['pages', 'tree']) {
      const { code, stderr } = await usp(['ls', `http://127.0.0.1:${await closedPort()}`, '-f', format]);
      expect(code).toBe(6);
      expect(stderr).toMatch(
        /^http:\S+: the host refused the connection\. Check the address and the port\.\n$/,
      );
    }
  });

  test.each([401, 403, 500])('6: a site that refuses everything with %i', async (status) => {
    const paths = ['robots.txt', ...KNOWN_PATHS];
    const { origin } = await serve(() => Object.fromEntries(paths.map((path) => [`/${path}`, { status }])));
    for (const argv of [
      ['-f', 'pages'],
      ['-f', 'tree'],
      ['-f', 'pages', '-k'],
      ['-f', 'pages', '-r'],
    ]) {
      const { code, stderr } = await uspWithKnownPaths(['ls', origin, '--retries', '0', ...argv]);
      expect([argv, code]).toEqual([argv, 6]);
      expect(stderr).toContain(`${origin}/: the site refused every request.\n`);
    }
    expect(
      (await uspWithKnownPaths(['ls', '--sitemap', `${origin}/sitemap.xml`, '--retries', '0'])).code,
    ).toBe(6);
  });

  test.each<[string, Site, string]>([
    ['418 everywhere', { '*': { status: 418 } }, 'the site refused every request.'],
    ['redirects without a target', { '*': { status: 301 } }, 'its redirects lead nowhere.'],
    [
      'redirects to a private address',
      { '*': { redirect: 'http://10.1.2.3/' } },
      'it leads to private addresses only.',
    ],
    [
      'a robots.txt that declares none, and refused known paths',
      { '/robots.txt': 'User-agent: *\n', '*': { status: 403 } },
      'robots.txt declares no sitemap, and no known path could be read.',
    ],
    [
      'a declared sitemap that is refused',
      { '/robots.txt': ['/a.xml'], '*': { status: 403 } },
      'no sitemap that it declares could be read.',
    ],
  ])('§10 6: the last line for %s says why', async (_, site, ending) => {
    const { origin } = await serve(site);
    const { code, stderr } = await uspWithKnownPaths(['ls', origin, '--retries', '0', '-f', 'pages']);
    expect([code, stderr.split('\n').at(-2)]).toEqual([6, `${origin}/: ${ending}`]);
  });

  test('§10 6: https on a port without TLS names the URL with http', async () => {
    // It responds to the first bytes of TLS with a 400, as most servers do.
    const plain = createServer().listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    const { code, stderr } = await usp(['ls', `https://127.0.0.1:${port}`, '-f', 'pages']);
    plain.close();
    expect([code, stderr]).toEqual([6, expect.stringMatching(/ could be made\. Try http:\S+\/\n$/)]);
  });

  test('1: robots.txt is refused, but the response to known paths is 404', async () => {
    const { origin } = await serve({ '/robots.txt': { status: 403 } });
    for (const known of [[], ['-k', '--known-path', '/x.xml']])
      expect((await uspWithKnownPaths(['ls', origin, '-f', 'pages', ...known])).code).toBe(1);
  });

  test.each([
    [['/x.xml'], 6],
    [['/x.xml', '/gone.xml'], 1],
    [['/gone.xml'], 1],
  ])('without the known paths, those that are given (%j) decide: %i', async (paths, code) => {
    const { origin } = await serve({ '/robots.txt': 'User-agent: *', '/x.xml': { status: 403 } });
    const given = paths.flatMap((path) => ['--known-path', path]);
    const told = await usp(['ls', origin, '-f', 'pages', '-k', ...given, '--retries', '0']);
    expect([told.code, told.lines]).toEqual([code, []]);
  });

  test('1: one known path is refused, and the rest is not there', async () => {
    const { origin } = await serve({ '/sitemap.xml': { status: 403 } });
    expect((await uspWithKnownPaths(['ls', origin, '-f', 'pages'])).code).toBe(1);
    expect((await uspWithKnownPaths(['ls', origin, '-f', 'pages', '-r'])).code).toBe(1);
  });

  test('6: every sitemap that robots.txt declares is refused; 1: one of them is not there', async () => {
    const { origin, site } = await serve({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': { status: 403 },
      '/b.xml': { status: 401 },
    });
    expect((await usp(['ls', origin, '-f', 'pages'])).code).toBe(6);
    delete site['/b.xml'];
    expect((await usp(['ls', origin, '-f', 'pages'])).code).toBe(1);
  });

  test('several sites: the worst of 70, 2, 6, 1, 5, 3, 4', async () => {
    const [good, none] = [await serve(small), await serve({})];
    const limited = await serve(small);
    const down = `http://127.0.0.1:${await closedPort()}`;
    const argv = ['-f', 'pages', '--max-sitemaps', '3'];
    expect((await usp(['ls', good.origin, limited.origin, ...argv])).code).toBe(3);
    expect((await usp(['ls', limited.origin, none.origin, ...argv])).code).toBe(1);
    expect((await usp(['ls', limited.origin, none.origin, down, ...argv])).code).toBe(6);
    expect(worst([3, 4, 1, 0])).toBe(1);
    expect(worst([0, 4, 3])).toBe(3);
    expect(worst([1, 6, 2])).toBe(2);
    expect(worst([2, 70, 6])).toBe(70);
    expect(worst([0, 0])).toBe(0);
  });

  test('70: an internal error', async () => {
    const broken = () =>
      new Writable({
        write() {
          throw new TypeError('a bug');
        },
      });
    const stdin = urlset('https://a.example/1');
    const { code, stderr } = await usp(['ls', '-', '-f', 'pages'], { stdout: broken(), stdin });
    expect([code, stderr]).toEqual([70, expect.stringMatching(/^usp: a bug\nhint: this is a bug in usp/)]);
    const loud = await usp(['ls', '-', '-f', 'pages', '-vv'], { stdout: broken(), stdin });
    expect([loud.code, loud.stderr]).toEqual([
      70,
      expect.stringMatching(/usp: a bug\nTypeError: a bug\n +at /),
    ]);
  });

  test('1: one of two sites has no sitemap', async () => {
    const [one, none] = [await serve(small), await serve({})];
    expect((await usp(['ls', one.origin, none.origin, '-f', 'pages'])).code).toBe(1);
  });

  test.each(['pages', 'tree'])(
    '3: --timeout and --max-sitemaps print what was found (%s)',
    async (format) => {
      const { origin } = await serve({ ...small, '/b.xml': { silent: true } });
      await withMoreTime([0.7, 5, 40], async (seconds) => {
        const late = await usp(['ls', origin, '-f', format, '--timeout', String(seconds)]);
        expect(late.code).toBe(3);
        expect(late.stdout).toContain(format === 'pages' ? `${origin}/3` : '3 pages');
        expect(late.stderr).toContain('(--timeout)');
        const few = await usp(['ls', origin, '-f', format, '--max-sitemaps', '3']);
        expect(few.code).toBe(3);
        expect(few.stdout).toContain(format === 'pages' ? `${origin}/3` : '3 pages');
        expect(few.stderr).toContain('3 sitemaps, which is the limit (--max-sitemaps)');
      });
    },
  );

  test('3: a summary names the flag of the limit, not the option', async () => {
    const { origin } = await serve({ ...small, '/b.xml': { silent: true } });
    await withMoreTime([0.7, 5, 40], async (seconds) => {
      const { code, stdout } = await usp(['ls', origin, '-f', 'summary', '--timeout', String(seconds)]);
      expect(code).toBe(3);
      expect(stdout).toContain('incomplete: The call was stopped after');
      expect(stdout).toMatch(/1 × .*b\.xml was not fetched: the time for the call was over \(--timeout\)/);
      expect(stdout).not.toContain('maxTimeMs');
    });
  });

  test.each(['pages', 'tree'])('4: --strict, and 0 without it (%s)', async (format) => {
    const { origin } = await serve({ ...small, '/b.xml': { status: 404 } });
    expect((await usp(['ls', origin, '-f', format])).code).toBe(0);
    const { code, stderr } = await usp(['ls', origin, '-f', format, '--strict']);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(`${origin}/b.xml: the server responded with 404`),
    ]);
  });

  testIf(HAS_PIPES).each(['--cacert', '--config'])('130: interrupted before %s was read', async (flag) => {
    const path = written({ 'a.xml': urlset('https://a.example/') });
    execFileSync('mkfifo', [path('pipe')]);
    const interruption = new AbortController();
    const running = usp(['check', path('a.xml'), flag, path('pipe')], { signal: interruption.signal });
    await setImmediate();
    interruption.abort();
    const { code, stdout, stderr } = await running;
    expect([code, stdout, stderr]).toEqual([130, '', 'usp: interrupted.\n']);
  });

  test('130: interrupted, with what was interrupted', async () => {
    const server = await serve({ ...small, '/b.xml': { silent: true } });
    for (const format of ['pages', 'tree']) {
      const interruption = new AbortController();
      const running = usp(['ls', server.origin, '-f', format], { signal: interruption.signal });
      while (!server.paths().includes('/b.xml')) await new Promise((resolve) => setTimeout(resolve, 10));
      interruption.abort();
      const { code, stderr } = await running;
      expect([code, stderr]).toEqual([
        130,
        expect.stringMatching(/^usp: interrupted at http:.*, after [12] of 3 sitemaps/),
      ]);
      (server.requests as unknown[]).length = 0;
    }
    await server.allSocketsClosed();
  });

  test('0: a reader that goes away ends it quietly', async () => {
    const { origin } = await serve(small);
    const gone = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    const { code, stderr } = await usp(['ls', origin, '-f', 'pages'], { stdout: gone });
    expect([code, stderr]).toEqual([0, '']);
    // Of several inputs, the others are not read any more.
    const second = await serve(small);
    for (const argv of [
      ['ls', '-f', 'pages'],
      ['ls', '-f', 'tree'],
    ])
      expect(await usp([...argv, origin, second.origin], { stdout: gone })).toMatchObject({
        code: 0,
        stderr: '',
      });
    expect(second.paths()).toEqual([]);
    // What it does not read is saved all the same.
    const file = join(await mkdtemp(join(folder, 'gone-')), 'tree.warc.gz');
    const saving = await usp(['ls', origin, '-f', 'pages', '--save', file], { stdout: gone });
    expect([saving.code, saving.stderr]).toEqual([0, '']);
    expect((await usp(['ls', file, '-f', 'pages', '-u'])).lines).toEqual(['/1', '/2', '/3', '/1', '/4']);
  });
});

describe('messages', () => {
  const broken = (origin: string): Site => ({
    '/robots.txt': ['/index.xml'],
    '/index.xml': index(...Array.from({ length: 13 }, (_, n) => `${origin}/${n}.xml`), `${origin}/ok.xml`),
    '/ok.xml': { pages: ['/1'] },
  });

  test('every unreadable sitemap is named by its URL, and -q silences that', async () => {
    const { origin } = await serve(broken);
    for (const argv of [
      ['-f', 'pages'],
      ['-f', 'tree'],
    ]) {
      const told = (await usp(['ls', origin, ...argv])).stderr.split('\n');
      expect(told[0]).toBe(`${origin}/: 13 sitemaps could not be read:`);
      const named = told.filter((line) => line.startsWith('  ')).map((line) => line.split(': ')[0]?.trim());
      expect(sorted(named as string[])).toEqual(
        sorted(Array.from({ length: 13 }, (_, n) => `${origin}/${n}.xml`)),
      );
    }
    expect(await usp(['ls', origin, '-f', 'pages', '-q'])).toMatchObject({ code: 0, stderr: '' });
  });

  test.each(['pages', 'csv', 'tree', 'json'])(
    'every truncated sitemap is named by its URL, whatever else went wrong (%s)',
    async (format) => {
      const whole = gzipSync(
        urlset(...Array.from({ length: 5000 }, (_, n) => `https://a.example/${n * 7919}`)),
      );
      const { origin } = await serve({
        '/robots.txt': ['/index.xml'],
        '/index.xml': ['/a.xml.gz', '/b.xml', '/missing.xml', '/ok.xml'],
        '/a.xml.gz': { body: whole.subarray(0, whole.length / 2) },
        '/b.xml': urlset('https://b.example/1', 'https://b.example/2').slice(0, -20),
        '/ok.xml': urlset('https://c.example/1'),
      });
      const { code, stderr } = await usp(['ls', origin, '-f', format, '--strict']);
      expect(code).toBe(4);
      expect(stderr).toContain(`${origin}/: 2 sitemaps are incomplete:\n`);
      expect(stderr).toMatch(new RegExp(`^  ${origin}/a\\.xml\\.gz: .*gzip`, 'm'));
      expect(stderr).toMatch(new RegExp(`^  ${origin}/b\\.xml: `, 'm'));
      expect(stderr).toContain(`  ${origin}/missing.xml: `);
    },
  );

  test.each(['pages', 'tree'])('one truncated sitemap alone is named too (%s)', async (format) => {
    const { origin } = await serve((own) => ({
      '/robots.txt': ['/sitemap.xml'],
      '/sitemap.xml': urlset(`${own}/1`, `${own}/2`).slice(0, -20),
    }));
    const { code, stderr } = await usp(['ls', origin, '-f', format]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^${origin}/: 1 sitemap is incomplete:\n  ${origin}/sitemap.xml: `, 'm'),
      ),
    ]);
  });

  test.each(['pages', 'tree'])(
    'an index with children left out by --max-sitemaps is named (%s)',
    async (format) => {
      const { origin } = await serve(small);
      const { code, stderr } = await usp(['ls', origin, '-f', format, '--max-sitemaps', '3']);
      expect(code).toBe(3);
      expect(stderr).toContain(`  ${origin}/index.xml: 1 of its 2 sitemaps were left out`);
    },
  );

  test.each(['pages', 'tree'])(
    'every sitemap that --timeout kept from being fetched is named (%s)',
    async (format) => {
      const { origin } = await serve({ ...small, '/b.xml': { silent: true } });
      await withMoreTime([0.7, 5, 40], async (seconds) => {
        const { code, stderr } = await usp(['ls', origin, '-f', format, '--timeout', String(seconds)]);
        expect([code, stderr]).toEqual([3, expect.stringContaining(`  ${origin}/b.xml was not fetched`)]);
      });
    },
  );

  test.each(['pages', 'ndjson', 'csv', 'tree', 'json', 'tabtree'])(
    '-v names the URL, the line and the code of every problem (%s)',
    async (format) => {
      const { origin } = await serve((own) => ({
        '/robots.txt': ['/sitemap.xml'],
        '/sitemap.xml': `<urlset>\r\n<!-- é😀 -->\n<url><loc>${own}/?a&b</loc></url></urlset>`,
      }));
      const { stderr } = await usp(['ls', origin, '-f', format, '-v']);
      expect(stderr).toContain(`${origin}/sitemap.xml: read, with 2 problems:\n`);
      expect(stderr).toMatch(/^ {2}line 3, column 11: .*\(bare-ampersand\)$/m);
      expect(stderr).toMatch(/^ {2}.*\(missing-namespace\)$/m);
      expect((await usp(['ls', origin, '-f', format])).stderr).not.toContain('bare-ampersand');
    },
  );

  test('stdout is clean under -vv, and the log goes to -l instead of stderr', async () => {
    const { origin } = await serve(small);
    const loud = await usp(['ls', origin, '-f', 'pages', '-vv']);
    expect(sorted(loud.lines)).toHaveLength(5);
    expect(loud.stderr).toContain(`debug 200 ${origin}/robots.txt`);
    const log = join(folder, 'usp.log');
    const logged = await usp(['ls', origin, '-f', 'pages', '-l', log]);
    expect(logged.stderr).toBe('');
    const first = await readFile(log, 'utf8');
    expect(first).toMatch(/^\d{4}-\S+Z debug 200 /m);
    const both = await usp(['ls', origin, '-f', 'ndjson', '-vv', '-l', log]);
    for (const line of both.lines) expect(JSON.parse(line)).toHaveProperty('url');
    expect(both.stderr).not.toContain('debug');
    const appended = await readFile(log, 'utf8');
    expect([appended.startsWith(first), appended.length > first.length]).toEqual([true, true]);
  });

  test('-v prints that there is another attempt, and not each request, which -vv does', async () => {
    const { origin } = await serve({ '/robots.txt': { script: [{ status: 503 }, { body: '' }] } });
    const { stderr } = await usp(['ls', origin, '-f', 'pages', '--no-known', '--retries', '1', '-v']);
    expect(stderr).toMatch(/^info .*503 .*; next attempt in /m);
    expect(stderr).not.toMatch(/^debug/m);
  });

  test('a host that does not resolve is one line, and exit code 6', async () => {
    const { code, stderr } = await usp(['ls', 'http://no-such-host.invalid/']);
    expect(code).toBe(6);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining('http://no-such-host.invalid/: the host name does not resolve.'),
    ]);
  });

  test('colours on a terminal only, and not against NO_COLOR', async () => {
    const { origin } = await serve(small);
    const argv = ['ls', origin, '-f', 'tree'];
    const isTerminal = { stdout: true };
    expect((await usp(argv, { isTerminal })).stdout).toContain('\u001b[');
    expect((await usp(argv, { isTerminal, env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b[');
    expect((await usp(argv)).stdout).not.toContain('\u001b[');
    const forced = (value: string) =>
      usp(argv, { isTerminal: { stdout: value === '0' }, env: { FORCE_COLOR: value } });
    expect((await forced('1')).stdout).toContain('\u001b[');
    expect((await forced('0')).stdout).not.toContain('\u001b[');
  });
});

describe('-o and --save', () => {
  test('-o: a whole file or none, and nothing else in its folder', async () => {
    const { origin } = await serve(small);
    const place = await mkdtemp(join(folder, 'o-'));
    const file = join(place, 'pages.txt');
    expect(await usp(['ls', origin, '-f', 'pages', '-u', '-o', file])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(sorted((await readFile(file, 'utf8')).trim().split('\n'))).toHaveLength(5);
    const none = await serve({});
    const { code, stderr } = await usp(['ls', none.origin, '-f', 'pages', '-o', file]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('pages.txt was not written')]);
    expect((await readFile(file, 'utf8')).length).toBeGreaterThan(5);
    const interruption = new AbortController();
    const slow = await serve({ ...small, '/b.xml': { silent: true } });
    const running = usp(['ls', slow.origin, '-f', 'pages', '-o', file], { signal: interruption.signal });
    while (!slow.paths().includes('/b.xml')) await new Promise((resolve) => setTimeout(resolve, 10));
    interruption.abort();
    expect((await running).code).toBe(130);
    expect(await readdir(place)).toEqual(['pages.txt']);
  });

  test.each([
    ['-o', 'missing/x'],
    ['--save', 'missing/x'],
    ['-o', '.'],
    ['--save', '.'],
    ['-l', '.'],
  ])('%s %s cannot be written: 2, and nothing is fetched', async (option, path) => {
    const server = await serve(small);
    const { code, stderr } = await usp(['ls', server.origin, option, join(folder, path)]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^usp: .* cannot be written: .*\.\n$/)]);
    expect(server.requests).toHaveLength(0);
  });

  test('--save, then usp ls: the same tree', async () => {
    const { origin } = await serve(small);
    const file = join(folder, 'tree.warc.gz');
    const live = await usp(['ls', origin, '-f', 'json', '--save', file]);
    expect(live.code).toBe(0);
    const loaded = await usp(['ls', file, '-f', 'json']);
    expect(loaded).toMatchObject({ code: 0, stdout: live.stdout });
    const pages = await usp(['ls', file, '-f', 'pages', '-u', '--unique', '--since', '2024']);
    expect(pages.lines).toEqual(['/1', '/2']);
    expect((await usp(['ls', origin, `${origin}/2/`, '--save', file])).code).toBe(2);
    // A site without a sitemap that can be read does not replace what was saved.
    const none = await serve({});
    expect((await usp(['ls', none.origin, '--save', file])).code).toBe(1);
    expect(await usp(['ls', file, '-f', 'json'])).toMatchObject({ code: 0, stdout: live.stdout });
  });

  test('--timeout has seconds for the records of --from-warc, too', async () => {
    const { origin } = await serve(small);
    const path = written({});
    await usp(['ls', origin, '-q', '--save', path('one.warc')]);
    const one = await readFile(path('one.warc'));
    await writeFile(path('many.warc'), Buffer.concat(Array.from({ length: 200 }, () => one)));
    const argv = ['ls', origin, '--from-warc', path('many.warc'), '-f', 'pages', '-u', '--ordered'];
    const { code, lines } = await usp([...argv, '--timeout', '10']);
    expect([code, lines]).toEqual([0, ['/1', '/2', '/3', '/1', '/4']]);
    // More than a timer of Node can wait.
    expect((await usp([...argv, '--timeout', '30d'])).code).toBe(0);
  });

  test('a limit that stopped a crawl is no failure of what reads its saved tree', async () => {
    const { origin } = await serve(small);
    const place = await mkdtemp(join(folder, 'stopped-'));
    const file = join(place, 'tree.warc.gz');
    expect((await usp(['ls', origin, '--max-sitemaps', '3', '--save', file])).code).toBe(3);
    for (const argv of [
      ['ls', file],
      ['check', file, '--fail-on', 'never'],
      ['report', file, '-o', join(place, 'report.html')],
      ['fix', file, '--partial', '-o', join(place, 'fixed')],
    ])
      expect([argv[0], (await usp(argv)).code]).toEqual([argv[0], 0]);
  });

  test('what reads a saved tree takes one of at most --max-sitemaps, no deeper than --max-depth', async () => {
    const { origin } = await serve(small);
    const place = await mkdtemp(join(folder, 'limit-'));
    const file = join(place, 'tree.warc.gz');
    await usp(['ls', origin, '-q', '--save', file]);
    const commands = [
      ['ls', file],
      ['diff', file, file],
      ['check', file, '--fail-on', 'never'],
      ['report', file],
      ['report', origin, '--before', file],
      ['fix', file, '-o', join(place, 'fixed')],
    ];
    for (const argv of commands) {
      const { code, stderr } = await usp([...argv, '--max-sitemaps', '1']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('more than 1 sitemaps (--max-sitemaps)')]);
      expect((await usp([...argv, '--max-sitemaps', '9'])).code).toBe(0);
      const deep = await usp([...argv, '--max-depth', '0']);
      expect([deep.code, deep.stderr]).toEqual([2, expect.stringContaining('--max-depth')]);
    }
  });

  test('usp ls of a file that is not there exits 2; --save is for sites', async () => {
    expect((await usp(['ls', join(folder, 'none')])).code).toBe(2);
    const file = join(folder, 'sitemap.xml');
    await writeFile(file, urlset('https://a.example/'));
    const { code, stderr } = await usp(['ls', file, '--save', join(folder, 'saved.warc.gz')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('usp: --save saves a site that is fetched')]);
  });
});

describe('usp ls', () => {
  test('a file, gzipped or not, and stdin', async () => {
    const file = join(folder, 'local.xml.gz');
    await writeFile(file, gzipSync(urlset('https://a.example/1')));
    expect((await usp(['ls', file, '-f', 'pages'])).stdout).toBe('https://a.example/1\n');
    const piped = await usp(['ls', '-', '-f', 'pages'], {
      stdin: gzipSync(urlset('https://a.example/2')),
    });
    expect(piped).toMatchObject({ code: 0, stdout: 'https://a.example/2\n', stderr: '' });
  });

  test('--url resolves relative URLs, and makes a robots.txt one', async () => {
    const argv = ['ls', '-', '-f', 'tabtree', '--url', 'https://a.example/robots.txt'];
    const { code, lines } = await usp(argv, { stdin: 'Sitemap: /s.xml' });
    expect([code, lines]).toEqual([0, ['https://a.example/robots.txt', '\thttps://a.example/s.xml']]);
  });

  test('problems are listed, and the document is read', async () => {
    const { code, stderr, lines } = await usp(['ls', '-', '-f', 'pages'], {
      stdin: '<urlset><url><loc>https://a.example/?a&b</loc></url></urlset>',
    });
    expect([code, lines]).toEqual([0, ['https://a.example/?a&b']]);
    expect(stderr).toContain('(missing-namespace)');
    expect(stderr).toContain('(bare-ampersand)');
  });

  test('1: the document is not a sitemap', async () => {
    const { code, stdout, stderr } = await usp(['ls', '-', '-f', 'pages'], { stdin: '<html><body>hi' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('not a sitemap or feed');
  });

  test.each([
    [['ls', 'none.xml'], 'usp: none.xml cannot be read: no such file'],
    [['ls', '-', '--url', 'a.example'], 'usp: --url needs an absolute URL'],
  ])('2: %j', async (argv, words) => {
    const { code, stderr } = await usp(argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

describe('bad usage: one clear line, exit code 2', () => {
  test.each([
    [['ls'], "missing required argument 'input'"],
    [['ls', '--nope', 'https://a.example'], "unknown option '--nope'"],
    [['ls', '--formt', 'json', 'https://a.example'], '(Did you mean --format?)'],
    [['lss'], '(Did you mean ls?)'],
    [['ls', 'no url'], '"no url" is not an http or https URL'],
    [['ls', 'ftp://b.example'], '"ftp://b.example" is not an http or https URL'],
    [['ls', '-f', 'xml', 'https://a.example'], 'Allowed choices are tabtree'],
    [['ls', '--max-pages', '0', 'https://a.example'], 'a whole number, 1 or more'],
    [['ls', '--wait', 'long', 'https://a.example'], 'a number of seconds'],
    [['ls', '--timeout', '0', 'https://a.example'], 'a number of seconds above zero'],
    [['ls', '--since', 'lately', 'https://a.example'], '--since: "lately" is not a date or a time'],
    [['ls', '--include', 're:(', 'https://a.example'], 'is not a regular expression'],
    [['ls', '--proxy', 'nonsense', 'https://a.example'], 'It must be an http:, https: or socks5: URL'],
    [['ls', '-H', 'Authorization secret', 'https://a.example'], "-H needs 'Name: value'"],
    [['ls', '-H', 'Host: b.example', 'https://a.example'], '-H cannot set Host'],
    [['ls', '-q', '-v', 'https://a.example'], 'cannot be used with'],
    [['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish'],
  ])('%j', async (argv, words) => {
    const { code, stdout, stderr } = await usp(argv);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(words)]);
    expect(stderr).toMatch(/^usp: /);
    expect(stderr).not.toContain('secret');
  });

  test('a stack with -vv only', async () => {
    const argv = ['ls', '-o', join(folder, 'missing/x'), 'https://a.example'];
    expect((await usp(argv)).stderr.split('\n')).toHaveLength(2);
    expect((await usp([...argv, '-vv'])).stderr).toMatch(/\n +at /);
  });
});

describe('help', () => {
  test('--version and --help', async () => {
    expect(await usp(['--version'])).toMatchObject({ code: 0, stdout: '1.2.3\n' });
    const help = await usp(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const code of Object.keys(EXIT_MEANINGS))
      expect(help.stdout).toMatch(new RegExp(`^  ${code} +\\w`, 'm'));
    expect((await usp(['help', 'ls'])).stdout).toBe((await usp(['ls', '--help'])).stdout);
    expect((await usp(['ls', '--help'])).stdout).toContain('Usage: usp ls [options]');
    expect(help.stdout).toContain('\n  ls [options]');
    expect(help.stdout).toContain('Usage: usp [options] [command]');
    expect((await usp([])).code).toBe(2);
  });

  test('every option of Specification §10 is there, on lines that fit a terminal', async () => {
    const { stdout } = await usp(['ls', '--help']);
    const options =
      '--sitemap --format --no-robots --no-known --known --strip-url --quiet --verbose --log-file --output --no-pages --since --include --exclude --sitemap-include --sitemap-exclude --unique --ordered --strict --concurrency --retries --undated --csv-raw --wait --random-wait --timeout --max-pages --max-sitemaps --max-depth --user-agent --header --proxy --insecure --allow-private --known-path --no-normalize --homepage-links --follow-listed --save --cookies --cacert --cert --key';
    for (const option of options.split(' ')) expect(stdout).toMatch(new RegExp(`(^| )${option}\\b`, 'm'));
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('it is as wide as the terminal, up to 110 columns, and has 80 where no terminal is', async () => {
    const helpIn = async (columns?: number): Promise<string> => (await usp('ls --help', { columns })).stdout;
    const widest = await helpIn(110);
    expect(await helpIn(300)).toBe(widest);
    expect(await helpIn()).toBe(await helpIn(80));
    expect(new Set([await helpIn(60), await helpIn(80), await helpIn(100), widest]).size).toBe(4);
  });
});
