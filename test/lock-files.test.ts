/**
 * The lock files are whole: `npm ci` works on every platform that the tools are published for, and with any registry.
 * npm leaves a platform's package out without a word when the registry that wrote the file did not have it; `npm ci`
 * then refuses the file on every machine.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const ROOT = join(import.meta.dirname, '..');

function readJson(path: string): Locked & { readonly packages: Readonly<Record<string, Locked>> } {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

/** The folders in which Node looks for what a package at `path` imports, nearest first. */
function* foldersAbove(path: string): Generator<string> {
  let folder = path;
  while (folder !== '') {
    yield `${folder}/node_modules/`;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
  }
  yield 'node_modules/';
}

describe.each(['.', 'bench', 'site', 'examples/recipes'])('the lock file in %s', (folder) => {
  const { packages } = readJson(join(folder, 'package-lock.json'));
  const paths = Object.keys(packages).filter((path) => path !== '');

  test('has every package that another one needs, for all platforms', () => {
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => ![...foldersAbove(path)].some((above) => packages[`${above}${name}`]))
        .map((name) => `${path} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });

  test('names the checksum of every package, and the host of no registry', () => {
    expect(paths.filter((path) => !packages[path]?.integrity?.startsWith('sha512-'))).toEqual([]);
    expect(paths.filter((path) => packages[path]?.resolved !== undefined)).toEqual([]);
  });

  test('agrees with package.json', () => {
    const { dependencies, devDependencies } = readJson(join(folder, 'package.json'));
    expect(packages['']?.dependencies).toEqual(dependencies);
    expect(packages['']?.devDependencies).toEqual(devDependencies);
  });
});
