/** §16: what is written from any pages is valid: no error in `usp check`, and no warning about form. */
import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkSitemap } from '../../src/check/index.ts';
import { parseSitemap, SitemapPage } from '../../src/parse/index.ts';
import {
  indexXml,
  type SitemapXmlOptions,
  sitemapXml,
  type WritablePage,
  type WriteProblem,
} from '../../src/write/index.ts';
import { anyCharacter } from '../support/any-text.ts';
import { testIf } from '../support/collected.ts';
import { CHANGING_SEED } from '../support/random.ts';
import { sized } from '../support/tier.ts';

/** Rules about what pages say, which no writer can know better: not about the form in which they say it. */
const ABOUT_CONTENT: ReadonlySet<string> = new Set([
  'empty-sitemap',
  'hreflang-no-return',
  'hreflang-no-self',
  'hreflang-unsupported',
  'lastmod-all-equal',
  'lastmod-epoch',
  'lastmod-future',
  'news-too-old',
  'sitemap-listed-as-page',
  'url-double-slash',
  'url-fragment',
  'url-not-a-page',
  'url-other-host',
  'url-other-scheme',
  'url-repeated',
  'url-session-id',
  'url-tracking-parameter',
  'url-variants',
  'video-same-as-page',
]);

const ADDRESS = 'https://example.org/sitemap.xml';

async function written(
  pages: Iterable<WritablePage> | AsyncIterable<WritablePage>,
  options: SitemapXmlOptions = {},
): Promise<{ readonly xml: string; readonly problems: readonly WriteProblem[] }> {
  const problems: WriteProblem[] = [];
  let xml = '';
  const onProblem = (problem: WriteProblem): void => void problems.push(problem);
  for await (const chunk of sitemapXml(pages, { ...options, onProblem })) xml += chunk;
  return { xml, problems };
}

async function entryOf(page: WritablePage, options?: SitemapXmlOptions): Promise<string> {
  const { xml } = await written([page], options);
  return xml.slice(xml.indexOf('>\n', 60) + 2, xml.indexOf('</urlset>')).trim();
}

async function codesOf(page: WritablePage, options?: SitemapXmlOptions): Promise<string[]> {
  const { problems } = await written([page], options);
  return problems.map(({ code, dropped }) => (dropped === undefined ? code : `${code} ${dropped}`));
}

function faultsOf(xml: string): string[] {
  return [...checkSitemap(xml, { url: ADDRESS })]
    .filter(({ severity, rule }) => severity !== 'info' && !ABOUT_CONTENT.has(rule))
    .map(({ rule, message }) => `${rule}: ${message}`);
}

function pagesIn(xml: string): SitemapPage[] {
  const parse = parseSitemap(xml, { url: ADDRESS });
  const pages = [...parse].flatMap((item) => (item.type === 'page' ? [item.page] : []));
  expect(parse.problems).toEqual([]);
  return pages;
}

const URL_OF_PAGE = 'https://example.org/a';

