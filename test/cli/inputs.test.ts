/** §10: what the inputs of `ls`, `check`, `fix` and `report` are, and the units of times. */
import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { duration, VALUES } from '../../src/cli/args/option-values.ts';
import { startServer } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { siteOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { folder, written } from '../support/folder.ts';
import { IS_POSIX } from '../support/platform.ts';

const BODY = `HTTP/1.1 200 OK\r\n\r\n${urlset('https://a.example/1')}`;
const WARC = `WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/sitemap.xml\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}\r\n\r\n`;

describe('a name that could be a host or a file', () => {
  const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
    ['ls', ['-f', 'pages']],
    ['check', ['-f', 'ndjson']],
    ['fix', ['-o', 'set', '-f', 'json']],
    ['report', []],
  ];
  testIf(IS_POSIX).each(COMMANDS)(
    '%s: a file wins, and stderr says so; a folder never does; a scheme means the site',
    async (command, flags) => {
      const { origin, close } = await startServer({ '/sitemap.xml': urlset('https://site.example/page') });
      const host = new URL(origin).host;
      const place = folder();
      const before = process.cwd();
      onTestFinished(() => process.chdir(before));
      process.chdir(place);
      const run = async (input: string) => {
        const argv = [command, input, ...flags, '--known-path', 'sitemap.xml', '-k', '--retries', '0'];
        const told = await usp(argv);
        await rm(join(place, 'set'), { recursive: true, force: true });
        return told;
      };
      await mkdir(join(place, host));
      const site = await run(host);
      expect(site.stderr).not.toContain('is a folder');
      expect(site.stderr).not.toContain('is a file here');
      expect([0, 5]).toContain(site.code);

      await rmdir(join(place, host));
      await writeFile(join(place, host), urlset('https://file.example/page'));
      const file = await run(host);
      expect(file.stderr).toContain(`${host} is a file, and is read; for the site, write http://${host}/`);
      expect(file.stdout).not.toBe(site.stdout);
      const forced = await run(origin);
      expect(forced.stderr).not.toContain('is a file here');
      expect([0, 5]).toContain(forced.code);
      await close();
    },
  );

  test('a file that no host could be called is read without a word', async () => {
    const path = written({ 'sitemap.xml': urlset('https://a.example/1') });
    expect(await usp(['ls', path('sitemap.xml'), '-f', 'pages'])).toMatchObject({
      code: 0,
      stdout: 'https://a.example/1\n',
      stderr: '',
    });
  });

  test('a folder that no host could be called is refused, with a hint', async () => {
    const { code, stderr } = await usp(['ls', join(folder(), '')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is a folder; name the files in it.')]);
  });
});

describe('a WARC file of another program', () => {
  const path = () => written({ 'o.warc': WARC, 'o.warc.gz': gzipSync(WARC) });
  test.each([
    ['ls', 'o.warc', []],
    ['ls', 'o.warc.gz', []],
    ['check', 'o.warc.gz', []],
    ['fix', 'o.warc.gz', ['-o', 'set']],
    ['report', 'o.warc.gz', ['-o', 'report.html']],
  ])('usp %s %s points to --from-warc', async (command, name, more) => {
    const at = path();
    const argv = [command, at(name), ...more.map((each) => (each.startsWith('-') ? each : at(each)))];
    const { code, stdout, stderr } = await usp(argv);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('--from-warc')]);
  });

  test.each([WARC, gzipSync(WARC)])('on stdin is not read as broken XML', async (stdin) => {
    const { code, stdout, stderr } = await usp(['ls', '-', '-f', 'pages'], { stdin });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('a WARC file')]);
  });
});

