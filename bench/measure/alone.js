/** Runs one contestant in a process of its own, for as long as it may take and no longer. */
import { spawn } from 'node:child_process';
import process, { execPath, kill, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const CONTESTANT = path('contestant-process.js');
const DOCUMENT = path('document-process.js');
const ARCHIVE = path('archive-process.js');
const UPDATE = path('update-process.js');
const DIFF = path('diff-process.js');
const REPORT = path('report-process.js');
const CHECK = path('check-process.js');

/** No pass may take longer. */
export const MAX_PASS_SECONDS = 120;
/** Nor may a small document that is read once, by a process that is ready for it. */
const MAX_DOCUMENT_SECONDS = 10;

/**
 * @param {object} job what contestant-process.js is to do
 * @returns {Promise<object>} its result; or `{ failure }`, in a few words, if there is none
 */
export function runAlone(job) {
  return run(CONTESTANT, job, { maxSeconds: MAX_PASS_SECONDS });
}

/** @param {{ half: 'make' | 'load', homepage?: string, file: string }} job one half of scenario archive */
export function archiveAlone(job) {
  return run(ARCHIVE, job, { maxSeconds: MAX_PASS_SECONDS });
}

/** @param {{ half: 'first' | 'again', homepage: string, file: string }} job one run of scenario update */
export function updateAlone(job) {
  return run(UPDATE, job, { maxSeconds: MAX_PASS_SECONDS });
}

/**
 * @param {{ part: 'save' | 'walk' | 'walk-async' | 'diff', homepage?: string, files: string[] }} job a part of scenario
 * diff
 */
export function diffAlone(job) {
  return run(DIFF, job, { maxSeconds: MAX_PASS_SECONDS });
}

/** @param {{ half: 'walk' | 'report', homepage: string, file: string }} job a part of scenario report */
export function reportAlone(job) {
  return run(REPORT, job, { maxSeconds: 3 * MAX_PASS_SECONDS });
}

/** @param {{ half: 'walk' | 'check', files: string[] }} job a part of scenario check */
export function checkAlone(job) {
  return run(CHECK, job, { maxSeconds: 5 * MAX_PASS_SECONDS });
}

/**
 * @param {object} job what document-process.js is to do
 * @returns {Promise<{ urls: unknown[], name?: string, version?: string, failure?: string }>} `urls` is what was handed
 * over, also by who failed later on; there is no name if not even the start was a success
 */
export async function readAlone(job) {
  const [urls, about] = [[], {}];
  const { failure } = await run(DOCUMENT, job, {
    maxSeconds: MAX_DOCUMENT_SECONDS,
    onMessage: ({ type, url, name, version }) => {
      if (type === 'page') urls.push(url);
      if (type === 'start') Object.assign(about, { name, version });
    },
  });
  return { ...about, urls, failure };
}

function run(script, job, { maxSeconds, onMessage }) {
  return new Promise((resolve) => {
    // A group of its own, so that a command which it started ends with it.
    const child = spawn(execPath, [script, JSON.stringify(job)], {
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
      onMessage?.(message);
      // No reason for more time: pages may be without end.
      if (message.type === 'page') return;
      if (message.type === 'result') result = message;
      clearTimeout(timer);
      timer = setTimeout(stop, maxSeconds * 1000);
    });
    child.stderr.on('data', (chunk) => {
      complaints = (complaints + chunk).slice(-20_000);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      process.off('exit', end);
      if (isStopped) resolve({ failure: `stopped after ${maxSeconds} s` });
      else if (result === undefined) resolve({ failure: whatHappened(complaints, code, signal), complaints });
      else resolve(result);
    });
  });
}

function whatHappened(complaints, code, signal) {
  if (complaints.includes('heap out of memory')) return 'out of memory';
  return (
    /^\w*Error(?: \[\w+\])?: .*$/m.exec(complaints)?.[0].slice(0, 100) ??
    `ended with ${signal ?? `code ${code}`}`
  );
}
