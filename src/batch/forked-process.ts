/** A child process with a channel for messages. */
import { fork } from 'node:child_process';
import type { ChildCrawler } from './coordinator.ts';
import type { FromProcess, ProcessSettings, ToProcess } from './process-messages.ts';

/** How much of what a child wrote to its stderr is kept, to say why it ended. */
const KEPT_CHARACTERS = 2_000;

/** Starts a child, and sends it its settings. @param file - what it runs */
export function forkCrawler(file: string, settings: ProcessSettings): ChildCrawler {
  const child = fork(file, [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-KEPT_CHARACTERS);
  });
  const send = (message: ToProcess): void => {
    // One that is gone is reported by its exit.
    if (child.connected) child.send(message, () => {});
  };
  const exited = new Promise<string | undefined>((resolve) => {
    let how: string | undefined;
    let left = 2;
    const over = (): void => {
      if (--left === 0) resolve(how);
    };
    child.once('error', (error) => {
      how ??= error.message;
      if (child.pid === undefined) resolve(how);
    });
    child.once('exit', (code, signal) => {
      if (signal !== null) how ??= signal;
      else if (code !== 0) how ??= `exit code ${code}${said === '' ? '' : `: ${lastLine(said)}`}`;
      over();
    });
    // After the last message.
    child.once('disconnect', over);
  });
  send({ type: 'settings', settings });
  return {
    send,
    onMessage: (listener) => child.on('message', (message) => listener(message as FromProcess)),
    exited,
    kill: () => child.kill('SIGKILL'),
  };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
