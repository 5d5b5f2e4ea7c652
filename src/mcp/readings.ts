/**
 * What was read, kept for a while. A site is read once for all calls that ask for it, and goes on being read when a
 * call had to end before: the next call finds what has arrived meanwhile. Pages are listed in the order in which their
 * sitemaps arrived, so that a position stays the same while more arrive.
 *
 * What is kept is bounded by time, number and bytes. Its documents share the memory of one pool, and the rest of them
 * is in temporary files that are gone with the process.
 */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { FindingsByRule } from '../check/findings-by-rule.ts';
import { type CheckSummary, checkTree, type ProgressTotals, type Sitemap } from '../index.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { startTimer, type Timer } from '../runtime/time.ts';
import type { CrawlFollower } from '../site-pool.ts';
import { bytes, number } from '../text/wording.ts';
import { parsedUrl, withScheme } from '../url.ts';
import { Refusal, type ToolCall } from './tool-call.ts';

/** Starts to read. The options and the follower are for `SitePool`. */
export type StartReading = (
  options: Pick<ResolvedOptions, 'signal' | 'onProgress'>,
  follower: CrawlFollower,
) => Promise<Sitemap>;

export interface ReadingLimits {
  /** Readings under way at once. */
  readonly atOnce: number;
  /** How long what was read is kept after its last use. */
  readonly keepMs: number;
  readonly maxSiteBytes: number;
  readonly maxPages: number;
}

/** The arguments that many tools have; the schemas have checked them. */
export interface ListArguments {
  readonly url?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** What a result of a tool goes on from: the arguments of its first call, and two numbers that only the tool knows. */
export interface ListPosition<Query> {
  readonly reading: Reading;
  readonly query: Query;
  readonly at: readonly [number, number];
  /** The cursor for another place of the same list. */
  cursor(first: number, second?: number): string;
}

/** Lists of one reading that can be gone on with. */
const MOST_QUERIES = 100;

export class Reading {
  readonly id: string = randomBytes(8).toString('hex');
  /** When it began to be read. */
  readonly readAt: Date = new Date();
  /** The sitemaps that list pages, in the order of arrival. */
  readonly arrived: Sitemap[] = [];
  readonly followers: Set<(totals: ProgressTotals) => void> = new Set();
  /** Resolves to the tree, where there is one; never rejects. */
  readonly over: Promise<Sitemap | undefined>;
  /** What was asked for. */
  readonly key: string;
  /** Whether it is kept when it is over and its calls have ended. */
  readonly isKept: boolean;
  /** Drops it where it was not used for too long. */
  expiry: Timer | undefined;
  tree: Sitemap | undefined;
  /** Why there is no tree. */
  failure: unknown;
  totals: ProgressTotals | undefined;
  isOver = false;
  /** Whether a call was answered while it was under way: its caller comes back for the rest. */
  isAwaited = false;
  /** Calls and checks that use it now. */
  users = 0;
  readonly #stop = new AbortController();
  readonly #queries = new Map<number, { tool: string; args: ListArguments; query: unknown }>();
  #queryCount = 0;
  #check: Promise<CheckedSite> | undefined;

  constructor(key: string, start: StartReading, limits: ReadingLimits, isKept: boolean) {
    const { maxSiteBytes, maxPages } = limits;
    this.key = key;
    this.isKept = isKept;
    setMaxListeners(0, this.#stop.signal);
    let end: (limit: string, message: string) => void = () => {};
    const onProgress = ({ totals }: { readonly totals: ProgressTotals }): void => {
      this.totals = totals;
      if (totals.bytes > maxSiteBytes)
        end('maxSiteBytes', `It has more than ${bytes(maxSiteBytes)} of sitemaps, which is the limit here.`);
      if (totals.pages > maxPages)
        end('maxPages', `It has more than ${number(maxPages)} pages, which is the limit here.`);
      for (const follower of this.followers) follower(totals);
    };
    const onPages = (sitemap: Sitemap): void => void this.arrived.push(sitemap);
    const onStart = (endCrawl: typeof end): void => {
      end = endCrawl;
    };
    this.over = this.#read(start({ signal: this.#stop.signal, onProgress }, { onPages, onStart }));
  }

  async #read(reading: Promise<Sitemap>): Promise<Sitemap | undefined> {
    try {
      this.tree = await reading;
    } catch (error) {
      this.failure = error;
    }
    this.isOver = true;
    return this.tree;
  }

