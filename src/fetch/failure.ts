/**
 * Why a URL gave no document. A network says it in many voices (Node's errno, its HTTP parser's codes, TLS
 * reasons, undici's codes under a fetch, `TypeError: fetch failed` with the truth in its `cause`): here they become
 * one code each, with the two facts that retrying needs.
 *
 * @packageDocumentation
 */
import { SitemapException } from '../errors.ts';
import type { FailureCode } from '../problems/catalogue.ts';

/** The end of a URL that gave no document. */
export interface FetchFailure {
  readonly type: 'failed';
  readonly code: FailureCode;
  /** A sentence that names the URL and the cause. */
  readonly reason: string;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;
  /** The option that would change it, where there is one. */
  readonly option: string | undefined;
  readonly error: SitemapException;
}

/** What one try ended with; thrown inside fetch/ and turned into a {@link FetchFailure} at its border. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly code: FailureCode;
  readonly status: number | undefined;
  /** Whether trying again may help. */
  readonly retryable: boolean;
  /** Whether a connection was made: what never connected may be down altogether. */
  readonly connected: boolean;
  /** What the server asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Where a redirect leads that need not be followed. */
  readonly leadsTo: string | undefined;
  /** The option that would change it, where there is one. */
  readonly option: string | undefined;

  constructor(
    code: FailureCode,
    /** What happened, to follow `<url>: `; no full stop. */
    message: string,
    facts: {
      readonly status?: number;
      readonly retryable?: boolean;
      readonly connected?: boolean;
      readonly retryAfterMs?: number | undefined;
      readonly leadsTo?: string;
      readonly option?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status;
    this.retryable = facts.retryable ?? false;
    this.connected = facts.connected ?? true;
    this.retryAfterMs = facts.retryAfterMs;
    this.leadsTo = facts.leadsTo;
    this.option = facts.option;
  }
}

/** The failure that a caller sees. */
export function failureOf(url: string, error: FetchError, tries = 1): FetchFailure {
  const reason = `${url}: ${error.message}${tries > 1 ? ` (after ${tries} tries)` : ''}.`;
  const { code, status, option } = error;
  const exception = new SitemapException(reason, { code, url, option, cause: error.cause ?? error });
  for (const each of causes(exception)) lighten(each);
  return { type: 'failed', code, reason, status, option, error: exception };
}

/** Takes from an error what it would keep alive: failures are kept as long as their tree, and there may be 50,000. */
function lighten(error: Error): void {
  // A parser's error brings along all that was read, 64 KiB at a time; that of undici, under a fetch, as its data.
  if ('rawPacket' in error) error.rawPacket = undefined;
  if ('data' in error) error.data = undefined;
  // Until it is read for the first time, a stack holds the sockets and requests that its functions belong to.
  void error.stack;
}

/** The most that a reason repeats of a server's own words: it may send 64 KiB of them, for each of 50,000 URLs. */
const MOST_REPEATED = 200;

/** A server's words, as far as a reason has room for them. */
export function clipped(words: string): string {
  // Joined anew, since a part of a string keeps the whole of it alive.
  return words.length <= MOST_REPEATED ? words : `${Buffer.from(words.slice(0, MOST_REPEATED))}…`;
}

interface Meaning {
  readonly code: FailureCode;
  readonly says: string;
  readonly retryable: boolean;
  readonly connected: boolean;
}

const never = (code: FailureCode, says: string): Meaning => ({
  code,
  says,
  retryable: false,
  connected: false,
});
const broke: Meaning = { code: 'reset', says: 'the connection broke', retryable: true, connected: true };
const tooSlow = (says: string, connected: boolean): Meaning => ({
  code: 'timeout',
  says,
  retryable: true,
  connected,
});

const badHead = (says: string): Meaning => ({
  code: 'bad-response',
  says: `the answer’s headers ${says}`,
  retryable: false,
  connected: true,
});

const badLength = badHead(
  'make no sense (Content-Length is no number, stands there twice, or with Transfer-Encoding)',
);

const unresolved = never('unresolved', 'the host name does not resolve');
const refused = never('refused', 'the host refused the connection');
const unreachable = never('unreachable', 'there is no route to the host');

