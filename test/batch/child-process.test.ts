/** §14.2: how a child process ended, for the message that says so. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forkCrawler } from '../../src/batch/child-process.ts';
import { folder } from '../support/folder.ts';

const failsWith = (text: string): string => `process.stderr.write(${text}, () => process.exit(1))`;

test.each([
  [
    'the last line of its stderr',
    failsWith(`'a warning\\nError: the cause\\n'`),
    'exit code 1: Error: the cause',
  ],
  ['its exit code alone where it wrote nothing', failsWith(`''`), 'exit code 1'],
  [
    'a character of its stderr that came in two pieces',
    `process.stderr.write(Buffer.from([0xc3])); setTimeout(() => ${failsWith('Buffer.from([0xa9])')}, 100)`,
    'exit code 1: \u00e9',
  ],
])('a child that fails is reported with %s', async (_what, script, how) => {
  const place = folder();
  const file = join(place, 'child.mjs');
  writeFileSync(file, script);
  const settings = {
    crawl: place,
    folder: place,
    format: 'ndjson',
    publishEveryMs: 50,
    archives: false,
  } as const;
  expect(await forkCrawler({ ...settings, options: {}, previous: undefined }, file).exited).toBe(how);
});
