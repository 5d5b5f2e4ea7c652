/** §8: options are a plain object, and each of its names exists. */
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { checkIsPlain, checkNames } from '../../src/problems/option-names.ts';

const NAMES = ['maxDepth', 'maxSitemaps', 'signal'];
const OTHERS = new Map([['timeout', 'maxTimeMs']]);

function messageOf(check: () => void): string | undefined {
  try {
    check();
  } catch (error) {
    expect(error).toMatchObject({ name: 'SitemapException', code: 'bad-option', option: undefined });
    return (error as Error).message;
  }
  return undefined;
}

test.each<[object, string | undefined]>([
  [{}, undefined],
  [{ maxDepth: 1, signal: undefined }, undefined],
  [{ maxDept: 1 }, 'Unknown option "maxDept". Did you mean "maxDepth"?'],
  [{ signal: 1, max_depth: 1 }, 'Unknown option "max_depth". Did you mean "maxDepth"?'],
  [{ max_site_m: 1 }, 'Unknown option "max_site_m". Did you mean "maxSitemaps"?'],
  [{ 'max-site-maps': 1 }, 'Unknown option "max-site-maps". Did you mean "maxSitemaps"?'],
  [{ maxdepth: undefined }, 'Unknown option "maxdepth". Did you mean "maxDepth"?'],
  [{ timeout: 1 }, 'Unknown option "timeout". Use maxTimeMs.'],
  [{ verbose: 1, timeout: 1 }, 'Unknown option "verbose". The options are maxDepth, maxSitemaps, signal.'],
])('%j: %s', (options, message) => {
  expect(
    messageOf(() => checkNames<Record<string, unknown>>(options as Record<string, unknown>, NAMES, OTHERS)),
  ).toBe(message);
});

class Settings {
  maxDepth = 1;
}
test.each<[string, unknown, string | undefined]>([
  ['a plain object', {}, undefined],
  ['an object without a prototype', Object.create(null), undefined],
  ['a plain object of another realm', runInNewContext('({ maxDepth: 1 })'), undefined],
  ['an object with an own name "constructor"', { constructor: 1 }, undefined],
  ['undefined', undefined, 'Options must be an object, not undefined.'],
  ['null', null, 'Options must be an object, not null.'],
  ['an array', [], 'Options must be an object, not an array.'],
  ['a text', 'maxDepth', 'Options must be an object, not a string.'],
  ['a number', 5, 'Options must be an object, not a number.'],
  ['a function', () => 1, 'Options must be an object, not a function.'],
  ['a map', new Map(), 'Options must be a plain object, not a Map.'],
  ['an instance of a class', new Settings(), 'Options must be a plain object, not a Settings.'],
  [
    'one of a class without a name',
    new (class {})(),
    'Options must be a plain object, not an object that inherits from another one.',
  ],
  [
    'what inherits from a plain object',
    Object.create({ maxDepth: 1 }),
    'Options must be a plain object, not an object that inherits from another one.',
  ],
  [
    'what inherits from an object without a prototype',
    Object.create(Object.assign(Object.create(null), { maxDepth: 1 })),
    'Options must be a plain object, not an object that inherits from another one.',
  ],
])('%s as options', (_what, options, message) => {
  expect(messageOf(() => checkIsPlain(options))).toBe(message);
  if (message !== undefined) expect(messageOf(() => checkNames(options as object, []))).toBe(message);
});
