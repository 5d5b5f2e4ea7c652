/**
 * The announcement of a crawl tells workers, which do not see its folder, what to crawl and how. `usp crawl` writes it
 * to Redis under the name of the crawl (`?crawl=`), and renews it while it runs.
 *
 * With a shared secret the announcement is signed. A worker verifies it before it touches the queue: if that fails, the
 * worker has another secret than the crawl, and every job would look forged. Without a secret the key of the crawl is
 * part of the announcement: every process that can write to Redis is trusted.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { SitemapException } from '../index.ts';
import { unlessAborted } from '../runtime/abort.ts';
import { type CrawlDescription, isState, UUID } from './crawl-folder.ts';
import { TABLE_FORMATS } from './output/table-file.ts';
import { KEY_VARIABLE, signerOf } from './queue-signature.ts';
import { type Connection, connect, limited, loadPackages, redisAddress } from './redis-connection.ts';

export interface AnnouncedCrawl extends Pick<CrawlDescription, 'id' | 'version' | 'format' | 'options'> {
  /** `stopped`: the same command may continue the crawl, and another crawl may take its name. */
  readonly state: CrawlDescription['state'];
  /** Signs what belongs to the crawl. */
  readonly key: string;
}

/** A crawl that has not renewed its announcement for this time is considered dead. */
const SILENT_S = 60;
const EVERY_MS = 10_000;
/** How long the announcement stays after the crawl has ended. */
const ENDED_S = 600;

/** Announces the crawl, or returns the id of another running crawl that has the name. Atomic. */
const ANNOUNCE = `local id, state = unpack(redis.call('HMGET', KEYS[1], 'id', 'state'))
if id and id ~= ARGV[1] and state == 'running' then return id end
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'state', ARGV[2], 'text', ARGV[3], 'signature', ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return false`;

function keyOfName(crawl: string): string {
  return `usp:announced:${crawl}`;
}

interface Announcement {
  /** Aborts if another crawl has taken the name, since this one could not renew its announcement. */
  readonly lost: AbortSignal;
  end(state: 'stopped' | 'done'): Promise<void>;
}

/**
 * Announces a crawl until `end` is called.
 *
 * @param ask - asks Redis, and waits while it is away, until the signal aborts
 * @throws SitemapException with code `queue-in-use`
 */
export async function announce(
  ask: <Value>(
    command: (client: Connection['client']) => Promise<Value>,
    signal: AbortSignal | undefined,
  ) => Promise<Value>,
  url: string,
  { id, version, format, options, key }: AnnouncedCrawl,
  secret: string | undefined,
  everyMs: number = EVERY_MS,
): Promise<Announcement> {
  const { crawl } = redisAddress(url);
  const lost = new AbortController();
  const ending = new AbortController();
  let current: AnnouncedCrawl['state'] = 'running';
  const write = async (state: AnnouncedCrawl['state'], signal?: AbortSignal): Promise<void> => {
    const text = JSON.stringify({ version, format, options, ...(secret === undefined ? { key } : {}) });
    const signature =
      secret === undefined ? '' : signerOf(secret, id).sign('announcement', [crawl, state], text);
    const seconds = state === 'running' ? SILENT_S : ENDED_S;
    const values = [id, state, text, signature, seconds];
    const other = await ask((client) => client.eval(ANNOUNCE, 1, keyOfName(crawl), ...values), signal);
    if (other !== null) throw inUse(String(other), crawl);
  };
  await write('running');
  let lastWrite = Promise.resolve();
  const timer = setInterval(() => {
    lastWrite = lastWrite
      .then(() => (current === 'running' ? write(current, ending.signal) : undefined))
      .catch((error: unknown) => {
        if (error instanceof SitemapException && error.code === 'queue-in-use') lost.abort(error);
      });
  }, everyMs);
  return {
    lost: lost.signal,
    async end(state) {
      if (current !== 'running') return;
      current = state;
      clearInterval(timer);
      // A renewal that still waits for Redis would announce a running crawl after its end.
      ending.abort();
      await lastWrite;
      if (!lost.signal.aborted) await write(state).catch(() => {});
    },
  };
}

function inUse(id: string, crawl: string): SitemapException {
  const which = UUID.test(id) ? `the crawl ${id}` : 'something else';
  return new SitemapException(
    `The name "${crawl}" in the queue is in use by ${which}. Stop that crawl, or give this one another name: ` +
      '--queue redis://…?crawl=NAME, here and for its workers.',
    { code: 'queue-in-use' },
  );
}

interface SeenCrawl {
  readonly crawl: AnnouncedCrawl;
  /** How long ago it was announced. */
  readonly ageMs: number;
}

/** Reads the announcement that a name has in Redis. */
export interface Announcements {
  /** @throws SitemapException with code `queue-key` if the signature is wrong; errors of Redis */
  now(): Promise<SeenCrawl | undefined>;
  close(): void;
}

