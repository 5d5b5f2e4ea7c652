/** §10, §11.4, §14: `--agent` says who may fetch each page, `--only-allowed` leaves out what is disallowed. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { crawlSites } from '../../src/batch/index.ts';
import type { TableFormat } from '../../src/batch/output/table-file.ts';
import {
  checkTree,
  collectPages,
  type RobotsVerdict,
  robotsVerdicts,
  type SitemapOptions,
  sitemapFromString,
  streamPages,
  streamSitemap,
} from '../../src/index.ts';
import type { ScriptedServer, Site } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { crawlHere } from '../support/crawl-command.ts';
import { DECLARED, siteOf, treeOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { readPart } from '../support/part-rows.ts';
import { temporaryFolder } from '../support/real-servers.ts';
import { sized } from '../support/tier.ts';

const RULES = [
  'User-agent: GPTBot',
  'User-agent: CCBot',
  'Crawl-delay: 10 # seconds',
  'Disallow: /private/',
  'Allow: /private/open',
  '',
  'User-agent: *',
  'Content-Signal: search=yes, ai-train=no',
  'AI-Train: no',
  'Disallow: /tmp/',
];

const PATHS = ['/1', '/private/2', '/private/open/3', '/tmp/4'];

const VERDICTS: Readonly<Record<string, RobotsVerdict>> = {
  '/1': { allowed: true },
  '/private/2': { allowed: false, rule: 'Disallow: /private/', ruleLine: 4 },
  '/private/open/3': { allowed: true, rule: 'Allow: /private/open', ruleLine: 5 },
  '/tmp/4': { allowed: true },
};

const OTHER = 'https://other.example/private/5';

function judged(origin: string): Site {
  return {
    '/robots.txt': [...RULES, `Sitemap: ${origin}/a.xml`].join('\n'),
    '/a.xml': urlset(...PATHS.map((path) => `${origin}${path}`), OTHER),
  };
}

const ARGV = ['--no-known', '--retries', '0'];

async function ls(server: ScriptedServer, ...argv: readonly string[]) {
  const told = await usp(['ls', server.origin, ...ARGV, ...argv]);
  return { ...told, lines: told.lines.map((line) => line.replaceAll(server.origin, '')) };
}

/** The verdict on each path, as a tree, a stream and a list have it: all the same. */
async function verdictsOf(
  server: ScriptedServer,
  agent = 'GPTBot',
  paths: readonly string[] = PATHS,
): Promise<Readonly<Record<string, RobotsVerdict>>> {
  const options: SitemapOptions = { ...DECLARED, allowPrivateNetworks: true };
  const urls = paths.map((path) => new URL(path, server.origin).href);
  const all = (verdictOf: (url: string) => RobotsVerdict) =>
    Object.fromEntries(urls.map((url, at) => [paths[at], verdictOf(url)]));
  const tree = await treeOf(server, options);
  const ofTree = all(await robotsVerdicts(tree, agent));
  const stream = streamPages(server.origin, { ...options, robotsAgent: agent });
  for await (const _ of stream.batches()) expect(all((url) => stream.verdictOf(url))).toEqual(ofTree);
  expect(all((url) => stream.verdictOf(url))).toEqual(ofTree);
  expect(all((await collectPages(server.origin, { ...options, robotsAgent: agent })).verdictOf)).toEqual(
    ofTree,
  );
  return ofTree;
}

