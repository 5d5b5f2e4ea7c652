/** Checks of arguments: the values of options, signals, lists. What an option accepts is a row of a table. */
import { clip } from '../text/wording.ts';
import { badInput, badOption } from './errors.ts';
import { checkNames } from './option-names.ts';

/** The values that an option takes. */
export interface Accepted {
  /** What it accepts, for the documentation, in Markdown. */
  readonly type: string;
  /** What it accepts, for messages. */
  readonly accepts: string;
  /** May throw a `SitemapException` that says more. */
  readonly test: (value: unknown) => boolean;
  /** The lowest number. */
  readonly least?: number;
  /** A time: seconds on the command line. */
  readonly isTime?: boolean;
  /** Its value may hold a password or a key, and is never shown. */
  readonly isSecret?: boolean;
}

export const BOOLEAN: Accepted = {
  type: '`boolean`',
  accepts: 'true or false',
  test: (value) => typeof value === 'boolean',
};

export function wholeNumber(least: number): Accepted {
  return {
    type: `whole number, ${least} or more`,
    accepts: `a whole number, ${least} or more`,
    test: (value) => Number.isSafeInteger(value) && (value as number) >= least,
    least,
  };
}

/**
 * Checks the names and the values of options; `undefined` means no value.
 *
 * @throws SitemapException with code `bad-option`, naming the option and what it accepts
 */
export function checkOptions<Options extends object>(
  options: Options,
  rows: Readonly<Record<keyof Options & string, Accepted>>,
): void {
  checkNames(options, Object.keys(rows) as (keyof Options & string)[]);
  for (const [name, value] of Object.entries(options))
    checkValue(name, rows[name as keyof typeof rows], value);
}

/** @throws SitemapException with code `bad-option` */
export function checkValue(name: string, row: Accepted, value: unknown): void {
  if (value === undefined || row.test(value)) return;
  throw badOption(`The option "${name}" must be ${row.accepts}${butWas(value, row)}.`, name);
}

function butWas(value: unknown, { accepts, isSecret }: Accepted): string {
  return typeof value === 'string' && value !== '' && isSecret === true
    ? '; the text that was given is not shown here, since it may hold a password or a key'
    : `, not ${describeValue(value, accepts)}`;
}

function describeValue(value: unknown, accepted: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return accepted.includes('array') ? 'another array' : 'an array';
  if (typeof value === 'string')
    return value === '' ? 'an empty text' : `the text ${JSON.stringify(clip(value, LONGEST_VALUE))}`;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  return accepted.includes('object') ? 'another object' : 'an object';
}

/** How many characters of a value a message repeats. */
const LONGEST_VALUE = 60;

/** @throws SitemapException with code `bad-option` */
export function checkFunction(value: unknown, option: string): void {
  if (value === undefined || typeof value === 'function') return;
  throw badOption(`The option "${option}" must be a function.`, option);
}

/** @throws SitemapException with code `bad-option` if the value is not an AbortSignal */
export function checkSignal(signal: unknown): void {
  if (signal === undefined || typeof Object(signal).throwIfAborted === 'function') return;
  throw badOption('The option "signal" must be an AbortSignal.', 'signal');
}

/** @throws SitemapException with code `bad-input` if the value is not iterable, sync or async */
export function checkIterable(list: unknown, message: string): void {
  const isObject = typeof list === 'object' && list !== null;
  if (!isObject || !(Symbol.iterator in list || Symbol.asyncIterator in list)) throw badInput(message);
}
