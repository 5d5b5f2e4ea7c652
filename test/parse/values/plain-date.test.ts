/** The fast path for dates in bytes: it must say what the text's reader says, or nothing. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDate } from '../../../src/parse/values/date.ts';
import { PlainDate, writePlainDate } from '../../../src/parse/values/w3c-date.ts';
import { sized } from '../../support/tier.ts';

const encoder = new TextEncoder();

/** The time of a text and the text that is written again, or NaN where it is left to the slow path. */
function read(text: string): { time: number; again: string | undefined } {
  const bytes = encoder.encode(`>>${text}<<`);
  const date = new PlainDate();
  if (!date.read(new DataView(bytes.buffer), 2, bytes.length - 2))
    return { time: Number.NaN, again: undefined };
  return { time: date.time, again: writePlainDate(date.time, date.form) };
}

describe('§6 lastModified, on a fast path', () => {
  test.each([
    ['2024-05-06', '2024-05-06T00:00:00.000Z'],
    ['2024-05-06T08:53:11Z', '2024-05-06T08:53:11.000Z'],
    ['2024-05-06T08:53:11+02:00', '2024-05-06T06:53:11.000Z'],
    ['2024-05-06T08:53:11-05:30', '2024-05-06T14:23:11.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2024-05-06T08:53:11.007Z', '2024-05-06T08:53:11.007Z'],
    ['2024-05-06T08:53:11+00:00', '2024-05-06T08:53:11.000Z'],
    ['2024-05-06T08:53:11-00:00', '2024-05-06T08:53:11.000Z'],
    ['0001-01-01T00:30:00+02:00', '0000-12-31T22:30:00.000Z'],
    ['9999-12-31T23:30:00-23:59', '+010000-01-01T23:29:00.000Z'],
  ])('%s, and writes it again as it was', (text, iso) => {
    const { time, again } = read(text);
    expect(new Date(time).toISOString()).toBe(iso);
    expect(again).toBe(text);
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
    ['2024-05-06T08:53:11.07xZ'],
    ['2024-05-06T08:53:11,007Z'],
    // Read, but as moments that are written otherwise.
    ['2024-05-06T24:00:00Z'],
    ['2024-12-31T23:59:60Z'],
    [''],
  ])('leaves %j to the slow path', (text) => {
    expect(read(text).time).toBeNaN();
  });

  test('never says anything else than the slow path', () => {
    const digit = fc.constantFrom(...'0123456789');
    const shape = fc.constantFrom(
      'dddd-dd-dd',
      'dddd-dd-ddTdd:dd:ddZ',
      'dddd-dd-ddTdd:dd:dd+dd:dd',
      'dddd-dd-ddTdd:dd:dd-dd:dd',
      'dddd-dd-ddTdd:dd:dd.dddZ',
    );
    const dates = fc
      .tuple(shape, fc.infiniteStream(digit))
      .map(([text, digits]) => text.replace(/d/g, () => digits.next().value ?? '0'));
    fc.assert(
      fc.property(fc.oneof(dates, fc.string({ maxLength: 30 })), (text) => {
        const { time, again } = read(text);
        if (Number.isNaN(time)) return;
        expect(time).toBe(parseDate(text));
        expect(again).toBe(text);
      }),
      { numRuns: sized({ fast: 4_000, full: 8_000, strong: 20_000 }) },
    );
  });
});
