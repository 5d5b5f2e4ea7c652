/** What the tests of the tree share: spool files that are open, the garbage collector. */
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SitemapException } from '../../src/problems/errors.ts';

/** Whether this system shows which files a process has open. */
export const SHOWS_OPEN_FILES: boolean = process.platform === 'linux';

/** The sizes of the spool files made in a folder that this process has open; they have no name any more. */
export function openSpools(directory: string): number[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(`${directory}/`) && target.includes('.spool')
        ? [statSync(`/proc/self/fd/${fd}`).size]
        : [];
    } catch {
      // The descriptor of the listing itself is gone by now.
      return [];
    }
  });
}

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

function collectGarbage(): void {
  if (typeof collect !== 'function') throw new Error('no garbage collector to call');
  collect();
}

/** Collects garbage until something is so; gives up after so many turns, by default after five seconds. */
export async function untilCollected(isDone: () => boolean, turns = 100): Promise<boolean> {
  for (let turn = 0; turn < turns; turn++) {
    collectGarbage();
    await sleep(turn < 10 ? 1 : 50);
    if (isDone()) return true;
  }
  return false;
}

/** The heap, and the buffers outside of it, that are still reachable. */
export function aliveBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The code of the exception that something throws or rejects with; undefined where it does not. */
export async function codeOf(action: () => unknown): Promise<string | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (error instanceof SitemapException) return error.code;
    throw error;
  }
}
