/**
 * One contestant on one scenario, in a process of its own: prints what it found and how long it took, as JSON.
 *
 *     node measure.js parse ours
 */
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { argv, cpuUsage, resourceUsage, stdout } from 'node:process';
import { documentsOf } from './generate.js';
import { SCENARIOS } from './scenarios.js';

/** The faster a contestant, the more often it is measured: what is compiled late comes into its own then. */
const MIN_PASSES = 3;
const MAX_PASSES = 20;
const ENOUGH_SECONDS = 6;

const [, , scenario, contestantName] = argv;
const { contestants } = SCENARIOS.find(({ name }) => name === scenario);
const contestant = await contestants[contestantName]();
const documents = documentsOf(scenario);
const bytes = documents.reduce((sum, document) => sum + document.length, 0);

// The first pass warms up, and is the one that is checked: hashing would cost more than parsing does.
const { pages, checksum } = await check();
const passes = [];
let spent = 0;
while (passes.length < MIN_PASSES || (passes.length < MAX_PASSES && spent < ENOUGH_SECONDS)) {
  const pass = await timedPass();
  passes.push(pass);
  spent += pass.seconds;
}

stdout.write(
  JSON.stringify({
    name: contestant.name,
    version: contestant.version,
    pages,
    checksum,
    bytes,
    seconds: Math.min(...passes.map(({ seconds }) => seconds)),
    cpuSeconds: Math.min(...passes.map(({ cpuSeconds }) => cpuSeconds)),
    passes: passes.length,
    peakBytes: resourceUsage().maxRSS * 1024,
  }),
);

async function check() {
  const hash = createHash('sha256');
  let count = 0;
  await contestant[scenario](documents, (url, lastModified, priority, changeFrequency) => {
    count++;
    hash.update(`${url}\t${lastModified?.getTime()}\t${priority}\t${changeFrequency}\n`);
  });
  return { pages: count, checksum: hash.digest('hex').slice(0, 16) };
}

async function timedPass() {
  let count = 0;
  let sum = 0;
  const cpuStart = cpuUsage();
  const start = performance.now();
  await contestant[scenario](documents, (url, lastModified, priority, changeFrequency) => {
    count++;
    // Every value is used, so that none can be left unmade.
    sum += url.length + (lastModified?.getTime() ?? 0) + priority + (changeFrequency?.length ?? 0);
  });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = cpuUsage(cpuStart);
  if (count !== pages || Number.isNaN(sum))
    throw new Error(`${contestantName} found ${count} pages, then ${pages}.`);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}
