/** §11.1: `warcClient` responds from any WARC file. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import {
  loadTree,
  SitemapException,
  saveTree,
  sitemapTreeForHomepage,
  type WebResponse,
  warcClient,
} from '../../src/index.ts';
import { type ScriptedServer, startServer } from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { QUICK, urlsOf } from '../support/crawled-site.ts';
import { exampleSite } from '../support/docs-site.ts';
import { folder, openFiles } from '../support/folder.ts';
import { HAS_PIPES, IS_LINUX } from '../support/platform.ts';
import { describeWith } from '../support/real-servers.ts';
import { codeOf } from '../support/sitemaps.ts';
import { sized } from '../support/tier.ts';

const servers: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface WrittenRecord {
  readonly type?: string;
  readonly url?: string;
  readonly headers?: string;
  readonly block?: string | Uint8Array;
}

function record({ type = 'response', url, headers = '', block = '' }: WrittenRecord): Buffer {
  const bytes = Buffer.from(block as string);
  const target = url === undefined ? '' : `WARC-Target-URI: ${url}\r\n`;
  const head = `WARC/1.0\r\nWARC-Type: ${type}\r\n${target}${headers}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n\r\n')]);
}

const http = (body: string | Uint8Array, headers = '', status = '200 OK'): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${headers}\r\n`), Buffer.from(body as string)]);

/** How records are put into a file. */
const FILES: Readonly<Record<string, (records: readonly Buffer[]) => Buffer>> = {
  plain: (records) => Buffer.concat(records),
  'gzip, a member for each record': (records) => Buffer.concat(records.map((each) => gzipSync(each))),
  'gzip, the whole file': (records) => gzipSync(Buffer.concat(records)),
  'gzip, a member for every two records': (records) =>
    Buffer.concat(
      records.flatMap((each, n) =>
        n % 2 === 0 ? [gzipSync(Buffer.concat([each, ...records.slice(n + 1, n + 2)]))] : [],
      ),
    ),
};

/** Where a file is cut or changed. */
const PLACES = sized({ fast: 10, full: 20 });

function clientOf(
  bytes: Uint8Array,
  path: string = join(folder(), 'file.warc.gz'),
): (url: string) => Promise<WebResponse> {
  writeFileSync(path, bytes);
  const client = warcClient(path);
  const { signal } = new AbortController();
  return (url) => client(url, { method: 'GET', redirect: 'manual', headers: {}, signal });
}

async function textOf({ body }: WebResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  if (body !== null && Symbol.asyncIterator in body)
    for await (const chunk of body) chunks.push(chunk.slice());
  return Buffer.concat(chunks).toString();
}

