/** §6, §7: entries of a urlset and of an index: what belongs to one entry alone, and which of several values counts. */
import { describe, expect, test } from 'vitest';
import { type ParseOptions, parseSitemap } from '../../../src/parse/index.ts';
import { readWhole } from '../../support/every-cut.ts';

const A = 'https://a.example/1';
const B = 'https://a.example/2';
const C = 'https://a.example/3';
const IMAGE = 'https://a.example/i.png';
const OPTIONS: ParseOptions = { url: 'https://a.example/sitemap.xml' };

const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" ' +
  'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" ' +
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"';
const urlset = (...entries: readonly string[]) =>
  `<urlset ${NAMESPACES}>${entries.map((entry) => `<url>${entry}</url>`).join('')}</urlset>`;
const index = (...entries: readonly string[]) =>
  `<sitemapindex ${NAMESPACES}>${entries.map((entry) => `<sitemap>${entry}</sitemap>`).join('')}</sitemapindex>`;
const loc = (url: string) => `<loc>${url}</loc>`;

/** An entry that the fast path leaves to the other. */
const SLOW = `${loc(B)}<x/>`;

type Row = readonly [what: string, document: string, items: readonly unknown[], codes?: readonly string[]];

function holds(rows: readonly Row[]): void {
  const whole = rows.map(([what, document, items, codes = []]) => [what, document, items, codes] as const);
  test.each(whole)('%s', (_what, document, items, codes) => {
    const read = readWhole(document, OPTIONS);
    expect(read.items).toEqual(items);
    expect(read.problems.map(({ code }) => code)).toEqual(codes);
  });
}

const VALUES: readonly (readonly [string, string])[] = [
  ['a priority', '<priority>0.8</priority>'],
  ['a change frequency', '<changefreq>daily</changefreq>'],
  ['a date', '<lastmod>2024-05-06</lastmod>'],
  ['a date that is written in a rarer way', '<lastmod>6 May 2024</lastmod>'],
  ['a date that is not one', '<lastmod>soon</lastmod>'],
  ['an image', `<image:image><image:loc>${IMAGE}</image:loc></image:image>`],
  ['an image that is not closed', `<image:image><image:loc>${IMAGE}</image:loc>`],
  ['an image without a loc', '<image:image><image:title>T</image:title></image:image>'],
  ['an image without its group', `<image:loc>${IMAGE}</image:loc>`],
  ['an alternate', `<xhtml:link rel="alternate" hreflang="de" href="${C}"/>`],
  ['a story', '<news:news><news:title>T</news:title></news:news>'],
  ['a story without a title', '<news:news><news:genres>Blog</news:genres></news:news>'],
  ['a video', '<video:video><video:title>T</video:title><video:tag>t</video:tag></video:video>'],
  ['a video that is not closed', '<video:video><video:title>T</video:title><video:price>1</video:price>'],
];

