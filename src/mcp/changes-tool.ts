/**
 * `changes_since`: what is new, changed or gone since a state that the caller names by its token.
 *
 * Each state of a site is an archive of its own, and is never written again. What a result lists is the difference of
 * two of them, so it is exact whatever happens in between: where a result is lost, the caller names the state before
 * once more, and gets what has changed since then. A token is a state, or a position in the difference of two. Where a
 * state is not kept any more, everything is listed. Two processes may work in one folder: each adds states, and what
 * one of them removes is everything for the other.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { updatedPages, wasDecided } from '../diff/diff-pages.ts';
import { loadTree, type PageChange, type Sitemap, SitemapException, saveTree } from '../index.ts';
import { withoutUserinfo } from '../url.ts';
import type { Reading, StartReading } from './readings.ts';
import { addressOf, type ListArguments, type SiteWorld, unreadable } from './site-tools.ts';
import { Refusal, ResultList, type ToolCall } from './tool-call.ts';

export interface ChangesWorld extends SiteWorld {
  readonly archives: string;
  /** A state that is not older than this is not read again. */
  readonly keepMs: number;
}

interface ChangesArguments extends Pick<ListArguments, 'url' | 'limit'> {
  readonly token?: string;
}

interface State {
  readonly id: string;
  readonly number: number;
  readonly path: string;
}

/** The newest states are kept besides those that the caller uses: a result may still be on its way. */
const NEWEST = 3;
/** Sites that a folder may have: an agent must not fill the disk. */
const MOST_SITES = 1000;
const MAX_SITEMAPS = 5_000_000;

const FILE = /^(\d{8})-([\da-f]{12})\.warc\.gz$/;
const TOKEN = /^(?:([\da-f]{12})|(0|[\da-f]{12})-([\da-f]{12})-(\d{1,9}))$/;
const ALL_PAGES = { include: [], exclude: [] };

export async function changesSince(
  world: ChangesWorld,
  args: ChangesArguments,
  call: ToolCall,
): Promise<object> {
  const site = addressOf(args.url);
  const name = `${withoutUserinfo(site).origin}/`;
  const folder = await folderOf(world.archives, site);
  const states = await statesIn(folder);
  const [, whole, before, after, at] = TOKEN.exec(args.token ?? '') ?? [];
  const named = (id: string | undefined): State | undefined => states.find((state) => state.id === id);
  const from = named(whole ?? before);
  let to = named(after);
  // The rest of a difference, where both of its sides are still there.
  const isRest = to !== undefined && (from !== undefined || before === '0');
  if (!isRest) to = await newest(world, { folder, site, states }, call);
  if (to === undefined) return { site: name, state: 'reading', changes: [], token: args.token, more: true };
  const difference = { folder, from, to, at: isRest ? Number(at) : 0 };
  const listed = await changesBetween(difference, world, args, call);
  await removeOthers(folder, [from, to]);
  return { site: name, state: 'done', ...listed };
}

interface Archive {
  readonly folder: string;
  readonly site: URL;
  readonly states: readonly State[];
}

/** The state of a site as it is now; undefined where it is still being read. */
async function newest(world: ChangesWorld, archive: Archive, call: ToolCall): Promise<State | undefined> {
  const { readings, pool, keepMs } = world;
  const { folder, site, states } = archive;
  const last = states.at(-1);
  const age = last === undefined ? undefined : Date.now() - (await stat(last.path)).mtimeMs;
  if (age !== undefined && age < keepMs) return last;
  const start: StartReading = async (own, follower) => {
    const previous = last === undefined ? undefined : await loaded(last);
    try {
      const options = previous === undefined ? own : { ...own, previous, staleIfError: true };
      const tree = await pool.tree(site, options, follower);
      if (wasDecided(previous, tree)) await save(tree, folder, (last?.number ?? 0) + 1);
      return tree;
    } finally {
      previous?.close();
    }
  };
  // One reading for each step from state to state, so that a call which could not wait finds it.
  const key = `changes ${folder} ${last?.id}`;
  const work = async (reading: Reading): Promise<State | undefined> => {
    const tree = await call.wait(reading.over);
    if (!reading.isOver) return undefined;
    if (tree?.kind !== 'website') throw reading.failure;
    const found = (await statesIn(folder)).at(-1);
    if (found !== undefined && found.id !== last?.id) return found;
    const reason = `${tree.reason} Nothing is known to have changed: keep your token.`;
    throw unreadable(tree.url, tree.code, reason);
  };
  return readings.use(key, start, call, work, { isKept: false });
}

