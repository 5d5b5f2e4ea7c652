/**
 * What the child processes of `usp crawl` and `usp worker` run: they crawl sites for their parent, which is the only
 * one that hears of Ctrl-C, publishes and reports. A child ends when its parent does.
 */
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { safeText } from '../text/safe-text.ts';
import type { FromProcess, ProcessSettings, ToProcess } from './child-process.ts';
import { serveCrawl } from './serve-crawl.ts';

/** How long a message waits for others, where it may wait: far shorter than a site takes. */
const SOON_MS = 30;

let listener: (message: ToProcess) => void = () => {};
/** Messages that wait for others: to send one takes either side as long as a small document. */
let unsent: FromProcess[] = [];
let sending: NodeJS.Timeout | undefined;
/** Messages are sent in order: with the last one, all are. */
let lastSent: Promise<void> = Promise.resolve();

function sendSoon(message: FromProcess): void {
  unsent.push(message);
  sending ??= setTimeout(sendAll, SOON_MS);
}

function send(message: FromProcess): void {
  unsent.push(message);
  sendAll();
}

function sendAll(): void {
  clearTimeout(sending);
  sending = undefined;
  const messages = unsent;
  unsent = [];
  lastSent = new Promise((resolve) => {
    process.send?.(messages, undefined, undefined, () => resolve());
  });
}

async function serve(settings: ProcessSettings): Promise<void> {
  const onMessage = (listen: (message: ToProcess) => void): void => {
    listener = listen;
  };
  let code = 0;
  try {
    await serveCrawl({ send, sendSoon, onMessage }, settings);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${safeText(message, 'terminal')}\n`);
    code = 1;
  }
  if (unsent.length > 0) sendAll();
  await lastSent;
  process.exit(code);
}

/**
 * A process that is stuck in one turn hears neither that its parent is gone nor a signal, so a thread of its own looks.
 * On Windows the parent's number stays when it ends.
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
process.on('message', (messages: readonly ToProcess[]) => {
  for (const message of messages) {
    if (message.type === 'settings') void serve(message.settings);
    else listener(message);
  }
});
