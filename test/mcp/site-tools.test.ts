/** The tools that list and check a site: what one call gives, and what its cursor goes on with. */
import { Script } from 'node:vm';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SitemapOptions } from '../../src/index.ts';
import { Readings } from '../../src/mcp/readings.ts';
import {
  checkTool,
  explainRule,
  findSitemaps,
  listPages,
  readSitemap,
  type SiteWorld,
  unreadable,
} from '../../src/mcp/site-tools.ts';
import { ToolCall } from '../../src/mcp/tool-call.ts';
import { TOOLS } from '../../src/mcp/tool-schemas.ts';
import { SitePool } from '../../src/site-pool.ts';
import { signalling } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';

const page = (name: string | number): string => `https://one.example/${name}`;

interface Result {
  readonly state: string;
  readonly pages: readonly { readonly url: string }[];
  readonly counts: object;
  readonly nextCursor: string | undefined;
}

const callFor = (ms: number): ToolCall => new ToolCall(new AbortController().signal, ms, undefined);

function newWorld(options: SitemapOptions = {}): SiteWorld {
  const readings = new Readings({ atOnce: 20, keepMs: 60_000, maxSiteBytes: 1e9, maxPages: 1e6 });
  const pool = new SitePool({ allowPrivateNetworks: true, useKnownPaths: false, ...options });
  onTestFinished(async () => {
    await readings.close();
    await pool.close();
  });
  return { pool, readings, resultBytes: 9000 };
}

async function listed(
  world: SiteWorld,
  args: Parameters<typeof listPages>[1],
  call: ToolCall,
): Promise<Result> {
  return (await listPages(world, args, call)) as Result;
}

/** The URLs of all results, one after the other. */
async function allOf(world: SiteWorld, args: Parameters<typeof listPages>[1]): Promise<string[]> {
  const urls: string[] = [];
  let result = await listed(world, args, callFor(60_000));
  for (;;) {
    urls.push(...result.pages.map(({ url }) => url));
    if (result.nextCursor === undefined) return urls;
    result = await listed(world, { cursor: result.nextCursor }, callFor(60_000));
  }
}

test('while a site is being read, a cursor lists what has arrived without a wait, and a check has a cursor', async () => {
  const { promise: held, resolve: release } = signalling();
  onTestFinished(release);
  const site = await serving({
    '/robots.txt': ['/here.xml', '/held.xml'],
    '/here.xml': urlset(page(1), page(2), page(3)),
    '/held.xml': async () => {
      await held;
      return urlset(page(4));
    },
  });
  const world = newWorld();
  const list = { url: site.origin, limit: 1 };
  await expect.poll(async () => (await listed(world, list, callFor(0))).pages.length).toBe(1);
  const { nextCursor } = await listed(world, list, callFor(0));
  const call = callFor(2_000);
  const wait = vi.spyOn(call, 'wait');
  const next = await listed(world, { cursor: nextCursor! }, call);
  expect(next).toMatchObject({ state: 'reading', pages: [{ url: page(2) }] });
  expect(wait).not.toHaveBeenCalled();
  const check = (await checkTool(world, { url: site.origin }, callFor(0))) as Result;
  expect(check).toMatchObject({ state: 'reading', nextCursor: expect.any(String) });
  release();
  const checked = await checkTool(world, { cursor: check.nextCursor! }, callFor(60_000));
  expect(checked).toMatchObject({ state: 'done', summary: { documents: 3, pages: 4 } });
});

test('a cursor behind all pages that have arrived waits for the rest', async () => {
  const { promise: held, resolve: release } = signalling();
  onTestFinished(release);
  const { origin: url } = await serving({
    '/robots.txt': ['/here.xml', '/held.xml'],
    '/here.xml': urlset(page(1)),
    '/held.xml': () => held.then(() => urlset(page(2))),
  });
  const world = newWorld();
  let cursor: string | undefined;
  // The place behind the first sitemap.
  await expect
    .poll(async () => {
      cursor = (await listed(world, { url }, callFor(50))).nextCursor;
      return cursor;
    })
    .toMatch(/-1-0$/);
  const rest = listed(world, { cursor: cursor! }, callFor(60_000));
  release();
  expect(await rest).toMatchObject({ state: 'done', pages: [{ url: page(2) }] });
});

