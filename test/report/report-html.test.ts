/** §13: `reportHtml`: its parts and their order, its size, and bad input. */
import { describe, expect, test } from 'vitest';
import { type ReportOptions, reportHtml, type Sitemap, sitemapFromString } from '../../src/index.ts';
import { IndexWebsiteSitemap, IndexXMLSitemap, PagesXMLSitemap } from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { sized } from '../support/tier.ts';
import { pagesNode, SITE, sampleTree, source } from '../support/trees.ts';

async function htmlOf(tree: Sitemap, options: ReportOptions = {}): Promise<string> {
  let html = '';
  for await (const piece of reportHtml(tree, { findings: [], ...options })) html += piece;
  return html;
}

test('the sections are in the order of their importance', async () => {
  const before = sampleTree();
  const html = await htmlOf(sampleTree(), { before });
  const sections = [...html.matchAll(/<section id="([\w-]+)"/g)].map(([, id]) => id);
  expect(sections).toEqual([
    'verdict',
    'fix-first',
    'changes',
    'findings',
    'sitemaps',
    'charts',
    'carried',
    'samples',
  ]);
});

test('it is one file: nothing in it is loaded from elsewhere', async () => {
  const html = await htmlOf(sampleTree());
  expect(html).not.toMatch(/<(?:link|img|iframe|object|embed)\b|\bsrc=|@import|url\((?!#)/);
});

describe('the verdict', () => {
  const verdictOf = async (tree: Sitemap, options?: ReportOptions): Promise<string> =>
    (await htmlOf(tree, options))
      .replace(/^[\s\S]*?<section id="verdict"/, '')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ');

  test('of a site that has everything in order', async () => {
    const spool = new Spool({ memoryBytes: 1_000_000 });
    const tree = new IndexWebsiteSitemap({
      url: SITE,
      complete: true,
      subSitemaps: [pagesNode(spool, 'a.xml', 'p')],
      documents: spool,
    });
    expect(await verdictOf(tree)).toContain(
      'The sitemaps of example.org are in good order. Complete: everything that is declared was read to its end.',
    );
  });

  test('of a site that is not complete, with the reason', async () => {
    expect(await verdictOf(sampleTree())).toContain(
      'Not complete: 1 sitemap could not be read (1 × HTTP 404).',
    );
  });

  test('of a site that has no readable sitemap', async () => {
    const tree = new IndexWebsiteSitemap({
      url: SITE,
      complete: false,
      subSitemaps: [],
      problems: [{ code: 'robots-failed', message: 'robots.txt could not be read: refused.' }],
    });
    const verdict = await verdictOf(tree);
    expect(verdict).toContain('No sitemap of example.org could be read.');
    expect(verdict).toContain('robots.txt could not be read: refused.');
    expect(verdict).toContain('There is no page.');
  });

  test('of findings, with what to do first', async () => {
    async function* findings() {
      yield {
        rule: 'empty-sitemap',
        severity: 'warning',
        message: 'It is empty.',
        document: `${SITE}a.xml`,
      } as const;
      yield {
        rule: 'over-50000-urls',
        severity: 'error',
        message: 'It has 60,000.',
        document: `${SITE}a.xml`,
        line: 2,
        column: 3,
      } as const;
    }
    const verdict = await verdictOf(sampleTree(), { findings: findings() });
    expect(verdict).toContain('1 error needs fixing in the sitemaps of example.org');
    expect(verdict).toMatch(/Fix first error It has 60,000\..*Divide it.*a\.xml :2:3.*warning It is empty\./);
  });
});

test('changes since an earlier tree are counted and shown', async () => {
  const spool = new Spool({ memoryBytes: 1_000_000 });
  const site = (...paths: readonly string[]) =>
    new IndexWebsiteSitemap({
      url: SITE,
      complete: true,
      subSitemaps: [pagesNode(spool, 'a.xml', ...paths)],
      documents: spool,
    });
  const html = await htmlOf(site('kept', 'new'), { before: site('kept', 'old') });
  expect(html).toMatch(
    /<strong>1<\/strong> added[\s\S]*\/new<[\s\S]*<strong>0<\/strong> changed[\s\S]*<strong>1<\/strong> removed[\s\S]*\/old</,
  );
});

test('a site of very many sitemaps, pages, folders and dates stays below a megabyte', async () => {
  const spool = new Spool({ memoryBytes: 200_000_000 });
  const word = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  // Beyond 2,000 sitemaps and 20,000 folders, which are the most that a summary has, a report must not grow.
  const many = sized({ fast: 1_200, full: 50_000 });
  const children = Array.from({ length: many }, (_, n) => {
    const name = `${SITE}sitemaps/of/a/long/folder/${word(n)}-${'name'.repeat(20)}.xml`;
    const pages = Array.from(
      { length: 10 },
      (_, at) =>
        `<url><loc>${SITE}${word(n)}/${word(at)}/${'long'.repeat(30)}/${n}</loc><lastmod>${1970 + (n % 90)}-0${1 + (at % 9)}-${10 + (n % 19)}</lastmod></url>`,
    );
    return new PagesXMLSitemap({
      url: name,
      pages: source(
        spool,
        `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${pages.join('')}</urlset>`,
      ),
    });
  });
  const index = new IndexXMLSitemap({ url: `${SITE}index.xml`, subSitemaps: children });
  const tree = new IndexWebsiteSitemap({ url: SITE, complete: true, subSitemaps: [index], documents: spool });
  const html = await htmlOf(tree);
  expect(Buffer.byteLength(html)).toBeLessThan(1_000_000);
  expect(html).toMatch(/did not fit into the report/);
  expect(html).toContain(`${(many * 10).toLocaleString('en')}</span> <span class="name">pages`);
});

describe('bad input', () => {
  test('what is not a tree', () => {
    expect(() => reportHtml('x' as unknown as Sitemap)).toThrow(
      expect.objectContaining({ code: 'bad-input' }),
    );
  });

  test.each([{ befor: 1 }, { before: 'yesterday.warc.gz' }])('an option: %j', (options) => {
    expect(() => reportHtml(sampleTree(), options as object)).toThrow(
      expect.objectContaining({ code: 'bad-option' }),
    );
  });

  test('a signal that has fired', async () => {
    const reason = new Error('enough');
    await expect(htmlOf(sampleTree(), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('a document that is not a sitemap', async () => {
    expect(await htmlOf(await sitemapFromString('<html></html>'))).toContain('could be read.');
  });
});
