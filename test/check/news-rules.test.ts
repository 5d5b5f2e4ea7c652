/** §12: news: each field and its border, and what one story says of the next. */
import { expect, test } from 'vitest';
import { checkSitemap, type Finding } from '../../src/check/index.ts';

const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
const NOW = '2014-06-15T12:00:00Z';

interface Story {
  readonly name?: string | undefined;
  readonly language?: string | undefined;
  readonly date?: string | undefined;
  readonly title?: string | undefined;
}
const STORY: Story = { name: 'The Example', language: 'en', date: '2014-06-15', title: 'Rain' };

function story(more: Story = {}): string {
  const { name, language, date, title } = { ...STORY, ...more };
  const tag = (local: string, text: string | undefined): string =>
    text === undefined ? '' : `<news:${local}>${text}</news:${local}>`;
  const publication = `<news:publication>${tag('name', name)}${tag('language', language)}</news:publication>`;
  return `<news:news>${publication}${tag('publication_date', date)}${tag('title', title)}</news:news>`;
}

/** The findings about news of these entries, each on a line of its own from line 2 on. */
function findingsOf(...entries: readonly string[]): readonly Finding[] {
  const urls = entries.map((each, at) => `<url><loc>https://example.org/${at}</loc>${each}</url>\n`);
  const text = `<urlset ${NAMESPACES}>\n${urls.join('')}</urlset>`;
  const check = checkSitemap(text, { url: 'https://example.org/a.xml', now: new Date(NOW) });
  return [...check].filter(({ rule }) => rule.startsWith('news'));
}
const messagesOf = (...entries: readonly string[]): readonly string[] =>
  findingsOf(...entries).map(({ rule, message }) => `${rule}: ${message}`);

test.each<[Story, string]>([
  [{ name: '' }, 'publication name'],
  [{ language: '' }, 'language'],
  [{ date: '' }, 'publication date'],
  [{ title: ' ' }, 'title'],
  [{ name: undefined, title: undefined }, 'publication name, title'],
  [{ language: undefined, date: undefined }, 'language, publication date'],
])('a story with %j lacks: %s', (more, missing) => {
  expect(messagesOf(story(more))).toEqual([`news-missing-field: <news:news> lacks: ${missing}.`]);
});

test('a story does not have the fields of another, before or behind it', () => {
  const lacks = 'news-missing-field: <news:news> lacks: publication name, language, publication date, title.';
  expect(messagesOf(story(), '<news:news></news:news>', story())).toEqual([lacks]);
  expect(messagesOf('<news:news/>', story())).toEqual([lacks]);
});

test.each([
  ['2014-06-13T12:00:00Z', undefined],
  ['2014-06-13T11:59:58Z', 2],
  ['2014-06-13T14:00:00+02:00', undefined],
  ['2014-06-13T13:59:58+02:00', 2],
  ['2014-06-13', undefined],
  ['2014-06-12', 2],
  ['2014-06-11', 3],
  ['2014-06-12T12:00:00Z', 2],
  ['2014-06-12T11:59:58Z', 3],
  ['2014-06', undefined],
  ['2014-05', 14],
  ['2014-06-20', undefined],
])('a story of %s is too old by days: %s', (date, days) => {
  const message =
    `news-too-old: The article was published more than ${days} days ago (${date}); Google reads those of the last ` +
    'two days.';
  expect(messagesOf(story({ date }))).toEqual(days === undefined ? [] : [message]);
});

test.each([
  ['en', undefined],
  ['EN', undefined],
  ['fil', undefined],
  ['ger', undefined],
  ['zh-cn', undefined],
  ['zh-TW', undefined],
  ['zh-hk', 'warning'],
  ['en-US', 'warning'],
  ['DE-at', 'warning'],
  ['xx-US', 'error'],
  ['en-USA', 'error'],
  ['en_US', 'error'],
  ['zh-cn-x', 'error'],
  ['english', 'error'],
  ['qqq', 'error'],
])('the language %s of a story: %s', (language, severity) => {
  const found = findingsOf(story({ language }));
  expect(found.map((finding) => [finding.rule, finding.severity])).toEqual(
    severity === undefined ? [] : [['news-bad-language', severity]],
  );
  if (severity === 'warning') {
    const alone = language.slice(0, 2).toLowerCase();
    expect(found[0]?.message).toBe(
      `The language "${language}" has a country; Google asks for "${alone}" alone.`,
    );
  }
});

test('each wrong language is a finding, also behind a right one', () => {
  const languages = ['en', 'en', 'english', 'en', 'english', 'de', 'en-US'];
  const found = findingsOf(...languages.map((language) => story({ language })));
  expect(found.map(({ line, severity }) => [line, severity])).toEqual([
    [4, 'error'],
    [6, 'error'],
    [8, 'warning'],
  ]);
});

test('dates of stories that are not of the W3C are one finding for each fault', () => {
  const dates = ['2014/06/15', '15 Jun 2014', '2014-06-15T07:08', '2014-06-15T07:08Z', '2014-06-15'];
  expect(messagesOf(...dates.map((date) => story({ date })))).toEqual([
    'news-date-not-w3c: 2 dates are not W3C dates; the first is "2014/06/15".',
    'news-date-not-w3c: "2014-06-15T07:08" has a time but no time zone.',
  ]);
});

test('the second story of an entry is repeated, not the third, and not that of the next entry', () => {
  expect(findingsOf(story(), story())).toEqual([]);
  expect(findingsOf(story() + story() + story(), story() + story())).toMatchObject([
    {
      rule: 'news-repeated',
      line: 2,
      message: 'The entry has more than one <news:news>; this is the second.',
      page: 'https://example.org/0',
    },
    { rule: 'news-repeated', line: 3 },
  ]);
});

test.each([
  [1_000, 0],
  [1_001, 1],
  [1_234, 1],
])('of %i stories, the one over the limit is reported: %i', (count, findings) => {
  const found = findingsOf(...Array.from({ length: count }, () => story()));
  expect(found).toHaveLength(findings);
  for (const { rule, line, message } of found) {
    expect([rule, line]).toEqual(['news-too-many', 1_002]);
    expect(message).toBe(
      `The sitemap has ${count} <news:news>, more than 1,000; this is the first one over the limit.`,
    );
  }
});

test('what is outside of <news:news> is not about a story', () => {
  const outside =
    '<news:language>english</news:language><news:publication_date>2001-01-01</news:publication_date>';
  expect(findingsOf(outside, story())).toEqual([]);
  expect(findingsOf(story() + outside, outside)).toEqual([]);
});
