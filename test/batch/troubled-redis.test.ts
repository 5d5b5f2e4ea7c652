/**
 * §14.4: whatever happens to Redis, to the way there or to a disk, the commands go on or end with a sentence, and in the
 * end the folder has what an undisturbed crawl finds. bullmq-queue.test.ts has the queue alone.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { handOver, takeBatches } from '../../src/batch/handed-batches.ts';
import { RedisQueue } from '../../src/batch/redis-queue.ts';
import { closedPort } from '../server/raw-server.ts';
import { build, until } from '../support/cli-binary.ts';
import { testIf } from '../support/collected.ts';
import { listOf, QUICK_CRAWL, type Started, startedHere, startGroup } from '../support/crawl-command.ts';
import {
  crawlFolder,
  crawlPath,
  finishedSite,
  journalOf,
  linesOf,
  pagesBySite,
} from '../support/crawl-folders.ts';
import { folder } from '../support/folder.ts';
import { loopbackSites } from '../support/loopback-sites.ts';
import { canMount } from '../support/platform.ts';
import { workerCommand } from '../support/queue-workers.ts';
import { describeWith } from '../support/real-servers.ts';
import { networkTo, startRedis } from '../support/redis.ts';

beforeAll(build);

const LIMIT = { timeout: 240_000 };

const LAST_SITE = 23;

/** @param isLastHeld - whether a site gives no response before {@link release}, so that the crawl cannot be over before */
async function setting(path: string = crawlPath(), { isLastHeld = false } = {}) {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = (site: number) => (isLastHeld && site === LAST_SITE ? held : undefined);
  const sites = await loopbackSites({ delayMs: 20, hold });
  const numbers = Array.from({ length: LAST_SITE + 1 }, (_, number) => number);
  const list = listOf(sites, join(folder(), 'crawl'), numbers);
  const crawl = (url: string): readonly string[] => [
    'crawl',
    list,
    '-o',
    path,
    '--queue',
    url,
    ...QUICK_CRAWL,
  ];
  return {
    ...{ sites, path, release },
    crawl,
    /** A crawl and its worker. */
    start: (url: string, ...flags: readonly string[]): readonly [crawl: Started, worker: Started] => [
      startedHere([...crawl(url), ...flags]),
      startedHere(workerCommand(url)),
    ],
    async isUnderWay(): Promise<void> {
      const before = sites.requests;
      await until(() => sites.requests >= before + 10, 'some requests');
    },
    expectAll(): void {
      expect(
        linesOf(path)
          .map(({ site }) => site)
          .sort(),
      ).toEqual(numbers.map(sites.homepage).sort());
      const found = pagesBySite(path);
      for (const number of numbers)
        expect([number, found.get(sites.homepage(number)) ?? []]).toEqual([number, sites.pages(number)]);
    },
  };
}

/** Expects that both commands end with a sentence. */
async function expectSentence(commands: readonly Started[], sentence: RegExp): Promise<void> {
  for (const { finished } of commands) {
    const { code, stderr } = await finished;
    expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)]);
  }
}

async function expectEnd(commands: readonly Started[]): Promise<void> {
  for (const { finished } of commands) expect(await finished).toMatchObject({ code: 0 });
}

