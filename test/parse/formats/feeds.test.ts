/** §6 RSS item, Atom entry: which of several links, titles and dates counts, and what belongs to one entry alone. */
import { describe, expect, test } from 'vitest';
import { readWhole } from '../../support/every-cut.ts';

const A = 'https://a.example/1';
const B = 'https://a.example/2';
const C = 'https://a.example/3';
const MAY = { lastModified: '2024-05-06T00:00:00.000Z', lastModifiedText: '2024-05-06' };
const JUNE = { lastModified: '2024-06-07T00:00:00.000Z', lastModifiedText: '2024-06-07' };
const [may, june] = ['2024-05-06', '2024-06-07'];

const RSS =
  '<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/">';
const rss = (...items: readonly string[]) =>
  `${RSS}<channel>${items.map((item) => `<item>${item}</item>`).join('')}</channel></rss>`;
const atom = (...entries: readonly string[]) =>
  `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">${entries
    .map((entry) => `<entry>${entry}</entry>`)
    .join('')}</feed>`;
const dated = (url: string, date: typeof MAY) => ({
  url,
  ...date,
  newsStory: { publishDate: date.lastModified },
});
const titled = (url: string, title: string) => ({ url, newsStory: { title } });

type Row = readonly [what: string, document: string, items: readonly unknown[], codes?: readonly string[]];

function holds(rows: readonly Row[]): void {
  const whole = rows.map(([what, document, items, codes = []]) => [what, document, items, codes] as const);
  test.each(whole)('%s', (_what, document, items, codes) => {
    const read = readWhole(document, { url: 'https://a.example/feed' });
    expect(read.items).toEqual(items);
    expect(read.problems.map(({ code }) => code)).toEqual(codes);
  });
}

