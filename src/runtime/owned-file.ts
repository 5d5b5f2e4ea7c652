/**
 * A file that says which process owns something: a lock, a folder. It appears with all its content, so that no other
 * process sees half of it, and only one of those that create it at once succeeds.
 */
import { link, open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { errorCode, temporaryBeside } from './files.ts';
import { fateOf, type ProcessIdentity, parseIdentity } from './process-identity.ts';

export interface Owner {
  readonly text: string;
  /** Undefined where the text does not name a process. */
  readonly identity: ProcessIdentity | undefined;
  /** What has become of that process; `elsewhere` where nothing is known of it here. */
  readonly fate: 'running' | 'dead' | 'elsewhere';
  /** When the file was written, in milliseconds since the epoch: its last sign of life. */
  readonly changedAt: number;
}

/** The owner of a file; undefined where there is no file. @throws what the file system says */
export async function ownerOf(path: string): Promise<Owner | undefined> {
  try {
    const [text, { mtimeMs: changedAt }] = [await readFile(path, 'utf8'), await stat(path)];
    const identity = parseIdentity(text);
    return {
      text,
      identity,
      changedAt,
      fate: identity === undefined ? 'elsewhere' : fateOf(identity, changedAt),
    };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Creates the file with its content at once; false where there is one. @throws what the file system says */
export async function createOwned(path: string, text: string): Promise<boolean> {
  const temporary = temporaryBeside(path);
  try {
    await writeNew(temporary, text);
    await link(temporary, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    // Some file systems have no links: there, the file may be seen empty for a moment, or be left empty by a crash.
    if (!NO_LINKS.has(errorCode(error))) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  try {
    await writeNew(path, text);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Shows signs of life of the owner of a file, until the returned function is called. */
export function showLife(path: string, everyMs: number): () => void {
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, everyMs).unref();
  return () => clearInterval(timer);
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

async function writeNew(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
