/**
 * §14.1 on machines that are not as a program expects: clocks that jump, and a folder on NFS. Both are simulated by what
 * all processes load first. A worker is killed in the middle; in the end all is there, once. Five processes: in the full
 * tier only.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test, vi } from 'vitest';
import { build, until } from '../support/cli-binary.ts';
import { listOf, QUICK_CRAWL, startGroup } from '../support/crawl-command.ts';
import { crawlPath, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { QueueWorker } from '../support/queue-workers.ts';
import { describeWith } from '../support/real-servers.ts';
import { startRedis } from '../support/redis.ts';

beforeAll(build);

/** An hour forth and back, four times a second. */
const JUMPING_CLOCK = `
  const RealDate = Date;
  const hour = 3_600_000;
  const now = () => RealDate.now() + [0, hour, -hour, 0][Math.floor(performance.now() / 250) % 4];
  globalThis.Date = class extends RealDate {
    constructor(...parts) { super(...(parts.length === 0 ? [now()] : parts)); }
    static now() { return now(); }
  };`;

/** No links; lists of files that are a second old, unless this process has changed the folder itself. */
const LIKE_NFS = `
  import fs from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  import { dirname } from 'node:path';
  const lists = new Map();
  const { readdir } = fs;
  fs.readdir = async (folder, ...options) => {
    if (options.length > 0) return readdir(folder, ...options);
    const known = lists.get(folder);
    if (known !== undefined && performance.now() - known.at < 1_000) return [...known.names];
    const names = await readdir(folder);
    lists.set(folder, { names, at: performance.now() });
    return [...names];
  };
  for (const name of ['open', 'rename', 'rm', 'writeFile', 'mkdir']) {
    const real = fs[name];
    fs[name] = async (...options) => {
      const done = await real(...options);
      for (const path of options.slice(0, 2)) if (typeof path === 'string') lists.delete(dirname(path));
      return done;
    };
  }
  fs.link = async () => { throw Object.assign(new Error('ENOTSUP'), { code: 'ENOTSUP', errno: -95 }); };
  syncBuiltinESMExports();`;

describeWith('redis-server', '§14.1 workers', () => {
  test('whose clocks jump and whose folder is like one on NFS find what others find', {
    timeout: 240_000,
  }, async () => {
    const sites = await loopbackSites({ delayMs: 20 });
    const path = crawlPath();
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    const list = listOf(sites, path, numbers);
    const hook = join(dirname(path), 'machine.mjs');
    writeFileSync(hook, LIKE_NFS + JUMPING_CLOCK);
    const url = `${(await startRedis()).url}?lock=3`;
    vi.stubEnv('NODE_OPTIONS', `--import=${pathToFileURL(hook).href}`);
    try {
      const crawl = startGroup(['crawl', list, '-o', path, '--queue', url, ...QUICK_CRAWL]);
      // What they load first is in the temporary folder.
      const [victim, other] = [new QueueWorker(url, {}), new QueueWorker(url, {})];
      await until(() => sites.requests > 20, 'some requests');
      victim.stop();
      await victim.finished;
      const third = new QueueWorker(url, {});
      for (const { finished } of [crawl, other, third]) {
        const { code, stderr } = await finished;
        expect([code, stderr]).toEqual([0, expect.anything()]);
      }
    } finally {
      vi.unstubAllEnvs();
    }
    const lines = linesOf(path);
    expect(lines.map(({ site }) => site).sort()).toEqual(numbers.map(sites.homepage).sort());
    for (const { elapsedMs } of lines) expect(elapsedMs).toBeGreaterThanOrEqual(0);
    const withPages = numbers.filter((number) => sites.pages(number).length > 0);
    expect(Object.fromEntries(pagesBySite(path))).toEqual(
      Object.fromEntries(withPages.map((number) => [sites.homepage(number), sites.pages(number)])),
    );
  });
});
