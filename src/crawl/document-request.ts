/**
 * One document from its request to its outcome.
 *
 *     requested ──► held ──► read ──► outcome
 *
 * What several URLs redirect to is requested and read once. *Held* are only known paths of a stream: a stream cannot
 * take pages back, and whether a known path is declared is certain only when everything that is declared was read.
 */

import type { DocumentFetcher, FetchDocumentOptions, FetchResult } from '../fetch/fetch-document.ts';
import type { FetchFailure, ResponseHead } from '../fetch/fetch-failure.ts';
import { SitemapException } from '../problems/errors.ts';
import { type InvalidOutcome, type Outcome, recursion, redirectedFrom } from '../read/outcome.ts';
import type { DocumentPlace, DocumentReader } from '../read/reader.ts';
import { type FairShare, Waiters } from '../runtime/time.ts';
import type { Gate } from '../runtime/waiting-line.ts';
import type { KeptDocument } from '../sitemap/kept-document.ts';
import { documentKey } from '../url.ts';
import { type Limits, TIME_IS_UP } from './limits.ts';
import type { CrawlProgress, DocumentProgress, Origin } from './progress.ts';
import type { Revisit } from './revisit.ts';

/** A document that is to be fetched, and the place in the tree that declares it. */
export interface WantedDocument extends DocumentPlace {
  readonly origin: Origin;
}

/**
 * The state of a URL.
 *
 *     new ──► deciding ──► trusted     its declared times say that it need not be requested,
 *      │         │            │        until a place is found that declares another time
 *      └──► requested ◄───────┘        queued for its request, under way, or done
 *              │    │
 *     new ◄────┤    └──► weak          a known path that failed has attempts left
 *              └───────────┘           a stream may not read it yet; or something declares a weak one
 */
type UrlState =
  | { readonly type: 'new' }
  | { readonly type: 'deciding' | 'trusted' | 'requested' | 'weak'; readonly outcome: Promise<Outcome> };

export const NEW: UrlState = { type: 'new' };

/** What a call knows of one URL. */
export class UrlRecord {
  state: UrlState = NEW;
  /** The progress of the current request, or of the last one. */
  progress: DocumentProgress | undefined;
  /**
   * The outcome of the document that this very URL responded with. It can be waited for without a deadlock,
   * however URLs redirect to each other: reading waits for nothing but the network and the consumer.
   */
  reading: Promise<Outcome> | undefined;
  /** The first place that declares it; every one, where the times that they declare are of use. */
  readonly declarations: WantedDocument[] = [];
}

/** What the requests of one call share. */
export interface RequestContext {
  readonly fetcher: DocumentFetcher;
  readonly reader: DocumentReader;
  readonly progress: CrawlProgress;
  readonly limits: Limits;
  /** The keys of the URLs that a stream must not read at a known path, complete when it may read any. */
  readonly excluded: ReadonlySet<string>;
  readonly revisit: Revisit | undefined;
  /** Limits how many documents are under way at once. */
  readonly queue: Gate;
  /** A web client that responds from memory never waits: without turns, no limit of time is kept. */
  readonly share: FairShare;
  readonly urls: UrlRecords;
  readonly heldPaths: HeldPaths;
  readonly claims: Map<string, Claims>;
}

export class UrlRecords {
  readonly #records = new Map<string, UrlRecord>();

  get(url: string): UrlRecord | undefined {
    return this.#records.get(documentKey(url));
  }

  /** The record of a URL, which is made where there is none. */
  at(url: string): UrlRecord {
    const key = documentKey(url);
    const record = this.#records.get(key) ?? new UrlRecord();
    this.#records.set(key, record);
    return record;
  }
}

/** A stream holds a document at a known path in memory until it may be read, if it is not larger than this. */
const HELD_BYTES = 64 * 1024;

type Received = Exclude<FetchResult, FetchFailure>;

export class DocumentRequest {
  readonly #context: RequestContext;
  readonly #record: UrlRecord;
  readonly #place: WantedDocument;
  readonly #progress: DocumentProgress;
  readonly #claims: Claims;
  #startedAt = 0;

  constructor(context: RequestContext, record: UrlRecord, place: WantedDocument, progress: DocumentProgress) {
    this.#context = context;
    this.#record = record;
    this.#place = place;
    this.#progress = progress;
    this.#claims = new Claims(context.claims);
  }

