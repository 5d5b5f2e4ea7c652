/** What has become of a process that left its identity behind. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  fateOf,
  fateOfMark,
  ownIdentity,
  ownMark,
  type ProcessIdentity,
  parseIdentity,
} from '../../src/runtime/process-identity.ts';
import { describeIf } from '../support/collected.ts';
import { IS_LINUX } from '../support/platform.ts';

const own = ownIdentity();
const { pid: ended } = spawnSync(process.execPath, ['-e', '0']);
/** The system lets us send it no signal. It has a start of its own. */
const OTHER_USERS = process.ppid;
const HOUR = 3_600_000;
const BOOTED = Date.now() - uptime() * 1000;

describeIf(IS_LINUX, 'the fate of a process', () => {
  const CASES: readonly (readonly [string, Partial<ProcessIdentity>, number | undefined, string])[] = [
    ['this one', {}, undefined, 'running'],
    ['one that has ended', { pid: ended }, undefined, 'dead'],
    ['a process id that another process has now', { started: '1' }, undefined, 'dead'],
    ['one whose start is not known', { started: undefined }, undefined, 'running'],
    ['one of another boot', { boot: 'another' }, undefined, 'dead'],
    ['one of another host', { host: 'another', pid: ended }, undefined, 'elsewhere'],
    ['one of another container', { space: 'pid:[1]', pid: ended }, undefined, 'elsewhere'],
    ['one whose container is not known', { space: undefined }, undefined, 'running'],
    ['one whose boot is not known', { boot: undefined }, Date.now(), 'running'],
    ['one of before this boot', { boot: undefined }, BOOTED - HOUR, 'dead'],
    ['one of this boot, by a clock that differs a little', { boot: undefined }, BOOTED - 50_000, 'running'],
    ['one of before this boot, by more than clocks differ', { boot: undefined }, BOOTED - 70_000, 'dead'],
    ['one of this boot, though it was written before', {}, BOOTED - HOUR, 'running'],
    ['one that another user has', { pid: OTHER_USERS }, undefined, 'dead'],
    [
      'one that another user has, since its start',
      { pid: OTHER_USERS, started: undefined },
      undefined,
      'running',
    ],
  ];

  test.each(CASES)('%s', (_, other, notedAt, fate) => {
    const { kill } = process;
    vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      if (pid !== OTHER_USERS) return kill.call(process, pid, signal);
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect(fateOf({ ...own, ...other }, notedAt)).toBe(fate);
  });

  test('one that has ended, and keeps its id until its parent asks for it', () => {
    // Node asks for it when it listens to events again, after this test.
    const { pid = 0 } = spawn('true');
    const isEnded = (): boolean => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    for (const limit = Date.now() + 10_000; !isEnded() && Date.now() < limit; );
    expect(fateOf({ ...own, pid, started: undefined })).toBe('dead');
  });
});

describe('the mark of a process', () => {
  test('is that of the process which runs', () => {
    expect(fateOfMark(ownMark(), Date.now())).toBe('running');
  });

  test('which was written before this boot is that of a dead one, where the boot is not known', () => {
    const mark = ownMark().replace(/^([^-]+)-[^-]+/, '$1-0');
    expect([fateOfMark(mark, BOOTED - HOUR), fateOfMark(mark, Date.now())]).toEqual(['dead', 'running']);
  });

  test('without what some systems do not name is enough', () => {
    const [host, , , pid] = ownMark().split('-');
    expect(fateOfMark([host, '0', '0', pid, '0'].join('-'), Date.now())).toBe('running');
    expect(fateOfMark([host, '0', '0', ended, '0'].join('-'), Date.now())).toBe('dead');
  });

  test.each([
    `${ownMark()}-1`,
    `x${ownMark()}`,
    `${ownMark()}x`,
    '',
    'x',
    '0123456789ab-0-0-01-0',
    '0123456789ab-0-0-12345678901-0',
    '0123456789ab-0-0-0-0',
    '0123456789ab-0-0-1',
    '0123456789AB-0-0-1-0',
  ])('%j is not one', (mark) => {
    expect(fateOfMark(mark, Date.now())).toBeUndefined();
  });
});

describe('an identity that was written', () => {
  test('is read as it was', () => {
    expect(parseIdentity(JSON.stringify(own))).toEqual(own);
    const other = '{"host":"a","pid":1,"boot":1,"space":2,"started":3,"more":4}';
    expect(parseIdentity(other)).toEqual({ host: 'a', pid: 1 });
    expect(parseIdentity(`${JSON.stringify({ ...own, key: 'x' })}\n`)).toEqual(own);
  });

  test.each([
    '',
    'null',
    '1',
    '[]',
    '{"host":"a"}',
    '{"host":"a","pid":0}',
    '{"host":"a","pid":-1}',
    '{"host":"a","pid":"1"}',
    '{"host":"a","pid":9007199254740992}',
    '{"host":1,"pid":1}',
    '{"host":"a","pid":1.5}',
    '{"pid":1}',
  ])('%j is none', (text) => {
    expect(parseIdentity(text)).toBeUndefined();
  });
});

test('the start of a process is known whatever the name of its program', () => {
  const { title } = process;
  onTestFinished(() => {
    process.title = title;
  });
  for (const name of ['a', 'a) S (b', 'a b c) 1']) {
    process.title = name;
    expect(ownIdentity()).toEqual(own);
  }
});
