/**
 * A cache of sites and documents that were read. A site is read once for all calls that ask for it, also after a call
 * had to end: the next call finds the sitemaps that have arrived meanwhile. Pages are listed in the order in which
 * their sitemaps arrived, so that positions stay the same while more arrive.
 *
 * The cache is limited in time, number and bytes. Documents share the memory of one pool; the others are in temporary
 * files, which are removed with the process.
 */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { FindingsByRule } from '../check/findings-by-rule.ts';
import { type CheckSummary, checkTree, type ProgressTotals, type Sitemap } from '../index.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { startTimer, type Timer } from '../runtime/time.ts';
import type { CrawlFollower } from '../site-pool.ts';
import { bytes, count, number } from '../text/wording.ts';
import { parsedUrl, withScheme } from '../url.ts';
import { Refusal, type ToolCall } from './tool-call.ts';

/** Starts to read. The options and the follower are for `SitePool`. */
export type StartReading = (
  options: Pick<ResolvedOptions, 'signal' | 'onProgress'>,
  follower: CrawlFollower,
) => Promise<Sitemap>;

export interface ReadingLimits {
  /** How many sites are read at once. */
  readonly atOnce: number;
  /** How long a site is kept after its last use. */
  readonly keepMs: number;
  readonly maxSiteBytes: number;
  readonly maxPages: number;
}

/** Arguments that many tools have. The schemas have checked them. */
export interface ListArguments {
  readonly url?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/**
 * A position in the list of a tool: the arguments of the first call, and two numbers whose meaning only the tool knows.
 */
export interface ListPosition<Query> {
  readonly reading: Reading;
  readonly query: Query;
  readonly at: readonly [number, number];
  /** The cursor for another position in the same list. */
  cursor(first: number, second?: number): string;
}

/** How many lists of one reading can be continued. */
const MOST_QUERIES = 100;

export class Reading {
  readonly id: string = randomBytes(8).toString('hex');
  /** When the reading started. */
  readonly readAt: Date = new Date();
  /** The sitemaps that list pages, in the order of arrival. */
  readonly arrived: Sitemap[] = [];
  readonly followers: Set<(totals: ProgressTotals) => void> = new Set();
  /** Resolves to the tree, or to undefined after a failure; never rejects. */
  readonly over: Promise<Sitemap | undefined>;
  /** Identifies the site or document. */
  readonly key: string;
  /** Whether it stays in the cache when it is over and its calls have ended. */
  readonly isKept: boolean;
  /** Removes it from the cache if it is not used for too long. */
  expiry: Timer | undefined;
  tree: Sitemap | undefined;
  /** Why there is no tree. */
  failure: unknown;
  totals: ProgressTotals | undefined;
  isOver = false;
  /** Whether a call got a partial result: its caller will ask for the rest. */
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

  /** Remembers the arguments of a call, so that a cursor is enough to continue. */
  position<Query>(tool: string, args: ListArguments, query: Query): ListPosition<Query> {
    const queryNumber = this.#queryCount++;
    this.#queries.set(queryNumber, { tool, args, query });
    this.#queries.delete(queryNumber - MOST_QUERIES);
    return this.positionAt<Query>(tool, args, queryNumber, [0, 0])!;
  }

  /** The position of a cursor; undefined if the cursor belongs to another tool. @throws Refusal for other arguments */
  positionAt<Query>(
    tool: string,
    { cursor: _cursor, limit: _limit, ...args }: ListArguments,
    queryNumber: number,
    at: readonly [number, number],
  ): ListPosition<Query> | undefined {
    const entry = this.#queries.get(queryNumber);
    if (entry?.tool !== tool) return undefined;
    for (const [name, value] of Object.entries(args)) {
      if (comparable(value) === comparable(Reflect.get(entry.args, name))) continue;
      throw new Refusal(
        `The cursor continues a list with another ${name}. Pass the cursor alone, or call ` +
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

  /** Ends the reading, and closes its tree. */
  async close(): Promise<void> {
    this.#stop.abort(new Refusal('The reading of this site was stopped. Call again without a cursor.'));
    await this.over;
    await this.#check?.catch(() => {});
    this.tree?.close();
  }
}

/** An argument for comparison: the URL of a site may be written with or without its scheme and last slash. */
function comparable(value: unknown): string | undefined {
  return (
    (typeof value === 'string' ? parsedUrl(withScheme(value))?.href : undefined) ?? JSON.stringify(value)
  );
}

/** How many examples each broken rule has. */
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

  /** Uses the reading of a key, or starts it. @param isKept - whether later calls may use it, too */
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

  /** Continues at a cursor. @throws Refusal if its reading is no longer in the cache */
  async continueAt<Query, Result>(
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
        `${tool} cannot continue from this cursor: what was read is kept for ` +
          `${count(Math.round(this.#limits.keepMs / 60_000), 'minute')}. Call ${tool} again without a cursor.`,
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
      // A cancelled call needs no result. After a failure the next call tries again.
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

  /** Removes the readings that were not used for the longest time, if there are too many. */
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

/** Whether no document was read, so that the next call tries again. */
function hasFailed({ tree }: Reading): boolean {
  return tree === undefined || tree.kind === 'invalid' || isUnread(tree);
}

/** Whether a site could not be reached, or may not be. */
export function isUnread(tree: Sitemap): boolean {
  if (tree.kind !== 'website') return false;
  return tree.outcome === 'failed' || (tree.outcome === 'none' && tree.code === 'private-network');
}
