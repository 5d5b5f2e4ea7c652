/** §5: pages, news stories and videos are values. All that they say is in fields of their own. */
import assert from 'node:assert';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseSitemap, SitemapNewsStory, SitemapPage, SitemapVideo } from '../../../src/parse/index.ts';
import { sitemapXml, type WritablePage } from '../../../src/write/index.ts';

const DAY = new Date('2024-05-06T00:00:00Z');
const OTHER_DAY = new Date('2024-05-07T00:00:00Z');
const AT = 'https://example.org/';

/** Every field with two values that differ. */
const STORY: Both<SitemapNewsStory> = {
  title: ['One', 'Two'],
  publishDate: [DAY, OTHER_DAY],
  publishDateForm: ['6 May 2024', 0],
  publicationName: ['The Times', 'The Post'],
  publicationLanguage: ['en', 'de'],
  access: ['Subscription', 'Registration'],
  genres: [['Blog'], ['Blog', 'Satire']],
  keywords: [['a'], ['b']],
  stockTickers: [['NASDAQ:A'], []],
};
const VIDEO: Both<SitemapVideo> = {
  thumbnailLoc: [`${AT}1.jpg`, `${AT}2.jpg`],
  title: ['One', 'Two'],
  description: ['This', 'That'],
  contentLoc: [`${AT}1.mp4`, `${AT}2.mp4`],
  playerLoc: [`${AT}1`, `${AT}2`],
  playerAllowEmbed: [true, false],
  playerAutoplay: ['ap=1', 'ap=2'],
  duration: [60, 61],
  expirationDate: [DAY, OTHER_DAY],
  expirationDateForm: ['6 May 2024', 0],
  rating: [4.5, 5],
  viewCount: [1, 2],
  publicationDate: [DAY, OTHER_DAY],
  publicationDateForm: ['6 May 2024', 0],
  familyFriendly: [true, false],
  restriction: [
    { relationship: 'allow', countries: ['DE'] },
    { relationship: 'deny', countries: ['DE'] },
  ],
  platform: [{ relationship: 'allow', platforms: ['web'] }, { platforms: ['web'] }],
  prices: [[{ value: 1, currency: 'EUR' }], [{ value: 1 }]],
  requiresSubscription: [true, false],
  uploader: [{ name: 'A', info: AT }, { name: 'A' }],
  live: [true, false],
  tags: [['a'], ['b']],
  category: ['One', 'Two'],
};
const PAGE: Both<SitemapPage> = {
  url: [`${AT}a`, `${AT}b`],
  priority: [0.5, 0.8],
  declaredPriority: [0.5, undefined],
  changeFrequency: ['daily', 'weekly'],
  lastModified: [DAY, OTHER_DAY],
  lastModifiedForm: ['6 May 2024', 0],
  newsStory: [new SitemapNewsStory(firstOf(STORY)), new SitemapNewsStory({ title: 'One' })],
  images: [[{ loc: AT, caption: 'One' }], [{ loc: AT }]],
  videos: [[new SitemapVideo(firstOf(VIDEO))], [new SitemapVideo({ title: 'One' })]],
  alternates: [[{ hreflang: 'de', href: AT }], [{ hreflang: 'en', href: AT }]],
};

type Both<Value> = {
  readonly [Name in Exclude<keyof Value, `to${string}` | `${string}Text`>]: readonly [
    Value[Name],
    Value[Name],
  ];
};

function firstOf<Value>(fields: Both<Value>): { [Name in keyof Both<Value>]: Value[Name] } {
  const entries = Object.entries<readonly unknown[]>(fields).map(([name, [first]]) => [name, first]);
  return Object.fromEntries(entries);
}

interface Kind {
  readonly name: string;
  readonly fields: Readonly<Record<string, readonly [unknown, unknown]>>;
  make(fields: object): SitemapPage | SitemapNewsStory | SitemapVideo;
}