  /** Remembers the arguments of a call, so that a cursor is enough to go on. */
  position<Query>(tool: string, args: ListArguments, query: Query): ListPosition<Query> {
    const queryNumber = this.#queryCount++;
    this.#queries.set(queryNumber, { tool, args, query });
    this.#queries.delete(queryNumber - MOST_QUERIES);
    return this.positionAt<Query>(tool, args, queryNumber, [0, 0])!;
  }

  /** The position of a cursor; undefined where it is not one of this tool. @throws Refusal for other arguments */
  positionAt<Query>(
    tool: string,
    { cursor: _cursor, limit: _limit, ...args }: ListArguments,
    queryNumber: number,
    at: readonly [number, number],
  ): ListPosition<Query> | undefined {
    const entry = this.#queries.get(queryNumber);
    if (entry?.tool !== tool) return undefined;
    for (const [name, value] of Object.entries(args)) {
      if (writtenAlike(value) === writtenAlike(Reflect.get(entry.args, name))) continue;
      throw new Refusal(
        `The cursor goes on with a list that was asked for with another ${name}. Pass the cursor alone, or call ` +
          `${tool} without it.`,
      );
    }
    const cursor = (first: number, second = 0): string => [this.id, queryNumber, first, second].join('-');
    // A tool has one type of query.
    return { reading: this, query: entry.query as Query, at, cursor };
  }

  /** Checks the tree, once for all calls that ask for it. */
  checked(tree: Sitemap): Promise<CheckedSite> {
    this.#check ??= this.#checkAll(tree);
    return this.#check;
  }

  async #checkAll(tree: Sitemap): Promise<CheckedSite> {
    this.users++;
    try {
      const findings = new FindingsByRule(EXAMPLES);
      const check = checkTree(tree, { signal: this.#stop.signal });
      for await (const finding of check) findings.add(finding);
      return { findings, summary: check.summary };
    } finally {
      this.users--;
    }
  }

  /** Ends what is under way, and frees what it holds. */
  async close(): Promise<void> {
    this.#stop.abort(new Refusal('What was being read was given up. Call again without a cursor.'));
    await this.over;
    await this.#check?.catch(() => {});
    this.tree?.close();
  }
}

/** An argument as it is compared: the URL of a site may have its slash and scheme or not. */
function writtenAlike(value: unknown): string | undefined {
  return (
    (typeof value === 'string' ? parsedUrl(withScheme(value))?.href : undefined) ?? JSON.stringify(value)
  );
}

/** Of each rule that is broken. */
const EXAMPLES = 3;

interface CheckedSite {
  readonly findings: FindingsByRule;
  readonly summary: CheckSummary;
}

const MOST_KEPT = 8;
const MOST_KEPT_BYTES = 1024 ** 3;

const CURSOR = /^([\da-f]{16})-(\d{1,9})-(\d{1,9})-(\d{1,9})$/;

export class Readings {
  readonly #limits: ReadingLimits;
  /** By key, the least recently used first. */
  readonly #cache = new Map<string, Reading>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(limits: ReadingLimits) {
    this.#limits = limits;
  }