describe('what an entry has is not the next one’s', () => {
  const media = '<media:content url="https://a.example/i.jpg" medium="image"/>';
  const parts: readonly (readonly [string, string])[] = [
    ['a title', '<title>T</title>'],
    ['a description', '<description>D</description>'],
    ['a date', `<pubDate>${may}</pubDate>`],
    ['another date', `<dc:date>${may}</dc:date>`],
    ['a date that is not one', '<pubDate>soon</pubDate>'],
    ['a title inside of a tag', '<image><title>T</title></image>'],
    ['a description inside of a tag', '<image><description>T</description></image>'],
    ['a date inside of a tag', `<image><pubDate>${may}</pubDate></image>`],
    ['a link of another tag', `<image><link>${C}</link></image>`],
    ['a tag that is not closed', `<image><title>T</title><link>${C}</link>`],
    ['an image', media],
    ['a group of media', `<media:group>${media}</media:group>`],
    ['a thumbnail', '<media:thumbnail url="https://a.example/t.jpg"/>'],
    ['a media:title, and nothing that it is the title of', '<media:title>M</media:title>'],
    ['an extension that is not closed', '<media:group><media:content url="https://a.example/i.jpg">'],
  ];

  test.each(parts)('%s of an item', (_what, part) => {
    const { items } = readWhole(rss(`<link>${A}</link>${part}`, `<link>${B}</link>`, ''));
    expect(items).toHaveLength(2);
    expect(items[1]).toEqual({ url: B });
  });

  test('any of them, where the next one has another', () => {
    for (const [what, part] of parts) {
      for (const [next, other] of parts) {
        const [alone] = readWhole(rss(`<link>${B}</link>${other}`)).items;
        const { items } = readWhole(rss(`<link>${A}</link>${part}`, `<link>${B}</link>${other}`));
        expect(items[1], `${what}, then ${next}`).toEqual(alone);
      }
    }
  });

  test.each(parts)('%s of an item that is dropped', (_what, part) => {
    const { items, problems } = readWhole(rss(`<link>mailto:a@a.example</link>${part}`, `<link>${B}</link>`));
    expect(items).toEqual([{ url: B }]);
    expect(problems.map(({ code }) => code)).toContain('not-http-url');
  });

  holds([
    [
      'the link and the guid of an item',
      rss(`<link>${A}</link><guid>${B}</guid>`, '<title>T</title>', `<guid>${C}</guid>`, '<title>U</title>'),
      [{ url: A }, { url: C }],
      ['entry-without-loc', 'entry-without-loc'],
    ],
    [
      'the links of an Atom entry',
      atom(
        `<link href="${A}"/><link rel="self" href="${B}"/>`,
        '<title>T</title>',
        `<link rel="self" href="${C}"/>`,
        '',
      ),
      [{ url: A }, { url: C }],
      ['entry-without-loc', 'entry-without-loc'],
    ],
    [
      'the rest of an Atom entry',
      atom(
        `<link href="${A}"/><title>T</title><summary>S</summary><published>${may}</published>`,
        `<link href="${B}"/>`,
        `<link href="${C}"/><updated>${june}</updated>`,
      ),
      [
        { url: A, ...MAY, newsStory: { title: 'T', publishDate: MAY.lastModified } },
        { url: B },
        dated(C, JUNE),
      ],
    ],
    [
      'a published date, which would go before an updated one',
      atom(
        `<link href="${A}"/><published>${may}</published>`,
        `<link href="${B}"/><updated>${june}</updated>`,
      ),
      [dated(A, MAY), dated(B, JUNE)],
    ],
    [
      'values in a tag that is not closed, where the next entry has a tag',
      rss(
        `<image><title>T</title><link>${A}</link>`,
        `<link>${B}</link><image><title>U</title></image>`,
        `<link>${C}</link>`,
      ),
      [titled(A, 'T'), titled(B, 'U'), { url: C }],
      ['unclosed-tag'],
    ],
    [
      'a source that is not closed',
      atom(`<link href="${A}"/><source><link href="${C}"/>`, `<title>T</title><link href="${B}"/>`),
      [{ url: A }, titled(B, 'T')],
      ['unclosed-tag'],
    ],
    [
      'the xml:base of an entry',
      atom('<link href="x"/>')
        .replace('<entry>', '<entry xml:base="/one/">')
        .replace('</feed>', '<entry><link href="y"/></entry></feed>'),
      [{ url: 'https://a.example/one/x' }, { url: 'https://a.example/y' }],
      ['relative-url', 'relative-url'],
    ],
  ]);
});

