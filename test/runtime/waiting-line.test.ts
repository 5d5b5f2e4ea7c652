/** A line gives what waits in the order in which it came, whatever leaves in between, as an array does. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Gate, WaitingLine } from '../../src/runtime/waiting-line.ts';
import { signalling } from '../support/crawled-site.ts';
import { Chance } from '../support/random.ts';

test.each([
  ['most stay', 0.7, 1],
  ['as many come as leave', 0.5, 2],
  ['most leave', 0.3, 3],
])('%s', (_, adding, seed) => {
  const chance = new Chance(seed);
  const line = new WaitingLine<object>();
  const model: object[] = [];
  const drawn = (): number => Math.floor(chance.next() * model.length);
  for (let step = 0; step < 3_000; step++) {
    // A while of many, then a while of few: places that were left are cleared away.
    const isAdded = chance.next() < (step % 1_000 < 500 ? adding : 1 - adding);
    if (isAdded || model.length === 0) {
      const item = { step };
      model.push(item);
      line.add(item);
    } else if (chance.next() < 0.5) {
      expect(line.shift()).toBe(model.shift());
    } else {
      const [item = {}] = model.splice(drawn(), 1);
      line.delete(item);
      // A second time changes nothing.
      line.delete(item);
    }
    expect(line.size === model.length && line.first === model[0]).toBe(true);
  }
  while (model.length > 0) expect(line.shift()).toBe(model.shift());
  expect([line.shift(), line.first, line.size]).toEqual([undefined, undefined, 0]);
});

test('a gate lets no more work run than it has places, also after work has waited outside', async () => {
  const gate = new Gate(2);
  const [outside, ends] = [signalling(), Array.from({ length: 6 }, signalling)];
  const running = new Set<number>();
  const work = ends.map(({ promise }, number) =>
    gate.run(async () => {
      running.add(number);
      // Both leave their places to others, and come back while these are taken.
      if (number < 2) await gate.outside(() => outside.promise);
      await promise;
      running.delete(number);
    }),
  );
  await turn();
  expect([...running]).toEqual([0, 1, 2, 3]);
  outside.resolve();
  await turn();
  for (const [end, left] of [
    [0, [1, 2, 3]],
    [1, [2, 3]],
    [2, [3, 4]],
    [3, [4, 5]],
  ] as const) {
    ends[end]!.resolve();
    await turn();
    expect([...running]).toEqual(left);
  }
  for (const { resolve } of ends) resolve();
  await Promise.all(work);
});

test.each<readonly [string, (gate: Gate) => Promise<unknown>]>([
  ['work that fails', (gate) => gate.run(() => Promise.reject(new Error('broken')))],
  [
    'work that fails at once',
    (gate) =>
      gate.run(() => {
        throw new Error('broken');
      }),
  ],
  [
    'work whose wait outside fails',
    (gate) => gate.run(() => gate.outside(() => Promise.reject(new Error('broken')))),
  ],
])('a gate has all its places again after %s', async (_, fail) => {
  const gate = new Gate(1);
  for (let time = 0; time < 3; time++) await expect(fail(gate)).rejects.toThrow('broken');
  const { promise, resolve } = signalling();
  const running: number[] = [];
  const work = [1, 2, 3].map((number) =>
    gate.run(async () => {
      running.push(number);
      await promise;
    }),
  );
  await turn();
  expect(running).toEqual([1]);
  resolve();
  await Promise.all(work);
  expect(running).toEqual([1, 2, 3]);
});
