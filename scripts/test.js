/**
 * `npm test`: the unit tests, and beside them the checks that need none of them, one after the other: with `--mode
 * full` those of the package too. Everything runs to its end, so that one run shows all that fails; without a build
 * there is nothing to test.
 *
 *     node scripts/test.js [--site] [arguments for vitest]
 *
 * With --site, the website is built before the tests, some of which look at it, and beside the checks.
 *
 * The unit tests write as they go. What a check wrote is kept until it has ended, and shown where the check failed.
 */
import { spawn } from 'node:child_process';
import { npmCommand } from './npm.js';
import { isBuilt, whyNoTemporaryFiles, whyNotIn } from './surroundings.js';

/** Bytes of temporary files at once: a run on two cores needed 154 MB. */
const MOST_TEMPORARY = 250e6;
const IS_POSIX = process.platform !== 'win32';
/** How to end what is running: a process each, or a group of them. */
const running = new Map();
let isStopped = false;

/** Runs a command to its end: whether it succeeded, and what it wrote where that is not shown at once. */
function finished(child, stop) {
  running.set(child, stop);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  return new Promise((resolve) => {
    const end = (isGood) => {
      running.delete(child);
      resolve({ isGood, output });
    };
    child.once('error', (error) => {
      output += `${error.message}\n`;
      end(false);
    });
    child.once('close', (code) => end(code === 0));
  });
}

/**
 * Runs a script of package.json, and says how it ended. npm starts a shell that starts the tool: they end as a group.
 */
async function check(script) {
  if (isStopped) return false;
  const started = performance.now();
  const [command, argv, options] = npmCommand('run', '--silent', script);
  const child = spawn(command, argv, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: IS_POSIX,
    ...options,
  });
  const stop = () => (IS_POSIX ? process.kill(-child.pid, 'SIGTERM') : child.kill());
  const { isGood, output } = await finished(child, stop);
  if (isStopped) return false;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(isGood ? `✓ ${script} (${seconds} s)\n` : `${output}✗ ${script} (${seconds} s)\n`);
  return isGood;
}

/** Runs the tests. They have the terminal, and hear of Ctrl-C there as this process does. */
async function unitTests(argv) {
  if (isStopped) return false;
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...argv], {
    stdio: 'inherit',
    // What takes much time and memory is left to the full tier (vitest.config.ts), unless something is asked for.
    env: { ...process.env, ...(argv.length === 0 && { TEST_HEAVY: 'no' }) },
  });
  // A second Ctrl-C would end them at once, without a summary.
  const hasHeard = (signal) => signal === 'SIGINT' && process.stdin.isTTY;
  const { isGood } = await finished(child, (signal) => hasHeard(signal) || child.kill(signal));
  return isGood;
}

for (const [signal, code] of [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.on(signal, () => {
    isStopped = true;
    process.exitCode = code;
    for (const stop of running.values())
      try {
        stop(signal);
      } catch {
        // It has ended already.
      }
  });

/** Of these scripts, one after the other, those that fail. */
async function failing(scripts) {
  const failed = [];
  for (const script of scripts) if (!(await check(script))) failed.push(script);
  return failed;
}

const missing = whyNotIn() ?? whyNoTemporaryFiles(MOST_TEMPORARY);
if (missing !== undefined) {
  process.stderr.write(`${missing}\n`);
  process.exit(1);
}

const hasSite = process.argv.includes('--site');
const argv = process.argv.slice(2).filter((word) => word !== '--site');
const isFull = / --mode[= ]full /.test(` ${argv.join(' ')} `);
// A new build, for what a removed source left in .build would be tested; and where there is none or an old one, for the
// types of examples, which are checked while the tests run.
const beforeTests = isFull || !isBuilt() ? ['build'] : [];

// The linter does not look into dist; everything else does.
const lint = failing(['lint']);
const site = failing(hasSite ? ['site'] : []);
if ((await failing(beforeTests)).length === 0) {
  const checks = lint.then(() => failing(isFull ? ['types', 'test:package'] : ['types']));
  // It copies the checkout, and a site that is being built changes there.
  const machine = Promise.all([site, checks]).then(() => failing(isFull ? ['test:machine'] : []));
  const tests = site.then(() => unitTests(argv));
  const failed = (await Promise.all([lint, site, checks, machine])).flat();
  const areTestsGood = await tests;
  if (!isStopped) {
    if (failed.length > 0) process.stdout.write(`✗ failed, see above: ${failed.join(', ')}\n`);
    process.exitCode = areTestsGood && failed.length === 0 ? 0 : 1;
  }
} else {
  await Promise.all([lint, site]);
  process.exitCode ||= 1;
}
