/** The fast path for dates in bytes: it must say what the text's reader says, or nothing. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDate } from '../../../src/parse/values/date.ts';
import { parsePlainDate } from '../../../src/parse/values/date-bytes.ts';

const encoder = new TextEncoder();

function read(text: string): number {
  const bytes = encoder.encode(`>>${text}<<`);
  return parsePlainDate(bytes, 2, bytes.length - 2);
}

describe('§6 lastModified, on a fast path', () => {
  test.each([
    ['2024-05-06', '2024-05-06T00:00:00.000Z'],
    ['2024-05-06T08:53:11Z', '2024-05-06T08:53:11.000Z'],
    ['2024-05-06T08:53:11+02:00', '2024-05-06T06:53:11.000Z'],
    ['2024-05-06T08:53:11-05:30', '2024-05-06T14:23:11.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('%s', (text, iso) => {
    expect(new Date(read(text)).toISOString()).toBe(iso);
  });

  test.each([
    ['2025-02-30'],
    ['0000-00-00'],
    ['2024-13-01'],
    ['2024/05/06'],
    ['2024-05-0x'],
    ['2024-05-06 08:53:11Z'],
    ['2024-05-06T25:00:00Z'],
    ['2024-05-06T08:53:11z'],
    ['2024-05-06T08:5x:11Z'],
    ['2024-05-06T08:53:11+24:00'],
    ['2024-05-06T08:53:11+02.00'],
    ['2024-05-06T08:53'],
    [''],
  ])('leaves %j to the slow path', (text) => {
    expect(read(text)).toBeNaN();
  });

  test('never says anything else than the slow path', () => {
    const digit = fc.constantFrom(...'0123456789');
    const shape = fc.constantFrom(
      'dddd-dd-dd',
      'dddd-dd-ddTdd:dd:ddZ',
      'dddd-dd-ddTdd:dd:dd+dd:dd',
      'dddd-dd-ddTdd:dd:dd-dd:dd',
    );
    const dates = fc
      .tuple(shape, fc.infiniteStream(digit))
      .map(([text, digits]) => text.replace(/d/g, () => digits.next().value ?? '0'));
    fc.assert(
      fc.property(fc.oneof(dates, fc.string({ maxLength: 30 })), (text) => {
        const time = read(text);
        if (!Number.isNaN(time)) expect(time).toBe(parseDate(text));
      }),
      { numRuns: 5000 },
    );
  });
});
