/**
 * The flags that set options of the library, from the table of options: what the library is given, and what messages
 * call an option.
 */
import type { SitemapOptions } from '../../index.ts';
import { FLAGGED, optionValue } from '../../options/flagged-options.ts';
import { readWhole } from '../../runtime/file-input.ts';
import { fileTrouble } from '../../runtime/files.ts';
import { UsageError } from '../endings.ts';
import { COMMAND_FLAGS } from '../program/command-flags.ts';
import type { CrawlFlags } from '../program/flags.ts';

/** The library's options. `--from-warc` is not among them: its file is opened first. */
export function crawlOptions(flags: CrawlFlags): SitemapOptions {
  const options: Record<string, unknown> = {};
  for (const { name, row, attribute } of FLAGGED) {
    const value: unknown = Reflect.get(flags, attribute);
    if (value === undefined || name === 'webClient' || row.flag.group === 'filter') continue;
    options[name] = optionValue(row, value);
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

/** The flags with what is in the files that they name. @throws UsageError where one cannot be read */
export async function withContents(flags: object, signal: AbortSignal): Promise<object> {
  const contents: Record<string, string> = {};
  for (const { row, flag, attribute } of FLAGGED) {
    const file: unknown = Reflect.get(flags, attribute);
    if (row.flag.isContent !== true || typeof file !== 'string') continue;
    try {
      contents[attribute] = (await readWhole(file, 16 * 1024 * 1024, signal)).toString('latin1');
    } catch (cause) {
      signal.throwIfAborted();
      throw new UsageError(`${flag} ${file} cannot be read: ${fileTrouble(cause)}.`, { cause });
    }
  }
  return { ...flags, ...contents };
}

export const OPTION_ATTRIBUTES: readonly string[] = FLAGGED.map(({ attribute }) => attribute);

export const SECRET_ATTRIBUTES: readonly string[] = FLAGGED.filter(({ row }) => row.isSecret).map(
  ({ attribute }) => attribute,
);

export function flagOf(option: string): string | undefined {
  const name = option === 'perHostConcurrency' ? 'concurrency' : option;
  const flagged =
    FLAGGED.find((each) => each.name === name) ?? COMMAND_FLAGS.find((each) => each.option === name);
  return flagged?.flag;
}

/**
 * A message with the flag instead of the option. A message names its option once, in parentheses or in quotes, behind
 * any URL that may have the same letters; an option without a flag is left out where it is in parentheses.
 *
 * @param option - the option that the message is about, as the library says beside it
 */
export function inFlags(message: string, option: string | undefined): string {
  if (option === undefined) return message;
  const { alsoNamed = [] } = FLAGGED.find(({ name }) => name === option)?.row.flag ?? {};
  return [option, ...alsoNamed].reduce(inFlag, message);
}

/** A finding or a repair with the flag instead of the option, where its message names one. */
export function namingFlag<Item extends { readonly rule: string; readonly message: string }>(
  item: Item,
): Item {
  return item.rule === 'unresolvable-url' ? { ...item, message: inFlags(item.message, 'url') } : item;
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
