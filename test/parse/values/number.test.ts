import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDigits, parseNumber, parsePriority } from '../../../src/parse/values/number.ts';
import { anyCharacter } from '../../support/any-text.ts';

const NO_NUMBERS = [
  ...[
    '',
    ' ',
    '.',
    '+',
    '-',
    '+.',
    '0,8',
    '1,000',
    '1 000',
    '1e-1',
    '1e5',
    '0x1',
    '0b1',
    '1_0',
    '1n',
    '--1',
    '+-1',
  ],
  ...['0.8.1', '80%', 'high', 'null', 'NaN', 'Infinity', '-Infinity', '٠.٥', '０.５', '0.8x', 'x0.8', '- 1'],
];

describe('§6 priority: a number from 0 to 1', () => {
  it.each([
    ['0', 0],
    ['1', 1],
    ['0.0', 0],
    ['0.5', 0.5],
    ['0.8', 0.8],
    ['1.0', 1],
    ['0.80', 0.8],
    ['0.64', 0.64],
    ['1.00', 1],
    ['0.123456789', 0.123456789],
    [' 0.8 ', 0.8],
    ['\n\t0.8\n', 0.8],
    ['\u00a00.8\u3000', 0.8],
    ['.5', 0.5],
    ['1.', 1],
    ['0.', 0],
    ['+0.5', 0.5],
    ['-0', 0],
    ['-0.0', 0],
    ['00.5', 0.5],
  ])('%j is %d', (text, priority) => expect(parsePriority(text)).toBe(priority));

  it.each([
    ...NO_NUMBERS,
    ...['1.1', '1.5', '2.0', '2', '10', '-0.1', '-1', '1.0000001', '/.5', '0./', '0.:', '0-5', '9.0'],
  ])('%j is not one', (text) => expect(parsePriority(text)).toBeNaN());

  it('is the same double as the text in JavaScript', () => {
    for (let hundredths = 0; hundredths <= 100; hundredths++) {
      for (const digits of [1, 2, 3]) {
        const text = (hundredths / 100).toFixed(digits);
        expect(parsePriority(text)).toBe(Number(text));
      }
    }
  });
});

describe('§6 numbers of the extensions: finite decimals', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['600', 600],
    ['007', 7],
    [' -12.50 ', -12.5],
    ['+4.', 4],
    ['.25', 0.25],
    ['-.25', -0.25],
    ['100000000000000000000', 1e20],
  ])('%j is %d', (text, value) => expect(parseNumber(text)).toBe(value));

  it.each([...NO_NUMBERS, '9'.repeat(400)])('%j is not one', (text) => expect(parseNumber(text)).toBeNaN());

  it('is a finite number or nothing for any text, and never throws', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(fc.constantFrom(...'019.+-, e\n')).map((c) => c.join('')),
    );
    fc.assert(
      fc.property(text, (value) => {
        const number = parseNumber(value);
        expect(Number.isNaN(number) || number === Number(value)).toBe(true);
        const priority = parsePriority(value);
        expect(Number.isNaN(priority) ? !(number >= 0 && number <= 1) : priority === number).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes linear time', () => {
    // Work for each pair of characters would not end within the time that a test has.
    expect(parseNumber(`${'1'.repeat(1_000_000)}x`)).toBeNaN();
    expect(parseNumber(`${' '.repeat(1_000_000)}x${' '.repeat(1_000_000)}x`)).toBeNaN();
  });
});

describe('§6 numbers: digits alone are read from their bytes', () => {
  const digitsIn = (text: string): number =>
    parseDigits(new TextEncoder().encode(`>${text}<`), 1, 1 + text.length);

  it.each(['0', '7', '007', '4713', '999999999'])('%j is the number that its text is', (text) =>
    expect(digitsIn(text)).toBe(parseNumber(text)),
  );

  it.each(['', '1234567890', '1.5', '+1', '-1', '1 ', '/', ':', '1e5'])('%j is left to its text', (text) =>
    expect(digitsIn(text)).toBeNaN(),
  );
});
