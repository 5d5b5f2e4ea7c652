/** §3 `hosts`: only pages of the site, in every call that gives pages, and on the command line. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crawlSites } from '../../src/batch/index.ts';
import { SiteHosts } from '../../src/filter/site-hosts.ts';
import {
  collectPages,
  type SitePageOptions,
  sitemapFromString,
  streamPages,
  streamSitemap,
} from '../../src/index.ts';
import type { ScriptedServer } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { DECLARED, QUICK, siteOf, treeOf } from '../support/crawled-site.ts';
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
  const update = async (...flags: readonly string[]): Promise<string> => {
    const { lines } = await usp(['update', file, server.homepage, '-k', '--allow-private', ...flags]);
    return lines.map((line) => `${line[0]}${line.at(-1)}`).join(' ');
  };
  expect(await update('--hosts', 'same')).toBe('+1 +2 +4');
  expect(await update()).toBe('');
  expect(await update('--hosts', 'subdomains')).toBe('+3');
  expect(await update('--hosts', 'any')).toBe('+5');
  expect(await update()).toBe('');
});
