/** §5 and §11.1: what a tree keeps of a document, and of the response that it came with. */
import { crc32 } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ResponseFacts } from '../../src/fetch/client/web-client.ts';
import { sitemapFromStream } from '../../src/local.ts';
import { EntryAllowance } from '../../src/read/reader.ts';
import { SpoolingReader } from '../../src/read/spooling-reader.ts';
import { NotASitemap, SpoolingSink } from '../../src/read/spooling-sink.ts';
import { Stop } from '../../src/runtime/abort.ts';
import { Spool } from '../../src/sitemap/spool/spool.ts';
import { index, urlset } from '../support/documents.ts';

/** The same bytes each time, with another content: what a client may hand over. */
async function* inOneBuffer(text: string, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = Buffer.from(text);
  const chunk = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const length = bytes.copy(chunk, 0, at, at + size);
    yield chunk.subarray(0, length);
    chunk.fill('?');
  }
}

const URLS = ['https://example.org/1', 'https://example.org/2'];
/** More than is looked at for the charset of a document, so that its kind is known before its end. */
const MANY = Array.from({ length: 3000 }, (_, at) => `https://example.org/${at}`);
/** More than the last KiB, which is kept to find the end of a root in. */
const SOME = MANY.slice(0, 100);

describe('a chunk is the reader’s only until it asks for the next one', () => {
  test.each([
    ['two pages in chunks of 1 byte', urlset(...URLS), 1],
    ['two pages in chunks of 40 bytes', urlset(...URLS), 40],
    ['many pages in chunks of 4000 bytes', urlset(...MANY), 4000],
    ['an index of two in chunks of 1 byte', index(...URLS), 1],
    ['an index of two in chunks of 40 bytes', index(...URLS), 40],
    ['an index of many in chunks of 4000 bytes', index(...MANY), 4000],
  ])('%s', async (_what, text, size) => {
    const spool = new Spool({ memoryBytes: 1e6 });
    const allowance = new EntryAllowance(10_000, { isFiltered: false });
    const counts: number[] = [];
    const reader = new SpoolingReader({ spool, allowance, onPages: (count) => counts.push(count) });
    const options = { url: 'https://example.org/sitemap.xml', charset: undefined };
    const ending = () => ({ problems: [], truncated: false });
    const outcome = await reader.readChunks(inOneBuffer(text, size), options, ending);
    if (outcome.type === 'invalid') throw new Error(outcome.reason);
    const { document } = outcome.facts ?? {};
    expect(Buffer.concat([...(document?.chunks() ?? [])].map((chunk) => Buffer.from(chunk))).toString()).toBe(
      text,
    );
    expect(outcome).toMatchObject({ truncated: false, bytes: text.length, crc32: crc32(text) });
    const listed = text.split('<loc>').length - 1;
    if (outcome.type === 'pages') expect(counts.reduce((sum, count) => sum + count, 0)).toBe(listed);
    else expect(outcome.entries).toHaveLength(listed);
    spool.close();
  });
});

test('§8 the children of an attempt that is discarded do not count: the next one has room for as many', async () => {
  const spool = new Spool({ memoryBytes: 1e6 });
  const allowance = new EntryAllowance(1, { isFiltered: false });
  const url = 'https://example.org/sitemap.xml';
  const written = (): SpoolingSink => {
    const sink = new SpoolingSink({ url, charset: undefined }, { spool, allowance, onPages: undefined });
    sink.write(Buffer.from(index(...MANY)));
    return sink;
  };
  const first = written();
  // Nothing is left beside what the first attempt has.
  for (let length = 2 ** 28; length >= 1; length /= 2)
    while (allowance.take({ url: 'x'.repeat(length), lastModified: undefined }));
  first.discard();
  const outcome = await written().outcome({ url, problems: [], truncated: false });
  expect(outcome).toMatchObject({ type: 'index', leftOut: 0, entries: { length: MANY.length } });
  spool.close();
});

