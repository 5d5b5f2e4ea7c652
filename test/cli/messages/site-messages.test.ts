/** §10: the exit code of a site, and what is said about it. */
import { Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { ExitCode } from '../../../src/cli/endings.ts';
import { Reporter } from '../../../src/cli/io.ts';
import {
  describeNoSitemap,
  exitCodeOf,
  listProblems,
  problemsBeside,
  reportSite,
  resultOfStream,
  resultOfTree,
  type SiteResult,
} from '../../../src/cli/messages/site-messages.ts';
import { PageFilter, SitemapFilter } from '../../../src/cli/page-filter.ts';
import type { Verbosity } from '../../../src/cli/program/flags.ts';
import { parseSitemap, type SitemapPage } from '../../../src/index.ts';
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesXMLSitemap,
  type Sitemap,
} from '../../../src/sitemap/sitemap.ts';
import { Spool } from '../../../src/sitemap/spool/spool.ts';
import { urlset } from '../../support/documents.ts';
import { SITE, sampleTree, source } from '../../support/trees.ts';

const H = 'https://a.example/';

function said(say: (reporter: Reporter) => void, verbosity?: Verbosity): string[] {
  const written: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const io = {
    ...{ stdout: stream, stderr: stream, stdin: Readable.from([]), env: {}, version: '1.2.3' },
    isTerminal: { stdout: false, stderr: false, stdin: false },
    signal: new AbortController().signal,
  };
  say(new Reporter(io, verbosity));
  return written.join('').split('\n').slice(0, -1);
}

function result(more: object = {}): SiteResult {
  const nothing = {
    readable: 0,
    invalid: [],
    incomplete: [],
    problems: [],
    complete: true,
    stopped: undefined,
  };
  return { ...nothing, ...more } as SiteResult;
}

const invalid = (url: string, code: string, more: object = {}) => ({
  url,
  code,
  reason: `${url}: why.`,
  ...more,
});
const failed = (failure: string, more: object = {}) => ({
  ...{ code: 'robots-txt-failed', failure, message: `The message of ${failure}.` },
  ...more,
});
const stopped = { limit: 'maxSitemaps', message: 'The tree is full (maxSitemaps).' };

describe('the exit code', () => {
  test.each<[string, object, object, number, ExitCode]>([
    ['a sitemap was read', { readable: 1 }, {}, 0, 0],
    ['something is missing', { readable: 1, complete: false }, {}, 0, 0],
    ['something is missing, with --strict', { readable: 1, complete: false }, { strict: true }, 0, 4],
    ['nothing is missing, with --strict', { readable: 1 }, { strict: true }, 0, 0],
    ['nothing was found', {}, {}, 21, 1],
    ['nothing was found, with --strict', { complete: false }, { strict: true }, 21, 1],
    ['a limit stopped it', { stopped }, {}, 21, 3],
    [
      'a limit stopped it when it had some',
      { readable: 3, complete: false, stopped },
      { strict: true },
      0,
      3,
    ],
    ['the host is down', { problems: [failed('refused')] }, {}, 0, 6],
    [
      'robots.txt and all 2 known paths failed',
      { problems: [failed('refused'), failed('host-down', { code: 'known-path-failed', documents: 2 })] },
      {},
      2,
      6,
    ],
    [
      'one of 3 known paths responded',
      { problems: [failed('refused'), failed('host-down', { code: 'known-path-failed', documents: 2 })] },
      {},
      3,
      1,
    ],
    ['what is declared is refused', { invalid: [invalid('x', 'http-status', { status: 403 })] }, {}, 0, 6],
    ['what is declared is not there', { invalid: [invalid('x', 'http-status', { status: 404 })] }, {}, 0, 1],
  ])('where %s', (_what, more, flags, knownPaths, code) => {
    expect(exitCodeOf(result(more), flags, knownPaths)).toBe(code);
  });
});

