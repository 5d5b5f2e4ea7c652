/** §13, §16: what `usp fix` and `usp write` print while they write, and how much of it. */
import { describe, expect, test } from 'vitest';
import { OutputClosed } from '../../../src/cli/endings.ts';
import type { ListingOutput } from '../../../src/cli/output/output.ts';
import { SetListing, ShownItems } from '../../../src/cli/output/set-listing.ts';

describe('the items that are shown', () => {
  const shown = (kinds: readonly string[], most: number, all?: boolean) => {
    const items = new ShownItems({ all });
    const are = kinds.map((kind) => items.isShown(kind, most));
    return { are, hidden: Object.fromEntries(items.hidden) };
  };

  test('are the first ones of each kind, and the rest is counted', () => {
    expect(shown(['a', 'b', 'a', 'a', 'b', 'a', 'c'], 2)).toEqual({
      are: [true, true, true, false, true, false, true],
      hidden: { a: 2 },
    });
    expect(shown(['a', 'a'], 2).hidden).toEqual({});
    expect(shown(['a'], 0)).toEqual({ are: [false], hidden: { a: 1 } });
  });

  test('are all of them with --all', () => {
    expect(shown(['a', 'a', 'a'], 1, true)).toEqual({ are: [true, true, true], hidden: {} });
  });
});

describe('the listing', () => {
  /** A listing of texts, and what it writes; the reader is gone after so many writes. */
  function listing(writes = Number.POSITIVE_INFINITY, failure: Error = new OutputClosed()) {
    const written: string[] = [];
    let finished = 0;
    const output: Pick<ListingOutput, 'write' | 'finish'> = {
      async write(text: string) {
        if (written.length >= writes) throw failure;
        written.push(text);
      },
      async finish() {
        finished++;
      },
    };
    const set = new SetListing<string, string>(
      { begin: () => '<', item: (item) => item, end: (summary) => `${summary}>` },
      output as ListingOutput,
    );
    return { set, written, finished: () => finished };
  }

  test('begins with its first item, once', async () => {
    const { set, written, finished } = listing();
    await set.print();
    expect(written).toEqual([]);
    set.add('a');
    set.add('b');
    await set.print();
    set.add('c');
    await set.print();
    await set.print();
    await set.finish('end');
    expect([written, finished()]).toEqual([['<ab', 'c', 'end>'], 1]);
  });

  test('without items has a beginning and an end', async () => {
    const { set, written } = listing();
    await set.finish('end');
    expect(written).toEqual(['<end>']);
  });

  test('waits until there is enough', () => {
    const { set } = listing();
    set.add('x'.repeat(16 * 1024 - 1));
    expect(set.isWaiting).toBe(false);
    set.add('x');
    expect(set.isWaiting).toBe(true);
  });

  test('goes on without a reader that has gone, and fails with another error', async () => {
    const { set, written } = listing(1);
    for (const item of ['a', 'b', 'c']) {
      set.add(item);
      await set.print();
    }
    await set.finish('end');
    expect([written, set.isWaiting]).toEqual([['<a'], false]);
    const broken = listing(0, new TypeError('full'));
    broken.set.add('a');
    await expect(broken.set.print()).rejects.toThrow('full');
  });
});
