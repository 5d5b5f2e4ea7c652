/** Specification §2: gzip is known by its magic bytes; its faults are problems and cost nothing; one byte budget. */
import { createHook } from 'node:async_hooks';
import { createCipheriv } from 'node:crypto';
import * as zlib from 'node:zlib';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { bodyFrom, iterate } from '../../../src/fetch/body.ts';
import { contentDecoder } from '../../../src/fetch/decode/content-decoding.ts';
import { inflate } from '../../../src/fetch/decode/inflate.ts';
import { ProblemList } from '../../../src/problems/problem-list.ts';
import { codes, fetching, readAll, serving } from '../../support/fetching.ts';
import { sized } from '../../support/tier.ts';

const text = Array.from({ length: 8_000 }, (_, i) => `https://example.org/page/${(i * 7919) % 100_003}`).join(
  '\n',
);
const plain = Buffer.from(text);
const packed = gzipSync(plain);
// The best quality, which is the default, takes more than a second.
const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

/** Where Node has it. */
const zstd: ((bytes: Uint8Array) => Buffer) | undefined = Reflect.get(zlib, 'zstdCompressSync');

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function inflated(bytes: Uint8Array, { size = 65_536, maxBytes = 1e9, encoding = '' } = {}) {
  const problems = new ProblemList();
  const chunks: Uint8Array[] = [];
  const limits = { maxBytes, problems };
  const decoded = contentDecoder(encoding, limits)(bodyFrom(pieces(bytes, size)));
  for await (const chunk of iterate(inflate(limits)(decoded))) chunks.push(chunk);
  return { bytes: Buffer.concat(chunks), codes: problems.kept.map(({ code }) => code) };
}

function changed(bytes: Uint8Array, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at < 0 ? copy.length + at : at]! ^= 0xff;
  return copy;
}

/** With other bytes from a place on; a decoder may take some of them. */
function damagedFrom(at: number, bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.map((byte, i) => (i < at ? byte : byte ^ 0xff)));
}

/** A gzip header with every optional field: extra (260 bytes, a number of two bytes), name, comment, header checksum. */
const decorated = Buffer.concat([
  Buffer.from([0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3, 4, 1]),
  Buffer.alloc(260, 'extra'),
  Buffer.from('sitemap.xml\0a comment\0'),
  Buffer.from([0xab, 0xcd]),
  packed.subarray(10),
]);

describe('§2 gzip by its magic bytes', () => {
  const whole: [string, Uint8Array][] = [
    ['not gzip at all', plain],
    ['gzip', packed],
    ['gzip in gzip', gzipSync(packed)],
    [
      'several members',
      Buffer.concat([gzipSync(text.slice(0, 999)), gzipSync(''), gzipSync(text.slice(999))]),
    ],
    ['stored, not compressed', gzipSync(plain, { level: 0 })],
    ['every header field', decorated],
  ];
  test.each(whole)('%s, whole and in pieces', async (_what, bytes) => {
    for (const size of [bytes.length, 65_536, 997]) {
      const result = await inflated(bytes, { size });
      expect(result.bytes.equals(plain)).toBe(true);
      expect(result.codes).toEqual([]);
    }
  });

  test('byte by byte', async () => {
    const short = Buffer.from(text.slice(0, 3000));
    for (const bytes of [
      short,
      gzipSync(short),
      gzipSync(gzipSync(short)),
      Buffer.concat([gzipSync(short), gzipSync('')]),
    ]) {
      expect((await inflated(bytes, { size: 1 })).bytes.equals(short)).toBe(true);
    }
  });

  test('three times is once too many: the inmost stays as it is', async () => {
    expect((await inflated(gzipSync(gzipSync(packed)))).bytes.equals(packed)).toBe(true);
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['half a magic', Buffer.from([0x1f])],
    ['the magic of another method', Buffer.from([0x1f, 0x8b, 7, 0])],
    ['reserved flags', Buffer.from([0x1f, 0x8b, 8, 0xff, 1, 2, 3])],
  ])('%s passes as it is', async (_what, bytes) => {
    expect(await inflated(bytes)).toEqual({ bytes, codes: [] });
  });
});

