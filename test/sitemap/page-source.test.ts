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
