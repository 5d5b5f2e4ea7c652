/** §12: the rules about a site that need responses, over a real server; trees, archives and local files alike. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { resolveCheckOptions } from '../../src/check/site-check.ts';
import {
  type CheckSiteOptions,
  checkSite,
  checkSitemap,
  checkSitemaps,
  checkTree,
  type Finding,
  loadTree,
  type RuleName,
  SitemapException,
  saveTree,
  sitemapFromFile,
  sitemapFromString,
  sitemapTreeForHomepage,
  summarize,
  type WebResponse,
} from '../../src/index.ts';
import { type ScriptedServer, type Site, startServer } from '../server/scripted-server.ts';
import { testIf } from '../support/collected.ts';
import { folderUntil } from '../support/folder.ts';
import { openSpools, SHOWS_OPEN_FILES } from '../support/sitemaps.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const QUICK: CheckSiteOptions = { waitMs: 0, retries: 0, useKnownPaths: false, allowPrivateNetworks: true };
const XML = { 'content-type': 'application/xml' };

const HOME = 'https://example.org/';
const TREE = await sitemapFromString('https://example.org/');

const robots = (origin: string, ...paths: readonly string[]): string =>
  paths.map((path) => `Sitemap: ${origin}${path}\n`).join('');
const index = (origin: string, ...paths: readonly string[]): string =>
  `<sitemapindex ${NS}>\n${paths.map((path) => `<sitemap><loc>${origin}${path}</loc></sitemap>\n`).join('')}</sitemapindex>`;
const urlset = (origin: string, ...paths: readonly string[]): string =>
  `<urlset ${NS}>\n${paths.map((path) => `<url><loc>${origin}${path}</loc><lastmod>2013-05-06</lastmod></url>\n`).join('')}</urlset>`;

let server: ScriptedServer;
beforeAll(async () => {
  server = await startServer({});
});
afterAll(() => server.close());

/** The findings of a site that is put on the server. */
async function findingsOf(
  site: (origin: string) => Site,
  options: CheckSiteOptions = {},
): Promise<Finding[]> {
  for (const path of Object.keys(server.site)) delete server.site[path];
  Object.assign(server.site, site(server.origin));
  return collect(checkSite(server.origin, { ...QUICK, ...options }));
}

async function collect(check: AsyncIterable<Finding>): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of check) found.push(finding);
  return found;
}

/** The findings of a rule, as `path line:column`. */
function at(rule: RuleName, findings: readonly Finding[]): string[] {
  return findings
    .filter((finding) => finding.rule === rule)
    .map(({ document, line, column }) => {
      const path = document.startsWith('http') ? new URL(document).pathname : document;
      return line === undefined ? path : `${path} ${line}:${column}`;
    });
}

const healthy = (origin: string): Site => ({
  '/robots.txt': { body: robots(origin, '/index.xml'), headers: { 'content-type': 'text/plain' } },
  '/index.xml': { body: index(origin, '/a.xml', '/b.xml.gz'), headers: XML },
  '/a.xml': { body: urlset(origin, '/1', '/2'), headers: XML },
  '/b.xml.gz': {
    body: gzipSync(urlset(origin, '/3')),
    headers: { 'content-type': 'application/octet-stream' },
  },
});

