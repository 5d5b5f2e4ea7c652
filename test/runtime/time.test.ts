/** Timers take any number of milliseconds: those of Node fire at once when they get more than 31 bits. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LONGEST_TIMER_MS, startTimer, systemClock } from '../../src/runtime/time.ts';

const DAY = 86_400_000;

describe('a timer', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

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

  test('without an end never passes', () => {
    startTimer(Number.POSITIVE_INFINITY, () => expect.unreachable());
    vi.advanceTimersByTime(1000 * DAY);
    expect(vi.getTimerCount()).toBe(1);
  });
});
