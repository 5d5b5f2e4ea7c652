/** §16: which column or key is which field of a page, and what its values mean. */
import { describe, expect, test } from 'vitest';
import { pageOf, RowFields } from '../../../src/cli/args/row-fields.ts';

const URL = 'https://example.org/';

/** The fields of columns with these names, and those that are not read. */
function columns(names: readonly string[], choices: readonly string[] = []) {
  const unread: string[] = [];
  const fields = new RowFields(choices, (name) => unread.push(name));
  return { ...fields.columnsOf(names, 'rows.csv'), unread };
}

/** The page of an object of JSON, and the keys that are not read. */
function object(value: object, choices: readonly string[] = []) {
  const unread: string[] = [];
  const { page, leftOut } = new RowFields(choices, (name) => unread.push(name)).ofObject(value);
  return { page: { ...(page as object) }, leftOut, unread };
}

describe('the name of a column', () => {
  test.each<[string, readonly string[]]>([
    ['url', ['url', 'URL', ' Url ', 'u-r-l']],
    ['loc', ['loc', 'Loc']],
    ['lastmod', ['lastmod', 'last_mod', 'Last-Mod', 'last mod', 'LASTMOD', 'last.mod', 'last:mod']],
    ['lastModified', ['lastModified', 'last_modified', 'Last Modified']],
    ['lastModifiedText', ['lastModifiedText', 'last modified text']],
    ['changefreq', ['changefreq', 'change_freq', 'Change-Freq']],
    ['changeFrequency', ['changeFrequency', 'change frequency']],
    ['priority', ['priority', 'Priority']],
    ['images', ['images', 'image', 'Image']],
    ['videos', ['videos']],
    ['alternates', ['alternates']],
    ['newsStory', ['news', 'newsStory', 'news_story']],
    ['news.title', ['news:title', 'newsTitle', 'news_title']],
    ['news.publishDate', ['news:publish_date', 'newsPublishDate', 'news:publication_date']],
    ['news.publicationName', ['news:publication_name', 'newsPublicationName', 'news:name']],
    ['news.publicationLanguage', ['news:publication_language', 'newsPublicationLanguage', 'news:language']],
    ['news.access', ['news:access', 'newsAccess']],
    ['news.genres', ['news:genres', 'newsGenres']],
    ['news.keywords', ['news:keywords', 'newsKeywords']],
    ['news.stockTickers', ['news:stock_tickers', 'newsStockTickers']],
    ['alternate:de', ['alternate:de', 'Alternate: de', 'alternates:de', ' ALTERNATE:de ']],
    ['alternate:de-AT', ['alternate:de-AT']],
    ['alternate:x-default', ['alternate:x-default']],
  ])('of the field %s: %j', (field, names) => {
    for (const name of names) expect([name, columns([name]).columns]).toEqual([name, [field]]);
  });

  test('that is another one, or empty, stays: the writer says that it is not used', () => {
    expect(columns(['price', '', 'image', 'url', '']).columns).toEqual([
      'price',
      'column 2',
      'images',
      'url',
      'column 5',
    ]);
  });

  test('that is repeated is the first one, but lists have several columns', () => {
    expect(columns(['url', 'URL', 'image', 'images', 'alternate:de', 'alternate:de']).columns).toEqual([
      'url',
      'URL (column 2)',
      'images',
      'images',
      'alternate:de',
      'alternate:de',
    ]);
  });

  test.each<[readonly string[], boolean]>([
    [['url'], true],
    [['x', 'loc'], true],
    [['x', 'lastmod'], false],
    [[], false],
  ])('%j: there is a column for the URL: %s', (names, hasUrl) => {
    expect(columns(names).hasUrl).toBe(hasUrl);
  });
});

