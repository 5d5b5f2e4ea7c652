/** §3 `listAlternates`: the alternates of entries as pages, each once, and none that is listed itself. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { crawlSites } from '../../src/batch/index.ts';
import { Alternates } from '../../src/filter/alternates.ts';
import {
  collectPages,
  type StreamOptions,
  sitemapFromString,
  streamPages,
  streamSitemap,
} from '../../src/index.ts';
import type { ScriptedServer } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { DECLARED, QUICK, siteOf, treeOf, urlsOf } from '../support/crawled-site.ts';
import { folder } from '../support/folder.ts';

const E = 'https://example.org';

/** A `<urlset>` of pages with a date, each with its alternates. */
function translated(
  ...entries: readonly (readonly [page: string, ...alternates: readonly string[]])[]
): string {
  const urls = entries.map(([page, ...alternates]) => {
    const links = alternates.map((path) => `<xhtml:link rel="alternate" hreflang="x" href="${E}${path}"/>`);
    return `<url><loc>${E}${page}</loc><lastmod>2014-05-06</lastmod>${links.join('')}</url>`;
  });
  return (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">' +
    `${urls.join('')}</urlset>`
  );
}

/** `/de/2` is named by the first sitemap, and listed by the second, which arrives last. */
async function site(): Promise<ScriptedServer> {
  let [firsts, seconds] = [0, 0];
  return siteOf({
    '/robots.txt': ['/a.xml', '/b.xml'],
    '/a.xml': () => {
      firsts++;
      return translated(['/1', '/1', '/de/1', '/de/2'], ['/2', '/de/2', '/de/1', '/fr/2']);
    },
    '/b.xml': async () => {
      seconds++;
      while (firsts < seconds) await setTimeout(5);
      return translated(['/de/2', '/fr/2', '/es/2'], ['/3']);
    },
  });
}

const IN_TREE = ['/1', '/de/1', '/2', '/fr/2', '/de/2', '/es/2', '/3'].map((path) => `${E}${path}`);
const ALTERNATES = ['/de/1', '/fr/2', '/es/2'].map((path) => `${E}${path}`);
const OPTIONS = { ...DECLARED, listAlternates: true };

async function streamed(server: ScriptedServer, options: StreamOptions): Promise<string[]> {
  const found: string[] = [];
  for await (const { page } of streamPages(server.origin, options)) found.push(page.url);
  return found;
}

test('§3 listAlternates gives each alternate once behind the page that names it, and none that is listed', async () => {
  const server = await site();
  const { pages, outcome } = await collectPages(server.origin, OPTIONS);
  expect([urlsOf(pages), outcome]).toEqual([IN_TREE, 'complete']);
  const { url, lastModified, alternates } = pages[1]!;
  expect([url, lastModified, alternates]).toEqual([`${E}/de/1`, undefined, []]);
  const tree = await treeOf(server, DECLARED);
  const all = tree.allPages({ listAlternates: true });
  for (const page of all) if (page.url === IN_TREE[2]) break;
  for (const _twice of [1, 2]) {
    expect(urlsOf(all)).toEqual(IN_TREE);
    const again: string[] = [];
    for await (const page of all) again.push(page.url);
    expect(again).toEqual(IN_TREE);
  }
  expect(urlsOf(tree.allPages())).toHaveLength(4);
  for await (const found of crawlSites([server.origin], OPTIONS)) {
    const rows: string[] = [];
    for await (const { page, sitemap } of found.pages())
      rows.push(`${page.url} ${sitemap.slice(server.origin.length)}`);
    const named = [
      ...IN_TREE.slice(0, 4).map((page) => `${page} /a.xml`),
      ...IN_TREE.slice(4).map((page) => `${page} /b.xml`),
    ];
    expect(rows).toEqual(named);
  }
});

