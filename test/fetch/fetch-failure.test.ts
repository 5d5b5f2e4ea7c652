/** §2: what an error of the system means depends on what was under way. */
import { expect, test } from 'vitest';
import { fetchErrorOf } from '../../src/fetch/fetch-failure.ts';

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
