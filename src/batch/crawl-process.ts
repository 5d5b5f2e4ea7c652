/**
 * The script of the child processes of `usp crawl` and `usp worker`. They crawl sites for their parent. Only the parent
 * reacts to Ctrl-C, publishes and reports. A child ends when its parent does.
 */
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { safeText } from '../text/safe-text.ts';
import type { FromProcess, ProcessSettings, ToProcess } from './child-process.ts';
import { serveCrawl } from './serve-crawl.ts';

let listener: (message: ToProcess) => void = () => {};
/** Messages are sent in order: once the last one is sent, all are. */
let lastSent: Promise<void> = Promise.resolve();

function send(message: FromProcess): void {
  lastSent = new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
}

async function serve(settings: ProcessSettings): Promise<void> {
  const onMessage = (listen: (message: ToProcess) => void): void => {
    listener = listen;
  };
  let code = 0;
  try {
    await serveCrawl({ send, onMessage }, settings);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${safeText(message, 'terminal')}\n`);
    code = 1;
  }
  await lastSent;
  process.exit(code);
}

/**
 * A process that is stuck in one turn of its event loop notices neither a signal nor the end of its parent, so a thread
 * watches the parent. On Windows `ppid` does not change when the parent ends.
 */
const WATCH_PARENT = `
const { workerData: parent } = require('node:worker_threads');
const isThere = () => {
  try {
    return process.ppid === parent && process.kill(parent, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
};
setInterval(() => isThere() || process.kill(process.pid, 'SIGKILL'), 1000);
`;
new Worker(WATCH_PARENT, {
  eval: true,
  workerData: process.ppid,
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 },
}).unref();

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(1));
process.on('message', (message: ToProcess) => {
  if (message.type === 'settings') void serve(message.settings);
  else listener(message);
});
