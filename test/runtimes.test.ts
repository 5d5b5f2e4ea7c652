/**
 * Bun and Deno run our package: every example prints there what it prints on Node, and so does `usp`. The npm packages
 * `bun` and `deno` bring their programs; where they cannot be installed, these tests are skipped and say so.
 *
 * Full tier only: the two programs are downloads of 100 MB.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveDemoSite } from '../scripts/demo-site.js';
import { build, ROOT, type Running, until, watched } from './support/cli-binary.ts';
import { testIf } from './support/collected.ts';
import { installInto, packInto } from './support/npm.ts';
import { isFull } from './support/tier.ts';

interface Runtime {
  readonly name: string;
  /** What npm installs. */
  readonly packageName: string;
  /** The scope and file of the program: each system has a package of its own below the scope. */
  readonly scope: string;
  readonly program: RegExp;
  readonly argv: readonly string[];
}

const RUNTIMES: readonly Runtime[] = [
  { name: 'Bun', packageName: 'bun@1', scope: '@oven', program: /^bun(?:\.exe)?$/, argv: ['run'] },
  { name: 'Deno', packageName: 'deno@2', scope: '@deno', program: /^deno(?:\.exe)?$/, argv: ['run', '-A'] },
];

let demo: Awaited<ReturnType<typeof serveDemoSite>>;
let folder = '';

/** The arguments of each example, on the demo site; `FILE` is a file of the runtime's own. */
const EXAMPLES: Readonly<Record<string, () => readonly string[]>> = {
  'cached-client': () => [demo.origin],
  'changed-since': () => [demo.origin, '2024-05-06'],
  'list-pages': () => [demo.origin],
  'local-file': () => [join(ROOT, 'examples/demo-site/products/tables.xml.gz')],
  'new-pages': () => [demo.origin, 'FILE.usp.gz'],
  'news-titles': () => [demo.origin],
  'one-language': () => [demo.origin, 'de'],
  'pages-to-csv': () => [demo.origin, 'FILE.csv'],
  worker: () => [`${demo.origin}/loop.xml`],
};
/** A server is not compared by its output, but by its responses. */
const SERVER = 'progress-server';

beforeAll(async () => {
  if (!isFull) return;
  await build();
  demo = await serveDemoSite();
  folder = await mkdtemp(join(tmpdir(), 'usp-runtimes-'));
  const { tarball } = await packInto(folder);
  // The second is what an example imports besides.
  await installInto(folder, tarball, 'csv-stringify@6');
  await writeFile(join(folder, 'host.mjs'), HOST);
  for (const name of [...Object.keys(EXAMPLES), SERVER]) {
    const source = join(ROOT, 'examples', `${name}.ts`);
    await copyFile(source, join(folder, `${name}.ts`));
    // Node 20 does not read TypeScript.
    const { code } = await transform(await readFile(source, 'utf8'), { loader: 'ts' });
    await writeFile(join(folder, `${name}.js`), code);
  }
}, 180_000);

afterAll(async () => {
  await demo?.close();
  if (folder !== '') await rm(folder, { recursive: true, force: true });
});

function start(program: string, argv: readonly string[]): Running {
  return watched(spawn(program, argv, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } }));
}

/** Runs examples one after the other, and prints the lines that each of them has printed. */
const HOST = `
import process from 'node:process';
import { format } from 'node:util';
const printed = {};
for (const [example, file, ...argv] of JSON.parse(process.argv[2])) {
  const lines = [];
  console.log = console.error = (...values) => void lines.push(...format(...values).trim().split('\\n'));
  process.argv.splice(2, Infinity, ...argv);
  await import(file);
  printed[example] = lines;
}
process.stdout.write(JSON.stringify(printed));`;

/** What each example prints, in one process: starting one for each costs more than they do. */
async function examplesOn(
  { name, argv }: Pick<Runtime, 'name' | 'argv'>,
  program: string,
  ending: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const given = Object.entries(EXAMPLES).map(([example, argumentsOf]) => [
    example,
    `./${example}${ending}`,
    ...argumentsOf().map((word) => word.replace('FILE', join(folder, `of-${name}`))),
  ]);
  const [text = ''] = await printed(program, [...argv, 'host.mjs', JSON.stringify(given)]);
  const lines = Object.entries<readonly string[]>(JSON.parse(text.replaceAll(`of-${name}`, 'FILE')));
  return Object.fromEntries(lines.map(([example, own]) => [example, own.toSorted()]));
}

