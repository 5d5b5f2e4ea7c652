/** §12: images and videos: each field and its border, and what one video or page says of the next. */
import { expect, test } from 'vitest';
import { checkSitemap, type Finding } from '../../src/check/index.ts';

const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" ' +
  'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"';
const NOW = '2014-06-15T12:00:00Z';
const PAGE = 'https://example.org/cats';

/** The findings about images or videos of these entries, each on a line of its own from line 2 on. */
function findingsOf(...entries: readonly string[]): readonly Finding[] {
  const text = `<urlset ${NAMESPACES}>\n${entries.map((each) => `<url>${each}</url>\n`).join('')}</urlset>`;
  const check = checkSitemap(text, { url: 'https://example.org/a.xml', now: new Date(NOW) });
  return [...check].filter(({ rule }) => /^(?:video|image)/.test(rule));
}
const messagesOf = (...entries: readonly string[]): readonly string[] =>
  findingsOf(...entries).map(({ rule, message }) => `${rule}: ${message}`);

const FIELDS = {
  thumbnail_loc: 'https://example.org/cats.jpg',
  title: 'Cats',
  description: 'Cats at play',
  content_loc: 'https://example.org/cats.mp4',
};
const tag = (name: string, text: string): string => `<video:${name}>${text}</video:${name}>`;

/** A video with all required fields, and others; an undefined one is left out. */
function video(fields: Readonly<Record<string, string | undefined>> = {}, more = ''): string {
  const tags = Object.entries<string | undefined>({ ...FIELDS, ...fields }).flatMap(([name, text]) =>
    text === undefined ? [] : tag(name, text),
  );
  return `<video:video>${tags.join('')}${more}</video:video>`;
}
const page = (inside: string, url = PAGE): string => `<loc>${url}</loc>${inside}`;

test.each([
  [{ thumbnail_loc: undefined }, 'thumbnail_loc'],
  [{ title: undefined }, 'title'],
  [{ description: undefined }, 'description'],
  [{ content_loc: undefined }, 'content_loc or player_loc'],
  [{ thumbnail_loc: '' }, 'thumbnail_loc'],
  [{ title: ' ' }, 'title'],
  [{ description: '' }, 'description'],
  [{ content_loc: '' }, 'content_loc or player_loc'],
  [{ content_loc: '', player_loc: '' }, 'content_loc or player_loc'],
  [
    { title: '', content_loc: undefined, description: undefined },
    'title, description, content_loc or player_loc',
  ],
])('a video with %j lacks: %s', (fields, missing) => {
  expect(messagesOf(page(video(fields)))).toEqual([`video-missing-field: <video:video> lacks: ${missing}.`]);
});

test('a player is as good as the content, and one video does not have the fields of another', () => {
  expect(messagesOf(page(video({ content_loc: undefined, player_loc: `${PAGE}/player` })))).toEqual([]);
  const empty = '<video:video></video:video>';
  const lacks =
    'video-missing-field: <video:video> lacks: thumbnail_loc, title, description, content_loc or player_loc.';
  expect(messagesOf(page(video() + empty), page(empty + video()))).toEqual([lacks, lacks]);
});

test.each([
  [
    'duration',
    ['1', '28800', '28800.0', '1.5', ' 200 '],
    ['0', '0.5', '-1', '28801', '28800.5', '3:20', '1e9', 'x'],
  ],
  ['rating', ['0', '0.0', '5', '5.0', '4.4', ' 3 '], ['5.1', '-0.1', '87', 'good', '4/5']],
])('the %s of a video can be %j, and not %j', (name, right, wrong) => {
  for (const text of right) expect([text, messagesOf(page(video({ [name]: text })))]).toEqual([text, []]);
  for (const text of wrong) {
    const range = name === 'duration' ? 'number of seconds from 1 to 28,800' : 'number from 0 to 5';
    expect(messagesOf(page(video({ [name]: text })))).toEqual([
      `video-bad-${name}: The ${name} "${text}" is not a ${range}.`,
    ]);
  }
});

