/**
 * The directory of a set of sitemaps: its manifest, what is still to be done there, and whom it belongs to. What the
 * directory and the manifest hold may come from others, so no path leads out of it, by its name or by a link.
 */
import { readdir, readFile, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseDate } from '../parse/values/date.ts';
import { SitemapException } from '../problems/errors.ts';
import {
  errorCode,
  fileTrouble,
  flushFolder,
  isTemporaryName,
  makeFolder,
  ReplacedFile,
  removeAll,
  replaceFile,
} from '../runtime/files.ts';
import { entryAt, isInnerName, refuseOtherEntries, removeFile } from '../runtime/inner-files.ts';
import { type OwnedLock, takeLock } from '../runtime/owned-lock.ts';
import { foldersOf } from './layout.ts';

const MANIFEST = '.usp-sitemaps.json';
const LOCK = '.usp-sitemaps.lock';
/** The folder of new files, until they take their names. */
export const NEW_FILES = '.usp-sitemaps-new';
/** A process on another machine or in another container that gave no sign of life for this time is considered dead. */
const LEASE_MS = 10_000;

/** The date of each file in its index, as it was last written: also of files that are not in the set any more. */
type FileDates = Readonly<Record<string, string>>;

export interface Manifest {
  readonly files: readonly string[];
  readonly dates?: FileDates | undefined;
  /** The steps that are left, once all new files are complete. */
  readonly pending?:
    | {
        /** The date of a file, which it keeps when it is renamed, tells it from the one that it replaces. */
        readonly renames: readonly (readonly [from: string, to: string, time: number])[];
        readonly files: readonly string[];
        readonly dates?: FileDates | undefined;
      }
    | undefined;
}

/** Removes those of the folders that are empty, which come behind the ones that they are in. */
export async function removeFolders(paths: readonly string[]): Promise<void> {
  for (const path of paths.toReversed()) await rmdir(path).catch(() => {});
}

export async function readManifest(directory: string): Promise<Manifest> {
  const path = join(directory, MANIFEST);
  await refuseOtherEntries(directory, { folders: [], files: [MANIFEST] }, unwritable);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '{"files":[]}';
    throw error;
  });
  try {
    const manifest: unknown = JSON.parse(text);
    if (isManifest(manifest)) return manifest;
  } catch {
    // Reported below.
  }
  throw new SitemapException(`${path} is damaged. Remove it, and the sitemaps beside it.`, {
    code: 'bad-manifest',
  });
}

function isManifest(value: unknown): value is Manifest {
  const { files, pending, dates } = Object(value);
  if (!isNames(files) || !isDates(dates)) return false;
  if (pending === undefined) return true;
  const { renames, files: next, dates: nextDates } = Object(pending);
  if (!isNames(next) || !isDates(nextDates) || !Array.isArray(renames)) return false;
  const names = new Set(next);
  return renames.every((rename) => {
    const [from, to, time] = Array.isArray(rename) ? rename : [];
    return typeof from === 'string' && /^\d+$/.test(from) && names.has(to) && typeof time === 'number';
  });
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => isInnerName(name));
}

function isDates(value: unknown): value is FileDates | undefined {
  if (value === undefined) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((date) => typeof date === 'string' && parseDate(date) < LATEST);
}

/** A date behind it leaves no room for a later one, as other content needs. */
const LATEST = Date.UTC(9999, 0);

