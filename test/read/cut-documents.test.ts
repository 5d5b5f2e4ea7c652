/** §2: a document that ends before it shows what it is failed for the cause of that, and is not "not a sitemap". */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { sitemapFromBytes, streamPages } from '../../src/index.ts';
import type { ScriptedResponse } from '../server/scripted-server.ts';
import { codesOf, DECLARED, QUICK, siteOf, treeOf } from '../support/crawled-site.ts';
import { urlset } from '../support/documents.ts';

const SITEMAP = urlset('https://example.org/1');

/** All of a sitemap follows, and does not arrive. */
const cut = (read: string): ScriptedResponse => ({ body: `${read}${SITEMAP}`, truncateAfter: read.length });

/** The failure of a declared sitemap, in a tree and in a stream: the same. */
async function failureOf(response: ScriptedResponse): Promise<{ code: string; reason: string }> {
  const server = await siteOf({ '/robots.txt': ['/s.xml'], '/s.xml': response });
  const [robots] = (await treeOf(server, DECLARED)).subSitemaps;
  const [node] = robots!.subSitemaps;
  const stream = streamPages(server.origin, DECLARED);
  for await (const _ of stream.batches());
  const [invalid] = stream.invalidSitemaps;
  const { kind, code, reason } = invalid!;
  expect(node).toMatchObject({ kind, code, reason });
  return { code: code!, reason: reason!.replace(server.origin, '') };
}

describe('a connection that breaks', () => {
  test.each([
    '',
    ' ',
    '<',
    '<?xml version="1.0"?>',
    '<!-- about',
    '<url',
    '<other>',
    '<!DOCTYPE ',
    'Sitemap of',
  ])('behind %j', async (read) => {
    expect(await failureOf(cut(read))).toEqual({ code: 'reset', reason: '/s.xml: the connection broke.' });
  });

  test('behind what no sitemap begins with', async () => {
    expect(await failureOf(cut('<!doctype html><html>'))).toEqual({
      code: 'not-a-sitemap',
      reason: '/s.xml is not a sitemap or feed: it is an HTML page.',
    });
    expect((await failureOf(cut('{"a": '))).code).toBe('not-a-sitemap');
  });

  test('at a known path does not make a site one without sitemaps', async () => {
    const server = await siteOf({ '/robots.txt': [], '/sitemap.xml': cut('<?xml version="1.0"?>') });
    const { complete, problems, code } = await treeOf(server, QUICK);
    expect({ complete, codes: codesOf(problems), code }).toEqual({
      complete: false,
      codes: ['known-path-failed'],
      code: 'reset',
    });
    const stream = streamPages(server.origin, QUICK);
    for await (const _ of stream.batches());
    expect(stream.complete).toBe(false);
    expect(codesOf(stream.problems)).toEqual(['known-path-failed']);
  });
});

describe('a response that is damaged', () => {
  const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2);
  const long = `<?xml version="1.0"?><!-- ${'about '.repeat(50)} -->${SITEMAP}`;

  test.each<[string, ScriptedResponse, RegExp]>([
    [
      'br that ends too early',
      { body: half(brotliCompressSync(long)), headers: { 'content-encoding': 'br' } },
      /^\/s\.xml: the br content encoding ends too early\.$/,
    ],
    ['gzip that ends too early', { body: half(gzipSync(long)) }, /^\/s\.xml: the gzip data ends too early, /],
    [
      'a part that was not requested',
      { status: 206, body: '<?xml version="1.0"?>', headers: { 'content-range': 'bytes 0-20/4000' } },
      /^\/s\.xml: the server sent only a part of the document, although all of it was requested \(bytes 0 to 20 of 4000\)\.$/,
    ],
  ])('%s', async (_, response, reason) => {
    const failure = await failureOf(response);
    expect(failure.code).toBe('bad-response');
    expect(failure.reason).toMatch(reason);
  });

  test('what is larger than the caller allows is what it seems to be', async () => {
    const server = await siteOf({
      '/robots.txt': ['/s.xml'],
      '/s.xml': `<other><!--${' '.repeat(100)}-->${SITEMAP}`,
    });
    const tree = await treeOf(server, { ...DECLARED, maxSitemapBytes: 100 });
    expect(tree.code).toBe('not-a-sitemap');
    expect(tree.subSitemaps[0]!.subSitemaps[0]).toMatchObject({ reason: expect.stringContaining('<other>') });
  });

  test('white space that is larger than the caller allows is too large, and not empty', async () => {
    const spaces = gzipSync(Buffer.alloc(100_000, ' '));
    const server = await siteOf({ '/robots.txt': ['/s.xml'], '/s.xml': { body: spaces } });
    const tree = await treeOf(server, { ...DECLARED, maxSitemapBytes: 1000 });
    const { code, reason } = tree.subSitemaps[0]!.subSitemaps[0]!;
    expect(code).toBe('not-a-sitemap');
    expect(reason).toMatch(
      /: the document is larger than 1000 bytes .* it is not a sitemap \(too-large\)\.$/,
    );
  });

  test('more white space than is looked at is too large, and not empty, in a file too', async () => {
    const spaces = gzipSync(Buffer.alloc(3_000_000, ' '));
    const server = await siteOf({ '/robots.txt': ['/s.xml'], '/s.xml': { body: spaces } });
    const tree = await treeOf(server, DECLARED);
    const words = 'white space in all of its first 1 MiB, and no more is looked at (too-large)';
    expect(tree.subSitemaps[0]!.subSitemaps[0]).toMatchObject({ reason: expect.stringContaining(words) });
    expect(await sitemapFromBytes(spaces)).toMatchObject({ reason: expect.stringContaining(words) });
    const short = await sitemapFromBytes(spaces, { maxSitemapBytes: 1000 });
    expect(short).toMatchObject({ reason: expect.stringContaining('(too-large)') });
    expect(await sitemapFromBytes(Buffer.from('  '))).toMatchObject({
      reason: expect.stringContaining('empty'),
    });
  });

  test.each([
    ['gzip of which nothing can be inflated', gzipSync(SITEMAP).subarray(0, 12), 'empty'],
    ['gzip that ends in the XML declaration', gzipSync(SITEMAP).subarray(0, 20), 'empty'],
  ])('a file of %s is not a sitemap: there was no server', async (_what, bytes, words) => {
    const sitemap = await sitemapFromBytes(bytes);
    expect(sitemap).toMatchObject({ code: 'not-a-sitemap', reason: expect.stringContaining(words) });
  });
});
