/**
 * A tree that is saved and loaded again, and a site that is read again: what each step takes, as a ratio to another step
 * of the same round.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stderr } from 'node:process';
import { documentsOf } from '../documents/store.js';
import { startContestant } from '../measure/processes.js';
import { medianOf, spreadOf } from '../measure/spread.js';
import { withSites } from '../site-server.js';

/** Fetch, walk, save; load, walk. Compared with fetching and walking. */
export function measureArchive(scenario, rounds) {
  return inRounds(scenario, rounds, async (run) => {
    const { steps: made } = await run('make');
    const { steps: loaded } = await run('load');
    const sum = (figure) => made.fetch[figure] + made.walk[figure];
    return {
      ...made,
      ...loaded,
      whole: { seconds: sum('seconds'), cpuSeconds: sum('cpuSeconds') },
    };
  });
}

/** Read a site, and read it again with nothing and with one document changed. Compared with the first read. */
export function measureUpdate(scenario, rounds) {
  return inRounds(scenario, rounds, async (run, server, disagree) => {
    const received = async (task) => {
      const { bytes: before } = await server();
      const { steps, found } = await run(task);
      const { bytes } = await server();
      return { ...steps, found, read: { ...steps.read, bytes: bytes - before } };
    };
    const again = async (id, expected) => {
      const { read, diff, save, found } = await received('again');
      if (found.added !== expected) disagree(`${id}: ${found.added} pages added, not ${expected}.`);
      return { [id]: read, [`${id}-diff`]: diff, [`${id}-save`]: save };
    };
    const first = await received('first');
    const living = await run('living');
    const unchanged = await again('unchanged', 0);
    await server('change');
    return { first: first.read, living: living.steps.read, ...unchanged, ...(await again('one', 1)) };
  });
}

async function inRounds({ name, set, steps }, rounds, round) {
  const documents = documentsOf(set);
  const folder = mkdtempSync(join(tmpdir(), 'usp-bench-'));
  const file = join(folder, 'site.warc.gz');
  const living = new Map();
  const disagreements = [];
  const made = [];
  try {
    await withSites([documents], async ([homepage], server) => {
      const run = async (task) => {
        const work = { homepage, file };
        if (!living.has(task)) living.set(task, startContestant({ module: 'our-archive.js', task, work }));
        const result = await living.get(task).pass();
        if (result.failure !== undefined) throw new Error(`${name} failed: ${result.failure}`);
        if (result.count > 0 && result.count !== documents.pages) {
          disagreements.push(`${result.count} pages were found of ${documents.pages}.`);
        }
        return result;
      };
      for (let number = 1; number <= rounds; number++) {
        stderr.write(`${name}, round ${number} of ${rounds}\n`);
        made.push(await round(run, server, (sentence) => disagreements.push(sentence)));
      }
    });
  } finally {
    for (const each of living.values()) each.end();
    rmSync(folder, { recursive: true });
  }
  const contestants = steps.map(({ id, label, versus }) => {
    const figures = (name) => made.map(({ [id]: step }) => step[name]);
    const ratios = (name) => made.map((all) => all[id][name] / all[versus][name]);
    return {
      ...{ id, label, seconds: medianOf(figures('seconds')), cpuSeconds: medianOf(figures('cpuSeconds')) },
      peakBytes: Math.max(...figures('peakBytes')),
      bytes: figures('bytes').at(-1),
      timesOurs: spreadOf(ratios('seconds')),
      cpuTimesOurs: spreadOf(ratios('cpuSeconds')),
    };
  });
  return { contestants, disagreements };
}
