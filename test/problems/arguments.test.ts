/** §8: what an argument must be, and what a message says that it was. */
import { describe, expect, test } from 'vitest';
import {
  type Accepted,
  BOOLEAN,
  checkFunction,
  checkIterable,
  checkOptions,
  checkSignal,
  checkValue,
  wholeNumber,
} from '../../src/problems/arguments.ts';
import { SitemapException } from '../../src/problems/errors.ts';

function thrownBy(check: () => void): unknown {
  try {
    check();
  } catch (error) {
    expect(error).toBeInstanceOf(SitemapException);
    const { code, option, message } = error as SitemapException;
    return [code, option, message];
  }
  return undefined;
}

const row = (accepts: string, isSecret = false): Accepted => ({
  type: '',
  accepts,
  isSecret,
  test: () => false,
});

describe('§8 the value of an option', () => {
  test.each<[unknown, string]>([
    [null, 'null'],
    [[], 'an array'],
    ['', 'an empty text'],
    [' ', 'the text " "'],
    ['a"b', 'the text "a\\"b"'],
    ['x'.repeat(60), `the text "${'x'.repeat(60)}"`],
    ['x'.repeat(61), `the text "${'x'.repeat(60)}…"`],
    [0, '0'],
    [Number.NaN, 'NaN'],
    [false, 'false'],
    [5n, '5'],
    [{}, 'an object'],
    [new Date(0), 'an object'],
    [() => 1, 'a function'],
    [Symbol.iterator, 'a symbol'],
  ])('%s: a message says what it was', (value, was) => {
    expect(thrownBy(() => checkValue('size', row('a word'), value))).toEqual([
      'bad-option',
      'size',
      `The option "size" must be a word, not ${was}.`,
    ]);
  });

  test('an array where another one is accepted, and an object, are others', () => {
    const lists = row('an array of texts');
    const objects = row('an object with two fields');
    expect([
      thrownBy(() => checkValue('a', lists, [1])),
      thrownBy(() => checkValue('a', lists, {})),
      thrownBy(() => checkValue('a', objects, {})),
      thrownBy(() => checkValue('a', objects, [1])),
    ]).toEqual([
      ['bad-option', 'a', 'The option "a" must be an array of texts, not another array.'],
      ['bad-option', 'a', 'The option "a" must be an array of texts, not an object.'],
      ['bad-option', 'a', 'The option "a" must be an object with two fields, not another object.'],
      ['bad-option', 'a', 'The option "a" must be an object with two fields, not an array.'],
    ]);
  });

  test.each<[unknown, string]>([
    ['key', '; the text that was given is not shown here, since it may hold a password or a key.'],
    ['', ', not an empty text.'],
    [5, ', not 5.'],
  ])('%j of an option that is secret: a text is not shown', (value, end) => {
    expect(thrownBy(() => checkValue('proxy', row('a URL', true), value))).toEqual([
      'bad-option',
      'proxy',
      `The option "proxy" must be a URL${end}`,
    ]);
  });

  test('undefined is no value, and false, 0 and an empty text are', () => {
    for (const value of [undefined, true, false])
      expect(thrownBy(() => checkValue('a', BOOLEAN, value))).toBe(undefined);
    for (const value of [0, '', null, 'true'])
      expect(thrownBy(() => checkValue('a', BOOLEAN, value))).toBeDefined();
  });

  test.each([0, 1, 50])('a whole number from %d on', (least) => {
    const accepted = wholeNumber(least);
    expect(accepted).toMatchObject({
      least,
      type: `whole number, ${least} or more`,
      accepts: `a whole number, ${least} or more`,
    });
    const largest = Number.MAX_SAFE_INTEGER;
    expect([least, least + 1, largest].map(accepted.test)).toEqual([true, true, true]);
    const others = [
      least - 1,
      least + 0.5,
      largest + 1,
      Number.POSITIVE_INFINITY,
      Number.NaN,
      `${least + 1}`,
      null,
    ];
    expect(others.filter(accepted.test)).toEqual([]);
  });

  test('options are checked by name and by value, each of them', () => {
    const rows = { first: BOOLEAN, second: wholeNumber(1) };
    const check = (options: object) =>
      thrownBy(() => checkOptions(options as { first?: boolean; second?: number }, rows as never));
    expect([
      check({}),
      check({ first: undefined, second: undefined }),
      check({ first: false, second: 1 }),
    ]).toEqual([undefined, undefined, undefined]);
    expect([check({ first: 1 }), check({ first: true, second: 0 }), check({ third: undefined })]).toEqual([
      ['bad-option', 'first', 'The option "first" must be true or false, not 1.'],
      ['bad-option', 'second', 'The option "second" must be a whole number, 1 or more, not 0.'],
      ['bad-option', undefined, 'Unknown option "third". The options are first, second.'],
    ]);
  });
});

describe('§8 functions, signals and lists', () => {
  test('a function is a function or nothing', () => {
    for (const value of [undefined, () => 1, class {}])
      expect(thrownBy(() => checkFunction(value, 'keep'))).toBe(undefined);
    for (const value of [null, {}, 'keep', 0, false]) {
      expect(thrownBy(() => checkFunction(value, 'keep'))).toEqual([
        'bad-option',
        'keep',
        'The option "keep" must be a function.',
      ]);
    }
  });

  test('a signal is an AbortSignal, also an aborted one, or nothing', () => {
    const likeOne = { throwIfAborted: () => undefined };
    for (const value of [undefined, new AbortController().signal, AbortSignal.abort(), likeOne]) {
      expect(thrownBy(() => checkSignal(value))).toBe(undefined);
    }
    for (const value of [null, {}, 'stop', 0, false, new AbortController()]) {
      expect(thrownBy(() => checkSignal(value))).toEqual([
        'bad-option',
        'signal',
        'The option "signal" must be an AbortSignal.',
      ]);
    }
  });

  test('a list can be iterated over, sync or async, and is not a text', () => {
    async function* items(): AsyncGenerator<number> {
      yield 1;
    }
    for (const value of [
      [],
      new Set(),
      new Map().values(),
      items(),
      Object.assign(Object.create(null), { [Symbol.iterator]: 1 }),
    ]) {
      expect(thrownBy(() => checkIterable(value, 'Not a list.'))).toBe(undefined);
    }
    for (const value of [undefined, null, 'text', {}, 5, () => 1]) {
      expect(thrownBy(() => checkIterable(value, 'Not a list.'))).toEqual([
        'bad-input',
        undefined,
        'Not a list.',
      ]);
    }
  });
});