export async function announcements(
  url: string,
  secret: string | undefined,
  signal?: AbortSignal,
): Promise<Announcements> {
  const { Client } = await loadPackages();
  const address = redisAddress(url);
  const { client, late, refusal } = await connect(Client, address, CONNECT_MS, signal);
  const key = keyOfName(address.crawl);
  const { outageMs } = address;
  return {
    async now() {
      const fields = ['id', 'state', 'text', 'signature'] as const;
      const reply = Promise.all([client.hmget(key, ...fields), client.pttl(key)]);
      const [[id, state, text, signature], leftMs] = await limited(reply, outageMs, () =>
        late(outageMs / 1000),
      ).catch((error: unknown) => {
        throw refusal(error);
      });
      if (id == null || state == null || text == null) return undefined;
      if (
        secret === undefined
          ? signature !== ''
          : !isSigned(secret, signature ?? '', id, [address.crawl, state], text)
      )
        throw wrongKey(secret, signature === '');
      const crawl = parsed(id, state, text, secret);
      const seconds = state === 'running' ? SILENT_S : ENDED_S;
      return { crawl, ageMs: Math.max(0, seconds * 1000 - leftMs) };
    },
    close: () => client.disconnect(),
  };
}

const CONNECT_MS = 10_000;

function isSigned(
  secret: string,
  signature: string,
  id: string,
  place: readonly string[],
  text: string,
): boolean {
  return signerOf(secret, id).isSigned(signature, 'announcement', place, text);
}

/** Thrown before anything is taken out of the queue. */
function wrongKey(secret: string | undefined, isUnsigned: boolean): SitemapException {
  const why =
    secret === undefined
      ? `The crawl in the queue is signed, and this worker has no ${KEY_VARIABLE}`
      : isUnsigned
        ? `This worker has a ${KEY_VARIABLE}, and the crawl in the queue is not signed`
        : `The crawl in the queue is signed with another ${KEY_VARIABLE} than that of this worker`;
  return new SitemapException(`${why}. Set the variable to the same secret for usp crawl and all workers.`, {
    code: 'queue-key',
  });
}

/** @throws SitemapException with code `queue-refused` */
function parsed(id: string, state: string, text: string, secret: string | undefined): AnnouncedCrawl {
  try {
    const { version, format, options, key = secret } = JSON.parse(text) as Partial<AnnouncedCrawl>;
    const tableFormat = TABLE_FORMATS.find((each) => each === format);
    const areTexts = typeof version === 'string' && typeof key === 'string';
    if (UUID.test(id) && isState(state) && areTexts && tableFormat && options && typeof options === 'object')
      return { id, state, version, format: tableFormat, options, key };
  } catch {
    // Reported below.
  }
  throw new SitemapException(
    'The crawl in the queue was started by another version of usp. Install the same version on every machine.',
    {
      code: 'queue-refused',
    },
  );
}

/** How often a worker looks for a crawl, and how long it waits for one. */
const LOOK_MS = 250;
const WAIT_MS = 600_000;

interface WaitOptions {
  /** When the worker was started (`performance.now()`): a crawl that has ended since then was meant for it. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly say: (message: string) => void;
  /** @default 600_000 */
  readonly waitMs?: number;
}

/**
 * Waits for a crawl, since a worker may be started first. Returns undefined if the crawl has ended since the worker was
 * started.
 *
 * @throws SitemapException with code `queue-silent` or `queue-key`, or what Redis says
 */
export async function waitForCrawl(
  announced: Announcements,
  { startedAt, signal, say, waitMs = WAIT_MS }: WaitOptions,
): Promise<AnnouncedCrawl | undefined> {
  for (let isFirst = true; isFirst || performance.now() - startedAt < waitMs; isFirst = false) {
    const announcement = await announced.now();
    if (announcement?.crawl.state === 'running') return announcement.crawl;
    if (announcement?.crawl.state === 'done' && announcement.ageMs < performance.now() - startedAt) {
      say('the crawl is done.');
      return undefined;
    }
    if (isFirst) say('waiting up to 10 minutes for usp crawl --queue …');
    await delay(LOOK_MS, undefined, { signal });
  }
  const message =
    'There is no crawl in the queue. Start usp crawl <sites> -o <folder> with the same --queue.';
  throw new SitemapException(message, { code: 'queue-silent' });
}

/** The abort reason when a crawl is done. */
export const DONE: Error = new Error('The crawl is done.');

/** Aborts `crawlEnd` when the crawl is done, has lost its name to another crawl, or has been silent for too long. */
export async function watchCrawl(
  announced: Announcements,
  { id }: AnnouncedCrawl,
  crawlEnd: AbortController,
  stopSignal: AbortSignal,
  waitMs: number = WAIT_MS,
): Promise<void> {
  for (let heardAt = performance.now(); !stopSignal.aborted && !crawlEnd.signal.aborted; ) {
    // An announcement with a wrong signature belongs to another crawl. The queue reports that Redis is away.
    const announcement = await unlessAborted(announced.now(), stopSignal).catch(() => undefined);
    if (announcement?.crawl.state === 'running') heardAt = performance.now();
    if (announcement !== undefined && announcement.crawl.id !== id) {
      const message =
        `The crawl of this worker has ended, and another one (${announcement.crawl.id}) ` +
        'has its name in the queue.';
      crawlEnd.abort(new SitemapException(message, { code: 'queue-in-use' }));
    } else if (announcement?.crawl.state === 'done') crawlEnd.abort(DONE);
    else if (performance.now() - heardAt > waitMs) {
      const message = 'usp crawl has been silent for 10 minutes. Start it again, and then the workers.';
      crawlEnd.abort(new SitemapException(message, { code: 'queue-silent' }));
    }
    await delay(LOOK_MS, undefined, { signal: stopSignal }).catch(() => {});
  }
}
