/** A lock that a dead process left, and many that want it at once. */
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { expect, test } from 'vitest';
import { takeLock } from '../../src/runtime/owned-lock.ts';
import { ownIdentity } from '../../src/runtime/process-identity.ts';
import { folder } from '../support/folder.ts';
import { sized } from '../support/tier.ts';

const ROUNDS = sized({ fast: 20, full: 50, strong: 200 });

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