describe('the date of an entry', () => {
  holds([
    [
      'a pubDate goes before a dc:date behind it',
      rss(`<link>${A}</link><pubDate>${may}</pubDate><dc:date>${june}</dc:date>`),
      [dated(A, MAY)],
    ],
    [
      'a pubDate goes before a dc:date in front of it',
      rss(`<link>${A}</link><dc:date>${june}</dc:date><pubDate>${may}</pubDate>`),
      [dated(A, MAY)],
    ],
    [
      'the last of two pubDates counts',
      rss(`<link>${A}</link><pubDate>${june}</pubDate><pubDate>${may}</pubDate>`),
      [dated(A, MAY)],
    ],
    [
      'the last of two dc:dates counts',
      rss(`<link>${A}</link><dc:date>${june}</dc:date><dc:date>${may}</dc:date>`),
      [dated(A, MAY)],
    ],
    [
      'a pubDate stays behind a tag with other values',
      rss(
        `<link>${A}</link><pubDate>${may}</pubDate><image><title>T</title></image><dc:date>${june}</dc:date>`,
      ),
      [{ ...dated(A, MAY), newsStory: { title: 'T', publishDate: MAY.lastModified } }],
    ],
    [
      'a pubDate stays behind a tag with a date',
      rss(`<link>${A}</link><pubDate>${may}</pubDate><image><pubDate>${june}</pubDate></image>`),
      [dated(A, MAY)],
    ],
    [
      'a dc:date of its own goes before a pubDate inside of a tag',
      rss(`<link>${A}</link><image><pubDate>${june}</pubDate></image><dc:date>${may}</dc:date>`),
      [dated(A, MAY)],
    ],
    [
      'the last of two dc:dates counts, whatever is inside of a tag between them',
      rss(
        `<link>${A}</link><dc:date>${june}</dc:date><image><pubDate>2024</pubDate></image><dc:date>${may}</dc:date>`,
      ),
      [dated(A, MAY)],
    ],
    [
      'inside of tags, a pubDate goes before a dc:date',
      rss(
        `<link>${A}</link><image><pubDate>${may}</pubDate></image><image><dc:date>${june}</dc:date></image>`,
      ),
      [dated(A, MAY)],
    ],
    [
      'inside of tags, a date that is not one is the last',
      rss(`<link>${A}</link><pubDate>soon</pubDate><image><dc:date>${may}</dc:date></image>`),
      [dated(A, MAY)],
      ['bad-date'],
    ],
    [
      'a date that is not one is kept as text',
      rss(`<link>${A}</link><pubDate>soon</pubDate>`),
      [{ url: A, lastModifiedText: 'soon' }],
      ['bad-date'],
    ],
    [
      'an empty date is no date, and no problem',
      rss(`<link>${A}</link><dc:date>${may}</dc:date><pubDate> </pubDate><pubDate/>`),
      [dated(A, MAY)],
    ],
    [
      'a published goes before an updated behind it',
      atom(`<link href="${A}"/><published>${may}</published><updated>${june}</updated>`),
      [dated(A, MAY)],
    ],
    [
      'an issued goes before a modified in front of it',
      atom(`<link href="${A}"/><modified>${june}</modified><issued>${may}</issued>`),
      [dated(A, MAY)],
    ],
    [
      'an updated goes for a published that is not a date',
      atom(`<link href="${A}"/><updated>${may}</updated><published>soon</published>`),
      [dated(A, MAY)],
      ['bad-date'],
    ],
    ['modified alone', atom(`<link href="${A}"/><modified>${may}</modified>`), [dated(A, MAY)]],
    ['issued alone', atom(`<link href="${A}"/><issued>${may}</issued>`), [dated(A, MAY)]],
  ]);

  test('a date that is not one is the text of the page, of its own before one inside of a tag', () => {
    const document = rss(`<link>${A}</link><pubDate>soon</pubDate><image><pubDate>later</pubDate></image>`);
    const { problems, items } = readWhole(document);
    expect(items).toEqual([{ url: A, lastModifiedText: 'soon' }]);
    expect(problems.map(({ message }) => /"(\w+)"/.exec(message)?.[1])).toEqual(['soon', 'later']);
  });
});

describe('the title of an entry', () => {
  holds([
    ['the first of two', rss(`<link>${A}</link><title>T</title><title>U</title>`), [titled(A, 'T')]],
    [
      'the first that is not empty',
      rss(`<link>${A}</link><title> </title><title>U</title>`),
      [titled(A, 'U')],
    ],
    [
      'else the first description',
      rss(`<link>${A}</link><description>D</description><description>E</description>`),
      [titled(A, 'D')],
    ],
    [
      'else the first description that is not empty',
      rss(`<link>${A}</link><description/><description>E</description>`),
      [titled(A, 'E')],
    ],
    [
      'a title behind a description',
      rss(`<link>${A}</link><description>D</description><title>T</title>`),
      [titled(A, 'T')],
    ],
    [
      'a description of its own before a title inside of a tag',
      rss(`<link>${A}</link><image><title>I</title></image><description>D</description>`),
      [titled(A, 'D')],
    ],
    [
      'a description behind a title in a tag that is open',
      rss(`<link>${A}</link><image><title>I</title><x/></image><description>D</description>`),
      [titled(A, 'D')],
    ],
    [
      'a title of its own behind one inside of a tag',
      rss(`<link>${A}</link><image><title>I</title></image><title>T</title>`),
      [titled(A, 'T')],
    ],
    [
      'inside of tags, the first title',
      rss(`<link>${A}</link><image><title>I</title></image><image><title>J</title></image>`),
      [titled(A, 'I')],
    ],
    [
      'inside of tags, a title before a description',
      rss(`<link>${A}</link><image><description>I</description></image><image><title>J</title></image>`),
      [titled(A, 'J')],
    ],
    [
      'inside of tags, the first description',
      rss(
        `<link>${A}</link><image><description>I</description></image><image><description>J</description></image>`,
      ),
      [titled(A, 'I')],
    ],
    ['a summary of an Atom entry', atom(`<link href="${A}"/><summary>S</summary>`), [titled(A, 'S')]],
    [
      'a title before a summary',
      atom(`<link href="${A}"/><summary>S</summary><title>T</title>`),
      [titled(A, 'T')],
    ],
    [
      'a title and a date',
      rss(`<link>${A}</link><title>T</title><pubDate>${may}</pubDate>`),
      [{ url: A, ...MAY, newsStory: { title: 'T', publishDate: MAY.lastModified } }],
    ],
    ['neither a title nor a date', rss(`<link>${A}</link>`), [{ url: A }]],
  ]);
});

