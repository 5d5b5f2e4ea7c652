/** What `npm pack` makes, installed into an empty folder: nothing stray in it, and it works there. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

let folder = '';
let files: readonly string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usp-package-'));
  // The scripts would build dist anew, under the feet of the tests beside this one.
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
  });
  const [packed] = JSON.parse(stdout);
  files = packed.files.map(({ path }: { path: string }) => path);
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'somebody', private: true, type: 'module' }),
  );
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${packed.filename}`];
  await run('npm', install, { cwd: folder });
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the package', () => {
  test('has nothing stray in it', () => {
    const stray = files.filter(
      (file) =>
        !/^(?:dist\/.*\.(?:js|d\.ts)|docs\/.*\.(?:md|svg)|README\.md|LICENSE|CHANGELOG\.md|package\.json)$/.test(
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

  test('brings the command usp', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const { stdout } = await run('npx', ['--no-install', 'usp', '--version'], { cwd: folder });
    expect(stdout.trim()).toBe(version);
  });

  test('is imported as an ES module, whole and as its core', async () => {
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
    const said = await run(execPath, [tsc, '-p', folder], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(said.stdout).toBe('');
  });
});
