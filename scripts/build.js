/**
 * `npm run build`: checks and compiles src/, and writes the package.
 *
 * - `.build/` has a module for each source, for tests and for measuring: whole, as the compiler wrote it.
 * - `dist/` is what is published: a bundle for each entry, with what they share in chunks, and of the declarations those
 *   that the entries reach. A bundle loads in half the time of its modules.
 *
 *     node scripts/build.js [--clean] [--as-compiled src/x.ts]
 *
 * With --clean, nothing of an earlier build is left in .build/. With --as-compiled, nothing is compiled, and dist/ has of this
 * source what .build/ has (scripts/mutate.js).
 */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { readArguments } from './arguments.js';
import { bundlePage } from './build-report.js';
import { inputsOf, noticesOf } from './notices.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SOURCES = join(ROOT, 'src');
const COMPILED = join(ROOT, '.build');
const PUBLISHED = join(ROOT, 'dist');

/** What others import. */
const LIBRARY = [
  'index',
  'parse/index',
  'check/index',
  'write/index',
  'write/browser',
  'batch/index',
  'mcp/index',
];
/** What is run: `usp`, and its processes, which lie beside the chunks as their source beside what starts them. */
const PROGRAMS = { 'cli/main': 'cli/main', 'chunks/crawl-process': 'batch/crawl-process' };

const { clean, 'as-compiled': asCompiled } = readArguments(import.meta.url, {
  options: { clean: { type: 'boolean' }, 'as-compiled': { type: 'string' } },
}).values;
if (clean) await rm(COMPILED, { recursive: true, force: true });
if (asCompiled === undefined) compile();
const page = bundlePage();
const [bundles, declarations] = await Promise.all([bundled(), reachedDeclarations()]);
await publish(new Map([...bundles, ...declarations]));
await startBundles();

function compile() {
  if (ROOT.includes('*')) {
    console.error(`${ROOT} cannot be built: the compiler cannot read a path with "*". Move the checkout.`);
    process.exit(1);
  }
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}

/** The bundles: path in dist/ → text. */
async function bundled() {
  const { dependencies, peerDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const { outputFiles, metafile } = await build({
    entryPoints: [...LIBRARY.map((name) => [name, name]), ...Object.entries(PROGRAMS)].map(([out, name]) => ({
      in: join(SOURCES, `${name}.ts`),
      out,
    })),
    absWorkingDir: ROOT,
    outdir: PUBLISHED,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    charset: 'utf8',
    // A quarter of the bytes is white space. All names stay, and lines are short enough to find a place by its line.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 240,
    legalComments: 'none',
    // Packages that are only needed to build are no dependency of the package.
    external: Object.keys({ ...dependencies, ...peerDependencies }),
    plugins: [
      { name: 'page-assets', setup: withPageAssets },
      { name: 'direct-imports', setup: withDirectImports },
      { name: 'small-packages', setup: withSmallPackages },
    ],
    metafile: true,
    write: false,
  });
  // Which sources are in which file, for the test of what is loaded.
  await writeFile(join(COMPILED, 'bundles.json'), JSON.stringify(metafile.outputs));
  const inputs = [...inputsOf(metafile.outputs), ...(await page).inputs];
  await writeFile(join(ROOT, 'THIRD-PARTY-NOTICES'), await noticesOf(inputs));
  return outputFiles.map(({ path, text }) => [
    posixPath(path.slice(PUBLISHED.length + 1)),
    withClassNames(text),
  ]);
}

/** The bundler calls a class that refers to itself `_Name`, which is what people would see of an object. */
function withClassNames(text) {
  const renamed = new Set(Array.from(text.matchAll(/\b(\w+)=class _\1\b/g), ([, name]) => `_${name}`));
  return text.replaceAll(/\b_\w+\b/g, (name) => (renamed.has(name) ? name.slice(1) : name));
}

/**
 * Gives an import from src/index.ts the file that has the name. The bundler divides code by files: who imports one name of
 * src/index.ts would load all that is behind it.
 */
async function withDirectImports(builder) {
  const index = join(SOURCES, 'index.ts');
  const places = await exportsOf(index);
  builder.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
    const name = path.slice(SOURCES.length + 1);
    const isCompiled = asCompiled !== undefined && path === join(ROOT, asCompiled);
    const text = await readFile(isCompiled ? join(COMPILED, name.replace(/ts$/, 'js')) : path, 'utf8');
    const contents = text.replaceAll(/^import \{([^}]*)\} from '(\..*)';$/gm, (whole, names, from) => {
      if (join(path, '..', from) !== index) return whole;
      const values = names.split(',').map((name) => name.trim());
      return values
        .filter((name) => name !== '' && !name.startsWith('type '))
        .map((name) => `import { ${name} } from ${JSON.stringify(places.get(name.split(' ')[0]))};`)
        .join(' ');
    });
    return { contents, loader: 'ts' };
  });
}

