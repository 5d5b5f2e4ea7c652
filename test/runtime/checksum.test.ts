/** The checksums of gzip and of zlib data are those that zlib writes, whole and in pieces. */
import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { adler32, crc32 } from '../../src/runtime/checksum.ts';
import { seededRandom } from '../support/every-cut.ts';

const random = seededRandom(32);
const DATA: readonly (readonly [string, Uint8Array])[] = [
  ['nothing', new Uint8Array(0)],
  ['one byte', Uint8Array.of(200)],
  ['the largest bytes, up to where sums are divided', new Uint8Array(3_800).fill(255)],
  ['one more', new Uint8Array(3_801).fill(255)],
  ['many of the largest bytes', new Uint8Array(300_000).fill(255)],
  ['other bytes', Uint8Array.from({ length: 50_000 }, () => Math.floor(random() * 256))],
  ['more than the length at which zlib is started', new Uint8Array(5 * 1024 * 1024).fill(7)],
];

test.each(DATA)('%s', (_, data) => {
  const adler = deflateSync(data).subarray(-4).readUInt32BE();
  const crc = gzipSync(data).subarray(-8).readUInt32LE();
  expect([adler32(data), crc32(data)]).toEqual([adler, crc]);
  const cuts = [0, Math.min(1, data.length), (data.length + 1) >> 1, data.length];
  const pieces = cuts.map((cut, at) => data.subarray(cut, cuts[at + 1]));
  const added = (sum: (piece: Uint8Array, before?: number) => number): number | undefined =>
    pieces.reduce<number | undefined>((before, piece) => sum(piece, before), undefined);
  expect([added(adler32), added(crc32)]).toEqual([adler, crc]);
});
