/**
 * The documents of one call: each URL is requested once, and what it turned out to be is shared by all places that
 * declare it, or redirect to it.
 */

import type { DocumentFetcher, FetchDocumentOptions, Fetched } from '../fetch/fetch-document.ts';
import type { ResponseHead } from '../fetch/fetch-failure.ts';
import { SitemapException } from '../problems/errors.ts';
import { type InvalidOutcome, type Outcome, recursion, redirectedFrom } from '../read/outcome.ts';
import type { DocumentPlace, DocumentReader } from '../read/reader.ts';
import { ignorable, Waiters } from '../runtime/time.ts';
import { WaitingLine } from '../runtime/waiting-line.ts';
import type { KeptDocument } from '../sitemap/kept-document.ts';
import { documentKey } from '../url.ts';
import { type Limits, TIME_IS_UP } from './limits.ts';
import { type CrawlProgress, DocumentProgress, type Origin } from './progress.ts';
import type { Revisit } from './revisit.ts';

export interface WantedDocument extends DocumentPlace {
  readonly origin: Origin;
}

export interface OutcomeListener {
  /** The document is under way; the promise is handled, and may be ignored. */
  started(outcome: Promise<Outcome>): void;
}

interface DocumentsParts {
  readonly concurrency: number;
  readonly fetcher: DocumentFetcher;
  readonly reader: DocumentReader;
  readonly progress: CrawlProgress;
  readonly limits: Limits;
  /** The keys of the URLs that a stream must not read at a known path, complete when it may read any. */
  readonly excluded: ReadonlySet<string>;
  readonly revisit: Revisit | undefined;
}

/**
 * Documents under way at once: at least this many, because the fetcher chooses which of them goes first. The others
 * wait here, where each costs a reference: an index may list fifty thousand.
 */
const LEAST_UNDER_WAY = 64;

/** A stream holds a document at a known path in memory until it may be read, if it is not larger than this. */
const HELD_BYTES = 64 * 1024;

/**
 * How far it is with a URL.
 *
 *     new ──► deciding ──► trusted     its declared times say that it need not be requested,
 *      │         │            │        until a place is found that declares another time
 *      └──► waiting ◄─────────┘        in line for its request
 *              │
 *              ▼
 *            asked ──► weak            a known path that failed has attempts left
 *              │         │
 *     new ◄────┴─────────┘             a stream may not read it yet; or something declares a weak one
 */
type State =
  | { readonly type: 'new' }
  | { readonly type: 'waiting'; readonly wanted: WantedDocument; readonly listeners: OutcomeListener[] }
  | { readonly type: 'deciding' | 'trusted' | 'asked' | 'weak'; readonly outcome: Promise<Outcome> };

const NEW: State = { type: 'new' };

class Entry {
  state: State = NEW;
  /** Of the request that is under way, or that came last. */
  progress: DocumentProgress | undefined;
  /**
   * What the document turned out to be that this very URL responded with. It can be waited for without a deadlock,
   * however URLs redirect to each other: reading waits for nothing but the network and the consumer.
   */
  read: Promise<Outcome> | undefined;
  /** The first place that declares it; every one, where the times that they declare are of use. */
  readonly declarations: WantedDocument[] = [];
}

interface Asked {
  readonly entry: Entry;
  readonly wanted: WantedDocument;
  readonly progress: DocumentProgress;
  readonly requester: Requester;
  startedAt: number;
}

export class Documents {
  readonly #parts: DocumentsParts;
  readonly #waiting = new WaitingLine<Entry>();
  #underWay = 0;
  readonly #entries = new Map<string, Entry>();
  readonly #requesters = new Map<string, Requester>();
  readonly #held = new HeldPaths();
  readonly #declaring = new Declaring();

  constructor(parts: DocumentsParts) {
    this.#parts = parts;
  }

  outcome(wanted: WantedDocument): Promise<Outcome> {
    return ignorable(new Promise<Outcome>((resolve) => this.ask(wanted, { started: resolve })));
  }

