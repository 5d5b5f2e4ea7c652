/**
 * `usp diff`: what is new, changed or gone between two saved trees, two sitemap files, or two crawls. Nothing is
 * fetched.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diffPages } from '../../diff/diff-pages.ts';
import { COMPARED_FIELDS } from '../../diff/page-change.ts';
import type { LoadTreeOptions, Sitemap } from '../../index.ts';
import { isIndexKind } from '../../parse/model/kinds.ts';
import { count, list, number } from '../../text/wording.ts';
import { EXIT, UsageError } from '../endings.ts';
import { checkLocalSitemap, fileSitemap, treeIfSaved } from '../input.ts';
import type { CommandIO, CommandRun, Reporter } from '../io.ts';
import {
  type ChangeListing,
  changesInWords,
  openChangeListing,
  reportChanges,
  rowsOf,
} from '../output/change-listing.ts';
import type { ChangeFlags, FlagsOf, SAVED } from '../program/flags.ts';

type DiffOptions = ChangeFlags & FlagsOf<typeof SAVED>;

export const diff: CommandRun<readonly [string, string], DiffOptions> = async (
  paths,
  options,
  io,
  reporter,
) => {
  const areCrawls = await Promise.all(paths.map((path) => isCrawlFolder(path)));
  if (areCrawls.some(Boolean) && !areCrawls.every(Boolean))
    throw new UsageError('A crawl is compared with another crawl: two folders.');
  const compared = { paths, options, io, reporter, listing: await openChangeListing(options, io) };
  const printed = await (areCrawls.every(Boolean) ? diffCrawlFolders(compared) : diffTrees(compared));
  return options.exitCode === true && printed > 0 ? EXIT.differences : EXIT.ok;
};

interface Compared {
  readonly paths: readonly [string, string];
  readonly options: DiffOptions;
  readonly io: CommandIO;
  readonly reporter: Reporter;
  readonly listing: ChangeListing;
}

/** Only this format shows how many are the same, and counting them reads documents that need not be read. */
const COUNTING = 'json';

/** How many changes were printed. */
async function diffTrees({ paths, options, io, reporter, listing }: Compared): Promise<number> {
  const { include, exclude, compare, maxSitemaps, maxDepth } = options;
  const before = await readTree(paths[0], { maxSitemaps, maxDepth }, io);
  const after = await readTree(paths[1], { maxSitemaps, maxDepth }, io);
  const countSame = options.format === COUNTING;
  const changes = diffPages(before, after, { include, exclude, compare, countSame, signal: io.signal });
  const printed = await listing.print(rowsOf(changes, after));
  await listing.finish();
  reportChanges(reporter, before, after, changes.counts);
  return printed;
}

async function isCrawlFolder(path: string): Promise<boolean> {
  return (await stat(join(path, 'crawl.json')).catch(() => undefined)) !== undefined;
}

/** @throws UsageError for a file that is neither a saved tree nor a list of pages */
async function readTree(file: string, limits: LoadTreeOptions, io: CommandIO): Promise<Sitemap> {
  const hints: Record<string, string> = /^https?:\/\//i.test(file)
    ? { 'archive-unreadable': `usp ls ${file} --save FILE saves a site; usp diff compares two files.` }
    : {};
  const tree = (await treeIfSaved(file, io, limits, hints)) ?? (await fileSitemap(file, io));
  checkLocalSitemap(file, tree);
  const isIndex = isIndexKind(tree.kind);
  if (isIndex && tree.url.startsWith('file:')) {
    const what = tree.kind === 'index-xml' ? 'an index' : 'a robots.txt';
    throw new UsageError(`${file} is ${what}, which lists no pages.`, {
      hint: 'usp ls URL --save FILE saves a site with all its sitemaps, for usp diff.',
    });
  }
  return tree;
}

const NAMED = 20;

/** Why not all changes of a site are known, and which are not. */
const UNSETTLED = {
  incomplete: 'removals are not known, since a crawl was incomplete and there are no archives',
  cut: 'not all changes are known, since --max-pages stopped a crawl',
} as const;

/** The folders of two crawls: what changed in all their sites. What that needs is loaded here. */
async function diffCrawlFolders({ paths, options, io, reporter, listing }: Compared): Promise<number> {
  const { diffCrawls } = await import('../../batch/diff-crawls.ts');
  const { include = [], exclude = [], compare = COMPARED_FIELDS } = options;
  const unsettled = { incomplete: new NamedSites(), cut: new NamedSites() };
  let otherFlags: readonly string[] = [];
  const changes = diffCrawls(...paths, {
    compare,
    include,
    exclude,
    countSame: options.format === COUNTING,
    signal: io.signal,
    onUnsettled: (site, why) => unsettled[why].add(site),
    onOtherFlags(flags) {
      otherFlags = flags;
    },
  });
  const printed = await listing.print(changes);
  await listing.finish();
  reporter.say(`${changesInWords(changes.counts)}.`);
  const { unknown } = changes.counts;
  if (unknown > 0)
    reporter.say(
      `${count(unknown, 'page is', 'pages are')} unknown: one of the crawls did not read all of the site, ` +
        'or left pages out, so what changed is not known.',
    );
  for (const why of ['incomplete', 'cut'] as const) {
    const sites = unsettled[why];
    if (sites.count > 0) reporter.say(`For ${count(sites.count, 'site')} ${UNSETTLED[why]}: ${sites}.`);
  }
  if (otherFlags.length > 0) {
    const are = otherFlags.length === 1 ? 'is' : 'are';
    reporter.say(
      `${list(otherFlags)} ${are} not the same in both crawls: what only one of them leaves out is unknown.`,
    );
  }
  return printed;
}

/** Counts sites, and names the first ones. */
class NamedSites {
  readonly #named: string[] = [];
  count = 0;

  add(site: string): void {
    if (this.count++ < NAMED) this.#named.push(site);
  }

  toString(): string {
    const more = this.count > NAMED ? ` and ${number(this.count - NAMED)} more` : '';
    return `${this.#named.join(', ')}${more}`;
  }
}
