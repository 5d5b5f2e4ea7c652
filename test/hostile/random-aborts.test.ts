/** §8 A call that is aborted at any moment leaves nothing behind: sockets, open files, temporary files, processes. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  checkTree,
  loadTree,
  type SitemapOptions,
  saveTree,
  sitemapFromString,
  sitemapTreeForHomepage,
  streamPages,
} from '../../src/index.ts';
import { serving } from '../support/fetching.ts';
import { folderUntil } from '../support/folder.ts';
import { CHANGING_SEED, Chance } from '../support/random.ts';
import { noteLeaks, openNow, Tally } from '../support/tally.ts';
import { sized } from '../support/tier.ts';

const ABORTS = sized({ fast: 25, full: 75, strong: 1_000 });
/** Every call makes more steps than this: progress that is reported, and turns of the event loop. */
const MOST_STEPS = 60;

const urlset = (count: number): string =>
  `<urlset>${Array.from({ length: count }, (_, at) => `<url><loc>http://example.org/${at}</loc></url>`).join('')}</urlset>`;

/** Each of them is ended by its signal, or is over before. */
const CALLS: readonly [
  string,
  (homepage: string, options: SitemapOptions, folder: string) => Promise<void>,
][] = [
  [
    'a stream',
    async (homepage, options) => {
      for await (const _ of streamPages(homepage, options));
    },
  ],
  [
    'a tree that is walked',
    async (homepage, options) => {
      using tree = await sitemapTreeForHomepage(homepage, options);
      for await (const _ of tree.allPages()) options.signal?.throwIfAborted();
    },
  ],
  [
    'a tree that is checked',
    async (homepage, options) => {
      using tree = await sitemapTreeForHomepage(homepage, options);
      for await (const _ of checkTree(tree)) options.signal?.throwIfAborted();
    },
  ],
  [
    'a tree that is saved',
    async (homepage, options, folder) => {
      using tree = await sitemapTreeForHomepage(homepage, options);
      await saveTree(tree, join(folder, 'site.warc.gz'), { signal: options.signal });
    },
  ],
  [
    'an archive that is loaded and saved again',
    async (_homepage, { signal }, folder) => {
      using tree = await loadTree(join(folder, 'loaded.warc'), { verify: true, signal });
      await saveTree(tree, join(folder, 'site.warc.gz'), { signal });
    },
  ],
];

test(`${ABORTS} calls that are aborted at random moments leave nothing open and nothing behind`, async () => {
  const chances = [new Chance(1), new Chance(CHANGING_SEED)];
  const folder = folderUntil(onTestFinished);
  const server = await serving({
    '/robots.txt': 'Sitemap: /index.xml\n',
    '/index.xml': `<sitemapindex>${[1, 2, 3, 4].map((at) => `<sitemap><loc>/${at}.xml</loc></sitemap>`).join('')}</sitemapindex>`,
    '/1.xml': { body: urlset(3_000), gzip: true },
    '/2.xml': { redirect: '/3.xml' },
    '/3.xml': urlset(500),
    '/4.xml': { script: [{ body: urlset(500), truncateAfter: 5_000 }, { body: urlset(500) }] },
  });
  await saveTree(await sitemapFromString(urlset(10_000)), join(folder, 'loaded.warc'));
  const before = await openNow();
  let aborted = 0;
  for (let call = 0; call < ABORTS; call++) {
    const chance = chances[call % 2]!;
    const [name, run] = chance.pick(CALLS);
    const controller = new AbortController();
    const reason = new Error('enough');
    let left = chance.between(0, MOST_STEPS);
    const step = (): void => {
      if (left-- <= 0) controller.abort(reason);
    };
    const steps = setInterval(step, 1);
    try {
      const options = {
        signal: controller.signal,
        onProgress: step,
        useKnownPaths: false,
        spoolDirectory: folder,
      };
      await run(`${server.origin}/`, { ...options, spoolMemoryBytes: 1_000 }, folder);
    } catch (error) {
      aborted++;
      expect(error, `${name}, call ${call}, seed ${CHANGING_SEED}`).toBe(reason);
    } finally {
      clearInterval(steps);
    }
  }
  expect(aborted).toBeGreaterThan(ABORTS / 4);
  await server.allSocketsClosed();
  const tally = new Tally();
  await noteLeaks(tally, before);
  expect(tally.complaints).toEqual([]);
  expect(readdirSync(folder).filter((name) => !/^(?:site|loaded)\.warc/.test(name))).toEqual([]);
});
