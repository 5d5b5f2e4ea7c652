/** What a listing is written to: stdout, a file that appears when it is whole, or a device, a pipe, an open file. */
import { close, constants, fstatSync, open, write } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { Socket } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { promisify } from 'node:util';
import { unlessAborted } from '../../runtime/abort.ts';
import { WITHOUT_WAITING } from '../../runtime/file-input.ts';
import { errorCode, type FileFacts, fileTrouble, ReplacedFile, writeTarget } from '../../runtime/files.ts';
import { FairShare } from '../../runtime/time.ts';
import type { CsvSeparator } from '../../text/csv-lines.ts';
import { safeText } from '../../text/safe-text.ts';
import { Interrupted, OutputClosed, Unwritable, UsageError } from '../endings.ts';
import { type CliIO, type Colour, type CommandIO, hasColour, PIPE_MS, painted } from '../io.ts';
import { READ_FILES, WRITTEN_FILES } from '../program/command-flags.ts';
import type { CsvStyle } from '../render/item-format.ts';

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
  const isClosed = ['EPIPE', 'ERR_STREAM_DESTROYED', 'EOF'].includes(errorCode(cause));
  return isClosed ? new OutputClosed() : unwritable(name, cause);
}

export function unwritable(name: string, cause: unknown): Unwritable {
  const why = errorCode(cause) === 'ENOENT' ? 'there is no such folder' : fileTrouble(cause);
  return new Unwritable(`${name} cannot be written: ${why}.`, { cause });
}

/** Waits for a reader, which may have stopped reading, unless the user interrupts. */
function interruptible<Result>(waited: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return unlessAborted(waited, signal, () => new Interrupted('interrupted while writing the output.'));
}

type StreamName = 'stdout' | 'stderr';

/** A stream. Writing waits for the reader; an interruption ends the wait. */
function streamOutput(stream: Writable, isTerminal: boolean, { signal }: CliIO): Output {
  // The callback of the write that failed gets the error too, and deals with it.
  stream.on('error', () => {});
  // One buffer for all writes: a new one each time is garbage faster than it is collected. It is free again when the
  // write is done; after an interruption nothing more is written.
  let buffer = Buffer.alloc(64 * 1024);
  return {
    isTerminal,
    async write(text) {
      if (text === '') return;
      if (text.length * 3 > buffer.length) buffer = Buffer.alloc(text.length * 3);
      const bytes = buffer.subarray(0, buffer.write(text));
      const writing = new Promise<void>((resolve, reject) => {
        stream.write(bytes, (error) => {
          if (error === null || error === undefined) resolve();
          else reject(writeError('The output', error));
        });
      });
      await interruptible(writing, signal);
    },
    async finish() {},
    async discard() {},
  };
}

/** A file that is replaced in the end. @param name - as the user gave it */
function fileOutput(name: string, file: ReplacedFile): Output {
  const fail = (cause: unknown): never => {
    throw unwritable(name, cause);
  };
  return {
    isTerminal: false,
    write: (text) => file.write(text).catch(fail),
    finish: () => file.finish().catch(fail),
    discard: () => file.discard(),
  };
}

const openDescriptor = promisify(open);
const closed = promisify(close);
const writeDescriptor = promisify(write);

/** Opens a device, a named pipe or, with more flags, a file; for a pipe, this waits for its reader. */
async function openToWrite(path: string, signal: AbortSignal, flags = 0): Promise<number> {
  for (;;) {
    try {
      return await openDescriptor(path, constants.O_WRONLY | WITHOUT_WAITING | flags);
    } catch (cause) {
      if (errorCode(cause) !== 'ENXIO') throw cause;
      await interruptible(delay(PIPE_MS), signal);
    }
  }
}

/**
 * A device, a named pipe or a descriptor that the process was started with: written to as it is.
 *
 * @param isOurs - whether it was opened here, and is closed in the end
 */
function descriptorOutput(name: string, fd: number, isOurs: boolean, signal: AbortSignal): Output {
  return {
    isTerminal: isatty(fd),
    async write(text) {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) {
        signal.throwIfAborted();
        try {
          const { bytesWritten } = await interruptible(
            writeDescriptor(fd, bytes, at, bytes.length - at, null),
            signal,
          );
          at += bytesWritten;
        } catch (cause) {
          if (signal.aborted) throw cause;
          if (errorCode(cause) !== 'EAGAIN') throw writeError(name, cause);
          await delay(PIPE_MS);
        }
      }
    },
    async finish() {
      if (!isOurs) return;
      await closed(fd).catch((cause: unknown) => {
        throw writeError(name, cause);
      });
    },
    // A write that was interrupted may still hold it; the system closes it when the process ends.
    async discard() {},
  };
}