describe('§2 faults of gzip are problems and cost nothing that could be inflated', () => {
  test.each([
    ['a bad checksum', changed(packed, -6), 'bad-checksum'],
    ['a bad length', changed(packed, -2), 'bad-checksum'],
    [
      'a bad checksum of the first of two members',
      Buffer.concat([changed(gzipSync(text.slice(0, 999)), -6), gzipSync(text.slice(999))]),
      'bad-checksum',
    ],
    ['trailing rubbish', Buffer.concat([packed, Buffer.from('<!-- cached -->')]), 'gzip-trailing-bytes'],
    ['trailing zeros', Buffer.concat([packed, Buffer.alloc(512)]), 'gzip-trailing-bytes'],
    ['half a trailer', packed.subarray(0, -4), 'gzip-truncated'],
    ['no trailer', packed.subarray(0, -8), 'gzip-truncated'],
    ['half a second header', Buffer.concat([packed, packed.subarray(0, 7)]), 'gzip-truncated'],
  ])('%s: everything is there', async (_what, bytes, code) => {
    for (const size of [bytes.length, 1000]) {
      const result = await inflated(bytes, { size });
      expect(result.bytes.equals(plain)).toBe(true);
      expect(result.codes).toEqual([code]);
    }
  });

  test('truncated data: everything that zlib can inflate is there, whatever the chunks', async () => {
    const results = new Set<number>();
    for (const size of [1e6, 4096, 100]) {
      const result = await inflated(packed.subarray(0, packed.length >> 1), { size });
      expect(plain.subarray(0, result.bytes.length).equals(result.bytes)).toBe(true);
      expect(result.bytes.length).toBeGreaterThan(plain.length / 3);
      expect(result.codes).toEqual(['gzip-truncated']);
      results.add(result.bytes.length);
    }
    expect(results.size).toBe(1);
  });
});

describe('§2 damaged data keeps everything that the data before the damage inflates to', () => {
  // Hardly compressible, 4.5 MiB: more than what is remembered.
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(5.4e6));
  const large = Buffer.from(noise.map((byte) => byte & 127));

  /** An invalid block type right behind a flushed block: everything before is well-formed. */
  const corrupt = (header: Uint8Array, content: Uint8Array): Buffer =>
    Buffer.concat([header, deflateRawSync(content, { level: 1, finishFlush: 2 }), Buffer.alloc(5, 0xff)]);
  const gzipHeader = packed.subarray(0, 10);
  const rawDeflate = deflateRawSync(plain);

  test.each<[string, string, Buffer, Uint8Array, number[]]>([
    ['gzip', 'gzip-corrupt', plain, gzipHeader, [1e6, 37]],
    ['gzip', 'gzip-corrupt', large, gzipHeader, [1e7]],
    ['deflate', 'encoding-damaged', plain, Buffer.from([0x78, 0x9c]), [1e6, 37]],
    ['deflate', 'encoding-damaged', plain, Buffer.alloc(0), [1e6, 37]],
    ['deflate', 'encoding-damaged', large, Buffer.alloc(0), [65_536]],
  ])('%s has an invalid block: %s, case %#', async (encoding, code, content, header, sizes) => {
    const bytes = corrupt(header, content);
    for (const size of sizes) {
      const result = await inflated(bytes, { encoding, size });
      expect(result.bytes.equals(content)).toBe(true);
      expect(result.codes).toEqual([code]);
    }
  });

  // What follows the damage may be data of the coding by chance, so that only its checksum is wrong: raw deflate has none.
  test.each<[string, Buffer, number]>([
    ['gzip', gzipSync(large, { level: 1 }), 65_536],
    ['gzip', packed, 1000],
    ['deflate', deflateSync(plain), 1000],
    ['deflate', rawDeflate, 1000],
    ['br', brotli, 1000],
  ])('%s has other bytes from a place on, case %#', async (encoding, bytes, piece) => {
    // In much data, only damage behind what is remembered is another case.
    const early = bytes.length > 1e6 ? [] : [300, bytes.length >> 2];
    for (const at of [...early, bytes.length - 5000]) {
      const before = await inflated(bytes.subarray(0, at), { encoding });
      expect(before.bytes.length).toBeGreaterThan(0);
      for (const size of [bytes.length, piece]) {
        const result = await inflated(damagedFrom(at, bytes), { encoding, size });
        expect(result.bytes.subarray(0, before.bytes.length).equals(before.bytes)).toBe(true);
        if (bytes !== rawDeflate) expect(result.codes).not.toEqual([]);
      }
    }
  });

  test.each([
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotli],
  ])('%s whose very start is damaged is not taken for text, case %#', async (encoding, bytes) => {
    for (const size of [bytes.length, 7]) {
      const result = await inflated(damagedFrom(3, bytes), { encoding, size });
      expect(result.codes).toEqual(['encoding-damaged']);
      expect(result.bytes.length).toBeLessThan(1000);
    }
  });

  test('a bomb is inflated once', async () => {
    let decoders = 0;
    const counting = createHook({
      init: (_id, type) => {
        if (type === 'ZLIB') decoders++;
      },
    });
    const bomb = damagedFrom(2000, gzipSync(Buffer.alloc(3_000_000)));
    counting.enable();
    const result = await inflated(bomb, { maxBytes: 1_000_000 }).finally(() => counting.disable());
    expect(result.codes).toEqual(['too-large']);
    expect(decoders).toBe(1);
  });
});

