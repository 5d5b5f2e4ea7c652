/**
 * A site of a million pages, or of fewer with less strength, streamed: memory stays small. That pages are printed
 * as they arrive is in binary.test.ts.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { BINARY, build, ROOT } from '../support/cli-binary.ts';
import { index } from '../support/documents.ts';
import { sized } from '../support/tier.ts';

beforeAll(() => build());

// The kernel holds up to 4 MB of each sitemap that is sent: of a large one that is less than half.
const [SITEMAPS, PAGES] = sized({ fast: [1, 75_000], full: [1, 200_000], strong: [20, 50_000] });

/** Serves the site from one document held in memory: each sitemap differs by its name only. */
async function serveMillion(): Promise<{ origin: string; sent: () => number; close: () => void }> {
  let sent = 0;
  const server = createServer((request, response) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const path = request.url ?? '';
    if (path === '/robots.txt') {
      response.end(`Sitemap: ${origin}/index.xml`);
    } else if (path === '/index.xml') {
      response.end(index(...Array.from({ length: SITEMAPS }, (_, n) => `${origin}/s${n}.xml`)));
    } else if (/^\/s\d+\.xml$/.test(path)) {
      void give(path.slice(1, -4)).then((text) => response.end(text));
    } else {
      response.writeHead(404).end();
    }
    async function give(name: string): Promise<string> {
      response.write('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">');
      for (let at = 0; at < PAGES; at += 500) {
        let piece = '';
        for (let n = at; n < at + 500; n++) {
          piece += `<url><loc>https://million.example/${name}/a-page-with-a-usual-name-${n}</loc><lastmod>2024-05-06T07:08:09Z</lastmod></url>`;
        }
        sent++;
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
        if (response.destroyed) return '';
      }
      return '</urlset>';
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const COUNT = (SITEMAPS * PAGES).toLocaleString('en');

test(`usp ls -f ndjson of ${COUNT} pages: at once, and under 150 MiB`, async () => {
  const site = await serveMillion();
  const child = spawn(process.execPath, [BINARY, 'ls', site.origin, '-f', 'ndjson', '--no-known'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let lines = 0;
  let sentAtFirst = 0;
  let peakKiB = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    if (lines === 0) sentAtFirst = site.sent();
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
    const status = readStatus(child.pid);
    peakKiB = Math.max(peakKiB, Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0));
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  site.close();
  expect([code, lines]).toEqual([0, SITEMAPS * PAGES]);
  expect(sentAtFirst).toBeLessThan((SITEMAPS * PAGES) / 500 / 2);
  expect(peakKiB).toBeGreaterThan(0);
  expect(peakKiB / 1024).toBeLessThan(150);
});

function readStatus(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
