/** How a command ends: its exit code, which is stable and listed in `usp --help`, and what ends it early. */

export const EXIT = {
  ok: 0,
  noneFound: 1,
  badUsage: 2,
  stopped: 3,
  incomplete: 4,
  differences: 5,
  unreachable: 6,
  internalError: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'at least one sitemap could be read, on every site',
  1: 'the site responded, but has no readable sitemap (fix, write, -f sitemap: no page to write)',
  2: 'bad usage, a file that cannot be read or written',
  3: 'stopped by a limit or --timeout; what was found is printed',
  4: 'with --strict, and in fix: something declared could not be read',
  5: 'findings (check, report --fail-on), or differences (diff, update --exit-code)',
  6: 'the site could not be reached, or responded with errors only (no 2xx, 404 or 410)',
  70: 'internal error, a bug in usp',
  130: 'interrupted',
};

/** Exit codes that only this command has, or that mean something else here. */
export type ExitCodes = Readonly<Partial<Record<ExitCode, string>>>;

/** The worst first. */
const BY_WEIGHT: readonly ExitCode[] = [70, 2, 6, 1, 5, 3, 4];

/** Every command has them. */
const COMMON: ExitCodes = {
  2: EXIT_MEANINGS[2],
  70: EXIT_MEANINGS[70],
  130: EXIT_MEANINGS[130],
};

/** @param exits - of one command. @default those of all commands */
export function exitCodeHelp(exits: ExitCodes = EXIT_MEANINGS): string {
  const meanings = Object.entries({ ...COMMON, ...exits }).filter(([, meaning]) => meaning !== '');
  const lines = meanings.map(
    ([code, meaning]) => `  ${code.padEnd(3)}  ${meaning.replace(/ (?=\([^()]*\)$)/, '\n       ')}`,
  );
  return ['Exit codes:', ...lines].join('\n');
}

/** What several inputs end with. @param exits - as of {@link exitCodeHelp} */
export function worstCodeHelp(exits: ExitCodes = EXIT_MEANINGS): string {
  const order = BY_WEIGHT.filter((code) => code in COMMON || code in exits).join(', ');
  return `With several inputs it is the first of ${order} that an input has.`;
}

/** On Windows, SIGBREAK is Ctrl-Break, and SIGHUP the end of the console. Elsewhere `nohup` has SIGHUP ignored. */
export function endingSignals(platform: NodeJS.Platform): readonly NodeJS.Signals[] {
  return platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] : ['SIGINT', 'SIGTERM'];
}

/** One code for several sites: the worst. */
export function worst(codes: readonly ExitCode[]): ExitCode {
  return BY_WEIGHT.find((code) => codes.includes(code)) ?? EXIT.ok;
}

/** Whether an archive is damaged, which may show only where one of its documents is read. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'archive-damaged';
}

/** Something that the user can fix: reported in one line, with a hint where there is one. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(
    message: string,
    options: { readonly hint?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint;
  }
}

/** The output cannot be written, so further inputs are not read. */
export class Unwritable extends UsageError {}

/** The user pressed Ctrl-C; the message says what was interrupted. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The time that the user gave was over before there was anything to print. */
export class TimeOver extends Error {
  override readonly name = 'TimeOver';
}

/** The reader of the output has gone (`| head`): not an error, but the end. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}