describe('what an entry has is not the next one’s', () => {
  test.each(VALUES)('%s', (_what, value) => {
    for (const next of [loc(B), SLOW]) {
      const { items } = readWhole(urlset(loc(A) + value, next), OPTIONS);
      expect(items).toHaveLength(2);
      expect(items[1]).toEqual({ url: B });
    }
  });

  test.each(VALUES)('%s of an entry that is dropped', (_what, value) => {
    for (const next of [loc(B), SLOW]) {
      const { items } = readWhole(urlset(loc('mailto:a@a.example') + value, next), OPTIONS);
      expect(items).toEqual([{ url: B }]);
    }
  });

  test.each(VALUES)('%s of an entry that was there before', (_what, value) => {
    for (const next of [loc(B), SLOW]) {
      const { items } = readWhole(urlset(loc(A), loc(A) + value, next), OPTIONS);
      expect(items).toEqual([{ url: A }, { url: B }]);
    }
  });

  test('any of them, where the next one has another', () => {
    for (const [what, value] of VALUES) {
      for (const [next, other] of VALUES) {
        const [alone] = readWhole(urlset(loc(B) + other), OPTIONS).items;
        const { items } = readWhole(urlset(loc(A) + value, loc(B) + other), OPTIONS);
        expect(items[1], `${what}, then ${next}`).toEqual(alone);
      }
    }
  });

  // A loc behind an extension that is not closed is that extension's.
  const closed = VALUES.filter(([what]) => !what.includes('not closed'));
  test.each(closed)('%s of the first of two addresses in an entry', (_what, value) => {
    const { items } = readWhole(urlset(loc(A) + value + loc(B)), OPTIONS);
    expect(items).toHaveLength(2);
    expect(items[1]).toEqual({ url: B });
  });

  holds([
    [
      'an address',
      urlset(loc(A), '<priority>1</priority>', loc(B)),
      [{ url: A }, { url: B }],
      ['entry-without-loc'],
    ],
    [
      'an address in other words than ASCII',
      urlset(loc('https://a.example/é?a&amp;b'), '<changefreq>daily</changefreq>', loc(B)),
      [{ url: 'https://a.example/é?a&b' }, { url: B }],
      ['entry-without-loc'],
    ],
    [
      'an address of an index',
      index(loc(A), '<lastmod>2024</lastmod>', loc(B)),
      [{ url: A }, { url: B }],
      ['entry-without-loc'],
    ],
    [
      'a date of an index',
      index(`${loc(A)}<lastmod>2024-05-06</lastmod>`, loc(B), `${loc(C)}<lastmod>soon</lastmod>`),
      [
        { url: A, lastModified: '2024-05-06T00:00:00.000Z', lastModifiedText: '2024-05-06' },
        { url: B },
        { url: C },
      ],
      ['bad-date'],
    ],
    [
      'an address, where the next one is a text',
      urlset(`${loc(A)}<x/>`, B, `${loc(C)}<x/>`),
      [{ url: A }, { url: B }, { url: C }],
      ['text-entry'],
    ],
    ['a text', urlset(`\n${A}\n`, '', loc(B)), [{ url: A }, { url: B }], ['text-entry', 'entry-without-loc']],
    [
      'an extension that is not closed',
      urlset(`${loc(A)}<image:image>`, `${loc(B)}<lastmod>2024</lastmod>`),
      [{ url: A }, { url: B, lastModified: '2024-01-01T00:00:00.000Z', lastModifiedText: '2024' }],
      ['unclosed-tag', 'entry-without-loc'],
    ],
  ]);
});

describe('several values of one kind', () => {
  holds([
    [
      'an empty loc behind a loc is not the same address again',
      urlset(`${loc(A)}<loc/>`),
      [{ url: A }],
      ['several-locs', 'empty-loc'],
    ],
    [
      'a bad loc behind a loc is not the same address again',
      urlset(`${loc(A)}${loc('ftp://a.example/')}<priority>0.3</priority>`),
      [{ url: A }],
      ['several-locs', 'not-http-url'],
    ],
    [
      'a loc behind an empty one',
      urlset(`<loc> </loc>${loc(A)}<priority>0.3</priority>`),
      [{ url: A, priority: 0.3 }],
      ['empty-loc', 'several-locs'],
    ],
    [
      'an empty lastmod says nothing',
      urlset(`${loc(A)}<lastmod>2024</lastmod><lastmod></lastmod>`),
      [{ url: A, lastModified: '2024-01-01T00:00:00.000Z', lastModifiedText: '2024' }],
    ],
    [
      'a readable lastmod behind an unreadable one',
      urlset(`${loc(A)}<lastmod>soon</lastmod><lastmod>2024</lastmod>`),
      [{ url: A, lastModified: '2024-01-01T00:00:00.000Z', lastModifiedText: '2024' }],
      ['bad-date'],
    ],
    [
      'the last of two unreadable lastmods is the text',
      urlset(`${loc(A)}<lastmod>soon</lastmod><lastmod>later</lastmod>`),
      [{ url: A, lastModifiedText: 'later' }],
      ['bad-date', 'bad-date'],
    ],
    [
      'empty changefreq and priority are no problem',
      urlset(`${loc(A)}<changefreq/><priority> </priority>`),
      [{ url: A }],
    ],
    [
      'empty changefreq and priority do not replace others',
      urlset(`${loc(A)}<changefreq>daily</changefreq><changefreq/><priority>0</priority><priority/>`),
      [{ url: A, changeFrequency: 'daily', priority: 0 }],
    ],
    ['a text beside a loc means nothing', urlset(`${B}${loc(A)}`, `${loc(B)}${C}`), [{ url: A }, { url: B }]],
    ['a text with a line end in it', urlset(' https://a.exam\n\tple/1 '), [{ url: A }], ['text-entry']],
    ['a text that is not an address', urlset('hello', loc(A)), [{ url: A }], ['entry-without-loc']],
  ]);
});

