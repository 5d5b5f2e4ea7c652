/** §16 One entry after the other: what is counted begins anew with each page, and every limit holds at its border. */
import { describe, expect, test } from 'vitest';
import {
  EntryWriter,
  type EntryWriterOptions,
  NAMESPACE_BITS,
  type SitemapNamespace,
} from '../../src/write/url-entry.ts';
import type { WritablePage } from '../../src/write/writable-page.ts';

const SITE = 'https://example.org/';
const url = `${SITE}1`;
const IMAGE = { loc: `${SITE}i.png` };
const NEWS = {
  title: 'T',
  publishDate: '2013-05-06',
  publicationName: 'N',
  publicationLanguage: 'en',
};
const VIDEO = {
  thumbnailLoc: `${SITE}t.png`,
  title: 'T',
  description: 'D',
  contentLoc: `${SITE}v.mp4`,
};

/** Writes pages: their entries, and the codes of problems. */
function written(pages: readonly Omit<WritablePage, 'url'>[], options: EntryWriterOptions = {}) {
  const codes: string[] = [];
  const writer = new EntryWriter({ ...options, onProblem: ({ code }) => void codes.push(code) });
  const entries = pages.map((page, at) => writer.entry({ url: `${SITE}${at}`, ...page }) ?? '');
  return { entries, codes, writer };
}

/** Images that take 1 MiB as reading counts it: the texts, and 64 for each. */
function mebibyteOfImages(more = 0): readonly (typeof IMAGE & { readonly caption: string })[] {
  const least = 2 * 64 + IMAGE.loc.length;
  const lengths = Array.from({ length: 17 }, () => 60_000);
  const taken = lengths.reduce((sum, length) => sum + least + length, 0);
  lengths.push(1024 * 1024 - taken - least + more);
  return lengths.map((length) => ({ ...IMAGE, caption: 'x'.repeat(length) }));
}

const count = (text: string, part: string): number => text.split(part).length - 1;

describe('what a page has is not of the next one', () => {
  test('its date and its namespaces', () => {
    const { writer } = written([{ lastModified: '2013-05-06', images: [IMAGE] }]);
    expect([writer.time, writer.usedNamespaces]).toEqual([Date.UTC(2013, 4, 6), NAMESPACE_BITS.image]);
    writer.entry({ url });
    expect([writer.time, writer.usedNamespaces]).toEqual([Number.NaN, 0]);
    writer.entry({ url, lastModified: 'soon', videos: [{ ...VIDEO, title: '' }] });
    expect([writer.time, writer.usedNamespaces]).toEqual([Number.NaN, 0]);
  });

  test('its date where the date of the next one is not a date, however often', () => {
    const [good, never] = [new Date('2013-05-06'), new Date(Number.NaN)];
    const dates = [good, never, never, 'soon', 'soon', good, never];
    const { entries } = written(dates.map((lastModified) => ({ lastModified })));
    expect(entries.map((entry) => /<lastmod>(.*)<\/lastmod>/.exec(entry)?.[1])).toEqual(
      dates.map((date) => (date === good ? expect.stringMatching(/^2013-05-06/) : undefined)),
    );
  });

  test.each<[element: string, pageWith: (date: Date | string) => Omit<WritablePage, 'url'>]>([
    ['lastmod', (lastModified) => ({ lastModified })],
    ['news:publication_date', (publishDate) => ({ newsStory: { ...NEWS, publishDate } })],
  ])('its date as a text, also where others come between two equal ones: %s', (element, pageWith) => {
    const dates: readonly (readonly [Date | string, string | undefined])[] = [
      ['2013-05-06', '2013-05-06'],
      ['May 7, 2013', '2013-05-07'],
      ['2013-05-06', '2013-05-06'],
      [new Date('2013-05-08'), '2013-05-08T00:00:00Z'],
      ['2013-05-06', '2013-05-06'],
      ['soon', undefined],
      ['2013-05-06', '2013-05-06'],
    ];
    const { entries } = written(dates.map(([date]) => pageWith(date)));
    const found = entries.map((entry) => new RegExp(`<${element}>(.*?)<`).exec(entry)?.[1]);
    expect(found).toEqual(dates.map(([, text]) => text));
  });

  test('its languages, and the room for its extensions', () => {
    const alternates = [{ hreflang: 'de', href: `${SITE}de` }];
    const images = mebibyteOfImages().slice(1);
    const { entries, codes } = written([
      { images, alternates },
      { images, alternates },
    ]);
    expect(codes).toEqual([]);
    for (const entry of entries) expect(entry).toContain('</image:image><xhtml:link');
  });

  test('what is left out takes no room, and leaves nothing behind', () => {
    const incomplete = { ...VIDEO, title: 'x'.repeat(60_000), contentLoc: '' };
    const { entries, codes } = written([
      { videos: [...Array.from({ length: 20 }, () => incomplete), VIDEO], images: [IMAGE] },
      { newsStory: { ...NEWS, title: '' }, images: [IMAGE] },
    ]);
    expect([...new Set(codes)]).toEqual(['video-missing-field', 'news-missing-field']);
    const entry = entries[0]!;
    expect([count(entry, '<video:video>'), count(entry, '<video:title>'), entry.includes('xx')]).toEqual([
      1,
      1,
      false,
    ]);
    expect(entries[1]).toMatch(/<\/image:image><\/url>\n$/);
  });

  test('news that are left out do not count for the most that may be written', () => {
    const incomplete = { newsStory: { ...NEWS, title: '' } };
    const complete = { newsStory: NEWS };
    const { entries, codes } = written([incomplete, complete, incomplete, complete, complete], {
      maxNews: 2,
    });
    expect(entries.map((entry) => count(entry, '<news:news>'))).toEqual([0, 1, 0, 1, 0]);
    expect(codes).toEqual(['news-missing-field', 'news-missing-field', 'news-too-many']);
  });
});

