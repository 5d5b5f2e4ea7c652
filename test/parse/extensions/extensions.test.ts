/** §6 news, images, videos, alternates and Media RSS: each field, its forms, and which of several values counts. */
import { describe, expect, test } from 'vitest';
import { parseSitemap } from '../../../src/parse/index.ts';
import { readWhole } from '../../support/every-cut.ts';

const A = 'https://a.example/1';
const ONE = 'https://a.example/1.jpg';
const TWO = 'https://a.example/2.jpg';
const THREE = 'https://a.example/3.jpg';
const OPTIONS = { url: 'https://a.example/sitemap.xml' };

const urlset = (body: string) =>
  '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" ' +
  'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" ' +
  `xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>${A}</loc>${body}</url></urlset>`;
const video = (body: string) => `<video:video>${body}</video:video>`;
const news = (body: string) => `<news:news>${body}</news:news>`;
const image = (body: string) => `<image:image>${body}</image:image>`;

type Row = readonly [what: string, body: string, fields: object, codes?: readonly string[]];

function holds(rows: readonly Row[], written: (body: string) => string = urlset): void {
  const whole = rows.map(([what, body, fields, codes = []]) => [what, body, fields, codes] as const);
  test.each(whole)('%s', (_what, body, fields, codes) => {
    const { items, problems } = readWhole(written(body), OPTIONS);
    expect(items).toEqual([{ url: A, ...fields }]);
    expect(problems.map(({ code }) => code)).toEqual(codes);
  });
}