test('the result of a stream: what ended it early is not incomplete, and a page comes from a sitemap', () => {
  const stream = {
    ...{ invalidSitemaps: [], incompleteSitemaps: [], problems: [], complete: false, stopped: undefined },
  } as never;
  const [page] = [...parseSitemap(urlset(H))].flatMap((item) => (item.type === 'page' ? item.page : []));
  const full = new PageFilter({ maxPages: 1 }, undefined);
  expect(resultOfStream(stream, 0, full)).toMatchObject({ readable: 0, complete: false });
  full.keep([page as SitemapPage], (each) => each);
  expect(resultOfStream(stream, 0, full)).toMatchObject({ readable: 1, complete: true });
  expect(resultOfStream(stream, 5, full)).toMatchObject({ readable: 5 });
  const lacking = { ...(stream as object), invalidSitemaps: [invalid('x', 'http-status')] } as never;
  expect(resultOfStream(lacking, 1, full)).toMatchObject({ complete: false });
});

describe('the result of a tree', () => {
  const invalidNode = (code: string): InvalidSitemap =>
    new InvalidSitemap({ url: `${SITE}${code}.xml`, code: code as never, reason: 'Why.' });
  /** A document without its end; the ampersand loses nothing. */
  const cut = (): PagesXMLSitemap => {
    const url = `${SITE}cut.xml`;
    const text = urlset(`${SITE}?a&b`).slice(0, -9);
    const pages = source(new Spool({ memoryBytes: 10_000 }), text, url);
    return new PagesXMLSitemap({ url, pages, truncated: true });
  };

  test('counts each document once, without the site and robots.txt, and what was not requested is no failure', () => {
    const robots = new IndexRobotsTxtSitemap({
      url: `${SITE}robots.txt`,
      subSitemaps: [sampleTree(), cut(), cut(), invalidNode('not-fetched'), invalidNode('limit')],
    });
    const tree = new IndexWebsiteSitemap({ url: SITE, subSitemaps: [robots], complete: true });
    const { readable, invalid, incomplete, complete } = resultOfTree(tree);
    // index, a, shared (twice), second, feed and cut.
    expect([readable, complete]).toEqual([6, true]);
    expect(invalid.map(({ code }) => code)).toEqual(['http-status', 'limit']);
    expect(incomplete).toEqual([
      { url: `${SITE}cut.xml`, problems: [expect.objectContaining({ code: 'truncated' })] },
    ]);
  });

  test('of a part of a site is complete if all of it was read, and has no problems of a site', () => {
    const index = (...subSitemaps: readonly Sitemap[]): SiteResult =>
      resultOfTree(new IndexXMLSitemap({ url: H, subSitemaps, problems: [failed('tls')] as never }));
    expect(index()).toMatchObject({ readable: 1, complete: true, problems: [], stopped: undefined });
    expect(index(invalidNode('not-fetched')).complete).toBe(true);
    expect(index(invalidNode('http-status')).complete).toBe(false);
  });
});

test('a full tree is a problem once', () => {
  const problems = [{ code: 'too-many-sitemaps' }, { code: 'stale' }] as never;
  expect(problemsBeside(undefined, problems)).toHaveLength(2);
  expect(problemsBeside({ limit: 'maxTimeMs', message: '' } as never, problems)).toHaveLength(2);
  expect(problemsBeside(stopped as never, problems)).toEqual([{ code: 'stale' }]);
});

