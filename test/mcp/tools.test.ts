/** The tools of `usp mcp` as agents use them: official clients, over the pipes of a process, against real servers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { collectPages } from '../../src/index.ts';
import { type ScriptedServer, startServer } from '../server/scripted-server.ts';
import { ROOT } from '../support/cli-binary.ts';
import { DECLARED, signalling, siteOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { serving } from '../support/fetching.ts';
import { folderUntil } from '../support/folder.ts';
import { type Agent, anAgent, CLIENTS, type Progress, startAgent } from '../support/mcp-client.ts';

const PAGES = Array.from({ length: 30 }, (_, at) => `https://one.example/page-${at}`);
const BLOG: [string, string][] = [
  ['https://one.example/blog/old', '2020-01-01'],
  ['https://one.example/blog/new', '2024-06-01'],
];
const SITE = {
  '/robots.txt': 'User-agent: *\nDisallow:\nSitemap: /index.xml\nSitemap: /gone.xml\n',
  '/index.xml': index('/pages.xml', '/blog.xml'),
  '/pages.xml': urlset(...PAGES),
  '/blog.xml': urlset(...BLOG),
};

let server: ScriptedServer;
beforeAll(async () => {
  server = await startServer(SITE);
});
afterAll(() => server?.close());

describe.each(CLIENTS)('usp mcp with %s', (client) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await startAgent(['--allow-private', '--no-known'], client);
  });
  afterAll(() => agent?.close());

  test('every tool has schemas, a description and annotations', async () => {
    const tools = await agent.tools();
    expect(tools.map(({ name }) => name)).toEqual([
      'find_sitemaps',
      'list_pages',
      'read_sitemap',
      'check_site',
      'explain_rule',
    ]);
    for (const { description = '', inputSchema, outputSchema, annotations } of tools) {
      expect(description.length).toBeGreaterThan(80);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      // A model knows an argument by its type and its sentence alone.
      for (const argument of Object.values(Object(inputSchema).properties)) {
        expect(argument).toMatchObject({
          type: expect.any(String),
          description: expect.stringMatching(/\S/),
        });
      }
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(annotations).toMatchObject({ readOnlyHint: true });
    }
  });

  test('find_sitemaps lists the tree in short, with what could not be read', async () => {
    const { data } = await agent.call('find_sitemaps', { url: server.origin });
    expect(data).toMatchObject({
      site: `${server.origin}/`,
      state: 'done',
      outcome: 'partial',
      code: 'http-status',
    });
    const rows = data.sitemaps.map(({ url, ...row }: { url: string }) => ({
      ...row,
      path: new URL(url).pathname,
    }));
    expect(rows).toMatchObject([
      { path: '/robots.txt', kind: 'robots-txt', depth: 1 },
      { path: '/index.xml', kind: 'index-xml', depth: 2 },
      { path: '/pages.xml', kind: 'pages-xml', depth: 3, pageCount: 30 },
      { path: '/blog.xml', kind: 'pages-xml', depth: 3, pageCount: 2 },
      { path: '/gone.xml', kind: 'invalid', depth: 2, code: 'http-status' },
    ]);
    expect(data.nextCursor).toBeUndefined();
  });

  test('find_sitemaps goes on at a cursor', async () => {
    const first = await agent.call('find_sitemaps', { url: server.origin, limit: 2 });
    const second = await agent.call('find_sitemaps', { cursor: first.data.nextCursor, limit: 10 });
    const paths = [first, second].flatMap(({ data }) =>
      data.sitemaps.map(({ url }: { url: string }) => new URL(url).pathname),
    );
    expect(paths).toEqual(['/robots.txt', '/index.xml', '/pages.xml', '/blog.xml', '/gone.xml']);
    expect(second.data.nextCursor).toBeUndefined();
  });

  test('list_pages gives counts, then all pages once by cursors, and requests nothing again', async () => {
    const requests = server.requests.length;
    const urls: string[] = [];
    let answer = await agent.call('list_pages', { url: server.origin, limit: 7 });
    expect(answer.data.counts).toEqual({ pages: 32, matching: 32, isWhole: true });
    for (;;) {
      expect(JSON.parse(answer.text)).toEqual(answer.data);
      urls.push(...answer.data.pages.map(({ url }: { url: string }) => url));
      if (answer.data.nextCursor === undefined) break;
      answer = await agent.call('list_pages', { cursor: answer.data.nextCursor });
    }
    expect(urls.toSorted()).toEqual([...PAGES, ...BLOG.map(([url]) => url)].toSorted());
    expect(server.requests.length).toBe(requests);
  });

  test('a cursor goes on with its own list: other arguments with it are refused, the same ones are not', async () => {
    const asked = { url: server.origin, include: ['page-'] };
    const { data } = await agent.call('list_pages', { ...asked, limit: 2 });
    const goOn = async (args: object) =>
      agent.call('list_pages', { cursor: data.nextCursor, limit: 1, ...args });
    const next = (await goOn({})).data.pages;
    expect((await goOn({ ...asked, url: `${server.origin}/` })).data.pages).toEqual(next);
    for (const [name, other] of [
      ['include', { include: ['/blog/'] }],
      ['url', { url: 'https://two.example/' }],
      ['details', { details: true }],
    ] as const) {
      const refused = await goOn(other);
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain(`with another ${name}. Pass the cursor alone`);
    }
  });

  test('list_pages filters as usp ls does', async () => {
    const listed = async (args: object): Promise<unknown> => {
      const { data } = await agent.call('list_pages', { url: server.origin, ...args });
      return [data.counts.matching, data.pages.map(({ url }: { url: string }) => new URL(url).pathname)];
    };
    expect(await listed({ include: ['/blog/'] })).toEqual([2, ['/blog/old', '/blog/new']]);
    expect(await listed({ include: ['*/page-1*'], exclude: ['page-10'] })).toEqual([
      10,
      ['/page-1', ...[11, 12, 13, 14, 15, 16, 17, 18, 19].map((at) => `/page-${at}`)],
    ]);
    expect(await listed({ include: ['re:page-2[0-2]$'] })).toEqual([3, ['/page-20', '/page-21', '/page-22']]);
    expect(await listed({ sitemapInclude: ['re:/b.og[.]xml$'] })).toEqual([2, ['/blog/old', '/blog/new']]);
    const both = { sitemapInclude: ['*.xml'], sitemapExclude: ['pages'], exclude: ['new'] };
    expect(await listed(both)).toEqual([1, ['/blog/old']]);
    expect(await listed({ hosts: 'same' })).toEqual([0, []]);
    expect(await listed({ hosts: 'any', include: ['/blog/'] })).toEqual([2, ['/blog/old', '/blog/new']]);
    expect(await listed({ since: '2023' })).toEqual([1, ['/blog/new']]);
    expect(await listed({ since: '2023', undated: 'keep', exclude: ['page'] })).toEqual([1, ['/blog/new']]);
  });

  test('list_pages lists alternates, each once, also with a cursor', async () => {
    const link = (path: string) =>
      `<xhtml:link rel="alternate" hreflang="x" href="https://one.example${path}"/>`;
    const entry = (path: string, ...alternates: readonly string[]) =>
      `<url><loc>https://one.example${path}</loc>${alternates.map(link).join('')}</url>`;
    const { origin } = await siteOf({
      '/robots.txt': ['/a.xml'],
      '/a.xml':
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">' +
        `${entry('/1', '/2', '/de/1')}${entry('/2', '/de/1', '/de/2')}</urlset>`,
    });
    const asked = { url: origin, listAlternates: true, limit: 3 };
    const { data } = await agent.call('list_pages', asked);
    const { data: rest } = await agent.call('list_pages', { cursor: data.nextCursor });
    const urls = [...data.pages, ...rest.pages].map(({ url }: { url: string }) => new URL(url).pathname);
    expect([data.counts.matching, urls]).toEqual([4, ['/1', '/de/1', '/2', '/de/2']]);
  });

  test('list_pages gives a sample of the site, the one of collectPages, also with a cursor', async () => {
    const { origin } = await siteOf((own) => ({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': urlset(...Array.from({ length: 40 }, (_, at) => `${own}/a/${at}`)),
      '/b.xml': urlset(`${own}/b/1`, `${own}/a/1`, 'https://one.example/'),
    }));
    const sample = 5;
    const expected = await collectPages(origin, { ...DECLARED, sample, hosts: 'same' });
    const { data } = await agent.call('list_pages', { url: origin, sample, hosts: 'same', limit: 3 });
    const { data: rest } = await agent.call('list_pages', { cursor: data.nextCursor });
    const urls = [...data.pages, ...rest.pages].map(({ url }: { url: string }) => url);
    expect(urls.sort()).toEqual(expected.pages.map(({ url }) => url).sort());
    expect([data.counts.matching, data.counts.leftOut]).toEqual([5, { 'other-host': 1 }]);
    // A page that two sitemaps list is in a sample once.
    const all = await agent.call('list_pages', { url: origin, sample: 100, hosts: 'same' });
    expect(all.data.counts.matching).toBe(41);
  });

  test('list_pages says whether robots.txt allows an agent each page', async () => {
    const listed = async (args: object): Promise<unknown> => {
      const { data } = await agent.call('list_pages', { url: server.origin, include: ['page-1'], ...args });
      return [data.counts.matching, data.pages[0].allowed, data.pages[0].rule, data.pages[0].ruleLine];
    };
    // The pages are on another origin than the robots.txt.
    for (const more of [{}, { onlyAllowed: true }, { onlyAllowed: true, sample: 100 }])
      expect(await listed({ agent: 'GPTBot', ...more })).toEqual([11, undefined, undefined, undefined]);
    const site = await serving({});
    site.site['/robots.txt'] = 'User-agent: GPTBot\nDisallow: /b\nAllow: /b/c\nSitemap: /s.xml\n';
    site.site['/s.xml'] = urlset(...['/a', '/b', '/b/c'].map((path) => site.origin + path));
    const { data } = await agent.call('list_pages', { url: site.origin, agent: 'GPTBot/1.0' });
    expect(data.pages).toEqual([
      { url: `${site.origin}/a`, allowed: true },
      { url: `${site.origin}/b`, allowed: false, rule: 'Disallow: /b', ruleLine: 2 },
      { url: `${site.origin}/b/c`, allowed: true, rule: 'Allow: /b/c', ruleLine: 3 },
    ]);
    const allowed = await agent.call('list_pages', {
      url: site.origin,
      agent: 'GPTBot',
      onlyAllowed: true,
      limit: 1,
    });
    expect(allowed.data).toMatchObject({
      counts: { pages: 3, matching: 2, leftOut: { disallowed: 1 } },
      pages: [{ allowed: true }],
    });
    const rest = await agent.call('list_pages', { cursor: allowed.data.nextCursor });
    expect(rest.data.pages).toMatchObject([{ url: `${site.origin}/b/c`, allowed: true }]);
    const other = await agent.call('list_pages', { url: site.origin, agent: 'other' });
    expect(other.data.pages).toMatchObject([{ allowed: true }, { allowed: true }, { allowed: true }]);
    for (const args of [{ agent: ' ' }, { onlyAllowed: true }])
      expect((await agent.call('list_pages', { url: site.origin, ...args })).text).toContain('agent');
  });

  test('every result says when the site was read, and how long ago that is', async () => {
    const read = [
      await agent.call('find_sitemaps', { url: server.origin }),
      await agent.call('list_pages', { url: server.origin }),
      await agent.call('check_site', { url: server.origin }),
      await agent.call('read_sitemap', { url: `${server.origin}/pages.xml` }),
    ];
    for (const { data } of read) {
      expect(data.ageSeconds).toBeGreaterThanOrEqual(0);
      const age = Date.now() - Date.parse(data.readAt);
      expect(age).toBeGreaterThanOrEqual(data.ageSeconds * 1000 - 1000);
    }
    expect(new Set(read.slice(0, 3).map(({ data }) => data.readAt)).size).toBe(1);
    expect((await agent.call('read_sitemap', { text: '<urlset/>' })).data.readAt).toBeUndefined();
  });

  test('a host without a scheme is a site, as for the command', async () => {
    const host = server.origin.replace('http://', '');
    const { data } = await agent.call('list_pages', { url: host, limit: 2 });
    expect(data).toMatchObject({ site: `${server.origin}/`, state: 'done' });
    const rest = await agent.call('list_pages', { url: `${server.origin}/`, cursor: data.nextCursor });
    expect(rest.isError).toBe(false);
  });

  test('read_sitemap reads one document and fetches nothing else', async () => {
    const requests = server.requests.length;
    const { data } = await agent.call('read_sitemap', { url: `${server.origin}/index.xml` });
    expect(data).toMatchObject({ state: 'done', kind: 'index-xml', status: 200, sitemapCount: 2 });
    expect(data.sitemaps).toEqual([`${server.origin}/pages.xml`, `${server.origin}/blog.xml`]);
    expect(server.paths().slice(requests)).toEqual(['/index.xml']);
  });

  test('read_sitemap reads text that is pasted, and says what is wrong with it', async () => {
    const text = '<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url><url><loc></loc></url></urlset>';
    const first = await agent.call('read_sitemap', { text, url: 'https://one.example/s.xml', limit: 1 });
    expect(first.data).toMatchObject({
      kind: 'pages-xml',
      pageCount: 2,
      pages: [{ url: 'https://one.example/a' }],
    });
    expect(first.data.problems.map(({ code }: { code: string }) => code)).toContain('empty-loc');
    expect(first.data.problems[0]).toMatchObject({ line: 1 });
    const second = await agent.call('read_sitemap', { cursor: first.data.nextCursor });
    expect(second.data.pages).toEqual([{ url: 'https://one.example/b' }]);
    expect(second.data.nextCursor).toBeUndefined();
  });

  test('check_site says what to fix first, and lists what one rule concerns', async () => {
    const { data } = await agent.call('check_site', { url: server.origin });
    expect(data.summary).toMatchObject({ documents: 4, pages: 32, complete: false });
    const tool = (await agent.tools()).find(({ name }) => name === 'check_site');
    const { properties } = JSON.parse(JSON.stringify(tool?.outputSchema)).properties.summary;
    expect(Object.keys(properties)).toEqual(Object.keys(data.summary));
    expect(Object.keys(properties.counts.properties).sort()).toEqual(Object.keys(data.summary.counts).sort());
    expect(data.fixFirst[0]).toMatchObject({
      rule: 'sitemap-unreadable',
      severity: 'error',
      findings: 1,
      entries: 1,
      examples: [{ document: `${server.origin}/robots.txt`, message: expect.stringContaining('/gone.xml') }],
    });
    expect(data.fixFirst[0].fix).toMatch(/\w/);
    const rule = data.fixFirst.find(({ rule }: { rule: string }) => rule === 'url-other-host')?.rule;
    const one = await agent.call('check_site', { url: server.origin, rule, limit: 1 });
    expect(one.data.affected).toHaveLength(1);
    expect(one.data.fixFirst).toMatchObject([{ rule }]);
  });

  test('explain_rule explains one rule, or lists all', async () => {
    const one = await agent.call('explain_rule', { rule: 'url-fragment' });
    expect(Object.keys(one.data)).toEqual([
      'rule',
      'severity',
      'what',
      'why',
      'fix',
      'bad',
      'good',
      'source',
    ]);
    const all = await agent.call('explain_rule', {});
    const documented = readFileSync(join(ROOT, 'docs/check-rules.md'), 'utf8');
    expect(all.data.rules.length).toBeGreaterThan(50);
    for (const { rule } of all.data.rules) expect(documented).toContain(`\`${rule}\``);
    expect(await agent.call('explain_rule', { rule: 'url-fragmnt' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('url-fragment'),
    });
    const text = 'There is no rule "foo". explain_rule without a rule lists all of them.';
    expect(await agent.call('explain_rule', { rule: 'foo' })).toMatchObject({ isError: true, text });
    const check = { url: server.origin, rule: 'foo' };
    expect(await agent.call('check_site', check)).toMatchObject({ isError: true, text });
  });

  test('progress is reported, and only ever grows', async () => {
    const { promise: held, resolve: release } = signalling();
    const site = await startServer({
      '/robots.txt': 'Sitemap: /index.xml\n',
      '/index.xml': index('/a.xml', '/b.xml'),
      '/a.xml': urlset('https://one.example/a'),
      '/b.xml': async () => {
        await held;
        return urlset('https://one.example/b');
      },
    });
    try {
      const seen: Progress[] = [];
      const answer = agent.call(
        'list_pages',
        { url: site.origin },
        {
          onprogress: (progress) => {
            seen.push(progress);
            release();
          },
        },
      );
      expect((await answer).data.counts).toMatchObject({ pages: 2 });
      expect(seen.length).toBeGreaterThan(0);
      expect(seen[0]?.message).toMatch(/^\d+ of \d+ sitemaps?, /);
      expect(seen.map(({ progress }) => progress)).toEqual(
        [...new Set(seen.map(({ progress }) => progress))].toSorted((a, b) => a - b),
      );
    } finally {
      release();
      await site.close();
    }
  });
});