describe('§6 videos', () => {
  const yesNo = ['family_friendly', 'requires_subscription', 'live'] as const;
  const names = {
    family_friendly: 'familyFriendly',
    requires_subscription: 'requiresSubscription',
    live: 'live',
  };
  holds(
    yesNo.flatMap((tag) =>
      (
        [
          ['yes', true],
          ['YES', true],
          ['True', true],
          ['1', true],
          ['no', false],
          ['No', false],
          ['false', false],
          ['0', false],
        ] as const
      ).map(
        ([word, value]): Row => [
          `${tag}: ${word}`,
          video(`<video:${tag}>${word}</video:${tag}>`),
          { videos: [{ [names[tag]]: value }] },
        ],
      ),
    ),
  );

  holds([
    [
      'a word that is neither yes nor no does not replace one',
      video('<video:live>yes</video:live><video:live>maybe</video:live>'),
      { videos: [{ live: true }] },
    ],
    [
      'the last of two titles',
      video('<video:title>S</video:title><video:title>T</video:title>'),
      { videos: [{ title: 'T' }] },
    ],
    [
      'an empty value does not replace another',
      video(
        '<video:title>S</video:title><video:title> </video:title><video:duration>1</video:duration><video:duration/>',
      ),
      { videos: [{ title: 'S', duration: 1 }] },
    ],
    ['a duration of 0', video('<video:duration>0</video:duration>'), { videos: [{ duration: 0 }] }],
    ['a rating of 0', video('<video:rating>0.0</video:rating>'), { videos: [{ rating: 0 }] }],
    ['the highest rating', video('<video:rating>5</video:rating>'), { videos: [{ rating: 5 }] }],
    [
      'the highest rating as a decimal',
      video('<video:rating>5.0</video:rating>'),
      { videos: [{ rating: 5 }] },
    ],
    [
      'a rating above 5',
      video('<video:title>T</video:title><video:rating>6</video:rating><video:rating>5.1</video:rating>'),
      { videos: [{ title: 'T' }] },
      ['bad-number', 'bad-number'],
    ],
    [
      'numbers below 0',
      video(
        '<video:title>T</video:title><video:duration>-1</video:duration><video:view_count>-0.5</video:view_count>',
      ),
      { videos: [{ title: 'T' }] },
      ['bad-number', 'bad-number'],
    ],
    [
      'a view count above 5',
      video('<video:view_count>1234567890123</video:view_count>'),
      { videos: [{ viewCount: 1_234_567_890_123 }] },
    ],
    [
      'a price of 0, and one that is not a number',
      video('<video:price currency="EUR">0</video:price><video:price>free</video:price>'),
      { videos: [{ prices: [{ value: 0, currency: 'EUR' }] }] },
      ['bad-number'],
    ],
    [
      'attributes with a "<" that begins no tag',
      video(
        `<video:price currency="EUR" type="a < b">1</video:price><video:price type='1 <= 2' currency="USD">2</video:price>`,
      ),
      {
        videos: [
          {
            prices: [
              { value: 1, currency: 'EUR', type: 'a < b' },
              { value: 2, currency: 'USD', type: '1 <= 2' },
            ],
          },
        ],
      },
    ],
    [
      'prices in order',
      video('<video:price type="rent">2</video:price><video:price resolution="HD">1</video:price>'),
      {
        videos: [
          {
            prices: [
              { value: 2, type: 'rent' },
              { value: 1, resolution: 'HD' },
            ],
          },
        ],
      },
    ],
    [
      'tags in order, one of them empty',
      video(
        '<video:tag>b</video:tag><video:tag> </video:tag><video:tag>a</video:tag><video:tag>b</video:tag>',
      ),
      { videos: [{ tags: ['b', 'a', 'b'] }] },
    ],
    [
      'countries between spaces, commas and line ends',
      video('<video:restriction relationship="deny">\n IE, GB\n\tUS,,CA </video:restriction>'),
      { videos: [{ restriction: { relationship: 'deny', countries: ['IE', 'GB', 'US', 'CA'] } }] },
    ],
    [
      'platforms without a relationship',
      video('<video:platform>web,tv</video:platform>'),
      { videos: [{ platform: { platforms: ['web', 'tv'] } }] },
    ],
    [
      'attributes that are empty',
      video(
        '<video:platform relationship="">web</video:platform><video:price currency=" " type=" own ">1</video:price>',
      ),
      { videos: [{ platform: { platforms: ['web'] }, prices: [{ value: 1, type: 'own' }] }] },
    ],
    [
      'attributes in single quotes and capitals',
      video("<video:price CURRENCY='EUR'>1</video:price>"),
      { videos: [{ prices: [{ value: 1, currency: 'EUR' }] }] },
    ],
    [
      'an attribute with an entity',
      video(`<video:player_loc autoplay="a=1&amp;b=2" allow_embed="No">${ONE}</video:player_loc>`),
      { videos: [{ playerLoc: ONE, playerAutoplay: 'a=1&b=2', playerAllowEmbed: false }] },
    ],
    [
      'an attribute with a bare &',
      video(`<video:player_loc autoplay="a=1&b=2">${ONE}</video:player_loc>`),
      { videos: [{ playerLoc: ONE, playerAutoplay: 'a=1&b=2' }] },
      ['bare-ampersand'],
    ],
    [
      'the attributes of a player are those of its address',
      video(
        `<video:player_loc allow_embed="yes" autoplay="x">${ONE}</video:player_loc><video:player_loc>${TWO}</video:player_loc>`,
      ),
      { videos: [{ playerLoc: TWO }] },
    ],
    [
      'the attributes of a player whose address is bad',
      video(
        `<video:player_loc allow_embed="yes">${ONE}</video:player_loc><video:player_loc allow_embed="no">ftp://a/</video:player_loc>`,
      ),
      { videos: [{ playerLoc: ONE, playerAllowEmbed: true }] },
      ['not-http-url'],
    ],
    [
      'the attributes of an empty value are not those of the next',
      video(
        '<video:price currency="EUR"/><video:price>1</video:price><video:uploader info="/u"></video:uploader><video:uploader>U</video:uploader>',
      ),
      { videos: [{ prices: [{ value: 1 }], uploader: { name: 'U' } }] },
    ],
    [
      'an uploader with a relative page',
      video('<video:uploader info="/u">U</video:uploader>'),
      { videos: [{ uploader: { name: 'U', info: 'https://a.example/u' } }] },
      ['relative-url'],
    ],
    [
      'an uploader with a bad page',
      video('<video:uploader info="mailto:u@a.example">U</video:uploader>'),
      { videos: [{ uploader: { name: 'U' } }] },
      ['not-http-url'],
    ],
    [
      'addresses with entities',
      video(
        `<video:thumbnail_loc>${ONE}?a&amp;b</video:thumbnail_loc><video:content_loc> ${TWO} </video:content_loc>`,
      ),
      { videos: [{ thumbnailLoc: `${ONE}?a&b`, contentLoc: TWO }] },
    ],
    [
      'dates and their texts',
      video(
        '<video:publication_date>6 May 2024</video:publication_date><video:expiration_date>2024-06</video:expiration_date>',
      ),
      {
        videos: [
          {
            publicationDate: '2024-05-06T00:00:00.000Z',
            publicationDateText: '6 May 2024',
            expirationDate: '2024-06-01T00:00:00.000Z',
            expirationDateText: '2024-06',
          },
        ],
      },
    ],
    [
      'a bad date does not replace one',
      video(
        '<video:publication_date>2024</video:publication_date><video:publication_date>soon</video:publication_date>',
      ),
      { videos: [{ publicationDate: '2024-01-01T00:00:00.000Z', publicationDateText: '2024' }] },
      ['bad-date'],
    ],
    [
      'two videos, the second without a title',
      video('<video:title>T</video:title><video:tag>t</video:tag>') +
        video('<video:duration>2</video:duration>'),
      { videos: [{ title: 'T', tags: ['t'] }, { duration: 2 }] },
    ],
    [
      'values without a group are a video',
      '<video:title>T</video:title><video:live>no</video:live>',
      { videos: [{ title: 'T', live: false }] },
    ],
    ['an empty video', video(''), {}],
  ]);

  test('what cannot be understood is named as what it should be', () => {
    const { problems } = readWhole(
      urlset(
        video(
          '<video:duration>x</video:duration><video:rating>y</video:rating><video:view_count>z</video:view_count><video:price>w</video:price>',
        ),
      ),
    );
    expect(problems.map(({ message }) => message)).toEqual([
      '"x" is not a duration; it was left out.',
      '"y" is not a rating; it was left out.',
      '"z" is not a view count; it was left out.',
      '"w" is not a price; it was left out.',
    ]);
  });
});

