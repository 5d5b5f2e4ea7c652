/** §3 `hosts`: only pages of the site, in every call that gives pages, and on the command line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crawlSites } from '../../src/batch/index.ts';
import { hostsOfTree, SiteHosts, siteUrls } from '../../src/filter/site-hosts.ts';
import {
  collectPages,
  loadTree,
  type SitePageOptions,
  type StreamOptions,
  saveTree,
  sitemapFromString,
  sitemapFromUrl,
  streamPages,
  streamSitemap,
} from '../../src/index.ts';
import type { ScriptedResponse, ScriptedServer } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { DECLARED, QUICK, siteOf, treeOf, urlsOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';

type Hosts = NonNullable<SitePageOptions['hosts']>;

test.each<readonly [string, string, Hosts, boolean]>([
  ['https://example.org/', 'https://example.org/a', 'same', true],
  ['https://example.org/', 'http://EXAMPLE.org.:8080/a', 'same', true],
  ['https://example.org/', 'https://www.example.org?a=/b/', 'same', true],
  ['https://www.example.org/', 'https://example.org', 'same', true],
  ['https://example.org/', 'https://shop.example.org/a', 'same', false],
  ['https://example.org/', 'https://example.org@evil.example/a', 'same', false],
  ['https://example.org/', 'not a URL', 'same', false],
  ['https://www.example.org/', 'https://shop.example.org/a', 'subdomains', true],
  ['https://example.org/', 'https://a.b.www.example.org/a', 'subdomains', true],
  ['https://shop.example.org/', 'https://example.org/a', 'subdomains', false],
  ['https://example.org/', 'https://badexample.org/a', 'subdomains', false],
  ['https://example.org/', 'https://example.com/a', 'any', true],
  ['http://[::1]:3000/', 'http://[::1]/a', 'subdomains', true],
])('§3 of the site %s, %s with hosts: %s is %s', (site, url, hosts, expected) => {
  const found = new SiteHosts([site, undefined, 'file:///a.xml']);
  expect(found.has(url, hosts)).toBe(expected);
  expect(found.has('https://other.example/', hosts)).toBe(hosts === 'any');
  expect(found.has(url, hosts)).toBe(expected);
});

test('§3 the host of each page counts, whatever the page before', () => {
  const hosts = new SiteHosts(['https://a.example/', 'http://b.example:8080/x']);
  const pages: readonly (readonly [string, same: boolean, below: boolean])[] = [
    ['https://a.example/1', true, true],
    ['https://a.example/2', true, true],
    ['https://c.example/1', false, false],
    ['http://a.example/1', true, true],
    ['https://a.example', true, true],
    ['https://c.example', false, false],
    ['https://b.example?x=/', true, true],
    ['https://c.example?x=https://a.example/', false, false],
    ['https://x.b.example/1', false, true],
    ['https://xb.example/1', false, false],
    ['https://b.example:444/1', true, true],
    ['https://b.example.evil.example/1', false, false],
    ['https:/a.example/1', true, true],
    ['not a URL', false, false],
    ['https://a.example/1', true, true],
    ['https://a b.example/1', false, false],
    ['https://example/1', false, false],
  ];
  expect(pages.map(([url]) => [url, hosts.has(url, 'same')])).toEqual(
    pages.map(([url, same]) => [url, same]),
  );
  expect(pages.map(([url]) => [url, hosts.has(url, 'subdomains')])).toEqual(
    pages.map(([url, , below]) => [url, below]),
  );
  expect(pages.every(([url]) => hosts.has(url, 'any'))).toBe(true);
  hosts.add('https://c.example/');
  expect(hosts.has('https://c.example/1', 'same')).toBe(true);
});

test('§3 the hosts of a tree are those of its URL, of the declared one, and where they redirect to', () => {
  const tree = {
    url: 'https://www.b.example/',
    declaredUrl: 'http://A.example./',
    redirectedTo: ['https://c.example:444/', 'https://b.example/'],
  };
  expect(siteUrls(tree)).toEqual([tree.url, tree.declaredUrl, ...tree.redirectedTo]);
  expect([hostsOfTree(tree).text, hostsOfTree(tree).isEmpty]).toEqual([
    'a.example b.example c.example',
    false,
  ]);
  const alone = hostsOfTree({ url: 'file:///a.xml', declaredUrl: undefined });
  expect([alone.text, alone.isEmpty, alone.has('https://a.example/', 'same')]).toEqual(['', true, false]);
  expect(alone.has('file:///a.xml', 'subdomains')).toBe(false);
});

/** A site at localhost whose robots.txt is at 127.0.0.1: both are its hosts. */
async function site(): Promise<ScriptedServer & { readonly homepage: string }> {
  const server = await siteOf((origin) => ({
    '/robots.txt': (request) =>
      request.headers.host?.startsWith('localhost') === true
        ? { status: 301, headers: { location: `${origin}/robots.txt` } }
        : { body: `Sitemap: ${origin}/a.xml` },
    '/a.xml': urlset(
      'http://localhost/1',
      'https://www.localhost:444/2',
      'https://shop.localhost/3',
      'https://127.0.0.1/4',
      'https://example.org/5',
    ),
  }));
  return Object.assign(server, { homepage: server.origin.replace('127.0.0.1', 'localhost') });
}

