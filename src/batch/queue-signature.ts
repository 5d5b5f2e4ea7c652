/**
 * Signatures of everything that travels through Redis: announcements, jobs, pieces of batches, earlier archives. Each
 * is an HMAC over the kind of a thing, its crawl, its place in the crawl, and its bytes. So nothing that was signed can
 * take the place of something else.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { SitemapException } from '../index.ts';

/** The environment variable with the secret that `usp crawl` and its workers share. */
export const KEY_VARIABLE = 'USP_QUEUE_KEY';

type SignedThing = 'announcement' | 'job' | 'piece' | 'archive';

/** Signs for one crawl, with one key. */
export interface Signer {
  sign(thing: SignedThing, place: readonly (string | number)[], data?: Uint8Array | string): string;
  isSigned(
    signature: string,
    thing: SignedThing,
    place: readonly (string | number)[],
    data?: Uint8Array | string,
  ): boolean;
}

export function signerOf(key: string, crawl: string): Signer {
  const sign: Signer['sign'] = (thing, place, data = '') => {
    // A text of JSON has no line feed, so the data cannot be taken for a part of the place.
    const head = `${JSON.stringify([thing, crawl, ...place])}\n`;
    return createHmac('sha256', key).update(head).update(data).digest('hex');
  };
  return {
    sign,
    isSigned(signature, ...signed) {
      const [actual, expected] = [Buffer.from(signature), Buffer.from(sign(...signed))];
      return actual.length === expected.length && timingSafeEqual(actual, expected);
    },
  };
}

/** The shared secret; undefined where the variable is not set. @throws SitemapException with code `bad-option` */
export function queueSecret(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const secret = env[KEY_VARIABLE];
  if (secret !== '') return secret;
  throw new SitemapException(`${KEY_VARIABLE} is empty. Give it a secret, or remove the variable.`, {
    code: 'bad-option',
  });
}