describe('every result is within --result-bytes, and the items come once, by cursors or tokens:', () => {
  const BYTES = 3000;
  const names = Array.from({ length: 90 }, (_, at) => `${'x'.repeat((at * 37) % 90)}${at}`);
  let site: ScriptedServer;
  const archives = [folderUntil(afterAll), folderUntil(afterAll)] as const;
  let agents: Agent[] = [];

  beforeAll(async () => {
    site = await startServer({
      '/robots.txt': 'Sitemap: /index.xml\n',
      '/index.xml': index('/all.xml', ...names.map((name) => `/no-${name}.xml`)),
      '/all.xml': urlset(...names.map((name) => `https://one.example/${name}#part`)),
    });
    const flags = ['--allow-private', '--no-known', '--retries', '0', '--archive-dir'];
    const small = [...flags, archives[0], '--result-bytes', String(BYTES)];
    const large = [...flags, archives[1]];
    agents = [await anAgent(small), await anAgent(large)];
  });
  afterAll(async () => {
    for (const agent of agents) await agent.close();
    await site?.close();
  });

  const OF_SITE = () => ({ url: site.origin });
  test.each<[string, () => object, string]>([
    ['list_pages', OF_SITE, 'pages'],
    ['find_sitemaps', OF_SITE, 'sitemaps'],
    ['read_sitemap', () => ({ url: `${site.origin}/all.xml` }), 'pages'],
    ['read_sitemap', () => ({ url: `${site.origin}/index.xml` }), 'sitemaps'],
    ['check_site', OF_SITE, 'fixFirst'],
    ['check_site', () => ({ ...OF_SITE(), rule: 'sitemap-unreadable' }), 'affected'],
    ['changes_since', OF_SITE, 'changes'],
    ['explain_rule', () => ({}), 'rules'],
  ])('%s (%#)', async (tool, args, field) => {
    const [small, large] = agents;
    const whole = await large!.call(tool, args());
    expect(whole.data.nextCursor ?? whole.data.more).toBeFalsy();
    const listed: unknown[] = [];
    for (let next: object | undefined = args(), calls = 0; next !== undefined; calls++) {
      const { data, text } = await small!.call(tool, next);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BYTES);
      listed.push(...data[field]);
      next = data.more ? { ...args(), token: data.token } : data.nextCursor && { cursor: data.nextCursor };
      expect(calls).toBeLessThan(100);
    }
    expect(listed).toEqual(whole.data[field]);
  });

  test('explain_rule with a cursor that it did not give is an error', async () => {
    expect(await agents[0]!.call('explain_rule', { cursor: 'foo' })).toMatchObject({ isError: true });
  });
});

test('usp mcp --follow-listed reads the sitemaps that a sitemap lists as pages', async () => {
  const { origin } = await siteOf((own) => ({
    '/robots.txt': ['/a.xml'],
    '/a.xml': urlset(`${own}/1`, `${own}/sitemap-b.xml`),
    '/sitemap-b.xml': urlset(`${own}/2`),
  }));
  const flags = ['--allow-private', '--no-known'];
  for (const [more, expected] of [
    [[], ['/1', '/sitemap-b.xml']],
    [['--follow-listed'], ['/1', '/sitemap-b.xml', '/2']],
  ] as const) {
    const agent = await anAgent([...flags, ...more]);
    onTestFinished(() => agent.close());
    const { data } = await agent.call('list_pages', { url: origin });
    expect(data.pages.map(({ url }: { url: string }) => new URL(url).pathname)).toEqual(expected);
  }
});
