/**
 * `npm run mutate`: do the tests of a room notice a fault in it? Plants one fault at a time in the compiled modules of a
 * room, runs the tests that mirror it, and prints the share that was found and the faults that were not.
 *
 *     node scripts/mutate.js parse robots [--faults 30] [--seed 1] [--seconds 120] [--only 3,17] [--heavy]
 *
 * or `all` for every room; with `--only` some of the faults, by their numbers; with `--heavy` the tests that `npm test`
 * leaves out run too
 *
 * It works in a copy of the project, so the checkout is never changed. A fault counts as found if a test fails, or if
 * the tests do not end within `--seconds`. The tests of the file's own name run first, then those of the room.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createScanner } from 'typescript/unstable/ast/scanner';
import { readArguments } from './arguments.js';

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

const PAIRS = ['< <=', '> >=', '=== !==', '&& ||', '++ --', '+= -=', 'true false'].map((pair) =>
  pair.split(' '),
);
const FLIPPED = new Map(
  PAIRS.flatMap(([one, other]) => [
    [one, other],
    [other, one],
  ]),
);
/** Calls that end something: what is forgotten here leaks, or goes on. */
const ENDINGS =
  /\b(?:close|end|cancel|clear|clearTimeout|delete|destroy|dispose|abort|release|unlink|rm|stop|removeListener|off)\($/;
/** A statement that begins with one of these declares, returns or branches: it cannot be dropped. */
const NOT_DROPPED =
  /^(?:const|let|var|function|class|return|throw|if|else|for|while|do|switch|case|default|break|continue|try|catch|finally|import|export|async|static|get|set|super|yield)$/;

const { positionals, values } = readArguments(import.meta.url, {
  allowPositionals: true,
  options: {
    faults: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '120' },
    only: { type: 'string' },
    heavy: { type: 'boolean', default: false },
  },
});
const [faults, seed, seconds] = [values.faults, values.seed, values.seconds].map(Number);
const only = values.only?.split(',').map(Number);
const rooms = positionals.includes('all') ? await allRooms() : positionals;
if (rooms.length === 0) {
  console.error(`Name rooms of src/, or all: ${(await allRooms()).join(' ')}`);
  process.exit(2);
}

const copy = await mkdtemp(join(tmpdir(), 'usp-mutate-'));
let running;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, async () => {
    stop(running);
    await rm(copy, { recursive: true, force: true, maxRetries: 5 });
    process.exit(1);
  });
try {
  await cp(ROOT, copy, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !NOT_COPIED.has(basename(path)),
  });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  const rows = ['\n| Room | Faults | Found | Share |', '| --- | ---: | ---: | ---: |'];
  for (const room of rooms) rows.push(await roomRow(room));
  console.log(rows.join('\n'));
} finally {
  await rm(copy, { recursive: true, force: true });
}

async function allRooms() {
  const entries = await readdir(join(ROOT, 'src'), { withFileTypes: true });
  return ['.', ...entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)];
}

/** Plants the faults of a room one by one: its row of the table. */
async function roomRow(room) {
  const tests = TESTS[room] ?? [`test/${room}/`];
  if ((await endingOf(VITEST, tests)) !== 'survived')
    throw new Error(`The tests of ${room} fail or are too slow before a fault is planted.`);
  let found = 0;
  // The first run has built what was old.
  const numbered = chosenFaults(await faultsOf(room)).map((fault, at) => ({ ...fault, number: at + 1 }));
  const chosen = numbered.filter(({ number }) => only?.includes(number) ?? true);
  for (const fault of chosen) {
    const result = await endingWith(fault, tests, STARTED.has(room));
    if (result !== 'survived') found++;
    if (result !== 'found') console.log(`${result}  ${fault.number}  ${fault.words}`);
  }
  if (STARTED.has(room) && chosen.length > 0) await bundle(chosen[0].name);
  const share = chosen.length === 0 ? '' : `${Math.round((100 * found) / chosen.length)} %`;
  return `| ${room} | ${chosen.length} | ${found} | ${share} |`;
}

