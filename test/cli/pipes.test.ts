/**
 * §10: the first signal ends every command in every phase, also while an input or an output is a pipe. The command lines
 * are made from the commands and their flags: a new flag that names a file is among them by itself.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endingSignals } from '../../src/cli/endings.ts';
import { createProgram } from '../../src/cli/program/program.ts';
import { startServer } from '../server/scripted-server.ts';
import { BINARY, build, idle } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { describeIf, testIf } from '../support/collected.ts';
import { folder, folderUntil } from '../support/folder.ts';
import { HAS_PIPES, IS_LINUX } from '../support/platform.ts';
import { CHANGING_SEED, Chance } from '../support/random.ts';
import { isFull, sized } from '../support/tier.ts';

const place = folderUntil(afterAll);
let site = '';

beforeAll(async () => {
  await build();
  const silent = await startServer({ '*': { silent: true } });
  site = silent.origin;
  const urls = Array.from({ length: 5_000 }, (_, at) => `<url><loc>https://example.org/${at}</loc></url>`);
  await writeFile(join(place, 'large.xml'), `<urlset>${urls.join('')}</urlset>`);
  await writeFile(join(place, 'sites.txt'), site);
  return () => silent.close();
});

/** What a command has besides the flag that is tried: a word in capitals is replaced by what is there. */
const BASE: Readonly<Record<string, readonly string[]>> = {
  ls: ['LARGE', '-f', 'ndjson', '-vv'],
  update: ['NEW.warc.gz', 'SITE', '-vv'],
  diff: ['LARGE', 'LARGE'],
  check: ['LARGE', '-f', 'ndjson', '-vv'],
  fix: ['LARGE', '-o', 'NEW', '-vv'],
  write: ['SITES', '-o', 'NEW', '--base', 'https://example.org/', '-vv'],
  report: ['LARGE', '-o', 'NEW.html', '-vv'],
  // It finishes the sites that it has begun.
  crawl: ['SITES', '-o', 'NEW', '--idle-timeout', '1', '--retries', '0', '-vv'],
  worker: ['-o', 'NEW', '--queue', 'redis://127.0.0.1:1', '-vv'],
  mcp: ['-vv'],
  rules: ['doctype'],
  completion: ['bash'],
};

/** A pipe whose other end is not open; one whose other end does nothing; one that the process starts with. */
const PIPES = ['no other end', 'silent', 'descriptor'] as const;
type Pipe = (typeof PIPES)[number];
type Case = readonly [line: string, pipe: Pipe];

const { commands } = createProgram('', async () => {});
const named = (flags: string): boolean => /<(?:file|dir)>/.test(flags);

function casesOf(command: Command): readonly Case[] {
  const name = command.name();
  const base = BASE[name] ?? [];
  const ofFlag = ({ long, short, flags }: Option): string[] => {
    const flag = long ?? short ?? '';
    const at = base.findIndex((word) => word === long || word === short);
    const others = base.filter((_, index) => at === -1 || (index !== at && index !== at + 1));
    // The certificates are those of a site.
    const isOfSite = /--ca?cert|--cert|--key/.test(flags) && base[0] === 'LARGE';
    return [name, ...(isOfSite ? ['SITE', ...others.slice(1)] : others), flag, 'PIPE'];
  };
  // The arguments of rules and completion are words, not files.
  const files = base.flatMap((word, at) =>
    at in command.registeredArguments && /^[A-Z]/.test(word) ? [at] : [],
  );
  const inputs = files.map((at) => [name, ...base.with(at, 'PIPE')].join(' '));
  const options = command.options.filter(({ flags }) => named(flags));
  return [
    ...inputs.flatMap((line) => PIPES.map((pipe): Case => [line, pipe])),
    ...options.flatMap((option) =>
      pipesOf(command, option).map((pipe): Case => [ofFlag(option).join(' '), pipe]),
    ),
  ];
}

/** What several commands have is one piece of code for all of them, which meets each of the pipes once. */
function pipesOf(command: Command, { long, short }: Option): readonly Pipe[] {
  const same = commands.filter(({ options }) =>
    options.some((one) => one.long === long && one.short === short),
  );
  return PIPES.filter((_pipe, at) => at % same.length === same.indexOf(command));
}

