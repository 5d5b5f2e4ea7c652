/** Runs one contestant in a process of its own, for as long as it may take and no longer. */
import { spawn } from 'node:child_process';
import process, { execPath, kill, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('contestant-process.js', import.meta.url));

/** No pass may take longer. */
export const MAX_PASS_SECONDS = 120;

/**
 * @param {object} job what contestant-process.js is to do
 * @returns {Promise<object>} its result; or `{ failure }`, in a few words, if there is none
 */
export function runAlone(job) {
  return new Promise((resolve) => {
    // A group of its own, so that a command which it started ends with it.
    const child = spawn(execPath, [SCRIPT, JSON.stringify(job)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      detached: platform !== 'win32',
    });
    let result;
    let isStopped = false;
    let complaints = '';
    const end = () => {
      if (platform === 'win32') child.kill();
      else kill(-child.pid, 'SIGKILL');
    };
    const stop = () => {
      isStopped = true;
      end();
    };
    // A group of its own hears no Ctrl-C.
    process.once('exit', end);
    let timer = setTimeout(stop, MAX_PASS_SECONDS * 1000);
    child.on('message', (message) => {
      if (message.type === 'result') result = message;
      clearTimeout(timer);
      timer = setTimeout(stop, MAX_PASS_SECONDS * 1000);
    });
    child.stderr.on('data', (chunk) => {
      complaints = (complaints + chunk).slice(-20_000);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      process.off('exit', end);
      if (isStopped) resolve({ failure: `stopped after ${MAX_PASS_SECONDS} s` });
      else if (result === undefined) resolve({ failure: whatHappened(complaints, code, signal), complaints });
      else resolve(result);
    });
  });
}

function whatHappened(complaints, code, signal) {
  if (complaints.includes('heap out of memory')) return 'out of memory';
  return /^\w*Error: .*$/m.exec(complaints)?.[0].slice(0, 100) ?? `ended with ${signal ?? `code ${code}`}`;
}
