/**
 * Reads a site again (specification §11.2), and decides about each document of the earlier tree (`previous`).
 *
 *     in this run                                          the tree shows          what it remembers
 *     ---------------------------------------------------  ----------------------  --------------------------
 *     not requested (trustLastmod)                         the earlier document
 *     304                                                  the earlier document    checkedAt
 *     read, the same bytes                                 the earlier document    checkedAt, validators
 *     read, other bytes                                    the new document
 *   with staleIfError:
 *     cut by the network, and the earlier tree has more    the earlier one, stale  runs + 1
 *     404, seen by fewer than `goneAfter` runs             the earlier one, stale  runs + 1, notFound + 1
 *     404 otherwise, or 410                                that it is gone
 *     any other failure; a robots.txt that is not one      the earlier one, stale  runs + 1
 *     the same, with a last good read before maxStaleMs    the failure
 *     nothing declares it any more                         stale or not: carry-over.ts
 *     left out by a filter or another option               nothing
 *
 * Of a document that was never read, the run that declared it first is remembered, and how many runs saw a 404.
 */

import type { Unchanged } from '../fetch/attempt.ts';
import type { OpenDocument } from '../fetch/document.ts';
import { validatorsOf } from '../fetch/rules/headers.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { endOfDate } from '../parse/values/date.ts';
import { isMissing } from '../problems/catalogue.ts';
import { factsOfFailure, type Problem } from '../problems/problem-list.ts';
import { type InvalidOutcome, type Outcome, redirectedFrom } from '../read/outcome.ts';
import type { DocumentPlace, DocumentReader, EarlierUse } from '../read/reader.ts';
import { isRobotsText, RobotsText } from '../robots/robots-rules.ts';
import { haveEqualBytes, type UnreadRecord } from '../sitemap/kept-document.ts';
import type { Freshness } from '../sitemap/node-fields.ts';
import type { EarlierDocument, Previous } from '../sitemap/previous.ts';
import { documentKey } from '../url.ts';

export class Revisit {
  /** The number of this run: the earlier tree has one less. */
  readonly run: number;
  readonly previous: Previous;
  readonly options: ResolvedOptions;
  readonly #reader: DocumentReader;
  readonly #damaged = new Set<EarlierDocument>();
  readonly #tooOld = new Set<EarlierDocument>();

  constructor(previous: Previous, options: ResolvedOptions, reader: DocumentReader) {
    this.run = previous.run + 1;
    this.previous = previous;
    this.options = options;
    this.#reader = reader;
  }

  /** What the tree holds of a URL. It may be damaged, which {@link isIntact} finds out. */
  inEarlierTree(url: string): EarlierDocument | undefined {
    return this.previous.document(url);
  }

