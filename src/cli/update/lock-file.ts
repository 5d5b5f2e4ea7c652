/**
 * A file beside another one that says which process is working on it. It appears with its content, so that it is never
 * half written. One that a dead process left behind is taken over; one of another host never is, since nothing is known
 * here about its processes.
 */
import { randomUUID } from 'node:crypto';
import { link, lstat, rename, rm } from 'node:fs/promises';
import { errorCode, temporaryBeside, writeTarget } from '../../runtime/files.ts';
import { createOwned, ownerOf } from '../../runtime/owned-file.ts';
import { ownIdentity } from '../../runtime/process-identity.ts';
import { UsageError } from '../messages/endings.ts';
import { unwritable } from '../output/output.ts';

/** Another process may take the lock between two looks at it; then this is tried again. */
const ATTEMPTS = 10;

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
        if (await createOwned(path, text)) return new LockFile(path, text);
        await removeDead(path, file);
      }
    } catch (cause) {
      throw cause instanceof UsageError ? cause : unwritable(file, cause);
    }
    throw new UsageError(`${file} is being updated by others; try again later.`);
  }

  /** @throws UsageError where someone else has removed the lock, or taken it */
  async check(file: string): Promise<void> {
    if ((await ownerOf(this.#path))?.text === this.#text) return;
    throw new UsageError(
      `${file} was not saved: its lock file ${this.#path} was removed or replaced by someone else.`,
    );
  }

  async release(): Promise<void> {
    if ((await ownerOf(this.#path))?.text === this.#text) await rm(this.#path, { force: true });
  }
}

/** Removes the lock of a dead process. @throws UsageError where it is not dead, or not known to be */
async function removeDead(path: string, file: string): Promise<void> {
  const found = await ownerOf(path);
  if (found === undefined) {
    const there = await lstat(path).catch(() => undefined);
    if (there?.isSymbolicLink() !== true) return;
    throw new UsageError(`${file} cannot be locked: ${path} is a link to a file that is not there.`, {
      hint: `remove ${path}.`,
    });
  }
  const { text, identity, fate } = found;
  if (identity === undefined) {
    throw new UsageError(`${file} is locked, and ${path} does not say by which process.`, {
      hint: `if no update is running, remove ${path}.`,
    });
  }
  const { host, pid } = identity;
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
    if ((await ownerOf(aside))?.text !== text) await link(aside, path);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(errorCode(error))) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}
