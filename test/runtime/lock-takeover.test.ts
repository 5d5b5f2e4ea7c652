/** A lock that a dead process left, and many that want it at once. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { execPath } from 'node:process';
import { expect, test } from 'vitest';
import { takeLock } from '../../src/runtime/owned-lock.ts';
import { ownIdentity } from '../../src/runtime/process-identity.ts';
import { testIf } from '../support/collected.ts';
import { folder } from '../support/folder.ts';
import { IS_LINUX } from '../support/platform.ts';
import { sized } from '../support/tier.ts';

const ROUNDS = sized({ fast: 6, full: 50, strong: 200 });

/** A process of this machine that has ended. */
function deadIdentity(): object {
  const { pid } = spawnSync(execPath, ['-e', '0']);
  return { ...ownIdentity(), host: hostname(), pid };
}

test('one of many takes over a dead lock, and nothing is left when it is released', async () => {
  const dead = deadIdentity();
  for (let round = 0; round < ROUNDS; round++) {
    const place = folder();
    const path = join(place, 'lock');
    writeFileSync(path, `${JSON.stringify({ ...dead, key: round })}\n`);
    // The second dead lock: of a process that was killed while it took over the first.
    if (round % 2 === 1) writeFileSync(`${path}.taking`, `${JSON.stringify({ ...dead, key: 'taking' })}\n`);
    const taken = await Promise.all(Array.from({ length: 12 }, () => takeLock(path)));
    const held = taken.flatMap((each) => ('lock' in each ? [each.lock] : []));
    expect(held).toHaveLength(1);
    expect(await held[0]?.isHeld()).toBe(true);
    await held[0]?.release();
    expect(readdirSync(place)).toEqual([]);
  }
});

testIf(IS_LINUX)(
  'a lock of a process that is known to run is not taken over, whatever its signs of life',
  async () => {
    const path = join(folder(), 'lock');
    const first = await takeLock(path);
    expect(first).toHaveProperty('lock');
    const text = readFileSync(path, 'utf8');
    expect(await takeLock(path, { leaseMs: 1 })).toMatchObject({ holder: { fate: 'running' } });
    expect(await takeLock(path)).toMatchObject({ holder: { identity: ownIdentity() } });
    expect(readFileSync(path, 'utf8')).toBe(text);
    if ('lock' in first) await first.lock.release();
    const second = await takeLock(path, { leaseMs: 1 });
    if ('lock' in second) await second.lock.release();
    expect([second, readdirSync(dirname(path))]).toEqual([
      expect.objectContaining({ lock: expect.anything() }),
      [],
    ]);
  },
);

test('a lock that this process has lost and taken again in another call is that of the other call', async () => {
  const path = join(folder(), 'lock');
  const first = await takeLock(path);
  rmSync(path);
  const second = await takeLock(path);
  if (!('lock' in first && 'lock' in second)) throw new Error('not taken');
  expect([await first.lock.isHeld(), await second.lock.isHeld()]).toEqual([false, true]);
  await first.lock.release();
  expect(await second.lock.isHeld()).toBe(true);
  await second.lock.release();
  expect(readdirSync(dirname(path))).toEqual([]);
});
