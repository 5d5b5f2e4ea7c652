/** What a release writes into the package, and what its container promises. RELEASING.md has the steps. */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { beforeAll, describe, expect, test } from 'vitest';
import { build, ROOT } from './support/cli-binary.ts';
import { testIf } from './support/collected.ts';
import { folder } from './support/folder.ts';
import { canMount } from './support/platform.ts';

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const TAG = `v${MANIFEST.version}`;

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
  test('names the repository that publishes it, and nothing else changes', () => {
    const { path, status } = prepared('someone/sitemaps', TAG);
    expect(status).toBe(0);
    expect(JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))).toEqual({
      ...MANIFEST,
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

describe('the container image', () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

  test('has the optional packages in the versions that the package accepts', () => {
    for (const [name, range] of Object.entries<string>(MANIFEST.peerDependencies))
      expect(dockerfile).toContain(`${name}@${/^\^(\d+)/.exec(range)?.[1]}`);
  });

  beforeAll(build);

  // A mount namespace stands for the container: all is read-only but /tmp and the folder of data, and the user is not root.
  testIf(canMount())('works as another user than root, on a root that is read-only', () => {
    const data = folder();
    mkdirSync(join(data, 'written'));
    chmodSync(data, 0o755);
    chmodSync(join(data, 'written'), 0o777);
    copyFileSync(join(ROOT, 'test/fixtures/broken/bare-ampersand.xml'), join(data, 'sitemap.xml'));
    const usp = `"${execPath}" "${join(ROOT, 'dist/cli/main.js')}"`;
    const script = [
      'set -e',
      `mount --bind "${data}" /mnt`,
      'mount -o remount,bind,ro /',
      'mount -t tmpfs tmpfs /tmp',
      // As root: only a read-only file system refuses it.
      '! touch /usr/written',
      'cd /mnt',
      `exec setpriv --reuid=65534 --regid=65534 --clear-groups sh -c '${usp} check -q --fail-on never -f ndjson sitemap.xml && ${usp} fix -q sitemap.xml --base https://example.org/ -o written/fixed'`,
    ].join('\n');
    const { stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', script], { encoding: 'utf8' });
    expect(stdout).toContain('bare-ampersand');
    expect(readFileSync(join(data, 'written/fixed/sitemap.xml'), 'utf8')).toContain('&amp;');
    expect(stderr).toContain('Read-only file system');
  });
});