const chunked = (text: string): string =>
  `${(text.match(/[\s\S]{1,5}/g) ?? []).map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;

/** A record of a program that ends its lines in one way, and writes the empty line in another one. */
function mixed(url: string, lineEnd: string, emptyLine: string): Buffer {
  const block = http('found');
  const lines = [
    'WARC/1.0',
    'WARC-Type: response',
    `WARC-Target-URI: ${url}`,
    `Content-Length: ${block.length}`,
  ];
  const head = lines.map((line) => `${line}${lineEnd}`).join('');
  return Buffer.concat([Buffer.from(`${head}${emptyLine}`), block]);
}

describe.each(Object.entries(FILES))('§11.1 warcClient on a file that is %s', (_, file) => {
  const long = 'x'.repeat(200_000);
  const records = [
    record({ type: 'warcinfo', block: 'software: test\r\n' }),
    record({ type: 'request', url: 'http://a.test/', block: 'GET / HTTP/1.1\r\n\r\n' }),
    record({ url: '<http://a.test/>', block: http('first') }),
    record({
      url: 'http://a.test/',
      block: http('second', 'ETag: "2"\r\nX-A: 1\r\nX-A: 2\r\nX-Long: in\r\n two\r\n\tlines\r\n'),
    }),
    record({ url: 'http://a.test/', block: http('', '', '304 Not Modified') }),
    record({ url: 'http://a.test/', block: 'HTTP/2 304\r\n\r\n' }),
    record({ url: 'http://a.test/long', block: http(long) }),
    record({ url: 'http://a.test/gzip', block: http(gzipSync('zipped'), 'Content-Encoding: gzip\r\n') }),
    record({
      url: 'http://a.test/br',
      block: http(brotliCompressSync('brotli'), 'content-encoding: br\r\n'),
    }),
    record({
      url: 'http://a.test/chunked',
      block: http(chunked('in many chunks'), 'Transfer-Encoding: chunked\r\n'),
    }),
    record({
      url: 'http://a.test/extended',
      block: http(
        chunked('in many chunks').replace('\r\n', ';name="a value of 30 characters"\r\n'),
        'Transfer-Encoding: gzip, Chunked\r\n',
      ),
    }),
    record({ url: 'http://a.test/dechunked', block: http('<urlset/>', 'Transfer-Encoding: chunked\r\n') }),
    record({ url: 'http://a.test/moved', block: http('', 'Location: /\r\n', '301 Moved') }),
    record({
      url: 'http://a.test/original',
      headers: 'WARC-Payload-Digest: sha1:AAAA\r\n',
      block: http('the payload', 'X-From: original\r\n'),
    }),
    record({
      type: 'revisit',
      url: 'http://a.test/again',
      headers: 'WARC-Payload-Digest: sha1:aaaa\r\n',
      block: http('', 'X-From: revisit\r\n'),
    }),
    record({
      type: 'revisit',
      url: 'http://a.test/named',
      headers: 'WARC-Refers-To-Target-URI: <http://a.test/original>\r\n',
    }),
    record({
      type: 'revisit',
      url: 'http://a.test/named-too',
      headers: 'WARC-Payload-Digest: sha1:XXXX\r\nWARC-Refers-To-Target-URI: http://a.test/original\r\n',
    }),
    ...['/loop-1', '/loop-2', '/loop-1'].map((path, at, all) =>
      record({
        type: 'revisit',
        url: `http://a.test${path}`,
        headers: `WARC-Refers-To-Target-URI: http://a.test${all[(at + 1) % 2]}\r\n`,
      }),
    ),
    record({ type: 'revisit', url: 'http://a.test/lost', headers: 'WARC-Payload-Digest: sha1:ZZZZ\r\n' }),
    record({
      type: 'resource',
      url: 'http://a.test/file',
      headers: 'Content-Type: text/plain\r\n',
      block: 'as it is',
    }),
    record({ type: 'resource', url: 'http://a.test/file-304', block: 'HTTP/1.1 304 is a status' }),
    mixed('http://a.test/mixed-1', '\n', '\r\n'),
    mixed('http://a.test/mixed-2', '\r\n', '\n'),
    record({ url: 'http://a.test/kept', block: http('kept') }),
    record({ type: 'revisit', url: 'http://a.test/kept', headers: 'WARC-Payload-Digest: sha1:YYYY\r\n' }),
    record({ url: 'http://a.test/bare', block: 'HTTP/1.1 204 No Content\r\nX-A: 1\r\n' }),
    record({ url: 'http://a.test/no-http', block: 'Not a response of HTTP.' }),
    record({ url: 'dns:a.test', block: '20240506 10.0.0.1' }),
    // Without the two empty lines at its end.
    record({ url: 'http://a.test/last', block: http('the last') }).subarray(0, -4),
  ];

  test.each<readonly [string, number, string]>([
    ['http://a.test/', 200, 'second'],
    ['http://a.test:80/#top', 200, 'second'],
    ['http://a.test/long', 200, long],
    ['http://a.test/gzip', 200, 'zipped'],
    ['http://a.test/br', 200, 'brotli'],
    ['http://a.test/chunked', 200, 'in many chunks'],
    ['http://a.test/extended', 200, 'in many chunks'],
    ['http://a.test/dechunked', 200, '<urlset/>'],
    ['http://a.test/moved', 301, ''],
    ['http://a.test/again', 200, 'the payload'],
    ['http://a.test/named', 200, 'the payload'],
    ['http://a.test/named-too', 200, 'the payload'],
    ['http://a.test/file-304', 200, 'HTTP/1.1 304 is a status'],
    ['http://a.test/mixed-1', 200, 'found'],
    ['http://a.test/mixed-2', 200, 'found'],
    ['http://a.test/last', 200, 'the last'],
    ['http://a.test/kept', 200, 'kept'],
    ['http://a.test/file', 200, 'as it is'],
    ['http://a.test/bare', 204, ''],
  ])('%s', async (url, status, text) => {
    const path = join(folder(), 'file.warc.gz');
    const response = await clientOf(file(records), path)(url);
    expect([response.status, await textOf(response)]).toEqual([status, text]);
    // The file is open only while it is read.
    await expect.poll(() => (IS_LINUX ? openFiles(path) : [])).toEqual([]);
  });

  test.each([
    'http://a.test/lost',
    'http://a.test/loop-1',
    'http://a.test/missing',
    'http://a.test/no-http',
    'dns:a.test',
  ])(
    '%s is not-in-archive: a revisit of nothing or of a revisit, a URL without a record, a record of something else',
    async (url) => {
      const path = join(folder(), 'file.warc.gz');
      expect(await codeOf(() => clientOf(file(records), path)(url))).toBe('not-in-archive');
      await expect.poll(() => (IS_LINUX ? openFiles(path) : [])).toEqual([]);
    },
  );

  test('headers are those of the response, and those of a revisit its own', async () => {
    const client = clientOf(file(records));
    const { headers } = await client('http://a.test/');
    expect([headers.get('ETag'), headers.get('x-a'), headers.get('x-b')]).toEqual(['"2"', '1, 2', null]);
    expect([...(headers as Iterable<unknown>)]).toEqual([
      ['etag', '"2"'],
      ['x-a', '1'],
      ['x-a', '2'],
      ['x-long', 'in two lines'],
    ]);
    expect((await client('http://a.test/again')).headers.get('x-from')).toBe('revisit');
    expect((await client('http://a.test/moved')).headers.get('location')).toBe('/');
  });

  test('records are found wherever they begin in what is read at once, which is 64 KiB', async () => {
    const last = record({ url: 'http://a.test/last', block: http('the last one') });
    const head = last.indexOf('HTTP/1.1');
    // The border is inside the head, just before the block, inside the status line, and behind it.
    for (const place of [-head - 2, -head + 1, -2, -1, 0, 1, 10, 40]) {
      const length = 65_536 - place - head;
      const empty = record({ url: 'http://a.test/first', block: '' }).length;
      const body = 'x'.repeat(length - empty - `${length}`.length + 1 - http('').length);
      const before = record({ url: 'http://a.test/first', block: http(body) });
      expect(before.length + head + place).toBe(65_536);
      const moved = record({ url: 'http://a.test/last', block: http('', '', '304 Not Modified') });
      const client = clientOf(file([before, last, moved]));
      expect(await textOf(await client('http://a.test/last'))).toBe('the last one');
      expect(await textOf(await client('http://a.test/first'))).toBe(body);
    }
  });

  test('the chunks of a body stay as they are while the next ones are read', async () => {
    const body = Array.from({ length: 100_000 }, (_, at) => at).join('\n');
    const [first, large] = [http('first'), http(body)].map((block, at) =>
      record({ url: `http://a.test/${at}`, block }),
    );
    const response = await clientOf(file([first!, large!]))('http://a.test/1');
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString() === body).toBe(true);
  });

  test('a signal that fires while a body is read ends it, and closes the file', async () => {
    const path = join(folder(), 'file.warc.gz');
    // Random bytes, so that gzip has more than one chunk of them too.
    const body = randomBytes(400_000);
    writeFileSync(path, file([record({ url: 'http://a.test/', block: http(body) })]));
    const stop = new AbortController();
    const response = await warcClient(path)('http://a.test/', {
      method: 'GET',
      redirect: 'manual',
      headers: {},
      signal: stop.signal,
    });
    const reading = (async () => {
      for await (const _ of response.body as AsyncIterable<Uint8Array>) stop.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toThrow('enough');
    if (IS_LINUX) expect(openFiles(path)).toEqual([]);
  });

  test('cut or changed anywhere: a clear error, or the same response', async () => {
    const bytes = file(records);
    for (let n = 0; n < PLACES; n++) {
      const at = 20 + Math.floor((n / PLACES) * (bytes.length - 20));
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0x10;
      for (const each of [bytes.subarray(0, at), changed]) {
        const response = await clientOf(each)('http://a.test/').catch((error: unknown) => error);
        if (response instanceof SitemapException && response.code === 'not-in-archive') continue;
        if (response instanceof Error) {
          expect(response).toMatchObject({ name: 'SitemapException', code: 'archive-damaged' });
          expect(response.message).toMatch(/file\.warc\.gz is damaged: .*record/);
        } else {
          expect((response as WebResponse).status).toBe(200);
          await textOf(response as WebResponse).catch(() => '');
        }
      }
    }
  });
});

