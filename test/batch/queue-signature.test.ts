/** §14.4: what is signed in Redis, and that no signature is good for anything else. */
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { queueSecret, signerOf } from '../../src/batch/queue-signature.ts';

const PLACE = ['parcel', 'part', 0] as const;
const signer = signerOf('key', 'crawl');
const signature = signer.sign('piece', PLACE, 'data');

test('a signature is that of the kind, the crawl, the place and the data', () => {
  const text = '["piece","crawl","parcel","part",0]\ndata';
  expect(signature).toBe(createHmac('sha256', 'key').update(text).digest('hex'));
  expect(signer.sign('piece', PLACE, Buffer.from('data'))).toBe(signature);
  expect(signer.sign('job', [])).toBe(createHmac('sha256', 'key').update('["job","crawl"]\n').digest('hex'));
  expect(signerOf('key', 'crawl').isSigned(signature, 'piece', PLACE, 'data')).toBe(true);
});

test.each<[string, boolean]>([
  ['another key', signerOf('key2', 'crawl').isSigned(signature, 'piece', PLACE, 'data')],
  ['another crawl', signerOf('key', 'crawl2').isSigned(signature, 'piece', PLACE, 'data')],
  ['another kind', signer.isSigned(signature, 'archive', PLACE, 'data')],
  ['another parcel', signer.isSigned(signature, 'piece', ['other', 'part', 0], 'data')],
  ['another file', signer.isSigned(signature, 'piece', ['parcel', 'sites', 0], 'data')],
  ['another offset', signer.isSigned(signature, 'piece', ['parcel', 'part', 4], 'data')],
  ['an offset that is a text', signer.isSigned(signature, 'piece', ['parcel', 'part', '0'], 'data')],
  ['a place that is divided in another way', signer.isSigned(signature, 'piece', ['parcel,part', 0], 'data')],
  ['other data', signer.isSigned(signature, 'piece', PLACE, 'date')],
  ['no data', signer.isSigned(signature, 'piece', PLACE)],
  ['no signature', signer.isSigned('', 'piece', PLACE, 'data')],
  ['the beginning of the signature', signer.isSigned(signature.slice(0, -1), 'piece', PLACE, 'data')],
  ['more than the signature', signer.isSigned(`${signature}0`, 'piece', PLACE, 'data')],
])('%s is not signed', (_, isSigned) => {
  expect(isSigned).toBe(false);
});

test('the secret is that of the variable, which must not be empty', () => {
  expect([
    queueSecret({}),
    queueSecret({ USP_QUEUE_KEY: ' a ' }),
    queueSecret({ USP_QUEUE_KEY: '0' }),
  ]).toEqual([undefined, ' a ', '0']);
  expect(() => queueSecret({ USP_QUEUE_KEY: '' })).toThrow(
    'USP_QUEUE_KEY is empty. Give it a secret, or remove the variable.',
  );
});
