/** npm as a child process, on every system. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { copyPackage } from '../../scripts/npm.js';
import { removeProxies } from '../../scripts/proxies.js';
import { ROOT } from './cli-binary.ts';

const run = promisify(execFile);

/** The variable that keeps those that tests do without. */
const KEPT = 'TEST_NPM_ENVIRONMENT';

/**
 * Takes what only npm needs, which alone looks beyond loopback, out of the environment of the tests and all their processes:
 * proxies, and NODE_EXTRA_CA_CERTS. Every process of Node reads those certificates when it starts: all of Debian's take
 * 75 ms of CPU, and the tests start hundreds of processes.
 */
export function keepNetworkForNpm(): void {
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
  delete process.env['NODE_EXTRA_CA_CERTS'];
  const kept = {
    ...removeProxies(),
    ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }),
  };
  // The configuration is read more than once.
  process.env[KEPT] ??= JSON.stringify(kept);
}

function npmEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ...JSON.parse(process.env[KEPT] ?? '{}') };
}

/** Runs npm in a folder, and gives what it wrote to stdout. */
export async function npm(cwd: string, ...argv: readonly string[]): Promise<string> {
  // On Windows npm is a batch file, which only a shell can run. Where a script of npm runs the tests, npm's own file is
  // known.
  const { npm_execpath: file } = process.env;
  const isScript = file !== undefined && /npm-cli\.c?js$/.test(file);
  const env = npmEnvironment();
  const { stdout } = isScript
    ? await run(execPath, [file, ...argv], { cwd, env })
    : await run('npm', argv, { cwd, env, shell: process.platform === 'win32' });
  return stdout;
}

async function makeProject(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
  );
}

/** Makes a project in a folder that has our package and others of our own, so that `npx` downloads nothing. */
export async function projectWithPackage(folder: string, ...others: readonly string[]): Promise<void> {
  await makeProject(folder);
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await symlink(ROOT, join(modules, 'ultimate-sitemap-parser'));
  await symlink('../ultimate-sitemap-parser/dist/cli/main.js', join(modules, '.bin', 'usp'));
  for (const name of others) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
}

/** Makes an empty project in a folder, and installs packages there: names, versions, paths of tarballs. */
export async function installInto(folder: string, ...packages: readonly string[]): Promise<void> {
  await makeProject(folder);
  await npm(
    folder,
    'install',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--ignore-scripts',
    ...packages,
  );
}

/**
 * The same for our package alone, without npm: it is unpacked, and what it depends on is linked from our own folder.
 */
export async function unpackInto(folder: string, tarball: string): Promise<void> {
  await makeProject(folder);
  const place = join(folder, 'node_modules/ultimate-sitemap-parser');
  await mkdir(place, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
  const { dependencies } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
  }
}

/** What `npm pack --json` says of a package. */
interface Packed {
  readonly files: readonly { readonly path: string }[];
  readonly unpackedSize: number;
}

/** Packs our package into a folder: the path of the tarball, and what is in it. */
export async function packInto(
  folder: string,
): Promise<{ readonly tarball: string; readonly files: readonly string[]; readonly unpackedBytes: number }> {
  const copy = join(folder, 'copy');
  copyPackage(copy);
  // An array; since npm 12 an object with the name of the package.
  const [packed] = Object.values<Packed>(
    JSON.parse(await npm(copy, 'pack', '--json', '--pack-destination', folder)),
  );
  if (packed === undefined) throw new Error('npm has packed nothing');
  await rm(copy, { recursive: true });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  return {
    tarball: join(folder, tarball),
    files: packed.files.map(({ path }) => path),
    unpackedBytes: packed.unpackedSize,
  };
}
