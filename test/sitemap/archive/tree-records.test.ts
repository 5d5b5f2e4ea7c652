/** §11.1: what an archive may say of its documents, nodes and origin, and where its nodes are. */
import { describe, expect, test } from 'vitest';
import {
  type ArchivedNode,
  archiveTooLarge,
  endRecord,
  isArchivedDocument,
  isArchivedNode,
  MOST_END_BYTES,
  readEndRecord,
  readHeader,
} from '../../../src/sitemap/archive/tree-records.ts';

type Values = Readonly<Record<string, unknown>>;

const DOCUMENT: Values = {
  url: 'https://a.test/',
  requestedAt: '2013-05-06T07:08:09.000Z',
  charset: 'latin1',
  isUtf8: false,
  isRobotsPath: true,
  truncated: 'length',
  bytes: 0,
  digest: '',
  offset: 0,
  length: 1,
  crc32: 0,
  start: 0,
  pieces: [0, 1],
};
const NEEDED_OF_DOCUMENT = ['bytes', 'digest', 'offset', 'length', 'crc32', 'start'];

const NODE: Values = {
  depth: 0,
  kind: 'pages-xml',
  url: '',
  declaredUrl: '',
  lastModified: '2013-05-06',
  document: 0,
  hops: [0, 1],
  problems: [
    {
      code: 'a',
      message: 'b',
      offset: 0,
      line: 1,
      column: 1,
      option: 'c',
      failure: 'd',
      status: 404,
      documents: 2,
      kept: false,
    },
  ],
  problemCount: 0,
  truncated: false,
  bytes: 0,
  crc32: 0,
  status: 200,
  freshness: 'stale',
  durationMs: 0.5,
  checkedAt: '2013-05-06T07:08:09.000Z',
  validators: { etag: '', lastModified: '' },
  unread: { runs: 0, notFound: 0, declaredIn: 0, undeclared: { since: 0, parents: [''] } },
  filteredUrls: ['a', 'b'],
  code: '',
  reason: '',
  option: '',
  isHtml: false,
  error: { name: '', message: '', code: '' },
  complete: false,
  stopped: { limit: '', message: '' },
  outcome: 'none',
  triedPaths: [{ url: '', code: '', status: 0, isHtml: false }],
  redirectedTo: ['a'],
};

