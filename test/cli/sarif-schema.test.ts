/** §12: whatever `sarif` writes is valid by the JSON schema of SARIF 2.1.0. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSitemap, checkSitemaps } from '../../src/check/index.ts';
import { FINDING_FORMATS } from '../../src/cli/render/finding-formats.ts';
import { ALL_FIXTURES } from '../check/fixtures/all-fixtures.ts';
import { usp } from '../support/cli-world.ts';
import { siteOf } from '../support/crawled-site.ts';
import { robots } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { HOSTILE_SHAPES, hostileDocument } from '../support/hostile-shapes.ts';
import { sarifErrors } from '../support/sarif-schema.ts';
import { sized } from '../support/tier.ts';

/** Without those that break a limit by their size. */
const SMALL = ALL_FIXTURES.filter(({ bad }) => bad.length < 100_000);

/** In the fast tier every fourth: neighbours are much alike. */
const SHAPES = Object.keys(HOSTILE_SHAPES).filter((_, at) => at % sized({ fast: 4, full: 1 }) === 0);

interface Log {
  readonly runs: readonly [
    { readonly results: readonly { readonly ruleId: string; readonly level: string }[] },
  ];
}

/** What `usp check -f sarif` writes about these inputs, which the schema must accept. */
async function logOf(...argv: readonly string[]): Promise<Log> {
  const { stdout } = await usp(['check', '-f', 'sarif', ...argv]);
  const log = JSON.parse(stdout) as Log;
  expect(sarifErrors(log)).toEqual([]);
  return log;
}

const rulesOf = ({ runs: [run] }: Log): ReadonlySet<string> =>
  new Set(run.results.map(({ ruleId }) => ruleId));

describe('§12: the schema of SARIF', () => {
  test('a log with a level, a column or a property that SARIF does not have is refused', () => {
    const log = (result: object): object => ({
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'x' } }, results: [{ message: { text: 'x' }, ...result }] }],
    });
    const region = (startColumn: number): object => ({
      locations: [
        { physicalLocation: { artifactLocation: { uri: 'a' }, region: { startLine: 1, startColumn } } },
      ],
    });
    expect(sarifErrors(log({ level: 'note', ...region(1) }))).toEqual([]);
    expect(sarifErrors(log({ level: 'info' }))).not.toEqual([]);
    expect(sarifErrors(log(region(0)))).not.toEqual([]);
    expect(sarifErrors(log({ page: 'https://example.org/' }))).not.toEqual([]);
    expect(sarifErrors({ runs: [] })).not.toEqual([]);
  });

  test('the log of the fixtures of every rule is valid', async () => {
    const directory = folder();
    const files = SMALL.map(({ rule, bad, url }, at) => {
      const isRobotsTxt = url?.endsWith('/robots.txt') === true;
      const file = join(directory, isRobotsTxt ? `${at}.robots.txt` : `${at} ${rule}.xml`);
      writeFileSync(file, bad);
      return file;
    });
    expect(rulesOf(await logOf(...files)).size).toBeGreaterThan(60);
  });

  test('the log of every fixture by itself is valid, with the documents that belong to it', () => {
    for (const { rule, bad, url = 'https://example.org/sitemap.xml', before, behind } of SMALL) {
      const others = (given: Readonly<Record<string, string>> = {}) =>
        Object.entries(given).map(([each, content]) => ({ url: each, content }));
      const check = checkSitemaps([...others(before), { url, content: bad }, ...others(behind)], {
        now: new Date('2026-06-15T12:00:00Z'),
      });
      const writer = FINDING_FORMATS.sarif({ version: '1.2.3' });
      for (const finding of check) writer.item(finding, {});
      const log = JSON.parse(writer.end!({ summary: check.summary }));
      expect({ rule, errors: sarifErrors(log) }).toEqual({ rule, errors: [] });
    }
  });

  test.each(SHAPES)('the log of a hostile document is valid: %s', (shape) => {
    const evil = '\u0000\u001b[31m\u009b\u202e\u2028\ud800%zz \\"<';
    const bytes = Buffer.concat([hostileDocument(shape, 4000), Buffer.from(evil)]);
    const writer = FINDING_FORMATS.sarif({});
    const check = checkSitemap(bytes, { name: `${evil}.xml` });
    for (const finding of check)
      writer.item({ ...finding, page: evil, related: [{ document: evil, message: evil }] }, {});
    const log = JSON.parse(writer.end!({ summary: check.summary })) as Log;
    expect(log.runs[0].results.length).toBeGreaterThan(0);
    expect(sarifErrors(log)).toEqual([]);
  });

  test('the log of a site with broken sitemaps and pages is valid', async () => {
    const { origin } = await siteOf((own) => ({
      '/robots.txt': robots(`${own}/index.xml`, `${own}/moved.xml`, '/relative.xml'),
      '/index.xml': `<sitemapindex><sitemap><loc>${own}/a.xml</loc></sitemap><sitemap><loc>${own}/ö x.xml</loc></sitemap></sitemapindex>`,
      '/a.xml': `<urlset>\n<url><loc>${own}/admin/x?a&b</loc></url>\n<url><loc>${own}/gone#y</loc></url></urlset>`,
      '/moved.xml': { redirect: '/html.xml' },
      '/html.xml': '<!doctype html><title>Home</title>',
    }));
    const log = await logOf(origin, '--request-pages', 'all', '--retries', '0', '--proxy', 'none');
    const expected = ['bare-ampersand', 'page-blocked', 'page-missing', 'sitemap-is-html', 'url-fragment'];
    expect([...rulesOf(log)]).toEqual(expect.arrayContaining(expected));
  });

  test.each([
    ['has no findings', []],
    ['was stopped by a limit', ['--max-sitemaps', '1']],
  ])('the log of a check that %s is valid', async (_what, flags) => {
    const { origin } = await siteOf((own) => ({
      '/robots.txt': ['/a.xml', '/b.xml'],
      '/a.xml': `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${own}/a</loc></url></urlset>`,
      '/b.xml': `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${own}/b</loc></url></urlset>`,
    }));
    const quiet = [
      '--rule',
      'lastmod-missing=off',
      '--rule',
      'content-type=off',
      '--rule',
      'url-not-public=off',
    ];
    const log = await logOf(origin, ...quiet, ...flags, '--retries', '0', '--proxy', 'none');
    expect(log.runs[0].results).toEqual([]);
  });
});
