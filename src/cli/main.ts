#!/usr/bin/env node
/** The `usp` binary: the only file that touches the process. */
import { readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { run } from './run.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const interruption = new AbortController();
// Once only: whoever presses Ctrl-C again does not want to wait for us.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
// Whoever read our messages has gone; the listing may still be wanted.
process.stderr.on('error', () => {});

const code = await run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  // Only `usp parse -` reads it, and to look at it is to open it.
  get stdin() {
    return process.stdin;
  },
  env: process.env,
  isTerminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
  signal: interruption.signal,
  version,
});
process.exitCode = code;
// A look-up or a read that cannot be called back must not keep an interrupted process alive.
if (interruption.signal.aborted) process.exit(code);
