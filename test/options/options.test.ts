/** Specification §8: one object, checked before anything is fetched. */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { rootCertificates } from 'node:tls';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { crawlSites } from '../../src/batch/index.ts';
import * as usp from '../../src/index.ts';
import { createMcpServer } from '../../src/mcp/index.ts';
import { isCertificates, isKeyOf, isSocks, pemText, proxyUrl } from '../../src/options/network-values.ts';
import {
  defaultOf,
  isConnectionHeader,
  isHeaders,
  OPTIONS,
  type OptionRow,
  OWN_DEFAULTS,
  plainHeaders,
} from '../../src/options/option-table.ts';
import type { SitemapOptions, SitemapProgress, StreamOptions } from '../../src/options/options.ts';
import {
  notKeptOptions,
  type OptionsFor,
  ownOptions,
  resolveOptions,
  SHAPING_OPTIONS,
  shapingOptions,
  withDefaultsFor,
} from '../../src/options/resolve.ts';
import { VERSION } from '../../src/options/version.ts';
import { SitemapException } from '../../src/problems/errors.ts';
import type { Sitemap } from '../../src/sitemap/sitemap.ts';
import { indexXml, sitemapXml, writeSitemaps } from '../../src/write/index.ts';
import { serving } from '../support/fetching.ts';

function messageOf(options: unknown, where: OptionsFor = 'stream'): string {
  try {
    resolveOptions(options as StreamOptions, where);
  } catch (error) {
    expect(error).toBeInstanceOf(SitemapException);
    expect(error).toMatchObject({ code: 'bad-option' });
    return (error as Error).message;
  }
  return 'accepted';
}

const nothing = (): void => {};

function pem(name: 'cert' | 'key'): string {
  return readFileSync(new URL(`../server/tls/${name}.pem`, import.meta.url), 'utf8');
}

const broken = pem('cert').replace('MII', 'AAA');
const otherKey = String(
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey,
);
const lockedKey = String(
  createPrivateKey(otherKey).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
);

describe('§8 defaults', () => {
  test('are those of the table', () => {
    const { logger, ...defaults } = resolveOptions(undefined, 'tree');
    expect(Object.keys(logger)).toEqual(['debug', 'info', 'warn', 'error']);
    expect(defaults).toEqual({
      useRobots: true,
      useKnownPaths: true,
      extraKnownPaths: [],
      useHomepageLinks: false,
      normalizeHomepageUrl: true,
      followListedSitemaps: false,
      recurseCallback: undefined,
      recurseListCallback: undefined,
      previous: undefined,
      trustLastmod: false,
      staleIfError: false,
      goneAfter: 2,
      maxStaleMs: undefined,
      concurrency: 16,
      perHostConcurrency: 16,
      waitMs: 0,
      randomWait: false,
      maxDepth: 11,
      maxSitemaps: 50_000,
      maxSitemapBytes: 104_857_600,
      maxTimeMs: undefined,
      signal: undefined,
      maxPages: undefined,
      retries: 4,
      connectTimeoutMs: 10_000,
      idleTimeoutMs: 60_000,
      sitemapTimeoutMs: 600_000,
      maxRedirects: 10,
      userAgent: `ultimate-sitemap-parser/${VERSION}`,
      headers: {},
      proxy: undefined,
      verifyTls: true,
      ca: undefined,
      cert: undefined,
      key: undefined,
      cookies: false,
      allowPrivateNetworks: false,
      webClient: undefined,
      onProgress: undefined,
      spoolDirectory: undefined,
      spoolMemoryBytes: 33_554_432,
      problemPositions: false,
    });
  });

  test.each([
    ['sites', { useKnownPaths: 'if-none-declared', maxTimeMs: 3_600_000 }],
    ['agents', { maxSitemaps: 10_000, maxTimeMs: 600_000, maxPages: 2_000_000 }],
  ] as const)('of %s that differ from those of one site', (use, expected) => {
    const rows = Object.entries<OptionRow>(OPTIONS);
    const own = rows.filter(([, row]) => defaultOf(row, use) !== defaultOf(row, undefined));
    expect(Object.fromEntries(own.map(([name, row]) => [name, defaultOf(row, use)]))).toEqual(expected);
  });

  test('are for what is not given, and a given value that is false or 0 stays', () => {
    const given = { useKnownPaths: false, maxPages: 1, maxTimeMs: undefined, retries: 0 } as const;
    expect(withDefaultsFor('sites', given)).toEqual({ ...given, maxTimeMs: 3_600_000 });
    expect(withDefaultsFor('agents', given)).toEqual({ ...given, maxTimeMs: 600_000, maxSitemaps: 10_000 });
    const { useRobots, waitMs, headers, retries } = resolveOptions({ useRobots: false, retries: 0 }, 'tree');
    expect([useRobots, waitMs, headers, retries]).toEqual([false, 0, {}, 0]);
  });

  test('of what only crawlSites and createMcpServer have', () => {
    expect(OWN_DEFAULTS).toEqual({
      sitesAtOnce: 32,
      callsAtOnce: 16,
      callMs: 45_000,
      resultBytes: 40_000,
      keepMs: 900_000,
      maxSiteBytes: 512 * 1024 * 1024,
    });
    const given = { sitesAtOnce: 1, callMs: undefined, maxDepth: 0, keepMs: Number.MAX_SAFE_INTEGER };
    expect(ownOptions(given, ['sitesAtOnce', 'callMs', 'keepMs'])).toEqual([
      { sitesAtOnce: 1, callMs: 45_000, keepMs: Number.MAX_SAFE_INTEGER },
      { maxDepth: 0 },
    ]);
  });

  test.each([0, -1, 1.5, '5', null, Number.NaN, 2 ** 53])(
    '%j is not a number of what is under way',
    (value) => {
      const message = 'The option "keepMs" must be a whole number, 1 or more.';
      const call = (): unknown => ownOptions({ sitesAtOnce: 1, keepMs: value }, ['sitesAtOnce', 'keepMs']);
      expect(call).toThrow(expect.objectContaining({ code: 'bad-option', option: 'keepMs', message }));
    },
  );

  test('the version is the package’s', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(VERSION).toBe(version);
  });

  test('undefined means the default, for every option', () => {
    const all = Object.fromEntries(Object.keys(resolveOptions({}, 'tree')).map((name) => [name, undefined]));
    expect(resolveOptions(all, 'tree')).toEqual(resolveOptions({}, 'tree'));
    for (const use of ['sites', 'agents'] as const)
      expect(withDefaultsFor(use, all)).toMatchObject(withDefaultsFor(use, {}));
  });
});

