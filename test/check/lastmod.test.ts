/** §12: where the rules about dates begin and end. */
import { expect, test } from 'vitest';
import { checkSitemap, checkSitemaps } from '../../src/check/index.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const NOW = '2024-05-06T12:00:00Z';
const now = new Date(NOW);

function urlset(dates: readonly string[]): string {
  const urls = dates.map((date, at) => {
    const lastmod = date === '' ? '' : `<lastmod>${date}</lastmod>`;
    return `<url><loc>https://example.org/${at}</loc>${lastmod}</url>\n`;
  });
  return `<urlset ${NS}>\n${urls.join('')}</urlset>`;
}

function found(dates: readonly string[]): readonly string[] {
  const findings = [...checkSitemap(urlset(dates), { url: 'https://example.org/s.xml', now })];
  return findings.map(({ rule, line, count }) => `${rule} ${line}${count === undefined ? '' : ` ×${count}`}`);
}

const times = (count: number, date: string): string[] => Array.from({ length: count }, () => date);

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['a date a day ahead', ['2024-05-07T12:00:00Z'], []],
  ['a date a second further ahead', ['2024-05-07T12:00:01Z'], ['lastmod-future 2']],
  ['the day of the first website', ['1991-08-06'], []],
  ['the day before, twice', ['1991-08-05', '1991-08-05'], ['lastmod-epoch 2 ×2']],
  ['19 equal dates', times(19, '2024-01-01'), []],
  ['20 equal dates', times(20, '2024-01-01'), ['lastmod-all-equal 2']],
  ['19 equal dates of 20', [...times(19, '2024-01-01'), '2024-01-02'], ['lastmod-all-equal 2']],
  ['18 equal dates of 20', [...times(18, '2024-01-01'), '2024-01-02', '2024-01-03'], []],
  ['two dates of the request', times(2, NOW), []],
  ['three dates of the request', times(3, NOW), ['lastmod-is-fetch-time 2']],
  ['three dates a minute before it', times(3, '2024-05-06T11:59:00Z'), ['lastmod-is-fetch-time 2']],
  ['three dates more than a minute before it', times(3, '2024-05-06T11:58:59Z'), []],
  ['three dates without a time of day', times(3, '2024-05-06'), []],
  [
    'three dates of the request, without colons',
    times(3, '20240506T120000Z'),
    [...[2, 3, 4].map((line) => `lastmod-not-w3c ${line}`), 'lastmod-is-fetch-time 2'],
  ],
  ['19 of 20 dates of the request', [...times(19, NOW), '2024-01-01'], ['lastmod-is-fetch-time 2']],
  ['18 of 20 dates of the request', [...times(18, NOW), '2024-01-01', '2024-01-02'], []],
  ['one page without a date', ['2024-01-01', ''], ['lastmod-missing 3 ×1']],
  ['a time without a zone', ['2024-01-01T00:00:00'], ['lastmod-no-zone 2']],
  ['a date that is not of the W3C', ['1 Jan 2024'], ['lastmod-not-w3c 2']],
])('%s', (_what, dates, expected) => {
  expect(found(dates)).toEqual(expected);
});

test.each([
  [3, [], false],
  [25, ['lastmod-all-equal'], false],
  [3, ['lastmod-is-fetch-time'], true],
])('%i equal dates half a minute after midnight: %j, with a time of day: %s', (count, expected, hasTime) => {
  const text = urlset(times(count, hasTime ? '2024-05-06T00:00:00Z' : '2024-05-06'));
  const check = checkSitemap(text, {
    url: 'https://example.org/s.xml',
    now: new Date('2024-05-06T00:00:30Z'),
  });
  expect(Array.from(check, ({ rule }) => rule)).toEqual(expected);
});