test('§3 a stream gives alternates at its end, with the sitemap that names them, from memory or a file', async () => {
  const server = await site();
  for (const spoolMemoryBytes of [0, 1 << 20]) {
    const found: string[] = [];
    for await (const { page, sitemap } of streamPages(server.origin, { ...OPTIONS, spoolMemoryBytes }))
      found.push(`${page.url} ${sitemap.url.slice(server.origin.length)}`);
    expect(found.slice(-3).sort()).toEqual([`${E}/de/1 /a.xml`, `${E}/es/2 /b.xml`, `${E}/fr/2 /a.xml`]);
    expect(
      found
        .slice(0, 4)
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual(IN_TREE.filter((url) => !ALTERNATES.includes(url)).sort());
    expect(found).toHaveLength(7);
  }
  const one: string[] = [];
  for await (const { page } of streamSitemap(`${server.origin}/a.xml`, { ...QUICK, listAlternates: true }))
    one.push(page.url);
  expect(one).toEqual(['/1', '/2', '/de/1', '/de/2', '/fr/2'].map((path) => `${E}${path}`));
});

test('§3 a stream keeps every kind of alternate in its spool as it is', async () => {
  const odd = Array.from({ length: 9000 }, (_, at) => `/${at}/ä \u{1f600}"\\,%0A`);
  const server = await siteOf({
    '/robots.txt': ['/a.xml'],
    '/a.xml': translated(
      ...odd.map((path, at): [string, string] => [`/${at}`, path.replaceAll('"', '&quot;')]),
    ),
  });
  const found = await streamed(server, { ...OPTIONS, spoolMemoryBytes: 0 });
  const tree = await treeOf(server, DECLARED);
  expect(found).toHaveLength(18_000);
  expect(new Set(found)).toEqual(new Set(urlsOf(tree.allPages({ listAlternates: true }))));
});

test.each<readonly [string, StreamOptions, readonly string[], readonly string[]]>([
  ['exclude', { exclude: '/fr/' }, ['--exclude', '/fr/'], ['/1', '/de/1', '/2', '/de/2', '/es/2', '/3']],
  // An entry that is left out names its alternates all the same.
  ['include', { include: ['/es/', '/fr/'] }, ['--include', '/es/', '--include', '/fr/'], ['/fr/2', '/es/2']],
  [
    'since, which drops the undated',
    { since: '2014-01-01' },
    ['--since', '2014-01-01'],
    ['/1', '/2', '/de/2', '/3'],
  ],
  // What is listed with a date that does not match is not an undated alternate.
  [
    'since with undated',
    { since: '2015-01-01', undated: 'keep' },
    ['--since', '2015-01-01', '--undated', 'keep'],
    ['/de/1', '/fr/2', '/es/2'],
  ],
  ['hosts', { hosts: 'same' }, ['--hosts', 'same'], []],
])('§3 alternates pass the filter %s', async (_name, filters, flags, expected) => {
  const server = await site();
  const wanted = expected.map((path) => `${E}${path}`);
  const { pages } = await collectPages(server.origin, { ...OPTIONS, ...filters });
  expect(urlsOf(pages)).toEqual(wanted);
  expect((await streamed(server, { ...OPTIONS, ...filters })).sort()).toEqual([...wanted].sort());
  const argv = ['ls', server.origin, '-k', '-f', 'pages', '--list-alternates', '--ordered'];
  expect((await usp([...argv, ...flags])).lines).toEqual(wanted);
});

test('§3 maxPages counts alternates, and a sample may have them', async () => {
  const server = await site();
  const { pages, stopped } = await collectPages(server.origin, { ...OPTIONS, maxPages: 2 });
  expect([urlsOf(pages), stopped?.limit]).toEqual([IN_TREE.slice(0, 2), 'maxPages']);
  const first = await streamed(server, { ...OPTIONS, maxPages: 5 });
  expect(first.filter((url) => ALTERNATES.includes(url))).toHaveLength(1);
  const options = { ...OPTIONS, sample: 5 };
  const sample = urlsOf((await collectPages(server.origin, options)).pages);
  expect(sample).toHaveLength(5);
  expect(sample.some((url) => ALTERNATES.includes(url))).toBe(true);
  expect((await streamed(server, options)).sort()).toEqual([...sample].sort());
  const tree = await treeOf(server, DECLARED);
  const ofTree = (size: number) => tree.allPages({ listAlternates: true, sample: size });
  expect([urlsOf(ofTree(5)), urlsOf(ofTree(100))]).toEqual([sample, IN_TREE]);
  for await (const found of crawlSites([server.origin], options)) {
    const crawled: string[] = [];
    for await (const { page } of found.pages()) crawled.push(page.url);
    expect(crawled).toEqual(sample);
  }
  const argv = ['ls', server.origin, '-k', '-f', 'pages', '--list-alternates', '--sample', '5'];
  expect((await usp(argv)).lines).toEqual(sample);
});

test('§8 listAlternates belongs to what gives pages', async () => {
  const sitemap = await sitemapFromString(translated(['/1', '/de/1']));
  expect(urlsOf(sitemap.allPages({ listAlternates: true }))).toEqual([`${E}/1`, `${E}/de/1`]);
  expect(() => streamPages(E, { listAlternates: 'yes' } as object)).toThrow(
    'The option "listAlternates" must be true or false',
  );
  await expect(treeOf({ origin: E }, OPTIONS as object)).rejects.toThrow('use allPages({ listAlternates })');
});

test('§10 usp ls --list-alternates in every format, and of a file', async () => {
  const server = await site();
  const ls = (...more: readonly string[]) => usp(['ls', server.origin, '-k', '--list-alternates', ...more]);
  expect((await ls('-f', 'pages')).lines.slice(-3).sort()).toEqual([...ALTERNATES].sort());
  expect((await ls('-f', 'pages', '--ordered')).lines).toEqual(IN_TREE);
  const { stdout } = await ls();
  const tabs = stdout.split('\n').filter((line) => line.includes(E));
  expect(tabs.map((line) => line.trim())).toEqual(IN_TREE);
  const json = JSON.parse((await ls('-f', 'json')).stdout);
  expect(json.subSitemaps[0].subSitemaps[0].pages[1]).toEqual({ url: `${E}/de/1` });
  const rows = (await ls('-f', 'csv', '--ordered')).lines.map((line) =>
    line.split(',').slice(0, 3).join(' '),
  );
  expect(rows[2]).toBe(`${E}/de/1 ${server.origin}/a.xml `);
  expect(JSON.parse((await ls('-f', 'summary-json')).stdout).pages.count).toBe(7);
  expect((await ls('-f', 'tree')).stdout).toContain('7 pages');
  const file = await usp(['ls', '-', '--list-alternates', '-f', 'pages'], {
    stdin: translated(['/1', '/de/1', '/de/1'], ['/2', '/de/1']),
  });
  expect(file.lines).toEqual([`${E}/1`, `${E}/de/1`, `${E}/2`]);
});

test('§13 usp crawl --list-alternates writes them, and diff reports none as removed by a crawl without it', async () => {
  const server = await site();
  const list = join(folder(), 'sites.txt');
  writeFileSync(list, `${server.origin}\n`);
  const crawl = async (...flags: readonly string[]): Promise<string> => {
    const out = join(folder(), 'crawl');
    const { code, stderr } = await usp([
      'crawl',
      list,
      '-o',
      out,
      '-k',
      '-f',
      'ndjson',
      '--processes',
      '1',
      ...flags,
    ]);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    return out;
  };
  const [withThem, without] = [await crawl('--list-alternates'), await crawl()];
  const [part = ''] = readdirSync(join(withThem, 'pages'));
  const rows = gunzipSync(readFileSync(join(withThem, 'pages', part)))
    .toString()
    .trim()
    .split('\n');
  expect(rows.map((row) => JSON.parse(row).url)).toEqual(IN_TREE);
  const lost = await usp(['diff', withThem, without]);
  expect([lost.stdout, lost.stderr]).toEqual(['', expect.stringContaining('--list-alternates')]);
});

test('§3 an alternate that is listed without alternates of its own is there once, with its date', async () => {
  const sitemap = await sitemapFromString(translated(['/en', '/de'], ['/de']));
  const rows = Array.from(
    sitemap.allPages({ listAlternates: true }),
    ({ url, lastModifiedText }) => `${url} ${lastModifiedText}`,
  );
  expect(rows).toEqual([`${E}/en 2014-05-06`, `${E}/de 2014-05-06`]);
});

test('§3 each pass gives an alternate once, behind the first page that names it', async () => {
  const linked = translated(
    ['/1', '/de/1', '/1', '/de/1', '/3'],
    ['/2', '/de/1', '/de/2', '/fr/2'],
    ['/3', '/de/2', '/de/3'],
  );
  const pages = [...(await sitemapFromString(linked)).pages];
  const alternates = await Alternates.of(
    (async function* () {
      yield pages.slice(0, 1);
      yield pages.slice(1);
    })(),
  );
  expect(['/1', '/3', '/de/1'].map((path) => alternates.isListed(`${E}${path}`))).toEqual([
    true,
    true,
    false,
  ]);
  for (const _twice of [1, 2]) {
    const add = alternates.pass();
    const found = [pages.slice(0, 1), pages.slice(1)].map((batch) => urlsOf(add(batch)));
    const expected = [
      ['/1', '/de/1'],
      ['/2', '/de/2', '/fr/2', '/3', '/de/3'],
    ];
    expect(found).toEqual(expected.map((paths) => paths.map((path) => `${E}${path}`)));
  }
});