describe('several inputs', () => {
  test('sites, files and saved trees are listed together; csv says which is which', async () => {
    const { origin, close } = await startServer({ '/sitemap.xml': urlset('https://site.example/1') });
    const path = written({ 'a.xml': urlset('https://a.example/1') });
    const saved = path('saved.warc.gz');
    const where = ['-k', '--known-path', 'sitemap.xml'];
    await usp(['ls', origin, '--save', saved, ...where]);
    const { code, lines } = await usp(['ls', path('a.xml'), saved, origin, '-f', 'csv', ...where]);
    expect(code).toBe(0);
    expect(lines.map((line) => line.split(',').at(-1))).toEqual(['site', path('a.xml'), saved, `${origin}/`]);
    // A site that is named twice is one input, which can be saved, and has no column for its name.
    const again = await usp(['ls', origin, origin, '--save', path('again.warc'), '-f', 'csv', ...where]);
    await close();
    expect([again.code, again.lines[0]]).toEqual([0, expect.not.stringMatching(/,site$/)]);
    // What a flag needs, and an input does not have, keeps no other from being listed.
    for (const [flags, message] of [
      [['--agent', 'x'], `--agent needs robots.txt, and ${path('a.xml')} is not of a whole site.`],
      [['--hosts', 'subdomains'], '--hosts needs --url: a file does not say where it belongs.'],
      [['--save', path('b.warc')], '--save takes one site, since a file holds one tree.'],
    ] as const) {
      const told = await usp(['ls', path('a.xml'), saved, '-f', 'ndjson', '--no-pages', ...flags]);
      const listed = flags[0] === '--save' ? [] : [expect.stringContaining(`${origin}/sitemap.xml`)];
      expect([told.code, told.stderr, told.lines]).toEqual([2, `usp: ${message}\n`, listed]);
    }
    expect((await usp(['ls', path('a.xml'), '-f', 'pages', '--hosts', 'any'])).lines).toHaveLength(1);
  });

  test('what is left out and what is incomplete is said of each input by itself', async () => {
    const path = written({
      'a.xml': urlset('https://a.example/1', 'https://a.example/2'),
      'b.xml': urlset('https://a.example/3'),
      'cut.xml': urlset('https://a.example/4').replace('</urlset>', ''),
      'page.html': '<!doctype html>',
    });
    const [a, b, cut] = [path('a.xml'), path('b.xml'), path('cut.xml')];
    const filtered = await usp(['ls', a, b, '-f', 'pages', '--include', 'z']);
    expect(filtered.stderr).toBe(
      `${a}: no page is left: 2 pages not matched by --include.\n${b}: no page is left: 1 page not matched by --include.\n`,
    );
    const codes = [[cut], [cut, '--strict'], [cut, b, '--strict'], [cut, path('page.html'), '--strict']];
    for (const [at, argv] of codes.entries())
      expect((await usp(['ls', ...argv, '-f', 'pages'])).code).toBe([0, 4, 4, 1][at]);
  });

  test('what is left out and what was read is counted for each site by itself', async () => {
    const sites = [1, 2].map((many) =>
      siteOf({
        '/robots.txt': ['/index.xml'],
        '/index.xml': ['/a.xml', ...['/x1.xml', '/x2.xml'].slice(0, many)],
        '/a.xml': { pages: ['/p1', '/p2', '/p3', '/p4'].slice(0, many + 2) },
      }),
    );
    const origins = (await Promise.all(sites)).map(({ origin }) => origin);
    const flags = ['--no-known', '--sitemap-exclude', '/x', '--exclude', '/p1', '-v', '-f', 'pages'];
    const { stderr } = await usp(['ls', ...origins, ...flags]);
    const lines = stderr.split('\n').filter((line) => line !== '' && !/^(?:info|warn) /.test(line));
    const said = (at: number, pages: string, left: string, names: readonly string[]) => [
      `${origins[at]}/: left out: 1 page matched by --exclude.`,
      `${origins[at]}/: not fetched: ${left} matched by --sitemap-exclude (${names.map((name) => origins[at] + name).join(', ')}).`,
      `${origins[at]}/: 2 sitemaps, ${pages}`,
    ];
    expect(lines.map((line) => line.replace(/, \d+ B in .*/, ''))).toEqual([
      ...said(0, '2 of 3 pages', '1 sitemap', ['/x1.xml']),
      ...said(1, '3 of 4 pages', '2 sitemaps', ['/x1.xml', '/x2.xml']),
    ]);
  });

  test('-o - is stdout, also where nothing could be read', async () => {
    const path = written({ 'page.html': '<!doctype html>' });
    const [plain, named] = [[], ['-o', '-']].map((more) =>
      usp(['ls', path('page.html'), '-f', 'pages', ...more]),
    );
    expect(await named).toEqual(await plain);
  });

  test.each(['pages', 'tabtree'])(
    'an interruption at the second site leaves what was printed of the first, as %s',
    async (format) => {
      const first = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': { pages: ['/1', '/2'] } });
      const second = await siteOf({ '/robots.txt': ['/silent.xml'], '/silent.xml': { silent: true } });
      const interruption = new AbortController();
      const flags = ['--no-known', '-f', format];
      const running = usp(['ls', first.origin, second.origin, ...flags], { signal: interruption.signal });
      await expect.poll(() => second.paths()).toContain('/silent.xml');
      interruption.abort();
      const { code, stdout, stderr } = await running;
      // The counts are those of the second.
      const counts = 'after 0 of 1 sitemap';
      expect([code, stderr]).toEqual([130, `usp: interrupted at ${second.origin}/, ${counts}.\n`]);
      expect(stdout.match(/\/[12]\n/g)).toHaveLength(2);
      expect(stdout).not.toContain(second.origin);
    },
  );

  test.each([
    ['pages', ' and 2 pages'],
    ['tree', ''],
  ])('an interruption says how many sitemaps are done, failed ones too: %s', async (format, pages) => {
    const server = await siteOf({
      '/robots.txt': ['/gone.xml', '/a.xml', '/silent.xml'],
      '/a.xml': { pages: ['/1', '/2'] },
      '/silent.xml': { silent: true },
    });
    const interruption = new AbortController();
    const argv = ['ls', server.origin, '--no-known', '--concurrency', '1', '-f', format];
    const running = usp(argv, { signal: interruption.signal });
    await expect.poll(() => server.paths()).toContain('/silent.xml');
    interruption.abort();
    const { code, stderr } = await running;
    const done = `after 2 of 3 sitemaps${pages}`;
    expect([code, stderr]).toEqual([130, `usp: interrupted at ${server.origin}/, ${done}.\n`]);
  });

  test('a reader that goes away ends it before the next site is requested', async () => {
    const first = await siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': { pages: ['/1'] } });
    const second = await siteOf({});
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('closed'), { code: 'EPIPE' })),
    });
    const argv = ['ls', first.origin, second.origin, '--no-known', '-f', 'pages'];
    const { code, stderr } = await usp(argv, { stdout });
    expect([code, stderr, second.requests.length]).toEqual([0, '', 0]);
  });

  test('what cannot be opened does not keep the others from being listed', async () => {
    const path = written({ 'a.xml': urlset('https://a.example/1'), 'b.warc.gz': gzipSync(WARC) });
    for (const input of [path('b.warc.gz'), path('none.xml'), path(''), 'ftp://b.example']) {
      const { code, stdout, stderr } = await usp(['ls', input, path('a.xml'), '-f', 'pages']);
      expect([code, stdout, stderr]).toEqual([
        2,
        'https://a.example/1\n',
        expect.stringMatching(/^usp: .+\n/),
      ]);
    }
  });

  test.each([
    ['first', ['broken.html', 'a.xml']],
    ['last', ['a.xml', 'broken.html']],
  ])('what is not a sitemap does not keep the others out of -o where it is the %s', async (_which, names) => {
    const path = written({ 'a.xml': urlset('https://a.example/1'), 'broken.html': '<!doctype html>' });
    const { code } = await usp(['ls', ...names.map(path), '-f', 'pages', '-o', path('pages.txt')]);
    expect([code, await readFile(path('pages.txt'), 'utf8')]).toEqual([1, 'https://a.example/1\n']);
  });

  test.each(['*.xml', 'a?.xml', 'a*', 'a1.*'])('%s is expanded where no shell does it', async (glob) => {
    const path = written({
      'a1.xml': urlset('https://a.example/1'),
      'a2.xml': urlset('https://a.example/2'),
    });
    const { code, lines } = await usp(['ls', path(glob), path('a1.xml'), '-f', 'pages']);
    const expected =
      glob === 'a1.*' ? ['https://a.example/1'] : ['https://a.example/1', 'https://a.example/2'];
    expect([code, lines]).toEqual([0, expected]);
    const rows = (await usp(['ls', path(glob), '-f', 'csv'])).lines;
    expect(rows[0]?.endsWith(',site')).toBe(expected.length > 1);
  });

  test.each(['ls', 'check'])('%s --url is of one file, which a pattern may name', async (command) => {
    const path = written({ 'a1.xml': urlset('/1'), 'a2.xml': urlset('/2') });
    const url = ['--url', 'https://example.org/a.xml'];
    const several = await usp([command, path('a?.xml'), ...url]);
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('there are several inputs')]);
    const one = await usp([command, path('a1.xml'), path('a1.*'), ...url]);
    expect([one.code, one.stderr]).toEqual([0, expect.not.stringContaining('several inputs')]);
  });

  const numbered = (...numbers: readonly number[]) => numbers.map((number) => `https://a.example/${number}`);
  test('--max-pages leaves a page out unseen: --unique lists it where the next input has it', async () => {
    const path = written({ 'a.xml': urlset(...numbered(1, 2)), 'b.xml': urlset(...numbered(2, 3)) });
    const [a, b] = [path('a.xml'), path('b.xml')];
    const { lines } = await usp(['ls', a, b, '-f', 'pages', '--unique', '--max-pages', '1']);
    expect(lines).toEqual(numbered(1, 2));
  });

  test('a pattern that matches nothing is a file that is not there', async () => {
    const { code, stderr } = await usp(['ls', join(folder(), '*.xml')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('*.xml cannot be read: no such file')]);
  });
});

