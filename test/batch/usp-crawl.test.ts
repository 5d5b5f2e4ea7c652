/** `usp crawl` as its users see it (§14). */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { forkCrawler } from '../../src/batch/child-process.ts';
import { SiteList } from '../../src/cli/args/site-list.ts';
import { loadTree } from '../../src/index.ts';
import { VERSION } from '../../src/options/version.ts';
import { temporaryBeside } from '../../src/runtime/files.ts';
import { build, until } from '../support/cli-binary.ts';
import { type Told, usp } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import {
  childrenOf,
  crawlerHere,
  crawlHere,
  crawlToEnd,
  listOf,
  QUICK_CRAWL,
  started,
  startGroup,
} from '../support/crawl-command.ts';
import { crawlPath, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { signalling } from '../support/crawled-site.ts';
import { type LoopbackSites, loopbackSites } from '../support/loopback-sites.ts';
import { canMount, IS_LINUX, MODES_COUNT } from '../support/platform.ts';
import { hasHeavy, isFull, sized } from '../support/tier.ts';

beforeAll(build);

/** What is shared by several tests ends with the file. */
const ends: (() => void | Promise<void>)[] = [];
const onEnd = (end: () => void | Promise<void>): void => void ends.push(end);
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

const NO_STDIN = { stdin: (async function* () {})(), signal: new AbortController().signal };
const ONE = ['--processes', '1', '--sites-at-once', '4'];

interface Described {
  readonly state: string;
  readonly sites: number;
  readonly options: object;
  readonly finished: object;
}

function description(path: string): Described {
  return JSON.parse(readFileSync(join(path, 'crawl.json'), 'utf8')) as Described;
}

function numbersUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number);
}

/** A list beside the folder of a crawl. */
function listFile(path: string, text: string, name = 'list.txt'): string {
  const file = join(dirname(path), name);
  writeFileSync(file, text);
  return file;
}

describe('§14 usp crawl', () => {
  test('every site of the list has a line, every page a row, and crawl.json says that it is done', async () => {
    const sites = await loopbackSites();
    const path = crawlPath();
    const numbers = numbersUpTo(30);
    const list = listOf(sites, path, numbers);
    const argv = ['crawl', list, '-o', path, ...QUICK_CRAWL, ...ONE, '--max-depth', '3'];
    const { code, stdout, stderr } = await (isFull ? crawlToEnd(argv) : crawlHere(argv));
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    // On a busy machine there are lines of its progress before.
    expect(stderr).toMatch(
      /^(?:\d+\/30 sites · [^\n]+\n)*30 sites \(27 complete, 3 none\), [\d,]+ pages, in \d+:\d\d\.\n$/,
    );
    expect(linesOf(path)).toHaveLength(30);
    const withPages = numbers.filter((number) => sites.pages(number).length > 0);
    expect(pagesBySite(path)).toEqual(
      new Map(withPages.map((number) => [sites.homepage(number), sites.pages(number)])),
    );
    expect(description(path)).toMatchObject({
      state: 'done',
      sites: 30,
      options: { known: false, maxDepth: 3, retries: 0 },
      finished: { complete: 27, partial: 0, none: 3, failed: 0 },
    });
    // The same command again has nothing to do, and asks no site anything.
    const before = sites.requests;
    const again = await crawlHere(argv);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('30 of 30 sites are finished already.');
    expect(sites.requests).toBe(before);
  });
});

