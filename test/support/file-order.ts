/**
 * Which test files have a process of their own, and in what order all of them start. Read by vitest.config.ts.
 *
 * A process and its imports cost a second, and most files need neither for themselves: they share a few processes. A file
 * is in this list for one of two reasons. It looks at its process: memory, open files and sockets, rejections that nobody
 * handles, the environment. Or it is long. Long files start first, so that the end of a run has work for every core.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files with a process of their own, the longest of the full tier first. */
export const OWN_PROCESS: readonly string[] = [
  'test/hostile/bombs.test.ts',
  'test/batch/workers.test.ts',
  'test/site/pages.test.ts',
  'test/parse/fuzz.test.ts',
  'test/hostile/soak.test.ts',
  'test/runtimes.test.ts',
  'test/hostile/fault-matrix.test.ts',
  'test/batch/usp-crawl.test.ts',
  'test/report/report-html.test.ts',
  'test/fetch/client/open-files.test.ts',
  'test/servers/pace.test.ts',
  'test/cli/update-killed.test.ts',
  'test/parse/linear.test.ts',
  'test/cli/million.test.ts',
  'test/site/playground.test.ts',
  'test/batch/output/memory.test.ts',
  'test/cli/binary.test.ts',
  'test/parse/differential.test.ts',
  'test/report/browser/report-page.test.ts',
  'test/sitemap/archive/damage.test.ts',
  'test/servers/proxies.test.ts',
  'test/stream.test.ts',
  'test/batch/kills.test.ts',
  'test/cli/output.test.ts',
  'test/cli/terminal.test.ts',
  'test/site/playground-large.test.ts',
  'test/hostile/crash.test.ts',
  'test/crawl/limits.test.ts',
  'test/package.test.ts',
  'test/sitemap/big-tree.test.ts',
  'test/parse/memory.test.ts',
  'test/sitemap/archive/save-load.test.ts',
  'test/cli/update.test.ts',
  'test/local.test.ts',
  'test/fetch/lifetime.test.ts',
  'test/parse/values/date.test.ts',
  'test/sitemap/spool/spool.test.ts',
  'test/sitemap/tree.test.ts',
  'test/crawl/abort.test.ts',
];

/** Starts the files of the list in its order, then the others, those that took longest last time first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = OWN_PROCESS.indexOf(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/'));
      return at === -1 ? OWN_PROCESS.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
