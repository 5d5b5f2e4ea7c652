/** What callers give to a constructor. Types do not hold at run time: what cannot be used is refused in a sentence. */
import { badInput } from '../../problems/errors.ts';
import { nearestName } from '../../text/wording.ts';
import { parseDate, timeOfDate } from '../values/date.ts';
import { type DateForm, dateFormOf, writtenDate } from '../values/w3c-date.ts';
import { isHttpUrl } from '../values/written-url.ts';

/** Throws where the value of a field cannot be used. */
type Check = (value: unknown, name: string) => void;

function mustBe(words: string, isRight: (value: unknown) => boolean): Check {
  return (value, name) => {
    if (!isRight(value)) throw badInput(`"${name}" must be ${words}.`);
  };
}

export const TEXT: Check = mustBe('a string', (value) => typeof value === 'string');
export const FLAG: Check = mustBe('true or false', (value) => typeof value === 'boolean');
export const WEB_ADDRESS: Check = mustBe(
  'an absolute URL of http or https',
  (value) => typeof value === 'string' && isHttpUrl(value),
);
export const DATE: Check = mustBe('a Date, or a date as text', (value) => {
  return !Number.isNaN(typeof value === 'string' ? parseDate(value) : timeOfDate(value));
});
export const DATE_FORM: Check = mustBe('the text of a date, or the number of its form', (value) => {
  return typeof value === 'number' || typeof value === 'string';
});
const LIST: Check = mustBe('a list', Array.isArray);

export function numberTo(highest: number): Check {
  const words = highest < Number.MAX_SAFE_INTEGER ? `a number from 0 to ${highest}` : 'a number from 0 on';
  return mustBe(words, (value) => typeof value === 'number' && value >= 0 && value <= highest);
}

export function oneOf(words: readonly string[]): Check {
  return mustBe(`one of ${words.join(', ')}`, (value) => words.includes(String(value)));
}

export function listOf(check: Check): Check {
  return (value, name) => {
    LIST(value, name);
    for (const [index, item] of (value as unknown[]).entries()) check(item, `${name}[${index}]`);
  };
}

/** A check of an object, with the names of the fields that it may have. */
type ObjectCheck = Check & { readonly fields: readonly string[] };

/** @param required - the names of those that must be there */
export function objectOf(
  checks: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
): ObjectCheck {
  const check: Check = (value, name) => {
    if (typeof value !== 'object' || value === null) throw badInput(`"${name}" must be an object.`);
    for (const [field, input] of Object.entries(value)) {
      const checkField = Object.hasOwn(checks, field) ? checks[field] : undefined;
      if (checkField === undefined)
        throw badInput(`"${name}" has no field "${field}".${hint(field, checks)}`);
      if (input !== undefined) checkField(input, `${name}.${field}`);
    }
    for (const field of required) {
      if (Reflect.get(value, field) === undefined) throw badInput(`"${name}.${field}" is missing.`);
    }
  };
  return Object.assign(check, { fields: Object.keys(checks) });
}

function hint(field: string, checks: object): string {
  const nearest = nearestName(field, Object.keys(checks));
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

/** A copy of a list, which the caller may change: frozen, as are copies of its items. */
export function frozenCopy<Item extends object>(list: readonly Item[] | undefined): readonly Item[] {
  return list === undefined || list.length === 0
    ? NONE
    : Object.freeze(list.map((item) => Object.freeze({ ...item })));
}

/** Most lists of most pages are empty: those share one. */
export const NONE: readonly never[] = Object.freeze([]);

/** A list that is complete. */
export function frozen<Item>(list: Item[]): readonly Item[] {
  return list.length === 0 ? NONE : Object.freeze(list);
}

export type Changeable<Fields> = { -readonly [Field in keyof Fields]: Fields[Field] };

/** A date and how it is written: a text that is not a date is kept too. */
interface DateAndForm {
  readonly date: Date | undefined;
  readonly form: string | DateForm | undefined;
}

/**
 * @param date - checked by {@link DATE}
 * @param text - the date as written; it says what the date is where there is no other
 * @param form - how a copy of a page writes the date. It is ignored where it stands for another date
 */
export function givenDate(
  date: Date | string | undefined,
  text: string | undefined,
  form: string | DateForm | undefined,
): DateAndForm {
  const writtenForm = text ?? (typeof date === 'string' ? date : form);
  const input = date ?? (typeof writtenForm === 'string' ? writtenForm : undefined);
  if (input === undefined) return { date: undefined, form: undefined };
  const time = typeof input === 'string' ? parseDate(input) : timeOfDate(input);
  if (Number.isNaN(time)) return { date: undefined, form: writtenForm };
  return { date: new Date(time), form: formOf(time, writtenForm) };
}

function formOf(time: number, writtenForm: string | DateForm | undefined): string | DateForm | undefined {
  const form = typeof writtenForm === 'string' ? dateFormOf(writtenForm.trim()) : writtenForm;
  const text = writtenDate(new Date(time), form);
  return text !== undefined && parseDate(text) === time ? form : undefined;
}

/** A date in JSON under its name, and beside it as it is written where that is not its ISO form. */
export function dateInJson(name: string, date: Date | undefined, text: string | undefined): object {
  const iso = date?.toISOString();
  return { [name]: iso, [`${name}Text`]: text === iso ? undefined : text };
}

/** The fields for JSON: without undefined values and empty lists. Lists are copied, since callers may change them. */
export function present<Json>(fields: object): Json {
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    if (!Array.isArray(value)) return value === undefined ? [] : [[name, value]];
    return value.length === 0 ? [] : [[name, [...value]]];
  });
  return Object.fromEntries(entries);
}
