/**
 * Timeouts above the seam: no wait for a client is without a limit, whatever the client does about signals.
 *
 * Two of them. *Idle*: so long without an answer, or without a byte. *Wire time*: so long for one document, all
 * its redirects and tries together, counted only while we wait for the network: a consumer's pauses, a queue
 * for a slot and a backoff are not the server's fault. Wire time that is used up is not retried, since another
 * try would have none left.
 *
 * @packageDocumentation
 */
import type { Body } from '../body.ts';
import { FetchError } from '../failure.ts';
import type { Clock } from './clock.ts';
import type { Concern } from './exchange.ts';

/** How much time on the wire one document has left. */
export class WireTime {
  readonly limitMs: number;
  #spentMs = 0;

  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  get leftMs(): number {
    return Math.max(0, this.limitMs - this.#spentMs);
  }

  spend(ms: number): void {
    this.#spentMs += ms;
  }
}

/** Cancelling a body is a courtesy to the client; it gets this long for it. */
const CANCEL_MS = 1_000;

export const withTimeouts =
  (idleTimeoutMs: number, clock: Clock): Concern =>
  (next) =>
  async (url, scope) => {
    const { time, signal } = scope;
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const unlink = (): void => signal.removeEventListener('abort', onAbort);

    // One wait at a time: an exchange first waits for its answer, then for one chunk after another.
    let giveUp: ((reason: unknown) => void) | undefined;
    controller.signal.addEventListener('abort', () => giveUp?.(controller.signal.reason), { once: true });

    const limited = <T>(
      work: () => Promise<T>,
      what: string,
      late: (value: T) => void = () => {},
    ): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        if (controller.signal.aborted) return reject(controller.signal.reason);
        const started = clock.now();
        const allowed = Math.min(idleTimeoutMs, time.leftMs);
        const cancelDeadline = clock.deadline(allowed, () => {
          controller.abort(
            allowed < idleTimeoutMs ? documentTimeout(time.limitMs) : idleTimeout(what, idleTimeoutMs),
          );
        });
        let waiting = true;
        const settle = (settled: () => void): void => {
          waiting = false;
          giveUp = undefined;
          cancelDeadline();
          time.spend(clock.now() - started);
          settled();
        };
        giveUp = (reason) => settle(() => reject(reason));
        work().then(
          (value) => (waiting ? settle(() => resolve(value)) : late(value)),
          (error: unknown) => waiting && settle(() => reject(error)),
        );
      });

    try {
      const reply = await limited(
        () => next(url, { ...scope, signal: controller.signal }),
        'no answer',
        // A client that does not heed the signal: nobody waits for its answer any more.
        (reply) => void reply.body.cancel(),
      );
      return { ...reply, body: limitedBody(reply.body) };
    } catch (error) {
      unlink();
      throw error;
    }

    function limitedBody(body: Body): Body {
      let over = false;
      return {
        async read() {
          try {
            const chunk = await limited(() => body.read(), 'no byte');
            if (chunk === undefined) {
              over = true;
              unlink();
            }
            return chunk;
          } catch (error) {
            unlink();
            throw error;
          }
        },
        async cancel() {
          if (over) return;
          over = true;
          unlink();
          controller.abort(new FetchError('reset', 'the rest of the document was not wanted'));
          await atMost(CANCEL_MS, body.cancel(), clock);
        },
      };
    }
  };

function idleTimeout(what: string, ms: number): FetchError {
  return new FetchError('timeout', `${what} within ${ms / 1000} s`, { retryable: true });
}

function documentTimeout(ms: number): FetchError {
  return new FetchError('timeout', `the document took longer than ${ms / 1000} s`);
}

/** Waits for `work`, but no longer than `ms`. */
function atMost(ms: number, work: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancelDeadline = clock.deadline(ms, resolve);
    work.finally(() => {
      cancelDeadline();
      resolve();
    });
  });
}
