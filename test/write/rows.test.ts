/** §16: rows of a database, and of other programs, become pages; what cannot be written is reported. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parseSitemap } from '../../src/parse/index.ts';
import {
  sitemapXml,
  type WritablePage,
  type WriteProblem,
  type WrittenSitemaps,
  writeSitemaps,
} from '../../src/write/index.ts';
import { folderUntil } from '../support/folder.ts';

const OTHERS = { changefreq: 'daily', priority: 0.8 };
const URL_OF_PAGE = 'https://example.org/a';
let folder: string;

beforeEach(() => {
  folder = folderUntil(onTestFinished);
});

/** JavaScript gives rows of any shape. */
function write(rows: readonly unknown[], options: { reciprocal?: boolean } = {}): Promise<WrittenSitemaps> {
  return writeSitemaps(rows as WritablePage[], folder, { baseUrl: 'https://example.org/', ...options });
}

function entries(): string[] {
  const xml = readFileSync(join(folder, 'sitemap.xml'), 'utf8');
  return xml.split('\n').slice(2, -2);
}

describe('a field that pages do not have', () => {
  test.each<[string, object, string, string]>([
    ['img of sitemap.js', { img: ['https://example.org/i.png'] }, 'row', 'Did you mean "images"?'],
    ['links of sitemap.js', { links: [] }, 'row', 'Did you mean "alternates"?'],
    ['video of sitemap.js', { video: [] }, 'row', 'Did you mean "videos"?'],
    ['last_modified', { last_modified: '2024-05-06' }, 'row', 'Did you mean "lastModified"?'],
    ['changed', { changed: '2024-05-06' }, 'row', 'Did you mean "lastModified"?'],
    ['updated_at', { updated_at: '2024-05-06' }, 'row', 'Did you mean "lastModified"?'],
    ['modifiedAt', { modifiedAt: '2024-05-06' }, 'row', 'Did you mean "lastModified"?'],
    ['one that is like no other', { zzzzzz: 1 }, 'row', 'The fields are url, '],
    ['url of an image', { images: [{ url: 'https://example.org/i.png' }] }, 'image', 'Did you mean "loc"?'],
    [
      'lang of an alternate',
      { alternates: [{ lang: 'de', href: URL_OF_PAGE }] },
      'alternate',
      'Did you mean "hreflang"?',
    ],
    [
      'thumbnail_loc of a video of Next.js',
      { videos: [{ thumbnail_loc: 'x' }] },
      'video',
      'Did you mean "thumbnailLoc"?',
    ],
    ['name of a news story', { newsStory: { titel: 'x' } }, 'news story', 'Did you mean "title"?'],
  ])('%s is a problem with a suggestion', async (_what, fields, kind, hint) => {
    const { problems, problemCounts } = await write([{ url: URL_OF_PAGE, ...fields }]);
    expect(problems[0]).toMatchObject({ code: 'unknown-field', url: URL_OF_PAGE, dropped: 'value' });
    expect(problems[0]?.message).toContain(`of 1 ${kind} is not known, and was not written. ${hint}`);
    expect(problemCounts['unknown-field']).toBe(1);
  });

  test('it is one problem for each name, with its count, before all others', async () => {
    const rows = Array.from({ length: 1200 }, (_, at) => ({
      url: `${URL_OF_PAGE}/${at}`,
      img: '2024-05-06',
      ...(at % 2 === 0 ? { id: at } : {}),
      priority: 7,
    }));
    const { problems, problemCounts } = await write(rows);
    expect(problemCounts).toEqual({ 'unknown-field': 2, 'bad-priority': 1200 });
    expect(problems).toHaveLength(1000);
    expect(problems.slice(0, 3).map(({ message }) => message.split('.')[0])).toEqual([
      'The field "img" of 1,200 rows is not known, and was not written',
      'The field "id" of 600 rows is not known, and was not written',
      '7 is not a priority from 0 to 1; it was left out',
    ]);
  });

  test('rows with ever new names take bounded memory: the first 100 are named, and the rest counted', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => ({ url: `${URL_OF_PAGE}/${at}`, [`field${at}`]: 1 }));
    // A name that is one of the 100 is still counted by itself.
    const { problems } = await write([...rows, { url: `${URL_OF_PAGE}/last`, field0: 1 }]);
    expect(problems).toHaveLength(101);
    expect(problems[0]?.message).toContain('The field "field0" of 2 rows ');
    expect(problems.at(-1)?.message).toBe('Other fields are not known, and were not written: 200 values.');
    const one = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`field${at}`, 1]));
    const { problems: ofOne } = await write([{ url: URL_OF_PAGE, ...one }]);
    expect(ofOne.at(-1)?.message).toBe('Other fields are not known, and were not written: 1 value.');
  });

  test('a field that is null or undefined is missing, and is not a problem', async () => {
    const { problems } = await write([{ url: URL_OF_PAGE, loc: null, lastmod: null, img: undefined }]);
    expect(problems).toEqual([]);
  });

  test('sitemapXml reports it at the end', async () => {
    const problems: WriteProblem[] = [];
    const rows = [
      { url: URL_OF_PAGE, changed: 1 },
      { url: `${URL_OF_PAGE}/b`, changed: 2 },
    ];
    for await (const _ of sitemapXml(rows, { onProblem: (problem) => problems.push(problem) }));
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'unknown-field: The field "changed" of 2 rows is not known, and was not written. Did you mean "lastModified"?',
    ]);
  });

  test('the fields of a page that was read are all known, and so are those of copies', async () => {
    const xml =
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">' +
      `<url><loc>${URL_OF_PAGE}</loc><lastmod>2024-05</lastmod><image:image><image:loc>${URL_OF_PAGE}.png</image:loc></image:image></url></urlset>`;
    const [item] = [...parseSitemap(xml)];
    if (item?.type !== 'page') throw new Error('there is a page');
    const copy = { ...item.page, images: item.page.images, lastModifiedText: item.page.lastModifiedText };
    for (const page of [item.page, copy, item.page.toObject()]) {
      const { problems } = await write([page]);
      expect(problems).toEqual([]);
    }
  });
});

