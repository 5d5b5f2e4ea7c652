/** The package that `npm pack` makes, installed into an empty folder: it has only what it needs, and works there. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PACKED, REPOSITORY_ONLY, targetsOf } from './support/docs-links.ts';
import { folderUntil } from './support/folder.ts';
import { installInto, npm, packInto, unpackInto } from './support/npm.ts';
import { isFull } from './support/tier.ts';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

const folder = folderUntil(afterAll);
let files: readonly string[] = [];
let unpackedBytes = 0;

beforeAll(async () => {
  const packed = await packInto(folder);
  ({ files, unpackedBytes } = packed);
  // npm asks the registry, and needs seconds for it: in the fast tier the packages are put where npm would put them.
  if (isFull) await installInto(folder, packed.tarball);
  else await unpackInto(folder, packed.tarball);
}, 180_000);

describe('every link of the package leads to a file of the package', () => {
  test('these pages are in the package', () => {
    expect(files).toEqual(expect.arrayContaining([...PACKED]));
    expect(files.filter((file) => REPOSITORY_ONLY.includes(file))).toEqual([]);
  });

  test.each(PACKED)('%s', (file) => {
    const dead = targetsOf(file).filter(({ target }) => !files.includes(target));
    expect(dead.map(({ link }) => link)).toEqual([]);
  });
});

describe('the package', () => {
  test('has only files that it needs', () => {
    const stray = files.filter(
      (file) =>
        !/^(?:dist\/.*\.(?:js|d\.ts)|docs\/.*\.(?:md|svg|png)|README\.md|LICENSE|THIRD-PARTY-NOTICES|CHANGELOG\.md|package\.json)$/.test(
          file,
        ),
    );
    expect(stray).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([
        'dist/index.js',
        'dist/index.d.ts',
        'dist/parse/index.js',
        'dist/cli/main.js',
        'LICENSE',
      ]),
    );
  });

  test('is small', () => {
    expect(files.length).toBeLessThanOrEqual(280);
    expect(unpackedBytes).toBeLessThanOrEqual(2_250_000);
  });

  test('has the licence of every package whose code is in its bundles', async () => {
    const bundles = JSON.parse(await readFile(join(ROOT, '.build/bundles.json'), 'utf8'));
    const inputs = Object.values<{ readonly inputs: object }>(bundles).flatMap(({ inputs }) =>
      Object.keys(inputs),
    );
    const built = new Set(
      inputs.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []),
    );
    const installed = join(folder, 'node_modules/ultimate-sitemap-parser');
    const notices = await readFile(join(installed, 'THIRD-PARTY-NOTICES'), 'utf8');
    for (const name of built) {
      const { version, license } = JSON.parse(
        await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'),
      );
      expect(notices).toMatch(new RegExp(`^${name} ${version} \\(${license}\\)\n\nCopyright `, 'm'));
    }
    if (built.size === 0) expect(notices).toContain('no code of other packages');
  });

  test('depends on the hyparquet that hyparquet-writer has, so that there is one', async () => {
    const [ours, writer] = await Promise.all(
      ['package.json', 'node_modules/hyparquet-writer/package.json'].map(async (file) =>
        JSON.parse(await readFile(join(ROOT, file), 'utf8')),
      ),
    );
    expect(ours.dependencies.hyparquet).toBe(writer.dependencies.hyparquet);
  });

  test('has the declarations that its entries reach, and no others', () => {
    const declarations = files.filter((file) => file.endsWith('.d.ts'));
    expect(declarations).toEqual(
      expect.arrayContaining(
        ['index', 'parse/index', 'check/index', 'write/index', 'batch/index', 'mcp/index'].map(
          (name) => `dist/${name}.d.ts`,
        ),
      ),
    );
    expect(declarations.filter((file) => file.startsWith('dist/cli/'))).toEqual([]);
  });

  test('has the command usp', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const installed = join(folder, 'node_modules/ultimate-sitemap-parser');
    const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const { stdout } = await run(execPath, [join(installed, bin.usp), '--version']);
    expect(stdout.trim()).toBe(version);
    if (isFull) expect(await npm(folder, 'exec', '--no', '--', 'usp', '--version')).toBe(stdout);
  });

  test('says what to install where the optional package of usp mcp is missing', async () => {
    const main = join(folder, 'node_modules/ultimate-sitemap-parser/dist/cli/main.js');
    const failed = await run(execPath, [main, 'mcp']).catch(
      (error: { code: number; stderr: string }) => error,
    );
    expect(failed).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('npm install @modelcontextprotocol/server'),
    });
  });

  test('is imported as an ES module, the library and its pure core', async () => {
    const program = `
      import { sitemapFromString } from 'ultimate-sitemap-parser';
      import { parseSitemap } from 'ultimate-sitemap-parser/parse';
      const xml = '<urlset><url><loc>https://example.org/a</loc></url></urlset>';
      const tree = await sitemapFromString(xml);
      console.log([...tree.pages].map((page) => page.url).join(), [...parseSitemap(xml)].length);`;
    await writeFile(join(folder, 'program.js'), program);
    const { stdout } = await run(execPath, ['program.js'], { cwd: folder });
    expect(stdout.trim()).toBe('https://example.org/a 1');
  });

  test('has each class once, by its own name, whichever entry it comes from', async () => {
    const program = `
      import * as all from 'ultimate-sitemap-parser';
      import * as parse from 'ultimate-sitemap-parser/parse';
      import * as check from 'ultimate-sitemap-parser/check';
      import * as write from 'ultimate-sitemap-parser/write';
      import * as batch from 'ultimate-sitemap-parser/batch';
      const isClass = (value) => typeof value === 'function' && /^class\\b/.test(String(value));
      const misnamed = [];
      let classes = 0;
      for (const entry of [all, parse, check, write, batch])
        for (const [name, value] of Object.entries(entry)) {
          if (!isClass(value)) continue;
          classes++;
          if (value.name !== name || (name in all && all[name] !== value)) misnamed.push(name);
        }
      const mistakes = [
        () => all.sitemapTreeForHomepage('nowhere'),
        () => parse.parseSitemap(42),
        () => check.checkSitemap('', { rules: { 'no-such-rule': 'off' } }).findings,
        () => batch.crawlSites(['https://example.org/'], { concurrency: -1 })[Symbol.asyncIterator]().next(),
      ];
      const caught = [];
      for (const mistake of mistakes)
        try {
          await mistake();
          caught.push('nothing was thrown');
        } catch (error) {
          caught.push(error instanceof all.SitemapException ? 'SitemapException' : String(error?.stack));
        }
      console.log(JSON.stringify({ isEnough: classes > 10, misnamed, caught }));`;
    await writeFile(join(folder, 'classes.js'), program);
    const { stdout } = await run(execPath, ['classes.js'], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      isEnough: true,
      misnamed: [],
      caught: Array.from({ length: 4 }, () => 'SitemapException'),
    });
  });

  test.each(['parse', 'check'])('/%s reaches nothing of Node', async (entry) => {
    const dist = join(folder, 'node_modules/ultimate-sitemap-parser/dist');
    const reached = new Set([join(dist, entry, 'index.js')]);
    const packages = new Set<string>();
    for (const file of reached)
      for (const [, target = ''] of (await readFile(file, 'utf8')).matchAll(
        /\b(?:from|import)\s*\(?\s*"([^"]+)"/g,
      )) {
        if (target.startsWith('.')) reached.add(join(file, '..', target));
        else packages.add(target);
      }
    expect([...packages]).toEqual([]);
    expect(reached.size).toBeGreaterThan(1);
  });

  test('type-checks for a strict consumer who checks libraries too', async () => {
    const program = `
      import { type Sitemap, sitemapTreeForHomepage, streamPages } from 'ultimate-sitemap-parser';
      import { parseSitemap } from 'ultimate-sitemap-parser/parse';
      import { checkSitemap } from 'ultimate-sitemap-parser/check';
      import { sitemapXml } from 'ultimate-sitemap-parser/write';
      export const others = [checkSitemap, sitemapXml];
      export async function count(homepage: string): Promise<number> {
        const tree = await sitemapTreeForHomepage(homepage, { webClient: fetch, recurseCallback: (url) => url.includes('/en/') });
        let pages = 0;
        for (const page of tree.allPages()) pages += page.images.length;
        for await (const { page } of streamPages(homepage)) pages += page.url.length;
        for (const item of parseSitemap('')) if (item.type === 'page') pages++;
        return pages + name(tree).length;
      }
      function name(node: Sitemap): string {
        return node.kind === 'invalid' ? node.reason : node.kind === 'website' ? String(node.complete) : node.url;
      }`;
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.asynciterable'],
      module: 'nodenext',
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      types: [],
    };
    await writeFile(join(folder, 'program.ts'), program);
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['program.ts'] }),
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const checked = await run(execPath, [tsc, '-p', folder], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(checked.stdout).toBe('');
  });
});
