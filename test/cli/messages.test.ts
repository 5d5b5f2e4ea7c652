/**
 * What a person reads on stderr: it agrees with the output, names flags and not the library's options, and leads on.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { inFlags } from '../../src/cli/args/option-flags.ts';
import type { ScriptedServer, Site } from '../server/scripted-server.ts';
import { uspDeclared as usp, usp as uspWithKnownPaths } from '../support/cli-world.ts';
import { siteOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { folderUntil } from '../support/folder.ts';

const folder = folderUntil(afterAll);

/** A site of an index of two sitemaps, one of them at two places. */
function serve(more: Site = {}): Promise<ScriptedServer> {
  return siteOf({
    '/robots.txt': ['/index.xml', '/a.xml'],
    '/index.xml': ['/a.xml', '/b.xml'],
    '/a.xml': { pages: ['/1', '/2', '/3'] },
    '/b.xml': { pages: ['/1', '/4'] },
    ...more,
  });
}

async function fileOf(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

describe('the closing line of -v agrees with the output', () => {
  const closing = (stderr: string): string => stderr.trimEnd().split('\n').at(-1) ?? '';

  test('tree: the sitemaps of the footer, without pages', async () => {
    const { origin } = await serve();
    const { lines, stderr } = await usp(['ls', origin, '-f', 'tree', '-v']);
    expect(lines.at(-1)).toBe('3 sitemaps, 5 pages (4 distinct)');
    expect(closing(stderr)).toMatch(/: 3 sitemaps, [\d.]+ k?B in /);
  });

  test('tree with a filter: what is kept, of how many', async () => {
    const { origin } = await serve();
    const { lines, stderr } = await usp(['ls', origin, '-f', 'tree', '-v', '--include', '*/1']);
    expect(lines.at(-1)).toBe('3 sitemaps, 2 pages (1 distinct)');
    expect(closing(stderr)).toMatch(/: 3 sitemaps, 2 of 5 pages, /);
  });

  test('pages: robots.txt is not a sitemap, and a shared sitemap counts once, as in the tree', async () => {
    const { origin } = await serve();
    const { stderr } = await usp(['ls', origin, '-f', 'pages', '-v']);
    expect(closing(stderr)).toMatch(/: 3 sitemaps, 5 pages \(4 distinct\), /);
    const some = await usp(['ls', origin, '-f', 'pages', '-v', '--include', '*/1']);
    expect(closing(some.stderr)).toMatch(/: 3 sitemaps, 2 of 5 pages, /);
  });
});

describe('what was meant', () => {
  test('a host name that is too long is not one', async () => {
    expect((await usp(['ls', `${'x'.repeat(5000)}.org`])).stderr).toContain('is not an http or https URL');
  });

  test('a URL or a file without a command', async () => {
    const url = await usp(['https://user:secret@example.org', '-f', 'tree']);
    expect([url.code, url.stderr]).toEqual([
      2,
      "usp: unknown command 'https://example.org'.\nhint: usp ls https://example.org\n",
    ]);
    const host = await usp(['example.org', '-f', 'tree']);
    expect([host.code, host.stderr]).toEqual([
      2,
      "usp: unknown command 'example.org'.\nhint: usp ls example.org\n",
    ]);
    const file = await usp(['package.json']);
    expect([file.code, file.stderr]).toEqual([
      2,
      "usp: unknown command 'package.json'.\nhint: usp ls package.json\n",
    ]);
  });

  test.each<[string, readonly string[], string]>([
    ['--include', ['--include', '/1*'], '--include /1* matches nothing'],
    ['--exclude, among others', ['--exclude', '/1', '--exclude', '/1*'], '--exclude /1* matches nothing'],
    ['--sitemap-include', ['--sitemap-include', '/a*'], '--sitemap-include /a* matches nothing'],
  ])('a glob of %s that begins like a path', async (_flag, argv, words) => {
    const { origin } = await serve();
    const { stderr } = await usp(['ls', origin, '-f', 'pages', ...argv]);
    const why = 'since a pattern with a * is compared with the whole URL';
    expect(stderr).toContain(`hint: ${words}, ${why}: try *${argv.at(-1)}\n`);
    expect((await usp(['ls', origin, '-f', 'pages', '-q', ...argv])).stderr).toBe('');
  });

  test.each([['*/1'], ['/1'], ['http*1'], ['re:/1.*']])('the pattern %s gets no hint', async (pattern) => {
    const { origin } = await serve();
    expect((await usp(['ls', origin, '-f', 'pages', '--include', pattern])).stderr).toBe('');
  });

  test.each([
    [['parse', 'a.xml'], "unknown command 'parse'; usp ls reads files too."],
    [['help', 'load'], "unknown command 'load'; usp ls reads saved trees too."],
    [['check', 'a.xml', '--fix'], "unknown option '--fix'; usp fix writes repaired sitemaps."],
    [
      ['update', 'a.warc.gz', '--sample', '3'],
      "unknown option '--sample'; the changes of a sample say nothing about the site: usp ls --sample N lists a sample.",
    ],
    [
      ['update', 'a.warc.gz', '--list-alternates'],
      "unknown option '--list-alternates'; a change of alternates is printed as a change of the entry that has them.",
    ],
    [
      ['report', 'a.xml', '-o', 'r.html', '--open'],
      "unknown option '--open'; open the file that -o names in a browser.",
    ],
  ])('usp %j says what to use instead', async (argv, message) => {
    const { code, stderr } = await usp(argv);
    expect([code, stderr.split('\n')[0]]).toEqual([2, `usp: ${message}`]);
  });

  test('usp help of no command', async () => {
    const { code, stdout, stderr } = await usp(['help', 'nope']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^usp: unknown command 'nope'/);
    expect(stderr).not.toContain('Usage:');
    expect((await usp(['help'])).code).toBe(0);
  });
});

describe('messages of the library name the flags', () => {
  test.each([
    ['maxDepth', 'http://h/x is nested more than 2 levels deep (maxDepth).', 'levels deep (--max-depth).'],
    ['maxTimeMs', 'The call was stopped after 700 ms (maxTimeMs); what', 'after 700 ms (--timeout); what'],
    ['maxSitemaps', 'the tree is full (maxSitemaps).', 'the tree is full (--max-sitemaps).'],
    [
      'allowPrivateNetworks',
      'a; the option "allowPrivateNetworks" permits it.',
      'the option --allow-private permits',
    ],
    ['maxSitemapBytes', 'larger than 100 bytes (maxSitemapBytes); it is', 'larger than 100 bytes; it is'],
    ['url', 'relative, and without the option "url" there is', 'and without the option --url there is'],
    ['userAgent', 'The option "userAgent" must be a text, not 1.', 'The option --user-agent must be a text'],
    ['verifyTls', 'The option "verifyTls" must be a boolean.', 'The option --insecure must be a boolean.'],
  ])('%s: %s', (option, message, words) => {
    expect(inFlags(message, option)).toContain(words);
  });

  test('a URL with the name of an option in it stays as it is', () => {
    const message = 'https://h.example/ (maxDepth)/maxDepth is nested more than 2 levels deep (maxDepth).';
    expect(inFlags(message, 'maxDepth')).toBe(message.replace('deep (maxDepth)', 'deep (--max-depth)'));
    expect(inFlags(message, undefined)).toBe(message);
    expect(inFlags(message, 'maxSitemaps')).toBe(message);
  });

  test('messages on stderr and errors name flags; the log has the words of the library', async () => {
    const { origin } = await serve({ '/b.xml': ['/c.xml'] });
    const deep = await usp(['ls', origin, '-f', 'pages', '--max-depth', '1', '-vv']);
    expect(deep.stderr).toContain('(--max-depth)');
    expect(deep.stderr).not.toMatch(/maxDepth/);
    const log = join(folder, 'raw.log');
    await usp(['ls', `${origin}/blog/`, '-f', 'pages', '-q', '-l', log]);
    expect(await readFile(log, 'utf8')).toContain('normalizeHomepageUrl');
    const bad = await usp(['ls', origin, '--user-agent', 'a\nb']);
    expect([bad.code, bad.stderr]).toEqual([
      2,
      expect.stringMatching(/^usp: The option --user-agent must be /),
    ]);
    const relativeUrl = await usp(['ls', '-'], { stdin: urlset('/1') });
    expect(relativeUrl.stderr).toContain('without the option --url');
  });

  test('stdout is the library’s', async () => {
    const { origin } = await serve({ '/b.xml': ['/c.xml'] });
    const { stdout } = await usp(['ls', origin, '-f', 'json', '--max-depth', '1', '-q']);
    expect(stdout).toContain('(maxDepth)');
  });
});

describe('a full tree is reported once', () => {
  const usualPlaces: Site = {
    '/robots.txt': { status: 404 },
    '/sitemap.xml': { pages: ['/1'] },
    '/sitemap_index.xml': { pages: ['/2'] },
  };

  test.each(['pages', 'tree'])('--max-sitemaps (%s)', async (format) => {
    const { origin } = await serve(usualPlaces);
    const { code, stderr } = await uspWithKnownPaths(['ls', origin, '-f', format, '--max-sitemaps', '1']);
    expect(code).toBe(3);
    expect(stderr.match(/max-?sitemaps/gi)).toHaveLength(1);
  });

  test('usp ls', async () => {
    const { origin } = await serve(usualPlaces);
    const file = join(folder, 'full.warc.gz');
    await uspWithKnownPaths(['ls', origin, '--max-sitemaps', '1', '--save', file, '-q']);
    const { code, stderr } = await usp(['ls', file]);
    expect(code).toBe(0);
    expect(stderr.match(/max-?sitemaps/gi)).toHaveLength(1);
  });
});

describe('usp ls', () => {
  test.each(['pages', 'ndjson', 'csv'])('an index has no pages to list as %s', async (format) => {
    const file = await fileOf('index.xml', index('https://a.example/a.xml', 'https://a.example/b.xml'));
    const { code, stderr } = await usp(['ls', file, '-f', format]);
    expect([code, stderr]).toEqual([
      0,
      `${file}: an index of 2 sitemaps, which lists no pages.\nhint: usp ls --sitemap <url> follows them.\n`,
    ]);
    const url = 'https://a.example/index.xml';
    expect((await usp(['ls', file, '-f', format, '--url', url])).stderr).toContain(
      `hint: usp ls --sitemap ${url} follows them.\n`,
    );
    expect((await usp(['ls', file, '-f', format, '-q'])).stderr).toBe('');
    expect((await usp(['ls', file])).stderr).toBe('');
    const { stderr: details } = await usp(['ls', file, '-v']);
    expect(details).toBe(`${file}: 2 sitemaps that it lists were not fetched.\n`);
  });

  test('an index or a robots.txt that lists nothing is read, and a hint leads nowhere', async () => {
    const none = 'which lists no pages.\n';
    const empty = await usp(['ls', '-', '-f', 'pages', '--strict', '-v'], { stdin: index() });
    expect([empty.code, empty.stderr]).toEqual([
      0,
      expect.stringContaining(`stdin: an index of 0 sitemaps, ${none}`),
    ]);
    expect(empty.stderr).not.toMatch(/hint:|not fetched/);
  });

  test('nor has a robots.txt', async () => {
    const argv = ['ls', '-', '-f', 'pages', '--url', 'https://a.example/robots.txt'];
    const { code, stderr } = await usp(argv, { stdin: 'Sitemap: /s.xml' });
    // It was read.
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        'https://a.example/robots.txt: a robots.txt of 1 sitemap, which lists no pages.\n',
      ),
    ]);
  });

  test('what is not listed is counted, also where there are more than the list of problems has', async () => {
    const pages = Array.from({ length: 150 }, (_, at) => `https://example.org/${at}`);
    const text = urlset(...pages).replaceAll('</loc>', '</loc><priority>high</priority>');
    const file = await fileOf('many.xml', text);
    const [short, long] = [
      await usp(['ls', file, '-f', 'pages']),
      await usp(['ls', file, '-f', 'pages', '-v']),
    ];
    expect(short.stderr).toContain('with 150 problems:');
    expect(short.stderr).toContain('  … and 140 more.\n');
    expect(long.stderr).toContain('  … and 50 more.\n');
  });

  test('stdin goes by that name', async () => {
    const stdin = urlset('https://a.example/1');
    expect((await usp(['ls', '-'], { stdin })).stdout).toBe('stdin\n\thttps://a.example/1\n');
    expect((await usp(['ls', '-', '-f', 'tree', '-u'], { stdin })).lines[0]).toBe('stdin (sitemap, 1 page)');
    expect(JSON.parse((await usp(['ls', '-', '-f', 'json'], { stdin })).stdout).url).toBe('');
    const typed = await usp(['ls', '-', '-f', 'pages'], { stdin, isTerminal: { stdin: true } });
    expect(typed.stderr).toBe('hint: reading a sitemap from the terminal; Ctrl-D ends it.\n');
  });

  test('a saved tree that was stopped says so of itself alone, whatever limits are given now', async () => {
    const { origin } = await serve();
    const [part, whole] = [join(folder, 'part.warc'), join(folder, 'whole.warc')];
    await usp(['ls', origin, '--max-sitemaps', '3', '--save', part, '-q']);
    await usp(['ls', origin, '--save', whole, '-q']);
    const { code, stderr } = await usp(['ls', part, whole, '-f', 'pages']);
    const said = stderr.split('\n').filter((line) => line.includes('saved before it was complete'));
    expect([code, said]).toEqual([
      0,
      [expect.stringMatching(/^http\S+\/: saved .* 3 sitemaps.*\(--max-sitemaps\)/)],
    ]);
    expect((await usp(['ls', part, '-f', 'pages', '--strict'])).code).toBe(4);
    const damaged = await readFile(whole);
    damaged[damaged.indexOf(`<loc>${origin}/4</loc>`) + 6] = 0x58;
    await writeFile(whole, damaged);
    // It is not opened, and the others are listed.
    const argv = ['ls', whole, '-', '-f', 'pages', '--verify'];
    const verified = await usp(argv, { stdin: urlset('https://a.example/9') });
    const isDamaged = expect.stringMatching(/^usp: .*whole\.warc.* is damaged/);
    expect([verified.code, verified.lines, verified.stderr]).toEqual([2, ['https://a.example/9'], isDamaged]);
  });

  test('an archive whose damage is found where a document is read keeps no other input from being read', async () => {
    const pages = Array.from({ length: 3_000 }, (_, at) => `/many/${at}`);
    const { origin } = await serve({ '/a.xml': { pages } });
    const archive = join(folder, 'damaged.warc');
    await usp(['ls', origin, '--save', archive, '-q']);
    const damaged = await readFile(archive);
    damaged[damaged.indexOf(`<loc>${origin}/4</loc>`) + 6] = 0x58;
    await writeFile(archive, damaged);
    const says = /^usp: .*damaged\.warc is damaged: .*\/b\.xml .*\n$/;
    const stdin = '<urlset><url><loc>https://a.example/9</loc></url><url><loc>/</loc></url></urlset>';
    for (const format of ['pages', 'json']) {
      const { code, lines, stderr } = await usp(['ls', archive, '-', '-f', format], { stdin });
      expect([format, code]).toEqual([format, 2]);
      expect(stderr).toMatch(/^usp: .*damaged\.warc is damaged: .*\/b\.xml /);
      // What was read before it is printed, and what comes behind it has a line of its own.
      expect(lines[0]).toContain('/many/0');
      const last = format === 'json' ? JSON.parse(lines.at(-1) ?? '').pages[0].url : lines.at(-1);
      expect(last).toBe('https://a.example/9');
    }
    const checked = await usp(['check', archive, '-', '-f', 'json'], { stdin });
    expect([checked.code, checked.stderr]).toEqual([2, expect.stringMatching(says)]);
    const { findings, summary } = JSON.parse(checked.stdout);
    expect(findings).toContainEqual(expect.objectContaining({ rule: 'unresolvable-url' }));
    expect(summary).toMatchObject({ complete: false, documents: 4 });
    // Nobody knows which findings the rest of it has.
    const baseline = await fileOf('known.json', 'as it was');
    const known = await usp(['check', archive, '-', '--write-baseline', baseline], { stdin });
    expect(known.stderr).toContain(`usp: ${baseline} was not written: not every document could be read.\n`);
    expect([known.code, await readFile(baseline, 'utf8')]).toEqual([2, 'as it was']);
  });

  test('-u strips nothing of a file without an address, and says so', async () => {
    const stdin = urlset('https://a.example/1');
    const said = '-u (--strip-url) stripped nothing, since its address is not known; --url says it.\n';
    const unknown = await usp(['ls', '-', '-f', 'pages', '-u'], { stdin });
    expect(unknown).toMatchObject({ stdout: 'https://a.example/1\n', stderr: expect.stringContaining(said) });
    const url = ['--url', 'https://a.example/s.xml'];
    const known = await usp(['ls', '-', '-f', 'pages', '-u', ...url], { stdin });
    expect(known.stdout).toBe('/1\n');
    expect(known.stderr).not.toContain('stripped');
  });
});

