/** Commands from the start of their process to its end, in turns, many times, each beside one of ours. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { execPath, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';
import { documentsOf } from '../documents/store.js';
import { MAX_PASS_SECONDS } from '../measure/processes.js';
import { medianOf, spreadOf } from '../measure/spread.js';
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
  const runs = await withSites([documents], async ([homepage]) => {
    const made = present.map((contestant) => ({ contestant, own: [], ours: [] }));
    const [ours, ...others] = made;
    const run = ({ contestant }) => runOnce(commandOf(contestant, name === 'ls' ? homepage : undefined));
    // One that does not count: files are read from the disk for the first time.
    for (const each of made) await run(each);
    for (let turn = 1; turn <= RUNS * rounds; turn++) {
      for (const each of turn % 2 === 0 ? [...others].reverse() : others) {
        const pair = turn % 2 === 0 ? [each, ours] : [ours, each];
        for (const who of pair) (who === each ? each.own : each.ours).push(await run(who));
      }
    }
    ours.own.push(...others[0].ours);
    stderr.write(`${name}: ${RUNS * rounds} turns\n`);
    return made;
  });
  const results = runs.map(({ contestant, own, ours }) => {
    const figures = (figure) => own.map(({ [figure]: value }) => value);
    const ratios = (figure) => ours.map((reference, turn) => own[turn][figure] / reference[figure]);
    return {
      ...contestant,
      output: own[0].output,
      seconds: medianOf(figures('seconds')),
      cpuSeconds: medianOf(figures('cpuSeconds')),
      peakBytes: medianOf(figures('peakBytes')),
      timesOurs: spreadOf(ratios('seconds')),
      cpuTimesOurs: spreadOf(ratios('cpuSeconds')),
    };
  });
  return {
    contestants: results,
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
