/**
 * Reading a site again (specification §11.2): which documents of an earlier tree are asked for with conditions, which
 * are not asked for at all, and which are shown because they could not be read this time.
 *
 *     known       what `previous` holds of a URL
 *     earlier     the same, if it can still be read
 *     isTrusted   whether it need not be requested (trustLastmod)
 *     compared    a document that was sent again: new, changed or unchanged
 *     orStale     a document that was not settled is shown as `previous` has it (staleIfError)
 */

import type { Unchanged } from '../fetch/attempt.ts';
import type { OpenDocument } from '../fetch/document.ts';
import { validatorsOf } from '../fetch/rules/headers.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { factsOfFailure, type Problem } from '../problems/problem-list.ts';
import { type Outcome, redirectedFrom } from '../read/outcome.ts';
import type { Carried, DocumentPlace, DocumentReader } from '../read/reader.ts';
import { haveEqualBytes } from '../sitemap/kept-document.ts';
import type { Freshness } from '../sitemap/node-fields.ts';
import type { EarlierDocument, Previous } from '../sitemap/previous.ts';
import { documentKey } from '../url.ts';

/** An earlier tree, and what it is used for. */
export class Revisit {
  readonly #previous: Previous;
  readonly #options: ResolvedOptions;
  readonly #reader: DocumentReader;
  readonly #damaged = new Set<EarlierDocument>();

  constructor(previous: Previous, options: ResolvedOptions, reader: DocumentReader) {
    this.#previous = previous;
    this.#options = options;
    this.#reader = reader;
  }

  /** The URLs that were found without being declared, where they are to be shown if they cannot be found again. */
  get triedUrls(): readonly string[] {
    return this.#options.staleIfError ? this.#previous.triedUrls : [];
  }

  /** What the tree holds of a URL. It may be damaged, which {@link isIntact} finds out. */
  known(url: string): EarlierDocument | undefined {
    return this.#previous.document(url);
  }

  /** Whether a document can be read. One that is damaged counts as none, and is requested without conditions. */
  async isIntact(earlier: EarlierDocument): Promise<boolean> {
    if (await earlier.isIntact()) return true;
    if (this.#damaged.has(earlier)) return false;
    this.#damaged.add(earlier);
    this.#options.logger.warn(`${earlier.url} is damaged in the archive; it is requested again.`);
    return false;
  }

  /** What the tree holds of a URL, where that can be read. */
  async earlier(url: string): Promise<EarlierDocument | undefined> {
    const found = this.known(url);
    return found !== undefined && (await this.isIntact(found)) ? found : undefined;
  }

  /** Whether there is anything to know about the times that indexes declare. */
  get usesDeclaredTimes(): boolean {
    return this.#options.trustLastmod;
  }

  /**
   * Whether a document need not be requested, as far as one place is concerned that declares it: that has the time
   * which was declared at its last good read, and which was over by then.
   */
  isTrusted(earlier: EarlierDocument, place: DocumentPlace): boolean {
    const { lastModified, lastModifiedText, isCurrent = true } = place;
    if (!this.#options.trustLastmod || lastModified === undefined || !isCurrent) return false;
    if (earlier.kind === 'index-xml' || earlier.kind === 'robots-txt') return false;
    if (earlier.isStale || earlier.truncated) return false;
    const time = lastModified.getTime();
    return time === earlier.declaredTime && isOverBy(earlier.goodAt, time, lastModifiedText);
  }

  /** The outcome of a document that was not requested. */
  async trusted(earlier: EarlierDocument, place: DocumentPlace): Promise<Outcome> {
    const { checkedAt, checkedValidators: validators } = earlier;
    return this.#shown(earlier, place, { freshness: 'unchanged', checkedAt, validators });
  }

  /** The outcome of a document whose server said that it is the same; redirects are the caller's. */
  async unchanged(earlier: EarlierDocument, place: DocumentPlace, fetched: Unchanged): Promise<Outcome> {
    const { etag, lastModified } = fetched.validators;
    const known = await earlier.validators();
    const isKnown = known?.etag === etag && known?.lastModified === lastModified;
    return this.#reader.readEarlier(earlier, place, {
      freshness: 'unchanged',
      checkedAt: fetched.requestedAt,
      validators: isKnown ? earlier.checkedValidators : { etag, lastModified },
    });
  }

  /** How a document that is being sent compares with the earlier one, as far as that is known before its end. */
  expected(url: string, requested: string): Freshness {
    const earlier = this.#previous.document(url) ?? this.#previous.document(requested);
    return earlier === undefined ? 'new' : 'changed';
  }

