/**
 * §12: every rule that needs a response, over a real server: a site that breaks it and one that does not, through
 * `checkSite` and through `usp check`. Severity, message, document, line and column are those that are stated here.
 */
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CheckSiteOptions, checkSite, type Finding, type RuleName } from '../../src/index.ts';
import {
  type ScriptedResponse,
  type ScriptedServer,
  type Site,
  startServer,
} from '../server/scripted-server.ts';
import { usp } from '../support/cli-world.ts';
import { testIf } from '../support/collected.ts';
import { isFull } from '../support/tier.ts';
import { NEEDS_A_SERVER } from './server-rules.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const XML = { 'content-type': 'application/xml' };
const GZIP = { 'content-type': 'application/gzip' };
const HTML = { 'content-type': 'text/html' };

type Response = Site[string];

/** What a rule must say: severity, document, place and message, with the origin of the site as `{own}`. */
type Said = readonly [severity: string, document: string, place: string | undefined, message: string];

interface Row {
  readonly rule: RuleName;
  /** What is special about it, where a rule has several. */
  readonly title?: string;
  readonly bad: (own: string) => Site;
  readonly says: readonly Said[];
  /** @default the same site with a sitemap at each path that the bad one has */
  readonly good: (own: string) => Site;
  readonly retries?: number;
  readonly pages?: 'all' | 1;
  readonly known?: boolean;
  readonly maxSitemapBytes?: number;
}

const urlset = (own: string, ...paths: readonly string[]): string =>
  `<urlset ${NS}>\n${paths.map((path) => `<url><loc>${own}${path}</loc></url>\n`).join('')}</urlset>\n`;
const index = (own: string, ...paths: readonly string[]): string =>
  `<sitemapindex ${NS}>\n${paths.map((path) => `<sitemap><loc>${own}${path}</loc></sitemap>\n`).join('')}</sitemapindex>\n`;
const robots = (own: string, ...paths: readonly string[]): string =>
  `User-agent: *\nDisallow:\n${paths.map((path) => `Sitemap: ${own}${path}\n`).join('')}`;
const map = (own: string, ...paths: readonly string[]): Response => ({
  body: urlset(own, ...paths),
  headers: XML,
});

/** A site whose only sitemap is this response. */
const oneMap =
  (response: (own: string) => Response) =>
  (own: string): Site => ({ '/robots.txt': robots(own, '/a.xml'), '/a.xml': response(own) });
const healthy = oneMap((own) => map(own, '/1', '/2'));

/** A site with one page, and another one besides. */
const onePage =
  (response: Response) =>
  (own: string): Site => ({ ...healthyPage(own), '/page': response });
const healthyPage = (own: string): Site => ({
  '/robots.txt': robots(own, '/a.xml'),
  '/a.xml': map(own, '/fine', '/page'),
  '/fine': html('<title>Fine</title>'),
  '/page': html('<title>Fine</title>'),
  '/other': html('<title>Other</title>'),
});
function html(head: string): Response {
  return { body: `<!doctype html><html><head>${head}</head><body>Hello</body></html>`, headers: HTML };
}

/** The first response for the first request, and so on; the last one repeats. */
function inTurn(...responses: readonly ScriptedResponse[]): Response {
  let turn = 0;
  return () => responses[Math.min(turn++, responses.length - 1)]!;
}

/** Deflated data that is valid up to the end of a text, and not behind it. */
function corruptDeflate(text: string): Buffer {
  const parts = Array.from({ length: Math.ceil(text.length / 60_000) }, (_, at) =>
    text.slice(at * 60_000, (at + 1) * 60_000),
  );
  const blocks = parts.map((part) => {
    const length = Buffer.byteLength(part);
    const header = [0, length & 0xff, length >> 8, ~length & 0xff, (~length >> 8) & 0xff];
    return Buffer.concat([Buffer.from(header), Buffer.from(part)]);
  });
  // There is no third type of block.
  return Buffer.concat([...blocks, Buffer.from([0b111])]);
}
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);

/** With one byte changed, counted from the end. */
function changed(bytes: Buffer, fromEnd: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length - fromEnd]! ^= 0xff;
  return copy;
}

const MAP = '{own}/a.xml';
const ROBOTS = '{own}/robots.txt';
const PAGE = { rule: 'page-missing', good: healthyPage, pages: 'all' } as const;
const RESPONSE = { good: healthy } as const;

