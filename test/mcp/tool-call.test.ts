/** The time of a call for agents, and the progress that it sends. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ToolCall } from '../../src/mcp/tool-call.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const NEVER = new Promise<never>(() => {});
const signal = new AbortController().signal;

test('all waits of a call together take 85 % of its time', async () => {
  const call = new ToolCall(signal, 1_000, undefined);
  expect(await call.wait(Promise.resolve('here'))).toBe('here');
  await vi.advanceTimersByTimeAsync(600);
  let isOver = false;
  const first = call.wait(NEVER).then(() => {
    isOver = true;
    return call.wait(NEVER);
  });
  await vi.advanceTimersByTimeAsync(249);
  expect([isOver, call.isLate]).toEqual([false, false]);
  // The second one has no time left.
  await vi.advanceTimersByTimeAsync(2);
  expect([isOver, call.isLate, vi.getTimerCount()]).toEqual([true, false, 0]);
  expect(await first).toBeUndefined();
  await vi.advanceTimersByTimeAsync(150);
  expect(call.isLate).toBe(true);
  expect(() => call.throwIfLate()).toThrow('not enough time');
});

test('a wait leaves no timer, whether it has its value, fails or is cancelled', async () => {
  const cancelling = new AbortController();
  const call = new ToolCall(cancelling.signal, 1_000, undefined);
  await call.wait(Promise.resolve());
  await expect(call.wait(Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  const cancelled = call.wait(NEVER);
  cancelling.abort(new Error('cancelled'));
  await expect(cancelled).rejects.toThrow('cancelled');
  expect(vi.getTimerCount()).toBe(0);
});

test('progress has rising numbers, at most every 500 ms', () => {
  const sent: string[] = [];
  const call = new ToolCall(signal, 60_000, ({ progress, total, message }) =>
    sent.push(`${progress}/${total}: ${message}`),
  );
  const totals = { bytes: 0, requests: 1, elapsedMs: 1, pages: 1_000 };
  const steps = [
    [0, { done: 1, failed: 0, known: 4 }],
    [499, { done: 2, failed: 0, known: 4 }],
    [1, { done: 1, failed: 1, known: 4 }],
    // Only bytes have arrived.
    [500, { done: 2, failed: 0, known: 5 }],
    [500, { done: 1, failed: 0, known: 5 }],
    [0, { done: 3, failed: 0, known: 5 }],
  ] as const;
  for (const [ms, now] of steps) {
    vi.advanceTimersByTime(ms);
    call.progress({ ...totals, ...now });
  }
  expect(sent).toEqual([
    '1/4: 1 of 4 sitemaps, 1,000 pages',
    '2/4: 2 of 4 sitemaps, 1,000 pages',
    '3/5: 3 of 5 sitemaps, 1,000 pages',
  ]);
});
