/** What generated documents hold: valid values only, but those that are awkward to write and to read. */
import type { Attributes } from './xml-writer.ts';

type Table = Readonly<Record<string, readonly string[]>>;
/** The tags that hold fields: entries and the extensions' blocks. */
export type BlockName = 'url' | 'sitemap' | 'publication' | 'news' | 'image' | 'video' | 'item' | 'entry';

export const ADDRESSES: readonly string[] = [
  '',
  'a',
  'b',
  'a?x=1&y=2',
  'é/日本',
  '😀',
  'q\'"(x)',
  'A b',
  '%7E?#f',
  'x]]>y',
  'd/'.repeat(40),
].map((path) => `https://example.org/${path}`);
export const TITLES: readonly string[] = [
  'T',
  'A & B',
  '<b>x</b>',
  'ü – “é”',
  ']]>',
  ']]',
  '&lt;',
  '😀😀',
  'it\'s "so"',
  'x'.repeat(90),
];
export const W3C: readonly string[] = [
  '2024-05-06',
  '2024-05-06T07:08:09Z',
  '2024-05-06T07:08:09.000Z',
  '2023-12-31T23:59:59+02:00',
  '2024-02-29T00:00:00.250-05:30',
  '1999-01',
];
const RFC822 = [
  'Tue, 10 Aug 2010 20:43:53 GMT',
  '10 Aug 2010 20:43:53 +0200',
  'Tue, 10 Aug 2010 20:43:53 EST',
];
const WORDS = ['yes', 'no'];

/** What an entry or a block may hold, besides what it must. */
export const FIELDS: Readonly<Record<BlockName, Table>> = {
  url: {
    lastmod: W3C,
    changefreq: ['daily', 'weekly', 'always', 'hourly', 'monthly', 'yearly', 'never', 'Daily'],
    priority: ['0.5', '1', '0', '0.8', '1.0', '0.25'],
  },
  sitemap: { lastmod: W3C },
  publication: { name: TITLES, language: ['en', 'zh-cn'] },
  news: {
    publication_date: W3C,
    access: ['Subscription', 'Registration'],
    genres: ['Blog', 'PressRelease, Blog', 'a,b , c'],
    keywords: ['x', 'ü, A & B,c'],
    stock_tickers: ['NASDAQ:A', 'NASDAQ:A, BOM:1'],
  },
  image: { caption: TITLES, geo_location: TITLES, title: TITLES, license: ADDRESSES },
  video: {
    title: TITLES,
    description: TITLES,
    content_loc: ADDRESSES,
    player_loc: ADDRESSES,
    duration: ['1', '600'],
    expiration_date: W3C,
    rating: ['4.2', '0.0', '5'],
    view_count: ['0', '123456'],
    publication_date: W3C,
    family_friendly: WORDS,
    restriction: ['DE', 'IE GB US'],
    platform: ['web', 'tv mobile'],
    requires_subscription: WORDS,
    uploader: TITLES,
    live: WORDS,
    category: TITLES,
  },
  item: { title: TITLES, description: TITLES, pubDate: RFC822 },
  entry: { title: TITLES, published: W3C, updated: W3C },
};

const RELATIONSHIPS = ['allow', 'deny'].map((word): Attributes => [['relationship', word]]);
/** The attributes that mean something, by tag. */
export const ATTRIBUTES: Readonly<Record<string, readonly Attributes[]>> = {
  guid: [[], [['isPermaLink', 'true']]],
  player_loc: [
    [],
    [['allow_embed', 'yes']],
    [
      ['autoplay', 'ap=1&x'],
      ['allow_embed', 'no'],
    ],
  ],
  restriction: RELATIONSHIPS,
  platform: RELATIONSHIPS,
  price: [
    [['currency', 'EUR']],
    [
      ['resolution', 'hd'],
      ['currency', 'USD'],
      ['type', 'rent'],
    ],
  ],
  uploader: [[], [['info', 'https://example.org/me?a&b']]],
};
