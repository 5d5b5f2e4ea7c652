/**
 * The queue that the sites of a crawl wait in: embedded in the process (embedded-queue.ts), or on Redis or Valkey for
 * any number of machines (redis-queue.ts). One contract suite holds both.
 *
 * A queue delivers each site at least once. It does not decide what is finished, `sites.ndjson` does (journal.ts): a
 * job that is delivered twice costs time, and nothing is published twice.
 */
import type { StopSignal } from '../runtime/abort.ts';

/** A site that one worker has now. Exactly one of {@link done} and {@link giveBack} is called in the end. */
export interface Job {
  /** The normalised homepage. */
  readonly site: string;
  /** How often a process died while it had the site. From three on the site runs alone in its process. */
  readonly deaths: number;
  /** Whether a process died that had nothing but this site: it is not crawled again, its outcome is `failed`. */
  readonly diedAlone: boolean;
  /**
   * Aborted once another worker may have the job: the lock was lost. The site is then aborted, and what was found of it
   * is not published. `done` and `giveBack` do nothing any more.
   */
  readonly lost: StopSignal;
  /** Notes that the site runs alone in its process from now on, before it is started. */
  startsAlone(): Promise<void>;
  /** The site has its line in `sites.ndjson`: the job is removed. */
  done(): Promise<void>;
  /** The site is crawled again, by any worker. `died` counts a death. */
  giveBack(why: { readonly died: boolean }): Promise<void>;
}

export interface Queue {
  /**
   * Adds sites, each of which the queue holds at most once at a time: one that waits, or that a worker has, is not
   * added again. Waits while the queue is full, so that it stays small whatever the number of sites. Rejects with the
   * signal's reason.
   */
  add(sites: Iterable<string> | AsyncIterable<string>, signal?: AbortSignal): Promise<void>;
  /** No more sites will be added by this process: once all are done, {@link take} resolves to undefined. */
  end(): Promise<void>;
  /**
   * The next job. Waits while there is none; undefined once the queue has ended and is empty, or when the signal
   * aborts.
   */
  take(signal: AbortSignal): Promise<Job | undefined>;
  /** All sites are finished: nothing of the queue is needed any more, by any worker. */
  remove(): Promise<void>;
  /** Releases connections and timers. Jobs that this process still has are given back. */
  close(): Promise<void>;
}

/** A site that as many processes died with is crawled alone. */
export const DEATHS_BEFORE_ALONE = 3;
