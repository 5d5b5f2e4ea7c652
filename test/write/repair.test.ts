/** §16: what reading a document repairs, with its place; and which of the entries of a page is kept. */
import { describe, expect, test } from 'vitest';
import { SitemapPage } from '../../src/index.ts';
import { BestDated } from '../../src/write/best-dated.ts';
import { RepairReader } from '../../src/write/repair.ts';

const SITE = 'https://a.example';
const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" ' +
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" ' +
  'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"';
const url = (path: string, more = ''): string => `<url><loc>${SITE}/${path}</loc>${more}</url>\n`;
const urlset = (...urls: readonly string[]): string => `<urlset ${NAMESPACES}>\n${urls.join('')}</urlset>`;

const IMAGE = `<image:image><image:loc>${SITE}/i</image:loc><image:title>a</image:title></image:image>`;
const VIDEO =
  `<video:video><video:thumbnail_loc>${SITE}/t</video:thumbnail_loc><video:title>a</video:title>` +
  `<video:description>b</video:description><video:content_loc>${SITE}/v</video:content_loc></video:video>`;

interface Read {
  readonly pages: readonly (readonly [url: string, offset: number])[];
  readonly repairs: readonly string[];
  readonly entries: readonly string[];
}

/** Reads a document in pieces of a length. */
function read(document: string | Uint8Array, length: number, isCut = false): Read {
  const repairs: string[] = [];
  const options = { url: `${SITE}/s.xml`, charset: undefined };
  const reader = new RepairReader({ name: 's.xml', options }, ({ action, rule, line, column, count }) => {
    repairs.push([action, rule, line === undefined ? '' : `${line}:${column}`, count].join(' ').trim());
  });
  const bytes = Buffer.from(document);
  const pages = [];
  for (let at = 0; at < bytes.length; at += length)
    pages.push(...reader.write(bytes.subarray(at, at + length)));
  pages.push(...reader.end(isCut));
  return {
    pages: pages.map(({ page, offset }) => [page.url, offset]),
    repairs,
    entries: reader.entries.map(({ url, lastModifiedText }) => `${url} ${lastModifiedText}`),
  };
}

