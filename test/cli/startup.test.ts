/** What `usp` loads before it does anything: no more than it needs, so that a mistake is reported at once. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../server/scripted-server.ts';
import { build, COMPILED, runBinary } from '../support/cli-binary.ts';
import { urlset } from '../support/documents.ts';
import { folderUntil } from '../support/folder.ts';
import { sized } from '../support/tier.ts';

const folder = folderUntil(afterAll);
let server: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  await build();
  server = await startServer({ '/sitemap.xml': urlset('https://one.example/page') });
});
afterAll(() => server?.close());

/** The files that a command line loads, as V8's coverage lists them: packages by path, ours by the sources in them. */
async function loaded(argv: readonly string[]): Promise<readonly string[]> {
  const place = await mkdtemp(join(folder, 'run-'));
  await runBinary(argv, { env: { NODE_V8_COVERAGE: place } });
  const bundles: Record<string, { inputs: object }> = JSON.parse(
    await readFile(join(COMPILED, 'bundles.json'), 'utf8'),
  );
  const files: string[] = [];
  for (const name of await readdir(place)) {
    const { result } = JSON.parse(await readFile(join(place, name), 'utf8')) as { result: { url: string }[] };
    for (const { url } of result) {
      const bundle = bundles[/dist\/(?:cli|chunks)\/[^/]+$/.exec(url)?.[0] ?? ''];
      if (bundle !== undefined) files.push(...Object.keys(bundle.inputs));
      else if (url.startsWith('file:')) files.push(url);
    }
  }
  return files;
}

const LIBRARY = 'src/tree.ts';
const COMMANDER = '/node_modules/commander/';
const parts = [
  LIBRARY,
  COMMANDER,
  // What no listing needs.
  'src/check/',
  'src/diff/',
  'src/report/',
  'src/batch/coordinator.ts',
  '/node_modules/yocto-spinner/',
  // What agents need, and the packages of their protocol.
  'src/mcp/',
  '/node_modules/@modelcontextprotocol/',
  '/node_modules/zod/',
];

describe('usp loads what it needs', () => {
  type Case = readonly [name: string, argv: readonly string[], expected: readonly string[]];
  const ONE_OF_EACH: readonly Case[] = [
    ['its version', ['--version'], []],
    ['a URL that is not one', ['ls', 'no url'], [COMMANDER]],
    ['a site', ['ls', 'SITE', '-f', 'pages'], [LIBRARY, COMMANDER]],
    ['rows', ['ls', 'examples/demo-site/robots.txt', '-qf', 'csv'], [COMMANDER]],
  ];
  const MORE: readonly Case[] = [
    ['its help', ['ls', '--help'], [COMMANDER]],
    ['an option that there is not', ['ls', 'https://one.example/', '--nope'], [COMMANDER]],
    ['a completion, which names every rule', ['completion', 'bash'], [COMMANDER, 'src/check/']],
    ['a file', ['ls', 'examples/demo-site/robots.txt', '-q'], [COMMANDER]],
  ];
  test.each([...ONE_OF_EACH, ...sized({ fast: [], full: MORE })])('for %s', async (_, argv, expected) => {
    const files = await loaded(argv.map((arg) => (arg === 'SITE' ? server.origin : arg)));
    expect(files).toContain('src/cli/main.ts');
    expect(parts.filter((part) => files.some((file) => file.includes(part)))).toEqual(expected);
  });
});
