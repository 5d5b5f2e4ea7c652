/** §14.2: what becomes of sites whose process ends, and what is said of it. The processes are real; no site is read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type ChildCrawler,
  type FromProcess,
  forkCrawler,
  type ToProcess,
} from '../../src/batch/child-process.ts';
import { Coordinator } from '../../src/batch/coordinator.ts';
import type { Batch, FinishedSite } from '../../src/batch/journal.ts';
import { finishedSite } from '../support/crawl-folders.ts';
import { signalling } from '../support/crawled-site.ts';
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

/** A child in this process, which does what the test says. */
class HeldChild implements ChildCrawler {
  readonly sent: ToProcess[] = [];
  readonly exited: Promise<string | undefined>;
  isKilled = false;
  say: (message: FromProcess) => void = () => {};
  /** @param how - how it failed; undefined if it did not */
  exit: (how?: string) => void = () => {};

  constructor() {
    this.exited = new Promise((resolve) => {
      this.exit = resolve;
    });
  }

  send(message: ToProcess): void {
    this.sent.push(message);
  }

  onMessage(listener: (message: FromProcess) => void): void {
    this.say = listener;
  }

  kill(): void {
    this.isKilled = true;
    this.exit('SIGKILL');
  }

  get sites(): readonly string[] {
    return this.sent.flatMap((message) => (message.type === 'site' ? [message.site] : []));
  }

  crawled(site: string, warning?: string): void {
    this.say({ type: 'crawled', result: { ...finishedSite(site, 3), code: 'x' }, warning });
  }

  batch(...sites: readonly string[]): void {
    this.say({
      type: 'batch',
      batch: { part: undefined, sites: sites.map((site) => finishedSite(site, 3)) },
    });
  }
}

