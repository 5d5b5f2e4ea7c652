/** Timers take any number of milliseconds: those of Node fire at once when they get more than 31 bits. */
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  FairShare,
  inTurn,
  LONGEST_TIMER_MS,
  startTimer,
  systemClock,
  Waiters,
} from '../../src/runtime/time.ts';

const DAY = 86_400_000;

describe('a timer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    // First: vitest restores spies again behind the file, and would bring the fake `setTimeout` back for the files after it.
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test.each([
    ['a second', 1000],
    ['the most that Node takes', LONGEST_TIMER_MS],
    ['one more', LONGEST_TIMER_MS + 1],
    ['60 days', 60 * DAY],
    ['a thousand days', 1000 * DAY],
  ])('of %s passes then, and not before', async (_, ms) => {
    const passed: string[] = [];
    startTimer(ms, () => passed.push('timer'));
    void systemClock.sleep(ms).then(() => passed.push('sleep'));
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(passed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(passed).toEqual(['timer', 'sleep']);
    await vi.advanceTimersByTimeAsync(ms);
    expect(passed).toHaveLength(2);
  });

  test.each([1000, 60 * DAY])('of %i ms that is restarted begins anew, also after it has passed', (ms) => {
    let passed = 0;
    const timer = startTimer(ms, () => passed++);
    vi.advanceTimersByTime(ms - 1);
    timer.restart();
    vi.advanceTimersByTime(ms - 1);
    expect(passed).toBe(0);
    vi.advanceTimersByTime(1);
    timer.restart();
    vi.advanceTimersByTime(ms);
    expect(passed).toBe(2);
  });

  test.each([1000, 60 * DAY])('of %i ms that is cancelled never passes', (ms) => {
    const timer = startTimer(ms, () => expect.unreachable());
    vi.advanceTimersByTime(ms - 1);
    timer.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([1000, 60 * DAY])('of a sleep of %i ms is cancelled when its signal aborts', async (ms) => {
    const stopping = new AbortController();
    const sleep = systemClock.sleep(ms, stopping.signal);
    stopping.abort('enough');
    await expect(sleep).rejects.toBe('enough');
    await expect(systemClock.sleep(ms, stopping.signal)).rejects.toBe('enough');
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([1000, 60 * DAY])('of %i ms that keeps no process alive does not later on either', (ms) => {
    const started = vi.spyOn(globalThis, 'setTimeout');
    const [free, holding] = [startTimer(ms, () => {}), startTimer(ms, () => {})];
    free.unref();
    vi.advanceTimersByTime(ms - 1);
    const held = started.mock.results.slice(-2).map(({ value }) => value.hasRef());
    expect(held).toEqual([false, true]);
    for (const timer of [free, holding]) timer.cancel();
  });

  test('without an end never passes', () => {
    startTimer(Number.POSITIVE_INFINITY, () => expect.unreachable());
    vi.advanceTimersByTime(1000 * DAY);
    expect(vi.getTimerCount()).toBe(1);
  });
});

test.each([
  ['passes', () => {}],
  ['is aborted', (controller: AbortController) => controller.abort()],
])('a sleep that %s leaves no listener on its signal', async (_, end) => {
  const controller = new AbortController();
  const sleep = systemClock.sleep(1, controller.signal).catch(() => {});
  end(controller);
  await sleep;
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

test('work that is given in turn is done one after the other, also after a failure', async () => {
  const after = inTurn();
  const done: string[] = [];
  const work = (name: string, ms: number) => async () => {
    done.push(`${name} begins`);
    await systemClock.sleep(ms);
    done.push(`${name} ends`);
    if (name === 'b') throw new Error(name);
    return name;
  };
  const all = [after(work('a', 5)), after(work('b', 1)), after(work('c', 0))];
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('every waiter hears of the next change, and of none before it waited', async () => {
  const waiters = new Waiters();
  const controller = new AbortController();
  const heard: string[] = [];
  waiters.wake();
  const waiting = [waiters.wait(), waiters.wait()].map((each, at) => each.then(() => heard.push(`${at}`)));
  const aborted = waiters.wait(controller.signal);
  await systemClock.sleep(0);
  expect(heard).toEqual([]);
  controller.abort('enough');
  await expect(aborted).rejects.toBe('enough');
  waiters.wake();
  await Promise.all(waiting);
  const again = waiters.wait().then(() => heard.push('again'));
  await systemClock.sleep(0);
  expect(heard).toEqual(['0', '1']);
  waiters.wake();
  await again;
});

test('long work gives others a turn, and ends when its signal aborts', async () => {
  const controller = new AbortController();
  setImmediate(() => controller.abort('enough'));
  let count = 0;
  const act = (): void => {
    count++;
    const until = performance.now() + 1;
    while (performance.now() < until);
  };
  const all = Array.from({ length: 100_000 });
  await expect(new FairShare().forEach(all, act, controller.signal)).rejects.toBe('enough');
  expect(count).toBeLessThan(all.length);
  count = 0;
  await new FairShare().forEach([1, 2, 3], () => count++);
  expect(count).toBe(3);
});

test('a share of many small items is used up after a while, and gives one turn then', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const share = new FairShare();
  const turns = (): (Promise<void> | undefined)[] =>
    Array.from({ length: 640 }, () => share.dueTurn()).filter((turn) => turn !== undefined);
  vi.advanceTimersByTime(20);
  expect([share.isUsedUp, turns()]).toEqual([false, []]);
  vi.advanceTimersByTime(1);
  expect(share.isUsedUp).toBe(true);
  const due = turns();
  expect(due.length).toBeGreaterThan(0);
  await Promise.all(due);
  expect([share.isUsedUp, turns()]).toEqual([false, []]);
});

test('chains of work that wait for one turn have one share behind it, not one each', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const share = new FairShare();
  const usedUp: boolean[] = [];
  const chain = async (): Promise<void> => {
    await share.turn();
    usedUp.push(share.isUsedUp);
    vi.advanceTimersByTime(21);
  };
  await Promise.all([chain(), chain(), chain()]);
  expect(usedUp).toEqual([false, true, true]);
  await chain();
  expect(usedUp.at(-1)).toBe(false);
});

test('work that is done within a share gives no turn, however many items it has', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let isTurn = false;
  setImmediate(() => {
    isTurn = true;
  });
  await new FairShare().forEach(Array.from({ length: 1_000 }), () => {});
  expect(isTurn).toBe(false);
});

test('an abort within a turn ends long work before the next item', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const controller = new AbortController();
  const done: number[] = [];
  const act = (item: number): void => {
    done.push(item);
    // More than a share, so that a turn is due.
    if (item === 255) vi.advanceTimersByTime(100);
    if (item === 255) setImmediate(() => controller.abort('enough'));
  };
  const all = Array.from({ length: 300 }, (_, at) => at + 1);
  await expect(new FairShare().forEach(all, act, controller.signal)).rejects.toBe('enough');
  expect(done).toHaveLength(255);
});

test('the clock of the system counts milliseconds since the epoch', () => {
  const day = Math.floor(systemClock.now() / DAY) - Math.floor(Date.now() / DAY);
  expect(Math.abs(day)).toBeLessThan(2);
});
