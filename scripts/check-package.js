/**
 * Part of `npm run test:package`: packs the package as npm would publish it, and lets publint and attw look at what is
 * in it. Both can pack by themselves, but then each does, and `prepack` builds anew while tests use `dist`: so it packs a
 * copy.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyPackage, npmCommand } from './npm.js';

function run([command, argv, options]) {
  const { status, error } = spawnSync(command, argv, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
  if (error !== undefined) throw error;
  return status === 0;
}

const tool = (file, ...argv) => [process.execPath, [join('node_modules', file), ...argv]];

const folder = mkdtempSync(join(tmpdir(), 'usp-packed-'));
try {
  const copy = join(folder, 'copy');
  copyPackage(copy);
  const [command, argv, options] = npmCommand('pack', '--silent', '--pack-destination', folder);
  const isPacked = run([command, argv, { ...options, cwd: copy }]);
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'nothing.tgz');
  const isGood =
    isPacked &&
    run(tool('publint/src/cli.js', '--strict', tarball)) &&
    run(tool('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only'));
  process.exitCode = isGood ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
