/** `npm run demo` as people start it, into a pipe, and where something is missing; what `npm test` says then. */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whyNotIn } from '../scripts/surroundings.js';
import { ROOT, type Running, watched } from './support/cli-binary.ts';
import { testIf } from './support/collected.ts';
import { folder } from './support/folder.ts';
import { IS_LINUX } from './support/platform.ts';

const DEMO = join(ROOT, 'scripts/demo.js');
/** A network without a loopback interface that is up. */
const WITHOUT_NETWORK = ['unshare', '--map-root-user', '--net'] as const;
const canLeaveNetwork =
  IS_LINUX && spawnSync(WITHOUT_NETWORK[0], [...WITHOUT_NETWORK.slice(1), 'true']).status === 0;

function demo(env: NodeJS.ProcessEnv = {}, ...scenes: readonly string[]): Running {
  return watched(spawn(process.execPath, [DEMO, ...scenes], { env: { ...process.env, ...env } }));
}

test('a reader that has gone ends the demo without an error, and leaves nothing behind', async () => {
  const TMPDIR = folder();
  const { child, finished } = demo({ TMPDIR, TEMP: TMPDIR, TMP: TMPDIR }, '3', '3');
  child.stdout?.destroy();
  expect(await finished).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(TMPDIR)).toEqual([]);
});

test('a folder for temporary files that does not exist is named in a sentence', async () => {
  const TMPDIR = join(ROOT, 'not-there');
  expect(await demo({ TMPDIR, TEMP: TMPDIR, TMP: TMPDIR }).finished).toEqual({
    code: 1,
    stdout: '',
    stderr: `The folder for temporary files, ${TMPDIR}, does not exist: set TMPDIR to another one.\n`,
  });
});

test.each(['#', '%', '?', '*'])(
  'npm test names a checkout with "%s" in its path, which tools cannot read',
  (character) => {
    expect(whyNotIn(`/home/me/a${character}b/`)).toContain(`a path with "${character}"`);
    expect(whyNotIn('/home/me/ü $[{(')).toBeUndefined();
  },
);

testIf(canLeaveNetwork)('the demo fails where it cannot read its site', async () => {
  const [command, ...argv] = [...WITHOUT_NETWORK, process.execPath, DEMO];
  const { code, stdout, stderr } = await watched(spawn(command!, argv)).finished;
  expect([code, stderr]).toEqual([1, 'The demo ends here: usp could not read the demo site.\n']);
  expect(stdout).toMatch(/\(exit code 6\)\n$/);
});