describe('§8 what an async observer rejects with is thrown by the next call of any observer', () => {
  const reason = new Error('the disk is full');
  const event = {} as SitemapProgress;
  const log = (level: 'debug' | 'info' | 'warn' | 'error', act: () => unknown) => ({
    ...{ debug: nothing, info: nothing, warn: nothing, error: nothing },
    [level]: act,
  });
  const reject = async (): Promise<void> => Promise.reject(reason);

  test.each<[string, StreamOptions]>([
    ['onProgress', { onProgress: reject, logger: log('info', nothing) }],
    ['debug', { onProgress: nothing, logger: log('debug', reject) }],
    ['info', { onProgress: nothing, logger: log('info', reject) }],
    ['warn', { onProgress: nothing, logger: log('warn', reject) }],
    ['error', { onProgress: nothing, logger: log('error', reject) }],
  ])('%s', async (_name, options) => {
    const { onProgress, logger } = resolveOptions(options, 'stream');
    const calls = [
      () => onProgress?.(event),
      () => logger.debug(''),
      () => logger.info(''),
      () => logger.warn(''),
      () => logger.error(''),
    ];
    for (const call of calls) call();
    await new Promise(setImmediate);
    for (const call of calls) expect(call).toThrow(reason);
  });

  test('the first of two rejections is the one that is thrown', async () => {
    const fails = async (text: string, after: Promise<unknown>): Promise<void> => {
      await after.catch(nothing);
      throw new Error(text);
    };
    const first = fails('one', Promise.resolve());
    const results = [first, fails('two', first)];
    const { onProgress } = resolveOptions({ onProgress: () => results.shift() }, 'stream');
    onProgress?.(event);
    onProgress?.(event);
    await new Promise(setImmediate);
    expect(() => onProgress?.(event)).toThrow('one');
  });
});

