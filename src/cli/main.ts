#!/usr/bin/env node
/** The `usp` binary: the only file that touches the process. */
import { VERSION } from '../options/version.ts';

// The reader of our messages has gone; the listing may still be wanted.
process.stderr.on('error', () => {});
// `usp --help | head`: a listing gets the error from its own writes, and help has no reader left.
process.stdout.on('error', () => {});

const argv = process.argv.slice(2);
const [major, minor] = process.versions.node.split('.').map(Number);
// What follows is not even syntax to an old Node. This file and the version are, from Node 12 on.
if (Number(major) * 100 + Number(minor) < 2019) {
  process.stderr.write(`usp: needs Node 20.19 or later, and this is Node ${process.versions.node}.\n`);
  process.exitCode = 2;
} else if (argv.length === 1 && /^(?:-V|--version)$/.test(String(argv[0])))
  process.stdout.write(`${VERSION}\n`);
else void main();

/** Everything else is loaded here. */
async function main(): Promise<void> {
  const [{ isatty }, { setFlagsFromString }, { run }, { EXIT, endingSignals }, { safeText }] =
    await Promise.all([
      import('node:tty'),
      import('node:v8'),
      import('./run.ts'),
      import('./endings.ts'),
      import('../text/safe-text.ts'),
    ]);
  // A listing goes page by page and keeps nothing; left to itself, V8 still lets garbage pile up to save some time.
  // Measured on a million pages as ndjson: a peak of 123–131 MiB instead of 185, for a fifth more processor time.
  setFlagsFromString('--optimize-for-size');

  const interruption = new AbortController();
  // Once only: a second Ctrl-C ends the process at once.
  for (const signal of endingSignals(process.platform)) process.once(signal, () => interruption.abort());

  // A bug of ours: Node itself would exit with 1, which means that there is no sitemap.
  process.on('uncaughtException', (error) => {
    const text = error instanceof Error ? String(error.stack) : String(error);
    process.stderr.write(`usp: ${safeText(text, 'terminal')}\n`);
    process.exit(EXIT.internalError);
  });

  let exitsAtEnd = false;
  const code = await run(argv, {
    stdout: process.stdout,
    stderr: process.stderr,
    // Only an input `-` reads it, and to access it is to open it.
    get stdin() {
      return process.stdin;
    },
    env: process.env,
    isTerminal: { stdin: isatty(0), stdout: isatty(1), stderr: isatty(2) },
    descriptors: { stdout: 1, stderr: 2 },
    signal: interruption.signal,
    version: VERSION,
    startedAt: 0,
    exitAtEnd: () => {
      exitsAtEnd = true;
    },
  });
  process.exitCode = code;
  // A look-up or a read that cannot be cancelled must not keep an interrupted process alive.
  if (interruption.signal.aborted) process.exit(code);
  // Messages are written before the process exits.
  if (exitsAtEnd) process.stderr.write('', () => process.exit(code));
  // A reader that has stopped reading must not keep it alive either.
  interruption.signal.addEventListener('abort', () => process.exit(EXIT.interrupted));
}