let count = 0;
/** Starts a command, sends a signal some time later, or when it waits, and says how it ended. */
async function ended([line, pipe]: Case, signal: NodeJS.Signals, after: number | 'idle'): Promise<string> {
  const path = join(place, `pipe${count++}`);
  spawnSync('mkfifo', [path]);
  const held = pipe === 'silent' ? openSync(path, constants.O_RDWR | constants.O_NONBLOCK) : undefined;
  const words: Readonly<Record<string, string>> = {
    PIPE: pipe === 'descriptor' ? '/dev/fd/3' : path,
    LARGE: join(place, 'large.xml'),
    SITES: join(place, 'sites.txt'),
    SITE: site,
  };
  const argv = line.split(' ').map((word) => words[word] ?? word.replace(/^NEW/, `${path}-new`));
  const child = spawn(process.execPath, [BINARY, ...argv], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  try {
    return await endOf(child, signal, after);
  } finally {
    child.kill('SIGKILL');
    if (held !== undefined) closeSync(held);
  }
}

/** stdin is silent, and neither stdout nor stderr is read. */
async function endOf(child: ChildProcess, signal: NodeJS.Signals, after: number | 'idle'): Promise<string> {
  const end = new Promise<string>((resolve) => {
    child.on('exit', (code, by) => resolve(by ?? String(code)));
  });
  const early = await Promise.race([end, after === 'idle' ? idle(child, 5_000) : delay(after)]);
  if (early !== undefined) return `${early} before`;
  child.kill(signal);
  return await Promise.race([end, delay(60_000, 'still there')]);
}

/** With 130; before it listens, as any process; or by itself, as one that does not take a pipe. */
const ENDS = /^130$|^SIG(?:TERM|INT)$|^[0-6](?: before)?$/;

const ALL: readonly Case[] = commands.flatMap(casesOf);
const FEW: readonly Case[] = [
  ['ls PIPE -f ndjson -vv', 'silent'],
  ['ls PIPE -f ndjson -vv', 'no other end'],
  ['check LARGE -f ndjson -vv --config PIPE', 'silent'],
  ['crawl PIPE -o NEW --idle-timeout 1 --retries 0 -vv', 'silent'],
  ['ls SITE -f ndjson -vv --cacert PIPE', 'silent'],
  ['ls LARGE -f ndjson -vv --log-file PIPE', 'no other end'],
  ['ls LARGE -f ndjson -vv --output PIPE', 'no other end'],
];
const CASES = sized({ fast: FEW, full: ALL });

describeIf(HAS_PIPES, 'the first signal ends a command with a pipe', () => {
  test('every command is among them', () => {
    expect(Object.keys(BASE).sort()).toEqual(commands.map((command) => command.name()).sort());
    expect(ALL.map(([line]) => line)).toEqual(expect.arrayContaining(FEW.map(([line]) => line)));
  });

  const chance = new Chance(40);
  test.concurrent.each(CASES)('%s (%s)', { timeout: 120_000 }, async (line, pipe) => {
    const signal = chance.pick(['SIGTERM', 'SIGINT'] as const);
    expect(await ended([line, pipe], signal, 'idle')).toMatch(ENDS);
  });

  // The start of a command is the same for all of its flags.
  const first = commands.flatMap((command) => casesOf(command).slice(0, 1));
  const SEED = sized({ fast: 40, full: CHANGING_SEED });
  testIf(isFull)(`at any time: seed ${SEED}`, { timeout: 400_000 }, async () => {
    const chance = new Chance(SEED);
    for (const [line] of first) {
      const pipe = chance.pick(PIPES);
      const [signal, after] = [chance.pick(['SIGTERM', 'SIGINT'] as const), chance.between(0, 1_000)];
      const end = await ended([line, pipe], signal, after);
      expect([line, pipe, after, end]).toEqual([line, pipe, after, expect.stringMatching(ENDS)]);
    }
  });
});

describe('a file that does not end', () => {
  testIf(IS_LINUX).each([
    ['report LARGE -o NEW.html --logo /dev/zero', '--logo /dev/zero cannot be read: it has more than 1 MiB.'],
    ['ls SITE --cacert /dev/zero', '--cacert /dev/zero cannot be read: it has more than 16 MiB.'],
    ['ls SITE --cert /dev/zero', '--cert /dev/zero cannot be read: it has more than 16 MiB.'],
    ['check LARGE --config /dev/zero', '/dev/zero cannot be read: it has more than 256 MiB.'],
    ['check LARGE --baseline /dev/zero', '/dev/zero cannot be read: it has more than 256 MiB.'],
    ['crawl /dev/zero -o NEW', '/dev/zero cannot be read: it has no lines, so it is not a list.'],
    ['crawl /dev/zero --column 1 -o NEW', '/dev/zero cannot be read: it has no lines, so it is not a list.'],
  ])('usp %s', async (line, words) => {
    const at: Readonly<Record<string, string>> = { LARGE: join(place, 'large.xml'), SITE: site };
    const argv = line.split(' ').map((word) => at[word] ?? word.replace(/^NEW/, join(folder(), 'new')));
    const { code, stderr } = await usp(argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`usp: ${words}\n`)]);
  });
});

testIf(HAS_PIPES)('the log waits for the reader of a pipe, and goes there whole', async () => {
  const path = join(folder(), 'log');
  spawnSync('mkfifo', [path]);
  const running = usp(['ls', site, '-l', path, '--idle-timeout', '0.1', '--retries', '0']);
  await delay(100);
  const reader = spawn('sh', ['-c', 'cat log | wc -l'], { cwd: dirname(path) });
  const lines = new Promise<string>((resolve) => reader.stdout.once('data', (text) => resolve(String(text))));
  expect([(await running).code, Number(await lines)]).toEqual([6, expect.any(Number)]);
  expect(Number(await lines)).toBeGreaterThan(1);
});

test.each([
  ['win32', ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']],
  ['linux', ['SIGINT', 'SIGTERM']],
  ['darwin', ['SIGINT', 'SIGTERM']],
] as const)('on %s these signals end a command', (platform, signals) => {
  expect(endingSignals(platform)).toEqual(signals);
});