describe('who may fetch a page', () => {
  test('the rule that decides is named with its line, for the agent and for *', async () => {
    const server = await siteOf(judged);
    expect(await verdictsOf(server)).toEqual(VERDICTS);
    expect(await verdictsOf(server, 'ccbot/2.0 (https://example.org/)')).toEqual(VERDICTS);
    expect(await verdictsOf(server, 'SomeBot', ['/tmp/4', '/private/2'])).toEqual({
      '/tmp/4': { allowed: false, rule: 'Disallow: /tmp/', ruleLine: 10 },
      '/private/2': { allowed: true },
    });
  });

  test('nothing is known of a page of another origin', async () => {
    const server = await siteOf(judged);
    expect(await verdictsOf(server, 'GPTBot', [OTHER])).toEqual({ [OTHER]: {} });
  });

  test.each([
    [404, { allowed: true }],
    [410, { allowed: true }],
    [403, {}],
    [503, {}],
  ])('a robots.txt that responds with %i', async (status, verdict) => {
    const server = await siteOf({ '/robots.txt': { status }, '/sitemap.xml': { pages: ['/1'] } });
    expect(await verdictsOf(server, 'GPTBot', ['/1'])).toEqual({ '/1': verdict });
  });

  test('a robots.txt that redirects is for its own host, and for the other host only if it is its robots.txt too', async () => {
    const other = await siteOf({ '/rules': 'User-agent: *\nDisallow: /x' });
    const server = await siteOf((at) => ({
      '/robots.txt': { status: 302, headers: { location: `${other.origin}/rules` } },
      '/sitemap.xml': urlset(`${at}/x`, `${other.origin}/x`),
    }));
    const no = { allowed: false, rule: 'Disallow: /x', ruleLine: 2 };
    const there = `${other.origin}/x`;
    expect(await verdictsOf(server, 'GPTBot', ['/x', there])).toEqual({ '/x': no, [there]: {} });
    const tree = await treeOf(server, { allowPrivateNetworks: true });
    const blocked: (string | undefined)[] = [];
    for await (const { rule, page } of checkTree(tree)) if (rule === 'page-blocked') blocked.push(page);
    expect(blocked).toEqual([`${server.origin}/x`]);
    other.site['/robots.txt'] = other.site['/rules']!;
    server.site['/robots.txt'] = { status: 302, headers: { location: `${other.origin}/robots.txt` } };
    expect(await verdictsOf(server, 'GPTBot', ['/x', there])).toEqual({ '/x': no, [there]: no });
  });

  test('nothing is known where robots.txt is an HTML page', async () => {
    const server = await siteOf({ '/robots.txt': '<!doctype html><title>Hello</title>' });
    expect(await verdictsOf(server, 'GPTBot', ['/1'])).toEqual({ '/1': {} });
  });

  test('what is missing of a robots.txt may disallow a page: none is allowed', async () => {
    const read = 'User-agent: *\nAllow: /1\nDisallow: /private/\nDis';
    const body = `${read}allow: /2`;
    const server = await siteOf({ '/robots.txt': { body, truncateAfter: read.length } });
    expect(await verdictsOf(server, 'GPTBot', ['/1', '/2', '/private/3'])).toEqual({
      '/1': {},
      '/2': {},
      '/private/3': { allowed: false, rule: 'Disallow: /private/', ruleLine: 3 },
    });
  });

  test('a page may be a URL object', async () => {
    const server = await siteOf(judged);
    const verdictOf = await robotsVerdicts(await treeOf(server), 'GPTBot');
    expect(verdictOf(new URL('/private/2', server.origin))).toEqual(VERDICTS['/private/2']);
  });

  test('a robots.txt below a path is not the one of its origin', async () => {
    const server = await siteOf({ '/deep/robots.txt': RULES.join('\n') });
    const options = { ...DECLARED, normalizeHomepageUrl: false };
    const { verdictOf } = await collectPages(`${server.origin}/deep/`, { ...options, robotsAgent: 'GPTBot' });
    // The robots.txt of the origin is requested too, and there is none.
    expect(verdictOf(`${server.origin}/private/2`)).toEqual({ allowed: true });
  });

  test('a rule of half a megabyte is shown in 200 characters', async () => {
    const server = await siteOf({
      '/robots.txt': `User-agent: *\nDisallow: /${'*'.repeat(400_000)}`,
    });
    const { '/1': verdict } = await verdictsOf(server, 'GPTBot', ['/1']);
    expect(verdict).toMatchObject({ allowed: false, ruleLine: 2 });
    expect(verdict?.rule).toHaveLength(200);
  });

  test('bad use of the option is an error', async () => {
    expect(() => streamPages('https://x.example/', { robotsAgent: ' ' })).toThrow(
      /"robotsAgent" must be the name of/,
    );
    expect(() => streamPages('https://x.example/', { robotsAgent: 'a', useRobots: false })).toThrow(
      /useRobots/,
    );
    // @ts-expect-error One sitemap has no robots.txt.
    expect(() => streamSitemap('https://x.example/a.xml', { robotsAgent: 'a' })).toThrow(
      /"robotsAgent" belongs to/,
    );
    const tree = await sitemapFromString(urlset('https://x.example/1'));
    await expect(robotsVerdicts(tree, '')).rejects.toMatchObject({ code: 'bad-input' });
    expect((await robotsVerdicts(tree, 'a'))('https://x.example/1')).toEqual({});
  });
});

