/**
 * The faults of servers, one per row: what the server does, and the expected result. docs/reliability.md shows this
 * table, and fault-matrix.test.ts tests a tree, a stream and `usp` against it.
 *
 * Each row is one sitemap, `/fault.xml`, on a server of its own, declared between two sitemaps on a good server.
 */
import { brotliCompressSync, constants, deflateSync, gzipSync, inflateRawSync } from 'node:zlib';
import { closedPort } from '../server/raw-server.ts';
import { urlset } from './documents.ts';
import {
  chain,
  children,
  chunked,
  DEFAULT_MOST_BYTES,
  endless,
  endlessPageCount,
  type FaultyServer,
  flipped,
  fullQueue,
  keepAlive,
  MOST_BYTES,
  noServer,
  ok,
  raw,
  responds,
  sends,
  thenReset,
  trickle,
} from './faulty-servers.ts';

/** The expected result: no sitemap and why, or a sitemap with a number of pages. */
type Expected =
  | { readonly code: string; readonly says: RegExp; readonly words: string }
  | { readonly pages: number; readonly problems?: readonly string[]; readonly complete: boolean };

export interface Fault {
  readonly name: string;
  /** What the server does. */
  readonly does: string;
  /** @param index - the URL of the index that declares the sitemap */
  readonly start: (index: string) => Promise<FaultyServer>;
  readonly expected: Expected;
  /** Whether it lasts for minutes with the default timeouts: `usp` needs `--timeout` then. */
  readonly isLong?: boolean;
  /** How many pages `usp` finds instead: it has no option for the bytes of a document. */
  readonly uspPages?: number;
  /** Whether only Linux lets a server do this: elsewhere it is skipped. */
  readonly linuxOnly?: true;
}

