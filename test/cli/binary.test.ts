/**
 * The real binary, end to end: its output held to files, its exit codes, pipes and signals. Of the cases that differ in a
 * format or a flag only, one starts a process, and the others run in this one.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PLACEHOLDER, serveDemoSite } from '../../scripts/demo-site.js';
import { startServer } from '../server/scripted-server.ts';
import { build, ROOT, runBinary, start, startShell, until, watched } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { describeIf, testIf } from '../support/collected.ts';
import { urlset } from '../support/documents.ts';
import { folderUntil } from '../support/folder.ts';
import { withMoreTime } from '../support/more-time.ts';
import { HAS_DEV_FULL, IS_POSIX } from '../support/platform.ts';
import { isFull, sized } from '../support/tier.ts';

let demo: Awaited<ReturnType<typeof serveDemoSite>>;
const folder = folderUntil(afterAll);

beforeAll(async () => {
  await build();
  demo = await serveDemoSite();
});
afterAll(() => demo?.close());

/** Documents name their origin, whose port is another one each time. */
const OF_DOCUMENT = /("(?:bytes|crc32)": )\d+/g;

const atDemo = (text: string): string => text.replaceAll(demo.origin, PLACEHOLDER);

describe('each format on the demo site, held to a file', () => {
  test.each([
    ['tabtree.txt', [], runBinary],
    ['tree.txt', ['-f', 'tree'], usp],
    ['pages.txt', ['-f', 'pages', '--ordered'], usp],
    ['pages.ndjson', ['-f', 'ndjson', '--ordered'], usp],
    ['pages.csv', ['-f', 'csv', '--ordered'], usp],
  ])('%s', async (file, argv, by) => {
    const { code, stdout, stderr } = await by(['ls', demo.origin, ...argv]);
    expect(code).toBe(0);
    await expect(atDemo(stdout)).toMatchFileSnapshot(`expected/${file}`);
    // The tree counts problems, and says how to hear of them.
    const said =
      file === 'tree.txt'
        ? atDemo(stderr).replace('hint: -v says what the problems are.\n', '')
        : atDemo(stderr);
    await expect(said).toMatchFileSnapshot('expected/stderr.txt');
  });

  test('json.txt', async () => {
    const { code, stdout } = await usp(['ls', demo.origin, '-f', 'json', '-q']);
    expect([code, stdout.indexOf('\n')]).toEqual([0, stdout.length - 1]);
    // Spread over lines, to be read; the binary prints one.
    const spread = `${JSON.stringify(JSON.parse(atDemo(stdout)), null, 2)}\n`.replaceAll(OF_DOCUMENT, '$10');
    await expect(spread).toMatchFileSnapshot('expected/json.txt');
  });

  test('what is streamed is the same, in another order', async () => {
    const formats = [
      ['pages.ndjson', 'ndjson'],
      ['pages.txt', 'pages'],
      ['pages.csv', 'csv'],
    ] as const;
    for (const [file, format] of formats) {
      const { stdout } = await usp(['ls', demo.origin, '-f', format, '-q']);
      const expected = await readFile(join(ROOT, 'test/cli/expected', file), 'utf8');
      expect(atDemo(stdout).split('\n').sort()).toEqual(expected.split('\n').sort());
    }
  });
});

