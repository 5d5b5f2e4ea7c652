/** §13: the pages of a summary by day, month and year. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { DateCounts } from '../../src/summary/date-counts.ts';

test('beyond 20,000 days a known day counts on, and a month lists all of its days or none', () => {
  const counts = new DateCounts();
  const add = (day: number) => counts.add(day * 86_400_000, Number.POSITIVE_INFINITY);
  // The last one is 2024-10-03.
  for (let day = 0; day < 20_000; day++) add(day);
  for (const day of [0, 20_000, 20_000]) add(day);
  const { dated, newest, years } = counts.summary();
  expect([dated, newest]).toEqual([20_003, '2024-10-04']);
  expect(years[0]?.months[0]).toMatchObject({
    pages: 32,
    days: expect.arrayContaining([{ day: 1, pages: 2 }]),
  });
  expect(years.at(-1)?.months.at(-1)).toEqual({ month: 10, pages: 5, days: [] });
});

test.each(['America/New_York', 'Asia/Kathmandu'])('days are those of UTC in %s', (zone) => {
  vi.stubEnv('TZ', zone);
  onTestFinished(() => void vi.unstubAllEnvs());
  const counts = new DateCounts();
  for (const time of ['2013-05-01T00:00:00Z', '2013-05-31T23:59:59Z'])
    counts.add(Date.parse(time), Number.POSITIVE_INFINITY);
  const { oldest, newest, years } = counts.summary();
  const days = [1, 31].map((day) => ({ day, pages: 1 }));
  expect([oldest, newest]).toEqual(['2013-05-01', '2013-05-31']);
  expect(years).toEqual([{ year: 2013, pages: 2, months: [{ month: 5, pages: 2, days }] }]);
});

test('a date is in the future if it is more than a day after the request, to the millisecond', () => {
  const counts = new DateCounts();
  const now = Date.parse('2013-05-06T12:00:00Z');
  for (const more of [0, 86_400_000, 86_400_001, 2 * 86_400_000]) counts.add(now + more, now);
  counts.add(Number.NaN, now);
  expect(counts.summary()).toMatchObject({
    dated: 2,
    undated: 1,
    future: 2,
    oldest: '2013-05-06',
    newest: '2013-05-07',
  });
});

test('no date is no oldest and no newest, and one date is both', () => {
  const counts = new DateCounts();
  counts.add(Number.NaN, 0);
  counts.add(1e12, 0);
  expect(counts.summary()).toStrictEqual({ dated: 0, undated: 1, future: 1, years: [] });
  counts.add(0, 0);
  expect(counts.summary()).toMatchObject({ dated: 1, oldest: '1970-01-01', newest: '1970-01-01' });
});

test('years, months and days are in order, whatever the order of the pages, also before 1970', () => {
  const counts = new DateCounts();
  const times = [
    '2013-01-31',
    '1969-12-31T23:59:59.999Z',
    '2012-12-01',
    '2013-01-02',
    '1969-12-30',
    '2012-02-29',
    '2013-01-31',
  ];
  for (const time of times) counts.add(Date.parse(time), Number.POSITIVE_INFINITY);
  const { oldest, newest, years } = counts.summary();
  expect([oldest, newest]).toEqual(['1969-12-30', '2013-01-31']);
  expect(years).toEqual([
    {
      year: 1969,
      pages: 2,
      months: [
        {
          month: 12,
          pages: 2,
          days: [
            { day: 30, pages: 1 },
            { day: 31, pages: 1 },
          ],
        },
      ],
    },
    {
      year: 2012,
      pages: 2,
      months: [
        { month: 2, pages: 1, days: [{ day: 29, pages: 1 }] },
        { month: 12, pages: 1, days: [{ day: 1, pages: 1 }] },
      ],
    },
    {
      year: 2013,
      pages: 3,
      months: [
        {
          month: 1,
          pages: 3,
          days: [
            { day: 2, pages: 1 },
            { day: 31, pages: 2 },
          ],
        },
      ],
    },
  ]);
});