const KINDS: readonly Kind[] = [
  { name: 'a page', fields: PAGE, make: (fields) => new SitemapPage({ ...firstOf(PAGE), ...fields }) },
  {
    name: 'a story',
    fields: STORY,
    make: (fields) => new SitemapNewsStory({ ...firstOf(STORY), ...fields }),
  },
  { name: 'a video', fields: VIDEO, make: (fields) => new SitemapVideo({ ...firstOf(VIDEO), ...fields }) },
];

describe.each(KINDS)('$name is a value', ({ fields, make }) => {
  const whole = make({});

  test('the fields of this test are all that it has', () => {
    expect(Object.keys(whole).sort()).toEqual(Object.keys(fields).sort());
  });

  test.each(Object.entries(fields))('two that differ in %s are not deeply equal', (name, [, other]) => {
    assert.deepStrictEqual(make({}), whole);
    // A date that is replaced is written as the new one is, not as the old one was.
    assert.throws(() => assert.deepStrictEqual(make({ [name]: other }), whole));
    expect(make({ [name]: other })).not.toEqual(whole);
  });

  test('a spread copy has every field, and makes the same again', () => {
    const copy = { ...whole };
    for (const [name, [first]] of Object.entries(fields)) expect(Reflect.get(copy, name)).toEqual(first);
    const Made = Object.getPrototypeOf(whole).constructor;
    assert.deepStrictEqual(new Made(copy), whole);
    assert.deepStrictEqual(new Made(structuredClone(whole)), whole);
    assert.deepStrictEqual(new Made(JSON.parse(JSON.stringify(whole))), whole);
  });

  test('structuredClone keeps the data', () => {
    expect(structuredClone(whole)).toEqual(whole);
  });

  test('looking at it changes nothing', () => {
    const seen = make({});
    for (const name of Object.keys(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(seen)))) {
      if (name.endsWith('Text')) expect(Reflect.get(seen, name)).toBe('6 May 2024');
    }
    expect(seen.toObject()).toEqual(seen.toJSON());
    inspect(seen);
    assert.deepStrictEqual(seen, whole);
  });

  test('what is given may be changed later, and so may what toObject gives', () => {
    const given = structuredClone({ ...whole });
    const Made = Object.getPrototypeOf(whole).constructor;
    const made = new Made(given);
    const plain = made.toObject();
    for (const thing of [given, plain]) emptyListsIn(thing);
    assert.deepStrictEqual(made, whole);
  });

  test.each([
    ['an unknown field', { lastmod: '2024' }, /has no field "lastmod"/],
    [
      'a field of a similar name',
      { [`${Object.keys(fields)[0]}s`]: AT },
      /Did you mean "(?:title|url|thumbnailLoc)"\?/,
    ],
    ['null', null, /must be an object/],
    ['a string', AT, /must be an object/],
  ])('it refuses %s', (_, given, message) => {
    const Made = Object.getPrototypeOf(whole).constructor;
    expect(() => new Made(given)).toThrow(message);
    expect(() => new Made(given)).toThrow(expect.objectContaining({ code: 'bad-input' }));
  });
});

function emptyListsIn(thing: object): void {
  for (const value of Object.values(thing)) {
    if (value instanceof Date) value.setTime(0);
    else if (typeof value === 'object' && value !== null) emptyListsIn(value);
  }
  if (Array.isArray(thing) && !Object.isFrozen(thing)) thing.length = 0;
}