  /** Asks what a URL turns out to be. The listener is called once the document is under way, which may be at once. */
  ask(wanted: WantedDocument, listener: OutcomeListener): void {
    const entry = this.#entry(wanted.url);
    if (wanted.origin === 'declared') this.#declare(entry, wanted);
    const isDoubtful = entry.state.type === 'trusted' && !this.#isTrusted([wanted]);
    if (isDoubtful || entry.state.type === 'new') this.#start(entry, wanted, isDoubtful);
    // What is decided about waits for the others that may declare something.
    if (wanted.origin !== 'known-path' && entry.state.type !== 'deciding') this.#mayDeclare(entry);
    tell(entry, listener);
  }

  #start(entry: Entry, wanted: WantedDocument, isDoubtful: boolean): void {
    entry.progress = new DocumentProgress(this.#parts.progress, wanted.url, wanted.origin);
    if (isDoubtful || !this.#isTrusted([wanted])) {
      this.#queue(entry, wanted);
      return;
    }
    entry.state = { type: 'deciding', outcome: ignorable(this.#decided(entry, wanted, entry.progress)) };
  }

  #queue(entry: Entry, wanted: WantedDocument, ...listeners: OutcomeListener[]): void {
    entry.state = { type: 'waiting', wanted, listeners };
    this.#waiting.add(entry);
    this.#fill();
  }

  #fill(): void {
    while (this.#underWay < Math.max(LEAST_UNDER_WAY, 2 * this.#parts.concurrency)) {
      const entry = this.#waiting.shift();
      if (entry === undefined) return;
      this.#underWay++;
      this.#begin(entry);
    }
  }