describe('borders', () => {
  const many = <Item>(length: number, item: Item): Item[] => Array.from({ length }, () => item);
  const clock = (ms: number): string => new Date(Date.now() - ms).toISOString();
  const [HOUR, DAY] = [3_600_000, 86_400_000];
  const video = (fields: object) => ({ videos: [{ ...VIDEO, ...fields }] });
  const news = (publishDate: string) => ({ newsStory: { ...NEWS, publishDate } });

  test.each<[string, Omit<WritablePage, 'url'>, part: string, times: number, ...codes: string[]]>([
    ['1,000 images', { images: many(1_000, IMAGE) }, '<image:image>', 1_000],
    ['1,001 images', { images: many(1_001, IMAGE) }, '<image:image>', 1_000, 'images-too-many'],
    ['1 MiB of extensions', { images: mebibyteOfImages() }, '<image:image>', 18],
    [
      'a character more than 1 MiB of extensions',
      { images: [...mebibyteOfImages(1), IMAGE] },
      '<image:image>',
      17,
      'too-many-extensions',
    ],
    ['64 KiB of text', { images: [{ ...IMAGE, caption: 'ü'.repeat(32_768) }] }, 'ü', 32_768],
    [
      'more than 64 KiB of text',
      { images: [{ ...IMAGE, caption: 'ü'.repeat(32_769) }] },
      'ü',
      Math.floor(65_536 / 6),
      'value-too-long',
    ],
    ['32 tags', video({ tags: many(32, 't') }), '<video:tag>', 32],
    ['33 tags', video({ tags: many(33, 't') }), '<video:tag>', 32, 'video-too-many-tags'],
    ['2,048 letters', video({ description: 'ü'.repeat(2_048) }), 'ü', 2_048],
    ['2,049 letters', video({ description: 'ü'.repeat(2_049) }), 'ü', 2_048, 'video-long-description'],
    ['2,048 emojis', video({ description: '😀'.repeat(2_048) }), '😀', 2_048],
    ['2,049 emojis', video({ description: '😀'.repeat(2_049) }), '😀', 2_048, 'video-long-description'],
    ['8 hours', video({ duration: 28_800 }), '<video:duration>28800<', 1],
    ['8 hours and a second', video({ duration: 28_801 }), '<video:duration>', 0, 'video-bad-duration'],
    ['half a second', video({ duration: 0.5 }), '<video:duration>1<', 1, 'video-bad-duration'],
    ['less than half a second', video({ duration: 0.4 }), '<video:duration>', 0, 'video-bad-duration'],
    ['five stars', video({ rating: 5 }), '<video:rating>5<', 1],
    ['more than five stars', video({ rating: 5.1 }), '<video:rating>', 0, 'video-bad-rating'],
    ['no star', video({ rating: 0 }), '<video:rating>0<', 1],
    ['the highest priority', { priority: 1 }, '<priority>1.0<', 1],
    ['a higher priority', { priority: 1.01 }, '<priority>', 0, 'bad-priority'],
    ['the lowest priority', { priority: 0 }, '<priority>0.0<', 1],
    ['news of less than two days', news(clock(2 * DAY - HOUR)), '<news:news>', 1],
    ['news of more than two days', news(clock(2 * DAY + HOUR)), '<news:news>', 0, 'news-too-old'],
    [
      'news of a day whose end is less than two days ago',
      news(clock(2 * DAY).slice(0, 10)),
      '<news:news>',
      1,
    ],
    [
      'news of a day whose end is more than two days ago',
      news(clock(4 * DAY).slice(0, 10)),
      '<news:news>',
      0,
      'news-too-old',
    ],
  ])('%s', (_what, page, part, times, ...codes) => {
    const { entries, codes: problems } = written([page], { news: 'fresh' });
    expect([count(entries[0]!, part), problems]).toEqual([times, codes]);
  });
});

