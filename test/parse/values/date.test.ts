import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endOfDate, parseDate } from '../../../src/parse/values/date.ts';
import { anyCharacter } from '../../support/any-text.ts';
import { sized } from '../../support/tier.ts';

type Cases = readonly (readonly [text: string, iso: string])[];

const W3C: Cases = [
  ['2024', '2024-01-01T00:00:00.000Z'],
  ['2024-05', '2024-05-01T00:00:00.000Z'],
  ['2024-05-06', '2024-05-06T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2000-02-29', '2000-02-29T00:00:00.000Z'],
  ['1969-12-31', '1969-12-31T00:00:00.000Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['0099-03-01', '0099-03-01T00:00:00.000Z'],
  ['9999-12-31', '9999-12-31T00:00:00.000Z'],
  ['0001-01-01T00:00:00+00:00', '0001-01-01T00:00:00.000Z'],
  ['0001-01-01T00:00:00+01:00', '0000-12-31T23:00:00.000Z'],
  ['2024-05-06T08:53', '2024-05-06T08:53:00.000Z'],
  ['2024-05-06T08:53Z', '2024-05-06T08:53:00.000Z'],
  ['2024-05-06T08:53+02:00', '2024-05-06T06:53:00.000Z'],
  ['2024-05-06T08:53:11', '2024-05-06T08:53:11.000Z'],
  ['2024-05-06T08:53:11Z', '2024-05-06T08:53:11.000Z'],
  ['2024-05-06t08:53:11z', '2024-05-06T08:53:11.000Z'],
  ['2024-05-06 08:53:11', '2024-05-06T08:53:11.000Z'],
  ['2024-05-06T08:53:11+02', '2024-05-06T06:53:11.000Z'],
  ['2024-05-06T08:53:11+0200', '2024-05-06T06:53:11.000Z'],
  ['2024-05-06T08:53:11+02:00', '2024-05-06T06:53:11.000Z'],
  ['2024-05-06T08:53:11-09:30', '2024-05-06T18:23:11.000Z'],
  ['2024-05-06T08:53:11-00:00', '2024-05-06T08:53:11.000Z'],
  ['2024-05-06T08:53:11+23:59', '2024-05-05T08:54:11.000Z'],
  ['2024-05-06 08:53:11 +00:00', '2024-05-06T08:53:11.000Z'],
  ['2024-05-06 08:53:11 +0200', '2024-05-06T06:53:11.000Z'],
  ['2024-05-06 08:53:11  +02:00', '2024-05-06T06:53:11.000Z'],
  ['2024-05-06 08:53:11 Z', '2024-05-06T08:53:11.000Z'],
  ['2024-05-06 08:53:11 UTC', '2024-05-06T08:53:11.000Z'],
  ['2024-05-06T08:53:11 GMT', '2024-05-06T08:53:11.000Z'],
  ['2024-05-06T08:53:11.1Z', '2024-05-06T08:53:11.100Z'],
  ['2024-05-06T08:53:11.12Z', '2024-05-06T08:53:11.120Z'],
  ['2024-05-06T08:53:11.123Z', '2024-05-06T08:53:11.123Z'],
  ['2024-05-06T08:53:11,123Z', '2024-05-06T08:53:11.123Z'],
  ['2024-05-06T08:53:11.999999999+02:00', '2024-05-06T06:53:11.999Z'],
  ['2024-05-06T08:53:11.0009', '2024-05-06T08:53:11.000Z'],
  ['2024-12-31T24:00:00Z', '2025-01-01T00:00:00.000Z'],
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.000Z'],
  ['2016-12-31T23:59:60.5Z', '2016-12-31T23:59:59.500Z'],
  ['2024-05-06Z', '2024-05-06T00:00:00.000Z'],
  ['2024-05-06+02:00', '2024-05-05T22:00:00.000Z'],
  ['2024-05-06-05:00', '2024-05-06T05:00:00.000Z'],
  ['\n2024 ', '2024-01-01T00:00:00.000Z'],
  ['\u00a02024-05\t', '2024-05-01T00:00:00.000Z'],
  ['  2024-05-06\n', '2024-05-06T00:00:00.000Z'],
  ['\r\n\t\t2024-05-06T08:53:11Z\r\n\t', '2024-05-06T08:53:11.000Z'],
  ['\u00a0\u30002024-05-06T08:53:11Z\u2028\ufeff', '2024-05-06T08:53:11.000Z'],
  [`${' '.repeat(500)}2024-05-06${' '.repeat(500)}`, '2024-05-06T00:00:00.000Z'],
];

const RFC822: Cases = [
  ['Tue, 10 Aug 2010 20:43:53 -0000', '2010-08-10T20:43:53.000Z'],
  ['Tue, 10 Aug 2010 20:43:53 +0000', '2010-08-10T20:43:53.000Z'],
  ['Tue, 10 Aug 2010 20:43:53 +0530', '2010-08-10T15:13:53.000Z'],
  ['Tue, 10 Aug 2010 20:43:53 +05:30', '2010-08-10T15:13:53.000Z'],
  ['Tue, 10 Aug 2010 20:43:53', '2010-08-10T20:43:53.000Z'],
  ['Tue, 10 Aug 2010 20:43 GMT', '2010-08-10T20:43:00.000Z'],
  ['10 Aug 2010 20:43:53 GMT', '2010-08-10T20:43:53.000Z'],
  ['Fri, 10 Aug 2010 20:43:53 GMT', '2010-08-10T20:43:53.000Z'],
  ['Tuesday, 10 August 2010 20:43:53 GMT', '2010-08-10T20:43:53.000Z'],
  ['Tue,10 Aug 2010 20:43:53 GMT', '2010-08-10T20:43:53.000Z'],
  ['Tue 10 Aug 2010 20:43:53GMT', '2010-08-10T20:43:53.000Z'],
  ['TUE, 10 AUG 2010 20:43:53 gmt', '2010-08-10T20:43:53.000Z'],
  ['Thurs., 9 Sept. 2010 8:43:53 UT', '2010-09-09T08:43:53.000Z'],
  ['Tuesday, 10-Aug-10 20:43:53 GMT', '2010-08-10T20:43:53.000Z'],
  ['Tue, 10 Aug 00 20:43:53 GMT', '2000-08-10T20:43:53.000Z'],
  ['Tue, 10 Aug 49 20:43:53 GMT', '2049-08-10T20:43:53.000Z'],
  ['Tue, 10 Aug 50 20:43:53 GMT', '1950-08-10T20:43:53.000Z'],
  ['Tue, 10 Aug 99 20:43:53 GMT', '1999-08-10T20:43:53.000Z'],
  ['Tue, 10 Aug 110 20:43:53 GMT', '2010-08-10T20:43:53.000Z'],
  ['Tue, 10 Aug 2010 20:43:53 (a (nested) comment) GMT (UTC)', '2010-08-10T20:43:53.000Z'],
  ['Tue,\n 10 Aug  2010\t20:43:53 GMT', '2010-08-10T20:43:53.000Z'],
  ['Tue, 10 Aug 2010 20:43:60 GMT', '2010-08-10T20:43:59.000Z'],
  ['Tue, 10 Aug 2010 24:00:00 GMT', '2010-08-11T00:00:00.000Z'],
  ['Tue, 10 Aug 2010 20:43:53.250 GMT', '2010-08-10T20:43:53.250Z'],
  ...['UT', 'UTC', 'GMT', 'Z', 'A', 'm', 'Y'].map(
    (zone) => [`Tue, 10 Aug 2010 12:43:53 ${zone}`, '2010-08-10T12:43:53.000Z'] as const,
  ),
  ['Tue, 10 Aug 2010 12:43:53 EDT', '2010-08-10T16:43:53.000Z'],
  ['Tue, 10 Aug 2010 12:43:53 EST', '2010-08-10T17:43:53.000Z'],
  ['Tue, 10 Aug 2010 12:43:53 CDT', '2010-08-10T17:43:53.000Z'],
  ['Tue, 10 Aug 2010 12:43:53 CST', '2010-08-10T18:43:53.000Z'],
  ['Tue, 10 Aug 2010 12:43:53 MDT', '2010-08-10T18:43:53.000Z'],
  ['Tue, 10 Aug 2010 12:43:53 MST', '2010-08-10T19:43:53.000Z'],
  ['Tue, 10 Aug 2010 12:43:53 PDT', '2010-08-10T19:43:53.000Z'],
  ['Tue, 10 Aug 2010 12:43:53 PST', '2010-08-10T20:43:53.000Z'],
];

const WILD: Cases = [
  ['2024-5-6', '2024-05-06T00:00:00.000Z'],
  ['2024-5-6 8:53', '2024-05-06T08:53:00.000Z'],
  ['2024/05/06', '2024-05-06T00:00:00.000Z'],
  ['2024/05/06 08:53:11', '2024-05-06T08:53:11.000Z'],
  ['2024.05.06', '2024-05-06T00:00:00.000Z'],
  ['2024.05.06T08:53:11+02:00', '2024-05-06T06:53:11.000Z'],
  ['2024-05-06 08:53:11 PM', '2024-05-06T20:53:11.000Z'],
  ['2024-05-06 UTC', '2024-05-06T00:00:00.000Z'],
  ['2024-05-06 +02:00', '2024-05-05T22:00:00.000Z'],
  ['20240506', '2024-05-06T00:00:00.000Z'],
  ['20240506T112233Z', '2024-05-06T11:22:33.000Z'],
  ['20240506T112233', '2024-05-06T11:22:33.000Z'],
  ['20240506T112233.5+0200', '2024-05-06T09:22:33.500Z'],
  ['20240506T1122Z', '2024-05-06T11:22:00.000Z'],
  ['20240506112233', '2024-05-06T11:22:33.000Z'],
  ['20240506 11:22:33', '2024-05-06T11:22:33.000Z'],
  ['06 May 2024', '2024-05-06T00:00:00.000Z'],
  ['6th May, 2024', '2024-05-06T00:00:00.000Z'],
  ['06-May-2024', '2024-05-06T00:00:00.000Z'],
  ['06-May-2024 08:53', '2024-05-06T08:53:00.000Z'],
  ['06/May/2024', '2024-05-06T00:00:00.000Z'],
  ['6 May 2024 14:05', '2024-05-06T14:05:00.000Z'],
  ['May 6, 2024', '2024-05-06T00:00:00.000Z'],
  ['Sept. 1st 2024', '2024-09-01T00:00:00.000Z'],
  ['Monday, May 6, 2024', '2024-05-06T00:00:00.000Z'],
  ['May 6, 2024 08:53:11 AM', '2024-05-06T08:53:11.000Z'],
  ['May 6, 2024, 8:53:11\u202fPM', '2024-05-06T20:53:11.000Z'],
  ['May 6, 2024 12:00 AM', '2024-05-06T00:00:00.000Z'],
  ['May 6, 2024 12:00 p.m.', '2024-05-06T12:00:00.000Z'],
  ['May 6, 2024 8:53am EST', '2024-05-06T13:53:00.000Z'],
  ['May 2024', '2024-05-01T00:00:00.000Z'],
  ['Mon May  6 08:53:11 2024', '2024-05-06T08:53:11.000Z'],
  ['Mon May  6 08:53:11 PDT 2024', '2024-05-06T15:53:11.000Z'],
  ['Tue May 06 2024 08:53:11 GMT+0200 (CEST)', '2024-05-06T06:53:11.000Z'],
  ['Mon May 06 2024 08:53:11 GMT-0330 (heure d’été de Terre-Neuve)', '2024-05-06T12:23:11.000Z'],
  ['2024-05-06 08:53:11 +0000 UTC', '2024-05-06T08:53:11.000Z'],
  ['2024-05-06 08:53:11.5 +0200 CEST', '2024-05-06T06:53:11.500Z'],
  ['2024-05-06 08:53:11 -0300 -03', '2024-05-06T11:53:11.000Z'],
  ['Mon, 06 May 2024 08:53:11 +0200 CEST', '2024-05-06T06:53:11.000Z'],
  ['1714978391', '2024-05-06T06:53:11.000Z'],
  ['1714978391123', '2024-05-06T06:53:11.123Z'],
];

const ABSENT: readonly string[] = [
  '2024-05-06 08:53:11 CEST UTC',
  '2024-05-06 08:53:11 +0200 of the summer',
  'Tue, 10 Au\u7567 2010 20:43:53 GMT',
  'Tu\u0165, 10 Aug 2010 20:43:53 GMT',
  ...[
    '',
    ' ',
    'null',
    'undefined',
    'not a date',
    'NaN',
    'Invalid Date',
    'today',
    'now',
    '-',
    '0',
    '{{date}}',
  ],
  // Ambiguous.
  ...[
    '05/06/2024',
    '13/05/2024',
    '05/13/2024',
    '5-6-2024',
    '05.06.2024',
    '05/06/24',
    '24-05-06',
    '10 May 06',
  ],
  ...['May 6, 24', '2024/05', '2024.05', '2024-05-06-05', '202405', '202405061122', '2024-05-06T08'],
  // Impossible days.
  ...['2025-02-30', '2025-02-29', '1900-02-29', '2024-04-31', '2024-05-32', '2024-05-00', '2024-13-01'],
  ...['2024-00-01', '2024-00', '2024-13', '0000-00-00', '0000-00-00 00:00:00', '0000', '0000-01-01'],
  ...[
    '30 Feb 2024',
    'Feb 30, 2024',
    '20240230',
    '2024/02/30',
    '99999999',
    '6 Foo 2024',
    'Foo 6, 2024',
    '6 Ma 2024',
  ],
  ...['Feb 30 08:53:11 2024', '00 May 2024', '6 May 0000'],
  // Impossible times.
  ...[
    'T112:13:04',
    '2021-06-18T112:13:04+00:00',
    '2024-05-06T25:00:00',
    '2024-05-06T24:00:01',
    '2024-05-06T24:01',
  ],
  ...[
    '2024-05-06T24:00:00.5Z',
    '2024-05-06T08:60:00',
    '2024-05-06T08:53:61',
    '2024-05-06T08:5',
    '2024-05-06T',
  ],
  ...['2024-05-06T08:53:1', '2024-05-06T08:53:', '2024-05-06T08:53:11.', '2024-05-06T08:53.5', '08:53:11'],
  ...['May 6, 2024 13:05 PM', 'May 6, 2024 0:05 AM', 'Tue, 10 Aug 2010 25:43:53 GMT', '20240506T252233Z'],
  // Impossible or unknown zones.
  ...[
    '2024-05-06T08:53:11+24:00',
    '2024-05-06T08:53:11-24:00',
    '2024-05-06T08:53:11+02:60',
    '2024-05-06+24:00',
  ],
  ...[
    '2024-05-06T08:53:11+2',
    '2024-05-06T08:53:11+02:0',
    '2024-05-06T08:53:11+02:00:00',
    '2024-05-06T08:53:11Zulu',
  ],
  ...[
    '2024-05-06T08:53:11A',
    'May 6, 2024 8:53 p',
    'Tue, 10 Aug 2010 20:43:53 J',
    'Tue, 10 Aug 2010 20:43:53 XYZ',
  ],
  ...['Tue, 10 Aug 2010 20:43:53 +2400', 'Tue, 10 Aug 2010 20:43:53 +0060'],
  ...['2024-05-06T08:53:11+02.00', 'Tue, 10 Aug 2010 20:43:53 GMTZ', 'May 6, 2024 8:53 pmz'],
  // Negative, and numbers that count nothing.
  ...[
    '-2024',
    '-1714978391',
    '+1714978391',
    '0000000000',
    '0000000000000',
    '171497839',
    '17149783911',
    '1714978391.5',
  ],
  // Letters for digits.
  ...['20x4', '2x24', '202:', '/024', '20x4-05', '2x24-05', '2024-x5', '2024-0x', '2024x05'],
  // Something before, inside or after.
  ...[
    '2024-05-06x',
    'x2024-05-06',
    '2024-05-06T08:53:11Z2',
    '2024 -05-06',
    '2024-05 -06',
    '20240506T112233Z2024',
  ],
  ...[
    '2024-05-06T08:53:11ZZ',
    '2024-05-06 2024-05-07',
    'Tue, 10 Aug 2010 20:43:53 GMT (',
    '10 Aug 2010)',
    'Tue',
  ],
  ...['6 May', 'May', 'May 6', '２０２４-05-06', '2024–05–06', `2024-05-06T08:53:11.${'1'.repeat(100)}`],
  ...[`10 Aug 2010 20:43:53 (${'x'.repeat(100)})`],
  // Letters whose code ends with that of a digit, of `-` and of `T`.
  ...['2024-05-0\u0136', '\u0132024-05-06', '2024-05\u012d06', '2024-05-06\u015408:53:11Z'],
];

const PRESENT: Cases = [...W3C, ...RFC822, ...WILD];

const isoOf = (text: string): string => {
  const time = parseDate(text);
  return Number.isNaN(time) ? 'absent' : new Date(time).toISOString();
};

describe('what a date names ends', () => {
  it.each([
    ['2024', '2025-01-01T00:00:00.000Z'],
    ['2024-02', '2024-03-01T00:00:00.000Z'],
    ['2024-12', '2025-01-01T00:00:00.000Z'],
    ['May 2024', '2024-06-01T00:00:00.000Z'],
    ['Sept., 2024', '2024-10-01T00:00:00.000Z'],
    [' 2024-05-06 ', '2024-05-07T00:00:00.000Z'],
    ['Mon, 06 May 2024', '2024-05-07T00:00:00.000Z'],
    ['2024-05-06T08:53Z', '2024-05-06T08:54:00.000Z'],
    ['2024-05-06T00:00:00Z', '2024-05-06T00:00:01.000Z'],
    ['2024-05-06T08:53:11.250Z', '2024-05-06T08:53:12.250Z'],
    ['1714953600', '2024-05-06T00:00:01.000Z'],
    ['20240506T0853Z', '2024-05-06T08:54:00.000Z'],
    ['20240506T085311Z', '2024-05-06T08:54:11.000Z'],
    ['20240506', '2024-05-07T00:00:00.000Z'],
    // The colon of a zone is not that of a time of day.
    ['2013-05-06+02:00', '2013-05-06T22:00:00.000Z'],
    ['2013-05-06-09:30', '2013-05-07T09:30:00.000Z'],
    ['2013-05-06T08:53+02:00', '2013-05-06T06:54:00.000Z'],
    ['2013-05-06T08:53:11-09:30', '2013-05-06T18:23:12.000Z'],
  ])('%s: at %s', (text, end) => {
    expect(new Date(endOfDate(parseDate(text), text)).toISOString()).toBe(end);
  });

  it('after a day at midnight and after a minute otherwise, where the text is not known', () => {
    const midnight = Date.UTC(2024, 4, 6);
    expect(endOfDate(midnight, undefined)).toBe(Date.UTC(2024, 4, 7));
    expect(endOfDate(midnight + 1_000, undefined)).toBe(midnight + 61_000);
  });
});

describe('§6 lastModified: W3C datetimes', () => {
  it.each(W3C)('%j is %s', (text, iso) => expect(isoOf(text)).toBe(iso));
});

describe('§6 lastModified: a W3C datetime with one thing wrong', () => {
  const whole = '2024-05-06T08:53:11.123+02:00';

  it.each([...'/:xX\u0000\uff10'])('is absent with %j in place of any character', (wrong) => {
    for (let at = 0; at < whole.length; at++) {
      if (whole[at] === wrong) continue;
      const text = whole.slice(0, at) + wrong + whole.slice(at + 1);
      expect(isoOf(text), text).toBe('absent');
    }
  });

  it('is absent when cut anywhere but after a part', () => {
    const lengths = [...whole].map((_, index) => index + 1);
    const present = lengths.filter((length) => isoOf(whole.slice(0, length)) !== 'absent');
    expect(present).toEqual([4, 7, 10, 16, 19, 21, 22, 23, 26, 29]);
  });
});

describe('§6 lastModified: RFC 822 and 2822', () => {
  it.each(RFC822)('%j is %s', (text, iso) => expect(isoOf(text)).toBe(iso));
});

describe('§6 lastModified: the unambiguous wild ones', () => {
  it.each(WILD)('%j is %s', (text, iso) => expect(isoOf(text)).toBe(iso));
});

describe('§6 lastModified: ambiguous or impossible is absent', () => {
  it.each(ABSENT)('%j is absent', (text) => expect(isoOf(text)).toBe('absent'));
});

describe('§6 lastModified: no zone means UTC, whatever the machine’s zone', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ['America/St_Johns', 150],
    ['Asia/Kathmandu', -345],
    ['Pacific/Kiritimati', -840],
  ] as const)('on a machine in %s', (zone, minutes) => {
    vi.stubEnv('TZ', zone);
    expect(new Date(2024, 4, 6).getTimezoneOffset()).toBe(minutes);
    for (const [text, iso] of PRESENT) expect(isoOf(text), text).toBe(iso);
    for (const text of ABSENT) expect(isoOf(text), text).toBe('absent');
  });
});