describe('what is shown as it is', () => {
  const DIRECTIVES = [
    { line: 3, text: 'Crawl-delay: 10 # seconds', agents: 'GPTBot, CCBot' },
    { line: 8, text: 'Content-Signal: search=yes, ai-train=no', agents: '*' },
    { line: 9, text: 'AI-Train: no', agents: '*' },
  ];

  test('Crawl-delay, Content-Signal and AI lines are on the robots node, and in JSON', async () => {
    const server = await siteOf(judged);
    const tree = await treeOf(server, DECLARED);
    const [robots] = tree.subSitemaps;
    expect(robots?.kind === 'robots-txt' && robots.directives).toEqual(DIRECTIVES);
    expect(tree.toJSON()).toMatchObject({ subSitemaps: [{ kind: 'robots-txt', directives: DIRECTIVES }] });
    const { stdout } = await ls(server, '-f', 'json', '--save', join(temporaryFolder(), 'x.warc.gz'));
    expect(JSON.parse(stdout)).toMatchObject({ subSitemaps: [{ directives: DIRECTIVES }] });
  });

  test('a robots.txt without such lines has none, and one from a file has them', async () => {
    const options = { url: 'https://x.example/robots.txt' };
    const plain = await sitemapFromString('User-agent: *\nDisallow:', options);
    expect(plain.toJSON()).not.toHaveProperty('directives');
    const file = await sitemapFromString('Crawl-Delay: 5', options);
    expect(file.kind === 'robots-txt' && file.directives).toEqual([
      { line: 1, text: 'Crawl-Delay: 5', agents: '' },
    ]);
  });
});

