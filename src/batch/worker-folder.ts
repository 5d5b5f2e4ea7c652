/**
 * The folder below `.tmp/` that one process and its children write parts to. Its name says whose it is, and its time is a
 * sign of life, so that what a dead process left can be deleted, and what a living one writes is not.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { showLife } from '../runtime/owned-file.ts';
import { fateOfMark, ownMark } from '../runtime/process-identity.ts';
import type { CrawlFolder } from './crawl-folder.ts';

const SIGN_EVERY_MS = 60_000;
/**
 * A process of another machine that shows no sign of life for so long is taken for dead. A clock that jumps by an hour
 * must not make a living one look dead, and what a dead one left is only disk space.
 */
const SILENT_MS = 24 * 3_600_000;
const NAME = /^w-([\da-f-]+)-[\da-f]{8}$/;

interface WorkerFolder {
  readonly path: string;
  /** Removes it with all that was not published. */
  remove(): Promise<void>;
}

export async function createWorkerFolder(folder: CrawlFolder): Promise<WorkerFolder> {
  const path = join(folder.temporary, `w-${ownMark()}-${randomUUID().slice(0, 8)}`);
  await mkdir(path);
  const stop = showLife(path, SIGN_EVERY_MS);
  return {
    path,
    remove: async () => {
      stop();
      // A child that was killed a moment ago may still make a file.
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Removes the folders of dead processes. Called with the lock held, so that no publisher looks at a part meanwhile. */
export async function removeAbandoned(folder: CrawlFolder): Promise<void> {
  const names = (await readdir(folder.temporary)).filter((name) => NAME.test(name));
  if (names.length === 0) return;
  const now = await fileSystemTime(folder);
  for (const name of names) {
    const path = join(folder.temporary, name);
    const changedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? now;
    const isDead = fateOfMark(NAME.exec(name)?.[1] ?? '', changedAt) === 'dead';
    if (isDead || now - changedAt > SILENT_MS) await rm(path, { recursive: true, force: true });
  }
}

/** What the clock of the file system says: that of another machine may be wrong. */
async function fileSystemTime(folder: CrawlFolder): Promise<number> {
  const path = join(folder.temporary, `.time-${randomUUID()}`);
  await writeFile(path, '');
  try {
    return (await stat(path)).mtimeMs;
  } finally {
    await rm(path, { force: true });
  }
}
