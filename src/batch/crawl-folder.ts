/** The folder of a crawl: its names, `crawl.json`, and the folders below `.tmp/` that its processes work in. */
import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { SitemapException, type SiteOutcome } from '../index.ts';
import { errorCode, fileTrouble, makeFolder, removeAll, showLife, systemError } from '../runtime/files.ts';
import { isInnerName, refuseOtherEntries } from '../runtime/inner-files.ts';
import { fateOfMark, ownMark } from '../runtime/process-identity.ts';
import { TABLE_EXTENSIONS, TABLE_FORMATS, type TableFormat } from './output/table-file.ts';

export interface CrawlFolder {
  readonly path: string;
  /** One line for each finished site. */
  readonly sites: string;
  readonly description: string;
  readonly pages: string;
  /** The lock, and what is not published. */
  readonly temporary: string;
  /** What has arrived of the batches of workers. */
  readonly handed: string;
}

export function folderOfCrawl(path: string): CrawlFolder {
  return {
    path,
    sites: join(path, 'sites.ndjson'),
    description: join(path, 'crawl.json'),
    pages: join(path, 'pages'),
    temporary: join(path, '.tmp'),
    handed: join(path, '.tmp', 'handed'),
  };
}

/**
 * Makes the folders of a crawl. The folder may come from others, so nothing in it that is written later is a link.
 *
 * @throws SitemapException where a link or something else has such a name; what the file system says
 */
export async function makeFolders(folder: CrawlFolder): Promise<void> {
  const { path, pages, temporary, handed, sites, description } = folder;
  const names = (paths: readonly string[]): readonly string[] => paths.map((inner) => relative(path, inner));
  const entries = { folders: names([pages, temporary, handed]), files: names([sites, description]) };
  await refuseOtherEntries(path, entries, unwritable);
  await makeFolder(pages);
  await makeFolder(handed);
}

/** Makes the folder of an archive, and gives the path of the archive. @throws as {@link makeFolders} */
export async function makeFolderOfArchive(path: string, archive: string): Promise<string> {
  const folder = dirname(archive);
  const entries = { folders: [dirname(folder), folder], files: [archive] };
  await refuseOtherEntries(path, entries, unwritable);
  await makeFolder(join(path, folder));
  return join(path, archive);
}

function unwritable(message: string): SitemapException {
  return new SitemapException(message, { code: 'folder-unwritable' });
}

type Temporary = Pick<CrawlFolder, 'temporary'>;

/**
 * Where the workers of this machine have what is not sent yet. What dead ones left is removed.
 *
 * @throws SitemapException with code `folder-unwritable`
 */
export async function workersFolder(): Promise<Temporary> {
  // By its number: a user of a container often has no name.
  const temporary = join(tmpdir(), `usp-workers-${process.getuid?.() ?? 0}`);
  const unusable = (why: string): SitemapException =>
    new SitemapException(`${temporary} ${why}. Set TMPDIR to a folder of your own.`, {
      code: 'folder-unwritable',
    });
  try {
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    const { uid } = await lstat(temporary);
    if (process.getuid !== undefined && uid !== process.getuid()) throw unusable('belongs to another user');
    await removeAbandoned({ temporary });
    return { temporary };
  } catch (error) {
    throw systemError(error) === undefined ? error : unusable(`cannot be written: ${fileTrouble(error)}`);
  }
}

/** The archive of a site, relative to the folder: by its hash, so that no folder holds a million files. */
export function archiveOf(site: string): string {
  const hash = createHash('sha256').update(site).digest('hex');
  const { host } = new URL(site);
  const name = host.replaceAll(/[^\w.-]/g, '_').slice(0, 80);
  return `archives/${hash.slice(0, 2)}/${name}-${hash.slice(0, 16)}.warc.gz`;
}

/** The name of a part: by the number of its batch, and the run of `usp crawl` that wrote it. */
export function partName(number: number, run: string, format: TableFormat): string {
  return `part-${String(number).padStart(8, '0')}.${run}${TABLE_EXTENSIONS[format]}`;
}

const PART_FORM = /^pages\/part-\d{8,15}\.[\da-f]{8}(\.[a-z.]+)$/;

/** Whether a value of a journal is the name of a part, as we write it, relative to the folder. */
export function isPart(name: unknown): name is string {
  if (!isInnerName(name, PART_FORM)) return false;
  const [, extension] = PART_FORM.exec(name) ?? [];
  return Object.values(TABLE_EXTENSIONS).some((each) => each === extension);
}

