/** npm as a child process, on every system, and what it packs. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * The command and its arguments. On Windows npm is a batch file, which only a shell can run; a script of npm knows
 * npm's own file.
 */
export function npmCommand(...argv) {
  const { npm_execpath: file } = process.env;
  if (file !== undefined && /npm-cli\.c?js$/.test(file)) return [process.execPath, [file, ...argv]];
  if (process.platform !== 'win32') return ['npm', argv, {}];
  // A shell gets its words as one line.
  return ['npm', argv.map((word) => (/\s/.test(word) ? `"${word}"` : word)), { shell: true }];
}

/**
 * Copies what is published into a new folder, to be packed there, without scripts: a build would remove what
 * running tests use.
 */
export function copyPackage(folder) {
  const { scripts: _, ...manifest } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const file of ['README.md', 'LICENSE', ...manifest.files])
    cpSync(join(ROOT, file), join(folder, file), { recursive: true });
}
