/** §14.2: a site that takes all memory, or all time in one turn, of the process that has it. The others lose nothing. */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test, vi } from 'vitest';
import { forkCrawler } from '../../src/batch/child-process.ts';
import { Coordinator } from '../../src/batch/coordinator.ts';
import { createWorkerFolder } from '../../src/batch/crawl-folder.ts';
import { BINARY, build, until } from '../support/cli-binary.ts';
import { testIf } from '../support/collected.ts';
import { childrenOf, listOf, QUICK_CRAWL, startGroup } from '../support/crawl-command.ts';
import { crawlFolder, crawlPath, journalOf, linesOf, pagesBySite } from '../support/crawl-folders.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { IS_LINUX } from '../support/platform.ts';
import { sized } from '../support/tier.ts';

beforeAll(build);

/** A turn that never ends, and takes no time of the processor. */
const ENDLESS = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

const EXHAUSTIONS: readonly (readonly [name: string, how: string])[] = [
  ['memory', 'const kept = []; for (;;) kept.push(new Array(1e6).fill(kept.length));'],
  ['time in one turn', ENDLESS],
];

/** An option for Node: in a child, the first connection to this site never returns. */
function exhausting(path: string, site: string, how: string): string {
  const hook = join(dirname(path), 'exhausted.mjs');
  writeFileSync(
    hook,
    `import { Socket } from 'node:net';
     import { writeFileSync } from 'node:fs';
     const { connect } = Socket.prototype;
     Socket.prototype.connect = function (...options) {
       if (JSON.stringify(options).includes(${JSON.stringify(`${new URL(site).hostname}"`)})) { ${how} }
       return connect.apply(this, options);
     };`,
  );
  return `--import=${pathToFileURL(hook).href}`;
}

// A process each: in the fast tier one of them.
const TRIED = EXHAUSTIONS.slice(sized({ fast: 1, full: 0 }));

test.each(TRIED)('a site that takes all %s fails alone', { timeout: 240_000 }, async (_name, how) => {
  const sites = await loopbackSites();
  const folder = await crawlFolder();
  vi.stubEnv('NODE_OPTIONS', `${exhausting(folder.path, sites.homepage(2), how)} --max-old-space-size=80`);
  const said: string[] = [];
  try {
    const numbers = [0, 1, 2, 3, 4, 5];
    const own = await createWorkerFolder(folder);
    const settings = {
      ...{ crawl: folder.path, folder: own.path, format: 'ndjson' as const },
      ...{ publishEveryMs: 50, archives: false, previous: undefined },
    };
    const child = join(dirname(BINARY), '../chunks/crawl-process.js');
    const journal = await journalOf(folder);
    const crawler = new Coordinator({
      publish: (batch) => journal.publish(batch),
      ...{ processes: 1, sitesAtOnce: 2, silentMs: 3_000, running: new Map(), unpublished: new Set() },
      start: (sitesAtOnce) =>
        forkCrawler({ ...settings, options: { useKnownPaths: false, retries: 0, sitesAtOnce } }, child),
      warn: (message) => said.push(message),
    });
    await Promise.all(numbers.map((number) => crawler.crawl(sites.homepage(number))));
    await crawler.end({ isStopped: false });
    await crawler.close();
    await own.remove();
    const lines = linesOf(folder.path);
    expect(lines.map(({ site }) => site).sort()).toEqual(numbers.map(sites.homepage).sort());
    const failed = lines.filter(({ outcome }) => outcome === 'failed');
    expect(failed).toMatchObject([{ site: sites.homepage(2), code: 'process-died' }]);
    const found = pagesBySite(folder.path);
    for (const number of numbers.filter((each) => each !== 2)) {
      expect(found.get(sites.homepage(number)) ?? []).toEqual(sites.pages(number));
    }
  } finally {
    vi.unstubAllEnvs();
  }
});

testIf(IS_LINUX)('a process that is stuck ends with its parent', async () => {
  const sites = await loopbackSites();
  const path = crawlPath();
  const marker = join(dirname(path), 'stuck');
  const how = `writeFileSync(${JSON.stringify(marker)}, ''); ${ENDLESS}`;
  vi.stubEnv('NODE_OPTIONS', exhausting(path, sites.homepage(0), how));
  try {
    const list = listOf(sites, path, [0]);
    const { pid } = startGroup(['crawl', list, '-o', path, ...QUICK_CRAWL, '--processes', '1']);
    await until(() => existsSync(marker), 'a process that is stuck');
    const children = childrenOf(pid);
    expect(children).toHaveLength(1);
    process.kill(pid, 'SIGKILL');
    await until(() => children.every((child) => !existsSync(`/proc/${child}`)), 'its end');
  } finally {
    vi.unstubAllEnvs();
  }
});
