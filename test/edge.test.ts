/**
 * The main entry runs in workerd, the runtime of Cloudflare Workers, with `webClient: fetch`. The npm package `miniflare`
 * brings the program; where it cannot be installed, these tests are skipped and say so.
 *
 * Full tier only: the program is a download of 100 MB.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build as bundle } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startServer } from './server/scripted-server.ts';
import { build, ROOT } from './support/cli-binary.ts';
import { describeIf } from './support/collected.ts';
import { codeBlocksOf, docPage } from './support/docs-pages.ts';
import { installInto } from './support/npm.ts';
import { isFull } from './support/tier.ts';

/** What of `miniflare` is used. It is not a dependency, so it brings no types. */
interface Worker {
  dispatchFetch(url: string, init?: { readonly signal?: AbortSignal }): Promise<Response>;
  dispose(): Promise<void>;
}

/** A worker with a route for each way to read a site. */
const ROUTES = `
import { collectPages, sitemapTreeForHomepage, streamPages } from 'ultimate-sitemap-parser';
const READERS = {
  async collect(site) {
    const { pages, outcome, missing } = await collectPages(site, { webClient: fetch, useKnownPaths: false });
    return { urls: pages.map(({ url }) => url), outcome, missing: missing.map(({ code }) => code) };
  },
  async stream(site) {
    const urls = [];
    for await (const { page } of streamPages(site, { webClient: fetch, useKnownPaths: false })) urls.push(page.url);
    return { urls };
  },
  async tree(site) {
    const tree = await sitemapTreeForHomepage(site, { webClient: fetch, useKnownPaths: false });
    const urls = [...tree.allPages()].map(({ url }) => url);
    tree.close();
    return { urls };
  },
  async count(site) {
    let count = 0;
    for await (const _ of streamPages(site, { webClient: fetch, useKnownPaths: false })) count++;
    return { count };
  },
  async abort(site) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 50);
    try {
      await collectPages(site, { webClient: fetch, signal: controller.signal });
    } catch (error) {
      return { error: error.message };
    }
  },
};
export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    return Response.json(await READERS[pathname.slice(1)](searchParams.get('site')));
  },
};`;

const SITE: Site = {
  '/robots.txt': ['/index.xml'],
  '/index.xml': ['/plain.xml', '/packed.xml.gz', '/moved.xml', '/gone.xml'],
  '/plain.xml': { pages: ['/1', ['/2', '2024-05-06']] },
  '/packed.xml.gz': { pages: ['/3'], gzip: true },
  '/moved.xml': { redirect: '/target.xml' },
  '/target.xml': { pages: ['/4'] },
};

describeIf(isFull, 'in workerd (full tier only)', () => {
  let folder = '';
  let why: string | undefined;
  let start: (script: string) => Promise<Worker>;
  let worker: Worker | undefined;

  beforeAll(async () => {
    await build();
    folder = await mkdtemp(join(tmpdir(), 'usp-edge-'));
    try {
      await installInto(folder, 'miniflare@4');
      start = await starter(folder);
      worker = await start(ROUTES);
    } catch (error) {
      why = `miniflare@4 could not be installed: ${String(error).split('\n')[0]}`;
    }
  }, 180_000);

  afterAll(async () => {
    await worker?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  test.for([
    ['collect', { outcome: 'partial', missing: ['http-status'] }],
    ['stream', {}],
    ['tree', {}],
  ] as const)(
    '%s reads gzip, an index and a redirect, and goes on after a child that fails',
    async ([route, rest], { skip }) => {
      if (why !== undefined) return skip(why);
      await using server = await startServer(SITE);
      const { urls, ...others } = await read(route, server.origin);
      expect([...(urls as string[])].sort()).toEqual(
        ['/1', '/2', '/3', '/4'].map((path) => server.origin + path),
      );
      expect(others).toEqual(rest);
    },
  );

  test('an abort ends a call that waits for a server', async ({ skip }) => {
    if (why !== undefined) return skip(why);
    await using server = await startServer({ '*': { silent: true } });
    expect(await read('abort', server.origin)).toEqual({ error: 'enough' });
  });

  test('a document of 10 MB is streamed in less than 128 MB, and kept by a tree', async ({ skip }) => {
    if (why !== undefined) return skip(why);
    const pages = Array.from({ length: 50_000 }, (_, at) => `/${String(at).padStart(160, 'p')}`);
    await using server = await startServer({ '/robots.txt': ['/large.xml'], '/large.xml': { pages } });
    expect(await read('count', server.origin)).toEqual({ count: 50_000 });
    const peak = peakBytes();
    if (peak !== undefined) expect(peak).toBeLessThan(128e6);
    expect((await read('tree', server.origin))['urls']).toHaveLength(50_000);
  });

  test('the worker of docs/edge.md responds with the pages of a site', async ({ skip }) => {
    if (why !== undefined) return skip(why);
    await using server = await startServer(SITE);
    const [example] = codeBlocksOf({ name: 'edge.md', text: docPage('edge.md') });
    const documented = await start(example?.code ?? '');
    try {
      const response = await documented.dispatchFetch(`http://worker.example/?site=${server.origin}`);
      expect(await response.json()).toMatchObject({ outcome: 'partial', urls: { length: 4 } });
    } finally {
      await documented.dispose();
    }
  });

  test('the sizes in docs/edge.md are within a tenth of the measured ones', async () => {
    const script = join(ROOT, 'scripts/sizes.js');
    const { stdout } = await promisify(execFile)(execPath, [script], { cwd: ROOT });
    const sizes = (text: string): number[] =>
      [...text.matchAll(/([\d.]+) [kM]B \|/g)].map(([, size]) => Number(size));
    const measured = sizes(stdout);
    expect(measured).toHaveLength(5);
    for (const [index, size] of sizes(docPage('edge.md')).entries()) {
      expect(Math.abs(size / (measured[index] ?? 0) - 1)).toBeLessThan(0.1);
    }
  });

  async function read(route: string, origin: string): Promise<Record<string, unknown>> {
    const response = await worker?.dispatchFetch(`http://worker.example/${route}?site=${origin}`);
    return (await response?.json()) as Record<string, unknown>;
  }
});

/** Loads `miniflare`, and gives the function that bundles a worker and starts it. */
async function starter(folder: string): Promise<(script: string) => Promise<Worker>> {
  const { Miniflare } = await import(
    pathToFileURL(join(folder, 'node_modules/miniflare/dist/src/index.js')).href
  );
  return async (script) => {
    const { outputFiles } = await bundle({
      stdin: { contents: script, loader: 'ts', resolveDir: ROOT },
      alias: { 'ultimate-sitemap-parser': join(ROOT, 'dist/index.js') },
      bundle: true,
      format: 'esm',
      platform: 'node',
      write: false,
      logLevel: 'error',
    });
    const [, date = ''] = /^compatibility_date = "(.*)"$/m.exec(docPage('edge.md')) ?? [];
    return new Miniflare({
      modules: true,
      script: outputFiles[0]?.text,
      compatibilityDate: date,
      compatibilityFlags: ['nodejs_compat'],
    });
  };
}

/** The most memory that the worker's process has had, where the system says so. */
function peakBytes(): number | undefined {
  if (!existsSync('/proc/self/status')) return undefined;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const value = (name: string): string | undefined =>
        new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1];
      if (value('Name') === 'workerd' && value('PPid') === String(process.pid)) {
        return Number(value('VmHWM')) * 1024;
      }
    } catch {
      // It has ended meanwhile.
    }
  }
  return undefined;
}