/** More than a block of the spool. */
const LARGE = Array.from({ length: 6000 }, (_, at) => `https://example.org/${at}`.padEnd(60, '-'));

test.each([
  ['an index', index(...LARGE)],
  ['a urlset', urlset(...LARGE)],
])('§5 an attempt at %s that is discarded leaves nothing in the spool', (_what, text) => {
  const memory = { total: 2 ** 26, remaining: 2 ** 26 };
  const spool = new Spool({ memoryBytes: memory });
  const allowance = new EntryAllowance(10_000, { isFiltered: false });
  const options = { url: 'https://example.org/sitemap.xml', charset: undefined };
  const sink = new SpoolingSink(options, { spool, allowance, onPages: undefined });
  sink.write(Buffer.from(text));
  expect(memory.remaining).toBeLessThan(memory.total);
  sink.discard();
  expect(memory.remaining).toBe(memory.total);
  spool.close();
});

test('§11.1 a page that arrives in several chunks before it is refused is kept with all of them', async () => {
  const spool = new Spool({ memoryBytes: 1e6 });
  const allowance = new EntryAllowance(1, { isFiltered: false });
  const url = 'https://example.org/sitemap.xml';
  const response = new ResponseFacts(new Response(null), {
    url: new URL(url),
    requestedAt: 0,
    hadCredentials: false,
  });
  const context = { spool, allowance, onPages: undefined };
  const sink = new SpoolingSink({ url, charset: undefined }, context, response);
  const chunks = ['<!doctype html>', '<form>', '</form>'];
  for (const chunk of chunks) sink.write(Buffer.from(chunk));
  await expect(sink.outcome({ url, problems: [], truncated: false })).rejects.toBeInstanceOf(NotASitemap);
  const bodies = Array.from(spool.responses, (document) => Buffer.concat([...document.chunks()]).toString());
  expect(bodies).toEqual([chunks.join('')]);
  spool.close();
});

test('§8 what arrived as a whole is what it is, also when the time is up by then', async () => {
  const spool = new Spool({ memoryBytes: 1e6 });
  const allowance = new EntryAllowance(1, { isFiltered: false });
  const url = 'https://example.org/sitemap.xml';
  const deadline = new Stop();
  const reason = new RangeError('the time is up');
  deadline.abort(reason);
  const outcomeOf = (truncated: boolean): Promise<unknown> => {
    const sink = new SpoolingSink({ url, charset: undefined }, { spool, allowance, onPages: undefined });
    sink.write(Buffer.from('<other/>'));
    return sink.outcome({ url, problems: [], truncated }, deadline);
  };
  await expect(outcomeOf(false)).rejects.toBeInstanceOf(NotASitemap);
  await expect(outcomeOf(true)).rejects.toBe(reason);
  spool.close();
});

test.each([1, 7, 40])('a stream that fills one buffer of %i bytes again and again is read', async (size) => {
  const sitemap = await sitemapFromStream(inOneBuffer(urlset(...URLS), size));
  expect([...sitemap.pages].map(({ url }) => url)).toEqual(URLS);
  sitemap.close();
});

const RSS = '<rss><channel><item><link>https://example.org/1</link></item></channel></rss>';
const ATOM =
  '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://example.org/1"/></entry></feed>';