/** @throws UsageError where the file cannot be written */
export async function openOutput(path: string | undefined, io: CliIO): Promise<Output> {
  const ofProcess = (name: StreamName): Output => streamOutput(io[name], io.isTerminal[name], io);
  if (path === undefined || path === '-') return ofProcess('stdout');
  const { signal } = io;
  try {
    const target = await writeTarget(path);
    if (target.type === 'special')
      return descriptorOutput(path, await openToWrite(target.path, signal), true, signal);
    if (target.type === 'descriptor') {
      const { fd } = target;
      const stream = streamOf(fd, io);
      if (stream !== undefined) return ofProcess(stream);
      // A write that waits inside the system would keep the process from ending.
      const stats = fstatSync(fd);
      const isPipe = stats.isFIFO() || stats.isSocket();
      return isPipe
        ? streamOutput(new Socket({ fd, readable: false, writable: true }), false, io)
        : descriptorOutput(path, fd, false, signal);
    }
    // To replace the file that stdout goes to would lose what others wrote there: `( echo x; usp … -o f ) >> f`.
    const stream = target.file === undefined ? undefined : streamTo(target.file, io);
    if (stream !== undefined) return ofProcess(stream);
    return fileOutput(path, await ReplacedFile.at(target));
  } catch (cause) {
    throw cause instanceof Interrupted ? cause : unwritable(path, cause);
  }
}

function streamOf(fd: number, { descriptors }: CliIO): StreamName | undefined {
  if (fd === descriptors?.stdout) return 'stdout';
  return fd === descriptors?.stderr ? 'stderr' : undefined;
}

function streamTo({ dev, ino }: FileFacts, { descriptors = {} }: CliIO): StreamName | undefined {
  return (['stdout', 'stderr'] as const).find((name) => {
    const fd = descriptors[name];
    if (fd === undefined) return false;
    try {
      const stats = fstatSync(fd, { bigint: true });
      return stats.dev === dev && stats.ino === ino;
    } catch {
      return false;
    }
  });
}

/** Opens a file that a log is appended to. @throws UsageError where it cannot be written */
export async function openLog(path: string, signal: AbortSignal): Promise<number> {
  try {
    return await openToWrite(path, signal, constants.O_APPEND | constants.O_CREAT);
  } catch (cause) {
    if (cause instanceof Interrupted) throw cause;
    throw new UsageError(`The log file ${path} cannot be written: ${fileTrouble(cause)}.`, { cause });
  }
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
 * Checks that a command writes to no file that it reads, and that two options do not write to the same file, under any
 * names.
 *
 * @param argument - of the command: files are texts
 * @throws UsageError, since a later write would replace the file
 */
export async function checkDistinct(
  argument: unknown,
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  const names = new Map<string, string>();
  for (const path of [argument].flat()) names.set(await realPathOf(path), 'the input');
  for (const { flag, attribute } of READ_FILES)
    for (const path of [options[attribute]].flat()) names.set(await realPathOf(path), flag);
  // Several commands have a flag of the same name.
  const flags = new Map(WRITTEN_FILES.map((flag) => [flag.attribute, flag]));
  const outputs = [...flags.values()].flatMap(({ flag, flags: forms, attribute }) =>
    [options[attribute]].flat().map((value) => ({
      name: /^-\w/.exec(forms)?.[0] ?? flag,
      path: attribute === 'also' ? fileOf(value) : value,
    })),
  );
  for (const { name, path } of outputs) {
    const real = await realPathOf(path);
    const other = names.get(real);
    names.set(real, name);
    if (typeof path !== 'string' || real === '' || other === undefined) continue;
    // Known findings may be written anew; a device, or what stdout and stderr go to, may be written to twice.
    if (other === '--baseline' && name === '--write-baseline') continue;
    const target = await writeTarget(path).catch(() => undefined);
    if (target?.type === 'file') throw new UsageError(`${other} and ${name} name the same file, ${path}.`);
  }
}

/** The file of `--also sarif=findings.sarif`. */
function fileOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(value.indexOf('=') + 1) : undefined;
}

/** Empty for what names no file. */
async function realPathOf(path: unknown): Promise<string> {
  if (typeof path !== 'string' || path === '-') return '';
  try {
    return await realpath(path);
  } catch {
    const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)));
    // Of what is not there yet, two names that differ in case only are one file on these systems.
    const isFolded = ['win32', 'darwin'].includes(process.platform);
    return join(folder, isFolded ? basename(path).toLowerCase() : basename(path));
  }
}

