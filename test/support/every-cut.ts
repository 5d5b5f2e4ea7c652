/**
 * A document means the same however it arrives. Sockets cut anywhere: inside a tag, an entity, a multi-byte
 * character, a CDATA end. So every fixture goes in whole, byte by byte and at random cuts, sync and async, and
 * what comes out must be equal down to the offsets of the problems.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  type ParseOptions,
  type ParseOutcome,
  parseSitemap,
  type SitemapItem,
} from '../../src/parse/index.ts';
import { sized } from './tier.ts';

/** All that one parse says, as plain data. */
export interface Reading {
  readonly kind: ParseOutcome['kind'];
  readonly reason: string | undefined;
  readonly truncated: boolean;
  readonly problems: ParseOutcome['problems'];
  readonly problemCount: number;
  /** Pages and sub-sitemaps in order, as JSON. */
  readonly items: readonly unknown[];
}

/** Above this, byte by byte is done once only: it costs a call per byte. */
const LARGE = 20_000;
const RANDOM_CUTS = sized({ fast: 2, full: 8 });
const RANDOM_CUTS_ASYNC = sized({ fast: 1, full: 2 });
/** How many bytes of a large document arrive at once where a small one arrives byte by byte. */
const STEP_OF_LARGE = sized({ fast: 61, full: 1 });

/** Parses in every way, holds all results to be equal, and returns the one result. */
export async function readEveryWay(bytes: Uint8Array, options: ParseOptions = {}): Promise<Reading> {
  const whole = readWhole(bytes, options);
  const same = (read: Reading, how: string) => expectSame(read, whole, how);

  same(read([bytes], options), 'as one chunk');
  same(read(cutAt(bytes, everyByte(bytes)), options), 'byte by byte');
  if (bytes.length <= LARGE)
    same(await readAsync(cutAt(bytes, everyByte(bytes)), options), 'byte by byte, async');
  same(await readAsync([bytes], options), 'async');
  same(await readStream([bytes], options), 'as a ReadableStream');

  // Not every text survives as a string: a declared charset speaks of bytes that a string no longer has.
  const text = plainText(bytes);
  if (text !== undefined && options.charset === undefined) same(readWhole(text, options), 'as a string');

  // fast-check shrinks to the one cut that matters, and prints the seed.
  fc.assert(
    fc.property(randomCuts(bytes), (cuts) =>
      same(read(cutAt(bytes, cuts), options), `cut at ${cuts.join(', ')}`),
    ),
    { numRuns: RANDOM_CUTS },
  );
  await fc.assert(
    fc.asyncProperty(randomCuts(bytes), async (cuts) =>
      same(await readAsync(cutAt(bytes, cuts), options), `async, cut at ${cuts.join(', ')}`),
    ),
    { numRuns: RANDOM_CUTS_ASYNC },
  );
  return whole;
}

/** One sync parse of a document given whole. */
export function readWhole(input: string | Uint8Array, options: ParseOptions = {}): Reading {
  return collect(parseSitemap(input, options));
}

/** One sync parse of a document given in chunks. */
export function read(chunks: Iterable<Uint8Array>, options: ParseOptions = {}): Reading {
  return collect(parseSitemap(chunks, options));
}

/** The pieces between cuts; equal cuts give an empty piece, which a reader must bear too. */
export function* cutAt(bytes: Uint8Array, cuts: Iterable<number>): Generator<Uint8Array> {
  let start = 0;
  for (const cut of cuts) {
    // A copy, so that a reader that looks past the end of its chunk finds nothing there.
    yield bytes.slice(start, cut);
    start = cut;
  }
  yield bytes.slice(start);
}

/** A small seeded generator of numbers from 0 up to, not including, 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function* everyByte(bytes: Uint8Array): Generator<number> {
  const step = bytes.length > LARGE ? STEP_OF_LARGE : 1;
  for (let cut = step; cut < bytes.length; cut += step) yield cut;
}

function randomCuts(bytes: Uint8Array): fc.Arbitrary<number[]> {
  return fc
    .array(fc.nat(bytes.length), { maxLength: 24, size: 'max' })
    .map((cuts) => cuts.sort((left, right) => left - right));
}

async function readAsync(chunks: Iterable<Uint8Array>, options: ParseOptions): Promise<Reading> {
  async function* arriving() {
    yield* chunks;
  }
  const parse = parseSitemap(arriving(), options);
  const items: SitemapItem[] = [];
  for await (const item of parse) items.push(item);
  return reading(parse, items);
}

async function readStream(chunks: Iterable<Uint8Array>, options: ParseOptions): Promise<Reading> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const parse = parseSitemap(stream, options);
  const items: SitemapItem[] = [];
  for await (const item of parse) items.push(item);
  return reading(parse, items);
}

function collect(parse: Iterable<SitemapItem> & ParseOutcome): Reading {
  return reading(parse, [...parse]);
}

function reading(outcome: ParseOutcome, items: readonly SitemapItem[]): Reading {
  return {
    kind: outcome.kind,
    reason: outcome.reason,
    truncated: outcome.truncated,
    problems: outcome.problems,
    problemCount: outcome.problemCount,
    items: JSON.parse(JSON.stringify(items.map((item) => (item.type === 'page' ? item.page : item.sitemap)))),
  };
}

function plainText(bytes: Uint8Array): string | undefined {
  if (bytes.some((byte) => byte === 0 || byte > 0x7e)) return undefined;
  const text = new TextDecoder().decode(bytes);
  return text.includes('encoding') ? undefined : text;
}

// vitest's own deep equality is slow on thousands of pages, and only needed to explain a difference.
function expectSame(actual: Reading, whole: Reading, how: string): void {
  if (!isDeepStrictEqual(actual, whole)) expect(actual, how).toStrictEqual(whole);
}