describe('§2 one budget covers transport and nested gzip', () => {
  const MOST = sized({ fast: 100_000, full: 100_000, strong: 1_000_000 });
  const zeros = Buffer.alloc(50 * MOST);
  const packedOnce = gzipSync(zeros);
  test.each([
    ['plain', zeros, ''],
    ['gzip', packedOnce, ''],
    ['gzip in gzip', gzipSync(packedOnce), ''],
    ['transport gzip', packedOnce, 'gzip'],
    ['transport br over gzip', brotliCompressSync(packedOnce), 'br'],
    ['everything', gzipSync(gzipSync(packedOnce)), 'gzip'],
  ])('a bomb of zeros, %s', async (_what, bytes, encoding) => {
    const result = await inflated(bytes, { maxBytes: MOST, encoding });
    expect(result.bytes.length).toBe(MOST);
    expect(result.codes).toEqual(['too-large']);
  });

  test('a bomb in the middle: gigabytes between two codings, nothing after them', async () => {
    // A gzip header with a name that does not end.
    const endless = Buffer.concat([
      packed.subarray(0, 3),
      Buffer.from([8]),
      packed.subarray(4, 10),
      Buffer.alloc(50 * MOST, 'a'),
    ]);
    const result = await inflated(gzipSync(endless), { maxBytes: MOST, encoding: 'gzip, gzip' });
    expect(result).toEqual({ bytes: Buffer.alloc(0), codes: ['too-large', 'gzip-truncated'] });
  });

  // Each costs a tenth of a millisecond: the fast tier stays far below the limit of 10,000.
  test('a bomb of empty members, which inflates to nothing', async () => {
    const [count, problems] = sized({ fast: [1_000, []], full: [10_500, ['gzip-corrupt']] });
    const members = Buffer.concat(new Array<Buffer>(count).fill(gzipSync('')));
    const result = await inflated(gzipSync(members), { maxBytes: 100_000_000 });
    expect(result).toMatchObject({ bytes: Buffer.alloc(0), codes: problems });
  });

  test.each([-1, 0, 1])('a document of the limit %i bytes', async (more) => {
    const result = await inflated(packed, { maxBytes: plain.length - more });
    expect(result.codes).toEqual(more > 0 ? ['too-large'] : []);
    expect(result.bytes.length).toBe(plain.length - Math.max(0, more));
  });

  test('end to end: a document over the limit is marked truncated, and the server need not send the rest', async () => {
    const server = await serving({ '/s.xml': { body: Buffer.alloc(30_000_000) } });
    const fetcher = fetching(server.origin, { maxSitemapBytes: 100_000 });
    const { text: got, end } = await readAll(await fetcher.fetch(`${server.origin}/s.xml`));
    expect(got.length).toBe(100_000);
    expect(end).toMatchObject({ truncated: true });
    expect(codes(end)).toEqual(['too-large']);
    await server.allSocketsClosed();
    expect(server.bytesSent).toBeLessThan(30_000_000);
  });
});