export interface OutputOptions {
  readonly format: string;
  readonly output?: string | undefined;
  readonly csvRaw?: boolean | undefined;
  readonly separator?: CsvSeparator | undefined;
  readonly bom?: boolean | undefined;
}

/** @param formats - all that the command writes. @throws UsageError for flags of CSV without CSV */
export function checkCsvFlags(
  { separator, bom }: Pick<OutputOptions, 'separator' | 'bom'>,
  formats: readonly string[],
): void {
  if (formats.includes('csv') || (separator === undefined && bom === undefined)) return;
  throw new UsageError(`${bom === true ? '--bom' : '--separator'} is for CSV.`, { hint: '-f csv' });
}

/** What a listing writes: lines for people, which may have colours, or something that a program reads. */
type ListingKind =
  | 'text'
  | 'painted'
  | 'urls'
  | `csv${CsvSeparator}`
  | 'raw'
  | 'xml'
  | 'json'
  | 'annotations';

function kindOf({ format, csvRaw = false, separator = ',' }: OutputOptions): ListingKind {
  if (/json$|^sarif$/.test(format)) return 'json';
  if (/^(?:tree|changes|text)$/.test(format)) return 'painted';
  if (/^(?:pages|tabtree)$/.test(format)) return 'urls';
  if (format === 'csv') return csvRaw ? 'raw' : `csv${separator}`;
  if (format === 'sitemap') return 'xml';
  return format === 'github' ? 'annotations' : 'text';
}

const AT_ONCE = 16 * 1024;

/**
 * Every listing passes here: only here is it known whether it goes to a terminal, so text of sitemaps is escaped here.
 * It also ends a listing that the user interrupts.
 */
export class ListingOutput {
  readonly #hasColour: boolean;
  readonly isTerminal: boolean;
  readonly csv: CsvStyle;
  readonly signal: AbortSignal;
  readonly #output: Output;
  readonly #kind: ListingKind;
  readonly #share = new FairShare();
  #waiting = '';

  private constructor(output: Output, options: OutputOptions, io: CliIO) {
    const isStdout = options.output === undefined || options.output === '-';
    this.#output = output;
    this.#kind = kindOf(options);
    this.signal = io.signal;
    this.isTerminal = output.isTerminal;
    const { csvRaw: isRaw, separator, bom } = options;
    this.csv = { isRaw, separator, hasBom: bom === true && !output.isTerminal };
    this.#hasColour = (output.isTerminal || isStdout) && hasColour(io, 'stdout');
  }

  /** @throws UsageError where the output cannot be written */
  static async open(options: OutputOptions, io: CommandIO): Promise<ListingOutput> {
    const output = await openOutput(options.output, io);
    io.onEnd(() => output.discard());
    return new ListingOutput(output, options, io);
  }

  readonly paint = (colour: Colour, text: string): string =>
    this.#hasColour && text !== '' ? painted(colour, text) : text;

  /** Writes a text behind those that wait, at once. */
  async write(text: string): Promise<void> {
    // A file and a pipe take what is written at once: without turns, no signal would arrive.
    if (this.#share.isUsedUp) await this.#share.turn();
    this.signal.throwIfAborted();
    await this.#output.write(this.#pass(text));
  }

  /** Writes a text with those that follow, once there is enough. */
  async add(text: string): Promise<void> {
    this.#waiting += text;
    if (this.#waiting.length >= AT_ONCE) await this.write('');
  }

  /** Writes what is left when the user interrupts. A file stays what it was. */
  async interrupt(text = ''): Promise<void> {
    await this.#output.write(this.#pass(text)).catch(() => {});
  }

  #pass(text: string): string {
    const all = this.#waiting + text;
    this.#waiting = '';
    return this.#safe(all);
  }

  #safe(text: string): string {
    const kind = this.#kind;
    if (kind === 'json') return isPlain(text) ? text : safeText(text, 'json');
    // Annotations are commands of the CI runner, and their texts are escaped already.
    if (kind === 'annotations') return text;
    if (kind === 'painted' && this.#hasColour) return besideColours(text);
    const lines = kind === 'raw' ? text : safeText(text, kind === 'painted' ? 'text' : kind);
    return this.isTerminal ? safeText(lines, 'terminal') : lines;
  }

  /** All is written. Without it, a file is discarded when the command has ended. */
  async finish(): Promise<void> {
    await this.write('');
    await this.#output.finish();
  }
}

/** Whether a text is harmless ASCII, as nearly all are: this is many times faster than a look at each character. */
function isPlain(text: string): boolean {
  return Buffer.byteLength(text) === text.length && !text.includes('\x7f') && !text.includes('##[');
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