describe('§6 news', () => {
  const tags = '<news:title>T</news:title>';
  holds([
    [
      'lists with empty parts and white space',
      news(
        `${tags}<news:genres> Blog, ,Satire,</news:genres><news:keywords>a b,c</news:keywords><news:stock_tickers>X:A</news:stock_tickers>`,
      ),
      {
        newsStory: { title: 'T', genres: ['Blog', 'Satire'], keywords: ['a b', 'c'], stockTickers: ['X:A'] },
      },
    ],
    [
      'values with entities and letters beyond ASCII',
      news(
        `<news:title>A &amp; \u00e9</news:title><news:keywords>\u00e9,&#233;</news:keywords><news:publication><news:name>N &lt;</news:name><news:language>x-\u00e9</news:language></news:publication>`,
      ),
      {
        newsStory: {
          title: 'A & é',
          keywords: ['é', 'é'],
          publicationName: 'N <',
          publicationLanguage: 'x-é',
        },
      },
    ],
    [
      'a date with a zone, and access',
      news(
        '<news:publication_date>2024-05-06T08:00:00+02:00</news:publication_date><news:access>Subscription</news:access>',
      ),
      {
        newsStory: {
          publishDate: '2024-05-06T06:00:00.000Z',
          publishDateText: '2024-05-06T08:00:00+02:00',
          access: 'Subscription',
        },
      },
    ],
    ['an empty title', news('<news:title> </news:title><news:genres>Blog</news:genres>'), {}],
    [
      'the last of two titles, of which one is empty',
      news(`<news:title>S</news:title>${tags}<news:title/>`),
      { newsStory: { title: 'T' } },
    ],
    [
      'a bad date does not replace one',
      news(
        '<news:publication_date>2024-05-06T00:00:00.000Z</news:publication_date><news:publication_date>x</news:publication_date>',
      ),
      { newsStory: { publishDate: '2024-05-06T00:00:00.000Z' } },
      ['bad-date'],
    ],
    ['values without a group', tags, { newsStory: { title: 'T' } }],
    [
      'two stories are one',
      news(tags) + news('<news:access>A</news:access>'),
      { newsStory: { title: 'T', access: 'A' } },
    ],
  ]);
});

