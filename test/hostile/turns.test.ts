/**
 * Work on many pages leaves the event loop to others: timers fire, sockets are served and signals arrive. How long a turn
 * takes is not measured, since other processes take the processor away: what is counted is how often others get a turn.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  checkTree,
  diffPages,
  jsonChunks,
  loadTree,
  reportHtml,
  type Sitemap,
  saveTree,
  sitemapTreeForHomepage,
  streamPages,
  summarize,
} from '../../src/index.ts';
import { type ScriptedServer, startServer } from '../server/scripted-server.ts';
import { index, robots } from '../support/documents.ts';
import { folderUntil } from '../support/folder.ts';
import { sized } from '../support/tier.ts';

const DOCUMENTS = sized({ fast: 2, full: 2, strong: 8 });
const PAGES_OF_DOCUMENT = sized({ fast: 6_000, full: 8_000, strong: 25_000 });
const PAGES = DOCUMENTS * PAGES_OF_DOCUMENT;
/** Of the slowest work, a check that finds something in each, these are less than 100 ms. */
const MOST_PAGES_OF_A_TURN = 5_000;
const OPTIONS = { proxy: false, useKnownPaths: false, allowPrivateNetworks: true } as const;

let server: ScriptedServer;
let tree: Sitemap;
let other: Sitemap;
const directory = folderUntil(afterAll);
let file = '';

/** Pages in folders of their own, each with a translation that does not return the link, and a date that is not one. */
function manyPages(document: number, version: string): string {
  const entries = Array.from({ length: PAGES_OF_DOCUMENT }, (_, page) => {
    const path = `https://example.org/${version}${document}/${page}`;
    const link = `<xhtml:link rel="alternate" hreflang="de" href="${path}/de"/>`;
    return `<url><loc>${path}/en</loc><lastmod>soon</lastmod>${link}</url>`;
  });
  const xhtml = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"';
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ${xhtml}>${entries.join('\n')}</urlset>`;
}

async function serveVersion(version: string): Promise<void> {
  const { site, origin } = server;
  const names = Array.from({ length: DOCUMENTS }, (_, document) => `/${document}.xml`);
  for (const [document, name] of names.entries()) site[name] = manyPages(document, version);
  site['/index.xml'] = index(...names.map((name) => origin + name));
  site['/robots.txt'] = robots(`${origin}/index.xml`);
}

beforeAll(async () => {
  file = join(directory, 'site.warc.gz');
  server = await startServer({});
  await serveVersion('b');
  other = await sitemapTreeForHomepage(server.origin, OPTIONS);
  await serveVersion('a');
  tree = await sitemapTreeForHomepage(server.origin, OPTIONS);
  await saveTree(tree, file);
});
afterAll(async () => {
  tree?.close();
  other?.close();
  await server?.close();
});

/** Counts the turns of others until it is stopped. */
class OtherTurns {
  count = 0;
  #isOver = false;

  constructor() {
    const turn = (): void => {
      this.count++;
      if (!this.#isOver) setImmediate(turn);
    };
    setImmediate(turn);
  }

  stop(): void {
    this.#isOver = true;
  }
}

async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of items) count++;
  return count;
}

/** Each goes over all pages once. */
const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  'a crawl': async () => (await sitemapTreeForHomepage(server.origin, OPTIONS)).close(),
  'a stream': async () => expect(await countOf(streamPages(server.origin, OPTIONS))).toBe(PAGES),
  'a walk': async () => expect(await countOf(tree.allPages())).toBe(PAGES),
  'a walk over each page once': async () =>
    expect(await countOf(tree.allPages({ unique: true }))).toBe(PAGES),
  'a check': async () => expect(await countOf(checkTree(tree))).toBeGreaterThan(DOCUMENTS),
  'a report': () => countOf(reportHtml(tree)),
  'a summary': () => summarize(tree),
  'the JSON of a tree': () => countOf(jsonChunks(tree)),
  'saving a tree': () => saveTree(tree, file),
  'loading and verifying a tree': async () => (await loadTree(file, { verify: true })).close(),
  'a comparison': async () => expect(await countOf(diffPages(other, tree))).toBe(2 * PAGES),
};

test.each(Object.keys(WORK))(`%s of ${PAGES} pages leaves the event loop to others`, async (name) => {
  const turns = new OtherTurns();
  await WORK[name]?.();
  turns.stop();
  expect(turns.count).toBeGreaterThanOrEqual(PAGES / MOST_PAGES_OF_A_TURN);
});

test('the links between languages, which are counted when all pages are read, leave it to others too', async () => {
  const turns = new OtherTurns();
  let whenRead = 0;
  await summarize(tree, {
    keep: (pages) => {
      whenRead = turns.count;
      return pages;
    },
  });
  turns.stop();
  expect(turns.count - whenRead).toBeGreaterThanOrEqual(PAGES / 8_000);
});
