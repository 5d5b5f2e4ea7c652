/** What a listing is written to: stdout, a file that appears when it is whole, or a device, a pipe, an open file. */

import { close, constants, fstatSync, open, write } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { promisify } from 'node:util';
import { safeText } from '../../problems/safe-text.ts';
import { type FoundFile, fileTrouble, ReplacedFile, writeTarget } from '../../runtime/files.ts';
import { type CliIO, hasColour } from '../io.ts';
import { Interrupted, OutputClosed, UsageError } from '../messages/endings.ts';

export interface Output {
  readonly isTerminal: boolean;
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>;
  finish(): Promise<void>;
  /** The command failed, or nothing was found: a file stays what it was before. Does nothing after `finish`. */
  discard(): Promise<void>;
}

/** The error of a write: a reader that has gone is not a failure. */
function writeError(name: string, cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const isClosed = ['EPIPE', 'ERR_STREAM_DESTROYED', 'EOF'].includes(code);
  return isClosed ? new OutputClosed() : unwritable(name, cause);
}

/** The error for a file that cannot be written. */
export function unwritable(name: string, cause: unknown): UsageError {
  const isFolderMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  const why = isFolderMissing ? 'there is no such folder' : fileTrouble(cause);
  return new UsageError(`${name} cannot be written: ${why}.`, { cause });
}

