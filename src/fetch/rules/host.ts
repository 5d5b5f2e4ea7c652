/**
 * What a host is to all calls of a network: its requests in flight and those that wait, the pace that it sets by how it
 * responds (§15), and whether it is down. Pure: politeness.ts hands in what happens and when.
 *
 * The pace is a number of requests in flight, and a spacing: the time from the start of one to the start of the next.
 * Each response in good time adds one request, up to the ceiling. A refusal, a timeout or a reset reduces: half the
 * requests, twice the spacing. Requests that had started before the last reduction do not reduce again. They are the
 * rest of the same round, and to count each of them would stop the crawl: 16 refusals at once are one message.
 *
 * Two things are not the pace of the host, and do not slow it down. A host that has never responded well is not too
 * busy, but unavailable. And a host that keeps refusing a minute after we have slowed down would do so at any pace.
 */
import { WaitingLine } from '../../runtime/waiting-line.ts';

/** A call starts with this many requests to a host. */
const FIRST_CONCURRENCY = 4;

const SHORTEST_SPACING_MS = 25;
const LONGEST_SPACING_MS = 5_000;
/** The longest spacing while no response since the last reduction shows that a slower pace helps. */
const LONGEST_UNPROVEN_SPACING_MS = 1_000;
/** What each success leaves of the spacing. */
const SHRINKING = 0.99;
/** A shorter spacing than this is not worth a timer. */
const NO_SPACING_MS = 1;

/** The number of responses whose times to headers make a median. */
const MEDIAN_OF = 10;
/** A median that is this much longer than before is slow. */
const SLOWER_MS = 200;

/** A host that refused this often, for this long, without a success, does not refuse because of the pace. */
const HOPELESS_REFUSALS = 20;
const HOPELESS_MS = 60_000;

/** How long an idle host keeps its pace: the shorter one bounds memory, the longer one outlasts every backoff. */
const KEPT_MS = 5_000;
const KEPT_REDUCED_MS = 60_000;
/** How long other calls believe that a host is down. */
const DOWN_MS = 5 * 60_000;

/** Starts a request that waits. */
type Start = () => void;

export class Host {
  readonly name: string;
  /** How many requests are in flight. */
  active = 0;
  /** How many requests may be in flight. */
  concurrency: number;
  /** No request starts before this time. */
  readyAt = 0;
  readonly declared: WaitingLine<Start> = new WaitingLine();
  readonly undeclared: WaitingLine<Start> = new WaitingLine();
  /** Ends the timer that runs for `readyAt`. */
  alarm: AbortController | undefined;
  /** The address that its slots are taken from, where it is known. */
  address: string | undefined;
  readonly #ceiling: number;
  #spacingMs = 0;
  #requests = 0;
  /** The last request that had started before the last reduction. */
  #lastOfRound = 0;
  #hasResponded = false;
  #refusals = 0;
  #refusedSince = 0;
  #times: number[] = [];
  /** The lowest median of the times to headers. */
  #fastMs = Number.POSITIVE_INFINITY;
  /** Until when an idle host is remembered. */
  #keptUntil = 0;
  /** Origins: the host may be down for http, and respond to https. */
  readonly #down = new Map<string, { readonly reason: string; readonly until: number }>();

  constructor(name: string, ceiling: number) {
    this.name = name;
    this.#ceiling = ceiling;
    this.concurrency = Math.min(FIRST_CONCURRENCY, ceiling);
  }

  /** The requests that wait and are next: undeclared ones are behind all declared ones. */
  get waiting(): WaitingLine<Start> {
    return this.declared.size > 0 ? this.declared : this.undeclared;
  }

  /** The minimum delay between the starts of two requests. */
  get spacingMs(): number {
    return this.#spacingMs < NO_SPACING_MS ? 0 : this.#spacingMs;
  }

  /** A request starts, and the next one `waitMs` later or after the spacing; returns its number. */
  start(now: number, waitMs: number): number {
    this.active++;
    this.readyAt = Math.max(this.readyAt, now + Math.max(waitMs, this.spacingMs));
    return ++this.#requests;
  }

  /** The headers of a response arrived that is not a refusal, `ms` after its request had started. */
  responded(ms: number): void {
    this.#hasResponded = true;
    this.#refusals = 0;
    this.#spacingMs *= SHRINKING;
    if (!this.#isSlow(ms)) this.concurrency = Math.min(this.#ceiling, this.concurrency + 1);
  }

  /** A request was refused, took too long or broke. Returns whether that reduced the pace. */
  refused(request: number, now: number): boolean {
    if (!this.#hasResponded) return false;
    if (this.#refusals++ === 0) this.#refusedSince = now;
    if (this.#refusals > HOPELESS_REFUSALS && now - this.#refusedSince >= HOPELESS_MS) {
      this.concurrency = Math.min(FIRST_CONCURRENCY, this.#ceiling);
      this.#spacingMs = SHORTEST_SPACING_MS;
      return false;
    }
    if (request <= this.#lastOfRound) return false;
    const isProven = this.#refusals === 1;
    const longest = isProven ? LONGEST_SPACING_MS : LONGEST_UNPROVEN_SPACING_MS;
    this.#lastOfRound = this.#requests;
    this.concurrency = Math.max(1, Math.floor(this.concurrency / 2));
    const doubled = Math.max(SHORTEST_SPACING_MS, 2 * this.#spacingMs);
    // Never shorter than it was: that would reward a refusal.
    this.#spacingMs = Math.max(this.#spacingMs, Math.min(longest, doubled));
    this.readyAt = Math.max(this.readyAt, now + this.spacingMs);
    return true;
  }

  /** Lets no request start before `ms` from now. Returns how much longer they have to wait than anyway. */
  pause(ms: number, now: number): number {
    const before = Math.max(this.readyAt, now);
    this.readyAt = Math.max(before, now + ms);
    return this.readyAt - before;
  }

  /** A request is over. */
  leave(now: number): void {
    this.active--;
    this.#keptUntil = now + (this.spacingMs > 0 ? KEPT_REDUCED_MS : KEPT_MS);
  }

  whyDown(origin: string, now: number): string | undefined {
    const down = this.#down.get(origin);
    return down !== undefined && down.until > now ? down.reason : undefined;
  }

  setDown(origin: string, reason: string, now: number): void {
    this.#down.set(origin, { reason, until: now + DOWN_MS });
  }

  /** Forgets that the host was down. */
  setUp(): void {
    this.#down.clear();
  }

  /** Whether nothing that is known of the host matters any more. */
  isForgettable(now: number): boolean {
    const isIdle = this.active === 0 && this.waiting.size === 0;
    const isDown = [...this.#down.values()].some(({ until }) => until > now);
    return isIdle && !isDown && this.readyAt <= now && this.#keptUntil <= now;
  }

  /**
   * Whether responses have become slow. A median that is clearly longer than the best one halves the concurrency, but
   * not below the first one, and becomes the new best: other documents may simply take longer.
   */
  #isSlow(ms: number): boolean {
    this.#times.push(ms);
    const isLate = ms >= this.#fastMs + SLOWER_MS;
    if (this.#times.length < MEDIAN_OF) return isLate;
    const median = medianOf(this.#times);
    this.#times = [];
    const isSlow = median >= this.#fastMs + SLOWER_MS;
    this.#fastMs = isSlow ? median : Math.min(this.#fastMs, median);
    if (isSlow) {
      const half = Math.floor(this.concurrency / 2);
      this.concurrency = Math.min(this.concurrency, Math.max(FIRST_CONCURRENCY, half));
    }
    return isLate;
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