describe('a loc without prefix in an extension', () => {
  holds([
    [
      'of an image is its address',
      urlset(`${loc(A)}<image:image><loc>${IMAGE}</loc></image:image>`),
      [{ url: A, images: [{ loc: IMAGE }] }],
      ['wrong-namespace'],
    ],
    [
      'of an image in front of the loc of the page is its address',
      urlset(`<image:image><loc>${IMAGE}</loc></image:image>${loc(A)}`),
      [{ url: A, images: [{ loc: IMAGE }] }],
      ['wrong-namespace'],
    ],
    [
      'of an image that is not closed is that of the page',
      urlset(`<image:image><image:loc>${IMAGE}</image:loc>${loc(A)}`),
      [{ url: A, images: [{ loc: IMAGE }] }],
      ['unclosed-tag'],
    ],
    [
      'of two images is reported once',
      urlset(`${loc(A)}${`<image:image><loc>${IMAGE}</loc></image:image>`.repeat(2)}`),
      [{ url: A, images: [{ loc: IMAGE }, { loc: IMAGE }] }],
      ['wrong-namespace'],
    ],
    [
      'of a story behind the loc of the page is ignored',
      urlset(`${loc(A)}<news:news>${loc(B)}<news:title>T</news:title></news:news>`),
      [{ url: A, newsStory: { title: 'T' } }],
    ],
    [
      'of a story in front of the loc of the page is that of the page',
      urlset(`<news:news><news:title>T</news:title>${loc(A)}`),
      [{ url: A, newsStory: { title: 'T' } }],
      ['unclosed-tag'],
    ],
    [
      'other values without prefix there are ignored',
      urlset(
        `${loc(A)}<image:image><image:loc>${IMAGE}</image:loc><lastmod>2024</lastmod><priority>1</priority></image:image>`,
      ),
      [{ url: A, images: [{ loc: IMAGE }] }],
    ],
    [
      'values behind an extension are those of the page',
      urlset(`${loc(A)}<image:image><image:loc>${IMAGE}</image:loc></image:image><priority>1</priority>`),
      [{ url: A, images: [{ loc: IMAGE }], priority: 1 }],
    ],
  ]);
});

describe('an address that was there before', () => {
  const escaped = 'https://a.example/?a&amp;b';
  holds([
    [
      'on the fast path and behind it',
      urlset(loc(A), ` ${loc(A)}<x/>`, loc(A), loc(B)),
      [{ url: A }, { url: B }],
    ],
    [
      'with entities, on both paths',
      urlset(loc(escaped), loc(escaped), `<loc><![CDATA[https://a.example/?a&b]]></loc>`, loc(A), loc(B)),
      [{ url: 'https://a.example/?a&b' }, { url: A }, { url: B }],
    ],
    [
      'with entities, behind a plain one',
      urlset(loc(A), loc(escaped), loc(B), loc(A), loc(escaped), loc(B)),
      [{ url: A }, { url: 'https://a.example/?a&b' }, { url: B }],
    ],
    ['that is relative', urlset(loc('/1'), loc(A)), [{ url: A }], ['relative-url']],
    [
      'that has another case, slash or fragment is another page',
      urlset(loc(A), loc('https://A.example/1'), loc(`${A}/`), loc(`${A}#x`)),
      [A, 'https://A.example/1', `${A}/`, `${A}#x`].map((url) => ({ url })),
    ],
    [
      'two in one entry',
      urlset(loc(A) + loc(A) + loc(B)),
      [{ url: A }, { url: B }],
      ['several-locs', 'several-locs'],
    ],
    [
      'a sitemap, whose fragment does not count',
      index(loc(A), loc(`${A}#x`), loc(B)),
      [{ url: A }, { url: B }],
    ],
  ]);
});

