/**
 * What each option accepts, one line an option, and the check that holds a caller to it: a mistake is reported
 * before anything is fetched, by name, with what the option accepts.
 *
 * @packageDocumentation
 */
import { badOption, checkNames } from './names.ts';
import type { StreamOptions } from './options.ts';
import { isCertificates, isKeyOf, isPrivateKey } from './pem.ts';
import { proxyUrl } from './proxy.ts';

interface Rule {
  readonly accepts: string;
  readonly test: (value: unknown) => boolean;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const hasMethod = (value: object, name: string): boolean => isFunction(Reflect.get(value, name));

const boolean: Rule = { accepts: 'true or false', test: (value) => typeof value === 'boolean' };
const callback: Rule = { accepts: 'a function', test: isFunction };

const integerFrom = (least: number): Rule => ({
  accepts: `a whole number, ${least} or more`,
  test: (value) => Number.isSafeInteger(value) && (value as number) >= least,
});

const milliseconds = (least: number): Rule => ({
  accepts: `a number of milliseconds, ${least} or more`,
  test: (value) => typeof value === 'number' && Number.isFinite(value) && value >= least,
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

/** Whether `value` is an object of headers that may be sent. */
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

function isProxy(value: unknown): boolean {
  if (value === false) return true;
  return (typeof value === 'string' || value instanceof URL) && proxyUrl(String(value)) !== undefined;
}

const LOGGER_METHODS = ['debug', 'info', 'warn', 'error'] as const;

const RULES: { readonly [Name in keyof Required<StreamOptions>]: Rule } = {
  useRobots: boolean,
  useKnownPaths: {
    accepts: 'true, false or "if-none-declared"',
    test: (value) => typeof value === 'boolean' || value === 'if-none-declared',
  },
  extraKnownPaths: {
    accepts: 'an array of paths, such as ["sitemaps/main.xml"]',
    test: (value) =>
      Array.isArray(value) &&
      value.every(
        (path) => typeof path === 'string' && path !== '' && URL.canParse(path, 'https://example.org/'),
      ),
  },
  useHomepageLinks: boolean,
  normalizeHomepageUrl: boolean,
  recurseCallback: callback,
  recurseListCallback: callback,
  previous: {
    accepts: 'a sitemap, as sitemapTreeForHomepage, sitemapFromUrl or loadTree gives it',
    // Its class is not asked for: then everything that checks options would load the parser.
    test: (value) => isObject(value) && 'kind' in value && hasMethod(value, 'allSitemaps'),
  },
  trustLastmod: boolean,
  staleIfError: boolean,
  concurrency: integerFrom(1),
  perHostConcurrency: integerFrom(1),
  waitMs: milliseconds(0),
  randomWait: boolean,
  maxDepth: integerFrom(0),
  maxSitemaps: integerFrom(1),
  maxSitemapBytes: integerFrom(1),
  maxTimeMs: milliseconds(1),
  maxPages: integerFrom(1),
  signal: {
    accepts: 'an AbortSignal',
    test: (value) =>
      isObject(value) &&
      'aborted' in value &&
      hasMethod(value, 'addEventListener') &&
      hasMethod(value, 'removeEventListener'),
  },
  retries: integerFrom(0),
  connectTimeoutMs: milliseconds(1),
  idleTimeoutMs: milliseconds(1),
  sitemapTimeoutMs: milliseconds(1),
  maxRedirects: integerFrom(0),
  userAgent: {
    accepts: 'a text without line breaks',
    test: (value) => typeof value === 'string' && value.trim() !== '' && headerValue.test(value),
  },
  headers: {
    accepts: `${HEADERS_ACCEPTED}, or a function of the URL that returns one`,
    test: (value) => isFunction(value) || isHeaders(value),
  },
  proxy: { accepts: 'an http:, https: or socks5: URL, or false for none', test: isProxy },
  verifyTls: boolean,
  ca: {
    accepts: 'the content of a PEM file with certificates (not its name), or an array of these',
    test: (value) =>
      Array.isArray(value) ? value.length > 0 && value.every(isCertificates) : isCertificates(value),
  },
  cert: { accepts: 'the content of a PEM file with a certificate (not its name)', test: isCertificates },
  key: {
    accepts: 'the content of a PEM file with a private key, without a passphrase (not its name)',
    test: isPrivateKey,
  },
  cookies: boolean,
  allowPrivateNetworks: boolean,
  webClient: { accepts: 'a function shaped like fetch', test: isFunction },
  logger: {
    accepts: 'an object with the methods debug, info, warn and error',
    test: (value) => isObject(value) && LOGGER_METHODS.every((method) => hasMethod(value, method)),
  },
  onProgress: callback,
  spoolDirectory: {
    accepts: 'the path of a directory',
    test: (value) => typeof value === 'string' && value !== '',
  },
  spoolMemoryBytes: integerFrom(0),
  problemPositions: boolean,
};

/** Options that configure the default client, and so contradict a custom one. */
const DEFAULT_CLIENT_ONLY = [
  ...['proxy', 'verifyTls', 'ca', 'cert', 'key', 'cookies'],
  ...['allowPrivateNetworks', 'connectTimeoutMs'],
] as const;

type GivenOptions = { readonly [Name in keyof StreamOptions]?: NonNullable<StreamOptions[Name]> };

/**
 * The given options without those that are `undefined`.
 *
 * @param notHere - options that this entry point does not have
 * @throws SitemapException with code `bad-option`
 */
export function checkGivenOptions(
  options: StreamOptions,
  notHere: readonly (keyof StreamOptions)[],
): GivenOptions {
  checkNames(options, Object.keys(RULES));
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    const rule: Rule = RULES[name as keyof typeof RULES];
    if (value === undefined) continue;
    if (notHere.includes(name as keyof StreamOptions)) {
      throw badOption(`The option "${name}" belongs to streamPages and streamSitemap alone.`, name);
    }
    if (!rule.test(value)) {
      throw badOption(`The option "${name}" must be ${rule.accepts}${butWas(name, value, rule)}.`, name);
    }
    given[name] = value;
  }
  if (Object.hasOwn(given, 'webClient')) {
    const clash = DEFAULT_CLIENT_ONLY.find((name) => Object.hasOwn(given, name));
    if (clash !== undefined) {
      throw badOption(
        `The option "${clash}" is the default client’s: with "webClient", configure it in that client.`,
        clash,
      );
    }
  }
  checkClientCertificate(given);
  return given as GivenOptions;
}

function checkClientCertificate({ cert, key }: GivenOptions): void {
  if (cert === undefined && key === undefined) return;
  if (key === undefined) throw badOption('The option "cert" needs the option "key" beside it.', 'cert');
  if (cert === undefined) throw badOption('The option "key" needs the option "cert" beside it.', 'key');
  if (!isKeyOf(cert, key)) {
    throw badOption(
      'The private key in the option "key" does not belong to the certificate in the option "cert".',
      'key',
    );
  }
}

/** Options whose values may hold a password, and are never shown. */
const SECRET: readonly string[] = ['headers', 'proxy', 'ca', 'cert', 'key'] satisfies (keyof StreamOptions)[];

function butWas(name: string, value: unknown, { accepts }: Rule): string {
  return typeof value === 'string' && value !== '' && SECRET.includes(name)
    ? '; the text that was given is not shown here, since it may hold a password or a key'
    : `, not ${inWords(value, accepts)}`;
}

function inWords(value: unknown, accepted: string): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return accepted.includes('array') ? 'another array' : 'an array';
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${shortened(value)}`;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  return accepted.includes('object') ? 'another object' : 'an object';
}

/** So much of a text is repeated in a message. */
const SHOWN = 60;

function shortened(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}
