/** What `run` needs of a process, without one: everything that is written is collected. */
import { Writable } from 'node:stream';
import type { CliIO } from '../../src/cli/io.ts';
import { run } from '../../src/cli/run.ts';
import { isFull } from './tier.ts';
import { waitingFor } from './waits.ts';

export interface Told {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of stdout. */
  readonly lines: readonly string[];
}

export interface WorldOptions {
  readonly stdin?: string | Uint8Array;
  /** stdin in pieces, instead. */
  readonly chunks?: AsyncIterable<Uint8Array>;
  readonly isTerminal?: Partial<CliIO['isTerminal']>;
  readonly env?: CliIO['env'];
  readonly signal?: AbortSignal;
  readonly version?: string;
  readonly startCrawler?: CliIO['startCrawler'];
  /** Of stdout, as on a terminal. */
  readonly columns?: number | undefined;
  /** Instead of stderr. */
  readonly stderr?: Writable;
  /** Instead of stdout. */
  readonly stdout?: Writable;
}

/** The words of a command line, given as one text where none of them has a space. */
type Words = string | readonly string[];

const wordsOf = (given: Words): readonly string[] => (typeof given === 'string' ? given.split(' ') : given);

/** Runs `usp` in this process. */
export async function usp(argv: Words, options: WorldOptions = {}): Promise<Told> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const words = wordsOf(argv);
  const running = run(words, {
    stdout: options.stdout ?? Object.assign(collecting(stdout), { columns: options.columns }),
    stderr: options.stderr ?? collecting(stderr),
    stdin: options.chunks ?? one(options.stdin ?? ''),
    env: options.env ?? {},
    isTerminal: { stdin: false, stdout: false, stderr: false, ...options.isTerminal },
    signal: options.signal ?? new AbortController().signal,
    version: options.version ?? '1.2.3',
    startCrawler: options.startCrawler,
  });
  const code = await waitingFor(() => `usp ${words.join(' ')} (stderr so far: ${stderr.join('')})`, running);
  const text = stdout.join('');
  return {
    code,
    stdout: text,
    stderr: stderr.join(''),
    lines: text.split('\n').filter((line) => line !== ''),
  };
}

/**
 * Runs `usp` in this process. In the fast tier a site is asked for what it declares alone, where the command line says
 * nothing of known paths: these are 21 requests.
 */
export function uspDeclared(given: Words, options?: WorldOptions): Promise<Told> {
  const argv = wordsOf(given);
  const isOfSites = ['ls', 'check', 'report'].includes(argv[0] ?? '');
  const isSaid = argv.some((argument) => /known|^-k$|^--sitemap$/.test(argument));
  return usp(isOfSites && !isSaid && !isFull ? [...argv, '--no-known'] : argv, options);
}

function collecting(pieces: string[]): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      pieces.push(String(chunk));
      done();
    },
  });
}

async function* one(input: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof input === 'string' ? new TextEncoder().encode(input) : input;
}
