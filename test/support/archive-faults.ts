/**
 * Archives under kills and faults: a tree is saved, its file is damaged, the process that saves it is killed, or the one
 * that reads it stops waiting. What is read then is what was saved, or an error that names the file; and nothing is left.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { SitemapException } from '../../src/problems/errors.ts';
import { loadTree } from '../../src/sitemap/archive/load-tree.ts';
import { saveTree } from '../../src/sitemap/archive/save-tree.ts';
import { IndexWebsiteSitemap, type Sitemap } from '../../src/sitemap/sitemap.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { warcClient } from '../../src/warc/warc-client.ts';
import { Chance } from './random.ts';
import type { Tally } from './tally.ts';
import { pagesNode, SITE } from './trees.ts';

const FAULTS = ['flip', 'cut', 'behind', 'compressed again', 'abort', 'abort', 'kill'] as const;

/** Saves a tree of a random size, and does one thing to its archive. A complaint names the seed. */
export async function faultyArchive(seed: number, path: string, tally: Tally): Promise<void> {
  const chance = new Chance(seed);
  const fault = chance.pick(FAULTS);
  const spool = new Spool({ memoryBytes: 1e6 });
  const nodes = Array.from({ length: chance.between(1, 20) }, (_, at) =>
    pagesNode(
      spool,
      `${at}.xml`,
      ...Array.from({ length: chance.between(0, 400) }, (_, page) => `${seed}-${page}`),
    ),
  );
  const tree = new IndexWebsiteSitemap({ url: SITE, subSitemaps: nodes, complete: true, documents: spool });
  tally.archives++;
  try {
    await saveTree(tree, path);
    const saved = JSON.stringify(tree);
    if (fault === 'kill') await killedWhileSaving(path, chance);
    else if (fault !== 'abort') writeFileSync(path, damagedBy(fault, readFileSync(path), chance));
    const isWhole = fault === 'abort' || fault === 'kill';
    for (const read of [loadedTree, replayedTree]) {
      const aborted = fault === 'abort' ? new AbortController() : undefined;
      const reading = outcomeOf(() => read(path, aborted?.signal));
      if (aborted !== undefined) {
        await delay(chance.next() * 5);
        aborted.abort(new SitemapException('enough', { code: 'aborted' }));
      }
      const found = await reading;
      const isError = found instanceof SitemapException && /^(?:archive-|aborted|not-in)/.test(found.code);
      const isFine = found === saved || (read === replayedTree && found === 'pages');
      if (!isFine && !(isError && (!isWhole || aborted !== undefined))) {
        tally.complain(`archive ${seed} (${fault}, ${read.name}): ${String(found).slice(0, 300)}`);
      }
    }
    // The next one that saves there removes what a killed process left.
    await saveTree(tree, path);
    const left = readdirSync(dirname(path)).filter((name) => name !== basename(path));
    tally.leakedFiles += left.length;
    if (left.length > 0) tally.complain(`archive ${seed} (${fault}): ${left.join(', ')} is left`);
  } finally {
    tree.close();
  }
}

async function outcomeOf(read: () => Promise<string>): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    return error;
  }
}

async function loadedTree(path: string, signal?: AbortSignal): Promise<string> {
  let tree: Sitemap | undefined;
  try {
    tree = await loadTree(path, { verify: true, signal });
    return JSON.stringify(tree);
  } finally {
    tree?.close();
  }
}

/** Reads one document from the same file as from any WARC file. */
async function replayedTree(path: string, signal = new AbortController().signal): Promise<string> {
  const client = warcClient(path);
  const { body } = await client(`${SITE}0.xml`, { method: 'GET', redirect: 'manual', headers: {}, signal });
  const chunks: Uint8Array[] = [];
  if (body !== null && Symbol.asyncIterator in body) {
    try {
      for await (const chunk of body) chunks.push(chunk.slice());
    } catch (cause) {
      throw new SitemapException('the body breaks', { code: 'archive-damaged', cause });
    }
  }
  return Buffer.concat(chunks).includes('<urlset') ? 'pages' : Buffer.concat(chunks).toString();
}

function damagedBy(fault: (typeof FAULTS)[number], bytes: Buffer, chance: Chance): Uint8Array {
  const at = chance.between(10, bytes.length - 1);
  if (fault === 'cut') return bytes.subarray(0, at);
  if (fault === 'behind') return Buffer.concat([bytes, bytes.subarray(at)]);
  if (fault === 'compressed again') return gzipSync(gunzipSync(bytes));
  bytes[at]! ^= 1 << chance.between(0, 7);
  return bytes;
}

async function killedWhileSaving(path: string, chance: Chance): Promise<void> {
  const program = `
    import { loadTree, saveTree } from ${JSON.stringify(pathToFileURL(resolve('dist/index.js')).href)};
    const tree = await loadTree(${JSON.stringify(path)});
    console.log('ready');
    for (;;) await saveTree(tree, ${JSON.stringify(path)});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  await delay(chance.next() * 60);
  const over = once(child, 'exit');
  child.kill('SIGKILL');
  await over;
}