const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  EAI_FAIL: unresolved,
  EAI_NODATA: unresolved,
  EAI_NONAME: unresolved,
  ECONNREFUSED: refused,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EADDRNOTAVAIL: unreachable,
  EHOSTDOWN: unreachable,
  UND_ERR_CONNECT_TIMEOUT: tooSlow('connecting took too long', false),
  ETIMEDOUT: tooSlow('connecting took too long', false),
  UND_ERR_HEADERS_TIMEOUT: tooSlow('no answer came in time', true),
  UND_ERR_BODY_TIMEOUT: tooSlow('the document stopped arriving', true),
  ECONNRESET: broke,
  EPIPE: broke,
  ECONNABORTED: broke,
  ERR_STREAM_PREMATURE_CLOSE: broke,
  UND_ERR_SOCKET: broke,
  UND_ERR_ABORTED: broke,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    ...broke,
    says: 'the document is not as long as its Content-Length',
  },
  HPE_HEADER_OVERFLOW: badHead('are too large'),
  UND_ERR_HEADERS_OVERFLOW: badHead('are too large'),
  HPE_UNEXPECTED_CONTENT_LENGTH: badLength,
  HPE_INVALID_CONTENT_LENGTH: badLength,
  HPE_INVALID_TRANSFER_ENCODING: badLength,
  HPE_INVALID_CHUNK_SIZE: {
    code: 'bad-response',
    says: 'the chunks that the document came in make no sense',
    retryable: false,
    connected: true,
  },
};

function meaningOf(error: Error, code: string): Meaning | undefined {
  // Of a connection that was there it means that its other end is gone.
  if (code === 'ETIMEDOUT' && 'syscall' in error && error.syscall !== 'connect') return broke;
  return Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
}

/** Of an answer that nobody asked for. */
export function unasked(cause?: unknown): FetchError {
  const message = 'the answer is none to the question (an upgrade, a 100 for ever, or one too many)';
  return new FetchError('bad-response', message, { retryable: true, cause });
}

/** Turns whatever a client threw into a {@link FetchError}. */
export function fetchErrorOf(thrown: unknown): FetchError {
  for (const error of causes(thrown)) {
    if (error instanceof FetchError) return error;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    if (isUnasked(error)) return unasked(thrown);
    const meaning = meaningOf(error, code);
    if (meaning !== undefined) {
      const { says, ...facts } = meaning;
      return new FetchError(meaning.code, says, { ...facts, cause: thrown });
    }
    if (code.startsWith('HPE_') || error.name === 'HTTPParserError') {
      return new FetchError('bad-response', `the answer is not HTTP (${error.message})`, { cause: thrown });
    }
    if (isTls(code)) return new FetchError('tls', `TLS failed: ${tlsReason(error)}`, { cause: thrown });
    if (error.name === 'TimeoutError') {
      return new FetchError('timeout', 'the answer took too long', { retryable: true, cause: thrown });
    }
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // undici's fetch says "terminated" for a body that broke, and does not always say why.
  if (message === 'terminated')
    return new FetchError('reset', broke.says, { retryable: true, cause: thrown });
  return new FetchError('web-client', `the web client failed: ${message}`, { cause: thrown });
}

// OpenSSL's verification results, and Node's and OpenSSL's own errors. A certificate does not mend itself in 30 s.
const CERTIFICATE =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|CRL_)/;

/** OpenSSL's own words: its message has addresses and line numbers around them. */
function tlsReason(error: Error): string {
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
}

function isTls(code: string): boolean {
  return (
    code.startsWith('ERR_TLS_') || code.startsWith('ERR_SSL_') || code === 'EPROTO' || CERTIFICATE.test(code)
  );
}

// undici has one code for all that goes wrong with a socket, an answer that nobody asked for included.
function isUnasked(error: Error): boolean {
  return /^bad (?:response|upgrade)$/.test(error.message);
}

/** An error, its causes, and the errors of an aggregate (a host of several addresses), outermost first. */
function* causes(thrown: unknown): Generator<Error> {
  const queue = [thrown];
  for (let seen = 0; queue.length > 0 && seen < 32; seen++) {
    const error = queue.shift();
    if (!(error instanceof Error)) continue;
    yield error;
    queue.push(error.cause);
    if (error instanceof AggregateError) queue.push(...error.errors);
  }
}
