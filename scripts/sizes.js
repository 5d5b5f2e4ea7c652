/**
 * Fills in the table of sizes in docs/edge.md: what an installation takes on the disk, and what a bundle has.
 *
 *     node scripts/sizes.js [--write]
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { deliver, filled, table } from './deliver.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const { files, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const ours = [...files, 'package.json', 'README.md', 'LICENSE'].map((name) => join(ROOT, name));
const others = Object.keys(dependencies).map((name) => join(ROOT, 'node_modules', name));
const installed = [...ours, ...others].reduce((sum, path) => sum + bytesOf(path), 0);

const rows = [
  ['An installation with its dependencies, on the disk', `${(installed / 1e6).toFixed(1)} MB`, ''],
  [
    'A minified bundle with `parseSitemap` of `./parse`',
    ...(await bundled("export { parseSitemap } from './dist/parse/index.js'")),
  ],
  [
    'A minified worker with `collectPages`',
    ...(await bundled("export { collectPages } from './dist/index.js'")),
  ],
];
deliver('edge.md', filled('edge.md', { sizes: table(['', 'Size', 'gzip'], rows) }), argv);

/** The bytes of a file, or of all files in a folder. */
function bytesOf(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

/** The size of a bundle of the built package, with what it imports, as a bundler for the edge makes it. */
async function bundled(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'error',
  });
  const [{ contents: bytes }] = outputFiles;
  return [kilobytes(bytes.length), kilobytes(gzipSync(bytes, { level: 9 }).length)];
}

function kilobytes(bytes) {
  return `${Math.round(bytes / 1000)} kB`;
}