describe('§6 images', () => {
  const loc = (url: string) => `<image:loc>${url}</image:loc>`;
  holds([
    [
      'every field, with entities',
      image(
        `${loc(`${ONE}?a&amp;b`)}<image:caption>C &amp; c</image:caption><image:geo_location>L\u00e9</image:geo_location><image:title>T</image:title><image:license>${TWO}</image:license>`,
      ),
      { images: [{ loc: `${ONE}?a&b`, caption: 'C & c', geoLocation: 'Lé', title: 'T', license: TWO }] },
    ],
    [
      'a bad license',
      image(`${loc(ONE)}<image:license>free</image:license><image:license>javascript:x</image:license>`),
      { images: [{ loc: ONE, license: 'https://a.example/free' }] },
      ['relative-url', 'not-http-url'],
    ],
    [
      'three in order, twice the same',
      image(loc(TWO)) + image(loc(ONE)) + image(loc(TWO)),
      { images: [{ loc: TWO }, { loc: ONE }, { loc: TWO }] },
    ],
    [
      'values behind a second loc are its own',
      image(
        `${loc(ONE)}<image:title>S</image:title>${loc(TWO)}<image:caption>C</image:caption>${loc(THREE)}`,
      ),
      { images: [{ loc: ONE, title: 'S' }, { loc: TWO, caption: 'C' }, { loc: THREE }] },
      ['several-locs', 'several-locs'],
    ],
    [
      'a title in front of the loc',
      image(`<image:title>S</image:title>${loc(ONE)}`),
      { images: [{ loc: ONE, title: 'S' }] },
    ],
    [
      'a bad loc, then a good one',
      image(`<image:loc>data:x</image:loc>${loc(ONE)}`),
      { images: [{ loc: ONE }] },
      ['not-http-url'],
    ],
    [
      'an empty loc, then a good one, then an image without one',
      image(`<image:loc/>${loc(ONE)}`) + image('<image:title>T</image:title>'),
      { images: [{ loc: ONE }] },
      ['empty-loc', 'entry-without-loc'],
    ],
    [
      'an image with an empty loc alone is reported once',
      image('<image:loc/><image:title>T</image:title>') + image(loc(ONE)),
      { images: [{ loc: ONE }] },
      ['empty-loc'],
    ],
    [
      'a title that is not the next image’s',
      image(`${loc(ONE)}<image:title>S</image:title>`) + image(loc(TWO)),
      { images: [{ loc: ONE, title: 'S' }, { loc: TWO }] },
    ],
    [
      'values without a group',
      `${loc(ONE)}<image:title>S</image:title>${loc(TWO)}`,
      { images: [{ loc: ONE, title: 'S' }, { loc: TWO }] },
      ['several-locs'],
    ],
    [
      'an empty value',
      image(`${loc(ONE)}<image:title/><image:caption> </image:caption>`),
      { images: [{ loc: ONE }] },
    ],
  ]);
});

