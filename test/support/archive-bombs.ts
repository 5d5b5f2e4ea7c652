/** WARC files that cost a careless reader minutes: each is made of a number of things, in memory. */
import { constants, crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { type EndRecord, endRecord } from '../../src/sitemap/archive/tree-records.ts';
import { digestOf, recordHead } from '../../src/sitemap/archive/warc-writer.ts';

/** A record of a response, as most programs write it. */
function warcRecord(url: string, body: string, headers = ''): string {
  const block = `HTTP/1.1 200 OK\r\n\r\n${body}`;
  const length = Buffer.byteLength(block);
  return `WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ${url}\r\n${headers}Content-Length: ${length}\r\n\r\n${block}\r\n\r\n`;
}

const FIRST = warcRecord('http://a.test/', 'first');
const FIRST_MEMBER = gzipSync(FIRST);

/** A gzip member of the same piece many times, deflated once. */
function memberOf(start: string, piece: Uint8Array, count: number): Buffer {
  const options = { level: 9, finishFlush: constants.Z_FULL_FLUSH };
  const head = deflateRawSync(Buffer.from(start), options);
  const repeated = deflateRawSync(piece, options);
  let checksum = crc32(Buffer.from(start));
  for (let n = 0; n < count; n++) checksum = crc32(piece, checksum);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE((start.length + piece.length * count) % 2 ** 32, 4);
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
  return Buffer.concat([header, head, ...Array<Buffer>(count).fill(repeated), Buffer.from([3, 0]), trailer]);
}

interface ArchiveBomb {
  /** What there is `n` of. */
  readonly of: (n: number) => Buffer;
  /** What is said of it, where it is too many; absent where it is only much. */
  readonly says?: RegExp;
}

/** The byte at which each of them goes wrong. */
const BOMB_OFFSET: number = FIRST_MEMBER.length;
const IN_PLAIN = FIRST.length;

export const ARCHIVE_BOMBS: Readonly<Record<string, ArchiveBomb>> = {
  'line ends in one gzip member': {
    of: (n) =>
      Buffer.concat([FIRST_MEMBER, memberOf('', Buffer.from('\r\n'.repeat(500)), Math.ceil(n / 500))]),
    says: new RegExp(`byte ${BOMB_OFFSET} .*empty lines`),
  },
  'line ends in a plain file': {
    of: (n) => Buffer.from(FIRST + '\r\n'.repeat(n)),
    says: new RegExp(`byte ${IN_PLAIN - 4} .*empty lines`),
  },
  'header lines of one record': {
    of: (n) => Buffer.from(`${FIRST}WARC/1.0\r\n${'a:b\n'.repeat(n)}\r\n`),
    says: new RegExp(`byte ${IN_PLAIN - 4} .*head`),
  },
  'empty gzip members': {
    of: (n) => Buffer.concat([FIRST_MEMBER, ...Array<Buffer>(n).fill(gzipSync(''))]),
    says: /byte \d+ .*empty gzip members/,
  },
  'records of 54 bytes': {
    of: (n) => Buffer.from(FIRST + 'WARC/1.0\r\nWARC-Type: x\r\nContent-Length: 0\r\n\r\n\r\n\r\n'.repeat(n)),
  },
  'gzip members of 54 bytes': {
    of: (n) => {
      const member = gzipSync('WARC/1.0\r\nWARC-Type: x\r\nContent-Length: 0\r\n\r\n\r\n\r\n');
      return Buffer.concat([FIRST_MEMBER, ...Array<Buffer>(n).fill(member)]);
    },
  },
  'records in one gzip member': {
    of: (n) => {
      const piece = Buffer.from(warcRecord('http://b.test/', 'again').repeat(100));
      return Buffer.concat([FIRST_MEMBER, memberOf('', piece, Math.ceil(n / 100))]);
    },
  },
  'distinct URLs': {
    of: (n) =>
      Buffer.from(
        FIRST + Array.from({ length: n }, (_, at) => warcRecord(`http://b.test/${at}`, 'x')).join(''),
      ),
  },
  'zeros that one record inflates to': {
    of: (n) => {
      const piece = Buffer.alloc(1024 * 1024);
      const count = Math.ceil(n / piece.length);
      const head = `WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://b.test/\r\nContent-Length: ${count * piece.length}\r\n\r\n`;
      return Buffer.concat([FIRST_MEMBER, memberOf(head, piece, count)]);
    },
  },
};

/** A plain archive whose nodes are these lines. */
export function archiveOf(lines: readonly string[], before: Uint8Array = new Uint8Array(0)): Uint8Array {
  const block = Buffer.from(`${lines.join('\n')}\n`);
  const fields = { type: 'metadata', date: 0, targetUri: 'urn:x', contentType: 'application/json' } as const;
  const digest = digestOf(block);
  const head = Buffer.from(recordHead(fields, block.length, { block: digest, payload: digest }));
  const record = Buffer.concat([head, block, Buffer.from('\r\n\r\n')]);
  const end: EndRecord = { offset: before.length, length: record.length, digest: digestOf(record) };
  return Buffer.concat([before, record, endRecord(end, 0, { isGzip: false })]);
}

const TREE_HEADER = '{"format":"ultimate-sitemap-parser tree","version":1,"documents":[';
const TOP = '{"depth":0,"kind":"index-xml","url":"http://a.test/"';

/** The archive of a tree: so many of something, in lines. */
function treeOf(nodes: readonly string[], documents: readonly string[] = [], before?: Uint8Array): Buffer {
  const inLines = (lines: readonly string[]) => (lines.length === 0 ? [] : [lines.join(',\n')]);
  return Buffer.from(
    archiveOf([TREE_HEADER, ...inLines(documents), '],"nodes":[', ...inLines(nodes), ']}'], before),
  );
}

const times = (n: number, line: (at: number) => string): string[] =>
  Array.from({ length: n }, (_, at) => line(at));

/** Archives of trees that cost a careless reader minutes: each is made of a number of things. */
export const TREE_BOMBS: Readonly<Record<string, (n: number) => Buffer>> = {
  'nodes beside each other': (n) =>
    treeOf([`${TOP}}`, ...times(n, (at) => `{"depth":1,"kind":"pages-xml","url":"http://a.test/${at}"}`)]),
  'nodes below each other': (n) =>
    treeOf([`${TOP}}`, ...times(n, (at) => `{"depth":${at + 1},"kind":"index-xml","url":"http://a.test/"}`)]),
  'documents that no node shows': (n) =>
    treeOf(
      [`${TOP}}`],
      times(n, (at) => `{"bytes":0,"digest":"","offset":${at},"length":1,"crc32":0,"start":0}`),
      new Uint8Array(n),
    ),
  'redirects of one node': (n) =>
    treeOf(
      [`${TOP},"hops":[${times(n, () => '0').join()}]}`],
      ['{"bytes":0,"digest":"","offset":0,"length":1,"crc32":0,"start":0}'],
      new Uint8Array(1),
    ),
  'pieces of one document': (n) =>
    treeOf(
      [`${TOP}}`],
      [
        `{"bytes":${n * 262_144},"digest":"","offset":0,"length":${n + 10},"crc32":0,"start":10,"pieces":[${times(n, () => '1').join()}]}`,
      ],
      new Uint8Array(n + 10),
    ),
  'problems of one node': (n) =>
    treeOf([`${TOP},"problems":[${times(n, () => '{"code":"x","message":"y"}').join()}]}`]),
  'URLs that were not chosen': (n) =>
    treeOf([`${TOP},"filteredUrls":[${times(n, (at) => `"http://a.test/${at}"`).join()}]}`]),
};