describe("the protocol's own names", () => {
  const ENTRY = `<url><loc>${URL_OF_PAGE}</loc><lastmod>2024-05</lastmod><changefreq>daily</changefreq><priority>0.8</priority></url>`;

  test.each<[string, object]>([
    ['ours', { url: URL_OF_PAGE, lastModified: '2024-05', changeFrequency: 'daily', priority: 0.8 }],
    ['theirs', { loc: URL_OF_PAGE, lastmod: '2024-05', changefreq: 'daily', priority: '0.8' }],
    ['both', { url: null, loc: URL_OF_PAGE, lastModified: undefined, lastmod: '2024-05', ...OTHERS }],
  ])('%s are written alike, without a problem', async (_what, row) => {
    const { problems } = await write([row]);
    expect([entries(), problems]).toEqual([[ENTRY], []]);
  });

  test('beside ours they are not written, with one problem for each name', async () => {
    const row = { loc: 'https://example.org/no', lastmod: '2020', changefreq: 'never', priority: 0.8 };
    const ours = { url: URL_OF_PAGE, lastModified: '2024-05', ...row, changeFrequency: 'daily' };
    const { problems, problemCounts } = await write([ours, { ...ours, url: `${URL_OF_PAGE}/b` }]);
    expect(entries()).toEqual([ENTRY, ENTRY.replace('/a<', '/a/b<')]);
    expect(problemCounts).toEqual({ 'field-repeated': 3 });
    expect(problems.map(({ message, dropped }) => [message, dropped])).toEqual([
      ['The field "loc" of 2 rows was not written, since "url" is there too.', 'value'],
      ['The field "lastmod" of 2 rows was not written, since "lastModified" is there too.', 'value'],
      ['The field "changefreq" of 2 rows was not written, since "changeFrequency" is there too.', 'value'],
    ]);
    const { problems: ofText } = await write([
      { loc: URL_OF_PAGE, lastmod: '2020', lastModifiedText: '2024' },
    ]);
    expect(ofText.map(({ message }) => message)).toEqual([expect.stringContaining('"lastModifiedText"')]);
  });

  test('alternates are completed for pages with a loc', async () => {
    const rows = [
      { loc: URL_OF_PAGE, alternates: { en: URL_OF_PAGE, de: `${URL_OF_PAGE}/de` } },
      { loc: `${URL_OF_PAGE}/de` },
    ];
    await write(rows, { reciprocal: true });
    expect(entries()[1]).toContain(`hreflang="en" href="${URL_OF_PAGE}"`);
  });
});

