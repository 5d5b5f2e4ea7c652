/** §11.1: what a loaded tree has, and what loading allows. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SitemapException, SitemapXMLParsingException } from '../../../src/problems/errors.ts';
import { type LoadTreeOptions, loadTree } from '../../../src/sitemap/archive/load-tree.ts';
import { saveTree } from '../../../src/sitemap/archive/save-tree.ts';
import { digestOf } from '../../../src/sitemap/archive/warc-writer.ts';
import type { KeptDocument } from '../../../src/sitemap/kept-document.ts';
import { DocumentPages } from '../../../src/sitemap/page-source.ts';
import {
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  internalsOf,
  PagesXMLSitemap,
  type Sitemap,
} from '../../../src/sitemap/sitemap.ts';
import { Spool } from '../../../src/sitemap/spool/spool.ts';
import { archiveOf } from '../../support/archive-bombs.ts';
import { folder } from '../../support/folder.ts';
import { codeOf } from '../../support/sitemaps.ts';
import { SITE, urlset } from '../../support/trees.ts';

const spool = new Spool({ memoryBytes: 1e7 });
const documentOf = (
  url: string,
  text = '',
  more: { readonly truncatedBy?: 'length'; readonly head?: string } = {},
): KeptDocument => {
  const writer = spool.writer(Buffer.from(more.head ?? 'HTTP/1.1 200 OK\r\nETag: "1"\r\n', 'latin1'));
  writer.write(Buffer.from(text));
  const options = { url, charset: undefined };
  return writer.end({
    options,
    requestedAt: Date.UTC(2013, 4, 6, 7, 8, 9, 10),
    truncatedBy: more.truncatedBy,
  });
};

async function again(tree: Sitemap, name = 'tree.warc', options: LoadTreeOptions = {}): Promise<Sitemap> {
  const path = join(folder(), name);
  await saveTree(tree, path);
  const loaded = await loadTree(path, options);
  onTestFinished(() => loaded.close());
  return loaded;
}

test.each(['tree.warc', 'tree.warc.gz', 'tree.WARC'])(
  'all that is known of a node comes back: %s',
  async (name) => {
    const url = `${SITE}a.xml`;
    const document = documentOf(url, urlset('1', '2'), { truncatedBy: 'length' });
    const hops = [documentOf(`${SITE}1`), documentOf(`${SITE}2`)];
    const unread = { runs: 2, notFound: 1, declaredIn: 3, undeclared: { since: 4, parents: ['', url] } };
    const validators = { etag: '"v2"', lastModified: 'then' };
    const facts = {
      document,
      hops,
      durationMs: 12.5,
      checkedAt: Date.UTC(2013, 5, 1, 2, 3, 4, 5),
      validators,
      unread,
    };
    const page = new PagesXMLSitemap({
      url,
      pages: new DocumentPages(document),
      facts,
      freshness: 'stale',
      problems: [{ code: 'stale', message: 'Old.', failure: 'http-status', status: 503 }],
      problemCount: 7,
    });
    const invalid = new InvalidSitemap({
      url: `${SITE}b.xml`,
      code: 'http-status',
      reason: 'It failed.',
      status: 500,
      option: 'retries',
      isHtml: true,
      facts: { hops: hops.slice(1), durationMs: 3 },
      error: new SitemapException('Why.', { code: 'http-status' }),
    });
    const spare = new Spool({ memoryBytes: 1e6 });
    spare.addResponse(documentOf(`${SITE}sitemap.xml`, 'older'));
    spare.addResponse(documentOf(`${SITE}sitemap.xml`, 'not found'));
    const stopped = { limit: 'maxSitemaps', message: 'Enough.' };
    const pages = { include: ['/a'], exclude: ['/b'], hosts: 'same', agent: 'x', onlyAllowed: true } as const;
    const tree = new IndexWebsiteSitemap({
      url: SITE,
      complete: false,
      stopped,
      subSitemaps: [
        new IndexXMLSitemap({ url: `${SITE}i.xml`, subSitemaps: [page], filteredUrls: ['x', 'y'] }),
        invalid,
      ],
      triedPaths: [{ url: `${SITE}sitemap.xml`, code: 'http-status', status: 404, isHtml: true }],
      redirectedTo: ['https://www.example.org/'],
      documents: spare,
      run: 4,
      origin: { call: 'homepage', url: SITE, options: { maxDepth: 7 }, notKept: ['fetch'], pages },
    });
    const loaded = await again(tree, name, { verify: true });
    expect(JSON.stringify(loaded)).toBe(JSON.stringify(tree));
    if (loaded.kind !== 'website') throw new Error('It was a site.');
    expect([loaded.triedPaths, loaded.redirectedTo, loaded.stopped]).toEqual([
      tree.triedPaths,
      tree.redirectedTo,
      stopped,
    ]);
    expect(internalsOf(loaded).top).toMatchObject({
      run: 4,
      origin: internalsOf(tree).top?.origin,
      complete: false,
    });
    const [index, failed] = loaded.subSitemaps;
    expect(index?.filteredUrls).toEqual(['x', 'y']);
    if (failed?.kind !== 'invalid') throw new Error('It was invalid.');
    expect([failed.option, failed.isHtml, failed.status]).toEqual(['retries', true, 500]);
    expect(failed.error).toMatchObject({
      name: 'SitemapException',
      message: 'Why.',
      code: 'http-status',
      url: failed.url,
    });
    const ofPage = internalsOf(index!.subSitemaps[0]!);
    expect(ofPage.facts).toMatchObject({ durationMs: 12.5, checkedAt: facts.checkedAt, validators, unread });
    expect([ofPage.problems, ofPage.problemCount]).toEqual([page.problems.slice(0, 1), 7]);
    const kept = ofPage.facts?.document;
    expect([kept?.requestedAt, kept?.truncatedBy, kept?.bytes, await kept?.head()]).toEqual([
      document.requestedAt,
      'length',
      document.bytes,
      'HTTP/1.1 200 OK\r\nETag: "1"\r\n',
    ]);
    expect(ofPage.facts?.hops?.map(({ options }) => options.url)).toEqual([`${SITE}1`, `${SITE}2`]);
    expect(internalsOf(failed).facts?.hops?.[0]).toBe(ofPage.facts?.hops?.[1]);
    const responses = [...(internalsOf(loaded).top?.documents?.responses ?? [])];
    expect(responses.map(({ options, bytes }) => [options.url, bytes])).toEqual([[`${SITE}sitemap.xml`, 9]]);
    expect(loaded.subSitemaps[0]?.subSitemaps[0]?.staleness).toEqual({
      reason: 'Old.',
      since: new Date(facts.checkedAt),
      runs: 2,
      status: 503,
      failure: 'http-status',
    });
    // And once more, in the other format.
    const other = await again(loaded, name === 'tree.warc' ? 'again.gz' : 'again.warc');
    expect(JSON.stringify(other)).toBe(JSON.stringify(tree));
    expect([...other.allPages()]).toHaveLength(2);
  },
);

test('an error is one of ours: of a class that is known, with its code, or with none', async () => {
  const errorOf = async (error: unknown): Promise<unknown> => {
    const loaded = await again(new InvalidSitemap({ url: SITE, code: 'x', reason: 'y', error }));
    return loaded.kind === 'invalid' ? loaded.error : 'not invalid';
  };
  expect(await errorOf(new SitemapXMLParsingException('a', { code: 'b' }))).toBeInstanceOf(
    SitemapXMLParsingException,
  );
  const plain = await errorOf(new TypeError('c'));
  expect(plain).not.toBeInstanceOf(SitemapXMLParsingException);
  expect(plain).toMatchObject({ name: 'SitemapException', message: 'c', code: 'unknown' });
  for (const none of [undefined, 'text', { message: 'x' }]) expect(await errorOf(none)).toBeUndefined();
});

test.each([
  ['a.warc', 'WARC'],
  ['a.WARC', 'WARC'],
  ['a.warc.gz', 'gzip'],
  ['a.warcs', 'gzip'],
  ['warc', 'gzip'],
])('%s is %s', async (name, format) => {
  const path = join(folder(), name);
  await saveTree(new IndexXMLSitemap({ url: SITE, subSitemaps: [] }), path);
  const start = readFileSync(path).subarray(0, 4);
  expect(start.toString('latin1') === 'WARC' ? 'WARC' : start.readUInt16BE() === 0x1f8b ? 'gzip' : '?').toBe(
    format,
  );
  (await loadTree(path)).close();
});

test('redirects of one URL are one record, and a document and its own redirect are two', async () => {
  const nodes = ['a', 'b'].map((name) => {
    const document = documentOf(`${SITE}${name}`, urlset(name));
    const facts = { document, hops: [documentOf(`${SITE}hop`), documentOf(`${SITE}${name}`)] };
    return new PagesXMLSitemap({ url: `${SITE}${name}`, pages: new DocumentPages(document), facts });
  });
  const loaded = await again(new IndexXMLSitemap({ url: SITE, subSitemaps: nodes }));
  const [first, second] = loaded.subSitemaps.map((node) => internalsOf(node).facts);
  expect(first?.hops?.[0]).toBe(second?.hops?.[0]);
  expect(first?.hops?.[1]).not.toBe(second?.hops?.[1]);
  expect(first?.hops?.[1]).not.toBe(first?.document);
  expect([first, second].map((facts) => facts?.hops?.map(({ options }) => options.url))).toEqual([
    [`${SITE}hop`, `${SITE}a`],
    [`${SITE}hop`, `${SITE}b`],
  ]);
  expect([...loaded.allPages()].map(({ url }) => url)).toEqual([`${SITE}a`, `${SITE}b`]);
});

test('a node alone has no outcome, and is as complete as it says', async () => {
  const loaded = await again(new IndexXMLSitemap({ url: SITE, subSitemaps: [] }));
  expect([loaded.complete, loaded.outcome, loaded.origin, internalsOf(loaded).top?.run]).toEqual(
    Array(4).fill(undefined),
  );
  const site = await again(new IndexWebsiteSitemap({ url: SITE, subSitemaps: [], complete: true }));
  expect([site.complete, site.outcome, site.code]).toEqual([true, 'none', 'no-sitemap']);
});

describe('what an archive says is taken as far as it may be', () => {
  const BODY = Buffer.from(urlset('x'));
  const header = (more: object = {}): string =>
    `${JSON.stringify({ format: 'ultimate-sitemap-parser tree', version: 1, ...more }).slice(0, -1)},"documents":[`;
  const DOCUMENT = {
    url: `${SITE}a`,
    bytes: BODY.length,
    digest: digestOf(BODY),
    offset: 0,
    length: BODY.length,
    crc32: crc32(BODY),
    start: 0,
  };
  const document = (more: object = {}): string => JSON.stringify({ ...DOCUMENT, ...more });
  const node = (depth: number, more: object = {}): string =>
    JSON.stringify({ depth, kind: 'index-xml', url: SITE, ...more });
  const pages = (more: object = {}) => node(1, { kind: 'pages-xml', document: 0, ...more });
  const load = async (
    head: string,
    documents: readonly string[],
    nodes: readonly string[],
    options: LoadTreeOptions = {},
  ) => {
    const path = join(folder(), 'tree.warc');
    const inLines = (lines: readonly string[]) =>
      lines.map((line, at) => (at < lines.length - 1 ? `${line},` : line));
    writeFileSync(
      path,
      archiveOf([head, ...inLines(documents), '],"nodes":[', ...inLines(nodes), ']}'], BODY),
    );
    const tree = await loadTree(path, options);
    onTestFinished(() => tree.close());
    return tree;
  };
  const origin = (options: object) => ({ origin: { call: 'sitemap', url: SITE, options, notKept: [] } });

  test('options of its crawl that do not shape a tree are left out', async () => {
    const tree = await load(
      header(origin({ maxDepth: 3, proxy: 'http://evil.test', insecure: true, other: 1 })),
      [],
      [node(0)],
    );
    expect(tree.origin?.options).toEqual({ maxDepth: 3 });
  });

  test('validators that a header cannot hold are left out', async () => {
    const validatorsOf = async (etag: unknown, lastModified: unknown) => {
      const tree = await load(
        header(),
        [document()],
        [node(0), pages({ validators: { etag, lastModified } })],
      );
      return internalsOf(tree.subSitemaps[0]!).facts?.validators;
    };
    expect(await validatorsOf('"é\t~ÿ"', ' then')).toEqual({ etag: '"é\t~ÿ"', lastModified: ' then' });
    expect(await validatorsOf('a\r\nb', 'then')).toEqual({ etag: undefined, lastModified: 'then' });
    expect(await validatorsOf('x'.repeat(1000), '\u007f')).toEqual({
      etag: 'x'.repeat(1000),
      lastModified: undefined,
    });
    expect(await validatorsOf('x'.repeat(1001), '\u0100')).toEqual({
      etag: undefined,
      lastModified: undefined,
    });
    expect(await validatorsOf('', '\u0080')).toEqual({ etag: undefined, lastModified: '\u0080' });
  });

  test.each<[string, object, LoadTreeOptions, number]>([
    ['what its crawl had', origin({ maxDepth: 2 }), {}, 2],
    ['the option, which may be less', origin({ maxDepth: 5 }), { maxDepth: 1 }, 1],
    ['the option, which may be more', origin({ maxDepth: 1 }), { maxDepth: 4 }, 4],
    ['no number', origin({ maxDepth: 'x' }), {}, 0],
    ['a part of a tree', {}, { maxDepth: 3 }, 3],
  ])('levels of indexes: %s', async (_what, more, options, levels) => {
    const nodes = Array.from({ length: levels + 4 }, (_, depth) => node(depth));
    // The site itself, and what was not fetched below the last level.
    expect((await load(header(more), [], nodes.slice(0, -1), options)).allSitemaps()).toBeDefined();
    await expect(load(header(more), [], nodes, options)).rejects.toMatchObject({
      code: 'archive-limit',
      option: 'maxDepth',
      message: expect.stringContaining(`nested more than ${levels} levels deep`),
    });
  });

  test('a date is what it says, an absent reason is empty, and a document without a date was not fetched', async () => {
    const nodes = [
      node(0),
      node(1, { kind: 'invalid', code: '', reason: '', lastModified: '2013-05-06' }),
      pages(),
    ];
    const tree = await load(header(), [document()], nodes);
    const [invalid, page] = tree.subSitemaps;
    expect([invalid?.lastModified, invalid?.code, invalid?.reason]).toEqual([new Date('2013-05-06'), '', '']);
    const kept = internalsOf(page!).facts?.document;
    expect([kept?.requestedAt, await kept?.head(), kept?.digest]).toEqual([undefined, '', DOCUMENT.digest]);
    expect(internalsOf(invalid!).facts).toBeUndefined();
  });

  test.each<[string, object, boolean]>([
    ['up to the end of the file', {}, true],
    ['of part of its record', { start: 1, bytes: BODY.length - 1 }, true],
    ['one byte longer than its record', { start: 1 }, false],
    ['whose head is longer than its record', { start: BODY.length + 1, bytes: 0 }, false],
    ['without a body', { start: BODY.length, bytes: 0 }, true],
    ['in pieces that do not reach so far', { start: 10, bytes: 1, pieces: [BODY.length - 10] }, true],
    ['in pieces that reach one byte too far', { start: 10, bytes: 1, pieces: [BODY.length - 9] }, false],
    ['in pieces behind too short a head', { start: 9, bytes: 1, pieces: [1] }, false],
    ['with one piece too many', { start: 10, bytes: 262_144, pieces: [1, 1] }, false],
    ['with a second piece for one byte more', { start: 10, bytes: 262_145, pieces: [1, 1] }, true],
    ['with one piece too few', { start: 10, bytes: 262_145, pieces: [1] }, false],
    ['without a piece', { start: 10, bytes: 0, pieces: [] }, true],
  ])('a document %s: %j, it may be there: %s', async (_what, more, isThere) => {
    const code = await codeOf(() => load(header(), [document(more)], [node(0)]));
    expect(code).toBe(isThere ? undefined : 'archive-damaged');
  });

  test('a digest that does not match is found by verify, and by nothing else; a checksum by reading', async () => {
    const nodes = [node(0), pages()];
    const wrongDigest = document({ digest: digestOf(Buffer.from('x')) });
    expect([...(await load(header(), [wrongDigest], nodes)).allPages()]).toHaveLength(1);
    await expect(load(header(), [wrongDigest], nodes, { verify: true })).rejects.toMatchObject({
      code: 'archive-damaged',
      url: `${SITE}a`,
      message: expect.stringContaining('its digest does not match'),
    });
    const tree = await load(header(), [document({ crc32: 1 })], nodes);
    for (const _twice of [1, 2]) expect(() => [...tree.allPages()]).toThrow('its checksum does not match');
    await expect(tree.allPages()[Symbol.asyncIterator]().next()).rejects.toThrow('(record at byte 0)');
  });

  test.each([{ verify: 1 }, { maxSitemaps: -1 }, { maxDepth: 'x' }, { verfy: true }, { signal: {} }])(
    'bad-option: %j',
    async (options) => {
      expect(await codeOf(() => load(header(), [], [node(0)], options as never))).toBe('bad-option');
    },
  );
});
