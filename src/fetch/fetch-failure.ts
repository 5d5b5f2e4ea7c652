/**
 * Why a URL gave no document. Clients report it in many ways (Node's errno, its HTTP parser's codes, TLS reasons,
 * undici's codes under a fetch, `TypeError: fetch failed` with the real error in its `cause`): here each becomes one
 * code, with the two facts that retrying needs.
 */

import type { FailureCode } from '../problems/catalogue.ts';
import { recordFrames, SitemapException, withoutStack } from '../problems/errors.ts';
import { clip, count, LONGEST_QUOTE } from '../text/wording.ts';
import { isZlibError } from './decode/zlib-pump.ts';

export interface ResponseHead {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  /** When it was requested, in milliseconds since the epoch. */
  readonly requestedAt: number;
  /** All headers that the client reports, in order. */
  headers(): Iterable<readonly [name: string, value: string]>;
}

export interface FetchFailure {
  readonly type: 'failed';
  /** The URL that failed: behind a redirect, not the one that was asked for. */
  readonly url: string;
  readonly code: FailureCode;
  /** A sentence that names the URL and the cause. */
  readonly reason: string;
  readonly status: number | undefined;
  /** The option that would change it, where there is one. */
  readonly option: string | undefined;
  /** Whether another attempt might have had a better result. */
  readonly mayPass: boolean;
  readonly error: SitemapException;
  /** The responses that there were all the same, redirects included, in order. */
  readonly responses: readonly ResponseHead[];
}

interface FetchErrorFacts {
  readonly status?: number | undefined;
  readonly retryable?: boolean;
  readonly connected?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly option?: string | undefined;
  readonly url?: string | undefined;
  readonly responses?: readonly ResponseHead[] | undefined;
  readonly cause?: unknown;
}

/** Why one attempt failed; thrown inside fetch/ and turned into a {@link FetchFailure} at its border. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly code: FailureCode;
  readonly status: number | undefined;
  readonly retryable: boolean;
  /** Whether a connection was made: a host that never connected may be down. */
  readonly connected: boolean;
  readonly retryAfterMs: number | undefined;
  /** The option that would change it, where there is one. */
  readonly option: string | undefined;
  /** The URL that was requested, where it is known: behind a redirect, not the document's own. */
  readonly url: string | undefined;
  /** The responses that were received; removed once the failure is known, since the error lives as long as a tree. */
  responses: readonly ResponseHead[] | undefined;

  constructor(
    code: FailureCode,
    /** What happened, to follow `<url>: `; no full stop. */
    message: string,
    facts: FetchErrorFacts = {},
  ) {
    // See withoutStack.
    const frames = recordFrames(0);
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    recordFrames(frames);
    this.code = code;
    this.status = facts.status;
    this.retryable = facts.retryable ?? false;
    this.connected = facts.connected ?? true;
    this.retryAfterMs = facts.retryAfterMs;
    this.option = facts.option;
    this.url = facts.url;
    this.responses = facts.responses;
  }

  with({ code = this.code, message = this.message, ...facts }: ChangedFacts): FetchError {
    return new FetchError(code, message, { ...this, cause: this.cause, ...facts });
  }
}

interface ChangedFacts extends FetchErrorFacts {
  readonly code?: FailureCode;
  readonly message?: string;
}

/** The result of some work, or the {@link FetchError} that it failed with. Other errors are thrown. */
export async function orFetchError<T>(work: Promise<T>): Promise<T | FetchError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof FetchError) return error;
    throw error;
  }
}

const ONCE = { attempts: 1, refusals: 0 };

export function failureOf(
  url: string,
  error: FetchError,
  { attempts, refusals }: { readonly attempts: number; readonly refusals: number } = ONCE,
): FetchFailure {
  const isElsewhere = error.url !== undefined && error.url !== url;
  const where = isElsewhere ? `${url} redirects to ${clip(error.url ?? '', LONGEST_QUOTE)}` : url;
  const refusalNote = refusals > 0 ? `, in addition to ${refusals} refused for going too fast` : '';
  const isRepeated = attempts + refusals > 1;
  const attemptsNote = isRepeated ? ` (after ${count(attempts, 'attempt')}${refusalNote})` : '';
  const reason = `${where}: ${error.message}${attemptsNote}.`;
  const { code, status, option, retryable: mayPass, responses = [] } = error;
  const facts = { code, url, option, cause: error.cause ?? error };
  const exception = withoutStack(() => new SitemapException(reason, facts));
  for (const each of causes(exception)) lighten(each);
  return {
    type: 'failed',
    url: error.url ?? url,
    code,
    reason,
    status,
    option,
    mayPass,
    error: exception,
    responses,
  };
}

