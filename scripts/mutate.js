/**
 * `npm run mutate`: do the tests of a room notice a fault in it? Plants one fault at a time in the compiled modules of a
 * room, runs the tests that mirror it, and prints the share that was found and the faults that were not.
 *
 *     node scripts/mutate.js parse robots [--faults 30] [--seed 1] [--seconds 120] [--gigabytes 4]
 *                            [--only 3,17] [--operators skipped-reset,dropped-await] [--by-operator] [--own] [--heavy]
 *
 * `all` stands for every room. The options:
 *
 *     --faults       how many faults in each room, as many of each operator as there are
 *     --seed         chooses other faults
 *     --seconds      tests that take longer have found the fault, and are printed as too slow
 *     --gigabytes    tests that take more memory, with the processes that they start, have found the fault too (not on Windows)
 *     --only         some of the faults, by their numbers
 *     --operators    faults of these operators alone
 *     --by-operator  prints found/planted for each operator too: a table of rooms by operators
 *     --own          runs the tests of the file's own name alone; a file that has none is left out
 *     --heavy        runs the tests too that `npm test` leaves out
 *
 * The operators (scripts/planted-faults.js):
 *
 *     shifted-border          < for <=, > for >=, a number that is one higher
 *     flipped                 another comparison or operator, true for false
 *     ignored-flag            the second of two conditions does not count
 *     older-for-newer         the first for the last, the least for the most, the older of two times
 *     swapped-dates           the beginning of a day for its end, since for until
 *     length-for-byte-length  characters are counted instead of bytes
 *     dropped-await           nothing waits for the end of a call
 *     swapped-arguments       the first two arguments are exchanged
 *     skipped-reset           a field, a counter or a list is not reset
 *     not-invalidated         a remembered value is not removed
 *     dropped-cleanup         nothing is closed or released: in finally, return() and elsewhere; an abort is not noticed
 *     dropped-statement       any other call or assignment is left out
 *
 * It works in a copy of the project, so the checkout is never changed. A fault counts as found if a test fails, or if
 * the tests exceed `--seconds` or `--gigabytes`. The tests of the file's own name run first, then those of the room.
 */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.js';
import { limitedRun } from './limited-run.js';
import { faultsIn, OPERATOR_NAMES } from './planted-faults.js';
import { isBuilt } from './surroundings.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const NOT_COPIED = new Set(['node_modules', '.git', 'coverage']);
const VITEST = 'node_modules/vitest/vitest.mjs run --bail 1 --reporter dot --passWithNoTests'.split(' ');
/** Rooms whose tests are not in a folder of the same name. */
const TESTS = {
  '.': ['tree', 'stream', 'local', 'url', 'one-sitemap', 'sitemap/site-outcome'].map(
    (name) => `test/${name}.test.ts`,
  ),
  runtime: ['test/runtime/', 'test/leftovers.test.ts'],
};
/** Rooms whose tests start `usp` as a process: `dist/` is bundled anew with each fault. */
const STARTED = new Set(['batch', 'cli', 'mcp']);

const { positionals, values } = readArguments(import.meta.url, {
  allowPositionals: true,
  options: {
    faults: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '120' },
    gigabytes: { type: 'string', default: '4' },
    only: { type: 'string' },
    operators: { type: 'string' },
    'by-operator': { type: 'boolean', default: false },
    own: { type: 'boolean', default: false },
    heavy: { type: 'boolean', default: false },
  },
});
const [faults, seed, seconds, gigabytes] = ['faults', 'seed', 'seconds', 'gigabytes'].map((name) =>
  Number(values[name]),
);
const only = values.only?.split(',').map(Number);
const operators = values.operators?.split(',') ?? OPERATOR_NAMES;
const unknown = operators.find((name) => !OPERATOR_NAMES.includes(name));
if (unknown !== undefined) {
  console.error(`There is no operator ${unknown}. There are: ${OPERATOR_NAMES.join(' ')}`);
  process.exit(2);
}
const rooms = positionals.includes('all') ? await allRooms() : positionals;
if (rooms.length === 0) {
  console.error(`Name rooms of src/, or all: ${(await allRooms()).join(' ')}`);
  process.exit(2);
}

const copy = await mkdtemp(join(tmpdir(), 'usp-mutate-'));
let running;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, async () => {
    running?.stop();
    await rm(copy, { recursive: true, force: true, maxRetries: 5 });
    process.exit(1);
  });
try {
  await build();
  await cp(ROOT, copy, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !NOT_COPIED.has(basename(path)),
  });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const results = [];
  for (const room of rooms) results.push({ room, faults: await roomResults(room) });
  printTable(['Room', 'Faults', 'Found', 'Share'], results.map(shareRow));
  if (values['by-operator']) printTable(['Room', ...operators], results.map(operatorRow));
} finally {
  await rm(copy, { recursive: true, force: true });
}

