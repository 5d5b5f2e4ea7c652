/** §2: what an error of the system means depends on what was under way. */
import { expect, test } from 'vitest';
import { failureOf, fetchErrorOf } from '../../src/fetch/fetch-failure.ts';

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
  [{ attempts: 1, refusals: 0 }, ''],
  [{ attempts: 3, refusals: 0 }, ' (after 3 attempts)'],
  [{ attempts: 1, refusals: 2 }, ' (after 1 attempt, in addition to 2 refused for going too fast)'],
])('the reason says what was tried: %j', (tried, note) => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const { reason } = failureOf('https://example.org/', fetchErrorOf(refused), tried);
  expect([reason.endsWith(`${note}.`), reason.includes('attempt')]).toEqual([true, note !== '']);
});
