/** What a server for agents keeps of sites: shared by calls, until the last one that wants it has gone. */
import { expect, onTestFinished, test } from 'vitest';
import { type Sitemap, sitemapFromString } from '../../src/index.ts';
import { Readings, type StartReading } from '../../src/mcp/readings.ts';
import { ToolCall } from '../../src/mcp/tool-call.ts';
import { signalling } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';

const document = (): Promise<Sitemap> => sitemapFromString(urlset('https://one.example/'));

function newReadings(): Readings {
  const readings = new Readings({ atOnce: 20, keepMs: 60_000, maxSiteBytes: 1e9, maxPages: 1e6 });
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