describe('-v says what the problems are', () => {
  const hint = 'hint: -v says what the problems are.\n';

  test('after a tree with problems', async () => {
    const { origin } = await serve({
      '/b.xml': ({ host }) => `<urlset><url><loc>http://${host}/?a&b</loc></url></urlset>`,
    });
    const file = join(folder, 'problems.warc.gz');
    const plain = await usp(['ls', origin, '-f', 'tree', '--save', file]);
    expect([plain.stdout, plain.stderr]).toEqual([expect.stringContaining('2 problems'), hint]);
    expect((await usp(['ls', file, '-f', 'tree'])).stderr).toBe(hint);
    expect((await usp(['ls', origin, '-f', 'tree', '-q'])).stderr).toBe('');
    expect((await usp(['ls', origin, '-f', 'tree', '-v'])).stderr).not.toContain(hint);
    // Nothing there speaks of problems.
    expect((await usp(['ls', origin, '-f', 'tree', '--no-pages'])).stderr).toBe('');
    expect((await usp(['ls', origin])).stderr).toBe('');
  });

  test('once of each document, wherever it is in the tree', async () => {
    const { origin } = await serve({ '/a.xml': '<urlset><url><loc>https://a.example/</loc></url></urlset>' });
    const { stderr } = await usp(['ls', origin, '-f', 'tree', '-v']);
    expect(stderr.match(/\/a\.xml: read, with 1 problem:$/gm)).toHaveLength(1);
  });

  test('not after one without', async () => {
    const { origin } = await serve();
    expect((await usp(['ls', origin, '-f', 'tree'])).stderr).toBe('');
  });
});

