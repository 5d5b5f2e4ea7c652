/** The messages between the process of a crawl and its children, and how a child is started. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CrawlCommandOptions } from './crawl-sites.ts';
import type { Batch, FinishedSite } from './journal.ts';
import type { TableFormat } from './output/table-file.ts';

/** What a child needs to know before it gets sites. */
export interface ProcessSettings {
  readonly options: CrawlCommandOptions;
  /** Where archives are put. */
  readonly crawl: string;
  /** Where parts are put. */
  readonly folder: string;
  readonly format: TableFormat;
  readonly publishEveryMs: number;
  readonly archives: boolean;
  /** Where the archives of the earlier crawl are. */
  readonly previous: string | undefined;
}

export type ToProcess =
  | { readonly type: 'settings'; readonly settings: ProcessSettings }
  /** `earlierProblem` says why the archive of the earlier crawl cannot be used, if that is known. */
  | { readonly type: 'site'; readonly site: string; readonly earlierProblem?: string | undefined }
  /** No more sites will come: the child finishes what it has, and exits. */
  | { readonly type: 'end' };

export type UnpublishedSite = Pick<FinishedSite, 'site' | 'outcome' | 'code' | 'pages'>;

export type FromProcess =
  | { readonly type: 'ready' }
  /** A sign of life: the child is not stuck in one turn of its event loop. */
  | { readonly type: 'alive' }
  /** A site is crawled, and waits for its batch: there is room for another. */
  | { readonly type: 'crawled'; readonly result: UnpublishedSite; readonly warning?: string | undefined }
  | { readonly type: 'batch'; readonly batch: Batch }
  /** The child cannot go on, for example because the disk is full. */
  | { readonly type: 'stuck'; readonly reason: string };

export interface ChildCrawler {
  send(message: ToProcess): void;
  onMessage(listener: (message: FromProcess) => void): void;
  /**
   * Resolves once the child has exited and all its messages have arrived: to how it failed, or undefined if it did not.
   */
  readonly exited: Promise<string | undefined>;
  kill(): void;
}

export const ALIVE_EVERY_MS = 1_000;

/** How many characters of a child's stderr are kept, for the message that says why it ended. */
const STDERR_CHARACTERS = 2_000;

/** The script of a child. Sources and build have it at the same place relative to this file. */
const CHILD: string = fileURLToPath(new URL('./crawl-process.js', import.meta.url));

/** Starts a child, and sends it its settings. @param file - another script, in a test */
export function forkCrawler(settings: ProcessSettings, file: string = CHILD): ChildCrawler {
  const child = fork(file, [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let errorText = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-STDERR_CHARACTERS);
  });
  const send = (message: ToProcess): void => {
    // `exited` reports a child that has ended.
    if (child.connected) child.send(message, () => {});
  };
  const exited = new Promise<string | undefined>((resolve) => {
    let how: string | undefined;
    let awaitedEvents = 2;
    const over = (): void => {
      if (--awaitedEvents === 0) resolve(how);
    };
    child.once('error', (error) => {
      how ??= error.message;
      if (child.pid === undefined) resolve(how);
    });
    child.once('exit', (code, signal) => {
      const lastLine = errorText.trim().split('\n').at(-1);
      if (signal !== null) how ??= signal;
      else if (code !== 0) how ??= `exit code ${code}${lastLine === '' ? '' : `: ${lastLine}`}`;
      over();
    });
    // Emitted after the last message.
    child.once('disconnect', over);
  });
  send({ type: 'settings', settings });
  return {
    send,
    // The child runs our own code.
    onMessage: (listener) => child.on('message', (message) => listener(message as FromProcess)),
    exited,
    kill: () => child.kill('SIGKILL'),
  };
}