describe('what is said of a site', () => {
  const lines = (more: object, site: object = {}, verbosity?: Verbosity): string[] =>
    said(
      (reporter) =>
        reportSite(reporter, {
          name: H,
          result: result(more),
          pages: new PageFilter({}, undefined),
          noneFound: 'nothing.',
          ...site,
        }),
      verbosity,
    );

  test.each<[string, object, readonly string[]]>([
    ['nothing, where all is well', { readable: 1 }, []],
    ['that there is nothing', {}, [`${H}: nothing.`]],
    [
      'the limit, by its flag, and not that there is nothing',
      { stopped },
      [`${H}: The tree is full (--max-sitemaps).`],
    ],
    [
      'the problems of the site',
      { readable: 1, problems: [failed('tls'), failed('timeout')] },
      ['The message of tls.', 'The message of timeout.'],
    ],
    [
      'that the host could not be connected to, and nothing else',
      { problems: [failed('refused'), failed('host-down')] },
      [`${H}: the host refused the connection. Check the address and the port.`],
    ],
    [
      'that the host name does not resolve',
      { problems: [failed('unresolved')] },
      [`${H}: the host name does not resolve. Check its spelling, and whether there is a network.`],
    ],
    [
      'that there is no route',
      { problems: [failed('unreachable')] },
      [`${H}: there is no route to the host. Check the address, and whether there is a network.`],
    ],
    [
      'each failure, where a sitemap could not be read either',
      { problems: [failed('refused')], invalid: [invalid('x', 'http-status')] },
      ['The message of refused.', `${H}: 1 sitemap could not be read:`, '  x: why.', `${H}: nothing.`],
    ],
    [
      'each failure, where they are different',
      { problems: [failed('refused'), failed('tls')] },
      ['The message of refused.', 'The message of tls.', `${H}: nothing.`],
    ],
    [
      'the failure, where another problem has none',
      { problems: [failed('refused'), { code: 'x', message: 'Other.' }] },
      ['The message of refused.', 'Other.', `${H}: nothing.`],
    ],
    [
      'each failure, where a sitemap was read all the same',
      { readable: 1, problems: [failed('refused')] },
      ['The message of refused.'],
    ],
    [
      'the problems of each incomplete sitemap',
      {
        readable: 2,
        incomplete: [
          { url: 'x', problems: [{ message: 'One.' }, { message: 'Deep (maxDepth).', option: 'maxDepth' }] },
          { url: 'y', problems: [{ message: 'Two.' }] },
        ],
      },
      [`${H}: 2 sitemaps are incomplete:`, '  x: One.', '  x: Deep (--max-depth).', '  y: Two.'],
    ],
    [
      'one incomplete sitemap',
      { readable: 1, incomplete: [{ url: 'x', problems: [{ message: 'One.' }] }] },
      [`${H}: 1 sitemap is incomplete:`, '  x: One.'],
    ],
    [
      'a sitemap that is declared twice once, and those that a limit left out by themselves',
      {
        readable: 1,
        invalid: [
          invalid('x', 'http-status'),
          invalid('y', 'limit', { reason: 'y (maxTimeMs).', option: 'maxTimeMs' }),
          invalid('x', 'http-status'),
          invalid('z', 'limit'),
        ],
      },
      [
        `${H}: 2 sitemaps were not fetched:`,
        '  y (--timeout).',
        '  z: why.',
        `${H}: 1 sitemap could not be read:`,
        '  x: why.',
      ],
    ],
    [
      'one that was not fetched',
      { readable: 1, invalid: [invalid('y', 'limit')] },
      [`${H}: 1 sitemap was not fetched:`, '  y: why.'],
    ],
    [
      'the reason alone of what was asked for by name',
      { invalid: [invalid(H, 'not-a-sitemap', { reason: 'Deep (maxDepth).', option: 'maxDepth' })] },
      ['Deep (--max-depth).'],
    ],
    [
      'more than the reason, where others could not be read',
      { invalid: [invalid(H, 'http-status'), invalid('x', 'http-status')] },
      [`${H}: 2 sitemaps could not be read:`, `  ${H}: why.`, '  x: why.', `${H}: nothing.`],
    ],
  ])('%s', (_what, more, expected) => {
    expect(lines(more)).toEqual(expected);
  });

  test.each([
    [{ timeout: 1 }, 'stopped after 1 second (--timeout); what was found by then is listed.'],
    [{ timeout: 0.5 }, 'stopped after 0.5 seconds (--timeout); what was found by then is listed.'],
    [{}, 'Late (--timeout).'],
  ])('that the time was over: %j', (site, words) => {
    const late = { limit: 'maxTimeMs', message: 'Late (maxTimeMs).' };
    expect(lines({ readable: 1, stopped: late }, site)).toEqual([`${H}: ${words}`]);
    expect(lines({ stopped }, { timeout: 5 })).toEqual([`${H}: The tree is full (--max-sitemaps).`]);
  });

  test('nothing, where that was said', () => {
    expect(lines({}, { noneFound: '' })).toEqual([]);
  });

  test('which filters have left nothing, or with -v how much they left out', () => {
    const pagesOf = (include: string): PageFilter => {
      const filter = new PageFilter({ include: [include] }, undefined);
      const pages = [...parseSitemap(urlset(`${H}1`, `${H}2`))];
      filter.keep(
        pages.flatMap((item) => (item.type === 'page' ? item.page : [])),
        (page) => page,
      );
      return filter;
    };
    expect(lines({ readable: 1 }, { pages: pagesOf('x/') })).toEqual([
      `${H}: no page is left: 2 pages not matched by --include.`,
    ]);
    expect(lines({ readable: 1 }, { pages: pagesOf('/1') })).toEqual([]);
    expect(lines({ readable: 1 }, { pages: pagesOf('/1') }, { verbose: 1 })).toEqual([
      `${H}: left out: 1 page not matched by --include.`,
    ]);
    // What users may miss is said without -v, where anything is left.
    const dated = (flags: object): PageFilter => {
      const filter = new PageFilter({ since: new Date('2014-01-01') as never, ...flags }, undefined);
      const pages = [...parseSitemap(urlset([`${H}1`, '2014-05-06'], `${H}2`, `${H}3`))];
      filter.keep(
        pages.flatMap((item) => (item.type === 'page' ? item.page : [])),
        (page) => page,
      );
      return filter;
    };
    const undated = `${H}: 2 pages without a date were left out; --undated keep lists them.`;
    expect(lines({ readable: 1 }, { pages: dated({}) })).toEqual([undated]);
    expect(lines({ readable: 1 }, { pages: dated({}) }, { verbose: 1 })).toEqual([
      undated,
      `${H}: left out: 2 pages without a date (--undated).`,
    ]);
    expect(lines({ readable: 1 }, { pages: dated({ exclude: ['/1'] }) }, { verbose: 1 })).toEqual([
      `${H}: no page is left: 1 page matched by --exclude and 2 pages without a date (--undated).`,
    ]);
    // Of a site that was stopped, filters are said, and not that there is nothing.
    expect(lines({ stopped }, { pages: dated({}) })).toEqual([
      `${H}: The tree is full (--max-sitemaps).`,
      undated,
    ]);
  });

  test('which sitemaps were not fetched: if no page is left, else with -v', () => {
    const filterOf = (flags: object): SitemapFilter => {
      const filter = new SitemapFilter(flags);
      filter.callback?.(`${H}s.xml`, 1, new Set(), { entry: { url: `${H}s.xml` } } as never);
      return filter;
    };
    const excluded = `1 sitemap matched by --sitemap-exclude (${H}s.xml).`;
    const sitemaps = filterOf({ sitemapExclude: ['s.xml'] });
    expect(lines({}, { sitemaps })).toEqual([`${H}: no sitemap is left: ${excluded}`]);
    expect(lines({}, { sitemaps: filterOf({ sitemapInclude: ['index'] }) })).toEqual([
      `${H}: no sitemap is left: 1 sitemap not matched by --sitemap-include (${H}s.xml).`,
      'hint: an index must match too, or its children are not seen: repeat --sitemap-include for it.',
    ]);
    expect(lines({ readable: 1 }, { sitemaps })).toEqual([`${H}: not fetched: ${excluded}`]);
    const pages = new PageFilter({}, undefined);
    pages.kept = 1;
    expect(lines({ readable: 1 }, { sitemaps, pages })).toEqual([]);
    expect(lines({ readable: 1 }, { sitemaps, pages }, { verbose: 1 })).toEqual([
      `${H}: not fetched: ${excluded}`,
    ]);
    expect(lines({}, { sitemaps: new SitemapFilter({ sitemapExclude: ['s'] }) })).toEqual([`${H}: nothing.`]);
  });
});