describe('--column', () => {
  test.each<[string, { field: string; name: string }]>([
    ['url=Link', { field: 'url', name: 'Link' }],
    ['loc= Link ', { field: 'url', name: 'Link' }],
    ['lastmod=a=b', { field: 'lastModified', name: 'a=b' }],
    ['lastModifiedText=x', { field: 'lastModified', name: 'x' }],
    ['changefreq=x', { field: 'changeFrequency', name: 'x' }],
    ['news:title=x', { field: 'news.title', name: 'x' }],
    ['alternate:de=x', { field: 'alternate:de', name: 'x' }],
    ['image=x', { field: 'images', name: 'x' }],
  ])('%s', (text, choice) => {
    const fields = new RowFields([text], () => {});
    expect([fields.choices, fields.isChosen]).toEqual([[choice], true]);
  });

  test('none is chosen where none is given', () => {
    expect(new RowFields([], () => {}).isChosen).toBe(false);
  });

  test.each([
    ['url', '--column needs FIELD=NAME, not "url".'],
    ['=x', '--column needs FIELD=NAME, not "=x".'],
    ['url=', '--column needs FIELD=NAME, not "url=".'],
    ['url=  ', '--column needs FIELD=NAME, not "url=  ".'],
    ['title=x', '--column: "title" is not a field of a page.'],
  ])('%j is bad usage', (text, message) => {
    expect(() => new RowFields([text], () => {})).toThrow(message);
  });

  test.each([
    [['url=a', 'loc=b'], 'url'],
    [['lastmod=a', 'url=x', 'lastModified=b'], 'lastModified'],
    [['changefreq=a', 'changeFrequency=b'], 'changeFrequency'],
  ])('%j names a field twice', (choices, field) => {
    expect(() => new RowFields(choices, () => {})).toThrow(`--column names the field ${field} twice.`);
  });

  test('names lists as often as there are columns of them', () => {
    const choices = ['images=a', 'image=b', 'alternate:de=c', 'alternate:de=d', 'url=e'];
    expect(columns(['a', 'b', 'c', 'd', 'e'], choices).columns).toEqual([
      'images',
      'images',
      'alternate:de',
      'alternate:de',
      'url',
    ]);
  });

  test('wins over the columns that say the same, which are named', () => {
    const names = ['Link', 'loc', 'When', 'lastmod', 'last modified text', 'changefreq', 'image'];
    expect(columns(names, ['url=link', 'lastmod=3', 'image=Link2', 'alternate:de=1'].slice(0, 2))).toEqual({
      columns: ['url', undefined, 'lastModified', undefined, undefined, 'changefreq', 'images'],
      hasUrl: true,
      unread: ['loc', 'lastmod', 'last modified text'],
    });
  });

  test.each<[string, readonly string[], string]>([
    ['a name that is not there', ['url=x'], 'rows.csv has no column "x".'],
    ['a number behind the last column', ['url=3'], 'rows.csv has no column "3".'],
    ['one column by its name and its number', ['url=a', 'lastmod=1'], '--column names the column "a" twice.'],
    ['one column twice', ['url=b', 'lastmod=B'], '--column names the column "b" twice.'],
  ])('%s is bad usage', (_what, choices, message) => {
    expect(() => columns(['a', 'b'], choices)).toThrow(message);
  });

  test('a number is for columns only', () => {
    expect(() => new RowFields(['url=x', 'lastmod=2'], () => {}).checkNames('a.json')).toThrow(
      '--column lastModified=2: the rows of a.json are JSON, and have names only.',
    );
    expect(() => new RowFields(['url=2a'], () => {}).checkNames('a.json')).not.toThrow();
  });
});

describe('an object of JSON', () => {
  test('has its keys as the names of columns', () => {
    const value = { Loc: URL, LAST_MOD: '2014', Priority: 0.5, price: 3 };
    expect(object(value).page).toEqual({ loc: URL, lastmod: '2014', priority: 0.5, price: 3 });
  });

  test('with a key of the same field again: the first one counts, the other is named by itself', () => {
    expect(object({ url: URL, URL: 'x', image: 'a', images: 'b' }).page).toEqual({
      url: URL,
      URL: 'x',
      images: ['a', 'b'],
    });
    // Lists take each of their keys, whichever name comes first.
    expect(object({ images: 'a', Image: 'b', 'alternate:de': '/de', 'alternates: de': '/at' }).page).toEqual({
      images: ['a', 'b'],
      alternates: [
        { hreflang: 'de', href: '/de' },
        { hreflang: 'de', href: '/at' },
      ],
    });
  });

  test('has keys that --column names, whatever their capitals; what says the same is not read', () => {
    const { page, unread } = object({ ' LINK ': URL, url: 'x', loc: 'y', lastmod: '2014' }, ['url=Link']);
    expect([page, unread]).toEqual([{ url: URL, lastmod: '2014' }, ['url', 'loc']]);
  });

  test('what is not read is named once, also for the next rows', () => {
    const unread: string[] = [];
    const fields = new RowFields(['url=Link'], (name) => unread.push(name));
    for (const url of ['a', 'b'])
      expect({ ...(fields.ofObject({ Link: url, loc: 'x', price: 1 }).page as object) }).toEqual({
        url,
        price: 1,
      });
    expect(unread).toEqual(['loc']);
  });

  test('may have ever new keys', () => {
    const fields = new RowFields([], () => {});
    for (let at = 0; at < 1_100; at++) fields.ofObject({ [`key${at}`]: 1 });
    expect({ ...(fields.ofObject({ Loc: URL, other: 2 }).page as object) }).toEqual({ loc: URL, other: 2 });
  });
});

