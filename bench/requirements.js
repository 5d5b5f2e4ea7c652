/** Who can take part here: some contestants are not ours to install. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { env } from 'node:process';

const TESTS = {
  xmlwf: ['xmlwf', ['-v']],
  redis: ['redis-server', ['--version']],
  python: ['python3', ['-c', 'import usp']],
  chromium: ['chromium', ['--version']],
};
const known = new Map();

/** Whether what a contestant needs, if anything, is on this machine. */
export function isHere({ needs }) {
  if (needs === undefined) return true;
  if (!known.has(needs)) {
    const [command, args] = TESTS[needs];
    known.set(needs, spawnSync(command, args, { stdio: 'ignore' }).status === 0);
  }
  return known.get(needs);
}

/** Where a command is on the PATH. */
export function commandPath(command) {
  const folders = (env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, command)).find((path) => existsSync(path));
}
