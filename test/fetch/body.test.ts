/** Bodies: every decoder keeps what arrived, ends its source in any state, and gives back what it holds. */

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  type Body,
  bodyFrom,
  type Decoder,
  drain,
  iterate,
  onBodyEnd,
  readAhead,
  withByteCount,
  withPublicHosts,
} from '../../src/fetch/body.ts';
import { bodyOf } from '../../src/fetch/client/web-client.ts';
import { type DecodeLimits, withinBudget } from '../../src/fetch/decode/byte-reader.ts';
import { contentDecoder } from '../../src/fetch/decode/content-decoding.ts';
import { inflate } from '../../src/fetch/decode/inflate.ts';
import { hostMapOf } from '../../src/options/host-map.ts';
import { ProblemList } from '../../src/problems/problem-list.ts';

const plain = Buffer.from('https://example.org/page\n'.repeat(20_000));
const limits = (maxBytes = 1e9) => ({ maxBytes, problems: new ProblemList() });

interface Source extends Body {
  cancelled: number;
  /** Resolves when a read waits. */
  readonly stalled: Promise<void>;
}

/** A body of these chunks, which then ends, breaks with an error, or stalls until it is cancelled. */
function source(chunks: readonly Uint8Array[], then: 'end' | 'stall' | Error = 'end'): Source {
  const left = [...chunks];
  let wake = (): void => {};
  let stalls = (): void => {};
  const stalled = new Promise<void>((resolve) => {
    stalls = resolve;
  });
  return {
    cancelled: 0,
    stalled,
    async read() {
      const chunk = left.shift();
      if (chunk !== undefined || this.cancelled > 0 || then === 'end') return chunk;
      if (then instanceof Error) throw then;
      await new Promise<void>((resolve) => {
        wake = resolve;
        stalls();
      });
      return undefined;
    },
    async cancel() {
      this.cancelled++;
      left.length = 0;
      wake();
    },
  };
}

function pieces(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}

async function readAll(body: Body): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const DECODERS: readonly [string, (bounds: DecodeLimits) => Decoder, Buffer][] = [
  ['the byte budget', withinBudget, plain],
  ['inflate, of plain text', inflate, plain],
  ['inflate, of gzip', inflate, gzipSync(plain)],
  ['inflate, of gzip in gzip', inflate, gzipSync(gzipSync(plain))],
  ['content decoding of gzip', (bounds) => contentDecoder('gzip', bounds), gzipSync(plain)],
  ['content decoding of deflate', (bounds) => contentDecoder('deflate', bounds), deflateSync(plain)],
  [
    'content decoding of deflate with a small window',
    (bounds) => contentDecoder('deflate', bounds),
    deflateSync(plain, { windowBits: 9 }),
  ],
  ['content decoding of br', (bounds) => contentDecoder('br', bounds), brotliCompressSync(plain)],
  ['content decoding that is declared wrongly', (bounds) => contentDecoder('br', bounds), plain],
];

describe.each(DECODERS)('%s', (_what, decoder, encoded) => {
  test('gives the same bytes whatever the chunks', async () => {
    for (const size of [1e9, 10_000, 61]) {
      expect((await readAll(decoder(limits())(source(pieces(encoded, size))))).equals(plain)).toBe(true);
    }
  });

  test('cancels a source that was never read', async () => {
    const from = source([encoded]);
    await decoder(limits())(from).cancel();
    expect(from.cancelled).toBeGreaterThan(0);
  });

  test('cancels a source in the middle, and ends', async () => {
    const from = source(pieces(encoded, 50), 'stall');
    const body = decoder(limits())(from);
    await body.read();
    await body.cancel();
    await body.cancel();
    expect(from.cancelled).toBeGreaterThan(0);
  });

  test.each([2, 100])(
    'ends a read that waits after %d bytes when it is cancelled, and adds no problem',
    async (bytes) => {
      const from = source(pieces(encoded.subarray(0, bytes), 1), 'stall');
      const bounds = limits();
      const body = decoder(bounds)(from);
      const reading = readAll(body);
      await from.stalled;
      const before = [...bounds.problems.kept];
      await body.cancel();
      await reading;
      expect(from.cancelled).toBeGreaterThan(0);
      expect(bounds.problems.kept).toEqual(before);
    },
  );

  test('hands over everything that arrived, and then the error of its source', async () => {
    const half = encoded.subarray(0, encoded.length >> 1);
    const complete = await readAll(decoder(limits())(source(pieces(half, 100))));
    const broken = new Error('reset');
    const body = decoder(limits())(source(pieces(half, 100), broken));
    const chunks: Uint8Array[] = [];
    const reading = (async () => {
      for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) chunks.push(chunk);
    })();
    await expect(reading).rejects.toBe(broken);
    expect(Buffer.concat(chunks).equals(complete)).toBe(true);
  });
});

