/** Errors that are values have no stack; those of everybody else keep theirs. */
import { expect, test } from 'vitest';
import { withoutStack } from '../../src/problems/errors.ts';

const framesOf = ({ stack = '' }: Error): number => stack.split('\n    at ').length - 1;

test('an error that is a value has no stack, and the next one has its own again', () => {
  expect(framesOf(withoutStack(() => new Error('a value')))).toBe(0);
  expect(framesOf(new Error('a mistake'))).toBeGreaterThan(0);
  const failing = () =>
    withoutStack(() => {
      throw new Error('not made');
    });
  expect(failing).toThrow('not made');
  expect(framesOf(new Error('a mistake'))).toBeGreaterThan(0);
});
