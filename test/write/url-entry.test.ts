/** §16 One entry after the other: what is counted begins anew with each page, and every limit holds at its border. */
import { describe, expect, test } from 'vitest';
import { EntryWriter, type EntryWriterOptions, NAMESPACE_BITS } from '../../src/write/url-entry.ts';
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
