/**
 * `usp crawl --queue` and workers that share no folder, for `npm run soak`: workers, the crawl and Redis are killed at
 * random. In the end every site has one line, every page one row, and every key in Redis expires.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** @param usp - the built command, `dist/cli/main.js`. @returns false where redis-server is not installed */
export async function workersUnderKills(
  seed: number,
  usp: string,
  tally: Tally,
  { sites, kills }: { readonly sites: number; readonly kills: number },
): Promise<boolean> {
  const redisServer = onPath('redis-server');
  if (redisServer === undefined) return false;
  const chance = new Chance(seed);
  const ends: (() => void | Promise<void>)[] = [];
  const server = await startLoopbackServer({ delayMs: 5, onEnd: (end) => void ends.push(end) });
  const folder = mkdtempSync(join(tmpdir(), 'usp-soak-workers-'));
  const [list, path] = [join(folder, 'sites.txt'), join(folder, 'crawl')];
  const numbers = Array.from({ length: sites }, (_, number) => number);
  writeFileSync(list, numbers.map((number) => `${server.homepage(number)}\n`).join(''));
  const port = await closedPort();
  const say = (what: string): void => tally.complain(`workers, seed ${seed}: ${what}`);
  const url = `redis://127.0.0.1:${port}?lock=3`;
  const node = (argv: readonly string[], env = {}): Victim => victim(process.execPath, [usp, ...argv], env);
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
  const workers = Array.from({ length: WORKERS }, (_, at) => {
    const own = join(folder, `worker-${at}`);
    mkdirSync(own);
    const work = ['--processes', '1', '--sites-at-once', '4', '--publish-every', '0.1'];
    return node(['worker', '--queue', url, ...work], { TMPDIR: own });
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
    compare(path, server, numbers, tally, say);
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
  return true;
}
