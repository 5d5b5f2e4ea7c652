/**
 * `usp crawl` under kills and faults, for `npm run soak`: sites that respond with errors, processes that are killed, and
 * parts that disappear. In the end every site has one line, and every page one row.
 */
import { spawn } from 'node:child_process';
import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts';
import { Chance } from './random.ts';
import type { Tally } from './tally.ts';

const SITES = 60;
const KILLS = 3;
const LONGEST_MS = 120_000;

/** @param usp - the built command, `dist/cli/main.js` */
export async function crawlUnderKills(seed: number, usp: string, tally: Tally): Promise<void> {
  const chance = new Chance(seed);
  let isFaulty = true;
  const down = new Set(Array.from({ length: 12 }, () => chance.between(0, SITES - 1)));
  const ends: (() => void | Promise<void>)[] = [];
  const server = await startLoopbackServer({
    isDown: (number) => isFaulty && down.has(number),
    delayMs: 2,
    onEnd: (end) => void ends.push(end),
  });
  const folder = mkdtempSync(join(tmpdir(), 'usp-soak-crawl-'));
  try {
    const [list, path] = [join(folder, 'sites.txt'), join(folder, 'crawl')];
    const numbers = Array.from({ length: SITES }, (_, number) => number);
    writeFileSync(list, numbers.map((number) => `${server.homepage(number)}\n`).join(''));
    const work = ['--processes', '2', '--sites-at-once', '4', '--publish-every', '0.1', '--retries', '0'];
    const argv = [usp, 'crawl', list, '-o', path, '-f', 'ndjson', '--no-known', '--allow-private', ...work];
    const say = (what: string): void => tally.complain(`crawl, seed ${seed}: ${what}`);
    const crawl = async (more: readonly string[], killAfterMs?: number): Promise<void> => {
      const { code, stderr } = await ended([...argv, ...more], killAfterMs);
      if (killAfterMs !== undefined) tally.kills++;
      else if (code === null) tally.hangs++;
      else if (code !== 0) say(`exit code ${code}: ${stderr}`);
    };
    for (let kill = 0; kill < KILLS; kill++) await crawl([], chance.between(200, 2_000));
    await crawl([]);
    isFaulty = false;
    const [part] = readdirSync(join(path, 'pages'));
    if (part !== undefined) rmSync(join(path, 'pages', part));
    tally.faults += down.size + 1;
    await crawl(['--retry-failed'], chance.between(200, 2_000));
    await crawl(['--retry-failed']);
    await compare(path, server, numbers, tally, say);
  } finally {
    for (const end of ends) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a command in a process group of its own; killed as a whole after a while. */
async function ended(
  argv: readonly string[],
  killAfterMs: number = LONGEST_MS,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const child = spawn(process.execPath, argv, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-2_000);
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const waiting = new AbortController();
  const isLate = await Promise.race([
    exited.then(() => false),
    delay(killAfterMs, true, { signal: waiting.signal }).catch(() => false),
  ]);
  waiting.abort();
  if (isLate && child.pid !== undefined) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended in this moment.
    }
  }
  return { code: await exited, stderr };
}

/** The URLs of all rows of a crawl, one by one: a part of a large site is longer than a string may be. */
async function* urlsIn(path: string): AsyncGenerator<string, void, undefined> {
  for (const name of readdirSync(join(path, 'pages'))) {
    const input = createReadStream(join(path, 'pages', name)).pipe(createGunzip());
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      yield (JSON.parse(line) as { readonly url: string }).url;
  }
}

/**
 * Compares what a crawl has found with what the sites have.
 *
 * @param others - sites without a number, and what takes the URLs of their pages
 */
export async function compare(
  path: string,
  server: LoopbackServer,
  numbers: readonly number[],
  tally: Tally,
  say: (what: string) => void,
  others: { readonly sites: number; readonly isOther: (url: string) => boolean } = {
    sites: 0,
    isOther: () => false,
  },
): Promise<void> {
  const lines = readFileSync(join(path, 'sites.ndjson'), 'utf8').trim().split('\n');
  const sites = lines.map((line) => (JSON.parse(line) as { readonly site: string }).site);
  const all = numbers.length + others.sites;
  if (sites.length !== all || new Set(sites).size !== all) say(`${sites.length} lines for ${all} sites`);
  const found: string[] = [];
  for await (const url of urlsIn(path)) if (!others.isOther(url)) found.push(url);
  tally.sites += all;
  tally.compare(
    'crawl under kills',
    numbers.flatMap((number) => server.pages(number)),
    found,
  );
}