const PAGES = 200;
const DOCUMENT = urlset(...Array.from({ length: PAGES }, (_, at) => `https://example.org/fault/${at}`));
const HALF = Math.floor(DOCUMENT.length / 2);
/** The same as a text sitemap, with lines of equal length. */
const LINES = Array.from(
  { length: PAGES },
  (_, at) => `https://example.org/${String(at).padStart(5, '0')}\n`,
).join('');
const PACKED = gzipSync(DOCUMENT);
/** Hard to compress, so that it has thousands of bytes. */
const NOISY = `<?xml version="1.0" encoding="UTF-8"?>${urlset(
  ...Array.from({ length: 900 }, (_, at) => `https://example.org/${at}-${noise(at)}-${noise(at + 7)}`),
)}`;
const NOISY_PACKED = gzipSync(NOISY);
const CUTS = Array.from({ length: Math.floor(NOISY_PACKED.length / 1000) }, (_, at) => (at + 1) * 1000);

/** How many pages are complete in a part of a document. */
function pagesIn(text: string): number {
  return text.split('</url>').length - 1;
}

function noise(at: number): string {
  return ((at * 2654435761) % 4294967296).toString(36);
}

/** What zlib can inflate of a truncated gzip file. */
function inflatedPart(packed: Uint8Array): string {
  return inflateRawSync(packed.subarray(10), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
}

const invalid = (code: string, words: string, says = new RegExp(words)): Expected => ({ code, says, words });
const whole: Expected = { pages: PAGES, complete: true };
const wholeBut = (...problems: readonly string[]): Expected => ({ pages: PAGES, problems, complete: true });
const cut = (text: string, ...problems: readonly string[]): Expected => ({
  pages: pagesIn(text),
  problems,
  complete: false,
});

export const FAULTS: readonly Fault[] = [
  // Before there is a connection.
  {
    name: 'refused',
    does: 'no process listens',
    start: noServer(async () => `http://127.0.0.1:${await closedPort()}/fault.xml`),
    expected: invalid('refused', 'refused the connection'),
  },
  {
    name: 'unresolved',
    does: 'the name does not exist',
    // A label has at most 63 characters, so this needs no resolver.
    start: noServer(`http://${'x'.repeat(64)}.test/fault.xml`),
    expected: invalid('unresolved', 'does not resolve'),
  },
  {
    name: 'connect timeout',
    does: 'listens, and its queue is full: no handshake',
    start: fullQueue,
    expected: invalid('timeout', 'connecting to .* took longer than'),
    isLong: true,
    // Other systems refuse what does not fit into the queue.
    linuxOnly: true,
  },
  {
    name: 'TLS handshake without a response',
    does: 'accepts an https connection and sends nothing',
    start: raw(() => {}, 'https'),
    expected: invalid('timeout', 'connecting to .* took longer than'),
    isLong: true,
  },
  {
    name: 'no TLS where it should be',
    does: 'plain HTTP on an https URL',
    start: raw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'https'),
    expected: invalid('tls', 'TLS failed'),
  },
  // Before there is a response.
  {
    name: 'accepts and sends nothing',
    does: 'takes the request, and is silent',
    start: raw(() => {}),
    expected: invalid('timeout', 'no response within'),
    isLong: true,
  },
  {
    name: 'hangs up',
    does: 'closes without a response',
    start: raw((socket) => socket.end()),
    expected: invalid('reset', 'the connection broke'),
  },
  {
    name: 'headers one byte at a time',
    does: 'does not reach their end in time',
    start: raw((socket) => trickle(socket, `HTTP/1.1 200 OK\r\nX-Slow: ${'x'.repeat(10_000)}`)),
    expected: invalid('timeout', 'no response within'),
    isLong: true,
  },
  {
    name: 'reset in the status line',
    does: '`HTTP/1.1 2`, then a reset',
    start: raw((socket) => thenReset(socket, 'HTTP/1.1 2')),
    expected: invalid('reset', 'the connection broke'),
  },
  {
    name: 'reset in the headers',
    does: '`HTTP/1.1 200 OK`, half a header, then a reset',
    start: raw((socket) => thenReset(socket, 'HTTP/1.1 200 OK\r\nContent-Ty')),
    expected: invalid('reset', 'the connection broke'),
  },
  {
    name: 'not HTTP',
    does: 'the banner of another protocol',
    start: sends('SSH-2.0-OpenSSH_9.6\r\n'),
    expected: invalid('bad-response', 'not HTTP'),
  },
  {
    name: '1 MiB of headers',
    does: 'a thousand headers of a kilobyte',
    start: sends(`HTTP/1.1 200 OK\r\n${`X-Long: ${'x'.repeat(1014)}\r\n`.repeat(1024)}\r\n`),
    expected: invalid('bad-response', 'headers are too large'),
  },
  {
    name: 'an upgrade without a request for it',
    does: '101',
    start: sends('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    expected: invalid('bad-response', 'does not belong to the request'),
  },
  {
    name: '100 for ever',
    does: '`100 Continue`, again and again',
    start: raw((socket) => trickle(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000), 250)),
    expected: invalid('bad-response', 'does not belong to the request'),
  },
  {
    name: 'hints before the response',
    does: '103, then 200',
    start: sends('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', ok(DOCUMENT.length), DOCUMENT),
    expected: whole,
  },
  // In the body.
  {
    name: 'body one byte at a time',
    does: 'half of it at once, then byte by byte: never idle, never done',
    start: raw((socket) => {
      socket.write(ok(1e9) + DOCUMENT.slice(0, HALF));
      trickle(socket, ' '.repeat(1e5));
    }),
    expected: cut(DOCUMENT.slice(0, HALF), 'connection-broke', 'truncated'),
    isLong: true,
  },
  {
    name: 'body that stops',
    does: 'half of it, then nothing, at every attempt',
    start: responds({ body: DOCUMENT, stallAfter: HALF }),
    expected: cut(DOCUMENT.slice(0, HALF), 'connection-broke', 'truncated'),
    isLong: true,
  },
  {
    name: 'reset in the body',
    does: 'half of it, then a reset, at every attempt',
    start: responds({ body: DOCUMENT, resetAfter: HALF }),
    expected: cut(DOCUMENT.slice(0, HALF), 'connection-broke', 'truncated'),
  },
  {
    name: 'reset in a line of a text sitemap',
    does: 'half of it, then a reset within a URL, at every attempt',
    start: responds({ body: LINES, resetAfter: LINES.length / 2 + 3 }),
    expected: { pages: PAGES / 2, problems: ['connection-broke', 'truncated'], complete: false },
  },
  {
    name: 'reset in the body, once',
    does: 'the second attempt is complete',
    start: responds({ script: [{ body: DOCUMENT, resetAfter: HALF }, { body: DOCUMENT }] }),
    expected: whole,
  },
  {
    name: 'body shorter than Content-Length',
    does: 'all of it, and a Content-Length of more',
    start: sends(ok(DOCUMENT.length + 1000), DOCUMENT),
    expected: cut(DOCUMENT, 'connection-broke'),
  },
  {
    name: 'body longer than Content-Length',
    does: 'all of it, and a Content-Length of half',
    start: sends(ok(HALF), DOCUMENT),
    expected: cut(DOCUMENT.slice(0, HALF), 'truncated'),
  },
  {
    name: 'broken chunked encoding',
    does: 'half of it, then a chunk of size `ZZ`',
    start: sends(chunked(DOCUMENT.slice(0, HALF)), 'ZZ\r\n'),
    expected: cut(DOCUMENT.slice(0, HALF), 'connection-broke', 'truncated'),
  },
  {
    name: 'chunked encoding without its end',
    does: 'all of it, and no last chunk',
    start: sends(chunked(DOCUMENT)),
    expected: cut(DOCUMENT, 'connection-broke'),
  },
  {
    name: 'HTTP/1.0 without a length',
    does: 'the end of the connection is the end of the document',
    start: sends('HTTP/1.0 200 OK\r\n\r\n', DOCUMENT),
    expected: whole,
  },
  {
    name: 'endless body',
    does: 'pages without end',
    start: raw((socket) => endless(socket)),
    expected: { pages: endlessPageCount(MOST_BYTES), problems: ['too-large', 'truncated'], complete: false },
    uspPages: endlessPageCount(DEFAULT_MOST_BYTES),
  },
  {
    name: 'empty body',
    does: '200, and nothing',
    start: sends(ok(0)),
    expected: invalid('not-a-sitemap', 'it is empty'),
  },
  {
    name: 'HTML error page with 200',
    does: '“This page does not exist”',
    start: responds('<!DOCTYPE html><html><head><title>Not found</title></head><body>Sorry.</body></html>'),
    expected: invalid('not-a-sitemap', 'HTML page'),
  },
  // Codings.
  {
    name: 'wrong Content-Encoding',
    does: '`gzip`, and sends it plain',
    start: sends(ok(DOCUMENT.length, 'Content-Encoding: gzip'), DOCUMENT),
    expected: wholeBut('wrong-content-encoding'),
  },
  {
    name: 'unknown Content-Encoding',
    does: '`zstd`, which the request did not offer, over a plain document',
    start: sends(ok(DOCUMENT.length, 'Content-Encoding: zstd'), DOCUMENT),
    expected: wholeBut('unknown-content-encoding'),
  },
  {
    name: 'gzip truncated at every 1,000th byte',
    does: `${CUTS.length} files, each a kilobyte longer`,
    start: children(
      Object.fromEntries(
        CUTS.map((bytes) => [`/${bytes}.xml.gz`, { body: NOISY_PACKED.subarray(0, bytes) }]),
      ),
    ),
    expected: {
      pages: CUTS.reduce((sum, bytes) => sum + pagesIn(inflatedPart(NOISY_PACKED.subarray(0, bytes))), 0),
      problems: ['gzip-truncated', 'truncated'],
      complete: false,
    },
  },
  {
    name: 'gzip with trailing rubbish',
    does: 'a comment of a cache behind the gzip data',
    start: responds({ body: Buffer.concat([PACKED, Buffer.from('<!-- cached -->')]) }),
    expected: wholeBut('gzip-trailing-bytes'),
  },
  {
    name: 'gzip with a bad checksum',
    does: 'one bit of the trailer is wrong',
    start: responds({ body: flipped(PACKED, PACKED.length - 6) }),
    expected: wholeBut('bad-checksum'),
  },
  {
    name: 'gzip, multi-member',
    does: 'two files in one, as `cat` makes them',
    start: responds({
      body: Buffer.concat([gzipSync(DOCUMENT.slice(0, HALF)), gzipSync(DOCUMENT.slice(HALF))]),
    }),
    expected: whole,
  },
  {
    name: 'gzip, nested',
    does: 'a gzip file that is compressed once more on its way',
    start: responds({ body: gzipSync(PACKED), headers: { 'content-encoding': 'gzip' } }),
    expected: whole,
  },
  {
    name: 'br and deflate at once',
    does: '`Content-Encoding: deflate, br`',
    start: responds({
      body: brotliCompressSync(deflateSync(DOCUMENT)),
      headers: { 'content-encoding': 'deflate, br' },
    }),
    expected: whole,
  },
  // Statuses.
  {
    name: '500, then fine',
    does: 'an error at the first attempt',
    start: responds({ script: [{ status: 500 }, { body: DOCUMENT }] }),
    expected: whole,
  },
  {
    name: '429 with Retry-After',
    does: 'asks for one second, then sends the document',
    start: responds({
      script: [{ status: 429, headers: { 'retry-after': '1' } }, { body: DOCUMENT }],
    }),
    expected: whole,
  },
  {
    name: '429 with a long Retry-After',
    does: 'asks for an hour',
    start: responds({ status: 429, headers: { 'retry-after': '3600' } }),
    expected: invalid('rate-limited', 'responded with 429 .* 3600 s, which is too long to wait'),
  },
  {
    name: '503 for ever',
    does: 'an error at every attempt',
    start: responds({ status: 503 }),
    expected: invalid('http-status', 'responded with 503 .*after 5 attempts'),
  },
  {
    name: '204',
    does: 'no content',
    start: sends('HTTP/1.1 204 No Content\r\n\r\n'),
    expected: invalid('not-a-sitemap', 'it is empty'),
  },
  {
    name: '206',
    does: 'a part, though the request was for all of it',
    start: sends(
      `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-${HALF - 1}/${DOCUMENT.length}\r\nContent-Length: ${HALF}\r\n\r\n`,
      DOCUMENT.slice(0, HALF),
    ),
    expected: cut(DOCUMENT.slice(0, HALF), 'partial-content', 'truncated'),
  },
  {
    name: '206 of a text sitemap',
    does: 'a part that ends within a URL',
    start: sends(
      `HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-29/${LINES.length}\r\nContent-Length: 30\r\n\r\n`,
      LINES.slice(0, 30),
    ),
    expected: { pages: 1, problems: ['partial-content', 'truncated'], complete: false },
  },
  {
    name: '304',
    does: 'not modified, though the request had no condition',
    start: sends('HTTP/1.1 304 Not Modified\r\n\r\n'),
    expected: invalid('http-status', 'responded with 304'),
  },
  {
    name: 'a status out of range',
    does: '999',
    start: sends('HTTP/1.1 999 Request denied\r\nContent-Length: 0\r\n\r\n'),
    expected: invalid('http-status', 'responded with 999'),
  },
  {
    name: 'a status below the range',
    does: '000',
    start: sends('HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n'),
    expected: invalid('bad-response', 'its status does not exist'),
  },
  {
    name: '407',
    does: 'asks for a proxy’s password, though there is no proxy',
    start: responds({ status: 407 }),
    expected: invalid('http-status', 'the server responded with 407'),
  },
  // Redirects.
  {
    name: 'redirect to itself',
    does: '302 to the same URL',
    start: responds({ redirect: '/fault.xml' }),
    expected: invalid('redirects', 'in a circle'),
  },
  {
    name: 'redirect to a parent',
    does: '302 to the index that declares it',
    start: responds((indexUrl) => ({ redirect: indexUrl })),
    expected: invalid('recursion', 'one of its own ancestors'),
  },
  {
    name: 'redirects 10 deep',
    does: 'ten of them, then the document',
    start: responds({ redirect: '/1' }, chain(10, { body: DOCUMENT })),
    expected: whole,
  },
  {
    name: 'redirects 11 deep',
    does: 'eleven of them, then the document',
    start: responds({ redirect: '/1' }, chain(11, { body: DOCUMENT })),
    expected: invalid('redirects', 'more than 10 redirects'),
  },
  {
    name: 'redirect to another scheme',
    does: '302 to `ftp:`',
    start: responds({ redirect: 'ftp://127.0.0.1/sitemap.xml' }),
    expected: invalid('redirects', 'ftp: which is not http'),
  },
  {
    name: 'redirect to `file:`',
    does: '302 to `file:///etc/passwd`',
    start: responds({ redirect: 'file:///etc/passwd' }),
    expected: invalid('redirects', 'file: which is not http'),
  },
  {
    name: 'redirect with no Location',
    does: '302 without a target',
    start: sends('HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n'),
    expected: invalid('redirects', 'without a target'),
  },
  // Headers that contradict each other.
  {
    name: 'two Content-Lengths',
    does: 'two values that differ',
    start: sends(ok(DOCUMENT.length, 'Content-Length: 5'), DOCUMENT),
    expected: invalid('bad-response', 'is there twice'),
  },
  {
    name: 'two equal Content-Lengths',
    does: 'the same value twice, which HTTP forbids as well',
    start: sends(ok(DOCUMENT.length, `Content-Length: ${DOCUMENT.length}`), DOCUMENT),
    expected: invalid('bad-response', 'is there twice'),
  },
  {
    name: 'Content-Length and chunked',
    does: 'both, as in request smuggling',
    start: sends(chunked(DOCUMENT, 'Content-Length: 5'), '0\r\n\r\n'),
    expected: invalid('bad-response', 'or with Transfer-Encoding'),
  },
  {
    name: 'two Locations',
    does: 'the first is good, the second is `file:`',
    start: responds(
      { status: 302, headers: { location: ['/1', 'file:///etc/passwd'] } },
      { '/1': { body: DOCUMENT } },
    ),
    expected: whole,
  },
  {
    name: 'two Content-Types',
    does: 'with two charsets, both wrong',
    start: responds({
      body: DOCUMENT,
      headers: { 'content-type': ['text/html; charset=utf-16', 'image/png; charset=none'] },
    }),
    expected: wholeBut('wrong-charset'),
  },
  // Connections that are used again.
  {
    name: 'keep-alive socket closed under us',
    does: 'one response per connection, then a reset at the next request',
    start: keepAlive(({ number, socket, respond }) => (number === 0 ? respond() : socket.resetAndDestroy())),
    expected: { pages: 8, complete: true },
  },
  {
    name: 'one response too many',
    does: 'each response is followed by an unrequested one, with a page that must not be read',
    start: keepAlive(({ socket, respond }) => {
      respond();
      const evil = urlset('https://evil.example/');
      socket.write(ok(evil.length) + evil);
    }),
    expected: { pages: 8, complete: true },
  },
];