test.each([
  ['length', 'too-large'],
  ['time', 'connection-broke'],
  ['disconnect', 'connection-broke'],
])('§11.1 a record that was truncated because of %s: the document has the problem %s', async (why, code) => {
  const path = join(folder(), 'file.warc');
  const block = http('User-agent: *\nSitemap: http://a.test/s.xml\n', 'Content-Type: text/plain\r\n');
  const headers = `WARC-Truncated: ${why}\r\n`;
  writeFileSync(path, record({ url: 'http://a.test/robots.txt', headers, block }));
  const tree = await sitemapTreeForHomepage('http://a.test/', {
    retries: 0,
    useKnownPaths: false,
    webClient: warcClient(path),
  });
  expect(tree.subSitemaps[0]?.problems.map((problem) => problem.code)).toEqual([code]);
  tree.close();
});

describe('§11.1 a response in its rare forms', () => {
  const A = 'http://a.test/';
  const codesOf = ({ problems = [] }: WebResponse): readonly string[] => problems.map(({ code }) => code);

  test.each<[string, string | Buffer, number, string, string]>([
    ['no reason', 'HTTP/1.1 200\r\n\r\nx', 200, '', 'x'],
    ['a reason of several words', 'HTTP/1.0 203  Not the same \r\n\r\nx', 203, 'Not the same', 'x'],
    ['HTTP/2', 'HTTP/2 200 \r\n\r\nx', 200, '', 'x'],
    ['line ends of one byte', 'HTTP/1.1 200 OK\nA: b\n\nx\n', 200, 'OK', 'x\n'],
    ['a chunked body of a gzipped one', http(chunked('x'), 'Transfer-Encoding: chunked\r\n'), 200, 'OK', 'x'],
    [
      'chunks in capitals, with a trailer',
      http(`0A;a=b\r\n${'y'.repeat(10)}\r\n1\r\nz\r\n00\r\nX: y\r\n\r\n`, 'TRANSFER-ENCODING: CHUNKED\r\n'),
      200,
      'OK',
      `${'y'.repeat(10)}z`,
    ],
    [
      'chunks whose size begins with a capital letter',
      http(
        `C\r\n${'y'.repeat(12)}\r\nFF\r\n${'z'.repeat(255)}\r\n0\r\n\r\n`,
        'Transfer-Encoding: chunked\r\n',
      ),
      200,
      'OK',
      `${'y'.repeat(12)}${'z'.repeat(255)}`,
    ],
    [
      'chunked, but not at last',
      http('1\r\nx\r\n0\r\n\r\n', 'Transfer-Encoding: chunked, x\r\n'),
      200,
      'OK',
      '1\r\nx\r\n0\r\n\r\n',
    ],
    [
      'another coding',
      http('1\r\nx\r\n0\r\n\r\n', 'Transfer-Encoding: unchunked\r\n'),
      200,
      'OK',
      '1\r\nx\r\n0\r\n\r\n',
    ],
    ['an empty chunked body', http('0\r\n\r\n', 'Transfer-Encoding: chunked\r\n'), 200, 'OK', ''],
    ['an empty body', http(''), 200, 'OK', ''],
  ])('with %s', async (_what, block, status, statusText, text) => {
    const response = await clientOf(record({ url: A, block }))(A);
    expect([response.status, response.statusText, await textOf(response)]).toEqual([
      status,
      statusText,
      text,
    ]);
    expect([codesOf(response), response.isRecorded]).toEqual([[], true]);
  });

  test.each(['5\r\nabc', '3\r\nabc\r\n', '3\r\nabc\r\nx\r\n'])(
    'a chunked body that is damaged is an error: %j',
    async (body) => {
      const response = await clientOf(
        record({ url: A, block: http(body, 'Transfer-Encoding: chunked\r\n') }),
      )(A);
      await expect(textOf(response)).rejects.toThrow(
        /^The chunked response (?:is damaged|ends too early)\.$/,
      );
    },
  );

  test('a resource has the headers of a response with its type, or none', async () => {
    const client = clientOf(
      Buffer.concat([
        record({ type: 'resource', url: A, block: 'x', headers: 'Content-Type: text/plain\r\n' }),
        record({ type: 'resource', url: `${A}2`, block: 'y' }),
      ]),
    );
    const [first, second] = [await client(A), await client(`${A}2`)];
    expect([first.status, first.statusText, first.isRecorded, first.headers.get('Content-Type')]).toEqual([
      200,
      'OK',
      true,
      'text/plain',
    ]);
    expect([second.headers.get('content-type'), [...(second.headers as Iterable<unknown>)]]).toEqual([
      null,
      [],
    ]);
    for (const response of [first, second]) await textOf(response);
  });

  test('a header without a value, without a name, and one that goes on before the first', async () => {
    const head = ' goes on: x\r\nEmpty:\r\n: nameless\r\nno colon\r\nTime: 1:2 \r\n';
    const { headers } = await clientOf(record({ url: A, block: http('', head) }))(A);
    expect([...(headers as Iterable<unknown>)]).toEqual([
      ['empty', ''],
      ['time', '1:2'],
    ]);
    expect([headers.get('EMPTY'), headers.get('no colon')]).toEqual(['', null]);
  });

  test.each<[string, string, readonly string[]]>([
    ['200 OK', 'length', ['too-large']],
    ['299 OK', 'unspecified', ['connection-broke']],
    ['300 Choices', 'length', []],
    ['404 Not Found', 'length', []],
  ])('%s that was truncated because of %s has the problems %j', async (status, why, codes) => {
    const headers = `WARC-Truncated: ${why}\r\n`;
    const response = await clientOf(record({ url: A, headers, block: http('x', '', status) }))(A);
    expect(codesOf(response)).toEqual(codes);
    for (const { message } of response.problems ?? []) {
      expect(message).toBe(`The rest of the document is not in the archive (WARC-Truncated: ${why}).`);
    }
    await textOf(response);
  });

  test('a problem of decoding is on the response once its body was read', async () => {
    const block = http(gzipSync('zipped').subarray(0, -9), 'Content-Encoding: br\r\n');
    const response = await clientOf(record({ url: A, block }))(A);
    await textOf(response).catch(() => '');
    expect(codesOf(response)).not.toEqual([]);
  });

  test.each([
    ['997 lines', 997, true],
    ['998 lines', 998, false],
  ])('a head of %s is read: %s', async (_what, lines, isRead) => {
    const client = clientOf(record({ url: A, block: http('found', 'X: y\r\n'.repeat(lines)) }));
    const text = client(A).then(textOf, () => 'not read');
    expect(await text).toBe(isRead ? 'found' : 'not read');
  });

  test('a record is found by its URL as URLs are compared, and one that is not http is none', async () => {
    const urls = [
      'HTTP://B.test:80/%7Ea',
      'https://b.test:443',
      'ftp://b.test/',
      '<https://b.test/x>',
      'http://[::1]:8080/',
    ];
    const client = clientOf(Buffer.concat(urls.map((url, at) => record({ url, block: http(`${at}`) }))));
    const asked = ['http://b.test/%7Ea', 'https://b.test/', 'https://b.test/x#y', 'http://[::1]:8080/'];
    const texts = [];
    for (const url of asked) texts.push(await textOf(await client(url)));
    expect(texts).toEqual(['0', '1', '3', '4']);
    for (const url of ['ftp://b.test/', 'https://b.test:8443/', 'http://b.test/x']) {
      expect(await codeOf(() => client(url))).toBe('not-in-archive');
    }
  });

  test.each<[string, readonly string[], string | undefined, readonly (readonly [string, string])[]]>([
    ['its own 304 and headers', ['revisit-304'], 'first', [['x-from', 'revisit']]],
    ['no response of its own', ['revisit-empty'], 'first', [['x-from', 'first']]],
    ['a later response with the same digest', ['second', 'revisit-304'], 'first', [['x-from', 'revisit']]],
    [
      'a digest that is not there behind a response',
      ['other', 'revisit-lost'],
      'other',
      [['x-from', 'other']],
    ],
    [
      'a digest that is not there before a response',
      ['revisit-lost', 'other'],
      'other',
      [['x-from', 'other']],
    ],
    ['a known digest behind a response', ['other', 'revisit-200'], 'first', [['x-from', 'revisit']]],
    ['a 304 behind a response', ['other', '304'], 'other', [['x-from', 'other']]],
    ['a 304 alone', ['304'], undefined, []],
  ])('a revisit: %s', async (_what, names, text, headers) => {
    const digest = (name: string): string => `WARC-Payload-Digest: sha1:${name}\r\n`;
    const revisit = (status: string) => http('', 'X-From: revisit\r\n', status);
    const records: Readonly<Record<string, Buffer>> = {
      first: record({ url: `${A}first`, headers: digest('AAAA'), block: http('first', 'X-From: first\r\n') }),
      second: record({
        url: `${A}second`,
        headers: digest('AAAA'),
        block: http('second', 'X-From: second\r\n'),
      }),
      other: record({ url: A, block: http('other', 'X-From: other\r\n') }),
      'revisit-304': record({ type: 'revisit', url: A, headers: digest('aaaa'), block: revisit('200 Same') }),
      'revisit-200': record({ type: 'revisit', url: A, headers: digest('AAAA'), block: revisit('200 OK') }),
      'revisit-empty': record({ type: 'revisit', url: A, headers: digest('AAAA') }),
      'revisit-lost': record({ type: 'revisit', url: A, headers: digest('LOST'), block: revisit('200 OK') }),
      '304': record({ url: A, block: http('', 'X-From: 304\r\n', '304 Not Modified') }),
    };
    const client = clientOf(Buffer.concat(['first', ...names].map((name) => records[name]!)));
    if (text === undefined) {
      expect(await codeOf(() => client(A))).toBe('not-in-archive');
      return;
    }
    const response = await client(A);
    expect([await textOf(response), [...(response.headers as Iterable<unknown>)]]).toEqual([text, headers]);
    expect(response.statusText).toBe(names.at(-1) === 'revisit-304' ? 'Same' : 'OK');
  });

  test('of several files, a revisit of the last one has its payload in the first, and the names of all are told', async () => {
    const headers = 'WARC-Payload-Digest: sha1:AAAA\r\n';
    const paths = [
      record({ url: A, headers, block: http('first') }),
      record({ url: `${A}x`, block: http('between') }),
      record({ type: 'revisit', url: `${A}again`, headers }),
    ].map((bytes, at) => {
      const path = join(folder(), `${at}.warc`);
      writeFileSync(path, bytes);
      return path;
    });
    const client = warcClient(paths);
    const request = {
      method: 'GET',
      redirect: 'manual',
      headers: {},
      signal: new AbortController().signal,
    } as const;
    expect(await textOf(await client(`${A}again`, request))).toBe('first');
    await expect(client(`${A}gone`, request)).rejects.toMatchObject({
      code: 'not-in-archive',
      url: `${A}gone`,
      message: `it is not in ${paths.join(' or ')}`,
    });
  });

  test.each(['HTTP/1.1 304', ' HTTP/1.1 304 Not Modified', 'HTTP/2 304\r\n\r\n'])(
    '%j is a 304, and what comes before it counts',
    async (block) => {
      const before = record({ url: A, block: http('before') });
      expect(await textOf(await clientOf(Buffer.concat([before, record({ url: A, block })]))(A))).toBe(
        'before',
      );
      const other = record({ url: A, block: http('other', '', '305 Not a 304') });
      expect(await textOf(await clientOf(Buffer.concat([before, other]))(A))).toBe('other');
    },
  );
});