/** What is written of a page behind its URL, and the problems as `code what: message`. */
function entryOf(
  page: object,
  options: EntryWriterOptions = {},
): readonly [xml: string, problems: readonly string[]] {
  const problems: string[] = [];
  const writer = new EntryWriter({
    ...options,
    onProblem: ({ code, dropped, message }) => problems.push(`${code} ${dropped ?? 'repaired'}: ${message}`),
  });
  const entry = writer.entry({ url, ...page }) ?? '';
  return [entry.replace(/^<url><loc>[^<]*<\/loc>/, '').replace(/<\/url>\n$/, ''), problems];
}

describe('everything that an entry may have, in the order of the schemas', () => {
  test('an image', () => {
    const image = { ...IMAGE, caption: 'C', geoLocation: 'G', title: 'T', license: `${SITE}l` };
    expect(entryOf({ images: [image] })).toEqual([
      `<image:image><image:loc>${IMAGE.loc}</image:loc><image:caption>C</image:caption>` +
        `<image:geo_location>G</image:geo_location><image:title>T</image:title>` +
        `<image:license>${SITE}l</image:license></image:image>`,
      [],
    ]);
  });

  test('a news story', () => {
    const story = {
      ...NEWS,
      access: 'A',
      genres: ['Blog', 'Opinion'],
      keywords: ['k', 'l'],
      stockTickers: ['N:A', 'N:B'],
    };
    expect(entryOf({ newsStory: story })).toEqual([
      '<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>' +
        '<news:access>A</news:access><news:genres>Blog, Opinion</news:genres>' +
        '<news:publication_date>2013-05-06</news:publication_date><news:title>T</news:title>' +
        '<news:keywords>k, l</news:keywords><news:stock_tickers>N:A, N:B</news:stock_tickers></news:news>',
      [],
    ]);
  });

  test('a video', () => {
    const video = {
      ...VIDEO,
      ...{
        playerLoc: `${SITE}p`,
        playerAllowEmbed: false,
        playerAutoplay: ' ap=1\n"x" ',
        duration: 1,
        rating: 4.5,
      },
      ...{
        expirationDate: '2030',
        viewCount: 0,
        publicationDate: '2013-05',
        tags: ['a', 'b & c'],
        category: 'K',
      },
      ...{ familyFriendly: true, requiresSubscription: false, live: true },
      restriction: { relationship: ' ALLOW ', countries: ['DE', 'AT'] },
      platform: { relationship: 'deny', platforms: ['web', 'tv'] },
      prices: [{ value: 0, currency: 'EUR', type: 'own', resolution: 'HD' }, { value: 1.5 }],
      uploader: { name: 'U', info: `${SITE}u` },
    };
    expect(entryOf({ videos: [video] })).toEqual([
      `<video:video><video:thumbnail_loc>${SITE}t.png</video:thumbnail_loc><video:title>T</video:title>` +
        `<video:description>D</video:description><video:content_loc>${SITE}v.mp4</video:content_loc>` +
        `<video:player_loc allow_embed="no" autoplay="ap=1 &quot;x&quot;">${SITE}p</video:player_loc>` +
        '<video:duration>1</video:duration><video:expiration_date>2030</video:expiration_date>' +
        '<video:rating>4.5</video:rating><video:view_count>0</video:view_count>' +
        '<video:publication_date>2013-05</video:publication_date><video:tag>a</video:tag>' +
        '<video:tag>b &amp; c</video:tag><video:category>K</video:category>' +
        '<video:family_friendly>yes</video:family_friendly>' +
        '<video:restriction relationship="allow">DE AT</video:restriction>' +
        '<video:price currency="EUR" type="own" resolution="HD">0</video:price><video:price>1.5</video:price>' +
        '<video:requires_subscription>no</video:requires_subscription>' +
        `<video:uploader info="${SITE}u">U</video:uploader>` +
        '<video:platform relationship="deny">web tv</video:platform><video:live>yes</video:live></video:video>',
      [],
    ]);
  });

  test('a page', () => {
    const alternates = [
      { hreflang: 'de-AT', href: `${SITE}at?a&b` },
      { hreflang: 'x-default', href: url },
    ];
    const page = {
      lastModified: '2013-05-06',
      changeFrequency: 'weekly',
      priority: 0.25,
      alternates,
      images: [IMAGE],
    };
    expect(
      entryOf({ ...page, videos: [VIDEO], newsStory: NEWS })[0].replaceAll(/<(\w+:\w+)>.*<\/\1>/g, '<$1/>'),
    ).toBe(
      '<lastmod>2013-05-06</lastmod><changefreq>weekly</changefreq><priority>0.25</priority><image:image/>' +
        `<video:video/><news:news/><xhtml:link rel="alternate" hreflang="de-AT" href="${SITE}at?a&amp;b"/>` +
        `<xhtml:link rel="alternate" hreflang="x-default" href="${url}"/>`,
    );
  });
});

