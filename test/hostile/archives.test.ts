/**
 * Hostile archives are linear work, as documents are (`linear.test.ts`): ten times as many of anything cost at most
 * thirteen times as much, for `warcClient` and for `loadTree`.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ARCHIVE_BOMBS, TREE_BOMBS } from '../support/archive-bombs.ts';
import { folderUntil } from '../support/folder.ts';
import { sized } from '../support/tier.ts';

const TIMES = 10;
const MOST = 13;
const SIZE = sized({ fast: 300, full: 3_000 });
const HANG_MS = sized({ fast: 100_000, full: 300_000 });
/** What counts in more than ones. */
const SIZES: Readonly<Record<string, number>> = {
  'line ends in one gzip member': 500 * SIZE,
  'line ends in a plain file': 100 * SIZE,
  'header lines of one record': 10 * SIZE,
  'zeros that one record inflates to': 4 * 2 ** 20,
};

const shapes = (bombs: Readonly<Record<string, unknown>>): Record<string, number> =>
  Object.fromEntries(Object.keys(bombs).map((name) => [name, SIZES[name] ?? SIZE]));

const folder = folderUntil(afterAll);
let counts: Record<string, readonly [number, number]> = {};

beforeAll(async () => {
  const program = join(folder, 'measure-archives.mjs');
  const entry = fileURLToPath(new URL('../support/measure-archives.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm' });
  const asked = { warc: shapes(ARCHIVE_BOMBS), tree: shapes(TREE_BOMBS) };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, String(TIMES), JSON.stringify(asked)],
    { timeout: HANG_MS, killSignal: 'SIGKILL' },
  );
  counts = JSON.parse(stdout);
}, HANG_MS);

test.each([...Object.keys(ARCHIVE_BOMBS), ...Object.keys(TREE_BOMBS)])(
  `${TIMES} times the %s cost at most ${MOST} times the work`,
  (name) => {
    const [small = Number.NaN, large = Number.NaN] = counts[name] ?? [];
    expect(small).toBeGreaterThan(0);
    expect(large / small).toBeLessThanOrEqual(MOST);
  },
);
