/** Every example runs, as it is, against the demo site. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PLACEHOLDER, serveDemoSite } from '../../scripts/demo-site.js';
import { build, ROOT, type Running, until, watched } from '../support/cli-binary.ts';

let demo: Awaited<ReturnType<typeof serveDemoSite>>;
let folder: string;
const ran = new Set<string>();

beforeAll(async () => {
  await build();
  demo = await serveDemoSite();
  folder = await mkdtemp(join(tmpdir(), 'usp-examples-'));
});
afterAll(async () => {
  await demo?.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** Starts an example. Node 20 reads no TypeScript, and finds a package by its own name from inside it only. */
async function start(name: string, ...argv: readonly string[]): Promise<Running> {
  ran.add(name);
  const { code } = await transform(await readFile(join(ROOT, 'examples', name), 'utf8'), { loader: 'ts' });
  const child = spawn(process.execPath, ['--input-type=module', '-', ...argv], {
    cwd: ROOT,
    env: { ...process.env, NO_PROXY: '*' },
  });
  child.stdin.end(code);
  return watched(child);
}

/** Runs an example to its end: the lines it printed. */
async function run(name: string, ...argv: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await (await start(name, ...argv)).finished;
  expect([code, stderr.replaceAll(/^not read: .*\n/gm, '')]).toEqual([0, '']);
  return stdout.replaceAll(demo.origin, PLACEHOLDER).trim().split('\n');
}

describe('examples', () => {
  test('list-pages.ts', async () => {
    const lines = await run('list-pages.ts', demo.origin);
    expect(lines).toHaveLength(23);
    expect(lines[0]).toBe('https://demo.example/');
  });

  test('one-language.ts', async () => {
    expect(await run('one-language.ts', demo.origin, 'de')).toEqual(['https://demo.example/de/pflege']);
  });

  test('changed-since.ts', async () => {
    const lines = await run('changed-since.ts', demo.origin, '2024-05-06');
    expect(lines.sort()).toEqual([
      '2024-05-06T00:00:00.000Z https://demo.example/',
      '2024-05-07T06:30:00.000Z https://demo.example/news/new-workshop',
    ]);
  });

  test('news-titles.ts', async () => {
    const stories = (await run('news-titles.ts', demo.origin)).map((line) => JSON.parse(line));
    expect(stories).toHaveLength(5);
    expect(stories).toContainEqual({
      title: 'Varnish or oil?',
      publishDate: '2024-05-05T09:00:00.000Z',
      url: 'https://demo.example/blog/varnish-or-oil',
    });
  });

  test('pages-to-csv.ts', async () => {
    const file = join(folder, 'pages.csv');
    const [line] = await run('pages-to-csv.ts', demo.origin, file);
    expect(line).toMatch(/^23 pages of \d+ documents are in /);
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(24);
  });

  test('cached-client.ts', async () => {
    expect(await run('cached-client.ts', demo.origin)).toEqual([
      'first call: 23 pages, over the network',
      'second call: 23 pages, no request',
    ]);
  });

  test('progress-server.ts', async () => {
    const { child, written, finished } = await start('progress-server.ts', '0');
    try {
      await until(() => written.stdout.includes('\n'), 'the server');
      const answer = await fetch(`${written.stdout.trim()}?site=${demo.origin}`);
      const events = (await answer.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(events.at(-1)).toMatchObject({ complete: false, unreadable: 2 });
      expect(events.flatMap(({ pages }) => (Array.isArray(pages) ? pages : []))).toHaveLength(23);
      expect((await fetch(written.stdout.trim())).status).toBe(400);
    } finally {
      child.kill();
      await finished;
    }
  });

  test('local-file.ts', async () => {
    const lines = await run('local-file.ts');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe('pages-xml, 3 pages, 0 problems');
  });

  test('worker.ts', async () => {
    expect(await run('worker.ts', `${demo.origin}/loop.xml`)).toEqual([
      'sitemap https://demo.example/sitemap_index.xml',
    ]);
  });

  test('new-pages.ts', async () => {
    const file = join(folder, 'site.warc.gz');
    expect(await run('new-pages.ts', demo.origin, file)).toEqual(['22 pages, read for the first time']);
    expect(await run('new-pages.ts', demo.origin, file)).toEqual([
      // Those of the truncated sitemap.
      '0 added, 0 removed, 0 changed, 4 unknown',
    ]);
  });

  test('all of them are here', async () => {
    const files = (await readdir(join(ROOT, 'examples'))).filter((name) => name.endsWith('.ts'));
    expect([...ran].sort()).toEqual(files.sort());
    const readme = await readFile(join(ROOT, 'examples/README.md'), 'utf8');
    for (const file of files) expect(readme).toContain(`(${file})`);
  });
});
