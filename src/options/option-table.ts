/**
 * The options, one row each: what it accepts, its default, its flag, and what an archive keeps of it. The checks and
 * the flags of `usp` with their help come from here; docs/options.md comes from here and from the TSDoc in options.ts.
 */

import type { SitemapFilterOptions, SitePageOptions } from '../filter/filter-options.ts';
import { SITE_PAGE_FILTERS, SITEMAP_FILTERS } from '../filter/filter-values.ts';
import { type Accepted, BOOLEAN, wholeNumber } from '../problems/arguments.ts';
import { isAgent } from '../robots/robots-rules.ts';
import { parsedUrl } from '../url.ts';
import { HostMap } from './host-map.ts';
import { isCertificates, isPrivateKey, proxyUrl } from './network-values.ts';
import type { StreamOptions } from './options.ts';
import { VERSION } from './version.ts';

interface Flag {
  readonly group: 'place' | 'filter' | 'network';
  /** As commander takes it. */
  readonly flags: string;
  readonly help: string;
  /** The words that the flag accepts, if it takes words, each with the value of the option. */
  readonly words?: Readonly<Record<string, unknown>>;
  /** How its text is read: a name of `VALUES` (cli/args/option-values.ts), if it is not a number or a text. */
  readonly value?: string;
  /** It names a file, and the option is the content of that file. */
  readonly isContent?: boolean;
  /** Other options that a message about this one also names. */
  readonly alsoNamed?: readonly string[];
  /** A second flag, which turns the option off. */
  readonly off?: { readonly flags: string; readonly help: string };
}

/** Uses with other defaults: `sites` for `crawlSites` and `usp crawl`, `agents` for `createMcpServer` and `usp mcp`. */
export type OptionUse = 'sites' | 'agents';

export interface OptionRow extends Accepted {
  readonly default?: unknown;
  /** Its default for many sites or for agents, if that differs. */
  readonly defaultFor?: Readonly<Partial<Record<OptionUse, unknown>>>;
  readonly flag?: Flag;
  /** It decides which documents a tree has: an archive saves its value (`kept`), or only that it was set (`named`). */
  readonly archive?: 'kept' | 'named';
  /** It configures the default client, and so contradicts a custom one. */
  readonly isOfDefaultClient?: boolean;
  /** It decides how fast a crawl is, and not what it finds: `usp crawl` may continue with another value. */
  readonly isPace?: boolean;
}

/** @param use - undefined for a single site */
export function defaultOf(
  { default: byDefault, defaultFor }: OptionRow,
  use: OptionUse | undefined,
): unknown {
  return (use === undefined ? undefined : defaultFor?.[use]) ?? byDefault;
}

export type Undefaulted =
  | keyof SitePageOptions
  | keyof SitemapFilterOptions
  | 'recurseCallback'
  | 'recurseListCallback'
  | 'previous'
  | 'maxStaleMs'
  | 'maxTimeMs'
  | 'maxPages'
  | 'robotsAgent'
  | 'signal'
  | 'mapHosts'
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
/** The flag of an option that is the content of a file. */
const contentOf = (flags: string, help: string, ...alsoNamed: readonly string[]): Flag => ({
  ...network(flags, help),
  isContent: true,
  alsoNamed,
});

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

/** Headers as a plain object: a `Headers` of any library is converted, other values stay as they are. */
export function plainHeaders(value: unknown): unknown {
  const isOfFetch = isObject(value) && hasMethod(value, 'getSetCookie') && Symbol.iterator in value;
  return isOfFetch ? Object.fromEntries(value as unknown as Iterable<readonly [string, string]>) : value;
}

export function isHeaders(value: unknown): value is Readonly<Record<string, string>> {
  return (
    isObject(value) &&
    !Array.isArray(value) &&
    !hasMethod(value, 'entries') &&
    !hasMethod(value, 'then') &&
    Object.entries(value).every(
      ([name, text]) =>
        headerName.test(name) &&
        !isConnectionHeader(name) &&
        typeof text === 'string' &&
        headerValue.test(text),
    )
  );
}

