/**
 * Where the listing goes: stdout, or with `-o` a file that appears only when it is whole. Writing waits for the reader,
 * so a slow one slows the crawl and nothing piles up in memory.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { CliIO } from '../io.ts';
import { fileTrouble, OutputClosed, UsageError } from '../messages/failure.ts';

/** Where the listing goes. */
export interface Output {
  /** Whether a person looks at it, character by character. */
  readonly isTerminal: boolean;
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** All is written: a file takes its name. */
  finish(): Promise<void>;
  /** It failed, or nothing was found: a file stays what it was before. Does nothing after `finish`. */
  discard(): Promise<void>;
}

/** @throws UsageError where the file cannot be written: before anything is fetched */
export async function openOutput(path: string | undefined, io: CliIO): Promise<Output> {
  if (path === undefined || path === '-') return new StreamOutput(io.stdout, io.isTerminal.stdout);
  try {
    const target = await writeTarget(path);
    return target.isSpecial
      ? await DirectFile.open(path)
      : await ReplacingFile.open(target.path, target.mode);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/** Checks that a file could be written, and leaves nothing behind. @throws UsageError where it could not */
export async function checkWritable(path: string): Promise<void> {
  try {
    const target = await writeTarget(path);
    if (target.isSpecial) throw new Error('there is something else than a file by that name');
    const file = await ReplacingFile.open(target.path, target.mode);
    await file.discard();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/**
 * Checks that no two options write to one file, under whatever names.
 *
 * @param files - by option
 * @throws UsageError where two do: the later would replace the earlier
 */
export async function checkDistinct(files: Readonly<Record<string, string | undefined>>): Promise<void> {
  const options = new Map<string, string>();
  for (const [option, path] of Object.entries(files)) {
    if (path === undefined || path === '-') continue;
    const place = await placeOf(path);
    const found = await stat(place).catch(() => undefined);
    // A device takes everything from everybody.
    if (found !== undefined && !found.isFile()) continue;
    const other = options.get(place);
    if (other !== undefined) throw new UsageError(`${other} and ${option} name the same file, ${path}.`);
    options.set(place, option);
  }
}

/** Where a file is, or will be. */
async function placeOf(path: string): Promise<string> {
  const inFolder = async (): Promise<string> => {
    const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)));
    return join(folder, basename(path));
  };
  return realpath(path).catch(inFolder);
}

function unwritable(path: string, cause: unknown): UsageError {
  const isFolderMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  const why = isFolderMissing ? 'there is no such folder' : fileTrouble(cause);
  return new UsageError(`${path} cannot be written: ${why}.`, { cause });
}

interface WriteTarget {
  readonly path: string;
  readonly mode: number | undefined;
  /** A device or a pipe: there is nothing to replace. */
  readonly isSpecial: boolean;
}

// Links are followed: what they point to is replaced, and they stay.
async function writeTarget(path: string): Promise<WriteTarget> {
  const real = await realpath(path).catch(() => path);
  const found = await stat(real).catch(() => undefined);
  if (found?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
  const mode = found === undefined ? undefined : found.mode & 0o777;
  return { path: real, mode, isSpecial: found !== undefined && !found.isFile() };
}

/** stdout. */
class StreamOutput implements Output {
  readonly isTerminal: boolean;
  readonly #stream: Writable;
  #bytes = Buffer.alloc(64 * 1024);

  constructor(stream: Writable, isTerminal: boolean) {
    this.#stream = stream;
    this.isTerminal = isTerminal;
    // The callback of the write that failed hears of it too, and does what is to be done.
    stream.on('error', () => {});
  }

  async write(text: string): Promise<void> {
    if (text === '') return;
    // One buffer for all that is ever written: a new one each time is garbage faster than it is collected. It is free
    // again when the write is done, which is what we wait for.
    if (text.length * 3 > this.#bytes.length) this.#bytes = Buffer.alloc(text.length * 3);
    const bytes = this.#bytes.subarray(0, this.#bytes.write(text));
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(bytes, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(isClosed(error) ? new OutputClosed() : unwritable('The output', error));
      });
    });
  }

  async finish(): Promise<void> {}

  async discard(): Promise<void> {}
}

function isClosed(error: Error): boolean {
  return 'code' in error && ['EPIPE', 'ERR_STREAM_DESTROYED', 'EOF'].includes(String(error.code));
}

/** A file that is written beside its name and renamed in the end. */
class ReplacingFile implements Output {
  readonly isTerminal = false;
  readonly #path: string;
  readonly #temporary: string;
  readonly #file: FileHandle;
  #isOpen = true;

  private constructor(path: string, temporary: string, file: FileHandle) {
    this.#path = path;
    this.#temporary = temporary;
    this.#file = file;
  }

  static async open(path: string, mode: number | undefined): Promise<ReplacingFile> {
    const temporary = join(dirname(path), `.usp-${randomUUID()}.tmp`);
    const file = await open(temporary, 'wx', mode);
    return new ReplacingFile(path, temporary, file);
  }

  async write(text: string): Promise<void> {
    try {
      await this.#file.appendFile(text);
    } catch (cause) {
      throw unwritable(this.#path, cause);
    }
  }

  async finish(): Promise<void> {
    this.#isOpen = false;
    try {
      await this.#file.close();
      await rename(this.#temporary, this.#path);
    } catch (cause) {
      await rm(this.#temporary, { force: true });
      throw unwritable(this.#path, cause);
    }
  }

  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#file.close().catch(() => {});
    await rm(this.#temporary, { force: true });
  }
}

/** A device or a named pipe. */
class DirectFile implements Output {
  readonly isTerminal = false;
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<DirectFile> {
    return new DirectFile(await open(path, 'w'));
  }

  async write(text: string): Promise<void> {
    await this.#file.appendFile(text);
  }

  async finish(): Promise<void> {
    await this.#file.close();
  }

  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
  }
}