test.each<readonly [index: string, page: string, isOld: boolean]>([
  ['2024-05-05', '2024-05-06', false],
  ['2024-05-04', '2024-05-06', true],
  ['2024-05-05T00:00:00Z', '2024-05-06T00:00:00Z', false],
  ['2024-05-05T00:00:00Z', '2024-05-06T00:00:01Z', true],
  // Days as they are written, each in its own zone.
  ['2024-05-04', '2024-05-05T23:30:00-05:00', false],
  ['2024-05-03', '2024-05-05T00:30:00+05:00', true],
  ['2024-05', '2024-05-06', false],
  ['2024-04', '2024-05-06', true],
  ['2024-05-06', '2024-05', false],
  ['2024', '2024-05-06', false],
  ['2023', '2024-01-01', true],
  ['2023-12', '2024-01-01', true],
  ['Sat, 04 May 2024 10:00:00 GMT', '2024-05-06T10:00:00Z', true],
  // What is in the future has a rule of its own.
  ['2024-05-05', '2024-05-09', false],
  ['2024-05-06', '2024-05-01', false],
])('an index that says %s of a page of %s is old: %s', (index, page, isOld) => {
  const url = 'https://example.org/s.xml';
  const check = checkSitemaps(
    [
      {
        url: 'https://example.org/index.xml',
        content: `<sitemapindex ${NS}>\n<sitemap><loc>${url}</loc><lastmod>${index}</lastmod></sitemap></sitemapindex>`,
      },
      { url, content: urlset(['2020-01-01', page]) },
    ],
    { now },
  );
  const old = [...check].filter(({ rule }) => rule === 'index-lastmod-old');
  expect(old.map(({ document, line, related }) => [document, line, related])).toEqual(
    isOld ? [['https://example.org/index.xml', 2, [{ document: url }]]] : [],
  );
});

const NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';

test.each<readonly [string, string, readonly string[]]>([
  ['a story without a date', '<url><loc>https://example.org/1</loc><news:news/></url>', []],
  [
    'a page without a date behind a story',
    '<url><loc>https://example.org/1</loc><news:news/></url>\n<url><loc>https://example.org/2</loc></url>',
    ['lastmod-missing 2 ×1'],
  ],
  [
    'a page without a date behind one with a date',
    '<url><loc>https://example.org/1</loc><lastmod>2014-01-01</lastmod></url>\n<url><loc>https://example.org/2</loc></url>',
    ['lastmod-missing 2 ×1'],
  ],
  [
    'a page without a date behind an entry that has a date and no address',
    '<url><lastmod>2014-01-01</lastmod></url>\n<url><loc>https://example.org/2</loc></url>',
    ['lastmod-missing 2 ×1'],
  ],
  [
    'a page without a date in the entry of one with a date',
    '<url><loc>https://example.org/1</loc><lastmod>2014-01-01</lastmod><loc>https://example.org/2</loc></url>',
    ['lastmod-missing 1 ×1'],
  ],
  [
    'a date in front of the address',
    '<url><lastmod>2014-01-01</lastmod><loc>https://example.org/1</loc></url>',
    [],
  ],
  ['an empty date', '<url><loc>https://example.org/1</loc><lastmod/></url>', ['lastmod-missing 1 ×1']],
  [
    'a date that cannot be understood',
    '<url><loc>https://example.org/1</loc><lastmod>soon</lastmod></url>',
    [],
  ],
  [
    'a page that is there again',
    '<url><loc>https://example.org/1</loc><lastmod>2014-01-01</lastmod></url>\n<url><loc>https://example.org/1</loc></url>',
    [],
  ],
])('%s: which pages have no date', (_what, entries, expected) => {
  const text = `<urlset ${NS} ${NEWS}>${entries}</urlset>`;
  const missing = [...checkSitemap(text, { url: 'https://example.org/s.xml', now })].filter(
    ({ rule }) => rule === 'lastmod-missing',
  );
  expect(missing.map(({ rule, line, count }) => `${rule} ${line} ×${count}`)).toEqual(expected);
});

test.each([
  [[''], 'The page has no lastmod: https://example.org/0'],
  [['2014-01-01', ''], '1 of 2 pages has no lastmod.'],
  [['', '2014-01-01', ''], '2 of 3 pages have no lastmod.'],
])('of the dates %j it is said: %s', (dates, message) => {
  const check = [...checkSitemap(urlset(dates), { url: 'https://example.org/s.xml', now })];
  expect(check.find(({ rule }) => rule === 'lastmod-missing')?.message).toBe(message);
});

