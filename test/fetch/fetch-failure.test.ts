/** §2: what an error of the system means depends on what was under way, and what the reason of a failure counts. */
import { describe, expect, test } from 'vitest';
import { causes, clientFailure, FetchError, failureOf, fetchErrorOf } from '../../src/fetch/fetch-failure.ts';
import { SitemapException } from '../../src/index.ts';

test.each([
  ['ETIMEDOUT', 'connect', { code: 'timeout', connected: false }],
  ['ETIMEDOUT', undefined, { code: 'timeout', connected: false }],
  ['ETIMEDOUT', 'read', { code: 'reset', connected: true }],
  ['ETIMEDOUT', 'write', { code: 'reset', connected: true }],
  ['ECONNREFUSED', 'connect', { code: 'refused', connected: false }],
  ['ECONNRESET', 'read', { code: 'reset', connected: true }],
  ['EINVAL', 'getaddrinfo', { code: 'unresolved', connected: false }],
])('%s of %s', (code, syscall, expected) => {
  const error = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
  expect(fetchErrorOf(new TypeError('fetch failed', { cause: error }))).toMatchObject(expected);
});

test.each([
  [1, 0, ''],
  [5, 0, ' (after 5 attempts)'],
  [1, 3, ' (after 1 attempt, in addition to 3 refused for going too fast)'],
  [2, 1, ' (after 2 attempts, in addition to 1 refused for going too fast)'],
])(
  'the reason after %i attempts, and %i refusals that do not count, ends with "%s"',
  (attempts, refusals, ends) => {
    const error = new FetchError('http-status', 'the server responded with 404 Not Found', { status: 404 });
    const { reason } = failureOf('https://example.org/s.xml', error, { attempts, refusals });
    expect(reason).toBe(`https://example.org/s.xml: the server responded with 404 Not Found${ends}.`);
  },
);

const UNRESOLVED = ['unresolved', false, false, 'the host name does not resolve'] as const;
const UNREACHABLE = ['unreachable', false, false, 'there is no route to the host'] as const;
const SLOW = ['timeout', true, false, 'connecting took too long'] as const;
const BROKE = ['reset', true, true, 'the connection broke'] as const;
const FULL = ['web-client', true, true, 'this process has too many open files (ulimit -n)'] as const;
const ENCODED = [
  'bad-response',
  false,
  true,
  'the response is not in the content encoding that it declares',
] as const;
const TOO_LARGE = ['bad-response', false, true, 'the response’s headers are too large'] as const;
const BAD_LENGTH = [
  'bad-response',
  false,
  true,
  'the response’s headers are invalid (Content-Length is not a number, is there twice, or with Transfer-Encoding)',
] as const;

test.each([
  ...['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME', 'ENODATA', 'ESERVFAIL'].map(
    (code) => [code, ...UNRESOLVED] as const,
  ),
  ...['EMFILE', 'ENFILE'].map((code) => [code, ...FULL] as const),
  ['ECONNREFUSED', 'refused', false, false, 'the host refused the connection'] as const,
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTDOWN'].map(
    (code) => [code, ...UNREACHABLE] as const,
  ),
  ...['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'].map((code) => [code, ...SLOW] as const),
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout', true, true, 'no response came in time'] as const,
  ['UND_ERR_BODY_TIMEOUT', 'timeout', true, true, 'the document stopped arriving'] as const,
  ...[
    'ECONNRESET',
    'EPIPE',
    'ECONNABORTED',
    'ERR_STREAM_PREMATURE_CLOSE',
    'UND_ERR_SOCKET',
    'UND_ERR_ABORTED',
  ].map((code) => [code, ...BROKE] as const),
  [
    'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    'reset',
    true,
    true,
    'the document is not as long as its Content-Length',
  ] as const,
  ...['HPE_HEADER_OVERFLOW', 'UND_ERR_HEADERS_OVERFLOW'].map((code) => [code, ...TOO_LARGE] as const),
  ...['HPE_UNEXPECTED_CONTENT_LENGTH', 'HPE_INVALID_CONTENT_LENGTH', 'HPE_INVALID_TRANSFER_ENCODING'].map(
    (code) => [code, ...BAD_LENGTH] as const,
  ),
  [
    'HPE_INVALID_CHUNK_SIZE',
    'bad-response',
    false,
    true,
    'the chunked encoding of the response is invalid',
  ] as const,
  ...['Z_DATA_ERROR', 'Z_BUF_ERROR', 'ERR_BROTLI_DECODER_ERROR', 'ZSTD_error_corruption_detected'].map(
    (code) => [code, ...ENCODED] as const,
  ),
  ['HPE_INVALID_CONSTANT', 'bad-response', false, true, 'the response is not HTTP (x)'] as const,
])('%s is a failure with code %s, may pass: %j, connected: %j', (code, is, retryable, connected, message) => {
  const error = Object.assign(new Error('x'), { code });
  for (const thrown of [error, new TypeError('fetch failed', { cause: error })])
    expect(fetchErrorOf(thrown)).toMatchObject({ code: is, retryable, connected, message, cause: thrown });
});

