/** Files that are written: where a path leads, how one is replaced or owned, and what the system says of failures. */
import { randomUUID } from 'node:crypto';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  utimes,
} from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, type PlatformPath, parse, resolve, sep } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { getSystemErrorMap } from 'node:util';
import { fateOf, fateOfMark, ownMark, type ProcessIdentity, parseIdentity } from './process-identity.ts';

/** What the system calls an error: `ENOENT`; empty where the error is not one of the system. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** What the system calls an error, and its words for it. Errors of zlib have numbers too, which mean something else. */
export function systemError(error: unknown): readonly [code: string, words: string] | undefined {
  const systemEntry =
    error instanceof Error && 'errno' in error ? getSystemErrorMap().get(Number(error.errno)) : undefined;
  return systemEntry?.[0] === errorCode(error) ? systemEntry : undefined;
}

/**
 * Why a file could not be read or written: `no such file or directory` instead of `ENOENT: …, open '…'`, which may even
 * name a file that the caller does not know.
 *
 * @param path - as it was given; a relative one that is not found is named with its folder
 */
export function fileTrouble(error: unknown, path?: string): string {
  const [code, words] = systemError(error) ?? [];
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  const place = path === undefined ? undefined : resolve(path);
  const isElsewhere = code === 'ENOENT' && place !== undefined && place !== path;
  return `${FILE_TROUBLES.get(code) ?? words}${isElsewhere ? `; it was looked for at ${place}` : ''}`;
}

const FILE_TROUBLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    EISDIR: 'it is a folder',
    ENOSPC: 'no space is left on the device',
    ENOTDIR: 'a part of its path is not a folder',
    EPERM: 'not permitted',
    EROFS: 'the file system is read-only',
  }),
);

/** What a path leads to, for something that is written. */
type WriteTarget =
  /** A file that is open already: `/dev/stdout`, `/dev/fd/3`. */
  | { readonly type: 'descriptor'; readonly fd: number }
  /** A device or a pipe: it can be written to, but not replaced. */
  | { readonly type: 'special'; readonly path: string }
  /** A file, or no file yet. */
  | { readonly type: 'file'; readonly path: string; readonly file: FileFacts | undefined };

export interface FileFacts {
  readonly mode: number;
  /** Device and inode: two paths with the same pair are one file. Those of NTFS do not fit into a number. */
  readonly dev: bigint;
  readonly ino: bigint;
}

/** The most symbolic links that one path may lead through, as on Linux. */
const MAX_LINKS = 40;

/**
 * Where a path leads. Symbolic links are followed, so that their target is replaced and they stay. One that another
 * user made in a folder that everyone may write to is refused, as Linux does when a file is opened: it was put there
 * to have a file of yours replaced.
 *
 * @throws what the file system says; an `Error` for such a link, or a folder
 */
export async function writeTarget(path: string): Promise<WriteTarget> {
  let at = startOf(path);
  let rest = segmentsOf(path);
  let links = 0;
  let link: string | undefined;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    // `at` has no link in it, so its parent is what `..` means.
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const fd = rest.length === 0 ? descriptorOf(next) : undefined;
    if (fd !== undefined) return { type: 'descriptor', fd };
    const stats = await lstat(next).catch(() => undefined);
    if (stats?.isSymbolicLink() === true) {
      if (rest.length === 0) link ??= next;
      if (++links > MAX_LINKS) throw new Error('too many symbolic links');
      await checkLink(stats.uid, at);
      const leadsTo = await readlink(next);
      if (isAbsolute(leadsTo)) at = parse(leadsTo).root;
      rest = [...segmentsOf(leadsTo), ...rest];
      continue;
    }
    at = next;
  }
  const target = await stat(at, { bigint: true }).catch(() => undefined);
  // A link to nowhere is replaced itself.
  if (target === undefined) return { type: 'file', path: link ?? at, file: undefined };
  if (target.isDirectory()) throw new Error('it is a folder');
  if (!target.isFile()) return { type: 'special', path: at };
  return { type: 'file', path: at, file: { mode: Number(target.mode), dev: target.dev, ino: target.ino } };
}

/** The folder that a path is followed from. On Windows each drive has one, and `C:a.xml` is in that of `C:`. */
export function startOf(
  path: string,
  on: Pick<PlatformPath, 'parse' | 'resolve'> = { parse, resolve },
): string {
  return on.resolve(on.parse(path).root);
}