describe('one page', () => {
  test.each<[string, Partial<WritablePage>, string]>([
    ['a date keeps its precision', { lastModified: '2024-05' }, '<lastmod>2024-05</lastmod>'],
    [
      'a date keeps its zone',
      { lastModified: '2024-05-06T07:08+02:00' },
      '<lastmod>2024-05-06T07:08+02:00</lastmod>',
    ],
    ['a Date has seconds', { lastModified: new Date(1.7e12) }, '<lastmod>2023-11-14T22:13:20Z</lastmod>'],
    [
      'a Date has milliseconds',
      { lastModified: new Date(1.7e12 + 5) },
      '<lastmod>2023-11-14T22:13:20.005Z</lastmod>',
    ],
    ['the text counts', { lastModified: new Date(0), lastModifiedText: '2024' }, '<lastmod>2024</lastmod>'],
    ['a frequency', { changeFrequency: 'DAILY' }, '<changefreq>daily</changefreq>'],
    ['a whole priority', { priority: 1 }, '<priority>1.0</priority>'],
    ['a small priority', { priority: 1e-7 }, '<priority>0.0000001</priority>'],
    ['nothing', { images: [], videos: [], alternates: [] }, ''],
    [
      'an image',
      { images: [{ loc: 'https://example.org/b.jpg?x&y', caption: ' "A" <b> ' }] },
      '<image:image><image:loc>https://example.org/b.jpg?x&amp;y</image:loc>' +
        '<image:caption>&quot;A&quot; &lt;b&gt;</image:caption></image:image>',
    ],
    [
      'an image at an address of IPv6 that is not shortened',
      { images: [{ loc: 'https://[2606:4700:0:0:0:0:0:1111]/a' }] },
      '<image:image><image:loc>https://[2606:4700:0:0:0:0:0:1111]/a</image:loc></image:image>',
    ],
    [
      'an alternate',
      { alternates: [{ hreflang: 'de', href: 'https://example.org/ü' }] },
      '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/%C3%BC"/>',
    ],
  ])('%s', async (_name, fields, expected) => {
    const entry = await entryOf({ url: URL_OF_PAGE, ...fields });
    expect(entry).toBe(`<url><loc>${URL_OF_PAGE}</loc>${expected}</url>`);
  });

  test.each<[given: string, written: string, ...codes: string[]]>([
    ['https://example.org', 'https://example.org'],
    ['HTTPS://Example.org/A', 'HTTPS://Example.org/A'],
    [' https://example.org/\n', 'https://example.org/'],
    ["https://example.org/?a=1&b='", 'https://example.org/?a=1&amp;b=&apos;'],
    ['https://example.org/?a&amp;b', 'https://example.org/?a&amp;b', 'double-escaped-url'],
    ['https://example.org/?a&amp;amp;amp;b', 'https://example.org/?a&amp;b', 'double-escaped-url'],
    ['https://example.org/a b', 'https://example.org/a%20b', 'url-not-encoded'],
    ['https://example.org/100%', 'https://example.org/100%25', 'url-not-encoded'],
    ['https://example.org/%7e%C3%BC', 'https://example.org/%7e%C3%BC'],
    ['https://example.org/?a[]={1}', 'https://example.org/?a%5B%5D=%7B1%7D', 'url-not-encoded'],
    ['https://example.org\\a\\b?c\\d', 'https://example.org/a/b?c%5Cd', 'url-not-encoded'],
    ['https://example.org/#a#b', 'https://example.org/#a%23b', 'url-not-encoded'],
    ['https://example.org/é/😀', 'https://example.org/%C3%A9/%F0%9F%98%80', 'url-not-ascii'],
    ['https://münchen.example/', 'https://xn--mnchen-3ya.example/', 'url-not-ascii', 'url-other-host'],
    ['https://example.org/\ud800a\0', 'https://example.org/a', 'control-character'],
    ['https://me:secret@example.org/', 'https://example.org/', 'url-not-public'],
    ['https://[2600::1]:8080/', 'https://[2600::1]:8080/', 'url-other-host'],
    ['https://[2606:4700:0:0:0:0:0:1111]/a', 'https://[2606:4700:0:0:0:0:0:1111]/a', 'url-other-host'],
    ['https://[2606:4700::ABCD]:8443/a', 'https://[2606:4700::ABCD]:8443/a', 'url-other-host'],
    ['/about', 'https://example.org/about', 'relative-url'],
  ])('the URL %j is written as %j', async (url, expected, ...codes) => {
    expect(await entryOf({ url }, { url: ADDRESS })).toBe(`<url><loc>${expected}</loc></url>`);
    expect(await codesOf({ url }, { url: ADDRESS })).toEqual(codes);
    // Once more, behind another one: the same as the first time.
    const { xml } = await written([{ url: 'https://example.org/' }, { url }], { url: ADDRESS });
    expect(xml).toContain(`<loc>${expected}</loc></url>\n</urlset>`);
  });

  test.each<[code: string, url: string]>([
    ['empty-loc', ''],
    ['not-http-url', 'mailto:me@example.org'],
    ['unresolvable-url', 'about'],
    ['unresolvable-url', 'https://exa mple.org/'],
    ['unresolvable-url', 'https://[example]/'],
    ['unresolvable-url', 'https://"/'],
    ['url-not-public', 'http://localhost:3000/a'],
    ['url-not-public', 'http://192.168.0.1/a'],
    ['url-too-long', `https://example.org/${'a'.repeat(2029)}`],
    ['url-too-long', `https://example.org/${'é'.repeat(340)}`],
    ['oversized-url', `https://example.org/${'a'.repeat(9000)}`],
  ])('a page with the problem %s is left out', async (code, url) => {
    const { xml, problems } = await written([{ url }]);
    expect(xml).not.toContain('<url>');
    expect(problems.at(-2)).toMatchObject({ code, url, dropped: 'page' });
    expect(problems.at(-1)).toMatchObject({ code: 'empty-sitemap' });
  });

  test('the longest URL is written', async () => {
    const url = `https://example.org/${'a'.repeat(2028)}`;
    expect(await codesOf({ url })).toEqual([]);
  });

  test.each([
    [8192, []],
    [8193, ['oversized-url', 'oversized-url']],
  ])(
    'the address of an image may have 8 KiB once it is encoded; one of %d characters',
    async (length, codes) => {
      const start = 'https://cdn.example/é';
      const image = start + 'a'.repeat(length - encodeURI(start).length);
      // The host of the second image is known.
      const { problems } = await written([{ url: 'https://example.org/', images: [image, image] }]);
      expect(problems.map(({ code }) => code).filter((code) => code !== 'url-not-ascii')).toEqual(codes);
    },
  );

  test('a page of a private host is written into a sitemap of that host', async () => {
    const url = 'http://localhost:3000/a';
    expect(await codesOf({ url }, { url: 'http://localhost:3000/sitemap.xml' })).toEqual([]);
  });

  test.each<[given: string | Date, written: string, ...codes: string[]]>([
    ['2024', '2024'],
    ['2024-05-06', '2024-05-06'],
    ['2024-05-06T07:08:09', '2024-05-06T07:08:09Z', 'lastmod-no-zone'],
    ['2024-05-06 07:08:09+0200', '2024-05-06T05:08:09Z', 'lastmod-not-w3c'],
    ['2024-05-06T24:00:00Z', '2024-05-07T00:00:00Z', 'lastmod-not-w3c'],
    ['Mon, 06 May 2024 07:08:09 GMT', '2024-05-06T07:08:09Z', 'lastmod-not-w3c'],
    ['2024/05/06', '2024-05-06', 'lastmod-not-w3c'],
    ['May 2024', '2024-05', 'lastmod-not-w3c'],
    ['1714978391', '2024-05-06T06:53:11Z', 'lastmod-not-w3c'],
    ['20240506T112233Z', '2024-05-06T11:22:33Z', 'lastmod-not-w3c'],
    ['2024-05-06 +00:00', '2024-05-06', 'lastmod-not-w3c'],
    ['yesterday', '', 'bad-date value'],
    ['2024-02-30', '', 'bad-date value'],
    [new Date(Number.NaN), '', 'bad-date value'],
    [new Date(8e15), '', 'bad-date value'],
  ])('the date %j is written as %j', async (lastModified, expected, ...codes) => {
    const entry = await entryOf({ url: URL_OF_PAGE, lastModified });
    expect(/<lastmod>(.*)<\/lastmod>/.exec(entry)?.[1] ?? '').toBe(expected);
    expect(await codesOf({ url: URL_OF_PAGE, lastModified })).toEqual(codes);
  });

  const story = {
    title: 'T',
    publishDate: '2024-05-06',
    publicationName: 'N',
    publicationLanguage: 'en',
  };
  const video = {
    title: 'T',
    description: 'D',
    thumbnailLoc: 'https://example.org/t.jpg',
    playerLoc: 'https://example.org/p',
  };

  test.each<[string, Partial<WritablePage>, ...codes: string[]]>([
    ['a priority of 7', { priority: 7 }, 'bad-priority value'],
    ['a priority that is not a number', { priority: Number.NaN }, 'bad-priority value'],
    ['a frequency of its own', { changeFrequency: 'often' }, 'bad-change-frequency value'],
    ['news', { newsStory: story }],
    ['news without a title', { newsStory: { ...story, title: ' ' } }, 'news-missing-field value'],
    ['news in en-US', { newsStory: { ...story, publicationLanguage: 'en-US' } }, 'news-bad-language'],
    [
      'news in English',
      { newsStory: { ...story, publicationLanguage: 'english' } },
      'news-bad-language value',
      'news-missing-field value',
    ],
    ['a video', { videos: [video] }],
    [
      'a video without a player',
      { videos: [{ ...video, playerLoc: undefined }] },
      'video-missing-field value',
    ],
    ['a video of 12.5 s', { videos: [{ ...video, duration: 12.5 }] }, 'video-bad-duration'],
    ['a video of 9 hours', { videos: [{ ...video, duration: 32_400 }] }, 'video-bad-duration value'],
    ['a rating of 87', { videos: [{ ...video, rating: 87 }] }, 'video-bad-rating value'],
    ['33 tags', { videos: [{ ...video, tags: Array(33).fill('t') }] }, 'video-too-many-tags value'],
    [
      'a long description',
      { videos: [{ ...video, description: 'd'.repeat(2049) }] },
      'video-long-description',
    ],
    [
      'a restriction of nothing',
      { videos: [{ ...video, restriction: { countries: ['DE'] } }] },
      'video-no-relationship value',
    ],
    [
      'a restriction to no country',
      { videos: [{ ...video, restriction: { relationship: 'allow', countries: [] } }] },
      'video-no-relationship value',
    ],
    ['1,000 images', { images: Array(1000).fill({ loc: URL_OF_PAGE }) }],
    ['1,001 images', { images: Array(1001).fill({ loc: URL_OF_PAGE }) }, 'images-too-many value'],
    ['a long caption', { images: [{ loc: URL_OF_PAGE, caption: '"'.repeat(20_000) }] }, 'value-too-long'],
    [
      'alternates of more than a megabyte',
      { images: Array(500).fill({ loc: URL_OF_PAGE, caption: 'c'.repeat(3000) }) },
      'too-many-extensions value',
    ],
    [
      'an alternate for en_GB',
      { alternates: [{ hreflang: 'en_GB', href: URL_OF_PAGE }] },
      'hreflang-bad-code',
    ],
    [
      'an alternate for en-UK',
      { alternates: [{ hreflang: 'en-UK', href: URL_OF_PAGE }] },
      'hreflang-bad-code value',
    ],
    [
      'two alternates for one language',
      {
        alternates: [
          { hreflang: 'de', href: URL_OF_PAGE },
          { hreflang: 'DE', href: 'https://example.org/' },
        ],
      },
      'hreflang-repeated value',
    ],
    [
      'an alternate that cannot be written, and a good one for its language',
      {
        alternates: [
          { hreflang: 'de', href: 'javascript:void(0)' },
          { hreflang: 'de', href: 'https://example.org/de' },
        ],
      },
      'not-http-url value',
    ],
    ['a control character', { images: [{ loc: URL_OF_PAGE, title: 'a\u0001b' }] }, 'control-character'],
  ])('%s', async (_name, fields, ...codes) => {
    const { xml, problems } = await written([{ url: URL_OF_PAGE, ...fields }]);
    expect(
      problems.map(({ code, dropped }) => (dropped === undefined ? code : `${code} ${dropped}`)),
    ).toEqual(codes);
    expect(faultsOf(xml)).toEqual([]);
  });

  test('news: fresh leaves out news older than two days, and keeps the page; all writes them', async () => {
    const page = {
      url: URL_OF_PAGE,
      newsStory: { ...story, publishDate: new Date(Date.now() - 49 * 3_600_000) },
    };
    expect(await entryOf(page, { news: 'fresh' })).toBe(`<url><loc>${URL_OF_PAGE}</loc></url>`);
    expect(await codesOf(page, { news: 'fresh' })).toEqual(['news-too-old value']);
    expect(await codesOf(page, { news: 'all' })).toEqual([]);
    const today = { ...page, newsStory: { ...story, publishDate: new Date().toISOString().slice(0, 10) } };
    expect(await codesOf(today, { news: 'fresh' })).toEqual([]);
  });

  test('lists with one item are written, and empty ones are not', async () => {
    const one = { genres: ['Blog'], keywords: ['a'], stockTickers: ['NASDAQ:A'] };
    const none = { genres: [], keywords: [], stockTickers: [] };
    const restriction = { relationship: 'allow', countries: ['DE'] };
    const pages = [one, none].map((lists) => ({
      url: URL_OF_PAGE,
      newsStory: { ...story, ...lists },
      videos: [{ ...video, restriction }],
    }));
    const { xml } = await written(pages);
    const lists = xml.match(/<news:(?:genres|keywords|stock_tickers)>.*?<\/|<video:restriction.*?<\//g);
    expect(lists?.sort()).toEqual([
      '<news:genres>Blog</',
      '<news:keywords>a</',
      '<news:stock_tickers>NASDAQ:A</',
      ...Array.from({ length: 2 }, () => '<video:restriction relationship="allow">DE</'),
    ]);
  });

  test('a SitemapPage has its declared priority only', async () => {
    expect(await entryOf(new SitemapPage({ url: URL_OF_PAGE }))).not.toContain('priority');
    expect(await entryOf(new SitemapPage({ url: URL_OF_PAGE, priority: 0.5 }))).toContain('<priority>0.5<');
  });
});

describe('the document', () => {
  test('the namespaces are those that were named, all by default; what needs another is left out', async () => {
    const page = { url: URL_OF_PAGE, images: [{ loc: URL_OF_PAGE }] };
    const { xml } = await written([page]);
    expect(xml.match(/xmlns:\w+/g)).toEqual(['xmlns:image', 'xmlns:video', 'xmlns:news', 'xmlns:xhtml']);
    const none = await written([page], { namespaces: ['xhtml'] });
    expect(none.xml.match(/xmlns:\w+/g)).toEqual(['xmlns:xhtml']);
    expect(none.xml).not.toContain('<image');
    expect(none.problems.map(({ code }) => code)).toEqual(['undeclared-prefix']);
    // Its items come once.
    const iterated = await written([page], { namespaces: new Set(['image'] as const).values() });
    expect(iterated.xml).toContain('<image:image>');
    expect(iterated.xml.match(/xmlns:\w+/g)).toEqual(['xmlns:image']);
  });

  test('it comes in chunks, and pages may come from an async generator', async () => {
    async function* pages(): AsyncGenerator<WritablePage> {
      for (let at = 0; at < 5000; at++) yield { url: `https://example.org/page-${at}` };
    }
    const chunks: string[] = [];
    for await (const chunk of sitemapXml(pages())) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(2);
    expect(pagesIn(chunks.join(''))).toHaveLength(5000);
  });

  test('URLs beyond ASCII of one origin are not parsed one by one, which takes most of the time', async () => {
    const Native = globalThis.URL;
    onTestFinished(() => void Object.assign(globalThis, { URL: Native }));
    let parsed = 0;
    class CountedURL extends Native {
      constructor(...given: ConstructorParameters<typeof URL>) {
        super(...given);
        parsed++;
      }
    }
    Object.assign(globalThis, { URL: CountedURL });
    const counts: number[] = [];
    for (const folder of ['cafe', 'café', '東京', '🍰']) {
      parsed = 0;
      const [loc, href] = [`https://cdn.example.org/${folder}/`, `https://de.example.org/${folder}/`];
      const pages = Array.from({ length: 500 }, (_, at) => ({
        url: `https://example.org/${folder}/${at}`,
        images: [loc + at],
        alternates: [{ hreflang: 'de', href: href + at }],
      }));
      const { xml } = await written(pages);
      expect(xml).toContain(`<loc>https://example.org/${encodeURI(folder)}/499</loc>`);
      expect(xml).toContain(`href="https://de.example.org/${encodeURI(folder)}/499"`);
      counts.push(parsed);
    }
    expect(new Set(counts)).toEqual(new Set([counts[0]]));
    expect(counts[0]).toBeLessThan(20);
  });

  test('a signal ends it with its reason while the next page is waited for', async () => {
    const controller = new AbortController();
    async function* pages(): AsyncGenerator<WritablePage> {
      yield { url: 'https://example.org/' };
      setImmediate(() => controller.abort(new Error('enough')));
      await new Promise(() => {});
    }
    await expect(written(pages(), { signal: controller.signal })).rejects.toThrow('enough');
  });

  test('a signal ends it with its reason', async () => {
    const controller = new AbortController();
    function* pages(): Generator<WritablePage> {
      for (let at = 0; ; at++) {
        if (at === 10_000) controller.abort(new Error('enough'));
        yield { url: `https://example.org/${at}` };
      }
    }
    await expect(written(pages(), { signal: controller.signal })).rejects.toThrow('enough');
  });

  // A timer aborts it: it fires only where the event loop gets its turns.
  test.each<[string, (rows: Iterable<WritablePage>) => Iterable<WritablePage> | AsyncIterable<WritablePage>]>(
    [
      ['an iterable', (rows) => rows],
      ['a stream', (rows) => ReadableStream.from(rows)],
    ],
  )('a signal ends the reading of rows from %s of which none is a page', async (_, source) => {
    // For 3 s of work, however long a busy machine takes for that.
    function* noPages(): Generator<WritablePage> {
      const { user } = process.cpuUsage();
      while (process.cpuUsage().user - user < 3e6) yield { url: '' };
    }
    const signal = AbortSignal.timeout(50);
    await expect(written(source(noPages()), { signal })).rejects.toThrow('timeout');
  });

  test('the address of the document may be a URL', async () => {
    const url = new URL('https://example.org/dir/sitemap.xml');
    const { xml } = await written([{ url: 'a' }], { url });
    expect(xml).toContain('<loc>https://example.org/dir/a</loc>');
  });

  test.each<[string, unknown]>([
    ['namespaces', 'image'],
    ['namespaces', ['image', 'images']],
    ['namespaces', 7],
    ['namespaces', ['toString']],
    ['news', 'new'],
    ['url', 7],
    ['onProblem', 'x'],
    ['signal', {}],
  ])('a wrong option %s is refused at the call: %j', (option, value) => {
    expect(() => sitemapXml([], { [option]: value } as SitemapXmlOptions)).toThrow(
      expect.objectContaining({ code: 'bad-option', option }),
    );
    expect(() => sitemapXml(7 as never)).toThrow(expect.objectContaining({ code: 'bad-input' }));
  });

  test('without a page is reported at the end, behind what was wrong with the rows', async () => {
    const { xml, problems } = await written([{ url: 'x', id: 1 } as never], { namespaces: [] });
    expect(xml).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n</urlset>\n',
    );
    expect(problems.map(({ code, dropped }) => [code, dropped])).toEqual([
      ['unresolvable-url', 'page'],
      ['unknown-field', 'value'],
      ['empty-sitemap', undefined],
    ]);
  });

  test('an unknown option is refused at the call', () => {
    const options = { name: 'x' } as SitemapXmlOptions;
    expect(() => sitemapXml([], options)).toThrow(expect.objectContaining({ code: 'bad-option' }));
  });
});