test('the first call counts all pages, however few are in its result', async () => {
  const pages = Array.from({ length: 3_000 }, (_, at) => page(at));
  const site = await serving({ '/robots.txt': ['/all.xml'], '/all.xml': urlset(...pages) });
  const world = newWorld();
  const first = await listed(world, { url: site.origin, limit: 2, exclude: ['/2999'] }, callFor(60_000));
  expect(first.pages).toHaveLength(2);
  const leftOut = { excluded: 1 };
  expect(first.counts).toEqual({ pages: 3_000, matching: 2_999, leftOut, isWhole: true });
});

test.each([
  ['sample', { sample: 10 }],
  ['unique', { unique: true }],
])('with %s, a page that two sitemaps list is in one result, behind a cursor too', async (_name, args) => {
  const site = await serving({
    '/robots.txt': ['/a.xml', '/b.xml'],
    '/a.xml': urlset(page('both'), page('a')),
    '/b.xml': urlset(page('b'), page('both')),
  });
  const urls = await allOf(newWorld(), { url: site.origin, limit: 2, ...args });
  expect(urls.toSorted()).toEqual([page('a'), page('b'), page('both')]);
});

const call = (): ToolCall => callFor(60_000);

test('a sample has only pages that the agent may fetch, and as many as it can', async () => {
  const site = await serving({});
  const paths = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? `private/${at}` : `${at}`));
  site.site['/robots.txt'] = 'Sitemap: /a.xml\nUser-agent: *\nDisallow: /private/\n';
  site.site['/a.xml'] = urlset(...paths.map((path) => `${site.origin}/${path}`));
  const args = { url: site.origin, agent: 'example-bot', onlyAllowed: true, sample: 10 };
  const { pages } = await listed(newWorld(), args, call());
  expect(pages.map((each) => Reflect.get(each, 'allowed'))).toEqual(Array(10).fill(true));
});

test.each(['include', 'exclude', 'sitemapInclude', 'sitemapExclude'])(
  'a regular expression in %s has a time limit',
  async (argument) => {
    const { origin: url } = await serving({ '/robots.txt': ['/a.xml'], '/a.xml': urlset(page(1)) });
    using limited = vi.spyOn(Script.prototype, 'runInContext');
    await listed(newWorld(), { url, [argument]: ['re:x$'] }, call());
    expect(limited).toHaveBeenCalled();
  },
);

test('a site that is still being checked has a result and a cursor', async () => {
  const { origin: url } = await serving({ '/robots.txt': ['/a.xml'], '/a.xml': urlset(page(1)) });
  const world = newWorld();
  const short = call();
  // The site arrives in time, and its check does not.
  vi.spyOn(short, 'wait')
    .mockImplementationOnce((reading) => reading)
    .mockResolvedValueOnce(undefined);
  const checking = JSON.parse(JSON.stringify(await checkTool(world, { url }, short)));
  expect(checking).toMatchObject({ state: 'checking', nextCursor: expect.any(String) });
  const schema = fromJsonSchema({ ...TOOLS.check_site.outputSchema });
  expect(await schema['~standard'].validate(checking)).not.toHaveProperty('issues');
  const { nextCursor: cursor } = checking;
  expect(await checkTool(world, { cursor }, call())).toMatchObject({ state: 'done', summary: { pages: 1 } });
});

test.each([
  ['find_sitemaps', findSitemaps],
  ['list_pages', listPages],
  ['check_site', checkTool],
] as const)('after an error of %s, a site that was down for a moment is read again', async (_, tool) => {
  const { origin: url, site } = await serving({ '/robots.txt': { status: 503 }, '/a.xml': urlset(page(1)) });
  const world = newWorld({ retries: 0 });
  await expect(tool(world, { url }, call())).rejects.toThrow('could not be read');
  site['/robots.txt'] = ['/a.xml'];
  expect(await tool(world, { url }, call())).toMatchObject({ state: 'done', outcome: 'complete' });
});