describe('the link of an item', () => {
  holds([
    ['the first of two', rss(`<link>${A}</link><link>${B}</link>`), [{ url: A }]],
    ['the first of two guids', rss(`<guid>${A}</guid><guid>${B}</guid>`), [{ url: A }]],
    [
      'of links and guids inside of tags, the first link',
      rss(`<x><guid>${C}</guid></x><x><link>${A}</link></x><x><link>${B}</link></x>`),
      [{ url: A }],
    ],
    ['a guid inside of a tag', rss(`<x><guid>${A}</guid></x><x><guid>${B}</guid></x>`), [{ url: A }]],
    [
      'a guid of its own before a link inside of a tag',
      rss(`<x><link>${B}</link></x><guid>${A}</guid>`),
      [{ url: A }],
    ],
    ['a link inside of two tags', rss(`<x><y><link>${B}</link></y></x><link>${A}</link>`), [{ url: A }]],
    [
      'links at several levels, in tags that are closed',
      rss(
        `<x><link>${B}</link><y><link>${C}</link><title>I</title></y></x><title>T</title><link>${A}</link>`,
      ),
      [titled(A, 'T')],
    ],
    [
      'a value behind the inner of two tags',
      rss(`<x><y><title>Y</title></y><link>${B}</link></x><guid>${A}</guid>`),
      [titled(A, 'Y')],
    ],
    [
      'a guid with white space and a line end in it',
      rss(`<guid>\n https://a.exam\nple/1 </guid>`),
      [{ url: A }],
    ],
    [
      'isPermaLink in any case',
      rss(
        `<guid isPermaLink=" FALSE ">${A}</guid>`,
        `<guid ISPERMALINK="True">${B}</guid>`,
        `<guid isPermaLink="">${C}</guid>`,
      ),
      [{ url: B }, { url: C }],
      ['entry-without-loc'],
    ],
    [
      'a guid behind one that is not a permalink',
      rss(`<guid isPermaLink="false">${B}</guid><guid>${A}</guid>`),
      [{ url: A }],
    ],
    [
      'a guid behind a link in a tag',
      rss(`<x><link>${B}</link></x><guid isPermaLink="false">${A}</guid>`),
      [{ url: B }],
    ],
    ['white space around an href', rss(`<link href=" ${A} "/>`), [{ url: A }]],
    [
      'an href with another relation is used where there is no other link',
      rss(`<link rel=" SELF " href="${B}"/><link href="${A}"/>`),
      [{ url: A }],
    ],
    [
      'an href with the relation alternate',
      rss(`<link rel="self" href="${B}"/><link rel=" Alternate " href="${A}"/>`),
      [{ url: A }],
    ],
    [
      'an href with an empty relation',
      rss(`<link rel="self" href="${B}"/><link rel="" href="${A}"/>`),
      [{ url: A }],
    ],
    ['a text goes before the href', rss(`<link href="${B}">${A}</link>`), [{ url: A }]],
    [
      'a text is the link whatever the relation',
      rss(`<guid>${B}</guid><link rel="self">${A}</link>`),
      [{ url: A }],
    ],
    [
      'an href is not that of the next link, which is empty',
      rss(`<guid>${A}</guid><link rel="self" href="${B}"/><link/>`),
      [{ url: A }],
    ],
    [
      'an href is not that of the next link',
      rss(`<link rel="self" href="${B}">${A}</link><link/>`, `<link rel="self"/><link href="${C}"/>`),
      [{ url: A }, { url: C }],
    ],
    [
      'a bare & in an href is reported once',
      rss('<link href="https://a.example/?a&b"/>', `<link>${A}</link>`),
      [{ url: 'https://a.example/?a&b' }, { url: A }],
      ['bare-ampersand'],
    ],
  ]);
});

