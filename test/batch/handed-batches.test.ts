/** §14: batches of workers travel through Redis. Whatever comes twice, is lost or is forged, each is published once or dropped. */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { archiveOf, type CrawlFolder } from '../../src/batch/crawl-folder.ts';
import { handOver, removeParcels, takeBatches } from '../../src/batch/handed-batches.ts';
import type { FinishedSite, Journal } from '../../src/batch/journal.ts';
import { RedisQueue } from '../../src/batch/redis-queue.ts';
import { crawlFolder, finishedSite, journalOf, linesOf } from '../support/crawl-folders.ts';
import { describeWith } from '../support/real-servers.ts';
import { type RedisServer, startRedis } from '../support/redis.ts';
import { sized } from '../support/tier.ts';

const A = 'https://a.example/';
const B = 'https://b.example/';

interface Place {
  readonly redis: RedisServer;
  readonly folder: CrawlFolder;
  readonly journal: Journal;
  readonly queue: RedisQueue;
  readonly stream: string;
  readonly said: string[];
  /** Hands over a batch with a part of this content. */
  send(content: string | Buffer, ...sites: readonly FinishedSite[]): Promise<void>;
  /** Takes all that is there. */
  take(): Promise<void>;
}

async function place(): Promise<Place> {
  const redis = await startRedis();
  const folder = await crawlFolder();
  const journal = await journalOf(folder);
  const name = randomUUID();
  const queue = await RedisQueue.open({ url: redis.url, name, key: 'key' });
  const said: string[] = [];
  return {
    ...{ redis, folder, journal, queue, said, stream: `usp:${name}:beside:handed` },
    async send(content, ...sites) {
      const part = join(folder.temporary, `own-${randomUUID()}`);
      writeFileSync(part, content);
      await handOver(queue, folder.temporary, { part, sites });
      expect(existsSync(part)).toBe(false);
    },
    async take() {
      while (await takeBatches(queue, folder, journal, (message) => said.push(message)));
    },
  };
}

function parts({ pages }: CrawlFolder): string[] {
  return readdirSync(pages)
    .sort()
    .map((name) => readFileSync(join(pages, name), 'latin1'));
}

