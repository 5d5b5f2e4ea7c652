/**
 * One request at the pace of its host: it waits for its slot, tells the host's pace how it went, and pauses the whole
 * host where the response asks for it.
 *
 * @packageDocumentation
 */
import { type Body, onBodyEnd } from '../body.ts';
import { FetchError } from '../failure.ts';
import type { Clock } from './clock.ts';
import type { Concern, DocumentScope, HttpResponse } from './exchange.ts';
import type { Politeness } from './politeness.ts';
import { isPassingStatus, isRefusal, LONGEST_RETRY_AFTER_MS, retryAfterMs } from './retry-timing.ts';
import type { Slot } from './slot.ts';

/** The address of a URL's host, where it is known before the request. */
export type AddressOf = (url: URL) => Promise<string | undefined>;

/** A spacing from here on is worth a word. */
const LONG_SPACING_MS = 1_000;

export const withPace =
  (politeness: Politeness, clock: Clock, addressOf: AddressOf): Concern =>
  (next) =>
  async (url, scope) => {
    const { signal, limits } = scope;
    limits.check(url);
    limits.waits(url);
    const { call } = limits;
    const address = await addressOf(url);
    const slot = await politeness.enter(url.host, { signal, isDeclared: scope.isDeclared(), address, call });
    try {
      // What ended the host may have happened while this request waited.
      limits.check(url);
      scope.onTurn();
      const response = await next(url, scope);
      noteResponse(url, response, { slot, scope, politeness, clock });
      const body = onBroken(response.body, (error) => noteError(url, error, slot, scope));
      return { ...response, body: onBodyEnd(body, slot.leave) };
    } catch (error) {
      noteError(url, error, slot, scope);
      const ending = error instanceof FetchError ? limits.failed(url, error) : undefined;
      if (ending !== undefined) politeness.dismiss(url.host, call, ending);
      slot.leave();
      throw error;
    }
  };

interface Parts {
  readonly slot: Slot;
  readonly scope: DocumentScope;
  readonly politeness: Politeness;
  readonly clock: Clock;
}

function noteResponse(url: URL, response: HttpResponse, { slot, scope, politeness, clock }: Parts): void {
  const { limits } = scope;
  const { status, hadCredentials } = response;
  const said = isPassingStatus(status)
    ? retryAfterMs(response.header('retry-after'), clock.now())
    : undefined;
  const ending = limits.responded(url, { status, retryAfterMs: said, hadCredentials });
  if (ending !== undefined) politeness.dismiss(url.host, limits.call, ending);
  if (isRefusal(status)) noteSpacing(url, slot.refused(), `it responded with ${status}`, scope);
  else if (status < 500) slot.responded();
  if (said === undefined || said > LONGEST_RETRY_AFTER_MS || !limits.mayPause(url, said)) return;
  const waitMs = politeness.pause(url.host, said);
  if (waitMs === 0) return;
  limits.paused(url, waitMs);
  scope.onWait({ host: url.host, waitMs: said, reason: `it asked for a pause (${status} with Retry-After)` });
}

function noteError(url: URL, error: unknown, slot: Slot, scope: DocumentScope): void {
  if (!(error instanceof FetchError) || (error.code !== 'timeout' && error.code !== 'reset')) return;
  noteSpacing(url, slot.refused(), error.message, scope);
}

function noteSpacing(url: URL, waitMs: number | undefined, reason: string, scope: DocumentScope): void {
  if (waitMs === undefined || waitMs < LONG_SPACING_MS) return;
  scope.onWait({ host: url.host, waitMs, reason: `its pace was reduced (${reason})` });
}

/** A body that reports the error that it breaks with; a body that was cancelled is not broken. */
function onBroken(body: Body, broken: (error: unknown) => void): Body {
  let isCancelled = false;
  return {
    async read() {
      try {
        return await body.read();
      } catch (error) {
        if (!isCancelled) broken(error);
        throw error;
      }
    },
    cancel() {
      isCancelled = true;
      return body.cancel();
    },
  };
}
