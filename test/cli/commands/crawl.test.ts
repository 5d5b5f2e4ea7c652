/** §14: `usp crawl` from its command line: what it refuses, what it says, what it goes on with. More is in test/batch. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ProcessSettings } from '../../../src/batch/child-process.ts';
import { type Told, usp } from '../../support/cli-world.ts';
import { crawlerHere, crawlHere } from '../../support/crawl-command.ts';
import { siteOf } from '../../support/crawled-site.ts';
import { folder } from '../../support/folder.ts';

/** A crawl of lines on stdin, and what its processes were started with. */
async function crawl(
  lines: readonly string[],
  path: string,
  ...argv: readonly string[]
): Promise<Told & { readonly settings: readonly ProcessSettings[] }> {
  const settings: ProcessSettings[] = [];
  const flags = ['-o', path, '-f', 'ndjson', '--no-known', '--retries', '0', ...argv];
  const told = await crawlHere(['crawl', '-', ...flags], {
    stdin: lines.join('\n'),
    startCrawler(each) {
      settings.push(each);
      return crawlerHere(each);
    },
  });
  return { ...told, settings };
}

const path = (): string => join(folder(), 'out');
const site = () => siteOf({ '/robots.txt': ['/a.xml'], '/a.xml': { pages: [['/1', '2014-05-06'], '/2'] } });
const QUICK = ['--processes', '1', '--publish-every', '0.01'];

describe('usp crawl refuses', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['--fresh-only alone', ['--fresh-only'], /^usp: --fresh-only needs --previous\./],
    ['--only-allowed alone', ['--only-allowed'], /^usp: --only-allowed needs --agent NAME\./],
    ['--agent with --no-robots', ['--agent', 'GPTBot', '--no-robots'], /^usp: --agent needs robots\.txt/],
    [
      'a folder without a crawl',
      ['--previous', folderOf()],
      /^usp: There is no crawl in .+\.\nhint: give --previous/,
    ],
    ['an option of the library', ['--user-agent', 'a\nb'], /^usp: The option --user-agent must be/],
  ])('%s, and there is no folder', async (_what, argv, message) => {
    const out = path();
    const { code, stderr, settings } = await crawl(['a.example'], out, ...argv);
    expect([code, stderr, settings]).toEqual([2, expect.stringMatching(message), []]);
    expect(existsSync(out)).toBe(false);
  });

  function folderOf(): string {
    return join(import.meta.dirname, '..', 'expected');
  }

  test('the folder of the crawl as the earlier one, where it has no archives', async () => {
    const out = path();
    const { code, stderr } = await crawl(['a.example'], out, '--previous', `${out}/`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--previous and -o name the same folder.')]);
  });

  test.each<[readonly string[], string]>([
    [['no site', 'a.example'], '1 line of stdin is not a site (--strict-list).'],
    [['no site', 'a.example', 'x y'], '2 lines of stdin are not sites (--strict-list).'],
  ])('%j with --strict-list', async (lines, message) => {
    const { code, stderr } = await crawl(lines, path(), '--strict-list');
    expect([code, stderr.split('\n').at(-2)]).toEqual([2, `usp: ${message}`]);
  });

  test('a list without sites', async () => {
    const { code, stderr } = await crawl(['# a.example', ''], path());
    expect([code, stderr]).toEqual([
      2,
      'usp: stdin has no sites.\nhint: one URL or host per line; # starts a comment.\n',
    ]);
  });

  test.each(['https://user:secret@example.org/x', 'HTTP://example.org/'])(
    '%s, which is a site',
    async (url) => {
      const { code, stderr } = await usp(['crawl', url, '-o', path()]);
      const shown = url.replace('user:secret@', '');
      expect([code, stderr]).toEqual([
        2,
        `usp: usp crawl takes a file with a list of sites, and ${shown} is one site.\nhint: usp ls ${shown}\n`,
      ]);
    },
  );
});

describe('usp crawl names lines that are no sites', () => {
  test.each([
    [100, 100, undefined],
    [101, 100, '… and 1 more line.'],
    [1200, 100, '… and 1,100 more lines.'],
  ])('%i of them', async (many, named, rest) => {
    const lines = Array.from({ length: many }, () => 'no site');
    const { stderr } = await crawl(lines, path());
    const all = stderr.split('\n');
    expect(all.filter((line) => line.startsWith('stdin, line '))).toHaveLength(named);
    expect(all[0]).toBe('stdin, line 1: "no site" is not an http or https URL or a host.');
    expect(all.find((line) => line.startsWith('… and'))).toBe(rest);
  });
});

