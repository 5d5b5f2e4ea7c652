/** Scenarios in which everybody must find the same pages, in memory, in files or over HTTP, and the time counts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentsOf } from '../documents/store.js';
import { takeTurns } from '../measure/turns.js';
import { isHere } from '../requirements.js';
import { withSites } from '../site-server.js';

/** What everybody took, and who found something else than we did. */
export async function measurePages(scenario, rounds) {
  const { name, set, delayMs, checkedCount = set.count, contestants } = scenario;
  const documents =
    set.tiny === undefined ? documentsOf(set) : { ...set, files: [], pages: set.tiny, bytes: 0 };
  const checked = set.tiny === undefined ? documentsOf({ ...set, count: checkedCount }) : documents;
  const folder = mkdtempSync(join(tmpdir(), 'usp-bench-'));
  try {
    const sites = [documents, checked].map((each) => ({ files: each.files, tiny: each.tiny, delayMs }));
    const results = await withSites(sites, ([homepage, checkedHomepage]) => {
      const jobs = contestants.filter(isHere).map(({ module, task, over, ...more }) => {
        const work = {
          memory: { inMemory: true, files: documents.files },
          files: { files: documents.files },
          http: { homepage, folder },
        }[over];
        const checkedWork = over === 'http' ? { homepage: checkedHomepage } : work;
        const isChecked = more.findsPages !== false && over !== 'files';
        return {
          ...more,
          over,
          job: { module, task, work },
          checkedWork: isChecked ? checkedWork : undefined,
        };
      });
      return takeTurns(name, jobs, rounds);
    });
    return {
      contestants: results.map((result) => withRates(result, documents)),
      absent: contestants.filter((contestant) => !isHere(contestant)).map(({ id }) => id),
      disagreements: disagreements(results, documents.pages, checked.pages),
      found: { pages: documents.pages, checksum: results[0].checksum },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withRates(result, { pages, bytes }) {
  if (result.failure !== undefined) return result;
  return {
    ...result,
    pagesPerSecond: result.findsPages === false ? undefined : pages / result.seconds,
    megabytesPerSecond: bytes / 1e6 / result.seconds,
  };
}

/** What is wrong, in sentences; none if all found the same pages with the same values. */
function disagreements(results, pages, checkedPages) {
  const [ours] = results;
  if (ours.failure !== undefined) return [`Ours failed: ${ours.failure}.`];
  return results.flatMap((result) => {
    if (result.failure !== undefined || result.findsPages === false) return [];
    if (result.isUnreliable || result.isIncomplete) return [];
    const who = `${result.name}, ${result.task},`;
    if (!result.isStable) return [`${who} did not find the same each time.`];
    if (result.count !== pages) return [`${who} found ${result.count} pages of ${pages}.`];
    if (result.sum !== ours.sum) return [`${who} found other values.`];
    if (result.checksum === undefined && result.checkFailure === undefined) return [];
    if (result.checkedCount !== checkedPages || result.checksum !== ours.checksum) {
      const what = result.checkFailure ?? `${result.checkedCount}, checksum ${result.checksum}`;
      return [`${who} found other pages: ${what}.`];
    }
    return [];
  });
}
