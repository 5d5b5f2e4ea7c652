/**
 * §7 truncation: what a problem says of the entry in which a document ends is what became of it, in a parse, a stream, a
 * tree and a saved one. A check says where the document ends, and counts the same pages.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checkSitemap,
  checkTree,
  loadTree,
  type Problem,
  saveTree,
  sitemapFromUrl,
  streamSitemap,
} from '../src/index.ts';
import { parseSitemap } from '../src/parse/index.ts';
import { codesOf, QUICK, siteOf } from './support/crawled-site.ts';
import { folder } from './support/folder.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const URLSET = `<urlset ${NS}><url><loc>https://example.org/a</loc></url>`;
const INDEX = `<sitemapindex ${NS}><sitemap><loc>https://example.org/a.xml</loc></sitemap>`;
const FEED = '<rss version="2.0"><channel><title>A</title><item><link>https://example.org/a</link></item>';
const ATOM = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://example.org/a"/></entry>';

const inside = (fate: 'kept' | 'dropped'): string =>
  `The document ends inside an entry, which was ${fate}; what came before was kept.`;
const BETWEEN = 'The document ends before its root was closed; what came before was kept.';

interface Row {
  readonly title: string;
  readonly document: string;
  readonly message: string;
  /** What a check says. */
  readonly place: string;
  readonly pages?: number;
  readonly sitemaps?: number;
}

const CASES: readonly Row[] = [
  {
    title: 'a page, behind its whole address',
    document: `${URLSET}<url><loc>https://example.org/b</loc>`,
    message: inside('dropped'),
    place: 'The document ends before </url>.',
    pages: 1,
  },
  {
    title: 'a page, in its address',
    document: `${URLSET}<url><loc>https://example.org/b`,
    message: inside('dropped'),
    place: 'The document ends before </loc>.',
    pages: 1,
  },
  {
    title: 'a page, in the tag that would end it',
    document: `${URLSET}<url><loc>https://example.org/b</loc></url`,
    message: inside('dropped'),
    place: 'The document ends inside the tag "</url".',
    pages: 1,
  },
  {
    title: 'the first page',
    document: `<urlset ${NS}><url><loc>https://example.org/a</loc><lastmod>2024`,
    message: inside('dropped'),
    place: 'The document ends before </lastmod>.',
    pages: 0,
  },
  {
    title: 'no page: between two',
    document: URLSET,
    message: BETWEEN,
    place: 'The document ends before </urlset>.',
    pages: 1,
  },
  {
    title: 'no page: in a comment',
    document: `${URLSET}<!-- b`,
    message: BETWEEN,
    place: 'The document ends inside a comment.',
    pages: 1,
  },
  {
    title: 'a sitemap of an index, behind its whole address',
    document: `${INDEX}<sitemap><loc>https://example.org/b.xml</loc><lastmod>2024`,
    message: inside('kept'),
    place: 'The document ends before </lastmod>.',
    sitemaps: 2,
  },
  {
    title: 'a sitemap of an index, in its address',
    document: `${INDEX}<sitemap><loc>https://example.org/b`,
    message: inside('dropped'),
    place: 'The document ends before </loc>.',
    sitemaps: 1,
  },
  {
    title: 'a sitemap of an index, before its address',
    document: `${INDEX}<sitemap>`,
    message: inside('dropped'),
    place: 'The document ends before </sitemap>.',
    sitemaps: 1,
  },
  {
    title: 'an item of a feed',
    document: `${FEED}<item><link>https://example.org/b</link>`,
    message: inside('dropped'),
    place: 'The document ends before </item>.',
    pages: 1,
  },
  {
    title: 'an entry of an Atom feed',
    document: `${ATOM}<entry><link href="https://example.org/b"/>`,
    message: inside('dropped'),
    place: 'The document ends before </entry>.',
    pages: 1,
  },
];

const truncatedIn = (problems: readonly Problem[]): readonly string[] =>
  problems.filter(({ code }) => code === 'truncated').map(({ message }) => message);

describe.each(CASES)(
  'a document that ends inside $title',
  ({ message, place, pages = 0, sitemaps = 0, ...row }) => {
    /** On a server, with the sitemaps of an index there: they are not found. */
    async function served(): Promise<{ document: string; url: string }> {
      const { origin, site } = await siteOf({});
      const document = row.document.replaceAll('https://example.org', origin);
      site['/cut.xml'] = document;
      return { document, url: `${origin}/cut.xml` };
    }

    test('is told alike by a parse, a stream, a tree and a saved one', async () => {
      const { document, url } = await served();
      const parse = parseSitemap(document);
      expect([...parse]).toHaveLength(pages + sitemaps);
      expect(truncatedIn(parse.problems)).toEqual([message]);

      const stream = streamSitemap(url, QUICK);
      let streamed = 0;
      for await (const _ of stream) streamed++;
      expect([streamed, stream.invalidSitemaps.length]).toEqual([pages, sitemaps]);
      expect(stream.incompleteSitemaps.map(({ problems }) => truncatedIn(problems))).toEqual([[message]]);

      using fetched = await sitemapFromUrl(url, QUICK);
      const path = join(folder(), 'tree.warc.gz');
      await saveTree(fetched, path);
      using loaded = await loadTree(path);
      for (const tree of [fetched, loaded]) {
        expect([tree.pageCount, tree.subSitemaps.length]).toEqual([pages, sitemaps]);
        expect([tree.truncated, truncatedIn(tree.problems)]).toEqual([true, [message]]);
      }
    });

    test('is where a check says, which has as many pages', async () => {
      const { document, url } = await served();
      using tree = await sitemapFromUrl(url, QUICK);
      for (const check of [checkSitemap(document), checkTree(tree)]) {
        const found: string[] = [];
        for await (const { rule, message } of check) if (rule === 'truncated') found.push(message);
        expect(found).toEqual([place]);
        expect(check.summary.pages).toBe(pages);
      }
    });
  },
);

test('of a response that is cut, the entry is dropped all the same, and a check says that it was cut', async () => {
  const document = `${URLSET}<url><loc>https://example.org/b</loc></url></urlset>`;
  const truncateAfter = document.lastIndexOf('</url>');
  const { origin } = await siteOf({ '/cut.xml': { body: document, truncateAfter } });
  const url = `${origin}/cut.xml`;
  const stream = streamSitemap(url, QUICK);
  let streamed = 0;
  for await (const _ of stream) streamed++;
  using tree = await sitemapFromUrl(url, QUICK);
  expect([streamed, tree.pageCount]).toEqual([1, 1]);
  for (const { problems } of [...stream.incompleteSitemaps, tree]) {
    expect(codesOf(problems)).toEqual(['connection-broke', 'truncated']);
    expect(truncatedIn(problems)).toEqual([inside('dropped')]);
  }
  const rules: string[] = [];
  for await (const { rule, severity } of checkTree(tree)) if (severity === 'error') rules.push(rule);
  expect(rules).toEqual(['connection-broke']);
});