describe('usp ls --agent', () => {
  const AGENT = ['--agent', 'GPTBot'];

  test('ndjson, as pages arrive and from a tree', async () => {
    const server = await siteOf(judged);
    for (const order of [[], ['--ordered']]) {
      const { lines } = await ls(server, '-f', 'ndjson', ...AGENT, ...order);
      const verdicts = lines.map((line) => {
        const { url, allowed, rule, ruleLine } = JSON.parse(line);
        return [url, { allowed, rule, ruleLine }];
      });
      expect(Object.fromEntries(verdicts)).toEqual({ ...VERDICTS, [OTHER]: {} });
    }
  });

  test('csv has three more columns', async () => {
    const server = await siteOf(judged);
    const { lines } = await ls(server, '-f', 'csv', ...AGENT);
    expect(lines[0]).toMatch(/,newsStockTickers,allowed,rule,ruleLine$/);
    expect(lines.slice(1).map((line) => line.split(',').slice(-3).join())).toEqual([
      'true,,',
      'false,Disallow: /private/,4',
      'true,Allow: /private/open,5',
      'true,,',
      ',,',
    ]);
    expect((await ls(server, '-f', 'csv')).lines[0]).toMatch(/,newsStockTickers$/);
  });

  test('json has them on each page', async () => {
    const server = await siteOf(judged);
    const { stdout } = await ls(server, '-f', 'json', '-u', ...AGENT);
    const [{ subSitemaps }] = JSON.parse(stdout).subSitemaps;
    expect(subSitemaps[0].pages).toMatchObject([
      ...PATHS.map((url) => ({ url, ...VERDICTS[url] })),
      { url: OTHER },
    ]);
  });

  test.each(['pages', 'ndjson', 'tabtree', 'json'])(
    '--only-allowed drops what is false and keeps what is absent: %s',
    async (format) => {
      const server = await siteOf(judged);
      const { stdout, code } = await ls(server, '-f', format, ...AGENT, '--only-allowed');
      const listed = [...PATHS.map((path) => server.origin + path), OTHER].filter((url) =>
        new RegExp(`${url}["\\n]`).test(stdout),
      );
      expect(listed).toHaveLength(4);
      expect(listed).not.toContain(`${server.origin}/private/2`);
      expect(code).toBe(0);
    },
  );

  test('stderr says what was left out where nothing is left', async () => {
    const server = await siteOf((at) => ({ ...judged(at), '/a.xml': urlset(`${at}/private/2`) }));
    const { stderr, stdout } = await ls(server, '-f', 'pages', ...AGENT, '--only-allowed');
    expect(stdout).toBe('');
    expect(stderr).toContain('1 page disallowed by robots.txt (--only-allowed)');
  });

  test.each([
    [['ls', 'https://x.example', '--agent', 'a', '--no-robots'], /--no-robots/],
    [['ls', 'https://x.example', '--only-allowed'], /needs --agent/],
    [['ls', 'https://x.example', '--agent', ' '], /--agent is the name/],
    [['ls', '--sitemap', 'https://x.example/a.xml', '--agent', 'a'], /not read with --sitemap/],
    [['update', 'FILE', 'https://x.example', '--agent', 'a', '-r'], /--no-robots/],
    [['update', 'FILE', 'https://x.example', '--only-allowed'], /needs --agent/],
    [['crawl', '-', '-o', 'FILE', '--agent', 'a', '--no-robots'], /--no-robots/],
  ])('bad usage: %j', async (argv, message) => {
    const path = join(temporaryFolder(), 'new');
    const told = await usp(argv.map((word) => word.replace('FILE', path)));
    expect(told.code).toBe(2);
    expect(told.stderr).toMatch(message);
  });
});

