/** A test that hangs fails within seconds, and says what it waited for. */
import { expect, test } from 'vitest';
import { unlessItHangs, waitingFor } from './support/waits.ts';

const never = new Promise<never>(() => {});

test('a test in whose process nothing happens fails, with what it waits for and what is open', async () => {
  await expect(
    unlessItHangs(
      () => waitingFor(() => 'a response', never),
      () => 1,
    ),
  ).rejects.toThrow(
    /^The test hangs: nothing has happened for 1 s\. It waits for a response\. Open in this process: .*\d Timeout/,
  );
});

test('a test that ends has its result, and what it waited for is forgotten', async () => {
  await unlessItHangs(() => waitingFor(() => 'an end', Promise.resolve()));
  await expect(unlessItHangs(() => Promise.reject(new Error('a fault')))).rejects.toThrow('a fault');
  await expect(
    unlessItHangs(
      () => never,
      () => 1,
    ),
  ).rejects.toThrow('It waits for a promise that nothing settles.');
});

test('a test that works is not a hang', async () => {
  const work = async (): Promise<void> => {
    for (const end = Date.now() + 1_500; Date.now() < end; ) await new Promise(setImmediate);
  };
  await unlessItHangs(work, () => 1);
});
