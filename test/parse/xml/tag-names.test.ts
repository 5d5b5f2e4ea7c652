/** §7: what a namespace and a prefix are taken for, where they are in force, and what is said of them. */
import { describe, expect, test } from 'vitest';
import { readNamespace, usualMeaning } from '../../../src/parse/xml/tag-names.ts';
import { readWhole } from '../../support/every-cut.ts';

const S = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const I = 'http://www.google.com/schemas/sitemap-image/1.1';
const A = 'https://a.example/1';
const B = 'https://a.example/2';
const PNG = 'https://a.example/i.png';

test.each<readonly [string, string | undefined, boolean]>([
  [S, 'sitemap', true],
  ['http://www.google.com/schemas/sitemap/0.84', 'sitemap', true],
  ['http://www.google.com/schemas/sitemap-news/0.9', 'news', true],
  [I, 'image', true],
  ['http://www.google.com/schemas/sitemap-video/1.1', 'video', true],
  ['http://www.w3.org/1999/xhtml', 'xhtml', true],
  ['http://purl.org/rss/1.0/', 'rss', true],
  ['http://my.netscape.com/rdf/simple/0.9/', 'rss', true],
  ['http://channel.netscape.com/rdf/simple/0.9/', 'rss', true],
  ['http://backend.userland.com/rss2', 'rss', true],
  ['http://www.w3.org/2005/Atom', 'atom', true],
  ['http://purl.org/atom/ns#', 'atom', true],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf', true],
  ['http://purl.org/dc/elements/1.1/', 'dc', true],
  ['http://search.yahoo.com/mrss/', 'media', true],
  // Not exactly.
  ['https://www.sitemaps.org/schemas/sitemap/0.9', 'sitemap', false],
  ['http://sitemaps.org/schemas/sitemap/0.9/', 'sitemap', false],
  ['//www.sitemaps.org/schemas/sitemap/0.9', 'sitemap', false],
  [' HTTP://WWW.Sitemaps.org/schemas/sitemap/0.9\n', 'sitemap', false],
  ['www.sitemaps.org/schemas/sitemap', 'sitemap', false],
  ['http://www.google.com/schemas/sitemap/0.9', 'sitemap', false],
  ['http://www.google.com/schemas/sitemap-news/0.8', 'news', false],
  ['http://www.sitemaps.org/schemas/sitemap-image/1.1', 'image', false],
  ['https://www.google.com/schemas/sitemap-video/1.0', 'video', false],
  ['http://www.w3.org/TR/xhtml11/xhtml11_schema.html', 'xhtml', false],
  ['http://blogs.userland.com/rss2', 'rss', false],
  ['http://purl.org/net/rss1.1#', 'rss', false],
  ['http://purl.org/atom/ns', 'atom', false],
  ['http://www.w3.org/2005/atom', 'atom', false],
  ['http://purl.org/dc/terms/', 'dc', false],
  ['http://video.search.yahoo.com/mrss', 'media', false],
  // Others.
  ['', undefined, false],
  ['http://www.google.com/schemas/sitemap-mobile/1.0', undefined, false],
  ['http://www.google.com/schemas/sitemaps', undefined, false],
  ['http://purl.org/rss/1.0/modules/content/', undefined, false],
  ['http://x.example/www.sitemaps.org/schemas/sitemap/0.9', undefined, false],
  ['http://www.w3.org/2005/Ato', undefined, false],
  ['http://www.w3.org/2000/svg', undefined, false],
])('the namespace %j is that of %s, exactly: %s', (uri, vocabulary, exact) => {
  expect(readNamespace(uri)).toEqual(vocabulary === undefined ? undefined : { vocabulary, exact });
});

test.each([
  ['image', 'image'],
  ['Image', 'image'],
  ['news', 'news'],
  ['video', 'video'],
  ['xhtml', 'xhtml'],
  ['media', 'media'],
  ['dc', 'dc'],
  ['i', undefined],
  ['', undefined],
  ['images', undefined],
])('the prefix %j alone is read as %s', (prefix, meaning) => {
  expect(usualMeaning(prefix)).toBe(meaning);
});

type Row = readonly [what: string, document: string, items: readonly unknown[], codes?: readonly string[]];

const image = (prefix: string, attributes = '') =>
  `<${prefix}:image${attributes}><${prefix}:loc>${PNG}</${prefix}:loc></${prefix}:image>`;
const urlset = (body: string, attributes = '') =>
  `<urlset xmlns="${S}"${attributes}><url><loc>${A}</loc>${body}</url><url><loc>${B}</loc>${body}</url></urlset>`;
const plain = [{ url: A }, { url: B }];
const withImages = plain.map((page) => ({ ...page, images: [{ loc: PNG }] }));

