/**
 * From the flags of the command line to the options of the library: other names, and seconds instead of milliseconds.
 */
import type { SitemapOptions } from '../../index.ts';

/** When known paths are requested; `false` is `--no-known`. */
type KnownFlag = 'always' | 'if-none-declared' | false;

/** The flags of `usp ls` that are about where to look and how to fetch. */
export interface CrawlFlags {
  readonly robots?: boolean | undefined;
  readonly known?: KnownFlag | undefined;
  readonly normalize?: boolean | undefined;
  readonly homepageLinks?: boolean | undefined;
  readonly knownPath?: readonly string[] | undefined;
  readonly concurrency?: number | undefined;
  /** Seconds. */
  readonly wait?: number | undefined;
  readonly randomWait?: boolean | undefined;
  /** Seconds, for one site. */
  readonly timeout?: number | undefined;
  readonly maxSitemaps?: number | undefined;
  readonly maxDepth?: number | undefined;
  readonly retries?: number | undefined;
  readonly userAgent?: string | undefined;
  readonly header?: Readonly<Record<string, string>> | undefined;
  readonly proxy?: string | false | undefined;
  readonly insecure?: boolean | undefined;
  /** The contents of PEM files. */
  readonly cacert?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly cookies?: boolean | undefined;
  readonly allowPrivate?: boolean | undefined;
  /** A file that everything is read from, instead of the web. */
  readonly fromWarc?: string | undefined;
}

const SECOND = 1000;

/** The library's options. */
export function crawlOptions(flags: CrawlFlags): SitemapOptions {
  return {
    useRobots: flags.robots,
    useKnownPaths: flags.known === 'always' ? true : flags.known,
    normalizeHomepageUrl: flags.normalize,
    useHomepageLinks: flags.homepageLinks,
    extraKnownPaths: flags.knownPath,
    // Most sites are one host, so the user means that host too.
    concurrency: flags.concurrency,
    perHostConcurrency: flags.concurrency,
    waitMs: flags.wait === undefined ? undefined : flags.wait * SECOND,
    randomWait: flags.randomWait,
    maxTimeMs: flags.timeout === undefined ? undefined : flags.timeout * SECOND,
    maxSitemaps: flags.maxSitemaps,
    maxDepth: flags.maxDepth,
    retries: flags.retries,
    userAgent: flags.userAgent,
    headers: flags.header,
    proxy: flags.proxy,
    verifyTls: flags.insecure === true ? false : undefined,
    ca: flags.cacert,
    cert: flags.cert,
    // A certificate and its key are often in one file.
    key: flags.key ?? (flags.cert?.includes('PRIVATE KEY-----') ? flags.cert : undefined),
    cookies: flags.cookies,
    allowPrivateNetworks: flags.allowPrivate,
  };
}