test.each([
  ['no address', {}, /"page.url" is missing/],
  ['a relative address', { url: '/a' }, /"page.url" must be an absolute URL/],
  ['a priority above 1', { url: AT, priority: 2 }, /"page.priority" must be a number from 0 to 1/],
  ['a time as a number', { url: AT, lastModified: 1.7e12 }, /"page.lastModified" must be a Date/],
  ['an invalid Date', { url: AT, lastModified: new Date(Number.NaN) }, /"page.lastModified" must be a Date/],
  ['a text that is not a date', { url: AT, lastModified: 'tomorrow' }, /"page.lastModified" must be a Date/],
  ['another frequency', { url: AT, changeFrequency: 'often' }, /must be one of always, hourly/],
  ['an image without an address', { url: AT, images: [{}] }, /"page.images\[0\].loc" is missing/],
  ['an image as a string', { url: AT, images: [AT] }, /"page.images\[0\]" must be an object/],
  ['one image', { url: AT, images: { loc: AT } }, /"page.images" must be a list/],
  [
    'a video with a text as duration',
    { url: AT, videos: [{ duration: '60' }] },
    /"page.videos\[0\].duration"/,
  ],
  [
    'a story with a number as title',
    { url: AT, newsStory: { title: 1 } },
    /"page.newsStory.title" must be a str/,
  ],
])('a page is not made of %s', (_, fields, message) => {
  expect(() => new SitemapPage(fields as unknown as { url: string })).toThrow(message);
});

