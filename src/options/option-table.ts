/**
 * The options, a row each: what it accepts, its default, its flag, what an archive keeps of it, and what it is for. The
 * checks, the flags of `usp` with their help, and docs/options.md come from here; the types, with their TSDoc, are in
 * options.ts.
 */
import { isAgent } from '../robots/robots-rules.ts';
import { parsedUrl } from '../url.ts';
import type { StreamOptions } from './options.ts';
import { isCertificates, isPrivateKey } from './pem.ts';
import { proxyUrl } from './proxy.ts';
import { VERSION } from './version.ts';

interface Accepted {
  /** As the documentation says it, in Markdown. */
  readonly type: string;
  /** As a message says it. */
  readonly accepts: string;
  readonly test: (value: unknown) => boolean;
  /** The lowest number. */
  readonly least?: number;
  /** A time: seconds on the command line. */
  readonly isTime?: boolean;
}

interface Flag {
  readonly group: 'place' | 'filter' | 'network';
  /** As commander takes it. */
  readonly flags: string;
  readonly help: string;
}

export interface OptionRow extends Accepted {
  /** The section of the documentation. */
  readonly section: string;
  readonly default?: unknown;
  readonly flag?: Flag;
  /** It decides which documents a tree has: an archive keeps it, or says that it was given. */
  readonly archive?: 'kept' | 'named';
  /** Its value may hold a password or a key, and is never shown. */
  readonly isSecret?: boolean;
  /** It configures the default client, and so contradicts a custom one. */
  readonly isOfDefaultClient?: boolean;
  /** What it is for, in Markdown. */
  readonly text: string;
}

export type Undefaulted =
  | 'recurseCallback'
  | 'recurseListCallback'
  | 'previous'
  | 'maxStaleMs'
  | 'maxTimeMs'
  | 'maxPages'
  | 'agent'
  | 'signal'
  | 'proxy'
  | 'ca'
  | 'cert'
  | 'key'
  | 'webClient'
  | 'onProgress'
  | 'spoolDirectory';

type OptionTable = {
  readonly [Name in keyof Required<StreamOptions>]: OptionRow &
    (Name extends Undefaulted ? object : { readonly default: NonNullable<StreamOptions[Name]> });
};

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const hasMethod = (value: object, name: string): boolean => isFunction(Reflect.get(value, name));

const BOOLEAN: Accepted = {
  type: '`boolean`',
  accepts: 'true or false',
  test: (value) => typeof value === 'boolean',
};

const wholeNumber = (least: number): Accepted => ({
  type: `whole number, ${least} or more`,
  accepts: `a whole number, ${least} or more`,
  test: (value) => Number.isSafeInteger(value) && (value as number) >= least,
  least,
});

const milliseconds = (least: number): Accepted => ({
  type: `milliseconds, ${least} or more`,
  accepts: `a number of milliseconds, ${least} or more`,
  test: (value) => typeof value === 'number' && Number.isFinite(value) && value >= least,
  least,
  isTime: true,
});

const callback = (type: string): Accepted => ({ type, accepts: 'a function', test: isFunction });

const place = (flags: string, help: string): Flag => ({ group: 'place', flags, help });
const network = (flags: string, help: string): Flag => ({ group: 'network', flags, help });

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// HTTP has no control characters in a value, and nothing beyond Latin-1.
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a header belongs to the connection, or to the proxy, so that callers cannot set it. */
export function isConnectionHeader(name: string): boolean {
  return CONNECTION_HEADERS.has(name.toLowerCase());
}

export function isHeaders(value: unknown): value is Readonly<Record<string, string>> {
  return (
    isObject(value) &&
    !Array.isArray(value) &&
    !hasMethod(value, 'entries') &&
    Object.entries(value).every(
      ([name, text]) =>
        headerName.test(name) &&
        !isConnectionHeader(name) &&
        typeof text === 'string' &&
        headerValue.test(text),
    )
  );
}

/** What a headers object accepts, in words; also for what a headers function returned. */
export const HEADERS_ACCEPTED =
  'a plain object of header names and string values without line breaks (and without connection headers such as Host)';

