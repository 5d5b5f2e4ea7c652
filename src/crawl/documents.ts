/**
 * The documents of one call: each URL is requested once, and its outcome is shared by all places that declare it, or
 * redirect to it.
 *
 *     asked ──► queued ──► requested ──► read ──► outcome
 *
 * The first two steps are here: which URL is requested, and when. document-request.ts has the others.
 */
import type { Outcome } from '../read/outcome.ts';
import { FairShare, ignorable, Waiters } from '../runtime/time.ts';
import { Gate } from '../runtime/waiting-line.ts';
import { documentKey } from '../url.ts';
import {
  DocumentRequest,
  HeldPaths,
  NEW,
  type RequestContext,
  type UrlRecord,
  UrlRecords,
  type WantedDocument,
} from './document-request.ts';
import { DocumentProgress } from './progress.ts';

interface DocumentsContext
  extends Pick<RequestContext, 'fetcher' | 'reader' | 'progress' | 'limits' | 'excluded' | 'revisit'> {
  readonly concurrency: number;
}

/**
 * Documents under way at once: at least this many, because the fetcher chooses which of them goes first. The others are
 * queued here, where each costs little: an index may list fifty thousand.
 */
const LEAST_UNDER_WAY = 64;

export class Documents {
  readonly #context: RequestContext;
  readonly #pendingDeclarations = new PendingDeclarations();

  constructor({ concurrency, ...shared }: DocumentsContext) {
    const queue = new Gate(Math.max(LEAST_UNDER_WAY, 2 * concurrency));
    this.#context = {
      ...shared,
      queue,
      share: new FairShare(),
      urls: new UrlRecords(),
      heldPaths: new HeldPaths(),
      claims: new Map(),
    };
  }

  /** The outcome of a URL. The promise is handled, so a caller may ignore it. */
  outcome(place: WantedDocument): Promise<Outcome> {
    const record = this.#context.urls.at(place.url);
    if (place.origin === 'declared') this.#declare(record, place);
    const { state } = record;
    const isDoubtful = state.type === 'trusted' && !this.#isTrusted([place]);
    const outcome = state.type === 'new' || isDoubtful ? this.#start(record, place) : state.outcome;
    // A document in state `deciding` must not count as one that may declare others: it waits for those.
    if (place.origin !== 'known-path' && record.state.type !== 'deciding') this.#mayDeclare(outcome);
    return outcome;
  }

  /** Queues a document for its request, unless its declared times may say that it need not be requested. */
  #start(record: UrlRecord, place: WantedDocument): Promise<Outcome> {
    const progress = new DocumentProgress(this.#context.progress, place.url, place.origin);
    record.progress = progress;
    if (!this.#isTrusted([place])) return this.#request(record, place, progress);
    const outcome = ignorable(this.#trustedOrRequested(record, place, progress));
    record.state = { type: 'deciding', outcome };
    return outcome;
  }

  #request(record: UrlRecord, place: WantedDocument, progress: DocumentProgress): Promise<Outcome> {
    const outcome = ignorable(
      this.#context.queue.run(() => new DocumentRequest(this.#context, record, place, progress).outcome()),
    );
    record.state = { type: 'requested', outcome };
    return outcome;
  }

  /** The outcome of a document that need not be requested, unless any place says that it must. */
  async #trustedOrRequested(
    record: UrlRecord,
    place: WantedDocument,
    progress: DocumentProgress,
  ): Promise<Outcome> {
    // Another index may declare it, too, with another time.
    await this.#pendingDeclarations.isOver();
    const { revisit } = this.#context;
    const earlier = revisit?.inEarlierTree(place.url);
    const isTrusted = earlier !== undefined && this.#isTrusted(record.declarations);
    if (revisit === undefined || !isTrusted || !(await revisit.isIntact(earlier))) {
      return this.#request(record, place, progress);
    }
    if (record.state.type === 'deciding') record.state = { type: 'trusted', outcome: record.state.outcome };
    const outcome = await revisit.trusted(earlier, place);
    progress.finished({ isSitemap: true });
    return outcome;
  }

  /** Whether a document need not be requested, by what these places declare. */
  #isTrusted(places: readonly WantedDocument[]): boolean {
    const { revisit } = this.#context;
    if (revisit?.usesDeclaredTimes !== true) return false;
    return places.every((place) => {
      const earlier = revisit.inEarlierTree(place.url);
      return earlier !== undefined && place.origin === 'declared' && revisit.isTrusted(earlier, place);
    });
  }

  #declare(record: UrlRecord, place: WantedDocument): void {
    const { revisit, heldPaths } = this.#context;
    if (revisit?.usesDeclaredTimes === true || record.declarations.length === 0)
      record.declarations.push(place);
    if (record.state.type === 'weak') {
      record.state = NEW;
      return;
    }
    record.progress?.declared();
    heldPaths.wake(documentKey(place.url));
  }

  /** Until its outcome is known, a document may declare others; that is of use only where declared times are. */
  #mayDeclare(outcome: Promise<Outcome>): void {
    if (this.#context.revisit?.usesDeclaredTimes !== true) return;
    const end = this.#pendingDeclarations.begin();
    outcome.then(end, end);
  }

  /** Something that was read is about to declare sitemaps, until the result is called. */
  declaring(): () => void {
    return this.#pendingDeclarations.begin();
  }

  /** Everything that is declared is known: what was requested at known paths may be read. */
  releaseKnownPaths(): void {
    this.#context.heldPaths.releaseAll();
  }

  /** A known path may be read: everything is known that is declared before it. */
  releaseKnownPath(url: string): void {
    this.#context.heldPaths.release(documentKey(url));
  }

  isRequested(url: string): boolean {
    return this.#context.urls.get(url) !== undefined;
  }
}

/**
 * Knows when everything was read that may declare a sitemap. What depends on all declarations of a document waits for
 * that: then it does not depend on which of two indexes arrives first.
 */
class PendingDeclarations {
  #open = 0;
  readonly #over = new Waiters();

  /** Something that may declare sitemaps is being read, until the result is called. */
  begin(): () => void {
    this.#open++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      // What a document declares is followed in the same turn of the event loop, so the next turn shows whether
      // anything is left.
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
