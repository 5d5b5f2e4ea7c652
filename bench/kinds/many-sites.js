/**
 * Many small sites on addresses of 127.0.0.0/8, all served by one nginx: sites per second, processor time per site, and
 * the memory of the largest process. nginx has its share of the same cores, which is not counted.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process, { stderr } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { peakBytesOf } from '../measure/usage.js';
import { isHere } from '../requirements.js';

const USP = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const LOOK_EVERY_MS = 250;

/** What is at work: ended with the benchmark, however that ends. */
const working = new Set();
process.on('exit', () => {
  for (const child of working) child.kill('SIGTERM');
});

function started(child) {
  working.add(child);
  child.once('exit', () => working.delete(child));
  return child;
}

/** For each contestant its sites per second, processor time per site and peak. */
export async function measureManySites({ name, sites, pages, contestants }) {
  const present = contestants.filter(isHere);
  if (spawnSync('nginx', ['-v'], { stdio: 'ignore' }).error !== undefined)
    return { contestants: [], absent: ['nginx'], disagreements: [] };
  const folder = mkdtempSync(join(tmpdir(), 'usp-bench-'));
  // nginx changes its user.
  chmodSync(folder, 0o755);
  const nginx = await startNginx(folder, pages);
  const results = [];
  try {
    const list = join(folder, 'sites.txt');
    const address = (at) => `127.${1 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
    writeFileSync(
      list,
      Array.from({ length: sites }, (_, at) => `http://${address(at)}:${nginx.port}/\n`).join(''),
    );
    for (const contestant of present) {
      stderr.write(`${name}: ${contestant.id}\n`);
      const output = join(folder, contestant.id);
      const measured = await run(contestant, { list, output, folder });
      const { finished } = JSON.parse(readFileSync(join(output, 'crawl.json'), 'utf8'));
      results.push({ ...contestant, ...measured, ...ratesOf(measured, sites), finished });
    }
  } finally {
    nginx.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    contestants: results,
    absent: contestants.filter((contestant) => !isHere(contestant)).map(({ id }) => id),
    disagreements: results
      .filter(({ finished }) => finished.complete !== sites || finished.pages !== sites * pages)
      .map(({ id, finished }) => `${id} finished ${finished.complete} sites with ${finished.pages} pages.`),
  };
}

function ratesOf({ seconds, cpuSeconds }, sites) {
  return { sitesPerSecond: sites / seconds, cpuMillisecondsPerSite: (cpuSeconds * 1000) / sites };
}

async function run({ args, workers = 0 }, { list, output, folder }) {
  const redis = workers > 0 ? await startRedis(folder) : undefined;
  const queue = redis === undefined ? [] : ['--queue', `redis://127.0.0.1:${redis.port}`];
  const env = { ...process.env, NO_PROXY: '*' };
  const start = (argv) =>
    started(spawn(process.execPath, [USP, ...argv], { env, stdio: ['ignore', 'ignore', 'inherit'] }));
  const cpuBefore = cpuOfChildren();
  const startedAt = performance.now();
  const commands = [start(['crawl', list, '-o', output, '-q', ...queue, ...(workers > 0 ? [] : args)])];
  for (let at = 0; at < workers; at++)
    commands.push(start(['worker', '-o', output, '-q', ...queue, ...args]));
  const used = { peakBytes: 0 };
  const look = setInterval(() => {
    for (const pid of commands.flatMap((command) => childrenOf(command.pid))) {
      used.peakBytes = Math.max(used.peakBytes, peakBytesOf(pid) ?? 0);
    }
  }, LOOK_EVERY_MS);
  try {
    const ended = commands.map((command) => once(command, 'exit'));
    const [code] = await ended[0];
    const seconds = (performance.now() - startedAt) / 1000;
    await Promise.all(ended);
    if (code !== 0) throw new Error(`usp crawl ended with code ${code}.`);
    return { seconds, cpuSeconds: cpuOfChildren() - cpuBefore, peakBytes: used.peakBytes };
  } finally {
    clearInterval(look);
    redis?.stop();
  }
}

/** Processor time of all processes that this one has started and that have ended, with theirs: fields 16 and 17. */
function cpuOfChildren() {
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean);
  } catch {
    return [];
  }
}

async function startNginx(folder, pages) {
  const port = await freePort();
  mkdirSync(join(folder, 'site'));
  const urls = Array.from(
    { length: pages },
    (_, at) => `<url><loc>https://example.org/page/${at}</loc><lastmod>2026-01-02</lastmod></url>`,
  );
  const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';
  writeFileSync(
    join(folder, 'site', 'sitemap.xml'),
    `<urlset xmlns="${namespace}">${urls.join('')}</urlset>`,
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  access_log off;
  server {
    listen 0.0.0.0:${port} backlog=4096;
    root ${folder}/site;
    location = /robots.txt { return 200 "User-agent: *\\nSitemap: http://$http_host/sitemap.xml\\n"; }
  }
}
`,
  );
  return startServer('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], port);
}

async function startRedis(folder) {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  return startServer('redis-server', args, port);
}

async function startServer(program, args, port) {
  const child = started(spawn(program, args, { stdio: 'ignore' }));
  await delay(500);
  return { port, stop: () => child.kill('SIGTERM') };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