describe('usp update --agent', () => {
  interface Updates {
    readonly server: ScriptedServer;
    readonly index: Set<string>;
    /** One run, applied to the index. */
    run(...argv: readonly string[]): Promise<readonly string[]>;
  }

  async function updates(): Promise<Updates> {
    const server = await siteOf(judged);
    const file = join(temporaryFolder(), 'site.warc.gz');
    const index = new Set<string>();
    const run = async (...argv: readonly string[]): Promise<readonly string[]> => {
      const { lines, stderr, code } = await usp(['update', file, server.origin, ...ARGV, ...argv]);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
      const short = lines.map((line) => line.replaceAll(server.origin, ''));
      for (const line of short) {
        if (line.startsWith('+ ')) index.add(line.slice(2));
        else if (line.startsWith('- ')) index.delete(line.slice(2));
      }
      return short;
    };
    return { server, index, run };
  }

  function setRules(server: ScriptedServer, ...lines: readonly string[]): void {
    server.site['/robots.txt'] = [...lines, `Sitemap: ${server.origin}/a.xml`].join('\n');
  }

  test('a change of robots.txt, of the agent or of the flag keeps the law of updates', async () => {
    const { server, index, run } = await updates();
    const all = [...PATHS, OTHER];
    const without = (...paths: readonly string[]) => new Set(all.filter((path) => !paths.includes(path)));
    await run('--agent', 'GPTBot', '--only-allowed');
    expect(index).toEqual(without('/private/2'));
    // Remembered, and nothing is printed where nothing changes.
    expect(await run()).toEqual([]);
    setRules(server, 'User-agent: GPTBot', 'Disallow: /tmp/');
    expect(await run()).toEqual(['+ /private/2', '- /tmp/4']);
    expect(index).toEqual(without('/tmp/4'));
    // A comment and another order change nothing.
    setRules(server, '# Hello', 'User-agent: gptbot', 'Disallow: /tmp/');
    expect(await run()).toEqual([]);
    await run('--agent', 'OtherBot');
    expect(index).toEqual(without());
    setRules(server, 'User-agent: OtherBot', 'Disallow: /');
    await run();
    expect([...index]).toEqual([OTHER]);
    // It cannot be read: what it said last still holds.
    server.site['/robots.txt'] = { status: 503 };
    expect(await run()).toEqual([]);
    expect([...index]).toEqual([OTHER]);
    await run('--no-only-allowed');
    expect(index).toEqual(without());
    await run('--only-allowed');
    expect([...index]).toEqual([OTHER]);
  });

  test('ndjson and csv have the verdict on each page', async () => {
    const { server, run } = await updates();
    const lines = await run('--agent', 'GPTBot', '-f', 'ndjson');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      ...PATHS.map((url) => ({ url, ...VERDICTS[url] })),
      { url: OTHER },
    ]);
    server.site['/a.xml'] = { pages: ['/private/9'] };
    const [header, added] = await run('-f', 'csv');
    expect(header).toMatch(/,allowed,rule,ruleLine$/);
    expect(added).toMatch(/^added,\/,\/a\.xml,\/private\/9,.*,false,Disallow: \/private\/,4$/);
  });
});

const FORMATS = sized<readonly TableFormat[]>({ fast: ['parquet'], full: ['parquet', 'ndjson', 'csv'] });

describe('usp crawl --agent', () => {
  test('the rows have the verdict, in every format', async () => {
    const server = await siteOf(judged);
    const folder = temporaryFolder();
    const list = join(folder, 'sites.txt');
    writeFileSync(list, `${server.origin}\n`);
    for (const format of FORMATS) {
      const path = join(folder, format);
      const argv = ['crawl', list, '-o', path, ...ARGV, '--agent', 'GPTBot', '--only-allowed'];
      const told = await crawlHere([...argv, '-f', format, '--processes', '1']);
      expect([told.code, told.stderr]).toEqual([0, expect.any(String)]);
      const [part = ''] = readdirSync(join(path, 'pages'));
      const rows = readPart(join(path, 'pages', part), format);
      const expected = [...PATHS, OTHER].filter((url) => VERDICTS[url]?.allowed !== false);
      if (format === 'csv') {
        expect(rows[0]).toMatch(/,stale,allowed,rule,ruleLine$/);
        expect(rows[2]).toMatch(/,true,Allow: \/private\/open,5$/);
        expect(rows).toHaveLength(1 + expected.length);
        continue;
      }
      const found = rows.map((row) => {
        const { url, allowed, rule, ruleLine } = row as RobotsVerdict & { url: string };
        const verdict = { ...(allowed != null && { allowed }), ...(rule != null && { rule, ruleLine }) };
        return [url.replace(server.origin, ''), verdict];
      });
      expect(found).toEqual(expected.map((url) => [url, VERDICTS[url] ?? {}]));
    }
  });

  test('crawlSites gives them with each row', async () => {
    const server = await siteOf(judged);
    for await (const site of crawlSites([server.origin], { ...DECLARED, robotsAgent: 'GPTBot' })) {
      for await (const rows of site.batches()) {
        expect(rows.map(({ verdict }) => verdict)).toEqual([...PATHS.map((path) => VERDICTS[path]), {}]);
      }
    }
  });
});
