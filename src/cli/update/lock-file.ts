/**
 * A file beside another one that says which process is working on it. It appears with its content, so that it is never
 * half written. One that a dead process left behind is taken over; one of another host never is, since nothing is known
 * here about its processes.
 */
import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { temporaryBeside, writeTarget } from '../../runtime/files.ts';
import { fateOf, ownIdentity, type ProcessIdentity, parseIdentity } from '../../runtime/process-identity.ts';
import { UsageError } from '../messages/failure.ts';
import { unwritable } from '../output/output.ts';

/** Another process may take the lock between two looks at it; then this is tried again. */
const ATTEMPTS = 10;

/** A lock that this process holds. */
export class LockFile {
  readonly #path: string;
  readonly #text: string;

  private constructor(path: string, text: string) {
    this.#path = path;
    this.#text = text;
  }

  /**
   * Locks a file, which need not be there yet.
   *
   * @throws UsageError where another process holds the lock, or where it cannot be written
   */
  static async take(file: string): Promise<LockFile> {
    try {
      const target = await writeTarget(file);
      if (target.type !== 'file') throw new Error('there is something else than a file by that name');
      const path = `${target.path}.lock`;
      // A key, so that a lock of the same process in another call is not taken for this one.
      const text = `${JSON.stringify({ ...ownIdentity(), key: randomUUID() })}\n`;
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (await created(path, text)) return new LockFile(path, text);
        await removeDead(path, file);
      }
    } catch (cause) {
      throw cause instanceof UsageError ? cause : unwritable(file, cause);
    }
    throw new UsageError(`${file} is being updated by others; try again later.`);
  }

  /** @throws UsageError where someone else has removed the lock, or taken it */
  async check(file: string): Promise<void> {
    if ((await textOf(this.#path)) === this.#text) return;
    throw new UsageError(
      `${file} was not saved: its lock file ${this.#path} was removed or replaced by someone else.`,
    );
  }

  async release(): Promise<void> {
    if ((await textOf(this.#path)) === this.#text) await rm(this.#path, { force: true });
  }
}

/** Makes the file with its content at once; whether there was none. */
async function created(path: string, text: string): Promise<boolean> {
  const temporary = temporaryBeside(path);
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(temporary, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // Some file systems have no links: there, a crash at the wrong moment leaves an empty lock.
    if (!NO_LINKS.has(codeOf(error))) throw error;
    return createdInPlace(path, text);
  } finally {
    await rm(temporary, { force: true });
  }
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

async function createdInPlace(path: string, text: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx');
    await handle.writeFile(text).finally(() => handle.close());
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of a dead process. @throws UsageError where it is not dead, or not known to be */
async function removeDead(path: string, file: string): Promise<void> {
  const found = await lockAt(path);
  if (found === undefined) return;
  const { text, identity, notedAt } = found;
  if (identity === undefined) {
    throw new UsageError(`${file} is locked, and ${path} does not say by which process.`, {
      hint: `if no update is running, remove ${path}.`,
    });
  }
  const { host, pid } = identity;
  const fate = fateOf(identity, notedAt);
  if (fate === 'running') {
    throw new UsageError(
      `${file} is being updated by process ${pid}; two updates of one file at once would lose changes.`,
    );
  }
  if (fate === 'elsewhere') {
    throw new UsageError(`${file} is being updated by process ${pid} on ${host}.`, {
      hint: `if no update is running there, remove ${path}.`,
    });
  }
  // Two processes may find the same dead lock. The one that comes second would remove the lock of the first, so a lock
  // is moved aside and looked at before it is removed.
  const aside = temporaryBeside(path);
  try {
    await rename(path, aside);
    if ((await textOf(aside)) !== text) await link(aside, path);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(codeOf(error))) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function lockAt(
  path: string,
): Promise<{ text: string; identity: ProcessIdentity | undefined; notedAt: number } | undefined> {
  const text = await textOf(path);
  const found = await stat(path).catch(() => undefined);
  if (text === undefined || found === undefined) return undefined;
  return { text, identity: parseIdentity(text), notedAt: found.mtimeMs };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
