/** The library's messages in the words of the command line: it speaks of options, and here they are flags. */

/** The flag that sets an option. */
const FLAGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    allowPrivateNetworks: '--allow-private',
    concurrency: '--concurrency',
    extraKnownPaths: '--known-path',
    headers: '--header',
    maxDepth: '--max-depth',
    maxSitemaps: '--max-sitemaps',
    maxTimeMs: '--timeout',
    normalizeHomepageUrl: '--no-normalize',
    perHostConcurrency: '--concurrency',
    proxy: '--proxy',
    randomWait: '--random-wait',
    url: '--url',
    useHomepageLinks: '--homepage-links',
    useKnownPaths: '--no-known',
    useRobots: '--no-robots',
    userAgent: '--user-agent',
    verifyTls: '--insecure',
    waitMs: '--wait',
  }),
);

const flagOr = (text: string, option: string): string => FLAGS.get(option) ?? text;

// Each with a space in it, so that none is found inside a URL.
const PHRASES: readonly (readonly [RegExp, (text: string, word: string) => string])[] = [
  [/(?<=\s\()(max\w+)(?=\))/g, flagOr],
  [/\bthe (\w+) option(?= )/g, flagOr],
  [/\bThe option "?(\w+)"?(?= must )/g, flagOr],
  [/(?<=\s)(\w+)(?= permits it)/g, flagOr],
  [/(?<=\s)(normalizeHomepageUrl): false(?= )/g, flagOr],
  [/(?<= than )maxSitemapBytes \((\d+)\)/g, (_text, limit) => `the limit of ${limit} bytes`],
];

/** A message with the flags where it names options. */
export function inFlags(message: string): string {
  return PHRASES.reduce((text, [phrase, words]) => text.replaceAll(phrase, words), message);
}