/** What the last bytes show, or only seem to show. */
const ENDS: readonly (readonly [title: string, document: string, isTruncated: boolean])[] = [
  ['the end of its root', urlset(...URLS), false],
  ['a comment behind its root', `${urlset(...URLS)}\n<!-- made in 0.1 s -->\n`, false],
  [
    'the end of its root with a prefix',
    urlset(...URLS)
      .replaceAll(/<(\/?)(?=[a-z])/g, '<$1s:')
      .replace('xmlns=', 'xmlns:s='),
    false,
  ],
  ['the end of a root inside its root', urlset(...URLS).replace('<url>', '<urlset><url>'), false],
  ['the end of a root in an unclosed comment', urlset(...URLS).replace('</url>', '</url><!--'), true],
  [
    'the end of a root in a comment that another follows',
    `${urlset(...URLS).replace('</url>', '</url><!--')}<!-- -->`,
    true,
  ],
  ['the end of a root in unclosed CDATA', urlset(...URLS).replace('</url>', '</url><![CDATA['), true],
  [
    'the end of a root in an unclosed instruction',
    urlset(...URLS).replace('</urlset>', '<?php </urlset>'),
    true,
  ],
  ['the end of its root with white space in it', urlset(...URLS).replace('</urlset>', '</urlset \n>'), false],
  [
    'the end of its root in the last of two comments',
    `${urlset(...URLS)
      .replace('</url>', '</url><!-- -->')
      .replace('</urlset>', '<!--</urlset>')}<!-- -->`,
    true,
  ],
  [
    'the end of its root behind an instruction',
    urlset(...URLS).replace('</urlset>', '<?a?></urlset>'),
    false,
  ],
  ['the end of its root behind "<!-->"', urlset(...URLS).replace('</url>', '</url><!-->'), true],
  ['the end of another root', urlset(...URLS).replace('</urlset>', '</x:urlset>'), true],
  ['an entry behind its root', `${urlset(...URLS)}<url><loc>https://example.org/c`, true],
  [
    'the end of its root, far behind an unclosed comment',
    urlset(...SOME).replace('</url>', '</url><!--'),
    true,
  ],
  [
    'the end of its root, far behind a comment and an unclosed one',
    urlset(...SOME).replace('</url>', '</url><!-- --><!--'),
    true,
  ],
  [
    'the end of its root in the last of two comments, far behind the first',
    urlset(...SOME)
      .replace('</url>', '</url><!-- -->')
      .replace('</urlset>', '<!--</urlset>'),
    true,
  ],
  ['the end of its root, far behind a comment', urlset(...SOME).replace('</url>', '</url><!-- -->'), false],
  ['the end of an RSS feed', RSS, false],
  ['an RSS feed without its end', RSS.replace('</rss>', ''), true],
  ['an RSS feed that ends inside an item', RSS.replace(/<\/item>.*$/, ''), true],
  ['the end of an Atom feed', ATOM, false],
  ['an Atom feed without its end', ATOM.replace('</feed>', ''), true],
];

describe('whether a document is truncated is one fact, parsed or kept unparsed', () => {
  test.each(ENDS)('%s', async (_title, document, isTruncated) => {
    for (const size of [1, 1021, 1e6]) {
      const sitemap = await sitemapFromStream(inOneBuffer(document, size));
      const codes = sitemap.problems.map(({ code }) => code);
      expect([sitemap.truncated, codes.includes('truncated')]).toEqual([isTruncated, isTruncated]);
      sitemap.close();
    }
  });
});

test.each(['<!--', '<![CDATA[', '<?php '])(
  'what %s hides is found wherever it begins, at each byte around where the last KiB begins',
  async (start) => {
    const hidden = `${start}${' '.repeat(2000)}`;
    const document = urlset(...URLS).replace('</urlset>', `${hidden}</urlset>`);
    const at = document.indexOf(start);
    for (let shift = -start.length - 1; shift <= start.length + 1; shift++) {
      const border = at + 1024 + shift;
      const sitemap = await sitemapFromStream(
        (async function* () {
          yield Buffer.from(document.slice(0, border));
          yield Buffer.from(document.slice(border));
        })(),
      );
      expect([shift, sitemap.truncated]).toEqual([shift, true]);
      sitemap.close();
    }
  },
);

