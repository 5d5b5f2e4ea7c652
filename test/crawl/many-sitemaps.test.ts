/** A site of many small sitemaps is read in little memory: what waits, and what was read, costs next to nothing. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { siteOf } from '../support/crawled-site.ts';
import { index, urlset } from '../support/documents.ts';
import { folderUntil } from '../support/folder.ts';
import { sized } from '../support/tier.ts';

const SITEMAPS = sized({ fast: 600, full: 600, strong: 5_000 });
/** MiB. Neither is enough where all children are handed to the fetcher at once. */
const HEAP = sized({ fast: 14, full: 14, strong: 32 });

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

/** The exit code of a process that reads the site and walks over its pages, and how many it found. */
async function pagesRead(site: string): Promise<[unknown, string]> {
  const script = `
    import { sitemapTreeForHomepage } from ${JSON.stringify(pathToFileURL(bundle).href)};
    const tree = await sitemapTreeForHomepage('${site}', { proxy: false, useKnownPaths: false });
    let count = 0;
    for (const _ of tree.allPages()) count++;
    process.stdout.write(String(count));`;
  const flags = [`--max-old-space-size=${HEAP}`, '--input-type=module', '-e', script];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  return [await new Promise((resolve) => child.once('close', resolve)), output];
}

test(`${SITEMAPS} sitemaps are read into a tree in a heap of ${HEAP} MiB`, async () => {
  const server = await siteOf((origin) => ({
    '/robots.txt': ['/index.xml'],
    '/index.xml': index(...Array.from({ length: SITEMAPS }, (_, at) => `${origin}/sitemaps/${at}.xml`)),
    '*': urlset(`${origin}/page`),
  }));
  expect(await pagesRead(server.origin)).toEqual([0, String(SITEMAPS)]);
});
