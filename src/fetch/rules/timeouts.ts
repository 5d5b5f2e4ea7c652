/**
 * Timeouts above the client: every wait for a client has a limit, whether or not the client heeds its signal.
 *
 * There are two limits. *Idle*: the time without a response, or without a byte. *Wire time*: the time for one document,
 * all its redirects and attempts together, counted only while we wait for the network: a consumer's pauses, a queue for
 * a slot and a backoff are not the server's fault. A document that used up its wire time is not retried, since another
 * attempt would have no time left.
 */
import { onAbort, Stop, type StopSignal, unlessAborted } from '../../runtime/abort.ts';
import type { Clock, Deadline } from '../../runtime/time.ts';
import type { Body } from '../body.ts';
import { FetchError } from '../fetch-failure.ts';
import type { Concern, DocumentScope, HttpResponse, WireTime } from './exchange.ts';

/** Cancelling a body is a courtesy to the client; it has this long for it. */
const CANCEL_MS = 1_000;

export const withTimeouts =
  (idleTimeoutMs: number, clock: Clock): Concern =>
  (next) =>
  (url, scope) =>
    new TimedRequest(scope, idleTimeoutMs, clock).send((signal) => next(url, { ...scope, signal }));

/** One request under both limits: it waits for its response, then, as the response's body, for one chunk at a time. */
class TimedRequest implements Body {
  readonly #time: WireTime;
  readonly #idleTimeoutMs: number;
  readonly #clock: Clock;
  /** Ends the client's work: at a timeout, with the document, or when the body is cancelled. */
  readonly #client = new Stop();
  readonly #unlink: () => void;
  /** Ends a wait in which no byte comes; one timer for all waits, since there is one for each chunk. */
  #idle: Deadline | undefined;
  /** What is waited for; absent between two waits. */
  #missing: string | undefined;
  /** The client's body, until it is over. */
  #body: Body | undefined;

  constructor({ time, signal }: DocumentScope, idleTimeoutMs: number, clock: Clock) {
    this.#time = time;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#clock = clock;
    this.#unlink = onAbort(signal, (reason) => this.#client.abort(reason));
  }

  async send(ask: (signal: StopSignal) => Promise<HttpResponse>): Promise<HttpResponse> {
    this.#client.throwIfAborted();
    const pending = ask(this.#client);
    try {
      const response = await this.#within(pending, 'no response');
      this.#body = response.body;
      return { head: response.head, body: this };
    } catch (error) {
      this.#end();
      // The response of a client that does not heed the signal comes too late.
      pending.then(({ body }) => body.cancel()).catch(() => {});
      throw error;
    }
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#body === undefined) return undefined;
    try {
      const chunk = await this.#within(this.#nextBytes(this.#body), 'no byte');
      if (chunk === undefined) {
        this.#body = undefined;
        this.#end();
      }
      return chunk;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  /** Empty chunks are no sign of life. */
  async #nextBytes(body: Body): Promise<Uint8Array | undefined> {
    for (;;) {
      this.#client.throwIfAborted();
      const chunk = await body.read();
      if (chunk === undefined || chunk.length > 0) return chunk;
    }
  }

  async cancel(): Promise<void> {
    const body = this.#body;
    if (body === undefined) return;
    this.#body = undefined;
    this.#end();
    this.#client.abort(new FetchError('reset', 'the rest of the document was not needed'));
    await atMost(CANCEL_MS, body.cancel(), this.#clock);
  }

  #end(): void {
    this.#unlink();
    this.#idle?.cancel();
  }

  /** Waits for the network, within both limits; the time is spent, however the wait ends. */
  async #within<T>(work: Promise<T>, missing: string): Promise<T> {
    const start = this.#clock.now();
    this.#missing = missing;
    const lastTime = this.#startTimer();
    try {
      return await unlessAborted(work, this.#client);
    } finally {
      this.#missing = undefined;
      lastTime?.cancel();
      this.#time.spentMs += this.#clock.now() - start;
    }
  }

  /** Starts the timer of a wait; returns that of the document's last wait, where less time is left for it. */
  #startTimer(): Deadline | undefined {
    const idleMs = this.#idleTimeoutMs;
    const { limitMs, spentMs } = this.#time;
    const leftMs = Math.max(0, limitMs - spentMs);
    if (leftMs < idleMs) {
      // The idle timer would fire at the same moment, and name the wrong limit.
      this.#idle?.cancel();
      return this.#clock.deadline(leftMs, () => this.#client.abort(documentTimeout(limitMs)));
    }
    if (this.#idle !== undefined) this.#idle.restart();
    else this.#idle = this.#clock.deadline(idleMs, () => this.#onIdle());
    return undefined;
  }

  /** The timer has fired. Between two waits it is the consumer that takes its time, so nothing ends. */
  #onIdle(): void {
    if (this.#missing === undefined) return;
    this.#client.abort(idleTimeout(this.#missing, this.#idleTimeoutMs));
  }
}

function idleTimeout(missing: string, ms: number): FetchError {
  return new FetchError('timeout', `${missing} within ${ms / 1000} s`, { retryable: true });
}

function documentTimeout(ms: number): FetchError {
  return new FetchError('timeout', `the document took longer than ${ms / 1000} s`);
}

function atMost(ms: number, work: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const limit = clock.deadline(ms, resolve);
    work.finally(() => {
      limit.cancel();
      resolve();
    });
  });
}
