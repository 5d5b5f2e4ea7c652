/** §11.1 Records of WARC 1.1, as other programs read them. */
import { expect, test } from 'vitest';
import { digestOf, recordHead } from '../../../src/sitemap/archive/warc-writer.ts';

// As `openssl sha1 -binary | base32` prints them.
const DIGESTS = {
  '': 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ',
  abc: 'sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5',
} as const;

test.each(Object.entries(DIGESTS))('the digest of "%s" is SHA-1 in base32', (text, digest) => {
  expect(digestOf(Buffer.from(text))).toBe(digest);
});

test.each([
  ['https://example.org/a', 'https://example.org/a'],
  ['https://example.org/ü?q=%C3%BC', 'https://example.org/%C3%BC?q=%C3%BC'],
  ['a file\r\nof mine', 'a%20file%0D%0Aof%20mine'],
  ['\ud800', '%EF%BF%BD'],
])('the head of a record for %j is lines of ASCII, each digest in its own', (targetUri, uri) => {
  const digests = { block: DIGESTS[''], payload: DIGESTS.abc };
  const date = Date.UTC(2024, 4, 6, 7, 8, 9);
  const fields = { type: 'response', date, targetUri, contentType: 'text/x', truncated: 'length' } as const;
  const lines = recordHead(fields, 12, digests).split('\r\n');
  expect(lines).toEqual([
    'WARC/1.1',
    'WARC-Type: response',
    expect.stringMatching(
      /^WARC-Record-ID: <urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}>$/,
    ),
    'WARC-Date: 2024-05-06T07:08:09.000Z',
    `WARC-Target-URI: ${uri}`,
    'WARC-Truncated: length',
    `WARC-Payload-Digest: ${DIGESTS.abc}`,
    `WARC-Block-Digest: ${DIGESTS['']}`,
    'Content-Type: text/x',
    'Content-Length: 12',
    '',
    '',
  ]);
});