  /** The outcome of a document that was sent again, with how it compares with the earlier one. */
  async compared(outcome: Outcome, fetched: OpenDocument, freshness: Freshness): Promise<Outcome> {
    if (outcome.type === 'invalid') return outcome;
    const document = outcome.facts?.document;
    const earlier = await this.earlier(outcome.url);
    if (document === undefined || earlier === undefined || !isAlike(outcome, earlier)) {
      return { ...outcome, freshness };
    }
    if (!(await haveEqualBytes(document, earlier.document))) return { ...outcome, freshness };
    // The spool of a living tree need not stay open for it: this is a copy already.
    if (earlier.document.shared.heldBytes !== undefined) return { ...outcome, freshness: 'unchanged' };
    const { etag, lastModified } = validatorsOf(fetched.response);
    const { url, status } = outcome;
    const again = await this.#reader.readEarlier(earlier, placeOf(url), {
      freshness: 'unchanged',
      checkedAt: fetched.response.requestedAt,
      validators: { etag, lastModified },
    });
    if (again.type !== outcome.type) return { ...outcome, freshness };
    return { ...again, status, problems: outcome.problems, problemCount: outcome.problemCount };
  }

  /**
   * The outcome of a URL; where it is not settled, what the earlier tree holds of it. An index that is gone comes with
   * what it was, so that its children can be asked directly.
   *
   * @param mayShow - asked before it is shown; where it may not be, the outcome stays what it is
   */
  async orStale(outcome: Outcome, place: DocumentPlace, mayShow: () => Promise<boolean>): Promise<Outcome> {
    if (!this.#options.staleIfError || isSettled(outcome)) return outcome;
    const earlier = await this.earlier(place.url);
    if (earlier === undefined || (outcome.type !== 'invalid' && earlier.truncated)) return outcome;
    const isGone = outcome.type === 'invalid' && isMissing(outcome);
    const isIndex = earlier.kind === 'index-xml' || earlier.kind === 'robots-txt';
    if ((isGone && !isIndex) || !(await mayShow())) return outcome;
    const { checkedAt, checkedValidators: validators } = earlier;
    const problem = staleProblem(outcome, earlier);
    const stale = await this.#shown(earlier, place, { freshness: 'stale', problem, checkedAt, validators });
    if (!isGone) return stale;
    return stale.type === 'index' ? { ...outcome, former: stale } : outcome;
  }

  /** Shows a document at a URL, with the redirects that once led from there to it. */
  async #shown(earlier: EarlierDocument, place: DocumentPlace, carried: Carried): Promise<Outcome> {
    const outcome = await this.#reader.readEarlier(earlier, place, carried);
    if (documentKey(earlier.url) === documentKey(place.url)) return outcome;
    return redirectedFrom(place.url, outcome, await this.#reader.keepEarlier?.(earlier));
  }

  /** Lets go of what the earlier documents come from. */
  close(): void {
    this.#previous.close();
  }
}

function placeOf(url: string): DocumentPlace {
  return { url, lastModified: undefined, parentUrls: new Set() };
}

/** Whether two documents are the same if their bytes are. */
function isAlike(outcome: Exclude<Outcome, { type: 'invalid' }>, earlier: EarlierDocument): boolean {
  const document = outcome.facts?.document;
  return (
    !outcome.truncated &&
    !earlier.truncated &&
    documentKey(outcome.url) === documentKey(earlier.url) &&
    document?.bytes === earlier.document.bytes &&
    document.options.charset === earlier.document.options.charset
  );
}

/** Failures that say something about the place in the tree, or about what the caller asked for. */
const NOT_OF_THE_DOCUMENT: ReadonlySet<string> = new Set(['recursion', 'max-depth', 'bad-url']);

/** Whether nothing of the earlier tree is to be shown instead; an index that is gone is not the end of its children. */
function isSettled(outcome: Outcome): boolean {
  if (outcome.type === 'invalid') return NOT_OF_THE_DOCUMENT.has(outcome.code);
  // Pages that a stream has handed on cannot be taken back.
  return outcome.freshness === 'stale' || !outcome.truncated || outcome.isHandedOn === true;
}

/** Whether the server said that there is no such document. */
export function isMissing({
  code,
  status,
}: {
  readonly code: string;
  readonly status?: number | undefined;
}): boolean {
  return code === 'http-status' && (status === 404 || status === 410);
}

function staleProblem(outcome: Outcome, { url, goodAt }: EarlierDocument): Problem {
  const since = `It is shown as it was read on ${new Date(goodAt).toISOString()}.`;
  if (outcome.type === 'invalid') {
    return { code: 'stale', message: `${outcome.reason} ${since}`, ...factsOfFailure(outcome) };
  }
  const [first] = outcome.problems;
  const why = first === undefined ? 'its end is missing' : first.message;
  return { code: 'stale', message: `${url} was not read to its end: ${why} ${since}`, failure: 'truncated' };
}

/**
 * The time that a `<lastmod>` names. `2024-05-06` is a whole day: what was read on that day may have changed later on
 * the same day, and the date would still be the same.
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/**
 * Whether the time that a date names was over at some other time.
 *
 * @param at - the other time, in milliseconds since the epoch
 * @param time - the beginning of what the date names
 * @param text - the date as it is written; without it, midnight counts as a whole day
 */
function isOverBy(at: number, time: number, text: string | undefined): boolean {
  return endOf(time, text?.trim()) <= at;
}

function endOf(time: number, text: string | undefined): number {
  if (text === undefined) return time + (time % DAY === 0 ? DAY : MINUTE);
  const date = new Date(time);
  if (/^\d{4}$/.test(text)) return date.setUTCFullYear(date.getUTCFullYear() + 1);
  if (/^\d{4}-\d{1,2}$/.test(text)) return date.setUTCMonth(date.getUTCMonth() + 1);
  if (!/\d:\d/.test(text)) return time + DAY;
  return time + (/\d:\d\d:\d/.test(text) ? SECOND : MINUTE);
}