describe('what is repaired or left out, in words', () => {
  const video = (fields: object) => ({ videos: [{ ...VIDEO, ...fields }] });
  const news = (publicationLanguage: string) => ({ newsStory: { ...NEWS, publicationLanguage } });

  test.each<[string, object, part: string | undefined, problem: string | undefined]>([
    [
      'a duration of a part of a second',
      video({ duration: 12.5 }),
      'video:duration>13<',
      'video-bad-duration repaired: The duration 12.5 was written as 13: 1 to 28,800 seconds.',
    ],
    [
      'a duration over its border that is rounded to it',
      video({ duration: 28_800.4 }),
      'video:duration>28800<',
      'video-bad-duration repaired: The duration 28800.4 was written as 28800: 1 to 28,800 seconds.',
    ],
    [
      'no duration',
      video({ duration: 0 }),
      undefined,
      'video-bad-duration value: The duration 0 was left out: 1 to 28,800 seconds.',
    ],
    ['a duration as a text', video({ duration: ' 90 ' }), 'video:duration>90<', undefined],
    [
      'a negative rating',
      video({ rating: -0.1 }),
      undefined,
      'video-bad-rating value: -0.1 is not a rating; it was left out.',
    ],
    [
      'negative views',
      video({ viewCount: -1 }),
      undefined,
      'bad-number value: -1 is not a view_count; it was left out.',
    ],
    [
      'endless views',
      video({ viewCount: Number.POSITIVE_INFINITY }),
      undefined,
      'bad-number value: Infinity is not a view_count; it was left out.',
    ],
    [
      'a negative price',
      video({ prices: [{ value: -1, currency: 'EUR' }] }),
      undefined,
      'bad-number value: -1 is not a price; it was left out.',
    ],
    [
      'a price that is a text',
      video({ prices: [{ value: 'free' }] }),
      undefined,
      'bad-number value: free is not a price; it was left out.',
    ],
    [
      '33 tags',
      video({ tags: Array(33).fill('t') }),
      'video:tag>t<',
      'video-too-many-tags value: Of 33 tags of a video, 32 were written.',
    ],
    [
      'a player that is not there',
      video({ playerAutoplay: 'ap=1' }),
      undefined,
      'video-old-tag value: A video has attributes of a player_loc that is not there; left out.',
    ],
    [
      'allow_embed without a player',
      video({ playerAllowEmbed: true }),
      undefined,
      'video-old-tag value: A video has attributes of a player_loc that is not there; left out.',
    ],
    [
      'a platform that is neither',
      video({ platform: { relationship: 'all', platforms: ['tv'] } }),
      undefined,
      'video-no-relationship value: A <video:platform> without allow or deny, or a list, was left out.',
    ],
    [
      'an uploader with a wrong address',
      video({ uploader: { name: 'U', info: 'u' } }),
      'video:uploader>U<',
      'unresolvable-url value: ',
    ],
    ['Chinese in China', news('zh-CN'), 'news:language>zh-CN<', undefined],
    ['Chinese in Taiwan', news('zh-tw'), 'news:language>zh-tw<', undefined],
    ['a language of three letters', news('haw'), 'news:language>haw<', undefined],
    ['a language with white space', news(' de '), 'news:language>de<', undefined],
    [
      'a language with a country',
      news('EN_us'),
      'news:language>en<',
      'news-bad-language repaired: The language "EN_us" was written as "en".',
    ],
    ['a frequency in capitals', { changeFrequency: ' Weekly ' }, 'changefreq>weekly<', undefined],
    [
      'a frequency that is none',
      { changeFrequency: 'often' },
      undefined,
      'bad-change-frequency value: "often" is not a changefreq; it was left out.',
    ],
    [
      'a negative priority',
      { priority: -0.01 },
      undefined,
      'bad-priority value: -0.01 is not a priority from 0 to 1; it was left out.',
    ],
    ['a priority with many digits', { priority: 0.123456789 }, 'priority>0.123456789<', undefined],
    [
      'a language with an underscore',
      { alternates: [{ hreflang: 'en_GB', href: url }] },
      'hreflang="en-GB"',
      'hreflang-bad-code repaired: hreflang="en_GB": written as en-GB.',
    ],
    [
      'a second language',
      {
        alternates: [
          { hreflang: 'de', href: url },
          { hreflang: 'De', href: SITE },
        ],
      },
      `hreflang="de" href="${url}"`,
      'hreflang-repeated value: A second alternate for "De" was left out.',
    ],
    [
      '1,001 images',
      { images: Array(1001).fill(IMAGE) },
      '<image:image>',
      'images-too-many value: The page has 1001 images; those after the first 1,000 were left out.',
    ],
  ])('%s', (_what, page, part, problem) => {
    const [xml, problems] = entryOf(page);
    if (part !== undefined) expect(xml).toContain(part);
    else if (!('videos' in page)) expect(xml).toBe('');
    else expect(xml).toBe(entryOf({ videos: [VIDEO] })[0]);
    expect(problems).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)]);
  });

  test('a language that is repaired is reported for each page, and its link is right each time', () => {
    const alternates = [
      { hreflang: 'en_GB', href: url },
      { hreflang: 'de', href: url },
    ];
    const { entries, codes } = written([
      { alternates },
      { alternates },
      { alternates: alternates.toReversed() },
    ]);
    expect(codes).toEqual(Array(3).fill('hreflang-bad-code'));
    for (const entry of entries)
      expect([count(entry, 'hreflang="en-GB"'), count(entry, 'hreflang="de"')]).toEqual([1, 1]);
  });

  test.each<[SitemapNamespace, object]>([
    ['image', { images: [IMAGE, IMAGE] }],
    ['video', { videos: [VIDEO] }],
    ['news', { newsStory: NEWS }],
    ['xhtml', { alternates: [{ hreflang: 'de', href: url }] }],
  ])('what needs the namespace %s is left out where that is not declared, once for a page', (name, page) => {
    const message = `The document does not declare the namespace of "${name}"; what needs it was left out.`;
    expect(entryOf(page, { namespaces: 15 & ~NAMESPACE_BITS[name] })).toEqual([
      '',
      [`undeclared-prefix value: ${message}`],
    ]);
    const [xml, problems] = entryOf(page, { namespaces: NAMESPACE_BITS[name] });
    expect([xml.includes(`<${name}:`), problems]).toEqual([true, []]);
    const { writer } = written([page]);
    expect(writer.usedNamespaces).toBe(NAMESPACE_BITS[name]);
  });

  test('what cannot be written uses no namespace', () => {
    const { writer } = written([
      { images: [{ loc: 'mailto:x' }], alternates: [{ hreflang: 'de', href: 'x' }] },
    ]);
    expect(writer.usedNamespaces).toBe(0);
  });

  test('of the date of a page, its text counts first, then its form, then the date, and lastmod last', () => {
    const lastModified = new Date('2013-05-06');
    const of = (page: object): string | undefined =>
      /<lastmod>(.*)</.exec(entryOf(page)[0])?.[1]?.replace(/<.*/, '');
    expect(of({ lastModified, lastModifiedText: '2013-05', lastmod: '2012' })).toBe('2013-05');
    expect(of({ lastModified, lastmod: '2012' })).toBe('2013-05-06T00:00:00Z');
    expect(of({ lastModified: null, lastmod: '2012' })).toBe('2012');
    expect(of({ lastmod: '2012', lastModifiedText: '2011' })).toBe('2011');
    expect(of({ lastModified: new Date(0) })).toBe('1970-01-01T00:00:00Z');
  });

  test('news that are too old do not count for the most that may be written', () => {
    const now = new Date().toISOString();
    const story = (publishDate: string) => ({ newsStory: { ...NEWS, publishDate } });
    const { codes } = written([story('2013'), story(now), story('2013'), story(now), story(now)], {
      maxNews: 2,
      news: 'fresh',
    });
    expect(codes).toEqual(['news-too-old', 'news-too-old', 'news-too-many']);
  });
});

