/**
 * Sends archives of the earlier crawl (`--previous`) to the workers that crawl their sites. They are in pieces in one
 * hash of Redis, from shortly before a site is queued until a worker has crawled it.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, fileTrouble, makeFolder, removeAll, replaceFile } from '../runtime/files.ts';
import { entryAt } from '../runtime/inner-files.ts';
import { archiveOf } from './crawl-folder.ts';
import { type EarlierArchive, KEY_SECONDS, type RedisQueue } from './redis-queue.ts';

/** Sites are held back while more bytes than this wait in Redis. A single archive may be larger. */
const MOST_BYTES = 64 * 1024 * 1024;
const GROUP_BYTES = 16 * 1024 * 1024;
const GROUP_SITES = 100;
const PIECE_BYTES = 1024 * 1024;
const FULL_MS = 250;
const SIGNATURE_BYTES = 64;

/** Sites whose archives are in Redis, with how many bytes each has, or why its archive cannot be used. */
interface SentGroup {
  readonly sites: readonly string[];
  readonly earlier: ReadonlyMap<string, EarlierArchive>;
}

/** Sends the archives of sites, and yields the sites in groups that can be queued. */
export async function* sendEarlierArchives(
  queue: RedisQueue,
  folder: string,
  sites: Iterable<string>,
  signal: AbortSignal,
): AsyncGenerator<SentGroup, void, undefined> {
  const waiting = new Map<string, number>();
  let [group, earlier, bytes]: [string[], Map<string, EarlierArchive>, number] = [[], new Map(), 0];
  for (const site of sites) {
    const result = await sendArchive(queue, folder, archiveOf(site), signal);
    if (typeof result === 'number') {
      waiting.set(fieldOf(archiveOf(site), 0), result);
      bytes += result;
    }
    if (result !== undefined) earlier.set(site, result);
    group.push(site);
    if (bytes < GROUP_BYTES && group.length < GROUP_SITES) continue;
    yield { sites: group, earlier };
    [group, earlier, bytes] = [[], new Map(), 0];
    while (sumOf(waiting) >= MOST_BYTES) {
      const inRedis = new Set(await queue.ask((client, keyOf) => client.hkeys(keyOf('earlier')), signal));
      for (const field of waiting.keys()) if (!inRedis.has(field)) waiting.delete(field);
      if (sumOf(waiting) < MOST_BYTES) break;
      // Redis has lost jobs, so no worker fetches what is left.
      if (await queue.isEmpty(signal))
        await queue.ask((client, keyOf) => client.del(keyOf('earlier')), signal);
      else await delay(FULL_MS, undefined, { signal });
    }
  }
  if (group.length > 0) yield { sites: group, earlier };
}

function sumOf(sizes: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const size of sizes.values()) sum += size;
  return sum;
}

/** Returns how many bytes were sent, or why the archive cannot be used; undefined if the site has no archive. */
async function sendArchive(
  queue: RedisQueue,
  folder: string,
  archive: string,
  signal: AbortSignal,
): Promise<EarlierArchive | undefined> {
  const path = join(folder, archive);
  let bytes = 0;
  try {
    // The folder may come from a stranger: a link may lead to any file of this machine, and a pipe has no end.
    const entry = await entryAt(path);
    if (entry?.isFile() === false && !entry.isDirectory()) return 'it is not a file';
    for await (const data of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
      const signature = queue.signer.sign('archive', [archive, bytes], data);
      const value = Buffer.concat([Buffer.from(signature), data]);
      const field = fieldOf(archive, bytes);
      await queue.ask(async (client, keyOf) => {
        await client.hset(keyOf('earlier'), field, value);
        await client.expire(keyOf('earlier'), KEY_SECONDS);
      }, signal);
      bytes += data.length;
    }
  } catch (error) {
    // Errors of Redis and the signal are not about the file.
    if (!(error instanceof Error && 'errno' in error)) throw error;
    return errorCode(error) === 'ENOENT' ? undefined : fileTrouble(error);
  }
  return bytes === 0 ? 'it is empty' : bytes;
}

function fieldOf(archive: string, offset: number): string {
  return `${archive} ${offset}`;
}

/** Writes the archive of a site to where children look for it. Returns false if Redis no longer has all of it. */
export async function fetchEarlierArchive(
  queue: RedisQueue,
  site: string,
  bytes: number,
  folder: string,
): Promise<boolean> {
  const archive = archiveOf(site);
  const path = join(folder, archive);
  await makeFolder(dirname(path));
  // A child may be reading an earlier copy, if the queue has given the site out twice.
  const copy = `${path}.${randomUUID()}`;
  const isWhole = await writeFrom(queue, archive, bytes, copy);
  if (isWhole) await replaceFile(copy, path);
  else await removeAll(copy);
  return isWhole;
}

async function writeFrom(queue: RedisQueue, archive: string, bytes: number, path: string): Promise<boolean> {
  const file = await open(path, 'wx');
  try {
    for (let at = 0; at < bytes; ) {
      const field = fieldOf(archive, at);
      const value = await queue.ask((client, keyOf) => client.hgetBuffer(keyOf('earlier'), field));
      const data = value?.subarray(SIGNATURE_BYTES);
      if (value == null || data === undefined || data.length === 0) return false;
      const signature = value.toString('latin1', 0, SIGNATURE_BYTES);
      if (!queue.signer.isSigned(signature, 'archive', [archive, at], data)) return false;
      await file.appendFile(data);
      at += data.length;
    }
    return true;
  } finally {
    await file.close();
  }
}

/** Removes the archive of a crawled site from Redis. The local copy stays until the batch of the site is sent. */
export async function forgetEarlierArchive(queue: RedisQueue, site: string, bytes: number): Promise<void> {
  const fields: string[] = [];
  for (let at = 0; at < bytes; at += PIECE_BYTES) fields.push(fieldOf(archiveOf(site), at));
  if (fields.length > 0) await queue.ask((client, keyOf) => client.hdel(keyOf('earlier'), ...fields));
}

export async function removeEarlierArchive(site: string, folder: string): Promise<void> {
  await removeAll(join(folder, archiveOf(site)));
}
