/** Options are a plain object, and each of its names exists. The values of options are checked in arguments.ts. */
import { nearestName } from '../text/wording.ts';
import { badOption } from './errors.ts';

/**
 * @internal Checks that options are a plain object, and that each of its names exists.
 *
 * @param otherNames - what is called otherwise in other libraries: what to use here
 * @throws SitemapException with code `bad-option`
 */
export function checkNames<Options extends object>(
  options: Options,
  allowedNames: readonly (keyof Options & string)[],
  otherNames?: ReadonlyMap<string, string>,
): void {
  checkIsPlain(options);
  const names: readonly string[] = allowedNames;
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const here = otherNames?.get(unknown);
  if (here !== undefined) throw badOption(`Unknown option "${unknown}". Use ${here}.`);
  const nearest = nearestName(unknown.replaceAll(/[_-]/g, ''), allowedNames);
  const hint =
    nearest === undefined ? `The options are ${allowedNames.join(', ')}.` : `Did you mean "${nearest}"?`;
  throw badOption(`Unknown option "${unknown}". ${hint}`);
}

/** @internal Refuses an instance of a class, such as a `Map`: what it inherits would be ignored silently. */
export function checkIsPlain(options: unknown): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const what = Array.isArray(options) ? 'an array' : `a ${typeof options}`;
    throw badOption(`Options must be an object, not ${options == null ? options : what}.`);
  }
  const inherited = inheritedFrom(options);
  if (inherited !== undefined) throw badOption(`Options must be a plain object, not ${inherited}.`);
}

/** The name of what options inherit from; undefined for a plain object, of this realm or another, and for `null`. */
function inheritedFrom(options: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(options);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (isPlain && Object.keys(prototype ?? {}).length === 0) return undefined;
  const { constructor: maker } = options;
  const name = typeof maker === 'function' && maker !== Object ? maker.name : '';
  return name === '' ? 'an object that inherits from another one' : `a ${name}`;
}
