/**
 * The files that `-o` can name: one that is replaced, and what cannot be replaced, a device, a pipe or an open file.
 */
import { close, constants, open, write } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { promisify } from 'node:util';
import type { ReplacedFile } from '../../runtime/files.ts';
import { interruptible, type Output, unwritable, writeError } from './output.ts';

/** A file that appears when it is whole. */
export class ReplacingOutput implements Output {
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
export class DescriptorOutput implements Output {
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