/** Faults are planted in what is built. */
async function build() {
  if (!isBuilt() && (await endingOf(['scripts/build.js'], [], ROOT)) !== 'survived')
    throw new Error('The sources do not compile.');
}

async function allRooms() {
  const entries = await readdir(join(ROOT, 'src'), { withFileTypes: true });
  return ['.', ...entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)];
}

/** Plants the faults of a room one by one: each with its operator, and whether it was found. */
async function roomResults(room) {
  const results = [];
  const numbered = chosenFaults(await faultsOf(room)).map((fault, at) => ({ ...fault, number: at + 1 }));
  const chosen = numbered.filter(({ number }) => only?.includes(number) ?? true);
  const tests = values.own ? [...new Set(chosen.map(({ own }) => own))] : (TESTS[room] ?? [`test/${room}/`]);
  if ((await endingOf(VITEST, tests)) !== 'survived')
    throw new Error(`The tests of ${room} fail or are too slow before a fault is planted.`);
  for (const fault of chosen) {
    const result = await endingWith(fault, tests, STARTED.has(room));
    results.push({ operator: fault.operator, isFound: result !== 'survived' });
    if (result !== 'found') console.log(`${result}  ${fault.number}  ${fault.words}`);
  }
  if (STARTED.has(room) && chosen.length > 0) await bundle(chosen[0].name);
  return results;
}

function shareRow({ room, faults: all }) {
  const found = all.filter(({ isFound }) => isFound).length;
  return [room, all.length, found, all.length === 0 ? '' : `${Math.round((100 * found) / all.length)} %`];
}

/** How many of the faults of each operator were found: found/planted. */
function operatorRow({ room, faults: all }) {
  const cells = operators.map((name) => all.filter(({ operator }) => operator === name));
  return [
    room,
    ...cells.map((cell) =>
      cell.length === 0 ? '' : `${cell.filter(({ isFound }) => isFound).length}/${cell.length}`,
    ),
  ];
}

function printTable(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, at) => (at === 0 ? '---' : '---:'));
  console.log(['', ...[head, rule, ...rows].map(line)].join('\n'));
}

async function endingWith({ file, name, text, start, end, replacement, own }, tests, isStarted) {
  const path = join(copy, file);
  await writeFile(path, text.slice(0, start) + replacement + text.slice(end));
  try {
    if (isStarted && (await bundle(name)) !== 'survived') return 'found';
    if (!existsSync(join(copy, own))) return await endingOf(VITEST, tests);
    const ending = await endingOf(VITEST, [own]);
    return ending === 'survived' && !values.own
      ? await endingOf(VITEST, [...tests, '--exclude', own])
      : ending;
  } finally {
    await writeFile(path, text);
  }
}

/** Bundles dist/, with what .build/ has of a source. */
function bundle(source) {
  return endingOf(['scripts/build.js'], ['--as-compiled', source]);
}

/** What becomes of a fault in the tests. */
async function endingOf(script, args, cwd = copy) {
  running = limitedRun([...script, ...args], {
    cwd,
    seconds,
    gigabytes,
    env: { ...process.env, TEST_HEAVY: values.heavy ? 'yes' : 'no' },
  });
  const ending = await running.ending;
  return { ok: 'survived', failed: 'found' }[ending] ?? ending;
}

/** All faults that can be planted in a room. */
async function faultsOf(room) {
  const folder = join(copy, '.build', room);
  const names = await readdir(folder, { recursive: room !== '.' });
  const all = [];
  for (const name of names.filter((each) => each.endsWith('.js')).sort()) {
    const file = relative(copy, join(folder, name));
    const text = await readFile(join(copy, file), 'utf8');
    const source = file.split(sep).slice(1).join('/').replace(/\.js$/, '.ts');
    const place = { file, text, name: `src/${source}`, own: `test/${source.replace(/\.ts$/, '.test.ts')}` };
    if (values.own && !existsSync(join(copy, place.own))) continue;
    for (const fault of faultsIn(text))
      if (operators.includes(fault.operator)) all.push(described({ ...place, ...fault }));
  }
  return all;
}

/** The line with the fault, before and after, for people. */
function described(fault) {
  const { text, start, end, replacement, name, operator } = fault;
  const from = text.lastIndexOf('\n', start) + 1;
  const to = text.indexOf('\n', end);
  const before = text.slice(from, to).trim();
  const after = (text.slice(from, start) + replacement + text.slice(end, to)).trim();
  return { ...fault, words: `${name}  ${operator}\n    ${before}\n  → ${after}` };
}

/** As many of each operator as there are, in an order that the seed decides. */
function chosenFaults(all) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const kinds = operators.map((name) => all.filter(({ operator }) => operator === name));
  const chosen = [];
  while (chosen.length < faults && kinds.some((kind) => kind.length > 0))
    for (const kind of kinds)
      if (kind.length > 0 && chosen.length < faults)
        chosen.push(...kind.splice(Math.floor(random() * kind.length), 1));
  return chosen;
}
