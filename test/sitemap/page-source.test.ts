/** §5 The pages of a document: what is remembered of a walk, and what ends one. */
import { expect, test } from 'vitest';
import { SoughtUrls } from '../../src/parse/seen-urls.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { source, urlset } from '../support/trees.ts';

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