describe('sites and the children that have them', () => {
  const siteOf = (at: number): string => `https://${at}.example/`;
  const turn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));

  function held(processes = 2, publish: (batch: Batch) => Promise<void> = async () => {}) {
    const children: HeldChild[] = [];
    const sizes: number[] = [];
    const said: string[] = [];
    const published: string[] = [];
    const crawler = new Coordinator({
      async publish(batch) {
        await publish(batch);
        published.push(
          ...batch.sites.map(({ site, code }) => (code === undefined ? site : `${site} ${code}`)),
        );
      },
      start(sitesAtOnce) {
        sizes.push(sitesAtOnce);
        const child = new HeldChild();
        children.push(child);
        return child;
      },
      ...{ processes, sitesAtOnce: 5, warn: (message) => said.push(message) },
    });
    onTestFinished(() => crawler.close());
    const crawl = (...numbers: readonly number[]): string[] => {
      const done: string[] = [];
      for (const number of numbers)
        crawler.crawl(siteOf(number)).then(
          () => done.push(siteOf(number)),
          () => {},
        );
      return done;
    };
    return { crawler, children, sizes, said, published, crawl };
  }

  test('go to the one that has the fewest which are not crawled yet', async () => {
    const { crawler, children, sizes, crawl } = held();
    expect(crawler.atOnce).toBe(10);
    crawl(1, 2, 3);
    const [one, two] = children as [HeldChild, HeldChild];
    expect([sizes, one.sites, two.sites]).toEqual([[5, 5], [siteOf(1), siteOf(3)], [siteOf(2)]]);
    expect([...crawler.running.keys()]).toEqual([siteOf(1), siteOf(2), siteOf(3)]);
    // It waits for its batch, and takes no place.
    one.crawled(siteOf(1));
    one.crawled(siteOf(3));
    crawl(4);
    expect(one.sites).toHaveLength(3);
    expect([...crawler.running.keys()]).toEqual([siteOf(2), siteOf(4)]);
    expect(Array.from(crawler.unpublished, ({ site }) => site)).toEqual([siteOf(1), siteOf(3)]);
  });

  test('are crawled once, however often that is asked for, until they are published', async () => {
    const { crawler, children, crawl, published, said } = held(1);
    const done = crawl(1, 1, 2);
    const [child] = children as [HeldChild];
    expect(child.sites).toEqual([siteOf(1), siteOf(2)]);
    child.crawled(siteOf(1), 'the archive was not used.');
    await turn();
    expect([done, said]).toEqual([[siteOf(1), siteOf(1)], [`${siteOf(1)}: the archive was not used.`]]);
    child.batch(siteOf(1));
    await turn();
    expect([published, crawler.unpublished.size]).toEqual([[siteOf(1)], 0]);
    crawl(1);
    expect(child.sites).toEqual([siteOf(1), siteOf(2), siteOf(1)]);
  });

  test('come with what is wrong with their earlier archive, and with the deaths that they had', async () => {
    const { crawler, children, sizes, said } = held(1);
    void crawler.crawl(siteOf(1), 2, 'it is empty').catch(() => {});
    expect(children[0]?.sent).toEqual([{ type: 'site', site: siteOf(1), earlierProblem: 'it is empty' }]);
    void crawler.crawl(siteOf(2), 3).catch(() => {});
    await turn();
    expect(said).toEqual([`${siteOf(2)} runs alone, since 3 processes ended while they had it.`]);
    expect([sizes, children[1]?.sent.map(({ type }) => type)]).toEqual([
      [5, 1],
      ['site', 'end'],
    ]);
  });

  test('of a child that dies go to another one; the message names three of them', async () => {
    const { children, crawl, said } = held(1);
    crawl(1, 2, 3, 4, 5);
    const [first] = children as [HeldChild];
    first.say({ type: 'ready' });
    first.crawled(siteOf(1));
    first.batch(siteOf(1));
    first.crawled(siteOf(2));
    first.exit('exit code 1');
    await turn();
    expect(said).toEqual([
      `a process ended (exit code 1) with 3 sites: ${[3, 4, 5].map(siteOf).join(', ')}.`,
    ]);
    expect(children[1]?.sites).toEqual([2, 3, 4, 5].map(siteOf));
    said.length = 0;
    children[1]?.say({ type: 'ready' });
    for (const at of [2, 3, 4]) children[1]?.crawled(siteOf(at));
    children[1]?.exit('SIGKILL');
    await turn();
    expect(said).toEqual([`a process ended (SIGKILL) with 1 site: ${siteOf(5)}.`]);
  });

  test('alone run one after the other, and one that ends without failing is no death', async () => {
    const { crawler, children, said, published } = held(1);
    for (const at of [1, 2]) void crawler.crawl(siteOf(at), 3).catch(() => {});
    await turn();
    expect(children.map(({ sites }) => sites)).toEqual([[siteOf(1)]]);
    children[0]?.crawled(siteOf(1));
    children[0]?.batch(siteOf(1));
    children[0]?.exit();
    await turn();
    expect(children.map(({ sites }) => sites)).toEqual([[siteOf(1)], [siteOf(2)]]);
    said.length = 0;
    children[1]?.exit('exit code 9');
    await turn();
    expect([published, said]).toEqual([[siteOf(1), `${siteOf(2)} process-died`], []]);
    expect([crawler.running.size, crawler.unpublished.size]).toEqual([0, 0]);
  });

  test('are waited for at the end, unless the work was stopped', async () => {
    for (const isStopped of [false, true]) {
      const { crawler, children, crawl, said } = held(1);
      const done = crawl(1);
      let isOver = false;
      const ending = crawler.end({ isStopped }).then(() => {
        isOver = true;
      });
      await turn();
      const [child] = children as [HeldChild];
      expect([isOver, child.sent.some(({ type }) => type === 'end')]).toEqual([false, isStopped]);
      if (isStopped) {
        child.exit('SIGTERM');
        await ending;
        // It is not crawled again.
        expect([children.length, said]).toEqual([
          1,
          [`a process ended (SIGTERM) with 1 site: ${siteOf(1)}.`],
        ]);
      } else {
        child.crawled(siteOf(1));
        child.batch(siteOf(1));
        await turn();
        await turn();
        expect(child.sent.at(-1)).toEqual({ type: 'end' });
        child.exit();
        await ending;
        expect(said).toEqual([]);
      }
      expect([isOver, done]).toEqual([true, [siteOf(1)]]);
    }
  });

  test('that cannot be written end the crawl, and all that wait for it', async () => {
    const { promise: written, resolve: write } = signalling();
    const { crawler, children, crawl } = held(1, async () => {
      await written;
      throw new Error('no space');
    });
    const done = crawl(1, 2);
    children[0]?.crawled(siteOf(1));
    children[0]?.batch(siteOf(1));
    await turn();
    expect(crawler.failed.aborted).toBe(false);
    write();
    await turn();
    expect([crawler.failed.reason, done]).toEqual([
      expect.objectContaining({ message: 'no space' }),
      [siteOf(1), siteOf(2)],
    ]);
    await expect(crawler.crawl(siteOf(3))).rejects.toThrow('no space');
    await expect(crawler.end({ isStopped: false })).rejects.toThrow('no space');
  });

  test('of a child that cannot go on end the crawl with its reason', async () => {
    const { crawler, children, crawl } = held(1);
    crawl(1);
    children[0]?.say({ type: 'stuck', reason: 'the disk is full' });
    expect(crawler.failed.reason).toMatchObject({ code: 'folder-unwritable', message: 'the disk is full' });
  });

  test('are dropped when all is closed, with all children, and nothing is said of that', async () => {
    const { crawler, children, crawl, said } = held(2);
    crawl(1, 2);
    void crawler.crawl(siteOf(3), 3).catch(() => {});
    await turn();
    said.length = 0;
    await crawler.close();
    await turn();
    expect(children.map(({ isKilled }) => isKilled)).toEqual([true, true, true]);
    expect(said).toEqual([]);
  });
});
