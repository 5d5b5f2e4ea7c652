/** §9 §10 `mapHosts` and `--map-host`: a staging server that is read as if it were the public site. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../../src/cli/messages/command-line.ts';
import {
  checkSite,
  collectPages,
  loadTree,
  saveTree,
  sitemapFromString,
  streamSitemap,
} from '../../src/index.ts';
import type { ScriptedServer } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { DECLARED, outline, QUICK, siteOf, streamed, treeOf, urlsOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { anAgent } from '../support/mcp-client.ts';

const PUBLIC = 'https://www.example.org';

/** A staging server: its robots.txt and a part of its sitemaps name the public site, the rest itself. */
async function staging(
  more: object = {},
): Promise<ScriptedServer & { readonly map: Record<string, string> }> {
  const server = await siteOf((origin) => ({
    '/robots.txt': `User-agent: *\nDisallow: /secret\nSitemap: ${PUBLIC}/index.xml`,
    '/index.xml': index(`${PUBLIC}/a.xml`, `${origin}/b.xml`, `${origin}/moved.xml`),
    '/a.xml': urlset(`${PUBLIC}/1`, `${origin}/2`),
    '/b.xml': {
      body:
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" ' +
        `xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>${origin}/3</loc>` +
        `<xhtml:link rel="alternate" hreflang="de" href="${origin}/de/3"/>` +
        `<image:image><image:loc>${origin}/3.png</image:loc></image:image></url></urlset>`,
      gzip: true,
    },
    '/moved.xml': { status: 301, headers: { location: `${origin}/c.xml` } },
    '/c.xml':
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="${origin}/x/">` +
      '<entry><title>4</title><link href="4"/></entry></feed>',
    ...more,
  }));
  return Object.assign(server, { map: { [server.origin]: PUBLIC } });
}

const PAGES = ['/1', '/2', '/3', '/x/4'].map((path) => `${PUBLIC}${path}`);

test('§9 mapHosts reads a staging server as the public site: sitemaps, pages, alternates, images, redirects', async () => {
  const server = await staging();
  const options = { ...DECLARED, mapHosts: server.map };
  const tree = await treeOf(server, options);
  expect([tree.url, tree.outcome]).toEqual([`${PUBLIC}/`, 'complete']);
  expect(outline(tree, { origin: PUBLIC })).toEqual([
    'robots-txt /robots.txt',
    '  index-xml /index.xml',
    '    pages-xml /a.xml 2',
    '    pages-xml /b.xml 1',
    '    pages-atom /c.xml (/moved.xml) 1',
  ]);
  const pages = tree.allPages().toArray();
  expect(urlsOf(pages)).toEqual(PAGES);
  expect(pages[2]!.alternates).toEqual([{ hreflang: 'de', href: `${PUBLIC}/de/3` }]);
  expect(pages[2]!.images[0]!.loc).toBe(`${PUBLIC}/3.png`);
  const found = await streamed(server, options);
  expect(found.map(({ page }) => page.url).sort()).toEqual([...PAGES].sort());
  // The site may be given by its public address as well, and only the site itself is on its host.
  expect(urlsOf((await collectPages(PUBLIC, { ...options, hosts: 'same' })).pages)).toEqual(PAGES);
  const one: string[] = [];
  const alone = streamSitemap(`${server.origin}/a.xml`, { ...QUICK, mapHosts: server.map });
  for await (const { page, sitemap } of alone) one.push(`${page.url} ${sitemap.url}`);
  expect(one).toEqual([`${PUBLIC}/1 ${PUBLIC}/a.xml`, `${PUBLIC}/2 ${PUBLIC}/a.xml`]);
});

test('§9 a page that is listed under both hosts is one page', async () => {
  const server = await siteOf((origin) => ({
    '/robots.txt': ['/a.xml'],
    '/a.xml': urlset(`${PUBLIC}/1`, `${origin}/1`),
  }));
  const { pages } = await collectPages(server.origin, { ...DECLARED, mapHosts: { [server.origin]: PUBLIC } });
  expect(urlsOf(pages)).toEqual([`${PUBLIC}/1`]);
});

test('§9 hosts that are mapped count as the site for headers and the guard, and no others do', async () => {
  const assets = await siteOf({ '/s.xml': urlset(`${PUBLIC}/9`) });
  const server = await siteOf({
    '/robots.txt': 'Sitemap: https://cdn.example.org/s.xml\nSitemap: http://127.0.0.3/refused.xml',
  });
  const tree = await treeOf(server, {
    ...DECLARED,
    headers: { authorization: 'Bearer secret' },
    mapHosts: { [server.origin]: PUBLIC, [assets.origin]: 'https://cdn.example.org' },
  });
  expect(urlsOf(tree.allPages())).toEqual([`${PUBLIC}/9`]);
  expect(assets.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer secret']);
  const codes = tree.subSitemaps[0]!.subSitemaps.map((node) =>
    node.kind === 'invalid' ? node.code : node.kind,
  );
  expect(codes).toEqual(['pages-xml', 'private-network']);
});

test('§11 what is read again is asked with the validators that the public address has', async () => {
  const server = await staging({ '/a.xml': { body: urlset(`${PUBLIC}/1`), headers: { etag: '"1"' } } });
  const options = { ...DECLARED, mapHosts: server.map };
  const previous = await treeOf(server, options);
  await treeOf(server, { ...options, previous });
  const asked = server.requests
    .filter(({ path }) => path === '/a.xml')
    .map(({ headers }) => headers['if-none-match']);
  expect(asked).toEqual([undefined, '"1"']);
});

test('§9 an archive has what was read, and an archive or a file that was made without the map is read with it', async () => {
  const server = await staging();
  const [mapped, plain] = [join(folder(), 'mapped.warc.gz'), join(folder(), 'plain.warc.gz')];
  const allowed = { ...DECLARED, allowPrivateNetworks: true };
  await saveTree(await treeOf(server, { ...DECLARED, mapHosts: server.map }), mapped);
  const here = await siteOf((origin) => ({ '/robots.txt': ['/a.xml'], '/a.xml': urlset(`${origin}/1`) }));
  await saveTree(await treeOf(here, allowed), plain);
  using tree = await loadTree(mapped);
  expect(urlsOf(tree.allPages())).toEqual(PAGES);
  using moved = await loadTree(plain, { mapHosts: { [here.origin]: PUBLIC }, verify: true });
  expect([moved.url, ...urlsOf(moved.allPages())]).toEqual([`${PUBLIC}/`, `${PUBLIC}/1`]);
  // Saved again, it stays so.
  const again = join(folder(), 'again.warc.gz');
  await saveTree(moved, again);
  using last = await loadTree(again, { verify: true });
  expect(urlsOf(last.allPages())).toEqual([`${PUBLIC}/1`]);
  const text = urlset('http://staging.example.org/1');
  const mapHosts = { 'staging.example.org': 'www.example.org' };
  const sitemap = await sitemapFromString(text, { url: 'http://staging.example.org/s.xml', mapHosts });
  expect([sitemap.url, ...urlsOf(sitemap.allPages())]).toEqual([
    'http://www.example.org/s.xml',
    'http://www.example.org/1',
  ]);
});

test('§9 what arrived of a document that breaks is read with the public addresses', async () => {
  const { origin, site } = await siteOf({ '/robots.txt': ['/a.xml'] });
  const whole = urlset(`${origin}/1`, `${origin}/2`, `${origin}/3`);
  site['/a.xml'] = { body: whole, truncateAfter: whole.indexOf('</url>', whole.indexOf('/2')) + 6 };
  const found = await streamed({ origin }, { ...DECLARED, mapHosts: { [origin]: PUBLIC } });
  expect(found.map(({ page }) => page.url)).toEqual([`${PUBLIC}/1`, `${PUBLIC}/2`]);
});

test('§10 usp ls --map-host prints public addresses, of a site, a file and a saved tree', async () => {
  const server = await staging();
  const flags = ['--map-host', `${server.origin}=${PUBLIC}`];
  const { lines, stderr, code } = await usp(['ls', server.origin, '-k', ...flags]);
  expect([code, stderr]).toEqual([0, '']);
  expect(lines[0]).toBe(`${PUBLIC}/`);
  expect(lines.filter((line) => line.includes('127.0.0.1'))).toEqual([]);
  const short = await usp(['ls', server.origin, '-k', '-u', '-f', 'pages', '--ordered', ...flags]);
  expect(short.lines).toEqual(['/1', '/2', '/3', '/x/4']);
  const stdin = urlset(`${server.origin}/1`);
  expect((await usp(['ls', '-', '-f', 'pages', ...flags], { stdin })).lines).toEqual([`${PUBLIC}/1`]);
});

test('§10 usp check --map-host finds nothing on other hosts, and requests pages of the staging server', async () => {
  const page = {
    body: '<html><head><title>A</title></head></html>',
    headers: { 'content-type': 'text/html' },
  };
  const server = await staging({ '/1': page, '/2': page, '/3': page, '/x/4': { status: 404 } });
  const flags = ['-k', '-f', 'ndjson', '--request-pages', 'all', '--fail-on', 'never'];
  const { lines } = await usp(['check', server.origin, ...flags, '--map-host', `${server.origin}=${PUBLIC}`]);
  const found = lines.map((line) => JSON.parse(line));
  expect(found.filter(({ rule }) => /other-host|outside/.test(rule))).toEqual([]);
  expect(found.filter(({ rule }) => rule === 'page-missing').map(({ page: url }) => url)).toEqual([
    `${PUBLIC}/x/4`,
  ]);
  expect(lines.join()).not.toContain('127.0.0.1');
  const findings: string[] = [];
  for await (const { rule } of checkSite(server.origin, { ...DECLARED, mapHosts: server.map }))
    findings.push(rule);
  expect(findings.filter((rule) => /other-host/.test(rule))).toEqual([]);
});

test('§10 usp fix --map-host writes public addresses', async () => {
  const server = await staging();
  const out = join(folder(), 'fixed');
  const flags = ['-k', '-o', out, '--map-host', `${server.origin}=${PUBLIC}`];
  const { code } = await usp(['fix', server.origin, ...flags]);
  expect(code).toBe(0);
  const written = ['a.xml', 'b.xml', 'index.xml'].map((name) =>
    readFileSync(join(out, name)).toString('latin1'),
  );
  expect(written.join()).not.toContain('127.0.0.1');
  expect(written[0]).toContain(`<loc>${PUBLIC}/2</loc>`);
});

test('§17 usp mcp --map-host serves agents the staging server as the public site', async () => {
  const server = await staging();
  const agent = await anAgent(['-k', '--map-host', `${server.origin}=${PUBLIC}`]);
  try {
    const { data } = await agent.call('list_pages', { url: 'www.example.org' });
    expect(data.pages.map(({ url }: { url: string }) => url).sort()).toEqual([...PAGES].sort());
  } finally {
    await agent.close();
  }
});

/** Two sites of which one stands for the other. */
async function twoSites(): Promise<{ readonly staged: ScriptedServer; readonly live: ScriptedServer }> {
  const site = (origin: string, ...paths: readonly string[]) => ({
    '/robots.txt': ['/a.xml'],
    '/a.xml': urlset(...paths.map((path) => `${origin}${path}`)),
  });
  return {
    staged: await siteOf((origin) => site(origin, '/1', '/2', '/new')),
    live: await siteOf((origin) => site(origin, '/1', '/2', '/old')),
  };
}

test('§10 usp diff takes sites, files, stdin and saved trees, and --map-host makes two hosts one site', async () => {
  const { staged, live } = await twoSites();
  const host = (server: ScriptedServer): string => new URL(server.origin).host;
  const flags = ['-k', '--map-host', `${host(staged)}=${host(live)}`];
  const changes = [`+ ${live.origin}/new`, `- ${live.origin}/old`];
  const sites = await usp(['diff', live.origin, staged.origin, ...flags]);
  expect([sites.code, sites.lines]).toEqual([0, changes]);
  expect(sites.stderr).toContain('1 page added, 1 removed');
  expect((await usp(['diff', live.origin, staged.origin, ...flags, '--exit-code'])).code).toBe(5);
  const file = join(folder(), 'staged.xml');
  writeFileSync(file, urlset(`${staged.origin}/1`, `${staged.origin}/2`, `${staged.origin}/new`));
  expect((await usp(['diff', live.origin, file, ...flags])).lines).toEqual(changes);
  const stdin = readFileSync(file);
  expect((await usp(['diff', live.origin, '-', ...flags], { stdin })).lines).toEqual(changes);
  const saved = join(folder(), 'staged.warc.gz');
  await usp(['ls', staged.origin, '-k', '--save', saved]);
  expect((await usp(['diff', live.origin, saved, ...flags])).lines).toEqual(changes);
  const sitemaps = [`${live.origin}/a.xml`, `${staged.origin}/a.xml`];
  expect((await usp(['diff', ...sitemaps, '--sitemap', ...flags.slice(1)])).lines).toEqual(changes);
});

test('§9 a host of a stranger runs nothing where the hint of usp diff is copied into a shell', async () => {
  const files = ['https://a.example', 'https://b;id&c.example'].map((origin, at) => {
    const file = join(folder(), `${at}.xml`);
    writeFileSync(file, urlset(`${origin}/1`, `${origin}/2`));
    return file;
  });
  expect((await usp(['diff', ...files])).stderr).toContain(
    `hint: usp diff --map-host 'a.example=b;id&c.example' ${commandLine(...files)} compares them`,
  );
});

test('§10 usp diff of one site under two hosts says so, with the flag that makes them one', async () => {
  const { staged, live } = await twoSites();
  const { code, stderr } = await usp(['diff', live.origin, staged.origin, '-k']);
  expect(code).toBe(0);
  const [before, after] = [new URL(live.origin).host, new URL(staged.origin).host];
  expect(stderr).toContain(`Both list the same pages on different hosts: ${before} before, ${after} after.`);
  expect(stderr).toContain(`--map-host ${before}=${after}`);
  expect(stderr).not.toContain('unknown');
  const files = ['http://a.example', 'https://b.example'].map((origin, at) => {
    const file = join(folder(), `${at}.xml`);
    // A few pages of other hosts change nothing.
    writeFileSync(file, urlset('https://shop.example/', `${origin}/1`, `${origin}/2`, `${origin}/3`));
    return file;
  });
  const ofFiles = await usp(['diff', ...files]);
  expect(ofFiles.stderr).toContain('on different hosts: http://a.example before, https://b.example after.');
  expect(ofFiles.stderr).not.toContain('3 pages added');
  const asOne = await usp(['diff', ...files, '--map-host', 'http://a.example=https://b.example']);
  expect([asOne.stdout, asOne.stderr]).toEqual(['', '0 pages added, 0 removed, 0 changed.\n']);
  // Two sites that have hardly a path in common are two sites.
  live.site['/a.xml'] = urlset(...['/x', '/y', '/z'].map((path) => live.origin + path));
  expect((await usp(['diff', live.origin, staged.origin, '-k'])).stderr).toContain('6 unknown');
});

test('§10 usp diff of a site that cannot be read compares nothing', async () => {
  const { live } = await twoSites();
  const { code, stdout } = await usp(['diff', live.origin, 'http://127.0.0.1:1/', '-k', '--retries', '0']);
  expect([code, stdout]).toEqual([6, '']);
  expect((await usp(['diff', '-', '-'])).stderr).toContain('stdin (-) can be only one of the two inputs');
});

test.each([
  ['a.example', 'needs HERE=PUBLIC'],
  ['a.example=b.example/x', '--map-host takes hosts, such as staging.example.org'],
  ['a.example=a.example', 'which is a cycle'],
])('§10 --map-host %s is refused', async (value, why) => {
  for (const command of ['ls', 'check', 'diff']) {
    const { code, stderr } = await usp([command, 'x.xml', 'y.xml', '--map-host', value]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  }
});

test('§10 two hosts for one public host are refused', async () => {
  const { code, stderr } = await usp([
    'ls',
    'x.xml',
    '--map-host',
    'a.example=c.example',
    '--map-host',
    'b.example=c.example',
  ]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('two hosts for one public host')]);
});
