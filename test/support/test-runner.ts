/** Runs each test, and ends it when it hangs. */
import timers from 'node:timers';
import { type RunnerTestCase, TestRunner } from 'vitest';
import { unlessItHangs } from './waits.ts';

export default class LimitedRunner extends TestRunner {
  /** Files share a process: a fake timer that one leaves behind would never fire, and others hang. */
  onBeforeRunFiles(): void {
    for (const name of ['setTimeout', 'setInterval', 'setImmediate'] as const)
      if (globalThis[name] !== timers[name])
        throw new Error(`A file before left a fake ${name} in this process.`);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    await unlessItHangs(async () => TestRunner.getTestFn(test)());
  }

  /** The full tier tries a failed test again: `.ci/run` repeats these lines at its end, whatever came of it. */
  onAfterRetryTask(test: RunnerTestCase, { retry }: { retry: number }): void {
    if (test.result?.state !== 'fail' || !test.retry || retry > 0) return;
    const [firstLine] = (test.result.errors?.[0]?.message ?? '').split('\n');
    process.stderr.write(`Failed, tried again: ${test.file.name} > ${test.name}: ${firstLine}\n`);
  }
}
