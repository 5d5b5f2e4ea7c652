/** Temporary folders, which are removed when they are not needed any more. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Is told what to do at the end: of a test (`onTestFinished`), of a file or a group (`afterAll`). */
export type AtEnd = (end: () => void | Promise<void>) => void;

/** A folder of its own for the test that runs. */
export function folder(): string {
  return folderUntil(onTestFinished);
}

/** A folder that is there until then. */
export function folderUntil(atEnd: AtEnd): string {
  const path = mkdtempSync(join(tmpdir(), 'usp-test-'));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