test.each([
  ['in a chunk', 1500],
  ['between two chunks', 2000],
])('the byte budget truncates %s, with a problem, and cancels its source', async (_where, most) => {
  const from = source(pieces(plain, 1000), 'stall');
  const bounds = limits(most);
  expect((await readAll(withinBudget(bounds)(from))).length).toBe(most);
  expect(bounds.problems.kept.map(({ code }) => code)).toEqual(['too-large']);
  expect(from.cancelled).toBeGreaterThan(0);
});

test.each(['br', 'deflate'])(
  'a body that is not %s costs nothing, however short its first chunk',
  async (coding) => {
    for (const text of ['<urlset><url>', 'https://example.org/\n']) {
      const bytes = Buffer.from(text.repeat(100));
      for (const size of [1, 2, 3, 50]) {
        const bounds = limits();
        const body = contentDecoder(coding, bounds)(source(pieces(bytes, size)));
        expect((await readAll(body)).toString()).toBe(bytes.toString());
        expect(bounds.problems.kept.map(({ code }) => code)).toEqual(['wrong-content-encoding']);
      }
    }
  },
);

test.each([
  ['br', Buffer.concat([brotliCompressSync(plain), Buffer.from('\n')])],
  ['deflate', Buffer.concat([deflateRawSync(plain), Buffer.from('\n')])],
  // Its checksum is a part of it.
  ['deflate', deflateSync(plain)],
])('what follows the end of %s is not waited for', async (coding, bytes) => {
  const bounds = limits();
  const body = contentDecoder(coding, bounds)(source([bytes], 'stall'));
  expect((await readAll(body)).equals(plain)).toBe(true);
  expect(bounds.problems.kept).toEqual([]);
});

describe('iterating over a body', () => {
  test('skips empty chunks', async () => {
    const chunks: string[] = [];
    const from = source(['a', '', 'b'].map((text) => Buffer.from(text)));
    for await (const chunk of iterate(from)) chunks.push(String(chunk));
    expect(chunks).toEqual(['a', 'b']);
  });

  test.each(['break', 'return', 'error'])('cancels it after a %s', async (how) => {
    const from = source([plain], how === 'error' ? new Error('reset') : 'stall');
    const iterator = iterate(from);
    if (how === 'return') await iterator.return?.();
    else {
      const reading = (async () => {
        for await (const _ of iterator) if (how === 'break') break;
      })();
      if (how === 'error') await expect(reading).rejects.toThrow('reset');
      else await reading;
    }
    expect(from.cancelled).toBe(1);
  });

  test('a body that a client returns as an iterator is cancelled without having been read', async () => {
    const from = source([plain]);
    await bodyOf({ status: 200, headers: new Headers(), body: iterate(from) }).cancel();
    expect(from.cancelled).toBe(1);
  });
});

test('a generator as a body is returned when the body is cancelled', async () => {
  let isReturned = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield plain;
    } finally {
      isReturned = true;
    }
  }
  const body = bodyFrom(endless());
  await body.read();
  await body.cancel();
  expect(isReturned).toBe(true);
});

test.each(['read to its end', 'broken', 'cancelled', 'cancelled twice'])(
  'a body that was %s reports its end once',
  async (how) => {
    let ends = 0;
    const from = source([plain], how === 'broken' ? new Error('reset') : 'end');
    const body = onBodyEnd(from, () => {
      ends++;
    });
    if (how.startsWith('cancelled')) await body.cancel();
    else await readAll(body).catch(() => {});
    expect(ends).toBe(1);
    await body.cancel();
    expect(ends).toBe(1);
  },
);

