/** Checks options, fills in the defaults, and selects those that an archive keeps. */

import { SITE_PAGE_FILTERS, SITEMAP_FILTERS } from '../filter/filter-values.ts';
import { checkValue } from '../problems/arguments.ts';
import { badOption } from '../problems/errors.ts';
import { checkIsPlain, checkNames } from '../problems/option-names.ts';
import { abortSignalOf } from '../runtime/abort.ts';
import { isKeyOf } from './network-values.ts';
import {
  defaultOf,
  OPTIONS,
  type OptionRow,
  type OptionUse,
  OWN_DEFAULTS,
  plainHeaders,
  type Undefaulted,
} from './option-table.ts';
import type { FetchHeaders, HeadersOption, StreamOptions } from './options.ts';

/** The entry point that the options are for. Only streams have filters, `maxPages` and `robotsAgent`. */
export type OptionsFor = 'tree' | 'sitemap' | 'stream' | 'sitemap-stream';

export type ResolvedOptions = {
  readonly [Name in Exclude<keyof StreamOptions, Undefaulted>]-?: NonNullable<StreamOptions[Name]>;
} & {
  readonly [Name in Undefaulted]: StreamOptions[Name] | undefined;
} & { readonly headers: Exclude<HeadersOption, FetchHeaders> };

const ROWS: readonly (readonly [string, OptionRow])[] = Object.entries(OPTIONS);
const DEFAULTS: Readonly<Record<string, unknown>> = Object.fromEntries(
  ROWS.map(([name, row]) => [name, row.default]),
);
const NAMES = Object.keys(OPTIONS) as (keyof StreamOptions)[];

/**
 * Checks options and fills in the defaults: a mistake is reported before anything is fetched.
 *
 * @throws SitemapException with code `bad-option`, naming the option and what it accepts
 */
export function resolveOptions(options: StreamOptions | undefined, where: OptionsFor): ResolvedOptions {
  const checked = checkCallerOptions(options === undefined ? {} : options, where);
  // A signal of another realm or library (jsdom's, a polyfill's) becomes one of Node's, which has everything that we
  // use.
  const signal = checked.signal === undefined ? undefined : abortSignalOf(checked.signal);
  return { ...DEFAULTS, ...checked, signal, ...observersOf(checked) } as ResolvedOptions;
}

/**
 * The callbacks whose results are not used. They may be async: a rejection is thrown when the next callback is called,
 * and does not end the process.
 */
function observersOf({ onProgress, logger }: CallerOptions): Pick<CallerOptions, 'onProgress' | 'logger'> {
  const failures: unknown[] = [];
  const guarded =
    <Event>(tell: (event: Event) => unknown) =>
    (event: Event): void => {
      if (failures.length > 0) throw failures[0];
      const result = tell(event);
      if (result instanceof Promise) result.catch((reason) => failures.push(reason));
    };
  return {
    ...(onProgress && { onProgress: guarded(onProgress) }),
    ...(logger && {
      logger: {
        debug: guarded((message: string) => logger.debug(message)),
        info: guarded((message: string) => logger.info(message)),
        warn: guarded((message: string) => logger.warn(message)),
        error: guarded((message: string) => logger.error(message)),
      },
    }),
  };
}

/** Adds the defaults that differ for many sites, or for agents. */
export function withDefaultsFor<Options extends StreamOptions>(use: OptionUse, options: Options): Options {
  const rows = ROWS.filter(
    ([name, { defaultFor }]) => defaultFor?.[use] !== undefined && Reflect.get(options, name) === undefined,
  );
  return { ...options, ...Object.fromEntries(rows.map(([name, row]) => [name, defaultOf(row, use)])) };
}

/**
 * Divides options into those that only the calling function has, which are checked and get their defaults, and the
 * others.
 *
 * @throws SitemapException with code `bad-option`
 */
export function ownOptions<Options extends object, Name extends keyof typeof OWN_DEFAULTS>(
  options: Options,
  names: readonly Name[],
): readonly [own: Readonly<Record<Name, number>>, others: Omit<Options, Name>] {
  checkIsPlain(options);
  const checkedEntries = names.map((name) => {
    const option: unknown = Reflect.get(options, name);
    const value = option === undefined ? OWN_DEFAULTS[name] : option;
    if (Number.isSafeInteger(value) && Number(value) >= 1) return [name, value];
    throw badOption(`The option "${name}" must be a whole number, 1 or more.`, name);
  });
  const others = Object.entries(options).filter(([name]) => !names.some((each) => each === name));
  return [Object.fromEntries(checkedEntries), Object.fromEntries(others) as Omit<Options, Name>];
}

type CallerOptions = { readonly [Name in keyof StreamOptions]?: NonNullable<StreamOptions[Name]> };