describe('content encodings as servers really send them', () => {
  test.each([
    ['gzip', packed, []],
    ['x-gzip', packed, []],
    [' GZIP ', packed, []],
    ['identity', plain, []],
    ['', plain, []],
    ['deflate', deflateSync(plain), []],
    ['deflate', deflateRawSync(plain), []],
    ['br', brotli, []],
    ['deflate, gzip', gzipSync(deflateSync(plain)), []],
    ['gzip', plain, ['wrong-content-encoding']],
    ['br', plain, ['wrong-content-encoding']],
    ['deflate', plain, ['wrong-content-encoding']],
    ['br', packed, ['wrong-content-encoding']],
    ['deflate', packed, ['wrong-content-encoding']],
    ['compress', plain, ['unknown-content-encoding']],
    ['zstd', plain, [zstd === undefined ? 'unknown-content-encoding' : 'wrong-content-encoding']],
    ['gzip', changed(packed, -6), ['bad-checksum']],
    ['deflate', changed(deflateSync(plain), -1), ['bad-checksum']],
    ['deflate', changed(deflateSync(plain), -4), ['bad-checksum']],
    ['deflate, gzip', gzipSync(changed(deflateSync(plain), -3)), ['bad-checksum']],
    // Behind the data, nothing but the checksum is read.
    ['deflate', Buffer.concat([deflateSync(plain), Buffer.from('more')]), []],
    ['deflate', Buffer.concat([changed(deflateSync(plain), -1), Buffer.from('more')]), ['bad-checksum']],
    ['deflate', Buffer.concat([deflateRawSync(plain), Buffer.from('more')]), []],
    ['deflate', deflateSync(plain).subarray(0, -1), ['encoding-damaged']],
    ['deflate', deflateSync(plain).subarray(0, -4), ['encoding-damaged']],
  ])('%j', async (encoding, bytes, problems) => {
    for (const size of [65_536, 37]) {
      const result = await inflated(bytes, { encoding, size });
      expect(result.bytes.equals(plain)).toBe(true);
      expect(result.codes).toEqual(problems);
    }
  });

  test.each<[string, BufferEncoding]>([
    ['br', 'utf16le'],
    ['deflate', 'utf16le'],
    ['br', 'latin1'],
    ['deflate', 'latin1'],
  ])('%s declared for a plain document in %s', async (encoding, charset) => {
    const bytes = Buffer.from('\r\n<?xml version="1.0"?><urlset><url><loc>https://example.org/é', charset);
    expect(await inflated(bytes, { encoding })).toEqual({ bytes, codes: ['wrong-content-encoding'] });
  });

  // Both decode to a few bytes before the fault.
  test.each([
    'Sitemap: https://example.org/a.xml\nUser-agent: *\n',
    '\n<?xml version="1.0"?><urlset><url><loc>',
  ])('deflate declared for %j, however small the chunks are', async (start) => {
    const bytes = Buffer.from(start.repeat(20));
    for (const size of [1, 2, 3, 7, 300]) {
      const result = await inflated(bytes, { encoding: 'deflate', size });
      expect(result).toEqual({ bytes, codes: ['wrong-content-encoding'] });
    }
  });

  test.each([
    ['gzip', packed, 'gzip-truncated'],
    ['deflate', deflateSync(plain), 'encoding-damaged'],
    ['deflate', deflateRawSync(plain), 'encoding-damaged'],
    ['br', brotli, 'encoding-damaged'],
  ])('%s, truncated to half', async (encoding, bytes, code) => {
    const result = await inflated(bytes.subarray(0, bytes.length >> 1), { encoding, size: 1000 });
    expect(result.codes).toEqual([code]);
    expect(result.bytes.length).toBeGreaterThan(plain.length / 4);
    expect(plain.subarray(0, result.bytes.length).equals(result.bytes)).toBe(true);
  });

  test.each(['gzip', 'br', 'deflate'])('%s of an empty body', async (encoding) => {
    expect(await inflated(Buffer.alloc(0), { encoding })).toEqual({ bytes: Buffer.alloc(0), codes: [] });
  });

  test('problems of the transport reach the document', async () => {
    const server = await serving({
      '/s.xml': { body: changed(packed, -6), headers: { 'content-encoding': 'gzip' } },
      '/t.xml': { body: packed.subarray(0, 5000) },
    });
    const fetcher = fetching(server.origin);
    const first = await readAll(await fetcher.fetch(`${server.origin}/s.xml`));
    expect(first.text).toBe(text);
    expect(codes(first.end)).toEqual(['bad-checksum']);
    const second = await readAll(await fetcher.fetch(`${server.origin}/t.xml`));
    expect(codes(second.end)).toEqual(['gzip-truncated']);
  });
});
