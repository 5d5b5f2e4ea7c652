/**
 * One request and its response, as the concerns above the client pass it along: each concern is `(next) => next`, one
 * file, one rule, and fetch-document.ts puts them in order.
 *
 * An exchange rejects with a {@link FetchError} when the network (or the client) failed, and with anything else only
 * when the call itself is over: it was aborted, or a user's callback threw.
 */

import type { HostMap } from '../../options/host-map.ts';
import type { StopSignal } from '../../runtime/abort.ts';
import type { Body } from '../body.ts';
import { bodyOf, checkedChunk, ResponseFacts, type StoppableClient } from '../client/web-client.ts';
import { fetchErrorOf } from '../fetch-failure.ts';
import type { Validators } from './headers.ts';
import type { HostOfCall } from './host-of-call.ts';

/** How long one document may wait for the network, and how long it has: see timeouts.ts. */
export interface WireTime {
  readonly limitMs: number;
  spentMs: number;
}

interface HostWait {
  readonly host: string;
  readonly waitMs: number;
  readonly reason: string;
}

/** What the caller knows of a document that is requested. */
export interface RequestedDocument {
  /**
   * Whether the document is declared. An undeclared one waits behind all declared ones of its host, and has at most one
   * retry, so that a known path costs little. Asked when a request queues and before each retry. @default always
   */
  readonly isDeclared: () => boolean;
  /**
   * Whether the caller has already read the document at a URL. A redirect to that URL is not followed: the result is
   * {@link SameAs}.
   * @default never
   */
  readonly isRead: (url: URL) => boolean | Promise<boolean>;
  /** What is known of an earlier version; if the document is still the same, the result is {@link Unchanged}. */
  readonly validators: Validators | undefined;
  /** Called when a response to this document made all requests to its host wait. */
  readonly onWait: (wait: HostWait) => void;
}

export interface DocumentScope extends RequestedDocument {
  /** Aborts the document; its reason is thrown as it is. */
  readonly signal: StopSignal;
  readonly time: WireTime;
  /** What the call knows of the host of a URL. */
  readonly hostOf: (url: URL) => HostOfCall;
  /** The origins that this document has connected to. */
  readonly reached: Set<string>;
  /** How many successes a host had when the document first asked it, or was last refused by it. */
  readonly successes: Map<HostOfCall, number>;
  /** Called when a request has its slot and is about to start. */
  readonly onTurn: () => void;
}

/** A response whose headers have arrived. Its body must be read to its end or cancelled. */
export interface HttpResponse {
  readonly head: ResponseFacts;
  readonly body: Body;
}

export type Exchange = (url: URL, scope: DocumentScope) => Promise<HttpResponse>;
export type Concern = (next: Exchange) => Exchange;

/** Puts concerns around an exchange, the first one outermost. */
export const around =
  (...concerns: readonly Concern[]): Concern =>
  (innermost) =>
    concerns.reduceRight((next, concern) => concern(next), innermost);

/** The innermost exchange: asks the client, and turns all that can go wrong into one kind of error. */
export function askClient(
  client: StoppableClient,
  headersFor: (url: URL, scope: DocumentScope) => Record<string, string>,
  hosts?: HostMap,
): Exchange {
  return async (url, scope) => {
    const { signal } = scope;
    signal.throwIfAborted();
    const headers = headersFor(url, scope);
    const requestedAt = Date.now();
    const failed = (error: unknown): unknown => (signal.aborted ? signal.reason : fetchErrorOf(error));
    try {
      const response = await client(url.href, { method: 'GET', redirect: 'manual', headers, signal });
      const hadCredentials = headers['authorization'] !== undefined;
      const head = new ResponseFacts(response, { url, requestedAt, hadCredentials, hosts });
      const body = bodyOf(response);
      return {
        head,
        body: {
          async read() {
            try {
              return checkedChunk(await body.read());
            } catch (error) {
              throw failed(error);
            }
          },
          cancel: () => body.cancel(),
        },
      };
    } catch (error) {
      throw failed(error);
    }
  };
}