export function partNumber(name: string): number | undefined {
  const [, digits] = /^part-(\d+)\./.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * `crawl.json`: what a crawl is, so that the same command goes on, another one is refused, and workers know what to do.
 */
export interface CrawlDescription {
  /** Another one for each crawl: the name of its queue. */
  readonly id: string;
  /** Signs what travels through Redis, where no secret is shared: it is in the announcement of the crawl. */
  readonly key: string;
  /** The version of this package that `usp crawl` had in its last run; workers have the same one. */
  readonly version: string;
  readonly format: TableFormat;
  /**
   * The options that shape the result, as the command line names them, without defaults. Of those that may hold secrets
   * (headers, proxy, certificates) it says only that they were given: `true`.
   */
  readonly options: Readonly<Record<string, unknown>>;
  /** `running` also where the crawl was killed: the same command goes on. */
  readonly state: 'running' | 'stopped' | 'done';
  readonly sites: number;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** How many sites are finished, by outcome, and their pages. */
  readonly finished: Readonly<Record<SiteOutcome, number>> & { readonly pages: number };
}

/** Reads crawl.json; undefined where there is none. @throws SitemapException where it is something else */
export async function readDescription(folder: CrawlFolder): Promise<CrawlDescription | undefined> {
  const text = await plainText(folder.description).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new SitemapException(
      `${folder.path} cannot be read as the folder of a crawl: ${fileTrouble(error)}.`,
      {
        code: 'not-a-crawl',
        cause: error,
      },
    );
  });
  if (text === undefined) return undefined;
  const crawl = parsedDescription(text);
  if (crawl === undefined)
    throw new SitemapException(`${folder.description} is not what usp crawl wrote.`, { code: 'not-a-crawl' });
  const unknown = Object.keys(crawl).find((name) => !Object.hasOwn(FIELDS, name));
  if (unknown === undefined) return crawl;
  throw new SitemapException(
    `${folder.description} has "${unknown}": another version of usp crawl left its work here, which this one cannot ` +
      'continue. Go on with that version, or give -o another folder.',
    { code: 'not-a-crawl' },
  );
}

/** The text of a file. @throws an `Error` for something else: a pipe, for example, has no end */
async function plainText(path: string): Promise<string> {
  await checkPlainFile(path);
  return readFile(path, 'utf8');
}

/** @throws an `Error` for something else than a file, or a link to one; what the file system says */
export async function checkPlainFile(path: string): Promise<void> {
  const stats = await stat(path);
  if (!stats.isFile() && !stats.isDirectory()) throw new Error('it is not a file');
}

const STATES: readonly unknown[] = ['running', 'stopped', 'done'] satisfies CrawlDescription['state'][];
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** What each field may be. */
const FIELDS: Readonly<Record<keyof CrawlDescription, (value: unknown) => boolean>> = {
  id: (value) => typeof value === 'string' && UUID.test(value),
  key: (value) => typeof value === 'string' && UUID.test(value),
  version: isText,
  format: (value) => TABLE_FORMATS.some((format) => format === value),
  options: (value) => isRecord(value) && Object.values(value).every(isFlagValue),
  state: (value) => STATES.includes(value),
  sites: isCount,
  startedAt: isText,
  updatedAt: isText,
  finished: (value) => isRecord(value) && [...OUTCOMES, 'pages'].every((name) => isCount(value[name])),
};

const OUTCOMES = ['complete', 'partial', 'none', 'failed'] as const satisfies readonly SiteOutcome[];

export function isOutcome(value: unknown): value is SiteOutcome {
  return OUTCOMES.some((outcome) => outcome === value);
}

/** A number of things, as files of a crawl have it. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A flag has a value, or several if it is repeatable. */
function isFlagValue(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isScalar) : isScalar(value);
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function parsedDescription(text: string): CrawlDescription | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isWhole =
      isRecord(value) && Object.entries(FIELDS).every(([name, isValue]) => isValue(value[name]));
    return isWhole ? (value as unknown as CrawlDescription) : undefined;
  } catch {
    return undefined;
  }
}

const SIGN_EVERY_MS = 60_000;
/**
 * Without a sign of life for this time, a process of another machine is taken for dead. A clock that jumps by an hour
 * must not make a living one look dead, and what a dead one left is only disk space.
 */
const SILENT_MS = 24 * 3_600_000;
const NAME = /^w-([\da-f-]+)-[\da-f]{8}$/;

/**
 * The path of a new folder of this process. Its name says whose it is, and its time is a sign of life, so that what a
 * dead process left can be deleted, and what a living one writes is not.
 */
function newOwnFolder({ temporary }: Temporary): string {
  return join(temporary, `w-${ownMark()}-${randomUUID().slice(0, 8)}`);
}

/** Creates the folder that one process and its children write parts to. `remove` removes all that was not published. */
export async function createWorkerFolder(
  folder: Temporary,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = newOwnFolder(folder);
  await mkdir(path);
  const stop = showLife(path, SIGN_EVERY_MS);
  return {
    path,
    remove: async () => {
      stop();
      await removeAll(path);
    },
  };
}

/** Removes the folders of dead processes. */
export async function removeAbandoned(folder: Temporary): Promise<void> {
  const names = (await readdir(folder.temporary)).filter((name) => NAME.test(name));
  if (names.length === 0) return;
  const now = await fileSystemTime(folder);
  for (const name of names) {
    const path = join(folder.temporary, name);
    const changedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? now;
    const isDead = fateOfMark(NAME.exec(name)?.[1] ?? '', changedAt) === 'dead';
    if (isDead || now - changedAt > SILENT_MS) await removeAll(path);
  }
}

/** What the clock of the file system says: that of another machine may be wrong. */
async function fileSystemTime(folder: Temporary): Promise<number> {
  const path = join(folder.temporary, `.time-${randomUUID()}`);
  await writeFile(path, '');
  try {
    return (await stat(path)).mtimeMs;
  } finally {
    await rm(path, { force: true });
  }
}
