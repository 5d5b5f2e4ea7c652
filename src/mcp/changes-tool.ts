/**
 * `changes_since` lists the pages that were added, changed or removed since a state that the caller names by its token.
 *
 * Each state of a site is an archive of its own, which is never changed. A result lists the difference of two states,
 * so it is always exact: if a result is lost, the caller names the earlier state again, and gets all changes since
 * then. A token names a state, or a position in the difference of two states, and the filters of the call. If a state
 * no longer exists, or the filters differ, everything is listed. Two processes may use the same folder: if one removes
 * a state that a client of the other needs, everything is listed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { updatedPages, wasDecided } from '../diff/diff-pages.ts';
import { pageFilter } from '../filter/filter-pages.ts';
import {
  type LoadTreeOptions,
  loadTree,
  type PageChange,
  type RobotsVerdict,
  robotsVerdicts,
  type Sitemap,
  SitemapException,
  saveTree,
} from '../index.ts';
import { OWN_ARCHIVE_SITEMAPS } from '../options/option-table.ts';
import { errorCode, fileTrouble, makeFolder } from '../runtime/files.ts';
import { clip, LONGEST_SENTENCE } from '../text/wording.ts';
import { withoutUserinfo } from '../url.ts';
import { checkAgent, filterRun, type PageArguments } from './page-arguments.ts';
import type { ListArguments, Reading, StartReading } from './readings.ts';
import { type SiteWorld, siteOf, unreadable } from './site-tools.ts';
import { Refusal, ResultList, sizeOf, type ToolCall, timeOf } from './tool-call.ts';
import { ITEMS_AT_ONCE } from './tool-schemas.ts';

export interface ChangesWorld extends SiteWorld {
  readonly archives: string;
}

interface ChangesArguments extends Pick<ListArguments, 'url' | 'limit'>, PageArguments {
  readonly token?: string;
}

interface State {
  readonly id: string;
  readonly number: number;
  readonly path: string;
}

/**
 * How many of the newest states are kept, in addition to those that the caller uses: a result may still be on its way.
 */
const NEWEST_STATES = 3;
/** How many sites a folder may have: an agent must not fill the disk. */
const MOST_SITES = 1000;

const FILE = /^(\d{8})-([\da-f]{12})\.warc\.gz$/;
const TOKEN = /^(?:([\da-f]{12})|(0|[\da-f]{12})-([\da-f]{12})-(\d{1,9}))(\.[\da-f]{12})?$/;

/** Another call or process may remove a state after it was found: then the call starts again. */
const MOST_TRIES = 10;

export async function changesSince(
  world: ChangesWorld,
  args: ChangesArguments,
  call: ToolCall,
): Promise<object> {
  checkAgent(args);
  pageFilter(filtersOf(args));
  const site = siteOf(world, args.url);
  const folder = await folderOf(world.archives, site);
  for (let tries = 1; ; tries++) {
    try {
      return await changesIn(folder, site, world, args, call);
    } catch (error) {
      const isGone = [error, error instanceof Error && error.cause].some(
        (each) => errorCode(each) === 'ENOENT',
      );
      if (!isGone || tries === MOST_TRIES || call.isLate) throw await explainedError(error, folder);
    }
  }
}