test.each([
  ['x', 2_048, []],
  ['x', 2_049, ['2,049']],
  ['\u00e9', 2_048, []],
  ['\u{1f408}', 2_048, []],
  ['\u{1f408}', 2_049, ['2,049']],
  ['x', 12_345, ['12,345']],
])('a description of %s, %i times, is too long or not', (character, count, expected) => {
  expect(messagesOf(page(video({ description: character.repeat(count) })))).toEqual(
    expected.map(
      (length) => `video-long-description: The description has ${length} characters; Google reads 2,048.`,
    ),
  );
});

test.each([
  ['2014-06-15T12:00:00Z', false],
  ['2014-06-15T11:59:58Z', true],
  ['2014-06-15T13:59:58+02:00', true],
  ['2014-06-15', false],
  ['2014-06-14', true],
  ['2014-06', false],
  ['2014-05', true],
  ['2014', false],
  ['2013', true],
  ['never', false],
])('a video that expires at %s has expired: %s', (date, isExpired) => {
  const expected = isExpired ? [`video-expired: The video has expired (${date}).`] : [];
  expect(messagesOf(page(video({ expiration_date: date })))).toEqual(expected);
});

test('dates of videos that are not of the W3C are one finding for each fault', () => {
  const dates = ['2013/05/06', '2013-05-06', '2013-05-06T07:08', '6 May 2013', '2013-05-06T07:08Z', 'soon'];
  const entries = dates.map((date) => page(video({ publication_date: date })));
  expect(messagesOf(...entries, page(video({ expiration_date: '2099-05-06T07:08' })))).toEqual([
    'video-date-not-w3c: 2 dates are not W3C dates; the first is "2013/05/06".',
    'video-date-not-w3c: 2 dates have a time but no time zone; the first is "2013-05-06T07:08".',
  ]);
  expect(messagesOf(page(video({ publication_date: '2013/05/06' })))).toEqual([
    'video-date-not-w3c: "2013/05/06" is not a W3C date; Google ignores it.',
  ]);
  expect(messagesOf(page(video({ publication_date: '2013-05-06T07:08' })))).toEqual([
    'video-date-not-w3c: "2013-05-06T07:08" has a time but no time zone.',
  ]);
});

test('old tags are one finding for each tag, and a player with attributes too', () => {
  const old = `${tag('category', 'a')}${tag('gallery_loc', PAGE)}${tag('tvshow', '')}${tag('price', '1')}`;
  const player = '<video:player_loc allow_embed="yes" autoplay="a">https://example.org/p</video:player_loc>';
  const found = findingsOf(page(video({}, old + player)), page(video({}, tag('price', '2') + player)));
  expect(found.map(({ rule, message, line, count }) => [rule, message, line, count])).toEqual([
    ['video-old-tag', 'Google has ignored <video:category> since 2022.', 2, 1],
    ['video-old-tag', 'Google has ignored <video:gallery_loc> since 2022.', 2, 1],
    ['video-old-tag', 'Google has ignored <video:tvshow> since 2022.', 2, 1],
    ['video-old-tag', 'Google has ignored <video:price> since 2022 (used 2 times).', 2, 2],
    [
      'video-old-tag',
      'Google has ignored the attributes of <video:player_loc> since 2022 (used 2 times).',
      2,
      2,
    ],
  ]);
  expect(messagesOf(page(video({ player_loc: 'https://example.org/p' })))).toEqual([]);
});

test('old tags of images are one finding for each tag', () => {
  const image = (name: string): string => `<image:image><image:${name}>a</image:${name}></image:image>`;
  const all = ['caption', 'geo_location', 'title', 'license'].map(image).join('');
  expect(messagesOf(page(all), page(image('title')))).toEqual([
    'image-old-tag: Google has ignored <image:caption> since 2022.',
    'image-old-tag: Google has ignored <image:geo_location> since 2022.',
    'image-old-tag: Google has ignored <image:title> since 2022 (used 2 times).',
    'image-old-tag: Google has ignored <image:license> since 2022.',
  ]);
});

