/** Temporary files of processes that were killed are removed by the next one that writes to their folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ReplacedFile, temporaryBeside } from '../src/runtime/files.ts';
import { ownMark } from '../src/runtime/process-identity.ts';
import { testIf } from './support/collected.ts';
import { folder } from './support/folder.ts';
import { IS_LINUX } from './support/platform.ts';

/** Writes a file into a folder, beside these; which of them are left. */
async function left(names: readonly string[], put = (path: string) => writeFileSync(path, 'x')) {
  const place = folder();
  for (const name of names) put(join(place, name));
  const file = await ReplacedFile.open(join(place, 'target'));
  await file.write('new');
  await file.finish();
  expect(readFileSync(join(place, 'target'), 'utf8')).toBe('new');
  return readdirSync(place).filter((name) => name !== 'target');
}

const [host, boot, space, pid, started] = ownMark().split('-');
const nameOf = (...mark: readonly unknown[]): string => `.usp-${mark.join('-')}-0123abcd.tmp`;
const OTHER = '0123456789ab';
/** Above the highest process id of every system. */
const NO_PID = 2 ** 31 - 1;

describe('a temporary file', () => {
  test.each([
    ['of a process that does not run', nameOf(host, boot, space, NO_PID, started)],
    ['of another boot of this host', nameOf(host, OTHER, space, pid, started)],
    ['of a process id that is another process now', nameOf(host, boot, space, pid, `${started}1`)],
  ])('%s is removed', async (_what, name) => {
    // Where the system does not name boots and starts, a process id that runs may be that of the process.
    if (!IS_LINUX && !name.includes(String(NO_PID))) return;
    expect(await left([name])).toEqual([]);
  });

  testIf(IS_LINUX)(
    'of a process that has ended, and whose parent does not ask for it, is removed',
    async () => {
      // The shell becomes the parent that never asks; only then does its child end.
      const parent = spawn('sh', ['-c', 'cat <&3 >/dev/null & echo $!; exec sleep 60'], {
        stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      });
      onTestFinished(() => void parent.kill());
      const [printed] = await once(parent.stdout!, 'data');
      const ended = Number(String(printed));
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'latin1')).toBe('sleep\n');
      parent.stdio[3]?.destroy();
      const stat = (): string[] =>
        readFileSync(`/proc/${ended}/stat`, 'latin1')
          .replace(/^.*\) /s, '')
          .split(' ');
      await expect.poll(() => stat()[0]).toBe('Z');
      expect(await left([nameOf(host, boot, space, ended, stat()[19])])).toEqual([]);
    },
  );

  test.each([
    ['of this process', nameOf(host, boot, space, pid, started)],
    ['of another host', nameOf(OTHER, boot, space, NO_PID, started)],
    ['of another container', nameOf(host, boot, OTHER, NO_PID, started)],
    ['whose name does not say whose it is', '.usp-3b241101-e2bb-4255-8caf-4136c566a962.tmp'],
    ['with a name of another form', `.usp-${host}-${NO_PID}.tmp`],
    ['with another ending', nameOf(host, boot, space, NO_PID, started).replace('.tmp', '.old')],
  ])('%s stays', async (_what, name) => {
    // A container is known by its space of process ids, where the system names that.
    if (!IS_LINUX && name.includes(`-${OTHER}-${NO_PID}-`)) return;
    expect(await left([name])).toEqual([name]);
  });

  test('that is a folder or a link is not one of ours', async () => {
    const name = nameOf(host, boot, space, NO_PID, started);
    expect(await left([name], (path) => mkdirSync(path))).toEqual([name]);
    if (!IS_LINUX) return;
    const kept = join(folder(), 'kept');
    writeFileSync(kept, 'x');
    expect(await left([name], (path) => symlinkSync(kept, path))).toEqual([name]);
    expect(existsSync(kept)).toBe(true);
  });

  test('of another process stays while that runs, and goes once it was killed', async () => {
    const code = `console.log(JSON.stringify(require('node:fs').existsSync('/proc/self/stat') ? require('node:fs').readFileSync('/proc/self/stat', 'latin1').split(') ')[1].split(' ')[19] : '0')); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [output] = await once(child.stdout, 'data');
    const name = nameOf(host, boot, space, child.pid, JSON.parse(String(output)));
    expect(await left([name])).toEqual([name]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await left([name])).toEqual([]);
  });

  test('has a name that says whose it is', () => {
    const path = temporaryBeside('/somewhere/site.warc.gz');
    expect(path.replaceAll('\\', '/')).toContain(`/somewhere/.usp-${ownMark()}-`);
    expect(path).not.toBe(temporaryBeside('/somewhere/site.warc.gz'));
  });
});
