/** §4 §15 What the requests of one call share: the records of URLs, their claims on URLs, and known paths that wait. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Claims, HeldPaths, UrlRecords } from '../../src/crawl/document-request.ts';

/** Whether each promise is settled by now. */
async function areSettled(promises: readonly Promise<unknown>[]): Promise<readonly boolean[]> {
  const settled = promises.map(() => false);
  for (const [at, promise] of promises.entries()) {
    promise.then(() => {
      settled[at] = true;
    });
  }
  await turn();
  return settled;
}

test('URLs that are the same request have one record', () => {
  const urls = new UrlRecords();
  expect(urls.get('https://a.example/s.xml')).toBeUndefined();
  const record = urls.at('https://A.example:443/s.xml#x');
  expect(urls.get('https://a.example/s.xml')).toBe(record);
  expect(urls.at('https://u:p@a.example/s.xml')).toBe(record);
  expect(urls.get('https://a.example/s.xml?')).toBeUndefined();
  expect(urls.at('http://a.example/s.xml')).not.toBe(record);
});

describe('requests that claim a URL', () => {
  const claimsOf = (count: number): readonly Claims[] => {
    const byKey = new Map<string, Claims>();
    return Array.from({ length: count }, () => new Claims(byKey));
  };

  test('go one after the other, and a request does not wait for itself', async () => {
    const [one, two] = claimsOf(2);
    const claims = [one!.claim('a'), one!.claim('b'), one!.claim('a'), two!.claim('c')];
    expect(await areSettled(claims)).toEqual([true, true, true, true]);
    for (const key of ['a', 'b']) {
      const [first, other] = claimsOf(2);
      await first!.claim('a');
      await first!.claim('b');
      const waiting = other!.claim(key);
      expect(await areSettled([waiting])).toEqual([false]);
      first!.release();
      expect(await areSettled([waiting])).toEqual([true]);
    }
  });

  test('free every URL when they are over, but not one that another has taken since', async () => {
    const [one, two, three] = claimsOf(3);
    await one!.claim('a');
    await one!.claim('b');
    one!.release();
    expect(await areSettled([two!.claim('a'), two!.claim('b')])).toEqual([true, true]);
    one!.release();
    const waiting = [three!.claim('a')];
    expect(await areSettled(waiting)).toEqual([false]);
    two!.release();
    expect(await areSettled(waiting)).toEqual([true]);
  });

  test('do not wait for one that waits itself', async () => {
    const [one, two, three] = claimsOf(3);
    await one!.claim('a');
    await two!.claim('b');
    const waiting = two!.claim('a');
    const crossing = one!.claim('b');
    expect(await areSettled([waiting, crossing])).toEqual([false, true]);
    one!.release();
    expect(await areSettled([waiting])).toEqual([true]);
    // The second one does not wait any longer, so others wait for it again.
    expect(await areSettled([three!.claim('a')])).toEqual([false]);
  });
});

describe('known paths that a stream must not read yet', () => {
  test.each<[string, (held: HeldPaths) => void, readonly boolean[], readonly boolean[]]>([
    ['until then', () => {}, [false, false], [false, false]],
    ['one is released', (held) => held.release('a'), [true, false], [true, false]],
    ['all are', (held) => held.releaseAll(), [true, true], [true, true]],
    ['one is declared', (held) => held.wake('b'), [false, true], [false, false]],
    ['one that nobody waits for is declared', (held) => held.wake('c'), [false, false], [false, false]],
  ])('wait: %s', async (_what, act, settled, released) => {
    const held = new HeldPaths();
    const waiting = ['a', 'b'].map((key) => held.until(key));
    act(held);
    expect(await areSettled(waiting)).toEqual(settled);
    expect(['a', 'b'].map((key) => held.isReleased(key))).toEqual(released);
    expect(await areSettled(['a', 'b'].map((key) => held.until(key)))).toEqual(released);
  });
});
