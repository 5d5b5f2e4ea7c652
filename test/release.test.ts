/** What a release writes into the package, and what its container promises. RELEASING.md has the steps. */
import { execFileSync, execSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyPackage } from '../scripts/npm.js';
import { build, ROOT, watched } from './support/cli-binary.ts';
import { describeIf, testIf } from './support/collected.ts';
import { siteOf } from './support/crawled-site.ts';
import { folder, folderUntil, written } from './support/folder.ts';
import { packInto } from './support/npm.ts';
import { CAN_RUN_TEMPORARY, canMount, HAS_BASH, IS_POSIX } from './support/platform.ts';

/** As `npm install --prefix FOLDER PACKAGE` does: unpacks our package, and links what it depends on. */
const FAKE_NPM = `#!/bin/sh
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/ultimate-sitemap-parser"
tar -xzf "$TARBALL" -C "$2/node_modules/ultimate-sitemap-parser" --strip-components=1
ln -s "$MODULES"/* "$2/node_modules/"
`;
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const TAG = `v${MANIFEST.version}`;

/** Copies packages that are installed here into a folder, and what they depend on. */
function copyModules(place: string, names: readonly string[]): void {
  for (const name of names) {
    const module = join(place, name);
    if (existsSync(module)) continue;
    cpSync(join(ROOT, 'node_modules', name), module, { recursive: true });
    const { dependencies = {} } = JSON.parse(readFileSync(join(module, 'package.json'), 'utf8'));
    copyModules(place, Object.keys(dependencies));
  }
}

function prepared(...argv: readonly string[]): {
  readonly path: string;
  readonly status: number | null;
  readonly stderr: string;
} {
  const path = folder();
  for (const file of ['package.json', 'README.md']) copyFileSync(join(ROOT, file), join(path, file));
  const script = join(ROOT, 'scripts/prepare-release.js');
  const { status, stderr } = spawnSync(execPath, [script, ...argv, path], { encoding: 'utf8' });
  return { path, status, stderr };
}

describe('the package of a release', () => {
  test('names the repository that publishes it, has no scripts, and nothing else changes', () => {
    const { path, status } = prepared('someone/sitemaps', TAG);
    expect(status).toBe(0);
    const { scripts: _, ...manifest } = MANIFEST;
    expect(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))).toEqual({
      ...manifest,
      repository: { type: 'git', url: 'git+https://github.com/someone/sitemaps.git' },
      homepage: 'https://github.com/someone/sitemaps#readme',
      bugs: { url: 'https://github.com/someone/sitemaps/issues' },
    });
  });

  test('has a README whose pictures and links lead somewhere on the page of a registry', () => {
    const { path } = prepared('someone/sitemaps', TAG);
    const targets = Array.from(
      readFileSync(join(path, 'README.md'), 'utf8').matchAll(/(!?)\[[^\]]*\]\(([^)]+)\)/g),
      ([, mark, target]) => ({ mark, target }),
    );
    const pictures = targets.filter(({ mark }) => mark === '!').map(({ target }) => target);
    expect(pictures.length).toBeGreaterThan(0);
    for (const target of pictures)
      expect(target).toContain(`https://raw.githubusercontent.com/someone/sitemaps/${TAG}/docs/`);
    expect(
      targets.map(({ target }) => target).filter((target) => !/^(?:https:|#)/.test(target ?? '')),
    ).toEqual([]);
    expect(targets.map(({ target }) => target)).toContain(
      `https://github.com/someone/sitemaps/blob/${TAG}/docs/get-started.md`,
    );
  });

  test.each([
    ['a tag that is not the version', ['someone/sitemaps', 'v0.0.1'], 1, `use ${TAG}`],
    ['no repository', ['', TAG], 2, 'Usage'],
    ['a repository that is not OWNER/REPOSITORY', ['https://example.org', TAG], 2, 'Usage'],
  ])('is not made with %s', (_, argv, code, sentence) => {
    const { path, status, stderr } = prepared(...argv);
    expect({ status, stderr }).toEqual({ status: code, stderr: expect.stringContaining(sentence) });
    expect(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))).toEqual(MANIFEST);
  });
});