describe('§14 filters, messages and options of one crawl', () => {
  const filter = ['--include', '*5', '--max-pages', '7', '--sitemap-exclude', '/b.xml'];
  let sites: LoopbackSites;
  let path: string;
  let argv: readonly string[];
  let stderr: string;

  beforeAll(async () => {
    sites = await loopbackSites({ onEnd });
    path = crawlPath(onEnd);
    argv = ['crawl', listOf(sites, path, [3, 53]), '-o', path, ...QUICK_CRAWL, ...ONE, ...filter];
    appendFileSync(argv[1]!, 'no site\n');
    ({ stderr } = await crawlHere([...argv, '--log-format', 'json', '-H', 'X-Key: secret']));
  });

  test('filters and --max-pages hold for each site', () => {
    for (const number of [3, 53]) {
      const half = sites.pages(number).slice(0, 1_500);
      const wanted = half.filter((url) => url.endsWith('5')).slice(0, 7);
      expect(pagesBySite(path).get(sites.homepage(number))).toEqual(wanted);
    }
  });

  test('--log-format json writes one object per line', () => {
    const [bad, ...lines] = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(bad).toMatchObject({ type: 'message', message: expect.stringContaining('line 3: "no site"') });
    expect(lines[0]).toMatchObject({ type: 'start', sites: 2, finished: 0, leftMs: null });
    expect(lines.at(-1)).toMatchObject({ type: 'end', sites: 2, finished: 2, failures: {} });
  });

  test('a crawl with other options is refused, one with another pace goes on', async () => {
    expect(readFileSync(join(path, 'crawl.json'), 'utf8')).not.toContain('secret');
    const other = await crawlHere([...argv, '--max-depth', '2', '-f', 'csv', '--no-normalize']);
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(
      /was begun with other options \(--format, --no-normalize, --max-depth, --header\)\. Run it with the same ones, or give -o another folder\./,
    );
    const pace = await crawlHere([...argv, '-H', 'X-Key: secret', '--wait', '0.001']);
    expect(pace.code).toBe(0);
  });

  test('--since 24h is the time of the first run, and another date is another option', async () => {
    const folder = crawlPath();
    const plain = ['crawl', listOf(sites, folder, [3]), '-o', folder, ...QUICK_CRAWL, '--processes', '1'];
    const sinceIn = () => (description(folder).options as { since: string }).since;
    expect((await crawlHere([...plain, '--since', '24h'])).code).toBe(0);
    const since = sinceIn();
    expect((await crawlHere([...plain, '--since', '24h'])).code).toBe(0);
    expect(sinceIn()).toBe(since);
    for (const other of ['2020-01-01', '48h']) {
      const { code, stderr } = await crawlHere([...plain, '--since', other]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('begun with other options (--since).')]);
    }
    expect((await crawlHere([...plain, '--since', since])).code).toBe(0);
  });

  test('a folder that another version left in the middle of its work is refused, and stays as it is', async () => {
    const folder = crawlPath();
    const plain = ['crawl', listOf(sites, folder, [3]), '-o', folder, ...QUICK_CRAWL, '--processes', '1'];
    expect((await crawlHere(plain)).code).toBe(0);
    const text = JSON.stringify({ ...description(folder), replaced: { failedUpTo: 3, parts: [] } });
    writeFileSync(join(folder, 'crawl.json'), text);
    const { code, stderr } = await crawlHere(plain);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('crawl.json has "replaced", which this version of usp crawl does not know'),
    ]);
    expect(readFileSync(join(folder, 'crawl.json'), 'utf8')).toBe(text);
  });

  test('a default that is given is the same as none', async () => {
    const folder = crawlPath();
    const plain = ['crawl', listOf(sites, folder, [3]), '-o', folder, '--processes', '1'];
    expect((await crawlHere(plain)).code).toBe(0);
    // As the help has them: `--max-depth <n>  follow N levels of indexes (default: 11)`.
    const { stdout: help } = await usp(['crawl', '--help']);
    const lines = help.replaceAll(/\n {10,}/g, ' ');
    const defaults = [...lines.matchAll(/(--[\w-]+) <\w+> .*\(default: ([\w,-]+)\)$/gm)].flatMap(
      ([, flag = '', value = '']) => [flag, value.replaceAll(',', '')],
    );
    expect(defaults).toEqual(expect.arrayContaining(['--known', 'if-none-declared', '--timeout', '3600']));
    const given = [...defaults, '--undated', 'drop', '--user-agent', `ultimate-sitemap-parser/${VERSION}`];
    for (const more of [given, []]) {
      const again = await crawlHere([...plain, ...more]);
      expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('1 of 1 site is finished') });
    }
    const other = await crawlHere([...plain, '--known', 'always', '--proxy', 'none']);
    expect(other.stderr).toContain('was begun with other options (--known, --proxy).');
  });
});