describe('§6 lastModified: any instant, in any shape', () => {
  const MONTHS =
    'January February March April May June July August September October November December'.split(' ');
  const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
  const pad = (value: number, width = 2): string => String(value).padStart(width, '0');
  const DAY = 86_400_000;

  interface Written {
    readonly year: string;
    readonly month: string;
    readonly day: string;
    readonly name: string;
    readonly weekday: string;
    readonly clock: string;
    readonly fraction: string;
    readonly half: string;
    readonly hour12: number;
    readonly minute: string;
    readonly sign: string;
    readonly zoneHour: string;
    readonly zoneMinute: string;
  }

  // The clock on the wall, as `Date` prints it, is the instant that its offset is then taken from.
  const wall = fc.integer({
    min: Date.parse('0001-01-01T00:00:00Z'),
    max: Date.parse('9999-12-31T23:59:59.999Z'),
  });
  const offset = fc.integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 });

  const written = (local: number, minutes: number): Written => {
    const date = new Date(local);
    const hour = date.getUTCHours();
    return {
      year: pad(date.getUTCFullYear(), 4),
      month: pad(date.getUTCMonth() + 1),
      day: pad(date.getUTCDate()),
      name: MONTHS[date.getUTCMonth()] ?? '',
      weekday: WEEKDAYS[date.getUTCDay()] ?? '',
      clock: `${pad(hour)}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())}`,
      fraction: pad(date.getUTCMilliseconds(), 3),
      half: hour < 12 ? 'AM' : 'PM',
      hour12: hour % 12 === 0 ? 12 : hour % 12,
      minute: pad(date.getUTCMinutes()),
      sign: minutes < 0 ? '-' : '+',
      zoneHour: pad(Math.trunc(Math.abs(minutes) / 60)),
      zoneMinute: pad(Math.abs(minutes) % 60),
    };
  };

  const zone = (w: Written): string => `${w.sign}${w.zoneHour}${w.zoneMinute}`;
  const date = (w: Written): string => `${w.year}-${w.month}-${w.day}`;

  const instants: readonly [string, number, (w: Written) => string][] = [
    [
      'W3C, milliseconds',
      1,
      (w) => `${date(w)}T${w.clock}.${w.fraction}${w.sign}${w.zoneHour}:${w.zoneMinute}`,
    ],
    ['W3C, nanoseconds', 1, (w) => `${date(w)} ${w.clock},${w.fraction}987654 ${zone(w)}`],
    ['W3C, seconds', 1_000, (w) => `${date(w)}T${w.clock}${w.sign}${w.zoneHour}:${w.zoneMinute}`],
    ['ISO 8601, basic', 1_000, (w) => `${date(w)}T${w.clock}`.replaceAll(/[-:]/g, '') + zone(w)],
    ['slashes', 1_000, (w) => `${w.year}/${w.month}/${w.day} ${w.clock} ${zone(w)}`],
    [
      'RFC 2822',
      1_000,
      (w) => `${w.weekday.slice(0, 3)}, ${w.day} ${w.name.slice(0, 3)} ${w.year} ${w.clock} ${zone(w)}`,
    ],
    [
      'RFC 2822, full names',
      1_000,
      (w) => `${w.weekday}, ${w.day} ${w.name} ${w.year} ${w.clock} ${zone(w)} (x)`,
    ],
    [
      'Date.toString()',
      1_000,
      (w) =>
        `${w.weekday.slice(0, 3)} ${w.name.slice(0, 3)} ${w.day} ${w.year} ${w.clock} GMT${zone(w)} (CEST)`,
    ],
    [
      'date(1)',
      1_000,
      (w) =>
        `${w.weekday.slice(0, 3)} ${w.name.slice(0, 3)} ${Number(w.day)} ${w.clock} ${zone(w)} ${w.year}`,
    ],
    [
      'American',
      60_000,
      (w) => `${w.name} ${Number(w.day)}, ${w.year} ${w.hour12}:${w.minute} ${w.half} ${zone(w)}`,
    ],
  ];

  it.each(instants)('%s', (_name, precision, print) => {
    fc.assert(
      fc.property(wall, offset, (local, minutes) => {
        const cut = Math.floor(local / precision) * precision;
        expect(parseDate(print(written(local, minutes)))).toBe(cut - minutes * 60_000);
      }),
    );
  });

  const days: readonly [string, (w: Written) => string][] = [
    ['W3C', date],
    ['single digits', (w) => `${w.year}-${Number(w.month)}-${Number(w.day)}`],
    ['dots', (w) => `${w.year}.${w.month}.${w.day}`],
    ['compact', (w) => `${w.year}${w.month}${w.day}`],
    ['day first', (w) => `${w.day} ${w.name} ${w.year}`],
    ['day first, hyphens', (w) => `${w.day}-${w.name.slice(0, 3)}-${w.year}`],
    ['month first', (w) => `${w.name} ${Number(w.day)}, ${w.year}`],
  ];

  it.each(days)('a day alone: %s', (_name, print) => {
    fc.assert(
      fc.property(wall, (local) => {
        expect(parseDate(print(written(local, 0)))).toBe(Math.floor(local / DAY) * DAY);
      }),
    );
  });

  it('Unix time, in seconds and in milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000_000_000, max: 9_999_999_999 }), (seconds) => {
        expect(parseDate(String(seconds))).toBe(seconds * 1000);
        expect(parseDate(String(seconds * 1000))).toBe(seconds * 1000);
      }),
    );
  });

  it('every day of the calendar is one after the day before, and no other day exists', () => {
    let next = Date.parse('1896-01-01T00:00:00Z');
    for (let year = 1896; year <= 2104; year++) {
      for (let month = 1; month <= 12; month++) {
        for (let day = 1; day <= 31; day++) {
          const time = parseDate(`${year}-${pad(month)}-${pad(day)}`);
          const exists = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
          if (!Object.is(time, exists ? next : Number.NaN)) expect.fail(`${year}-${month}-${day}: ${time}`);
          if (exists) next += DAY;
        }
      }
    }
  });
});

