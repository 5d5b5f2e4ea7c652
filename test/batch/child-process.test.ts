/** §14.2: how a child process ended, for the message that says so. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forkCrawler } from '../../src/batch/child-process.ts';
import { folder } from '../support/folder.ts';

test.each([
  ['the last line of its stderr', `'a warning\\nError: the cause\\n'`, 'exit code 1: Error: the cause'],
  ['its exit code alone where it wrote nothing', `''`, 'exit code 1'],
])('a child that fails is reported with %s', async (_what, text, how) => {
  const place = folder();
  const file = join(place, 'child.mjs');
  writeFileSync(file, `process.stderr.write(${text}, () => process.exit(1));`);
  const settings = {
    crawl: place,
    folder: place,
    format: 'ndjson',
    publishEveryMs: 50,
    archives: false,
  } as const;
  expect(await forkCrawler({ ...settings, options: {}, previous: undefined }, file).exited).toBe(how);
});