test('a body that breaks because it is cancelled reports its end without an error', async () => {
  let reset = (_reason: Error): void => {};
  const from: Body = {
    read: () => new Promise((_resolve, reject) => (reset = reject)),
    cancel: async () => reset(new Error('reset')),
  };
  const ends: unknown[] = [];
  const body = onBodyEnd(from, (error) => ends.push(error));
  const reading = body.read();
  await Promise.allSettled([reading, body.cancel()]);
  await expect(reading).rejects.toThrow('reset');
  expect(ends).toEqual([undefined]);
});

test('of an unwanted body that does not end, no more than 64 KiB and one chunk are read', async () => {
  const chunk = plain.subarray(0, 16 * 1024);
  const body = source(Array.from({ length: 100 }, () => chunk));
  let reads = 0;
  const counting: Body = {
    read: () => {
      reads++;
      return body.read();
    },
    cancel: () => body.cancel(),
  };
  expect(await drain(counting)).toEqual(chunk);
  expect([reads, body.cancelled]).toEqual([5, 1]);
});

test.each([1, 7, 1000])('hosts are replaced up to the last byte, in chunks of %i', async (size) => {
  const hosts = hostMapOf({ mapHosts: { 'staging.example.org': 'www.example.org' } })!;
  const text = 'https://staging.example.org/1\nhttps://staging.example.org/2\nhttps://staging.exam';
  const chunks = pieces(Buffer.from(text), size);
  const expected = text.replaceAll('staging.example.org', 'www.example.org');
  expect((await readAll(withPublicHosts(hosts)(source(chunks)))).toString()).toBe(expected);
  // What had arrived is there also where the rest of it never comes.
  const broken = withPublicHosts(hosts)(source(chunks, new Error('broken')));
  const got: Uint8Array[] = [];
  const reading = (async () => {
    for (let chunk = await broken.read(); chunk !== undefined; chunk = await broken.read()) got.push(chunk);
  })();
  await expect(reading).rejects.toThrow('broken');
  expect(Buffer.concat(got).toString()).toBe(expected);
});

test.each([
  [9, true],
  [10, true],
  [11, false],
])('of a body of %i bytes, 10 are read ahead: that is all is %s', async (length, isAll) => {
  const bytes = Buffer.from('0123456789ab').subarray(0, length);
  const ahead = await readAhead(source([bytes.subarray(0, 4), bytes.subarray(4)]), 10);
  expect(ahead.isAll).toBe(isAll);
  expect(await readAll(ahead.body)).toEqual(bytes);
});

test.each([
  [64 * 1024 - 1, 1],
  [64 * 1024, 1],
  [64 * 1024 + 1, 1],
])(
  'an unwanted body of %i bytes in pieces of 1 KiB is read to its end, and cancelled',
  async (length, cancelled) => {
    const from = source(pieces(plain.subarray(0, length), 1024));
    expect(await drain(from)).toEqual(plain.subarray(0, 1024));
    expect(from.cancelled).toBe(cancelled);
  },
);

test('an unwanted body that breaks is no failure: its first chunk is there, or nothing', async () => {
  expect(String(await drain(source([Buffer.from('a'), Buffer.from('b')], new Error('reset'))))).toBe('a');
  expect(await drain(source([], new Error('reset')))).toHaveLength(0);
  expect(await drain(source([]))).toHaveLength(0);
});

test('a body that breaks while it is read ahead breaks behind what had arrived, each time', async () => {
  const broken = new Error('reset');
  const { body, isAll } = await readAhead(source([Buffer.from('ab'), Buffer.from('cd')], broken), 10);
  expect(isAll).toBe(true);
  expect([String(await body.read()), String(await body.read())]).toEqual(['ab', 'cd']);
  for (const _ of [1, 2]) await expect(body.read()).rejects.toBe(broken);
});

test('a body that breaks reports the error that it broke with', async () => {
  const broken = new Error('reset');
  const ends: unknown[] = [];
  const body = onBodyEnd(source([plain], broken), (error) => ends.push(error));
  await body.read();
  await expect(body.read()).rejects.toBe(broken);
  expect(ends).toEqual([broken]);
});

test('each chunk is counted before it is handed on, and nothing at the end', async () => {
  const counts: number[] = [];
  const body = withByteCount((count) => void counts.push(count))(
    source(['abc', '', 'd'].map((text) => Buffer.from(text))),
  );
  expect(String(await readAll(body))).toBe('abcd');
  expect(counts).toEqual([3, 0, 1]);
});
