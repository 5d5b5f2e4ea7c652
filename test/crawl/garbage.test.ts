/**
 * What is made for a document must be garbage that V8 finds soon: what outlives a collection of the young generation
 * stays until the whole heap is collected, and the heap of a site of 50,000 sitemaps grows by it.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { siteOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { folderUntil } from '../support/folder.ts';

const SITEMAPS = 400;

/**
 * No collection but those that are asked for, and every object where it is made by default. A collection of the whole
 * heap that V8 begins by itself hides what is counted where it ends in time, and adds to it where it does not. What is
 * optimised is compiled at once: a compiler in another thread would be done at another moment in each run.
 */
const FLAGS = [
  '--expose-gc',
  '--no-allocation-site-pretenuring',
  '--no-concurrent-recompilation',
  '--min-semi-space-size=128',
  '--max-semi-space-size=128',
  '--initial-old-space-size=1024',
  '--no-memory-reducer',
  '--no-incremental-marking',
];

const folder = folderUntil(afterAll);
const bundle = join(folder, 'index.mjs');

beforeAll(async () => {
  const entry = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
  await build({
    entryPoints: [entry],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});

/** The bytes for each sitemap that are left after its site was read, and after it was checked. */
async function bytesLeft(site: string): Promise<{ readonly read: number; readonly check: number }> {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { checkTree, sitemapTreeForHomepage } from ${JSON.stringify(pathToFileURL(bundle).href)};
    const SPACES = ['new_space', 'old_space'];
    const used = () => getHeapSpaceStatistics()
      .filter(({ space_name }) => SPACES.includes(space_name))
      .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
    const left = async (work) => {
      gc();
      const before = used();
      const result = await work();
      // Connections become unused a little later.
      await sleep(20);
      for (let time = 0; time < 2; time++) gc({ type: 'minor' });
      return [(used() - before) / ${SITEMAPS}, result];
    };
    const read = () => sitemapTreeForHomepage('${site}', { proxy: false, useKnownPaths: false });
    const check = async (tree) => { for await (const _ of checkTree(tree)); };
    // What is compiled on the way is not counted.
    const first = await read();
    await check(first);
    first.close();
    const [readBytes, tree] = await left(read);
    const checks = [];
    for (let time = 0; time < 3; time++) checks.push((await left(() => check(tree)))[0]);
    process.stdout.write(JSON.stringify({ read: Math.round(readBytes), check: Math.round(Math.min(...checks)) }));`;
  const child = spawn(process.execPath, [...FLAGS, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(output);
}

test('of a document that was read or checked, little is left for a collection of the whole heap', async () => {
  const server = await siteOf((origin) => ({
    '/robots.txt': ['/index.xml'],
    '/index.xml': index(...Array.from({ length: SITEMAPS }, (_, at) => `${origin}/sitemaps/${at}.xml`)),
    '*': urlset(`${origin}/page`),
  }));
  const { read, check } = await bytesLeft(server.origin);
  // 2,700 and 2,100 to 2,800 are usual; of the former, the tree keeps a kilobyte. With a response that stays alive until
  // all of the heap is collected, 7,000 are left; with a listener of a hidden class of its own for each document that is
  // checked, 3,400. The smallest of three checks counts: what else a process does on the way adds to some.
  expect(read).toBeLessThan(5_000);
  expect(check).toBeLessThan(3_200);
});