/** Removes from an error what it would keep alive: failures live as long as their tree, which may have 50,000. */
function lighten(error: Error): void {
  if (error instanceof FetchError) error.responses = undefined;
  // A parser's error holds all that was read, up to 64 KiB; undici, under a fetch, puts it into `data`.
  if ('rawPacket' in error) error.rawPacket = undefined;
  if ('data' in error) error.data = undefined;
  // Until it is read for the first time, a stack holds the sockets and requests of its functions.
  void error.stack;
}

interface Meaning {
  readonly code: FailureCode;
  readonly says: string;
  readonly retryable: boolean;
  readonly connected: boolean;
}

const meaning = (
  code: FailureCode,
  says: string,
  { retryable = false, connected = true }: Partial<Meaning> = {},
): Meaning => ({ code, says, retryable, connected });

const broke = meaning('reset', 'the connection broke', { retryable: true });
const tooSlow = (says: string, connected: boolean): Meaning =>
  meaning('timeout', says, { retryable: true, connected });
const badHead = (says: string): Meaning => meaning('bad-response', `the response’s headers ${says}`);
const badLength = badHead(
  'are invalid (Content-Length is not a number, is there twice, or with Transfer-Encoding)',
);

/** Not a fault of the host: the request waits until others have closed their connections. */
const outOfFiles = meaning('web-client', 'this process has too many open files (ulimit -n)', {
  retryable: true,
});

const wronglyEncoded = meaning(
  'bad-response',
  'the response is not in the content encoding that it declares',
);
const unresolved = meaning('unresolved', 'the host name does not resolve', { connected: false });
const refused = meaning('refused', 'the host refused the connection', { connected: false });
const unreachable = meaning('unreachable', 'there is no route to the host', { connected: false });

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries({
    ENOTFOUND: unresolved,
    EAI_AGAIN: unresolved,
    EAI_FAIL: unresolved,
    EAI_NODATA: unresolved,
    EAI_NONAME: unresolved,
    ENODATA: unresolved,
    ESERVFAIL: unresolved,
    EMFILE: outOfFiles,
    ENFILE: outOfFiles,
    ECONNREFUSED: refused,
    EHOSTUNREACH: unreachable,
    ENETUNREACH: unreachable,
    EADDRNOTAVAIL: unreachable,
    EHOSTDOWN: unreachable,
    UND_ERR_CONNECT_TIMEOUT: tooSlow('connecting took too long', false),
    ETIMEDOUT: tooSlow('connecting took too long', false),
    UND_ERR_HEADERS_TIMEOUT: tooSlow('no response came in time', true),
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
    HPE_INVALID_CHUNK_SIZE: meaning('bad-response', 'the chunked encoding of the response is invalid'),
  }),
);

function meaningOf(error: Error, code: string): Meaning | undefined {
  // On an open connection it means that the other end is gone.
  const syscall = 'syscall' in error ? error.syscall : undefined;
  if (code === 'ETIMEDOUT' && syscall !== undefined && syscall !== 'connect') return broke;
  if (MEANINGS.has(code)) return MEANINGS.get(code);
  // Systems have many words for a name that cannot be one: EINVAL where it is too long.
  if (syscall === 'getaddrinfo') return unresolved;
  return isZlibError(error) ? wronglyEncoded : undefined;
}

export function unasked(cause?: unknown): FetchError {
  const message =
    'the response does not belong to the request (an upgrade, endless 100s, or one response too many)';
  return new FetchError('bad-response', message, { retryable: true, cause });
}

export function fetchErrorOf(thrown: unknown, advice: TlsAdvice = adviceOnTls): FetchError {
  for (const error of causes(thrown)) {
    if (error instanceof FetchError) return error;
    if (error instanceof SitemapException && error.code === 'not-in-archive') {
      return new FetchError(error.code, error.message, { cause: thrown });
    }
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    if (isUnasked(error)) return unasked(thrown);
    const meaning = meaningOf(error, code);
    if (meaning !== undefined) {
      const { says, ...facts } = meaning;
      return new FetchError(meaning.code, says, { ...facts, cause: thrown });
    }
    if (code.startsWith('HPE_') || error.name === 'HTTPParserError') {
      if (isTlsRecord(error)) return new FetchError('bad-response', SPEAKS_HTTPS, { cause: thrown });
      return new FetchError('bad-response', `the response is not HTTP (${error.message})`, { cause: thrown });
    }
    if (isTls(code)) {
      const { says, ...option } = advice(code);
      return new FetchError('tls', `${tlsReason(error)}${says}`, { ...option, cause: thrown });
    }
    if (error.name === 'TimeoutError') {
      return new FetchError('timeout', 'the response took too long', { retryable: true, cause: thrown });
    }
  }
  // A fetch says "fetch failed", and only its cause says why.
  const words = new Set(Array.from(causes(thrown), ({ message }) => message));
  words.delete('');
  const message =
    thrown instanceof Error ? clip([...words].join(': '), LONGEST_QUOTE) : describeThrown(thrown);
  // undici's fetch throws "terminated" for a body that broke, and does not always give a cause.
  if (words.has('terminated')) return new FetchError('reset', broke.says, { retryable: true, cause: thrown });
  return new FetchError('web-client', `the web client failed: ${message}`, { cause: thrown });
}

