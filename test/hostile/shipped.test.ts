/** The package and its dependencies: few, each with a reason, and without scripts that run at installation. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/cli-binary.ts';

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

interface Lockfile {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean }>
  >;
}

const read = <T>(file: string): T => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as T;
const OWN = read<Manifest>('package.json');
const LOCK = read<Lockfile>('package-lock.json');
const SHIPPED = Object.entries(LOCK.packages).filter(([place, { dev }]) => place !== '' && dev !== true);
// npm runs these where a package is installed.
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

test('our package runs no script when it is installed', () => {
  // npm warns about `prepare` in a package that is not from a registry, such as a file of npm pack.
  const run = [...INSTALL_SCRIPTS, 'prepare'];
  expect(Object.keys(OWN.scripts ?? {}).filter((name) => run.includes(name))).toEqual([]);
  expect(OWN.optionalDependencies).toBeUndefined();
  // What npm would install by itself: peers that are not optional.
  const optional = OWN.peerDependenciesMeta ?? {};
  const peers = Object.keys(OWN.peerDependencies ?? {});
  expect(peers.filter((name) => optional[name]?.optional !== true)).toEqual([]);
});

test('no dependency runs a script when it is installed', () => {
  expect(SHIPPED.length).toBeGreaterThanOrEqual(Object.keys(OWN.dependencies ?? {}).length);
  for (const [place, { hasInstallScript }] of SHIPPED) {
    expect(hasInstallScript, place).toBeUndefined();
    const file = join(place, 'package.json');
    if (!existsSync(join(ROOT, file))) continue;
    const { scripts = {} } = read<Manifest>(file);
    expect(
      Object.keys(scripts).filter((name) => INSTALL_SCRIPTS.includes(name)),
      place,
    ).toEqual([]);
    // npm builds a native addon at installation, even without a script.
    expect(existsSync(join(ROOT, place, 'binding.gyp')), place).toBe(false);
  }
});

test('a release is published with its provenance', () => {
  const workflow = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
  expect(workflow).toMatch(/^\s+id-token: write$/m);
  expect(workflow.match(/npm publish.*/g)).toEqual([expect.stringContaining('--provenance')]);
});

test('docs/security.md has the reason for each dependency, the indirect ones too, and lists no other', () => {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/security.md'), 'utf8').split('## Dependencies');
  const listed = Array.from(section.matchAll(/^\| `([^`]+)` \| [^|]{10,} \|$/gm), ([, name]) => name);
  expect(listed.sort()).toEqual(SHIPPED.map(([place]) => place.replace('node_modules/', '')).sort());
});
