/** The differences of two archives: what they take, as a ratio to walking both trees. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentsOf } from '../documents/store.js';
import { passAlone } from '../measure/processes.js';
import { takeTurns } from '../measure/turns.js';
import { withSites } from '../site-server.js';

export async function measureDiff({ name, set, contestants }, rounds) {
  const { files } = documentsOf({ ...set, count: set.count * 2 });
  const [documents, others] = [files.slice(0, set.count), files.slice(set.count)];
  const pages = set.entries * set.count;
  const folder = mkdtempSync(join(tmpdir(), 'usp-bench-'));
  const archive = (version) => join(folder, `${version}.warc.gz`);
  const expected = {
    walk: { pages: 2 * pages },
    'walk-async': { pages: 2 * pages },
    listed: {
      changes: set.count,
      counts: { added: set.count, removed: 0, changed: 0, same: pages, unknown: 0 },
    },
    others: { changes: 2 * pages, counts: { added: pages, removed: pages, changed: 0, same: 0, unknown: 0 } },
  };
  try {
    await withSites([{ files: documents, others }], async ([homepage], server) => {
      const save = (version) =>
        passAlone({ module: 'our-archive.js', task: 'first', work: { homepage, file: archive(version) } });
      await save('first');
      await server('change-all');
      await save('listed');
      await server('replace');
      await save('others');
    });
    const jobs = contestants.map(({ task, second, ...more }) => ({
      ...more,
      job: { module: 'our-archive.js', task, work: { files: ['first', second].map(archive) } },
    }));
    const results = await takeTurns(name, jobs, rounds);
    return {
      contestants: results.map(({ name: _, ...result }) => result),
      disagreements: results.flatMap(({ id, found, failure }) => {
        const [is, should] = [found, expected[id]].map((all) => JSON.stringify(all));
        return is === should ? [] : [`${id}: ${failure ?? is} rather than ${should}.`];
      }),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