/** Of packages that are built in, names need not stay: they are in no message, and no one looks for a place in them. */
function withSmallPackages(builder) {
  builder.onLoad({ filter: /[\\/]node_modules[\\/].*\.m?js$/ }, async ({ path }) => {
    const { code } = await transform(await readFile(path, 'utf8'), { minify: true, format: 'esm' });
    return { contents: code, loader: 'js' };
  });
}

/** Tabs instead of spaces, and no comment about a file as a whole: editors show those of names. */
function smallDeclarations(text) {
  const ownComment = /^\/\*\*(?:(?!\*\/|@packageDocumentation).)*\*\/\n(?=import |export \* |\/\*\*)/s;
  return text.replace(ownComment, '').replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
}

/** The values that a file exports from others: name → file. */
async function exportsOf(file) {
  const places = new Map();
  const text = await readFile(file, 'utf8');
  for (const [, names, from] of text.matchAll(/^export (\*|\{[^}]*\}) from '(.*)';$/gm)) {
    const target = join(file, '..', from);
    if (names === '*') for (const [name, place] of await exportsOf(target)) places.set(name, place);
    else for (const [, name] of names.matchAll(/(?<!type )\b(\w+)\s*[,}]/g)) places.set(name, target);
  }
  return places;
}

/** The script and the style of the report's page become text: the package needs no bundler for them. */
function withPageAssets(builder) {
  builder.onLoad({ filter: /[\\/]report[\\/]page-assets\.ts$/ }, async () => {
    const { script, style } = await page;
    const assets = JSON.stringify({ script, style });
    return { contents: `const ASSETS = ${assets};\nexport const pageAssets = async () => ASSETS;\n` };
  });
}

/** The declarations that the entries reach by imports: path in dist/ → text. */
async function reachedDeclarations() {
  const reached = new Map();
  const waiting = LIBRARY.map((name) => `${name}.d.ts`);
  for (const file of waiting) {
    if (reached.has(file)) continue;
    const text = await readFile(join(COMPILED, file), 'utf8');
    reached.set(file, smallDeclarations(text));
    for (const [, target] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g))
      waiting.push(posix.join(posix.dirname(file), `${target}.d.ts`));
  }
  return reached;
}

/** Writes the files of the package, each in one step, and then removes all others: a test may be running `usp`. */
async function publish(files) {
  for (const [name, text] of files) {
    const path = join(PUBLISHED, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
  for (const name of Object.keys(PROGRAMS)) await chmod(join(PUBLISHED, `${name}.js`), 0o755);
  for (const entry of await readdir(PUBLISHED, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !files.has(posixPath(path.slice(PUBLISHED.length + 1)))) await rm(path);
  }
}

/** A test that runs a command in its own process starts the bundle of the other processes, which loads in half the time. */
async function startBundles() {
  for (const [out, name] of Object.entries(PROGRAMS)) {
    if (out === name) continue;
    const target = posix.relative(posix.dirname(`.build/${name}`), `dist/${out}.js`);
    await writeFile(join(COMPILED, `${name}.js`), `import '${target}';\n`);
  }
}

function posixPath(path) {
  return path.replaceAll('\\', '/');
}
