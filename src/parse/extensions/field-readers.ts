/** How the values of an extension are read: a table from its tags to the fields that they fill. */
import type { ReportedValues } from '../reported-values.ts';
import type { Value } from '../xml/value.ts';

/** The attributes of a value's tag, by their names in lower case. */
export type TagAttributes = Readonly<Record<string, string>>;

export const NO_ATTRIBUTES: TagAttributes = Object.freeze({});

type FieldReader<Fields> = (
  fields: Fields,
  value: Value,
  values: ReportedValues,
  attributes: TagAttributes,
) => void;

export type FieldReaders<Fields> = Readonly<Record<string, FieldReader<Fields>>>;

/** Makes readers of one field each. A value that cannot be read does not replace one that could. */
export function fieldsOf<Fields>(): <Name extends keyof Fields>(
  name: Name,
  readValue: (value: Value, values: ReportedValues, attributes: TagAttributes) => Fields[Name],
) => FieldReader<Fields> {
  return (name, readValue) => (fields, value, values, attributes) => {
    const fieldValue = readValue(value, values, attributes);
    if (fieldValue !== undefined) fields[name] = fieldValue;
  };
}

/** Makes a reader of a date, which is two fields: what it is, and how it is written. */
export function dateField<Name extends string>(
  name: Name,
): FieldReader<Record<Name | `${Name}Form`, unknown>> {
  const form = `${name}Form` as const;
  return (fields: Record<string, unknown>, value, values) => {
    const time = value.time(values);
    if (Number.isNaN(time)) return;
    fields[name] = new Date(time);
    fields[form] = value.dateText;
  };
}

/** Reads the values of one extension into what they say, which is open from the first of them on. */
export class TableReader<Fields> {
  readonly #values: ReportedValues;
  readonly #readers: FieldReaders<Fields>;
  readonly #begin: () => Fields;
  open: Fields | undefined;

  constructor(values: ReportedValues, readers: FieldReaders<Fields>, begin: () => Fields) {
    this.#values = values;
    this.#readers = readers;
    this.#begin = begin;
  }

  value(name: string, value: Value, attributes: TagAttributes = NO_ATTRIBUTES): void {
    if (value.textLength === 0) return;
    this.open ??= this.#begin();
    this.#readers[name]?.(this.open, value, this.#values, attributes);
  }

  /** Ends the object that was read, and returns it; undefined where nothing was read. The next value starts another. */
  end(): Fields | undefined {
    const { open } = this;
    this.open = undefined;
    return open;
  }
}

/** A text that is kept, and is another one in each entry. */
export function ownText(value: Value): string {
  return value.keptText();
}

/** A text that many entries have. */
export function sharedText(value: Value): string {
  return value.repeatedText();
}

export function url(value: Value, values: ReportedValues): string | undefined {
  return value.url(values);
}

export function numberOf(name: string, highest: number = Number.MAX_SAFE_INTEGER) {
  return (value: Value, values: ReportedValues): number | undefined => value.number(name, highest, values);
}

/** A comma-separated list without its empty parts. */
export function commaList(value: Value): readonly string[] {
  return Object.freeze(
    value
      .text()
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
}

export function yesOrNo(text: string | undefined): boolean | undefined {
  const word = text?.toLowerCase() ?? '';
  if (['yes', 'true', '1'].includes(word)) return true;
  return ['no', 'false', '0'].includes(word) ? false : undefined;
}
