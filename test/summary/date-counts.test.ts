/** §13: the pages of a summary by day, month and year. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { DateCounts } from '../../src/summary/date-counts.ts';

test('beyond 20,000 days a known day counts on, and a month lists all of its days or none', () => {
  const counts = new DateCounts();
  const add = (day: number) => counts.add(day * 86_400_000, Number.POSITIVE_INFINITY);
  // The last one is 2024-10-03.
  for (let day = 0; day < 20_000; day++) add(day);
  for (const day of [0, 20_000, 20_000]) add(day);
  const { dated, years } = counts.summary();
  expect(dated).toBe(20_003);
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
