/**
 * `usp crawl --queue` and workers that share no folder, for `npm run soak`: workers, the crawl and Redis are killed at
 * random. In the end every site has one line, every page one row, and every key in Redis expires.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { closedPort } from '../server/raw-server.ts';
import { startLoopbackServer } from './loopback-server.ts';
import { onPath } from './on-path.ts';
import { Chance } from './random.ts';
import { compare } from './soak-crawls.ts';
import type { Tally } from './tally.ts';

const WORKERS = 3;
const LONGEST_MS = 300_000;

/** A command that is started again each time that it is killed. */
interface Victim {
  child: ChildProcess;
  /** Its exit code; null while it runs, or was killed. */
  code: number | null;
  said: string;
  start(): void;
  kill(): Promise<void>;
}

function victim(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Victim {
  const own: Victim = {
    child: undefined as never,
    code: null,
    said: '',
    start() {
      const child = spawn(program, args, {
        detached: true,
        env: { ...process.env, NO_PROXY: '*', ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      own.child = child;
      own.code = null;
      child.stderr.on('data', (chunk: Buffer) => {
        own.said = (own.said + chunk.toString()).slice(-2_000);
      });
      child.once('exit', (code) => {
        if (own.child === child) own.code = code;
      });
    },
    async kill() {
      const { child } = own;
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended in this moment.
      }
      await exited;
    },
  };
  own.start();
  return own;
}

/**
 * What makes a worker share nothing with others: the temporary folder, where the crawl and Redis have theirs, is its own
 * in a mount namespace. Where that cannot be made, or would hide the command, only its temporary files are apart.
 */
function apart(usp: string): { readonly before: readonly string[]; readonly isMounted: boolean } {
  const isHidden = [usp, process.execPath].some((path) => !relative(tmpdir(), path).startsWith('..'));
  const script = 'mount -t tmpfs tmpfs "$0" && exec "$@"';
  const [program, ...args] = ['unshare', '--mount', 'sh', '-c', script, tmpdir()] as const;
  const isMounted = !isHidden && spawnSync(program, [...args, 'true'], { stdio: 'ignore' }).status === 0;
  return { before: isMounted ? [program, ...args] : [], isMounted };
}

const PAGES_OF_A_SITEMAP = 50_000;

/** A site of many pages, and which of them were found. */
class LargeSite {
  readonly #server: Server;
  readonly #found: Uint8Array;

  private constructor(pages: number) {
    this.#found = new Uint8Array(pages);
    this.#server = createServer(({ url = '', headers }, response) => {
      const body = this.#document(url, `http://${headers.host}`);
      if (body === undefined) response.statusCode = 404;
      response.end(body);
    });
  }

  static async start(pages: number): Promise<LargeSite> {
    const site = new LargeSite(pages);
    await new Promise<void>((resolve) => site.#server.listen(0, '127.0.0.1', resolve));
    return site;
  }

  get homepage(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  #document(path: string, origin: string): string | undefined {
    const pages = this.#found.length;
    const sitemaps = Math.ceil(pages / PAGES_OF_A_SITEMAP);
    if (path === '/robots.txt') return `Sitemap: ${origin}/index.xml`;
    const list = (root: string, entry: string, count: number, urlOf: (at: number) => string): string =>
      `<${root}>${Array.from({ length: count }, (_, at) => `<${entry}><loc>${urlOf(at)}</loc></${entry}>`).join('')}</${root}>`;
    if (path === '/index.xml')
      return list('sitemapindex', 'sitemap', sitemaps, (at) => `${origin}/${at}.xml`);
    const [, number] = /^\/(\d+)\.xml$/.exec(path) ?? [];
    if (number === undefined) return undefined;
    const first = Number(number) * PAGES_OF_A_SITEMAP;
    const count = Math.max(0, Math.min(PAGES_OF_A_SITEMAP, pages - first));
    return list('urlset', 'url', count, (at) => `https://large.example/${first + at}`);
  }

  /** Whether a page is of this site; then it is counted. */
  has(url: string): boolean {
    const [, number] = /^https:\/\/large\.example\/(\d+)$/.exec(url) ?? [];
    if (number === undefined) return false;
    this.#found[Number(number)]!++;
    return true;
  }

  /** What is wrong with the pages that were found; undefined where each was found once. */
  get complaint(): string | undefined {
    const missing = this.#found.filter((count) => count === 0).length;
    const twice = this.#found.filter((count) => count > 1).length;
    if (missing + twice === 0) return undefined;
    return `${missing} pages of the large site are missing, ${twice} are there more than once`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** @param usp - the built command, `dist/cli/main.js`. @returns how the workers were apart from others */
export async function workersUnderKills(
  seed: number,
  usp: string,
  tally: Tally,
  wanted: { readonly sites: number; readonly kills: number; readonly largePages: number },
): Promise<string> {
  const { sites, kills, largePages } = wanted;
  const redisServer = onPath('redis-server');
  if (redisServer === undefined) return 'redis-server is not installed';
  const chance = new Chance(seed);
  const ends: (() => void | Promise<void>)[] = [];
  const server = await startLoopbackServer({ delayMs: 5, onEnd: (end) => void ends.push(end) });
  const folder = mkdtempSync(join(tmpdir(), 'usp-soak-workers-'));
  const [list, path] = [join(folder, 'sites.txt'), join(folder, 'crawl')];
  const numbers = Array.from({ length: sites }, (_, number) => number);
  const large = await LargeSite.start(largePages);
  ends.push(() => large.close());
  writeFileSync(list, [large.homepage, ...numbers.map((number) => server.homepage(number)), ''].join('\n'));
  const port = await closedPort();
  const say = (what: string): void => tally.complain(`workers, seed ${seed}: ${what}`);
  const url = `redis://127.0.0.1:${port}?lock=3`;
  const node = (argv: readonly string[], env = {}, before: readonly string[] = []): Victim => {
    const [program = '', ...args] = [...before, process.execPath, usp, ...argv];
    return victim(program, args, env);
  };
  // What it has taken is still there after a kill.
  const saving = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  const redis = victim(redisServer, [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    ...saving,
  ]);
  const argv = ['crawl', list, '-o', path, '-f', 'ndjson', '--retries', '0', '--no-known', '--allow-private'];
  const crawl = node([...argv, '--archives', '--queue', url]);
  const { before, isMounted } = apart(usp);
  const workers = Array.from({ length: WORKERS }, (_, at) => {
    const own = join(folder, `worker-${at}`);
    mkdirSync(own);
    const work = ['--processes', '1', '--sites-at-once', '4', '--publish-every', '0.1'];
    return node(['worker', '--queue', url, ...work], isMounted ? {} : { TMPDIR: own }, before);
  });
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null });
  client.on('error', () => {});
  try {
    for (let kill = 0; kill < kills && crawl.code === null; kill++) {
      await delay(chance.between(300, 2_000));
      const one = chance.between(0, 9);
      const killed = one === 0 ? redis : one < 3 ? crawl : workers[chance.between(0, WORKERS - 1)];
      await killed?.kill();
      tally.kills++;
      killed?.start();
    }
    for (const until = Date.now() + LONGEST_MS; crawl.code === null; await delay(100)) {
      for (const worker of workers) if (worker.code !== null && crawl.code === null) worker.start();
      if (Date.now() < until) continue;
      tally.hangs++;
      say(`the crawl did not end: ${crawl.said}`);
      break;
    }
    if (crawl.code !== 0) say(`exit code ${crawl.code}: ${crawl.said}`);
    await compare(path, server, numbers, tally, say, { sites: 1, isOther: (page) => large.has(page) });
    if (large.complaint !== undefined) say(large.complaint);
    for (const worker of workers) await worker.kill();
    for (const key of await client.keys('*')) {
      const seconds = await client.ttl(key);
      if (seconds === -1 || seconds > 600) say(`${key} expires in ${seconds} s`);
    }
  } finally {
    client.disconnect();
    for (const each of [crawl, ...workers, redis]) await each.kill();
    for (const end of ends) await end();
    rmSync(folder, { recursive: true, force: true });
  }
  return isMounted ? 'each worker in a mount namespace' : 'each worker with temporary files of its own';
}
