/**
 * The connection to Redis or Valkey. Every failure becomes one sentence that says what to do: which packages to
 * install, what to start, or which address to correct.
 */
import type { Redis } from 'ioredis';
import { SitemapException } from '../index.ts';
import { badOption } from '../problems/errors.ts';
import { unlessAborted } from '../runtime/abort.ts';
import { startTimer } from '../runtime/time.ts';
import { shownUrl } from '../url.ts';

interface RedisAddress {
  /** As `ioredis` takes it. */
  readonly address: string;
  /** Without a password, for messages. */
  readonly printableUrl: string;
  /**
   * `?lock=` and `?outage=`, in milliseconds: after which time without a renewal of its lock a job is given to another
   * worker, and how long Redis may be away after the first connection.
   */
  readonly lockMs: number;
  readonly outageMs: number;
  /** `?crawl=`: the name by which workers find the crawl. */
  readonly crawl: string;
}

const SECOND = 1000;

/**
 * Reads `redis://host:6379?lock=60&outage=120`. The names of Valkey mean the same protocol; `unix:` is followed by a
 * path.
 *
 * @throws SitemapException with code `bad-option`
 */
export function redisAddress(url: string): RedisAddress {
  const printable = shownUrl(url).replace(/([?&]password=)[^&]*/gi, '$1…');
  const [, scheme = '', place = '', query = ''] =
    /^(rediss?|valkeys?|unix):\/\/([^?]+)(?:\?(.*))?$/i.exec(url) ?? [];
  if (place === '') {
    throw badOption(`The queue must be a URL such as redis://localhost:6379, not "${printable}".`, 'queue');
  }
  if (scheme.toLowerCase() !== 'unix' && !/(?:^|@)[^/@]*(?:\/\d*)?$/.test(place)) {
    throw badOption(
      `The database in the queue's URL must be a number, as in redis://localhost/1, not "${printable}".`,
      'queue',
    );
  }
  const parameters = new URLSearchParams(query);
  const seconds = (name: string, usual: number): number => {
    const text = parameters.get(name) ?? String(usual);
    parameters.delete(name);
    if (/^\d+(?:\.\d+)?$/.test(text) && Number(text) > 0) return Number(text) * SECOND;
    const message = `"${name}" in the queue's URL must be a number of seconds, more than 0, not "${text}".`;
    throw badOption(message, 'queue');
  };
  const [lockMs, outageMs] = [seconds('lock', 60), seconds('outage', 120)];
  const crawl = parameters.get('crawl') ?? 'crawl';
  parameters.delete('crawl');
  if (!/^[\w.-]{1,100}$/.test(crawl)) {
    throw badOption(
      `"crawl" in the queue's URL must be a name of letters, digits, ".", "_" and "-", not "${crawl}".`,
      'queue',
    );
  }
  // ioredis reads the other parameters, such as family=6.
  const rest = parameters.size === 0 ? '' : `?${parameters}`;
  const name = /^(?:rediss|valkeys)$/i.test(scheme) ? 'rediss' : 'redis';
  const address = `${scheme.toLowerCase() === 'unix' ? '' : `${name}://`}${place}${rest}`;
  return { address, printableUrl: printable, lockMs, outageMs, crawl };
}

/** BullMQ runs on 5.0 and recommends 6.2, which has commands that make its scripts faster. */
const LEAST_VERSION = [6, 2] as const;

/** Both packages are optional: they are loaded when a queue on Redis is used. */
export async function loadPackages(): Promise<{
  readonly bullmq: typeof import('bullmq');
  readonly Client: typeof Redis;
}> {
  try {
    const [bullmq, { Redis: Client }] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, Client };
  } catch (cause) {
    throw new SitemapException(
      'A queue on Redis needs two more packages. Install them beside this one: npm install bullmq ioredis',
      { code: 'queue-packages-missing', cause },
    );
  }
}

/** A connection that is made again while the server is away, and remembers the last error. */
export interface Connection {
  readonly client: Redis;
  /** The exception if something took too long. @param last - the error of the last attempt */
  late(seconds: number, last?: unknown): SitemapException;
  /** Turns a refusal of the server into an exception; returns other errors unchanged. */
  refusal(error: unknown): unknown;
  /** A warning, if the server removes keys when its memory is full. */
  readonly eviction: string | undefined;
}