test('a text that is corrected is read anew, also with the same url', async () => {
  const world = newWorld();
  for (const path of ['old', 'new'])
    expect(
      await readSitemap(world, { url: 'https://one.example/', text: urlset(page(path)) }, call()),
    ).toMatchObject({ pages: [{ url: page(path) }] });
});

test.each([
  ['pages-xml', '<urlset></urlset>', 'pages'],
  ['pages-rss', '<rss><channel></channel></rss>', 'pages'],
  ['pages-atom', '<feed xmlns="http://www.w3.org/2005/Atom"></feed>', 'pages'],
  ['index-xml', '<sitemapindex></sitemapindex>', 'sitemaps'],
])('an empty %s, %s, has an empty list of %s', async (kind, text, list) => {
  const result = await readSitemap(newWorld(), { text }, call());
  expect(result).toMatchObject({ kind, sitemapCount: 0, [list]: [] });
  expect(result).not.toHaveProperty(list === 'pages' ? 'sitemaps' : 'pages');
});

test.each([
  [
    ['https://a.example/', 'http-status', 'It answered with 404.'],
    'https://a.example/ could not be read: It answered with 404. Check the address. If the site refuses requests, try again later, or ask its owner.',
  ],
  [
    ['https://a.example/', 'unresolved', 'No such host.'],
    'https://a.example/ could not be read: No such host. Check the spelling of the host.',
  ],
  [
    ['https://a.example/', 'not-a-sitemap', 'It is HTML.'],
    'https://a.example/ could not be read: It is HTML. find_sitemaps finds the sitemaps of a site.',
  ],
  [
    ['https://a.example/', 'maxTimeMs', 'It took too long.'],
    'https://a.example/ could not be read: It took too long. It takes too long: read one of its sitemaps with read_sitemap.',
  ],
  [
    ['http://10.0.0.1/', 'private-network', 'x'],
    'http://10.0.0.1/ could not be read: it is in a private network, which is refused. If that is intended, start the server with --allow-private (allowPrivateNetworks).',
  ],
  [['', 'timeout', 'No end.'], 'The text could not be read: No end. Try again later.'],
] as const)('what is said of %j', ([url, code, reason], message) => {
  expect(unreadable(url, code, reason).message).toBe(message);
});

test.each([
  [{}, 'Give a url, or the nextCursor of an earlier result as cursor.'],
  [
    { url: 'ws://a.example/' },
    'The url must be an http or https URL such as https://example.org/, not "ws://a.example/".',
  ],
  [{ url: `ftp://u:secret@a.example/${'x'.repeat(300)}` }, /not "ftp:\/\/(?!.*secret).{150,200}…"\.$/],
])('%j is no site', async (args, message) => {
  await expect(findSitemaps(newWorld(), args, call())).rejects.toThrow(message);
  if (!('url' in args))
    await expect(readSitemap(newWorld(), {}, call())).rejects.toThrow(
      'Give a url or a text, or the nextCursor',
    );
});

