/**
 * §16: sitemap.js reads what we write, and we read what it writes: the same pages. And writing takes the same memory for any
 * number of pages.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parseSitemap, type SitemapPageJSON } from '../../src/parse/index.ts';
import { sitemapXml, type WritablePage } from '../../src/write/index.ts';
import { COMPILED, ROOT } from '../support/cli-binary.ts';
import { describeUnless } from '../support/collected.ts';
import { folderUntil } from '../support/folder.ts';
import { hasHeavy, sized } from '../support/tier.ts';

const BENCH = join(ROOT, 'bench/package.json');
const hasPeer = existsSync(join(ROOT, 'bench/node_modules/sitemap/package.json'));

/** What is used of sitemap.js. */
interface Peer {
  readonly SitemapStream: new (options?: object) => NodeJS.ReadWriteStream;
  readonly XMLToSitemapItemStream: new (options?: object) => NodeJS.ReadWriteStream;
}

const PAGES: readonly WritablePage[] = [
  { url: 'https://example.org/' },
  {
    url: 'https://example.org/?a=1&b=2',
    lastModified: '2024-05-06',
    changeFrequency: 'daily',
    priority: 0.8,
  },
  { url: 'https://example.org/1', lastModified: '2024-05-06T07:08:09.000Z', priority: 1 },
  {
    url: 'https://example.org/%C3%BC',
    images: [
      { loc: 'https://example.org/a.jpg', caption: 'A & <B> "c"', title: 'Ü – 😀' },
      { loc: 'https://example.org/b.jpg?x=1&y=2', geoLocation: 'Köln', license: 'https://example.org/l' },
    ],
    alternates: [
      { hreflang: 'de', href: 'https://example.org/%C3%BC' },
      { hreflang: 'en-GB', href: 'https://example.org/u?a&b' },
    ],
  },
  {
    url: 'https://example.org/video',
    videos: [
      {
        thumbnailLoc: 'https://example.org/t.jpg',
        title: 'A & B',
        description: "It's <b>so</b>",
        contentLoc: 'https://example.org/v.mp4',
        playerLoc: 'https://example.org/p?a&b',
        duration: 120,
        rating: 4.5,
        viewCount: 12_345,
        publicationDate: '2024-05-06T07:08:09.000Z',
        expirationDate: '2034-05-06T07:08:09.000Z',
        familyFriendly: true,
        live: false,
        requiresSubscription: true,
        tags: ['one', 'two & three'],
        category: 'Cats',
        restriction: { relationship: 'deny', countries: ['DE', 'AT'] },
        platform: { relationship: 'allow', platforms: ['web', 'tv'] },
        uploader: { name: 'Me & you', info: 'https://example.org/me' },
      },
    ],
  },
  {
    url: 'https://example.org/news',
    newsStory: {
      title: 'Rain & sun',
      publishDate: '2024-05-06T07:08:09.000Z',
      publicationName: 'The Example',
      publicationLanguage: 'en',
      access: 'Registration',
      genres: ['Blog', 'Opinion'],
      keywords: ['rain', 'sun'],
      stockTickers: ['NASDAQ:A'],
    },
  },
];

describeUnless(hasPeer ? undefined : 'needs sitemap.js: npm --prefix bench ci', 'sitemap.js', () => {
  const peer = (): Peer => createRequire(BENCH)('sitemap');

  test('it writes what it has read of ours, and we read the same pages in both', async () => {
    const { SitemapStream, XMLToSitemapItemStream } = peer();
    const ours = Buffer.from((await collected(sitemapXml(PAGES))).join(''));
    const items = await collected(Readable.from([ours]).pipe(new XMLToSitemapItemStream({ logger: false })));
    expect(items).toHaveLength(PAGES.length);
    const theirs = await collected<string>(Readable.from(items).pipe(new SitemapStream()));
    // It writes a day as its midnight.
    const instants = pagesIn(ours).map(({ lastModifiedText: _text, ...page }) => page);
    expect(pagesIn(theirs.join(''))).toEqual(instants);
    // Everything that was given is there.
    const [, second, , fourth, fifth, sixth] = pagesIn(ours);
    expect(second).toMatchObject({
      url: 'https://example.org/?a=1&b=2',
      lastModifiedText: '2024-05-06',
      priority: 0.8,
    });
    expect(fourth).toMatchObject({ images: PAGES[3]?.images, alternates: PAGES[3]?.alternates });
    expect(fifth?.videos).toEqual(PAGES[4]?.videos);
    expect(sixth?.newsStory).toEqual(PAGES[5]?.newsStory);
  });
});

async function collected<Chunk>(chunks: AsyncIterable<Chunk> | NodeJS.ReadableStream): Promise<Chunk[]> {
  const all: Chunk[] = [];
  for await (const chunk of chunks) all.push(chunk as Chunk);
  return all;
}

function pagesIn(xml: string | Uint8Array): SitemapPageJSON[] {
  const parse = parseSitemap(xml);
  return [...parse].flatMap((item) => (item.type === 'page' ? [item.page.toObject()] : []));
}

/** The memory of buffers while pages are read: what the heap may have is its limit. */
const MEASURED = `
  import { writeSitemaps } from ${JSON.stringify(pathToFileURL(join(COMPILED, 'write/index.js')).href)};
  const [directory, count, form] = process.argv.slice(1);
  const images = Array.from({ length: form === 'large' ? 40 : 0 }, (_, at) => ({ loc: 'https://example.org/' + at }));
  let peak = 0;
  function* pages() {
    for (let at = 0; at < Number(count); at++) {
      if (at % 100 === 0) peak = Math.max(peak, process.memoryUsage().arrayBuffers);
      const url = 'https://example.org/a/rather/long/path/to/page-' + at;
      yield { url, lastModified: '2024-05-06', priority: 7, images };
    }
  }
  const options = { baseUrl: 'https://example.org/', gzip: form === 'gzip', maxUrls: 10000 };
  const { pages: written, problems } = await writeSitemaps(pages(), directory, options);
  console.log(JSON.stringify({ written, problems: problems.length, peak }));`;

/** URLs that were written are remembered: 20 bytes each, and more while a table grows. */
const BYTES_OF_URL = 32;
// 28 MB in a file of the large form.
const FORMS = ['gzip', 'plain', 'large'];
test.each(FORMS.slice(0, hasHeavy ? 3 : 1))(
  'the memory does not grow with what the pages have: %s',
  (form) => {
    const folder = folderUntil(onTestFinished);
    const count = sized({ fast: 100_000, full: 150_000, strong: 500_000 }) / (form === 'large' ? 5 : 1);
    const args = [
      '--max-old-space-size=24',
      '--input-type=module',
      '-e',
      MEASURED,
      folder,
      String(count),
      form,
    ];
    const { written, problems, peak } = JSON.parse(
      execFileSync(process.execPath, args, { encoding: 'utf8' }),
    );
    expect([written, problems]).toEqual([count, 1000]);
    expect(peak).toBeLessThan(10e6 + BYTES_OF_URL * count);
  },
);
