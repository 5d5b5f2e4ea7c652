/** §14: the queue on Redis is optional, so no type that a user of the package can reach names its packages. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { build, ROOT } from '../support/cli-binary.ts';

beforeAll(build);

/** All modules that a declaration file leads to: files of the package, and names of others. */
function reachableFrom(entries: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const files = new Set(entries);
  const packages = new Set<string>();
  for (const file of files) {
    // Examples in comments import the package itself.
    const text = readFileSync(file, 'utf8').replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
    for (const [, module = ''] of text.matchAll(/(?:\bfrom |\bimport\(|^import )['"]([^'"]+)['"]/gm)) {
      if (module.startsWith('.')) files.add(join(dirname(file), module.replace(/\.[jt]s$/, '.d.ts')));
      else packages.add(module);
    }
  }
  return { files, packages };
}

test('no published type names bullmq, ioredis or a Parquet package', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const entries = Object.values<unknown>(exports).flatMap((entry) =>
    typeof entry === 'object' && entry !== null && 'types' in entry ? [join(ROOT, String(entry.types))] : [],
  );
  const { files, packages } = reachableFrom(entries);
  expect(entries.length).toBeGreaterThan(2);
  expect(files.size).toBeGreaterThan(50);
  expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual([]);
});
