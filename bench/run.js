/**
 * Runs the benchmark: every contestant in a process of its own, in turn, on the same bytes, in several rounds; the best
 * of all rounds counts. README.md says why.
 *
 *     node run.js [--rounds 3] [--scenario parse] [--json]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { execPath, exit, platform, stderr, versions } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { documentsOf } from './generate.js';
import { SCENARIOS } from './scenarios.js';
import { tableOf } from './table.js';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    scenario: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const scenarios = SCENARIOS.filter(({ name }) => options.scenario === undefined || name === options.scenario);
if (!Number.isInteger(rounds) || rounds < 1) fail('--rounds takes a number from 1 on.');
if (scenarios.length === 0) {
  fail(`--scenario takes one of: ${SCENARIOS.map(({ name }) => name).join(', ')}.`);
}
checkBuild();

const machine = {
  date: new Date().toISOString().slice(0, 10),
  cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  node: versions.node,
  platform,
};

const results = scenarios.map((scenario) => ({ ...scenario, contestants: measure(scenario) }));
if (options.json) console.log(JSON.stringify({ machine, rounds, scenarios: results }, undefined, 2));
else {
  console.log(
    `${machine.date}, ${machine.cpu}, ${machine.memory}, Node ${machine.node} on ${machine.platform}`,
  );
  for (const { title, contestants } of results) {
    console.log(`\n${title}\n\n${tableOf(contestants)}\n\n${whatWasFound(contestants)}`);
  }
}
const disagreeing = results.filter(({ contestants }) => !agree(contestants));
if (disagreeing.length > 0) {
  fail(`Not the same pages: ${disagreeing.map(({ name }) => name).join(', ')}. The table compares nothing.`);
}

/** The best of each contestant, the first of them being ours. */
function measure({ name, contestants }) {
  // Here rather than in a contestant's process, whose memory is measured.
  documentsOf(name);
  const best = new Map();
  for (let round = 1; round <= rounds; round++) {
    for (const contestant of Object.keys(contestants)) {
      stderr.write(`${name}, round ${round} of ${rounds}: ${contestant}\n`);
      const result = runAlone(name, contestant);
      const before = best.get(contestant);
      best.set(contestant, before === undefined ? result : better(before, result));
    }
  }
  const [ours] = best.values();
  return [...best.values()].map((result) => ({
    ...result,
    pagesPerSecond: result.pages / result.seconds,
    megabytesPerSecond: result.bytes / 1e6 / result.seconds,
    timesOurs: result.seconds / ours.seconds,
    cpuTimesOurs: result.cpuSeconds / ours.cpuSeconds,
  }));
}

function runAlone(scenario, contestant) {
  const script = fileURLToPath(new URL('measure.js', import.meta.url));
  const output = execFileSync(execPath, [script, scenario, contestant], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output);
}

/** The faster of two results; memory is a peak, so the lower of two counts. What was found must not change. */
function better(before, result) {
  const faster = result.seconds < before.seconds ? result : before;
  const checksum = result.checksum === before.checksum ? result.checksum : 'unstable';
  return {
    ...faster,
    checksum,
    cpuSeconds: Math.min(before.cpuSeconds, result.cpuSeconds),
    peakBytes: Math.min(before.peakBytes, result.peakBytes),
  };
}

function whatWasFound(contestants) {
  const found = ({ pages, checksum }) => `${pages.toLocaleString('en')} pages, checksum ${checksum}`;
  if (agree(contestants)) return `All found the same: ${found(contestants[0])}.`;
  return contestants.map((contestant) => `${contestant.name} found ${found(contestant)}.`).join('\n');
}

function agree(contestants) {
  return new Set(contestants.map(({ pages, checksum }) => `${pages} ${checksum}`)).size === 1;
}

function checkBuild() {
  const built = fileURLToPath(new URL('../dist/parse/index.js', import.meta.url));
  if (!existsSync(built)) fail('There is no dist/: run "npm run build" first.');
  const source = fileURLToPath(new URL('../src/parse/', import.meta.url));
  const newest = Math.max(
    ...readdirSync(source, { recursive: true }).map((path) => statSync(join(source, String(path))).mtimeMs),
  );
  if (newest > statSync(built).mtimeMs) {
    stderr.write(
      'Note: src/ is newer than dist/, which is what is measured. "npm run build" brings it up to date.\n',
    );
  }
}

function fail(message) {
  stderr.write(`${message}\n`);
  exit(1);
}
