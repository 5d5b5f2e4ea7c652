/** §14.2, §14.4: which address of a queue means which connection, and which versions of Redis are enough. */
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  connect,
  isConnectionTrouble,
  limited,
  loadPackages,
  redisAddress,
} from '../../src/batch/redis-connection.ts';
import { SitemapException } from '../../src/index.ts';
import { redisOfVersion } from '../support/redis.ts';

test.each([
  ['redis://host:6379', 'redis://host:6379'],
  ['rediss://host:6379', 'rediss://host:6379'],
  ['REDISS://host:6379', 'rediss://host:6379'],
  ['valkey://host', 'redis://host'],
  ['Valkey://host', 'redis://host'],
  ['valkeys://host', 'rediss://host'],
  ['ValkeyS://host', 'rediss://host'],
  ['unix:///run/redis.sock', '/run/redis.sock'],
  ['UNIX:///run/redis.sock', '/run/redis.sock'],
])('the queue %s is connected to as %s: encrypted where its scheme says so, in any case', (url, address) => {
  expect(redisAddress(url).address).toBe(address);
});

test.each([
  ['3.2.12', 'refused'],
  ['5.9.0', 'refused'],
  ['6.0.16', 'refused'],
  ['6.1.9', 'refused'],
  ['6.2.0', 'accepted'],
  ['6.2.14', 'accepted'],
  ['7.0.0', 'accepted'],
  ['10.1.0', 'accepted'],
])('a Redis of version %s is %s', async (version, expected) => {
  const { port } = await redisOfVersion(version);
  const { Client } = await loadPackages();
  const connecting = connect(Client, redisAddress(`redis://127.0.0.1:${port}`), 10_000);
  if (expected === 'refused') await expect(connecting).rejects.toMatchObject({ code: 'queue-too-old' });
  else {
    const { client } = await connecting;
    onTestFinished(() => client.disconnect());
  }
});

const DEFAULTS = { lockMs: 60_000, outageMs: 120_000, crawl: 'crawl' };
test.each<[string, object]>([
  ['redis://h', { ...DEFAULTS, address: 'redis://h' }],
  ['redis://h/', { ...DEFAULTS, address: 'redis://h/' }],
  ['redis://u:p@h:1/2', { ...DEFAULTS, address: 'redis://u:p@h:1/2' }],
  ['redis://[::1]:6379/15', { ...DEFAULTS, address: 'redis://[::1]:6379/15' }],
  ['redis://h?lock=0.5', { ...DEFAULTS, address: 'redis://h', lockMs: 500 }],
  ['redis://h?outage=7', { ...DEFAULTS, address: 'redis://h', outageMs: 7_000 }],
  [
    'redis://h/1?outage=7&lock=90&crawl=a.B_c-9',
    { address: 'redis://h/1', lockMs: 90_000, outageMs: 7_000, crawl: 'a.B_c-9' },
  ],
  ['redis://h?family=6&lock=1&db=2', { ...DEFAULTS, address: 'redis://h?family=6&db=2', lockMs: 1_000 }],
  [`redis://h?crawl=${'x'.repeat(100)}`, { ...DEFAULTS, address: 'redis://h', crawl: 'x'.repeat(100) }],
  ['unix:///run/a.sock?db=1&lock=2', { ...DEFAULTS, address: '/run/a.sock?db=1', lockMs: 2_000 }],
  ['redis://h?', { ...DEFAULTS, address: 'redis://h' }],
])('%s is read with its parameters', (url, expected) => {
  expect(redisAddress(url)).toMatchObject({
    printableUrl: expect.stringContaining(url.slice(0, 5)),
    ...expected,
  });
});

test.each([
  ['redis://h?lock=0', '"lock" in the queue\'s URL must be a number of seconds, more than 0, not "0".'],
  ['redis://h?outage=-1', '"outage" in the queue\'s URL must be a number of seconds, more than 0, not "-1".'],
  ['redis://h?lock=1e3', 'not "1e3".'],
  ['redis://h?lock=1.', 'not "1.".'],
  ['redis://h?lock=', 'not "".'],
  [
    'redis://h?crawl=',
    '"crawl" in the queue\'s URL must be a name of letters, digits, ".", "_" and "-", not "".',
  ],
  ['redis://h?crawl=a:b', 'not "a:b".'],
  ['redis://h?crawl=a%0A', 'must be a name of letters'],
  [`redis://h?crawl=${'x'.repeat(101)}`, 'must be a name of letters'],
  [
    'redis://h/x',
    'The database in the queue\'s URL must be a number, as in redis://localhost/1, not "redis://h/x".',
  ],
  ['redis://h/1/2', 'must be a number, as in'],
  ['xredis://h', 'The queue must be a URL such as redis://localhost:6379, not '],
  ['redis:/h', 'The queue must be a URL such as'],
])('%s is refused', (url, message) => {
  expect(() => redisAddress(url)).toThrow(message);
});

test.each([
  'redis://user:secret@h:1/2?lock=3',
  'redis://:secret@h',
  'redis://h?db=1&PASSWORD=secret&lock=3',
  'redis://h?password=secret',
  'unix:///run/a.sock?password=secret',
])('no message shows the password of %s', (url) => {
  const { printableUrl, address } = redisAddress(url);
  expect([printableUrl.includes('secret'), address.includes('secret')]).toEqual([false, true]);
});

const withCode = (code: unknown): Error => Object.assign(new Error('x'), { code });
test.each<[unknown, boolean]>([
  [withCode('ECONNREFUSED'), true],
  [withCode('ETIMEDOUT'), true],
  [withCode('NR_CLOSED'), true],
  [withCode('ERR_X'), false],
  [withCode(5), false],
  [new Error('Connection is closed.'), true],
  [new Error('Reached the max retries per request limit'), true],
  [new Error('LOADING Redis is loading the dataset in memory'), true],
  [new Error("READONLY You can't write against a read only replica."), true],
  [new Error('Socket timeout. Expecting data, but got none.'), true],
  [new Error('NOAUTH Authentication required.'), false],
  [new SitemapException('Connection is closed.', { code: 'closed' }), false],
  ['Connection is closed.', false],
])('%s may pass: %s', (error, expected) => {
  expect(isConnectionTrouble(error)).toBe(expected);
});

test('a wait has a limit, and its timer ends with it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const late = (): Error => new Error('late');
  expect(await limited(Promise.resolve(1), 1_000, late)).toBe(1);
  await expect(limited(Promise.reject(new Error('refused')), 1_000, late)).rejects.toThrow('refused');
  expect(vi.getTimerCount()).toBe(0);
  const waiting = limited(new Promise(() => {}), 1_000, late);
  let isOver = false;
  waiting.catch(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(999);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await expect(waiting).rejects.toThrow('late');
});
