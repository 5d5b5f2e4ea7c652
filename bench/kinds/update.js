/**
 * A site that is read again: what each step takes, as a ratio to reading it for the first time, and the bytes received.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stderr } from 'node:process';
import { documentsOf } from '../documents/store.js';
import { updateAlone } from '../measure/alone.js';
import { withSites } from '../site-server.js';

/** The best of all rounds for each step; the highest memory. */
export async function measureUpdate({ name, set, steps }, rounds) {
  const documents = documentsOf(set);
  const folder = mkdtempSync(join(tmpdir(), 'usp-bench-'));
  const disagreements = [];
  const figures = new Map(steps.map(({ id }) => [id, { seconds: Number.POSITIVE_INFINITY, peakBytes: 0 }]));
  const note = (id, seconds, peakBytes, bytes) => {
    const known = figures.get(id);
    known.seconds = Math.min(known.seconds, seconds);
    known.peakBytes = Math.max(known.peakBytes, peakBytes);
    if (bytes !== undefined) known.bytes = bytes;
  };
  try {
    await withSites([documents], async ([homepage], server) => {
      const file = join(folder, 'site.warc.gz');
      const run = async (half, id, expected) => {
        const { bytes: before } = await server();
        const result = await updateAlone({ half, homepage, file });
        if (result.failure !== undefined) throw new Error(`${name} failed: ${result.failure}`);
        const { bytes } = await server();
        const received = half === 'living' ? undefined : bytes - before;
        const { seconds, peaks, counts } = result;
        note(id, seconds.read, peaks.read, received);
        if (counts === undefined) return;
        note(`${id}-diff`, seconds.diff, peaks.diff);
        note(`${id}-save`, seconds.save, peaks.save);
        if (counts.added !== expected)
          disagreements.push(`${id}: ${counts.added} pages added, not ${expected}.`);
      };
      for (let round = 1; round <= rounds; round++) {
        stderr.write(`${name}, round ${round} of ${rounds}\n`);
        await run('first', 'first');
        await run('living', 'living');
        await run('again', 'unchanged', 0);
        await server('change');
        await run('again', 'one', 1);
      }
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
  const first = figures.get('first').seconds;
  const contestants = steps.map(({ id, label }) => {
    const { seconds, peakBytes, bytes } = figures.get(id);
    return { id, label, seconds, peakBytes, bytes, timesOurs: first / seconds };
  });
  return { contestants, disagreements };
}
