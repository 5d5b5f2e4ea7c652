/** A spool leaves no file behind after a normal exit, an exception or SIGKILL; a full disk loses nothing. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shellQuoted } from '../support/cli-binary.ts';
import { folder } from '../support/folder.ts';
import { sized } from '../support/tier.ts';

/** What is built of the sources: a few files, which Node loads sooner than a bundle is made of them. */
const BUILT = new URL('../../.build/sitemap/', import.meta.url).href;
// A file may not grow past 1 MB: writing fails as it does on a full disk.
const FULL_DISK = "trap '' XFSZ; ulimit -f 1000;";

/** Runs a program in a process of its own. */
function run(contents: string, shell = '') {
  const script = join(folder(), 'program.mjs');
  writeFileSync(script, contents);
  const command = `${shell} exec ${[process.execPath, script].map(shellQuoted).join(' ')}`;
  return spawnSync('sh', ['-c', command], { encoding: 'utf8', timeout: 100_000 });
}

/** A program with a document in a spool. */
function withSpool(directory: string, program: string): string {
  return `
    import { Spool } from '${BUILT}spool/spool.js';
    const warnings = [];
    const onWarning = (message) => warnings.push(message);
    const spool = new Spool({ memoryBytes: 100_000, directory: ${JSON.stringify(directory)}, onWarning });
    const writer = spool.writer();
    const bytes = new Uint8Array(3_000_000).map((_, at) => at * 7 + (at >> 8) + (at >> 16));
    await writer.write(bytes);
    const document = writer.end();
    // A chunk holds only until the next one.
    const bytesOf = (document) => Buffer.concat(Array.from(document.chunks(), (chunk) => chunk.slice()));
    const isIntact = () => bytesOf(document).equals(bytes);
    ${program}`;
}

describe('a process with an open spool', () => {
  const ends: [string, string, object][] = [
    [
      'SIGKILL',
      'process.kill(process.pid, "SIGKILL"); await new Promise(() => setInterval(() => {}, 9));',
      { status: null, signal: 'SIGKILL' },
    ],
    ['a normal end', '', { status: 0, signal: null }],
    ['an exit', 'process.exit(5);', { status: 5, signal: null }],
    ['an exception', 'throw new Error("oops");', { status: 1, signal: null }],
  ];
  // What SIGKILL does not leave behind, nothing does.
  test.each(sized({ fast: ends.slice(0, 1), full: ends }))(
    'leaves no file behind after %s',
    (_, end, expected) => {
      const directory = folder();
      const program = `
      const { readdirSync, readlinkSync } = await import('node:fs');
      console.log(isIntact(), readdirSync(${JSON.stringify(directory)}).length, warnings.length);
      ${end}`;
      const { stdout, status, signal } = run(withSpool(directory, program));
      expect(stdout).toBe('true 0 0\n');
      expect({ status, signal }).toEqual(expected);
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  // Windows: another program, such as a scanner, may have the file open when it is made.
  test.each([
    ['when the spool is closed', 'spool.close();', '0 files, 0 for the end'],
    ['at the end of the process', '', '1 files, 1 for the end'],
  ])('removes a file that could not be removed at once %s', (_, end, expected) => {
    const directory = folder();
    const busy = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { unlinkSync } = fs;
      fs.unlinkSync = () => {
        fs.unlinkSync = unlinkSync;
        syncBuiltinESMExports();
        throw Object.assign(new Error('busy'), { code: 'EBUSY' });
      };
      syncBuiltinESMExports();
      const before = process.listenerCount('exit');`;
    const program = `
      console.log(isIntact(), warnings.length);
      ${end}
      const files = fs.readdirSync(${JSON.stringify(directory)}).length;
      console.log(files, 'files,', process.listenerCount('exit') - before, 'for the end');`;
    const { stdout, stderr } = run(busy + withSpool(directory, program));
    expect([stdout, stderr]).toEqual([`true 0\n${expected}\n`, '']);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('§8 a spool that cannot be written stays in memory, with one warning, and loses nothing', () => {
    const program = `
      const more = spool.writer();
      for (let round = 0; round < 5; round++) await more.write(bytes);
      const isWhole = bytesOf(more.end()).equals(Buffer.concat(new Array(5).fill(bytes)));
      console.log(isIntact(), isWhole, warnings.length, /written.*EFBIG/.test(warnings[0]));`;
    const { stdout, stderr } = run(withSpool(folder(), program), FULL_DISK);
    expect([stdout, stderr]).toEqual(['true true 1 true\n', '']);
  });

  test('§5 a save that runs out of space leaves the old file as it was, and nothing else', () => {
    const directory = folder();
    const path = join(directory, 'tree.gz');
    writeFileSync(path, 'old');
    const { stdout, stderr } = run(
      `
      import { randomBytes } from 'node:crypto';
      import { saveTree } from '${BUILT}archive/save-tree.js';
      import { IndexXMLSitemap, InvalidSitemap } from '${BUILT}sitemap.js';
      const url = 'https://example.org/';
      const child = () => new InvalidSitemap({ url, code: 'x', reason: randomBytes(1000).toString('hex') });
      const tree = new IndexXMLSitemap({ url, subSitemaps: Array.from({ length: 3000 }, child) });
      await saveTree(tree, ${JSON.stringify(path)}).catch(({ code, cause }) => console.log(code, cause.code));`,
      FULL_DISK,
    );
    expect([stdout, stderr]).toEqual(['archive-unwritable EFBIG\n', '']);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(directory)).toEqual(['tree.gz']);
  });
});
