/**
 * One contestant at one task, in a process of its own: tells whoever started it when a pass begins, and in the end what
 * was found and how long it took. Started by alone.js, with the job as JSON.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { argv } from 'node:process';
import { CheckingReader, SummingReader } from './readers.js';
import { cpuSeconds, peakBytes } from './usage.js';

/** The faster a contestant, the more often it is measured: what is compiled late comes into its own then. */
const MIN_PASSES = 3;
const MAX_PASSES = 30;
const ENOUGH_SECONDS = 8;

// Whoever started it is gone, however it went.
process.on('disconnect', () => process.exit());

const { module, task, work, check, once } = JSON.parse(argv[2]);
const contestant = await import(`../contestants/${module}`);
// A command of its own measures itself; everybody else is measured from here.
const runTask = contestant.passOf?.(task) ?? passInProcess;
if (work.inMemory) work.documents = work.files.map((file) => readFileSync(file));

const passes = [];
let spent = 0;
do {
  await say({ type: 'pass' });
  const pass = await runTask(work, 'timed');
  passes.push(pass);
  spent += pass.seconds;
} while (!once && !isEnough());

const checked = check === undefined ? {} : await checkedPass();
await say({
  type: 'result',
  name: contestant.name,
  version: contestant.version,
  count: passes[0].count,
  sum: passes[0].sum,
  seconds: least('seconds'),
  cpuSeconds: passes.some(({ isSampled }) => isSampled) ? median('cpuSeconds') : least('cpuSeconds'),
  // Of the first pass: what a program needs that does the work once.
  peakBytes: passes[0].peakBytes,
  passes: passes.length,
  isStable: passes.every(({ count, sum }) => count === passes[0].count && sum === passes[0].sum),
  ...checked,
});
// Connections that are kept alive, and timers of others, are nothing to wait for.
process.exit();

function isEnough() {
  if (passes.length >= MAX_PASSES) return true;
  // The slow show what they can in two passes, the very slow in one.
  const fewest = spent >= 2 * ENOUGH_SECONDS ? 1 : spent >= ENOUGH_SECONDS ? 2 : MIN_PASSES;
  return spent >= ENOUGH_SECONDS && passes.length >= fewest;
}

/** A pass of its own, behind the others: hashing costs more than parsing does, and must not disturb what is timed. */
async function checkedPass() {
  await say({ type: 'pass' });
  if (check.inMemory) check.documents = work.documents;
  const { count, checksum } = await runTask(check, 'checked');
  return { checkedCount: count, checksum };
}

async function passInProcess(given, mode) {
  const reader = mode === 'timed' ? new SummingReader() : new CheckingReader();
  const cpuStart = cpuSeconds();
  const start = performance.now();
  await contestant[task](given, reader);
  return {
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: cpuSeconds() - cpuStart,
    peakBytes: peakBytes(),
    count: reader.count,
    sum: reader.sum,
    checksum: reader.checksum,
  };
}

function least(figure) {
  const figures = passes.map((pass) => pass[figure]).filter((value) => value !== undefined);
  return figures.length === 0 ? undefined : Math.min(...figures);
}

/** Where a figure may be too low as well as too high. */
function median(figure) {
  const figures = passes.map((pass) => pass[figure]).sort((a, b) => a - b);
  return figures[Math.floor(figures.length / 2)];
}

function say(message) {
  return new Promise((resolve, reject) => {
    process.send(message, (error) => (error === null ? resolve() : reject(error)));
  });
}
