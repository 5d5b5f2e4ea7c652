/** What a server for agents keeps of sites: shared by calls, until the last one that wants it has gone. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Sitemap, sitemapFromString } from '../../src/index.ts';
import {
  isUnread,
  type ListArguments,
  type ReadingLimits,
  Readings,
  type StartReading,
} from '../../src/mcp/readings.ts';
import { ToolCall } from '../../src/mcp/tool-call.ts';
import { signalling } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';

const document = (): Promise<Sitemap> => sitemapFromString(urlset('https://one.example/'));

function newReadings(limits: Partial<ReadingLimits> = {}): Readings {
  const readings = new Readings({ atOnce: 20, keepMs: 60_000, maxSiteBytes: 1e9, maxPages: 1e6, ...limits });
  onTestFinished(() => readings.close());
  return readings;
}

const callOf = ({ signal } = new AbortController()): ToolCall => new ToolCall(signal, 60_000, undefined);

/** A site that arrives when it is released, and what was said to those that read it. */
function heldSite(): { read: StartReading; signals: AbortSignal[]; arrive: () => void } {
  const { promise: arrives, resolve: arrive } = signalling();
  const signals: AbortSignal[] = [];
  // Before the readings are closed, which wait for what is read.
  onTestFinished(arrive);
  const read: StartReading = async ({ signal }) => {
    signals.push(signal!);
    await arrives;
    return document();
  };
  return { read, signals, arrive };
}

test('a cancelled call does not end a reading that another call waits for', async () => {
  const readings = newReadings();
  const { read, signals, arrive } = heldSite();
  const cancelling = new AbortController();
  const cancelled = callOf(cancelling);
  const waits = [cancelled, callOf()].map((call) =>
    readings.use('site', read, call, ({ over }) => call.wait(over)),
  );
  cancelling.abort(new Error('cancelled'));
  await expect(waits[0]).rejects.toThrow('cancelled');
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  arrive();
  expect((await waits[1])?.kind).toBe('pages-xml');
});

test('of two calls that are cancelled the last one ends the reading', async () => {
  const readings = newReadings();
  const { read, signals, arrive } = heldSite();
  const cancelling = [new AbortController(), new AbortController()];
  const waits = cancelling.map((each) => {
    const call = callOf(each);
    return readings.use('site', read, call, ({ over }) => call.wait(over));
  });
  for (const [at, each] of cancelling.entries()) {
    each.abort(new Error('cancelled'));
    await expect(waits[at]).rejects.toThrow('cancelled');
    expect(signals.map(({ aborted }) => aborted)).toEqual([at === 1]);
  }
  arrive();
});

test('a check of a site goes on for the next call that asks for it', async () => {
  const readings = newReadings();
  const check = () =>
    readings.use('site', document, callOf(), async (reading) => {
      const tree = await reading.over;
      return { checked: reading.checked(tree!) };
    });
  const [first, second] = [await check(), await check()];
  expect(second.checked).toBe(first.checked);
  expect((await first.checked).summary.documents).toBe(1);
});

test('a call after the end of the server is refused, and reads nothing', async () => {
  const readings = newReadings();
  const { read, signals } = heldSite();
  await readings.close();
  const use = readings.use('site', read, callOf(), ({ over }) => over);
  await expect(use).rejects.toThrow('The server is being stopped.');
  expect(signals).toEqual([]);
});

describe('a cursor', () => {
  /** A list that a call has begun. */
  async function begun(args: ListArguments & { readonly [name: string]: unknown }, query: unknown = 'query') {
    const readings = newReadings();
    const cursorAt = (first: number, second?: number): Promise<string> =>
      readings.use('site', document, callOf(), async (reading) => {
        await reading.over;
        return reading.position('list_pages', args, query).cursor(first, second);
      });
    const goOn = (more: object, tool = 'list_pages') =>
      readings.continueAt(more as ListArguments, tool, callOf(), async ({ at, query: own, cursor }) => ({
        at,
        query: own,
        same: cursor(...at),
      }));
    return { cursorAt, goOn };
  }

  test.each([
    [
      [0, 0],
      [0, 0],
    ],
    [[3], [3, 0]],
    [
      [12, 345_678_901],
      [12, 345_678_901],
    ],
  ] as const)('for the place %j leads there', async (place, at) => {
    const { cursorAt, goOn } = await begun({ url: 'a.example' });
    const [cursor, another] = [await cursorAt(...(place as [number, number])), await cursorAt(0)];
    expect(cursor).not.toBe(another);
    expect(await goOn({ cursor })).toEqual({ at, query: 'query', same: cursor });
  });

  const BEGUN = { url: 'https://a.example', include: ['a', 'b'], unique: true, limit: 3 };
  test.each<[object, string | undefined]>([
    [{}, undefined],
    [BEGUN, undefined],
    [{ url: 'a.example/' }, undefined],
    [{ url: 'A.EXAMPLE' }, undefined],
    [{ limit: 7 }, undefined],
    [{ url: 'http://a.example' }, 'url'],
    [{ url: 'https://a.example/x' }, 'url'],
    [{ include: ['b', 'a'] }, 'include'],
    [{ include: ['a'] }, 'include'],
    [{ unique: false }, 'unique'],
    [{ unique: true, hosts: 'same' }, 'hosts'],
  ])('continues with %j', async (more, wrong) => {
    const { cursorAt, goOn } = await begun(BEGUN);
    const going = goOn({ ...more, cursor: await cursorAt(1) });
    if (wrong === undefined) expect(await going).toMatchObject({ at: [1, 0] });
    else
      await expect(going).rejects.toThrow(
        `The cursor continues a list with another ${wrong}. Pass the cursor alone, or call list_pages without it.`,
      );
  });

  test.each([
    ['of another tool', (cursor: string) => cursor, 'check_site'],
    ['of a list that there is not', (cursor: string) => cursor.replace(/-0-/, '-5-'), 'list_pages'],
    [
      'of another site',
      (cursor: string) => cursor.replace(/^./, (digit) => (digit === 'a' ? 'b' : 'a')),
      'list_pages',
    ],
    ['with something before it', (cursor: string) => `x${cursor}`, 'list_pages'],
    ['with something behind it', (cursor: string) => `${cursor}-1`, 'list_pages'],
    ['that is empty', () => '', 'list_pages'],
  ])('%s is refused', async (_, change, tool) => {
    const { cursorAt, goOn } = await begun({});
    await expect(goOn({ cursor: change(await cursorAt(1)) }, tool)).rejects.toThrow(
      `${tool} cannot continue from this cursor: what was read is kept for 1 minute. Call ${tool} again without a cursor.`,
    );
  });
});

