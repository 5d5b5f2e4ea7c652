/**
 * A test that hangs fails within seconds, and says what it waited for. The runner of the tests (test-runner.ts) sees a hang where nothing
 * happens any more: no input or output, and no work. So a busy machine makes a test slow, but not a hang.
 */
import { performance } from 'node:perf_hooks';
import { clearInterval, setInterval } from 'node:timers';
import { isFull } from './tier.ts';

/** How long nothing may happen. A process that was started works without being seen here. */
const QUIET_SECONDS = isFull ? { alone: 90, withProcesses: 300 } : { alone: 15, withProcesses: 60 };
/** What a process needs in a second in which nothing happens but this watch: CPU time in microseconds, and input and output. */
const QUIET = { cpu: 30_000, events: 5 };

/** What is waited for now. On the global object, since the runner and the tests do not share their modules. */
const shared = globalThis as { uspWaits?: Set<() => string> };
shared.uspWaits ??= new Set();
const WAITS = shared.uspWaits;

/** Gives the result of a promise. If the test hangs meanwhile, its message has these words. */
export async function waitingFor<Result>(words: () => string, promise: Promise<Result>): Promise<Result> {
  WAITS.add(words);
  try {
    return await promise;
  } finally {
    WAITS.delete(words);
  }
}

/**
 * Runs a test; rejects if nothing happens any more before its end. A test that counts timers finds the one of this watch
 * both before and after.
 *
 * @param limit - for how many seconds nothing may happen
 */
export async function unlessItHangs(
  work: () => Promise<void>,
  limit: () => number = quietSeconds,
): Promise<void> {
  let watch: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_, reject) => {
    // From the end of the first second on: in some containers each question for the CPU time costs 0.2 ms, and few
    // tests take that long.
    let [quiet, cpu, events] = [0, 0, 0];
    watch = setInterval(() => {
      const isQuiet = cpuTime() - cpu <= QUIET.cpu && eventCount() - events <= QUIET.events;
      [quiet, cpu, events] = [isQuiet ? quiet + 1 : 0, cpuTime(), eventCount()];
      if (quiet >= limit()) reject(new Error(describeHang(quiet)));
    }, 1_000);
  });
  try {
    await Promise.race([work(), hang]);
  } finally {
    clearInterval(watch);
  }
}

const cpuTime = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** How much input and output the process has seen. */
const eventCount = (): number => performance.nodeTiming.uvMetricsInfo.events;

const quietSeconds = (): number =>
  process.getActiveResourcesInfo().includes('ProcessWrap')
    ? QUIET_SECONDS.withProcesses
    : QUIET_SECONDS.alone;

function describeHang(seconds: number): string {
  const open = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) open.set(name, (open.get(name) ?? 0) + 1);
  const waits = Array.from(WAITS, (words) => words());
  // What hangs goes on: it is not what the next test waits for.
  WAITS.clear();
  return (
    `The test hangs: nothing has happened for ${seconds} s. It waits for ` +
    `${waits.length === 0 ? 'a promise that nothing settles' : waits.join(', and for ')}. ` +
    `Open in this process: ${Array.from(open, ([name, count]) => `${count} ${name}`).join(', ')}.`
  );
}
