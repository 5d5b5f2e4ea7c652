/** From the text after an option to its value. What is invalid is reported before anything starts. */
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { parsePattern, parseWhen } from '../../filter/filter-pages.ts';
import type { ComparedField, PageChange } from '../../index.ts';
import { isConnectionHeader } from '../../options/option-table.ts';
import { proxyUrl } from '../../options/proxy.ts';
import { UsageError } from '../messages/endings.ts';
import { parseAddress } from './address.ts';

export { TABLE_FORMATS } from '../../batch/output/table-file.ts';
export { DIVISIONS } from '../../write/layout.ts';

/** A whole number from `least` on; `50,000` and `50_000` are read too. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const digits = text.replaceAll(/[_,](?=\d{3})/g, '');
    const value = Number(digits);
    if (/^\d+$/.test(digits) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number, ${least} or more.`);
  };
}

export const fromZero: (text: string) => number = wholeNumber(0);
export const fromOne: (text: string) => number = wholeNumber(1);

/** Seconds, with a fraction if need be. */
export function seconds(least: 'zero' | 'more'): (text: string) => number {
  return (text) => {
    const value = Number(text);
    // Below a millisecond nothing is waited for.
    if (/^\d*\.?\d+$/.test(text) && (least === 'zero' || value >= 0.001)) return value;
    throw new InvalidArgumentError(`It must be a number of seconds${least === 'zero' ? '' : ' above zero'}.`);
  };
}

export const moreSeconds: (text: string) => number = seconds('more');

/** Days, with a fraction if need be. */
export function days(text: string): number {
  if (/^\d*\.?\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of days.');
}

/** How often a flag was given. */
export function times(_text: string, before: number): number {
  return before + 1;
}

export function patterns(text: string, before: readonly string[] = []): readonly string[] {
  try {
    parsePattern(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(why, {
      hint: 'a part of the URL, a glob with *, or re: and a regular expression.',
      cause,
    });
  }
  return [...before, text];
}

/** The sites of `usp ls`: a mistake is reported before the library is even loaded. */
export function addresses(text: string, before: readonly URL[] = []): readonly URL[] {
  return [...before, parseAddress(text)];
}

/** A date, or a time before now. @param flag - as messages name it; `spans` are examples */
function moment(flag: string, spans: string): (text: string) => Date {
  return (text) => {
    const time = parseWhen(text, Date.now());
    if (time !== undefined) return new Date(time);
    throw new UsageError(`${flag} cannot read "${text}".`, {
      hint: `a date (2024-05-06, 2024-05-06T08:00Z), a time before now (${spans}), today or yesterday.`,
    });
  };
}

export const since: (text: string) => Date = moment('--since', '90m, 24h, 7d, 2w');
export const now: (text: string) => Date = moment('--now', '24h, 7d');

export function paths(text: string, before: readonly string[] = []): readonly string[] {
  if (text === '') throw new InvalidArgumentError('It must be a path, such as sitemaps/main.xml.');
  return [...before, text];
}

/** `Name: value`, repeatable. A message about it does not repeat it, since headers carry secrets. */
export function headers(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined || /[\r\n\0]/.test(value)) {
    throw new UsageError("-H needs 'Name: value', in one line.", { hint: "as -H 'Accept-Language: de'" });
  }
  if (isConnectionHeader(name)) throw new UsageError(`-H cannot set ${name}: it belongs to the connection.`);
  return { ...before, [name]: value };
}

/** The content of a file. It is read at once, so that a wrong name is reported before anything starts. */
export function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new InvalidArgumentError(`The file cannot be read${why}.`);
  }
}

export function proxy(text: string): string | false {
  if (text === 'none') return false;
  if (proxyUrl(text) !== undefined) return text;
  throw new InvalidArgumentError("It must be an http:, https: or socks5: URL, or 'none'.");
}

/** Repeatable. What it is, such as the setting of a rule, is looked at by the command, which has the tables for it. */
export function texts(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** `--pages 100` or `--pages all` */
export function pageSample(text: string): number | 'all' {
  if (text === 'all') return 'all';
  try {
    return fromOne(text);
  } catch {
    throw new InvalidArgumentError('It must be a whole number, 1 or more, or all.');
  }
}

/** By the names that sitemaps use, and by the library's. */
const FIELDS: ReadonlyMap<string, ComparedField> = new Map([
  ['lastmod', 'lastModified'],
  ['priority', 'priority'],
  ['changefreq', 'changeFrequency'],
  ['news', 'newsStory'],
  ['images', 'images'],
  ['videos', 'videos'],
  ['alternates', 'alternates'],
  ['lastModified', 'lastModified'],
  ['changeFrequency', 'changeFrequency'],
  ['newsStory', 'newsStory'],
]);

export const CHANGE_TYPES: readonly PageChange['type'][] = ['added', 'removed', 'changed'];

export function changeTypes(text: string): readonly PageChange['type'][] {
  return listed(text, new Map(CHANGE_TYPES.map((type) => [type, type])));
}

export function comparedFields(text: string): readonly ComparedField[] {
  return listed(text, FIELDS);
}

function listed<Value>(text: string, values: ReadonlyMap<string, Value>): readonly Value[] {
  return text.split(',').map((word) => {
    const value = values.get(word.trim());
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`"${word.trim()}" is not one of ${[...values.keys()].join(', ')}.`);
  });
}
