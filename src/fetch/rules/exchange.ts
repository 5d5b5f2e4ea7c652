/**
 * One request and its answer, as the concerns above the seam pass it along: each is `(next) => next`, one
 * file, one rule, and fetch-document.ts puts them in order.
 *
 * An exchange rejects with a {@link FetchError} when the network (or the client) failed, and with anything else
 * only when the call itself is over: it was aborted, or a user's callback threw.
 *
 * @packageDocumentation
 */
import type { Problem } from '../../problems/problem-list.ts';
import { asRequested } from '../../url.ts';
import { type Body, bodyOf } from '../body.ts';
import type { WebClient, WebResponse } from '../client/web-client.ts';
import { FetchError, fetchErrorOf } from '../failure.ts';
import type { HostWatch } from './hosts-down.ts';
import type { WireTime } from './timeouts.ts';

/** What all requests for one document share, over redirects and retries. */
export interface DocumentScope {
  /** Aborts the document; its reason is thrown as it is. */
  readonly signal: AbortSignal;
  /** How much time on the wire is left. */
  readonly time: WireTime;
  /** Which hosts were reached, and which were not. */
  readonly hosts: HostWatch;
  /** Told when a request has its slot and is about to start. */
  readonly onTurn: () => void;
  /** Whether it waits behind everybody else who wants something of the host. */
  readonly isPatient: boolean;
  /** Whether a redirect to this URL need not be followed, since the caller has what is there. */
  readonly isRead: (url: URL) => boolean;
}

export interface Reply {
  /** The URL that answered. */
  readonly url: URL;
  readonly status: number;
  readonly statusText: string;
  header(name: string): string | null;
  /** Must be read to its end or cancelled. */
  readonly body: Body;
  /** What was odd about the content coding; final once the body has been read. */
  problems(): readonly Problem[];
}

export type Exchange = (url: URL, scope: DocumentScope) => Promise<Reply>;
export type Concern = (next: Exchange) => Exchange;

/** The innermost exchange: asks the client, and says in one language what went wrong. */
export function askClient(client: WebClient, headersFor: (url: URL) => Record<string, string>): Exchange {
  return async (url, { signal }) => {
    signal.throwIfAborted();
    const headers = headersFor(url);
    const failed = (error: unknown): unknown => (signal.aborted ? signal.reason : fetchErrorOf(error));
    let response: WebResponse;
    try {
      response = await client(url.href, { method: 'GET', redirect: 'manual', headers, signal });
    } catch (error) {
      throw failed(error);
    }
    if (!Number.isInteger(response?.status) || typeof response.headers?.get !== 'function') {
      throw new FetchError('web-client', 'the web client answered with something that is not a response');
    }
    const body = bodyOf(response);
    return {
      url: answeringUrl(response, url),
      status: response.status,
      statusText: response.statusText ?? '',
      header: (name) => response.headers.get(name),
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
      problems: () => response.problems ?? [],
    };
  };
}

/** A client that followed redirects in spite of `manual` says where it ended up. */
function answeringUrl(response: WebResponse, requested: URL): URL {
  return response.url && URL.canParse(response.url) ? asRequested(new URL(response.url)) : requested;
}