async function endingWith({ file, name, text, start, end, replacement, own }, tests, isStarted) {
  const path = join(copy, file);
  await writeFile(path, text.slice(0, start) + replacement + text.slice(end));
  try {
    if (isStarted && (await bundle(name)) !== 'survived') return 'found';
    if (!existsSync(join(copy, own))) return await endingOf(VITEST, tests);
    const ending = await endingOf(VITEST, [own]);
    return ending === 'survived' ? await endingOf(VITEST, [...tests, '--exclude', own]) : ending;
  } finally {
    await writeFile(path, text);
  }
}

/** Bundles dist/, with what .build/ has of a source. */
function bundle(source) {
  return endingOf(['scripts/build.js'], ['--as-compiled', source]);
}

/** What becomes of a fault in the tests. */
function endingOf(script, args) {
  const child = spawn(process.execPath, [...script, ...args], {
    cwd: copy,
    stdio: 'ignore',
    detached: process.platform !== 'win32',
    env: { ...process.env, TEST_HEAVY: values.heavy ? 'yes' : 'no' },
  });
  running = child;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => stop(child), seconds * 1000);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve(code === 0 ? 'survived' : signal === null ? 'found' : 'too slow');
    });
  });
}

/** Ends the tests and the processes that they started. */
function stop(child) {
  if (child?.exitCode !== null) return;
  if (process.platform === 'win32') child.kill();
  else process.kill(-child.pid, 'SIGKILL');
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
    for (const fault of faultsIn(tokensOf(text), text)) all.push(described({ ...place, ...fault }));
  }
  return all;
}

/** The line with the fault, before and after, for people. */
function described(fault) {
  const { text, start, end, replacement, name, kind } = fault;
  const from = text.lastIndexOf('\n', start) + 1;
  const to = text.indexOf('\n', end);
  const before = text.slice(from, to).trim();
  const after = (text.slice(from, start) + replacement + text.slice(end, to)).trim();
  return { ...fault, words: `${name}  ${kind}\n    ${before}\n  → ${after}` };
}