/** Values that are none of a kind. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  text: [0, null, false, []],
  date: ['soon', '', 0, null],
  count: [-1, 0.5, 2 ** 53, '0', null],
  number: ['0', Number.POSITIVE_INFINITY, null, true],
  boolean: [0, 'true', null],
};
const KINDS: Readonly<Record<string, readonly string[]>> = {
  text: ['url', 'charset', 'digest', 'declaredUrl', 'code', 'reason', 'option'],
  date: ['requestedAt', 'lastModified', 'checkedAt'],
  count: ['bytes', 'offset', 'length', 'crc32', 'start', 'depth', 'document', 'problemCount'],
  number: ['status', 'durationMs'],
  boolean: ['isUtf8', 'isRobotsPath', 'truncated', 'isHtml', 'complete'],
};
const wrongOf = (name: string): readonly unknown[] =>
  Object.entries(KINDS).flatMap(([kind, names]) => (names.includes(name) ? (WRONG[kind] ?? []) : []));

describe('a document', () => {
  test.each(Object.keys(DOCUMENT))('%s may be absent or not, and is what it should be', (name) => {
    expect(isArchivedDocument(DOCUMENT)).toBe(true);
    const { [name]: _, ...rest } = DOCUMENT;
    expect(isArchivedDocument(rest)).toBe(!NEEDED_OF_DOCUMENT.includes(name));
    const wrong =
      name === 'truncated'
        ? ['', 'time', 1, null]
        : name === 'pieces'
          ? [[-1], ['1'], 1, [1, 0.5], null]
          : wrongOf(name);
    expect(wrong.length).toBeGreaterThan(2);
    expect(wrong.filter((value) => isArchivedDocument({ ...DOCUMENT, [name]: value }))).toEqual([]);
  });

  test('is an object', () => {
    for (const value of [null, undefined, [], 'x', 1]) expect(isArchivedDocument(value)).toBe(false);
    for (const truncated of ['length', 'disconnect', 'unspecified'])
      expect(isArchivedDocument({ ...DOCUMENT, truncated })).toBe(true);
  });
});

/** Wrong values of what has members of its own. */
const WRONG_MEMBERS: Values = {
  kind: ['', 'index-yaml', 1, null, undefined],
  hops: [[-1], [0, '1'], 0, {}],
  problems: [
    [1],
    {},
    ...Object.entries({
      code: 1,
      message: undefined,
      offset: '0',
      line: '1',
      column: '1',
      option: 1,
      failure: 1,
      status: '1',
      documents: '1',
      kept: 1,
    }).map(([name, value]) => [
      { code: 'a', message: 'b' },
      { code: 'a', message: 'b', [name]: value },
    ]),
  ],
  freshness: ['old', '', 1, null],
  validators: [{ etag: 1 }, { lastModified: 1 }, [], '', null],
  unread: [
    {},
    { runs: -1 },
    { runs: 1, notFound: -1 },
    { runs: 1, declaredIn: '1' },
    { runs: 1, undeclared: {} },
    { runs: 1, undeclared: { since: -1, parents: [] } },
    { runs: 1, undeclared: { since: 1, parents: [1] } },
    { runs: 1, undeclared: { since: 1 } },
    null,
  ],
  filteredUrls: [['a', 1], 'a', {}],
  error: [{ name: 'a' }, { message: 'a' }, { name: 'a', message: 'b', code: 1 }, 'a'],
  stopped: [{ limit: 'a' }, { message: 'a' }, 'a', []],
  outcome: ['', 'other', 1],
  triedPaths: [
    [{}],
    [{ url: 'a' }, { url: 'a', code: 1 }],
    [{ url: 'a', status: '1' }],
    [{ url: 'a', isHtml: 1 }],
    {},
  ],
  redirectedTo: [[1], ['a', 1], 'a'],
};

describe('a node', () => {
  test.each(Object.keys(NODE))('%s may be absent or not, and is what it should be', (name) => {
    expect(isArchivedNode(NODE)).toBe(true);
    const { [name]: _, ...rest } = NODE;
    expect(isArchivedNode(rest)).toBe(!['depth', 'kind', 'url'].includes(name));
    const wrong = (WRONG_MEMBERS[name] as readonly unknown[] | undefined) ?? wrongOf(name);
    expect(wrong.length).toBeGreaterThan(1);
    expect(wrong.filter((value) => isArchivedNode({ ...NODE, [name]: value }))).toEqual([]);
  });

  test('is of one of the kinds; a site says whether it is complete, and an invalid one why it is', () => {
    const base = { depth: 0, url: '' };
    const kinds = ['robots-txt', 'index-xml', 'pages-xml', 'pages-text', 'pages-rss', 'pages-atom'];
    expect(kinds.filter((kind) => isArchivedNode({ ...base, kind }))).toEqual(kinds);
    const rows: readonly (readonly [Partial<ArchivedNode>, boolean])[] = [
      [{ kind: 'website' }, false],
      [{ kind: 'website', complete: false }, true],
      [{ kind: 'invalid' }, false],
      [{ kind: 'invalid', code: 'a' }, false],
      [{ kind: 'invalid', reason: 'a' }, false],
      [{ kind: 'invalid', code: '', reason: '' }, true],
    ];
    for (const [fields, expected] of rows)
      expect([fields, isArchivedNode({ ...base, ...fields })]).toEqual([fields, expected]);
    for (const freshness of ['new', 'changed', 'unchanged', 'stale'])
      expect(isArchivedNode({ ...NODE, freshness })).toBe(true);
    for (const outcome of ['complete', 'partial', 'none', 'failed'])
      expect(isArchivedNode({ ...NODE, outcome })).toBe(true);
  });
});