describe('§14 a list with all kinds of lines, and archives of its sites', () => {
  const archives = [...QUICK_CRAWL, ...ONE, '--archives'];
  let sites: LoopbackSites;
  let path: string;
  let list: string;
  let crawled: Told;

  beforeAll(async () => {
    sites = await loopbackSites({ onEnd });
    path = crawlPath(onEnd);
    const home = sites.homepage(1);
    const good = `# sites\n${home}\n\n${home}some/page?x#y\n${sites.host(2)}\n`;
    const bad = 'no site\nftp://x.example/\nhttps://u:secret@x.example/\n';
    list = listFile(path, `${good}${bad}${sites.homepage(7)}\n`);
    crawled = await crawlHere(['crawl', list, '-o', path, ...archives]);
  });

  test('comments, repeated sites, hosts and lines that are not sites', () => {
    const { code, stderr } = crawled;
    expect(code).toBe(0);
    expect(stderr).toContain('list.txt, line 6: "no site" is not an http or https URL or a host.');
    expect(stderr).toContain('list.txt, line 7: ');
    expect(stderr).toMatch(/line 8: .*has a user or a password/);
    expect(stderr).not.toContain('secret');
    const wanted = [1, 2, 7].map((number) => sites.homepage(number));
    expect(linesOf(path).map(({ site }) => site)).toEqual(expect.arrayContaining(wanted));
    expect(linesOf(path)).toHaveLength(3);
  });

  test('--archives keeps the documents of each site, and names the file in its line; --previous asks only whether they have changed', async () => {
    const lines = linesOf(path);
    const [one, none] = [1, 7].map((number) => lines.find(({ site }) => site === sites.homepage(number)));
    expect(none?.archive).toBeUndefined();
    const tree = await loadTree(join(path, one!.archive!));
    expect(Array.from(tree.allPages(), ({ url }) => url).sort()).toEqual(sites.pages(1));
    tree.close();

    expect(sites.unchanged).toBe(0);
    const after = crawlPath();
    await crawlHere(['crawl', list, '-o', after, ...archives, '--previous', path]);
    // robots.txt, an index and two sitemaps of each site that has some.
    expect(sites.unchanged).toBe(8);
    expect(pagesBySite(after)).toEqual(pagesBySite(path));
    expect(linesOf(after)).toHaveLength(3);
  });
});