describe('what is thrown without a code that is known', () => {
  test.each([
    [new Error('bad response'), 'bad-response', true, /^the response does not belong to the request/],
    [new Error('bad upgrade'), 'bad-response', true, /^the response does not belong to the request/],
    [new Error('a bad response'), 'web-client', false, /^the web client failed: a bad response$/],
    [
      Object.assign(new Error('x'), { name: 'TimeoutError' }),
      'timeout',
      true,
      /^the response took too long$/,
    ],
    [Object.assign(new Error('x'), { name: 'HTTPParserError' }), 'bad-response', false, /is not HTTP \(x\)$/],
    [new TypeError('terminated'), 'reset', true, /^the connection broke$/],
    [new TypeError('terminated', { cause: new Error('x') }), 'reset', true, /^the connection broke$/],
    [new TypeError('a', { cause: new Error('b') }), 'web-client', false, /^the web client failed: a: b$/],
    [new TypeError('a', { cause: new Error('a') }), 'web-client', false, /^the web client failed: a$/],
    [new TypeError('', { cause: new Error('b') }), 'web-client', false, /^the web client failed: b$/],
    ['a text', 'web-client', false, /^the web client failed: a text$/],
    [undefined, 'web-client', false, /^the web client failed: undefined$/],
    [
      { message: 'x' },
      'web-client',
      false,
      /^the web client failed: it threw an object that is not an error$/,
    ],
    [
      new SitemapException('It is not in it.', { code: 'not-in-archive' }),
      'not-in-archive',
      false,
      /^It is not in it\.$/,
    ],
  ] as const)('%s: %s', (thrown, code, retryable, message) => {
    const error = fetchErrorOf(thrown);
    expect(error).toMatchObject({ code, retryable, connected: true });
    expect(error.message).toMatch(message);
  });

  test('a failure of ours inside another error is that failure', () => {
    const own = new FetchError('tls', 'x', { option: 'ca' });
    expect(fetchErrorOf(new Error('fetch failed', { cause: own }))).toBe(own);
  });

  test('of the addresses of a host, the first error that is known is the reason', () => {
    const errors = ['EUNKNOWN', 'ENETUNREACH', 'ECONNREFUSED'].map((code) =>
      Object.assign(new Error(code), { code }),
    );
    const all = new AggregateError(errors, '');
    expect(fetchErrorOf(new TypeError('fetch failed', { cause: all })).code).toBe('unreachable');
    const outer = new AggregateError([new Error('2')], '1', { cause: new Error('3') });
    expect([...causes(outer)].map(({ message }) => message)).toEqual(['1', '3', '2']);
  });
});

describe('§15 the first bytes of TLS, where HTTP was expected', () => {
  test.each([
    ['rawPacket', [0x15, 0x03, 0x01], true],
    ['rawPacket', [0x16, 0x03, 0x03], true],
    ['data', [0x15, 0x03], true],
    ['rawPacket', [0x17, 0x03], false],
    ['rawPacket', [0x15, 0x02], false],
    ['rawPacket', [0x15], false],
    ['rawPacket', [0x53, 0x53, 0x48], false],
  ])('%s of %j: the port speaks HTTPS is %j', (property, bytes, isTls) => {
    const packet = { [property]: Buffer.from(bytes) };
    const error = fetchErrorOf(
      Object.assign(new Error('Parse Error'), { code: 'HPE_INVALID_CONSTANT' }, packet),
    );
    expect(error).toMatchObject({ code: 'bad-response', retryable: false });
    expect(error.message).toMatch(isTls ? /^the port speaks HTTPS, / : /^the response is not HTTP/);
  });
});

