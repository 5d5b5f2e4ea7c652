/**
 * Specification §2 and §9: what is taken before decoding is limited too. Every coding has forms that decode to nothing;
 * each source here would send them without end.
 */
import { createHook } from 'node:async_hooks';
import * as zlib from 'node:zlib';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bodyFrom, iterate } from '../../../src/fetch/body.ts';
import { contentDecoder } from '../../../src/fetch/decode/content-decoding.ts';
import { inflate } from '../../../src/fetch/decode/inflate.ts';
import { ProblemList } from '../../../src/problems/problem-list.ts';
import { startRawServer } from '../../server/raw-server.ts';
import { testIf } from '../../support/collected.ts';
import { codes, fetching, readAll } from '../../support/fetching.ts';

const MAX = 1_000_000;
/** Twice the limit and 64 KiB. */
const MOST_RAW = 2 * MAX + 65_536;
const CHUNK = 65_536;

const gzipHeader = (flags: number): Buffer => Buffer.from([0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3]);
const emptyStored = Buffer.from([0, 0, 0, 0xff, 0xff]);
/** An empty block with fixed codes, and an empty stored one, which ends at a byte. */
const emptyFixed = deflateRawSync('', { finishFlush: constants.Z_SYNC_FLUSH });

interface Bomb {
  readonly encoding: string;
  readonly start: Uint8Array;
  /** Repeated without end. */
  readonly padding: Uint8Array;
}

const BOMBS: Record<string, Bomb> = {
  'gzip: a file name without end': {
    encoding: 'gzip',
    start: gzipHeader(8),
    padding: Buffer.alloc(1000, 'a'),
  },
  'gzip: a comment without end': {
    encoding: 'gzip',
    start: gzipHeader(16),
    padding: Buffer.alloc(1000, 'a'),
  },
  'gzip: empty stored blocks': { encoding: 'gzip', start: gzipHeader(0), padding: emptyStored },
  'gzip: empty blocks of a flush': { encoding: 'x-gzip', start: gzipHeader(0), padding: emptyFixed },
  'zlib: empty stored blocks': {
    encoding: 'deflate',
    start: Buffer.from([0x78, 0x9c]),
    padding: emptyStored,
  },
  'raw deflate: empty stored blocks': { encoding: 'deflate', start: emptyStored, padding: emptyStored },
  // A window of 16 bits, then metadata blocks of no bytes (RFC 7932 §9.2).
  'br: empty metadata': { encoding: 'br', start: Buffer.from([0x0c]), padding: Buffer.from([0x06]) },
};

const ZSTD_BOMBS: Record<string, Bomb> = {
  // A frame without a size, with a window of 1 KiB, then raw blocks of no bytes.
  'zstd: empty blocks': {
    encoding: 'zstd',
    start: Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0]),
    padding: Buffer.from([0, 0, 0]),
  },
  'zstd: a frame to be skipped': {
    encoding: 'zstd',
    start: Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff]),
    padding: Buffer.alloc(1000),
  },
};
const hasZstd = Reflect.has(zlib, 'createZstdDecompress');
const all = Object.entries({ ...BOMBS, ...(hasZstd ? ZSTD_BOMBS : {}) });

/** Enough to show that a limit is missing, and not enough to wait for it for long. */
const ENDLESS = 100 * MAX;

async function decoded(
  chunks: (taken: (count: number) => void) => AsyncGenerator<Uint8Array>,
  encoding: string,
): Promise<{ taken: number; given: number; codes: string[] }> {
  let taken = 0;
  let given = 0;
  const limits = { maxBytes: MAX, problems: new ProblemList() };
  const source = bodyFrom(chunks((count) => (taken += count)));
  for await (const chunk of iterate(inflate(limits)(contentDecoder(encoding, limits)(source)))) {
    given += chunk.length;
  }
  return { taken, given, codes: limits.problems.kept.map(({ code }) => code) };
}

async function* bomb({ start, padding }: Bomb, taken: (count: number) => void): AsyncGenerator<Uint8Array> {
  taken(start.length);
  yield start;
  const chunk = Buffer.concat(new Array<Uint8Array>(Math.floor(CHUNK / padding.length)).fill(padding));
  for (let sent = 0; sent < ENDLESS; sent += chunk.length) {
    taken(chunk.length);
    yield chunk;
  }
}

describe('§9 a content coding that decodes to nothing', () => {
  test.each(all)('%s', async (_what, each) => {
    const result = await decoded((taken) => bomb(each, taken), each.encoding);
    expect(result.given).toBe(0);
    expect(result.codes[0]).toBe('too-large');
    expect(result.taken).toBeLessThanOrEqual(MOST_RAW + CHUNK);
  });

  test.each(all)('%s, under a second coding', async (_what, each) => {
    const result = await decoded((taken) => bomb(each, taken), `gzip, ${each.encoding}`);
    expect(result.codes).toContain('too-large');
    expect(result.taken).toBeLessThanOrEqual(MOST_RAW + CHUNK);
  });

  test.each(Object.entries(BOMBS).filter(([, { encoding }]) => encoding.includes('gzip')))(
    '%s, as a file without a content coding',
    async (_what, each) => {
      const result = await decoded((taken) => bomb(each, taken), '');
      expect(result.codes[0]).toBe('too-large');
      expect(result.taken).toBeLessThanOrEqual(MAX + CHUNK);
    },
  );

  testIf(hasZstd)('zstd: millions of frames to be skipped cost no decoder each', async () => {
    const padding = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
    let decoders = 0;
    const counting = createHook({
      init: (_id, type) => {
        if (type === 'ZLIB') decoders++;
      },
    }).enable();
    const result = await decoded(
      (taken) => bomb({ encoding: 'zstd', start: padding, padding }, taken),
      'zstd',
    ).finally(() => counting.disable());
    expect(decoders).toBeGreaterThan(0);
    expect(decoders).toBeLessThanOrEqual(10_000);
    // Newer versions of Node read all of them with one decoder, until the limit of bytes.
    expect(result.codes).toEqual([decoders === 1 ? 'too-large' : 'encoding-damaged']);
    expect(result.taken).toBeLessThanOrEqual(decoders === 1 ? MOST_RAW + CHUNK : 3 * CHUNK);
  });
});

test('the limit loses nothing of a body that cannot be compressed', async () => {
  const noise = Uint8Array.from({ length: MAX }, (_, i) => (i * 48_271) % 251);
  const result = await decoded(async function* (taken) {
    const stored = gzipSync(noise, { level: 0 });
    taken(stored.length);
    yield stored;
  }, 'gzip');
  expect(result).toMatchObject({ given: MAX, codes: [] });
});

test('end to end: the problem is on the document, and the connection is closed', async () => {
  const server = await startRawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/xml\r\n\r\n');
    socket.write(gzipHeader(8));
    const more = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(CHUNK, 'a')));
    };
    socket.on('drain', more);
    more();
  });
  onTestFinished(() => server.close());
  const fetcher = fetching(server.origin, { maxSitemapBytes: MAX });
  const { text, end } = await readAll(await fetcher.fetch(`${server.origin}/s.xml`));
  expect(text).toBe('');
  expect(end.truncated).toBe(true);
  expect(codes(end)).toEqual(['too-large', 'gzip-truncated']);
  expect(end.problems[0]).toMatchObject({
    message: `The encoded document is larger than ${MOST_RAW} bytes (maxSitemapBytes); it is truncated there.`,
    option: 'maxSitemapBytes',
  });
  await expect.poll(() => server.openSockets).toBe(0);
});