/** The tokens of a module: { text, start, end }. */
function tokensOf(source) {
  const scanner = createScanner(99, true);
  scanner.setText(source);
  const tokens = [];
  const templates = [];
  for (;;) {
    scanner.scan();
    if (scanner.getTokenStart() >= source.length) return tokens;
    let text = scanner.getTokenText();
    // Which of two meanings a character has is the parser's to say: a regular expression, the rest of a template.
    if ((text === '/' || text === '/=') && !/^(?:[\w$#]+|[)\]}]|["'`].*)$/s.test(tokens.at(-1)?.text ?? '')) {
      scanner.reScanSlashToken();
      text = scanner.getTokenText();
    } else if (text === '>') {
      scanner.reScanGreaterToken();
      text = scanner.getTokenText();
    } else if (text === '{') templates.push(false);
    else if (text === '}' && templates.pop()) {
      scanner.reScanTemplateToken(false);
      text = scanner.getTokenText();
    }
    if (/^[`}].*\$\{$/s.test(text)) templates.push(true);
    tokens.push({ text, start: scanner.getTokenStart(), end: scanner.getTokenEnd() });
  }
}

function* faultsIn(tokens, source) {
  for (const [at, token] of tokens.entries()) {
    const { text, start, end } = token;
    const before = tokens[at - 1]?.text ?? ';';
    if (FLIPPED.has(text)) yield { kind: 'flipped', start, end, replacement: FLIPPED.get(text) };
    else if (/^\d[\d_]*$/.test(text))
      yield { kind: 'off by one', start, end, replacement: String(Number(text.replaceAll('_', '')) + 1) };
    else if (text === 'await' && tokens[at + 1]?.text !== 'using' && before !== 'for')
      yield { kind: 'missing await', start, end, replacement: '' };
    else if (text === '(' && /^[\w$#]+$/.test(before)) {
      const swapped = swappedArguments(tokens, at, source);
      if (swapped !== undefined) yield swapped;
    }
    if (/^[;{}]$/.test(before) && /^[\w$#]+$/.test(text) && !NOT_DROPPED.test(text)) {
      const dropped = droppedStatement(tokens, at);
      if (dropped !== undefined) yield dropped;
    }
  }
}

/** The end of what opens at a token, or of the statement or argument that begins there: the index of what follows. */
function endOf(tokens, from, isEnd) {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const { text } = tokens[at];
    if (depth === 0 && isEnd(text)) return at;
    if (/^[([{]$/.test(text) || /^`.*\$\{$/s.test(text)) depth++;
    else if (/^[)\]}]$/.test(text) || /^\}.*`$/s.test(text)) depth--;
    if (depth < 0) return -1;
  }
  return -1;
}

/** Whether a statement is a field of a class: without a private one the module does not load, which is no fault. */
function isField(tokens, at) {
  let open = at - 1;
  for (let depth = 0; open >= 0; open--) {
    const { text } = tokens[open];
    if (/^[)\]}]$/.test(text) || /^\}.*`$/s.test(text)) depth++;
    else if (/^[([{]$/.test(text) || /^`.*\$\{$/s.test(text)) depth--;
    if (depth < 0) break;
  }
  const head = tokens.slice(Math.max(open - 4, 0), Math.max(open, 0)).map(({ text }) => text);
  return head.at(-1) === 'class' || head.at(-2) === 'class' || head.includes('extends');
}

/** A call or an assignment that stands alone, up to its semicolon. */
function droppedStatement(tokens, at) {
  if (isField(tokens, at)) return undefined;
  const last = endOf(tokens, at, (text) => text === ';');
  const inside = tokens.slice(at, last).map(({ text }) => text);
  if (last === -1 || inside.length < 3 || inside[1] === ':' || !inside.some((text) => /^\(|=$/.test(text)))
    return undefined;
  const call = inside.slice(0, inside.indexOf('(') + 1).join('');
  const kind = ENDINGS.test(call) ? 'forgotten end' : 'dropped statement';
  return { kind, start: tokens[at].start, end: tokens[last].end, replacement: ';' };
}

/** The first two arguments of a call, exchanged. */
function swappedArguments(tokens, open, source) {
  if (tokens[open - 2]?.text === 'function') return undefined;
  const comma = endOf(tokens, open + 1, (text) => text === ',');
  const close = endOf(tokens, open + 1, (text) => text === ')');
  if (comma === -1 || close === -1 || comma > close || tokens[close + 1]?.text === '{') return undefined;
  const second = endOf(tokens, comma + 1, (text) => text === ',' || text === ')');
  if (second === -1) return undefined;
  const [first, other] = [tokens.slice(open + 1, comma), tokens.slice(comma + 1, second)];
  if (first.length === 0 || other.length === 0) return undefined;
  const written = (part) => source.slice(part[0].start, part.at(-1).end);
  const replacement = `${written(other)}, ${written(first)}`;
  return { kind: 'swapped arguments', start: first[0].start, end: other.at(-1).end, replacement };
}

/** As many of each kind as there are, in an order that the seed decides. */
function chosenFaults(all) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const ofKind = (wanted) => all.filter(({ kind }) => kind === wanted);
  const kinds = [...new Set(all.map(({ kind }) => kind))].map(ofKind);
  const chosen = [];
  while (chosen.length < faults && kinds.some((kind) => kind.length > 0))
    for (const kind of kinds)
      if (kind.length > 0 && chosen.length < faults)
        chosen.push(...kind.splice(Math.floor(random() * kind.length), 1));
  return chosen;
}