describe('usp crawl', () => {
  test('starts its processes with what the flags say', async () => {
    const { origin } = await site();
    const out = path();
    const flags = ['--processes', '1', '--sites-at-once', '3', '--publish-every', '0.25', '--archives'];
    const { code, settings } = await crawl([origin], out, ...flags, '--timeout', '60', '--include', '/1');
    expect(code).toBe(0);
    expect(settings[0]).toMatchObject({
      crawl: out,
      format: 'ndjson',
      publishEveryMs: 250,
      archives: true,
      options: {
        maxTimeMs: 60_000,
        include: ['/1'],
        sitesAtOnce: 3,
        staleIfError: false,
        useKnownPaths: false,
      },
    });
    expect(settings[0]?.previous).toBeUndefined();
    expect(settings[0]?.folder).not.toBe(out);
  });

  test('takes 32 sites at once and publishes every 30 seconds, where nothing is said', async () => {
    const { origin } = await site();
    const { settings } = await crawl([origin], path(), '--processes', '1');
    expect(settings[0]).toMatchObject({
      publishEveryMs: 30_000,
      archives: false,
      options: { sitesAtOnce: 32 },
    });
  });

  test('goes on with the sites that are not finished, and says how many are', async () => {
    const [one, two, three, four] = [await site(), await site(), await site(), await site()];
    const out = path();
    const first = await crawl([one.origin], out, ...QUICK);
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringMatching(/^1 site \(1 complete\), 2 pages, in /),
    ]);
    const second = await crawl([one.origin, two.origin, three.origin], out, ...QUICK);
    expect([second.code, second.stderr]).toEqual([
      0,
      expect.stringMatching(/^1 of 3 sites is finished already\.\n3 sites \(3 complete\), 6 pages, in /),
    ]);
    const third = await crawl([one.origin, two.origin], out, ...QUICK);
    expect(third.stderr).toMatch(
      /^2 of 2 sites are finished already\.\n3 sites \(3 complete\), 6 pages, in /,
    );
    expect([third.settings, one.paths().length, two.paths().length]).toEqual([[], 2, 2]);
    // Those that are in the list no longer were crawled all the same.
    const fourth = await crawl([three.origin, four.origin], out, ...QUICK, '--log-format', 'json');
    const events = fourth.stderr.split('\n').filter((line) => line.startsWith('{'));
    expect(events.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'message', message: '1 of 2 sites is finished already.' },
      { type: 'start', sites: 4, finished: 3 },
      { type: 'end', sites: 4, finished: 4, leftMs: 0 },
    ]);
    const other = await crawl([one.origin], out, ...QUICK, '--max-pages', '1');
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining(`The crawl in ${out} was begun with other options (--max-pages).`),
    ]);
  });

  test('a site that failed is crawled again with --retry-failed', async () => {
    const server = await siteOf({ '*': { status: 403 } });
    const out = path();
    expect((await crawl([server.origin], out, ...QUICK)).stderr).toMatch(
      /^1 site \(1 failed\), 0 pages, in \S+\.\nFailed: 1 http-status\.\n$/,
    );
    Object.assign(server.site, { '/robots.txt': ['/a.xml'], '/a.xml': { pages: ['/1'] } });
    expect((await crawl([server.origin], out, ...QUICK)).stderr).toContain(
      '1 of 1 site is finished already.',
    );
    expect((await crawl([server.origin], out, ...QUICK, '--retry-failed')).stderr).toMatch(
      /^1 site \(1 complete\), 1 page, in /,
    );
  });

  test('--since 24h stays the time of the first run, and --until too', async () => {
    const [one, two] = [await site(), await site()];
    const out = path();
    const times: unknown[] = [];
    for (const [since, until, code] of [
      ['24h', '1h', 0],
      ['24h', '1h', 0],
      ['25h', '1h', 2],
      ['24h', '2h', 2],
    ] as const) {
      const list = times.length === 0 ? [one.origin] : [one.origin, two.origin];
      const told = await crawl(list, out, ...QUICK, '--since', since, '--until', until);
      expect([since, until, told.code]).toEqual([since, until, code]);
      const { since: from, until: to } = { ...told.settings[0]?.options };
      if (code === 0) times.push({ from, to });
    }
    // The site that came later was crawled with the same times.
    expect(times[0]).toEqual({ from: expect.any(String), to: expect.any(String) });
    expect(times[1]).toEqual(times[0]);
  });

  test('-q says nothing', async () => {
    const { origin } = await site();
    const { code, stderr } = await crawl([origin, 'no site'], path(), ...QUICK, '-q');
    expect([code, stderr]).toEqual([0, '']);
  });
});