async function changesIn(
  folder: string,
  site: URL,
  world: ChangesWorld,
  args: ChangesArguments,
  call: ToolCall,
): Promise<object> {
  const name = withoutUserinfo(site).href;
  const states = await statesIn(folder);
  const [, whole, before, after, at, view = ''] = TOKEN.exec(args.token ?? '') ?? [];
  // With other filters the caller has other pages of a state.
  const isSameView = view === viewOf(args);
  const stateWithId = (id: string | undefined): State | undefined =>
    states.find((state) => isSameView && state.id === id);
  let from = stateWithId(whole ?? before);
  let to = stateWithId(after);
  // Whether the rest of a difference can be listed: both of its states still exist.
  const isRest = to !== undefined && (from !== undefined || before === '0');
  // The caller has applied a part of a difference: without its later state it is not known what the caller has.
  if (!isRest && after !== undefined) from = undefined;
  if (!isRest) to = await newest(world, folder, site, states.at(-1), call);
  if (to === undefined) return { site: name, state: 'reading', changes: [], token: args.token, more: true };
  const time = timeOf((await stat(to.path)).mtime);
  const bytes = world.resultBytes - sizeOf([name, time]);
  const difference = await changesBetween(from, to, isRest ? Number(at) : 0, bytes, args, call);
  await removeOthers(folder, [from, to]);
  return { site: name, state: 'done', ...time, ...difference };
}

/** The current state of a site; undefined if it is still being read. @param last - the newest state that is kept */
async function newest(
  { readings, pool }: ChangesWorld,
  folder: string,
  site: URL,
  last: State | undefined,
  call: ToolCall,
): Promise<State | undefined> {
  const start: StartReading = async (siteOptions, follower) => {
    const previous = last === undefined ? undefined : await loadArchive(last);
    try {
      const options = previous === undefined ? siteOptions : { ...siteOptions, previous, staleIfError: true };
      const tree = await pool.tree(site, options, follower);
      if (!wasDecided(previous, tree)) {
        tree.close();
        const reason = `${tree.reason ?? ''} No changes are known: if you have a token, keep it.`;
        throw unreadable(tree.url, tree.code, reason);
      }
      await save(tree, folder, (last?.number ?? 0) + 1);
      return tree;
    } finally {
      previous?.close();
    }
  };
  // Each step from state to state has its own reading, so that the next call finds one that was not finished.
  const key = `changes ${folder} ${last?.id}`;
  const work = async (reading: Reading): Promise<State | undefined> => {
    const tree = await call.wait(reading.over);
    if (!reading.isOver) return undefined;
    if (tree === undefined) throw reading.failure;
    const latest = (await statesIn(folder)).at(-1);
    if (latest !== undefined && latest.id !== last?.id) return latest;
    throw new Refusal('The archive of this site was removed while the site was being read. Call again.');
  };
  return readings.use(key, start, call, work, { isKept: false });
}

/**
 * @param from - undefined if everything is listed
 * @param at - how many changes were listed before
 */
async function changesBetween(
  from: State | undefined,
  to: State,
  at: number,
  bytes: number,
  args: ChangesArguments,
  call: ToolCall,
): Promise<object> {
  const { limit = ITEMS_AT_ONCE, agent } = args;
  const filters = filtersOf(args);
  const after = await loadArchive(to);
  let before: Sitemap | undefined;
  try {
    before = from === undefined ? undefined : await loadArchive(from);
    const changes = await updatedPages(before, after, {
      countSame: false,
      signal: call.signal,
      filters: { before: filters, after: filters },
      runFilter: filterRun([...filters.include, ...filters.exclude]),
      onDamaged(url) {
        throw new SitemapException(`${url} is damaged.`, { code: 'archive-damaged' });
      },
    });
    const verdictOf = agent === undefined ? undefined : await robotsVerdicts(after, agent);
    const { outcome, code, reason } = after.kind === 'website' ? after : {};
    const state = { outcome, code, reason: clip(reason, LONGEST_SENTENCE) };
    const list = new ResultList<object>(limit, bytes - sizeOf(state));
    let number = 0;
    let isCut = false;
    for await (const change of changes) {
      if (number++ < at) {
        call.throwIfLate();
        continue;
      }
      isCut = (call.isLate && list.items.length > 0) || !list.add(shownChange(change, verdictOf));
      if (isCut) break;
    }
    const reset = from === undefined && at === 0;
    const token = isCut ? `${from?.id ?? 0}-${to.id}-${number - 1}` : to.id;
    return {
      ...state,
      ...(reset && { reset }),
      changes: list.items,
      token: `${token}${viewOf(args)}`,
      more: isCut,
    };
  } finally {
    before?.close();
    after.close();
  }
}