describe.each([1_000_000, 7])('a document in pieces of %i bytes', (length) => {
  test('its pages come with the places of their URLs, each entry of a page too', () => {
    const text = urlset(url('1'), url('2', '<lastmod>2024-05-06</lastmod>'), url('1'), url('ü'));
    const places = ['1', '2'].map((path) => text.indexOf(`${SITE}/${path}`));
    const again = text.lastIndexOf(`${SITE}/1`);
    const last = text.indexOf(`${SITE}/ü`);
    expect(read(text, length)).toMatchObject({
      pages: [
        [`${SITE}/1`, places[0]],
        [`${SITE}/2`, places[1]],
        [`${SITE}/1`, again],
        [expect.stringContaining(`${SITE}/`), last],
      ],
      repairs: [],
    });
  });

  test.each([
    ['a date that is none', urlset(url('1', '<lastmod>soon</lastmod>')), ['changed bad-date 2:45']],
    [
      'an entry without a URL',
      urlset('<url><priority>1</priority></url>\n', url('1')),
      ['dropped entry-without-loc 2:28'],
    ],
    ['a template in a URL, which is kept', urlset(url('{{path}}')), ['changed template 2:11']],
    [
      'a template instead of a URL',
      urlset('<url><loc>{{path}}</loc></url>\n', url('1')),
      ['dropped template 2:11'],
    ],
    [
      'what reading does not keep',
      urlset(url('1', '<x/><x/>'), url('2', '<xhtml:link rel="amphtml" href="/a"/>')),
      ['changed left-out 2:36 2', 'changed left-out 3:36'],
    ],
    [
      'alternates in other words, and with more',
      urlset(
        url('1', `<xhtml:link REL="Alternate" hreflang="de" href="${SITE}/de"/>`),
        url('2', `<xhtml:link rel="alternate" hreflang="de" href="${SITE}/de" media="print"/>`),
        url('3', '<xhtml:link rel="alternate" hreflang="de" href=" "/>'),
        url('4', '<xhtml:link rel="alternate" hreflang="" href="/de"/>'),
      ),
      ['changed hreflang-no-href 4:36', 'changed left-out 3:36', 'changed left-out 5:36'],
    ],
    [
      'a restriction of no country, and a platform',
      urlset(
        url(
          '1',
          VIDEO.replace(
            '</video:video>',
            '<video:restriction relationship="allow"/><video:platform relationship="deny">web</video:platform>$&',
          ),
        ),
      ),
      ['changed left-out 2:237'],
    ],
    [
      'an alternate without a target',
      urlset(url('1', '<xhtml:link rel="alternate" hreflang="de"/>')),
      ['changed hreflang-no-href 2:36'],
    ],
    [
      'a value that an image has twice',
      urlset(
        url(
          '1',
          `<image:image><image:loc>${SITE}/i</image:loc><image:title>a</image:title><image:title>b</image:title></image:image>`,
        ),
      ),
      ['changed left-out 2:119'],
    ],
    [
      'a value that two images have, of one page and of two',
      urlset(url('1', IMAGE + IMAGE), url('2', IMAGE)),
      [],
    ],
    [
      'a value that two images have before their locations, and two videos',
      urlset(
        url(
          '1',
          IMAGE.replace(/(<image:loc>.*<\/image:loc>)(<image:title>.*<\/image:title>)/, '$2$1').repeat(2),
        ),
        url('2', VIDEO.repeat(2)),
      ),
      [],
    ],
    [
      'a value behind each of two locations in one element: two images',
      urlset(
        url(
          '1',
          IMAGE.replace('</image:image>', `<image:loc>${SITE}/j</image:loc><image:title>b</image:title>$&`),
        ),
      ),
      ['changed several-locs 2:130'],
    ],
  ])('%s', (_, text, expected) => {
    expect(read(text, length).repairs).toEqual(expected);
  });

  test('the end that is missing is dropped, and said once', () => {
    const text = urlset(url('1'), url('2')).slice(0, -20);
    const dropped = [false, true].map((isCut) => read(text, length, isCut));
    for (const { pages, repairs } of dropped) {
      expect(pages).toHaveLength(1);
      expect(repairs.filter((each) => each.startsWith('dropped truncated'))).toHaveLength(1);
    }
    expect(read(urlset(url('1')), length, true).repairs).toEqual(['dropped truncated']);
  });

  test('UTF-16 becomes UTF-8, also where its bytes could be that', () => {
    const text = `<?xml version="1.0" encoding="utf-16"?>${urlset(url('1'))}`;
    expect(read(Buffer.from(`\ufeff${text}`, 'utf16le'), length).repairs).toEqual(['changed not-utf-8']);
    const broken = Buffer.from(urlset(url('x')).replace('/x<', '/\u0001<'), 'latin1');
    const bytes = Buffer.from(broken.map((byte) => (byte === 1 ? 0xff : byte)));
    expect(read(bytes, length).repairs).not.toContain('changed not-utf-8');
  });

  test('an index keeps the last date of an entry that is not empty, and says what it leaves out', () => {
    const text =
      `<sitemapindex ${NAMESPACES}><sitemap><loc>${SITE}/a.xml</loc><lastmod>2013</lastmod><lastmod/><x/></sitemap>\n` +
      `<sitemap><lastmod>May 6, 2013</lastmod><loc>${SITE}/b.xml</loc></sitemap></sitemapindex>`;
    const { entries, repairs } = read(text, length);
    expect(entries).toEqual([`${SITE}/a.xml 2013`, `${SITE}/b.xml May 6, 2013`]);
    expect(repairs).toContain('changed lastmod-not-w3c 2:19');
    expect(repairs.filter((each) => each.startsWith('changed left-out'))).toHaveLength(1);
  });

  test('another charset becomes UTF-8', () => {
    const text = `<?xml version="1.0" encoding="iso-8859-1"?>${urlset(url('ü'))}`;
    expect(read(Buffer.from(text, 'latin1'), length).repairs).toEqual(['changed not-utf-8']);
    expect(read(text.replace('iso-8859-1', 'utf-8'), length).repairs).toEqual([]);
  });

  test('an index keeps the dates of its own entries, and says what it lists twice', () => {
    const entry = (path: string, date = ''): string =>
      `<sitemap><loc>${SITE}/${path}.xml</loc>${date}</sitemap>\n`;
    const text = `<sitemapindex ${NAMESPACES}>\n${entry('a', '<lastmod>2024-05-06</lastmod>')}${entry('b')}${entry('a#x')}</sitemapindex>`;
    expect(read(text, length)).toMatchObject({
      entries: [`${SITE}/a.xml 2024-05-06`, `${SITE}/b.xml undefined`, `${SITE}/a#x.xml undefined`],
      pages: [],
    });
    const twice = text.replace('a#x.xml', 'a.xml#x');
    expect(read(twice, length).repairs).toContainEqual(expect.stringMatching(/^dropped sitemap-repeated 4:/));
  });

  const [LOC_1, LOC_2, DATE] = [
    `<loc>${SITE}/1</loc>`,
    `<loc>${SITE}/2</loc>`,
    '<lastmod>2024-05-06</lastmod>',
  ];
  const [FIRST, SECOND] = [`${SITE}/1 2024-05-06`, `${SITE}/2 undefined`];
  test.each([
    ['an entry without a loc', `<sitemap>${DATE}</sitemap><sitemap>${LOC_2}</sitemap>`, [SECOND]],
    ['an entry with two locs', `<sitemap>${LOC_1}${DATE}${LOC_2}</sitemap>`, [FIRST, SECOND]],
    ['an entry before a loc without one', `<sitemap>${LOC_1}${DATE}</sitemap>${LOC_2}`, [FIRST, SECOND]],
    ['locs without an entry', `${LOC_1}${DATE}${LOC_2}`, [FIRST, SECOND]],
    ['an entry without its end', `<sitemap>${LOC_1}${DATE}<sitemap>${LOC_2}</sitemap>`, [FIRST, SECOND]],
  ])('the date of %s does not go to the next sitemap of an index', (_what, entries, expected) => {
    const text = `<sitemapindex ${NAMESPACES}>${entries}</sitemapindex>`;
    expect(read(text, length).entries).toEqual(expected);
  });
});