test('onProblem hears of every problem while its page is written, and of fields at the end', async () => {
  const heard: [row: number, code: string, dropped: string | undefined][] = [];
  let row = 0;
  const rows = [{ url: URL_OF_PAGE, id: 1, priority: 7 }, '', ...Array(1500).fill({ url: URL_OF_PAGE })];
  function* counted() {
    for (const each of rows) {
      row++;
      yield each;
    }
  }
  const { problems } = await writeSitemaps(counted(), folder, {
    baseUrl: 'https://example.org/',
    onProblem: ({ code, dropped }) => heard.push([row, code, dropped]),
  });
  expect(problems).toHaveLength(1000);
  expect(heard).toHaveLength(1503);
  expect(heard.slice(0, 3)).toEqual([
    [1, 'bad-priority', 'value'],
    [2, 'empty-loc', 'page'],
    [3, 'url-repeated', undefined],
  ]);
  expect(heard.at(-1)).toEqual([1502, 'unknown-field', 'value']);
});

describe('a row without a URL', () => {
  test.each<[string, unknown]>([
    ['an empty text', { url: '' }],
    ['white space', { url: ' \n' }],
    ['null', { url: null }],
    ['no field', { title: 'x' }],
    ['an empty string', ''],
  ])('%s is named by its number', async (_what, row) => {
    const { pages, problems } = await write([URL_OF_PAGE, row, `${URL_OF_PAGE}/b`]);
    expect(pages).toBe(2);
    expect(problems.at(-1)).toMatchObject({
      code: 'empty-loc',
      message: 'Row 2 has no URL; it was left out.',
      dropped: 'page',
    });
  });

  test('its number counts over all files, and in sitemapXml', async () => {
    const rows = Array.from({ length: 1500 }, (_, at) => (at === 1233 ? '' : `${URL_OF_PAGE}/${at}`));
    const { problems } = await writeSitemaps(rows, folder, { baseUrl: 'https://example.org/', maxUrls: 100 });
    expect(problems.map(({ message }) => message)).toEqual(['Row 1,234 has no URL; it was left out.']);
    const told: string[] = [];
    for await (const _ of sitemapXml(rows, { onProblem: ({ message }) => told.push(message) }));
    expect(told).toEqual(['Row 1,234 has no URL; it was left out.']);
  });

  test('an image without an address keeps its own words', async () => {
    const { problems } = await write([{ url: URL_OF_PAGE, images: [{ loc: '' }] }]);
    expect(problems.map(({ message }) => message)).not.toContainEqual(expect.stringContaining('Row'));
  });
});

describe('a page on another host than the sitemaps', () => {
  const OTHER = ['https://www.example.org/', 'https://example.com/a', 'https://example.org:8443/'];
  const OWN = [
    'https://example.org/b',
    'http://example.org/c',
    '/d',
    'https://EXAMPLE.org/e',
    `${URL_OF_PAGE}/é`,
  ];

  test('is a problem, and is written', async () => {
    const rows = OWN.flatMap((url, at) => [url, OTHER[at] ?? `https://example.com/${at}`]);
    const { pages, problems } = await write(rows);
    expect(pages).toBe(rows.length);
    const others = problems.filter(({ code }) => code === 'url-other-host');
    expect(others.map(({ url }) => url)).toEqual([
      ...OTHER,
      'https://example.com/3',
      'https://example.com/4',
    ]);
    expect(others[0]).toMatchObject({
      message: 'The page is on www.example.org, and the sitemap on example.org; it was written.',
      dropped: undefined,
    });
  });

  test('is a problem of sitemapXml where its address is known, and none where it is not', async () => {
    const codes = async (url?: string): Promise<string[]> => {
      const told: string[] = [];
      const options = { url, onProblem: ({ code }: WriteProblem) => told.push(code) };
      for await (const _ of sitemapXml(['https://example.com/'], options));
      return told;
    };
    expect(await codes('https://example.org/sitemap.xml')).toEqual(['url-other-host']);
    expect(await codes()).toEqual([]);
  });
});

