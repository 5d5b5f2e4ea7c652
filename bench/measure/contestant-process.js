/**
 * One contestant at one task, in a process of its own: makes a pass for each message, and says what was found and what
 * it took. Started by processes.js, with the job as JSON.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { argv } from 'node:process';
import { CheckingReader, SummingReader } from './readers.js';
import { cpuSeconds, peakBytes } from './usage.js';

// Whoever started it is gone, however it went.
process.on('disconnect', () => process.exit());

const { module, task, work } = JSON.parse(argv[2]);
// What arrives while it is loaded is not lost.
const loaded = load();
let before = loaded;

process.on('message', (request) => {
  before = before.then(() => answer(request));
});

async function load() {
  const contestant = await import(`../contestants/${module}`);
  if (work.inMemory) work.documents = work.files.map((file) => readFileSync(file));
  return contestant;
}

/** On a busy machine, warming up may take so many times as long. */
const MOST_PATIENCE = 10;

/**
 * With `warmSeconds`, one pass after another until so much processor time was used, since a busy machine compiles no
 * sooner; the last one is the answer, and the memory of the first.
 */
async function answer({ mode = 'timed', work: given = work, warmSeconds = 0 }) {
  const contestant = await loaded;
  // A command of its own measures itself; everybody else is measured from here.
  const run = contestant.passOf?.(task) ?? passInProcess;
  const { name, version } = contestant;
  if (given.inMemory) given.documents = work.documents;
  try {
    const isCommand = run !== passInProcess;
    const [cpuUntil, until] = [cpuSeconds() + warmSeconds, performance.now() + warmSeconds * 1000];
    const latest = isCommand ? until : until + warmSeconds * 1000 * (MOST_PATIENCE - 1);
    const first = await run(given, mode);
    let last = first;
    while (performance.now() < latest && cpuSeconds() < cpuUntil) last = await run(given, mode);
    process.send({ type: 'result', name, version, ...last, peakBytes: first.peakBytes });
  } catch (error) {
    process.send({ type: 'result', name, version, failure: `${error}`.split('\n')[0].slice(0, 100) });
  }
}

/** `prepare` is not timed. What a task returns is a part of its result: a `note`, or what was `found` besides pages. */
async function passInProcess(given, mode) {
  const { [task]: run, prepare } = await loaded;
  prepare?.(given);
  const reader = mode === 'timed' ? new SummingReader() : new CheckingReader();
  const cpuStart = cpuSeconds();
  const start = performance.now();
  const more = await run(given, reader);
  return {
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: cpuSeconds() - cpuStart,
    peakBytes: peakBytes(),
    count: reader.count,
    sum: reader.sum,
    checksum: reader.checksum,
    ...more,
  };
}