/** Where a path leads that is to be a file. @throws as {@link writeTarget}; an `Error` where there is something else */
export async function fileTarget(path: string): Promise<WriteTarget & { readonly type: 'file' }> {
  const target = await writeTarget(path);
  if (target.type === 'file') return target;
  throw new Error('there is something else than a file by that name');
}

function segmentsOf(path: string): string[] {
  const relative = path.slice(parse(path).root.length);
  return relative.split(sep === '\\' ? /[\\/]/ : sep).filter((part) => part !== '' && part !== '.');
}

function descriptorOf(path: string): number | undefined {
  // The path has no link in it: `self` and `thread-self` are numbers here.
  const [, pid, number] = /^(?:\/dev|\/proc\/(\d+)(?:\/task\/\d+)?)\/fd\/(\d+)$/.exec(path) ?? [];
  const isOurs = pid === undefined || Number(pid) === process.pid;
  return number !== undefined && isOurs ? Number(number) : undefined;
}

const STICKY_AND_WRITABLE = 0o1002;

async function checkLink(owner: number, folder: string): Promise<void> {
  const { mode, uid } = await stat(folder);
  const isShared = (mode & STICKY_AND_WRITABLE) === STICKY_AND_WRITABLE;
  if (!isShared || owner === uid || owner === process.geteuid?.()) return;
  throw new Error(
    'a symbolic link on the way belongs to another user, in a folder that everyone may write to',
  );
}

/** The path of a temporary file in the same folder. Its name says which process writes it. */
export function temporaryBeside(path: string, ending = 'tmp'): string {
  return join(dirname(path), `.usp-${ownMark()}-${randomUUID().slice(0, 8)}.${ending}`);
}

const TEMPORARY = /^\.usp-(.+?)-[\da-f]{8}\.(?:tmp|old-(.+))$/;

export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * Brings a folder into order where processes of this host and user were killed: removes their temporary files, and
 * gives a file that was moved aside its name back, unless another one has it. What a living process writes stays, and
 * so does what may be another host's, another container's or another user's.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const [, mark, movedFrom] = TEMPORARY.exec(name) ?? [];
    if (mark === undefined) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    const isOwn = stats?.isFile() === true && stats.uid === (process.geteuid?.() ?? stats.uid);
    if (!isOwn || fateOfMark(mark, stats.mtimeMs) !== 'dead') continue;
    const place = movedFrom === undefined ? undefined : join(folder, movedFrom);
    const isNeeded = place !== undefined && (await lstat(place).catch(() => undefined)) === undefined;
    await (isNeeded ? rename(path, place) : removeAll(path)).catch(() => {});
  }
}

/**
 * A file that is written beside its name and takes the name in the end. Whatever happens, the path then holds the whole
 * new file or what it held before.
 */
export class ReplacedFile {
  readonly #path: string;
  readonly #temporary: string;
  readonly #file: FileHandle;

  private constructor(path: string, temporary: string, file: FileHandle) {
    this.#path = path;
    this.#temporary = temporary;
    this.#file = file;
  }

  /** @throws what the file system says, or an `Error` where something else than a file has that name */
  static async open(path: string): Promise<ReplacedFile> {
    return ReplacedFile.at(await fileTarget(path));
  }

  /** Replaces a file by one with this content. */
  static async write(path: string, content: string): Promise<void> {
    const file = await ReplacedFile.open(path);
    try {
      await file.write(content);
      await file.finish();
    } finally {
      await file.discard();
    }
  }

  /** Opens a target that {@link open} would look for. */
  static async at(target: WriteTarget & { readonly type: 'file' }): Promise<ReplacedFile> {
    await removeLeftovers(dirname(target.path));
    const temporary = temporaryBeside(target.path);
    const mode = target.file === undefined ? undefined : target.file.mode & 0o777;
    const file = await open(temporary, 'wx', mode);
    const replaced = new ReplacedFile(target.path, temporary, file);
    try {
      // The mode of a new file is what the umask leaves of it.
      if (mode !== undefined) await file.chmod(mode);
    } catch (error) {
      await replaced.discard();
      throw error;
    }
    return replaced;
  }

  /** Writes after all that was written before. */
  async write(data: string | Uint8Array): Promise<void> {
    await this.#file.appendFile(data);
  }