test('§11.1 the end of a head is found wherever it is in what is looked at at first, which is 4 KiB', async () => {
  const rest = 'HTTP/1.1 200 OK\r\nX: \r\n\r\n'.length;
  for (let length = 4092; length <= 4100; length++) {
    const block = http('found', `X: ${'y'.repeat(length - rest)}\r\n`);
    const client = clientOf(record({ url: 'http://a.test/', block }));
    expect(await textOf(await client('http://a.test/'))).toBe('found');
  }
});

describe('§11.1 hostile WARC files', () => {
  const found = record({ url: 'http://a.test/', block: http('found') });
  const write = (path: string, bytes: Uint8Array, seconds: number): void => {
    writeFileSync(path, bytes);
    utimesSync(path, seconds, seconds);
  };
  test.each<readonly [string, (path: string) => void]>([
    ['it is longer', (path) => write(path, Buffer.concat([found, found]), 1_000_000_000)],
    ['it has the same size', (path) => write(path, found, 1_000_000_001)],
    [
      'another file with the same size and time has its name',
      (path) => {
        write(`${path}.new`, found, 1_000_000_000);
        renameSync(`${path}.new`, path);
      },
    ],
  ])('a file that changes between two requests is refused: %s', async (_, change) => {
    const path = join(folder(), 'file.warc');
    write(path, found, 1_000_000_000);
    const client = warcClient(path);
    const { signal } = new AbortController();
    const request = { method: 'GET', redirect: 'manual', headers: {}, signal } as const;
    await textOf(await client('http://a.test/', request));
    change(path);
    await expect(client('http://a.test/', request)).rejects.toThrow('changed since it was first read');
  });

  test('of a header that comes twice, the first counts: of a record, and of the response in it', async () => {
    const block = http('found', 'Location: /1\r\nLocation: /2\r\nContent-Encoding: identity\r\n');
    const client = clientOf(
      record({ url: 'http://a.test/', headers: 'WARC-Target-URI: http://b.test/\r\n', block }),
    );
    expect(await textOf(await client('http://a.test/'))).toBe('found');
    expect(await codeOf(() => client('http://b.test/'))).toBe('not-in-archive');
  });

  test.each([1, 2, 3, 4, 5, 7, 8])(
    'a compressed file without its last %i bytes is archive-damaged',
    async (missing) => {
      const first = gzipSync(record({ url: 'http://a.test/', block: http('found') }));
      for (const before of [Buffer.alloc(0), first]) {
        const file = Buffer.concat([before, gzipSync(record({ url: 'http://b.test/', block: http('cut') }))]);
        expect(
          await codeOf(async () => textOf(await clientOf(file.subarray(0, -missing))('http://b.test/'))),
        ).toBe('archive-damaged');
      }
    },
  );

  test('a thousand bytes of empty lines between two records are skipped, more are archive-damaged', async () => {
    const first = record({ type: 'warcinfo', block: 'software: test\r\n' });
    const last = record({ url: 'http://a.test/', block: http('found') });
    // Two empty lines, which are four bytes, end the first record.
    const between = (count: number) => Buffer.concat([first, Buffer.alloc(count - 4, '\n'), last]);
    expect(await textOf(await clientOf(between(1000))('http://a.test/'))).toBe('found');
    expect(await codeOf(() => clientOf(between(1001))('http://a.test/'))).toBe('archive-damaged');
  });

  test('a plain file that ends inside a record is damaged at the byte where that record begins', async () => {
    const cut = Buffer.concat([found, record({ url: 'http://b.test/', block: http('cut') }).subarray(0, -6)]);
    const message = `the record at byte ${found.length - 4} cannot be read (it ends inside a record)`;
    await expect(clientOf(cut)('http://a.test/')).rejects.toMatchObject({
      code: 'archive-damaged',
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ['a plain record', record({ url: 'http://b.test/', block: http('plain') })],
    ['a gzip member without its first bytes', gzipSync(found).subarray(2)],
    ['zeros', Buffer.alloc(10)],
  ])('%s between two gzip members is damaged at its byte', async (_what, between) => {
    const member = gzipSync(found);
    const last = gzipSync(record({ url: 'http://a.test/last', block: http('the last') }));
    const message = `the record at byte ${member.length} cannot be read (it is not gzip there)`;
    await expect(clientOf(Buffer.concat([member, between, last]))('http://a.test/')).rejects.toMatchObject({
      code: 'archive-damaged',
      message: expect.stringContaining(message),
    });
  });

  test('any number of empty gzip members is skipped, but not a thousand in a row', async () => {
    const [empty, other] = [
      gzipSync(''),
      gzipSync(record({ type: 'warcinfo', block: 'software: test\r\n' })),
    ];
    const files = [
      Array.from({ length: 1001 }, () => [empty, other]).flat(),
      Array.from({ length: 1001 }, () => empty),
    ];
    const [apart, inRow] = files.map((members) => Buffer.concat([other, ...members, gzipSync(found)]));
    expect(await textOf(await clientOf(apart!)('http://a.test/'))).toBe('found');
    expect(await codeOf(() => clientOf(inRow!)('http://a.test/'))).toBe('archive-damaged');
  });

  test('a record that claims 10 GB, a head without an end, and a length that is not a number are archive-damaged', async () => {
    const start = 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/\r\n';
    const line = `X: ${'y'.repeat(sized({ fast: 95, full: 1 }))}\r\n`;
    for (const text of [
      `${start}Content-Length: 10000000000\r\n\r\nHTTP/1.1 200 OK\r\n\r\n`,
      `${start}Content-Length: x\r\n\r\n`,
      `${start}Content-Length: -5\r\n\r\n`,
      `${start}${line.repeat(2_400_000 / line.length)}`,
      `${start}X: ${'y'.repeat(2_000_000)}`,
    ]) {
      expect(await codeOf(() => clientOf(Buffer.from(text))('http://a.test/'))).toBe('archive-damaged');
      expect(await codeOf(() => clientOf(gzipSync(text))('http://a.test/'))).toBe('archive-damaged');
    }
  });

  test.each(Object.entries(FILES))(
    'a response with a thousand lines of headers is an error, and the file is closed (%s)',
    async (_, file) => {
      const path = join(folder(), 'file.warc.gz');
      const block = http('', 'X: y\r\n'.repeat(1000));
      const client = clientOf(file([record({ url: 'http://a.test/', block })]), path);
      await expect(client('http://a.test/')).rejects.toThrow('too many lines');
      if (IS_LINUX) expect(openFiles(path)).toEqual([]);
    },
  );

  test('a body that inflates to fifty times maxSitemapBytes is truncated there', async () => {
    const maxSitemapBytes = sized({ fast: 100_000, full: 1_000_000 });
    const bomb = http(gzipSync(Buffer.alloc(50 * maxSitemapBytes, 'a')), 'Content-Encoding: gzip\r\n');
    const path = join(folder(), 'bomb.warc');
    writeFileSync(path, record({ url: 'http://a.test/robots.txt', block: bomb }));
    const tree = await sitemapTreeForHomepage('http://a.test/', {
      retries: 0,
      useKnownPaths: false,
      maxSitemapBytes,
      webClient: warcClient(path),
    });
    expect([...tree.allPages()]).toEqual([]);
    tree.close();
  });

  test('a file that is not there, a folder, a pipe, and a file that is not WARC say so at once', async () => {
    const path = join(folder(), 'x');
    expect(await codeOf(() => warcClient(path))).toBe('archive-unreadable');
    expect(await codeOf(() => warcClient(folder()))).toBe('archive-unreadable');
    if (HAS_PIPES) {
      const pipe = join(folder(), 'pipe');
      execFileSync('mkfifo', [pipe]);
      expect(await codeOf(() => warcClient(pipe))).toBe('archive-unreadable');
    }
    writeFileSync(path, '<urlset/>');
    expect(await codeOf(() => warcClient(path))).toBe('archive-format');
    expect(await codeOf(() => warcClient(''))).toBe('bad-input');
  });
});

describe('§11.1 a site from a WARC file', () => {
  async function site(): Promise<ScriptedServer> {
    const server = await startServer({});
    servers.push(server);
    Object.assign(server.site, {
      '/robots.txt': ['/index.xml', '/old.xml'],
      '/index.xml': { body: ['/a.xml', '/gone.xml'], chunked: true },
      '/a.xml': { pages: ['/1', '/2'], gzip: true },
      '/old.xml': { redirect: '/new.xml' },
      '/new.xml': { pages: ['/3'] },
      '/sitemap.xml': { pages: ['/4'] },
    });
    return server;
  }

  test('our own archive gives the same tree again', async () => {
    const server = await site();
    const tree = await sitemapTreeForHomepage(server.origin, QUICK);
    const path = join(folder(), 'site.warc.gz');
    await saveTree(tree, path);
    await server.close();
    const { proxy: _, ...options } = QUICK;
    const again = await sitemapTreeForHomepage(server.origin, { ...options, webClient: warcClient(path) });
    expect(JSON.stringify(again)).toBe(JSON.stringify(tree));
    expect(again.triedPaths).toEqual(tree.triedPaths);
    // Recompressed, it is not an archive of a tree any more, but still a WARC file.
    const recompressed = join(folder(), 'again.warc.gz');
    writeFileSync(recompressed, gzipSync(gunzipSync(readFileSync(path))));
    expect(await codeOf(() => loadTree(recompressed))).toBe('archive-damaged');
    const third = await sitemapTreeForHomepage(server.origin, {
      ...options,
      webClient: warcClient(recompressed),
    });
    expect(JSON.stringify(third)).toBe(JSON.stringify(tree));
    for (const each of [tree, again, third]) each.close();
  });

  describeWith('wget', 'recorded by another program', () => {
    test('what wget recorded gives the same pages', async () => {
      for (const table of [undefined, exampleSite]) {
        const server = table === undefined ? await site() : await startServer({});
        if (table !== undefined) {
          servers.push(server);
          Object.assign(server.site, table(server.origin));
        }
        const tree = await sitemapTreeForHomepage(server.origin, QUICK);
        const nodes = [...tree.allSitemaps()];
        const urls = new Set(nodes.flatMap(({ url, declaredUrl }) => [url, declaredUrl ?? url]));
        const directory = folder();
        // wget exits with 8 where a document is missing.
        const flags = '-q --no-proxy --tries=1 --warc-file=site -O /dev/null'.split(' ');
        // It cannot use a TMPDIR of 200 characters.
        const env = { ...process.env, TMPDIR: '.' };
        await once(spawn('wget', [...flags, ...urls], { cwd: directory, env, stdio: 'ignore' }), 'exit');
        const file = join(directory, 'site.warc.gz');
        const { proxy: _, ...options } = QUICK;
        await server.close();
        const again = await sitemapTreeForHomepage(server.origin, {
          ...options,
          webClient: warcClient(file),
        });
        expect(urlsOf(again.allPages())).toEqual(urlsOf(tree.allPages()));
        const argv = ['ls', server.origin, '--from-warc', file, '-f', 'pages', '--ordered', '-q'];
        const listed = await usp(argv);
        expect(listed.stdout.trim().split('\n')).toEqual(urlsOf(tree.allPages()));
        tree.close();
        again.close();
      }
    });
  });

  test('--from-warc: what is wrong with the file is a usage error that names it', async () => {
    const path = join(folder(), 'bad.warc');
    const missing = await usp(['ls', 'http://a.test', '--from-warc', path]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining(path)]);
    writeFileSync(path, 'WARC/1.0\r\nContent-Length: 99\r\n\r\n');
    const damaged = await usp(['ls', 'http://a.test', '--from-warc', path]);
    expect([damaged.code, damaged.stderr]).toEqual([2, expect.stringContaining('damaged')]);
    expect((await usp(['ls', 'http://a.test', '--from-warc', path, '--insecure'])).code).toBe(2);
  });

  test('usp ls --verify finds a damaged document before anything is printed', async () => {
    const server = await site();
    const file = join(folder(), 'site.warc');
    await usp(['ls', server.origin, '--save', file, '-q', '--proxy', 'none']);
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('/4</loc>')]! ^= 1;
    writeFileSync(file, bytes);
    const found = await usp(['ls', file, '--verify', '-f', 'pages']);
    expect([found.code, found.stdout, found.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('/sitemap.xml'),
    ]);
  });
});
