/** §14.2: what becomes of sites whose process ends, and what is said of it. The processes are real; no site is read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { forkCrawler } from '../../src/batch/child-process.ts';
import { Coordinator } from '../../src/batch/coordinator.ts';
import type { FinishedSite } from '../../src/batch/journal.ts';
import { folder } from '../support/folder.ts';

const DEADLY = 'https://deadly.example/';
const SLOW = 'https://slow.example/';

/** Longer than a child may be silent. */
const SLOW_MS = 4_000;

/** A child that ends with one site, takes its time for another, and finds nothing anywhere. */
const CHILD = `
  const finished = (site) => {
    const line = { site, outcome: 'none', pages: 0, sitemaps: 0, bytes: 0, elapsedMs: 0, finishedAt: '2024-05-06T07:08:09Z' };
    process.send({ type: 'crawled', result: line });
    process.send({ type: 'batch', batch: { sites: [line] } });
  };
  let running = 0;
  let isEnding = false;
  const leave = () => { if (isEnding && running === 0) process.disconnect(); };
  process.on('message', ({ type, site }) => {
    if (type === 'settings') process.send({ type: 'ready' });
    if (type === 'end') isEnding = true;
    if (type === 'site') {
      if (site === '${DEADLY}') process.send({ type: 'alive' }, () => process.exit(7));
      running++;
      if (site === '${SLOW}') setTimeout(() => { finished(site); running--; leave(); }, ${SLOW_MS});
    }
    leave();
  });
  setInterval(() => { if (process.connected) process.send({ type: 'alive' }); }, 50).unref();`;

/** A child that does not take its time. */
const atOnce = (text: string): string => text.replace(String(SLOW_MS), '0');

/** @param children - what each process runs that is started; the last one, all that follow as well */
function coordinator(
  publish: (sites: readonly FinishedSite[]) => Promise<void>,
  children: readonly string[] = [CHILD],
): {
  crawler: Coordinator;
  said: string[];
} {
  const place = folder();
  const files = children.map((text, at) => {
    const file = join(place, `child-${at}.mjs`);
    writeFileSync(file, text);
    return file;
  });
  const said: string[] = [];
  const settings = { crawl: place, folder: place, format: 'ndjson', publishEveryMs: 50 } as const;
  const crawler = new Coordinator({
    publish: ({ sites }) => publish(sites),
    start: (sitesAtOnce) => {
      const file = files.length > 1 ? files.shift() : files[0];
      const own = { ...settings, options: { sitesAtOnce }, archives: false, previous: undefined };
      return forkCrawler(own, file);
    },
    ...{ processes: 1, sitesAtOnce: 2, silentMs: 3_000 },
    warn: (message) => said.push(message),
  });
  onTestFinished(() => crawler.close());
  return { crawler, said };
}

test('a site that ends its process three times runs alone, and is given up when it ends that one too', async () => {
  const published: FinishedSite[] = [];
  const { crawler, said } = coordinator(async (sites) => void published.push(...sites));
  await crawler.crawl(DEADLY);
  expect(said).toEqual([
    ...Array.from({ length: 3 }, () => `a process ended (exit code 7) with 1 site: ${DEADLY}.`),
    `${DEADLY} runs alone, since 3 processes ended while they had it.`,
  ]);
  expect(published).toMatchObject([{ site: DEADLY, outcome: 'failed', code: 'process-died' }]);
});

test('a site that was crawled when its process ended is crawled again, and did not end it', async () => {
  // They end before they hand over its batch.
  const ends = CHILD.replace('result: line });', 'result: line }, () => process.exit(7)); return;');
  const published: FinishedSite[] = [];
  const waiting: (readonly string[])[] = [];
  const children = [...Array.from({ length: 3 }, () => atOnce(ends)), atOnce(CHILD)];
  const { crawler, said } = coordinator(async (sites) => {
    waiting.push(Array.from(crawler.unpublished, ({ site }) => site));
    published.push(...sites);
  }, children);
  await crawler.crawl(SLOW);
  await crawler.end({ isStopped: false });
  // The result of the last process alone waited for its line.
  expect([waiting, crawler.unpublished.size]).toEqual([[[SLOW]], 0]);
  expect(said).toEqual(Array.from({ length: 3 }, () => 'a process ended (exit code 7) with 0 sites.'));
  expect(published).toMatchObject([{ site: SLOW, outcome: 'none' }]);
});

test('the ended process of a site that ran alone is not said to be silent', async () => {
  const published: FinishedSite[] = [];
  const { crawler, said } = coordinator(async (sites) => void published.push(...sites));
  await crawler.crawl(DEADLY);
  said.length = 0;
  await crawler.crawl(SLOW);
  await crawler.end({ isStopped: false });
  expect(said).toEqual([]);
  expect(published.map(({ site, outcome }) => [site, outcome])).toEqual([
    [DEADLY, 'failed'],
    [SLOW, 'none'],
  ]);
});

test('a line of a site that is given up and cannot be written ends the crawl', async () => {
  const { crawler } = coordinator(async () => {
    throw new Error('the disk is full');
  });
  await crawler.crawl(DEADLY);
  expect(crawler.failed.reason).toMatchObject({ message: 'the disk is full' });
});

describe('processes that end before they are ready', () => {
  const FAILS = 'process.exit(3);';
  /** A site that is crawled at once. */
  const QUICK = SLOW;

  test('end the crawl where there are three in a row', async () => {
    const { crawler } = coordinator(async () => {}, [FAILS]);
    await crawler.crawl(QUICK);
    expect(crawler.failed.reason).toMatchObject({ code: 'no-process' });
  });

  test('do not end it where one was ready between them', async () => {
    const published: FinishedSite[] = [];
    const publish = async (sites: readonly FinishedSite[]): Promise<void> => void published.push(...sites);
    // The second one that is ready finishes the site that ended the first one.
    const second = atOnce(CHILD).replace(DEADLY, 'https://none.example/').replaceAll(QUICK, DEADLY);
    const { crawler } = coordinator(publish, [FAILS, FAILS, atOnce(CHILD), FAILS, second]);
    await crawler.crawl(QUICK);
    await crawler.crawl(DEADLY);
    expect(crawler.failed.reason).toBeUndefined();
    await crawler.end({ isStopped: false });
    expect(published.map(({ site, outcome }) => [site, outcome])).toEqual([
      [QUICK, 'none'],
      [DEADLY, 'none'],
    ]);
  });
});
