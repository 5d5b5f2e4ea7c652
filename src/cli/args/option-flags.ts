/**
 * The flags that set options of the library, from the table of options: what the library is given, and what messages
 * call an option.
 */
import type { SitemapOptions } from '../../index.ts';
import { OPTIONS, type OptionRow } from '../../options/option-table.ts';
import { readWhole } from '../../runtime/file-input.ts';
import { fileTrouble } from '../../runtime/files.ts';
import { UsageError } from '../endings.ts';

/** What commands read of these flags; the others go to the library as they are. */
export interface CrawlFlags {
  readonly normalize?: boolean | undefined;
  /** When known paths are requested; `false` is `--no-known`. */
  readonly known?: 'always' | 'if-none-declared' | boolean | undefined;
  readonly knownPath?: readonly string[] | undefined;
  readonly homepageLinks?: boolean | undefined;
  readonly robots?: boolean | undefined;
  /** Seconds, for one site. */
  readonly timeout?: number | undefined;
  readonly maxSitemaps?: number | undefined;
  /** A file that everything is read from, instead of the web. */
  readonly fromWarc?: readonly string[] | undefined;
}

export type Flagged = OptionRow & { readonly flag: NonNullable<OptionRow['flag']> };

export const FLAGGED: readonly {
  readonly name: string;
  readonly row: Flagged;
  readonly attribute: string;
}[] = Object.entries<OptionRow>(OPTIONS).flatMap(([name, row]) =>
  isFlagged(row) ? [{ name, row, attribute: attributeOf(row.flag.flags) }] : [],
);

function isFlagged(row: OptionRow): row is Flagged {
  return row.flag !== undefined;
}

function attributeOf(flags: string): string {
  const [, words = ''] = /--(?:no-)?([\w-]+)/.exec(flags) ?? [];
  return words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The library's options. `--from-warc` is not among them: its file is opened first. */
export function crawlOptions(flags: CrawlFlags): SitemapOptions {
  const options: Record<string, unknown> = {};
  for (const { name, row, attribute } of FLAGGED) {
    const given: unknown = Reflect.get(flags, attribute);
    if (given === undefined || name === 'webClient' || name === 'maxPages') continue;
    options[name] = optionValue(row, given);
  }
  const { concurrency, cert, key } = options;
  return {
    ...options,
    // Most sites are one host, so the user means that host too.
    ...(typeof concurrency === 'number' && { perHostConcurrency: concurrency }),
    // A certificate and its key are often in one file.
    ...(key === undefined && typeof cert === 'string' && cert.includes('PRIVATE KEY-----') && { key: cert }),
  };
}

/** Certificates and keys: their flags name files. */
const OF_FILES: readonly string[] = ['ca', 'cert', 'key'];

/** The flags with what is in the files that they name. @throws UsageError where one cannot be read */
export async function withContents(flags: object, signal: AbortSignal): Promise<object> {
  const read: Record<string, string> = {};
  for (const { name, attribute } of FLAGGED) {
    const file: unknown = Reflect.get(flags, attribute);
    if (!OF_FILES.includes(name) || typeof file !== 'string') continue;
    try {
      read[attribute] = (await readWhole(file, 16 * 1024 * 1024, signal)).toString('latin1');
    } catch (cause) {
      signal.throwIfAborted();
      throw new UsageError(`${flagOf(name)} ${file} cannot be read: ${fileTrouble(cause)}.`, { cause });
    }
  }
  return { ...flags, ...read };
}

export function optionValue({ flag, default: byDefault, isTime }: Flagged, given: unknown): unknown {
  if (isTime === true) return Number(given) * 1000;
  if (flag.words !== undefined && typeof given === 'string') return flag.words[given];
  // --insecure turns off what is on by default; --no-robots and --no-known are false by themselves.
  return byDefault === true && !/--no-|</.test(flag.flags) ? !given : given;
}

export const OPTION_ATTRIBUTES: readonly string[] = FLAGGED.map(({ attribute }) => attribute);

export const SECRET_ATTRIBUTES: readonly string[] = FLAGGED.filter(({ row }) => row.isSecret).map(
  ({ attribute }) => attribute,
);

/** Flags that not every command has. */
const FLAGS_OF_COMMANDS: Readonly<Record<string, string>> = {
  force: '--force',
  maxStaleMs: '--max-stale',
  url: '--url',
};

export function flagOf(option: string): string | undefined {
  const own = FLAGS_OF_COMMANDS[option];
  if (own !== undefined) return own;
  const name = option === 'perHostConcurrency' ? 'concurrency' : option;
  const found = FLAGGED.find((each) => each.name === name);
  return found === undefined ? undefined : /--[\w-]+/.exec(found.row.flag.flags)?.[0];
}

/** Options that a message about another one names too. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  ca: ['verifyTls'],
  cert: ['key'],
  key: ['cert'],
};

/**
 * A message with the flag instead of the option. A message names its option once, in parentheses or in quotes, behind
 * any URL that may have the same letters; an option without a flag is left out where it is in parentheses.
 *
 * @param option - the option that the message is about, as the library says beside it
 */
export function inFlags(message: string, option: string | undefined): string {
  if (option === undefined) return message;
  return [option, ...(BESIDE[option] ?? [])].reduce(inFlag, message);
}

/** A finding or a repair with the flag instead of the option, where its message names one. */
export function namingFlag<Found extends { readonly rule: string; readonly message: string }>(
  found: Found,
): Found {
  return found.rule === 'unresolvable-url' ? { ...found, message: inFlags(found.message, 'url') } : found;
}

function inFlag(message: string, option: string): string {
  const flag = flagOf(option);
  const inParentheses = replacedLast(message, ` (${option})`, flag === undefined ? '' : ` (${flag})`);
  return inParentheses ?? replacedLast(message, `"${option}"`, flag ?? `"${option}"`) ?? message;
}

function replacedLast(text: string, from: string, to: string): string | undefined {
  const at = text.lastIndexOf(from);
  return at === -1 ? undefined : text.slice(0, at) + to + text.slice(at + from.length);
}
