/** Bombs made of tokens: names, prefixes, values and lists that cost a careless reader more than their bytes. */
import { constants, deflateRawSync } from 'node:zlib';
import { atLeastTwoMib, type Bombs, MIB, one, PAGE, ROOT, times } from './bombs.ts';
import { index, robots } from './documents.ts';

/** An opening that has one page, then pieces up to a number of MiB. */
const flood = (mib: number, piece: (number: number) => string, start = '') =>
  one(
    () =>
      function* () {
        yield `${ROOT}${PAGE}${start}`;
        let number = 0;
        for (let sent = 0; sent < mib * MIB; ) {
          let block = '';
          while (block.length < MIB / 16) block += piece(number++);
          sent += block.length;
          yield block;
        }
      },
  );

const EXTENSION = `<image:image><image:loc>https://example.org/${'i'.repeat(900)}</image:loc></image:image>`;

export const tokenBombs: Bombs = (scale) => [
  {
    name: 'namespaces without end',
    does: '10 MiB of tags, each with a prefix of its own',
    site: flood(10 / scale, (number) => `<a xmlns:p${number}="http://example.org/${number}">`),
    expected: { pages: 1, complete: false },
  },
  {
    name: 'blank values',
    does: 'a loc of 65,000 spaces, then 10 MiB of tags inside it',
    site: flood(10 / scale, () => '<b/>', `<url><loc>${' '.repeat(65_000)}`),
    expected: { pages: 1, complete: false },
  },
  {
    name: 'tag names that collide',
    treeOnly: true,
    does: '10 MiB of 256 names of the same length, with the same first and last letters',
    site: flood(10 / scale, (number) => `<a${100 + (number % 256)}b${100 + (number % 256)}c/>`),
    expected: { pages: 1, complete: false },
  },
  {
    name: 'long child URLs',
    treeOnly: true,
    does: '14 indexes, each with 400 URLs of 62 kB',
    options: { maxSitemaps: 1_000 },
    site: (path, origin) => {
      if (path === '/robots.txt')
        return robots(...Array.from({ length: 14 }, (_, at) => `${origin}/index-${at}.xml`));
      if (!path.startsWith('/index-')) return undefined;
      return () =>
        (function* () {
          yield '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
          for (let at = 0; at < 400 / scale; at++) {
            yield `<sitemap><loc>${origin}/${path.slice(7)}-${at}?${'x'.repeat(62_000)}</loc></sitemap>`;
          }
          yield '</sitemapindex>';
        })();
    },
    expected: { pages: 0, codes: ['oversized-url'] },
  },
  {
    name: 'extensions without end',
    treeOnly: true,
    does: '16 sitemaps, each with one entry of 15 MiB of images',
    options: atLeastTwoMib(scale),
    site: (path, origin) => {
      if (path === '/robots.txt')
        return robots(
          ...Array.from({ length: imageSitemaps(scale) }, (_, at) => `${origin}/images-${at}.xml`),
        );
      return () =>
        (function* () {
          yield '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">';
          yield `<url><loc>https://example.org${path}</loc>`;
          // An entry keeps a MiB of them: a small bomb must have more, too.
          yield* times(
            Math.max(1.25, 15 / scale) * 16,
            EXTENSION.repeat(Math.floor(MIB / 16 / EXTENSION.length)),
          );
          yield '</url></urlset>';
        })();
    },
    expected: { pages: imageSitemaps(scale), complete: true, codes: ['too-many-extensions'] },
  },
  {
    name: 'a gzip file name without end',
    treeOnly: true,
    does: '`Content-Encoding: gzip`, and a header that never ends: nothing is ever decoded',
    site: one(() => ({
      headers: { 'content-encoding': 'gzip' },
      body: () => withoutEnd(Uint8Array.of(0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3), Buffer.alloc(MIB / 16, 'a')),
    })),
    expected: { pages: 0, complete: false },
  },
  {
    name: 'empty deflate blocks',
    treeOnly: true,
    does: '`Content-Encoding: deflate`, and blocks without content, for ever',
    site: one(() => ({
      headers: { 'content-encoding': 'deflate' },
      body: () => withoutEnd(Uint8Array.of(0x78, 0x9c), EMPTY_BLOCKS),
    })),
    expected: { pages: 0, complete: false },
  },
  {
    name: 'indexes that list each other',
    does: '40 indexes, each of which lists all others: 40¹¹ places',
    options: { maxSitemaps: 50_000 / scale },
    site: (path, origin) => {
      const all = Array.from({ length: 40 }, (_, at) => `${origin}/${at}.xml`);
      return path === '/robots.txt' ? robots(...all) : index(...all);
    },
    expected: { stopped: 'maxSitemaps', complete: false, pages: 0 },
  },
];

/** Small ones have a MiB and more each, so there are fewer of them. */
const imageSitemaps = (scale: number): number => (scale > 5 ? 4 : 16);

const EMPTY_BLOCKS = Buffer.concat([
  ...times(10_000, deflateRawSync('', { finishFlush: constants.Z_SYNC_FLUSH })),
]);

/** More than any limit lets through; the server ends it when the reader has gone. */
function* withoutEnd(start: Uint8Array, padding: Uint8Array): Generator<Uint8Array> {
  yield start;
  yield* times(Math.ceil((4096 * MIB) / padding.length), padding);
}