describe('§6 lastModified: any text at all', () => {
  // A day beyond each end: the written year is what is checked, and its offset may lead out of it.
  const EARLIEST = Date.parse('0001-01-01T00:00:00Z') - 86_400_000;
  const LATEST = Date.parse('9999-12-31T23:59:59.999Z') + 86_400_000;
  const isAbsentOrInRange = (text: string): void => {
    const time = parseDate(text);
    if (!Number.isNaN(time)) expect(Number.isInteger(time) && time >= EARLIEST && time <= LATEST).toBe(true);
  };

  it('gives an instant or nothing, and never throws', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 120 }), isAbsentOrInRange), {
      numRuns: sized({ fast: 400, full: 1_000, strong: 2_000 }),
    });
  });

  it('gives an instant or nothing for what looks like a date', () => {
    const piece = fc.constantFrom(
      ...'0123456789-/.:,+ TtZz()'.split(''),
      '2024',
      '05',
      'May',
      'Tue',
      'AM',
      'GMT',
      '\u3000',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
        isAbsentOrInRange,
      ),
      {
        numRuns: sized({ fast: 1_000, full: 2_000, strong: 5_000 }),
      },
    );
  });

  it('takes a damaged date for a date or for nothing', () => {
    const damaged = fc
      .tuple(
        fc.constantFrom(...PRESENT),
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.string({ unit: 'grapheme', maxLength: 3 }),
      )
      .map(([[text], at, cut, junk]) => {
        const index = at % (text.length + 1);
        return text.slice(0, index) + junk + text.slice(index + cut);
      });
    fc.assert(fc.property(damaged, isAbsentOrInRange), {
      numRuns: sized({ fast: 1_000, full: 2_000, strong: 5_000 }),
    });
  });

  it('looks at no more than a hundred characters, so hostile text costs nothing', () => {
    // Work for each pair of characters would not end within the time that a test has.
    for (const unit of [
      '(',
      ')',
      ' ',
      '1',
      'a',
      'may ',
      '2024-',
      '1 may 2024 ',
      '\u3000',
      'x\u3000',
      '08:53:11 ',
    ]) {
      expect(parseDate(unit.repeat(300_000)), unit).toBeNaN();
      expect(parseDate(`2024-05-06T08:53:11.${unit.repeat(300_000)}x`), unit).toBeNaN();
    }
  });
});
