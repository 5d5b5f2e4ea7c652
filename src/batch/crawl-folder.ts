/**
 * The folder of a crawl: the names of its files, `crawl.json`, and the folders below `.tmp/` in which processes work.
 */
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
  /** Has the lock, and everything that is not published yet. */
  readonly temporary: string;
  /** Has the pieces of batches that have arrived from workers. */
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
 * Makes the folders of a crawl. The folder may come from a stranger, so no entry that is written later may be a link.
 *
 * @throws SitemapException if such an entry is a link or of another kind; errors of the file system
 */
export async function makeFolders(folder: CrawlFolder): Promise<void> {
  const { path, pages, temporary, handed, sites, description } = folder;
  const names = (paths: readonly string[]): readonly string[] => paths.map((inner) => relative(path, inner));
  const entries = { folders: names([pages, temporary, handed]), files: names([sites, description]) };
  await refuseOtherEntries(path, entries, unwritable);
  await makeFolder(pages);
  await makeFolder(handed);
}

/** Makes the folder of an archive, and returns the path of the archive. @throws as {@link makeFolders} */
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

type TemporaryFolder = Pick<CrawlFolder, 'temporary'>;

/**
 * The folder in which workers of this machine keep what they have not sent yet. Removes what dead workers left.
 *
 * @throws SitemapException with code `folder-unwritable`
 */
export async function workersFolder(): Promise<TemporaryFolder> {
  // With the number of the user: in a container, a user often has no name.
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

/**
 * The path of a site's archive in the folder of the crawl. Hashes spread the files, so that no folder holds a million.
 */
export function archiveOf(site: string): string {
  const hash = createHash('sha256').update(site).digest('hex');
  const { host } = new URL(site);
  const name = host.replaceAll(/[^\w.-]/g, '_').slice(0, 80);
  return `archives/${hash.slice(0, 2)}/${name}-${hash.slice(0, 16)}.warc.gz`;
}

/** The name of a part has the number of its batch, and the run of `usp crawl` that wrote it. */
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

/** `crawl.json` describes a crawl, so that the same command continues it and another command is refused. */
export interface CrawlDescription {
  /** Unique for each crawl; also the name of its queue. */
  readonly id: string;
  /** Signs everything that travels through Redis, if no secret is shared; then the announcement of the crawl has it. */
  readonly key: string;
  /** The version of this package that `usp crawl` had in its last run; workers have the same one. */
  readonly version: string;
  readonly format: TableFormat;
  /**
   * The options that shape the result, under the names of the command line, without defaults. An option that may hold a
   * secret (headers, proxy, certificates) has the value `true`.
   */
  readonly options: Readonly<Record<string, unknown>>;
  /** Also `running` after the crawl was killed: the same command continues it. */
  readonly state: 'running' | 'stopped' | 'done';
  readonly sites: number;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** How many sites are finished, by outcome, and their pages. */
  readonly finished: Readonly<Record<SiteOutcome, number>> & { readonly pages: number };
}

/** Reads crawl.json; undefined where there is none. @throws SitemapException if it is damaged, or of another version */
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
    throw new SitemapException(`${folder.description} is damaged, or usp crawl did not write it.`, {
      code: 'not-a-crawl',
    });
  const unknown = Object.keys(crawl).find((name) => !Object.hasOwn(FIELDS, name));
  if (unknown === undefined) return crawl;
  throw new SitemapException(
    `${folder.description} has "${unknown}", which this version of usp crawl does not know: another one wrote it. ` +
      'Continue with that version, or give -o another folder.',
    { code: 'not-a-crawl' },
  );
}

/** The text of a file. @throws an `Error` if the path is not a file: a pipe, for example, has no end */
async function plainText(path: string): Promise<string> {
  await checkPlainFile(path);
  return readFile(path, 'utf8');
}

/** @throws an `Error` if the path is neither a file nor a link to one; errors of the file system */
export async function checkPlainFile(path: string): Promise<void> {
  const stats = await stat(path);
  if (!stats.isFile() && !stats.isDirectory()) throw new Error('it is not a file');
}

const STATES = ['running', 'stopped', 'done'] as const satisfies readonly CrawlDescription['state'][];

export function isState(value: unknown): value is CrawlDescription['state'] {
  return STATES.some((state) => state === value);
}

/** The form of the ids of crawls and parcels. */
export const UUID: RegExp = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** What each field may be. */
const FIELDS: Readonly<Record<keyof CrawlDescription, (value: unknown) => boolean>> = {
  id: (value) => typeof value === 'string' && UUID.test(value),
  key: (value) => typeof value === 'string' && UUID.test(value),
  version: isText,
  format: (value) => TABLE_FORMATS.some((format) => format === value),
  options: (value) => isRecord(value) && Object.values(value).every(isFlagValue),
  state: isState,
  sites: isCount,
  startedAt: isText,
  updatedAt: isText,
  finished: (value) => isRecord(value) && [...OUTCOMES, 'pages'].every((name) => isCount(value[name])),
};

const OUTCOMES = ['complete', 'partial', 'none', 'failed'] as const satisfies readonly SiteOutcome[];

export function isOutcome(value: unknown): value is SiteOutcome {
  return OUTCOMES.some((outcome) => outcome === value);
}

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
 * A process of another machine that gave no sign of life for this time is considered dead. The time is long, since a
 * clock may jump by an hour, and what a dead process leaves costs only disk space.
 */
const SILENT_MS = 24 * 3_600_000;
const NAME = /^w-([\da-f-]+)-[\da-f]{8}$/;

/**
 * The path of a new folder of this process. Its name identifies the process, and its modification time is a sign of
 * life. So the folders of dead processes can be deleted, and those of living processes stay.
 */
function newOwnFolder({ temporary }: TemporaryFolder): string {
  return join(temporary, `w-${ownMark()}-${randomUUID().slice(0, 8)}`);
}

/**
 * Creates the folder that one process and its children write parts to. `remove` deletes everything that was not
 * published.
 */
export async function createWorkerFolder(
  folder: TemporaryFolder,
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
export async function removeAbandoned(folder: TemporaryFolder): Promise<void> {
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

/** The time by the clock of the file system: the clock of this machine may differ. */
async function fileSystemTime(folder: TemporaryFolder): Promise<number> {
  const path = join(folder.temporary, `.time-${randomUUID()}`);
  await writeFile(path, '');
  try {
    return (await stat(path)).mtimeMs;
  } finally {
    await rm(path, { force: true });
  }
}