test('a missing baseUrl is named, with what it is', async () => {
  const message =
    'The option "baseUrl" must be the http or https address that the directory will have, without a query: ' +
    'https://example.org/ for files at the top of a site.';
  const given = [undefined, {}, { baseUrl: undefined }, { baseUrl: '' }, { baseUrl: 'example.org' }];
  for (const options of given)
    await expect(writeSitemaps([URL_OF_PAGE], folder, options as never)).rejects.toMatchObject({
      code: 'bad-option',
      option: 'baseUrl',
      message,
    });
});

describe('a string', () => {
  test('is a page', async () => {
    const { pages, problems } = await write([URL_OF_PAGE, new URL(`${URL_OF_PAGE}/b`)]);
    expect({ pages, problems }).toEqual({ pages: 2, problems: [] });
    expect(entries()).toEqual([
      `<url><loc>${URL_OF_PAGE}</loc></url>`,
      `<url><loc>${URL_OF_PAGE}/b</loc></url>`,
    ]);
  });

  test('is an image', async () => {
    const { problems } = await write([
      { url: URL_OF_PAGE, images: ['https://example.org/1.png', { loc: 'https://example.org/2.png' }] },
    ]);
    expect(problems).toEqual([]);
    expect(entries()[0]?.match(/image:loc>[^<]+/g)).toEqual([
      'image:loc>https://example.org/1.png',
      'image:loc>https://example.org/2.png',
    ]);
  });
});

describe('alternates', () => {
  const languages = { en: 'https://example.org/en', 'de-AT': 'https://example.org/at', fr: null };

  test.each<[string, WritablePage['alternates']]>([
    ['the object of languages of Next.js', { languages }],
    ['addresses by language', languages],
  ])('%s are written', async (_what, alternates) => {
    const { problems } = await write([{ url: 'https://example.org/en', alternates }]);
    expect(problems).toEqual([]);
    expect(entries()[0]?.match(/hreflang="[^"]+" href="[^"]+/g)).toEqual([
      'hreflang="en" href="https://example.org/en',
      'hreflang="de-AT" href="https://example.org/at',
    ]);
  });

  test('by language are completed by reciprocal as well', async () => {
    const rows = [{ url: languages.en, alternates: { languages } }, languages['de-AT']];
    const { problems } = await write(rows, { reciprocal: true });
    expect(problems).toEqual([]);
    expect(entries()[1]?.match(/hreflang="[^"]+/g)).toEqual(['hreflang="de-AT', 'hreflang="en']);
  });
});

test('a page that is given again is reported, and written', async () => {
  const { pages, problems } = await write([URL_OF_PAGE, { url: `${URL_OF_PAGE}/b` }, { url: URL_OF_PAGE }]);
  expect(pages).toBe(3);
  expect(problems).toEqual([
    {
      code: 'url-repeated',
      message: 'The page was given before; it was written again.',
      url: URL_OF_PAGE,
      dropped: undefined,
    },
  ]);
});

test.each<[string, unknown, string]>([
  ['another name for url', { link: URL_OF_PAGE }, 'Did you mean "url"?'],
  ['an address that is not of the web', 'mailto:me@example.org', 'mailto:'],
])('where nothing can be written, the reason is named: %s', async (_what, row, why) => {
  await expect(write([row])).rejects.toMatchObject({
    code: 'no-pages',
    message: expect.stringContaining(why),
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('a priority that was changed in a copy of a page is written, and one that was not declared is not', async () => {
  const copy = { url: URL_OF_PAGE, priority: 0.5, declaredPriority: undefined };
  await write([copy, { ...copy, url: `${URL_OF_PAGE}/b`, priority: 0.8 }]);
  expect(entries().map((entry) => /<priority>.*</.exec(entry)?.[0])).toEqual([
    undefined,
    '<priority>0.8</priority><',
  ]);
});

test('the types take what a database has, with exactOptionalPropertyTypes', async () => {
  const row: { changed: Date | null; caption: string | undefined; words: string | null } = {
    changed: null,
    caption: undefined,
    words: null,
  };
  const page: WritablePage = {
    url: URL_OF_PAGE,
    lastModified: row.changed,
    changeFrequency: row.words,
    images: [{ loc: 'https://example.org/i.png', caption: row.caption, title: row.words }],
    newsStory: null,
    videos: undefined,
  };
  expect((await write([page])).problems).toEqual([]);
});
