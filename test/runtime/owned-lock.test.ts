/**
 * Locks on a machine where processes are known by their ids alone (macOS and Windows: there is no /proc), on a file system
 * without links (exFAT on Windows). The system's answers are simulated.
 */
import fs, {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createOwned } from '../../src/runtime/files.ts';
import { takeLock } from '../../src/runtime/owned-lock.ts';
import { ownIdentity } from '../../src/runtime/process-identity.ts';
import { folder } from '../support/folder.ts';
import { withMoreTime } from '../support/more-time.ts';
import { HAS_LINKS } from '../support/platform.ts';

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

/** What the system says to a link that is made, in one test. */
function linksSay(code: string): void {
  vi.mocked(promises.link).mockRejectedValue(refused(code));
  onTestFinished(() => void vi.mocked(promises.link).mockRejectedValue(refused('EISDIR')));
}

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

test('the lock of a process of before this boot is taken over at once, though its id is used again', async () => {
  const path = lockBy(ours);
  utimesSync(path, 0, 0);
  expect(await takeLock(path)).toHaveProperty('lock');
});

test('a lock of this process in another call is not released, nor taken over, by a second one', async () => {
  const path = join(folder(), 'lock');
  const first = await takeLock(path);
  if (!('lock' in first)) throw new Error('not taken');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/"key":"[^"]+"/, '"key":"other"'));
  expect(await first.lock.isHeld()).toBe(false);
  await first.lock.release();
  expect(existsSync(path)).toBe(true);
});

test('a link to nothing in the place of a lock is reported', async () => {
  if (!HAS_LINKS) return;
  const path = join(folder(), 'lock');
  symlinkSync(join(path, '..', 'none'), path);
  await expect(takeLock(path)).rejects.toThrow(`${path} is a link to a file that is not there`);
});

test.each(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'])(
  'a file system without links says %s: a lock is taken all the same, and by one alone',
  async (code) => {
    linksSay(code);
    const path = join(folder(), 'lock');
    expect([await createOwned(path, 'first'), await createOwned(path, 'second')]).toEqual([true, false]);
    expect([readFileSync(path, 'utf8'), readdirSync(dirname(path))]).toEqual(['first', ['lock']]);
  },
);

test('a dead lock that another process takes over first is the lock of that process', async () => {
  const path = lockBy({ ...ours, pid: 2 ** 31 - 1 });
  const taken = `${JSON.stringify({ ...ours, host: 'another' })}\n`;
  // By then the lock was found dead: only who removes it takes the second lock.
  vi.mocked(promises.link).mockImplementation(async (_, to) => {
    if (to === `${path}.taking`) writeFileSync(path, taken);
    throw refused('EISDIR');
  });
  onTestFinished(() => void vi.mocked(promises.link).mockRejectedValue(refused('EISDIR')));
  expect(await takeLock(path)).toMatchObject({ holder: { identity: { host: 'another' } } });
  expect([readFileSync(path, 'utf8'), readdirSync(dirname(path))]).toEqual([taken, ['lock']]);
});

test('what else the system says when a lock is made is thrown, and leaves nothing', async () => {
  linksSay('EIO');
  const path = join(folder(), 'lock');
  await expect(takeLock(path)).rejects.toMatchObject({ code: 'EIO' });
  expect(readdirSync(dirname(path))).toEqual([]);
});

test.each([
  ['released', (path: string) => rmSync(path)],
  [
    'taken over, and released,',
    (path: string) => {
      writeFileSync(path, `${JSON.stringify({ ...ours, pid: 2 ** 31 - 1 })}\n`);
    },
  ],
])('a lock of another host that is %s while its signs of life are awaited is taken', async (_, change) => {
  const path = lockBy({ ...ours, host: 'another' });
  const taking = takeLock(path, { leaseMs: 60_000 });
  setTimeout(() => change(path), 20);
  expect(await taking).toHaveProperty('lock');
});
