/** What a command has of the process: passed in, so that a test does not need one. */
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { safeText } from '../problems/safe-text.ts';

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
}

/** What a command is given of it. */
export interface CommandIO extends CliIO {
  /** Calls this when the command has ended, however it ended: what was opened last is closed first. */
  onEnd(close: () => void | Promise<void>): void;
}

/** Whether what is written there may be coloured (https://no-color.org). */
export function hasColour({ env, isTerminal }: CliIO, stream: 'stdout' | 'stderr'): boolean {
  const { FORCE_COLOR = '', NO_COLOR = '', TERM } = env;
  // As in Node: what is forced counts, and 0 forces that there is none.
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTerminal[stream] && NO_COLOR === '' && TERM !== 'dumb';
}

export type Colour = 'red' | 'green' | 'blue' | 'cyan' | 'dim';

/** Text in a colour, whatever Node itself thinks of its own stdout; no colours of its own get through. */
export function painted(colour: Colour, text: string): string {
  return styleText(colour, safeText(text, 'terminal'), { validateStream: false });
}
