/**
 * The child process of `memory.test.ts`: work on a site that has very many of something. It ends with 0 if the heap that
 * it was started with was enough.
 *
 *     node --max-old-space-size=96 measure-memory.mjs dist/index.js folders report+diff 1000000
 */

import type * as library from '../../src/index.ts';
import type { WebClient } from '../../src/options/web-seam.ts';

const [built = '', kind = '', work = '', total = ''] = process.argv.slice(2);
const { checkTree, diffPages, reportHtml, sitemapTreeForHomepage }: typeof library = await import(built);

const SITE = 'https://example.org/';
const PAGES_OF_DOCUMENT = 50_000;
const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"';

/** A name of letters for a number: digits in folders are counted as one folder. */
function letters(number: number): string {
  return number.toString(36).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!.toUpperCase());
}

/** One entry of a document, by its number in the site. */
const ENTRIES: Readonly<Record<string, (number: number) => string>> = {
  folders: (number) => `<url><loc>${SITE}${letters(number)}/a/page</loc></url>`,
  hosts: (number) => `<url><loc>https://${letters(number % 100_000)}.example.org/${number}</loc></url>`,
  languages: (number) =>
    `<url><loc>${SITE}${number}</loc><xhtml:link rel="alternate" hreflang="en-x-${letters(number % 100_000)}" href="${SITE}${number ^ 1}"/></url>`,
  // All of them in one entry, each on a host of its own.
  alternates: (number) =>
    `${number === 0 ? `<url><loc>${SITE}</loc>` : ''}<xhtml:link rel="alternate" hreflang="de" href="https://${letters(number)}.example.org/"/>${number === pages - 1 ? '</url>' : ''}`,
  // Each of them has five findings, of which a document may have a hundred.
  findings: (number) =>
    `<url><loc>${SITE}a b/${number}#x</loc><lastmod>soon</lastmod><priority>7</priority><changefreq>often</changefreq></url>`,
};
/** Findings are limited for each document, so there are many. */
const PAGES_OF: Readonly<Record<string, number>> = { findings: 100, alternates: 1_000_000 };

const pages = Number(total);
const perDocument = PAGES_OF[kind] ?? PAGES_OF_DOCUMENT;

function* documentAt(number: number, from: number): Generator<Uint8Array> {
  const entry = ENTRIES[kind]!;
  const end = Math.min(pages, (number + 1) * perDocument);
  yield Buffer.from(`<urlset ${NAMESPACES}>`);
  for (let at = number * perDocument; at < end; at += 500) {
    const length = Math.min(500, end - at);
    yield Buffer.from(Array.from({ length }, (_, offset) => entry(from + at + offset)).join(''));
  }
  yield Buffer.from('</urlset>');
}

/** A site without a server: what a server holds is not what is measured. */
function siteFrom(from: number): WebClient {
  const documents = Math.ceil(pages / perDocument);
  const urls = Array.from({ length: documents }, (_, number) => `${SITE}${number}.xml`);
  const index = urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('');
  const bodies: Readonly<Record<string, string>> = {
    [`${SITE}robots.txt`]: `Sitemap: ${SITE}index.xml`,
    [`${SITE}index.xml`]: `<sitemapindex ${NAMESPACES}>${index}</sitemapindex>`,
  };
  return async (url) => {
    const [, number] = /\/(\d+)\.xml$/.exec(url) ?? [];
    const given = bodies[url];
    const body = number !== undefined ? documentAt(Number(number), from) : [Buffer.from(given ?? '')];
    const status = number === undefined && given === undefined ? 404 : 200;
    return { status, statusText: '', url, headers: { get: () => null }, body: oneByOne(body) };
  };
}

async function* oneByOne(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

const treeFrom = (from: number): Promise<library.Sitemap> =>
  sitemapTreeForHomepage(SITE, { webClient: siteFrom(from), useKnownPaths: false });

async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of items) count++;
  return count;
}

const WORK: Readonly<Record<string, (tree: library.Sitemap) => Promise<object>>> = {
  check: async (tree) => {
    const check = checkTree(tree);
    return { findings: await countOf(check), ...check.summary };
  },
  report: async (tree) => {
    let last = '';
    for await (const text of reportHtml(tree)) last = text;
    return { isWhole: last.trimEnd().endsWith('</html>') };
  },
  diff: async (tree) => {
    const later = await treeFrom(pages / 2);
    return { changes: await countOf(diffPages(tree, later)) };
  },
};

const tree = await treeFrom(0);
const result = {};
for (const name of work.split('+')) Object.assign(result, await WORK[name]!(tree));
process.stdout.write(JSON.stringify(result));