test.each([
  [[32], []],
  [[33], [2]],
  [[70], [2]],
  [[32, 32], []],
  [
    [40, 1, 33],
    [2, 4],
  ],
])('videos with %j tags: too many on the lines %j', (counts, lines) => {
  const entries = counts.map((count) => page(video({}, tag('tag', 'a').repeat(count))));
  expect(findingsOf(...entries).map(({ rule, line }) => [rule, line])).toEqual(
    lines.map((line) => ['video-too-many-tags', line]),
  );
  const together = findingsOf(page(counts.map((count) => video({}, tag('tag', 'a').repeat(count))).join('')));
  expect(together).toHaveLength(lines.length);
});

test.each([
  ['relationship="allow"', undefined],
  ['relationship="deny"', undefined],
  ['relationship=" Deny "', undefined],
  ['a="b" relationship="ALLOW"', undefined],
  ['', 'has no relationship'],
  ['relation="allow"', 'has no relationship'],
  ['relationship=""', 'has the relationship ""'],
  ['relationship="allowed"', 'has the relationship "allowed"'],
  ['relationship="not deny"', 'has the relationship "not deny"'],
])('a restriction and a platform with %j', (attribute, what) => {
  for (const name of ['restriction', 'platform']) {
    const element = `<video:${name} ${attribute}>web</video:${name}>`;
    const message = `video-no-relationship: The ${name} of the video ${what}; it must be allow or deny.`;
    expect(messagesOf(page(video({}, element)))).toEqual(what === undefined ? [] : [message]);
  }
});

test('yes and no are in any case, and other words are one finding for each tag', () => {
  const names = ['family_friendly', 'requires_subscription', 'live'];
  for (const name of names) {
    for (const text of ['yes', 'no', 'Yes', 'NO', ' yes ', ''])
      expect([name, text, messagesOf(page(video({ [name]: text })))]).toEqual([name, text, []]);
    expect(messagesOf(page(video({ [name]: 'true' })), page(video({ [name]: 'yess' })))).toEqual([
      `video-not-yes-or-no: 2 videos have a ${name} that is neither yes nor no; the first is "true".`,
    ]);
  }
  const all = Object.fromEntries(names.map((name) => [name, 'no way']));
  expect(messagesOf(page(video(all)))).toEqual(
    names.map((name) => `video-not-yes-or-no: The ${name} "no way" is neither yes nor no.`),
  );
});

test('each address of a video that is its page is a finding, and those of other pages are not', () => {
  const both = video({ content_loc: `${PAGE}#a`, player_loc: PAGE });
  expect(messagesOf(page(both))).toEqual([
    'video-same-as-page: The content_loc is the URL of the page itself.',
    'video-same-as-page: The player_loc is the URL of the page itself.',
  ]);
  expect(messagesOf(page(video() + video({ content_loc: PAGE })))).toHaveLength(1);
  expect(messagesOf(page(video({ content_loc: `${PAGE}/2` })), page('', `${PAGE}/2`))).toEqual([]);
  expect(messagesOf(page(video({ content_loc: `${PAGE}/` })))).toEqual([]);
});

test.each([
  [[1_000], []],
  [[1_001], [2]],
  [[1_000, 1_000], []],
  [
    [1_001, 2, 1_002],
    [2, 4],
  ],
])('pages with %j images: too many on the lines %j', (counts, lines) => {
  const found = findingsOf(...counts.map((count) => page('<image:image/>'.repeat(count))));
  const many = found.filter(({ rule }) => rule === 'images-too-many');
  expect(many.map(({ line }) => line)).toEqual(lines);
  for (const { message } of many)
    expect(message).toBe('The page has more than 1,000 images; this is the first one over the limit.');
});