test.each([
  ['2024-05-06T12:01:00Z', true],
  ['2024-05-06T12:01:01Z', false],
  ['2024-05-06T11:59:00Z', true],
  ['2024-05-06T13:59:30+02:00', true],
  ['2024-05-06T12:00:00', true],
  // A day whose beginning is the time of the request has no time of day.
  ['2024-05-06-12:00', false],
])('three dates of %s are those of the request: %s; not where its time is not known', (date, isRequest) => {
  const rules = found(times(3, date)).filter((each) => each.startsWith('lastmod-is'));
  expect(rules).toEqual(isRequest ? ['lastmod-is-fetch-time 2'] : []);
  const clock = new Date(Date.now()).toISOString();
  const ownTime = [...checkSitemap(urlset(times(3, clock)), { url: 'https://example.org/s.xml' })];
  expect(ownTime.map(({ rule }) => rule)).not.toContain('lastmod-is-fetch-time');
});

test('equal dates are told with their day and their number, also in UTC, at the first of all dates', () => {
  const dates = [...times(20, '2014-05-06T23:30:00-05:00'), '2014-05-06'];
  const equal = [
    ...checkSitemap(urlset(['2014-05-06', ...dates]), { url: 'https://example.org/s.xml', now }),
  ];
  expect(equal.filter(({ rule }) => rule === 'lastmod-all-equal')).toEqual([]);
  const [finding] = [...checkSitemap(urlset(dates), { url: 'https://example.org/s.xml', now })].filter(
    ({ rule }) => rule === 'lastmod-all-equal',
  );
  expect(finding).toMatchObject({ message: '20 of 21 dates are 2014-05-07.', line: 2 });
});

test('equal dates are not reported of news, nor of an index', () => {
  const rulesOf = (text: string): readonly string[] =>
    Array.from(checkSitemap(text, { url: 'https://example.org/s.xml', now }), ({ rule }) => rule);
  const dated = urlset(times(25, '2014-05-06'));
  expect(rulesOf(dated)).toContain('lastmod-all-equal');
  const news = dated.replace('<urlset', `<urlset ${NEWS}`).replace('</url>', '<news:news/></url>');
  expect(rulesOf(news)).not.toContain('lastmod-all-equal');
  expect(rulesOf(dated.replaceAll('urlset', 'sitemapindex').replaceAll('url>', 'sitemap>'))).not.toContain(
    'lastmod-all-equal',
  );
});

test.each([
  ['2024/05/04', '2024-05-06T10:00:00Z', true],
  ['1714816799', '2024-05-05T10:00:00Z', true],
  ['1714816800', '2024-05-05T10:00:00Z', false],
  ['Mon, 01 Jan 2024 00:00:00 GMT', '2024-05-06', true],
  ['Mon, 06 May 2024 10:00:00 GMT', '2024-05-06', false],
  ['2024-01-01', 'Mon, 06 May 2024 10:00:00 GMT', true],
  ['2022-12', '2023-11', true],
  ['2024-12', '2023-12-31', false],
  ['2022-12', '2024-01-01', true],
  ['2024-05-05T23:59:59Z', '2024-05-06', false],
  // A day with a zone is a day as it is written.
  ['2013-05-04+02:00', '2013-05-05T23:30:00+02:00', false],
  ['2013-05-03+02:00', '2013-05-05T00:30:00+02:00', true],
])('an index that says %s of a sitemap with the newest page of %s is old: %s', (index, page, isOld) => {
  const url = 'https://example.org/s.xml';
  const entry = `<sitemap><loc>${url}</loc><lastmod>${index}</lastmod></sitemap>`;
  const check = checkSitemaps(
    [
      { url: 'https://example.org/i.xml', content: `<sitemapindex ${NS}>${entry}</sitemapindex>` },
      { url, content: urlset([page, '2010-01-01', 'soon', '']) },
    ],
    { now },
  );
  expect([...check].some(({ rule }) => rule === 'index-lastmod-old')).toBe(isOld);
});
