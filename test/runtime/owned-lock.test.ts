/**
 * Locks on a machine where processes are known by their ids alone (macOS and Windows: there is no /proc), on a file system
 * without links (exFAT on Windows). The system's answers are simulated.
 */
import fs, { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { takeLock } from '../../src/runtime/owned-lock.ts';
import { ownIdentity } from '../../src/runtime/process-identity.ts';
import { folder } from '../support/folder.ts';
import { withMoreTime } from '../support/more-time.ts';

const refused = (code: string): Error => Object.assign(new Error(code), { code });

beforeAll(() => {
  const { readFileSync: read, readlinkSync: readLink } = fs;
  vi.spyOn(fs, 'readFileSync').mockImplementation((path, options) => {
    if (String(path).startsWith('/proc/')) throw refused('ENOENT');
    return read(path, options);
  });
  vi.spyOn(fs, 'readlinkSync').mockImplementation((path) => {
    if (String(path).startsWith('/proc/')) throw refused('ENOENT');
    return readLink(path);
  });
  vi.spyOn(promises, 'link').mockRejectedValue(refused('EISDIR'));
  syncBuiltinESMExports();
});

afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const ours = { host: hostname(), pid: process.pid };
/** Long enough for a sign of life, of which there are six. */
const LEASE = { leaseMs: 1_200 };

function lockBy(identity: object): string {
  const path = join(folder(), 'lock');
  writeFileSync(path, `${JSON.stringify(identity)}\n`);
  return path;
}

test('the machine of this test says nothing of its processes but their ids', () => {
  expect(ownIdentity()).toEqual(ours);
});

test('a lock is taken, is held, and is gone when it is released', async () => {
  const path = join(folder(), 'lock');
  const taken = await takeLock(path);
  expect(taken).toHaveProperty('lock');
  if (!('lock' in taken)) return;
  expect(await taken.lock.isHeld()).toBe(true);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(ours);
  await taken.lock.release();
  expect(existsSync(path)).toBe(false);
});

test('the lock of a process that does not run is taken over', async () => {
  const path = lockBy({ ...ours, pid: 2 ** 31 - 1 });
  expect(await takeLock(path)).toHaveProperty('lock');
});

test('the lock of a process id that is used again is taken over after the lease', async () => {
  expect(await takeLock(lockBy(ours), LEASE)).toHaveProperty('lock');
});

test('the lock of a process that shows signs of life is not, and neither is that of another host', async () => {
  await withMoreTime([1_200, 6_000, 30_000], async (leaseMs) => {
    const path = join(folder(), 'lock');
    const first = await takeLock(path, { leaseMs });
    if ('lock' in first) onTestFinished(() => first.lock.release());
    // The file system may have another clock.
    utimesSync(path, new Date(), new Date());
    expect(await takeLock(path, { leaseMs })).toMatchObject({ holder: { identity: ours, fate: 'running' } });
  });
  expect(await takeLock(lockBy({ ...ours, host: 'another' }))).toMatchObject({
    holder: { fate: 'elsewhere' },
  });
});

test('a lock without a lease shows signs of life too', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const path = join(folder(), 'lock');
  const taken = await takeLock(path);
  if ('lock' in taken) onTestFinished(() => taken.lock.release());
  utimesSync(path, 0, 0);
  vi.advanceTimersByTime(10_000);
  await expect.poll(() => statSync(path).mtimeMs).toBeGreaterThan(0);
});

test('a lock that another process has taken over stays when it is released, and shows no life of ours', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const path = join(folder(), 'lock');
  const taken = await takeLock(path);
  writeFileSync(path, `${JSON.stringify({ ...ours, host: 'another' })}\n`);
  if ('lock' in taken) await taken.lock.release();
  expect(existsSync(path)).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});