describe('a site that is being read', () => {
  test.each([
    ['bytes', { maxSiteBytes: 1_000 }, [1_000, 1], undefined],
    [
      'bytes',
      { maxSiteBytes: 1_000 },
      [1_001, 1],
      'maxSiteBytes: It has more than 1.0 kB of sitemaps, which is the limit here.',
    ],
    ['pages', { maxPages: 1_000 }, [1, 1_000], undefined],
    [
      'pages',
      { maxPages: 1_000 },
      [1, 1_001],
      'maxPages: It has more than 1,000 pages, which is the limit here.',
    ],
  ] as const)('ends with more %s than the limit %j: %j', async (_, limits, [bytes, pages], ended) => {
    const readings = newReadings(limits);
    const ends: string[] = [];
    const read: StartReading = async ({ onProgress }, { onStart }) => {
      onStart?.((limit: string, message: string) => ends.push(`${limit}: ${message}`));
      const totals = { done: 1, failed: 0, known: 1, pages, bytes, requests: 1, elapsedMs: 1 };
      onProgress?.({ totals } as never);
      return document();
    };
    await readings.use('site', read, callOf(), ({ over }) => over);
    expect(ends).toEqual(ended === undefined ? [] : [ended]);
  });

  test('makes room for others when no call waits for it any more, the least used first', async () => {
    const readings = newReadings({ atOnce: 2 });
    const sites = [1, 2, 3].map(() => heldSite());
    const ask = (at: number): Promise<number> =>
      readings.use(`site ${at}`, sites[at]!.read, callOf(), async () => at);
    const aborted = (): boolean[] => sites.map(({ signals }) => signals[0]?.aborted === true);
    await ask(0);
    await ask(1);
    await ask(0);
    expect(aborted()).toEqual([false, false, false]);
    await ask(2);
    expect(aborted()).toEqual([false, true, false]);
    for (const { arrive } of sites) arrive();
  });

  test('is not dropped while a call waits for it, however many others there are', async () => {
    const readings = newReadings({ atOnce: 1 });
    const sites = Array.from({ length: 10 }, () => heldSite());
    const waits = sites.map(({ read }, at) => readings.use(`site ${at}`, read, callOf(), ({ over }) => over));
    expect(sites.filter(({ signals: [signal] }) => signal?.aborted)).toEqual([]);
    for (const { arrive } of sites) arrive();
    expect((await Promise.all(waits)).map((tree) => tree?.kind)).toEqual(Array(10).fill('pages-xml'));
  });

  test('is dropped after its call where it is for that call alone, and otherwise serves the next one', async () => {
    for (const isKept of [true, false]) {
      const readings = newReadings();
      const signals: AbortSignal[] = [];
      const read: StartReading = async ({ signal }) => {
        signals.push(signal!);
        return document();
      };
      const use = () => readings.use('site', read, callOf(), ({ over }) => over, { isKept });
      await use();
      await use();
      expect(signals.map(({ aborted }) => aborted)).toEqual(isKept ? [false] : [true, true]);
    }
  });

  test('fails for the calls that wait for it, and not for those after them', async () => {
    const readings = newReadings();
    let times = 0;
    const read: StartReading = async () => {
      if (++times === 1) throw new Error('down');
      return document();
    };
    const use = () =>
      readings.use('site', read, callOf(), async (reading) => [
        await reading.over,
        reading.failure,
        reading.isOver,
      ]);
    expect(await use()).toEqual([undefined, expect.objectContaining({ message: 'down' }), true]);
    expect(await use()).toEqual([expect.objectContaining({ kind: 'pages-xml' }), undefined, true]);
  });
});

test.each([
  ['website', 'failed', 'timeout', true],
  ['website', 'none', 'private-network', true],
  ['website', 'none', 'no-sitemaps', false],
  ['website', 'partial', 'private-network', false],
  ['website', 'complete', undefined, false],
  ['pages-xml', 'failed', 'timeout', false],
])('a %s whose outcome is %s (%s): it was not read: %s', (kind, outcome, code, expected) => {
  expect(isUnread({ kind, outcome, code } as unknown as Sitemap)).toBe(expected);
});
