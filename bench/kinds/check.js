/** A check with all rules, as a ratio to reading and walking the same site. */
import { stderr } from 'node:process';
import { documentsOf } from '../documents/store.js';
import { checkAlone } from '../measure/alone.js';

/** The best of all rounds for each; the highest memory. */
export async function measureCheck({ name, set, steps }, rounds) {
  const documents = documentsOf(set);
  const best = new Map();
  const disagreements = [];
  for (let round = 1; round <= rounds; round++) {
    for (const { id } of steps) {
      stderr.write(`${name}, round ${round} of ${rounds}: ${id}\n`);
      const result = await checkAlone({ half: id, files: documents.files });
      if (result.failure !== undefined) throw new Error(`${name} failed: ${result.failure}`);
      if (result.pages !== documents.pages) {
        disagreements.push(`${result.pages} pages were found of ${documents.pages}.`);
      }
      const before = best.get(id) ?? { seconds: Number.POSITIVE_INFINITY, peakBytes: 0 };
      best.set(id, {
        ...result,
        seconds: Math.min(before.seconds, result.seconds),
        peakBytes: Math.max(before.peakBytes, result.peakBytes),
      });
    }
  }
  const walk = best.get('walk').seconds;
  const contestants = steps.map(({ id, label }) => {
    const { seconds, peakBytes, findings, cpuSeconds } = best.get(id);
    const note = `${cpuSeconds.toFixed(1)} s of processor time${findings === undefined ? '' : `; findings: ${findings}`}`;
    return { id, label, seconds, peakBytes, timesOurs: seconds / walk, note };
  });
  return { contestants, disagreements };
}
