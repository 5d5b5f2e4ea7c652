/** §11.1 Records of WARC 1.1, as other programs read them. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { constants, crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  digestOf,
  pathOf,
  RecordFile,
  recordHead,
  STORED_MEMBER,
  storedMember,
} from '../../../src/sitemap/archive/warc-writer.ts';

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
  [
    'https://example.org/%c3%bc?a=%25b%2525&%zz#é%20',
    'https://example.org/%c3%bc?a=%25b%2525&%25zz#%C3%A9%20',
  ],
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

test('a record without a target, or one that is whole, has no line for it', () => {
  const digests = { block: DIGESTS[''], payload: DIGESTS.abc };
  const fields = { type: 'warcinfo', date: 0, contentType: 'a/b' } as const;
  const head = recordHead(fields, 0, digests);
  expect(head).not.toMatch(/Target|Truncated/);
  expect(head.endsWith('\r\nContent-Length: 0\r\n\r\n')).toBe(true);
  const idOf = (more: object, of: { readonly block: string; readonly payload: string } = digests): string =>
    /Record-ID: (.*)/.exec(recordHead({ ...fields, ...more }, 0, of))![1]!;
  expect(idOf({})).toBe(idOf({}));
  const others = [
    idOf({}),
    idOf({ date: 1 }),
    idOf({ type: 'metadata' }),
    idOf({ targetUri: 'x' }),
    idOf({}, { ...digests, block: 'x' }),
  ];
  expect(new Set(others).size).toBe(others.length);
});

describe('records in a file', () => {
  const PIECE = 256 * 1024;
  async function written(isGzip: boolean, ...bodies: readonly (readonly Uint8Array[])[]) {
    const bytes: Uint8Array[] = [Buffer.from('12345')];
    const file = new RecordFile({ write: async (chunk) => void bytes.push(chunk.slice()) }, { isGzip }, 5);
    const places = [];
    for (const body of bodies) places.push(await file.write(Buffer.from('HEAD'), body));
    return { bytes: Buffer.concat(bytes), places, file };
  }

  test('plain: each has its place, its checksum and the start of its body', async () => {
    const { bytes, places, file } = await written(false, [Buffer.from('ab'), Buffer.from('c')], []);
    expect(bytes.toString()).toBe('12345HEADabc\r\n\r\nHEAD\r\n\r\n');
    expect(places).toEqual([
      { offset: 5, length: 11, crc32: crc32('HEADabc\r\n\r\n'), start: 4 },
      { offset: 16, length: 8, crc32: crc32('HEAD\r\n\r\n'), start: 4 },
    ]);
    await file.copy(Buffer.from('xyz'));
    expect(file.offset).toBe(27);
  });

  test.each([
    ['nothing', [], 0],
    ['one byte', [1], 1],
    ['one byte less than a piece', [PIECE - 1], 1],
    ['a piece', [PIECE], 1],
    ['a piece in two chunks', [PIECE - 1, 1], 1],
    ['one byte more than a piece', [PIECE + 1], 2],
    ['seven pieces in chunks of another size', [3 * PIECE - 7, 0, 3 * PIECE + 8], 7],
  ])(
    'gzip, with a body of %s: one member, in pieces that can be inflated one by one',
    async (_what, sizes, count) => {
      const chunks = sizes.map((size, at) => Buffer.alloc(size, `${at}abc`));
      const { bytes, places } = await written(true, chunks);
      const [place] = places;
      const member = bytes.subarray(5);
      const body = Buffer.concat(chunks);
      expect(
        gunzipSync(member).equals(Buffer.concat([Buffer.from('HEAD'), body, Buffer.from('\r\n\r\n')])),
      ).toBe(true);
      expect([place?.offset, place?.length, place?.crc32, place?.pieces?.length]).toEqual([
        5,
        member.length,
        crc32(member),
        count,
      ]);
      expect(member.readUInt32LE(member.length - 4)).toBe(body.length + 8);
      let at = place!.start;
      const inflated = place!.pieces!.map((length) => {
        const piece = member.subarray(at, at + length);
        at += length;
        return inflateRawSync(piece, { finishFlush: constants.Z_SYNC_FLUSH });
      });
      expect(Buffer.concat(inflated).equals(body)).toBe(true);
    },
  );

  test.each([0, 1, 65_535])('%d stored bytes are a gzip member of a known size', (length) => {
    const data = Buffer.alloc(length, 'abc');
    const member = storedMember(data);
    expect(gunzipSync(member).equals(data)).toBe(true);
    expect(member.length).toBe(STORED_MEMBER.before + length + STORED_MEMBER.behind);
  });
});

test('a path is a text or a file: URL', () => {
  expect([pathOf('a b', 'x'), pathOf(pathToFileURL('/a b%c'), 'x')]).toEqual([
    'a b',
    fileURLToPath(pathToFileURL('/a b%c')),
  ]);
  for (const wrong of ['', new URL('https://a.test/'), 5, undefined]) {
    expect(() => pathOf(wrong as string, 'saveTree')).toThrow(
      'saveTree needs the path of a file, a string or a file: URL.',
    );
  }
});