describe('§14 lists', () => {
  test('a URL instead of a list points to usp ls', async () => {
    const path = crawlPath();
    const { code, stderr } = await usp(['crawl', 'https://user:secret@example.org/', '-o', path]);
    expect([code, stderr]).toEqual([
      2,
      'usp: usp crawl takes a file with a list of sites, and https://example.org/ is one site.\n' +
        'hint: usp ls https://example.org/\n',
    ]);
    expect(existsSync(path)).toBe(false);
  });

  test('--strict-list stops before anything is fetched or written', async () => {
    const path = crawlPath();
    const list = listFile(path, 'https://example.org/\nno site\n');
    const { code, stderr } = await usp(['crawl', list, '-o', path, '--strict-list']);
    expect(code).toBe(2);
    expect(stderr).toContain('line 2: "no site"');
    expect(stderr).toContain('usp: 1 line of ');
    expect(existsSync(path)).toBe(false);
  });

  test('the first 100 lines that name no site are shown, and all are counted', async () => {
    const path = crawlPath();
    const { stderr } = await usp([
      'crawl',
      listFile(path, 'no site\n'.repeat(5_000)),
      '-o',
      path,
      '--strict-list',
    ]);
    expect(stderr.match(/line \d+: "no site"/g)).toHaveLength(100);
    expect(stderr).toContain('… and 4,900 more lines.\n');
    expect(stderr).toContain('usp: 5,000 lines of ');
  });

  test('a list of several pieces has each site once, in its order', async () => {
    const sites = Array.from({ length: 6_000 }, (_, at) => `https://${at}.example.org/`);
    const list = await SiteList.read(listFile(crawlPath(), sites.join('\n')), {}, NO_STDIN);
    expect([...list.sites(() => true)]).toEqual(sites);
    expect([list.size, list.countOf((site) => site.includes('1.'))]).toEqual([6_000, 600]);
  });

  test('--publish-every is a number of seconds', async () => {
    const sites = await loopbackSites();
    const path = crawlPath();
    const times: number[] = [];
    const argv = ['crawl', listOf(sites, path, [1]), '-o', path, ...QUICK_CRAWL, '--publish-every', '5'];
    const { code } = await crawlHere(argv, {
      startCrawler(settings) {
        times.push(settings.publishEveryMs);
        return crawlerHere(settings);
      },
    });
    expect([code, new Set(times)]).toEqual([0, new Set([5_000])]);
  });

  test.each([
    ['a CSV by name', 'Name,URL\n"A, ""x""",%1\n"two\nlines",%2\n', 'url'],
    ['a TSV by name', 'Name\tURL\nA\t%1\nB\t%2\n', 'URL'],
    ['a CSV by number', '1,%1\n2,%2', '2'],
    ['a CSV with semicolons', 'name;url\r\na;%1\r\nb;%2\r\n', 'url'],
  ])('--column reads %s', async (_what, text, column) => {
    const filled = text.replace('%1', 'https://a.example/x').replace('%2', 'b.example');
    const file = listFile(crawlPath(), filled, 'list.csv');
    const list = await SiteList.read(file, { column }, NO_STDIN);
    expect([...list.sites(() => true)]).toEqual(['https://a.example/', 'https://b.example/']);
    expect(list.badCount).toBe(0);
  });

  test('a list in UTF-16, as spreadsheets save "Unicode text"', async () => {
    const file = listFile(crawlPath(), '', 'list.txt');
    writeFileSync(file, `\ufeffname\turl\r\nmünchen\thttps://a.example/\r\n`, 'utf16le');
    const list = await SiteList.read(file, { column: 'url' }, NO_STDIN);
    expect([...list.sites(() => true), list.badCount]).toEqual(['https://a.example/', 0]);
    async function* stdin() {
      for (const byte of readFileSync(file)) yield Buffer.of(byte);
    }
    const arriving = await SiteList.read('-', { column: 'url' }, { ...NO_STDIN, stdin: stdin() });
    expect([...arriving.sites(() => true), arriving.badCount]).toEqual(['https://a.example/', 0]);
  });

  test.each([
    ['up to the end', '"b,https://b.example/\nc,https://c.example/\n', 5],
    ['too far', `"b,https://b.example/\n${'x\n'.repeat(500_000)}d,https://d.example/\n`, undefined],
  ])(
    'a quote that is not closed %s is a bad line, since it takes others with it',
    async (_what, rest, last) => {
      const file = listFile(crawlPath(), `name,url\na,https://a.example/\n${rest}`, 'list.csv');
      const list = await SiteList.read(file, { column: 'url' }, NO_STDIN);
      expect([...list.sites(() => true)].filter((site) => /[bc]\.example/.test(site))).toEqual([]);
      expect(list.bad).toEqual([
        { line: 3, why: expect.stringContaining(`a quote that is not closed up to line ${last ?? ''}`) },
      ]);
    },
  );

  test('a quote of the heading that is not closed is a bad line, too', async () => {
    const file = listFile(crawlPath(), 'url,"name\nhttps://a.example/,a\n', 'list.csv');
    const { bad } = await SiteList.read(file, { column: 'url' }, NO_STDIN);
    expect(bad).toEqual([{ line: 1, why: expect.stringContaining('a quote that is not closed') }]);
  });

  test.each(['https://a.example\t12', 'https://a.example/\tb', '//a.example\tb'])(
    'the columns of %j do not become one URL',
    async (line) => {
      const list = await SiteList.read(listFile(crawlPath(), `${line}\n`), {}, NO_STDIN);
      expect([...list.sites(() => true), list.badCount]).toEqual([1]);
    },
  );

  test.each([
    ['a file that is not there', ['crawl', 'no-such-file'], /no-such-file cannot be read: no such file/],
    ['an empty list', ['crawl', '-'], /stdin has no sites\.[\s\S]*one URL or host per line/],
    [
      'a column that is not there',
      ['crawl', '-', '--column', 'x'],
      /has no column "x"[\s\S]*"name", "url"/,
      'name,url\n',
    ],
  ])('%s is an error that says what to do', async (_what, argv, message, stdin = '') => {
    const path = crawlPath();
    const { code, stderr } = await usp([...argv, '-o', path], { stdin });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(existsSync(path)).toBe(false);
  });
});

