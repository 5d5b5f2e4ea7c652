/**
 * Sites that have very many of something: folders, hosts, languages, findings. What reports, checks and comparisons keep of
 * them has limits of its own, and a process with 48 MB of heap is enough. In the full tier only: less shows nothing.
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

const HEAP_MB = 48;
const HANG_MS = 580_000;

describeIf(isFull, `within ${HEAP_MB} MB of heap`, () => {
  const folder = folderUntil(afterAll);
  beforeAll(async () => {
    await buildPackage();
    const entry = fileURLToPath(new URL('../support/measure-memory.ts', import.meta.url));
    const outfile = join(folder, 'measure-memory.mjs');
    await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
  });

  const compared = (changes: number): object => ({ isWhole: true, changes });
  test.each<[what: string, kind: string, work: string, pages: number, expected: object]>([
    ['a report and a comparison of 140,000 folders', 'folders', 'report+diff', 140_000, compared(140_000)],
    ['a report and a comparison of 30,000 hosts', 'hosts', 'report+diff', 30_000, compared(30_000)],
    ['a report and a comparison of 30,000 languages', 'languages', 'report+diff', 30_000, compared(30_000)],
    ['a check of a page with 110,000 alternates', 'alternates', 'check', 110_000, {}],
    ['a check with 110,000 findings', 'findings', 'check', 22_000, { findings: 110_000 }],
  ])('%s', { timeout: HANG_MS }, async (_what, kind, work, pages, expected) => {
    const library = pathToFileURL(join(ROOT, 'dist/index.js')).href;
    const program = join(folder, 'measure-memory.mjs');
    const flags = [`--max-old-space-size=${HEAP_MB}`, program, library, kind, work, String(pages)];
    const { code, stdout, stderr } = await watched(spawn(process.execPath, flags)).finished;
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject(expected);
  });
});
