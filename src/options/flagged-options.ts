/**
 * The options that have a flag of `usp`, with the names of the flag and its attribute, and the value of the option for
 * a value of the flag.
 */
import { OPTIONS, type OptionRow } from './option-table.ts';

export type FlaggedRow = OptionRow & { readonly flag: NonNullable<OptionRow['flag']> };

export interface FlaggedOption {
  readonly name: string;
  readonly row: FlaggedRow;
  /** `--known-path` */
  readonly flag: string;
  /** The name that commander gives the value of the flag: `knownPath`. */
  readonly attribute: string;
}

export const FLAGGED: readonly FlaggedOption[] = Object.entries<OptionRow>(OPTIONS).flatMap(([name, row]) =>
  isFlagged(row) ? [{ name, row, ...flagNames(row.flag.flags) }] : [],
);

function isFlagged(row: OptionRow): row is FlaggedRow {
  return row.flag !== undefined;
}

/** The names of a flag, for commander: `-r, --no-robots` is the flag `--no-robots` and the attribute `robots`. */
export function flagNames(flags: string): Pick<FlaggedOption, 'flag' | 'attribute'> {
  const [flag = '', words = ''] = /--(?:no-)?([\w-]+)/.exec(flags) ?? [];
  return { flag, attribute: words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) };
}

/** The value of an option, from that of its flag. */
export function optionValue({ flag, default: byDefault, isTime }: FlaggedRow, value: unknown): unknown {
  if (isTime === true) return Number(value) * 1000;
  if (flag.words !== undefined && typeof value === 'string') return flag.words[value];
  // --insecure turns off what is on by default; --no-robots and --no-known are false by themselves.
  return byDefault === true && !/--no-|</.test(flag.flags) ? !value : value;
}
