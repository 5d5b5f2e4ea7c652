/**
 * The parts of the process that a command uses, passed in, so that a test does not need a process; and messages. All
 * messages go to stderr, or to the log: stdout has only the listing.
 *
 * By default failures are printed as sentences. `-q` leaves only errors that end the command; `-v` adds details and the
 * log, `-vv` all of the log and stacks. With a log file the log goes there, all of it, and not to stderr.
 */
import { closeSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { ChildCrawler, ProcessSettings } from '../batch/child-process.ts';
import type { Logger } from '../index.ts';
import { errorCode, fileTrouble } from '../runtime/files.ts';
import { safeText } from '../text/safe-text.ts';
import type { ExitCode } from './endings.ts';
import type { Verbosity } from './program/flags.ts';

export interface CliIO {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly columns?: number };
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: { readonly stdout: boolean; readonly stderr: boolean; readonly stdin: boolean };
  /** The descriptors behind the streams, where there are any: a file that is open there is not replaced. */
  readonly descriptors?: { readonly stdout?: number; readonly stderr?: number };
  readonly signal: AbortSignal;
  readonly version: string;
  /** When the process was started, as `performance.now()` counts. @default when the command was */
  readonly startedAt?: number;
  /** Lets the process exit as soon as the command has ended, although a package has a timer that runs. */
  readonly exitAtEnd?: () => void;
  /** Starts what crawls sites for `usp crawl` and `usp worker`. @default a child process */
  readonly startCrawler?: ((settings: ProcessSettings) => ChildCrawler) | undefined;
}

export interface CommandIO extends CliIO {
  /** Calls this when the command has ended, however it ended: what was opened last is closed first. */
  onEnd(close: () => void | Promise<void>): void;
}

/** Whether what is written there may be coloured (https://no-color.org). */
export function hasColour({ env, isTerminal }: CliIO, stream: 'stdout' | 'stderr'): boolean {
  const { FORCE_COLOR = '', NO_COLOR = '', TERM } = env;
  // FORCE_COLOR wins; 0 and false turn colours off.
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTerminal[stream] && NO_COLOR === '' && TERM !== 'dumb';
}

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'dim' | 'bold';

/** Text in a colour, whatever Node itself thinks of its own stdout; no colours of its own get through. */
export function painted(colour: Colour, text: string): string {
  return styleText(colour, safeText(text, 'terminal'), { validateStream: false });
}

/** How long to wait before the next attempt where a pipe is full or has no reader. */
export const PIPE_MS = 20;

/** Bytes of the log that wait for a reader who has stopped reading. */
const MOST_UNLOGGED = 1024 * 1024;

type Level = keyof Logger;

const LEVELS: readonly Level[] = ['error', 'warn', 'info', 'debug'];

export class Reporter {
  readonly #io: CliIO;
  readonly isQuiet: boolean;
  readonly #verbose: number;
  readonly #hasColour: boolean;
  #logFile: number | undefined;
  /** What is not written to the log yet, since a pipe had no room for it. */
  #unlogged: Uint8Array = new Uint8Array();

  /** @param logFile - a descriptor, which this closes */
  constructor(io: CliIO, { quiet = false, verbose = 0 }: Verbosity = {}, logFile?: number) {
    this.#io = io;
    this.isQuiet = quiet;
    this.#verbose = quiet ? 0 : verbose;
    this.#hasColour = hasColour(io, 'stderr');
    this.#logFile = logFile;
  }

  get isVerbose(): boolean {
    return this.#verbose > 0;
  }

  get showsStacks(): boolean {
    return this.#verbose > 1;
  }

  /** Why the command ends; printed even with `--quiet`. */
  error(message: string, hint?: string): void {
    this.#write(`${this.#styled('red', 'usp:')} ${escapeLine(message)}`);
    if (hint !== undefined) this.hint(hint);
  }

  say(message: string): void {
    if (!this.isQuiet) this.#write(escapeLine(message));
  }

  hint(message: string): void {
    if (!this.isQuiet) this.#write(`${this.#styled('cyan', 'hint:')} ${escapeLine(message)}`);
  }

  /** A detail, printed with `-v`. */
  detail(message: string): void {
    if (this.isVerbose) this.#write(escapeLine(message));
  }

  stack(error: unknown): void {
    if (!this.showsStacks || !(error instanceof Error)) return;
    for (const line of (error.stack ?? '').split('\n')) this.#write(escapeLine(line));
    if (error.cause !== undefined) this.stack(error.cause);
  }

  get logger(): Logger {
    const at = (level: Level) => (message: string) => this.#log(level, message);
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }

  #log(level: Level, message: string): void {
    const name = level.padEnd(5);
    if (this.#logFile !== undefined) {
      this.#logToFile(`${new Date().toISOString()} ${name} ${withoutSecrets(escapeLine(message))}\n`);
    } else if (this.#verbose > 0 && LEVELS.indexOf(level) <= this.#verbose + 1) {
      this.#write(this.#styled('dim', `${name} ${escapeLine(message)}`));
    }
  }

  // Synchronous, so that the file is whole whatever ends the process. A full disk ends the log and not the crawl.
  #logToFile(line: string): void {
    this.#unlogged = Buffer.concat([this.#unlogged, Buffer.from(line)]);
    try {
      while (this.#logFile !== undefined && this.#unlogged.length > 0)
        this.#unlogged = this.#unlogged.subarray(writeSync(this.#logFile, this.#unlogged));
    } catch (cause) {
      if (errorCode(cause) === 'EAGAIN' && this.#unlogged.length < MOST_UNLOGGED) return;
      this.say(`The log file cannot be written any more: ${fileTrouble(cause)}.`);
      this.#closeLog();
    }
  }

  #closeLog(): void {
    const fd = this.#logFile;
    this.#logFile = undefined;
    if (fd === undefined) return;
    try {
      closeSync(fd);
    } catch {
      // Everything that could be written is written.
    }
  }

  /** Waits for the reader of the log, unless the user interrupts. */
  async close(): Promise<void> {
    for (this.#logToFile(''); this.#logFile !== undefined && this.#unlogged.length > 0; this.#logToFile('')) {
      if (this.#io.signal.aborted) break;
      await delay(PIPE_MS);
    }
    this.#closeLog();
  }

  #write(line: string): void {
    this.#io.stderr.write(`${safeText(withoutSecrets(line), 'text')}\n`);
  }

  #styled(style: Colour, text: string): string {
    return this.#hasColour ? painted(style, text) : text;
  }
}

// `user:password@` after `//` or before a bare host. `{0,200}` keeps it linear; `host:80/…@` is a path.
const SECRETS =
  /(\/\/)[^\s/?#]*@|(\/\/|^|[\s"'/])(?!mailto:)[^\s/"':[]*:(?!\d*[/?#])(?:(?!https?:)\S){0,200}@/g;

/** Every message passes here: a user and a password in a URL, or before a host, are removed. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(SECRETS, '$1$2…@');
}

/** A command: what it does with its argument and its options. Commander has made both, as program/ declares them. */
export type CommandRun<Argument, Options> = (
  argument: Argument,
  options: Options,
  io: CommandIO,
  reporter: Reporter,
) => Promise<ExitCode>;

/** What sitemaps say, in one line of a message. */
export function escapeLine(text: string): string {
  return safeText(text, 'terminal').replaceAll('\n', '\\n').replaceAll('\t', ' ');
}
