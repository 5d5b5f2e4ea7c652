/** Fills in the defaults of the options, once they are checked. */
import { onAbort } from '../runtime/abort.ts';
import type { SitemapOptions, StreamOptions } from './options.ts';
import { checkGivenOptions } from './rules.ts';
import { VERSION } from './version.ts';

/** Which entry point the options are for; `maxPages` is the streams' alone. */
export type OptionsFor = 'tree' | 'sitemap' | 'stream';

/** The options that have a default. */
type Defaulted =
  | 'useRobots'
  | 'useKnownPaths'
  | 'extraKnownPaths'
  | 'useHomepageLinks'
  | 'normalizeHomepageUrl'
  | 'trustLastmod'
  | 'staleIfError'
  | 'concurrency'
  | 'perHostConcurrency'
  | 'waitMs'
  | 'randomWait'
  | 'maxDepth'
  | 'maxSitemaps'
  | 'maxSitemapBytes'
  | 'retries'
  | 'connectTimeoutMs'
  | 'idleTimeoutMs'
  | 'sitemapTimeoutMs'
  | 'maxRedirects'
  | 'userAgent'
  | 'headers'
  | 'verifyTls'
  | 'cookies'
  | 'allowPrivateNetworks'
  | 'logger'
  | 'spoolMemoryBytes'
  | 'problemPositions';

/** The bytes of documents that a tree keeps in memory before it uses a file. */
export const DEFAULT_SPOOL_MEMORY_BYTES: number = 32 * 1024 * 1024;

export const DEFAULTS: { readonly [Name in Defaulted]: NonNullable<SitemapOptions[Name]> } = {
  useRobots: true,
  useKnownPaths: true,
  extraKnownPaths: [],
  useHomepageLinks: false,
  normalizeHomepageUrl: true,
  trustLastmod: false,
  staleIfError: false,
  concurrency: 16,
  perHostConcurrency: 16,
  waitMs: 0,
  randomWait: false,
  maxDepth: 11,
  maxSitemaps: 50_000,
  maxSitemapBytes: 100 * 1024 * 1024,
  retries: 4,
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 60_000,
  sitemapTimeoutMs: 600_000,
  maxRedirects: 10,
  userAgent: `ultimate-sitemap-parser/${VERSION}`,
  headers: {},
  verifyTls: true,
  cookies: false,
  allowPrivateNetworks: false,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  spoolMemoryBytes: DEFAULT_SPOOL_MEMORY_BYTES,
  problemPositions: false,
};

const UNSET: { readonly [Name in Exclude<keyof StreamOptions, Defaulted>]: undefined } = {
  recurseCallback: undefined,
  recurseListCallback: undefined,
  previous: undefined,
  maxTimeMs: undefined,
  maxPages: undefined,
  signal: undefined,
  proxy: undefined,
  ca: undefined,
  cert: undefined,
  key: undefined,
  webClient: undefined,
  onProgress: undefined,
  spoolDirectory: undefined,
};

/** Options as the rest of the library sees them: every default filled in. */
export type ResolvedOptions = {
  readonly [Name in Defaulted]-?: NonNullable<SitemapOptions[Name]>;
} & {
  readonly [Name in Exclude<keyof StreamOptions, Defaulted>]: StreamOptions[Name] | undefined;
};

/**
 * Checks options and fills in the defaults.
 *
 * @throws SitemapException with code `bad-option`, naming the option and what it accepts
 */
export function resolveOptions(options: StreamOptions | undefined, where: OptionsFor): ResolvedOptions {
  const checked = checkGivenOptions(
    options === undefined ? {} : options,
    where === 'stream' ? [] : ['maxPages'],
  );
  return { ...UNSET, ...DEFAULTS, ...checked, signal: ownSignal(checked.signal) };
}

/** A signal of another realm or library (jsdom's, a polyfill's) becomes one of Node's, which knows all that we use. */
function ownSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  onAbort(signal, (reason) => controller.abort(reason));
  return controller.signal;
}
