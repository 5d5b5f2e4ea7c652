/** §16: pages from JavaScript have values of any type. They cost at most the value or the page, and are reported. */
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { checkSitemap } from '../../src/check/index.ts';
import { indexXml, sitemapXml, type WritablePage, type WriteProblem } from '../../src/write/index.ts';
import { ReturnAlternates } from '../../src/write/return-alternates.ts';
import { CHANGING_SEED } from '../support/random.ts';
import { sized } from '../support/tier.ts';

const URL_OF_PAGE = 'https://example.org/a';

async function written(
  ...pages: readonly unknown[]
): Promise<{ readonly xml: string; readonly problems: readonly WriteProblem[] }> {
  const problems: WriteProblem[] = [];
  const onProblem = (problem: WriteProblem): void => void problems.push(problem);
  let xml = '';
  for await (const chunk of sitemapXml(pages as readonly WritablePage[], { onProblem })) xml += chunk;
  return { xml, problems };
}

/** The entries, without the root. */
function entriesIn(xml: string): string {
  return xml.split('\n').slice(2, -2).join('\n');
}

const VIDEO = {
  title: 'T',
  description: 'D',
  thumbnailLoc: 'https://example.org/t.jpg',
  contentLoc: 'https://example.org/v.mp4',
};
const STORY = { title: 'T', publicationName: 'N', publicationLanguage: 'en', publishDate: '2024-05-06' };

describe('null', () => {
  test('is the same as a missing field, in a page and in what it has', async () => {
    const fields = ['lastModified', 'lastModifiedText', 'changeFrequency', 'priority', 'images', 'videos'];
    const nothing = Object.fromEntries([...fields, 'newsStory', 'alternates'].map((name) => [name, null]));
    expect(await written({ url: URL_OF_PAGE, ...nothing })).toEqual(await written({ url: URL_OF_PAGE }));
    const names =
      'playerLoc playerAllowEmbed playerAutoplay duration expirationDate rating viewCount publicationDate tags category ' +
      'familyFriendly restriction prices requiresSubscription uploader platform live';
    const video = { ...Object.fromEntries(names.split(' ').map((name) => [name, null])), ...VIDEO };
    expect(await written({ url: URL_OF_PAGE, videos: [video] })).toEqual(
      await written({ url: URL_OF_PAGE, videos: [VIDEO] }),
    );
    const newsStory = { ...STORY, access: null, genres: null, keywords: null, stockTickers: null };
    expect(await written({ url: URL_OF_PAGE, newsStory })).toEqual(
      await written({ url: URL_OF_PAGE, newsStory: STORY }),
    );
    const loc = 'https://example.org/i.png';
    const image = { loc, caption: null, geoLocation: null, title: null, license: null };
    expect(await written({ url: URL_OF_PAGE, images: [image] })).toEqual(
      await written({ url: URL_OF_PAGE, images: [{ loc }] }),
    );
  });
});