export async function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  await ReplacedFile.write(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Does what the manifest says is to be done. What is done is not done again, so a kill can be anywhere in it. Where new
 * files are lost, the old ones stay.
 */
export async function completed(directory: string, manifest: Manifest): Promise<Manifest> {
  const { files: old, pending } = manifest;
  await refuseOddPlaces(directory, old);
  if (pending === undefined) return manifest;
  const { renames, files, dates } = pending;
  const folder = join(directory, NEW_FILES);
  await refuseOddPlaces(directory, [...files, `${NEW_FILES}/1`]);
  for (const name of new Set(files.flatMap(foldersOf))) await makeFolder(join(directory, name));
  const unfinished: (typeof renames)[number][] = [];
  const done: string[] = [];
  for (const rename of renames) {
    const [from, to, time] = rename;
    if ((await entryAt(join(folder, from))) !== undefined) unfinished.push(rename);
    else if ((await entryAt(join(directory, to)))?.mtimeMs === time) done.push(to);
  }
  const isWhole = unfinished.length + done.length === renames.length;
  const keptNames = new Set(isWhole ? files : [...old, ...done]);
  if (isWhole) {
    for (const [from, to] of unfinished) {
      const target = join(directory, to);
      await namingPath(target, replaceFile(join(folder, from), target));
    }
    for (const place of new Set(renames.map(([, to]) => dirname(to))))
      await flushFolder(join(directory, place));
  }
  for (const name of old) if (!keptNames.has(name)) await removeOfSet(directory, name);
  const now = { files: [...keptNames], dates: isWhole ? dates : manifest.dates };
  await writeManifest(directory, now);
  await removeAll(folder);
  return now;
}

async function removeOfSet(directory: string, name: string): Promise<void> {
  const path = join(directory, name);
  await namingPath(path, removeFile(path));
  await removeFolders(foldersOf(name).map((folder) => join(directory, folder)));
}

/** Says which file it was that keeps a set from being completed. */
async function namingPath(path: string, work: Promise<void>): Promise<void> {
  await work.catch((cause: unknown) => {
    throw new SitemapException(
      `${path} could not be replaced or removed: ${fileTrouble(cause)}. Fix that and write again: the next run first ` +
        'completes this set.',
      { code: 'unwritable', cause },
    );
  });
}

/** @throws SitemapException where a folder of some names is a link, which may lead anywhere, or a file */
export function refuseOddPlaces(directory: string, names: readonly string[]): Promise<void> {
  return refuseOtherEntries(directory, { folders: names.flatMap(foldersOf) }, unwritable);
}

function unwritable(message: string): SitemapException {
  return new SitemapException(message, { code: 'unwritable' });
}

/** @throws SitemapException where another call is writing a set there, in this process or another one */
export async function lockDirectory(directory: string): Promise<OwnedLock> {
  const path = join(directory, LOCK);
  const result = await takeLock(path, { leaseMs: LEASE_MS });
  if ('lock' in result) return result.lock;
  const { pid } = result.holder?.identity ?? {};
  const who = pid === undefined ? 'Another process' : pid === process.pid ? 'Another call' : `Process ${pid}`;
  throw new SitemapException(
    `${who} is writing sitemaps to ${directory}. If nothing does so, remove ${path}.`,
    { code: 'directory-in-use' },
  );
}

/** What is in the directory while a set is written, or was left by a process that was killed. */
function isOurs(name: string): boolean {
  return [MANIFEST, LOCK, `${LOCK}.taking`, NEW_FILES].includes(name) || isTemporaryName(name);
}

/** @throws SitemapException where there is a file that is not of the set */
export async function refuseForeign(directory: string, files: ReadonlySet<string>): Promise<void> {
  const folders = new Set([...files].flatMap(foldersOf));
  // HFS+ gives names in another form of Unicode than they were written in.
  const ownNames = new Set([...files, ...folders].map((name) => name.normalize()));
  for (const folder of ['', ...folders]) {
    for (const entry of await readdir(join(directory, folder), { withFileTypes: true }).catch(() => [])) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (ownNames.has(name.normalize()) || isOurs(name)) continue;
      throw new SitemapException(
        `${directory} has other files than sitemaps of an earlier run, such as ${name}. Choose an empty directory, ` +
          'or write there all the same (force): those files stay as they are.',
        { code: 'directory-not-empty', option: 'force' },
      );
    }
  }
}