function shownChange(
  { type, page, fields }: PageChange,
  verdictOf: ((url: string) => RobotsVerdict) | undefined,
): object {
  const { url, lastModified } = page;
  if (type === 'removed') return { type, url };
  return { type, url, lastModified: lastModified?.toISOString(), fields, ...verdictOf?.(url) };
}

function filtersOf({ include = [], exclude = [], hosts = 'any', agent, onlyAllowed }: PageArguments) {
  return { include, exclude, hosts, agent, onlyAllowed };
}

/** The end of a token, which stands for the filters; empty without filters. */
function viewOf(args: PageArguments): string {
  const { include, exclude, hosts, agent, onlyAllowed } = filtersOf(args);
  if (include.length + exclude.length === 0 && hosts === 'any' && onlyAllowed !== true) return '';
  const text = JSON.stringify([include, exclude, hosts, onlyAllowed === true ? agent : '']);
  return `.${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
}

/**
 * An error that tells the agent what to do about an archive. Removes damaged archives, so that the next call starts
 * anew.
 */
async function explainedError(error: unknown, folder: string): Promise<unknown> {
  const isOfArchive = error instanceof SitemapException && error.code.startsWith('archive-');
  if (!isOfArchive && !errorCode(error).startsWith('E')) return error;
  if (!isDamage(error))
    return new Refusal(
      `The archives of this site cannot be used, and were not changed: ${fileTrouble(error)}`,
    );
  for (const state of await statesIn(folder)) {
    const damage = await loadArchive(state, { verify: true }).then((tree) => tree.close(), isDamage);
    if (damage === true) await rm(state.path, { force: true });
  }
  return new Refusal(
    'An archive of this site was damaged, and was removed. Call again without a token: everything is listed.',
  );
}

function isDamage(error: unknown): boolean {
  return error instanceof SitemapException && ['archive-damaged', 'archive-format'].includes(error.code);
}

function loadArchive({ path }: State, options: LoadTreeOptions = {}): Promise<Sitemap> {
  return loadTree(path, { ...options, maxSitemaps: OWN_ARCHIVE_SITEMAPS });
}

async function save(tree: Sitemap, folder: string, number: number): Promise<void> {
  await makeFolder(folder);
  const name = `${String(number).padStart(8, '0')}-${randomBytes(6).toString('hex')}.warc.gz`;
  await saveTree(tree, join(folder, name));
}

/** In the order of their numbers; if two processes have saved the same number, in that of their names. */
async function statesIn(folder: string): Promise<readonly State[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort().flatMap((name) => {
    const [, number, id] = FILE.exec(name) ?? [];
    return id === undefined ? [] : [{ id, number: Number(number), path: join(folder, name) }];
  });
}

async function removeOthers(folder: string, keep: readonly (State | undefined)[]): Promise<void> {
  const ids = keep.map((state) => state?.id);
  for (const { id, path } of (await statesIn(folder)).slice(0, -NEWEST_STATES)) {
    // Another process may have opened or removed the file.
    if (!ids.includes(id)) await rm(path, { force: true }).catch(() => {});
  }
}

/** A readable name with a hash that no other site has. No part of the URL is used as a path. */
async function folderOf(archives: string, { hostname, href }: URL): Promise<string> {
  const hash = createHash('sha256').update(href).digest('hex').slice(0, 16);
  const name = `${hostname.replaceAll(/[^a-z\d.-]/g, '_').slice(0, 60)}-${hash}`;
  const sites: readonly string[] = await readdir(archives).catch(() => []);
  if (sites.length < MOST_SITES || sites.includes(name)) return join(archives, name);
  throw new Refusal(
    `The archives are full: they have ${MOST_SITES} sites. Remove folders that are not needed.`,
  );
}