const ROWS: readonly Row[] = [
  {
    ...RESPONSE,
    rule: 'sitemap-unreadable',
    bad: (own) => ({
      '/robots.txt': robots(own, '/gone.xml', '/json.xml', '/down.xml'),
      '/json.xml': '{"a": 1}',
      '/down.xml': { status: 503 },
    }),
    says: [
      ['error', ROBOTS, '3:10', '{own}/gone.xml: the server responded with 404 Not Found.'],
      ['error', ROBOTS, '4:10', '{own}/json.xml is not a sitemap or feed: it is JSON.'],
      ['error', ROBOTS, '5:10', '{own}/down.xml: the server responded with 503 Service Unavailable.'],
    ],
  },
  {
    ...RESPONSE,
    rule: 'sitemap-recursion',
    bad: (own) => ({ '/robots.txt': robots(own, '/i.xml'), '/i.xml': index(own, '/a.xml', '/i.xml') }),
    says: [
      [
        'error',
        '{own}/i.xml',
        '3:15',
        'The index leads back to itself, or to an index above it: {own}/i.xml',
      ],
    ],
  },
  {
    ...RESPONSE,
    rule: 'sitemap-is-html',
    bad: oneMap(() => html('<title>Home</title>')),
    says: [['error', ROBOTS, '3:10', '{own}/a.xml is not a sitemap or feed: it is an HTML page.']],
  },
  {
    ...RESPONSE,
    rule: 'sitemap-redirected',
    bad: (own) => ({
      '/robots.txt': robots(own, '/old.xml'),
      '/old.xml': { status: 301, redirect: '/new.xml' },
      '/new.xml': map(own, '/1'),
    }),
    says: [['warning', ROBOTS, '3:10', 'The sitemap redirects to {own}/new.xml: {own}/old.xml']],
  },
  {
    ...RESPONSE,
    rule: 'sitemap-not-declared',
    known: true,
    bad: (own) => ({ '/robots.txt': 'User-agent: *\n', '/sitemap.xml': map(own, '/1') }),
    says: [
      [
        'info',
        '{own}/sitemap.xml',
        undefined,
        'Neither robots.txt nor an index declares the sitemap {own}/sitemap.xml',
      ],
    ],
    good: (own) => ({ '/robots.txt': robots(own, '/sitemap.xml'), '/sitemap.xml': map(own, '/1') }),
  },
  {
    ...RESPONSE,
    rule: 'no-robots-txt',
    known: true,
    bad: (own) => ({ '/sitemap.xml': map(own, '/1') }),
    says: [['info', ROBOTS, undefined, 'There is no robots.txt at {own}/robots.txt (status 404).']],
  },
  {
    ...RESPONSE,
    rule: 'no-robots-txt',
    known: true,
    bad: (own) => ({ '/robots.txt': '<html><body>Not here</body></html>', '/sitemap.xml': map(own, '/1') }),
    says: [
      [
        'info',
        ROBOTS,
        undefined,
        'There is no robots.txt at {own}/robots.txt (the address has an HTML page).',
      ],
    ],
  },
  {
    ...RESPONSE,
    rule: 'sitemap-not-declared',
    known: true,
    bad: (own) => ({
      '/robots.txt': 'User-agent: *\n',
      '/sitemap-index.xml': index(own, '/sitemap-0.xml'),
      '/sitemap-0.xml': map(own, '/1'),
    }),
    says: [
      [
        'info',
        '{own}/sitemap-index.xml',
        undefined,
        'Neither robots.txt nor an index declares the sitemap {own}/sitemap-index.xml',
      ],
    ],
  },
  {
    ...RESPONSE,
    rule: 'no-sitemap',
    known: true,
    bad: () => ({ '/robots.txt': 'User-agent: *\nDisallow:\n' }),
    says: [
      [
        'error',
        '{own}/',
        undefined,
        'The site has no sitemap: robots.txt declares none, and there is none at 21 known paths.',
      ],
    ],
  },
  {
    ...RESPONSE,
    rule: 'site-refused',
    known: true,
    bad: () => ({ '*': { status: 403 } }),
    says: [
      [
        'error',
        '{own}/',
        undefined,
        'The site refuses every request (status 403): 22 addresses, the first is {own}/robots.txt',
      ],
    ],
  },
  {
    ...RESPONSE,
    rule: 'site-unreachable',
    bad: () => ({ '*': { hangUp: true } }),
    says: [
      [
        'error',
        '{own}/',
        undefined,
        'No request to the site has a response. robots.txt could not be read, so the list of sitemaps may be incomplete. ' +
          '{own}/robots.txt: the connection broke.',
      ],
    ],
  },
  {
    ...RESPONSE,
    rule: 'robots-txt-refused',
    known: true,
    bad: (own) => ({ '/robots.txt': { status: 403 }, '/sitemap.xml': map(own, '/1') }),
    says: [['warning', ROBOTS, undefined, 'The server refuses {own}/robots.txt (status 403).']],
  },
  {
    ...RESPONSE,
    rule: 'robots-txt-failed',
    known: true,
    bad: (own) => ({ '/robots.txt': { status: 503 }, '/sitemap.xml': map(own, '/1') }),
    says: [
      [
        'error',
        ROBOTS,
        undefined,
        'robots.txt could not be read, so the list of sitemaps may be incomplete. {own}/robots.txt: the server ' +
          'responded with 503 Service Unavailable. Google treats the whole site as disallowed then.',
      ],
    ],
  },
  {
    ...RESPONSE,
    rule: 'content-type',
    bad: oneMap((own) => ({ body: urlset(own, '/1'), headers: HTML })),
    says: [
      ['info', MAP, undefined, 'The Content-Type is text/html, which is neither XML, plain text nor gzip.'],
    ],
  },
  {
    ...RESPONSE,
    rule: 'changed-on-retry',
    retries: 1,
    bad: (own) => ({
      '/robots.txt': robots(own, '/first.xml', '/a.xml'),
      '/first.xml': map(own, '/1'),
      '/a.xml': inTurn(
        { body: urlset(own, '/2', '/3', '/4'), truncateAfter: 150, headers: XML },
        { redirect: '/first.xml' },
      ),
    }),
    says: [
      [
        'warning',
        MAP,
        undefined,
        'The connection broke, and a further attempt gave another document; truncated where the first one broke.',
      ],
    ],
    good: oneMap((own) =>
      inTurn(
        { body: urlset(own, '/2', '/3', '/4'), truncateAfter: 150, headers: XML },
        { body: urlset(own, '/2', '/3', '/4'), headers: XML },
      ),
    ),
  },
  {
    ...RESPONSE,
    rule: 'connection-broke',
    retries: 1,
    bad: oneMap((own) => ({ body: urlset(own, '/1', '/2'), truncateAfter: 150, headers: XML })),
    says: [
      [
        'error',
        MAP,
        undefined,
        'The rest of the document could not be read (the connection broke), after 2 attempts.',
      ],
    ],
  },
  {
    ...RESPONSE,
    rule: 'encoding-damaged',
    title: 'cut',
    bad: oneMap((own) => ({
      body: deflateSync(urlset(own, '/1', '/2')).subarray(0, -30),
      headers: { ...XML, 'content-encoding': 'deflate' },
    })),
    says: [['error', MAP, undefined, 'The deflate content encoding ends too early.']],
    good: oneMap((own) => ({
      body: deflateSync(urlset(own, '/1', '/2')),
      headers: { ...XML, 'content-encoding': 'deflate' },
    })),
  },
  {
    ...RESPONSE,
    rule: 'encoding-damaged',
    title: 'corrupt',
    bad: oneMap((own) => ({
      body: corruptDeflate(urlset(own, '/1', `/${'x'.repeat(200_000)}`).slice(0, 200_000)),
      headers: { ...XML, 'content-encoding': 'deflate' },
    })),
    says: [['error', MAP, undefined, 'The deflate content encoding is corrupt after 200000 bytes.']],
  },
  {
    ...RESPONSE,
    rule: 'bad-checksum',
    title: 'checksum',
    bad: oneMap((own) => ({ body: changed(gzipSync(urlset(own, '/1')), 6), headers: GZIP })),
    says: [
      ['error', MAP, undefined, 'The checksum of the gzip data is not that of its content, which is kept.'],
    ],
    good: oneMap((own) => ({ body: gzipSync(urlset(own, '/1')), headers: GZIP })),
  },
  {
    ...RESPONSE,
    rule: 'bad-checksum',
    title: 'checksum of deflate',
    bad: oneMap((own) => ({
      body: changed(deflateSync(urlset(own, '/1')), 1),
      headers: { ...XML, 'content-encoding': 'deflate' },
    })),
    says: [
      [
        'error',
        MAP,
        undefined,
        'The checksum of the deflate data is not that of its content, which is kept.',
      ],
    ],
  },
  {
    ...RESPONSE,
    rule: 'bad-checksum',
    title: 'length',
    bad: oneMap((own) => ({ body: changed(gzipSync(urlset(own, '/1')), 1), headers: GZIP })),
    says: [
      [
        'error',
        MAP,
        undefined,
        'The length at the end of the gzip data is not that of its content, which is kept.',
      ],
    ],
  },
  {
    ...RESPONSE,
    rule: 'gzip-corrupt',
    bad: oneMap((own) => ({
      body: Buffer.concat([GZIP_HEADER, corruptDeflate(urlset(own, '/1').slice(0, 100))]),
      headers: GZIP,
    })),
    says: [['error', MAP, undefined, 'The gzip data is corrupt after 100 inflated bytes; the rest is lost.']],
    good: oneMap((own) => ({ body: gzipSync(urlset(own, '/1'), { level: 0 }), headers: GZIP })),
  },
  {
    ...RESPONSE,
    rule: 'gzip-trailing-bytes',
    bad: oneMap((own) => ({
      body: Buffer.concat([gzipSync(urlset(own, '/1')), Buffer.from('<!-- cached -->')]),
      headers: GZIP,
    })),
    says: [['warning', MAP, undefined, 'Bytes that are not gzip follow the gzip data; they are ignored.']],
    // Two members are one file.
    good: oneMap((own) => ({
      body: Buffer.concat([gzipSync(urlset(own, '/1')), gzipSync('<!-- cached -->')]),
      headers: GZIP,
    })),
  },
  {
    ...RESPONSE,
    rule: 'gzip-truncated',
    bad: oneMap((own) => ({
      body: gzipSync(urlset(own, '/1'), { level: 0 }).subarray(0, 91),
      headers: GZIP,
    })),
    says: [['error', MAP, undefined, 'The gzip data ends too early, after 76 inflated bytes.']],
  },
  {
    ...RESPONSE,
    rule: 'partial-content',
    bad: oneMap((own) => ({
      status: 206,
      body: urlset(own, '/1', '/2').slice(0, 130),
      headers: { ...XML, 'content-range': 'bytes 0-129/400' },
    })),
    says: [
      [
        'error',
        MAP,
        undefined,
        'The server sent only a part of the document, although all of it was requested (bytes 0 to 129 of 400).',
      ],
    ],
  },
  {
    ...RESPONSE,
    rule: 'too-large',
    maxSitemapBytes: 150,
    bad: healthy,
    says: [
      [
        'info',
        MAP,
        undefined,
        'The document is larger than 150 bytes (maxSitemapBytes); it is truncated there.',
      ],
    ],
    good: oneMap((own) => map(own, '/1')),
  },
  {
    ...RESPONSE,
    rule: 'unknown-content-encoding',
    bad: oneMap((own) => ({ body: urlset(own, '/1'), headers: { ...XML, 'content-encoding': 'rot13' } })),
    says: [['warning', MAP, undefined, 'The content encoding "rot13" is unknown; read as it is.']],
    good: oneMap((own) => ({ body: urlset(own, '/1'), headers: { ...XML, 'content-encoding': 'identity' } })),
  },
  {
    ...RESPONSE,
    rule: 'wrong-content-encoding',
    bad: oneMap((own) => ({ body: urlset(own, '/1'), headers: { ...XML, 'content-encoding': 'gzip' } })),
    says: [['warning', MAP, undefined, 'The content encoding gzip was declared, but the body is not gzip.']],
    good: oneMap((own) => ({
      body: gzipSync(urlset(own, '/1')),
      headers: { ...XML, 'content-encoding': 'gzip' },
    })),
  },
  {
    ...PAGE,
    bad: onePage({ status: 404 }),
    says: [['error', MAP, '3:11', 'The page does not exist (404): {own}/page']],
  },
  {
    ...PAGE,
    title: 'in a sample',
    pages: 1,
    bad: (own) => ({ '/robots.txt': robots(own, '/a.xml'), '/a.xml': map(own, '/page') }),
    says: [['error', MAP, '2:11', 'The page does not exist (404): {own}/page']],
  },
  {
    ...PAGE,
    rule: 'page-error',
    bad: onePage({ status: 500 }),
    says: [['error', MAP, '3:11', 'The server responds with the error 500: {own}/page']],
  },
  {
    ...PAGE,
    rule: 'page-redirected',
    bad: onePage({ status: 301, redirect: '/other' }),
    says: [['warning', MAP, '3:11', 'The page redirects to {own}/other: {own}/page']],
  },
  {
    ...PAGE,
    rule: 'page-refused',
    bad: onePage({ status: 403 }),
    says: [['warning', MAP, '3:11', 'The server refuses the page (403): {own}/page']],
  },
  {
    ...PAGE,
    rule: 'page-unreachable',
    bad: onePage({ hangUp: true }),
    says: [['warning', MAP, '3:11', 'The page cannot be read. {own}/page: the connection broke.']],
  },
  {
    ...PAGE,
    rule: 'page-noindex',
    title: 'in a meta tag',
    bad: onePage(html('<meta name="robots" content="noindex, follow">')),
    says: [['error', MAP, '3:11', 'A robots meta tag of the page says noindex: {own}/page']],
  },
  {
    ...PAGE,
    rule: 'page-noindex',
    title: 'in a header',
    bad: onePage({
      body: '%PDF-',
      headers: { 'content-type': 'application/pdf', 'x-robots-tag': 'noindex' },
    }),
    says: [['error', MAP, '3:11', 'The header X-Robots-Tag of the page says noindex: {own}/page']],
  },
  {
    ...PAGE,
    rule: 'page-canonical',
    bad: onePage(html('<link rel="canonical" href="/other">')),
    says: [['warning', MAP, '3:11', 'The page names {own}/other as its canonical page: {own}/page']],
    good: onePage(html('<link rel="canonical" href="/page">')),
  },
];

