/**
 * The child process of `archives.test.ts`: how much work hostile archives are, small and large.
 *
 *     node measure-archives.mjs 10 '{"warc": {"distinct URLs": 500}}'  →  {"distinct URLs": [42000, 419000]}
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTree } from '../../src/sitemap/archive/load-tree.ts';
import { warcClient } from '../../src/warc/warc-client.ts';
import { ARCHIVE_BOMBS, TREE_BOMBS } from './archive-bombs.ts';
import { countedWork, startCounting } from './counted-work.ts';

const [times, asked] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'usp-archives-'));
const path = join(folder, 'archive');

const request = {
  method: 'GET',
  redirect: 'manual',
  headers: {},
  signal: new AbortController().signal,
} as const;
const quietly = async (work: () => Promise<unknown>): Promise<void> => {
  await work().catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'SitemapException')) throw error;
  });
};

/** Reads what is at the path, as far as it can be read. */
const READERS: Readonly<Record<string, () => Promise<unknown>>> = {
  warc: () => quietly(() => warcClient(path)('http://nowhere.test/', request)),
  tree: () =>
    quietly(async () => (await loadTree(path, { maxSitemaps: 1e6, maxSitemapBytes: 1e15 })).close()),
};
const MADE: Readonly<Record<string, (name: string, n: number) => Uint8Array>> = {
  warc: (name, n) => ARCHIVE_BOMBS[name]!.of(n),
  tree: (name, n) => TREE_BOMBS[name]!(n),
};

await startCounting();
const counts: Record<string, readonly [number, number]> = {};
const kinds = Object.entries(JSON.parse(asked ?? '{}') as Record<string, Record<string, number>>);
for (const [kind, shapes] of kinds) {
  for (const [name, size] of Object.entries(shapes)) {
    const workAt = async (n: number): Promise<number> => {
      writeFileSync(path, MADE[kind]!(name, n));
      return countedWork(READERS[kind]!);
    };
    counts[name] = [await workAt(size), await workAt(size * Number(times))];
  }
}
rmSync(folder, { recursive: true });
process.stdout.write(JSON.stringify(counts));