describe('a date', () => {
  const DAY_ONLY = 'lastmod-not-w3c repaired: "';
  test.each<[string | Date, string | undefined, string | undefined]>([
    ['0001', '0001', undefined],
    ['9999-12-31', '9999-12-31', undefined],
    ['2013-05-06T07:08Z', '2013-05-06T07:08Z', undefined],
    ['2013-05-06T07:08:09.5-13:59', '2013-05-06T07:08:09.5-13:59', undefined],
    ['2013-05-06T07:08:09+14:00', '2013-05-06T07:08:09+14:00', undefined],
    ['2013-05-06T23:59:59Z', '2013-05-06T23:59:59Z', undefined],
    [' 2013-05-06\n', '2013-05-06', undefined],
    [
      '2013-05-06T07:08',
      '2013-05-06T07:08Z',
      'lastmod-no-zone repaired: 2013-05-06T07:08 has no time zone; it was read as UTC.',
    ],
    ['2013-05-06T00:00:00', '2013-05-06T00:00:00Z', 'lastmod-no-zone repaired: '],
    [
      '2013-05-06 00:00:00Z',
      '2013-05-06T00:00:00Z',
      `${DAY_ONLY}2013-05-06 00:00:00Z" is not a W3C date; it was written as 2013-05-06T00:00:00Z.`,
    ],
    ['6 May 2013', '2013-05-06', `${DAY_ONLY}6 May 2013" is not a W3C date; it was written as 2013-05-06.`],
    ['May, 2013', '2013-05', DAY_ONLY],
    ['2013/5/6', '2013-05-06', DAY_ONLY],
    ['1367798400', '2013-05-06T00:00:00Z', DAY_ONLY],
    ['20130506t000000Z', '2013-05-06T00:00:00Z', DAY_ONLY],
    [new Date(-62_135_596_800_000), '0001-01-01T00:00:00Z', undefined],
    [new Date(-62_135_596_800_001), undefined, 'bad-date value: '],
    [new Date(253_402_300_799_999), '9999-12-31T23:59:59.999Z', undefined],
    [new Date(253_402_300_800_000), undefined, 'bad-date value: '],
    ['soon', undefined, 'bad-date value: "soon" is not a date that can be understood; it was left out.'],
  ])('%j is written as %j', (lastModified, text, problem) => {
    const [xml, problems] = entryOf({ lastModified });
    expect(xml).toBe(text === undefined ? '' : `<lastmod>${text}</lastmod>`);
    expect(problems).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)]);
  });

  test('of news or a video has a zone silently, and its own code where it is in another form', () => {
    const codes = (date: string) =>
      written([
        { newsStory: { ...NEWS, publishDate: date } },
        { videos: [{ ...VIDEO, publicationDate: date }] },
      ]).codes;
    expect(codes('2013-05-06T07:08:09')).toEqual([]);
    expect(codes('May 6, 2013')).toEqual(['news-date-not-w3c', 'video-date-not-w3c']);
  });
});