describe('§15 what a user can do about a failure of TLS', () => {
  const TRUST =
    '; to trust it, use the option "ca" or NODE_EXTRA_CA_CERTS; to skip the check, the option "verifyTls"';
  const SKIP = '; to skip the check, use the option "verifyTls"';
  const SHOW = '; the server may want a client certificate: the option "cert" with the option "key"';
  const PORT = '; the port may not be one for https';

  test.each([
    ...[
      'CERT_UNTRUSTED',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'INVALID_CA',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ].map((code) => [code, 'ca', TRUST, '; to trust it, set NODE_EXTRA_CA_CERTS'] as const),
    ...[
      'CERT_HAS_EXPIRED',
      'CERT_NOT_YET_VALID',
      'HOSTNAME_MISMATCH',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'INVALID_PURPOSE',
      'CRL_HAS_EXPIRED',
      'UNABLE_TO_GET_CRL',
    ].map((code) => [code, 'verifyTls', SKIP, ''] as const),
    ...[
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
      'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
      'ERR_SSL_TLSV1_ALERT_BAD_CERTIFICATE',
    ].map((code) => [code, 'cert', SHOW, ''] as const),
    ...['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST'].map(
      (code) => [code, undefined, PORT, PORT] as const,
    ),
    ...['ERR_SSL_TLSV1_UNRECOGNIZED_NAME', 'ERR_TLS_HANDSHAKE_TIMEOUT', 'EPROTO'].map(
      (code) => [code, undefined, '', ''] as const,
    ),
  ])('%s: the option %s', (code, option, says, saysOfOthers) => {
    const error = Object.assign(new Error('x'), { code });
    const own = clientFailure(error);
    expect(own).toMatchObject({ code: 'tls', retryable: false, option, message: `TLS failed: x${says}` });
    const other = fetchErrorOf(error);
    expect(other).toMatchObject({ option: undefined, message: `TLS failed: x${saysOfOthers}` });
  });

  test('OpenSSL’s own reason is said, where there is one', () => {
    const error = Object.assign(new Error('00:error:0A:x.c:1'), {
      code: 'EPROTO',
      reason: 'no cipher match',
    });
    expect(clientFailure(error).message).toBe('TLS failed: no cipher match');
  });
});

describe('a failure as a value', () => {
  const url = 'https://example.org/s.xml';

  test('has what is known of the error, and lets go of what was read', () => {
    const parser = Object.assign(new Error('Parse Error'), {
      rawPacket: Buffer.from('x'),
      data: Buffer.from('y'),
    });
    const head = { url, status: 503, statusText: '', requestedAt: 1, headers: () => [] };
    const facts = { status: 503, retryable: true, option: 'ca', responses: [head], cause: parser };
    const error = new FetchError('http-status', 'x', facts);
    const failure = failureOf(url, error);
    expect(failure).toMatchObject({
      ...{ type: 'failed', url, code: 'http-status', status: 503, option: 'ca', mayPass: true },
      responses: [head],
      error: { code: 'http-status', url, option: 'ca', cause: parser },
    });
    expect([parser.rawPacket, parser.data]).toEqual([undefined, undefined]);
    const alone = new FetchError('reset', 'x', { responses: [head] });
    expect(failureOf(url, alone)).toMatchObject({ mayPass: false, error: { cause: alone } });
    expect(alone.responses).toBeUndefined();
  });

  test('of another URL than the one that was requested names both', () => {
    const target = `https://example.org/${'t'.repeat(1000)}`;
    const failure = failureOf(url, new FetchError('reset', 'x', { url: target }));
    expect([failure.url, failure.error.url]).toEqual([target, url]);
    expect(failure.reason).toMatch(
      /^https:\/\/example\.org\/s\.xml redirects to https:\/\/example\.org\/t+…: x\.$/,
    );
    expect(failureOf(url, new FetchError('reset', 'x', { url })).reason).toBe(`${url}: x.`);
  });

  test('an error with other facts keeps those that do not change', () => {
    const cause = new Error('why');
    const facts = { status: 407, retryable: true, connected: false, retryAfterMs: 5, option: 'ca', cause };
    const error = new FetchError('proxy', 'x', { ...facts, url }).with({ message: 'y', retryable: false });
    expect(error).toMatchObject({ code: 'proxy', message: 'y', ...facts, retryable: false, url });
  });
});
