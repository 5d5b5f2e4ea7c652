/**
 * Every example runs, as it is, against the demo site: each as a process in the full tier, one after the other in the
 * same process in the fast one.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PLACEHOLDER, serveDemoSite } from '../../scripts/demo-site.js';
import { startServer } from '../server/scripted-server.ts';
import { build, type Finished, ROOT, type Running, until, watched } from '../support/cli-binary.ts';
import { linkPackages } from '../support/docs-examples.ts';
import { folderUntil } from '../support/folder.ts';
import { isFull } from '../support/tier.ts';

let demo: Awaited<ReturnType<typeof serveDemoSite>>;
const folder = folderUntil(afterAll);
let host: ChildProcess | undefined;
const ran = new Set<string>();

beforeAll(async () => {
  await build();
  demo = await serveDemoSite();
  if (!isFull) host = await startHost();
});
afterAll(async () => {
  host?.kill();
  await demo?.close();
});

/** An example as JavaScript: Node 20 reads no TypeScript. */
async function codeOf(name: string): Promise<string> {
  ran.add(name);
  return (await transform(await readFile(join(ROOT, 'examples', name), 'utf8'), { loader: 'ts' })).code;
}

/** Runs a file for each message, and sends what it printed. */
const HOST = `
import { format } from 'node:util';
process.on('message', async ({ file, argv }) => {
  const printed = { code: 0, stdout: '', stderr: '' };
  console.log = (...values) => { printed.stdout += format(...values) + '\\n'; };
  console.error = (...values) => { printed.stderr += format(...values) + '\\n'; };
  process.argv = [process.execPath, file, ...argv];
  try {
    process.exitCode = 0;
    await import(file);
    printed.code = process.exitCode;
  } catch (error) {
    Object.assign(printed, { code: 1, stderr: String(error?.stack ?? error) });
  }
  process.send(printed);
});`;

/** A process that runs examples, in a folder where they find the packages. */
async function startHost(): Promise<ChildProcess> {
  await linkPackages(folder, 'csv-stringify');
  await writeFile(join(folder, 'host.mjs'), HOST);
  return fork(join(folder, 'host.mjs'), { cwd: ROOT, execArgv: [] });
}

async function runInHost(running: ChildProcess, name: string, argv: readonly string[]): Promise<Finished> {
  const file = join(await mkdtemp(join(folder, 'run-')), 'example.mjs');
  await writeFile(file, await codeOf(name));
  running.send({ file: pathToFileURL(file).href, argv });
  const [printed] = await once(running, 'message');
  return printed;
}

/** Starts an example, which finds the package by its own name from inside it. */
async function start(name: string, ...argv: readonly string[]): Promise<Running> {
  const code = await codeOf(name);
  const child = spawn(process.execPath, ['--input-type=module', '-', ...argv], {
    cwd: ROOT,
  });
  child.stdin.end(code);
  return watched(child);
}

/** Runs an example to its end: the lines it printed. */
async function run(name: string, ...argv: readonly string[]): Promise<string[]> {
  const finished = host === undefined ? (await start(name, ...argv)).finished : runInHost(host, name, argv);
  const { code, stdout, stderr } = await finished;
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
    expect(await run('new-pages.ts', demo.origin, file)).toEqual(['0 added, 0 removed, 0 changed']);
  });

  test('new-pages.ts prints the pages of a sitemap whose first read failed, once it can be read', async () => {
    const server = await startServer({
      '/robots.txt': ['/a.xml', '/late.xml'],
      '/a.xml': { pages: ['/1'] },
      '/late.xml': { script: [{ status: 403 }, { pages: ['/2'] }] },
    });
    try {
      const file = join(folder, 'late.warc.gz');
      await run('new-pages.ts', server.origin, file);
      expect(await run('new-pages.ts', server.origin, file)).toEqual([
        `added: ${server.origin}/2`,
        '1 added, 0 removed, 0 changed',
      ]);
    } finally {
      await server.close();
    }
  });

  test('all of them are here', async () => {
    const files = (await readdir(join(ROOT, 'examples'))).filter((name) => name.endsWith('.ts'));
    expect([...ran].sort()).toEqual(files.sort());
    const readme = await readFile(join(ROOT, 'examples/README.md'), 'utf8');
    for (const file of files) expect(readme).toContain(`(${file})`);
  });
});
