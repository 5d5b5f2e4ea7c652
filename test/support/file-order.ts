/**
 * Which test files have a process of their own, and in what order all of them start. Read by vitest.config.ts.
 *
 * A process and its imports cost one or two seconds of CPU, and most files need neither for themselves: they share a
 * few processes. A file has one of its own where it looks at its process: its memory, its garbage, its environment. What
 * only starts other processes, or is long, or waits, shares: there are more processes than cores.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files with a process of their own, the longest first. */
export const OWN_PROCESS: readonly string[] = [
  'test/batch/workers.test.ts',
  'test/hostile/soak.test.ts',
  'test/hostile/random-aborts.test.ts',
  'test/batch/stuck-process.test.ts',
  'test/sitemap/big-tree.test.ts',
  'test/parse/memory.test.ts',
  'test/local.test.ts',
  'test/sitemap/spool/spool.test.ts',
  'test/sitemap/tree.test.ts',
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
 * What `npm test` leaves to the full tier: attacks on time and memory, kills, and the website in a browser (single tests:
 * `hasHeavy` in tier.ts). Each has a small size all the same, for `npm run test:unit` and for a run of one file.
 */
export const HEAVY: readonly string[] = [
  'test/batch/compose.test.ts',
  'test/batch/hostile-jobs.test.ts',
  'test/batch/kills.test.ts',
  'test/batch/poison-sites.test.ts',
  'test/batch/redis-stays-small.test.ts',
  'test/batch/stuck-process.test.ts',
  'test/batch/troubled-redis.test.ts',
  'test/batch/workers.test.ts',
  'test/cli/million.test.ts',
  'test/cli/update-killed.test.ts',
  'test/cli/update-simulated.test.ts',
  'test/crawl/garbage.test.ts',
  'test/crawl/generations.test.ts',
  'test/crawl/many-sitemaps.test.ts',
  'test/fetch/client/open-files.test.ts',
  'test/hostile/agents.test.ts',
  'test/hostile/archives.test.ts',
  'test/hostile/bombs.test.ts',
  'test/hostile/crash.test.ts',
  'test/hostile/random-aborts.test.ts',
  'test/hostile/soak.test.ts',
  'test/hostile/turns.test.ts',
  'test/mcp/configurations.test.ts',
  'test/parse/linear.test.ts',
  'test/parse/memory.test.ts',
  'test/report/browser/hostile-report.test.ts',
  'test/site/pages.test.ts',
  'test/site/playground-hostile.test.ts',
  'test/site/playground-large.test.ts',
  'test/site/playground.test.ts',
  'test/sitemap/big-tree.test.ts',
  'test/warc/hostile-archives.test.ts',
];

/**
 * Files that share a process and are long: they start before the others, so that the end of a run has work for every
 * core.
 */
const LONG: readonly string[] = [
  'test/site/pages.test.ts',
  'test/hostile/fault-matrix.test.ts',
  'test/site/playground.test.ts',
  'test/site/playground-large.test.ts',
  'test/servers/pace.test.ts',
  'test/mcp/limits.test.ts',
  'test/crawl/update-law.test.ts',
  'test/cli/fix-law.test.ts',
  'test/parse/whole-elements.test.ts',
  'test/recipes.test.ts',
  'test/parse/linear.test.ts',
  'test/hostile/memory.test.ts',
  'test/hostile/crash.test.ts',
  'test/hostile/bombs.test.ts',
  'test/cli/ending.test.ts',
  'test/hostile/turns.test.ts',
  'test/cli/update-simulated.test.ts',
  'test/batch/output/memory.test.ts',
  'test/batch/diff-crawls.test.ts',
  'test/report/report-html.test.ts',
  'test/mcp/changes.test.ts',
  'test/check/other-readers.test.ts',
  'test/batch/sites-again.test.ts',
  'test/crawl/many-sitemaps.test.ts',
  'test/parse/fuzz.test.ts',
  'test/warc/hostile-archives.test.ts',
  'test/sitemap/archive/damage.test.ts',
  'test/batch/usp-crawl.test.ts',
  'test/cli/binary.test.ts',
  'test/crawl/discovery.test.ts',
  'test/runtimes.test.ts',
  'test/parse/differential.test.ts',
  'test/batch/usp-worker.test.ts',
  'test/stream.test.ts',
  'test/batch/kills.test.ts',
  'test/report/browser/report-page.test.ts',
  'test/hostile/archives.test.ts',
  'test/check/return-links.test.ts',
  'test/cli/million.test.ts',
  'test/batch/odd-machines.test.ts',
  'test/cli/terminal.test.ts',
  'test/cli/fix-keeps.test.ts',
  'test/crawl/limits.test.ts',
  'test/check/shapes.test.ts',
  'test/batch/bullmq-queue.test.ts',
  'test/diff/crawled.test.ts',
  'test/sitemap/archive/save-load.test.ts',
  'test/fetch/rules/timeouts.test.ts',
  'test/write/sitemap-xml.test.ts',
  'test/cli/output.test.ts',
  'test/check/response-rules.test.ts',
  'test/batch/output/parts.test.ts',
  'test/fetch/client/open-files.test.ts',
  'test/check/rules.test.ts',
  'test/servers/proxies.test.ts',
  'test/crawl/callback-limits.test.ts',
  'test/cli/update-killed.test.ts',
  'test/crawl/ordering.test.ts',
  'test/package.test.ts',
  'test/cli/update.test.ts',
];

/** Starts the files of the lists in their order, then the others, those that took longest last time first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = [...OWN_PROCESS, ...LONG];
    const place = ({ moduleId }: TestSpecification): number => {
      const at = order.indexOf(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/'));
      return at === -1 ? order.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
