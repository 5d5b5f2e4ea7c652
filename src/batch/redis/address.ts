/** The address of a queue: where Redis is, and how patient its workers are. */
import { SitemapException } from '../../reading.ts';
import { shownUrl } from '../../url.ts';

export interface RedisAddress {
  /** As `ioredis` takes it. */
  readonly address: string;
  /** Without a password, for messages. */
  readonly shown: string;
  /** `?lock=` and `?outage=`, in milliseconds. */
  readonly lockMs: number | undefined;
  readonly outageMs: number | undefined;
}

const SECOND = 1000;

/**
 * Reads `redis://host:6379?lock=60&outage=120`. The names of Valkey mean the same protocol; `unix:` is followed by a
 * path.
 *
 * @throws SitemapException with code `bad-option`
 */
export function redisAddress(url: string): RedisAddress {
  const shown = shownUrl(url);
  const [, scheme = '', place = '', query = ''] =
    /^(rediss?|valkeys?|unix):\/\/([^?]+)(?:\?(.*))?$/i.exec(url) ?? [];
  if (place === '') {
    throw badQueue(`The queue must be a URL such as redis://localhost:6379, not "${shown}".`);
  }
  const parameters = new URLSearchParams(query);
  const seconds = (name: string): number | undefined => {
    const text = parameters.get(name);
    parameters.delete(name);
    if (text === null) return undefined;
    if (/^\d+(?:\.\d+)?$/.test(text) && Number(text) > 0) return Number(text) * SECOND;
    throw badQueue(`"${name}" in the queue's URL must be a number of seconds, more than 0, not "${text}".`);
  };
  const [lockMs, outageMs] = [seconds('lock'), seconds('outage')];
  // ioredis knows the others, such as family=6.
  const rest = parameters.size === 0 ? '' : `?${parameters}`;
  const name = /^(?:rediss|valkeys)$/i.test(scheme) ? 'rediss' : 'redis';
  const address = scheme.toLowerCase() === 'unix' ? place : `${name}://${place}${rest}`;
  return { address, shown, lockMs, outageMs };
}

function badQueue(message: string): SitemapException {
  return new SitemapException(message, { code: 'bad-option', option: 'queue' });
}
