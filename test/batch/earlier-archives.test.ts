/** §14.4: archives of the earlier crawl reach workers through Redis, as they are or not at all. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { archiveOf } from '../../src/batch/crawl-folder.ts';
import {
  fetchEarlierArchive,
  forgetEarlierArchive,
  removeEarlierArchive,
  sendEarlierArchives,
} from '../../src/batch/earlier-archives.ts';
import { RedisQueue } from '../../src/batch/redis-queue.ts';
import { folder } from '../support/folder.ts';
import { HAS_PIPES } from '../support/platform.ts';
import { describeWith } from '../support/real-servers.ts';
import { startRedis } from '../support/redis.ts';

const A = 'https://a.example/';
const HASH = 'usp:crawl:beside:earlier';
const MIB = 1024 * 1024;

async function place() {
  const redis = await startRedis();
  const queue = await RedisQueue.open({ url: redis.url, name: 'crawl', key: 'key' });
  onTestFinished(() => queue.close());
  const [from, to] = [folder(), folder()];
  const write = (site: string, content: string | Buffer): void => {
    const path = join(from, archiveOf(site));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const send = (...sites: readonly string[]) => sendEarlierArchives(queue, from, sites, ending.signal);
  return { client: redis.client(), queue, from, to, write, send };
}

function makePipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
}

describeWith('redis-server', '§14.4 an earlier archive', () => {
  test('of several pieces arrives, and is forgotten when its site is crawled', async () => {
    const { client, queue, to, write, send } = await place();
    const content = Buffer.alloc(2.5 * MIB, 'abcdefg');
    write(A, content);
    const { value } = await send(A, 'https://new.example/').next();
    expect(value).toEqual({ sites: [A, 'https://new.example/'], earlier: new Map([[A, content.length]]) });
    expect(await fetchEarlierArchive(queue, A, content.length, to)).toBe(true);
    expect(readFileSync(join(to, archiveOf(A))).equals(content)).toBe(true);
    await forgetEarlierArchive(queue, A, content.length);
    expect(await client.exists(HASH)).toBe(0);
    await removeEarlierArchive(A, to);
  });

  test.each<readonly [why: string, make: (path: string) => void]>([
    ['it is a folder', (path: string) => void mkdirSync(path, { recursive: true })],
    [
      'it is empty',
      (path: string) => {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, '');
      },
    ],
    [
      'it is not a file',
      (path: string) => {
        mkdirSync(dirname(path), { recursive: true });
        symlinkSync('/etc/hostname', path);
      },
    ],
    ...(HAS_PIPES ? [['it is not a file', makePipe] as const] : []),
  ])('that cannot be read is a problem of its site: %s', async (why, make) => {
    const { from, send } = await place();
    make(join(from, archiveOf(A)));
    expect((await send(A).next()).value).toEqual({ sites: [A], earlier: new Map([[A, why]]) });
  });

  test.each(['lost', 'forged', 'that of another place'])('is not used where a piece is %s', async (how) => {
    const { client, queue, to, write, send } = await place();
    write(A, Buffer.alloc(1.5 * MIB, 'abcdefg'));
    await send(A).next();
    const [first = '', second = ''] = [0, MIB].map((offset) => `${archiveOf(A)} ${offset}`);
    if (how === 'lost') await client.hdel(HASH, second);
    else if (how === 'forged') await client.hset(HASH, second, Buffer.alloc(0.5 * MIB + 64, 'x'));
    else await client.hset(HASH, second, (await client.hgetBuffer(HASH, first)) ?? '');
    expect(await fetchEarlierArchive(queue, A, 1.5 * MIB, to)).toBe(false);
  });

  test('waits while Redis has as many bytes of others as it may have', async () => {
    const { client, queue, from, write, send } = await place();
    const sites = Array.from({ length: 5 }, (_, at) => `https://site-${at}.example/`);
    for (const site of sites) {
      write(site, '');
      truncateSync(join(from, archiveOf(site)), 16 * MIB);
    }
    const groups = send(...sites);
    for (const site of sites.slice(0, 4)) expect((await groups.next()).value?.sites).toEqual([site]);
    await queue.add(sites.slice(0, 4));
    let isSent = false;
    const next = groups.next().then(({ value }) => {
      isSent = true;
      return value;
    });
    // It has asked what is left, and found that to be too much.
    const asked = async (): Promise<number> =>
      Number(/cmdstat_hkeys:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0);
    while ((await asked()) < 2);
    expect(isSent).toBe(false);
    await forgetEarlierArchive(queue, sites[0] ?? '', 16 * MIB);
    expect((await next)?.sites).toEqual([sites[4]]);
  });

  test('that is as large as Redis may have, and whose job Redis has lost, holds back no other site', async () => {
    const { client, queue, from, write, send } = await place();
    const sites = [A, 'https://other.example/'];
    write(A, '');
    truncateSync(join(from, archiveOf(A)), 64 * MIB);
    const groups = send(...sites);
    expect((await groups.next()).value?.sites).toEqual([A]);
    await queue.add([A]);
    const [jobs = ''] = await client.keys('usp:*:wait');
    await client.del(jobs);
    expect((await groups.next()).value?.sites).toEqual([sites[1]]);
    expect(await client.exists(HASH)).toBe(0);
  });
});
