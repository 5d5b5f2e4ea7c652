/** A listener to an abort is called once, in order, and not after it was removed. */
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { abortSignalOf, itemsUnlessAborted, onAbort, Stop, unlessAborted } from '../../src/runtime/abort.ts';
import { untilCollected } from '../support/sitemaps.ts';

const never = (): Promise<never> => new Promise(() => {});

describe.each([
  ['a Stop', () => ({ signal: new Stop(), abort: (signal: Stop, reason: unknown) => signal.abort(reason) })],
  [
    'an AbortSignal',
    () => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: (_: unknown, reason: unknown) => controller.abort(reason) };
    },
  ],
] as const)('%s', (_, made) => {
  function listened() {
    const { signal, abort } = made();
    const heard: string[] = [];
    const listen = (name: string) => onAbort(signal, (reason) => heard.push(`${name} ${reason}`));
    return { signal, heard, listen, abort: (reason: string) => abort(signal as never, reason) };
  }

  test('calls its listeners once, in the order in which they were added', () => {
    const { signal, heard, listen, abort } = listened();
    const [a] = [listen('a'), listen('b'), listen('c')];
    a();
    listen('d');
    abort('x');
    abort('y');
    expect(heard).toEqual(['b x', 'c x', 'd x']);
    expect([signal.aborted, signal.reason]).toEqual([true, 'x']);
    expect(() => signal.throwIfAborted()).toThrow('x');
    listen('late');
    expect(heard.at(-1)).toBe('late x');
  });

  test('a listener that is removed twice does not remove another one', () => {
    const { heard, listen, abort } = listened();
    const a = listen('a');
    a();
    a();
    for (const name of ['b', 'c']) listen(name);
    abort('x');
    expect(heard).toEqual(['b x', 'c x']);
  });

  test('a listener that another listener removes is not called', () => {
    const { signal, heard, listen, abort } = listened();
    let stopB = (): void => {};
    onAbort(signal, () => stopB());
    stopB = listen('b');
    abort('x');
    expect(heard).toEqual([]);
  });

  test('a promise that does not settle rejects with the reason, or with what is made of it', async () => {
    const { signal, abort } = listened();
    const waiting = [
      unlessAborted(never(), signal),
      unlessAborted(never(), signal, (reason) => `because of ${reason}`),
      unlessAborted(Promise.resolve('in time'), signal),
    ];
    await waiting[2];
    abort('x');
    expect(await Promise.allSettled(waiting)).toEqual([
      { status: 'rejected', reason: 'x' },
      { status: 'rejected', reason: 'because of x' },
      { status: 'fulfilled', value: 'in time' },
    ]);
  });

  test.each([
    ['fulfilled', () => Promise.resolve('in time')],
    ['rejected', () => Promise.reject(new Error('broken'))],
  ])('a promise that is %s leaves no listener', async (_ending, promise) => {
    const { signal, abort } = listened();
    const asked: unknown[] = [];
    await Promise.allSettled([unlessAborted<unknown>(promise(), signal, (reason) => asked.push(reason))]);
    await new Promise(setImmediate);
    if (signal instanceof AbortSignal) expect(getEventListeners(signal, 'abort')).toEqual([]);
    abort('x');
    expect(asked).toEqual([]);
  });

  test('as the signal that Node takes', () => {
    const { signal, abort } = listened();
    const own = abortSignalOf(signal);
    expect(own).toBeInstanceOf(AbortSignal);
    abort('x');
    expect([own.aborted, own.reason]).toEqual([true, 'x']);
  });
});

describe('the items of an iterable', () => {
  /** Two items, then nothing for ever; and whether it was ended. */
  function silent() {
    const seen = { ended: false };
    const items = (async function* () {
      try {
        yield 1;
        yield 2;
        await never();
      } finally {
        seen.ended = true;
      }
    })();
    return { items, seen };
  }

  async function read(
    items: AsyncIterable<number>,
    signal: AbortSignal | undefined,
    most = 9,
  ): Promise<number[]> {
    const found: number[] = [];
    for await (const item of itemsUnlessAborted(items, signal)) if (found.push(item) >= most) break;
    return found;
  }

  test('all of them come, and what the iterable throws does', async () => {
    const { signal } = new AbortController();
    const failing = async function* () {
      yield 1;
      throw new Error('broken');
    };
    expect(
      await read(
        (async function* () {
          yield* [1, 2, 3];
        })(),
        signal,
      ),
    ).toEqual([1, 2, 3]);
    await expect(read(failing(), signal)).rejects.toThrow('broken');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('an abort ends the wait for the next one', async () => {
    const controller = new AbortController();
    const reading = read(silent().items, controller.signal);
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(reading).rejects.toThrow('enough');
  });

  test('an abort while its reader is busy with an item ends it there', async () => {
    const controller = new AbortController();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const item of itemsUnlessAborted(silent().items, controller.signal)) {
        seen.push(item);
        if (item === 1) controller.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
    expect(seen).toEqual([1]);
  });

  test('a loop that is left waits until the iterable has ended, whose failure then is ignored', async () => {
    let hasEnded = false;
    const items = (async function* () {
      try {
        yield* [1, 2];
      } finally {
        await new Promise(setImmediate);
        hasEnded = true;
        // biome-ignore lint/correctness/noUnsafeFinally: that is what is tested
        throw new Error('cannot be closed');
      }
    })();
    expect([await read(items, undefined, 1), hasEnded]).toEqual([[1], true]);
  });

  test('one that was aborted before gives none', async () => {
    await expect(read(silent().items, AbortSignal.abort('before'))).rejects.toBe('before');
  });

  test('a loop that is left ends the iterable, and listens no longer', async () => {
    const { signal } = new AbortController();
    const { items, seen } = silent();
    expect(await read(items, signal, 2)).toEqual([1, 2]);
    expect(seen.ended).toBe(true);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

test('a Stop that has aborted keeps nothing of its listeners, however long it lives', async () => {
  const stop = new Stop();
  let isForgotten = false;
  const registry = new FinalizationRegistry(() => {
    isForgotten = true;
  });
  const listen = (): void => {
    const state = {};
    registry.register(state, 'state');
    onAbort(stop, () => void state);
  };
  listen();
  stop.abort('enough');
  expect(await untilCollected(() => isForgotten)).toBe(true);
  expect(stop.reason).toBe('enough');
});