describe('a site', () => {
  test('a healthy one has no findings, and a summary', async () => {
    Object.assign(server.site, healthy(server.origin));
    const check = checkSite(server.origin, QUICK);
    expect(await collect(check)).toEqual([]);
    expect(check.summary).toEqual({
      counts: { error: 0, warning: 0, info: 0 },
      entries: { error: 0, warning: 0, info: 0 },
      rules: {},
      documents: 4,
      pages: 3,
      complete: true,
      worst: [],
    });
  });

  // response-rules.test.ts has a case of each rule about responses; these are others.
  test.each<[RuleName, (origin: string) => Site, string[]]>([
    [
      'sitemap-is-html',
      (origin) => ({
        '/robots.txt': robots(origin, '/login.xml'),
        '/login.xml': '<html><title>Log in</title><input type="password"></html>',
      }),
      ['/robots.txt 1:10'],
    ],
    [
      'index-lastmod-old',
      (origin) => ({
        '/robots.txt': robots(origin, '/index.xml'),
        '/index.xml': index(origin, '/old.xml').replace('</loc>', '</loc>\n<lastmod>2010-01-01</lastmod>'),
        '/old.xml': { redirect: '/new.xml' },
        '/new.xml': urlset(origin, '/1'),
      }),
      ['/index.xml 3:10'],
    ],
    ['no-robots-txt', () => ({ '/robots.txt': '<html><body>Not here</body></html>' }), ['/robots.txt']],
    ['site-refused', () => ({ '/robots.txt': { status: 503 } }), ['/']],
    [
      'content-type',
      (origin) => ({
        '/robots.txt': robots(origin, '/b.xml'),
        '/b.xml': { body: urlset(origin, '/2'), headers: { 'content-type': 'application/rss+xml' } },
      }),
      [],
    ],
  ])('%s', async (rule, site, expected) => {
    expect(at(rule, await findingsOf(site))).toEqual(expected);
  });

  test('too-large: what a limit of the caller cut off', async () => {
    const found = await findingsOf(healthy, { maxSitemapBytes: 150 });
    expect(at('too-large', found)).toContain('/a.xml');
    expect(at('sitemap-unreadable', found)).toEqual([]);
  });

  test('what was not fetched because of a limit is not reported, and the check is not complete', async () => {
    Object.assign(server.site, healthy(server.origin));
    const check = checkSite(server.origin, { ...QUICK, maxSitemaps: 2 });
    expect(await collect(check)).toEqual([]);
    expect(check.summary).toMatchObject({ complete: false, stopped: { limit: 'maxSitemaps' } });
  });

  test.each<readonly [string, () => unknown]>([
    ['checkSite of a text that is not a URL', () => checkSite('nonsense')],
    ['checkSite of another scheme', () => checkSite('ftp://example.org/')],
    ['checkSite with an option of a crawl that is wrong', () => checkSite(HOME, { concurrency: -1 })],
    ['checkSite with an unknown option', () => checkSite(HOME, { agent: 'GPTBot' } as never)],
    ['checkSite with a wrong number of pages', () => checkSite(HOME, { requestPages: -1 })],
    ['checkTree of something else', () => checkTree('tree' as never)],
    ['checkTree with wrong options of the network', () => checkTree(TREE, { network: { concurrency: -1 } })],
    ['checkTree with names that are not a Map', () => checkTree(TREE, { names: {} as never })],
    ['checkTree with a signal that is invalid', () => checkTree(TREE, { signal: true as never })],
    ['checkSitemap with a name that is not a text', () => checkSitemap('', { name: 7 as never })],
    ['checkSitemap with a URL that is invalid', () => checkSitemap('', { url: 'nonsense' })],
    ['checkSitemap with an agent that is none', () => checkSitemap('', { robotsAgent: ' ' })],
    ['checkSitemaps with an unknown field', () => checkSitemaps([{ content: '', uri: HOME } as never])],
    ['checkSitemaps with a wrong charset', () => checkSitemaps([{ content: '', charset: 7 as never }])],
  ])('%s is refused at the call', (_what, call) => {
    expect(call).toThrow(SitemapException);
  });

  test('summarize refuses what it cannot use', async () => {
    for (const wrong of [{ now: 7 }, { now: new Date(Number.NaN) }, { keep: true }, { signal: 7 }]) {
      await expect(summarize(TREE, wrong as never)).rejects.toMatchObject({ code: 'bad-option' });
    }
  });

  test('a robots.txt counts for the host that has it, and for the one that it redirects to', async () => {
    const homepage = server.origin.replace('127.0.0.1', 'localhost');
    const pages = [`${homepage}/private/1`, `${server.origin}/private/2`, `${homepage}/3`];
    for (const path of Object.keys(server.site)) delete server.site[path];
    Object.assign(server.site, {
      '/robots.txt': ({ headers }: { headers: { host?: string } }) =>
        headers.host?.startsWith('localhost') === true
          ? { redirect: `${server.origin}/robots.txt` }
          : `User-agent: *\nDisallow: /private/\n${robots(server.origin, '/a.xml')}`,
      '/a.xml': { body: urlset('', ...pages), headers: XML },
    });
    const found = await collect(checkSite(homepage, QUICK));
    const blocked = found.filter(({ rule }) => rule === 'page-blocked');
    expect(blocked.map(({ page }) => page)).toEqual(pages.slice(0, 2));
  });

  test('what robots.txt declares may list other folders, also where a known path lists it again', async () => {
    const found = await findingsOf(
      (origin) => ({
        '/robots.txt': robots(origin, '/catalog/sitemap.xml'),
        '/sitemap.xml': { body: index(origin, '/catalog/sitemap.xml'), headers: XML },
        '/catalog/sitemap.xml': { body: urlset(origin, '/elsewhere'), headers: XML },
      }),
      { useKnownPaths: true },
    );
    expect(at('url-outside-directory', found)).toEqual([]);
  });

  test('of a document that was fetched the time of that counts, whatever `now` is', async () => {
    const year = new Date().getUTCFullYear();
    server.site['/a.xml'] = {
      body: urlset(server.origin, '/1').replace('2013', String(year + 3)),
      headers: XML,
    };
    server.site['/robots.txt'] = robots(server.origin, '/a.xml');
    const tree = await sitemapTreeForHomepage(server.origin, QUICK);
    const later = await collect(checkTree(tree, { now: Date.UTC(year + 6) }));
    expect(at('lastmod-future', later)).toHaveLength(1);
    tree.close();
  });

  test('a robots.txt that is a file and names no sitemap is that of the pages beside it', async () => {
    const file = join(folderUntil(onTestFinished), 'robots.txt');
    await writeFile(file, 'User-agent: *\nDisallow: /private/\n');
    const pages = await sitemapFromString(urlset('https://example.org', '/private/a', '/b'));
    const found = await collect(checkTree([await sitemapFromFile(file), pages]));
    expect(found.filter(({ rule }) => rule === 'page-blocked').map(({ page }) => page)).toEqual([
      'https://example.org/private/a',
    ]);
  });

  test('severities, off, adjust and the agent', async () => {
    const site = (origin: string): Site => ({
      '/robots.txt': `User-agent: *\nDisallow: /2\n\nUser-agent: Other\nDisallow: /1\n\n${robots(origin, '/a.xml')}`,
      '/a.xml': { body: urlset(origin, '/1', '/2', '/2#b'), headers: XML },
    });
    expect(at('page-blocked', await findingsOf(site))).toEqual(['/a.xml 3:11']);
    expect(at('page-blocked', await findingsOf(site, { robotsAgent: 'Other' }))).toEqual(['/a.xml 2:11']);
    const found = await findingsOf(site, { rules: { 'page-blocked': 'off', 'url-fragment': 'error' } });
    expect(found.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
      'url-fragment error',
      'url-repeated warning',
    ]);
    const adjusted = await findingsOf(site, {
      adjust: (finding) => (finding.rule === 'url-fragment' ? { ...finding, severity: 'info' } : undefined),
    });
    expect(adjusted.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(['url-fragment info']);
  });

  test('adjust gets findings with the severities of the option rules, and what it leaves is counted', () => {
    const severities: string[] = [];
    const check = checkSitemap(urlset('https://example.org', '/1#b'), {
      url: `${HOME}a.xml`,
      rules: { 'url-fragment': 'error' },
      adjust(finding) {
        severities.push(`${finding.rule} ${finding.severity}`);
        return finding;
      },
    });
    expect(Array.from(check, ({ severity }) => severity)).toEqual(['error']);
    expect(severities).toEqual(['url-fragment error']);
    expect(check.summary.counts).toEqual({ error: 1, warning: 0, info: 0 });
  });

  test('adjust is called once for each finding, those about the site as a whole included', async () => {
    for (const path of Object.keys(server.site)) delete server.site[path];
    server.site['/sitemap.xml'] = { body: urlset(server.origin, '/1', '/1'), headers: XML };
    const tree = await sitemapTreeForHomepage(server.origin, { ...QUICK, useKnownPaths: true });
    const called: RuleName[] = [];
    const check = checkTree(tree, {
      adjust(finding) {
        called.push(finding.rule);
        return finding;
      },
    });
    expect(check.summary.counts.warning + check.summary.counts.info).toBe(0);
    const found = await collect(check);
    tree.close();
    expect(called).toEqual(found.map(({ rule }) => rule));
    expect(called).toEqual(['no-robots-txt', 'sitemap-not-declared', 'url-repeated']);
  });

  test.each<[string, object]>([
    ['an unknown rule', { rules: { 'url-fragmnt': 'off' } }],
    ['an unknown severity', { rules: { 'url-fragment': 'fatal' } }],
    ['a date that is not one', { now: new Date('x') }],
    ['an unknown option', { unknown: 1 }],
    ['a number of pages that is not one', { requestPages: -1 }],
  ])('%s is refused', (_what, options) => {
    const refused = expect.objectContaining({ code: 'bad-option' });
    expect(() => checkSite(server.origin, { ...QUICK, ...options })).toThrow(refused);
  });

  test('an abort ends the check with its reason', async () => {
    Object.assign(server.site, healthy(server.origin));
    const tree = await sitemapTreeForHomepage(server.origin, QUICK);
    const reason = new Error('enough');
    const check = checkTree(tree, { signal: AbortSignal.abort(reason) });
    await expect(collect(check)).rejects.toBe(reason);
    expect(check.summary).toMatchObject({ complete: false, stopped: { limit: 'abort' } });
    tree.close();
  });
});