  /** Whether a document can be read. One that is damaged counts as none, and is requested without conditions. */
  async isIntact(earlier: EarlierDocument): Promise<boolean> {
    if (await earlier.isIntact()) return true;
    if (this.#damaged.has(earlier)) return false;
    this.#damaged.add(earlier);
    this.options.logger.warn(`${earlier.url} is damaged in the archive; it is requested again.`);
    return false;
  }

  /** What the tree holds of a URL, where that can be read. */
  async earlier(url: string): Promise<EarlierDocument | undefined> {
    const earlier = this.inEarlierTree(url);
    return earlier !== undefined && (await this.isIntact(earlier)) ? earlier : undefined;
  }

  /** Whether there is anything to know about the times that indexes declare. */
  get usesDeclaredTimes(): boolean {
    return this.options.trustLastmod;
  }

  /**
   * Whether one declaration says that a document need not be requested: it has the time that was declared at the last
   * good read, and that time had already passed then.
   */
  isTrusted(earlier: EarlierDocument, place: DocumentPlace): boolean {
    const { lastModified, lastModifiedText, isCurrent = true } = place;
    if (!this.options.trustLastmod || lastModified === undefined || !isCurrent) return false;
    if (earlier.isIndex) return false;
    if (earlier.node.freshness === 'stale' || earlier.node.truncated) return false;
    const time = lastModified.getTime();
    return time === earlier.declaredTime && endOfDate(time, lastModifiedText) <= earlier.goodAt;
  }

  async trusted(earlier: EarlierDocument, place: DocumentPlace): Promise<Outcome> {
    const { checkedAt, validators } = earlier.facts;
    return this.#showEarlier(earlier, place, { freshness: 'unchanged', checkedAt, validators });
  }

  /** The outcome of a document whose server said that it is the same; redirects are the caller's. */
  async unchanged(earlier: EarlierDocument, place: DocumentPlace, response: Unchanged): Promise<Outcome> {
    return this.#reader.readEarlier(earlier, place, {
      freshness: 'unchanged',
      checkedAt: response.requestedAt,
      // Not those of the 304: a validator belongs to the body that it came with.
      validators: earlier.facts.validators,
    });
  }

  /** How a document that is being sent compares with the earlier one, as far as that is known before its end. */
  expected(url: string, requested: string): Freshness {
    const earlier = this.previous.document(url) ?? this.previous.document(requested);
    return earlier === undefined ? 'new' : 'changed';
  }

  /** The outcome of a document that was sent again, with how it compares with the earlier one. */
  async compared(outcome: Outcome, response: OpenDocument, freshness: Freshness): Promise<Outcome> {
    if (outcome.type === 'invalid') return outcome;
    const document = outcome.facts?.document;
    const earlier = await this.earlier(outcome.url);
    if (document === undefined || earlier === undefined || !isAlike(outcome, earlier)) {
      return { ...outcome, freshness };
    }
    if (!(await haveEqualBytes(document.chunksAsync(), earlier.document.chunksAsync())))
      return { ...outcome, freshness };
    // The spool of a living tree need not stay open for it: this is a copy already.
    if (!earlier.document.shared.isArchive) return { ...outcome, freshness: 'unchanged' };
    const { etag, lastModified } = validatorsOf(response.response);
    const { url, status } = outcome;
    const again = await this.#reader.readEarlier(earlier, placeOf(url), {
      freshness: 'unchanged',
      checkedAt: response.response.requestedAt,
      validators: { etag, lastModified },
    });
    if (again.type !== outcome.type) return { ...outcome, freshness };
    return { ...again, status, problems: outcome.problems, problemCount: outcome.problemCount };
  }

  /**
   * The outcome of a URL, with the facts to remember if it was not read; or the outcome of the earlier tree, if that is
   * shown instead.
   *
   * @param mayShow - asked before it is shown; where it may not be, the outcome stays what it is
   */
  async outcomeOrEarlier(
    newOutcome: Outcome,
    place: DocumentPlace,
    mayShow: () => Promise<boolean>,
  ): Promise<Outcome> {
    if (!this.options.staleIfError) return newOutcome;
    const outcome = await this.#unlessAnotherText(newOutcome, place.url);
    if (isRead(outcome)) return outcome;
    const unread = this.#unreadFacts(outcome, place.url);
    const failed = { ...outcome, facts: { ...outcome.facts, unread } };
    if (failed.type === 'invalid' && isGone(failed, this.options)) return failed;
    const earlier = await this.earlier(place.url);
    if (earlier === undefined || !holdsAsMuch(earlier, outcome) || !(await mayShow())) return failed;
    const isTooOld = this.isTooOld(earlier);
    // Before it is shown: a stream hands on its pages with that.
    if (isTooOld && !(earlier.isIndex && failed.type === 'invalid')) return failed;
    const stale = await this.#stale(earlier, place, staleProblem(outcome, earlier), unread);
    if (!isTooOld) return stale;
    // An index ends only when nothing below it is left.
    return failed.type === 'invalid' && stale.type === 'index' ? { ...failed, former: stale } : failed;
  }

  /** A failure, where a robots.txt that declared sitemaps is now a text without any of its lines: an error message. */
  async #unlessAnotherText(outcome: Outcome, url: string): Promise<Outcome> {
    if (outcome.type !== 'index' || outcome.kind !== 'robots-txt' || outcome.entries.length > 0)
      return outcome;
    if (!this.inEarlierTree(url)?.node.subSitemaps.length) return outcome;
    const { text, facts } = outcome;
    const robotsText = text ?? (facts?.document && (await RobotsText.of(facts.document.chunksAsync())));
    if (robotsText === undefined || isRobotsText(robotsText)) return outcome;
    const reason = `${url}: it is a text without a line of a robots.txt.`;
    return { type: 'invalid', code: 'not-a-sitemap', reason, status: outcome.status };
  }

  /** A document that nothing declares any more, as the earlier tree has it. */
  undeclared(earlier: EarlierDocument, place: DocumentPlace): Promise<Outcome> {
    const { facts, parents, goodAt } = earlier;
    const { since } = facts.unread?.undeclared ?? { since: this.run };
    const message =
      'Nothing declares it any more; it is kept until everything that was declared since then was read. ' +
      shownSince(goodAt);
    const problem = { code: 'stale', message } as const;
    const { runs = 0, notFound } = facts.unread ?? {};
    const undeclared = { since, parents: [...parents] };
    return this.#stale(earlier, place, problem, { runs: runs + 1, notFound, undeclared });
  }

  #stale(
    earlier: EarlierDocument,
    place: DocumentPlace,
    problem: Problem,
    unread: UnreadRecord,
  ): Promise<Outcome> {
    const { checkedAt, validators } = earlier.facts;
    return this.#showEarlier(earlier, place, { freshness: 'stale', problem, checkedAt, validators, unread });
  }

  /** Whether a document has been stale for longer than it may be. */
  isTooOld(earlier: EarlierDocument): boolean {
    const { maxStaleMs } = this.options;
    if (maxStaleMs === undefined || Date.now() - earlier.goodAt <= maxStaleMs) return false;
    if (!earlier.isIndex) this.noteNotKept(earlier);
    return true;
  }

  /** Notes a document that is not kept since it is too old. An index is noted only where nothing below it is left. */
  noteNotKept(earlier: EarlierDocument): void {
    this.#tooOld.add(earlier);
  }

  get notKept(): readonly Problem[] {
    return Array.from(this.#tooOld, ({ url, goodAt }) => ({
      code: 'not-kept',
      message: `${url} is not kept: it was last read on ${new Date(goodAt).toISOString()} (maxStaleMs).`,
      option: 'maxStaleMs',
    }));
  }

  #unreadFacts(outcome: Outcome, url: string): UnreadRecord {
    const { runs = 0, notFound = 0, declaredIn } = this.previous.unread(url) ?? {};
    const isFirst = !this.previous.isKnown(url);
    const is404 = outcome.type === 'invalid' && outcome.code === 'http-status' && outcome.status === 404;
    return {
      runs: runs + 1,
      notFound: notFound + (is404 ? 1 : 0) || undefined,
      declaredIn: isFirst ? this.run : declaredIn,
    };
  }

  /** Shows a document at a URL, with the redirects that once led from there to it. */
  async #showEarlier(
    earlier: EarlierDocument,
    place: DocumentPlace,
    earlierUse: EarlierUse,
  ): Promise<Outcome> {
    const outcome = await this.#reader.readEarlier(earlier, place, earlierUse);
    if (documentKey(earlier.url) === documentKey(place.url)) return outcome;
    return redirectedFrom(place.url, earlier.url, outcome, await this.#reader.keepEarlier?.(earlier));
  }

  close(): void {
    this.previous.close();
  }
}

