/** Specification §15: `zstd` where Node has it, and never asked for where it does not. */
import * as zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { bodyFrom, iterate } from '../../../src/fetch/body.ts';
import { contentDecoder } from '../../../src/fetch/decode/content-decoding.ts';
import { ProblemList } from '../../../src/problems/problem-list.ts';
import { describeUnless } from '../../support/collected.ts';
import { fetched, readAll, serving } from '../../support/fetching.ts';

/** Undefined below Node 22.15. */
const compress: ((bytes: Uint8Array, options?: object) => Buffer) | undefined = Reflect.get(
  zlib,
  'zstdCompressSync',
);
const text = Array.from({ length: 20_000 }, (_, i) => `https://example.org/${(i * 7919) % 100_003}`).join(
  '\n',
);
const plain = Buffer.from(text);

test('zstd is asked for exactly where Node can undo it', async () => {
  const server = await serving({ '/': 'x' });
  await readAll(await fetched(server, '/'));
  expect(server.requests[0]?.headers['accept-encoding']).toBe(
    compress === undefined ? 'gzip, deflate, br' : 'gzip, deflate, br, zstd',
  );
});

describeUnless(compress === undefined ? 'zstd needs Node 22.15' : undefined, 'zstd', () => {
  const pack = (bytes: Uint8Array): Buffer => compress?.(bytes) ?? Buffer.alloc(0);
  const skipped = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  const halves = [pack(plain.subarray(0, 99_999)), pack(plain.subarray(99_999))];

  async function decoded(bytes: Uint8Array, size: number) {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const problems = new ProblemList();
    const chunks: Uint8Array[] = [];
    const decode = contentDecoder('zstd', { maxBytes: 1e9, problems });
    for await (const chunk of iterate(decode(bodyFrom(pieces())))) chunks.push(chunk);
    return { text: Buffer.concat(chunks).toString(), codes: problems.kept.map(({ code }) => code) };
  }

  test.each<[string, () => Uint8Array, string, string[]]>([
    ['one frame', () => pack(plain), text, []],
    ['two frames', () => Buffer.concat(halves), text, []],
    [
      'frames to be skipped between them',
      () => Buffer.concat([skipped, halves[0]!, skipped, halves[1]!]),
      text,
      [],
    ],
    ['an empty frame', () => pack(Buffer.alloc(0)), '', []],
    ['nothing', () => Buffer.alloc(0), '', []],
    ['bytes behind it', () => Buffer.concat([pack(plain), Buffer.from('<!-- cached -->')]), text, []],
    ['not encoded at all', () => plain, text, ['wrong-content-encoding']],
  ])('%s, whole and in pieces', async (_what, bytes, expected, codes) => {
    const all = bytes();
    for (const size of [all.length || 1, 4096, halves[0]!.length, 97]) {
      const result = await decoded(all, size);
      expect(result.text === expected).toBe(true);
      expect(result.codes).toEqual(codes);
    }
  });

  test('truncated to half', async () => {
    const bytes = pack(plain);
    const result = await decoded(bytes.subarray(0, bytes.length >> 1), 1000);
    expect(text.startsWith(result.text)).toBe(true);
    expect(result.text.length).toBeGreaterThan(text.length / 4);
    expect(result.codes).toEqual(['encoding-damaged']);
  });

  test('corrupt in the middle', async () => {
    const bytes = Buffer.from(pack(plain));
    bytes.fill(0xff, bytes.length - 5000, bytes.length - 4000);
    const result = await decoded(bytes, 1000);
    expect(result.codes).toEqual(['encoding-damaged']);
  });

  test('a frame that needs a window above 8 MiB is refused, since each document would cost that memory', async () => {
    const parameter = Reflect.get(zlib.constants, 'ZSTD_c_windowLog');
    const long = compress!(Buffer.alloc(20_000_000), { params: { [parameter]: 27 } });
    const result = await decoded(long, 1000);
    expect(result.text.length).toBeLessThan(20_000_000);
    expect(result.codes).not.toEqual([]);
  });

  test('end to end', async () => {
    const server = await serving({ '/': { body: pack(plain), headers: { 'content-encoding': 'zstd' } } });
    const { text: got, end } = await readAll(await fetched(server, '/'));
    expect(got === text).toBe(true);
    expect(end.problems).toEqual([]);
  });
});