describe('§14 folders', () => {
  test('a folder with something else is refused', async () => {
    const path = crawlPath();
    mkdirSync(path);
    writeFileSync(join(path, 'thesis.txt'), 'mine');
    const { code, stderr } = await usp(['crawl', '-', '-o', path], { stdin: 'example.org' });
    expect(code).toBe(2);
    expect(stderr).toContain('is not the folder of a crawl: it has thesis.txt. Give -o another folder');
  });

  test('a folder of a crawl that was killed before it had written crawl.json is used', async () => {
    const path = crawlPath();
    for (const name of ['pages', '.tmp']) mkdirSync(join(path, name), { recursive: true });
    const [sites, half] = [join(path, 'sites.ndjson'), temporaryBeside(join(path, 'crawl.json'))];
    writeFileSync(sites, '');
    writeFileSync(half, '{"id":');
    const argv = ['crawl', '-', '-o', path, '--queue', 'no queue'];
    const used = await usp(argv, { stdin: 'example.org' });
    expect([used.code, used.stderr]).toEqual([2, expect.stringContaining('redis://')]);
    expect(description(path).sites).toBe(1);
    // Where sites are finished, it is not known how.
    rmSync(join(path, 'crawl.json'));
    writeFileSync(sites, '{}\n');
    expect((await usp(argv, { stdin: 'example.org' })).stderr).toContain('it has sites.ndjson');
  });

  test('an option that the library refuses is reported by its flag, before there is a folder', async () => {
    const path = crawlPath();
    const list = listFile(path, 'http://127.0.0.1:9/');
    const { code, stderr } = await crawlHere(['crawl', list, '-o', path, '--cert', list]);
    expect({ code, isMade: existsSync(path) }).toEqual({ code: 2, isMade: false });
    expect(stderr).toMatch(/^usp: The option --cert must be the content of a PEM file[^\n]*\n$/);
  });

  test('a folder that cannot be made or written is an error', async () => {
    const path = crawlPath();
    writeFileSync(path, 'a file');
    const file = await usp(['crawl', '-', '-o', path], { stdin: 'example.org' });
    expect(file.code).toBe(2);
    expect(file.stderr).toMatch(/cannot be written: /);
    if (IS_LINUX) {
      // Node's own way of making folders never ends there.
      const system = await usp(['crawl', '-', '-o', '/proc/usp/crawl'], { stdin: 'example.org' });
      expect([system.code, system.stderr]).toEqual([
        2,
        expect.stringContaining('/proc/usp/crawl cannot be written: '),
      ]);
    }
    if (!MODES_COUNT) return;
    const parent = `${path}-parent`;
    mkdirSync(parent);
    chmodSync(parent, 0o500);
    const denied = await usp(['crawl', '-', '-o', join(parent, 'x')], { stdin: 'example.org' });
    expect(denied.code).toBe(2);
    expect(denied.stderr).toMatch(/cannot be written: permission denied/);
  });

  test('a second crawl of a folder is refused while the first one runs', async () => {
    const { promise: held, resolve: release } = signalling();
    const sites = await loopbackSites({ held });
    const path = crawlPath();
    const argv = ['crawl', listOf(sites, path, numbersUpTo(4)), '-o', path, ...QUICK_CRAWL, ...ONE];
    const first = started(argv);
    await until(() => sites.requests > 0, 'the first request');
    const second = await crawlHere(argv);
    release();
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`Another usp crawl is at work in ${path}: process ${first.pid} on`);
    expect((await first.finished).code).toBe(0);
  });

  // A run of test/cli/update-simulated.test.ts by itself has a disk that is full.
  testIf(isFull && canMount())(
    'a full disk is an error, and with room the same command goes on',
    async () => {
      const sites = await loopbackSites();
      const parent = dirname(crawlPath());
      const disk = join(parent, 'disk');
      mkdirSync(disk);
      const [count, size] = [60, '60k'];
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]);
      onTestFinished(() => {
        execFileSync('umount', ['-l', disk]);
        rmSync(parent, { recursive: true, force: true });
      });
      const path = join(disk, 'crawl');
      const numbers = numbersUpTo(count);
      const argv = [
        'crawl',
        listOf(sites, path.replace('/disk', ''), numbers),
        '-o',
        path,
        ...QUICK_CRAWL,
        ...ONE,
      ];
      const full = await crawlHere(argv);
      expect(full.code).toBe(2);
      expect(full.stderr).toMatch(
        /cannot be written: no space is left on the device\. What is finished is kept; run the same command again/,
      );
      // The last line may be half a line.
      const finished = readFileSync(join(path, 'sites.ndjson'), 'utf8').split('\n').length - 1;
      expect(finished).toBeLessThan(count);
      execFileSync('mount', ['-o', 'remount,size=20m', disk]);
      const { code } = await crawlHere(argv);
      expect(code).toBe(0);
      expect(linesOf(path)).toHaveLength(count);
      const withPages = numbers.filter((number) => sites.pages(number).length > 0);
      expect(pagesBySite(path)).toEqual(
        new Map(withPages.map((number) => [sites.homepage(number), sites.pages(number)])),
      );
    },
  );
});