/** Waits for something that may never come, unless the user interrupts it: a reader that has stopped reading. */
async function interruptible<Result>(waited: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let onAbort = (): void => {};
  const interrupted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new Interrupted('interrupted while writing the output.'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  // Either may fail while the other one is not waited for any more.
  waited.catch(() => {});
  interrupted.catch(() => {});
  try {
    return await Promise.race([waited, interrupted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** A stream of the process. Writing waits for the reader; an interruption ends the wait. */
class StreamOutput implements Output {
  readonly isTerminal: boolean;
  readonly #stream: Writable;
  readonly #signal: AbortSignal;
  #bytes = Buffer.alloc(64 * 1024);

  constructor(stream: Writable, isTerminal: boolean, signal: AbortSignal) {
    this.#stream = stream;
    this.isTerminal = isTerminal;
    this.#signal = signal;
    // The callback of the write that failed gets the error too, and deals with it.
    stream.on('error', () => {});
  }

  async write(text: string): Promise<void> {
    if (text === '') return;
    // One buffer for all writes: a new one each time is garbage faster than it is collected. It is free again when the
    // write is done; after an interruption nothing more is written.
    if (text.length * 3 > this.#bytes.length) this.#bytes = Buffer.alloc(text.length * 3);
    const bytes = this.#bytes.subarray(0, this.#bytes.write(text));
    const written = new Promise<void>((resolve, reject) => {
      this.#stream.write(bytes, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(writeError('The output', error));
      });
    });
    await interruptible(written, this.#signal);
  }

  async finish(): Promise<void> {}

  async discard(): Promise<void> {}
}

class ReplacingOutput implements Output {
  readonly isTerminal = false;
  readonly #name: string;
  readonly #file: ReplacedFile;

  /** @param name - as the user gave it */
  constructor(name: string, file: ReplacedFile) {
    this.#name = name;
    this.#file = file;
  }

  async write(text: string): Promise<void> {
    await this.#file.write(text).catch((cause: unknown) => {
      throw unwritable(this.#name, cause);
    });
  }

  async finish(): Promise<void> {
    await this.#file.finish().catch((cause: unknown) => {
      throw unwritable(this.#name, cause);
    });
  }

  async discard(): Promise<void> {
    await this.#file.discard();
  }
}

const opened = promisify(open);
const closed = promisify(close);
const written = promisify(write);

/** How long to wait before the next attempt where a pipe is full or has no reader. */
const PIPE_MS = 20;

/** A call that waits inside the system cannot be interrupted, and would keep the process from ending. */
const WITHOUT_WAITING = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0);

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** A device, a named pipe or a descriptor that the process was started with: written to as it is. */
class DescriptorOutput implements Output {
  readonly isTerminal: boolean;
  readonly #name: string;
  readonly #fd: number;
  readonly #signal: AbortSignal;
  readonly #isOurs: boolean;

  private constructor(name: string, fd: number, isOurs: boolean, signal: AbortSignal) {
    this.#name = name;
    this.#fd = fd;
    this.#isOurs = isOurs;
    this.#signal = signal;
    this.isTerminal = isatty(fd);
  }

  /** A descriptor that is open, and stays open. */
  static of(name: string, fd: number, signal: AbortSignal): DescriptorOutput {
    return new DescriptorOutput(name, fd, false, signal);
  }

  /** A device or a named pipe; for a pipe, opening it waits for its reader. */
  static async open(path: string, name: string, signal: AbortSignal): Promise<DescriptorOutput> {
    for (;;) {
      try {
        return new DescriptorOutput(name, await opened(path, WITHOUT_WAITING), true, signal);
      } catch (cause) {
        if (!hasCode(cause, 'ENXIO')) throw cause;
        await interruptible(delay(PIPE_MS), signal);
      }
    }
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      this.#signal.throwIfAborted();
      try {
        const { bytesWritten } = await interruptible(
          written(this.#fd, bytes, at, bytes.length - at, null),
          this.#signal,
        );
        at += bytesWritten;
      } catch (cause) {
        if (this.#signal.aborted) throw cause;
        if (!hasCode(cause, 'EAGAIN')) throw writeError(this.#name, cause);
        await delay(PIPE_MS);
      }
    }
  }

  async finish(): Promise<void> {
    if (!this.#isOurs) return;
    await closed(this.#fd).catch((cause: unknown) => {
      throw writeError(this.#name, cause);
    });
  }

  // A write that was interrupted may still hold it; the system closes it when the process ends.
  async discard(): Promise<void> {}
}

/** @throws UsageError where the file cannot be written */
export async function openOutput(path: string | undefined, io: CliIO): Promise<Output> {
  if (path === undefined || path === '-') return streamOutput('stdout', io);
  try {
    const target = await writeTarget(path);
    if (target.type === 'special') return await DescriptorOutput.open(target.path, path, io.signal);
    if (target.type === 'descriptor') {
      const stream = streamOf(target.fd, io);
      return stream === undefined
        ? DescriptorOutput.of(path, target.fd, io.signal)
        : streamOutput(stream, io);
    }
    // To replace the file that stdout goes to would lose what others wrote there: `( echo x; usp … -o f ) >> f`.
    const stream = target.found === undefined ? undefined : streamTo(target.found, io);
    if (stream !== undefined) return streamOutput(stream, io);
    return new ReplacingOutput(path, await ReplacedFile.at(target));
  } catch (cause) {
    throw cause instanceof Interrupted ? cause : unwritable(path, cause);
  }
}

type StreamName = 'stdout' | 'stderr';

function streamOutput(stream: StreamName, io: CliIO): Output {
  return new StreamOutput(io[stream], io.isTerminal[stream], io.signal);
}

function streamOf(fd: number, { descriptors }: CliIO): StreamName | undefined {
  if (fd === descriptors?.stdout) return 'stdout';
  return fd === descriptors?.stderr ? 'stderr' : undefined;
}

function streamTo({ dev, ino }: FoundFile, { descriptors = {} }: CliIO): StreamName | undefined {
  return (['stdout', 'stderr'] as const).find((name) => {
    const fd = descriptors[name];
    if (fd === undefined) return false;
    try {
      const opened = fstatSync(fd);
      return opened.dev === dev && opened.ino === ino;
    } catch {
      return false;
    }
  });
}

/** Checks that a file could be written, and leaves nothing behind. @throws UsageError where it could not */
export async function checkWritable(path: string): Promise<void> {
  try {
    const file = await ReplacedFile.open(path);
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
    const real = await realPathOf(path);
    const found = await stat(real).catch(() => undefined);
    // A device may be written to twice.
    if (found !== undefined && !found.isFile()) continue;
    const other = options.get(real);
    if (other !== undefined) throw new UsageError(`${other} and ${option} name the same file, ${path}.`);
    options.set(real, option);
  }
}

async function realPathOf(path: string): Promise<string> {
  const inFolder = async (): Promise<string> => {
    const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)));
    return join(folder, basename(path));
  };
  return realpath(path).catch(inFolder);
}

/** What a listing writes: text, text that may have colours, whole lines of CSV, or JSON. */
type ListingKind = 'text' | 'painted' | 'csv' | 'json';

export function kindOf(format: string, { isRaw = false }: { readonly isRaw?: boolean } = {}): ListingKind {
  if (/json$|^sarif$/.test(format)) return 'json';
  if (/^(?:tree|changes|text)$/.test(format)) return 'painted';
  return format === 'csv' && !isRaw ? 'csv' : 'text';
}

/**
 * The last door of a listing: whatever a format writes, sitemaps are untrusted, and here is known what may be written
 * where. It also ends a listing that the user interrupts.
 */
export class ListingOutput {
  readonly hasColour: boolean;
  readonly isTerminal: boolean;
  readonly #output: Output;
  readonly #kind: ListingKind;
  readonly signal: AbortSignal;

  private constructor(output: Output, kind: ListingKind, io: CliIO, isStdout: boolean) {
    this.#output = output;
    this.#kind = kind;
    this.signal = io.signal;
    this.isTerminal = output.isTerminal;
    this.hasColour = (output.isTerminal || isStdout) && hasColour(io, 'stdout');
  }

  /** @throws UsageError where the output cannot be written */
  static async open(path: string | undefined, kind: ListingKind, io: CliIO): Promise<ListingOutput> {
    return new ListingOutput(await openOutput(path, io), kind, io, path === undefined || path === '-');
  }

  async write(text: string): Promise<void> {
    this.signal.throwIfAborted();
    await this.#output.write(this.#safe(text));
  }

  /** Writes what is left when the user interrupts. */
  async writeLast(text: string): Promise<void> {
    await this.#output.write(this.#safe(text)).catch(() => {});
  }

  #safe(text: string): string {
    if (this.#kind === 'json') return isPlain(text) ? text : safeText(text, 'json');
    const lines = this.#kind === 'csv' && text.includes('::') ? safeText(text, 'csv') : text;
    if (this.#kind === 'painted' && this.hasColour) return besideColours(lines);
    return this.isTerminal ? safeText(lines, 'terminal') : lines;
  }

  async finish(): Promise<void> {
    await this.#output.finish();
  }

  async discard(): Promise<void> {
    await this.#output.discard();
  }
}

/** Whether a text is ASCII without DEL, as nearly all are: this is many times faster than a look at each character. */
function isPlain(text: string): boolean {
  return Buffer.byteLength(text) === text.length && !text.includes('\x7f');
}

/** Text for a terminal with the colours of `painted`, which makes what it paints harmless by itself. */
function besideColours(text: string): string {
  return text
    .split(COLOURS)
    .map((piece, at) => (at % 2 === 1 ? piece : safeText(piece, 'terminal')))
    .join('');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of it.
const COLOURS = /(\x1b\[\d{1,2}m)/;
