/**
 * The folder below `.tmp/` that one process and its children write parts to. It says whose it is, and shows a sign of
 * life, so that what a dead process left can be deleted, and what a living one writes is not.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fateOf, fateOfMark, ownIdentity, ownMark, parseIdentity } from '../runtime/process-identity.ts';
import type { CrawlFolder } from './crawl-folder.ts';

const SIGN_EVERY_MS = 60_000;
/** A process of another machine that shows no sign of life for so long is taken for dead. */
const SILENT_MS = 3_600_000;
const NAME = /^w-[\da-f-]+$/;
const MARK = /^w-(.+)-[\da-f]{8}$/;

/** The folder of this process. */
export class WorkerFolder {
  readonly path: string;
  readonly #timer: NodeJS.Timeout;

  private constructor(path: string) {
    this.path = path;
    this.#timer = setInterval(() => {
      const now = new Date();
      utimes(join(path, 'holder.json'), now, now).catch(() => {});
    }, SIGN_EVERY_MS).unref();
  }

  static async create(folder: CrawlFolder): Promise<WorkerFolder> {
    // The name says whose it is as well, where the process is killed before it has said so in the folder.
    const path = join(folder.temporary, `w-${ownMark()}-${randomUUID().slice(0, 8)}`);
    await mkdir(path);
    await writeFile(join(path, 'holder.json'), JSON.stringify(ownIdentity()));
    return new WorkerFolder(path);
  }

  /** Removes it with all that was not published. */
  async remove(): Promise<void> {
    clearInterval(this.#timer);
    // A child that was killed a moment ago may still make a file.
    await rm(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Removes the folders of dead processes. Called with the lock held, so that no publisher looks at a part meanwhile. */
export async function removeAbandoned(folder: CrawlFolder): Promise<void> {
  const names = (await readdir(folder.temporary)).filter((name) => NAME.test(name));
  if (names.length === 0) return;
  const now = await fileSystemTime(folder);
  for (const name of names) {
    const path = join(folder.temporary, name);
    const sign = join(path, 'holder.json');
    const holder = parseIdentity(await readFile(sign, 'utf8').catch(() => ''));
    const seen = await stat(sign).catch(() => stat(path).catch(() => undefined));
    const isSilent = seen !== undefined && now - seen.mtimeMs > SILENT_MS;
    const fate = holder === undefined ? fateByName(name, seen?.mtimeMs ?? now) : fateOf(holder);
    if (isSilent || fate === 'dead') await rm(path, { recursive: true, force: true });
  }
}

function fateByName(name: string, madeAt: number): ReturnType<typeof fateOfMark> {
  return fateOfMark(MARK.exec(name)?.[1] ?? '', madeAt);
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
