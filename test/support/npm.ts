/** npm as a child process, on every system. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { ROOT } from './cli-binary.ts';

const run = promisify(execFile);

/** The variable that keeps the one that tests do without. */
const KEPT = 'TEST_EXTRA_CA_CERTS';

/**
 * Where NODE_EXTRA_CA_CERTS is set, every process of Node reads those certificates when it starts: all of Debian's take
 * 75 ms of CPU. The tests start hundreds of processes, and only npm looks beyond loopback.
 */
export function withoutExtraCertificates(): void {
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
  if (certificates === undefined) return;
  process.env[KEPT] = certificates;
  delete process.env['NODE_EXTRA_CA_CERTS'];
}

function npmEnvironment(): NodeJS.ProcessEnv {
  const certificates = process.env[KEPT];
  return certificates === undefined ? process.env : { ...process.env, NODE_EXTRA_CA_CERTS: certificates };
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
export async function unpackInto(folder: string, tarball: string, root: string): Promise<void> {
  await makeProject(folder);
  const place = join(folder, 'node_modules/ultimate-sitemap-parser');
  await mkdir(place, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', place, '--strip-components=1']);
  const { dependencies } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
  }
}

/** Packs our package into a folder: the path of the tarball, and what is in it. */
export async function packInto(
  folder: string,
  root: string,
): Promise<{ readonly tarball: string; readonly files: readonly string[]; readonly unpackedBytes: number }> {
  // The scripts would build dist again while other tests use it.
  const options = ['--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(await npm(root, 'pack', ...options));
  const files = packed.files.map(({ path }: { readonly path: string }) => path);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  return { tarball: join(folder, tarball), files, unpackedBytes: packed.unpackedSize };
}
