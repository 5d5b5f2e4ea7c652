/** A site on its way through a command: fetched with a line of progress, then what was found and its exit code. */
import {
  KNOWN_PATHS,
  type PageStream,
  type Sitemap,
  type SitemapOptions,
  type SitemapProgress,
  type StreamOptions,
  sitemapFromUrl,
  sitemapTreeForHomepage,
  streamPages,
  streamSitemap,
} from '../index.ts';
import { hostMapOf } from '../options/host-map.ts';
import { unlessAborted } from '../runtime/abort.ts';
import { SitePool } from '../site-pool.ts';
import { looksLikeSitemap, withoutUserinfo } from '../url.ts';
import { EXIT, type ExitCode, Interrupted, UsageError } from './endings.ts';
import { commandLine } from './messages/command-line.ts';
import { ProgressLine } from './messages/progress-line.ts';
import { describeNoSitemap, exitCodeOf, reportSite, type SiteResult } from './messages/site-messages.ts';
import { PageFilter, SitemapFilter } from './page-filter.ts';
import type { SiteFlags } from './program/flags.ts';
import type { CommandWorld } from './world.ts';

/** Where the address of a site comes from. */
interface SiteSource {
  /** The saved tree that names the site: a stranger may have written it, so the site may not be private. */
  readonly file?: string | undefined;
}

export class SiteCrawl {
  readonly url: URL;
  /** The site as messages name it. */
  readonly name: string;
  readonly progress: ProgressLine = new ProgressLine();
  readonly #flags: SiteFlags;
  readonly #world: CommandWorld;
  readonly #options: SitemapOptions;
  readonly #sitemaps: SitemapFilter;
  readonly #file: string | undefined;

  /** @param options - those of the library, where they are not all in the flags */
  constructor(
    url: URL,
    flags: SiteFlags,
    world: CommandWorld,
    options: SitemapOptions = world.network,
    sitemaps: SitemapFilter = new SitemapFilter(flags),
    { file }: SiteSource = {},
  ) {
    this.url = hostMapOf(options)?.public(url) ?? url;
    this.#flags = flags;
    this.#world = world;
    this.#options = options;
    this.#sitemaps = sitemaps;
    this.#file = file;
    const plain = withoutUserinfo(this.url);
    this.name = this.#isWholeSite ? `${plain.origin}/` : plain.href;
  }

  get #isWholeSite(): boolean {
    return this.#flags.sitemap !== true && this.#options.normalizeHomepageUrl !== false;
  }

  /** Says so where the URL of a site is probably that of a sitemap. @param doing - what `--sitemap` would do */
  hintAtSitemap(doing: (url: string) => string): boolean {
    if (!this.#isWholeSite || !looksLikeSitemap(this.url.pathname)) return false;
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

  /** @throws UsageError where the address of the site comes from a file, and is private */
  async tree(more: SitemapOptions = {}): Promise<Sitemap> {
    if (this.#file !== undefined) return this.#guardedTree(this.#file, this.#with(more));
    const fetchTree = this.#flags.sitemap === true ? sitemapFromUrl : sitemapTreeForHomepage;
    const tree = await fetchTree(this.url, this.#with(more));
    this.progress.hide();
    return tree;
  }

  async #guardedTree(file: string, options: StreamOptions): Promise<Sitemap> {
    const { signal } = this.#world.io;
    const pool = new SitePool(options, { isSiteGuarded: true });
    try {
      if (await unlessAborted(pool.refuses(this.url), signal)) {
        throw new UsageError(
          `${this.name} is at a private address. A file alone cannot choose such a site: give its URL, too.`,
          {
            hint: commandLine('usp', 'update', file, this.url.href),
          },
        );
      }
      const tree = this.#flags.sitemap === true ? pool.sitemap(this.url, {}) : pool.tree(this.url, {});
      return await tree;
    } finally {
      this.progress.hide();
      await pool.close();
    }
  }

  stream(more: StreamOptions = {}): PageStream {
    const open = this.#flags.sitemap === true ? streamSitemap : streamPages;
    return open(this.url, this.#with(more));
  }

  #with(more: StreamOptions): StreamOptions {
    const onProgress = (event: SitemapProgress): void => {
      this.progress.listener(event);
      more.onProgress?.(event);
    };
    const { callback: recurseCallback } = this.#sitemaps;
    return { ...this.#options, ...more, recurseCallback, onProgress };
  }

  /** Says what went wrong, and what there is not. */
  report(result: SiteResult, { reportedResult = result, pages, noneFound }: SiteReport = {}): ExitCode {
    const { maxTimeMs } = this.#options;
    const code = exitCodeOf(result, this.#flags, this.#knownPathCount(result));
    reportSite(this.#world.reporter, {
      name: this.name,
      result: reportedResult,
      pages: pages ?? new PageFilter({}, undefined),
      sitemaps: this.#sitemaps,
      noneFound: noneFound ?? this.#noneFound(result, code),
      timeout: maxTimeMs === undefined ? undefined : maxTimeMs / 1000,
    });
    const isOtherDocument =
      result.readable === 0 && result.invalid.some(({ code }) => code === 'not-a-sitemap');
    if (this.#flags.sitemap === true && isOtherDocument)
      this.#world.reporter.hint(
        '--sitemap reads one sitemap; without it, the sitemaps of the site are looked for',
      );
    return code;
  }

  #noneFound(result: SiteResult, code: ExitCode): string {
    const { pathname } = this.url;
    const isShortened = code === EXIT.noneFound && this.#isWholeSite && pathname !== '/';
    const words = describeNoSitemap(this.name, this.#flags, result, code, KNOWN_PATHS.length);
    return isShortened ? `${words} --no-normalize looks below ${pathname} instead.` : words;
  }

  /** How many known paths are requested for a site that declares no sitemap. */
  #knownPathCount({ problems }: SiteResult): number {
    if (this.#flags.sitemap === true) return 0;
    const { useKnownPaths, extraKnownPaths = [] } = this.#options;
    const isUnsure = problems.some(({ code }) => code === 'robots-txt-failed');
    const isLeftOut = useKnownPaths === false || (useKnownPaths === 'if-none-declared' && isUnsure);
    return (isLeftOut ? 0 : KNOWN_PATHS.length) + extraKnownPaths.length;
  }
}

interface SiteReport {
  /** The part of the result that messages are about. @default all of it */
  readonly reportedResult?: SiteResult;
  readonly pages?: PageFilter;
  /** The message where no sitemap could be read. @default what was requested, and what was not */
  readonly noneFound?: string | undefined;
}