test('the colours of the tree: URLs blue, notes green, what is unreadable red', async () => {
  const { origin } = await serve({ '/b.xml': { status: 410 } });
  const argv = ['ls', '--sitemap', `${origin}/index.xml`, '-f', 'tree', '-u', '-q'];
  const { stdout } = await usp(argv, { isTerminal: { stdout: true } });
  const [blue, green, red, dim] = [34, 32, 31, 2].map(
    (code) => (text: string) => `\u001b[${code}m${text}\u001b[${code === 2 ? 22 : 39}m`,
  ) as [Paint, Paint, Paint, Paint];
  expect(stdout).toBe(
    [
      `${blue('/index.xml')} ${green('(index)')}`,
      `${dim('├── ')}${blue('/a.xml')} ${green('(sitemap, 3 pages)')}`,
      `${dim('└── ')}${blue('/b.xml')} ${red('(unreadable: HTTP 410)')}`,
      '',
      '2 sitemaps, 3 pages, 1 unreadable',
      '',
    ].join('\n'),
  );
});

test('a file has no colours, whether the command is started from a terminal or not', async () => {
  const { origin } = await serve({ '/b.xml': { status: 410 } });
  const file = join(folder, 'tree.txt');
  const argv = ['ls', '--sitemap', `${origin}/index.xml`, '-f', 'tree', '-u', '-q'];
  const { stdout } = await usp(argv);
  await usp([...argv, '-o', file], { isTerminal: { stdout: true } });
  expect(await readFile(file, 'utf8')).toBe(stdout);
});

type Paint = (text: string) => string;
