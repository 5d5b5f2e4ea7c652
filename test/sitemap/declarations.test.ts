/**
 * Specification §5: the types that are built work for consumers with `strict`, with and without `lib:
 * esnext.disposable`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
// Inside the project, where its dependencies are found.
const folder = join(ROOT, `node_modules/.cache/usp-declarations-${process.pid}`);

function tsc(name: string, compilerOptions: object, files: readonly string[]): string {
  const config = join(folder, `${name}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  return spawnSync(process.execPath, [TSC, '-p', config], { encoding: 'utf8' }).stdout;
}

const BUILT = join(ROOT, 'dist/sitemap').replaceAll('\\', '/');
// `URL` comes with the DOM or with Node; what else they bring is not needed, so it is all that stands in for them.
const GLOBALS = 'interface URL { readonly href: string; readonly protocol: string }';
const CONSUMER = `
  import { loadTree } from '${BUILT}/archive/load-tree.js';
  import { saveTree } from '${BUILT}/archive/save-tree.js';
  import { jsonChunks, type Sitemap } from '${BUILT}/sitemap.js';
  export async function show(tree: Sitemap): Promise<string[]> {
    if (tree.kind === 'invalid') return [tree.reason];
    for await (const page of tree.pages) page.url.trim();
    for await (const chunk of jsonChunks(tree)) chunk.trim();
    await saveTree(tree, 'tree.gz');
    const again: Sitemap = await loadTree('tree.gz');
    again.close();
    return [...tree.allPages({ unique: true })].map(({ url }) => url);
  }`;
const USING = `
  import { loadTree } from '${BUILT}/archive/load-tree.js';
  export async function count(): Promise<number> {
    using tree = await loadTree('tree.gz');
    const disposable: Disposable = tree;
    return disposable === tree ? tree.pageCount : 0;
  }`;

describe('the declarations', () => {
  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'globals.d.ts'), GLOBALS);
    writeFileSync(join(folder, 'consumer.ts'), CONSUMER);
    writeFileSync(join(folder, 'using.ts'), USING);
    return () => rmSync(folder, { recursive: true, force: true });
  });

  const strict = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    types: [],
    skipLibCheck: false,
  };

  test('compile with lib es2022 alone: no DOM, no Node, no disposable', () => {
    expect(tsc('plain', { ...strict, lib: ['es2022'] }, ['globals.d.ts', 'consumer.ts'])).toBe('');
  });

  test('know `using` where the consumer has it', () => {
    expect(
      tsc('using', { ...strict, lib: ['es2022', 'esnext.disposable'] }, ['globals.d.ts', 'using.ts']),
    ).toBe('');
    expect(tsc('no-using', { ...strict, lib: ['es2022'] }, ['globals.d.ts', 'using.ts'])).toMatch(
      /using\.ts/,
    );
  });
});