describe('a site with an index', () => {
  const SITE = {
    '/robots.txt': ['/index.xml', '/cut.xml', '/gone.xml'],
    '/index.xml':
      '<sitemapindex><sitemap><loc>/a.xml</loc><lastmod>2012-03-04</lastmod></sitemap>' +
      '<sitemap><loc>/empty.xml</loc></sitemap></sitemapindex>',
    '/a.xml': urlset([page(1), '2012-01-02'], page(2), page(3)),
    '/empty.xml': '<urlset></urlset>',
    '/cut.xml': `<urlset><url><loc>${page(4)}</loc><priority>0.8</priority></url><url><lo`,
  };
  const paths = (sitemaps: readonly { url: string }[]): string[] =>
    sitemaps.map(({ url }) => new URL(url).pathname);
  const found = async (world: SiteWorld, args: object) =>
    (await findSitemaps(world, args, call())) as Result & {
      readonly sitemaps: readonly { readonly url: string }[];
      readonly read: object;
    };

  test('is a list with all that is known of each sitemap', async () => {
    const { origin } = await serving(SITE);
    const { sitemaps, ...state } = await found(newWorld(), { url: origin });
    const rows = sitemaps.map(({ url, ...row }) => ({ path: new URL(url).pathname, ...row }));
    expect(JSON.parse(JSON.stringify(rows))).toEqual([
      { path: '/robots.txt', kind: 'robots-txt', depth: 1 },
      { path: '/index.xml', kind: 'index-xml', depth: 2 },
      { path: '/a.xml', kind: 'pages-xml', depth: 3, pageCount: 3, lastModified: '2012-03-04T00:00:00.000Z' },
      { path: '/empty.xml', kind: 'pages-xml', depth: 3, pageCount: 0 },
      { path: '/cut.xml', kind: 'pages-xml', depth: 2, pageCount: 1, truncated: true },
      {
        path: '/gone.xml',
        kind: 'invalid',
        depth: 2,
        code: 'http-status',
        reason: expect.stringContaining('404'),
      },
    ]);
    expect(state).toMatchObject({ site: `${origin}/`, state: 'done', outcome: 'partial' });
    expect(state.read).toMatchObject({ failed: 1 });
    expect(state).not.toHaveProperty('nextCursor');
  });

  test.each([1, 2, 3, 5, 6])('has each sitemap once, by cursors for %i at a time', async (limit) => {
    const { origin } = await serving(SITE);
    const world = newWorld();
    const listed: string[] = [];
    let calls = 0;
    for (let args: object | undefined = { url: origin, limit }; args !== undefined; calls++) {
      const { sitemaps, nextCursor } = await found(world, args);
      listed.push(...paths(sitemaps));
      // The limit of the first call holds for all.
      args = nextCursor === undefined ? undefined : { cursor: nextCursor };
    }
    expect(listed).toEqual(['/robots.txt', '/index.xml', '/a.xml', '/empty.xml', '/cut.xml', '/gone.xml']);
    expect(calls).toBe(Math.ceil(6 / limit));
  });

  test('has its pages with their dates or with all details, and a limit that each call may change', async () => {
    const { origin } = await serving(SITE);
    const world = newWorld();
    const first = await listed(world, { url: origin, limit: 1 }, call());
    expect(first).toMatchObject({ counts: { pages: 4, matching: 4, isWhole: true } });
    const pages: object[] = [...first.pages];
    let cursor = first.nextCursor;
    for (const limit of [2, undefined]) {
      const next = await listed(world, { cursor: cursor!, ...(limit && { limit }) }, call());
      expect(next).not.toHaveProperty('counts');
      expect(next.pages).toHaveLength(limit ?? 1);
      pages.push(...next.pages);
      cursor = next.nextCursor;
    }
    expect(cursor).toBeUndefined();
    const plain = JSON.parse(JSON.stringify(pages)) as readonly { readonly url: string }[];
    expect(plain.toSorted((a, b) => (a.url < b.url ? -1 : 1))).toEqual([
      { url: page(1), lastModified: '2012-01-02T00:00:00.000Z' },
      { url: page(2) },
      { url: page(3) },
      { url: page(4) },
    ]);
    const detailed = await listed(world, { url: origin, details: true, include: ['/4'] }, call());
    expect(detailed.pages).toMatchObject([{ url: page(4), priority: 0.8 }]);
  });

  test.each([
    [{ include: ['/1', '/4'] }, '14', { 'not-included': 2 }],
    [{ exclude: ['/1', '/4'] }, '23', { excluded: 2 }],
    [{ include: ['/1', '/4'], exclude: ['/4'] }, '1', { 'not-included': 2, excluded: 1 }],
    [{ sitemapInclude: ['/a.xml'] }, '123', undefined],
    [{ sitemapExclude: ['/a.xml'] }, '4', undefined],
    [{ sitemapInclude: ['.xml'], sitemapExclude: ['/cut'] }, '123', undefined],
    [{ since: '2012-01-02' }, '1', { undated: 3 }],
    [{ since: '2012-01-03', undated: 'keep' }, '234', { older: 1 }],
    [{ until: '2012-01-02', undated: 'keep' }, '234', { newer: 1 }],
    [{ until: '2012-01-03' }, '1', { undated: 3 }],
    [{ hosts: 'same' }, '', { 'other-host': 4 }],
    [{ hosts: 'any' }, '1234', undefined],
  ] as const)('with %j has the pages %j', async (filters, expected, leftOut) => {
    const { origin } = await serving(SITE);
    const { pages, counts } = await listed(newWorld(), { url: origin, ...filters }, call());
    expect(
      pages
        .map(({ url }) => url.slice(-1))
        .toSorted()
        .join(''),
    ).toBe(expected);
    expect(Reflect.get(counts, 'matching')).toBe(expected.length);
    expect(Reflect.get(counts, 'leftOut')).toEqual(leftOut);
  });

  test('is read as one document, with its facts in the first result alone', async () => {
    const { origin, paths: requested } = await serving(SITE);
    const world = newWorld();
    const read = async (args: object) => JSON.parse(JSON.stringify(await readSitemap(world, args, call())));
    const index = await read({ url: `${origin}/index.xml`, limit: 1 });
    expect(index).toMatchObject({
      ...{ url: `${origin}/index.xml`, state: 'done', kind: 'index-xml', status: 200, sitemapCount: 2 },
      ...{ bytes: Buffer.byteLength(SITE['/index.xml']), sitemaps: [`${origin}/a.xml`] },
    });
    for (const field of ['pageCount', 'pages', 'truncated']) expect(index).not.toHaveProperty(field);
    const rest = await read({ cursor: index.nextCursor });
    expect(rest.sitemaps).toEqual([`${origin}/empty.xml`]);
    for (const field of ['nextCursor', 'sitemapCount', 'problems', 'problemCount'])
      expect(rest).not.toHaveProperty(field);
    const cut = await read({ url: `${origin}/cut.xml` });
    expect(cut).toMatchObject({ truncated: true, pageCount: 1, sitemapCount: 0, pages: [{ url: page(4) }] });
    expect(cut.problems[0]).toMatchObject({ line: 1, column: expect.any(Number) });
    expect(cut.problemCount).toBe(cut.problems.length);
    await expect(read({ url: `${origin}/gone.xml` })).rejects.toThrow(
      `${origin}/gone.xml could not be read: `,
    );
    expect(requested()).toEqual(['/index.xml', '/cut.xml', '/gone.xml']);
  });

  test('is checked once for all that is asked of it', async () => {
    const { origin } = await serving(SITE);
    const world = newWorld();
    const check = async (args: object) => JSON.parse(JSON.stringify(await checkTool(world, args, call())));
    const all = await check({ url: origin });
    const rules: string[] = all.fixFirst.map(({ rule }: { rule: string }) => rule);
    expect(rules.length).toBeGreaterThan(2);
    const one = await check({ url: origin, limit: 1 });
    const two = await check({ cursor: one.nextCursor, limit: 1 });
    expect([...one.fixFirst, ...two.fixFirst]).toEqual(all.fixFirst.slice(0, 2));
    expect(two.summary).toEqual(all.summary);
    const whole = await check({ url: origin, rule: 'url-other-host' });
    expect(whole.affected.length).toBeGreaterThan(1);
    const other = await check({ url: origin, rule: 'url-other-host', limit: 1 });
    expect(other.fixFirst).toEqual(
      all.fixFirst.filter(({ rule }: { rule: string }) => rule === 'url-other-host'),
    );
    const last = await check({ cursor: other.nextCursor, limit: 9 });
    expect([...other.affected, ...last.affected]).toEqual(whole.affected);
    expect(last).not.toHaveProperty('nextCursor');
    expect(await check({ url: origin, rule: 'url-fragment' })).toMatchObject({ fixFirst: [], affected: [] });
  });
});

test('all rules are listed by cursors, each once', async () => {
  const all = (await explainRule({}, 1e6)) as { readonly rules: readonly { readonly rule: string }[] };
  expect(all).not.toHaveProperty('nextCursor');
  const names: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const part = await explainRule(cursor === '' ? {} : { cursor }, 2_000);
    const { rules, nextCursor } = part as typeof all & { readonly nextCursor?: string };
    names.push(...rules.map(({ rule }) => rule));
    cursor = nextCursor;
  }
  expect(names).toEqual(all.rules.map(({ rule }) => rule));
});