describe('the link of an Atom entry', () => {
  holds([
    ['the first of two', atom(`<link href="${A}"/><link href="${B}"/>`), [{ url: A }]],
    [
      'one with a relation in any case',
      atom(`<link rel="self" href="${B}"/><link rel=" ALTERNATE " href=" ${A} "/>`),
      [{ url: A }],
    ],
    [
      'one with an empty relation',
      atom(`<link rel="self" href="${B}"/><link rel="" href="${A}"/>`),
      [{ url: A }],
    ],
    [
      'an alternate behind another relation',
      atom(`<link rel="enclosure" href="${B}"/><link rel="alternate" href="${A}"/>`),
      [{ url: A }],
    ],
    [
      'else the first with another relation',
      atom(`<link rel="enclosure" href="${A}"/><link rel="self" href="${B}"/>`),
      [{ url: A }],
    ],
    [
      'an alternate inside of a tag before another relation of its own',
      atom(`<link rel="self" href="${B}"/><x><link href="${A}"/></x>`),
      [{ url: A }],
    ],
    ['another relation inside of a tag', atom(`<x><link rel="self" href="${A}"/></x>`), [{ url: A }]],
    ['a text where the href is empty', atom(`<link href="">${A}</link>`), [{ url: A }]],
    ['an href before a text', atom(`<link href="${A}">${B}</link>`), [{ url: A }]],
    [
      'a relation is not that of the next link',
      atom(`<link rel="self"></link><link href="${A}"/><link rel="x" href="${B}"/>`),
      [{ url: A }],
    ],
    [
      'a text without a relation behind a link with one',
      atom(`<link rel="self" href="${B}"/><link>${A}</link>`),
      [{ url: A }],
    ],
    [
      'an href is not that of the next link',
      atom(`<link rel="self" href="${B}"/><link/>`, `<link href="${A}"/><link/>`),
      [{ url: B }, { url: A }],
    ],
    [
      'a bare & in an href is reported once',
      atom('<link href="https://a.example/?a&b"/>', `<link href="${A}"/>`),
      [{ url: 'https://a.example/?a&b' }, { url: A }],
      ['bare-ampersand'],
    ],
    [
      'what a source says is not the entry’s',
      atom(
        `<source><link href="${C}"/><title>S</title><updated>${june}</updated><media:thumbnail url="${C}"/></source><link href="${A}"/><updated>${may}</updated>`,
      ),
      [dated(A, MAY)],
    ],
    [
      'what a source says behind the values of the entry is not the entry’s',
      atom(
        `<link rel="self" href="${A}"/><source><link href="${C}"/><title>S</title></source><summary>T</summary>`,
      ),
      [titled(A, 'T')],
    ],
    [
      'a second relation in a source is not that of the entry',
      atom(`<source><link rel="self" href="${C}"/></source><link href="${A}"/>`),
      [{ url: A }],
    ],
  ]);
});

