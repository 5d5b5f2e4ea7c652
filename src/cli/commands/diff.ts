/**
 * `usp diff`: what is new, changed or gone between two sites, saved trees or sitemap files, in any combination; or
 * between two crawls.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diffPages } from '../../diff/diff-pages.ts';
import { movedSite } from '../../diff/moved-site.ts';
import { COMPARED_FIELDS } from '../../diff/page-change.ts';
import type { Sitemap } from '../../index.ts';
import { HostMap } from '../../options/host-map.ts';
import { isIndexKind } from '../../parse/model/kinds.ts';
import { count, list, number } from '../../text/wording.ts';
import { EXIT, type ExitCode, UsageError, worst } from '../endings.ts';
import { checkLocalSitemap, inputOf, openInput } from '../input.ts';
import type { CommandIO, CommandRun, Reporter } from '../io.ts';
import { commandLine } from '../messages/command-line.ts';
import {
  type ChangeListing,
  describeChanges,
  openChangeListing,
  reportChanges,
  rowsOf,
} from '../output/change-listing.ts';
import type { ChangeFlags, SiteFlags, Verbosity } from '../program/flags.ts';
import { openWorld } from '../world.ts';

type DiffOptions = ChangeFlags & SiteFlags & Verbosity;

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
  const { rowCount, code } = await (areCrawls.every(Boolean)
    ? diffCrawlFolders(compared)
    : diffTrees(compared));
  return options.exitCode === true && rowCount > 0 ? worst([code, EXIT.differences]) : code;
};

interface Compared {
  readonly paths: readonly [string, string];
  readonly options: DiffOptions;
  readonly io: CommandIO;
  readonly reporter: Reporter;
  readonly listing: ChangeListing;
}

/** How many changes were printed, and what else the command ends with. */
interface Ended {
  readonly rowCount: number;
  readonly code: ExitCode;
}

/** Only this format shows how many are the same, and counting them reads documents that need not be read. */
const COUNTING = 'json';

async function diffTrees(compared: Compared): Promise<Ended> {
  const { paths, options, io, reporter, listing } = compared;
  const { include, exclude, compare } = options;
  if (paths.every((path) => path === '-'))
    throw new UsageError('stdin (-) can be only one of the two inputs.');
  const before = await readTree(paths[0], compared);
  const after = await readTree(paths[1], compared);
  const code = worst([before.code, after.code]);
  // What could not be read at all cannot be compared.
  if (!before.isRead || !after.isRead) return { rowCount: 0, code };
  const countSame = options.format === COUNTING;
  const settings = { include, exclude, compare, countSame, signal: io.signal };
  const changes = diffPages(before.tree, after.tree, settings);
  const rowCount = await listing.print(rowsOf(changes, after.tree));
  await listing.finish();
  const { added, removed, unknown, changed } = changes.counts;
  const mayBeMoved = added + removed + unknown > 0 && changed === 0;
  const hosts = mayBeMoved ? await movedSite(before.tree, after.tree) : undefined;
  if (hosts === undefined) reportChanges(reporter, before.tree, after.tree, changes.counts);
  else {
    reporter.say(
      `Both list the same pages on different hosts: ${hosts.before} before, ${hosts.after} after. ` +
        'So no page of one is a page of the other.',
    );
    const flag = ['--map-host', `${hosts.before}=${hosts.after}`];
    reporter.hint(`${commandLine('usp', 'diff', ...flag, ...paths)} compares them as one site.`);
  }
  return { rowCount, code };
}

async function isCrawlFolder(path: string): Promise<boolean> {
  return (await stat(join(path, 'crawl.json')).catch(() => undefined)) !== undefined;
}

interface ReadInput {
  readonly tree: Sitemap;
  readonly code: ExitCode;
  readonly isRead: boolean;
}

/** @throws UsageError for a file that is neither a saved tree nor a list of pages */
async function readTree(text: string, { options, io, reporter }: Compared): Promise<ReadInput> {
  const input = inputOf(text, reporter);
  const { mapHost } = options;
  // The public site itself is fetched from where it is, or it would be compared with itself.
  const isThere = input.type === 'site' && mapHost !== undefined && !new HostMap(mapHost).isHere(input.url);
  const flags = isThere ? { ...options, mapHost: undefined } : options;
  const { tree, type, result, code } = await openInput(input, flags, await openWorld(flags, io, reporter), {
    does: 'compares',
  });
  if (type !== 'site') checkLocalSitemap(text, tree);
  if (isIndexKind(tree.kind) && type === 'file') {
    const what = tree.kind === 'index-xml' ? 'an index' : 'a robots.txt';
    throw new UsageError(`${text} is ${what}, which lists no pages.`, {
      hint: 'usp diff takes the URL of the site, and usp ls URL --save FILE saves it with all its sitemaps.',
    });
  }
  return {
    tree,
    // What a file lacks is shown by the comparison.
    code: type === 'site' ? code : EXIT.ok,
    isRead: type !== 'site' || result.readable > 0,
  };
}

const MOST_NAMES = 20;

/** Why not all changes of a site are known, and which are not. */
const UNSETTLED = {
  incomplete: 'removals are not known, since a crawl was incomplete and there are no archives',
  cut: 'not all changes are known, since --max-pages stopped a crawl',
} as const;

/** The folders of two crawls: what changed in all their sites. What that needs is loaded here. */
async function diffCrawlFolders({ paths, options, io, reporter, listing }: Compared): Promise<Ended> {
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
  const rowCount = await listing.print(changes);
  await listing.finish();
  reporter.say(`${describeChanges(changes.counts)}.`);
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
  return { rowCount, code: EXIT.ok };
}

/** Counts sites, and names the first ones. */
export class NamedSites {
  readonly #names: string[] = [];
  count = 0;

  add(site: string): void {
    if (this.count++ < MOST_NAMES) this.#names.push(site);
  }

  toString(): string {
    const more = this.count > MOST_NAMES ? ` and ${number(this.count - MOST_NAMES)} more` : '';
    return `${this.#names.join(', ')}${more}`;
  }
}
