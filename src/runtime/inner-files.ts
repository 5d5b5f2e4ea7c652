/**
 * Files inside one folder, by names that another file holds. Such a file may come from a stranger, and so may links in
 * the folder. So a name is checked when it is read, no link is followed to write or to remove, and nothing is removed
 * recursively by such a name.
 */
import type { Stats } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './files.ts';

/** What file systems take for one part of a path. */
const MOST_BYTES_OF_NAME = 255;

/**
 * Whether a value is the name of a file inside a folder: no part of it is hidden, leads out of the folder, or is too
 * long for a file system.
 *
 * @param form - the names that we write, where these have one form
 */
export function isInnerName(name: unknown, form: RegExp = /^/): name is string {
  if (typeof name !== 'string' || !form.test(name)) return false;
  return name
    .split('/')
    .every((part) => /^[^.\\:\0][^\\:\0]*$/.test(part) && Buffer.byteLength(part) <= MOST_BYTES_OF_NAME);
}

/** What has that name; a link is not followed. @throws what the file system says */
export async function entryAt(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  });
}

/** Removes a file or a link, if it is there. A folder by that name stays. @throws what the file system says */
export async function removeFile(path: string): Promise<void> {
  const entry = await entryAt(path);
  if (entry?.isDirectory() === false) await rm(path, { force: true, maxRetries: 5 });
}

/**
 * Refuses what is in the place of folders and files that are to be written.
 *
 * @param errorOf - makes the error that is thrown where a folder is a link, which may lead anywhere, or a file; or where
 *   a file is a link, or something else
 */
export async function refuseOtherEntries(
  directory: string,
  { folders, files = [] }: { readonly folders: Iterable<string>; readonly files?: Iterable<string> },
  errorOf: (message: string) => Error,
): Promise<void> {
  const refuse = async (name: string, type: 'folder' | 'file'): Promise<void> => {
    const entry = await entryAt(join(directory, name));
    if (entry === undefined || (type === 'folder' ? entry.isDirectory() : entry.isFile())) return;
    const what = entry.isSymbolicLink() ? 'a symbolic link' : entry.isFile() ? 'a file' : 'not a file';
    throw errorOf(
      `${join(directory, name)} is ${what}, where a ${type} is needed. Remove it, or choose another directory.`,
    );
  };
  for (const name of new Set(folders)) await refuse(name, 'folder');
  for (const name of files) await refuse(name, 'file');
}
