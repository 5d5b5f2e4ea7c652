/**
 * SIGKILL at random moments of `usp ls -o` and `--save`: afterwards the file is the old one, the new one or absent,
 * never a mixture. The moments come from a seed; half of them are while the file is being written; the fast tier has
 * one of these.
 */
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { loadTree } from '../../src/index.ts';
import { type ScriptedServer, startServer } from '../server/scripted-server.ts';
import { build, start } from '../support/cli-binary.ts';
import { testIf } from '../support/collected.ts';
import { robots, urlset } from '../support/documents.ts';
import { folderUntil } from '../support/folder.ts';
import { IS_POSIX } from '../support/platform.ts';
import { Chance } from '../support/random.ts';
import { sized } from '../support/tier.ts';

const KILLS = sized({ fast: 1, full: 3, strong: 12 });
const SITEMAPS = 4;
const PAGES = sized({ fast: 2_000, full: 5_000, strong: 10_000 });
const OLD = 'what was there before';

const folder = folderUntil(afterAll);
let server: ScriptedServer;
/** What a run that is not killed takes, in milliseconds, and where it wrote its files, by their option. */
let whole: { readonly takes: number; readonly files: Readonly<Record<'-o' | '--save', string>> };
beforeAll(async () => {
  await build();
  server = await startServer({});
  const names = Array.from({ length: SITEMAPS }, (_, at) => `/${at}.xml`);
  server.site['/robots.txt'] = robots(...names.map((name) => server.origin + name));
  for (const name of names) {
    server.site[name] = urlset(
      ...Array.from({ length: PAGES }, (_, at) => `https://example.org${name}/page-${at}`),
    );
  }
  const files = { '-o': join(folder, 'pages'), '--save': join(folder, 'tree') };
  const before = performance.now();
  const argv = [
    'ls',
    server.origin,
    '-k',
    '-q',
    '-f',
    'ndjson',
    '--ordered',
    ...Object.entries(files).flat(),
  ];
  expect((await start(argv).finished).code).toBe(0);
  whole = { takes: performance.now() - before, files };
});
afterAll(() => server.close());

/** What a command writes, and how to read it. */
const WAYS = [
  [
    '-o',
    (file: string) => ['-f', 'ndjson', '--ordered', '-o', file],
    async (file: string) => readFileSync(file, 'utf8'),
  ],
  ['--save', (file: string) => ['-f', 'tree', '--no-pages', '--save', file], savedPages],
] as const;

testIf(IS_POSIX).each(WAYS)(
  '%s: a kill leaves the old file, the new one or none',
  async (name, options, read) => {
    const argv = (file: string): string[] => ['ls', server.origin, '-k', '-q', ...options(file)];
    const { takes, files } = whole;
    const expected = await read(files[name]);
    expect(expected.split('\n').length).toBeGreaterThan(SITEMAPS * PAGES);

    const chance = new Chance(6);
    const ends = { old: 0, new: 0, absent: 0 };
    for (let kill = 0; kill < KILLS; kill++) {
      const place = mkdtempSync(join(folder, 'kill-'));
      const file = join(place, 'target');
      const hasOld = kill % 4 < 2;
      if (hasOld) writeFileSync(file, OLD);
      const { child, finished } = start(argv(file));
      // Half of them while it writes, the others between the start and shortly after the usual end.
      if (kill % 2 === 0) {
        await writingBegan(place, () => child.exitCode !== null);
        await delay(chance.next() * 60);
      } else {
        await delay(((kill + chance.next()) / KILLS) * 1.3 * takes);
      }
      child.kill('SIGKILL');
      await finished;
      ends[await endOf(file, hasOld)]++;
      const others = readdirSync(place).filter((other) => other !== 'target');
      expect(others.filter((other) => !/^\.usp-[\da-f-]+\.tmp$/.test(other))).toEqual([]);
    }
    expect(ends.old + ends.new + ends.absent).toBe(KILLS);

    async function endOf(file: string, hasOld: boolean): Promise<keyof typeof ends> {
      const found = readdirSync(join(file, '..')).includes('target');
      if (!found) {
        expect(hasOld, 'an old file is gone').toBe(false);
        return 'absent';
      }
      if (hasOld && readFileSync(file, 'utf8') === OLD) return 'old';
      // A message with the whole text would be too long to read.
      expect((await read(file)) === expected, 'the file is incomplete').toBe(true);
      return 'new';
    }
  },
);

/** The pages of a saved tree, one a line. Its archive also has dates, which differ from run to run. */
async function savedPages(file: string): Promise<string> {
  const tree = await loadTree(file, { verify: true });
  const urls = Array.from(tree.allPages(), ({ url }) => `${url}\n`);
  tree.close();
  return urls.join('');
}

/** Waits until something is in the temporary file, or the process has ended. */
async function writingBegan(place: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const temporary = readdirSync(place).find((name) => name.endsWith('.tmp'));
    if (temporary !== undefined && sizeOf(join(place, temporary)) > 0) return;
    await delay(2);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