export const SPEAKS_HTTPS =
  'the port speaks HTTPS, and was requested with http: the URL should start with https://';

/** Whether a parser's error shows the first bytes of TLS (an alert or a handshake, version 3.x): RFC 8446 §5.1. */
function isTlsRecord(error: Error): boolean {
  const bytes: unknown = 'rawPacket' in error ? error.rawPacket : 'data' in error ? error.data : undefined;
  if (!(bytes instanceof Uint8Array)) return false;
  return (bytes[0] === 0x15 || bytes[0] === 0x16) && bytes[1] === 0x03;
}

function describeThrown(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null
    ? 'it threw an object that is not an error'
    : String(thrown);
}

// undici has one code for everything that goes wrong with a socket, a response that was not asked for included.
function isUnasked(error: Error): boolean {
  return /^bad (?:response|upgrade)$/.test(error.message);
}

/** An error, its causes, and the errors of an aggregate (a host of several addresses), outermost first. */
export function* causes(thrown: unknown): Generator<Error> {
  const queue = [thrown];
  for (let count = 0; queue.length > 0 && count < 32; count++) {
    const error = queue.shift();
    if (!(error instanceof Error)) continue;
    yield error;
    queue.push(error.cause);
    if (error instanceof AggregateError) queue.push(...error.errors);
  }
}

// OpenSSL's verification results. A retry does not change a certificate.
const CERTIFICATE =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|CRL_|ERR_TLS_CERT_)/;

/** The certificate may be fine, but its authority is not known here. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'INVALID_CA',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The server wants a certificate of the client, or another one. */
const CLIENT_CERTIFICATE =
  /^ERR_SSL_(TLSV13_ALERT_CERTIFICATE_REQUIRED|(SSLV3|TLSV1)_ALERT_(BAD_CERTIFICATE|HANDSHAKE_FAILURE|UNKNOWN_CA))$/;

/** What is there does not speak TLS. */
const OTHER_PROTOCOL = /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;

function isTls(code: string): boolean {
  return (
    code.startsWith('ERR_TLS_') || code.startsWith('ERR_SSL_') || code === 'EPROTO' || CERTIFICATE.test(code)
  );
}

/** OpenSSL's own reason: its message has addresses and line numbers around it. */
function tlsReason(error: Error): string {
  return `TLS failed: ${'reason' in error && typeof error.reason === 'string' ? error.reason : error.message}`;
}

/** What a user can do about TLS that failed, to follow a reason, and the option that it is about. */
type TlsAdvice = (code: string) => { readonly says: string; readonly option?: string };

/** Without our options: certificates of companies and of local servers are the usual case. */
const adviceOnTls: TlsAdvice = (code) => {
  if (UNTRUSTED.has(code)) return { says: '; to trust it, set NODE_EXTRA_CA_CERTS' };
  return { says: OTHER_PROTOCOL.test(code) ? '; the port may not be one for https' : '' };
};

/** For users of the default client: often nothing is wrong with the site, and one option solves it. */
const adviceOnOptions: TlsAdvice = (code) => {
  if (UNTRUSTED.has(code)) {
    const says =
      '; to trust it, use the option "ca" or NODE_EXTRA_CA_CERTS; to skip the check, the option "verifyTls"';
    return { says, option: 'ca' };
  }
  if (CERTIFICATE.test(code)) {
    return { says: '; to skip the check, use the option "verifyTls"', option: 'verifyTls' };
  }
  if (CLIENT_CERTIFICATE.test(code)) {
    const says = '; the server may want a client certificate: the option "cert" with the option "key"';
    return { says, option: 'cert' };
  }
  return adviceOnTls(code);
};

/** Turns anything that went wrong below the default client into a {@link FetchError}. */
export function clientFailure(thrown: unknown): FetchError {
  return fetchErrorOf(thrown, adviceOnOptions);
}
