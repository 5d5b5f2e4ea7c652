/** What other systems and other versions of Node make of a command, as far as it can be simulated. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, posix, win32 } from 'node:path';
import { Writable } from 'node:stream';
import { transform } from 'esbuild';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Reporter } from '../../src/cli/io.ts';
import { checkDistinct } from '../../src/cli/output/output.ts';
import { startOf } from '../../src/runtime/files.ts';
import { refuseForeign } from '../../src/write/set-directory.ts';
import { BINARY, build, ROOT, runBinary } from '../support/cli-binary.ts';
import { folder, written } from '../support/folder.ts';

beforeAll(build);

describe('a Node that is too old', () => {
  test.each(['12.22.0', '18.20.4', '20.18.3'])('%s: the command says which one it needs', async (version) => {
    const path = written({
      'old.cjs': `Object.defineProperty(process.versions, 'node', { value: '${version}' });`,
    });
    const env = { NODE_OPTIONS: `--require "${path('old.cjs').replaceAll('\\', '/')}"` };
    for (const argv of [['ls', 'https://a.example'], ['--version']])
      expect(await runBinary(argv, { env })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `usp: needs Node 20.19 or later, and this is Node ${version}.\n`,
      });
  });

  test('the version is that of package.json', async () => {
    const { engines } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(engines.node).toBe('>=20.19');
    expect((await runBinary(['--version'])).code).toBe(0);
  });

  test('what is loaded before that is syntax to Node 12', async () => {
    const main = await readFile(BINARY, 'utf8');
    const chunks = [...main.matchAll(/\bfrom ?"(\.\.\/[^"]+)"/g)].map(([, name = '']) =>
      join(BINARY, '..', name),
    );
    expect(chunks.length).toBeGreaterThan(0);
    for (const text of [main, ...(await Promise.all(chunks.map((path) => readFile(path, 'utf8'))))]) {
      const [old, now] = await Promise.all(
        ['node12.20', 'esnext'].map((target) => transform(text, { target, format: 'esm' })),
      );
      expect(old?.code).toBe(now?.code);
    }
  });
});

describe('where a path is followed from', () => {
  test.each([
    ['C:foo.xml', win32, /^C:\\/],
    ['d:\\foo.xml', win32, /^d:\\$/],
    ['\\\\host\\share\\foo.xml', win32, /^\\\\host\\share\\$/],
    ['/a/b', posix, /^\/$/],
    ['a/../b', posix, new RegExp(`^${process.cwd().replaceAll(/\W/g, '\\$&')}$`)],
  ])('%s', (path, on, expected) => {
    expect(startOf(path, on)).toMatch(expected);
  });
});

test('a file of an earlier set is known in whatever form of Unicode a file system names it', async () => {
  const place = join(folder(), 'set');
  await mkdir(place);
  await writeFile(join(place, 'cafe\u0301.xml'), '');
  await expect(refuseForeign(place, new Set(['caf\u00e9.xml']))).resolves.toBeUndefined();
  await expect(refuseForeign(place, new Set(['cafe.xml']))).rejects.toThrow('has other files');
});

describe('what is logged', () => {
  const ALL = ['error', 'warn', 'info', 'debug'] as const;
  test.each([
    [{}, []],
    [{ verbose: 1 }, ['error', 'warn', 'info']],
    [{ verbose: 2 }, ALL],
    [{ verbose: 2, quiet: true }, []],
  ])('with %j', (verbosity, expected) => {
    const said: string[] = [];
    const stderr = new Writable({
      write(chunk, _encoding, done) {
        said.push(String(chunk));
        done();
      },
    });
    const io = { stdout: stderr, stderr, stdin: stderr, env: {}, version: '' };
    const isTerminal = { stdin: false, stdout: false, stderr: false };
    const { signal } = new AbortController();
    const { logger } = new Reporter(
      { ...io, isTerminal, signal, stdin: (async function* () {})() },
      verbosity,
    );
    for (const level of ALL) logger[level]?.(`about ${level}`);
    expect(said.map((line) => line.split(' ')[0])).toEqual(expected);
  });
});

describe('two new files whose names differ in case only', () => {
  test.each([
    ['win32', true],
    ['darwin', true],
    ['linux', false],
  ])('%s: one file is %s', async (system, isOne) => {
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: system });
    onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }));
    const place = folder();
    const checked = checkDistinct('https://a.example', {
      output: join(place, 'Site.xml'),
      save: join(place, 'site.XML'),
    });
    if (isOne) await expect(checked).rejects.toThrow('-o and --save name the same file');
    else await checked;
  });
});