describe('exit codes and streams', () => {
  const CODES: readonly (readonly [number, readonly string[]])[] = [
    [0, ['--version']],
    [1, ['ls', 'package.json']],
    [2, ['ls', 'DEMO', '-o', 'not-there/out.txt']],
    [3, ['ls', 'DEMO', '--max-sitemaps', '3']],
    [4, ['ls', 'DEMO', '--strict']],
    [0, ['ls', 'DEMO', '-q']],
    [1, ['ls', 'DEMO', '-q', '-r', '-k']],
    [2, ['ls', 'no url']],
    [2, ['ls', 'DEMO', '--nope']],
    [2, ['ls', 'not-there.xml']],
  ];
  // Those for which little is loaded.
  const QUICK = ['--version', 'no url'];
  test.each(CODES)('%i: usp %j', async (code, argv) => {
    const by = argv.some((arg) => QUICK.includes(arg)) ? runBinary : usp;
    const finished = await by(argv.map((arg) => (arg === 'DEMO' ? demo.origin : arg)));
    expect(finished.code).toBe(code);
    if (code === 2) {
      expect(finished.stdout).toBe('');
      expect(finished.stderr).toMatch(/^usp: .+\n/);
      expect(finished.stderr).not.toContain('    at ');
    }
  });

  testIf(IS_POSIX)('| head -1 ends at once, with no error', async () => {
    const many = urlset(...Array.from({ length: 20_000 }, (_, n) => `https://many.example/page/${n}`));
    await using server = await startServer({ '/sitemap.xml': many });
    for (const format of sized({ fast: ['pages'], full: ['pages', 'json'] })) {
      const line = `{ { usp ls ${server.origin} -f ${format}; echo $? >&3; } | head -c 10 > /dev/null; } 3>&1`;
      const { stdout, stderr } = await startShell(line).finished;
      expect([format, stdout, stderr]).toEqual([format, '0\n', '']);
    }
  });

  test.each(sized({ fast: ['ls --help'], full: ['--help', 'ls --help', 'completion bash'] }))(
    '%s to a reader that has gone ends with no error',
    async (argv) => {
      const { child, finished } = start(argv.split(' '));
      child.stdout?.destroy();
      expect(await finished).toMatchObject({ code: 0, stderr: '' });
    },
  );

  testIf(IS_POSIX)('stdin, and a file as output', async () => {
    const out = join(folder, 'out.txt');
    const line = 'cat examples/demo-site/products/tables.xml.gz | usp ls - -f pages -o "$OUT"';
    const { code, stdout, stderr } = await startShell(line, { env: { OUT: out } }).finished;
    expect([code, stdout, stderr]).toEqual([0, '', '']);
    expect((await readFile(out, 'utf8')).split('\n')).toHaveLength(4);
  });

  testIf(HAS_DEV_FULL)('a full disk is reported', async () => {
    const listing = `ls ${demo.origin} -f pages -q`;
    for (const argv of sized({ fast: [listing], full: [listing, 'completion bash'] })) {
      const { code, stderr } = await startShell(`usp ${argv} > /dev/full`).finished;
      expect([code, stderr]).toEqual([2, expect.stringContaining('no space is left on the device')]);
    }
  });

  test('npm run demo ends by itself, and shows something, whatever proxy the environment names', async () => {
    // In the fast tier the scene with an exit code: tree.txt has the tree, and report-built.test.ts the report of a
    // process.
    const SCENES = sized({ fast: ['7'], full: [] });
    const child = spawn(process.execPath, ['scripts/demo.js', ...SCENES], {
      cwd: ROOT,
      // It makes a folder for its report.
      env: {
        ...process.env,
        TMPDIR: folder,
        TEMP: folder,
        http_proxy: 'http://127.0.0.1:1',
        ALL_PROXY: 'none',
      },
    });
    const { code, stdout, stderr } = await watched(child).finished;
    expect(code).toBe(0);
    expect(stdout).toContain('(exit code 4)');
    expect(stderr).not.toContain('    at ');
    if (!isFull) return;
    expect(stdout).toContain('├── /sitemap_index.xml (index)');
    const [, report = ''] = /The report is in (.+): open it/.exec(stdout) ?? [];
    expect(await readFile(report, 'utf8')).toContain('Fix first');
  });
});

describe('pages are printed as they arrive (§10)', () => {
  const FORMATS: readonly (readonly [string, number])[] = [
    ['csv', 2],
    ['pages', 1],
    ['ndjson', 1],
  ];
  test.each(FORMATS.slice(0, sized({ fast: 1, full: 3 })))(
    '%s: the first page is out before the server sends the rest',
    async (format, linesAtFirst) => {
      const urls = Array.from({ length: 2000 }, (_, n) => `https://a.example/page/${n}`);
      const body = urlset(...urls);
      let sendTheRest = (): void => {};
      const rest = new Promise<void>((resolve) => {
        sendTheRest = resolve;
      });
      await using server = await startServer({});
      server.site['/robots.txt'] = `Sitemap: ${server.origin}/sitemap.xml`;
      // Some forty pages, since a kilobyte is looked at for its charset. The rest comes when the first was printed, or
      // never.
      server.site['/sitemap.xml'] = { body, holdAfter: { bytes: 2048, until: rest } };
      const { written, finished } = start(['ls', server.origin, '-f', format, '--no-known']);
      await until(() => written.stdout.split('\n').length > linesAtFirst, 'the first page');
      expect(written.stdout).toContain('https://a.example/page/0');
      expect(server.bytesSent).toBeLessThan(4096);
      sendTheRest();
      const { code, stdout } = await finished;
      expect([code, stdout.match(/a\.example\/page\/\d+/g)]).toEqual([
        0,
        urls.map((url) => url.slice('https://'.length)),
      ]);
    },
  );
});

describeIf(IS_POSIX, 'Ctrl-C during a slow crawl', () => {
  async function interrupted(format: string): Promise<void> {
    await using server = await startServer({});
    server.site['/robots.txt'] = `Sitemap: ${server.origin}/index.xml`;
    server.site['/index.xml'] = ['/a.xml', '/b.xml'];
    server.site['/a.xml'] = urlset('https://a.example/1');
    server.site['/b.xml'] = { body: urlset('https://a.example/2'), stallAfter: 20 };
    const place = await mkdtemp(join(folder, 'c-'));
    const temporary = await mkdtemp(join(folder, 't-'));
    const argv = ['ls', server.origin, '-f', format, '-o', 'out.txt', '--unique'];
    const { child, finished } = start(argv, { cwd: place, env: { TMPDIR: temporary } });
    await until(() => server.paths().includes('/b.xml'), 'the slow sitemap');
    await until(() => server.paths().includes('/sitemap.xml') || format === 'pages', 'the known paths');
    child.kill('SIGINT');
    const { code, stdout, stderr } = await finished;
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toMatch(new RegExp(`^usp: interrupted at ${server.origin}/, after \\d of \\d sitemaps`));
    expect([await readdir(place), await readdir(temporary)]).toEqual([[], []]);
    await server.allSocketsClosed();
  }

  test.each(sized({ fast: ['tree'], full: ['pages', 'tree'] }))(
    'says what was interrupted, exits with 130, leaves nothing behind (%s)',
    // A command that needs more than half a second to end, as on a busy machine, says less.
    (format) => withMoreTime([1, 2, 3, 4, 5], () => interrupted(format)),
  );
});