function placeOf(url: string): DocumentPlace {
  return { url, lastModified: undefined, parentUrls: new Set() };
}

function isAlike(outcome: Exclude<Outcome, { type: 'invalid' }>, earlier: EarlierDocument): boolean {
  const document = outcome.facts?.document;
  return (
    outcome.truncated === earlier.node.truncated &&
    documentKey(outcome.url) === documentKey(earlier.url) &&
    document?.bytes === earlier.document.bytes &&
    document.options.charset === earlier.document.options.charset
  );
}

/** Failures that say something about the place in the tree, or about what the caller asked for. */
const NOT_OF_THE_DOCUMENT: ReadonlySet<string> = new Set(['max-depth', 'bad-url']);

/** Whether a document was read to its end, as far as the network is concerned, or is left out. */
function isRead(outcome: Outcome): boolean {
  if (outcome.type === 'invalid') return NOT_OF_THE_DOCUMENT.has(outcome.code);
  return !isCut(outcome) || outcome.freshness === 'stale';
}

/**
 * Whether the end of a document is missing for a reason that may pass. A limit of the caller is not such a reason.
 * Neither is a document that arrived whole, and had no end before either.
 */
export function isCut({ truncated, freshness, problems }: Exclude<Outcome, InvalidOutcome>): boolean {
  const has = (...codes: readonly string[]): boolean => problems.some(({ code }) => codes.includes(code));
  if (!truncated || has('too-large')) return false;
  return freshness !== 'unchanged' || has('connection-broke', 'changed-on-retry', 'cut-by-limit');
}

/** Whether an earlier document is to be shown instead of one whose end is missing. */
function holdsAsMuch({ node, document }: EarlierDocument, outcome: Outcome): boolean {
  if (outcome.type === 'invalid') return true;
  // Pages that a stream has handed on cannot be taken back.
  if (outcome.isHandedOn === true) return false;
  return !node.truncated || document.bytes >= (outcome.bytes ?? 0);
}

/** Whether a document that is missing is gone: a deployment makes a sitemap respond with 404 for a minute. */
export function isGone(outcome: InvalidOutcome, { goneAfter }: ResolvedOptions): boolean {
  if (!isMissing(outcome)) return false;
  return outcome.status === 410 || (outcome.facts?.unread?.notFound ?? 1) >= goneAfter;
}

function shownSince(goodAt: number): string {
  return `It is shown as it was read on ${new Date(goodAt).toISOString()}.`;
}

function staleProblem(outcome: Outcome, { url, goodAt }: EarlierDocument): Problem {
  const since = shownSince(goodAt);
  if (outcome.type === 'invalid') {
    return { code: 'stale', message: `${outcome.reason} ${since}`, ...factsOfFailure(outcome) };
  }
  const [first] = outcome.problems;
  const why = first === undefined ? 'Its end is missing.' : first.message;
  return { code: 'stale', message: `${url} was not read to its end. ${why} ${since}`, failure: 'truncated' };
}