/** What Node prints: both runtimes are compared with the same. */
const onNode = new Map<string, Promise<readonly string[]>>();
function printedByNode(argv: readonly string[]): Promise<readonly string[]> {
  const key = argv.join(' ');
  const known = onNode.get(key) ?? printed(process.execPath, argv);
  onNode.set(key, known);
  return known;
}
let examplesOnNode: ReturnType<typeof examplesOn> | undefined;

/** What a program prints. Streams have no order across sitemaps, so lines are sorted. */
async function printed(program: string, argv: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await start(program, argv).finished;
  expect(code, stderr).toBe(0);
  return [...stdout.trim().split('\n'), ...stderr.trim().split('\n')].filter((line) => line !== '').sort();
}

test('every example is here', async () => {
  const files = (await readdir(join(ROOT, 'examples'))).filter((name) => name.endsWith('.ts'));
  expect([...Object.keys(EXAMPLES), SERVER].map((name) => `${name}.ts`).sort()).toEqual(files.sort());
});

testIf(isFull).for(RUNTIMES)(
  'on $name every example and usp ls print what they print on Node (full tier only)',
  async ({ name, packageName, scope, program, argv }, { skip }) => {
    const file = await installed(join(folder, name), packageName, (place) =>
      programIn(join(place, 'node_modules', scope), program),
    );
    // One line for a program that is missing.
    if (file.why !== undefined) return skip(file.why);
    const printedThere = await examplesOn({ name, argv }, file.path, '.ts');
    examplesOnNode ??= examplesOn({ name: 'Node', argv: [] }, process.execPath, '.js');
    expect(printedThere).toEqual(await examplesOnNode);
    expect(Object.keys(printedThere)).toEqual(Object.keys(EXAMPLES));
    for (const [example, lines] of Object.entries(printedThere)) expect(lines.join(''), example).not.toBe('');
    const there = await served(file.path, [...argv, `${SERVER}.ts`, '0']);
    expect(there).toEqual(await served(process.execPath, [`${SERVER}.js`, '0']));
    expect(there).toHaveLength(23);
    for (const format of ['pages', 'ndjson', 'json']) {
      const usp = join(folder, 'node_modules/ultimate-sitemap-parser/dist/cli/main.js');
      const listing = [usp, 'ls', demo.origin, '-f', format, '--ordered'];
      expect(await printed(file.path, [...argv, ...listing]), format).toEqual(await printedByNode(listing));
    }
  },
);

/** Where a program is that npm installs, or why it is not there. */
async function installed(
  place: string,
  packageName: string,
  find: (place: string) => string | undefined,
): Promise<{ readonly path: string; readonly why?: undefined } | { readonly why: string }> {
  try {
    await installInto(place, packageName);
    const path = find(place);
    return path === undefined ? { why: `${packageName} has no program for this system` } : { path };
  } catch (error) {
    return { why: `${packageName} could not be installed: ${String(error).split('\n')[0]}` };
  }
}

/** The first program of that name below a folder. */
function programIn(folder: string, name: RegExp): string | undefined {
  if (!existsSync(folder)) return undefined;
  const path = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((entry) =>
    name.test(entry.split(/[\\/]/).at(-1) ?? ''),
  );
  return path === undefined ? undefined : join(folder, path);
}

/** The pages in all events that the server of the example sends. */
async function served(program: string, argv: readonly string[]): Promise<readonly string[]> {
  const { child, written, finished } = start(program, argv);
  try {
    await until(() => written.stdout.includes('\n'), 'the server');
    const response = await fetch(`${written.stdout.trim()}?site=${demo.origin}`);
    const events = (await response.text())
      .trim()
      .split('\n')
      .map((line): { readonly pages?: unknown } => JSON.parse(line));
    return events
      .flatMap(({ pages }) => (Array.isArray(pages) ? pages : []))
      .map(String)
      .sort();
  } finally {
    child.kill();
    await finished;
  }
}
