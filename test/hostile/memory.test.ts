/**
 * Sites that have very many of something: folders, hosts, languages, findings. What reports, checks and comparisons keep of
 * them has limits of its own, and a process with 64 MB of heap is enough. In the full tier only: less shows nothing.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build as buildPackage, ROOT, watched } from '../support/cli-binary.ts';
import { describeIf } from '../support/collected.ts';
import { folderUntil } from '../support/folder.ts';
import { isFull } from '../support/tier.ts';

const HEAP_MB = 64;
const HANG_MS = 580_000;

describeIf(isFull, `within ${HEAP_MB} MB of heap`, () => {
  const folder = folderUntil(afterAll);
  beforeAll(async () => {
    await buildPackage();
    const entry = fileURLToPath(new URL('../support/measure-memory.ts', import.meta.url));
    const outfile = join(folder, 'measure-memory.mjs');
    await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
  });

  test.each<[what: string, kind: string, work: string, pages: number, expected: object]>([
    ['a report of a million folders', 'folders', 'report', 1_000_000, { isWhole: true }],
    ['a comparison of a million folders', 'folders', 'diff', 1_000_000, { changes: 1_000_000 }],
    ['a report of 100,000 hosts', 'hosts', 'report', 100_000, { isWhole: true }],
    ['a comparison of 100,000 hosts', 'hosts', 'diff', 100_000, { changes: 100_000 }],
    ['a report of 100,000 languages', 'languages', 'report', 100_000, { isWhole: true }],
    ['a comparison of 100,000 languages', 'languages', 'diff', 100_000, { changes: 100_000 }],
    ['a check of a page with 600,000 alternates', 'alternates', 'check', 600_000, {}],
    ['a check with a million findings', 'findings', 'check', 200_000, { findings: 1_000_000 }],
  ])('%s', { timeout: HANG_MS }, async (_what, kind, work, pages, expected) => {
    const library = pathToFileURL(join(ROOT, 'dist/index.js')).href;
    const program = join(folder, 'measure-memory.mjs');
    const flags = [`--max-old-space-size=${HEAP_MB}`, program, library, kind, work, String(pages)];
    const { code, stdout, stderr } = await watched(spawn(process.execPath, flags)).finished;
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject(expected);
  });
});
