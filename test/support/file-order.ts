/**
 * Which test files have a process of their own, and in what order all of them start. Read by vitest.config.ts.
 *
 * A process and its imports cost one or two seconds of CPU, and most files need neither for themselves: they share a
 * few processes. A file has one of its own where it looks at its process: its memory, its garbage, its environment; or
 * where it drives a browser: Playwright's AsyncLocalStorage makes every promise of its process slower, those of the files
 * after it too. What only starts other processes, or is long, or waits, shares: there are more processes than cores.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files with a process of their own. */
export const OWN_PROCESS: readonly string[] = [
  'test/hostile/soak.test.ts',
  'test/hostile/random-aborts.test.ts',
  'test/report/browser/hostile-report.test.ts',
  'test/report/browser/report-page.test.ts',
  'test/site/pages.test.ts',
  'test/site/playground-hostile.test.ts',
  'test/site/playground-large.test.ts',
  'test/site/playground.test.ts',
  'test/sitemap/big-tree.test.ts',
  'test/parse/memory.test.ts',
  'test/local.test.ts',
  'test/sitemap/spool/spool.test.ts',
  'test/sitemap/tree.test.ts',
  'test/waits.test.ts',
  'test/fetch/network.test.ts',
  'test/sitemap/archive/save-load.test.ts',
  'test/summary/folder-counts.test.ts',
];

/** Files of which the fast tier has no test: a file without one is an error. */
export const FULL_TIER_ONLY: readonly string[] = [
  'test/batch/odd-machines.test.ts',
  'test/batch/output/memory.test.ts',
  'test/edge.test.ts',
  'test/hostile/memory.test.ts',
];

/** Files that other systems have no test of: they need /proc or, the last one, signals. */
export const NOT_HERE: readonly string[] = [
  'test/cli/million.test.ts',
  'test/crawl/generations.test.ts',
  'test/fetch/client/open-files.test.ts',
  'test/sitemap/process-end.test.ts',
].slice(0, { linux: 0, win32: 4 }[process.platform as string] ?? 3);

/**
 * What `npm test` leaves to the full tier: attacks on time and memory, kills and signals, workers apart, real servers,
 * releases, and the website in a browser (single tests: `hasHeavy` in tier.ts). Each has a small size all the same, for
 * `npm run test:unit` and for a run of one file.
 */
export const HEAVY: readonly string[] = [
  'test/batch/apart-workers.test.ts',
  'test/batch/compose.test.ts',
  'test/batch/hostile-jobs.test.ts',
  'test/batch/kills.test.ts',
  'test/batch/poison-sites.test.ts',
  'test/batch/redis-stays-small.test.ts',
  'test/batch/stuck-process.test.ts',
  'test/batch/troubled-redis.test.ts',
  'test/batch/workers.test.ts',
  'test/cli/ending.test.ts',
  'test/cli/million.test.ts',
  'test/cli/pipes.test.ts',
  'test/cli/update-killed.test.ts',
  'test/cli/update-simulated.test.ts',
  'test/crawl/garbage.test.ts',
  'test/crawl/generations.test.ts',
  'test/crawl/many-sitemaps.test.ts',
  'test/docs/check-recipes.test.ts',
  'test/docs/examples.test.ts',
  'test/fetch/client/open-files.test.ts',
  'test/hostile/agents.test.ts',
  'test/hostile/archives.test.ts',
  'test/hostile/bombs.test.ts',
  'test/hostile/crash.test.ts',
  'test/hostile/deep-trees.test.ts',
  'test/hostile/fault-matrix.test.ts',
  'test/hostile/random-aborts.test.ts',
  'test/hostile/soak.test.ts',
  'test/hostile/turns.test.ts',
  'test/mcp/configurations.test.ts',
  'test/package.test.ts',
  'test/parse/linear.test.ts',
  'test/parse/memory.test.ts',
  'test/release.test.ts',
  'test/report/browser/hostile-report.test.ts',
  'test/robots/robots-work.test.ts',
  'test/servers/apache.test.ts',
  'test/servers/conditional.test.ts',
  'test/servers/lighttpd.test.ts',
  'test/servers/pace.test.ts',
  'test/servers/proxies.test.ts',
  'test/site/pages.test.ts',
  'test/site/playground-hostile.test.ts',
  'test/site/playground-large.test.ts',
  'test/site/playground.test.ts',
  'test/sitemap/big-tree.test.ts',
  'test/warc/hostile-archives.test.ts',
];

/** Seconds that each long file took in the full tier, the longest first; `npm run test:times` writes them. */
const TIMES: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('./file-times.json', import.meta.url), 'utf8'),
);

/**
 * Starts long files first, so that the end of a run has work for every core. What has no time is short or new: it comes
 * after them, as vitest sorts it, by its last time on this machine or by its size. Before all of them come the files with
 * a process of their own: vitest ends a shared process where the file that waits next is one of them.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const time = ({ moduleId, project }: TestSpecification): number => {
      const seconds = TIMES[relative(this.ctx.config.root, moduleId).replaceAll('\\', '/')] ?? 0;
      return project.config.isolate ? 1e6 + seconds : seconds;
    };
    return (await super.sort(files)).sort((a, b) => time(b) - time(a));
  }
}
