/** Points in time, of `filterPages` and of `--since`. */
import { describe, expect, test } from 'vitest';
import { isSince } from '../../src/filter/filter-pages.ts';
import { parseWhen } from '../../src/options/filter-values.ts';

describe('a time as people write it (§10)', () => {
  const now = Date.parse('2024-05-07T15:30:00Z');
  test.each([
    ['2024-05-06', '2024-05-06T00:00:00.000Z'],
    ['2024-05', '2024-05-01T00:00:00.000Z'],
    ['2024', '2024-01-01T00:00:00.000Z'],
    ['2024-05-06T08:00', '2024-05-06T08:00:00.000Z'],
    ['2024-05-06 08:00:30', '2024-05-06T08:00:30.000Z'],
    ['2024-05-06T08:00+02:00', '2024-05-06T06:00:00.000Z'],
    ['2024-05-06T08:00-0530', '2024-05-06T13:30:00.000Z'],
    ['24h', '2024-05-06T15:30:00.000Z'],
    ['7d', '2024-04-30T15:30:00.000Z'],
    ['2w', '2024-04-23T15:30:00.000Z'],
    ['90m', '2024-05-07T14:00:00.000Z'],
    ['1.5d', '2024-05-06T03:30:00.000Z'],
    ['yesterday', '2024-05-06T00:00:00.000Z'],
    ['Today', '2024-05-07T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(new Date(parseWhen(text, now) ?? Number.NaN).toISOString()).toBe(expected);
  });

  test.each([
    `2024-05-06T08:00:00.${'1'.repeat(200)}`,
    '',
    'lately',
    '999999999w',
    '05/06/2024',
    '2024-02-30',
    '2024-13',
    '2024-05-06T25:00',
    '7',
    '-7d',
    '7 d',
  ])('"%s" is not a time', (text) => {
    expect(parseWhen(text, now)).toBeUndefined();
  });

  test.each([
    ['2024-05-06T12:00:00Z', '2024-05-06T12:00:00Z', '2024-05-06T12:00:00Z', true],
    ['2024-05-06T11:59:59Z', '2024-05-06T11:59:59Z', '2024-05-06T12:00:00Z', false],
    // A date without a time covers its day, a month its month, a year its year.
    ['2024-05-06T00:00:00Z', '2024-05-06', '2024-05-06T23:59:00Z', true],
    ['2024-05-06T00:00:00Z', '2024-05-06', '2024-05-07T00:00:00Z', false],
    ['2024-05-06T00:00:00Z', '2024-05-06T00:00:00Z', '2024-05-06T12:00:00Z', false],
    ['2024-05-01T00:00:00Z', '2024-05', '2024-05-31T12:00:00Z', true],
    ['2024-01-01T00:00:00Z', '2024', '2024-12-31T12:00:00Z', true],
    ['2024-01-01T00:00:00Z', '2024', '2025-01-01T00:00:00Z', false],
    // An index gives no text: midnight counts as a day.
    ['2024-05-06T00:00:00Z', undefined, '2024-05-06T12:00:00Z', true],
    ['2024-05-06T00:00:01Z', undefined, '2024-05-06T12:00:00Z', false],
  ])('%s, written %s, is since %s: %s', (date, text, since, expected) => {
    expect(isSince(new Date(date), text, Date.parse(since))).toBe(expected);
  });
});
