/** What the exit code of `usp` says. They are listed in `usp --help`, and stable. */

export const EXIT = {
  ok: 0,
  noneFound: 1,
  badUsage: 2,
  stopped: 3,
  incomplete: 4,
  differences: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.ok, 'at least one readable sitemap was found, on every site'],
  [EXIT.noneFound, 'none was found (parse: the document could not be read)'],
  [EXIT.badUsage, 'bad usage, an unreadable file or an unwritable output'],
  [EXIT.stopped, 'stopped by a limit or --timeout; what was found is printed'],
  [EXIT.incomplete, 'with --strict: something declared could not be read'],
  [EXIT.differences, 'diff with --exit-code: there are differences'],
  [EXIT.interrupted, 'interrupted'],
];

/** The exit codes as `--help` lists them. */
export const EXIT_CODE_HELP: string = [
  'Exit codes:',
  ...MEANINGS.map(([code, meaning]) => `  ${String(code).padEnd(3)}  ${meaning}`),
].join('\n');

const BY_WEIGHT: readonly ExitCode[] = [EXIT.noneFound, EXIT.stopped, EXIT.incomplete];

/** One code for several sites: none found weighs more than stopped, which weighs more than incomplete. */
export function worst(codes: readonly ExitCode[]): ExitCode {
  return BY_WEIGHT.find((code) => codes.includes(code)) ?? EXIT.ok;
}
