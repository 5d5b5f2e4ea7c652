/** §5 The pages of a document: what is remembered of a walk, and what ends one. */
import { expect, test } from 'vitest';
import { diffPages } from '../../src/diff/diff-pages.ts';
import { SoughtUrls } from '../../src/parse/seen-urls.ts';
import type { TruncatedBy } from '../../src/sitemap/kept-document.ts';
import { DocumentPages } from '../../src/sitemap/page-source.ts';
import { PagesTextSitemap } from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { SITE, source, urlset } from '../support/trees.ts';

const spool = new Spool({ memoryBytes: 10_000_000 });

test('a walk for some URLs alone does not say how many pages there are', async () => {
  const pages = source(spool, urlset('1', '2', '3'));
  for await (const _ of pages.batchesAsync(undefined, new SoughtUrls(() => false)));
  expect(pages.summary.pageCount).toBe(3);
});

test('an async walk over a document without pages ends with the reason of its signal', async () => {
  const pages = source(spool, `<urlset><!--${'x'.repeat(1_000_000)}--></urlset>`);
  const reason = new Error('enough');
  const walk = pages.batchesAsync(AbortSignal.abort(reason));
  await expect(walk.next()).rejects.toBe(reason);
  for await (const batch of pages.batchesAsync()) expect.unreachable(String(batch.length));
});

test('a text that was cut off, and arrived whole later with the same bytes, has another page then', async () => {
  const url = `${SITE}sitemap.txt`;
  const nodeOf = (truncatedBy: TruncatedBy | undefined): PagesTextSitemap => {
    const writer = spool.writer();
    writer.write(Buffer.from(`${SITE}1\n${SITE}2`));
    const document = writer.end({ options: { url, charset: undefined }, requestedAt: 0, truncatedBy });
    const pages = new DocumentPages(document);
    return new PagesTextSitemap({ url, pages, truncated: truncatedBy !== undefined, facts: { document } });
  };
  const changes: string[] = [];
  for await (const { type, page } of diffPages(nodeOf('disconnect'), nodeOf(undefined), { plain: true }))
    changes.push(`${type} ${page.url}`);
  expect(changes).toEqual([`added ${SITE}2`]);
});

test('the summary of a document is that of its first whole walk, sync or async, and knows whether its end is missing', async () => {
  const text = urlset('1', '2').replace('</loc>', '</loc><priority>x</priority>');
  for (const cut of [0, 9]) {
    for (const walk of [
      (pages: DocumentPages) => pages.summary,
      (pages: DocumentPages) => [...pages.batches()],
      async (pages: DocumentPages) => {
        for await (const _ of pages.batchesAsync());
      },
    ]) {
      const pages = source(spool, text.slice(0, text.length - cut));
      await walk(pages);
      const { pageCount, problemCount, truncated, problems } = pages.summary;
      expect([pageCount, truncated, problemCount]).toEqual([2, cut > 0, cut > 0 ? 2 : 1]);
      expect(problems.map(({ code }) => code)).toEqual(
        cut > 0 ? ['bad-priority', 'truncated'] : ['bad-priority'],
      );
      for (const _ of pages.batches());
      for await (const _ of pages.batchesAsync());
      expect(pages.summary.problems).toBe(problems);
    }
  }
});

test('a walk that is left early says nothing, and no batch is empty', async () => {
  const pages = source(spool, urlset(...Array.from({ length: 5_000 }, (_, at) => `${at}`)));
  for (const _ of pages.batches()) break;
  for await (const _ of pages.batchesAsync()) break;
  expect(pages.summary.pageCount).toBe(5_000);
  const sizes = Array.from(pages.batches(), ({ length }) => length);
  const later: number[] = [];
  for await (const { length } of pages.batchesAsync()) later.push(length);
  for (const each of [sizes, later]) {
    expect(each.reduce((sum, size) => sum + size, 0)).toBe(5_000);
    expect(Math.min(...each)).toBeGreaterThan(0);
  }
});