  #begin(entry: Entry): void {
    const { state, progress } = entry;
    if (state.type !== 'waiting' || progress === undefined)
      throw new TypeError('Only what waits has a turn.');
    const outcome = this.#ask(entry, state.wanted, progress);
    entry.state = { type: 'asked', outcome };
    const over = (): void => {
      this.#underWay--;
      this.#fill();
    };
    outcome.then(over, over);
    for (const listener of state.listeners) listener.started(outcome);
  }

  /** Until its outcome is known, a document may declare others; that is of use only where declared times are. */
  #mayDeclare(entry: Entry): void {
    if (this.#parts.revisit?.usesDeclaredTimes !== true) return;
    const end = this.#declaring.begin();
    tell(entry, { started: (outcome) => void outcome.then(end, end) });
  }

  /** The outcome of a document that need not be requested, unless any place says that it must. */
  async #decided(entry: Entry, wanted: WantedDocument, progress: DocumentProgress): Promise<Outcome> {
    // Another index may declare it, too, with another time.
    await this.#declaring.isOver();
    const { revisit } = this.#parts;
    const earlier = revisit?.known(wanted.url);
    const isTrusted = earlier !== undefined && this.#isTrusted(entry.declarations);
    if (revisit === undefined || !isTrusted || !(await revisit.isIntact(earlier))) {
      return new Promise((resolve) => this.#queue(entry, wanted, { started: resolve }));
    }
    if (entry.state.type === 'deciding') entry.state = { type: 'trusted', outcome: entry.state.outcome };
    const outcome = await revisit.trusted(earlier, wanted);
    progress.finished({ isSitemap: true });
    return outcome;
  }

  /** Whether a document need not be requested, for all that these places say. */
  #isTrusted(places: readonly WantedDocument[]): boolean {
    const { revisit } = this.#parts;
    if (revisit?.usesDeclaredTimes !== true) return false;
    return places.every((place) => {
      const earlier = revisit.known(place.url);
      return earlier !== undefined && place.origin === 'declared' && revisit.isTrusted(earlier, place);
    });
  }

  /** Something that was read is about to declare sitemaps, until the result is called. */
  declaring(): () => void {
    return this.#declaring.begin();
  }

  /** Everything that is declared is known: what was requested at known paths may be read. */
  releaseKnownPaths(): void {
    this.#held.releaseAll();
  }

  /** A known path may be read: everything is known that is declared before it. */
  releaseKnownPath(url: string): void {
    this.#held.release(documentKey(url));
  }

  #declare(entry: Entry, place: WantedDocument): void {
    const isOfUse = this.#parts.revisit?.usesDeclaredTimes === true;
    if (isOfUse || entry.declarations.length === 0) entry.declarations.push(place);
    if (entry.state.type === 'weak') {
      entry.state = NEW;
      return;
    }
    entry.progress?.declared();
    this.#held.wake(documentKey(place.url));
  }

  isRequested(url: string): boolean {
    return this.#entries.has(documentKey(url));
  }

  #entry(url: string): Entry {
    const key = documentKey(url);
    const entry = this.#entries.get(key) ?? new Entry();
    this.#entries.set(key, entry);
    return entry;
  }

  async #ask(entry: Entry, wanted: WantedDocument, progress: DocumentProgress): Promise<Outcome> {
    let outcome: Outcome;
    const requester = new Requester(this.#requesters);
    try {
      this.#parts.limits.deadline.throwIfAborted();
      await this.#isRead(wanted.url, requester);
      const asked = { entry, wanted, progress, requester, startedAt: performance.now() };
      outcome = await (entry.read ?? this.#fetch(asked));
    } catch (error) {
      if (error !== TIME_IS_UP) throw error;
      outcome = notInTime(wanted.url, progress, this.#parts.limits);
    } finally {
      requester.end();
    }
    if (outcome.type === 'invalid') progress.failed(outcome.code, outcome.reason);
    else progress.finished({ isSitemap: outcome.kind !== 'robots-txt' });
    const { revisit } = this.#parts;
    if (revisit === undefined || (outcome.type === 'invalid' && outcome.code === 'recursion')) return outcome;
    return revisit.settled(outcome, wanted, () => this.#mayShow(entry, wanted, progress));
  }

  /** Whether an earlier document may be shown at a URL: a stream must know first that nothing else declares it. */
  async #mayShow(entry: Entry, wanted: WantedDocument, progress: DocumentProgress): Promise<boolean> {
    const { reader, excluded } = this.#parts;
    if (wanted.origin !== 'known-path' || reader.keepsDocuments) return true;
    const key = documentKey(wanted.url);
    if (!progress.isDeclared) await this.#held.until(key);
    // Meanwhile it may have been requested anew, since it is declared; or it is declared, and not wanted.
    return entry.progress === progress && (progress.isDeclared || !excluded.has(key));
  }

  /** Whether a URL was read, once no other requester has it; if not, it is the requester's turn. */
  async #isRead(url: string, requester: Requester): Promise<boolean> {
    const key = documentKey(url);
    const isRead = (): boolean => this.#entries.get(key)?.read !== undefined;
    if (isRead()) return true;
    await requester.take(key);
    return isRead();
  }

  /** Requests a document and reads what responds, unless that was read for another URL or must wait. */
  async #fetch(asked: Asked): Promise<Outcome> {
    const { entry, wanted, progress } = asked;
    const fetched = await this.#request(asked);
    if (fetched.type === 'failed') {
      const { code, reason, status, option, error } = fetched;
      const { state } = entry;
      const isWeak = fetched.mayPass && !progress.isDeclared && state.type === 'asked';
      if (isWeak) entry.state = { type: 'weak', outcome: state.outcome };
      this.#keptHeads(fetched.responses);
      return timed({ type: 'invalid', code, reason, status, option, error }, asked.startedAt);
    }
    const tooEarly = await this.#tooEarly(asked, fetched);
    const responding = this.#entry(fetched.url);
    if (tooEarly !== undefined && (tooEarly.isFinal || responding.read === undefined)) {
      // It is asked for anew when its turn has come, or when something declares it: from here on, not only once the
      // connection is closed.
      entry.state = NEW;
      if (fetched.type === 'document') await fetched.close();
      return recursion(wanted.url, tooEarly.why);
    }
    if (responding.read === undefined) responding.read = this.#read(asked, fetched);
    else if (fetched.type === 'document') await fetched.close();
    asked.requester.end();
    const outcome = await responding.read;
    const isSame = fetched.type !== 'same-as' && documentKey(fetched.url) === documentKey(wanted.url);
    return isSame ? outcome : redirectedFrom(wanted.url, outcome, this.#keptHeads(fetched.hops));
  }

  async #request(asked: Asked): Promise<Fetched> {
    const { wanted, progress } = asked;
    const { fetcher, limits, revisit } = this.#parts;
    const earlier = revisit?.known(wanted.url);
    const request: FetchDocumentOptions = {
      signal: limits.deadline,
      cutBy: (reason) => (reason === TIME_IS_UP ? limits.cut : undefined),
      validators: await earlier?.validators(),
      isDeclared: () => progress.isDeclared,
      isRead: async (url) => {
        // What a known path redirects to is often declared.
        if (!this.#mayBeRead(asked)) await this.#hold(asked);
        return this.#isRead(url.href, asked.requester);
      },
      onStart() {
        asked.startedAt = performance.now();
        progress.started();
      },
      onRetry: (retry) => progress.retried(retry),
      onWait: (wait) => this.#parts.progress.report({ type: 'waiting', url: wanted.url, ...wait }),
      onBytes: (count) => progress.addBytes(count),
    };
    const fetched = await fetcher.fetch(wanted.url, request);
    if (fetched.type !== 'unchanged') return fetched;
    // Only what is to be shown is read for damage: most of that time others are on their way.
    const isUseful = fetched.isBelieved && earlier !== undefined && (await revisit?.isIntact(earlier));
    return isUseful ? fetched : fetcher.fetch(wanted.url, { ...request, validators: undefined });
  }

  /** Why a stream may not read a known path: it cannot take pages back. Small documents are held until it may. */
  async #tooEarly(
    asked: Asked,
    fetched: Exclude<Fetched, { type: 'failed' }>,
  ): Promise<{ readonly why: string; readonly isFinal: boolean } | undefined> {
    const { wanted, progress } = asked;
    const { reader, excluded } = this.#parts;
    if (wanted.origin !== 'known-path' || reader.keepsDocuments) return undefined;
    if (fetched.type !== 'same-as' && !this.#mayBeRead(asked)) {
      const isHeld = fetched.type === 'unchanged' || (await fetched.readAhead(HELD_BYTES));
      if (isHeld && !this.#mayBeRead(asked)) await this.#hold(asked);
      // Too large to be held, and its slot is needed.
      if (!this.#mayBeRead(asked))
        return { why: 'it is not known yet whether it is declared', isFinal: true };
    }
    // Declared, but filtered: a sitemap that declares the known path later asks anew.
    const isFiltered = !progress.isDeclared && excluded.has(documentKey(fetched.url));
    if (!isFiltered) return undefined;
    return { why: `it redirects to ${fetched.url}, which is declared elsewhere`, isFinal: false };
  }

  /** Whether a document may be read by now: a stream cannot take back the pages of a known path. */
  #mayBeRead({ wanted, progress }: Asked): boolean {
    const isSure = wanted.origin !== 'known-path' || this.#parts.reader.keepsDocuments;
    return isSure || progress.isDeclared || this.#held.isReleased(documentKey(wanted.url));
  }

  async #hold({ wanted, requester }: Asked): Promise<void> {
    // What is declared must not wait for what waits for all that is declared.
    requester.end();
    // Nor must there be no room for it among the documents under way.
    this.#underWay--;
    this.#fill();
    await this.#held.until(documentKey(wanted.url));
    this.#underWay++;
  }

  async #read({ entry, wanted, startedAt }: Asked, fetched: Fetched): Promise<Outcome> {
    const { reader, limits, revisit } = this.#parts;
    const [place = wanted] = entry.declarations;
    const inTime = (outcome: Outcome): Outcome =>
      reader.keepsDocuments ? timed(outcome, startedAt) : outcome;
    if (fetched.type === 'document') {
      const freshness = revisit?.expected(fetched.url, wanted.url);
      const outcome = await reader.read(fetched, place, limits.deadline, freshness);
      if (!reader.keepsDocuments || freshness === undefined) return inTime(outcome);
      return inTime((await revisit?.compared(outcome, fetched, freshness)) ?? outcome);
    }
    const earlier = revisit?.known(wanted.url);
    if (fetched.type !== 'unchanged' || revisit === undefined || earlier === undefined)
      throw new TypeError('What is not a document was read before, in this call or for an earlier tree.');
    return inTime(await revisit.unchanged(earlier, place, fetched));
  }

  #keptHeads(heads: readonly ResponseHead[]): readonly KeptDocument[] {
    const { reader } = this.#parts;
    return heads.flatMap((head) => reader.keepHead?.(head) ?? []);
  }
}