const LIMITS: readonly (readonly [string, object, RegExp | undefined])[] = [
  ['a priority of 0', { priority: 0 }, undefined],
  ['a priority of 1', { priority: 1 }, undefined],
  ['a priority below 0', { priority: -0.1 }, /"page.priority" must be a number from 0 to 1/],
  [
    'a priority that is not a number',
    { priority: Number.NaN },
    /"page.priority" must be a number from 0 to 1/,
  ],
  [
    'a declared priority above 1',
    { declaredPriority: 1.1 },
    /"page.declaredPriority" must be a number from 0/,
  ],
  ['a rating of 5', { videos: [{ rating: 5 }] }, undefined],
  [
    'a rating above 5',
    { videos: [{}, { rating: 5.1 }] },
    /"page.videos\[1\].rating" must be a number from 0 to 5/,
  ],
  ['a duration of 0', { videos: [{ duration: 0 }] }, undefined],
  [
    'a duration below 0',
    { videos: [{ duration: -1 }] },
    /"page.videos\[0\].duration" must be a number from 0 on/,
  ],
  ['an endless duration', { videos: [{ duration: Number.POSITIVE_INFINITY }] }, /must be a number from 0 on/],
  ['an address in capitals', { images: [{ loc: 'HTTPS://A' }] }, undefined],
  [
    'an address of ftp',
    { images: [{ loc: AT }, { loc: 'ftp://a/' }] },
    /"page.images\[1\].loc" must be an absolute/,
  ],
  ['a license in words', { images: [{ loc: AT, license: 'free' }] }, undefined],
  [
    'an alternate without a language',
    { alternates: [{ href: AT }] },
    /"page.alternates\[0\].hreflang" is missing/,
  ],
  [
    'an alternate with a relative address',
    { alternates: [{ hreflang: 'de', href: '/de' }] },
    /href" must be an abs/,
  ],
  [
    'a price without a value',
    { videos: [{ prices: [{ currency: 'EUR' }] }] },
    /prices\[0\].value" is missing/,
  ],
  ['a price that costs nothing', { videos: [{ prices: [{ value: 0 }] }] }, undefined],
  ['an uploader without a name', { videos: [{ uploader: { info: AT } }] }, /uploader.name" is missing/],
  ['countries as a text', { videos: [{ restriction: { countries: 'DE' } }] }, /countries" must be a list/],
  [
    'a country as a number',
    { videos: [{ restriction: { countries: ['DE', 1] } }] },
    /countries\[1\]" must be a str/,
  ],
  ['a flag as a text', { videos: [{ live: 'yes' }] }, /"page.videos\[0\].live" must be true or false/],
  [
    'a keyword as a number',
    { newsStory: { keywords: ['a', 2] } },
    /newsStory.keywords\[1\]" must be a string/,
  ],
  [
    'the form of a date as a Date',
    { lastModifiedForm: DAY },
    /must be the text of a date, or the number of its form/,
  ],
  ['fields that are undefined', { images: undefined, priority: undefined, newsStory: undefined }, undefined],
  ['a field of the prototype', { toString: 1 }, /"page" has no field "toString"/],
  ['null', { changeFrequency: null }, /must be one of always/],
];

describe('the fields of a page', () => {
  test.each(LIMITS)('%s', (_what, fields, message) => {
    const make = () => new SitemapPage({ url: AT, ...fields });
    if (message === undefined) expect(JSON.parse(JSON.stringify(make()))).toEqual({ url: AT, ...fields });
    else expect(make).toThrow(message);
  });

  test.each<readonly [string, object, string | undefined, string | undefined]>([
    ['a date as text', { lastModified: '2024-05-06' }, '2024-05-06T00:00:00.000Z', '2024-05-06'],
    ['a rarer text, which stays', { lastModified: '6 May 2024' }, '2024-05-06T00:00:00.000Z', '6 May 2024'],
    [
      'a text beside a Date',
      { lastModified: DAY, lastModifiedText: '2024-05-06' },
      DAY.toISOString(),
      '2024-05-06',
    ],
    [
      'a usual text that means another date: its form',
      { lastModified: DAY, lastModifiedText: '2024-05-07' },
      DAY.toISOString(),
      '2024-05-06',
    ],
    [
      'a rarer text that means another date',
      { lastModified: DAY, lastModifiedText: '7 May 2024' },
      DAY.toISOString(),
      undefined,
    ],
    [
      'a text of the same instant',
      { lastModified: DAY, lastModifiedText: ' 2024-05-06T02:00:00+02:00 ' },
      DAY.toISOString(),
      '2024-05-06T02:00:00+02:00',
    ],
    ['a text alone', { lastModifiedText: '2024-05' }, '2024-05-01T00:00:00.000Z', '2024-05'],
    ['a text alone that is not a date', { lastModifiedText: 'soon' }, undefined, 'soon'],
    [
      'a text before a form',
      { lastModified: DAY, lastModifiedText: '6 May 2024', lastModifiedForm: 0 },
      DAY.toISOString(),
      '6 May 2024',
    ],
    [
      'a form of a day beside a time of day',
      { lastModified: new Date(DAY.getTime() + 1), lastModifiedForm: 0 },
      '2024-05-06T00:00:00.001Z',
      undefined,
    ],
    ['a form alone', { lastModifiedForm: 0 }, undefined, undefined],
    ['a form that is a text, alone', { lastModifiedForm: '2024' }, '2024-01-01T00:00:00.000Z', '2024'],
    ['neither', {}, undefined, undefined],
  ])('its date: %s', (_what, fields, iso, written) => {
    const page = new SitemapPage({ url: AT, ...fields });
    expect([page.lastModified?.toISOString(), page.lastModifiedText]).toEqual([iso, written]);
  });

  test.each<readonly [object, number, number | undefined]>([
    [{}, 0.5, undefined],
    [{ priority: 0 }, 0, 0],
    [{ priority: 0.5 }, 0.5, 0.5],
    [{ declaredPriority: 0 }, 0, 0],
    [{ priority: 0.5, declaredPriority: undefined }, 0.5, undefined],
    [{ priority: 0.6, declaredPriority: undefined }, 0.6, 0.6],
    [{ priority: 0.8, declaredPriority: 0.8 }, 0.8, 0.8],
    [{ priority: 0.3, declaredPriority: 0.8 }, 0.3, 0.3],
    [{ priority: 0.5, declaredPriority: 0.8 }, 0.5, 0.5],
    [{ priority: 0, declaredPriority: 0 }, 0, 0],
    [{ priority: undefined, declaredPriority: 0.8 }, 0.5, undefined],
  ])('its priority, of %j', (fields, priority, declaredPriority) => {
    expect(new SitemapPage({ url: AT, ...fields })).toMatchObject({ priority, declaredPriority });
  });

  test('a list that was given is not the page’s own', () => {
    const tags = ['a'];
    const images = [{ loc: AT }];
    const page = new SitemapPage({ url: AT, images, videos: [{ tags }] });
    tags.push('b');
    images.push({ loc: `${AT}b` });
    expect(page).toMatchObject({ images: [{ loc: AT }], videos: [{ tags: ['a'] }] });
    expect(page.toJSON().images).not.toBe(page.images);
    expect(new SitemapPage({ url: AT, images: [], videos: [] }).toJSON()).toEqual({ url: AT });
  });

  test('the text of a date is in JSON where it is not its ISO form, in each place that has one', () => {
    const iso = DAY.toISOString();
    const fields = (text: string) => ({
      lastModified: text,
      newsStory: { publishDate: text },
      videos: [{ publicationDate: text, expirationDate: text }],
    });
    const day = '2024-05-06';
    expect(new SitemapPage({ url: AT, ...fields(iso) }).toJSON()).toEqual({ url: AT, ...fields(iso) });
    expect(new SitemapPage({ url: AT, ...fields(day) }).toJSON()).toEqual({
      url: AT,
      lastModified: iso,
      lastModifiedText: day,
      newsStory: { publishDate: iso, publishDateText: day },
      videos: [
        { publicationDate: iso, publicationDateText: day, expirationDate: iso, expirationDateText: day },
      ],
    });
  });
});

describe('a copy of a page', () => {
  const urlset = (entry: string): string =>
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${AT}</loc>${entry}</url></urlset>`;
  const read = (entry: string): SitemapPage => {
    const [item] = parseSitemap(urlset(entry));
    assert(item?.type === 'page');
    return item.page;
  };
  const written = async (page: WritablePage): Promise<string> => {
    const xml = await text(sitemapXml([page]));
    return /<url><loc>[^<]*<\/loc>(.*)<\/url>/.exec(xml)?.[1] ?? xml;
  };

  test.each([
    '',
    '<priority>0.5</priority>',
    '<priority>0.8</priority>',
    '<lastmod>2024-05-06</lastmod>',
    '<lastmod>2024-05</lastmod><changefreq>daily</changefreq>',
    '<lastmod>2024-05-06T08:53:11+02:00</lastmod>',
  ])('is the same page again, and is written as it was read: %s', async (entry) => {
    const page = read(entry);
    for (const copy of [page, { ...page }, page.toObject(), structuredClone(page)]) {
      assert.deepStrictEqual(new SitemapPage(copy), page);
      expect(await written(copy)).toBe(entry);
    }
  });

  test('with another date or priority has the new one', async () => {
    const page = read('<lastmod>2024-05-06</lastmod>');
    const other = new Date('2024-05-07T08:53:11Z');
    const copy = { ...page, lastModified: other, priority: 0.9 };
    expect(new SitemapPage(copy)).toMatchObject({
      lastModified: other,
      priority: 0.9,
      declaredPriority: 0.9,
    });
    expect(await written(copy)).toBe('<lastmod>2024-05-07T08:53:11Z</lastmod><priority>0.9</priority>');
  });

  test('keeps a date that could not be understood as text', () => {
    const page = read('<lastmod>tomorrow</lastmod>');
    expect(page).toMatchObject({ lastModified: undefined, lastModifiedText: 'tomorrow' });
    assert.deepStrictEqual(new SitemapPage({ ...page }), page);
  });

  test('a page without a priority has 0.5, and none in JSON', () => {
    expect(read('')).toMatchObject({ priority: 0.5, declaredPriority: undefined });
    expect(read('').toObject()).toEqual({ url: AT });
    expect(read('<priority>0.5</priority>').toObject()).toEqual({ url: AT, priority: 0.5 });
  });
});

test('console.log shows the fields of a page, without those that are empty', () => {
  const shown = inspect(
    new SitemapPage({ url: AT, lastModified: DAY, alternates: [{ hreflang: 'de', href: `${AT}de` }] }),
  );
  expect(shown).toMatch(/^SitemapPage \{/);
  // A date, not its text; and the priority that the page has.
  expect(shown).toContain('lastModified: 2024-05-06T00:00:00.000Z');
  expect(shown).toContain('priority: 0.5');
  expect(shown).toContain("hreflang: 'de'");
  expect(shown).not.toContain('images');
  expect(shown).not.toContain('newsStory');
});
