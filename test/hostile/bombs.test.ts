/**
 * Bombs and traps: a little of the attacker's effort for a lot of ours. Each is met by a process with 128 MB of heap, whose
 * memory is looked at in the end, and which must come back by itself and name the limit that saved it.
 */
import { availableParallelism } from 'node:os';
import { brotliCompressSync, constants, deflateRawSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { index, robots, urlset } from '../support/crawled-site.ts';
import { expectTable } from '../support/held-table.ts';
import {
  attacked,
  type Body,
  bundledLibrary,
  HANG_MS,
  type Report,
  startTrap,
  type Trap,
  type TrapServer,
} from '../support/victim.ts';

// They compute: more of them than cores would only make each other slow.
vi.setConfig({ maxConcurrency: availableParallelism(), testTimeout: HANG_MS + 60_000 });

const MIB = 1024 * 1024;
/** What a process may take in all: its heap, its code, what is kept of documents (32 MiB), buffers of zlib and sockets. */
const MOST_RSS = 400;

const ROOT = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
const PAGE = '<url><loc>https://example.org/the-same-page</loc></url>\n';

interface Bomb {
  readonly name: string;
  /** How it hurts whoever is careless, for docs/reliability.md. */
  readonly does: string;
  readonly site: (path: string, origin: string) => Trap | Body | undefined;
  readonly options?: object;
  readonly expected: Partial<Report>;
  /** What a stream says otherwise; it has no nodes to show problems of documents on. */
  readonly streamed?: Partial<Report>;
  /** Whether only a tree meets it: where both go the same way, once is enough. */
  readonly treeOnly?: true;
  /** What must hold of the requests. */
  readonly asked?: (paths: readonly string[]) => void;
}

/** One sitemap, declared in robots.txt. */
const one =
  (sitemap: (origin: string) => Trap | Body): Bomb['site'] =>
  (path, origin) =>
    path === '/robots.txt'
      ? robots(`${origin}/bomb.xml`)
      : path === '/bomb.xml'
        ? sitemap(origin)
        : undefined;

function* times(count: number, piece: string | Uint8Array): Generator<string | Uint8Array> {
  for (let number = 0; number < count; number++) yield piece;
}

/** A megabyte of the same page again and again. */
const SAME = PAGE.repeat(Math.ceil(MIB / PAGE.length));
/** A megabyte of a page and white space, which deflate packs as tightly as it can. */
const WIDE = PAGE.padEnd(MIB);
const PACKED_START = gzipSync(ROOT + WIDE);
const PACKED = gzipSync(WIDE.repeat(10));
/** Members of a gzip file follow each other: ten megabytes of them inflate to gigabytes. */
const GZIP_BOMB: readonly Uint8Array[] = [
  PACKED_START,
  ...times(Math.ceil((10 * MIB) / PACKED.length), PACKED),
] as Uint8Array[];

/** The same for deflate: a piece that is flushed in full stands for itself, and may stand there a thousand times. */
const flushed = (text: string): Uint8Array => deflateRawSync(text, { finishFlush: constants.Z_FULL_FLUSH });
const DEFLATED = flushed(WIDE.repeat(10));
const DEFLATE_BOMB: readonly Uint8Array[] = [
  Uint8Array.of(0x78, 0x9c),
  flushed(ROOT),
  ...times(Math.ceil((10 * MIB) / DEFLATED.length), DEFLATED),
] as Uint8Array[];

const CUT: Partial<Report> = { complete: false, codes: ['too-large', 'truncated'], pages: 1 };
const CUT_STREAM: Partial<Report> = { complete: false, pages: 1 };

let wide: Uint8Array | undefined;

const BOMBS: readonly Bomb[] = [
  {
    name: 'gzip, 1,000 to 1',
    does: '10 MiB that inflate to some 10 GiB',
    site: one(() => () => GZIP_BOMB),
    expected: CUT,
    streamed: CUT_STREAM,
  },
  {
    name: 'gzip in gzip',
    does: 'the same, packed again',
    site: one(() => gzipSync(Buffer.concat(GZIP_BOMB))),
    expected: CUT,
    streamed: CUT_STREAM,
  },
  {
    name: 'br',
    does: '`Content-Encoding: br`, 256 MiB in 64 kB',
    site: one(() => ({
      headers: { 'content-encoding': 'br' },
      body: brotliCompressSync(ROOT + WIDE.repeat(256), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    })),
    expected: CUT,
    streamed: CUT_STREAM,
  },
  {
    name: 'deflate',
    does: '`Content-Encoding: deflate`, 10 MiB that inflate to some 10 GiB',
    site: one(() => ({ headers: { 'content-encoding': 'deflate' }, body: () => DEFLATE_BOMB })),
    expected: CUT,
    streamed: CUT_STREAM,
  },
  {
    name: 'deflate in br',
    treeOnly: true,
    does: '`Content-Encoding: deflate, br`: the same, packed again',
    site: one(() => ({
      headers: { 'content-encoding': 'deflate, br' },
      body: brotliCompressSync(Buffer.concat(DEFLATE_BOMB), {
        params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
      }),
    })),
    expected: CUT,
  },
  {
    name: 'gzip in br',
    treeOnly: true,
    does: '`Content-Encoding: br` over a gzip file, 10 MiB that inflate to some 10 GiB',
    site: one(() => ({
      headers: { 'content-encoding': 'br' },
      body: brotliCompressSync(Buffer.concat(GZIP_BOMB), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    })),
    expected: CUT,
  },
  {
    name: 'gzip over gzip over gzip, by header and by content',
    treeOnly: true,
    does: 'two codings in the header, one more below',
    site: one(() => ({
      headers: { 'content-encoding': 'gzip, gzip' },
      body: gzipSync(gzipSync(Buffer.concat(GZIP_BOMB))),
    })),
    expected: CUT,
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
    site: one(
      () =>
        `<!DOCTYPE urlset [<!ENTITY a "${'a'.repeat(50_000)}">]>${ROOT}<url><loc>https://example.org/${'&a;'.repeat(20_000)}</loc></url><url><loc>https://example.org/next</loc></url></urlset>`,
    ),
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
    asked: (paths) => expect(paths).toEqual(['/robots.txt', '/bomb.xml']),
  },
  {
    name: '1,000,000 nested tags',
    does: '`<a><a><a>…`',
    site: one(() => `${ROOT}${PAGE}${'<a>'.repeat(1_000_000)}`),
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
          yield* times(100, 'y'.repeat(MIB));
          yield `">${PAGE}</url></urlset>`;
        },
    ),
    expected: { ...CUT, codes: ['too-large', 'truncated', 'value-too-long'] },
    streamed: CUT_STREAM,
  },
  {
    name: 'an index that invents children',
    does: 'ten new ones on every request, for ever',
    options: { maxSitemaps: 1_500 },
    site: (path, origin) =>
      path === '/robots.txt'
        ? robots(`${origin}/i.xml`)
        : index(...Array.from({ length: 10 }, (_, at) => `${origin}${path.replace('.xml', '')}${at}.xml`)),
    expected: { stopped: 'maxSitemaps', complete: false, pages: 0 },
    asked: (paths) => expect(paths.length).toBeLessThanOrEqual(1_500),
  },
  {
    name: 'a chain of indexes',
    treeOnly: true,
    does: 'each lists the next',
    site: (path, origin) =>
      path === '/robots.txt'
        ? robots(`${origin}/1.xml`)
        : index(`${origin}/${Number(path.slice(1, -4)) + 1}.xml`),
    expected: { complete: false, codes: ['max-depth'], pages: 0 },
    asked: (paths) => expect(paths.length).toBe(12),
  },
  {
    name: 'a lattice',
    does: 'eleven levels of indexes that all list the same fifty of the next: 50¹¹ places',
    site: (path, origin) => {
      const level = Number(/^\/(\d+)-/.exec(path)?.[1] ?? 0);
      const next = Array.from({ length: 50 }, (_, at) => `${origin}/${level + 1}-${at}.xml`);
      return level === 0 ? robots(...next) : level === 11 ? urlset('https://example.org/') : index(...next);
    },
    expected: { stopped: 'maxSitemaps', complete: false, nodes: 50_000 },
    streamed: { stopped: 'maxSitemaps', complete: false },
    asked: (paths) => expect(paths.length).toBeLessThanOrEqual(551),
  },
  {
    name: 'a robots.txt of 500 MiB',
    does: 'rules without end, and a Sitemap line now and then',
    site: (path, origin) =>
      path === '/robots.txt'
        ? () =>
            times(500, `Sitemap: ${origin}/a.xml\n${'Disallow: /a/path/of/some/length\n'.repeat(MIB / 33)}`)
        : urlset('https://example.org/'),
    expected: { complete: false, codes: ['too-large'], pages: 1 },
    streamed: { complete: false, pages: 1 },
  },
  {
    name: '1,000,000 Sitemap lines',
    does: 'each another URL',
    options: { maxSitemaps: 1_000 },
    site: (path, origin) =>
      path === '/robots.txt'
        ? function* () {
            for (let at = 0; at < 1_000; at++) {
              yield Array.from(
                { length: 1000 },
                (_, number) => `Sitemap: ${origin}/${at}-${number}.xml\n`,
              ).join('');
            }
          }
        : urlset('https://example.org/'),
    expected: { stopped: 'maxSitemaps', complete: false, pages: 999 },
    streamed: { stopped: 'maxSitemaps', complete: false },
  },
  {
    name: 'wide indexes',
    treeOnly: true,
    does: '15 indexes of 100,000 children each, 300 kB of gzip apiece',
    options: { maxSitemaps: 1_000 },
    site: (path, origin) => {
      if (path === '/robots.txt')
        return robots(...Array.from({ length: 15 }, (_, at) => `${origin}/${at}.xml`));
      if (path.startsWith('/child')) return urlset('https://example.org/');
      wide ??= gzipSync(index(...Array.from({ length: 100_000 }, (_, at) => `${origin}/child-${at}.xml`)));
      return wide;
    },
    expected: { stopped: 'maxSitemaps', complete: false },
  },
  {
    name: 'a calendar',
    treeOnly: true,
    does: 'a sitemap for every month, each with a link to the next, by query',
    site: (path, origin) => {
      const month = Number(/month=(\d+)/.exec(path)?.[1] ?? 0);
      return path === '/robots.txt'
        ? robots(`${origin}/cal?month=1`)
        : index(`${origin}/cal?month=${month + 1}`);
    },
    expected: { complete: false, codes: ['max-depth'], pages: 0 },
    asked: (paths) => expect(paths.length).toBe(12),
  },
  {
    name: 'one URL repeated',
    does: '1,800,000 times in one sitemap',
    site: one(
      () =>
        function* () {
          yield ROOT;
          yield* times(99, SAME);
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
          for (let at = 0; at < 2_000; at++) {
            yield Array.from(
              { length: 1000 },
              (_, number) => `<url><loc>http://h.example/${at}-${number}</loc></url>`,
            ).join('');
          }
          yield '</urlset>';
        },
    ),
    expected: { pages: 2_000_000, complete: true },
  },
  {
    name: 'long words of the server',
    treeOnly: true,
    does: '2,000 children, each a 404 with 60 kB of status text',
    site: children(2_000, () => ({ status: 404, statusText: 'x'.repeat(60_000) })),
    expected: { pages: 0, complete: false, codes: ['http-status'] },
  },
  {
    name: 'long ways',
    treeOnly: true,
    does: '2,000 children, each a redirect in a circle over a URL of 30 kB',
    site: children(2_000, (path) => ({
      status: 302,
      headers: { location: `${path.replace(/\?.*/, '')}?${'x'.repeat(30_000)}` },
    })),
    expected: { pages: 0, complete: false, codes: ['redirects'] },
  },
  {
    name: 'long rubbish',
    treeOnly: true,
    does: '2,000 children, each 60 kB of something that is not HTTP',
    site: children(2_000, () => ({ raw: 'x'.repeat(60_000) })),
    expected: { pages: 0, complete: false, codes: ['bad-response'] },
  },
  {
    name: 'long headers',
    treeOnly: true,
    does: '6,000 children, each with headers of 130 kB',
    site: children(6_000, () => ({ raw: `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(130_000)}\r\n\r\n` })),
    expected: { pages: 0, complete: false, codes: ['bad-response'] },
  },
];

/** A site that declares so many sitemaps, each of which answers alike. */
function children(count: number, answer: (path: string) => Trap): Bomb['site'] {
  return (path, origin) =>
    path === '/robots.txt'
      ? robots(...Array.from({ length: count }, (_, at) => `${origin}/${at}.xml`))
      : answer(path);
}

function laughs(): string {
  const entities = Array.from({ length: 10 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`);
  return `<!DOCTYPE urlset [<!ENTITY l0 "lol">${entities.join('')}]>${ROOT}<url><loc>https://example.org/&l10;</loc></url><url><loc>https://example.org/next</loc></url></urlset>`;
}

let library: Awaited<ReturnType<typeof bundledLibrary>> | undefined;
beforeAll(async () => {
  library = await bundledLibrary();
});
afterAll(() => library?.remove());

async function meets(bomb: Bomb, mode: 'tree' | 'stream'): Promise<{ report: Report; server: TrapServer }> {
  if (library === undefined) throw new Error('there is no library to attack');
  const server = await startTrap(bomb.site);
  try {
    return { report: await attacked(library.file, mode, server.origin, bomb.options), server };
  } finally {
    await server.close();
  }
}

describe.concurrent.each(['tree', 'stream'] as const)('a %s within 128 MB of heap', (mode) => {
  const bombs = BOMBS.filter(({ treeOnly }) => mode === 'tree' || treeOnly !== true);
  test.each(bombs.map((bomb) => [bomb.name, bomb] as const))('%s', async (_name, bomb) => {
    const { report, server } = await meets(bomb, mode);
    const { streamed = bomb.expected } = bomb;
    expect(report).toMatchObject(mode === 'stream' ? streamed : bomb.expected);
    expect(report.maxRss).toBeLessThan(MOST_RSS);
    // No sentence repeats what a stranger says at any length.
    expect(report.longestMessage).toBeLessThan(2_000);
    bomb.asked?.(server.asked);
  });
});

test('docs/reliability.md has this table', () => {
  const outcome = ({ pages, stopped, codes = [], complete }: Partial<Report>): string => {
    const limits = stopped === undefined ? [...codes] : [`stopped: ${stopped}`];
    const named = limits.map((limit) => `\`${limit}\``).join(', ');
    const kept = pages === undefined ? '' : `${pages.toLocaleString('en')} ${pages === 1 ? 'page' : 'pages'}`;
    return [kept, named, complete === true ? '`complete`' : ''].filter((part) => part !== '').join('; ');
  };
  expectTable(
    'BOMBS',
    ['Bomb', 'What it does', 'What comes back'],
    BOMBS.map(({ name, does, expected }) => [name, does, outcome(expected)]),
  );
});