describe('§14 progress', () => {
  test('counts sites when they are finished, before they are published', async () => {
    const { promise: held, resolve: release } = signalling();
    const sites = await loopbackSites({ hold: (number) => (number === 3 ? held : undefined) });
    const path = crawlPath();
    const argv = ['crawl', listOf(sites, path, numbersUpTo(4)), '-o', path, ...QUICK_CRAWL, ...ONE];
    const drawn: string[] = [];
    const stderr = new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        drawn.push(chunk);
        done();
      },
    });
    const running = crawlHere([...argv, '--publish-every', '3600'], { stderr, isTerminal: { stderr: true } });
    await until(() => drawn.join('').includes('3/4 sites'), 'three sites');
    expect(readFileSync(join(path, 'sites.ndjson'), 'utf8')).toBe('');
    release();
    expect((await running).code).toBe(0);
    expect(linesOf(path)).toHaveLength(4);
  });
});

describe('§14 interruptions and deaths', () => {
  test('Ctrl-C finishes what is running, and the next run goes on', async () => {
    const sites = await loopbackSites({ delayMs: 50 });
    const count = sized({ fast: 16, full: 40 });
    const path = crawlPath();
    const argv = ['crawl', listOf(sites, path, numbersUpTo(count)), '-o', path, ...QUICK_CRAWL, ...ONE];
    const first = startGroup(argv);
    await until(() => sites.requests > 4, 'some requests');
    // As a terminal does it: all processes of the group get it.
    process.kill(-first.pid, 'SIGINT');
    const { code, stderr } = await first.finished;
    expect(code).toBe(130);
    expect(stderr).toMatch(/finishing \d sites?; press Ctrl-C again to stop at once\./);
    expect(stderr).not.toContain('a process ended');
    expect(stderr).toMatch(
      new RegExp(
        `interrupted: \\d+ of ${count} sites are finished\\. Run the same command again to continue\\.`,
      ),
    );
    expect(linesOf(path).length).toBeGreaterThan(0);
    expect(description(path).state).toBe('stopped');
    expect((await crawlHere(argv)).code).toBe(0);
    expect(linesOf(path)).toHaveLength(count);
  });

  test('a second Ctrl-C stops at once, and leaves no process', async () => {
    const sites = await loopbackSites({ delayMs: 60_000 });
    const path = crawlPath();
    const argv = ['crawl', listOf(sites, path, numbersUpTo(4)), '-o', path, ...QUICK_CRAWL, ...ONE];
    const run = startGroup(argv);
    await until(() => sites.requests > 0, 'a request');
    const children = childrenOf(run.pid);
    process.kill(run.pid, 'SIGINT');
    await until(() => run.written.stderr.includes('press Ctrl-C again'), 'the message');
    process.kill(run.pid, 'SIGINT');
    // By the signal, and with no other word.
    expect(await run.finished).toMatchObject({
      code: null,
      stderr: expect.not.stringContaining('interrupted:'),
    });
    await until(() => children.every((child) => !existsSync(`/proc/${child}`)), 'the end of the children');
  });

  testIf(hasHeavy)(
    'a site that ends its process is failed after it did so alone, and all others are finished',
    async () => {
      const sites = await loopbackSites({
        onRequest(number) {
          // The newest process is the one that asks: there is one for all sites, and later one for this site alone.
          if (number === 2) process.kill(childrenOf(process.pid).at(-1)!, 'SIGKILL');
        },
      });
      const path = crawlPath();
      const argv = ['crawl', listOf(sites, path, numbersUpTo(12)), '-o', path, ...QUICK_CRAWL];
      // Each site that is in progress at a death runs alone in the end, in a process of its own.
      const atOnce = sized({ fast: '2', full: '4' });
      const { code, stderr } = await crawlHere([...argv, '--processes', '1', '--sites-at-once', atOnce], {
        startCrawler: forkCrawler,
      });
      expect(code).toBe(0);
      expect(stderr).toMatch(/a process ended \(SIGKILL\) with \d sites?: http/);
      expect(stderr).toContain(`${sites.homepage(2)} runs alone, since 3 processes ended while they had it.`);
      const lines = linesOf(path);
      expect(lines).toHaveLength(12);
      const failed = lines.filter(({ outcome }) => outcome === 'failed');
      expect(failed).toMatchObject([{ site: sites.homepage(2), code: 'process-died', parts: [] }]);
      expect(pagesBySite(path).size).toBe(10);
    },
  );

  testIf(isFull)('a child that dies alone costs nothing but time', async () => {
    const sites = await loopbackSites({ delayMs: 20 });
    const path = crawlPath();
    const argv = ['crawl', listOf(sites, path, numbersUpTo(60)), '-o', path, ...QUICK_CRAWL];
    const run = startGroup([...argv, '--processes', '2', '--sites-at-once', '4']);
    await until(() => sites.requests > 10, 'some requests');
    for (const child of childrenOf(run.pid).slice(0, 1)) process.kill(child, 'SIGKILL');
    await delay(100);
    expect((await run.finished).code).toBe(0);
    expect(linesOf(path)).toHaveLength(60);
    for (const [site, urls] of pagesBySite(path)) {
      const number = numbersUpTo(60).find((each) => sites.homepage(each) === site)!;
      expect(urls).toEqual(sites.pages(number));
    }
  });
});
