/** Bombs made of many documents: indexes without end, long robots.txt files, and servers that send long rubbish. */
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { type Bomb, type Bombs, MIB, times } from './bombs.ts';
import { index, robots, urlset } from './documents.ts';
import type { Trap } from './victim.ts';

export const siteBombs: Bombs = (scale) => [
  {
    name: 'an index that invents children',
    does: 'ten new ones on every request, for ever',
    options: { maxSitemaps: 1_500 / scale },
    site: (path, origin) =>
      path === '/robots.txt'
        ? robots(`${origin}/i.xml`)
        : index(...Array.from({ length: 10 }, (_, at) => `${origin}${path.replace('.xml', '')}${at}.xml`)),
    expected: { stopped: 'maxSitemaps', complete: false, pages: 0 },
    requested: (paths) => expect(paths.length).toBeLessThanOrEqual(1_500 / scale),
  },
  {
    name: 'a chain of indexes',
    treeOnly: true,
    does: 'each lists the next',
    site: (path, origin) =>
      path === '/robots.txt'
        ? robots(`${origin}/1.xml`)
        : index(`${origin}/${Number(path.slice(1, -4)) + 1}.xml`),
    expected: { complete: false, codes: ['max-depth'], pages: 0 },
    requested: (paths) => expect(paths.length).toBe(12),
  },
  {
    name: 'a lattice',
    does: 'eleven levels of indexes that all list the same fifty of the next: 50¹¹ places',
    options: scale === 1 ? {} : { maxSitemaps: 50_000 / scale },
    site: (path, origin) => {
      const level = Number(/^\/(\d+)-/.exec(path)?.[1] ?? 0);
      const next = Array.from({ length: 50 }, (_, at) => `${origin}/${level + 1}-${at}.xml`);
      return level === 0 ? robots(...next) : level === 11 ? urlset('https://example.org/') : index(...next);
    },
    expected: { stopped: 'maxSitemaps', complete: false, nodes: 50_000 / scale },
    streamed: { stopped: 'maxSitemaps', complete: false },
    requested: (paths) => expect(paths.length).toBeLessThanOrEqual(551),
  },
  {
    name: 'a robots.txt of 500 MiB',
    does: 'rules without end, and a Sitemap line now and then',
    site: (path, origin) =>
      path === '/robots.txt'
        ? () =>
            times(
              500 / scale,
              `Sitemap: ${origin}/a.xml\n${'Disallow: /a/path/of/some/length\n'.repeat(MIB / 33)}`,
            )
        : urlset('https://example.org/'),
    expected: { complete: false, codes: ['too-large'], pages: 1 },
    streamed: { complete: false, pages: 1 },
  },
  {
    name: '1,000,000 Sitemap lines',
    does: 'each another URL',
    options: { maxSitemaps: 1_000 / scale },
    site: (path, origin) =>
      path === '/robots.txt'
        ? function* () {
            for (let at = 0; at < 1_000 / scale; at++) {
              yield Array.from(
                { length: 1000 },
                (_, number) => `Sitemap: ${origin}/${at}-${number}.xml\n`,
              ).join('');
            }
          }
        : urlset('https://example.org/'),
    expected: { stopped: 'maxSitemaps', complete: false, pages: 1_000 / scale - 1 },
    streamed: { stopped: 'maxSitemaps', complete: false },
  },
  wideIndexes(scale),
  {
    name: 'a calendar',
    treeOnly: true,
    does: 'a sitemap for every month, each with a link to the next, by query',
    site: (path, origin) => {
      const month = Number(/month=(\d+)/.exec(path)?.[1] ?? 0);
      return path === '/robots.txt'
        ? robots(`${origin}/cal?month=1`)
        : index(`${origin}/cal?month=${month + 1}`);
    },
    expected: { complete: false, codes: ['max-depth'], pages: 0 },
    requested: (paths) => expect(paths.length).toBe(12),
  },
  {
    name: 'long status texts',
    treeOnly: true,
    does: '2,000 children, each a 404 with 60 kB of status text',
    site: children(2_000 / scale, () => ({ status: 404, statusText: 'x'.repeat(60_000) })),
    expected: { pages: 0, complete: false, codes: ['http-status'] },
  },
  {
    name: 'long redirects',
    treeOnly: true,
    does: '2,000 children, each a redirect in a circle over a URL of 30 kB',
    site: children(2_000 / scale, (path) => ({
      status: 302,
      headers: { location: `${path.replace(/\?.*/, '')}?${'x'.repeat(30_000)}` },
    })),
    expected: { pages: 0, complete: false, codes: ['redirects'] },
  },
  {
    name: 'long rubbish',
    treeOnly: true,
    does: '2,000 children, each 60 kB of something that is not HTTP',
    site: children(2_000 / scale, () => ({ raw: 'x'.repeat(60_000) })),
    expected: { pages: 0, complete: false, codes: ['bad-response'] },
  },
  {
    name: 'long headers',
    treeOnly: true,
    does: '6,000 children, each with headers of 130 kB',
    site: children(6_000 / scale, () => ({
      raw: `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(130_000)}\r\n\r\n`,
    })),
    expected: { pages: 0, complete: false, codes: ['bad-response'] },
  },
];

function wideIndexes(scale: number): Bomb {
  // Made once: compressing it for each of the 15 would take longer than reading them.
  let wide: Uint8Array | undefined;
  return {
    name: 'wide indexes',
    treeOnly: true,
    does: '15 indexes of 100,000 children each, 300 kB of gzip apiece',
    options: { maxSitemaps: 1_000 / scale },
    site: (path, origin) => {
      if (path === '/robots.txt')
        return robots(...Array.from({ length: 15 }, (_, at) => `${origin}/${at}.xml`));
      if (path.startsWith('/child')) return urlset('https://example.org/');
      wide ??= gzipSync(
        index(...Array.from({ length: 100_000 / scale }, (_, at) => `${origin}/child-${at}.xml`)),
      );
      return wide;
    },
    expected: { stopped: 'maxSitemaps', complete: false },
  };
}

/** A site whose robots.txt declares `count` sitemaps, all with the same response. */
function children(count: number, response: (path: string) => Trap): Bomb['site'] {
  return (path, origin) =>
    path === '/robots.txt'
      ? robots(...Array.from({ length: count }, (_, at) => `${origin}/${at}.xml`))
      : response(path);
}