describe('the value of', () => {
  test.each<[string, unknown, unknown]>([
    ['images', 'https://a.example/1 https://a.example/2', ['https://a.example/1', 'https://a.example/2']],
    ['images', 'https://a.example/1, https://a.example/2', ['https://a.example/1', 'https://a.example/2']],
    ['images', 'https://a.example/1; https://a.example/2', ['https://a.example/1', 'https://a.example/2']],
    ['images', 'https://a.example/1 | HTTPS://a.example/2', ['https://a.example/1', 'HTTPS://a.example/2']],
    ['images', 'https://a.example/1|https://a.example/2', ['https://a.example/1', 'https://a.example/2']],
    ['images', '/1 /2\n/3', ['/1', '/2', '/3']],
    ['images', '/1|/2', ['/1', '/2']],
    ['images', 'https://a.example/1,https://a.example/2', ['https://a.example/1,https://a.example/2']],
    ['images', 'https://a.example/a b.jpg', ['https://a.example/a b.jpg']],
    ['images', '["/1"]', ['/1']],
    ['images', '{"loc":"/1"}', { loc: '/1' }],
    ['images', ['/1'], ['/1']],
    ['videos', '[{"title":"T"}]', [{ title: 'T' }]],
    ['newsStory', '{"title":"T"}', { title: 'T' }],
    ['alternates', '{"de":"/de"}', { de: '/de' }],
    ['alternates', '[{"hreflang":"de","href":"/de"}]', [{ hreflang: 'de', href: '/de' }]],
    ['alternates', 'de=/de', [{ hreflang: 'de', href: '/de' }]],
    [
      'alternates',
      'de=/de?a=b x-default=/, pt-BR=/pt; fr=/a fr',
      [
        { hreflang: 'de', href: '/de?a=b' },
        { hreflang: 'x-default', href: '/' },
        { hreflang: 'pt-BR', href: '/pt' },
        { hreflang: 'fr', href: '/a fr' },
      ],
    ],
    ['lastmod', '2014', '2014'],
    ['priority', '0', '0'],
    ['priority', 0, 0],
    ['other', false, false],
  ])('%s: %j', (field, input, value) => {
    expect(pageOf([[field, input]])).toEqual({ page: { [field]: value }, leftOut: undefined });
  });

  test.each(['', null, undefined])('%j is none', (value) => {
    const fields = ['url', 'images', 'news.title', 'alternate:de', 'videos'];
    expect(pageOf(fields.map((field) => [field, value]))).toEqual({ page: {}, leftOut: undefined });
  });

  test.each([
    ['images', '[', 'its images are not JSON; left out'],
    ['videos', 'x', 'its videos are not JSON; left out'],
    ['newsStory', '{', 'its newsStory are not JSON; left out'],
    ['alternates', '{', 'its alternates are not JSON; left out'],
    ['alternates', 'de', 'its alternates are neither JSON nor pairs as de=https://example.org/de; left out'],
    ['alternates', 'de=', 'its alternates are neither JSON nor pairs as de=https://example.org/de; left out'],
    ['alternates', 'de=/a =/b', undefined],
  ])('%s that cannot be read: %j', (field, text, why) => {
    const { page, leftOut } = pageOf([
      ['url', URL],
      [field, text],
      ['priority', '1'],
    ]);
    expect(leftOut).toEqual(why === undefined ? undefined : [why]);
    expect(page).toMatchObject({ url: URL, priority: '1' });
    if (why !== undefined) expect(page).not.toHaveProperty(field);
  });

  test('several columns of images is one list, and of another field the last one', () => {
    const { page } = pageOf([
      ['images', '/1 /2'],
      ['images', '/3'],
      ['images', ['/4']],
      ['priority', '1'],
      ['priority', '2'],
    ]);
    expect(page).toEqual({ images: ['/1', '/2', '/3', '/4'], priority: '2' });
  });

  test.each<[string, unknown, unknown]>([
    ['news.keywords', 'a, b ,c', ['a', 'b', 'c']],
    ['news.genres', 'Blog,Opinion', ['Blog', 'Opinion']],
    ['news.stockTickers', 'NASDAQ:A, NYSE:B', ['NASDAQ:A', 'NYSE:B']],
    ['news.keywords', ['a, b'], ['a, b']],
    ['news.title', 'a, b', 'a, b'],
    ['news.access', 'Subscription', 'Subscription'],
  ])('%s: %j', (field, input, value) => {
    expect(pageOf([[field, input]]).page).toEqual({ newsStory: { [field.slice(5)]: value } });
  });

  test('columns of a story add to one in JSON, and win', () => {
    const values = [
      ['newsStory', '{"title":"T","access":"A"}'],
      ['news.title', 'U'],
    ] as const;
    for (const order of [values, [...values].reverse()])
      expect(pageOf(order).page).toEqual({ newsStory: { title: 'U', access: 'A' } });
  });

  test('columns of languages add to alternates of any form', () => {
    const de = { hreflang: 'de', href: '/de' };
    for (const alternates of ['{"fr":"/fr"}', 'fr=/fr', '[{"hreflang":"fr","href":"/fr"}]'])
      expect(
        pageOf([
          ['alternate:de', '/de'],
          ['alternates', alternates],
        ]).page,
      ).toEqual({ alternates: [{ hreflang: 'fr', href: '/fr' }, de] });
    expect(pageOf([['alternate:de', '/de']]).page).toEqual({ alternates: [de] });
  });

  test('a field of the name of a prototype is a field', () => {
    expect(Object.keys(pageOf([['__proto__', 'x']]).page as object)).toEqual(['__proto__']);
  });
});
