/**
 * Carries the finished batches of workers to `usp crawl` through Redis, since they share no folder.
 *
 * A batch travels as a *parcel*: its files in pieces, and then a last piece with the size of each file. The pieces of
 * all workers are entries of one stream. `usp crawl` writes a piece to its file below `.tmp/handed/<parcel>/`, at its
 * offset if all bytes before that have arrived, flushes it, and only then removes it from the stream. With the last
 * piece the batch is published. So any piece may arrive twice, or be lost, and any process may die: a parcel is
 * complete, or it is dropped; then its sites have no line, and are queued again.
 *
 * The stream has at most {@link MOST_PIECES} pieces, and a worker waits for room. So Redis needs little memory, however
 * large a part is and however many workers there are. Each piece is signed, since its data is written to files.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { unlessAborted } from '../runtime/abort.ts';
import { makeFolder, removeAll, replaceFile } from '../runtime/files.ts';
import { parsedUrl } from '../url.ts';
import { archiveOf, type CrawlFolder, makeFolderOfArchive, UUID } from './crawl-folder.ts';
import { type Batch, type FinishedSite, isFinishedSite, type Journal } from './journal.ts';
import type { Signer } from './queue-signature.ts';
import { KEY_SECONDS, type RedisQueue } from './redis-queue.ts';

const PIECE_BYTES = 256 * 1024;
/** Together at most 64 MiB. */
const MOST_PIECES = 256;
/** Between two looks at a stream that is full. */
const FULL_MS = 100;
const PIECES_AT_ONCE = 64;
/** A parcel without a new piece for this time is that of a dead worker. */
const ABANDONED_MS = 3_600_000;

/**
 * The file that a piece belongs to: `part`, `sites`, or the number of the site whose archive it is; `end` for the last
 * piece.
 */
const FILE_NAME = /^(?:part|sites|end|\d{1,4})$/;

interface Piece {
  readonly parcel: string;
  readonly file: string;
  readonly offset: number;
  readonly data: Buffer;
}

/** Adds a piece if there is room. Atomic. */
const ADD = `if redis.call('XLEN', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('XADD', KEYS[1], '*', 'p', ARGV[2], 'f', ARGV[3], 'o', ARGV[4], 's', ARGV[5], 'd', ARGV[6])
redis.call('EXPIRE', KEYS[1], ${KEY_SECONDS})
return 1`;

/**
 * Sends a batch to `usp crawl`, and removes its files.
 *
 * @param folder - where the archives of its sites are
 * @param signal - ends the wait for room
 * @throws errors of the file system or of Redis; then nothing is published
 */
export async function handOver(
  queue: RedisQueue,
  folder: string,
  { part, sites }: Batch,
  signal?: AbortSignal,
): Promise<void> {
  const parcel = randomUUID();
  const send = async (file: string, offset: number, data: Buffer): Promise<void> => {
    const signature = queue.signer.sign('piece', [parcel, file, offset], data);
    const values = [MOST_PIECES, parcel, file, offset, signature, data];
    while (
      (await queue.ask((client, keyOf) => client.eval(ADD, 1, keyOf('handed'), ...values), signal)) === 0
    )
      await unlessAborted(delay(FULL_MS), signal);
  };
  const paths = new Map<string, string>(part === undefined ? [] : [['part', part]]);
  for (const [at, { archive }] of sites.entries())
    if (archive !== undefined) paths.set(String(at), join(folder, archive));
  const sizes: Record<string, number> = {};
  const sendAll = async (file: string, chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> => {
    sizes[file] = 0;
    for await (const data of chunks) {
      await send(file, sizes[file], data);
      sizes[file] += data.length;
    }
  };
  for (const [file, path] of paths)
    await sendAll(file, createReadStream(path, { highWaterMark: PIECE_BYTES }));
  await sendAll('sites', piecesOf(Buffer.from(JSON.stringify(sites))));
  await send('end', 0, Buffer.from(JSON.stringify(sizes)));
  for (const path of paths.values()) await removeAll(path);
}

function* piecesOf(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += PIECE_BYTES) yield data.subarray(at, at + PIECE_BYTES);
}

