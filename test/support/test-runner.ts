/** Runs each test, and ends it when it hangs. */
import { type RunnerTestCase, TestRunner } from 'vitest';
import { unlessItHangs } from './waits.ts';

export default class LimitedRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    await unlessItHangs(Promise.resolve(TestRunner.getTestFn(test)()));
  }
}
