/** Runs a command that is not ours, and says what it used. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The shell measures: what a process used is gone with it, and Linux counts that of others in hundredths only. */
const SCRIPT = `TIMEFORMAT='%R %U %S'; time "$@"`;

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<{ output: string, seconds: number, cpuSeconds: number }>}
 */
export async function runCommand(command, args) {
  const child = spawn('bash', ['-c', SCRIPT, 'bash', command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = [child.stdout, child.stderr].map((stream) => {
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ended with code ${code}: ${errors().slice(-200)}`);
  const [seconds, user, system] = errors().trim().split('\n').at(-1).split(' ').map(Number);
  return { output: output(), seconds, cpuSeconds: user + system };
}
