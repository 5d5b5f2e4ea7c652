/**
 * One contestant on documents in memory, for a profiler to look at: ten passes, each with its time.
 *
 *     node --cpu-prof measure/profile.js ours pages urlset 50000 4
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { argv } from 'node:process';
import { documentsOf } from '../documents/store.js';
import { SummingReader } from './readers.js';

const PASSES = 10;

const [, , module, task, format, entries, count] = argv;
const { files } = documentsOf({ format, entries: Number(entries), count: Number(count) });
const documents = files.map((file) => readFileSync(file));
const contestant = await import(`../contestants/${module}.js`);
for (let pass = 1; pass <= PASSES; pass++) {
  const reader = new SummingReader();
  const start = performance.now();
  await contestant[task]({ documents }, reader);
  console.log(`${(performance.now() - start).toFixed(1)} ms, ${reader.count} pages`);
}
