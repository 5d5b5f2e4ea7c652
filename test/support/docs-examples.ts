/**
 * Makes the examples of docs/ into programs, and runs them.
 *
 * A block of `ts` that imports the package is a whole program: it is type-checked and run as it is, with
 * `https://example.org` at a server on loopback, unless it says `no-run`. A block that imports nothing is a fragment:
 * it is type-checked with everything exported, and a few usual names, in scope.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { startServer } from '../server/scripted-server.ts';
import { build as buildPackage } from './cli-binary.ts';
import { type CodeBlock, codeBlocksOf, docPages, readme } from './docs-pages.ts';
import { exampleSite } from './docs-site.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** All examples of docs/ and of the README. What the API page has as `typescript` is signatures, and the programs of TSDoc. */
export function examples(): readonly CodeBlock[] {
  return [readme(), ...docPages()].flatMap((page) =>
    codeBlocksOf(page).filter(
      (block) => block.language === 'ts' || (block.language === 'typescript' && isProgram(block)),
    ),
  );
}

/** Whether it is a whole program. */
export function isProgram({ code }: CodeBlock): boolean {
  return /^import .* from 'ultimate-sitemap-parser/m.test(code);
}

/**
 * The errors of the compiler for all examples, each with the page and line. They are held to the declarations of the
 * build: the compiler would check all of src/ again.
 */
export async function typeErrors(blocks: readonly CodeBlock[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'usp-docs-types-'));
  try {
    const prelude = await fragmentPrelude();
    for (const [index, block] of blocks.entries()) {
      const text = isProgram(block) ? `${block.code}\nexport {};\n` : `${prelude}{\n${block.code}\n}\n`;
      writeFileSync(join(folder, `${index}.ts`), text);
    }
    await buildPackage();
    const declared = (file: string): string[] => [join(ROOT, 'dist', file)];
    const compilerOptions = {
      lib: ['es2023', 'es2024.string', 'esnext.disposable'],
      paths: {
        'ultimate-sitemap-parser': declared('index.d.ts'),
        'ultimate-sitemap-parser/parse': declared('parse/index.d.ts'),
        'ultimate-sitemap-parser/check': declared('check/index.d.ts'),
        'ultimate-sitemap-parser/write': declared('write/index.d.ts'),
        'ultimate-sitemap-parser/batch': declared('batch/index.d.ts'),
        'ultimate-sitemap-parser/mcp': declared('mcp/index.d.ts'),
      },
      // As strict as a program may be: our declarations are checked as well.
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      typeRoots: [join(ROOT, 'node_modules/@types')],
      types: ['node'],
      noUnusedLocals: false,
      noUnusedParameters: false,
      isolatedDeclarations: false,
      declaration: false,
    };
    const config = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions,
      // Those of the file above are all of src/ and test/.
      include: [],
      files: blocks.map((_, index) => `${index}.ts`),
    };
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const said = await run(execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder }).catch(
      (error) => error,
    );
    return String(said.stdout)
      .split('\n')
      .filter((line) => / error TS/.test(line))
      .map((line) => line.replace(/^(\d+)\.ts/, (_, index) => blocks[Number(index)]?.where ?? ''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fragmentPrelude(): Promise<string> {
  const modules = ['src/index.ts', 'src/parse/index.ts', 'src/check/index.ts'];
  const sources = await Promise.all(modules.map((name) => readFile(join(ROOT, name), 'utf8')));
  const names = [...sources.join('').matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(
    ([, isType = '', list = '']) =>
      list
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean)
        .map((name) => (isType && !name.startsWith('type ') ? `type ${name}` : name)),
  );
  return [
    `import { ${[...new Set(names)].join(', ')} } from 'ultimate-sitemap-parser';`,
    "import { pipeline } from 'node:stream/promises'; import { Readable } from 'node:stream';",
    "import { createWriteStream } from 'node:fs';",
    'declare const tree: IndexWebsiteSitemap; declare const sitemap: Sitemap; declare const page: SitemapPage;',
    'declare const xml: string; declare const robotsTxt: string; declare const options: SitemapOptions;',
    '',
  ].join('\n');
}

/** What a program printed, with the server's address as the examples know it, or how it failed. */
export interface Printed {
  readonly output: string;
  readonly error?: string;
}

/**
 * Runs programs, one after the other in a process of their own, in an empty folder, with the package as it is built and
 * the example site on loopback.
 */
export async function printedBy(programs: readonly CodeBlock[]): Promise<readonly Printed[]> {
  const folder = await mkdtemp(join(tmpdir(), 'usp-docs-run-'));
  const server = await startServer({});
  Object.assign(server.site, exampleSite(server.origin));
  try {
    await linkPackages(folder);
    for (const [index, { code }] of programs.entries()) {
      const local = code.replaceAll('https://example.org', server.origin);
      const { code: program } = await transform(local, { loader: 'ts', target: 'node20' });
      await writeFile(join(folder, `${index}.mjs`), program);
    }
    await writeFile(join(folder, 'host.mjs'), HOST);
    const { stdout } = await run(execPath, ['host.mjs', String(programs.length)], {
      cwd: folder,
      timeout: 300_000,
    });
    return JSON.parse(stdout.replaceAll(server.origin, 'https://example.org'));
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const HOST = `
import { format } from 'node:util';
const printed = [];
for (let index = 0; index < Number(process.argv[2]); index++) {
  let output = '';
  console.log = (...values) => { output += format(...values) + '\\n'; };
  const error = await import('./' + index + '.mjs').then(() => undefined, (error) => String(error?.stack ?? error));
  printed.push({ output, error });
}
process.stdout.write(JSON.stringify(printed));
`;

/** Makes a project of a folder, whose programs find our package and others that we have. */
export async function linkPackages(folder: string, ...others: readonly string[]): Promise<void> {
  await buildPackage();
  // Without it, one of a folder above would say what the names of packages mean.
  await writeFile(join(folder, 'package.json'), '{}');
  await mkdir(join(folder, 'node_modules'));
  const link = (from: string, name: string): Promise<void> =>
    symlink(from, join(folder, 'node_modules', name), 'junction');
  await link(ROOT, 'ultimate-sitemap-parser');
  for (const name of others) await link(join(ROOT, 'node_modules', name), name);
}