describeWith('redis-server', '§14.4 a Redis that', () => {
  test(
    'asks for a password from one moment on is a sentence, and the same commands go on',
    LIMIT,
    async () => {
      const place = await setting(crawlPath(), { isLastHeld: true });
      const redis = await startRedis();
      const client = redis.client();
      const commands = place.start(`${redis.url}?lock=3`);
      await place.isUnderWay();
      await client.config('SET', 'requirepass', 'secret');
      await client.client('KILL', 'TYPE', 'normal');
      place.release();
      await expectSentence(commands, /Redis at redis:\/\/\S+ refused a command \(NOAUTH/);
      await expectEnd(place.start(`${redis.url.replace('//', '//:secret@')}?lock=3`));
      place.expectAll();
    },
  );

  test('is replaced by another program is a sentence, and the same commands go on', LIMIT, async () => {
    const place = await setting(crawlPath(), { isLastHeld: true });
    const redis = await startRedis();
    const url = `${redis.url}?outage=2`;
    const commands = place.start(url);
    await place.isUnderWay();
    await redis.stop();
    place.release();
    const other = createServer((_request, response) => void response.end('hello'));
    await new Promise<void>((resolve) => other.listen(redis.port, '127.0.0.1', resolve));
    await expectSentence(commands, /Redis at redis:\/\/\S+ (?:could not be reached|refused a command)/);
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
    await redis.start();
    await expectEnd(place.start(url));
    place.expectAll();
  });

  test(
    'was replaced by a copy that lags behind: work is repeated, and nothing is lost or doubled',
    LIMIT,
    async () => {
      const place = await setting();
      const [first, copy] = [await startRedis(), await startRedis()];
      const network = await networkTo(first.port);
      const url = `redis://127.0.0.1:${network.port}?lock=3`;
      await copy.client().replicaof('127.0.0.1', first.port);
      const commands = place.start(url);
      await place.isUnderWay();
      while (!(await copy.client().info('replication')).includes('master_link_status:up')) await delay(20);
      await copy.client().replicaof('NO', 'ONE');
      await until(() => linesOf(place.path).length > 4, 'some lines');
      network.moveTo(copy.port);
      await expectEnd(commands);
      place.expectAll();
    },
  );

  test(
    'removes keys when its memory is full is a warning, and what it has removed is crawled again',
    LIMIT,
    async () => {
      const place = await setting();
      const redis = await startRedis('--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-random');
      const client = redis.client();
      const [crawl, worker] = place.start(redis.url);
      await place.isUnderWay();
      await client.config('SET', 'maxmemory', '1');
      while ((await client.dbsize()) > 1) await client.set('other', 'x').catch(() => {});
      await client.config('SET', 'maxmemory', '100mb');
      // Sites without a line are offered again ten seconds later, or at once by the same command.
      crawl.stop();
      expect((await crawl.finished).stderr).toContain('maxmemory-policy allkeys-random');
      const [again] = place.start(redis.url);
      await expectEnd([again, worker]);
      place.expectAll();
    },
  );

  test('gives its user the rights that the guide lists is enough', LIMIT, async () => {
    const place = await setting();
    const redis = await startRedis();
    const guide = readFileSync(new URL('../../docs/many-sites.md', import.meta.url), 'utf8');
    const [, rule = ''] = /^ACL (SETUSER usp .+)$/m.exec(guide) ?? [];
    const words = rule.replace('PASSWORD', 'secret').split(' ');
    await redis.client().call('ACL', ...words);
    await expectEnd(place.start(redis.url.replace('//', '//usp:secret@'), '--archives'));
    place.expectAll();
    // The user has no more rights than that.
    const other = redis.client();
    await other.auth('usp', 'secret');
    for (const line of ['get other', 'flushall', 'keys *', 'config get *']) {
      const [command = '', ...args] = line.split(' ');
      await expect(other.call(command, ...args)).rejects.toThrow('NOPERM');
    }
  });
});

describeWith('redis-server', '§14.4 a connection', () => {
  test('with TLS, a user and a password is used by both commands', LIMIT, async () => {
    const place = await setting();
    const tls = (name: string): string => fileURLToPath(new URL(`../server/tls/${name}`, import.meta.url));
    const port = await closedPort();
    const files = [
      '--tls-cert-file',
      tls('cert.pem'),
      '--tls-key-file',
      tls('key.pem'),
      '--tls-auth-clients',
      'no',
    ];
    const redis = await startRedis('--tls-port', String(port), ...files);
    await redis.client().acl('SETUSER', 'usp', 'on', '>secret', '~usp:*', '+@all');
    // Node reads the certificates of others when it starts.
    const env = { NODE_EXTRA_CA_CERTS: tls('cert.pem') };
    const url = `rediss://usp:secret@localhost:${port}`;
    const commands = [place.crawl(url), workerCommand(url)].map((argv) => startGroup(argv, { env }));
    for (const { finished } of commands) {
      const { code, stderr } = await finished;
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('secret')]);
    }
    place.expectAll();
  });

  test('that is cut in the middle of a piece delays a batch, which arrives once', async () => {
    const redis = await startRedis();
    const network = await networkTo(redis.port);
    const crawl = await crawlFolder();
    const journal = await journalOf(crawl);
    const url = `redis://127.0.0.1:${network.port}`;
    const queue = await RedisQueue.open({ url, name: 'crawl', key: 'key' });
    onTestFinished(() => queue.close());
    const part = join(crawl.temporary, 'own');
    const content = Buffer.alloc(2_000_000, 'abcdefg');
    writeFileSync(part, content);
    network.cutAfter(700_000);
    await handOver(queue, crawl.temporary, { part, sites: [finishedSite('https://a.example/')] });
    while (await takeBatches(queue, crawl, journal, () => {}));
    expect(linesOf(crawl.path)).toHaveLength(1);
    const [name = ''] = readdirSync(crawl.pages);
    expect(readFileSync(join(crawl.pages, name)).equals(content)).toBe(true);
  });
});

/** A disk of this size. */
function disk(size: string): string {
  const path = folder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  onTestFinished(() => void execFileSync('umount', ['-l', path]));
  return path;
}

describeWith('redis-server', '§14.4 a disk that is full', () => {
  testIf(canMount())(
    'ends its worker with a sentence, and another one finishes the crawl',
    LIMIT,
    async () => {
      const place = await setting();
      const url = `${(await startRedis()).url}?lock=3`;
      const crawl = startedHere([...place.crawl(url), '--archives']);
      // Alone until it ends: beside another worker it may find no site left.
      const worker = startGroup(workerCommand(url), { env: { TMPDIR: disk('8k') } });
      const { code, stderr } = await worker.finished;
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/cannot be written: .*no space is left on the device/),
      ]);
      await expectEnd([crawl, startedHere(workerCommand(url))]);
      place.expectAll();
    },
  );

  testIf(canMount())(
    'ends the crawl with a sentence, and with more space the same command goes on',
    LIMIT,
    async () => {
      const place = await setting(join(disk('48k'), 'crawl'));
      mkdirSync(dirname(place.path), { recursive: true });
      const { url } = await startRedis();
      const [crawl, worker] = place.start(url, '--archives');
      const { code, stderr } = await crawl.finished;
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/cannot be written: .*no space is left on the device/),
      ]);
      execFileSync('mount', ['-o', 'remount,size=64m', dirname(place.path)]);
      const [again] = place.start(url, '--archives');
      await expectEnd([again, worker]);
      place.expectAll();
    },
  );
});
