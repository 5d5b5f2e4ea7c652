/** A tree that is saved and loaded again: what each step takes, as a ratio to fetching and walking the site. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stderr } from 'node:process';
import { documentsOf } from '../documents/store.js';
import { archiveAlone } from '../measure/alone.js';
import { withSites } from '../site-server.js';

/** The best of all rounds for each step; the highest memory. */
export async function measureArchive({ name, set, steps }, rounds) {
  const documents = documentsOf(set);
  const folder = mkdtempSync(join(tmpdir(), 'usp-bench-'));
  const disagreements = [];
  const [seconds, peaks] = [new Map(), new Map()];
  const note = (result) => {
    if (result.failure !== undefined) throw new Error(`${name} failed: ${result.failure}`);
    if (result.pages !== documents.pages) {
      disagreements.push(`${result.pages} pages were found of ${documents.pages}.`);
    }
    for (const [step, time] of Object.entries(result.seconds)) {
      seconds.set(step, Math.min(seconds.get(step) ?? Number.POSITIVE_INFINITY, time));
      const peak = step === 'load' ? result.loadPeak : result.peakBytes;
      peaks.set(step, Math.max(peaks.get(step) ?? 0, peak));
    }
  };
  let bytes = 0;
  try {
    await withSites([documents], async ([homepage]) => {
      for (let round = 1; round <= rounds; round++) {
        stderr.write(`${name}, round ${round} of ${rounds}\n`);
        const file = join(folder, 'site.warc.gz');
        note(await archiveAlone({ half: 'make', homepage, file }));
        bytes = statSync(file).size;
        note(await archiveAlone({ half: 'load', file }));
      }
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
  const whole = seconds.get('fetch') + seconds.get('walk');
  const contestants = steps.map(({ id, label, versus }) => ({
    ...{ id, label, seconds: seconds.get(id), peakBytes: peaks.get(id) },
    timesOurs: seconds.get(id) / (versus === undefined ? whole : seconds.get(versus)),
  }));
  return { contestants, disagreements, bytes };
}