describe('an address that was there before', () => {
  holds([
    [
      'the first link of an item decides, whatever follows it',
      rss(`<link>${A}</link><link>${B}</link>`, `<link>${B}</link>`, `<link>${A}</link>`),
      [{ url: A }, { url: B }],
    ],
    [
      'the first link inside of tags decides',
      rss(`<x><link>${A}</link></x><x><link>${B}</link></x>`, `<link>${B}</link>`, `<link>${A}</link>`),
      [{ url: A }, { url: B }],
    ],
    [
      'a link of its own decides behind one inside of a tag',
      rss(`<x><link>${B}</link></x><link>${A}</link>`, `<link>${B}</link>`, `<guid>${A}</guid>`),
      [{ url: A }, { url: B }],
    ],
    [
      'a guid decides where it is alone',
      rss(`<guid>${A}</guid>`, `<link>${B}</link><guid>${A}</guid>`, `<link>${A}</link>`),
      [{ url: A }, { url: B }],
    ],
    [
      'a link whose text is decoded',
      rss('<link>https://a.example/?a&amp;b</link>', '<link><![CDATA[https://a.example/?a&b]]></link>'),
      [{ url: 'https://a.example/?a&b' }],
    ],
    [
      'the alternate of an Atom entry decides, whatever follows it',
      atom(
        `<link href="${A}"/><link rel="self" href="${B}"/><link href="${C}"/>`,
        `<link href="${B}"/>`,
        `<link href="${C}"/>`,
        `<link href="${A}"/>`,
      ),
      [{ url: A }, { url: B }, { url: C }],
    ],
    [
      'the alternate of an Atom entry decides behind another relation',
      atom(`<link rel="self" href="${B}"/><link href="${A}"/>`, `<link href="${B}"/>`, `<link href="${A}"/>`),
      [{ url: A }, { url: B }],
    ],
    [
      'another relation decides where it is alone',
      atom(
        `<link rel="self" href="${A}"/><link rel="x" href="${B}"/>`,
        `<link href="${B}"/>`,
        `<link href="${A}"/>`,
      ),
      [{ url: A }, { url: B }],
    ],
    [
      'the first link inside of tags of an Atom entry decides',
      atom(
        `<x><link href="${A}"/></x><x><link href="${B}"/></x>`,
        `<link href="${B}"/>`,
        `<link href="${A}"/>`,
      ),
      [{ url: A }, { url: B }],
    ],
  ]);
});

describe('xml:base', () => {
  const based = (base: string, link = 'x') =>
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="${base}"><entry><link href="${link}"/></entry></feed>`;
  const long = (length: number) => `https://b.example/${'y'.repeat(length - 19)}/`;

  test.each([
    ['with white space around it', ' /dir/ ', 'https://a.example/dir/x'],
    ['that is not http', 'ftp://b.example/', 'https://a.example/x'],
    ['that is not a URL', 'https://', 'https://a.example/x'],
    ['of 2,048 characters', long(2048), `${long(2048)}x`],
    ['of more than 2,048 characters', long(2049), 'https://a.example/x'],
    ['with a file name', 'https://b.example/dir/feed.xml', 'https://b.example/dir/x'],
    ['that is empty', '', 'https://a.example/x'],
  ])('one %s', (_what, base, url) => {
    expect(readWhole(based(base), { url: 'https://a.example/feed' }).items).toEqual([{ url }]);
  });

  test('that of an entry is relative to that of the root', () => {
    const feed = based('https://b.example/one/').replace('<entry>', '<entry xml:base="two/">');
    expect(readWhole(feed).items).toEqual([{ url: 'https://b.example/one/two/x' }]);
  });
});

test.each([
  [
    'an item',
    '<rss version="2.0"><channel><item><link>https://a.example/1</link>',
    '</item></channel></rss>',
  ],
  [
    'an entry',
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://a.example/1"/>',
    '</entry></feed>',
  ],
])('§7 the title of a drawing is not that of %s which has none', (_what, start, end) => {
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><title>Drawing</title></svg>';
  const { items } = readWhole(new TextEncoder().encode(start + drawing + end));
  expect(items).toMatchObject([{ url: 'https://a.example/1' }]);
  expect(JSON.stringify(items)).not.toContain('Drawing');
});
