/** Temporary folders, which are removed when they are not needed any more, and files in them. */
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Registers what to do at the end: of a test (`onTestFinished`), of a file or a group (`afterAll`). */
export type AtEnd = (end: () => void | Promise<void>) => void;

/** A folder of its own for the test that runs. */
export function folder(): string {
  return folderUntil(onTestFinished);
}

/** A folder that is there until then. */
export function folderUntil(atEnd: AtEnd): string {
  const path = mkdtempSync(join(tmpdir(), 'usp test-'));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Writes files into a folder of their own; gives the path of each. */
export function written(files: Readonly<Record<string, string | Uint8Array>>): (name: string) => string {
  const path = folder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return (name) => join(path, name);
}

/** The files whose paths begin so and that a process of Linux has open. @param place - its descriptors */
export function openFiles(beginning: string, place = '/proc/self/fd'): string[] {
  const targets = readdirSync(place).map((descriptor) => {
    try {
      return readlinkSync(join(place, descriptor));
    } catch {
      // That of the listing itself is gone by now.
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(beginning));
}
