/** The differences of two archives: what they take, as a ratio to walking both trees. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stderr } from 'node:process';
import { documentsOf } from '../documents/store.js';
import { diffAlone } from '../measure/alone.js';
import { withSites } from '../site-server.js';

/** The best of all rounds for each step; the highest memory. */
export async function measureDiff({ name, set, steps }, rounds) {
  const { files } = documentsOf({ ...set, count: set.count * 2 });
  const [documents, others] = [files.slice(0, set.count), files.slice(set.count)];
  const pages = set.entries * set.count;
  const folder = mkdtempSync(join(tmpdir(), 'usp-bench-'));
  const archive = (version) => join(folder, `${version}.warc.gz`);
  const run = async (job) => {
    const result = await diffAlone(job);
    if (result.failure !== undefined) throw new Error(`${name} failed: ${result.failure}`);
    return result;
  };
  const expected = {
    walk: { pages: 2 * pages },
    'walk-async': { pages: 2 * pages },
    listed: {
      changes: set.count,
      counts: { added: set.count, removed: 0, changed: 0, same: pages, unknown: 0 },
    },
    others: { changes: 2 * pages, counts: { added: pages, removed: pages, changed: 0, same: 0, unknown: 0 } },
  };
  const jobs = {
    walk: { part: 'walk', files: ['first', 'others'].map(archive) },
    'walk-async': { part: 'walk-async', files: ['first', 'others'].map(archive) },
    listed: { part: 'diff', files: ['first', 'listed'].map(archive) },
    others: { part: 'diff', files: ['first', 'others'].map(archive) },
  };
  const disagreements = [];
  const figures = new Map();
  try {
    await withSites([{ files: documents, others }], async ([homepage], server) => {
      const save = (version) => run({ part: 'save', homepage, files: [archive(version)] });
      await save('first');
      await server('change-all');
      await save('listed');
      await server('replace');
      await save('others');
    });
    for (let round = 1; round <= rounds; round++) {
      stderr.write(`${name}, round ${round} of ${rounds}\n`);
      for (const { id } of steps) {
        const { seconds, cpuSeconds, peakBytes, type: _, ...found } = await run(jobs[id]);
        const [is, should] = [found, expected[id]].map((all) => JSON.stringify(all));
        if (is !== should) disagreements.push(`${id}: ${is} rather than ${should}.`);
        const known = figures.get(id);
        figures.set(id, {
          seconds: Math.min(seconds, known?.seconds ?? seconds),
          cpuSeconds: Math.min(cpuSeconds, known?.cpuSeconds ?? cpuSeconds),
          peakBytes: Math.max(peakBytes, known?.peakBytes ?? 0),
        });
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const whole = figures.get('walk');
  const contestants = steps.map(({ id, label }) => {
    const figure = figures.get(id);
    return {
      ...{ id, label, ...figure },
      timesOurs: figure.seconds / whole.seconds,
      cpuTimesOurs: figure.cpuSeconds / whole.cpuSeconds,
    };
  });
  return { contestants, disagreements };
}
