/**
 * Tests import the sources and run what the compiler makes of them, in `.build`: Node loads that by itself. The sources
 * would be transformed for every process, and a transformed import is a getter, which makes the inner loops of a parser several
 * times slower.
 *
 * `setup` is vitest's global setup: it builds what is missing or older than its source.
 */
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Plugin } from 'vitest/config';
import { build, COMPILED, ROOT } from './cli-binary.ts';

const SOURCES = join(ROOT, 'src') + sep;

export const setup: () => Promise<void> = build;

/**
 * Gives an import of `src/x.ts` the file `.build/x.js`. What is not built, such as the page of a report, is transformed.
 */
export function builtSources(): Plugin {
  return {
    name: 'built-sources',
    enforce: 'pre',
    async resolveId(id, importer, options) {
      if (importer === undefined || !id.endsWith('.ts')) return null;
      const found = await this.resolve(id, importer, { ...options, skipSelf: true });
      const path = found === null ? '' : join(found.id);
      if (!path.startsWith(SOURCES)) return null;
      const built = join(COMPILED, relative(SOURCES, path).replace(/\.ts$/, '.js'));
      return existsSync(built) ? { id: built.replaceAll('\\', '/'), external: true } : null;
    },
  };
}