describe('§6 alternates', () => {
  const link = (attributes: string) => `<xhtml:link ${attributes}/>`;
  const de = { alternates: [{ hreflang: 'de', href: ONE }] };
  holds([
    [
      'in order, also twice the same',
      link(`rel="alternate" hreflang="fr" href="${TWO}"`) +
        link(`rel="alternate" hreflang="de" href="${ONE}"`).repeat(2),
      { alternates: [{ hreflang: 'fr', href: TWO }, ...de.alternates, ...de.alternates] },
    ],
    [
      'a rel in capitals, and the attributes in another order',
      link(`href="${ONE}" hreflang="de" rel="Alternate"`),
      de,
    ],
    ['a rel of several words', link(`rel="nofollow ALTERNATE\tx" hreflang="de" href="${ONE}"`), de],
    [
      'a rel that only contains the word',
      link(`rel="alternates" hreflang="de" href="${ONE}"`) +
        link(`rel="x-alternate" hreflang="de" href="${ONE}"`),
      {},
    ],
    ['without a rel', link(`hreflang="de" href="${ONE}"`), {}],
    [
      'with an empty hreflang or none',
      link(`rel="alternate" hreflang="" href="${ONE}"`) +
        link(`rel="alternate" hreflang=" " href="${ONE}"`) +
        link(`rel="alternate" href="${ONE}"`),
      {},
    ],
    [
      'with an empty href or none',
      link('rel="alternate" hreflang="de" href=""') +
        link('rel="alternate" hreflang="de" href=" "') +
        link('rel="alternate" hreflang="de"'),
      {},
    ],
    ['white space behind an href', link(`rel="alternate" hreflang="de" href="${ONE} "`), de],
    ['white space before an href', link(`rel="alternate" hreflang="de" href=" ${ONE}"`), de],
    ['white space around both', link(`rel=" alternate " hreflang=" de " href=" ${ONE}\n"`), de],
    [
      'an href with entities',
      link(`rel="alternate" hreflang="de" href="${ONE}?a&amp;b"`),
      { alternates: [{ hreflang: 'de', href: `${ONE}?a&b` }] },
    ],
    ['a relative href', link('rel="alternate" hreflang="de" href="/1.jpg"'), de, ['relative-url']],
    ['a bad href', link('rel="alternate" hreflang="de" href="mailto:x"'), {}, ['not-http-url']],
    [
      'an href with a part of a template',
      link(`rel="alternate" hreflang="de" href="${ONE}{{x}}"`),
      { alternates: [{ hreflang: 'de', href: `${ONE}{{x}}` }] },
      ['template'],
    ],
    [
      'a bare & is reported',
      link(`rel="alternate" hreflang="de" href="${ONE}?a&b"`),
      { alternates: [{ hreflang: 'de', href: `${ONE}?a&b` }] },
      ['bare-ampersand'],
    ],
    [
      'a start tag with an end tag',
      `<xhtml:link rel="alternate" hreflang="de" href="${ONE}"></xhtml:link>`,
      de,
    ],
    [
      'quotes of the other kind inside',
      link(`rel='alternate' hreflang='de' href='${ONE}?"'`),
      { alternates: [{ hreflang: 'de', href: `${ONE}?"` }] },
    ],
  ]);
});

