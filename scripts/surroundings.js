/** What the demo and the tests need around them: a build, a folder for temporary files, a path that tools can read. */
import { existsSync, mkdtempSync, readdirSync, rmdirSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * Whether there is a build, and no source is newer. npm builds when it installs, unless its configuration has
 * `ignore-scripts`; a pull makes the build old.
 */
export function isBuilt() {
  // A build writes the package last.
  const published = join(ROOT, 'dist/cli/main.js');
  if (!existsSync(published)) return false;
  const source = join(ROOT, 'src');
  const { mtimeMs } = statSync(published);
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|css)$/.test(name))
    .every((name) => statSync(join(source, name)).mtimeMs <= mtimeMs);
}

/** Why the tests cannot run in a checkout with this path, in a sentence; undefined where they can. */
export function whyNotIn(path = ROOT) {
  const [character] = /[#%?*]/.exec(path) ?? [];
  if (character === undefined) return undefined;
  return `The tests cannot run in ${path}: their tools cannot read a path with "${character}". Move the checkout.`;
}

/**
 * Why temporary files cannot be written, in a sentence; undefined where they can.
 *
 * @param needed - bytes
 */
export function whyNoTemporaryFiles(needed = 0) {
  try {
    rmdirSync(mkdtempSync(join(tmpdir(), 'usp-')));
    const { bavail, bsize } = statfsSync(tmpdir());
    if (bavail * bsize >= needed) return undefined;
    return `The folder for temporary files, ${tmpdir()}, has less than ${needed / 1e6} MB: set TMPDIR to another one.`;
  } catch ({ code }) {
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be written to (${code})`;
    return `The folder for temporary files, ${tmpdir()}, ${why}: set TMPDIR to another one.`;
  }
}