describe('where a namespace is in force', () => {
  const rows: readonly Row[] = [
    ['any prefix for a known one', urlset(image('x'), ` xmlns:x="${I}"`), withImages],
    ['the case of a prefix matters where it is declared', urlset(image('X'), ` xmlns:x="${I}"`), plain],
    ['on the tag itself, again and again', urlset(image('x', ` xmlns:x="${I}"`)), withImages],
    ['on the tag itself, not behind it', urlset(image('x', ` xmlns:x="${I}"`) + image('x')), withImages],
    [
      'on an entry, not on the next one',
      urlset('')
        .replace('<url><loc>', `<url xmlns:x="${I}"><loc>`)
        .replaceAll('</loc></url>', `</loc>${image('x')}</url>`),
      [withImages[0], plain[1]],
    ],
    [
      'one that is declared again inside',
      urlset(image('x', ' xmlns:x="urn:other"'), ` xmlns:x="${I}"`),
      plain,
    ],
    [
      'one that is not exact is reported once',
      urlset(image('x'), ` xmlns:x="https://www.google.com/schemas/sitemap-image/1.1"`),
      withImages,
      ['wrong-namespace'],
    ],
    [
      'two that are not exact are reported each',
      urlset(
        image('x') + image('y'),
        ' xmlns:x="https://www.google.com/schemas/sitemap-image/1.1" xmlns:y="//www.google.com/schemas/sitemap-image/1.1"',
      ),
      plain.map((page) => ({ ...page, images: [{ loc: PNG }, { loc: PNG }] })),
      ['wrong-namespace', 'wrong-namespace'],
    ],
    [
      'one that is not exact and not used is not reported',
      urlset('', ' xmlns:x="https://www.google.com/schemas/sitemap-image/1.1"'),
      plain,
    ],
    [
      'a prefix that is not declared is reported once',
      urlset(image('image')),
      withImages,
      ['undeclared-prefix'],
    ],
    [
      'two prefixes that are not declared are reported each',
      urlset(`${image('image')}<news:news><news:title>T</news:title></news:news>`),
      withImages.map((page) => ({ ...page, newsStory: { title: 'T' } })),
      ['undeclared-prefix', 'undeclared-prefix'],
    ],
    [
      'a usual prefix of an unknown namespace',
      urlset(image('image'), ' xmlns:image="urn:x"'),
      withImages,
      ['wrong-namespace'],
    ],
    [
      'a usual prefix of an unknown namespace, where another has its meaning',
      urlset(image('image') + image('x'), ` xmlns:image="urn:x" xmlns:x="${I}"`),
      withImages,
    ],
    ['a prefix that means nothing', urlset(image('x')), plain],
    [
      'no namespace, by an empty declaration inside',
      urlset('<x xmlns=""><priority>1</priority></x>'),
      plain.map((page) => ({ ...page, priority: 1 })),
    ],
    [
      'another namespace inside hides names',
      urlset('<x xmlns="urn:x"><priority>1</priority></x><priority>0.1</priority>'),
      plain.map((page) => ({ ...page, priority: 0.1 })),
    ],
    [
      'a namespace in references',
      urlset(image('x'), ` xmlns:x="${I.replaceAll('/', '&#x2F;')}"`),
      withImages,
    ],
    ['a namespace in single quotes', urlset(image('x'), ` xmlns:x='${I}'`), withImages],
    ['a prefix of 58 letters', urlset(image('x'.repeat(58)), ` xmlns:${'x'.repeat(58)}="${I}"`), withImages],
    ['an attribute that only begins as a declaration', urlset('', ' xmlnsx="urn:x"'), plain],
    [
      'upper case is reported once',
      urlset(image('x').toUpperCase().replaceAll(PNG.toUpperCase(), PNG), ` xmlns:X="${I}"`),
      withImages,
      ['upper-case-tag'],
    ],
    [
      'names in capitals that belong so',
      `<rss><item><link>${A}</link><pubDate>2024</pubDate></item></rss>`,
      [
        {
          url: A,
          lastModified: '2024-01-01T00:00:00.000Z',
          lastModifiedText: '2024',
          newsStory: { publishDate: '2024-01-01T00:00:00.000Z' },
        },
      ],
    ],
    [
      'names in other capitals',
      `<rss><item><link>${A}</link><PubDate>2024</PubDate><pubdate/></item></rss>`,
      [
        {
          url: A,
          lastModified: '2024-01-01T00:00:00.000Z',
          lastModifiedText: '2024',
          newsStory: { publishDate: '2024-01-01T00:00:00.000Z' },
        },
      ],
      ['upper-case-tag'],
    ],
  ];
  const whole = rows.map(([what, document, items, codes = []]) => [what, document, items, codes] as const);
  test.each(whole)('%s', (_what, document, items, codes) => {
    const read = readWhole(document);
    expect(read.items).toEqual(items);
    expect(read.problems.map(({ code }) => code)).toEqual(codes);
  });
});

describe('the namespace of a root', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['of a urlset that has none', `<urlset><url><loc>${A}</loc></url></urlset>`, ['missing-namespace']],
    ['of a feed that has none', `<feed><entry><link href="${A}"/></entry></feed>`, ['missing-namespace']],
    ['of RSS, which has none', `<rss><item><link>${A}</link></item></rss>`, []],
    [
      'of RSS with a prefix that is not declared',
      `<r:rss><r:item><r:link>${A}</r:link></r:item></r:rss>`,
      ['missing-namespace'],
    ],
    [
      'of RSS with an old one',
      `<rss xmlns="http://backend.userland.com/rss2"><item><link>${A}</link></item></rss>`,
      [],
    ],
    ['of an unknown kind', `<urlset xmlns="urn:x"><url><loc>${A}</loc></url></urlset>`, ['wrong-namespace']],
    [
      'of another vocabulary',
      `<urlset xmlns="http://www.w3.org/2005/Atom"><url><loc>${A}</loc></url></urlset>`,
      ['wrong-namespace'],
    ],
    [
      'of web pages',
      `<urlset xmlns="http://www.w3.org/1999/xhtml"><url><loc>${A}</loc></url></urlset>`,
      ['wrong-namespace'],
    ],
    [
      'of an older version',
      `<urlset xmlns="http://www.google.com/schemas/sitemap/0.84"><url><loc>${A}</loc></url></urlset>`,
      [],
    ],
  ])('%s', (_what, document, codes) => {
    const read = readWhole(document);
    expect(read.items).toEqual([{ url: A }]);
    expect(read.problems.map(({ code }) => code)).toEqual(codes);
  });
});