describe('where no sitemap was found', () => {
  const words = (flags: object, more: object = {}, code: ExitCode = 1, knownPaths = 21): string =>
    describeNoSitemap(H, flags, result(more), code, knownPaths);

  test.each<[object, string]>([
    [{}, 'no sitemap found: robots.txt declares none and none is at 21 known paths.'],
    [
      { known: false },
      'no sitemap found: robots.txt declares none; the known paths (--no-known) not requested.',
    ],
    [
      { robots: false },
      'no sitemap found: none is at 21 known paths; robots.txt (--no-robots) not requested.',
    ],
    [
      { robots: false, known: false },
      'no sitemap found: robots.txt (--no-robots) and the known paths (--no-known) not requested.',
    ],
    [{ knownPath: ['a', 'b'] }, 'no sitemap found: robots.txt declares none and none is at 23 known paths.'],
    [
      { known: false, knownPath: ['a'] },
      'no sitemap found: robots.txt declares none and none is at 1 known path; the known paths (--no-known) not requested.',
    ],
    [
      { fromWarc: ['a.warc'] },
      'no sitemap found: robots.txt declares none and the WARC files have none at 21 known paths.',
    ],
    [{ sitemap: true }, 'no readable sitemap.'],
  ])('with %j', (flags, message) => {
    expect(words(flags)).toBe(message);
  });

  test('a problem or a sitemap that could not be read is a reason', () => {
    expect(words({}, { problems: [failed('tls')] })).toBe('no sitemap found.');
    expect(words({}, { invalid: [invalid('x', 'http-status')], problems: [failed('tls')] })).toBe(
      'no readable sitemap.',
    );
  });

  test.each<[string, string]>([
    ['bad-response', 'its responses are not valid HTTP.'],
    ['host-down', 'the host could not be reached.'],
    ['http-status', 'the site refused every request.'],
    ['private-network', 'it leads to private addresses only.'],
    ['proxy', 'the proxy gave no connection.'],
    ['rate-limited', 'the site asks to come back later.'],
    ['redirects', 'its redirects lead nowhere.'],
    ['refused', 'the host refused the connection.'],
    ['tls', 'no secure connection could be made.'],
    ['unreachable', 'the host could not be reached.'],
    ['unresolved', 'the host name does not resolve.'],
    ['web-client', 'the web client failed.'],
    ['timeout', 'the host did not respond.'],
  ])('since every request failed with %s', (failure, ending) => {
    expect(words({}, { problems: [failed(failure), failed('other')] }, 6)).toBe(ending);
  });

  test('since what is declared, or known paths alone, could not be read', () => {
    expect(words({}, { invalid: [invalid('x', 'http-status')], problems: [failed('tls')] }, 6)).toBe(
      'no sitemap that it declares could be read.',
    );
    const paths = [failed('http-status', { code: 'known-path-failed' })];
    expect(words({}, { problems: paths }, 6)).toBe(
      'robots.txt declares no sitemap, and no known path could be read.',
    );
    expect(words({ robots: false }, { problems: paths }, 6)).toBe('the site refused every request.');
  });

  test('a port without TLS: the same URL with http', () => {
    const problems = [failed('tls', { message: 'This port may not be one for https.' })];
    expect(words({}, { problems }, 6)).toBe('no secure connection could be made. Try http://a.example/');
  });
});