describeIf(HAS_BASH && CAN_RUN_TEMPORARY, 'the GitHub Action', () => {
  const action = readFileSync(join(ROOT, 'action.yml'), 'utf8');
  let tarball = '';
  beforeAll(async () => {
    await build();
    tarball = (await packInto(folderUntil(afterAll))).tarball;
  }, 180_000);

  /** Runs the script of the action with what a runner sets. npm would ask the registry for our dependencies: they are linked. */
  async function acted(
    inputs: Readonly<Record<string, string>>,
    files: Readonly<Record<string, string>> = {},
  ): Promise<{
    readonly code: number | null;
    readonly stdout: string;
    readonly summary: string;
    readonly outputs: Readonly<Record<string, string>>;
  }> {
    const file = written({ ...files, 'temp/.keep': '', 'bin/npm': FAKE_NPM, summary: '', output: '' });
    chmodSync(file('bin/npm'), 0o755);
    const child = spawn('bash', [join(ROOT, 'scripts/github-action.sh')], {
      cwd: file('.'),
      env: {
        ...process.env,
        ...inputs,
        PATH: `${file('bin')}:${process.env['PATH']}`,
        GITHUB_ACTION_PATH: ROOT,
        RUNNER_TEMP: file('temp'),
        GITHUB_STEP_SUMMARY: file('summary'),
        GITHUB_OUTPUT: file('output'),
        TARBALL: tarball,
        MODULES: join(ROOT, 'node_modules'),
      },
    });
    const { code, stdout } = await watched(child).finished;
    const lines = readFileSync(file('output'), 'utf8').trim().split('\n');
    const outputs = Object.fromEntries(lines.filter(Boolean).map((line) => line.split('=', 2)));
    return { code, stdout, summary: readFileSync(file('summary'), 'utf8'), outputs };
  }

  test('passes every input to the script', () => {
    const inputs = [...(action.split(/^outputs:/m)[0] ?? '').matchAll(/^ {2}([\w-]+):$/gm)].map(
      ([, name]) => name,
    );
    expect(inputs).toEqual([
      ...['url', 'files', 'fail-on', 'baseline', 'request-pages', 'config', 'headers', 'user-agent'],
    ]);
    for (const name of inputs) expect(action).toContain(`: \${{ inputs.${name} }}\n`);
  });

  test('checks files by patterns: annotations, SARIF, a summary and a report', async () => {
    const xml = readFileSync(join(ROOT, 'test/fixtures/broken/bare-ampersand.xml'), 'utf8');
    const told = await acted({ FILES: 'dist/**/*.xml\n' }, { 'dist/deep down/a.xml': xml });
    expect(told.code).toBe(5);
    expect(told.stdout).toMatch(/^::error file=dist\/deep down\/a\.xml,line=\d+/m);
    expect(told.summary).toContain('bare-ampersand');
    expect(JSON.parse(readFileSync(told.outputs['sarif'] ?? '', 'utf8'))).toMatchObject({ version: '2.1.0' });
    expect(readFileSync(told.outputs['report'] ?? '', 'utf8')).toContain('<!doctype html>');
  });

  test('takes no name of a file as an option, and reports several files', async () => {
    const xml = readFileSync(join(ROOT, 'test/fixtures/broken/bare-ampersand.xml'), 'utf8');
    const names = ['--write-baseline=z.xml', '-', '-q.xml', 'a.xml'];
    const told = await acted({ FILES: '*.xml\n-\n' }, Object.fromEntries(names.map((name) => [name, xml])));
    expect(told.code).toBe(5);
    for (const name of ['./--write-baseline=z.xml', './-', './-q.xml', 'a.xml'])
      expect(told.stdout).toContain(`file=${name},`);
    const report = readFileSync(told.outputs['report'] ?? '', 'utf8');
    for (const name of names) expect(report).toContain(name);
  });

  test('passes a configuration, headers and a User-Agent on', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': `Sitemap: ${origin}/a.xml`,
      '/a.xml': { pages: ['/1'] },
    }));
    const told = await acted(
      { URL: server.origin, HEADERS: 'X-A: 1 2\nX-B: --q\n', USER_AGENT: 'Bot "1"', CONFIG: 'rules.json' },
      { 'rules.json': '{"rules":{"lastmod-missing":"error"}}' },
    );
    expect(told.code).toBe(5);
    expect(server.requests.length).toBeGreaterThan(1);
    for (const { headers } of server.requests)
      expect(headers).toMatchObject({ 'x-a': '1 2', 'x-b': '--q', 'user-agent': 'Bot "1"' });
  });

  test('reads a site once, requests pages, and fails as fail-on says', async () => {
    const server = await siteOf((origin) => ({
      '/robots.txt': `Sitemap: ${origin}/a.xml`,
      '/a.xml': { pages: ['/1', '/gone'] },
      '/1': '<!doctype html><title>1</title>',
    }));
    const told = await acted({ URL: server.origin, FAIL_ON: 'never', REQUEST_PAGES: 'all' });
    expect(told.code).toBe(0);
    expect(told.stdout).toContain('page-missing');
    expect(told.summary).toContain('page-missing');
    expect(server.paths().filter((path) => path === '/a.xml')).toHaveLength(1);
    expect(server.paths().filter((path) => path === '/gone')).toHaveLength(1);
  });

  test.each([
    ['neither a site nor files', {}, 2, 'Set one of the inputs'],
    ['both', { URL: 'https://example.org/', FILES: 'a.xml' }, 2, 'Set one of the inputs'],
    ['a pattern that matches nothing', { FILES: 'none/*.xml' }, 2, 'No file matches none/*.xml'],
    ['a site that cannot be reached', { URL: 'http://127.0.0.1:1/' }, 6, 'could not be read'],
  ])('says what is wrong with %s', async (_, inputs, code, sentence) => {
    const told = await acted(inputs);
    expect({ code: told.code, stdout: told.stdout }).toEqual({
      code,
      stdout: expect.stringContaining(sentence),
    });
  });
});

