/** Runs a command that is not ours, and says what it used. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { cpuSecondsOf, peakBytesOf } from './usage.js';

/** What a process used is gone with it, so it is looked at while it runs. */
const LOOK_EVERY_MS = 4;

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<{ output: string, seconds: number, cpuSeconds?: number, peakBytes?: number }>}
 */
export async function runCommand(command, args) {
  const start = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let used = {};
  const look = setInterval(() => {
    // A process that has just ended has no memory, and no say.
    const peakBytes = peakBytesOf(child.pid);
    if (peakBytes !== undefined) used = { peakBytes, cpuSeconds: cpuSecondsOf(child.pid) };
  }, LOOK_EVERY_MS);
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  try {
    const [code] = await once(child, 'close');
    const seconds = (performance.now() - start) / 1000;
    if (code !== 0) throw new Error(`${command} ended with code ${code}.`);
    return { ...used, output: Buffer.concat(chunks).toString(), seconds };
  } finally {
    clearInterval(look);
  }
}