const CASES: readonly (readonly [Hosts | undefined, string])[] = [
  [undefined, '1 2 3 4 5'],
  ['any', '1 2 3 4 5'],
  ['same', '1 2 4'],
  ['subdomains', '1 2 3 4'],
];

const numbers = (urls: Iterable<string>): string =>
  Array.from(urls, (url) => /(\d)$/.exec(url)?.[1] ?? '?').join(' ');

async function streamedOf(
  pages: AsyncIterable<{ readonly page: { readonly url: string } }>,
): Promise<string> {
  const urls: string[] = [];
  for await (const { page } of pages) urls.push(page.url);
  return numbers(urls);
}

test.each(CASES)('§3 hosts: %s in every call', async (hosts, expected) => {
  const server = await site();
  const options = { ...DECLARED, allowPrivateNetworks: true, hosts };
  const { pages, outcome } = await collectPages(server.homepage, options);
  expect([numbers(pages.map(({ url }) => url)), outcome]).toEqual([expected, 'complete']);
  expect(await streamedOf(streamPages(server.homepage, options))).toBe(expected);
  for await (const found of crawlSites([server.homepage], options))
    expect(await streamedOf(found.pages())).toBe(expected);
  const tree = await treeOf({ origin: server.homepage }, { ...DECLARED, allowPrivateNetworks: true });
  expect(numbers(Array.from(tree.allPages({ hosts }), ({ url }) => url))).toBe(expected);
});

/** A site at localhost whose `path` redirects to 127.0.0.1; its sitemap is at a known path. */
async function movedSite(
  path: string,
  target: ScriptedResponse,
): Promise<ScriptedServer & { readonly homepage: string }> {
  const server = await siteOf((origin) => ({
    [`//localhost${path}`]: { redirect: origin + path },
    [path]: target,
    '/sitemap.xml': urlset('https://127.0.0.1/1', 'http://localhost/2', 'https://example.org/3'),
  }));
  return Object.assign(server, { homepage: server.origin.replace('127.0.0.1', 'localhost') });
}

test.each<readonly [string, string, ScriptedResponse, StreamOptions, string]>([
  ['a robots.txt that is missing there', '/robots.txt', { status: 404 }, {}, '1 2'],
  ['a robots.txt that fails there', '/robots.txt', { status: 500 }, {}, '1 2'],
  ['a robots.txt that is a page there', '/robots.txt', { body: '<!doctype html><p>' }, {}, '1 2'],
  ['a homepage', '/', { body: '<!doctype html><p>' }, { useHomepageLinks: true }, '1 2'],
  ['a homepage that fails there', '/', { status: 403 }, { useHomepageLinks: true }, '1 2'],
  ['a homepage that is not requested', '/', { body: '<!doctype html><p>' }, {}, '2'],
])('§3 the site is also the host that %s redirects to', async (_, path, target, more, expected) => {
  const server = await movedSite(path, target);
  const network = { ...QUICK, ...more, allowPrivateNetworks: true, useKnownPaths: true };
  const options = { ...network, hosts: 'same' } as const;
  const { pages } = await collectPages(server.homepage, options);
  expect(numbers(pages.map(({ url }) => url))).toBe(expected);
  expect(await streamedOf(streamPages(server.homepage, options))).toBe(expected);
  for await (const found of crawlSites([server.homepage], options))
    expect(await streamedOf(found.pages())).toBe(expected);
  const tree = await treeOf({ origin: server.homepage }, network);
  const file = join(folder(), 'site.warc.gz');
  await saveTree(tree, file);
  using saved = await loadTree(file);
  expect(numbers(urlsOf(saved.allPages({ hosts: 'same' })))).toBe(expected);
});

