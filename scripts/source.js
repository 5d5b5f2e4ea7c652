/** Imports a module of src/ as it is now, built or not: the oldest Node that we support does not read TypeScript. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** The exports of `src/<path>`. */
export async function importSource(path) {
  const folder = mkdtempSync(join(tmpdir(), 'usp-source-'));
  const file = join(folder, 'module.mjs');
  try {
    await build({
      entryPoints: [fileURLToPath(new URL(`../src/${path}`, import.meta.url))],
      outfile: file,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      // Some dependencies are CommonJS.
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
