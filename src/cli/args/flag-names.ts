/** The library's messages name the options that would change something; on the command line these are flags. */

/** The flag that sets an option. */
const FLAGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    allowPrivateNetworks: '--allow-private',
    ca: '--cacert',
    cert: '--cert',
    concurrency: '--concurrency',
    cookies: '--cookies',
    extraKnownPaths: '--known-path',
    headers: '--header',
    key: '--key',
    maxDepth: '--max-depth',
    maxPages: '--max-pages',
    maxSitemaps: '--max-sitemaps',
    maxTimeMs: '--timeout',
    normalizeHomepageUrl: '--no-normalize',
    perHostConcurrency: '--concurrency',
    proxy: '--proxy',
    randomWait: '--random-wait',
    retries: '--retries',
    url: '--url',
    useHomepageLinks: '--homepage-links',
    useKnownPaths: '--known',
    useRobots: '--no-robots',
    userAgent: '--user-agent',
    verifyTls: '--insecure',
    waitMs: '--wait',
  }),
);

/** Options that a message about another one names too. */
const BESIDE: ReadonlyMap<string, readonly string[]> = new Map([
  ['ca', ['verifyTls']],
  ['cert', ['key']],
  ['key', ['cert']],
]);

/**
 * A message with the flag instead of the option. A message names its option once, in parentheses or in quotes, behind
 * any URL that may have the same letters; an option without a flag is left out where it is in parentheses.
 *
 * @param option - the option that the message is about, as the library says beside it
 */
export function inFlags(message: string, option: string | undefined): string {
  if (option === undefined) return message;
  return [option, ...(BESIDE.get(option) ?? [])].reduce(inFlag, message);
}

function inFlag(message: string, option: string): string {
  const flag = FLAGS.get(option);
  const inParentheses = replacedLast(message, ` (${option})`, flag === undefined ? '' : ` (${flag})`);
  return inParentheses ?? replacedLast(message, `"${option}"`, flag ?? `"${option}"`) ?? message;
}

function replacedLast(text: string, from: string, to: string): string | undefined {
  const at = text.lastIndexOf(from);
  return at === -1 ? undefined : text.slice(0, at) + to + text.slice(at + from.length);
}