/** The values that headers accept, for messages about the option and about the result of a headers function. */
export const HEADERS_ACCEPTED: string =
  'a Headers or a plain object of header names and string values without line breaks ' +
  '(and without connection headers such as Host)';

/** The options that only `crawlSites` or `createMcpServer` has: whole numbers, 1 or more. */
export const OWN_DEFAULTS = {
  sitesAtOnce: 32,
  callsAtOnce: 16,
  callMs: 45_000,
  resultBytes: 40_000,
  keepMs: 900_000,
  // 512 MiB.
  maxSiteBytes: 536_870_912,
} as const;

/** `maxSitemaps` for archives that `usp update`, `crawl` and `mcp` have saved: limits are for files from others. */
export const OWN_ARCHIVE_SITEMAPS = 5_000_000;

/** In the order of the documentation and of the help. */
export const OPTIONS: OptionTable = {
  useRobots: {
    ...BOOLEAN,
    default: true,
    flag: place('-r, --no-robots', 'do not read robots.txt'),
    archive: 'kept',
  },
  useKnownPaths: {
    type: "`boolean` or `'if-none-declared'`",
    accepts: 'true, false or "if-none-declared"',
    test: (value) => typeof value === 'boolean' || value === 'if-none-declared',
    default: true,
    // Twenty guesses per site are not polite in a crawl of a million sites.
    defaultFor: { sites: 'if-none-declared' },
    flag: {
      ...place(
        '--known <when>',
        'request known paths: always, or if-none-declared (only if robots.txt declares no sitemap)',
      ),
      words: { always: true, 'if-none-declared': 'if-none-declared' },
      off: { flags: '-k, --no-known', help: 'do not request known paths such as /sitemap.xml' },
    },
    archive: 'kept',
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
    flag: { ...place('--known-path <path>', 'also request this path; repeatable'), value: 'paths' },
    archive: 'kept',
  },
  useHomepageLinks: {
    ...BOOLEAN,
    default: false,
    flag: place('--homepage-links', 'also fetch sitemaps that the homepage links to'),
    archive: 'kept',
  },
  normalizeHomepageUrl: {
    ...BOOLEAN,
    default: true,
    flag: place('--no-normalize', 'keep the path of the URL, and look for sitemaps below it'),
    archive: 'kept',
  },
  followListedSitemaps: {
    ...BOOLEAN,
    default: false,
    flag: place('--follow-listed', 'also read sitemaps that a sitemap lists as pages'),
    archive: 'kept',
  },
  recurseListCallback: {
    ...callback('`(urls, recursionLevel, parentUrls, { entries, parent }) => urls`'),
    archive: 'named',
  },
  recurseCallback: {
    ...callback('`(url, recursionLevel, parentUrls, { entry, parent }) => boolean`'),
    archive: 'named',
  },
  // These options decide which documents a tree of `crawlSites` has.
  sitemapInclude: { ...SITEMAP_FILTERS.sitemapInclude, archive: 'named' },
  sitemapExclude: { ...SITEMAP_FILTERS.sitemapExclude, archive: 'named' },
  ...SITE_PAGE_FILTERS,
  since: { ...SITE_PAGE_FILTERS.since, archive: 'named' },
  previous: {
    type: '`Sitemap`',
    accepts: 'a sitemap, as sitemapTreeForHomepage, sitemapFromUrl or loadTree gives it',
    // No instanceof: importing the class would load the parser.
    test: (value) => isObject(value) && 'kind' in value && hasMethod(value, 'allSitemaps'),
  },
  trustLastmod: { ...BOOLEAN, default: false },
  staleIfError: { ...BOOLEAN, default: false },
  goneAfter: { ...wholeNumber(1), default: 2, archive: 'kept' },
  maxStaleMs: { ...milliseconds(0), archive: 'kept' },
  maxSitemaps: {
    ...wholeNumber(1),
    default: 50_000,
    defaultFor: { agents: 10_000 },
    flag: place('--max-sitemaps <n>', 'stop after N sitemaps'),
    archive: 'kept',
  },
  maxDepth: {
    ...wholeNumber(0),
    default: 11,
    flag: place('--max-depth <n>', 'follow N levels of indexes'),
    archive: 'kept',
  },
  maxSitemapBytes: { ...wholeNumber(1), default: 100 * 1024 * 1024, archive: 'kept' },
  maxTimeMs: {
    ...milliseconds(1),
    // A site that never ends must not block the others forever.
    defaultFor: { sites: 3_600_000, agents: 600_000 },
    flag: network('--timeout <seconds>', 'stop after this time, and print what was found'),
    archive: 'kept',
  },
  maxPages: {
    ...wholeNumber(1),
    defaultFor: { agents: 2_000_000 },
    flag: { group: 'filter', flags: '--max-pages <n>', help: 'stop after N pages' },
  },
  sample: {
    ...SITE_PAGE_FILTERS.sample,
    flag: {
      group: 'filter',
      flags: '--sample <n>',
      help: 'list N pages from all sitemaps; the same every time',
    },
  },
  listAlternates: {
    ...SITE_PAGE_FILTERS.listAlternates,
    flag: {
      group: 'filter',
      flags: '--list-alternates',
      help: 'also list the alternates of pages (hreflang)',
    },
  },
  robotsAgent: {
    type: '`string`',
    accepts: 'the name of an agent, such as GPTBot',
    test: isAgent,
  },
  signal: {
    type: '`AbortSignal`',
    accepts: 'an AbortSignal',
    test: (value) =>
      isObject(value) &&
      'aborted' in value &&
      hasMethod(value, 'addEventListener') &&
      hasMethod(value, 'removeEventListener'),
  },
  mapHosts: {
    type: "`{ 'here': 'public' }`",
    accepts: 'an object of hosts',
    // The constructor throws, and says what is wrong with a host.
    test: (value) => isObject(value) && !Array.isArray(value) && new HostMap({ ...value }) instanceof HostMap,
    // A file must not decide where requests go.
    archive: 'named',
  },
  concurrency: {
    ...wholeNumber(1),
    default: 16,
    flag: network('--concurrency <n>', 'send at most N requests at once'),
    isPace: true,
  },
  perHostConcurrency: { ...wholeNumber(1), default: 16, isPace: true },
  waitMs: {
    ...milliseconds(0),
    default: 0,
    flag: network('--wait <seconds>', 'minimum delay between two requests to one host'),
    isPace: true,
  },
  randomWait: {
    ...BOOLEAN,
    default: false,
    flag: network('--random-wait', 'multiply --wait by 0.5 to 1.5, at random'),
    isPace: true,
  },
  retries: {
    ...wholeNumber(0),
    default: 4,
    flag: network('--retries <n>', 'repeat a failed request at most N times'),
    isPace: true,
  },
  connectTimeoutMs: {
    ...milliseconds(1),
    default: 10_000,
    flag: network('--connect-timeout <seconds>', 'give up connecting after this time'),
    isOfDefaultClient: true,
    isPace: true,
  },
  idleTimeoutMs: {
    ...milliseconds(1),
    default: 60_000,
    flag: network('--idle-timeout <seconds>', 'give up a response that sends nothing for this time'),
    isPace: true,
  },
  sitemapTimeoutMs: { ...milliseconds(1), default: 600_000 },
  maxRedirects: { ...wholeNumber(0), default: 10, archive: 'kept' },
  userAgent: {
    type: '`string`',
    accepts: 'a text without line breaks',
    test: (value) => typeof value === 'string' && value.trim() !== '' && headerValue.test(value),
    default: `ultimate-sitemap-parser/${VERSION}`,
    flag: network('--user-agent <text>', 'the User-Agent header'),
    archive: 'named',
  },
  headers: {
    type: 'object or `Headers`, or `(url) => object | Headers | undefined`',
    accepts: `${HEADERS_ACCEPTED}, or a function of the URL that returns one`,
    test: (value) => isFunction(value) || isHeaders(plainHeaders(value)),
    default: {},
    flag: {
      ...network('-H, --header <header>', "'Name: value', sent to the site only; repeatable"),
      value: 'headers',
    },
    archive: 'named',
    isSecret: true,
  },
  proxy: {
    type: '`string`, `URL` or `false`',
    accepts: 'an http:, https: or socks5: URL, or false for none',
    test: (value) =>
      value === false ||
      ((typeof value === 'string' || value instanceof URL) && proxyUrl(String(value)) !== undefined),
    flag: { ...network('--proxy <url>', "use this http, https or socks5 proxy, or 'none'"), value: 'proxy' },
    archive: 'named',
    isSecret: true,
    isOfDefaultClient: true,
  },
  cookies: {
    ...BOOLEAN,
    default: false,
    flag: network('--cookies', 'keep cookies, each for the origin that set it'),
    archive: 'named',
    isOfDefaultClient: true,
  },
  ca: {
    type: 'PEM text or bytes, or an array of these',
    accepts: 'the content of a PEM file with certificates (not its name), or an array of these',
    test: (value) =>
      Array.isArray(value) ? value.length > 0 && value.every(isCertificates) : isCertificates(value),
    flag: contentOf('--cacert <file>', 'trust the certificates in a PEM file too', 'verifyTls'),
    archive: 'named',
    isSecret: true,
    isOfDefaultClient: true,
  },
  cert: {
    type: 'PEM text or bytes',
    accepts: 'the content of a PEM file with a certificate (not its name)',
    test: isCertificates,
    flag: contentOf('--cert <file>', 'client certificate in PEM, sent to the site only', 'key'),
    archive: 'named',
    isSecret: true,
    isOfDefaultClient: true,
  },
  key: {
    type: 'PEM text or bytes',
    accepts: 'the content of a PEM file with a private key, without a passphrase (not its name)',
    test: isPrivateKey,
    flag: contentOf('--key <file>', 'the private key of --cert, if it is in another file', 'cert'),
    archive: 'named',
    isSecret: true,
    isOfDefaultClient: true,
  },
  verifyTls: {
    ...BOOLEAN,
    default: true,
    flag: network('--insecure', 'accept invalid certificates'),
    archive: 'named',
    isOfDefaultClient: true,
  },
  allowPrivateNetworks: {
    ...BOOLEAN,
    default: false,
    flag: network('--allow-private', 'let sitemaps lead to private networks'),
    archive: 'named',
    isOfDefaultClient: true,
  },
  webClient: {
    type: 'a function shaped like `fetch`',
    accepts: 'a function shaped like fetch',
    test: isFunction,
    flag: {
      ...network('--from-warc <file>', 'read a WARC file instead of the web; repeatable'),
      value: 'texts',
    },
    archive: 'named',
  },
  logger: {
    type: '`{ debug, info, warn, error }`',
    accepts: 'an object with the methods debug, info, warn and error',
    test: (value) =>
      isObject(value) && ['debug', 'info', 'warn', 'error'].every((method) => hasMethod(value, method)),
    default: { debug() {}, info() {}, warn() {}, error() {} },
  },
  onProgress: { ...callback('`(event) => void`') },
  problemPositions: { ...BOOLEAN, default: false },
  spoolDirectory: {
    type: '`string`',
    accepts: 'the path of a directory',
    test: (value) => typeof value === 'string' && value !== '',
  },
  spoolMemoryBytes: { ...wholeNumber(0), default: 32 * 1024 * 1024 },
};