test('§3 a stream knows where the homepage redirects to before the first page comes', async () => {
  const server = await movedSite('/', { body: '<!doctype html><p>' });
  server.site['/robots.txt'] = `Sitemap: ${server.origin}/sitemap.xml`;
  const options = { ...DECLARED, useHomepageLinks: true, allowPrivateNetworks: true, hosts: 'same' } as const;
  expect(await streamedOf(streamPages(server.homepage, options))).toBe('1 2');
});

test.each(['/robots.txt', '/'])('§3 where %s led to before counts while it is down', async (path) => {
  const server = await movedSite(path, { status: 404 });
  const network = { ...QUICK, useHomepageLinks: true, allowPrivateNetworks: true };
  const previous = await treeOf({ origin: server.homepage }, network);
  server.site[`//localhost${path}`] = { hangUp: true };
  const tree = await treeOf({ origin: server.homepage }, { ...network, previous, staleIfError: true });
  expect(numbers(urlsOf(tree.allPages({ hosts: 'same' })))).toBe('1 2');
});

test('§3 the site of one sitemap is the host that its URL redirects to as well', async () => {
  const server = await movedSite('/sitemap.xml', {});
  server.site['/sitemap.xml'] = urlset('https://127.0.0.1/1', 'http://localhost/2', 'https://example.org/3');
  const options = { ...QUICK, allowPrivateNetworks: true };
  const url = `${server.homepage}/sitemap.xml`;
  for (const each of [url, url.replace('//', '//user:password@')])
    expect(await streamedOf(streamSitemap(each, { ...options, hosts: 'same' }))).toBe('1 2');
  using sitemap = await sitemapFromUrl(url, options);
  expect(numbers(urlsOf(sitemap.allPages({ hosts: 'same' })))).toBe('1 2');
});

test('§3 pages that filters leave out are counted by why, in every result', async () => {
  const server = await siteOf((origin) => ({
    '/robots.txt': ['/a.xml'],
    '/a.xml': urlset(
      'https://example.org/1',
      ['http://127.0.0.1/2', '2011-01-01'],
      'http://127.0.0.1/3',
      [`${origin}/4`, '2014-01-01'],
      [`${origin}/5`, '2014-01-01'],
      'https://example.org/6',
    ),
  }));
  const filters = { hosts: 'same', since: '2012-01-01' } as const;
  const expected = { 'other-host': 2, older: 1, undated: 1 };
  const options = { ...DECLARED, ...filters };
  expect((await collectPages(server.origin, options)).leftOut).toEqual(expected);
  const stream = streamPages(server.origin, options);
  expect(await streamedOf(stream)).toBe('4 5');
  expect(stream.leftOut).toEqual(expected);
  const tree = await treeOf(server, DECLARED);
  for (const sample of [undefined, 1]) {
    const pages = tree.allPages({ ...filters, sample });
    // Each loop counts anew, and a sample needs two of them.
    for (const _ of [1, 2]) expect(pages.toArray()).toHaveLength(sample ?? 2);
    expect(pages.leftOut).toEqual(expected);
  }
  expect(tree.allPages().leftOut).toEqual({});
  for await (const found of crawlSites([server.origin], { ...options, allowPrivateNetworks: true })) {
    for (const _ of [1, 2]) expect(await streamedOf(found.pages())).toBe('4 5');
    expect(found.leftOut).toEqual(expected);
  }
});

