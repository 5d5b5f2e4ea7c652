/** Many pages over a small memory budget, walked twice with equal results, saved and loaded. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SitemapPage } from '../../src/parse/model/page.ts';
import { loadTree } from '../../src/sitemap/archive/load-tree.ts';
import { saveTree } from '../../src/sitemap/archive/save-tree.ts';
import { DocumentPages } from '../../src/sitemap/page-source.ts';
import { IndexWebsiteSitemap, PagesXMLSitemap, type Sitemap } from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { folder } from '../support/folder.ts';
import { IS_POSIX } from '../support/platform.ts';
import { aliveBytes } from '../support/sitemaps.ts';
import { sized } from '../support/tier.ts';
import { SITE } from '../support/trees.ts';

const MB = 1_000_000;
const SITEMAPS = 20;
const PAGES = sized({ fast: 2_500, full: 5_000, strong: 25_000 });

async function bigTree(directory: string): Promise<IndexWebsiteSitemap> {
  const spool = new Spool({ memoryBytes: 2 * MB, directory });
  const nodes = Array.from({ length: SITEMAPS }, async (_, index) => {
    const writer = spool.writer();
    await writer.write(Buffer.from('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'));
    for (let page = 0; page < PAGES; page += 100) {
      const urls = Array.from(
        { length: 100 },
        (_, offset) =>
          `<url><loc>${SITE}${index}/a/rather/long/path/${page + offset}</loc><lastmod>2024-05-06</lastmod></url>`,
      );
      await writer.write(Buffer.from(urls.join('\n')));
    }
    await writer.write(Buffer.from('</urlset>'));
    const url = `${SITE}${index}.xml`;
    const facts = { options: { url, charset: undefined }, requestedAt: undefined, truncatedBy: undefined };
    return new PagesXMLSitemap({ url, pages: new DocumentPages(writer.end(facts)) });
  });
  return new IndexWebsiteSitemap({
    url: SITE,
    subSitemaps: await Promise.all(nodes),
    complete: true,
    documents: spool,
  });
}

/** A digest of all pages; the text is put together first, as to hash each URL by itself takes longer than parsing. */
class Digest {
  readonly #hash = createHash('sha1');
  #text = '';

  add({ url, lastModifiedText }: SitemapPage): void {
    this.#text += `${url} ${lastModifiedText}\n`;
    if (this.#text.length > 100_000) this.#flush();
  }

  end(): string {
    this.#flush();
    return this.#hash.digest('hex');
  }

  #flush(): void {
    this.#hash.update(this.#text);
    this.#text = '';
  }
}

function walk(tree: Sitemap): string {
  const digest = new Digest();
  for (const page of tree.allPages()) digest.add(page);
  return digest.end();
}

async function walkAsync(tree: Sitemap): Promise<string> {
  const digest = new Digest();
  for await (const page of tree.allPages()) digest.add(page);
  return digest.end();
}

test(`${SITEMAPS * PAGES} pages are walked twice, saved and loaded, in little memory and without a file left`, async () => {
  const [spools, directory] = [folder(), folder()];
  const path = join(directory, 'tree.gz');
  const before = aliveBytes();
  const tree = await bigTree(spools);
  expect((aliveBytes() - before) / MB).toBeLessThan(8);
  const expected = walk(tree);
  expect(walk(tree)).toBe(expected);
  expect(await walkAsync(tree)).toBe(expected);
  expect([...tree.allSitemaps()].map(({ pageCount }) => pageCount)).toEqual(Array(SITEMAPS).fill(PAGES));

  let peak = 0;
  const timer = setInterval(() => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    peak = Math.max(peak, heapUsed + arrayBuffers);
  }, 5);
  const start = aliveBytes();
  await saveTree(tree, path);
  const loaded = await loadTree(path);
  clearInterval(timer);
  expect((peak - start) / MB).toBeLessThan(120);
  expect((aliveBytes() - start) / MB).toBeLessThan(8);
  expect(walk(loaded)).toBe(expected);
  // Windows keeps a file that is open.
  if (IS_POSIX) expect(readdirSync(spools)).toEqual([]);
  expect(readdirSync(directory)).toEqual(['tree.gz']);
  loaded.close();
  expect(walk(tree)).toBe(expected);
  tree.close();
});
