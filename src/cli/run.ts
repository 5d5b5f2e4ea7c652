/** Runs one command line: `run(argv, io)` resolves to the exit code, and never rejects. */
import { type Command, CommanderError } from 'commander';
import { onAbort, unlessAborted } from '../runtime/abort.ts';
import { safeText } from '../text/safe-text.ts';
import { inFlags, withContents } from './args/option-flags.ts';
import { forgottenCommand, hintsAtPatterns } from './args/option-values.ts';
import { EXIT, type ExitCode, Interrupted, OutputClosed, TimeOver, UsageError } from './endings.ts';
import { type CliIO, type CommandIO, Reporter, withoutSecrets } from './io.ts';
import type { Verbosity } from './program/flags.ts';
import { createProgram, type RunCommand } from './program/program.ts';

/** How long a command may take to end when the user interrupts it: it writes what it has found until then. */
const GRACE_MS = 500;

/** The result of a command, or an interruption: a read that cannot be cancelled is not waited for. */
async function orAbandoned(exitCode: Promise<ExitCode>, signal: AbortSignal): Promise<ExitCode> {
  const abandoned = new AbortController();
  const abandon = (): void => abandoned.abort(new Interrupted('interrupted.'));
  let timer: NodeJS.Timeout | undefined;
  const stopListening = onAbort(signal, () => {
    timer = setTimeout(abandon, GRACE_MS);
  });
  try {
    return await unlessAborted(exitCode, abandoned.signal);
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

async function closing(io: CliIO, command: (commandIo: CommandIO) => Promise<ExitCode>): Promise<ExitCode> {
  const closers: (() => void | Promise<void>)[] = [];
  // Not a copy: to access stdin is to open it.
  const commandIo: CommandIO = Object.assign(Object.create(io), {
    onEnd: (close: () => void | Promise<void>) => closers.unshift(close),
  });
  try {
    return await command(commandIo);
  } finally {
    for (const close of closers) await close();
  }
}

/** @param argv - without the names of Node and the script */
export async function run(argv: readonly string[], io: CliIO): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  let reporter: Reporter | undefined;
  const runCommand: RunCommand = async ({ load, print, isFinishing }, argument, options) => {
    // Commander has made the argument and the options as the row of the command declares them: hence the casts.
    if (print !== undefined) {
      const { openOutput } = await import('./output/output.ts');
      const output = await openOutput(undefined, io);
      await output.write(await print(argument as never, program));
    }
    if (load === undefined) return;
    const command = await load();
    const { checkDistinct, openLog } = await import('./output/output.ts');
    await checkDistinct(argument, { ...options });
    const { logFile, ...verbosity } = options as Verbosity;
    const log = logFile === undefined ? undefined : await openLog(logFile, io.signal);
    const newReporter = new Reporter(io, verbosity, log);
    reporter = newReporter;
    for (const hint of hintsAtPatterns(options)) newReporter.hint(hint);
    const flags = await withContents(options, io.signal);
    const result = closing(io, (commandIo) =>
      command(argument as never, flags as never, commandIo, newReporter),
    );
    code = await (isFinishing ? result : orAbandoned(result, io.signal));
  };
  const program = createProgram(io.version, runCommand, argv[0]);
  speakThrough(program, io);
  try {
    checkCommand(argv, program);
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOfError(error, reporter ?? new Reporter(io), io);
  } finally {
    await reporter?.close();
  }
}

/** The exit code of what was thrown, which is reported in one line where there is something to say. */
function exitCodeOfError(error: unknown, reporter: Reporter, io: CliIO): ExitCode {
  if (error instanceof OutputClosed) return EXIT.ok;
  if (error instanceof Interrupted || io.signal.aborted) {
    reporter.error(error instanceof Interrupted ? error.message : 'interrupted.');
    return EXIT.interrupted;
  }
  if (error instanceof TimeOver) {
    reporter.error(error.message);
    return EXIT.stopped;
  }
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.badUsage;
  if (error instanceof UsageError) {
    reporter.error(error.message, error.hint);
    reporter.stack(error);
    return EXIT.badUsage;
  }
  // The library's exception for a caller's mistake, such as an option that it does not take.
  const isMistake = error instanceof Error && error.name === 'SitemapException';
  const option =
    isMistake && 'option' in error && typeof error.option === 'string' ? error.option : undefined;
  reporter.error(error instanceof Error ? inFlags(error.message, option) : String(error));
  if (!isMistake && !reporter.showsStacks)
    reporter.hint('this is a bug in usp; -vv shows where it happened.');
  reporter.stack(error);
  return isMistake ? EXIT.badUsage : EXIT.internalError;
}

// Commander would suggest the nearest command for a URL, and print all help for an unknown command.
function checkCommand([first = '', second = 'help']: readonly string[], program: Command): void {
  const isCommand = (name: string): boolean =>
    name === 'help' || program.commands.some((command) => command.name() === name);
  if (first === 'help' && !second.startsWith('-') && !isCommand(second)) {
    program.error(`error: unknown command '${second}'`, { code: 'commander.unknownCommand' });
  }
  const forgotten = isCommand(first) || first.startsWith('-') ? undefined : forgottenCommand(first);
  if (forgotten !== undefined) throw forgotten;
}

/** What to use instead of a command or a flag that users expect, by how commander reports it. */
const INSTEAD: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "usp: unknown command 'parse'": 'usp ls reads files too',
    "usp: unknown command 'load'": 'usp ls reads saved trees too',
    "check: unknown option '--fix'": 'usp fix writes repaired sitemaps',
    "update: unknown option '--sample'":
      'the changes of a sample say nothing about the site: usp ls --sample N lists a sample',
    "update: unknown option '--list-alternates'":
      'a change of alternates is printed as a change of the entry that has them',
    "report: unknown option '--open'": 'open the file that -o names in a browser',
  }),
);

function speakThrough(program: Command, io: CliIO): void {
  for (const command of [program, ...program.commands]) {
    command.exitOverride();
    command.configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(safeText(withoutSecrets(text), 'terminal')),
      outputError(text, write) {
        const [, error = ''] = /^error: (.*)/.exec(text) ?? [];
        const instead = INSTEAD.get(`${command.name()}: ${error}`);
        write(instead === undefined ? text.replace(/^error: /, 'usp: ') : `usp: ${error}; ${instead}.\n`);
      },
      getOutHelpWidth: () => columnsOf(io.stdout),
      getErrHelpWidth: () => columnsOf(io.stderr),
    });
  }
}

function columnsOf(stream: object): number {
  const columns = 'columns' in stream ? Number(stream.columns) : 0;
  return columns > 0 ? Math.min(columns, 110) : 80;
}