function tell({ state }: Entry, listener: OutcomeListener): void {
  if (state.type === 'waiting') state.listeners.push(listener);
  else if (state.type !== 'new') listener.started(state.outcome);
}

function timed<Result extends Outcome>(outcome: Result, startedAt: number): Result {
  const durationMs = Math.round(performance.now() - startedAt);
  return { ...outcome, facts: { ...outcome.facts, durationMs } };
}

function notInTime(url: string, progress: DocumentProgress, { ending }: Limits): InvalidOutcome {
  const code = 'limit';
  const reason = `${url} was not fetched: ${ending.reason}, and ${progress.standing}.`;
  // What was never requested has no error to show.
  const ended = progress.isStarted ? { error: new SitemapException(reason, { code, url }) } : {};
  return { type: 'invalid', code, reason, option: ending.option, ...ended };
}

/**
 * Who requests which URLs: what several URLs redirect to is requested once. A requester waits only for one that does
 * not wait itself: so they never wait for each other, however URLs redirect.
 */
class Requester {
  readonly #byKey: Map<string, Requester>;
  readonly #keys: string[] = [];
  readonly #over = new Waiters();
  #isWaiting = false;

  constructor(byKey: Map<string, Requester>) {
    this.#byKey = byKey;
  }

  /** Requests a URL from now on. Another one that does so is waited for: it may have read it then. */
  async take(key: string): Promise<void> {
    const other = this.#byKey.get(key);
    if (other !== undefined && other !== this && !other.#isWaiting) {
      this.#isWaiting = true;
      await other.#over.wait();
      this.#isWaiting = false;
    }
    this.#byKey.set(key, this);
    this.#keys.push(key);
  }