/** In the order of the documentation and of the help. */
export const OPTIONS: OptionTable = {
  useRobots: {
    ...BOOLEAN,
    default: true,
    flag: place('-r, --no-robots', 'do not read robots.txt'),
    archive: 'kept',
    section: 'Where to look',
    text: 'Read robots.txt for its `Sitemap:` lines',
  },
  useKnownPaths: {
    type: "`boolean` or `'if-none-declared'`",
    accepts: 'true, false or "if-none-declared"',
    test: (value) => typeof value === 'boolean' || value === 'if-none-declared',
    default: true,
    flag: place('--known <when>', 'when to request them'),
    archive: 'kept',
    section: 'Where to look',
    text:
      "Request the [known paths](fetch-and-parse-process.md#known-paths). With `'if-none-declared'` only " +
      'if robots.txt was read or responded with 404 or 410, and has no `Sitemap:` line',
  },
  extraKnownPaths: {
    type: '`string[]`',
    accepts: 'an array of paths, such as ["sitemaps/main.xml"]',
    test: (value) =>
      Array.isArray(value) &&
      value.every(
        (path) =>
          typeof path === 'string' && path !== '' && parsedUrl(path, 'https://example.org/') !== undefined,
      ),
    default: [],
    flag: place('--known-path <path>', 'also request this path; repeatable'),
    archive: 'kept',
    section: 'Where to look',
    text: 'More paths to request, relative to the homepage; also with `useKnownPaths: false`',
  },
  useHomepageLinks: {
    ...BOOLEAN,
    default: false,
    flag: place('--homepage-links', 'also fetch sitemaps that the homepage links to'),
    archive: 'kept',
    section: 'Where to look',
    text: "Also follow the sitemap and feed links of the homepage's own HTML, and its `Link:` header",
  },
  normalizeHomepageUrl: {
    ...BOOLEAN,
    default: true,
    flag: place('--no-normalize', 'keep the path of the URL, and look below it'),
    archive: 'kept',
    section: 'Where to look',
    text: 'Shorten the homepage to the root of its site; `false` keeps its path and looks below it',
  },
  recurseListCallback: {
    ...callback('`(urls, recursionLevel, parentUrls, { entries, parent }) => urls`'),
    archive: 'named',
    section: 'Filters',
    text: 'Which children of an index to fetch, all at once; runs first',
  },
  recurseCallback: {
    ...callback('`(url, recursionLevel, parentUrls, { entry, parent }) => boolean`'),
    archive: 'named',
    section: 'Filters',
    text: 'Which children to fetch, one at a time',
  },
  previous: {
    type: '`Sitemap`',
    accepts: 'a sitemap, as sitemapTreeForHomepage, sitemapFromUrl or loadTree gives it',
    // Its class is not asked for: then everything that checks options would load the parser.
    test: (value) => isObject(value) && 'kind' in value && hasMethod(value, 'allSitemaps'),
    section: 'Reading a site again',
    text:
      'An earlier tree of the site, from `loadTree` or from an earlier call. What has not changed since ' +
      'is not downloaded again, and every node has a `freshness`',
  },
  trustLastmod: {
    ...BOOLEAN,
    default: false,
    section: 'Reading a site again',
    text:
      'Do not request a page sitemap at all if its index declares the same `<lastmod>` as at its last ' +
      'good read, and that time was over by then. Many sites declare wrong dates',
  },
  staleIfError: {
    ...BOOLEAN,
    default: false,
    section: 'Reading a site again',
    text:
      'Show what could not be read this time as `previous` has it, with freshness `stale` and the problem ' +
      '`stale`; also what nothing declares any more, until everything declared since then was read',
  },
  goneAfter: {
    ...wholeNumber(1),
    default: 2,
    archive: 'kept',
    section: 'Reading a site again',
    text:
      'With `staleIfError`: a document of `previous` that responds with 404 is gone once this number of runs ' +
      'have seen that. A 410 is gone at once',
  },
  maxStaleMs: {
    ...milliseconds(0),
    archive: 'kept',
    section: 'Reading a site again',
    text: 'With `staleIfError`: a page sitemap whose last good read is longer ago is not kept',
  },
  maxSitemaps: {
    ...wholeNumber(1),
    default: 50_000,
    flag: place('--max-sitemaps <n>', 'stop after N sitemaps'),
    archive: 'kept',
    section: 'Limits',
    text:
      'Nodes of the tree, a shared sitemap counted at each place. Past it, children get no node, and ' +
      'their index one problem, `too-many-sitemaps`',
  },
  maxDepth: {
    ...wholeNumber(0),
    default: 11,
    flag: place('--max-depth <n>', 'follow N levels of indexes'),
    archive: 'kept',
    section: 'Limits',
    text:
      'Levels of nesting; robots.txt and known paths are level 0. Deeper ones are `InvalidSitemap`s with ' +
      'code `max-depth`',
  },
  maxSitemapBytes: {
    ...wholeNumber(1),
    default: 100 * 1024 * 1024,
    archive: 'kept',
    section: 'Limits',
    text:
      'Bytes of one document after all decoding (100 MiB). Past it, the document is truncated, with the ' +
      'problem `too-large`. A content coding may take twice as many bytes and 64 KiB before decoding',
  },
  maxTimeMs: {
    ...milliseconds(1),
    flag: network('--timeout <seconds>', 'time for one site; what was found is printed'),
    archive: 'kept',
    section: 'Limits',
    text: 'Time for the whole call. What was not fetched by then is an `InvalidSitemap` with code `limit`',
  },
  maxPages: {
    ...wholeNumber(1),
    flag: { group: 'filter', flags: '--max-pages <n>', help: 'stop after N pages' },
    section: 'Limits',
    text: 'Streams: stop after this number of pages. `collectPages`: reject where there are more (1,000,000)',
  },
  agent: {
    type: '`string`',
    accepts: 'the name of an agent, such as GPTBot',
    test: isAgent,
    section: 'Filters',
    text: 'Streams and `collectPages`: whose rules of robots.txt [`verdictOf`](streaming.md#who-may-fetch-a-page) goes by',
  },
  signal: {
    type: '`AbortSignal`',
    accepts: 'an AbortSignal',
    test: (value) =>
      isObject(value) &&
      'aborted' in value &&
      hasMethod(value, 'addEventListener') &&
      hasMethod(value, 'removeEventListener'),
    section: 'Limits',
    text: "Aborts the call, which then rejects with the signal's reason",
  },
  concurrency: {
    ...wholeNumber(1),
    default: 16,
    flag: network('--concurrency <n>', 'requests at once'),
    section: 'Politeness',
    text: 'Requests in flight at once; a slot is held until the body ends, not while backing off',
  },
  perHostConcurrency: {
    ...wholeNumber(1),
    default: 16,
    section: 'Politeness',
    text: 'The same, for each host, at most: [the host sets its own pace](http-client.md#rate-limits)',
  },
  waitMs: {
    ...milliseconds(0),
    default: 0,
    flag: network('--wait <seconds>', 'pause between requests to one host'),
    section: 'Politeness',
    text: 'Least time from the start of one request to a host to the start of its next',
  },
  randomWait: {
    ...BOOLEAN,
    default: false,
    flag: network('--random-wait', 'vary --wait from half to one and a half times'),
    section: 'Politeness',
    text: 'Multiply each `waitMs` by a random factor from 0.5 to 1.5',
  },
  retries: {
    ...wholeNumber(0),
    default: 4,
    flag: network('--retries <n>', 'attempts after the first one'),
    section: 'Requests',
    text: 'Attempts after the first one; with `0` every request is sent once',
  },
  connectTimeoutMs: {
    ...milliseconds(1),
    default: 10_000,
    isOfDefaultClient: true,
    section: 'Requests',
    text: 'Time to connect; for the default client',
  },
  idleTimeoutMs: {
    ...milliseconds(1),
    default: 60_000,
    section: 'Requests',
    text: 'Time without a response or a byte',
  },
  sitemapTimeoutMs: {
    ...milliseconds(1),
    default: 600_000,
    section: 'Requests',
    text: 'Time on the wire for one document, all its attempts together; your own pauses do not count',
  },
  maxRedirects: {
    ...wholeNumber(0),
    default: 10,
    archive: 'kept',
    section: 'Requests',
    text: 'Redirects followed for one document',
  },
  userAgent: {
    type: '`string`',
    accepts: 'a text without line breaks',
    test: (value) => typeof value === 'string' && value.trim() !== '' && headerValue.test(value),
    default: `ultimate-sitemap-parser/${VERSION}`,
    flag: network('--user-agent <text>', 'the User-Agent header'),
    archive: 'named',
    section: 'Requests',
    text: 'Sent to every host',
  },
  headers: {
    type: 'object, or `(url) => object | undefined`',
    accepts: `${HEADERS_ACCEPTED}, or a function of the URL that returns one`,
    test: (value) => isFunction(value) || isHeaders(value),
    default: {},
    flag: network('-H, --header <header>', "'Name: value', sent to the site only; repeatable"),
    archive: 'named',
    isSecret: true,
    section: 'Requests',
    text: "An object goes to the homepage's host only; a function decides for itself",
  },
  proxy: {
    type: '`string`, `URL` or `false`',
    accepts: 'an http:, https: or socks5: URL, or false for none',
    test: (value) =>
      value === false ||
      ((typeof value === 'string' || value instanceof URL) && proxyUrl(String(value)) !== undefined),
    flag: network('--proxy <url>', "an http, https or socks5 URL, or 'none'"),
    archive: 'named',
    isSecret: true,
    isOfDefaultClient: true,
    section: 'Requests',
    text:
      '`http:`, `https:`, `socks5:` or `socks5h:`; `false` for none. If it is not given, the environment ' +
      'decides',
  },
  cookies: {
    ...BOOLEAN,
    default: false,
    flag: network('--cookies', 'keep cookies, each for the origin that set it'),
    archive: 'named',
    isOfDefaultClient: true,
    section: 'Requests',
    text: 'Keep cookies during the call, each for the origin that set it',
  },
  ca: {
    type: 'PEM text or bytes, or an array of these',
    accepts: 'the content of a PEM file with certificates (not its name), or an array of these',
    test: (value) =>
      Array.isArray(value) ? value.length > 0 && value.every(isCertificates) : isCertificates(value),
    flag: network('--cacert <file>', 'trust the certificates in a PEM file too'),
    archive: 'named',
    isSecret: true,
    isOfDefaultClient: true,
    section: 'Requests',
    text: 'Certificates of authorities to trust besides those that Node trusts',
  },
  cert: {
    type: 'PEM text or bytes',
    accepts: 'the content of a PEM file with a certificate (not its name)',
    test: isCertificates,
    flag: network('--cert <file>', 'client certificate in PEM, sent to the site only'),
    archive: 'named',
    isSecret: true,
    isOfDefaultClient: true,
    section: 'Requests',
    text: "Client certificate, with its chain; the homepage's host gets it, and no other. Needs `key`",
  },
  key: {
    type: 'PEM text or bytes',
    accepts: 'the content of a PEM file with a private key, without a passphrase (not its name)',
    test: isPrivateKey,
    flag: network('--key <file>', 'its private key, if not in the same file'),
    archive: 'named',
    isSecret: true,
    isOfDefaultClient: true,
    section: 'Requests',
    text: 'The private key of `cert`, without a passphrase',
  },
  verifyTls: {
    ...BOOLEAN,
    default: true,
    flag: network('--insecure', 'accept invalid certificates'),
    archive: 'named',
    isOfDefaultClient: true,
    section: 'Requests',
    text: 'Check certificates',
  },
  allowPrivateNetworks: {
    ...BOOLEAN,
    default: false,
    flag: network('--allow-private', 'let sitemaps lead to private networks'),
    archive: 'named',
    isOfDefaultClient: true,
    section: 'Requests',
    text: 'Allow requests to private, loopback and link-local addresses',
  },
  webClient: {
    type: 'a function shaped like `fetch`',
    accepts: 'a function shaped like fetch',
    test: isFunction,
    flag: network('--from-warc <file>', 'read a WARC file instead of the web; repeatable'),
    archive: 'named',
    section: 'Requests',
    text:
      'Instead of the default client, which is built on `node:http`; not together with `proxy`, ' +
      '`verifyTls`, `ca`, `cert`, `key`, `cookies`, `allowPrivateNetworks` or `connectTimeoutMs`',
  },
  logger: {
    type: '`{ debug, info, warn, error }`',
    accepts: 'an object with the methods debug, info, warn and error',
    test: (value) =>
      isObject(value) && ['debug', 'info', 'warn', 'error'].every((method) => hasMethod(value, method)),
    default: { debug() {}, info() {}, warn() {}, error() {} },
    section: 'Watching',
    text: 'Where log lines go; `console` and a pino logger fit',
  },
  onProgress: {
    ...callback('`(event) => void`'),
    section: 'Watching',
    text:
      'Called for sitemaps `queued`, `started`, `finished`, `failed`, `retried`, for hosts that make a ' +
      'call wait (`waiting`), and for `bytes`, at most ten times a second; by a stream also for the ' +
      '`problems` of each document; each with `totals`',
  },
  problemPositions: {
    ...BOOLEAN,
    default: false,
    section: 'Watching',
    text:
      'Give the [problems](problem-codes.md) of documents their `line` and `column`. Counting lines makes ' +
      'parsing take about a fifth longer',
  },
  spoolDirectory: {
    type: '`string`',
    accepts: 'the path of a directory',
    test: (value) => typeof value === 'string' && value !== '',
    section: 'Memory',
    text: "Where a tree's temporary file is made; by default, in the system's directory for temporary files",
  },
  spoolMemoryBytes: {
    ...wholeNumber(0),
    default: 32 * 1024 * 1024,
    section: 'Memory',
    text:
      'Bytes of documents that a tree keeps in memory before it uses the file (32 MiB). A document of ' +
      'more than 1/32 of it (1 MiB) goes to the file at once',
  },
};
