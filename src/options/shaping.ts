/** The options that decide which documents a tree has: an archive keeps them, so that its site can be read again. */
import { DEFAULTS, type ResolvedOptions } from './resolve.ts';

/** The names of these options. */
export const SHAPING_OPTIONS: readonly (keyof ResolvedOptions)[] = [
  ...(['useRobots', 'useKnownPaths', 'extraKnownPaths', 'useHomepageLinks', 'normalizeHomepageUrl'] as const),
  ...(['maxDepth', 'maxSitemaps', 'maxSitemapBytes', 'maxRedirects', 'maxTimeMs'] as const),
];

/** The shaping options that are not the default. */
export function shapingOptions(options: ResolvedOptions): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    SHAPING_OPTIONS.filter((name) => isGiven(options, name)).map((name) => [name, options[name]] as const),
  );
}

const NOT_KEPT = [
  // These may hold secrets.
  ...(['headers', 'userAgent', 'proxy', 'cookies', 'ca', 'cert', 'key'] as const),
  // These are functions.
  ...(['webClient', 'recurseCallback', 'recurseListCallback'] as const),
  // What protects a caller must not be turned off by a file.
  ...(['verifyTls', 'allowPrivateNetworks'] as const),
] as const;

/** The names of options that shape a tree as well, were given, and must not be kept. */
export function notKeptOptions(options: ResolvedOptions): readonly string[] {
  return NOT_KEPT.filter((name) => isGiven(options, name));
}

function isGiven(options: ResolvedOptions, name: keyof ResolvedOptions): boolean {
  const value = options[name];
  // No proxy is not a secret, and not a proxy.
  if (name === 'proxy' && value === false) return false;
  if (typeof value === 'function') return true;
  const unset: unknown = name in DEFAULTS ? DEFAULTS[name as keyof typeof DEFAULTS] : undefined;
  return JSON.stringify(value) !== JSON.stringify(unset);
}