describeWith('redis-server', '§14 handing over', () => {
  test('a part of many pieces and the archives of its sites arrive', async () => {
    const { folder, send, take, queue, stream, redis } = await place();
    // Most of its bytes are not a character by themselves.
    const content = Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, at) => at % 251));
    const archive = archiveOf(A);
    mkdirSync(dirname(join(folder.temporary, archive)), { recursive: true });
    writeFileSync(join(folder.temporary, archive), 'warc');
    await send(content, { ...finishedSite(A), archive });
    await take();
    expect(parts(folder)).toEqual([content.toString('latin1')]);
    expect(readFileSync(join(folder.path, archive), 'utf8')).toBe('warc');
    expect(linesOf(folder.path)).toMatchObject([{ site: A, archive }]);
    expect([await redis.client().xlen(stream), readdirSync(folder.handed)]).toEqual([0, []]);
    await queue.close();
  });

  test.each([100, 101])('the archives of %i sites arrive with one batch', async (count) => {
    const { folder, send, take, queue, said } = await place();
    const sites = Array.from({ length: count }, (_, at) => `https://site-${at}.example/`);
    for (const site of sites) {
      mkdirSync(dirname(join(folder.temporary, archiveOf(site))), { recursive: true });
      writeFileSync(join(folder.temporary, archiveOf(site)), site);
    }
    await send('rows', ...sites.map((site) => ({ ...finishedSite(site), archive: archiveOf(site) })));
    await take();
    expect(said).toEqual([]);
    expect(linesOf(folder.path)).toHaveLength(count);
    expect(sites.map((site) => readFileSync(join(folder.path, archiveOf(site)), 'utf8'))).toEqual(sites);
    await queue.close();
  });

  test('a parcel that comes twice, as after a kill before it is removed, is published once', async () => {
    const { redis, stream, folder, send, take, queue } = await place();
    await send('rows', finishedSite(A));
    const client = redis.client();
    const entries = await client.xrange(stream, '-', '+');
    for (const [, fields] of entries) await client.xadd(stream, '*', ...fields);
    await take();
    for (const [, fields] of entries) await client.xadd(stream, '*', ...fields);
    await take();
    expect(linesOf(folder.path)).toHaveLength(1);
    expect([parts(folder), readdirSync(folder.handed)]).toEqual([['rows'], []]);
    await queue.close();
  });

  // Three of the part, one of the sites, and the last one.
  test.each([0, 1, 2, 3, 4])(
    'a parcel without its piece %i is not published, and the next one is',
    async (lost) => {
      const { redis, stream, folder, send, take, queue } = await place();
      await send(Buffer.alloc(600_000, 'x'), finishedSite(A));
      const client = redis.client();
      const [id = ''] = (await client.xrange(stream, '-', '+'))[lost] ?? [];
      expect(await client.xdel(stream, id)).toBe(1);
      await send('rows', finishedSite(B));
      await take();
      expect(linesOf(folder.path).map(({ site }) => site)).toEqual([B]);
      // Without its last piece it waits until it counts as abandoned.
      expect([parts(folder), readdirSync(folder.handed).length]).toEqual([['rows'], lost === 4 ? 1 : 0]);
      const lastUsed = (time: number | Date): void => {
        for (const name of readdirSync(folder.handed, { recursive: true, encoding: 'utf8' }))
          utimesSync(join(folder.handed, name), time, time);
      };
      // The file system may have another clock.
      lastUsed(new Date());
      await removeParcels(folder, false);
      expect(readdirSync(folder.handed)).toHaveLength(lost === 4 ? 1 : 0);
      lastUsed(0);
      await removeParcels(folder, false);
      expect(readdirSync(folder.handed)).toEqual([]);
      await queue.close();
    },
  );

  test('a piece that was written in part, as where the disk was full, is written again', async () => {
    const { redis, stream, folder, send, take, queue } = await place();
    await send('all rows', finishedSite(A));
    const [, fields = []] = (await redis.client().xrange(stream, '-', '+'))[0] ?? [];
    const parcel = join(folder.handed, fields[1] ?? '');
    mkdirSync(parcel, { recursive: true });
    writeFileSync(join(parcel, 'part'), 'all');
    await take();
    expect(parts(folder)).toEqual(['all rows']);
    await queue.close();
  });

  test('the archive of a site is named by the site, whatever a batch says', async () => {
    const { folder, send, take, said, queue } = await place();
    const own = join(folder.temporary, archiveOf(A));
    mkdirSync(dirname(own), { recursive: true });
    writeFileSync(own, 'warc');
    await send('rows', { ...finishedSite(A), archive: `archives/../${archiveOf(A)}` });
    await send('rows', finishedSite('not a site'));
    await take();
    expect(linesOf(folder.path)).toMatchObject([{ site: A, archive: archiveOf(A) }]);
    expect(said).toEqual(['a worker sent a batch that this version cannot read, which was dropped.']);
    await queue.close();
  });

  test('the first batch of a site counts, with its archive', async () => {
    const { folder, send, take, queue } = await place();
    const archive = archiveOf(A);
    for (const which of ['first', 'second']) {
      const own = join(folder.temporary, archive);
      mkdirSync(dirname(own), { recursive: true });
      writeFileSync(own, `${which} archive`);
      await send(`${which} rows`, { ...finishedSite(A, 0), archive });
      await take();
    }
    expect(linesOf(folder.path)).toMatchObject([{ site: A, archive }]);
    expect(readFileSync(join(folder.path, archive), 'utf8')).toBe('first archive');
    await queue.close();
  });

  test('what others put there, or changed, is removed and reported', async () => {
    const { redis, stream, folder, send, take, said, queue } = await place();
    const client = redis.client();
    await client.xadd(stream, '*', 'p', '../../x', 'f', 'part', 'o', '0', 's', 'x', 'd', 'evil');
    await client.xadd(stream, '*', 'hello', 'world');
    await send('rows', finishedSite(A));
    const [, fields = []] = (await client.xrange(stream, '-', '+'))[2] ?? [];
    await client.xadd(stream, '*', ...fields.map((value) => (value === 'rows' ? 'lies' : value)));
    await take();
    expect(parts(folder)).toEqual(['rows']);
    expect(said).toHaveLength(3);
    await queue.close();
  });

  test.each(['not JSON', 'null', '{}', '{"part":4}', '{"part":4,"sites":null}'])(
    'a parcel whose last piece says %s is dropped, and the next one is published',
    async (end) => {
      const { redis, stream, folder, send, take, queue } = await place();
      const parcel = randomUUID();
      const add = (file: string, data: string) => {
        const signature = queue.signer.sign('piece', [parcel, file, 0], Buffer.from(data));
        const fields = { p: parcel, f: file, o: '0', s: signature, d: data };
        return redis.client().xadd(stream, '*', ...Object.entries(fields).flat());
      };
      await add('part', 'lost');
      await add('end', end);
      await send('rows', finishedSite(A));
      await take();
      expect(parts(folder)).toEqual(['rows']);
      expect(readdirSync(folder.handed)).toEqual([]);
      await queue.close();
    },
  );

  test('a worker waits while the stream is full, and a part of any size arrives', async () => {
    const { redis, stream, folder, send, take, queue } = await place();
    const content = Buffer.alloc(3_000_000, 'large ');
    const client = redis.client();
    const filling = client.pipeline();
    for (let count = 0; count < 250; count++) filling.xadd(stream, '*', 'not', 'a piece');
    await filling.exec();
    let isSent = false;
    const sent = send(content, finishedSite(A)).then(() => {
      isSent = true;
    });
    while ((await client.xlen(stream)) < 256);
    let most = 0;
    while (!isSent) {
      most = Math.max(most, await client.xlen(stream));
      await take();
    }
    await sent;
    await take();
    expect(most).toBeLessThanOrEqual(256);
    expect(parts(folder)).toEqual([content.toString('latin1')]);
    await queue.close();
  });

  // At full size more than Redis may hold; with TEST_STRENGTH=2 more than one value of Redis may have.
  test('a large archive arrives while it is sent', { timeout: 240_000 }, async () => {
    const { redis, stream, folder, send, take, queue } = await place();
    const bytes = sized({ fast: 3, full: 80, strong: 520 }) * 1024 * 1024;
    const archive = archiveOf(A);
    const from = join(folder.temporary, archive);
    mkdirSync(dirname(from), { recursive: true });
    writeFileSync(from, 'the start of it');
    truncateSync(from, bytes);
    let isSent = false;
    const sent = send('rows', { ...finishedSite(A), archive }).then(() => {
      isSent = true;
    });
    const client = redis.client();
    let most = 0;
    while (!isSent) {
      most = Math.max(most, await client.xlen(stream));
      await take();
    }
    await sent;
    await take();
    expect(statSync(join(folder.path, archive)).size).toBe(bytes);
    expect(most).toBeLessThanOrEqual(256);
    expect(linesOf(folder.path)).toMatchObject([{ site: A, archive }]);
    await queue.close();
  });
});

test('a parcel is removed an hour after its last piece has arrived, however old its folder is', async () => {
  const folder = await crawlFolder();
  const long = new Date(Date.now() - 2 * 3_600_000);
  const parcels = { arriving: new Date(), abandoned: long };
  for (const [name, lastPiece] of Object.entries(parcels)) {
    const parcel = join(folder.handed, name);
    mkdirSync(parcel);
    writeFileSync(join(parcel, 'part'), 'rows');
    utimesSync(join(parcel, 'part'), lastPiece, lastPiece);
    utimesSync(parcel, long, long);
  }
  await removeParcels(folder, false);
  expect(readdirSync(folder.handed)).toEqual(['arriving']);
});
