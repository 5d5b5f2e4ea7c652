/** Checks of what came out of `JSON.parse`: a file may hold anything. */

/** Whether something is an object with members, not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** A whole number from 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** A time that a `Date` can hold. */
export function isDate(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** Whether something is absent, or else as `check` has it. */
export function isMaybe<Value>(
  value: unknown,
  check: (value: unknown) => value is Value,
): value is Value | undefined {
  return value === undefined || check(value);
}

/** Whether something is a list of what `check` has it. */
export function isListOf<Value>(
  value: unknown,
  check: (value: unknown) => value is Value,
): value is readonly Value[] {
  return Array.isArray(value) && value.every(check);
}
