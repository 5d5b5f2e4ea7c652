/**
 * The documents of one call: each URL is requested once, and what it turned out to be is shared by all places that
 * declare it, or redirect to it.
 */
import { SitemapException } from '../errors.ts';
import type { DocumentFetcher } from '../fetch/fetch-document.ts';
import { type DocumentPlace, type DocumentReader, type Outcome, recursion } from '../read/outcome.ts';
import { documentKey } from '../url.ts';
import { Gate } from './gate.ts';
import { TIME_IS_UP } from './limits.ts';
import { DocumentProgress, type Progress } from './progress.ts';

/** What documents come from and go to. */
export interface DocumentsParts {
  readonly fetcher: DocumentFetcher;
  readonly reader: DocumentReader;
  /**
   * Whether documents are kept. Then one that is declared twice is shown at each place, and one may be fetched before
   * it is known whether it is wanted; a stream can do neither.
   */
  readonly keepsDocuments: boolean;
  readonly progress: Progress;
  /** Aborted when the time is over. */
  readonly deadline: AbortSignal;
  /** The URLs that were declared so far. */
  readonly declared: ReadonlySet<string>;
}

/**
 * So many documents are handed to the fetcher at once. It decides who goes first, for which it needs a choice; the
 * rest of an index of fifty thousand waits here, where waiting costs next to nothing.
 */
const MAX_STARTED = 1000;

/** A URL that was asked for. */
interface Asked {
  readonly outcome: Promise<Outcome>;
  readonly progress: DocumentProgress;
}

/** Fetches and reads documents, each once. */
export class Documents {
  readonly #parts: DocumentsParts;
  readonly #gate = new Gate(MAX_STARTED);
  /** By the URL that was asked for. */
  readonly #asked = new Map<string, Asked>();
  /**
   * By the URL that answered: whoever is redirected there later shares the document. It is safe to wait for, since
   * reading waits for nothing but the network and the consumer, however URLs redirect to each other.
   */
  readonly #reads = new Map<string, Promise<Outcome>>();

  constructor(parts: DocumentsParts) {
    this.#parts = parts;
  }

  /** What a URL turned out to be. */
  outcome(place: DocumentPlace): Promise<Outcome> {
    const key = documentKey(place.url);
    const known = this.#asked.get(key);
    if (known !== undefined) {
      if (place.isGuess !== true) known.progress.declared();
      return known.outcome;
    }
    const progress = new DocumentProgress(this.#parts.progress, place.url, place.isGuess === true);
    const outcome = this.#gate.run(() => this.#ask(key, place, progress));
    // Whoever waits for it sees a rejection; if nobody does any more, it must not end the process.
    outcome.catch(() => {});
    this.#asked.set(key, { outcome, progress });
    return outcome;
  }

  async #ask(key: string, place: DocumentPlace, progress: DocumentProgress): Promise<Outcome> {
    try {
      this.#parts.deadline.throwIfAborted();
      const outcome = await (this.#reads.get(key) ?? this.#fetch(key, place, progress));
      if (outcome.type === 'invalid') progress.failed(outcome.code, outcome.reason);
      else progress.finished();
      return outcome;
    } catch (error) {
      if (error !== TIME_IS_UP) throw error;
      const { url } = place;
      const code = 'limit';
      const reason = `${url} was not fetched: the time for the call was over (maxTimeMs), and ${progress.standing}.`;
      progress.failed(code, reason);
      // What never had its turn has nothing to answer for.
      const ended = progress.isStarted ? { error: new SitemapException(reason, { code, url }) } : {};
      return { type: 'invalid', code, reason, option: 'maxTimeMs', ...ended };
    }
  }

  async #fetch(key: string, place: DocumentPlace, progress: DocumentProgress): Promise<Outcome> {
    const { fetcher, reader, keepsDocuments, declared, deadline } = this.#parts;
    const document = await fetcher.fetch(place.url, {
      signal: deadline,
      isGuess: place.isPatient === true,
      isRead: (url) => this.#reads.has(documentKey(url.href)),
      onStart: () => progress.started(),
      onRetry: (retry) => progress.retried(retry),
      onBytes: (count) => progress.addBytes(count),
    });
    if (document.type === 'failed') {
      const { code, reason, status, option, error } = document;
      return { type: 'invalid', code, reason, status, option, error };
    }
    if (document.type === 'same-as') {
      const known = this.#reads.get(documentKey(document.url));
      if (known === undefined) throw new TypeError('Only what was read before is the same as another URL.');
      return redirected(await known, place.url);
    }
    const finalKey = documentKey(document.url);
    let read = this.#reads.get(finalKey);
    if (read !== undefined) {
      await document.close();
    } else if (place.isGuess === true && !keepsDocuments && declared.has(finalKey)) {
      // Declared, but filtered. A stream cannot take pages back, so this must be known before they are read; whoever
      // declares the URL that was guessed asks anew.
      await document.close();
      this.#asked.delete(key);
      return recursion(place.url, `it redirects to ${document.url}, which is declared elsewhere`);
    } else {
      read = reader.read(document, place);
      this.#reads.set(finalKey, read);
    }
    const outcome = await read;
    return document.redirected ? redirected(outcome, place.url) : outcome;
  }
}

/** What a URL turned out to be that leads to another one. */
function redirected(outcome: Outcome, url: string): Outcome {
  if (outcome.type !== 'invalid') return { ...outcome, redirected: true };
  return { ...outcome, reason: `${url} redirects: ${outcome.reason}` };
}
