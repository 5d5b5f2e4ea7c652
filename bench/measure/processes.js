/** Contestants in processes of their own, each for as long as it may take and no longer. */
import { spawn } from 'node:child_process';
import process, { execPath, kill, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const CONTESTANT = path('contestant-process.js');
const DOCUMENT = path('document-process.js');

/** No pass may take longer: far more than the slowest contestant needs on a slow machine. */
export const MAX_PASS_SECONDS = 3_600;
/** Nor may a small document that is read once, by a process that is ready for it. */
const MAX_DOCUMENT_SECONDS = 10;

/**
 * Starts a contestant, which lives until its `end`: it makes a pass each time that it is asked.
 *
 * @param {{ module: string, task: string, work: object }} job
 */
export function startContestant(job) {
  const { send, result, end } = start(CONTESTANT, job);
  return {
    /**
     * @param {{ mode?: 'timed' | 'checked', work?: object, warmSeconds?: number }} request
     * @returns {Promise<object>} what the pass gave; or `{ failure }`, in a few words, if there is nothing
     */
    async pass(request = {}) {
      send(request);
      return result(MAX_PASS_SECONDS);
    },
    end,
  };
}

/** One pass of a contestant that lives no longer. */
export async function passAlone(job) {
  const contestant = startContestant(job);
  try {
    return await contestant.pass();
  } finally {
    contestant.end();
  }
}

/**
 * @param {object} job what document-process.js is to do
 * @returns {Promise<{ urls: unknown[], name?: string, version?: string, failure?: string }>} `urls` is what was handed
 * over, also by who failed later on; there is no name if not even the start was a success
 */
export async function readAlone(job) {
  const [urls, about] = [[], {}];
  const { result, end } = start(DOCUMENT, job, ({ type, url, name, version }) => {
    if (type === 'page') urls.push(url);
    if (type === 'start') Object.assign(about, { name, version });
  });
  const { failure } = await result(MAX_DOCUMENT_SECONDS);
  end();
  return { ...about, urls, failure };
}

/** How to end each process that is at work: a group of its own hears no Ctrl-C. */
const working = new Set();
process.on('exit', () => {
  for (const end of working) end();
});

function start(script, job, onMessage = () => {}) {
  // A group of its own, so that a command which it started ends with it.
  const child = spawn(execPath, [script, JSON.stringify(job)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: platform !== 'win32',
  });
  let complaints = '';
  let isOver = false;
  let ended;
  let waiting;
  const end = () => {
    if (isOver) return;
    if (platform === 'win32') child.kill();
    else kill(-child.pid, 'SIGKILL');
  };
  const settle = (result) => {
    waiting?.(result);
    waiting = undefined;
  };
  working.add(end);
  child.on('message', (message) => {
    onMessage(message);
    if (message.type === 'result') settle(message);
  });
  child.on('error', () => {});
  child.stderr.on('data', (chunk) => {
    complaints = (complaints + chunk).slice(-20_000);
  });
  child.on('close', (code, signal) => {
    isOver = true;
    working.delete(end);
    ended = { failure: whatHappened(complaints, code, signal), complaints };
    settle(ended);
  });
  return {
    send: (message) => child.connected && child.send(message, () => {}),
    result: (maxSeconds) =>
      new Promise((resolve) => {
        if (ended !== undefined) return resolve(ended);
        const timer = setTimeout(() => {
          settle({ failure: `stopped after ${maxSeconds} s` });
          end();
        }, maxSeconds * 1000);
        waiting = (result) => {
          clearTimeout(timer);
          resolve(result);
        };
      }),
    end,
  };
}

function whatHappened(complaints, code, signal) {
  if (complaints.includes('heap out of memory')) return 'out of memory';
  return (
    /^\w*Error(?: \[\w+\])?: .*$/m.exec(complaints)?.[0].slice(0, 100) ??
    `ended with ${signal ?? `code ${code}`}`
  );
}
