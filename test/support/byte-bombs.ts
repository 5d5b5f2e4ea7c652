/** Bombs inside one document: compression, entities, nesting, long values, many entries. */
import { brotliCompressSync, constants, deflateRawSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { atLeastTwoMib, type Bombs, MIB, one, PAGE, ROOT, times } from './bombs.ts';
import type { Report } from './victim.ts';

/** 1 MiB of the same page again and again. */
const SAME = PAGE.repeat(Math.ceil(MIB / PAGE.length));
/** 1 MiB of a page and white space, which deflate packs as tightly as it can. */
const WIDE = PAGE.padEnd(MIB);
const PACKED_START = gzipSync(ROOT + WIDE);
const PACKED = gzipSync(WIDE.repeat(10));
/** Members of a gzip file follow each other: 10 MiB of them inflate to gigabytes. */
const gzipBomb = (scale: number): readonly Uint8Array[] => [
  PACKED_START,
  ...times(Math.ceil((10 * MIB) / scale / PACKED.length), PACKED),
];

/** The same for deflate: a piece that ends with a full flush depends on nothing before it and can be repeated. */
const flushed = (text: string): Uint8Array => deflateRawSync(text, { finishFlush: constants.Z_FULL_FLUSH });
const DEFLATED = flushed(WIDE.repeat(10));
const deflateBomb = (scale: number): readonly Uint8Array[] => [
  Uint8Array.of(0x78, 0x9c),
  flushed(ROOT),
  ...times(Math.ceil((10 * MIB) / scale / DEFLATED.length), DEFLATED),
];

const brotli = (data: string | Uint8Array): Uint8Array =>
  brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

const TRUNCATED: Partial<Report> = { complete: false, codes: ['too-large', 'truncated'], pages: 1 };
const TRUNCATED_STREAM: Partial<Report> = { complete: false, pages: 1 };

export const byteBombs: Bombs = (scale) => [
  {
    name: 'gzip, 1,000 to 1',
    does: '10 MiB that inflate to some 10 GiB',
    site: one(() => () => gzipBomb(scale)),
    expected: TRUNCATED,
    streamed: TRUNCATED_STREAM,
  },
  {
    name: 'gzip in gzip',
    does: 'the same, packed again',
    site: one(() => gzipSync(Buffer.concat(gzipBomb(scale)))),
    expected: TRUNCATED,
    streamed: TRUNCATED_STREAM,
  },
  {
    name: 'br',
    does: '`Content-Encoding: br`, 256 MiB in 64 kB',
    site: one(() => ({
      headers: { 'content-encoding': 'br' },
      body: brotli(ROOT + WIDE.repeat(Math.ceil(256 / scale))),
    })),
    expected: TRUNCATED,
    streamed: TRUNCATED_STREAM,
  },
  {
    name: 'deflate',
    does: '`Content-Encoding: deflate`, 10 MiB that inflate to some 10 GiB',
    site: one(() => ({ headers: { 'content-encoding': 'deflate' }, body: () => deflateBomb(scale) })),
    expected: TRUNCATED,
    streamed: TRUNCATED_STREAM,
  },
  {
    name: 'deflate in br',
    treeOnly: true,
    does: '`Content-Encoding: deflate, br`: the same, packed again',
    site: one(() => ({
      headers: { 'content-encoding': 'deflate, br' },
      body: brotli(Buffer.concat(deflateBomb(scale))),
    })),
    expected: TRUNCATED,
  },
  {
    name: 'gzip in br',
    treeOnly: true,
    does: '`Content-Encoding: br` over a gzip file, 10 MiB that inflate to some 10 GiB',
    site: one(() => ({
      headers: { 'content-encoding': 'br' },
      body: brotli(Buffer.concat(gzipBomb(scale))),
    })),
    expected: TRUNCATED,
  },
  {
    name: 'gzip over gzip over gzip, by header and by content',
    treeOnly: true,
    does: 'two codings in the header, one more below',
    site: one(() => ({
      headers: { 'content-encoding': 'gzip, gzip' },
      body: gzipSync(gzipSync(Buffer.concat(gzipBomb(scale)))),
    })),
    expected: TRUNCATED,
  },
  {
    name: 'billion laughs',
    treeOnly: true,
    does: 'ten entities, each ten times the one before',
    site: one(() => laughs()),
    expected: { pages: 2, complete: true, codes: ['doctype', 'entity-dropped'] },
  },
  {
    name: 'quadratic blow-up',
    treeOnly: true,
    does: 'one long entity, used 20,000 times',
    site: one(() => {
      const uses = '&a;'.repeat(20_000 / scale);
      return `<!DOCTYPE urlset [<!ENTITY a "${'a'.repeat(50_000)}">]>${ROOT}<url><loc>https://example.org/${uses}</loc></url><url><loc>https://example.org/next</loc></url></urlset>`;
    }),
    expected: { pages: 2, complete: true, codes: ['doctype', 'entity-dropped'] },
  },
  {
    name: 'external entities',
    does: 'a DTD, a parameter entity and an entity that name URLs and files',
    site: one(
      (origin) =>
        `<!DOCTYPE urlset SYSTEM "${origin}/dtd" [<!ENTITY % p SYSTEM "${origin}/parameter">%p;<!ENTITY x SYSTEM "${origin}/entity"><!ENTITY f SYSTEM "file:///etc/passwd">]>${ROOT}<url><loc>https://example.org/&x;&f;</loc></url></urlset>`,
    ),
    expected: { pages: 1, complete: true, codes: ['doctype', 'entity-dropped'] },
    streamed: { pages: 1, complete: true },
    requested: (paths) => expect(paths).toEqual(['/robots.txt', '/bomb.xml']),
  },
  {
    name: '1,000,000 nested tags',
    does: '`<a><a><a>…`',
    site: one(() => `${ROOT}${PAGE}${'<a>'.repeat(1_000_000 / scale)}`),
    expected: { pages: 1, complete: false, codes: ['nesting-too-deep', 'truncated'] },
    streamed: { pages: 1, complete: false },
  },
  {
    name: 'a 100 MiB attribute',
    does: '`<url x="yyy…`',
    site: one(
      () =>
        function* () {
          yield `${ROOT}${PAGE}<url x="`;
          yield* times(100 / scale, 'y'.repeat(MIB));
          yield `">${PAGE}</url></urlset>`;
        },
    ),
    expected: { ...TRUNCATED, codes: ['too-large', 'truncated', 'value-too-long'] },
    streamed: TRUNCATED_STREAM,
  },
  {
    name: 'one URL repeated',
    does: '1,800,000 times in one sitemap',
    options: atLeastTwoMib(scale),
    site: one(
      () =>
        function* () {
          yield ROOT;
          yield* times(Math.max(1, Math.floor(99 / scale)), SAME);
          yield '</urlset>';
        },
    ),
    expected: { pages: 1, complete: true, codes: [] },
  },
  {
    name: '2,000,000 different URLs',
    does: 'a sitemap 40 times as long as allowed: what is remembered to tell repeats must stay small',
    site: one(
      () =>
        function* () {
          yield ROOT;
          for (let at = 0; at < 2_000 / scale; at++) {
            yield Array.from(
              { length: 1000 },
              (_, number) => `<url><loc>http://h.example/${at}-${number}</loc></url>`,
            ).join('');
          }
          yield '</urlset>';
        },
    ),
    expected: { pages: 2_000_000 / scale, complete: true },
  },
];

function laughs(): string {
  const entities = Array.from({ length: 10 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`);
  return `<!DOCTYPE urlset [<!ENTITY l0 "lol">${entities.join('')}]>${ROOT}<url><loc>https://example.org/&l10;</loc></url><url><loc>https://example.org/next</loc></url></urlset>`;
}