  /** It requests nothing any more. */
  end(): void {
    for (const key of this.#keys) if (this.#byKey.get(key) === this) this.#byKey.delete(key);
    this.#over.wake();
  }
}

/**
 * Knows when everything was read that may declare a sitemap. What depends on all declarations of a document waits for
 * that: then it does not depend on which of two indexes arrives first.
 */
class Declaring {
  #open = 0;
  readonly #over = new Waiters();

  /** Something that may declare sitemaps is being read, until the result is called. */
  begin(): () => void {
    this.#open++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      // What was read is followed in the same turn of the event loop: only after that nothing may be left.
      setImmediate(() => {
        if (--this.#open === 0) this.#over.wake();
      });
    };
  }

  /** Resolves when nothing is being read that may declare sitemaps. */
  async isOver(): Promise<void> {
    if (this.#open > 0) await this.#over.wait();
  }
}

/**
 * Known paths that a stream has requested, but must not read yet. A stream cannot take pages back, and whether a known
 * path is declared is certain only when everything that is declared was read.
 */
class HeldPaths {
  readonly #waiting = new Map<string, () => void>();
  readonly #released = new Set<string>();
  #isEveryReleased = false;

  /** Whether a known path may be read by now. */
  isReleased(key: string): boolean {
    return this.#isEveryReleased || this.#released.has(key);
  }

  async until(key: string): Promise<void> {
    if (!this.isReleased(key)) await new Promise<void>((resolve) => this.#waiting.set(key, resolve));
  }

  /** Something declares the document: it may be read at once. */
  wake(key: string): void {
    this.#waiting.get(key)?.();
  }

  release(key: string): void {
    this.#released.add(key);
    this.wake(key);
  }

  releaseAll(): void {
    this.#isEveryReleased = true;
    for (const resolve of this.#waiting.values()) resolve();
  }
}
