/**
 * Specification §15: thousands of hosts in one call. Unused connections are bounded, and where the process has no more
 * files, a request waits for one.
 */

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { build, ROOT, watched } from '../../support/cli-binary.ts';
import { index, urlset } from '../../support/documents.ts';
import { serving } from '../../support/fetching.ts';
import { sized } from '../../support/tier.ts';

beforeAll(() => build());

/** A server that is one host per address, and an index of sitemaps on `count` of them. */
async function startHosts(count: number) {
  const server = await serving({}, { address: '0.0.0.0' });
  const hosts = Array.from({ length: count }, (_, i) => `127.1.${i >> 8}.${i & 255}:${server.port}`);
  server.site['/index.xml'] = index(...hosts.map((host) => `http://${host}/s.xml`));
  server.site['/s.xml'] = ({ host }) => urlset(`http://${host}/page`);
  return { server, hosts, url: `http://127.0.0.1:${server.port}/index.xml` };
}

/** What a child reads, with how many files it may open, and how many of these it leaves for its sockets. */
async function readIn({ url, limit, spare }: { url: string; limit: number; spare?: number }) {
  const script = `
    import { closeSync, openSync } from 'node:fs';
    import { streamSitemap } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/index.js')).href)};
    const files = [];
    // Loaded and resolved once, before there are no more files.
    for await (const _ of streamSitemap('${url.replace('index', 's')}', { allowPrivateNetworks: true }));
    if (${spare !== undefined}) {
      try { for (;;) files.push(openSync('/dev/null')); } catch {}
      for (let i = 0; i < ${spare ?? 0}; i++) closeSync(files.pop());
    }
    let pages = 0;
    const failed = [];
    const onProgress = (event) => { if (event.type === 'failed') failed.push(event.reason); };
    for await (const _ of streamSitemap('${url}', { allowPrivateNetworks: true, onProgress })) pages++;
    for (const file of files) closeSync(file);
    console.log(JSON.stringify({ pages, failed: failed.slice(0, 3) }));
  `;
  const line = `ulimit -n ${limit} && exec "${process.execPath}" --input-type=module -e "$0"`;
  const { stdout, stderr } = await watched(spawn('sh', ['-c', line, script])).finished;
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as { pages: number; failed: string[] };
}

describe('§15 many hosts', () => {
  const MANY = sized({ fast: 300, full: 1_000, strong: 3_000 });
  const FILES = sized({ fast: 256, full: 512, strong: 1_024 });
  test(`${MANY} of them, with ${FILES} files: nothing is lost, and few connections stay open`, async () => {
    const { server, hosts, url } = await startHosts(MANY);
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, server.openSockets);
    }, 20);
    const result = await readIn({ url, limit: FILES });
    clearInterval(watching);
    expect(result).toEqual({ pages: hosts.length, failed: [] });
    // 64 that are kept, 16 in use, and those that are on their way to be closed.
    expect(most).toBeLessThan(200);
  }, 400_000);

  test.each(sized({ fast: [3], full: [30, 8, 3] }))(
    '100 of them, with %i files left: requests wait for one, and nothing is lost',
    async (spare) => {
      const { hosts, url } = await startHosts(100);
      expect(await readIn({ url, limit: 256, spare })).toEqual({ pages: hosts.length, failed: [] });
    },
    200_000,
  );
});
