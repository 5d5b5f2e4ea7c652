/**
 * §12: reading a robots.txt is work for each of its bytes, and a verdict no more than for each byte of the rules and
 * for each character of the URL. Work is counted, not timed: `counted-work.ts` says how.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { folderUntil } from '../support/folder.ts';
import { ROBOTS_BOMBS } from '../support/robots-bombs.ts';
import { sized } from '../support/tier.ts';

const SIZE = sized({ fast: 30_000, full: 30_000, strong: 200_000 });
const LENGTH = 2_000;
const FILES = sized({ fast: 20, full: 20, strong: 150 });
const HANG_MS = sized({ fast: 100_000, full: 300_000 });
const MOST_READ_PER_BYTE = 160;
const MOST_PER_BYTE = 4;
/** Of small files the URL is most of it, and each of its characters may be an escape. */
const MOST_GENERATED_PER_BYTE = 30;

const folder = folderUntil(afterAll);
let counts: Record<string, readonly [number, number]> = {};

beforeAll(async () => {
  const program = join(folder, 'measure-robots.mjs');
  const entry = fileURLToPath(new URL('../support/measure-robots.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', format: 'esm' });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, ...[SIZE, LENGTH, FILES].map(String)],
    {
      timeout: HANG_MS,
      killSignal: 'SIGKILL',
    },
  );
  counts = JSON.parse(stdout);
}, HANG_MS);

test.each(Object.keys(ROBOTS_BOMBS))('%s are little work to read, and to judge a URL by', (name) => {
  const [read = Number.NaN, judged = Number.NaN] = counts[name] ?? [];
  expect(read / SIZE).toBeLessThan(MOST_READ_PER_BYTE);
  // Of words that are endings of each other, many can end at one character: the root of twice their bytes.
  const ending = name === 'endings of each other' ? Math.sqrt(2 * SIZE) : 1;
  expect(judged / (SIZE + LENGTH * ending)).toBeLessThan(MOST_PER_BYTE);
});

test('generated files are little work, too', () => {
  const [read = Number.NaN, judged = Number.NaN] = counts['generated files'] ?? [];
  expect(read).toBeLessThan(MOST_READ_PER_BYTE);
  expect(judged).toBeLessThan(MOST_GENERATED_PER_BYTE);
});