  /** Uses what was read of a key, or starts to read it. @param isKept - whether later calls may use it too */
  async use<Result>(
    key: string,
    start: StartReading,
    call: ToolCall,
    work: (reading: Reading) => Promise<Result>,
    { isKept = true }: { readonly isKept?: boolean } = {},
  ): Promise<Result> {
    if (this.#isClosed) throw new Refusal('The server is being stopped.');
    let reading = this.#cache.get(key);
    if (reading === undefined) {
      reading = new Reading(key, start, this.#limits, isKept);
      this.#cache.set(key, reading);
      reading.followers.add(() => this.#makeRoom());
    }
    return this.#using(reading, call, work);
  }

  /** Goes on at a cursor. @throws Refusal where what it belongs to is not kept any more */
  async goOn<Query, Result>(
    args: ListArguments,
    tool: string,
    call: ToolCall,
    work: (position: ListPosition<Query>) => Promise<Result>,
  ): Promise<Result> {
    const [, id, ...numbers] = CURSOR.exec(args.cursor ?? '') ?? [];
    const [query = 0, first = 0, second = 0] = numbers.map(Number);
    const reading = [...this.#cache.values()].find((each) => each.id === id);
    const position = reading?.positionAt<Query>(tool, args, query, [first, second]);
    if (reading === undefined || position === undefined) {
      throw new Refusal(
        `This is not a cursor that ${tool} can go on from: what was read is kept for ` +
          `${Math.round(this.#limits.keepMs / 60_000)} minutes. Call ${tool} again without a cursor.`,
      );
    }
    return this.#using(reading, call, () => work(position));
  }

  async #using<Result>(
    reading: Reading,
    call: ToolCall,
    work: (reading: Reading) => Promise<Result>,
  ): Promise<Result> {
    const follower = (totals: ProgressTotals): void => call.progress(totals);
    reading.followers.add(follower);
    reading.users++;
    this.#touch(reading);
    this.#makeRoom();
    try {
      const result = await work(reading);
      if (!reading.isOver) reading.isAwaited = true;
      return result;
    } finally {
      reading.users--;
      reading.followers.delete(follower);
      // A cancelled call wants nothing any more; what failed is tried again by the next call.
      const isGivenUp = call.signal.aborted && !reading.isAwaited;
      const isUnwanted = reading.isOver ? !reading.isKept || hasFailed(reading) : isGivenUp;
      if (isUnwanted && reading.users === 0) this.#drop(reading);
      else this.#touch(reading);
      this.#makeRoom();
    }
  }

  #touch(reading: Reading): void {
    if (this.#cache.get(reading.key) !== reading) return;
    this.#cache.delete(reading.key);
    this.#cache.set(reading.key, reading);
    reading.expiry?.cancel();
    const expire = (): void => {
      if (reading.users > 0 || !reading.isOver) this.#touch(reading);
      else this.#drop(reading);
    };
    reading.expiry = startTimer(this.#limits.keepMs, expire);
    reading.expiry.unref();
  }

  /** Drops the readings that were not used for the longest time, where there are too many. */
  #makeRoom(): void {
    const isTooMuch = (): boolean => {
      const all = [...this.#cache.values()];
      const underWay = all.filter(({ isOver }) => !isOver).length;
      const totalBytes = all.reduce((sum, { totals }) => sum + (totals?.bytes ?? 0), 0);
      return all.length > MOST_KEPT || totalBytes > MOST_KEPT_BYTES || underWay > this.#limits.atOnce;
    };
    for (const reading of this.#cache.values()) {
      if (!isTooMuch()) return;
      if (reading.users === 0) this.#drop(reading);
    }
  }

  #drop(reading: Reading): void {
    if (this.#cache.get(reading.key) === reading) this.#cache.delete(reading.key);
    reading.expiry?.cancel();
    const closing = reading.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const reading of [...this.#cache.values()]) this.#drop(reading);
    await Promise.all(this.#closing);
  }
}

/** Whether nothing was read, so that the next call tries again. */
function hasFailed({ tree }: Reading): boolean {
  return tree === undefined || tree.kind === 'invalid' || isUnread(tree);
}

/** Whether a site could not be reached, or may not be. */
export function isUnread(tree: Sitemap): boolean {
  if (tree.kind !== 'website') return false;
  return tree.outcome === 'failed' || (tree.outcome === 'none' && tree.code === 'private-network');
}