describe('the problems of a document', () => {
  const problem = (at: number, more: object = {}) => ({
    code: 'bare-ampersand',
    message: `M${at}.`,
    ...more,
  });
  const lines = (
    many: number,
    count = many,
    verbosity?: Verbosity,
    how: 'say' | 'detail' = 'say',
  ): string[] => {
    const problems = Array.from({ length: many }, (_, at) => problem(at)) as never;
    return said((reporter) => listProblems('d', { problems, problemCount: count }, reporter, how), verbosity);
  };

  test('the first ten, and how many more there are; with -v all that are known', () => {
    expect(lines(0)).toEqual([]);
    expect(lines(1)).toEqual(['d: read, with 1 problem:', '  M0. (bare-ampersand)']);
    expect(lines(10)).toHaveLength(11);
    expect(lines(11).slice(10)).toEqual(['  M9. (bare-ampersand)', '  … and 1 more.']);
    expect(lines(12, 2000).at(0)).toBe('d: read, with 2,000 problems:');
    expect(lines(12, 2000).at(-1)).toBe('  … and 1,990 more.');
    expect(lines(12, 12, { verbose: 1 })).toHaveLength(13);
    expect(lines(12, 13, { verbose: 1 }).at(-1)).toBe('  … and 1 more.');
    expect(lines(2, 2, {}, 'detail')).toEqual([]);
    expect(lines(2, 2, { verbose: 1 }, 'detail')).toHaveLength(3);
  });

  test('each with its place, and flags instead of options', () => {
    const problems = [
      problem(1, { line: 1234, column: 5678, offset: 9 }),
      problem(2, { line: 3 }),
      problem(3, { offset: 1000 }),
      problem(4, { offset: 0 }),
      problem(5, { message: 'Deep (maxDepth).', option: 'maxDepth' }),
    ] as never;
    expect(
      said((reporter) => listProblems('d', { problems, problemCount: 5 }, reporter, 'say')).slice(1),
    ).toEqual([
      '  line 1,234, column 5,678: M1. (bare-ampersand)',
      '  line 3, column 1: M2. (bare-ampersand)',
      '  byte 1,000: M3. (bare-ampersand)',
      '  byte 0: M4. (bare-ampersand)',
      '  Deep (--max-depth). (bare-ampersand)',
    ]);
  });
});