test('§14 usp crawl counts the pages that it leaves out: in the line of a site, at its end, and in its log', async () => {
  const server = await site();
  const out = join(folder(), 'crawl');
  const argv = ['crawl', '-', '-o', out, '-f', 'ndjson', '-k', '--allow-private', '--hosts', 'same'];
  const { stderr } = await usp(argv, { stdin: server.homepage });
  expect(stderr).toContain('\n2 pages on other hosts were left out (--hosts).\n');
  const line: unknown = JSON.parse(readFileSync(join(out, 'sites.ndjson'), 'utf8'));
  expect(line).toMatchObject({ pages: 3, leftOut: { 'other-host': 2 } });
  const again = await usp([...argv, '--log-format', 'json'], { stdin: server.homepage });
  expect(JSON.parse(again.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
    leftOut: { 'other-host': 2 },
  });
});

test('§3 the site of one sitemap is the host of its URL', async () => {
  const server = await site();
  const stream = streamSitemap(`${server.origin}/a.xml`, { ...QUICK, hosts: 'subdomains' });
  expect(await streamedOf(stream)).toBe('4');
  const url = 'https://www.example.org/a.xml';
  const sitemap = await sitemapFromString(urlset('https://example.org/1', 'https://a.example/2'), { url });
  expect(numbers(Array.from(sitemap.allPages({ hosts: 'same' }), (page) => page.url))).toBe('1');
});

test('§8 hosts of what has no address, a value that is not a word, and a tree are refused', async () => {
  const sitemap = await sitemapFromString(urlset('https://example.org/1'));
  expect(() => sitemap.allPages({ hosts: 'same' })).toThrow('give it as "url"');
  expect(sitemap.allPages({ hosts: 'any' }).toArray()).toHaveLength(1);
  const wrong = { hosts: 'mine' as 'same' };
  expect(() => streamPages('https://example.org/', wrong)).toThrow(
    'The option "hosts" must be any, same or subdomains, not the text "mine".',
  );
  await expect(
    treeOf({ origin: 'https://example.org' }, { ...QUICK, hosts: 'same' } as object),
  ).rejects.toThrow('for a tree, use allPages({ hosts })');
});

test.each(CASES)('§10 usp ls --hosts %s, streamed and as a tree', async (hosts, expected) => {
  const server = await site();
  const argv = [
    'ls',
    server.homepage,
    '-k',
    '--allow-private',
    ...(hosts === undefined ? [] : ['--hosts', hosts]),
  ];
  const { lines, stderr } = await usp([...argv, '-f', 'pages']);
  expect(numbers(lines)).toBe(expected);
  expect(numbers((await usp([...argv, '-f', 'pages', '--ordered'])).lines)).toBe(expected);
  const leftOut = { same: '2 pages on other hosts were', subdomains: '1 page on other hosts was', any: '' };
  const said = leftOut[hosts ?? 'any'];
  expect(stderr).toBe(said === '' ? '' : `${server.homepage}/: ${said} left out (--hosts).\n`);
});

test('§10 usp ls --hosts of a file needs --url', async () => {
  const stdin = urlset('https://example.org/1', 'https://a.example/2');
  const refused = await usp(['ls', '-', '--hosts', 'same'], { stdin });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--hosts needs --url')]);
  const argv = ['ls', '-', '--hosts', 'same', '-f', 'pages', '--url', 'https://example.org/sitemap.xml'];
  expect((await usp(argv, { stdin })).lines).toEqual(['https://example.org/1']);
  const wrong = await usp(['ls', '-', '--hosts', 'mine'], { stdin });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('any, same, subdomains')]);
});

test('§11.4 usp update --hosts is remembered, and any takes it back', async () => {
  const server = await site();
  const file = join(folder(), 'site.warc.gz');
  let said = '';
  const update = async (...flags: readonly string[]): Promise<string> => {
    const argv = ['update', file, server.homepage, '-k', '--allow-private', ...flags];
    const { lines, stderr } = await usp(argv);
    said = stderr;
    return lines.map((line) => `${line[0]}${line.at(-1)}`).join(' ');
  };
  expect(await update('--hosts', 'same')).toBe('+1 +2 +4');
  expect(said).toBe(
    '3 pages in 1 sitemap, read for the first time.\n2 pages on other hosts were left out (--hosts).\n',
  );
  expect(await update()).toBe('');
  expect(await update('--hosts', 'subdomains')).toBe('+3');
  expect(await update('--hosts', 'any')).toBe('+5');
  expect(await update()).toBe('');
});
