/** The limits of one call. A limit discards nothing: what was found stays, and the result says what stopped it. */
import type { ResolvedOptions } from '../options/resolve.ts';
import type { Problem } from '../problems/problem-list.ts';
import { tooManySitemaps } from '../read/reader.ts';
import { Stop } from '../runtime/abort.ts';
import { type Deadline, systemClock } from '../runtime/time.ts';
import type { Stopped } from '../sitemap/node-fields.ts';

/** Why a document is given up when the time is over. */
export const TIME_IS_UP: unique symbol = Symbol('time is up');

/** Why the callbacks are not asked about any more children. */
export const TOO_MANY_QUESTIONS: unique symbol = Symbol('too many questions');

/**
 * Callbacks are asked about this many children for each node that a tree may have. Indexes that list each other in
 * every order have children without end, and a callback that refuses them all never fills the tree.
 */
const QUESTIONS_PER_NODE = 8;
const LEAST_QUESTIONS = 2_000_000;

export class Limits {
  readonly #maxSitemaps: number;
  /** Aborted, with {@link TIME_IS_UP}, when the time is over, or another limit ends the call. */
  readonly deadline: Stop = new Stop();
  readonly #timer: Deadline | undefined;
  #nodes = 0;
  /** Places that documents of an earlier tree have not taken yet. */
  #reserved: number;
  #questions = 0;
  #endedBy = 'maxTimeMs';
  stopped: Stopped | undefined;

  /** @param reserved - how many places are kept for documents of an earlier tree */
  constructor({ maxSitemaps, maxTimeMs }: ResolvedOptions, reserved = 0) {
    this.#maxSitemaps = maxSitemaps;
    this.#reserved = reserved;
    if (maxTimeMs === undefined) return;
    const message = `The call was stopped after ${maxTimeMs} ms (maxTimeMs); what was found is kept.`;
    this.#timer = systemClock.deadline(maxTimeMs, () => this.end('maxTimeMs', message));
  }

  /** Ends the call as the limit of time does: nothing more is fetched, and what was found is kept. */
  end(limit: string, message: string): void {
    if (!this.deadline.aborted) this.#endedBy = limit;
    this.stop(limit, message);
    this.deadline.abort(TIME_IS_UP);
  }

  /** Why a document is not there whose reading was given up. */
  get ending(): { readonly option: string; readonly reason: string } {
    const option = this.#endedBy;
    const what = option === 'maxTimeMs' ? 'the time for the call was over' : 'a limit was reached';
    return { option, reason: `${what} (${option})` };
  }

  /** The problem of a document that was arriving: what had arrived is kept. */
  get cut(): Problem {
    const { option, reason } = this.ending;
    return { code: 'cut-by-limit', message: `The rest of the document was not read: ${reason}.`, option };
  }

  /** Notes the limit that stopped the call; the first one counts. */
  stop(limit: string, message: string): void {
    this.stopped ??= { limit, message };
  }

  /** Whether the tree may have another node; if so, it is counted. @param isEarlier - whether a place is kept for it */
  takeNode(isEarlier: boolean): boolean {
    if (isEarlier && this.#reserved > 0) this.#reserved--;
    if (this.#nodes + (isEarlier ? 0 : this.#reserved) >= this.#maxSitemaps) {
      this.#noteFull();
      return false;
    }
    this.#nodes++;
    return true;
  }

  /** How many more nodes the tree may have. */
  get room(): number {
    return this.#maxSitemaps - this.#nodes;
  }

  get isFull(): boolean {
    return this.#nodes >= this.#maxSitemaps;
  }

  /** {@link tooManySitemaps}, and notes that this limit was reached. */
  leaveOut(leftOut: number, all: number): Problem {
    this.#noteFull();
    return tooManySitemaps(leftOut, all);
  }

  #noteFull(): void {
    this.stop(
      'maxSitemaps',
      `The tree has ${this.#maxSitemaps} sitemaps, which is the limit (maxSitemaps); the rest was left out.`,
    );
  }

  /** Counts the children that a callback is asked about. @throws TOO_MANY_QUESTIONS beyond the limit */
  askAbout(children: number): void {
    this.#questions += children;
    const most = Math.max(LEAST_QUESTIONS, this.#maxSitemaps * QUESTIONS_PER_NODE);
    if (this.#questions <= most) return;
    this.stop(
      'maxSitemaps',
      `The callbacks were asked about ${most} sitemaps, which is the limit (maxSitemaps); the rest was left out.`,
    );
    throw TOO_MANY_QUESTIONS;
  }

  /** The problem of an index whose children the callbacks had not decided about when a limit was reached. */
  leaveUndecided(undecided: number): Problem {
    const message = `${undecided} of its sitemaps were left out: a limit was reached before the callback had decided.`;
    return { code: 'too-many-sitemaps', message };
  }

  close(): void {
    this.#timer?.cancel();
  }
}
