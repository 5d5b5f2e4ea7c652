/** How much memory one pass over a site takes, by the number of its sitemaps: flat, or it is not constant. */
import { stderr } from 'node:process';
import { documentsOf } from '../documents/store.js';
import { passAlone } from '../measure/processes.js';
import { withSites } from '../site-server.js';

/** For each contestant its peaks, one for each count. */
export async function measureMemory({ name, counts, set, contestants }, rounds) {
  const sizes = counts.map((count) => ({
    count,
    plain: documentsOf(set(count)),
    gzip: documentsOf({ ...set(count), gzip: true }),
  }));
  const disagreements = [];
  const sites = sizes.flatMap(({ plain, gzip }) => [plain, gzip]);
  const results = await withSites(sites, async (homepages) => {
    const peaks = new Map(contestants.map((contestant) => [contestant, counts.map(() => 0)]));
    for (let round = 1; round <= rounds; round++) {
      for (const contestant of contestants) {
        for (const [index, { count, plain }] of sizes.entries()) {
          stderr.write(`${name}, round ${round} of ${rounds}: ${contestant.id}, ${count}\n`);
          const homepage = homepages[2 * index + (contestant.gzip ? 1 : 0)];
          const { module, task } = contestant;
          const result = await passAlone({ module, task, work: { homepage } });
          if (result.failure !== undefined) throw new Error(`${contestant.id} failed: ${result.failure}`);
          if (result.count !== plain.pages) {
            disagreements.push(`${contestant.id} found ${result.count} pages of ${plain.pages}.`);
          }
          // The highest, other than elsewhere: what is said about memory is a promise.
          const peaksOf = peaks.get(contestant);
          peaksOf[index] = Math.max(peaksOf[index], result.peakBytes);
        }
      }
    }
    return contestants.map((contestant) => ({ ...contestant, peaks: peaks.get(contestant) }));
  });
  return { contestants: results.map(withGrowth), disagreements, counts };
}

/** From the second size to the third: at one sitemap Node is still growing into its work. */
function withGrowth(result) {
  const [first, second = first, third = second] = result.peaks;
  return { ...result, growth: third / second };
}