describe('times', () => {
  test.each([
    ['30', 's', 30],
    ['0.5', 's', 0.5],
    ['30s', 's', 30],
    ['15m', 's', 900],
    ['1.5h', 's', 5400],
    ['2d', 's', 172_800],
    ['15', 'm', 15],
    ['30s', 'm', 0.5],
    ['2', 'd', 2],
    ['12h', 'd', 0.5],
  ] as const)('%s of a flag in %s is %d', (text, unit, expected) => {
    expect(duration(text, unit)).toBe(expected);
  });

  test.each(['', 's', '1w', '-1', '1 s', '1e3', '0x1', '1ss', 'NaN'])('"%s" is not one', (text) => {
    expect(() => duration(text, 's')).toThrow('It must be a number of seconds, or a time such as 30s');
  });

  test('0 is refused where nothing would be waited for', () => {
    expect(() => VALUES.moreSeconds('0s')).toThrow('above zero');
    expect(VALUES.moreSeconds('0.001')).toBe(0.001);
  });

  test.each([
    ['ls', 'https://a.example', '--timeout'],
    ['ls', 'https://a.example', '--wait'],
    ['ls', 'https://a.example', '--connect-timeout'],
    ['ls', 'https://a.example', '--idle-timeout'],
    ['mcp', '--call-time'],
    ['mcp', '--keep'],
    ['update', 'a.warc.gz', '--max-stale'],
    ['worker', '--publish-every'],
  ])('usp %s %s %s takes units', async (...argv) => {
    const { stderr } = await usp([...argv, '15x']);
    expect(stderr).toContain('a time such as 30s, 15m, 2h, 2d');
  });
});

