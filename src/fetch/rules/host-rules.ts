/**
 * What hosts do to a request: those that are down are not requested, all others at their pace. How a request went is
 * reported to the {@link Host}, which all calls share, and to the {@link HostOfCall}.
 */
import type { Clock } from '../../runtime/time.ts';
import { onBodyEnd } from '../body.ts';
import type { ResponseFacts } from '../client/web-client.ts';
import { FetchError } from '../fetch-failure.ts';
import type { Concern, DocumentScope } from './exchange.ts';
import type { Politeness, Slot } from './politeness.ts';
import { isPassingStatus, isRefusal, LONGEST_RETRY_AFTER_MS, retryAfterMs } from './retry.ts';

/** What a host that responds otherwise does while it restarts, or while its resolver fails. */
const PASSING: ReadonlySet<string> = new Set(['refused', 'unreachable', 'unresolved']);

/** Refuses hosts that are down, and watches which can be reached. */
export const withHostsDown =
  (politeness: Politeness): Concern =>
  (next) =>
  async (url, scope) => {
    const { origin } = url;
    const host = scope.hostOf(url);
    const reached = (): void => {
      host.reached.add(origin);
      scope.reached.add(origin);
    };
    // What other calls found counts, unless this call has reached the origin.
    const reason = host.down.get(origin) ?? (host.reached.has(origin) ? undefined : politeness.whyDown(url));
    if (reason !== undefined) {
      throw new FetchError('host-down', `not requested, since ${url.host} could not be reached: ${reason}`);
    }
    try {
      const response = await next(url, scope);
      reached();
      return response;
    } catch (error) {
      if (error instanceof FetchError && error.code !== 'private-network') {
        if (error.connected) reached();
        if (PASSING.has(error.code) && host.reached.has(origin)) throw error.with({ retryable: true });
      }
      throw error;
    }
  };

/** The attempts of a document are used up: an origin that it has never connected to is down. */
export function gaveUp(
  error: FetchError,
  url: URL | undefined,
  scope: DocumentScope,
  politeness: Politeness,
): void {
  if (error.connected || error.code === 'private-network' || url === undefined) return;
  const host = scope.hostOf(url);
  if (scope.reached.has(url.origin)) return;
  if (error.code !== 'timeout' && host.reached.has(url.origin)) return;
  host.down.set(url.origin, error.message);
  politeness.setDown(url, error.message);
}

/**
 * Whether an error is a refusal for going too fast, which the document need not pay for: the host has responded well
 * to others since the document asked last.
 */
export function isPace(error: FetchError, url: URL | undefined, scope: DocumentScope): boolean {
  const { status, retryAfterMs = 0 } = error;
  if (status === undefined || url === undefined || !isRefusal(status)) return false;
  const host = scope.hostOf(url);
  const before = scope.successes.get(host) ?? host.successes;
  scope.successes.set(host, host.successes);
  return host.successes > before && host.mayPause(retryAfterMs);
}

export type AddressOf = (url: URL) => Promise<string | undefined>;

/** A longer spacing than this is reported. */
const LONG_SPACING_MS = 1_000;

/**
 * One request at the pace of its host: it waits for its slot, tells the host's pace how it went, and pauses the whole
 * host where the response asks for it.
 */
export const withPace =
  (politeness: Politeness, addressOf: AddressOf, clock: Clock): Concern =>
  (next) =>
  async (url, scope) => {
    const host = scope.hostOf(url);
    host.check(url);
    if (!scope.successes.has(host)) scope.successes.set(host, host.successes);
    const address = await addressOf(url);
    const request = { signal: scope.signal, ended: host.over, isDeclared: scope.isDeclared(), address };
    const slot = await politeness.enter(url.host, request);
    try {
      // The call may have given up the host while this request waited.
      host.check(url);
      scope.onTurn();
      const response = await next(url, scope);
      const { head, body } = response;
      if (!head.isRecorded) noteResponse(url, head, slot, scope, clock.now());
      return {
        head,
        body: onBodyEnd(body, (error) => {
          noteError(url, error, slot, scope);
          slot.leave();
        }),
      };
    } catch (error) {
      noteError(url, error, slot, scope);
      if (error instanceof FetchError) host.failed(error);
      slot.leave();
      throw error;
    }
  };

function noteResponse(
  url: URL,
  response: ResponseFacts,
  slot: Slot,
  scope: DocumentScope,
  now: number,
): void {
  const host = scope.hostOf(url);
  const { status, hadCredentials } = response;
  const pauseMs = isPassingStatus(status) ? retryAfterMs(response.header('retry-after'), now) : undefined;
  host.responded(url, { status, retryAfterMs: pauseMs, hadCredentials });
  if (isRefusal(status)) noteSpacing(url, slot.refused(), `it responded with ${status}`, scope);
  else if (status < 500) slot.responded();
  if (pauseMs === undefined || pauseMs > LONGEST_RETRY_AFTER_MS || !host.mayPause(pauseMs)) return;
  const waitMs = slot.pause(pauseMs);
  if (waitMs === 0) return;
  host.paused(waitMs);
  scope.onWait({
    host: url.host,
    waitMs: pauseMs,
    reason: `it asked for a pause (${status} with Retry-After)`,
  });
}

function noteError(url: URL, error: unknown, slot: Slot, scope: DocumentScope): void {
  if (!(error instanceof FetchError) || (error.code !== 'timeout' && error.code !== 'reset')) return;
  noteSpacing(url, slot.refused(), error.message, scope);
}

function noteSpacing(url: URL, waitMs: number | undefined, reason: string, scope: DocumentScope): void {
  if (waitMs === undefined || waitMs < LONG_SPACING_MS) return;
  scope.onWait({ host: url.host, waitMs, reason: `its pace was reduced (${reason})` });
}