describe('the container image', () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

  test('has the optional packages in the versions that the package accepts', () => {
    for (const [name, range] of Object.entries<string>(MANIFEST.peerDependencies))
      expect(dockerfile).toContain(`${name}@${/^\^(\d+)/.exec(range)?.[1]}`);
  });

  beforeAll(build);

  // `npm pack` makes no folder.
  testIf(IS_POSIX)('is packed in its first stage where its second stage looks for it', () => {
    const [, packing = ''] = /^RUN npm ci [^&]*&& (.*)$/m.exec(dockerfile) ?? [];
    const place = join(folder(), 'package');
    const copy = join(folder(), 'copy');
    copyPackage(copy);
    execSync(packing.replaceAll('/package', '"$PLACE"'), {
      env: { ...process.env, PLACE: place },
      cwd: copy,
      stdio: 'pipe',
    });
    expect(readdirSync(place)).toEqual([`${MANIFEST.name}-${MANIFEST.version}.tgz`]);
    expect(dockerfile).toContain('from=package,source=/package,target=/package');
    expect(dockerfile).toContain(' /package/*.tgz ');
  });

  // A mount namespace replaces the container: all is read-only but /tmp and the folder of data, and the user is not root. The
  // package is copied and Node mounted there: the checkout may be below /tmp, or in a folder that other users cannot read.
  testIf(canMount())('works as another user than root, on a root that is read-only', () => {
    const data = folder();
    mkdirSync(join(data, 'written'));
    copyPackage(join(data, 'package'));
    copyModules(join(data, 'package/node_modules'), Object.keys(MANIFEST.dependencies));
    copyFileSync(join(ROOT, 'test/fixtures/broken/bare-ampersand.xml'), join(data, 'sitemap.xml'));
    writeFileSync(join(data, 'node'), '');
    execFileSync('chmod', ['-R', 'a+rX', data]);
    chmodSync(join(data, 'written'), 0o777);
    const usp = '/mnt/node /mnt/package/dist/cli/main.js';
    const script = [
      'set -e',
      `mount --bind "${data}" /mnt`,
      `mount --bind "${execPath}" /mnt/node`,
      'mount -o remount,bind,ro /',
      'mount -t tmpfs tmpfs /tmp',
      // As root: only a read-only file system refuses it.
      '! touch /usr/written',
      'cd /mnt',
      `exec setpriv --reuid=65534 --regid=65534 --clear-groups sh -c '${usp} check -q --fail-on never -f ndjson sitemap.xml && ${usp} fix -q sitemap.xml --base https://example.org/ -o written/fixed'`,
    ].join('\n');
    const { stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', script], {
      encoding: 'utf8',
      // Programs that are only below /tmp are hidden too.
      env: { ...process.env, PATH: `${process.env['PATH']}:/usr/bin:/bin`, LC_ALL: 'C' },
    });
    expect(stdout).toContain('bare-ampersand');
    expect(readFileSync(join(data, 'written/fixed/sitemap.xml'), 'utf8')).toContain('&amp;');
    expect(stderr).toContain('Read-only file system');
  });
});
