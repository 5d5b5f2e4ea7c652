/** The package that `npm pack` makes, installed into an empty folder: it has only what it needs, and works there. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PACKED, REPOSITORY_ONLY, targetsOf } from './support/docs-links.ts';
import { installInto, npm, packInto, unpackInto } from './support/npm.ts';
import { isFull } from './support/tier.ts';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

let folder = '';
let files: readonly string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usp-package-'));
  const packed = await packInto(folder, ROOT);
  files = packed.files;
  // npm asks the registry, and needs seconds for it: in the fast tier the packages are put where npm would put them.
  if (isFull) await installInto(folder, packed.tarball);
  else await unpackInto(folder, packed.tarball, ROOT);
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

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
        !/^(?:dist\/.*\.(?:js|d\.ts)|docs\/.*\.(?:md|svg|png)|README\.md|LICENSE|CHANGELOG\.md|package\.json)$/.test(
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

  test('runs no script when it is installed', async () => {
    const { scripts = {} } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
  });

  test('has the command usp', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const installed = join(folder, 'node_modules/ultimate-sitemap-parser');
    const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const { stdout } = await run(execPath, [join(installed, bin.usp), '--version']);
    expect(stdout.trim()).toBe(version);
    if (isFull) expect(await npm(folder, 'exec', '--no', '--', 'usp', '--version')).toBe(stdout);
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

  test('type-checks for a strict consumer who checks libraries too', async () => {
    const program = `
      import { type Sitemap, sitemapTreeForHomepage, streamPages } from 'ultimate-sitemap-parser';
      import { parseSitemap } from 'ultimate-sitemap-parser/parse';
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