  /** All is written: the file takes its name. */
  async finish(): Promise<void> {
    try {
      // Or a crash of the machine could leave the new name with no content.
      await this.#file.sync();
      await this.#file.close();
      await replaceFile(this.#temporary, this.#path);
    } finally {
      await this.discard();
    }
    await flushFolder(dirname(this.#path));
  }

  /** Removes what was written. Does nothing after {@link finish}. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    await rm(this.#temporary, { force: true }).catch(() => {});
  }
}

/**
 * Gives a file the name of another one, or a new name. Windows does not let an open file be replaced, and an archive is
 * open as long as the tree that was loaded from it; but it lets it be renamed. So the old file is moved aside first. A
 * kill in between is repaired by {@link removeLeftovers}.
 */
export async function replaceFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (process.platform !== 'win32' || errorCode(error) === 'ENOENT') throw error;
    const aside = temporaryBeside(to, `old-${basename(to)}`);
    const isMoved = await patiently(() => rename(to, aside)).then(
      () => true,
      (failure: unknown) => {
        if (errorCode(failure) === 'ENOENT') return false;
        throw failure;
      },
    );
    try {
      await patiently(() => rename(from, to));
    } catch (failure) {
      if (isMoved) await rename(aside, to);
      throw failure;
    }
    if (isMoved) await removeAll(aside).catch(() => {});
  }
}

const ATTEMPTS = 5;
const AGAIN_MS = 50;

/** Tries again for a while: on Windows a virus scanner may have a file open. */
async function patiently(act: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (attempt === ATTEMPTS || !['EPERM', 'EACCES', 'EBUSY'].includes(errorCode(error))) throw error;
      await delay(attempt * AGAIN_MS);
    }
  }
}

/**
 * Removes a file, or a folder with all that is in it, if it is there. A process that was killed a moment ago may still
 * make a file in it, and on Windows what a virus scanner has open cannot be removed: so it is tried for a while.
 */
export function removeAll(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Makes a folder with those above it, and gives those that were not there, from the outermost. Node's own `recursive`
 * never ends where the system finds nothing in a folder that is there, as Linux does below `/proc`.
 *
 * @throws what the file system says
 */
export async function makeFolder(path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = resolve(path); (await isThere(at)) === false; at = dirname(at)) {
    missing.unshift(at);
    if (dirname(at) === at) break;
  }
  const newFolders: string[] = [];
  for (const folder of missing) {
    try {
      await mkdir(folder);
      newFolders.push(folder);
    } catch (error) {
      // Another process may have made it in the meantime.
      if (!(await isFolder(folder))) throw error;
    }
  }
  // What is there may be something else.
  if (missing.length === 0 && !(await isFolder(path))) await mkdir(path);
  return newFolders;
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/** Makes a new name survive a crash of the machine; not every system can, and the file is whole without it. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close().catch(() => {});
}

/**
 * What a file says about the process that owns something: a lock, a folder. The file appears with all its content, so
 * that no other process sees half of it, and only one of those that create it at once succeeds.
 */
export interface Owner {
  readonly text: string;
  /** Undefined where the text does not name a process. */
  readonly identity: ProcessIdentity | undefined;
  /** What has become of that process; `elsewhere` where nothing is known of it here. */
  readonly fate: ReturnType<typeof fateOf>;
  /** When the file was written, in milliseconds since the epoch: its last sign of life. */
  readonly changedAt: number;
}

/** The owner of a file; undefined where there is no file. @throws what the file system says */
export async function ownerOf(path: string): Promise<Owner | undefined> {
  try {
    const stats = await stat(path);
    // A pipe has no end, and a folder may come from others.
    const text = stats.isFIFO() ? '' : await readFile(path, 'utf8');
    const { mtimeMs: changedAt } = await stat(path);
    const identity = parseIdentity(text);
    return {
      text,
      identity,
      changedAt,
      fate: identity === undefined ? 'elsewhere' : fateOf(identity, changedAt),
    };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Creates the file with its content at once; false where there is one. @throws what the file system says */
export async function createOwned(path: string, text: string): Promise<boolean> {
  const temporary = temporaryBeside(path);
  try {
    await writeNew(temporary, text);
    await link(temporary, path).catch((error: unknown) => {
      if (!NO_LINKS.has(errorCode(error))) throw error;
      // Some file systems have no links: there, the file may be seen empty for a moment, or be left empty by a crash.
      return writeNew(path, text);
    });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Shows signs of life of the owner of a file, until the returned function is called. */
export function showLife(path: string, everyMs: number): () => void {
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** `EISDIR` is what exFAT on Windows says. */
const NO_LINKS: ReadonlySet<string> = new Set([
  ...['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EISDIR'],
]);

async function writeNew(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