describe('a tree', () => {
  const broken = (origin: string): Site => ({
    '/robots.txt': `User-agent: *\nDisallow: /private\n${robots(origin, '/index.xml')}`,
    '/index.xml': index(origin, '/a.xml', '/gone.xml', '/page.xml'),
    '/a.xml': `\n${urlset(origin, '/1?a&b', '/1#x', '/private')}`,
    '/page.xml': '<!doctype html><title>Welcome</title>',
  });
  const folder = folderUntil(afterAll);

  test('is checked the same way when it comes from an archive', async () => {
    const { ...site } = broken(server.origin);
    for (const path of Object.keys(server.site)) delete server.site[path];
    Object.assign(server.site, site);
    const tree = await sitemapTreeForHomepage(server.origin, QUICK);
    const file = join(folder, 'site.usp.gz');
    await saveTree(tree, file);
    const loaded = await loadTree(file);
    const living = await collect(checkTree(tree));
    expect(living.map(({ rule }) => rule)).toContain('sitemap-is-html');
    expect(await collect(checkTree(loaded))).toEqual(living);
    tree.close();
    loaded.close();
  });

  test('can be checked twice, and says the same', async () => {
    const tree = await sitemapTreeForHomepage(server.origin, QUICK);
    const check = checkTree(tree);
    const first = await collect(check);
    const { summary } = check;
    expect(await collect(check)).toEqual(first);
    expect(check.summary).toEqual(summary);
    tree.close();
  });

  test('that is fetched for it is fetched once: a second loop throws', async () => {
    const check = checkSite(server.origin, QUICK);
    await collect(check);
    const { length } = server.requests;
    await expect(collect(check)).rejects.toMatchObject({ code: 'check-used' });
    expect(server.requests).toHaveLength(length);
  });

  testIf(SHOWS_OPEN_FILES).each(['has ended', 'is left early', 'is aborted', 'ends since adjust throws'])(
    'that is fetched for it keeps no file of documents open once the loop %s',
    async (how) => {
      const spoolDirectory = folderUntil(onTestFinished);
      const site = (origin: string): Site => ({
        '/robots.txt': robots(origin, '/a.xml'),
        '/a.xml': `${urlset(origin, '/1#x')}<!--${' '.repeat(300_000)}-->`,
      });
      for (const path of Object.keys(server.site)) delete server.site[path];
      Object.assign(server.site, site(server.origin));
      let open = 0;
      const aborting = new AbortController();
      const adjust = (finding: Finding): Finding => {
        open = openSpools(spoolDirectory).length;
        if (how.endsWith('throws')) throw new Error('enough');
        return finding;
      };
      const options = { ...QUICK, spoolMemoryBytes: 0, spoolDirectory, adjust, signal: aborting.signal };
      const loop = async (): Promise<void> => {
        for await (const _ of checkSite(server.origin, options)) {
          if (how === 'is left early') break;
          if (how === 'is aborted') aborting.abort(new Error('enough'));
        }
      };
      if (how === 'is aborted' || how.endsWith('throws')) await expect(loop()).rejects.toThrow('enough');
      else await loop();
      expect(open).toBe(1);
      expect(openSpools(spoolDirectory)).toEqual([]);
    },
  );

  test('with many documents is checked whole, though others get their turns meanwhile', async () => {
    const paths = Array.from({ length: 300 }, (_, at) => `/${at}.xml`);
    const webClient = async (url: string): Promise<WebResponse> => {
      const { origin, pathname } = new URL(url);
      if (pathname === '/robots.txt') return new Response(robots(origin, '/index.xml'));
      return new Response(
        pathname === '/index.xml' ? index(origin, ...paths) : urlset(origin, `${pathname}#x`),
      );
    };
    const tree = await sitemapTreeForHomepage(HOME, { webClient, useKnownPaths: false, waitMs: 0 });
    const check = checkTree(tree);
    const findings = check[Symbol.asyncIterator]();
    // Longer than it may run without a turn.
    await sleep(50);
    while ((await findings.next()).done !== true);
    expect(check.summary).toMatchObject({ documents: 302, pages: 300, rules: { 'url-fragment': 300 } });
    tree.close();
  });

  test('of a file is named as the caller says, and its findings are those of the text', async () => {
    const file = join(folder, 'sitemap.xml');
    await writeFile(file, broken('https://example.org')['/a.xml'] as string);
    const tree = await sitemapFromFile(file);
    const found = await collect(checkTree(tree, { names: new Map([[tree, 'my/sitemap.xml']]) }));
    expect(at('bare-ampersand', found)).toEqual(['my/sitemap.xml 3:34']);
    expect(new Set(found.map(({ document }) => document))).toEqual(new Set(['my/sitemap.xml']));
    tree.close();
  });

  test('of several files is checked as one site', async () => {
    const trees = await Promise.all(
      ['a', 'b'].map((name) =>
        sitemapFromString(urlset('https://example.org', '/1', `/${name}`), {
          url: `https://example.org/${name}.xml`,
        }),
      ),
    );
    expect(at('url-in-several-sitemaps', await collect(checkTree(trees)))).toEqual(['/b.xml 2:11']);
    for (const tree of trees) tree.close();
  });

  test('of a file that is not a sitemap is one finding', async () => {
    const tree = await sitemapFromString('{"a": 1}');
    const found = await collect(checkTree(tree, { names: new Map([[tree, 'a.json']]) }));
    expect(found).toMatchObject([{ rule: 'sitemap-unreadable', severity: 'error', document: 'a.json' }]);
    tree.close();
  });

  test('of an index that was read without a network says nothing about what was not fetched', async () => {
    const tree = await sitemapFromString(index('https://example.org', '/a.xml'), {
      url: 'https://example.org/index.xml',
    });
    expect(await collect(checkTree(tree))).toEqual([]);
    tree.close();
  });

  test('what is not a tree is refused', () => {
    expect(() => checkTree({} as never)).toThrow(/checkTree needs a sitemap/);
    expect(() => checkTree([])).toThrow(/checkTree needs a sitemap/);
  });
});

test.each([
  [{ now: Number.NaN }, 'now', 'a Date or a number of milliseconds since the epoch'],
  [{ robotsAgent: '' }, 'robotsAgent', 'the name of a crawler, as "Googlebot"'],
  [{ adjust: true }, 'adjust', 'a function'],
  [{ rules: null }, 'rules', 'an object, as {"url-fragment": "off"}'],
  [{ rules: { x: 'off' } }, 'rules', 'an object with names of rules; there is no rule "x"'],
  [
    { rules: { 'url-fragment': 'no' } },
    'rules',
    '"error", "warning", "info" or "off" for each rule, not "no"',
  ],
])('the option %j is refused by name, with what it accepts', (options, option, accepts) => {
  const refused = { code: 'bad-option', option, message: `The option "${option}" must be ${accepts}.` };
  expect(() => resolveCheckOptions(options as never)).toThrow(expect.objectContaining(refused));
});
