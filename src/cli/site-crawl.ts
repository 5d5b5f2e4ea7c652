/** A site on its way through a command: fetched with a line of progress, then what was found and its exit code. */
import {
  KNOWN_PATHS,
  type PageStream,
  type ProgressEvent,
  type Sitemap,
  type SitemapOptions,
  type StreamOptions,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  streamPages,
  streamSitemap,
  type WebClient,
} from '../index.ts';
import { withoutUserinfo } from '../url.ts';
import { looksLikeSitemap } from './args/address.ts';
import { type CrawlFlags, crawlOptions } from './args/option-flags.ts';
import type { ExitCode } from './exit-codes.ts';
import { PageFilter, SitemapFilter, type SitemapFilterOptions } from './filter/page-filter.ts';
import type { CliIO } from './io.ts';
import { Interrupted } from './messages/endings.ts';
import { ProgressLine } from './messages/progress-line.ts';
import type { Reporter } from './messages/reporter.ts';
import { noneFoundInWords, report } from './messages/site-messages.ts';
import { exitCodeOf, type SiteResult } from './messages/site-result.ts';

export interface SiteFlags extends CrawlFlags, SitemapFilterOptions {
  /** Each URL is a sitemap, not a homepage. */
  readonly sitemap?: boolean | undefined;
  readonly strict?: boolean | undefined;
}

export interface CommandWorld {
  readonly io: CliIO;
  readonly reporter: Reporter;
  readonly webClient: WebClient | undefined;
}

export class SiteCrawl {
  readonly url: URL;
  /** The site as messages name it. */
  readonly name: string;
  readonly progress: ProgressLine = new ProgressLine();
  readonly #flags: SiteFlags;
  readonly #world: CommandWorld;
  readonly #sitemaps: SitemapFilter;

  constructor(url: URL, flags: SiteFlags, world: CommandWorld) {
    this.url = url;
    this.#flags = flags;
    this.#world = world;
    this.#sitemaps = new SitemapFilter(flags);
    const plain = withoutUserinfo(url);
    this.name = flags.sitemap === true || flags.normalize === false ? plain.href : `${plain.origin}/`;
  }

  /** Says so where the URL of a site is probably that of a sitemap. @param doing - what `--sitemap` would do */
  hintAtSitemap(doing: (url: string) => string): boolean {
    if (this.#flags.sitemap === true || this.#flags.normalize === false || !looksLikeSitemap(this.url))
      return false;
    const { href } = withoutUserinfo(this.url);
    this.#world.reporter.hint(`${href} looks like a sitemap: ${doing(href)}. Now for all of ${this.name}`);
    return true;
  }

  /** Shows the progress while something is done. @param interruption - what is said if the user interrupts it */
  async showing<Result>(doing: () => Promise<Result>, interruption: () => string): Promise<Result> {
    const { io, reporter } = this.#world;
    if (!reporter.isQuiet) await this.progress.show(io, this.url.host);
    try {
      return await doing();
    } catch (error) {
      if (io.signal.aborted) throw new Interrupted(interruption());
      throw error;
    } finally {
      this.progress.hide();
    }
  }

  async tree(more: SitemapOptions = {}): Promise<Sitemap> {
    const fetchTree = this.#flags.sitemap === true ? sitemapFromUrl : sitemapTreeForHomepage;
    const tree = await fetchTree(this.url, this.#options(more));
    this.progress.hide();
    return tree;
  }

  stream(more: StreamOptions = {}): PageStream {
    const open = this.#flags.sitemap === true ? streamSitemap : streamPages;
    return open(this.url, this.#options(more));
  }

  #options(more: StreamOptions): StreamOptions {
    const onProgress = (event: ProgressEvent): void => {
      this.progress.listener(event);
      more.onProgress?.(event);
    };
    const { callback: recurseCallback } = this.#sitemaps;
    return { ...networkOptions(this.#flags, this.#world), ...more, recurseCallback, onProgress };
  }

  /**
   * Says what went wrong, and what there is not.
   *
   * @param said - what is said of the result, where that is not all
   */
  report(
    result: SiteResult,
    { said = result, pages = new PageFilter({}, undefined) }: { said?: SiteResult; pages?: PageFilter } = {},
  ): ExitCode {
    const { timeout, maxSitemaps } = this.#flags;
    report(this.#world.reporter, {
      name: this.name,
      result: said,
      pages,
      sitemaps: this.#sitemaps,
      noneFound: noneFoundInWords(this.#flags, result, KNOWN_PATHS.length),
      timeout,
      maxSitemaps,
    });
    return exitCodeOf(result, this.#flags, knownPathCount(this.#flags, result));
  }
}

export function networkOptions(flags: CrawlFlags, { io, reporter, webClient }: CommandWorld): SitemapOptions {
  return { ...crawlOptions(flags), webClient, signal: io.signal, logger: reporter.logger };
}

/** How many known paths are requested for a site that declares no sitemap. */
function knownPathCount({ sitemap, known, knownPath = [] }: SiteFlags, { problems }: SiteResult): number {
  if (sitemap === true) return 0;
  const isUnsure = problems.some(({ code }) => code === 'robots-txt-failed');
  const isLeftOut = known === false || (known === 'if-none-declared' && isUnsure);
  return (isLeftOut ? 0 : KNOWN_PATHS.length) + knownPath.length;
}
