/** The flags of `usp crawl` that decide what is found: what its child processes and `usp worker` need of them. */
import { type CrawlDescription, folderOfCrawl, readDescription } from '../../batch/crawl-folder.ts';
import { CRAWL_FLAGS, shapeOf } from '../../batch/crawl-options.ts';
import type { CrawlCommandOptions } from '../../batch/crawl-sites.ts';
import { SitemapException } from '../../index.ts';
import { resolveOptions } from '../../options/resolve.ts';
import { fileTrouble } from '../../runtime/files.ts';
import { UsageError } from '../endings.ts';
import type { CRAWL, CrawlFlags, FlagsOf, PageFlags, SitemapFlags } from '../program/flags.ts';
import { crawlOptions, OPTION_ATTRIBUTES, SECRET_ATTRIBUTES } from './option-flags.ts';

export interface CrawlCommandFlags
  extends CrawlFlags,
    Omit<PageFlags & SitemapFlags, 'since' | 'until'>,
    Pick<FlagsOf<typeof CRAWL>, 'archives' | 'previous' | 'freshOnly'> {
  /** A time in ISO 8601: a `Date` does not survive a message or crawl.json. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export function givenFlags(flags: CrawlCommandFlags): CrawlCommandFlags {
  const names: readonly string[] = [...OPTION_ATTRIBUTES, ...Object.keys(CRAWL_FLAGS)];
  return Object.fromEntries(
    Object.entries(flags).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

/**
 * Checks that a crawl that goes on finds the same as it did before: what its flags come to counts, so a default that is
 * given is the same as none. Those that only decide how fast it is may be others.
 *
 * @throws UsageError
 */
export function checkSameFlags(path: string, before: ShapedCrawl, now: ShapedCrawl): void {
  const byFlag = ({ format, options }: ShapedCrawl): ReadonlyMap<string, unknown> =>
    new Map<string, unknown>([['--format', format], ...shapeOf(options)]);
  const [then, wanted] = [byFlag(before), byFlag(now)];
  const changed = [...wanted.keys()].filter(
    (flag) => JSON.stringify(then.get(flag)) !== JSON.stringify(wanted.get(flag)),
  );
  if (changed.length === 0) return;
  throw new UsageError(
    `The crawl in ${path} was begun with other options (${changed.join(', ')}). ` +
      'Run it with the same ones, or give -o another folder.',
  );
}

type ShapedCrawl = Pick<CrawlDescription, 'format' | 'options'>;

/** The flags as crawl.json has them: of one that may hold a secret, only that it was given. */
export function shownFlags(flags: CrawlCommandFlags): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(flags).map(([name, value]) => [
      name,
      SECRET_ATTRIBUTES.includes(name) && value !== false ? true : value,
    ]),
  );
}

/** What the sites are crawled with. @throws SitemapException with code `bad-option`, before any process is started */
export function siteOptions(flags: CrawlCommandFlags): CrawlCommandOptions {
  const { include, exclude, hosts, undated, sitemapInclude, sitemapExclude, maxPages, sample, agent } = flags;
  const { since, until, onlyAllowed, listAlternates } = flags;
  const { concurrency: _ofAllSites, ...options } = crawlOptions(flags);
  const ofSites = {
    ...options,
    ...{ include, exclude, hosts, since, until, undated, sitemapInclude, sitemapExclude, maxPages, sample },
    listAlternates,
    robotsAgent: agent,
    staleIfError: flags.previous !== undefined && flags.freshOnly !== true,
  };
  resolveOptions(ofSites, 'stream');
  return { ...ofSites, onlyAllowed };
}

/**
 * Checks that a folder is what `--previous` needs: without archives every document would be fetched, and nothing would
 * know why.
 *
 * @throws UsageError
 */
export async function checkPrevious(folder: string | undefined): Promise<void> {
  if (folder === undefined) return;
  const crawl = await readDescription(folderOfCrawl(folder)).catch((cause: unknown) => {
    if (cause instanceof SitemapException) throw cause;
    throw new UsageError(`${folder} cannot be read: ${fileTrouble(cause, folder)}.`, { cause });
  });
  const hint = 'give --previous the folder of an earlier usp crawl --archives.';
  if (crawl === undefined) throw new UsageError(`There is no crawl in ${folder}.`, { hint });
  if (crawl.options['archives'] !== true) {
    throw new UsageError(`The crawl in ${folder} has no archives.`, { hint });
  }
}
