/** The time of a call for agents, and the progress that it sends. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ResultList, resultText, sizeOf, ToolCall, timeOf } from '../../src/mcp/tool-call.ts';

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

test('progress is counted over what is read and what failed, and is sent to those who asked for it alone', () => {
  const sent: object[] = [];
  const totals = { bytes: 5, requests: 9, elapsedMs: 1, done: 1_200, failed: 34, known: 2_000, pages: 1 };
  new ToolCall(signal, 60_000, undefined).progress(totals);
  new ToolCall(signal, 60_000, (progress) => sent.push(progress)).progress(totals);
  const message = '1,234 of 2,000 sitemaps, 1 page';
  expect(sent).toEqual([{ progress: 1_234, total: 2_000, message }]);
  new ToolCall(signal, 60_000, (progress) => sent.push(progress)).progress({ ...totals, done: 0, failed: 0 });
  expect(sent).toHaveLength(1);
});

test('a cancelled call is not waited for, though there is time', async () => {
  const reason = new Error('cancelled');
  await expect(new ToolCall(AbortSignal.abort(reason), 1_000, undefined).wait(NEVER)).rejects.toBe(reason);
});

test('a call is late after its time, not at its end', () => {
  const call = new ToolCall(signal, 1_000, undefined);
  vi.advanceTimersByTime(1_000);
  expect(call.isLate).toBe(false);
  expect(() => call.throwIfLate()).not.toThrow();
  vi.advanceTimersByTime(1);
  expect(call.isLate).toBe(true);
});

test.each([
  [0, 0],
  [499, 0],
  [501, 1],
  [61_400, 61],
  // Another clock may be ahead.
  [-5_000, 0],
])('what was read %i ms ago is %i seconds old', (ms, ageSeconds) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2012, 1, 3, 4, 5, 6) });
  const readAt = new Date(Date.now() - ms);
  expect(timeOf(readAt)).toEqual({ readAt: readAt.toISOString(), ageSeconds });
});

test.each([
  ['ä', '"ä"', 4],
  ['\u200b', '"\\u200b"', 8],
  ['a"b', '"a\\"b"', 6],
  [{ a: undefined, b: [1, null] }, '{"b":[1,null]}', 14],
])('the text of %j, and its bytes', (value, text, bytes) => {
  expect([resultText(value), sizeOf(value)]).toEqual([text, bytes]);
});

test('a list goes on where it ended, and says no place at its end', () => {
  const items = ['a', 'b', 'c', 'd'];
  expect(new ResultList<string>(2, 9_000).addFrom(items, 0)).toBe(2);
  expect(new ResultList<string>(2, 9_000).addFrom(items, 1)).toBe(3);
  expect(new ResultList<string>(2, 9_000).addFrom(items, 2)).toBeUndefined();
  expect(new ResultList<string>(9, 9_000).addFrom(items, 4)).toBeUndefined();
  const list = new ResultList<string>(9, 9_000);
  list.addFrom(items, 3);
  expect(list.items).toEqual(['d']);
});
