/**
 * The content codings that the default client asks for, undone as the body arrives.
 *
 * Servers get this header wrong in every way: gzip declared and plain text sent, `deflate` as zlib (the
 * standard) or raw (half of the web), codings that nobody asked for. The bytes decide; a claim that they
 * contradict is a problem and costs nothing.
 *
 * @packageDocumentation
 */
import { createBrotliDecompress, createInflateRaw } from 'node:zlib';
import type { ProblemList } from '../../problems/problem-list.ts';
import { withinBudget } from './byte-budget.ts';
import { ByteReader } from './byte-reader.ts';
import { GZIP_MAGIC_BYTES, gunzip, isGzip, isZlibError } from './gunzip.ts';
import { INFLATE_CHUNK, ZlibPump } from './zlib-pump.ts';

type Chunks = AsyncIterable<Uint8Array>;

/** What the default client says that it can undo. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/** More codings than this on one body are no server's honest mistake. */
const MOST_CODINGS = 4;

export interface ContentLimits {
  /** Bytes of each stage of decoding. */
  readonly maxBytes: number;
}

/** Undoes the codings of a `Content-Encoding` header, the last one first. */
export function decodeContent(
  body: Chunks,
  header: string | null,
  { maxBytes }: ContentLimits,
  problems: ProblemList,
): Chunks {
  const codings = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  let chunks = body;
  for (const coding of codings.reverse().slice(0, MOST_CODINGS)) {
    const decode = DECODERS.get(coding);
    if (decode === undefined) {
      problems.add('unknown-content-encoding', `The content encoding "${coding}" is unknown; read as it is.`);
      break;
    }
    chunks = withinBudget(decode(chunks, problems), maxBytes, problems);
  }
  return chunks;
}

type Decoder = (chunks: Chunks, problems: ProblemList) => AsyncGenerator<Uint8Array, void, undefined>;

const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', ungzipped],
  ['x-gzip', ungzipped],
  ['deflate', undeflated],
  ['br', unbrotlied],
]);

async function* ungzipped(
  chunks: Chunks,
  problems: ProblemList,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = new ByteReader(chunks);
  const start = await reader.peek(GZIP_MAGIC_BYTES);
  if (isGzip(start)) return yield* gunzip(reader.remaining(), problems);
  if (start.length > 0) {
    problems.add(
      'wrong-content-encoding',
      'The content encoding gzip was declared, but the body is not gzip.',
    );
  }
  yield* reader.remaining();
}

async function* undeflated(
  chunks: Chunks,
  problems: ProblemList,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = new ByteReader(chunks);
  const [first = 0, second = 0] = await reader.peek(2);
  // RFC 1950: deflate as the method, a window of at most 32 kB, and a check that is a multiple of 31. Its
  // trailing checksum is left unread: an error about it would cost the chunk before it.
  const isZlib = (first & 0x8f) === 8 && ((first << 8) | second) % 31 === 0;
  if (isZlib) await reader.skip(2);
  const pump = new ZlibPump(createInflateRaw({ chunkSize: INFLATE_CHUNK }));
  yield* pumped(reader, pump, 'deflate', problems);
}

async function* unbrotlied(
  chunks: Chunks,
  problems: ProblemList,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pump = new ZlibPump(createBrotliDecompress({ chunkSize: INFLATE_CHUNK }));
  yield* pumped(new ByteReader(chunks), pump, 'br', problems);
}

async function* pumped(
  reader: ByteReader,
  pump: ZlibPump,
  coding: string,
  problems: ProblemList,
): AsyncGenerator<Uint8Array, void, undefined> {
  let produced = 0;
  let first: Uint8Array | undefined;
  try {
    for (let chunk = await reader.chunk(); chunk !== undefined; chunk = await reader.chunk()) {
      const isFirst = first === undefined;
      first ??= chunk;
      try {
        for await (const output of pump.feed(chunk)) {
          produced += output.length;
          yield output;
        }
      } catch (error) {
        if (!isZlibError(error)) throw error;
        if (!isFirst || produced > 0) {
          problems.add(
            'encoding-damaged',
            `The ${coding} content encoding is corrupt after ${produced} bytes.`,
          );
          return;
        }
        problems.add(
          'wrong-content-encoding',
          `The content encoding ${coding} was declared, but the body is not.`,
        );
        yield first;
        return yield* reader.remaining();
      }
      if (pump.ended) return;
    }
    if (first !== undefined && !(await pump.isComplete())) {
      problems.add('encoding-damaged', `The ${coding} content encoding ends too early.`);
    }
  } finally {
    pump.close();
    await reader.cancel();
  }
}