let server: ScriptedServer;
beforeAll(async () => {
  server = await startServer({});
});
afterAll(() => server.close());

function serve(site: (own: string) => Site): void {
  for (const path of Object.keys(server.site)) delete server.site[path];
  Object.assign(server.site, site(server.origin));
}

async function bySite({
  retries = 0,
  pages,
  known = false as boolean,
  maxSitemapBytes,
}: Row): Promise<Finding[]> {
  const options: CheckSiteOptions = {
    ...{
      retries,
      requestPages: pages,
      maxSitemapBytes,
      useKnownPaths: known === true,
      proxy: false,
      waitMs: 0,
    },
  };
  const found: Finding[] = [];
  for await (const finding of checkSite(server.origin, options)) found.push(finding);
  return found;
}

async function byCommand({ retries = 0, pages, known }: Row): Promise<Finding[]> {
  const flags = [
    ...(pages === undefined ? [] : ['--request-pages', String(pages)]),
    ...(known === true ? [] : ['--no-known']),
  ];
  const argv = ['check', server.origin, '-f', 'ndjson', '--retries', String(retries), '--proxy', 'none'];
  const { lines } = await usp([...argv, ...flags]);
  return lines.map((line) => JSON.parse(line));
}

function said(rule: RuleName, findings: readonly Finding[]): Said[] {
  return findings
    .filter((finding) => finding.rule === rule)
    .map(({ severity, document, line, column, message }) => [
      severity,
      document.replace(server.origin, '{own}'),
      line === undefined ? undefined : `${line}:${column}`,
      message.replaceAll(server.origin, '{own}'),
    ]);
}

describe.each(
  ROWS.map((row, at) => [row.title === undefined ? row.rule : `${row.rule}: ${row.title}`, row, at] as const),
)('%s', (_title, row, at) => {
  const { rule, bad, good, says, maxSitemapBytes } = row;

  test('is reported by checkSite, and not where all is well', async () => {
    serve(bad);
    const found = await bySite(row);
    expect(said(rule, found)).toEqual(says);
    // What is cut off is said once.
    expect(said('truncated', found)).toEqual([]);
    serve(good);
    expect(said(rule, await bySite(row))).toEqual([]);
  });

  // There is no such option. The command calls checkSite: the fast tier asks it about every third row.
  testIf(maxSitemapBytes === undefined && (isFull || at % 3 === 0))(
    'is reported by usp check, and not where all is well',
    async () => {
      serve(bad);
      expect(said(rule, await byCommand(row))).toEqual(says);
      serve(good);
      expect(said(rule, await byCommand(row))).toEqual([]);
    },
  );
});

test('every rule that needs a response is here', () => {
  const shown = new Set(ROWS.map(({ rule }) => rule));
  expect(NEEDS_A_SERVER.filter((rule) => !shown.has(rule))).toEqual([]);
});
