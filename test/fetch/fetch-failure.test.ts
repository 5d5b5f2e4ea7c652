/** §2: what an error of the system means depends on what was under way, and what the reason of a failure counts. */
import { expect, test } from 'vitest';
import { FetchError, failureOf, fetchErrorOf } from '../../src/fetch/fetch-failure.ts';

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
