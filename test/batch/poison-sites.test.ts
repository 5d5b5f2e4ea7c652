/** §14.2: a site that ends every process that has it, given to workers through Redis: it fails alone. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { build } from '../support/cli-binary.ts';
import { listOf, QUICK_CRAWL, startedHere, startGroup } from '../support/crawl-command.ts';
import { crawlPath, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { workerCommand } from '../support/queue-workers.ts';
import { describeWith } from '../support/real-servers.ts';
import { startRedis } from '../support/redis.ts';

beforeAll(build);

describeWith('redis-server', '§14.2 a site that ends every process that has it', () => {
  test('is failed in the end, and the others of its worker are complete', { timeout: 240_000 }, async () => {
    const sites = await loopbackSites();
    const path = crawlPath();
    const numbers = [0, 1, 2, 3, 4, 5];
    const list = listOf(sites, path, numbers);
    const hook = join(dirname(path), 'poison.mjs');
    const address = new URL(sites.homepage(2)).hostname;
    writeFileSync(
      hook,
      `import { Socket } from 'node:net';
       const { connect } = Socket.prototype;
       Socket.prototype.connect = function (...options) {
         if (JSON.stringify(options).includes(${JSON.stringify(`${address}"`)})) process.kill(process.pid, 'SIGKILL');
         return connect.apply(this, options);
       };`,
    );
    const { url } = await startRedis();
    const crawl = startedHere(['crawl', list, '-o', path, '--queue', url, ...QUICK_CRAWL]);
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` };
    const worker = startGroup(workerCommand(url), { env });
    for (const { finished } of [crawl, worker]) expect(await finished).toMatchObject({ code: 0 });
    const lines = linesOf(path);
    expect(lines.map(({ site }) => site).sort()).toEqual(numbers.map(sites.homepage).sort());
    const failed = lines.filter(({ outcome }) => outcome === 'failed');
    expect(failed).toMatchObject([{ site: sites.homepage(2), code: 'process-died' }]);
    const found = pagesBySite(path);
    for (const number of numbers.filter((each) => each !== 2))
      expect(found.get(sites.homepage(number)) ?? []).toEqual(sites.pages(number));
  });
});