test('the place of an address is where it is written: the loc, the last of two, the text of an entry', () => {
  const long = (path: string) => `ftp://a.example/${path}`;
  const document = urlset(
    `\n <loc> ${long('1')} </loc>`,
    `${loc(A)}${loc(long('2'))}`,
    `<loc>/3</loc> text`,
    '\n  https://a.example/4',
    '<changefreq>x</changefreq><priority>y</priority>',
    '<loc/>',
  );
  const { problems } = readWhole(document, OPTIONS);
  const places = problems.map(({ code, offset = -1 }) => [code, document.slice(offset, offset + 12)]);
  expect(places).toEqual([
    ['not-http-url', 'ftp://a.exam'],
    ['several-locs', 'ftp://a.exam'],
    ['not-http-url', 'ftp://a.exam'],
    ['relative-url', '/3</loc> tex'],
    ['text-entry', 'https://a.ex'],
    ['bad-change-frequency', 'x</changefre'],
    ['bad-priority', 'y</priority>'],
    ['entry-without-loc', '</url><url><'],
    ['empty-loc', '<loc/></url>'],
  ]);
});

test('entries of the other kind are counted, at the place of the first', () => {
  const sitemap = (url: string) => `<sitemap>${loc(url)}</sitemap>`;
  for (const [document, tag] of [
    [urlset(loc(A)).replace('</urlset>', `${sitemap(B)}${sitemap(C)}</urlset>`), '<sitemap>'],
    [
      index(loc(A)).replace(
        '</sitemapindex>',
        '<url><loc>/2</loc></url><url ><loc>/3</loc></url></sitemapindex>',
      ),
      '<url>',
    ],
  ] as const) {
    expect(readWhole(document, OPTIONS)).toMatchObject({
      items: [{ url: A }],
      problems: [{ code: 'other-entry-kind', offset: document.indexOf(tag, document.indexOf(A)) }],
    });
    expect(readWhole(document, OPTIONS).problems[0]?.message).toMatch(/^2 entries /);
  }
});

test('the last entry of a document that is cut: an index keeps it with its address, a urlset drops it', () => {
  const cutIndex = index(loc(A), `${loc(B)}<lastmod>2024-0`).slice(0, -'</sitemap></sitemapindex>'.length);
  expect(readWhole(cutIndex, OPTIONS)).toMatchObject({ items: [{ url: A }, { url: B }], truncated: true });
  expect(readWhole(cutIndex, OPTIONS).problems[0]?.message).toContain('which was kept');
  const cutLoc = index(loc(A), `<loc>${B}`).slice(0, -'</sitemap></sitemapindex>'.length);
  expect(readWhole(cutLoc, OPTIONS)).toMatchObject({ items: [{ url: A }], truncated: true });
  expect(readWhole(cutLoc, OPTIONS).problems[0]?.message).toContain('which was dropped');
  const cutUrlset = urlset(loc(A), loc(B)).slice(0, -'</url></urlset>'.length);
  expect(readWhole(cutUrlset, OPTIONS)).toMatchObject({ items: [{ url: A }], truncated: true });
  // Without <url> around it, a loc is the whole entry.
  const bare = urlset().replace('</urlset>', loc(A));
  expect(readWhole(bare, OPTIONS)).toMatchObject({ items: [{ url: A }], truncated: true });
  for (const missing of ['</loc>', '1</loc>', 'oc>'])
    expect(readWhole(bare.slice(0, -missing.length), OPTIONS)).toMatchObject({ items: [], truncated: true });
});

test('a date of a sub-sitemap that cannot be read has no text', () => {
  const [item] = parseSitemap(index(`${loc(A)}<lastmod>soon</lastmod>`), OPTIONS);
  expect(item).toEqual({
    type: 'sitemap',
    sitemap: { url: A, lastModified: undefined, lastModifiedText: undefined },
  });
});
