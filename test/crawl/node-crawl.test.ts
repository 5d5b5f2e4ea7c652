/** §8 An index that lists more children than one call keeps: its problem counts those that reading left out, too. */
import { expect, test } from 'vitest';
import { Lineage } from '../../src/crawl/lineage.ts';
import { crawlTree } from '../../src/crawl/tree-crawl.ts';
import { resolveOptions } from '../../src/options/resolve.ts';
import type { IndexOutcome } from '../../src/read/outcome.ts';

const url = 'https://example.org/index.xml';

test.each([
  ['none', 0, 0, []],
  ['those that were kept', 3, 0, ['3 of its 3']],
  ['those that were not kept', 0, 10, ['10 of its 10']],
  ['those that were kept, and the others', 3, 10, ['13 of its 13']],
])('children without room are counted: %s', async (_what, kept, leftOut, counts) => {
  const entries = Array.from({ length: kept }, (_, at) => ({
    url: `https://example.org/${at}.xml`,
    lastModified: undefined,
  }));
  const read = { url, status: 200, problems: [], problemCount: 0, truncated: false, redirected: false };
  const outcome: IndexOutcome = { type: 'index', kind: 'index-xml', entries, leftOut, ...read };
  const options = resolveOptions({ maxSitemaps: 1, proxy: false }, 'sitemap');
  const call = { call: 'sitemap', site: new URL(url), options, sharing: undefined } as const;
  const node = await crawlTree(call, async (crawl) => {
    crawl.takeNode(url);
    return crawl.node({ url, lastModified: undefined }, Lineage.top, outcome);
  });
  expect(node.subSitemaps).toEqual([]);
  expect(node.problems.map(({ message }) => message.replace(/ sitemaps .*/, ''))).toEqual(counts);
});