/** Takes the pieces that workers have sent, and publishes complete batches. @returns whether there were pieces */
export async function takeBatches(
  queue: RedisQueue,
  folder: CrawlFolder,
  journal: Journal,
  warn: (message: string) => void,
): Promise<boolean> {
  const streams = await queue.ask((client, keyOf) =>
    client.xreadBuffer('COUNT', PIECES_AT_ONCE, 'STREAMS', keyOf('handed'), '0'),
  );
  const entries = streams?.[0]?.[1] ?? [];
  if (entries.length === 0) return false;
  const unflushed = new Set<string>();
  for (const [, fields] of entries) {
    const piece = pieceIn(fields ?? [], queue.signer);
    if (piece === undefined) {
      warn('the queue had a result that does not belong to this crawl, which was removed.');
      continue;
    }
    const place = join(folder.handed, piece.parcel);
    if (piece.file === 'end') {
      if (await isWhole(place, piece.data)) await publish(place, folder, journal, warn);
      await removeAll(place);
      continue;
    }
    await makeFolder(place);
    await writePiece(join(place, piece.file), piece);
    unflushed.add(join(place, piece.file));
  }
  for (const path of unflushed) await flush(path);
  const ids = entries.map(([id]) => id);
  await queue.ask((client, keyOf) => client.xdel(keyOf('handed'), ...ids));
  return true;
}

async function publish(
  place: string,
  folder: CrawlFolder,
  journal: Journal,
  warn: (message: string) => void,
): Promise<void> {
  const sites = sitesIn(await readFile(join(place, 'sites'), 'utf8'));
  if (sites === undefined) {
    warn('a worker sent a batch that this version cannot read, which was dropped.');
    return;
  }
  for (const [at, { site, archive }] of sites.entries()) {
    // A site that has a line already has its archive, too.
    if (archive === undefined || journal.has(site)) continue;
    const path = await makeFolderOfArchive(folder.path, archive);
    await flush(join(place, String(at)));
    await replaceFile(join(place, String(at)), path);
  }
  const part = join(place, 'part');
  const isThere = (await stat(part).catch(() => undefined)) !== undefined;
  if (isThere) await flush(part);
  await journal.publish({ part: isThere ? part : undefined, sites });
}

/** The sites of a batch; undefined if the text is not a list of sites. The path of an archive follows from its site. */
function sitesIn(text: string): readonly FinishedSite[] | undefined {
  try {
    const sites: unknown = JSON.parse(text);
    if (!Array.isArray(sites) || !sites.every(isFinishedSite)) return undefined;
    if (!sites.every(({ site }) => parsedUrl(site)?.href === site)) return undefined;
    return sites.map((each) =>
      each.archive === undefined ? each : { ...each, archive: archiveOf(each.site) },
    );
  } catch {
    return undefined;
  }
}

/** Removes what dead workers left. @param isOver - all sites are finished, so every parcel is removed */
export async function removeParcels({ handed }: CrawlFolder, isOver: boolean): Promise<void> {
  for (const name of await readdir(handed)) {
    const path = join(handed, name);
    const files = (await readdir(path).catch(() => [])).map((file) => join(path, file));
    const times = await Promise.all([path, ...files].map(async (each) => (await stat(each)).mtimeMs)).catch(
      () => [0],
    );
    if (isOver || Date.now() - Math.max(...times) > ABANDONED_MS) await removeAll(path);
  }
}

function pieceIn(fields: readonly Buffer[], signer: Signer): Piece | undefined {
  const values = new Map<string, Buffer>();
  for (let at = 0; at + 1 < fields.length; at += 2)
    values.set(String(fields[at]), fields[at + 1] ?? Buffer.alloc(0));
  const text = (name: string): string => String(values.get(name) ?? '');
  const [parcel, file, offset, data] = [
    text('p'),
    text('f'),
    Number(text('o')),
    values.get('d') ?? Buffer.alloc(0),
  ];
  const isOurs = signer.isSigned(text('s'), 'piece', [parcel, file, offset], data);
  const hasPlace = UUID.test(parcel) && FILE_NAME.test(file) && Number.isSafeInteger(offset) && offset >= 0;
  return isOurs && hasPlace ? { parcel, file, offset, data } : undefined;
}

/**
 * Writes a piece at its offset. A piece that arrives again is written again: the first write may have ended in the
 * middle. A piece that follows a lost one is ignored, so the file stays too short.
 */
async function writePiece(path: string, { offset, data }: Piece): Promise<void> {
  const file = await open(path, 'r+').catch(() => open(path, 'w'));
  try {
    const { size } = await file.stat();
    if (offset > size) return;
    for (let at = 0; at < data.length; )
      at += (await file.write(data, at, data.length - at, offset + at)).bytesWritten;
  } finally {
    await file.close();
  }
}

async function isWhole(place: string, end: Buffer): Promise<boolean> {
  const sizes = sizesIn(end);
  if (!sizes.has('sites')) return false;
  for (const [file, bytes] of sizes) {
    const stats = await stat(join(place, file)).catch(() => undefined);
    if (stats === undefined || stats.size !== bytes) return false;
  }
  return true;
}

/** The sizes of a parcel's files; none where the text does not say them. */
function sizesIn(end: Buffer): ReadonlyMap<string, unknown> {
  try {
    return new Map(Object.entries(JSON.parse(end.toString())));
  } catch {
    return new Map();
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+').catch(() => undefined);
  await file?.sync().finally(() => file.close());
}
