/** Checks of what came out of `JSON.parse`: a file may hold anything. */

/** Says whether a value has a certain shape. */
export type Check = (value: unknown) => boolean;

/** Whether something is an object with members, not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isText: Check = (value) => typeof value === 'string';
export const isNumber: Check = (value) => typeof value === 'number';
export const isBoolean: Check = (value) => typeof value === 'boolean';
export const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
export const isDate: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));

/** Whether something is absent, or else as `check` has it. */
export function isMaybe(value: unknown, check: Check): boolean {
  return value === undefined || check(value);
}

/** Whether something is a list of what `check` has it. */
export function isListOf(value: unknown, check: Check): boolean {
  return Array.isArray(value) && value.every(check);
}