/**
 * Connects, and checks the version.
 *
 * @throws SitemapException with code `queue-unreachable`, `queue-refused` or `queue-too-old`
 */
export async function connect(
  Client: typeof Redis,
  { address, printableUrl }: RedisAddress,
  limitMs: number,
  signal?: AbortSignal,
): Promise<Connection> {
  const client = new Client(address, {
    // Commands wait for the server to come back; connection.late says how long.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(100 * times, 1000),
    connectTimeout: 5000,
    // A network that drops packets gives no error: without this a dead connection is noticed after minutes.
    socketTimeout: SOCKET_TIMEOUT_MS,
    lazyConnect: true,
  });
  let trouble: Error | undefined;
  client.on('error', (error: Error) => {
    trouble = error;
  });
  client.on('ready', () => {
    trouble = undefined;
  });
  const late = (seconds: number, last: unknown = trouble): SitemapException => {
    const why = last instanceof Error && last.message !== '' ? ` (${last.message})` : '';
    return new SitemapException(
      `Redis at ${printableUrl} could not be reached for ${seconds} seconds${why}. Start it, or correct the address.`,
      { code: 'queue-unreachable', cause: last },
    );
  };
  const refusal = (error: unknown): unknown => {
    if (!isRefusal(error)) return error;
    const why = `Redis at ${printableUrl} refused a command (${error.message})`;
    const message = `${why}. Correct the address, or the settings of Redis.`;
    return new SitemapException(message, { code: 'queue-refused', cause: error });
  };
  try {
    // The first attempt rejects if nothing listens; the client itself makes further attempts.
    client.connect().catch(() => {});
    // Without this the client would use another database if there is none with this number.
    const { db = 0 } = client.options;
    const selected = db === 0 ? Promise.resolve() : client.select(db);
    const reply = selected.then(() => client.info());
    const info = await unlessAborted(
      limited(reply, limitMs, () => late(limitMs / 1000)),
      signal,
    );
    checkVersion(info, printableUrl);
    return { client, late, refusal, eviction: evictionIn(info, printableUrl) };
  } catch (error) {
    client.disconnect();
    throw refusal(error);
  }
}

/** Longer than any command takes, the blocking one included, and shorter than a lock. */
const SOCKET_TIMEOUT_MS = 15_000;

function checkVersion(info: string, url: string): void {
  const [, version = ''] = /^redis_version:(\S+)/m.exec(info) ?? [];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor >= LEAST_VERSION[1])) return;
  throw new SitemapException(
    `Redis at ${url} has version ${version || 'unknown'}, which is too old: ` +
      `use Redis ${LEAST_VERSION.join('.')} or later, or Valkey.`,
    { code: 'queue-too-old' },
  );
}

/** Sites whose keys are removed are crawled again, so this is only a warning. */
function evictionIn(info: string, url: string): string | undefined {
  const [, policy = 'noeviction'] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
  if (policy === 'noeviction' || /^maxmemory:0\s/m.test(info)) return undefined;
  return (
    `Redis at ${url} removes keys when its memory is full (maxmemory-policy ${policy}), ` +
    'so sites may be crawled again and again. Set the policy to noeviction.'
  );
}

/** Rejects after `ms`; a later result of the promise is ignored. */
export function limited<Value>(promise: Promise<Value>, ms: number, late: () => Error): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = startTimer(ms, () => reject(late()));
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** Whether the server refused a command (a wrong password, no memory left), or does not speak the protocol of Redis. */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return /^(?:Reply|Parser)Error$/.test(error.name) || /^Unknown RESP type/.test(error.message);
}

/** Whether a command failed because the server is away, and may succeed later. */
export function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof SitemapException) return false;
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^(?:E[A-Z]+|NR_CLOSED)$/.test(code)) return true;
  return /Connection is closed|max retries per request|LOADING|READONLY|Socket timeout/i.test(error.message);
}
