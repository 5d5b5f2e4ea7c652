/** Commands from the start of their process to its end, in turn, many times: the best counts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { execPath, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';
import { documentsOf } from '../documents/store.js';
import { MAX_PASS_SECONDS } from '../measure/alone.js';
import { isHere } from '../requirements.js';
import { withSites } from '../site-server.js';

/** Of everybody, in each round. */
const RUNS = 10;

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const USP = path('../../dist/cli/main.js');
const PROGRAM = path('start-up-program.js');
const PYTHON_PROGRAM = path('../contestants/python_usp.py');
/** A process that tells what it used when it ends; loading this takes less than a millisecond. */
const USAGE_HOOK = path('start-up-usage.cjs');
const PAGE = /<loc>(.*)<\/loc>/;

export async function measureStartUp({ name, contestants }, rounds) {
  const documents = documentsOf({ format: 'urlset', entries: 1, count: 1 });
  const [, url] = PAGE.exec(readFileSync(documents.files[0], 'utf8'));
  const { version } = JSON.parse(readFileSync(path('../../package.json'), 'utf8'));
  const expected = name === 'ls' ? url : version;
  const present = contestants.filter(isHere);
  const results = await withSites([documents], async ([homepage]) => {
    const best = new Map();
    for (let run = 1; run <= RUNS * rounds; run++) {
      for (const contestant of present) {
        const result = await runOnce(commandOf(contestant, name === 'ls' ? homepage : undefined));
        best.set(contestant, better(best.get(contestant), result));
      }
    }
    stderr.write(`${name}: ${RUNS * rounds} runs\n`);
    return present.map((contestant) => ({ ...contestant, ...best.get(contestant) }));
  });
  const [ours] = results;
  return {
    contestants: results.map((result) => ({
      ...result,
      timesOurs: result.seconds / ours.seconds,
      cpuTimesOurs: result.cpuSeconds / ours.cpuSeconds,
    })),
    absent: contestants.filter((contestant) => !isHere(contestant)).map(({ id }) => id),
    disagreements: results
      .filter(({ output, program }) => output.trim() !== (program === 'empty' ? '' : expected))
      .map(({ label, output }) => `${label} printed ${JSON.stringify(output.slice(0, 100))}.`),
  };
}

function commandOf({ usp, program, python }, homepage) {
  const site = homepage === undefined ? [] : [homepage];
  if (python !== undefined) return ['python3', [PYTHON_PROGRAM, python, ...site]];
  const node = ['--require', USAGE_HOOK];
  if (usp !== undefined) return [execPath, [...node, USP, ...usp, ...site]];
  return [execPath, [...node, PROGRAM, program, ...site]];
}

async function runOnce([command, args]) {
  const start = performance.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    timeout: MAX_PASS_SECONDS * 1000,
    killSignal: 'SIGKILL',
  });
  const [stdout, usage] = [child.stdout, child.stdio[3]].map((stream) => {
    const chunks = [];
    stream.on('data', (chunk) => chunks.push(chunk));
    return chunks;
  });
  await once(child, 'close');
  const seconds = (performance.now() - start) / 1000;
  const used = usage.length === 0 ? {} : JSON.parse(Buffer.concat(usage).toString());
  return { seconds, output: Buffer.concat(stdout).toString(), ...used };
}

function better(before, result) {
  if (before === undefined) return result;
  return {
    ...(result.seconds < before.seconds ? result : before),
    cpuSeconds: Math.min(before.cpuSeconds, result.cpuSeconds),
    peakBytes: Math.min(before.peakBytes, result.peakBytes),
  };
}
