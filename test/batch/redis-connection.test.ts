/** §14.2, §14.4: which address of a queue means which connection, and which versions of Redis are enough. */
import { expect, onTestFinished, test } from 'vitest';
import { connect, loadPackages, redisAddress } from '../../src/batch/redis-connection.ts';
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
