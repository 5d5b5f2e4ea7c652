/**
 * One request and its response, as the concerns above the client pass it along: each concern is `(next) => next`, one
 * file, one rule, and fetch-document.ts puts them in order.
 *
 * An exchange rejects with a {@link FetchError} when the network (or the client) failed, and with anything else only
 * when the call itself is over: it was aborted, or a user's callback threw.
 */

import type { Problem } from '../../problems/problem-list.ts';
import type { StopSignal } from '../../runtime/abort.ts';
import { asRequested, parsedUrl } from '../../url.ts';
import type { Body } from '../body.ts';
import {
  type CheckedResponse,
  checkedChunk,
  checkedResponse,
  type StoppableClient,
} from '../client/web-client.ts';
import { type FetchError, fetchErrorOf, type ResponseHead } from '../fetch-failure.ts';
import type { Validators } from './headers.ts';
import type { DocumentLimits } from './host-limits.ts';

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

export interface HostWatch {
  /** Why a host is known to be down, if it is. */
  reason(origin: string): string | undefined;
  hasResponded(origin: string): boolean;
  reached(origin: string): void;
  missed(origin: string, error: FetchError): void;
  /** The document's attempts are used up. */
  gaveUp(): void;
}

export interface HostWait {
  readonly host: string;
  readonly waitMs: number;
  readonly reason: string;
}

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

export class ResponseFacts implements ResponseHead {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly requestedAt: number;
  /** Whether the request had an Authorization header. */
  readonly hadCredentials: boolean;
  /** The redirects that led to it, in order. */
  hops: readonly ResponseHead[] = NO_HOPS;
  readonly #response: CheckedResponse;

  constructor(response: CheckedResponse, url: string, requestedAt: number, hadCredentials: boolean) {
    this.url = url;
    this.status = response.status;
    this.statusText = response.statusText;
    this.requestedAt = requestedAt;
    this.hadCredentials = hadCredentials;
    this.#response = response;
  }

  header(name: string): string | null {
    return this.#response.header(name);
  }

  headers(): Iterable<readonly [name: string, value: string]> {
    return this.#response.headers();
  }

  get isRecorded(): boolean {
    return this.#response.isRecorded;
  }

  get charset(): string | undefined {
    return charsetOf(this.header('content-type'));
  }

  /** Problems of the content coding; final once the body has been read. */
  problems(): readonly Problem[] {
    return this.#response.problems();
  }
}

const NO_HOPS: readonly ResponseHead[] = Object.freeze([]);

/** The charset parameter of a Content-Type header, in lower case; quotes and extra spaces are allowed. */
export function charsetOf(contentType: string | null): string | undefined {
  const charset = /;\s*charset\s*=\s*("[^"]*"|'[^']*'|[^\s;,]+)/i.exec(contentType ?? '')?.[1];
  return (
    charset
      ?.replace(/^["']|["']$/g, '')
      .trim()
      .toLowerCase() || undefined
  );
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
): Exchange {
  return async (url, scope) => {
    const { signal } = scope;
    signal.throwIfAborted();
    const headers = headersFor(url, scope);
    const requestedAt = Date.now();
    const failed = (error: unknown): unknown => (signal.aborted ? signal.reason : fetchErrorOf(error));
    try {
      const asked = await client(url.href, { method: 'GET', redirect: 'manual', headers, signal });
      const response = checkedResponse(asked);
      const hadCredentials = headers['authorization'] !== undefined;
      return {
        head: new ResponseFacts(response, respondingUrl(response, url), requestedAt, hadCredentials),
        body: new ClientBody(response.body, failed),
      };
    } catch (error) {
      throw failed(error);
    }
  };
}

class ClientBody implements Body {
  readonly #body: Body;
  readonly #failed: (error: unknown) => unknown;

  constructor(body: Body, failed: (error: unknown) => unknown) {
    this.#body = body;
    this.#failed = failed;
  }

  async read(): Promise<Uint8Array | undefined> {
    try {
      return checkedChunk(await this.#body.read());
    } catch (error) {
      throw this.#failed(error);
    }
  }

  cancel(): Promise<void> {
    return this.#body.cancel();
  }
}

/** A client that followed redirects in spite of `manual` reports the URL where it ended. */
function respondingUrl({ url }: CheckedResponse, requested: URL): string {
  const responding = url === '' ? undefined : parsedUrl(url);
  return responding === undefined ? requested.href : asRequested(responding).href;
}