test('--connect-timeout and --idle-timeout end the wait for a host that never answers', async () => {
  const { origin, close } = await startServer({ '*': { silent: true } });
  const argv = ['ls', origin, '--idle-timeout', '0.2s', '--connect-timeout', '5', '--retries', '0'];
  const { code, stderr } = await usp(argv);
  await close();
  expect([code, stderr]).toEqual([6, expect.stringContaining(`${origin}/: the host did not respond.\n`)]);
});

describe('--help of a command', () => {
  const CODES: Readonly<Record<string, readonly number[]>> = {
    ls: [0, 1, 2, 3, 4, 6, 70, 130],
    update: [0, 1, 2, 3, 4, 5, 6, 70, 130],
    diff: [0, 1, 2, 3, 4, 5, 6, 70, 130],
    check: [0, 1, 2, 3, 4, 5, 6, 70, 130],
    fix: [0, 1, 2, 3, 4, 6, 70, 130],
    rules: [0, 2, 70, 130],
    report: [0, 1, 2, 3, 4, 5, 6, 70, 130],
    mcp: [0, 2, 70],
    completion: [0, 2, 70, 130],
  };
  test.each(Object.entries(CODES))('%s lists the exit codes that it has', async (command, codes) => {
    const { stdout } = await usp([command, '--help']);
    const [, exits = ''] = stdout.split('Exit codes:\n');
    expect([...exits.matchAll(/^ {2}(\d+) +\w/gm)].map(([, code]) => Number(code))).toEqual(codes);
    const [, order = ''] = /the first of ([\d, ]+)/.exec(exits) ?? [];
    for (const code of order.match(/\d+/g) ?? []) expect(codes).toContain(Number(code));
  });

  test.each([
    ['ls', '--connect-timeout', '10'],
    ['ls', '--idle-timeout', '60'],
    ['ls', '--max-sitemaps', '50,000'],
    ['crawl', '--timeout', '3,600'],
    ['mcp', '--call-time', '45'],
    ['mcp', '--keep', '15'],
  ])('%s has the default of %s in the unit of the flag: %s', async (command, flag, value) => {
    const { stdout } = await usp([command, '--help']);
    const [, shown] = new RegExp(`${flag} <\\w+> [^<]*?\\(default:\\s+([\\d,]+)\\)`).exec(stdout) ?? [];
    expect(shown).toBe(value);
  });
});
