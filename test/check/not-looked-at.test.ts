/** §12: what was not looked at has no verdict: no rule says that something is not there which was not requested. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Finding, saveTree, sitemapFromUrl } from '../../src/index.ts';
import type { ScriptedServer, Site } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { QUICK, siteOf, treeOf } from '../support/crawled-site.ts';
import { folder } from '../support/folder.ts';

const XML = { 'content-type': 'application/xml' };
const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"';

const dated = '<lastmod>2013-05-06</lastmod>';
const map = (own: string, ...paths: readonly string[]): Site[string] => ({
  headers: XML,
  body: `<urlset ${NS}>${paths.map((path) => `<url><loc>${own}${path}</loc>${dated}</url>`).join('')}</urlset>`,
});
const index = (own: string, ...paths: readonly string[]): Site[string] => ({
  headers: XML,
  body: `<sitemapindex ${NS}>${paths.map((path) => `<sitemap><loc>${own}${path}</loc></sitemap>`).join('')}</sitemapindex>`,
});

/** What a check says, as `severity rule: message`, and how it ends. */
async function saidOf(
  { origin }: Pick<ScriptedServer, 'origin'>,
  ...flags: readonly string[]
): Promise<{ readonly code: number; readonly found: readonly string[] }> {
  const argv = ['check', origin, '-f', 'ndjson', '--retries', '0', ...flags];
  const { code, lines } = await usp(argv);
  const findings = lines.map((line) => JSON.parse(line) as Finding);
  const found = findings.map(
    ({ severity, rule, message }) => `${severity} ${rule}: ${message.replaceAll(origin, '')}`,
  );
  return { code, found };
}

const declared = (own: string): Site => ({
  '/robots.txt': ['/sitemap.xml', '/index.xml'],
  '/sitemap.xml': map(own, '/1'),
  '/index.xml': index(own, '/2.xml'),
  '/2.xml': map(own, '/2'),
});
const undeclared = (own: string): Site => ({
  '/robots.txt': 'User-agent: *\n',
  '/sitemap.xml': map(own, '/1'),
});

const FAILED =
  'error robots-txt-failed: robots.txt could not be read, so the list of sitemaps may be incomplete. ' +
  '/robots.txt: the server responded with 500 Internal Server Error. Google treats the whole site as disallowed then.';
const REFUSED = 'warning robots-txt-refused: The server refuses /robots.txt (status 403).';

