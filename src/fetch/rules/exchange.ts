/**
 * One request and its response, as the concerns above the client pass it along: each concern is `(next) => next`, one
 * file, one rule, and fetch-document.ts puts them in order.
 *
 * An exchange rejects with a {@link FetchError} when the network (or the client) failed, and with anything else only
 * when the call itself is over: it was aborted, or a user's callback threw.
 *
 * @packageDocumentation
 */

import type { Problem } from '../../problems/problem-list.ts';
import type { StopSignal } from '../../runtime/abort.ts';
import { asRequested } from '../../url.ts';
import type { Body } from '../body.ts';
import { type CheckedResponse, checkedResponse } from '../client/checked-response.ts';
import type { StoppableClient } from '../client/web-client.ts';
import { type FetchError, fetchErrorOf } from '../failure.ts';
import type { Validators } from './conditional.ts';
import type { DocumentLimits } from './host-limits.ts';

/** How much time on the wire one document has left. */
export interface WireTime {
  readonly limitMs: number;
  readonly leftMs: number;
  spend(ms: number): void;
}

/** Notes what one document learned about the hosts that it needed. */
export interface HostWatch {
  /** Why a host is known to be down, if it is. */
  reason(origin: string): string | undefined;
  /** Whether the host has responded in this call. */
  hasResponded(origin: string): boolean;
  reached(origin: string): void;
  missed(origin: string, error: FetchError): void;
  /** The document's attempts are used up. */
  gaveUp(): void;
}

/** Why a document waits for its host. */
export interface HostWait {
  readonly host: string;
  readonly waitMs: number;
  readonly reason: string;
}

/** What all requests for one document share, over redirects and retries. */
export interface DocumentScope {
  /** Aborts the document; its reason is thrown as it is. */
  readonly signal: StopSignal;
  readonly time: WireTime;
  readonly hosts: HostWatch;
  readonly limits: DocumentLimits;
  /** Called when a response made all requests to its host wait. */
  readonly onWait: (wait: HostWait) => void;
  /** Called when a request has its slot and is about to start. */
  readonly onTurn: () => void;
  /** Whether the document is declared; undeclared ones wait behind all declared ones of their host. */
  readonly isDeclared: () => boolean;
  /** Whether a redirect to this URL need not be followed, since the caller has what is there. */
  readonly isRead: (url: URL) => boolean;
  /** What makes the request to one URL conditional. */
  readonly validators: Validators | undefined;
}

/** The head of a response, as an archive keeps it. */
export interface ResponseHead {
  /** The URL that responded. */
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  /** When it was requested, in milliseconds since the epoch. */
  readonly requestedAt: number;
  /** All headers that the client reports, in order. */
  headers(): Iterable<readonly [name: string, value: string]>;
}

/** A response whose headers have arrived. */
export interface HttpResponse extends Omit<ResponseHead, 'url'> {
  /** The URL that responded. */
  readonly url: URL;
  header(name: string): string | null;
  /** Whether the request had an Authorization header. */
  readonly hadCredentials: boolean;
  /** Must be read to its end or cancelled. */
  readonly body: Body;
  /** Problems of the content coding; final once the body has been read. */
  problems(): readonly Problem[];
}

export type Exchange = (url: URL, scope: DocumentScope) => Promise<HttpResponse>;
export type Concern = (next: Exchange) => Exchange;

/** Puts concerns around an exchange, the first one outermost. */
export const inOrder =
  (...concerns: readonly Concern[]): Concern =>
  (innermost) =>
    concerns.reduceRight((next, concern) => concern(next), innermost);

/** The innermost exchange: asks the client, and turns all that can go wrong into one kind of error. */
export function askClient(
  client: StoppableClient,
  headersFor: (url: URL, scope: DocumentScope) => Record<string, string>,
): Exchange {
  return async (url, scope) => {
    const { signal } = scope;
    signal.throwIfAborted();
    const headers = headersFor(url, scope);
    const requestedAt = Date.now();
    const failed = (error: unknown): unknown => (signal.aborted ? signal.reason : fetchErrorOf(error));
    let response: CheckedResponse;
    try {
      response = checkedResponse(
        await client(url.href, { method: 'GET', redirect: 'manual', headers, signal }),
      );
    } catch (error) {
      throw failed(error);
    }
    const { status, statusText, body } = response;
    return {
      url: respondingUrl(response, url),
      status,
      statusText,
      requestedAt,
      header: (name) => response.header(name),
      headers: () => response.headers(),
      hadCredentials: headers['authorization'] !== undefined,
      body: {
        async read() {
          try {
            return await body.read();
          } catch (error) {
            throw failed(error);
          }
        },
        cancel: () => body.cancel(),
      },
      problems: () => response.problems(),
    };
  };
}

/** A client that followed redirects in spite of `manual` reports the URL where it ended. */
function respondingUrl(response: CheckedResponse, requested: URL): URL {
  return response.url && URL.canParse(response.url) ? asRequested(new URL(response.url)) : requested;
}
