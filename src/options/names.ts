/** What callers give: the names of options, what is to be a plain object, and what is to be a list. */
import { badInput, SitemapException } from '../errors.ts';
import { nearestName } from '../problems/wording.ts';

/**
 * Checks that options are a plain object, and that each of its names exists.
 *
 * @throws SitemapException with code `bad-option`
 */
export function checkNames<Options extends object>(
  options: Options,
  known: readonly (keyof Options & string)[],
): void {
  checkIsPlain(options);
  const names: readonly string[] = known;
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown.replaceAll(/[_-]/g, ''), known);
  const hint = nearest === undefined ? `The options are ${known.join(', ')}.` : `Did you mean "${nearest}"?`;
  throw badOption(`Unknown option "${unknown}". ${hint}`);
}

/** What a class, a `Map` or a prototype would add is refused, since it would be ignored without a word. */
export function checkIsPlain(options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const what = options === null ? 'null' : Array.isArray(options) ? 'an array' : `a ${typeof options}`;
    throw badOption(`Options must be an object, not ${what}.`);
  }
  const inherited = inheritedFrom(options);
  if (inherited !== undefined) throw badOption(`Options must be a plain object, not ${inherited}.`);
}

/** What options are instead of a plain object, which has no prototype but `Object`'s, of whatever realm, or none. */
function inheritedFrom(options: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(options);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (isPlain && Object.keys(prototype ?? {}).length === 0) return undefined;
  const { constructor: maker } = options;
  const name = typeof maker === 'function' && maker !== Object ? maker.name : '';
  return name === '' ? 'an object that inherits from another one' : `a ${name}`;
}

export function badOption(message: string, option?: string): SitemapException {
  return new SitemapException(message, { code: 'bad-option', option });
}

/** @throws SitemapException with code `bad-option` */
export function checkFunction(value: unknown, option: string): void {
  if (value === undefined || typeof value === 'function') return;
  throw badOption(`The option "${option}" must be a function.`, option);
}

/** @throws SitemapException with code `bad-option` for a signal that cannot be asked whether it was aborted */
export function checkSignal(signal: unknown): void {
  if (signal === undefined || typeof Object(signal).throwIfAborted === 'function') return;
  throw badOption('The option "signal" must be an AbortSignal.', 'signal');
}

/** @throws SitemapException with code `bad-input` for what no loop can be made over, sync or async */
export function checkIterable(list: unknown, message: string): void {
  const isObject = typeof list === 'object' && list !== null;
  if (!isObject || !(Symbol.iterator in list || Symbol.asyncIterator in list)) throw badInput(message);
}