describe('§12: what was not looked at has no verdict', () => {
  test.each<[string, (own: string) => Site, string[], string[]]>([
    ['robots.txt is not read', declared, ['-r'], []],
    ['robots.txt is not read, and no known path has a sitemap', () => ({ '/robots.txt': [] }), ['-r'], []],
    ['no sitemap is chosen', declared, ['--sitemap-include', 'nothing'], []],
    ['every sitemap is left out', declared, ['--sitemap-exclude', '.xml'], []],
    ['known paths are not requested', undeclared, ['-k'], []],
    ['known paths are not requested, but for one', undeclared, ['-k', '--known-path', 'other.xml'], []],
    ['robots.txt fails', () => ({ '/robots.txt': { status: 500 } }), [], [FAILED]],
    // Not a refusal: later the server may respond.
    [
      'robots.txt is asked for too often',
      (own) => ({ ...undeclared(own), '/robots.txt': { status: 429 } }),
      [],
      [FAILED.replace('500 Internal Server Error', '429 Too Many Requests')],
    ],
    ['robots.txt is refused', () => ({ '/robots.txt': { status: 403 } }), [], [REFUSED]],
    [
      'robots.txt fails, and a known path has a sitemap',
      (own) => ({ ...undeclared(own), '/robots.txt': { status: 500 } }),
      [],
      [FAILED],
    ],
    [
      'robots.txt is refused, and a known path has a sitemap',
      (own) => ({ ...undeclared(own), '/robots.txt': { status: 403 } }),
      [],
      [REFUSED],
    ],
    [
      'the index that may declare it is left out',
      (own) => ({
        ...declared(own),
        '/robots.txt': ['/index.xml'],
        '/index.xml': index(own, '/sitemap.xml'),
      }),
      ['--sitemap-exclude', 'index'],
      [],
    ],
    [
      'the index that may declare it fails',
      (own) => ({ ...declared(own), '/robots.txt': ['/index.xml'], '/index.xml': { status: 500 } }),
      [],
      ['error sitemap-unreadable: /index.xml: the server responded with 500 Internal Server Error.'],
    ],
    [
      'a sitemap that lists pages is cut: it declares nothing',
      (own) => ({
        '/robots.txt': 'User-agent: *\n',
        '/sitemap.xml': { headers: XML, body: `<urlset ${NS}><url><loc>${own}/1</loc>${dated}</url>` },
      }),
      [],
      [
        'info sitemap-not-declared: Neither robots.txt nor an index declares the sitemap /sitemap.xml',
        'error truncated: The document ends before </urlset>.',
      ],
    ],
  ])('%s', async (_what, site, flags, expected) => {
    expect((await saidOf(await siteOf(site), ...flags)).found).toEqual(expected);
  });

  test('what was looked at has one', async () => {
    const gone = await siteOf({ '/robots.txt': 'User-agent: *\n' });
    expect((await saidOf(gone)).found).toEqual([
      'error no-sitemap: The site has no sitemap: robots.txt declares none, and there is none at 21 known paths.',
    ]);
    const undeclaredOnly = await siteOf(undeclared);
    expect((await saidOf(undeclaredOnly)).found).toEqual([
      'info sitemap-not-declared: Neither robots.txt nor an index declares the sitemap /sitemap.xml',
    ]);
    const behindMissing = await siteOf((own) => ({
      ...undeclared(own),
      '/robots.txt': ['/gone.xml'],
    }));
    expect((await saidOf(behindMissing)).found.map((line) => line.split(':')[0])).toEqual([
      'info sitemap-not-declared',
      'error sitemap-unreadable',
    ]);
  });

  test('a known path that fails is not one without a sitemap', async () => {
    const site = await siteOf({ '/robots.txt': 'User-agent: *\n', '/.sitemap.xml': { status: 403 } });
    expect((await saidOf(site)).found).toEqual([
      'error no-sitemap: No sitemap was found: robots.txt declares none, there is none at 20 known paths, and 1 could not be read.',
    ]);
  });

  test.each<[string, string[], string[]]>([
    ['all of them', [], ['info hreflang-not-listed']],
    ['some of them', ['--sitemap-exclude', 'de.xml'], []],
    ['those of known paths', ['-r'], []],
  ])('an alternate is in no sitemap where the check has read %s', async (_what, flags, expected) => {
    const alternates = (own: string): string =>
      ['en', 'de']
        .map((code) => `<xhtml:link rel="alternate" hreflang="${code}" href="${own}/${code}"/>`)
        .join('');
    const site = await siteOf((own) => ({
      '/robots.txt': ['/sitemap.xml', '/de.xml'],
      '/sitemap.xml': {
        headers: XML,
        body: `<urlset ${NS}><url><loc>${own}/en</loc>${dated}${alternates(own)}</url></urlset>`,
      },
      '/de.xml': map(own, '/other'),
    }));
    const { found } = await saidOf(site, ...flags);
    expect(found.map((line) => line.split(':')[0])).toEqual(expected);
  });

  test('a WARC file without robots.txt, without a child and without the pages', async () => {
    const site = await siteOf((own) => ({
      ...declared(own),
      '/sitemap.xml': index(own, '/1.xml', '/2.xml'),
      '/1.xml': map(own, '/1', '/1b'),
    }));
    const tree = await sitemapFromUrl(`${site.origin}/sitemap.xml`, {
      ...QUICK,
      recurseCallback: (url) => url.endsWith('/1.xml'),
    });
    const file = join(folder(), 'part.warc.gz');
    await saveTree(tree, file);
    tree.close();
    expect(await saidOf(site, '--from-warc', file, '--request-pages', 'all')).toEqual({ code: 0, found: [] });
    const other = await usp(['check', `${site.origin}/2.xml`, '--sitemap', '--from-warc', file]);
    expect(other.stdout).not.toContain('sitemap-unreadable');
    const { stdout, stderr } = await usp([
      'check',
      site.origin,
      '--from-warc',
      file,
      '--request-pages',
      'all',
    ]);
    expect(stdout).toContain('Not everything could be read, so there may be more.');
    expect(stdout).toContain('0 of 2 pages were requested: 2 not-requested.');
    expect(stderr).toContain(`${site.origin}/2.xml: it is not in ${file}.`);
  });

  test('a report, a tree and a listing do not say it either', async () => {
    const site = await siteOf(declared);
    const filters = ['--sitemap-include', 'nothing', '--retries', '0', '--proxy', 'none'];
    const report = await usp(['report', site.origin, '-o', '-', ...filters]);
    expect(report.stdout).toMatch(/No sitemap of <bdi>[^<]*<\/bdi> was found\./);
    const filtered = await treeOf(site, { ...QUICK, useKnownPaths: false, recurseCallback: () => false });
    expect(filtered.reason).toBe('No sitemap was found.');
    const nothing = await siteOf({ '/robots.txt': 'User-agent: *\n' });
    const file = join(folder(), 'robots.warc.gz');
    const without = await treeOf(nothing, { ...QUICK, useKnownPaths: false });
    expect(without.reason).toBe('No sitemap was found.');
    await saveTree(without, file);
    const listing = await usp(['ls', nothing.origin, '--from-warc', file]);
    expect(listing.stderr).toContain(
      'no sitemap found: robots.txt declares none and the WARC files have none at 21 known paths.',
    );
  });
});
