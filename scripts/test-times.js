/**
 * `npm run test:times`: runs the full tier, or some files of it, and writes how long each file took, in seconds, to
 * test/support/file-times.json: the longest start first (test/support/file-order.ts). Files that no longer exist leave the list.
 *
 *     npm run test:times [-- test/batch test/local.test.ts]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { readArguments } from './arguments.js';

/** Files that take less need no place in the list. */
const LEAST_SECONDS = 2;
const TIMES = new URL('../test/support/file-times.json', import.meta.url);

const { positionals } = readArguments(import.meta.url, { allowPositionals: true });
const folder = mkdtempSync(join(tmpdir(), 'usp-times-'));
try {
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const argv = ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'full', ...reporters, ...positionals];
  const { status } = spawnSync(process.execPath, argv, { stdio: 'inherit' });
  const times = new Map(Object.entries(JSON.parse(readFileSync(TIMES, 'utf8'))));
  for (const { name, startTime, endTime } of JSON.parse(readFileSync(report, 'utf8')).testResults)
    times.set(relative('.', name).replaceAll('\\', '/'), Math.round((endTime - startTime) / 1000));
  const long = [...times].filter(([file, seconds]) => seconds >= LEAST_SECONDS && existsSync(file));
  const byTime = long.sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  writeFileSync(TIMES, `${JSON.stringify(Object.fromEntries(byTime), null, 2)}\n`);
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
