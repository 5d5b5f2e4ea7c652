/** The limits under which `npm run mutate` runs tests: a planted fault may allocate without end, or never return. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { limitedRun } from '../scripts/limited-run.js';
import { testIf } from './support/collected.ts';

const HAS_PS = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,rss=']).status === 0;
const limits = { seconds: 60, gigabytes: 2 };
const inAChild = (code: string) =>
  `require('child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(code)}])`;

test.each([
  ['ends well', '', {}, 'ok'],
  ['fails', 'process.exit(3)', {}, 'failed'],
  ['does not end', 'setInterval(() => {}, 1000)', { seconds: 0.1 }, 'too slow'],
])('a process that %s', async (_, code, more, ending) => {
  expect(await limitedRun(['-e', code], { ...limits, ...more }).ending).toBe(ending);
});

testIf(HAS_PS)('the memory of processes that a process starts counts', async () => {
  const code = inAChild('const held = Buffer.alloc(400e6, 1); setTimeout(() => held, 20_000)');
  expect(await limitedRun(['-e', code], { ...limits, gigabytes: 0.3 }).ending).toBe('too much memory');
});
