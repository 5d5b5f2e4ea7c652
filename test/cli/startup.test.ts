/** What `usp` loads before it does anything: no more than it needs, so that a mistake is told at once. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../server/scripted-server.ts';
import { build, runBinary } from '../support/cli-binary.ts';
import { urlset } from '../support/cli-world.ts';
import { sized } from '../support/tier.ts';

let folder: string;
let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  await build();
  folder = await mkdtemp(join(tmpdir(), 'usp-startup-'));
  server = await startServer({ '/sitemap.xml': urlset('https://one.example/page') });
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The files that a command line loads, as V8's coverage lists them. */
async function loaded(argv: readonly string[]): Promise<readonly string[]> {
  const place = await mkdtemp(join(folder, 'run-'));
  await runBinary(argv, { env: { NODE_V8_COVERAGE: place } });
  const files: string[] = [];
  for (const name of await readdir(place)) {
    const { result } = JSON.parse(await readFile(join(place, name), 'utf8')) as { result: { url: string }[] };
    for (const { url } of result) if (url.startsWith('file:')) files.push(url);
  }
  return files;
}

const LIBRARY = '/dist/reading.js';
const parts = [
  LIBRARY,
  // What no listing needs.
  ...['/dist/index.js', '/dist/check/', '/dist/diff/', '/dist/report/'],
  ...['/node_modules/csv-stringify/', '/node_modules/yocto-spinner/'],
];

describe('usp loads what it needs', () => {
  type Case = readonly [name: string, argv: readonly string[], expected: readonly string[]];
  const ONE_OF_EACH: readonly Case[] = [
    ['a URL that is not one', ['ls', 'no url'], []],
    ['a site', ['ls', 'SITE', '-f', 'pages'], [LIBRARY]],
    [
      'rows',
      ['parse', 'examples/demo-site/robots.txt', '-qf', 'csv'],
      [LIBRARY, '/node_modules/csv-stringify/'],
    ],
  ];
  const MORE: readonly Case[] = [
    ['its version', ['--version'], []],
    ['its help', ['ls', '--help'], []],
    ['an option that there is not', ['ls', 'https://one.example/', '--nope'], []],
    ['a completion', ['completion', 'bash'], []],
    ['a file', ['parse', 'examples/demo-site/robots.txt', '-q'], [LIBRARY]],
  ];
  test.each([...ONE_OF_EACH, ...sized({ fast: [], full: MORE })])('for %s', async (_, argv, expected) => {
    const files = await loaded(argv.map((arg) => (arg === 'SITE' ? server.origin : arg)));
    expect(files.some((url) => url.endsWith('/dist/cli/main.js'))).toBe(true);
    expect(parts.filter((part) => files.some((url) => url.includes(part)))).toEqual(expected);
  });
});