test('§10 every flag of an option has a form that the command takes, and a help of words', () => {
  const flags = Object.values<OptionRow>(OPTIONS).flatMap(({ flag }) => (flag === undefined ? [] : [flag]));
  expect(flags.length).toBeGreaterThan(20);
  for (const { flags: form, help } of flags) {
    expect(form).toMatch(/^(?:-\w, )?--[a-z]+(?:-[a-z]+)*(?: <[a-z]+>)?$/);
    expect(help).toMatch(/^[a-z'N].* /);
  }
});

describe('an archive keeps what shapes a tree, and of what may hold a secret only the name', () => {
  test.each<[StreamOptions, object, string[]]>([
    [{}, {}, []],
    [{ useRobots: false, maxDepth: 3 }, { useRobots: false, maxDepth: 3 }, []],
    [{ useRobots: true }, {}, []],
    [{ maxRedirects: 2 }, { maxRedirects: 2 }, []],
    [{ proxy: 'http://user:password@proxy.example' }, {}, ['proxy']],
    // No proxy is not a secret: an update does not ask for it.
    [{ proxy: false }, {}, []],
    [{ headers: { authorization: 'x' }, verifyTls: false }, {}, ['headers', 'verifyTls']],
    [{ recurseCallback: () => true }, {}, ['recurseCallback']],
    [{ extraKnownPaths: [], headers: {}, maxDepth: 11, cookies: false }, {}, []],
    [{ extraKnownPaths: ['a'], maxDepth: 0 }, { extraKnownPaths: ['a'], maxDepth: 0 }, []],
    [
      { headers: () => undefined, since: '7d', mapHosts: { 'a.example': 'b.example' } },
      {},
      ['since', 'mapHosts', 'headers'],
    ],
    [{ since: new Date(0), sitemapInclude: [/a/] }, {}, ['sitemapInclude', 'since']],
    [{ maxStaleMs: 0, maxTimeMs: 5, waitMs: 5, include: 'x' }, { maxStaleMs: 0, maxTimeMs: 5 }, []],
  ])('%j: %j, and the names %j', (given, kept, named) => {
    const options = resolveOptions(given, 'stream');
    expect([shapingOptions(options), notKeptOptions(options)]).toEqual([kept, named]);
  });
});

test('every option that an archive keeps, that is named, and that is a secret or a pace', () => {
  const rows = Object.entries<OptionRow>(OPTIONS);
  const names = (has: (row: OptionRow) => unknown): string =>
    rows.flatMap(([name, row]) => (has(row) ? [name] : [])).join(' ');
  expect(SHAPING_OPTIONS.join(' ')).toBe(
    'useRobots useKnownPaths extraKnownPaths useHomepageLinks normalizeHomepageUrl ' +
      'followListedSitemaps goneAfter maxStaleMs maxSitemaps maxDepth maxSitemapBytes maxTimeMs ' +
      'maxRedirects',
  );
  expect(names(({ archive }) => archive === 'named')).toBe(
    'recurseListCallback recurseCallback sitemapInclude sitemapExclude since mapHosts userAgent ' +
      'headers proxy cookies ca cert key verifyTls allowPrivateNetworks webClient',
  );
  expect(names(({ isSecret }) => isSecret)).toBe('headers proxy ca cert key');
  expect(names(({ isPace }) => isPace)).toBe(
    'concurrency perHostConcurrency waitMs randomWait retries connectTimeoutMs idleTimeoutMs',
  );
  expect(names(({ isTime }) => isTime)).toBe(
    'maxStaleMs maxTimeMs waitMs connectTimeoutMs idleTimeoutMs sitemapTimeoutMs',
  );
});

describe('headers', () => {
  test.each<[unknown, boolean]>([
    [{}, true],
    [{ a: '' }, true],
    [{ "!#$%&'*+.^_`|~09azAZ-": ' a\tb ~\x80\xff' }, true],
    [{ '': 'a' }, false],
    [{ 'a:': 'b' }, false],
    [{ ä: 'b' }, false],
    [{ a: 'b', 'c\n': 'd' }, false],
    [{ a: 'b', c: 1 }, false],
    [{ a: undefined }, false],
    [{ a: 'b\n' }, false],
    [{ a: '\0' }, false],
    [{ a: '\x1f' }, false],
    [{ a: '\x7f' }, false],
    [{ a: '\u0100' }, false],
    [{ a: '\u{1f600}' }, false],
    [[], false],
    [Promise.resolve({}), false],
    [new Map(), false],
    [new URLSearchParams('a=b'), false],
    ['a', false],
    [null, false],
  ])('%j: %s', (value, isValid) => {
    expect(isHeaders(value)).toBe(isValid);
  });

  test('of a connection, in any case, are refused', () => {
    const names =
      'connection content-length expect host keep-alive proxy-authorization te trailer transfer-encoding upgrade';
    for (const name of names.split(' ')) {
      for (const each of [name, name.toUpperCase()]) {
        expect([each, isConnectionHeader(each), isHeaders({ a: 'b', [each]: 'x' })]).toEqual([
          each,
          true,
          false,
        ]);
      }
    }
    for (const name of ['authorization', 'cookie', 'x-host', 'accept', 'user-agent'])
      expect([name, isConnectionHeader(name), isHeaders({ [name]: 'x' })]).toEqual([name, false, true]);
  });

  test('of fetch become a plain object, and others stay as they are', () => {
    const headers = new Headers([
      ['X-A', 'b'],
      ['x-a', 'c'],
      ['X-D', 'e'],
    ]);
    expect(plainHeaders(headers)).toEqual({ 'x-a': 'b, c', 'x-d': 'e' });
    expect(resolveOptions({ headers }, 'tree').headers).toEqual({ 'x-a': 'b, c', 'x-d': 'e' });
    for (const value of [{ a: 'b' }, { getSetCookie: () => [] }, new Map(), null, 'a'])
      expect(plainHeaders(value)).toBe(value);
  });
});

test.each([
  ['http://proxy.test', 'http://proxy.test/', false],
  ['HTTPS://proxy.test:8443', 'https://proxy.test:8443/', false],
  ['socks://proxy.test', 'socks://proxy.test', true],
  ['socks5://u:p@proxy.test:1', 'socks5://u:p@proxy.test:1', true],
  ['socks5h://proxy.test', 'socks5h://proxy.test', true],
  ['socks4://proxy.test', undefined, false],
  ['socks5:', undefined, false],
  ['socks5://', undefined, false],
  ['proxy.test:3128', undefined, false],
  ['//proxy.test', undefined, false],
])('%s is the proxy %s, with SOCKS: %s', (text, href, isWithSocks) => {
  const url = proxyUrl(text);
  expect([url?.href, url !== undefined && isSocks(url)]).toEqual([href, isWithSocks]);
});

test('a certificate is one among others, in text or in bytes, and its key is that of the first', () => {
  const [cert, key] = [pem('cert'), pem('key')];
  expect(pemText(new Uint8Array([0x61, 0xe9]))).toBe('aé');
  const values = [
    cert,
    cert.replaceAll('\n', '\r\n'),
    `${cert}${cert}`,
    new TextEncoder().encode(cert),
    key,
    broken,
  ];
  expect(values.map(isCertificates)).toEqual([true, true, true, true, false, false]);
  expect([`${cert}${broken}`, `${broken}${cert}`, [cert], 7].map(isCertificates)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect([
    isKeyOf(cert, key),
    isKeyOf(`${key}${cert}${cert}`, Buffer.from(key)),
    isKeyOf(cert, otherKey),
  ]).toEqual([true, true, false]);
  const [authority = ''] = rootCertificates;
  expect([isKeyOf(`${cert}${authority}`, key), isKeyOf(`${authority}\n${cert}`, key)]).toEqual([true, false]);
  expect(isKeyOf('no certificate', key)).toBe(false);
});

describe('§8 what is right is accepted', () => {
  test.each<StreamOptions>([
    {
      useRobots: false,
      useKnownPaths: false,
      useHomepageLinks: true,
      normalizeHomepageUrl: false,
      followListedSitemaps: true,
    },
    { useKnownPaths: 'if-none-declared' },
    { extraKnownPaths: ['a.xml', 'b/c.xml'] },
    { recurseCallback: () => true, recurseListCallback: (urls) => urls },
    { recurseCallback: async () => false, recurseListCallback: async (urls) => new Set(urls) },
    { concurrency: 1, perHostConcurrency: 1, waitMs: 0.5, randomWait: true },
    {
      maxDepth: 0,
      maxSitemaps: 1,
      maxSitemapBytes: 1,
      maxTimeMs: 1,
      maxPages: 1,
      retries: 0,
      maxRedirects: 0,
      goneAfter: 1,
      maxStaleMs: 0,
      connectTimeoutMs: 1,
      idleTimeoutMs: 1,
      sitemapTimeoutMs: 1,
    },
    { signal: AbortSignal.timeout(1_000_000) },
    { headers: { 'X-A': 'b', Cookie: 'ü' }, userAgent: 'me/1.0' },
    { headers: () => undefined },
    { headers: new Headers({ 'X-A': 'b' }) },
    { proxy: 'http://user:pw@proxy.test:3128' },
    { proxy: new URL('socks5://proxy.test') },
    // As desktops write it.
    { proxy: 'socks://proxy.test:1080' },
    { maxPages: Number.MAX_SAFE_INTEGER },
    { proxy: false, verifyTls: false, allowPrivateNetworks: true },
    { ca: pem('cert') },
    { ca: [Buffer.from(pem('cert')), `a comment\n${pem('cert')}\n${pem('cert')}`] },
    { cert: pem('cert'), key: pem('key') },
    { cert: pem('key') + pem('cert'), key: new Uint8Array(Buffer.from(pem('key') + pem('cert'))) },
    { cookies: true },
    { webClient: fetch },
    { webClient: fetch, proxy: undefined },
    { logger: console },
    { onProgress: nothing },
    { spoolDirectory: '/tmp', spoolMemoryBytes: 0 },
    { since: '7d', until: new Date(0), undated: 'keep', unique: true },
    { include: [], exclude: [], sitemapInclude: [] },
    { since: 'yesterday', until: '2024-05-06T08:00+02:00', include: '*.html', exclude: ['re:a', /b/g] },
  ])('%o', (options) => expect(messageOf(options)).toBe('accepted'));

  test('a pino logger fits the type', () => {
    // pino's methods are overloaded: (object, message?, ...) and (message, ...).
    type LogFn = {
      <T extends object>(obj: T, msg?: string, ...args: unknown[]): void;
      (msg: string, ...args: unknown[]): void;
    };
    const pino: Record<'debug' | 'info' | 'warn' | 'error', LogFn> & { level: string } = {
      level: 'info',
      debug: nothing,
      info: nothing,
      warn: nothing,
      error: nothing,
    };
    const options: SitemapOptions = { logger: pino };
    expect(messageOf(options)).toBe('accepted');
  });
});

describe('§8 a wrong option is reported by name, with what it accepts', () => {
  const booleans = [
    'useRobots',
    'useHomepageLinks',
    'normalizeHomepageUrl',
    'followListedSitemaps',
    'randomWait',
    'verifyTls',
    'allowPrivateNetworks',
    'cookies',
    'trustLastmod',
    'staleIfError',
    'problemPositions',
    'unique',
    'listAlternates',
  ];
  const counts = [
    'concurrency',
    'perHostConcurrency',
    'maxSitemaps',
    'maxSitemapBytes',
    'maxPages',
    'sample',
    'goneAfter',
  ];
  const countsFromZero = ['maxDepth', 'retries', 'maxRedirects', 'spoolMemoryBytes'];
  const times = ['maxTimeMs', 'connectTimeoutMs', 'idleTimeoutMs', 'sitemapTimeoutMs'];
  const functions = ['recurseCallback', 'recurseListCallback', 'webClient', 'onProgress'];
  const bad = (
    names: readonly string[],
    values: readonly unknown[],
    accepts: RegExp,
  ): [string, unknown, RegExp][] =>
    names.flatMap((name) => values.map((value): [string, unknown, RegExp] => [name, value, accepts]));

  test.each([
    ...bad(booleans, [1, 'true', null], /true or false/),
    ...bad(counts, [0, -1, 1.5, Number.NaN, 2 ** 53, '5', null], /whole number, 1 or more/),
    ...bad(['maxPages'], [1e300, Number.POSITIVE_INFINITY], /whole number, 1 or more/),
    ...bad(countsFromZero, [-1, 1.5, 2 ** 53, '5', null], /whole number, 0 or more/),
    ...bad(times, [0, 0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, '10s', null], /milliseconds, 1 or more/),
    ...bad(['maxStaleMs'], [-1, '1', Number.NaN, null], /milliseconds, 0 or more/),
    ...bad(['hosts'], ['', 'Same', true, null], /any, same or subdomains/),
    ...bad(['undated'], ['', 'KEEP', true, null], /keep or drop/),
    ...bad(['since', 'until'], ['', 'lately', 7, new Date(Number.NaN), null], /a Date, a date such as/),
    ...bad(['robotsAgent'], ['', ' ', 1, null], /the name of an agent/),
    ...bad(['previous'], [{}, { kind: 'index-xml' }, 'tree', null], /a sitemap, as/),
    ...bad(['mapHosts'], [[], 'a=b', null], /an object of hosts/),
    ...bad(['waitMs'], [-1, -0.5, '1', null], /milliseconds, 0 or more/),
    ...bad(functions, [true, 'x', {}, null], /function/),
    ...bad(['useKnownPaths'], ['if-none', 1, null], /true, false or "if-none-declared"/),
    ...bad(['extraKnownPaths'], ['a.xml', [1], [''], {}, ['a', ''], ['http://[']], /array of paths/),
    ...bad(['signal'], [{}, 'x', new AbortController()], /AbortSignal/),
    ...bad(
      ['headers'],
      [
        'a: b',
        ['a'],
        { a: 1 },
        { 'a b': 'c' },
        { a: 'b\r\nc: d' },
        { Host: 'x' },
        { 'Proxy-Authorization': 'x' },
        new Map([['a', 'b']]),
        null,
      ],
      /header names/,
    ),
    ...bad(['userAgent'], ['', ' ', 'a\nb', 'a\x7f', '\u0100', 1, null], /text without line breaks/),
    ...bad(['proxy'], ['proxy.test:3128', 'ftp://proxy.test', true, '', 1, null], /socks5: URL, or false/),
    ...bad(
      ['logger'],
      [nothing, {}, { debug: nothing, info: nothing, warn: nothing }, 'x'],
      /debug, info, warn and error/,
    ),
    ...bad(
      ['ca', 'cert'],
      ['', 'ca.pem', pem('key'), broken, pem('cert') + broken, true, {}, null, ['']],
      /content of a PEM file with/,
    ),
    ...bad(['ca'], [[], [pem('cert'), 'ca.pem'], [1]], /or an array of these/),
    ...bad(['cert'], [[pem('cert')]], /PEM file with a certificate/),
    ...bad(['key'], ['', 'key.pem', pem('cert'), lockedKey, true, null], /private key, without a passphrase/),
    ...bad(['spoolDirectory'], ['', 1, null], /directory/),
  ])('%s: %o', (name, value, accepts) => {
    const message = messageOf({ [name]: value });
    expect(message).toContain(`"${name}"`);
    expect(message).toMatch(accepts);
  });

  test.each([
    ['useRobot', 'useRobots'],
    ['use_robots', 'useRobots'],
    ['recurse_list_callback', 'recurseListCallback'],
    ['maxsitemaps', 'maxSitemaps'],
    ['time', undefined],
    ['toString', undefined],
    ['constructor', undefined],
  ])('unknown name %s: suggests %j', (name, suggested) => {
    const message = messageOf({ [name]: true });
    expect(message).toContain(`"${name}"`);
    expect(message).toContain(suggested === undefined ? 'The options are' : `Did you mean "${suggested}"`);
  });

  test.each([
    ['timeout', 'Use "idleTimeoutMs"'],
    ['requestHeaders', 'Use "headers"'],
    ['lastmod', 'Use "since"'],
    ['exclusions', 'Use "exclude"'],
    ['rejectUnauthorized', 'Use "verifyTls"'],
    ['concurrentRequests', 'Use "concurrency"'],
    ['debug', 'Use "logger": console'],
    ['fetch', 'Use "webClient"'],
    ['filter', 'Use "include" or "exclude"'],
    ['globs', 'Use "include"'],
    ['maxConcurrency', 'Use "concurrency"'],
    ['maxRetries', 'Use "retries"'],
    ['proxyAgent', 'Use "proxy", the URL of the proxy'],
    ['proxyUrl', 'Use "proxy"'],
    ['sitemapRetries', 'Use "retries"'],
    [
      'timeoutMillis',
      'Use "idleTimeoutMs" for the wait for the next byte, or "maxTimeMs" for the whole call',
    ],
  ])('the option %s of another library is named as it is here', (name, hint) => {
    expect(messageOf({ [name]: true })).toContain(`Unknown option "${name}". ${hint}`);
  });

  test('even when its value is undefined', () => {
    expect(messageOf({ useRobot: undefined })).toContain('"useRobot"');
  });

  test.each(
    Object.entries({
      proxy: 'http://p.test',
      verifyTls: false,
      ca: pem('cert'),
      cert: pem('cert'),
      key: pem('key'),
      cookies: false,
      allowPrivateNetworks: true,
      connectTimeoutMs: 5,
    }),
  )('webClient together with %s', (name, value) => {
    const message = messageOf({ webClient: fetch, [name]: value });
    expect(message).toContain(`"${name}"`);
    expect(message).toContain('"webClient"');
  });

  test.each<[string, StreamOptions, string]>([
    ['cert without key', { cert: pem('cert') }, 'The option "cert" also needs the option "key".'],
    ['key without cert', { key: pem('key') }, 'The option "key" also needs the option "cert".'],
    [
      'a key of another certificate',
      { cert: pem('cert'), key: otherKey },
      'The private key in the option "key" does not belong to the certificate in the option "cert".',
    ],
  ])('%s', (_what, options, message) => {
    expect(messageOf(options)).toBe(message);
  });

  test('maxPages is the stream’s alone; nothing does the same for a tree', () => {
    for (const where of ['tree', 'sitemap'] as const)
      expect(messageOf({ maxPages: 5 }, where)).toMatch(/belongs to streamPages, .* and crawlSites\.$/);
    expect(messageOf({ maxPages: 5 }, 'stream')).toBe('accepted');
  });

  test.each(['sitemapInclude', 'sitemapExclude', 'include', 'since'])(
    '%s is a filter of pages that come one by one',
    (name) => {
      const options = { [name]: '2024' };
      for (const where of ['tree', 'sitemap'] as const)
        expect(messageOf(options, where)).toContain(`The option "${name}" belongs to streamPages`);
      expect(messageOf(options, 'stream')).toBe('accepted');
    },
  );

  test.each<[StreamOptions, ...OptionsFor[]]>([
    [{ robotsAgent: 'GPTBot' }, 'stream'],
    [{ useRobots: false }, 'tree', 'stream'],
    [{ followListedSitemaps: true }, 'tree', 'stream'],
    [{ maxPages: 5 }, 'stream', 'sitemap-stream'],
    [{ hosts: 'same' }, 'stream', 'sitemap-stream'],
    [{ useKnownPaths: true }, 'tree', 'stream'],
    [{ extraKnownPaths: [] }, 'tree', 'stream'],
    [{ useHomepageLinks: false }, 'tree', 'stream'],
    [{ normalizeHomepageUrl: true }, 'tree', 'stream'],
    [{ until: '2024' }, 'stream', 'sitemap-stream'],
    [{ undated: 'keep' }, 'stream', 'sitemap-stream'],
    [{ unique: false }, 'stream', 'sitemap-stream'],
    [{ exclude: 'a' }, 'stream', 'sitemap-stream'],
    [{ sample: 1 }, 'stream', 'sitemap-stream'],
    [{ listAlternates: false }, 'stream', 'sitemap-stream'],
    [{ maxPages: undefined, useRobots: undefined }, 'tree', 'sitemap', 'stream', 'sitemap-stream'],
    [{ webClient: fetch, headers: {}, userAgent: 'a' }, 'tree', 'sitemap', 'stream', 'sitemap-stream'],
    [{ maxDepth: 2 }, 'tree', 'sitemap', 'stream', 'sitemap-stream'],
  ])('%j is accepted only for: %s %s %s %s', (options, ...accepting) => {
    const all: OptionsFor[] = ['tree', 'sitemap', 'stream', 'sitemap-stream'];
    expect(all.filter((where) => messageOf(options, where) === 'accepted')).toEqual(accepting);
  });

  const BELONGS = 'belongs to streamPages, streamSitemap, collectPages and crawlSites';
  test.each<[StreamOptions, OptionsFor, string]>([
    [{ hosts: 'same' }, 'tree', `The option "hosts" ${BELONGS}; for a tree, use allPages({ hosts }).`],
    [{ sample: 1 }, 'sitemap', `The option "sample" ${BELONGS}; for a tree, use allPages({ sample }).`],
    [
      { sitemapExclude: 'a' },
      'tree',
      `The option "sitemapExclude" ${BELONGS}; for a tree, use recurseCallback.`,
    ],
    [{ maxPages: 1 }, 'tree', `The option "maxPages" ${BELONGS}.`],
    [
      { robotsAgent: 'GPTBot' },
      'sitemap-stream',
      'The option "robotsAgent" belongs to streamPages, collectPages and crawlSites; for a tree, use robotsVerdicts.',
    ],
    [
      { useRobots: false },
      'sitemap-stream',
      'The option "useRobots" belongs to sitemapTreeForHomepage, streamPages, collectPages and crawlSites: ' +
        'one sitemap is read, not its site.',
    ],
    [
      { robotsAgent: 'GPTBot', useRobots: false },
      'stream',
      'The option "robotsAgent" needs robots.txt, which "useRobots: false" leaves out.',
    ],
    [{ robotsAgent: 'GPTBot', useRobots: true }, 'stream', 'accepted'],
    [{ sample: 1, maxPages: 2 }, 'stream', 'The option "sample" cannot be combined with "maxPages".'],
    [{ sample: 1, maxPages: undefined }, 'stream', 'accepted'],
  ])('%j for a %s: %s', (options, where, message) => {
    expect(messageOf(options, where)).toBe(message);
  });

  test('the option that a message is about is in the error', () => {
    const optionOf = (options: StreamOptions): unknown => {
      try {
        return resolveOptions(options, 'stream');
      } catch (error) {
        return (error as SitemapException).option;
      }
    };
    expect(optionOf({ maxDepth: 1, retries: -1 })).toBe('retries');
    expect(optionOf({ cert: pem('cert') })).toBe('cert');
    expect(optionOf({ key: pem('key') })).toBe('key');
    expect(optionOf({ cert: pem('cert'), key: otherKey })).toBe('key');
    expect(optionOf({ webClient: fetch, verifyTls: false })).toBe('verifyTls');
    expect(optionOf({ sample: 1, maxPages: 2 })).toBe('sample');
    expect(optionOf({ useRobots: false, robotsAgent: 'a' })).toBe('robotsAgent');
    expect(optionOf({ mapHosts: { 'a/b': 'c' } })).toBe('mapHosts');
  });

  test.each([null, 5, 'x', []])('options that are %o', (options) => {
    expect(messageOf(options)).toMatch(options === null ? /object|accepted/ : /must be an object/);
  });

  test.each<[object, string]>([
    [{ concurrency: '5' }, 'a whole number, 1 or more, not the text "5".'],
    [{ concurrency: [5] }, 'a whole number, 1 or more, not an array.'],
    [{ userAgent: 'a\nb' }, 'a text without line breaks, not the text "a\\nb".'],
    [{ useRobots: 'x'.repeat(500) }, `not the text "${'x'.repeat(60)}…".`],
    [{ extraKnownPaths: [''] }, 'not another array.'],
    [{ logger: {} }, 'not another object.'],
    [
      { proxy: 'ftp://host' },
      'false for none; the text that was given is not shown here, since it may hold a password or a key.',
    ],
  ])('%j is reported in words: %s', (options, words) => {
    expect(messageOf(options)).toContain(words);
  });

  test('no message repeats a secret', () => {
    expect(messageOf({ headers: { Authorization: 'secret\n' } })).not.toContain('secret');
    expect(messageOf({ proxy: 'ftp://user:secret@host' })).not.toContain('secret');
    for (const name of ['ca', 'cert', 'key']) expect(messageOf({ [name]: lockedKey })).not.toContain('BEGIN');
  });
});

describe('§8 options are a plain object: nothing in them is ignored', () => {
  class Settings {
    readonly maxDepth = 2;
  }
  const withInherited: SitemapOptions = Object.create({ maxDepth: 2 });

  test.each([
    ['a Map', new Map([['maxDepth', 2]]), 'not a Map'],
    ['a Date', new Date(), 'not a Date'],
    ['an instance of a class', new Settings(), 'not a Settings'],
    ['an object that inherits its options', withInherited, 'inherits from another one'],
    [
      'one that inherits from an object without a prototype',
      Object.create(Object.assign(Object.create(null), { maxDepth: 2 })),
      'inherits',
    ],
    ['a URL', new URL('https://example.org/'), 'not a URL'],
  ])('%s is refused', (_what, options, message) => {
    expect(messageOf(options as SitemapOptions)).toContain(message);
  });

  test.each([
    ['an object without a prototype', Object.assign(Object.create(null), { maxDepth: 2 })],
    ['an object of another realm', runInNewContext('({ maxDepth: 2 })')],
  ])('%s is accepted', (_what, options) => {
    expect(messageOf(options)).toBe('accepted');
  });
});

/** The functions that the tables below call. */
const CALLED = new Set<string>();

describe('§8 every call refuses options that it would ignore', () => {
  const homepage = 'http://127.0.0.1:1/';
  const [text, bytes] = ['<urlset/>', new Uint8Array()];
  // Each hands its options over as they are: a caller in JavaScript has no types.
  const calls: Readonly<Record<string, (tree: Sitemap, options: never) => unknown>> = {
    sitemapTreeForHomepage: (_, options) => usp.sitemapTreeForHomepage(homepage, options),
    sitemapFromUrl: (_, options) => usp.sitemapFromUrl(homepage, options),
    SitemapFetcher: (_, options) => new usp.SitemapFetcher(homepage, options),
    streamPages: (_, options) => usp.streamPages(homepage, options),
    streamSitemap: (_, options) => usp.streamSitemap(homepage, options),
    collectPages: (_, options) => usp.collectPages(homepage, options),
    sitemapFromString: (_, options) => usp.sitemapFromString(text, options),
    sitemapFromBytes: (_, options) => usp.sitemapFromBytes(bytes, options),
    sitemapFromFile: (_, options) => usp.sitemapFromFile('x.xml', options),
    sitemapFromStream: (_, options) => usp.sitemapFromStream(ReadableStream.from([bytes]), options),
    parseSitemap: (_, options) => usp.parseSitemap(text, options),
    'allPages of a tree': (tree, options) => tree.allPages(options),
    'toObject of a tree': (tree, options) => tree.toObject(options),
    loadTree: (_, options) => usp.loadTree('x.warc.gz', options),
    saveTree: (tree, options) => usp.saveTree(tree, 'x.warc.gz', options),
    diffPages: (tree, options) => usp.diffPages(tree, tree, options),
    summarize: (tree, options) => usp.summarize(tree, options),
    reportHtml: (tree, options) => usp.reportHtml(tree, options),
    jsonChunks: (tree, options) => usp.jsonChunks(tree, options),
    filterPages: (tree, options) => usp.filterPages(tree.allPages(), options),
    checkTree: (tree, options) => usp.checkTree(tree, options),
    checkSite: (_, options) => usp.checkSite(homepage, options),
    checkSitemap: (_, options) => usp.checkSitemap(text, options),
    checkSitemaps: (_, options) => usp.checkSitemaps([{ content: text }], options),
    sitemapXml: (_, options) => sitemapXml([], options),
    writeSitemaps: (_, options) => writeSitemaps([], 'sitemaps', options),
    crawlSites: (_, options) => crawlSites([], options),
    createMcpServer: (_, options) => createMcpServer(options),
    'serveStdio of a server': async (_, options) => (await createMcpServer()).serveStdio(options),
  };

  for (const name of Object.keys(calls)) CALLED.add(name);
  test.each(Object.keys(calls))('%s', async (name) => {
    const tree = await usp.sitemapFromString(text);
    for (const options of [null, [], 'all', 1, new Map(), { maxDetph: 1 }]) {
      // At the call: nothing is iterated.
      const called = async (): Promise<unknown> => calls[name]?.(tree, options as never);
      await expect(called(), String(options)).rejects.toMatchObject({ code: 'bad-option' });
    }
  });
});

describe('§8 what is not what a call needs is refused, with a code', () => {
  const UNPRINTABLE = {
    toString(): string {
      throw new RangeError('It has no text.');
    },
  };
  const needing: Readonly<Record<string, (given: never) => unknown>> = {
    sitemapTreeForHomepage: (given) => usp.sitemapTreeForHomepage(given),
    collectPages: (given) => usp.collectPages(given),
    streamPages: (given) => usp.streamPages(given),
    checkSite: (given) => usp.checkSite(given),
    sitemapFromUrl: (given) => usp.sitemapFromUrl(given),
    streamSitemap: (given) => usp.streamSitemap(given),
    'sitemapFromString, url': (given) => usp.sitemapFromString('<urlset/>', { url: given }),
    sitemapFromString: (given) => usp.sitemapFromString(given),
    sitemapFromBytes: (given) => usp.sitemapFromBytes(given),
    sitemapFromStream: (given) => usp.sitemapFromStream(given),
    parseSitemap: (given) => usp.parseSitemap(given),
    'parseSitemap, url': (given) => usp.parseSitemap('<urlset/>', { url: given }),
    'parseSitemap, charset': (given) => usp.parseSitemap('<urlset/>', { charset: given }),
    'parseSitemap, onProblem': (given) => usp.parseSitemap('<urlset/>', { onProblem: given }),
    'checkSitemap, url': (given) => usp.checkSitemap('<urlset/>', { url: given }),
    'checkSitemaps, url': (given) => usp.checkSitemaps([{ url: given, content: '<urlset/>' }]),
    'robotsVerdicts, the agent': async (given) =>
      usp.robotsVerdicts(await usp.sitemapFromString('<urlset/>'), given),
    'createMcpServer, archives': (given) => createMcpServer({ archives: given }),
    'createMcpServer, callMs': (given) => createMcpServer({ callMs: given === 7 ? -7 : given }),
    'crawlSites, sitesAtOnce': (given) => crawlSites([], { sitesAtOnce: given === 7 ? -7 : given }),
    'reportHtml, before': async (given) =>
      usp.reportHtml(await usp.sitemapFromString('<urlset/>'), { before: given }),
    'reportHtml, title': async (given) =>
      usp.reportHtml(await usp.sitemapFromString('<urlset/>'), { title: given }),
    'loadTree, verify': (given) =>
      usp.loadTree('x.warc.gz', { verify: given === true ? ('yes' as never) : given }),
    'writeSitemaps, baseUrl': (given) => writeSitemaps([], 'sitemaps', { baseUrl: given }),
    'the option proxy': (given) => usp.sitemapTreeForHomepage('https://example.invalid/', { proxy: given }),
    warcClient: (given) => usp.warcClient(given),
    sitemapFromFile: (given) => usp.sitemapFromFile(given),
    loadTree: (given) => usp.loadTree(given),
    saveTree: (given) => usp.saveTree(given, 'x.warc.gz'),
    diffPages: (given) => usp.diffPages(given, given),
    'diffPages, signal': async (given) => {
      const tree = await usp.sitemapFromString('<urlset/>');
      return usp.diffPages(tree, tree, { signal: given });
    },
    'saveTree, signal': async (given) =>
      usp.saveTree(await usp.sitemapFromString('<urlset/>'), 'x.warc.gz', { signal: given }),
    summarize: (given) => usp.summarize(given),
    reportHtml: (given) => usp.reportHtml(given),
    walkTree: (given) => usp.walkTree(given),
    jsonChunks: (given) => usp.jsonChunks(given),
    robotsVerdicts: (given) => usp.robotsVerdicts(given, 'GPTBot'),
    filterPages: (given) => usp.filterPages(given, {}),
    'filterPages, an item': (given) => [...usp.filterPages([given], {})],
    'filterPages, a page of a stream': (given) => [...usp.filterPages([{ page: given }], {})],
    'filterPages, since': (given) => usp.filterPages([], { since: given }),
    'filterPages, include': (given) => usp.filterPages([], { include: given }),
    checkTree: (given) => usp.checkTree(given),
    checkSitemap: (given) => usp.checkSitemap(given),
    checkSitemaps: (given) => usp.checkSitemaps([given]),
    sitemapXml: (given) => sitemapXml(given),
    'sitemapXml, namespaces': (given) => sitemapXml([], { namespaces: given }),
    'sitemapXml, a namespace': (given) => sitemapXml([], { namespaces: [given] }),
    'sitemapXml, news': (given) => sitemapXml([], { news: given }),
    'sitemapXml, url': (given) => sitemapXml([], { url: given }),
    'sitemapXml, onProblem': (given) => sitemapXml([], { onProblem: given }),
    'sitemapXml, signal': (given) => sitemapXml([], { signal: given }),
    indexXml: (given) => indexXml(given),
    'indexXml, an entry': (given) => indexXml([given]),
    'indexXml, a URL': (given) => indexXml([{ url: given }]),
    'indexXml, sitemaps that come later': () => indexXml(ReadableStream.from([]) as never),
    writeSitemaps: (given) =>
      writeSitemaps(given, tmpdir(), { baseUrl: 'https://example.org/', force: true }),
    'writeSitemaps, names': (given) =>
      writeSitemaps([], 'sitemaps', { baseUrl: 'https://example.org/', names: given }),
    'writeSitemaps, index': (given) =>
      writeSitemaps([], 'sitemaps', { baseUrl: 'https://example.org/', index: given }),
    'writeSitemaps, signal': (given) =>
      writeSitemaps([], 'sitemaps', { baseUrl: 'https://example.org/', signal: given }),
    'writeSitemaps, the directory': (given) => writeSitemaps([], given, { baseUrl: 'https://example.org/' }),
    crawlSites: (given) => crawlSites(given),
  };

  for (const name of Object.keys(needing)) CALLED.add(name);
  test.each(Object.keys(needing))('%s', async (name) => {
    for (const given of [null, 7, true, {}, Symbol('none'), Object.create(null), UNPRINTABLE]) {
      // At the call: nothing is iterated.
      const called = async (): Promise<unknown> => needing[name]?.(given as never);
      await expect(called(), inspect(given)).rejects.toBeInstanceOf(SitemapException);
    }
  });

  test('every function of every entry is in the tables', async () => {
    const entries = ['parse', 'check', 'write', 'batch', 'mcp'].map(
      (name) => import(`../../src/${name}/index.ts`),
    );
    const exported = [usp, ...(await Promise.all(entries))].flatMap((entry) => Object.entries(entry));
    const functions = exported.filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name));
    expect(functions.length).toBeGreaterThan(30);
    expect(functions.map(([name]) => name).filter((name) => !CALLED.has(name))).toEqual([]);
  });

  test('one of many sites that is not a URL is a failed site, and costs no other', async () => {
    const given = [null, 7, 'no site', { url: Object.create(null) }];
    const sites = [];
    for await (const { site, outcome } of crawlSites(given as never)) sites.push([site, outcome]);
    expect(sites.sort()).toEqual([
      ['7', 'failed'],
      ['[object Object]', 'failed'],
      ['no site', 'failed'],
      ['null', 'failed'],
    ]);
  });
});

describe('§8 a signal that is not Node’s own', () => {
  /** As polyfills have it: no `throwIfAborted`, no `reason`. */
  class DuckSignal extends EventTarget {
    aborted = false;

    abort(): void {
      this.aborted = true;
      this.dispatchEvent(new Event('abort'));
    }
  }

  test('aborts the call', async () => {
    const server = await serving({ '*': { silent: true } });
    const signal = new DuckSignal();
    const calling = usp.sitemapTreeForHomepage(server.origin, { signal: signal as unknown as AbortSignal });
    setTimeout(() => signal.abort(), 50);
    await expect(calling).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('one that is aborted already ends the call at once', async () => {
    const signal = new DuckSignal();
    signal.abort();
    const calling = usp.sitemapTreeForHomepage('http://127.0.0.1:1/', {
      signal: signal as unknown as AbortSignal,
    });
    await expect(calling).rejects.toMatchObject({ name: 'AbortError' });
  });
});