describe('an index', () => {
  test('it lists sitemaps with their dates, and is valid', () => {
    const xml = indexXml([
      { url: 'https://example.org/a.xml?b&c', lastModified: new Date(1.7e12) },
      { url: 'https://example.org/ü.xml', lastModified: 'no date' },
    ]);
    expect(xml.match(/<sitemap>.*/g)).toEqual([
      '<sitemap><loc>https://example.org/a.xml?b&amp;c</loc><lastmod>2023-11-14T22:13:20Z</lastmod></sitemap>',
      '<sitemap><loc>https://example.org/%C3%BC.xml</loc></sitemap>',
    ]);
    expect(faultsOf(xml)).toEqual([]);
  });

  test('dates are written as those of pages, and a date of nothing is not', () => {
    const dates = ['2024-05', 'May 6, 2024', '2024-05-06T07:08', '', undefined, null, '2024-05'];
    const xml = indexXml(dates.map((lastModified, at) => ({ url: `${URL_OF_PAGE}${at}.xml`, lastModified })));
    expect(
      Array.from(xml.matchAll(/<sitemap>.*/g), ([entry]) => /<lastmod>(.*)<\/lastmod>/.exec(entry)?.[1]),
    ).toEqual([
      ...['2024-05', '2024-05-06', '2024-05-06T07:08Z', undefined, undefined, undefined, '2024-05'],
    ]);
  });

  test('50,000 sitemaps are listed, of any host, and what comes async is refused', () => {
    const most = Array.from({ length: 50_000 }, (_, at) => ({ url: `http://localhost/${at}.xml` }));
    expect(indexXml(most).match(/<sitemap>/g)).toHaveLength(50_000);
    expect(indexXml([])).toMatch(/0\.9">\n<\/sitemapindex>\n$/);
    for (const sitemaps of [undefined, {}, (async function* () {})()])
      expect(() => indexXml(sitemaps as never)).toThrow(expect.objectContaining({ code: 'bad-input' }));
    expect(() => indexXml([{ url: URL_OF_PAGE }, { url: 'b.xml' }])).toThrow(
      expect.objectContaining({
        code: 'bad-input',
        url: 'b.xml',
        message: expect.stringMatching(/: b\.xml \(\S+: /),
      }),
    );
  });

  test('what is not a URL, and more than 50,000 sitemaps, are refused', () => {
    expect(() => indexXml([{ url: 'a.xml' }])).toThrow(/a\.xml/);
    const long = `https://example.org/?${'a&'.repeat(1010)}`;
    expect(indexXml([{ url: long }])).toContain(`<loc>${long.replaceAll('&', '&amp;')}</loc>`);
    expect(() => indexXml([{ url: `${long}${'&'.repeat(10)}` }])).toThrow(/url-too-long.* 2,051 characters/);
    const many = Array.from({ length: 50_001 }, (_, at) => ({ url: `https://example.org/${at}.xml` }));
    expect(() => indexXml(many)).toThrow(/50,000/);
  });
});

describe('any pages', () => {
  const odd = fc.constantFrom(
    '&',
    '<',
    ']]>',
    '"',
    "'",
    '\0',
    '\u001f',
    '\ud800',
    '\udc00',
    '\uffff',
    '%',
    '\r\n',
    '&amp;',
    ' ',
    'ü',
    '😀',
    '\\',
    '#',
    '?',
    '[',
    '@',
    ':',
  );
  const text = fc.string({
    unit: fc.oneof(anyCharacter, odd, fc.constantFrom('a', 'B', '1', '-')),
    maxLength: 30,
  });
  const maybe = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
    fc.option(values, { nil: undefined });
  const url = fc.oneof(
    text.map((rest) => `https://example.org/${rest}`),
    text.map((rest) => `http://${rest}`),
    text,
    fc.constant('https://user:pw@10.0.0.1/x'),
    fc.integer({ min: 1, max: 3000 }).map((length) => `https://example.org/${'é'.repeat(length)}`),
  );
  const date = fc.oneof(
    text,
    fc.double().map((time) => new Date(time)),
    fc.integer({ min: -1e14, max: 1e13 }).map((time) => new Date(time)),
    fc.constantFrom(
      '2024',
      '2024-05',
      '2024-05-06T07:08:09',
      'Mon, 06 May 2024 07:08:09 GMT',
      '2024-13-01',
      '1/2/2024',
    ),
  );
  const language = fc.oneof(
    text,
    fc.constantFrom('de', 'de_AT', 'en-UK', 'x-default', 'EN', 'es-419', 'english'),
  );
  const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 1e-9, 1e21, 4.5));
  const list = fc.array(text, { maxLength: 3 });
  const image: fc.Arbitrary<NonNullable<WritablePage['images']>[number]> = fc.record(
    { loc: url, caption: text, geoLocation: text, title: text, license: url },
    { requiredKeys: ['loc'] },
  );
  const video = fc.record(
    {
      thumbnailLoc: url,
      title: text,
      description: text,
      contentLoc: url,
      playerLoc: url,
      playerAllowEmbed: fc.boolean(),
      playerAutoplay: text,
      duration: number,
      expirationDate: date,
      rating: number,
      viewCount: number,
      publicationDate: date,
      familyFriendly: fc.boolean(),
      restriction: fc.record({ relationship: fc.oneof(text, fc.constant('deny')), countries: list }),
      platform: fc.record({ relationship: fc.oneof(text, fc.constant('Allow')), platforms: list }),
      prices: fc.array(fc.record({ value: number, currency: text, type: text, resolution: text }), {
        maxLength: 2,
      }),
      requiresSubscription: fc.boolean(),
      uploader: fc.record({ name: text, info: url }),
      live: fc.boolean(),
      tags: list,
      category: text,
    },
    { requiredKeys: ['thumbnailLoc', 'title', 'description', 'playerLoc'] },
  );
  const page: fc.Arbitrary<WritablePage> = fc.record({
    url,
    lastModified: maybe(date),
    lastModifiedText: maybe(text),
    changeFrequency: maybe(fc.oneof(text, fc.constant('Daily'))),
    priority: maybe(number),
    images: maybe(fc.array(image, { maxLength: 3 })),
    videos: maybe(fc.array(video, { maxLength: 2 })),
    newsStory: maybe(
      fc.record({
        title: text,
        publishDate: date,
        publicationName: text,
        publicationLanguage: language,
        access: text,
        genres: list,
        keywords: list,
        stockTickers: list,
      }),
    ),
    alternates: maybe(fc.array(fc.record({ hreflang: language, href: url }), { maxLength: 4 })),
  }) as fc.Arbitrary<WritablePage>;
  const pages = fc.array(page, { maxLength: 6 });

  test('what is written has no error, no warning about form, and is read without a problem', async () => {
    await fc.assert(
      fc.asyncProperty(pages, async (given) => {
        const { xml } = await written(given, { url: ADDRESS });
        expect(faultsOf(xml)).toEqual([]);
        const parser = new SaxesParser({ xmlns: true });
        parser.on('error', (error) => {
          throw error;
        });
        parser.write(xml).close();
        // The dates of news and videos are read as instants; from then on nothing changes any more.
        const again = await written(pagesIn(xml), { url: ADDRESS });
        const { xml: third, problems } = await written(pagesIn(again.xml), { url: ADDRESS });
        expect(third).toBe(again.xml);
        expect(problems.filter(({ code }) => !ABOUT_CONTENT.has(code))).toEqual([]);
      }),
      {
        seed: Number(process.env['FUZZ_SEED'] ?? sized({ fast: 29, full: CHANGING_SEED })),
        numRuns: sized({ fast: 40, full: 150, strong: 10_000 }),
      },
    );
  });

  testIf(spawnSync('xmllint', ['--version']).status === 0)('xmllint accepts it', async () => {
    const given = fc.sample(page, { seed: 29, numRuns: sized({ fast: 200, full: 400 }) });
    const { xml } = await written(given, { url: ADDRESS });
    execFileSync('xmllint', ['--noout', '-'], { input: xml });
  });
});

test('the dates of news and videos that were read keep their form', async () => {
  const news =
    '<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>' +
    '<news:publication_date>2024-05-06T07:08+02:00</news:publication_date><news:title>T</news:title></news:news>';
  const video =
    '<video:video><video:thumbnail_loc>https://example.org/t.jpg</video:thumbnail_loc><video:title>T</video:title>' +
    '<video:description>D</video:description><video:content_loc>https://example.org/v.mp4</video:content_loc>' +
    '<video:expiration_date>2030</video:expiration_date>' +
    '<video:publication_date>2024-05</video:publication_date></video:video>';
  const xml =
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ' +
    'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" ' +
    'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">' +
    `<url><loc>https://example.org/a</loc>${video}${news}</url></urlset>`;
  const read = [...parseSitemap(xml)].flatMap((item) => (item.type === 'page' ? item.page : []));
  let written = '';
  for await (const chunk of sitemapXml(read)) written += chunk;
  expect(written).toContain(news);
  expect(written).toContain(video);
  expect(read[0]?.videos[0]?.toJSON().publicationDate).toBe('2024-05-01T00:00:00.000Z');
});