test('each page of a document that is read in several windows comes once, with its place', () => {
  const paths = Array.from({ length: 3_000 }, (_, at) => `p${at}`);
  const text = urlset(...paths.map((path) => url(path)));
  const { pages } = read(text, 10_000);
  expect(pages.length).toBe(paths.length);
  expect(pages).toEqual(paths.map((path) => [`${SITE}/${path}`, text.indexOf(`${SITE}/${path}<`)]));
});

describe('which entry of a page is kept', () => {
  type Entry = readonly [
    path: string,
    date?: string | undefined,
    more?: 'image' | 'video' | 'news' | 'alternate' | 'images' | undefined,
  ];
  const image = { loc: `${SITE}/i.png` };
  const pageOf = ([path, date, more]: Entry): SitemapPage =>
    new SitemapPage({
      url: `${SITE}/${path}`,
      lastModified: date === undefined ? undefined : new Date(date),
      images: more === 'image' ? [image] : more === 'images' ? [image, image] : [],
      videos: more === 'video' ? [{ title: 'v' }] : [],
      newsStory: more === 'news' ? { title: 'n' } : undefined,
      alternates: more === 'alternate' ? [{ hreflang: 'de', href: `${SITE}/de` }] : [],
    });

  /** What is said of each entry of each document: empty where it is kept. */
  function messages(documents: readonly (readonly Entry[])[], options = {}): string[][] {
    const best = bestOf(documents, options);
    return documents.map((entries) =>
      entries.map((entry) => best.reasonToDrop(pageOf(entry))?.message ?? ''),
    );
  }

  function bestOf(documents: readonly (readonly Entry[])[], options = {}): BestDated {
    const best = new BestDated({ bySort: true, canonicalSlash: false, ...options });
    documents.forEach((entries, at) => {
      best.startNoting(`d${at}`);
      for (const entry of entries) best.note(pageOf(entry));
    });
    best.endNoting();
    return best;
  }

  /** For each entry of each document: `kept`, or the rule by which it is dropped, and which one is kept. */
  function kept(documents: readonly (readonly Entry[])[], options = {}): string[][] {
    const best = bestOf(documents, options);
    return documents.map((entries) =>
      entries.map((entry) => {
        const { rule, message = '' } = best.reasonToDrop(pageOf(entry)) ?? {};
        return rule === undefined ? 'kept' : `${rule}: ${message.replace(/^.*; (.*) is kept\.$/, '$1')}`;
      }),
    );
  }

  const [BEFORE, LATER] = ['an entry before this one', 'a later entry'];
  test.each<[string, readonly (readonly Entry[])[], readonly (readonly string[])[], object?]>([
    ['the first of equal ones', [[['1'], ['1']]], [['kept', `url-repeated: ${BEFORE}`]]],
    [
      'the best dated',
      [[['1', '2024-05-06'], ['1', '2024-05-07'], ['1']]],
      [[`url-repeated: ${LATER}`, 'kept', `url-repeated: ${BEFORE}`]],
    ],
    [
      'of one date the richest',
      [
        [
          ['1', '2024', 'image'],
          ['1', '2024'],
        ],
      ],
      [['kept', `url-repeated: ${BEFORE}`]],
      { bySort: false },
    ],
    [
      'a later date before what is richer',
      [
        [
          ['1', '2023', 'image'],
          ['1', '2024'],
        ],
      ],
      [[`url-repeated: ${LATER}`, 'kept']],
      { bySort: false },
    ],
    [
      'the richest of the newest, although an older one is as rich',
      [[['1', '2023', 'image']], [['1', '2024']], [['1', '2024', 'image']]],
      [[`url-in-several-sitemaps: ${LATER}`], [`url-in-several-sitemaps: ${LATER}`], ['kept']],
      { bySort: false },
    ],
    [
      'one of several documents',
      [[['1', '2023'], ['2']], [['1', '2024']]],
      [[`url-in-several-sitemaps: ${LATER}`, 'kept'], ['kept']],
    ],
    [
      'one in each sort of sitemap',
      [[['1']], [['1', undefined, 'news']], [['1', undefined, 'video']], [['1', undefined, 'image']]],
      [['kept'], ['kept'], ['kept'], ['kept']],
    ],
    [
      'of two sitemaps of one sort the better',
      [[['1', '2023', 'video']], [['1', '2024', 'video']], [['1', '2022', 'image']]],
      [[`url-in-several-sitemaps: ${LATER}`], ['kept'], ['kept']],
    ],
    [
      'one for all sorts, where pages are divided anew',
      [[['1', '2024']], [['1', '2023', 'news']]],
      [['kept'], [`url-in-several-sitemaps: ${BEFORE}`]],
      { bySort: false },
    ],
    ['with and without a slash: two pages', [[['1/'], ['1']]], [['kept', 'kept']]],
    [
      'with and without a slash: one page where that is asked for',
      [[['1/?q'], ['1?q', '2024'], ['1/?q']]],
      [[`url-variants: ${LATER}`, 'kept', `url-variants: ${BEFORE}`]],
      { canonicalSlash: true },
    ],
  ])('%s', (_, documents, expected, options) => {
    expect(kept(documents, options)).toEqual(expected);
  });

  test.each(['alternate', 'video', 'news', 'images'] as const)(
    'of one date the one with more counts, whichever comes first: %s',
    (more) => {
      const [poor, rich]: Entry[] = [
        ['1', '2024', more === 'images' ? 'image' : undefined],
        ['1', '2024', more],
      ];
      const options = { bySort: false };
      expect(kept([[poor!, rich!]], options)).toEqual([[`url-repeated: ${LATER}`, 'kept']]);
      expect(kept([[rich!, poor!]], options)).toEqual([['kept', `url-repeated: ${BEFORE}`]]);
      expect(kept([[poor!], [rich!]], options)).toEqual([[`url-in-several-sitemaps: ${LATER}`], ['kept']]);
      expect(kept([[rich!], [poor!]], options)).toEqual([['kept'], [`url-in-several-sitemaps: ${BEFORE}`]]);
    },
  );

  const [IN_ONE, SLASH] = [
    'The document lists the page more than once',
    ', with or without a slash at the end',
  ];
  test.each<[string, readonly (readonly Entry[])[], readonly (readonly string[])[], object?]>([
    ['twice in a document', [[['1'], ['1']]], [['', `${IN_ONE}; ${BEFORE} is kept.`]]],
    ['the second of two', [[['1'], ['1', '2024']]], [[`${IN_ONE}; ${LATER} is kept.`, '']]],
    [
      'in each of two documents',
      [[['1', '2024']], [['2']], [['1']]],
      [[''], [''], [`d0 lists the page too; ${BEFORE} is kept.`]],
    ],
    [
      'in a later document',
      [[['1']], [['2']], [['1', '2024']]],
      [[`d2 lists the page too; ${LATER} is kept.`], [''], ['']],
    ],
    [
      'in its own document and in another one',
      [
        [['1', '2024'], ['1']],
        [['1', '2023'], ['1']],
      ],
      [
        ['', `${IN_ONE}; ${BEFORE} is kept.`],
        [`d0 lists the page too; ${BEFORE} is kept.`, `d0 lists the page too; ${BEFORE} is kept.`],
      ],
    ],
    [
      'in two sorts of sitemap, of which another document has the better of one',
      [[['1', '2024', 'image']], [['1', '2023', 'image']], [['1', '2022']]],
      [[''], [`d0 lists the page too; ${BEFORE} is kept.`], ['']],
    ],
    [
      'with and without a slash',
      [[['1/'], ['1']], [['1/', '2024']], [['1?q=/'], ['1?q=']]],
      [
        [`d1 lists the page too; ${LATER} is kept.`, `d1 lists the page too${SLASH}; ${LATER} is kept.`],
        [''],
        ['', ''],
      ],
      { canonicalSlash: true },
    ],
    [
      'with a slash in the query, before a question mark',
      [[['1?q=/?'], ['1?q=?']]],
      [['', '']],
      { canonicalSlash: true },
    ],
    [
      'with a slash first, and without one later and newer',
      [
        [
          ['1/', '2023'],
          ['1', '2024'],
          ['1/', '2022'],
        ],
      ],
      [[`${IN_ONE}${SLASH}; ${LATER} is kept.`, '', `${IN_ONE}${SLASH}; ${BEFORE} is kept.`]],
      { canonicalSlash: true },
    ],
    [
      'without a slash in an earlier document, and with one in a newer one',
      [[['1', '2023']], [['1/', '2024'], ['1/']]],
      [[`d1 lists the page too${SLASH}; ${LATER} is kept.`], ['', `${IN_ONE}; ${BEFORE} is kept.`]],
      { canonicalSlash: true },
    ],
  ])('what is said of a page that is listed %s', (_, documents, expected, options) => {
    expect(messages(documents, options)).toEqual(expected);
  });
});