describe('Media RSS', () => {
  const rss = (body: string) =>
    `<rss xmlns:media="http://search.yahoo.com/mrss/"><channel><item><link>${A}</link>${body}</item></channel></rss>`;
  const content = (attributes: string, body = '') => `<media:content ${attributes}>${body}</media:content>`;
  const MP4 = 'https://a.example/1.mp4';
  holds(
    [
      [
        'an image by its medium in capitals',
        content(`url="${A}" medium=" IMAGE "`),
        { images: [{ loc: A }] },
      ],
      ['an image by its type', content(`url="${A}" type="image/png"`), { images: [{ loc: A }] }],
      [
        'the medium goes before the type',
        content(`url="${A}" medium="video" type="image/png"`),
        { videos: [{ contentLoc: A }] },
      ],
      [
        'the type where the medium says nothing',
        content(`url="${A}" medium="document" type="image/png"`),
        { images: [{ loc: A }] },
      ],
      [
        'Flash is a video',
        content(`url="${A}" type="application/x-shockwave-flash"`),
        { videos: [{ contentLoc: A }] },
      ],
      [
        'neither an image nor a video, whatever its address',
        content(`url="${ONE}" type="text/html"`) + content(`url="${MP4}" medium="audio"`),
        {},
      ],
      [
        'by the end of its path',
        content(`url="${ONE}"`) +
          content(`url="${MP4}?a=b.jpg#c"`) +
          content('url="https://a.example/1.JPEG"') +
          content('url="https://a.example/jpg"'),
        {
          images: [{ loc: ONE }, { loc: 'https://a.example/1.JPEG' }],
          videos: [{ contentLoc: `${MP4}?a=b.jpg#c` }],
        },
      ],
      [
        'by the end of its path, in front of a fragment',
        content(`url="${ONE}#c"`),
        { images: [{ loc: `${ONE}#c` }] },
      ],
      [
        'a duration of a video, and one that is not a number',
        content(`url="${MP4}" duration="0"`) + content(`url="${MP4}" duration="x"`),
        { videos: [{ contentLoc: MP4, duration: 0 }, { contentLoc: MP4 }] },
        ['bad-number'],
      ],
      [
        'a description of the item is that of a content that has none',
        `<media:title>S</media:title><media:description>D</media:description>${content(`url="${ONE}"`, '<media:title>T</media:title>')}${content(`url="${TWO}"`)}`,
        {
          images: [
            { loc: ONE, caption: 'D', title: 'T' },
            { loc: TWO, caption: 'D', title: 'S' },
          ],
        },
      ],
      [
        'a description behind the content',
        `${content(`url="${MP4}"`)}<media:keywords>a, b</media:keywords><media:category>C</media:category><media:thumbnail url="${ONE}"/><media:player url="${A}"/>`,
        { videos: [{ thumbnailLoc: ONE, contentLoc: MP4, playerLoc: A, tags: ['a', 'b'], category: 'C' }] },
      ],
      [
        'what a content says is not the next one’s',
        content(`url="${MP4}" duration="1"`, `<media:thumbnail url="${ONE}"/><media:title>T</media:title>`) +
          content(`url="${MP4}"`),
        { videos: [{ thumbnailLoc: ONE, title: 'T', contentLoc: MP4, duration: 1 }, { contentLoc: MP4 }] },
      ],
      [
        'the first of two thumbnails and players',
        `<media:player url="${ONE}"/><media:player url="${TWO}"/><media:thumbnail url="${ONE}"/><media:thumbnail url="${TWO}"/>`,
        { videos: [{ playerLoc: ONE, thumbnailLoc: ONE }] },
      ],
      [
        'a thumbnail alone is an image',
        `<media:thumbnail url=" ${ONE} "/><media:title>T</media:title><media:description>D</media:description>`,
        { images: [{ loc: ONE, title: 'T', caption: 'D' }] },
      ],
      [
        'a thumbnail beside an image is not another one',
        `<media:thumbnail url="${TWO}"/>${content(`url="${ONE}"`)}`,
        { images: [{ loc: ONE }] },
      ],
      [
        'a thumbnail beside a video is the video’s',
        `<media:thumbnail url="${TWO}"/>${content(`url="${MP4}"`)}`,
        { videos: [{ contentLoc: MP4, thumbnailLoc: TWO }] },
      ],
      [
        'a player beside a video is not another one',
        `<media:player url="${TWO}"/>${content(`url="${MP4}"`)}`,
        { videos: [{ contentLoc: MP4, playerLoc: TWO }] },
      ],
      [
        'a player beside an image is a video',
        `<media:player url="${TWO}"/>${content(`url="${ONE}"`)}`,
        { images: [{ loc: ONE }], videos: [{ playerLoc: TWO }] },
      ],
      [
        'a video with a player and no address',
        content('medium="video"', `<media:player url="${TWO}"/>`),
        { videos: [{ playerLoc: TWO }] },
      ],
      [
        'an image with a player and no address',
        content('medium="image"', `<media:player url="${TWO}"/>`),
        {},
      ],
      [
        'an image without an address',
        content('medium="image"') + content('medium="image" url="data:x"'),
        {},
        ['not-http-url'],
      ],
      ['a relative address', content('url="/1.jpg"'), { images: [{ loc: ONE }] }, ['relative-url']],
      [
        'an empty title',
        `<media:title/>${content(`url="${ONE}"`, '<media:title> </media:title>')}`,
        { images: [{ loc: ONE }] },
      ],
      [
        'several in groups',
        `<media:group>${content(`url="${ONE}"`)}</media:group><media:group>${content(`url="${TWO}"`)}</media:group>`,
        { images: [{ loc: ONE }, { loc: TWO }] },
      ],
    ],
    rss,
  );
});

test('what is said of dropped values counts those of one entry, and each text costs 64 bytes more', () => {
  const entry = (number: number, count: number) =>
    `<url><loc>https://a.example/${number}</loc>${image(`<image:loc>${ONE}</image:loc>${`<image:title>${'x'.repeat(60_000)}</image:title>`.repeat(count)}`)}</url>`;
  const document = urlset('').replace('</urlset>', `${entry(2, 20)}${entry(3, 17)}${entry(4, 18)}</urlset>`);
  const parse = parseSitemap(document);
  const pages = Array.from(parse, (item) => (item.type === 'page' ? item.page.images.length : -1));
  expect(pages).toEqual([0, 1, 1, 1]);
  // 1 MiB has room for 17 of them.
  expect(parse.problems.map(({ message }) => /(\d+) more/.exec(message)?.[1])).toEqual(['3', '1']);
});