describe('the header', () => {
  const header = { format: 'ultimate-sitemap-parser tree', version: 1 };
  const pages = { include: ['a'], exclude: [], hosts: 'same', agent: 'a', onlyAllowed: true };
  const origin = { call: 'homepage', url: 'a', options: {}, notKept: ['b'], pages };
  const codeOf = (value: unknown): string => {
    try {
      readHeader(value);
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
    return 'fine';
  };

  test('has an origin and a run, or neither', () => {
    expect(readHeader({ ...header, origin, run: 3 })).toEqual({ origin, run: 3 });
    expect(readHeader({ ...header, run: 0 })).toEqual({ origin: undefined, run: 0 });
    for (const run of [undefined, -1, '3', 0.5]) expect(readHeader({ ...header, run }).run).toBeUndefined();
  });

  test.each<readonly [string, unknown]>([
    ['archive-damaged', { ...header, format: 'x' }],
    ['archive-damaged', []],
    ['archive-damaged', null],
    ['archive-version', { ...header, version: 2 }],
    ['archive-version', { ...header, version: '1' }],
    ['archive-version', { format: header.format }],
    ...Object.entries({ call: 'other', url: 1, options: [], notKept: [1], pages: [] }).map(
      ([name, value]) => ['archive-damaged', { ...header, origin: { ...origin, [name]: value } }] as const,
    ),
    ...Object.entries({ include: [1], exclude: undefined, hosts: 'x', agent: 1, onlyAllowed: 1 }).map(
      ([name, value]) =>
        [
          'archive-damaged',
          { ...header, origin: { ...origin, pages: { ...pages, [name]: value } } },
        ] as const,
    ),
    ['fine', { ...header, origin: { ...origin, call: 'sitemap', pages: undefined } }],
    ['fine', { ...header, origin: { ...origin, pages: { include: [], exclude: [] } } }],
  ])('%s: %j', (code, value) => {
    expect(codeOf(value)).toBe(code);
  });
});

describe('the last record', () => {
  const end = { offset: 12_345, length: 678, digest: `sha1:${'A'.repeat(32)}` };

  test.each([true, false])('says where the nodes are, behind anything else; gzip: %s', (isGzip) => {
    const record = endRecord(end, 0, { isGzip });
    for (const before of [0, 1, 500]) {
      const file = Buffer.concat([Buffer.alloc(before, 'x'), record]);
      const tail = file.subarray(Math.max(0, file.length - MOST_END_BYTES));
      expect(readEndRecord(tail)).toEqual({ end, isGzip, bytes: record.length });
    }
    expect(record.length <= MOST_END_BYTES).toBe(true);
    expect(readEndRecord(record.subarray(1))).toBeUndefined();
    expect(readEndRecord(Buffer.concat([record, Buffer.from('x')]))).toBeUndefined();
  });

  test('is none where anything in it was changed', () => {
    const record = Buffer.from(endRecord(end, 0, { isGzip: false }));
    const text = record.toString('latin1');
    for (const [what, other] of [
      ['WARC/1.1', 'WARC/1.0'],
      ['parser:end', 'parser:eng'],
      ['12345', '12346'],
      ['"offset"', '"offsey"'],
      ['WARC-Block-Digest: sha1:', 'WARC-Block-Digest: sha2:'],
    ] as const) {
      expect(text).toContain(what);
      expect(readEndRecord(Buffer.from(text.replace(what, other), 'latin1'))).toBeUndefined();
    }
    for (const wrong of [
      { ...end, offset: -1 },
      { ...end, length: 0.5 },
      { ...end, digest: 1 as never },
    ]) {
      expect(readEndRecord(endRecord(wrong, 0, { isGzip: false }))).toBeUndefined();
    }
  });

  test('an archive with too many sitemaps names the option', () => {
    expect(archiveTooLarge('it has more')).toMatchObject({
      code: 'archive-limit',
      option: 'maxSitemaps',
      message: 'it has more (maxSitemaps)',
    });
  });
});