  /** The outcome of the document, or that of an earlier version if the tree shows that instead. */
  async outcome(): Promise<Outcome> {
    const { revisit, share } = this.#context;
    if (share.isUsedUp) await share.turn();
    const outcome = await this.#outcomeInTime();
    if (outcome.type === 'invalid') this.#progress.failed(outcome.code, outcome.reason);
    else this.#progress.finished({ isSitemap: outcome.kind !== 'robots-txt' });
    if (revisit === undefined || (outcome.type === 'invalid' && outcome.code === 'recursion')) return outcome;
    return revisit.outcomeOrEarlier(outcome, this.#place, () => this.#mayShowEarlier());
  }

  async #outcomeInTime(): Promise<Outcome> {
    const { limits } = this.#context;
    try {
      limits.deadline.throwIfAborted();
      await this.#isRead(this.#place.url);
      return await (this.#record.reading ?? this.#requestAndRead());
    } catch (error) {
      if (error !== TIME_IS_UP) throw error;
      return notInTime(this.#place.url, this.#progress, limits);
    } finally {
      this.#claims.release();
    }
  }

  async #requestAndRead(): Promise<Outcome> {
    const { url } = this.#place;
    this.#startedAt = performance.now();
    const response = await this.#request();
    if (response.type === 'failed') return this.#failed(response);
    const refusal = await this.#hold(response);
    const responding = this.#context.urls.at(response.url);
    if (refusal !== undefined && (refusal.isFinal || responding.reading === undefined)) {
      // It is requested again when its turn has come, or when something declares it. The state changes before the
      // connection is closed, so that a declaration is not lost meanwhile.
      this.#record.state = NEW;
      await close(response);
      return recursion(url, refusal.why);
    }
    if (responding.reading === undefined) responding.reading = this.#read(response);
    else await close(response);
    this.#claims.release();
    const outcome = await responding.reading;
    const isSame = response.type !== 'same-as' && documentKey(response.url) === documentKey(url);
    return isSame ? outcome : redirectedFrom(url, response.url, outcome, this.#keepHeads(response.hops));
  }

  /** Whether a URL was read, once no other request claims it; if it was not, this request claims it. */
  async #isRead(url: string): Promise<boolean> {
    const { urls } = this.#context;
    const isRead = (): boolean => urls.get(url)?.reading !== undefined;
    if (isRead()) return true;
    await this.#claims.claim(documentKey(url));
    return isRead();
  }

  async #request(): Promise<FetchResult> {
    const { fetcher, limits, revisit, progress: callProgress } = this.#context;
    const { url } = this.#place;
    const progress = this.#progress;
    const earlier = revisit?.inEarlierTree(url);
    const request: FetchDocumentOptions = {
      signal: limits.deadline,
      cutBy: (reason) => (reason === TIME_IS_UP ? limits.cut : undefined),
      validators: await earlier?.validators(),
      isDeclared: () => progress.isDeclared,
      isRead: async (target) => {
        // What a known path redirects to is often declared.
        if (!this.#mayRead()) await this.#untilReadable();
        return this.#isRead(target.href);
      },
      onStart: () => {
        this.#startedAt = performance.now();
        progress.started();
      },
      onRetry: (retry) => progress.retried(retry),
      onWait: (wait) => callProgress.report({ type: 'waiting', url, ...wait }),
      onBytes: (count) => progress.addBytes(count),
    };
    const response = await fetcher.fetch(url, request);
    if (response.type !== 'unchanged') return response;
    // Checked for damage only now, while other requests are under way.
    const isUseful = response.isBelieved && earlier !== undefined && (await revisit?.isIntact(earlier));
    return isUseful ? response : fetcher.fetch(url, { ...request, validators: undefined });
  }

  #failed({ url, code, reason, status, option, error, mayPass, responses }: FetchFailure): InvalidOutcome {
    const { state } = this.#record;
    if (mayPass && !this.#progress.isDeclared && state.type === 'requested') {
      this.#record.state = { type: 'weak', outcome: state.outcome };
    }
    this.#keepHeads(responses);
    const target = documentKey(url) === documentKey(this.#place.url) ? undefined : url;
    return timed({ type: 'invalid', target, code, reason, status, option, error }, this.#startedAt);
  }

  /** Whether this request is for a known path of a stream, whose pages cannot be taken back. */
  #isTentative(): boolean {
    return this.#place.origin === 'known-path' && !this.#context.reader.keepsDocuments;
  }

  #mayRead(): boolean {
    if (!this.#isTentative() || this.#progress.isDeclared) return true;
    return this.#context.heldPaths.isReleased(documentKey(this.#place.url));
  }

  async #untilReadable(): Promise<void> {
    const { queue, heldPaths } = this.#context;
    // This request waits for all declared documents. So none of them may wait for it: it gives back its claim on the
    // URL, and its slot in the queue.
    this.#claims.release();
    await queue.outside(() => heldPaths.until(documentKey(this.#place.url)));
  }

  /** Holds a small document until it may be read. Returns the reason if it may not. */
  async #hold(response: Received): Promise<{ readonly why: string; readonly isFinal: boolean } | undefined> {
    if (!this.#isTentative()) return undefined;
    if (response.type !== 'same-as' && !this.#mayRead()) {
      const isHeld = response.type === 'unchanged' || (await response.readAhead(HELD_BYTES));
      if (isHeld && !this.#mayRead()) await this.#untilReadable();
      // Too large to be held, and its slot is needed.
      if (!this.#mayRead()) return { why: 'it is not known yet whether it is declared', isFinal: true };
    }
    // Declared, but filtered: a sitemap that declares the known path later asks for it again.
    const isFiltered = !this.#progress.isDeclared && this.#context.excluded.has(documentKey(response.url));
    if (!isFiltered) return undefined;
    return { why: `it redirects to ${response.url}, which is declared elsewhere`, isFinal: false };
  }

  async #read(response: Received): Promise<Outcome> {
    const { reader, limits, revisit } = this.#context;
    const { url } = this.#place;
    const [place = this.#place] = this.#record.declarations;
    const inTime = (outcome: Outcome): Outcome =>
      reader.keepsDocuments ? timed(outcome, this.#startedAt) : outcome;
    if (response.type === 'document') {
      const freshness = revisit?.expected(response.url, url);
      const outcome = await reader.read(response, place, limits.deadline, freshness);
      if (!reader.keepsDocuments || freshness === undefined) return inTime(outcome);
      return inTime((await revisit?.compared(outcome, response, freshness)) ?? outcome);
    }
    const earlier = revisit?.inEarlierTree(url);
    if (response.type !== 'unchanged' || revisit === undefined || earlier === undefined)
      throw new TypeError('What is not a document was read before, in this call or for an earlier tree.');
    return inTime(await revisit.unchanged(earlier, place, response));
  }

  /** Whether an earlier version may be shown at the URL: a stream must know first that nothing else declares it. */
  async #mayShowEarlier(): Promise<boolean> {
    if (!this.#isTentative()) return true;
    const { excluded } = this.#context;
    const key = documentKey(this.#place.url);
    if (!this.#progress.isDeclared) await this.#untilReadable();
    // Meanwhile it may have been requested anew, since it is declared; or it is declared, and not wanted.
    const isLast = this.#record.progress === this.#progress;
    return isLast && (this.#progress.isDeclared || !excluded.has(key));
  }

  #keepHeads(heads: readonly ResponseHead[]): readonly KeptDocument[] {
    const { reader } = this.#context;
    return heads.flatMap((head) => reader.keepHead?.(head) ?? []);
  }
}

async function close(response: Received): Promise<void> {
  if (response.type === 'document') await response.close();
}

function timed<Result extends Outcome>(outcome: Result, startedAt: number): Result {
  const durationMs = Math.round(performance.now() - startedAt);
  return { ...outcome, facts: { ...outcome.facts, durationMs } };
}

function notInTime(url: string, progress: DocumentProgress, { ending }: Limits): InvalidOutcome {
  const code = 'limit';
  const reason = `${url} was not fetched: ${ending.reason}, and ${progress.standing}.`;
  // What was never requested has no error to show.
  const failure = progress.isStarted ? { error: new SitemapException(reason, { code, url }) } : {};
  return { type: 'invalid', code, reason, option: ending.option, ...failure };
}

/**
 * The URLs that one request claims: what several URLs redirect to is requested once. A request waits only for one that
 * does not wait itself, so that requests never wait for each other, however URLs redirect.
 */
export class Claims {
  readonly #byKey: Map<string, Claims>;
  readonly #keys: string[] = [];
  readonly #released = new Waiters();
  #isWaiting = false;

  /** @param byKey - the claims of all requests of the call */
  constructor(byKey: Map<string, Claims>) {
    this.#byKey = byKey;
  }

  /** Claims a URL. If another request has it, that is waited for: it may have read the document then. */
  async claim(key: string): Promise<void> {
    const other = this.#byKey.get(key);
    if (other !== undefined && other !== this && !other.#isWaiting) {
      this.#isWaiting = true;
      await other.#released.wait();
      this.#isWaiting = false;
    }
    this.#byKey.set(key, this);
    this.#keys.push(key);
  }

  release(): void {
    for (const key of this.#keys) if (this.#byKey.get(key) === this) this.#byKey.delete(key);
    this.#released.wake();
  }
}

/** Known paths that a stream has requested, and must not read yet. */
export class HeldPaths {
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