interface Difference {
  readonly folder: string;
  /** Undefined where everything is listed. */
  readonly from: State | undefined;
  readonly to: State;
  /** How many changes were listed before. */
  readonly at: number;
}

async function changesBetween(
  { folder, from, to, at }: Difference,
  { resultBytes }: ChangesWorld,
  { limit = 200 }: ChangesArguments,
  call: ToolCall,
): Promise<object> {
  const after = await loaded(to);
  const before = from === undefined ? undefined : await loaded(from);
  try {
    if (after === undefined || (from !== undefined && before === undefined)) throw await damaged(folder);
    const isDamaged: string[] = [];
    const changes = await updatedPages(before, after, {
      countSame: false,
      signal: call.signal,
      filters: { before: ALL_PAGES, after: ALL_PAGES },
      onDamaged: (url) => isDamaged.push(url),
    });
    const list = new ResultList<object>(limit, resultBytes);
    let number = 0;
    let isCut = false;
    for await (const change of changes) {
      if (isDamaged.length > 0) throw await damaged(folder);
      if (number++ < at) continue;
      isCut = (call.isLate && list.items.length > 0) || !list.add(shownChange(change));
      if (isCut) break;
    }
    if (isDamaged.length > 0) throw await damaged(folder);
    const reset = from === undefined && at === 0;
    const token = isCut ? `${from?.id ?? 0}-${to.id}-${number - 1}` : to.id;
    return { ...(reset && { reset }), changes: list.items, token, more: isCut };
  } finally {
    before?.close();
    after?.close();
  }
}

const TYPES = { added: 'new', changed: 'changed', removed: 'gone' } as const;

function shownChange({ type, page, fields }: PageChange): object {
  const { url, lastModified } = page;
  if (type === 'removed') return { type: TYPES[type], url };
  return { type: TYPES[type], url, lastModified: lastModified?.toISOString(), fields };
}

/** What cannot be read is removed, so that the next call starts anew. */
async function damaged(folder: string): Promise<Refusal> {
  for (const { path } of await statesIn(folder)) await rm(path, { force: true });
  return new Refusal(
    'What was kept of this site is damaged, and was removed. Call again without a token: everything is listed.',
  );
}

/** The tree of a state; undefined where it is gone or damaged. */
async function loaded({ path }: State): Promise<Sitemap | undefined> {
  try {
    return await loadTree(path, { maxSitemaps: MAX_SITEMAPS });
  } catch (error) {
    if (error instanceof SitemapException) return undefined;
    throw error;
  }
}

async function save(tree: Sitemap, folder: string, number: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const name = `${String(number).padStart(8, '0')}-${randomBytes(6).toString('hex')}.warc.gz`;
  await saveTree(tree, join(folder, name));
}

/** By number; of two processes that have saved the same number, the later name counts. */
async function statesIn(folder: string): Promise<readonly State[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort().flatMap((name) => {
    const [, number, id] = FILE.exec(name) ?? [];
    return id === undefined ? [] : [{ id, number: Number(number), path: join(folder, name) }];
  });
}

async function removeOthers(folder: string, used: readonly (State | undefined)[]): Promise<void> {
  const ids = used.map((state) => state?.id);
  for (const { id, path } of (await statesIn(folder)).slice(0, -NEWEST)) {
    // Another process may have it open, or have removed it.
    if (!ids.includes(id)) await rm(path, { force: true }).catch(() => {});
  }
}

/** A name for people, with a hash that no other site has. No part of the URL is a path. */
async function folderOf(archives: string, site: URL): Promise<string> {
  const { hostname, origin, username, password } = site;
  const hash = createHash('sha256').update(`${origin} ${username} ${password}`).digest('hex').slice(0, 16);
  const name = `${hostname.replaceAll(/[^a-z\d.-]/g, '_').slice(0, 60)}-${hash}`;
  const sites: readonly string[] = await readdir(archives).catch(() => []);
  if (sites.length < MOST_SITES || sites.includes(name)) return join(archives, name);
  throw new Refusal(
    `The archives are full: they have ${MOST_SITES} sites. Remove folders that are not needed.`,
  );
}