describe('a value of another type', () => {
  test.each<[string, unknown, code: string]>([
    ['no page', null, 'empty-loc'],
    ['no URL', {}, 'empty-loc'],
    ['a list for a URL', { url: [URL_OF_PAGE] }, 'empty-loc'],
    ['a number for a URL', { url: 5 }, 'unresolvable-url'],
  ])('%s costs the page', async (_what, page, code) => {
    const { xml, problems } = await written(page, { url: URL_OF_PAGE });
    expect(entriesIn(xml)).toBe(`<url><loc>${URL_OF_PAGE}</loc></url>`);
    expect(problems).toMatchObject([{ code, dropped: 'page' }]);
    expect(problems[0]?.url).toBeTypeOf('string');
  });

  test.each<[string, object, code: string]>([
    ['a number for a date', { lastModified: 123 }, 'bad-date'],
    ['an object for a date', { lastModified: Object.create(null) }, 'bad-date'],
    ['a number for a frequency', { changeFrequency: 5 }, 'bad-change-frequency'],
    ['a list for a priority', { priority: [0.5] }, 'bad-priority'],
    ['an empty text for a priority', { priority: '' }, 'bad-priority'],
    ['true for a priority', { priority: true }, 'bad-priority'],
    ['an image without fields', { images: [{}] }, 'empty-loc'],
    ['an image that is null', { images: [null] }, 'empty-loc'],
    ['a number for images', { images: 5 }, 'empty-loc'],
    ['a text for an alternate', { alternates: [URL_OF_PAGE] }, 'hreflang-bad-code'],
    ['a video that is null', { videos: [null] }, 'video-missing-field'],
    ['a text for news', { newsStory: 'T' }, 'news-missing-field'],
    ['an alternate without hreflang', { alternates: [{ href: URL_OF_PAGE }] }, 'hreflang-bad-code'],
    ['an alternate without href', { alternates: [{ hreflang: 'en' }] }, 'empty-loc'],
    ['a number for an alternate', { alternates: { de: 5 } }, 'unresolvable-url'],
    ['true for an alternate', { alternates: { languages: { de: true } } }, 'unresolvable-url'],
    [
      'a number for the href of an alternate',
      { alternates: [{ hreflang: 'de', href: 5 }] },
      'unresolvable-url',
    ],
    ['a number for the loc of an image', { images: [{ loc: 5 }] }, 'unresolvable-url'],
    ['false for the loc of an image', { images: [{ loc: false }] }, 'unresolvable-url'],
    ['an alternate that is null', { alternates: [null] }, 'hreflang-bad-code'],
  ])('%s costs the value', async (_what, fields, code) => {
    const { xml, problems } = await written({ url: URL_OF_PAGE, ...fields });
    expect(entriesIn(xml)).toBe(`<url><loc>${URL_OF_PAGE}</loc></url>`);
    expect(problems).toMatchObject([{ code, dropped: 'value', url: URL_OF_PAGE }]);
  });

  test('a URL object, and a number as a text, are what they mean', async () => {
    const { xml, problems } = await written({ url: new URL(URL_OF_PAGE), priority: '0.8' });
    expect(entriesIn(xml)).toBe(`<url><loc>${URL_OF_PAGE}</loc><priority>0.8</priority></url>`);
    expect(problems).toEqual([]);
  });

  test('yes and no of a video may be texts; what is neither is left out', async () => {
    const video = { ...VIDEO, familyFriendly: 'no', requiresSubscription: 'TRUE', live: 'perhaps' };
    const { xml, problems } = await written({ url: URL_OF_PAGE, videos: [video] });
    expect(xml).toContain('<video:family_friendly>no</video:family_friendly>');
    expect(xml).toContain('<video:requires_subscription>yes</video:requires_subscription>');
    expect(xml).not.toContain('video:live');
    expect(problems).toMatchObject([{ code: 'video-not-yes-or-no', dropped: 'value' }]);
  });

  test('an index without the URL of a sitemap is the mistake of the caller', () => {
    for (const url of [undefined, null, {}])
      expect(() => indexXml([{ url: url as unknown as string }])).toThrow(
        expect.objectContaining({ code: 'bad-input' }),
      );
    expect(indexXml([{ url: URL_OF_PAGE, lastModified: null as unknown as string }])).not.toContain(
      'lastmod',
    );
  });

  test('any value in any field leaves a valid document', async () => {
    const some = fc.oneof(
      fc.anything({ withNullPrototype: true, withDate: true, withBigInt: true }),
      fc.constantFrom(null, Symbol('s'), () => 1, URL_OF_PAGE, 'en', '0.5', 1, true, new URL(URL_OF_PAGE)),
    );
    const any = (fields: object, ...names: readonly string[]) =>
      fc
        .record(Object.fromEntries([...Object.keys(fields), ...names].map((name) => [name, some])), {
          requiredKeys: [],
        })
        .map((values) => ({ ...fields, ...values }));
    const video = any(
      VIDEO,
      ...[
        'playerLoc',
        'playerAllowEmbed',
        'playerAutoplay',
        'duration',
        'expirationDate',
        'rating',
        'viewCount',
      ],
      ...[
        'publicationDate',
        'tags',
        'category',
        'familyFriendly',
        'restriction',
        'prices',
        'uploader',
        'platform',
      ],
    );
    const listed = (item: fc.Arbitrary<unknown>) =>
      fc.oneof(some, fc.array(fc.oneof(item, some), { maxLength: 2 }));
    const page = fc.record({
      url: fc.oneof(fc.constant(URL_OF_PAGE), some),
      lastModified: some,
      changeFrequency: some,
      priority: some,
      images: listed(any({ loc: URL_OF_PAGE }, 'caption', 'license')),
      videos: listed(video),
      newsStory: fc.oneof(some, any(STORY, 'genres', 'keywords', 'stockTickers')),
      alternates: listed(any({ hreflang: 'en', href: URL_OF_PAGE })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(page, some), { maxLength: 3 }), async (pages) => {
        const alternates = new ReturnAlternates(() => {});
        for (const given of pages) alternates.note(given as WritablePage);
        const completed = pages.map((given) => {
          const all = alternates.completed(given as WritablePage);
          return (all === undefined ? given : { ...Object(given), alternates: all }) as WritablePage;
        });
        const { xml } = await written(...completed);
        new SaxesParser({ xmlns: true }).write(xml).close();
        const errors = [...checkSitemap(xml)].filter(({ severity }) => severity === 'error');
        expect(errors.map(({ rule }) => rule)).toEqual([]);
      }),
      {
        seed: Number(process.env['FUZZ_SEED'] ?? sized({ fast: 29, full: CHANGING_SEED })),
        numRuns: sized({ fast: 150, full: 300, strong: 1500 }),
      },
    );
  });
});
