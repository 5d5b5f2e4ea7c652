/** What a listing is written to. */
import { fileTrouble } from '../../runtime/files.ts';
import { Interrupted, OutputClosed, UsageError } from '../messages/failure.ts';

/** Where the listing goes. */
export interface Output {
  /** Whether it is shown on a terminal. */
  readonly isTerminal: boolean;
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** All is written: a file takes its name. */
  finish(): Promise<void>;
  /** The command failed, or nothing was found: a file stays what it was before. Does nothing after `finish`. */
  discard(): Promise<void>;
}

/** The error of a write: a reader that has gone is not a failure. */
export function writeError(name: string, cause: unknown): Error {
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
export async function interruptible<Result>(waited: Promise<Result>, signal: AbortSignal): Promise<Result> {
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