/** Options of other sitemap libraries and of `fetch`, and their names here. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['concurrentRequests', '"concurrency"'],
  ['debug', '"logger": console'],
  ['exclusions', '"exclude"'],
  ['fetch', '"webClient"'],
  ['filter', '"include" or "exclude"'],
  ['globs', '"include"'],
  ['lastmod', '"since"'],
  ['maxConcurrency', '"concurrency"'],
  ['maxRetries', '"retries"'],
  ['proxyAgent', '"proxy", the URL of the proxy'],
  ['proxyUrl', '"proxy"'],
  ['rejectUnauthorized', '"verifyTls"'],
  ['requestHeaders', '"headers"'],
  ['sitemapRetries', '"retries"'],
  ['timeout', '"idleTimeoutMs" for the wait for the next byte, or "maxTimeMs" for the whole call'],
  ['timeoutMillis', '"idleTimeoutMs" for the wait for the next byte, or "maxTimeMs" for the whole call'],
]);

function checkCallerOptions(options: StreamOptions, where: OptionsFor): CallerOptions {
  checkNames(options, NAMES, OTHER_NAMES);
  const checked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (SITE_OPTIONS.includes(name) && where.startsWith('sitemap')) {
      const belongs = 'sitemapTreeForHomepage, streamPages, collectPages and crawlSites';
      throw badOption(`The option "${name}" belongs to ${belongs}: one sitemap is read, not its site.`, name);
    }
    if (isPageOption(name) && !where.endsWith('stream')) throw badOption(describePageOption(name), name);
    if (name === 'robotsAgent' && where !== 'stream') {
      throw badOption(
        'The option "robotsAgent" belongs to streamPages, collectPages and crawlSites; for a tree, use robotsVerdicts.',
        name,
      );
    }
    const row: OptionRow = OPTIONS[name as keyof StreamOptions];
    checkValue(name, row, value);
    checked[name] = name === 'headers' ? plainHeaders(value) : value;
  }
  if (Object.hasOwn(checked, 'webClient')) {
    const [clash] = ROWS.find(([name, row]) => row.isOfDefaultClient && Object.hasOwn(checked, name)) ?? [];
    if (clash !== undefined) {
      throw badOption(
        `The option "${clash}" configures the default client; with "webClient", configure that client instead.`,
        clash,
      );
    }
  }
  if (checked['robotsAgent'] !== undefined && checked['useRobots'] === false) {
    throw badOption(
      'The option "robotsAgent" needs robots.txt, which "useRobots: false" leaves out.',
      'robotsAgent',
    );
  }
  if (checked['sample'] !== undefined && checked['maxPages'] !== undefined)
    throw badOption('The option "sample" cannot be combined with "maxPages".', 'sample');
  checkClientCertificate(checked);
  return checked;
}

const SITE_OPTIONS = [
  'useRobots',
  'useKnownPaths',
  'extraKnownPaths',
  'useHomepageLinks',
  'normalizeHomepageUrl',
  'followListedSitemaps',
];

function isPageOption(name: string): boolean {
  return (
    name === 'maxPages' || Object.hasOwn(SITE_PAGE_FILTERS, name) || Object.hasOwn(SITEMAP_FILTERS, name)
  );
}

/** The message about an option of pages: where it belongs, and what to use for a tree. */
const describePageOption = (name: string): string => {
  const belongs = `The option "${name}" belongs to streamPages, streamSitemap, collectPages and crawlSites`;
  if (name === 'maxPages') return `${belongs}.`;
  const instead = Object.hasOwn(SITE_PAGE_FILTERS, name) ? `allPages({ ${name} })` : 'recurseCallback';
  return `${belongs}; for a tree, use ${instead}.`;
};

function checkClientCertificate({ cert, key }: CallerOptions): void {
  if (cert === undefined && key === undefined) return;
  if (key === undefined) throw badOption('The option "cert" also needs the option "key".', 'cert');
  if (cert === undefined) throw badOption('The option "key" also needs the option "cert".', 'key');
  if (!isKeyOf(cert, key)) {
    throw badOption(
      'The private key in the option "key" does not belong to the certificate in the option "cert".',
      'key',
    );
  }
}

/** The options that decide which documents a tree has: an archive keeps them, so that its site can be read again. */
export const SHAPING_OPTIONS: readonly string[] = ROWS.filter(([, { archive }]) => archive === 'kept').map(
  ([name]) => name,
);

export function shapingOptions(options: ResolvedOptions): Readonly<Record<string, unknown>> {
  const names = SHAPING_OPTIONS.filter((name) => isGiven(options, name));
  return Object.fromEntries(names.map((name) => [name, Reflect.get(options, name)]));
}

/**
 * The names of given options that also shape a tree, but must not be saved: secrets, functions, and options that
 * protect a caller, which a file must not turn off.
 */
export function notKeptOptions(options: ResolvedOptions): readonly string[] {
  return ROWS.filter(([name, { archive }]) => archive === 'named' && isGiven(options, name)).map(
    ([name]) => name,
  );
}

function isGiven(options: ResolvedOptions, name: string): boolean {
  const value: unknown = Reflect.get(options, name);
  // `false` means no proxy.
  if (name === 'proxy' && value === false) return false;
  if (typeof value === 'function') return true;
  return JSON.stringify(value) !== JSON.stringify(DEFAULTS[name]);
}
