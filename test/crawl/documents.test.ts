/** §8 How many documents of one call are under way at once. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { WebResponse } from '../../src/index.ts';
import { treeOf } from '../support/crawled-site.ts';
import { robots, urlset } from '../support/documents.ts';

test('as many documents are requested at once as concurrency says, also where these are more than 64', async () => {
  const sitemaps = Array.from({ length: 90 }, (_, at) => `https://host-${at}.example/a.xml`);
  let [open, most] = [0, 0];
  const webClient = async (url: string): Promise<WebResponse> => {
    most = Math.max(most, ++open);
    // Until others have come, too.
    for (let turns = 0; turns < 50; turns++) await turn();
    open--;
    return new Response(url.endsWith('/robots.txt') ? robots(...sitemaps) : urlset('https://example.org/'));
  };
  const options = { webClient, retries: 0, useKnownPaths: false, concurrency: 80 };
  const tree = await treeOf({ origin: 'https://example.org' }, options);
  expect([most, tree.complete]).toEqual([80, true]);
});
