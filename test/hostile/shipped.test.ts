/** What we ship, and what comes with it: few packages, each with a reason, and none that runs when it is installed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/cli-binary.ts';

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<
    Record<
      string,
      { readonly dev?: boolean; readonly hasInstallScript?: boolean; readonly integrity?: string }
    >
  >;
}

const read = <T>(file: string): T => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as T;
const OWN = read<Manifest>('package.json');
const LOCK = read<Lockfile>('package-lock.json');
const SHIPPED = Object.entries(LOCK.packages).filter(([place, { dev }]) => place !== '' && dev !== true);
// What npm runs where a package is installed; `prepare` is for those who build it.
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

test('our package runs nothing when it is installed', () => {
  expect(Object.keys(OWN.scripts ?? {}).filter((name) => INSTALL_SCRIPTS.includes(name))).toEqual([]);
  expect(OWN.optionalDependencies).toBeUndefined();
  expect(OWN.peerDependencies).toBeUndefined();
});

test('nor does anything that comes with it', () => {
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
    // A native addon is built when it is installed, without being asked.
    expect(existsSync(join(ROOT, place, 'binding.gyp')), place).toBe(false);
  }
});

test('the lockfile has a checksum for everything that is shipped', () => {
  expect(LOCK.lockfileVersion).toBe(3);
  for (const [place, { integrity }] of SHIPPED) expect(integrity, place).toMatch(/^sha512-/);
});

test('docs/security.md says why each dependency is there, the indirect ones too, and names no other', () => {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/security.md'), 'utf8').split('## Dependencies');
  const listed = Array.from(section.matchAll(/^\| `([^`]+)` \| [^|]{10,} \|$/gm), ([, name]) => name);
  expect(listed.sort()).toEqual(SHIPPED.map(([place]) => place.replace('node_modules/', '')).sort());
});