describe('what is kept of how a document ended', () => {
  const url = 'https://example.org/sitemap.xml';
  const sinkOf = (
    text: string,
    options = {},
    followsListed = false,
  ): { sink: SpoolingSink; spool: Spool } => {
    const spool = new Spool({ memoryBytes: 1e6 });
    onTestFinished(() => spool.close());
    const allowance = new EntryAllowance(1, { isFiltered: false });
    const sink = new SpoolingSink(
      { url, charset: undefined, ...options },
      { spool, allowance, onPages: undefined, followsListed },
    );
    for (const half of [text.slice(0, 50), text.slice(50)]) sink.write(Buffer.from(half));
    return { sink, spool };
  };
  const problem = (code: 'too-large' | 'connection-broke' | 'changed-on-retry' | 'gzip-truncated') => ({
    code,
    message: code,
  });

  test.each([
    [[], false, undefined],
    [[], true, 'unspecified'],
    [['gzip-truncated'], true, 'unspecified'],
    [['too-large'], true, 'length'],
    [['connection-broke'], true, 'disconnect'],
    [['changed-on-retry'], true, 'disconnect'],
    [['connection-broke', 'too-large'], true, 'length'],
    [['gzip-truncated', 'connection-broke'], true, 'disconnect'],
  ] as const)('%j, truncated: %j', async (codes, truncated, truncatedBy) => {
    for (const text of [urlset(...URLS), index(...URLS)]) {
      const { sink } = sinkOf(text);
      const problems = codes.map(problem);
      const outcome = await sink.outcome({ url, status: 203, problems, truncated });
      if (outcome.type === 'invalid') throw new Error(outcome.reason);
      expect(outcome).toMatchObject({ url, status: 203, truncated, problems, problemCount: codes.length });
      expect(outcome.facts?.document?.truncatedBy).toBe(truncatedBy);
    }
  });

  test('the problems of the fetch come before those of an index, and all are counted', async () => {
    const { sink } = sinkOf(index(...URLS).replace('<sitemap>', `${'<sitemap></sitemap>'.repeat(150)}$&`));
    const outcome = await sink.outcome({ url, problems: [problem('gzip-truncated')], truncated: false });
    if (outcome.type === 'invalid') throw new Error(outcome.reason);
    expect([outcome.problems[0]?.code, outcome.problems[1]?.code]).toEqual([
      'gzip-truncated',
      'entry-without-loc',
    ]);
    expect([outcome.problemCount, outcome.problems.length < 151]).toEqual([151, true]);
  });

  const LISTED = 'https://example.org/sitemap-old.xml';
  test.each([
    ['a urlset', urlset(LISTED), [LISTED]],
    ['a text', LISTED, undefined],
    ['a feed', RSS.replace(URLS[0]!, LISTED), undefined],
  ])(
    'the sitemaps among the pages of %s are followed only where it is a urlset',
    async (_what, text, listed) => {
      const { sink } = sinkOf(text, {}, true);
      const outcome = await sink.outcome({ url, problems: [], truncated: false });
      if (outcome.type !== 'pages') throw new Error(outcome.type);
      expect(outcome.listed?.entries.map((entry) => entry.url)).toEqual(listed);
    },
  );

  test('an index that does not end is truncated, whatever the fetch says', async () => {
    const { sink } = sinkOf(index(...URLS).replace('</sitemapindex>', ''));
    const outcome = await sink.outcome({ url, problems: [], truncated: false });
    expect(outcome).toMatchObject({ truncated: true, entries: { length: 2 } });
  });

  test.each([
    ['a robots.txt', 'User-agent: *\nSitemap: https://example.org/s.xml\nDisallow: /a-long-path', true],
    ['a sitemap', urlset(...URLS), undefined],
  ])('%s where a robots.txt redirects to is read as that from then on', async (_what, text, isRobotsPath) => {
    const { sink } = sinkOf(text, { isForRobots: true });
    const outcome = await sink.outcome({ url, problems: [], truncated: false });
    if (outcome.type === 'invalid') throw new Error(outcome.reason);
    expect(outcome.kind).toBe(isRobotsPath ? 'robots-txt' : 'pages-xml');
    expect(outcome.facts?.document?.options).toEqual({ url, charset: undefined, isRobotsPath });
  });
});
