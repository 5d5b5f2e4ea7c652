/** Scenarios in which everybody must find the same pages, in memory or over HTTP, and the time counts. */
import { stderr } from 'node:process';
import { documentsOf } from '../documents/store.js';
import { runAlone } from '../measure/alone.js';
import { isHere } from '../requirements.js';
import { withSites } from '../site-server.js';

/** Who needs longer for a pass has a turn in the first round only. */
const SLOW_SECONDS = 8;

/** Everybody's best, and who found something else than we did. */
export async function measurePages({ name, set, delayMs, checkedCount = set.count, contestants }, rounds) {
  const documents = documentsOf(set);
  const checked = documentsOf({ ...set, count: checkedCount });
  const present = contestants.filter(isHere);
  const sites = [
    { files: documents.files, delayMs },
    { files: checked.files, delayMs },
  ];
  const results = await withSites(sites, async ([homepage, checkedHomepage]) => {
    const best = new Map();
    for (let round = 1; round <= rounds; round++) {
      for (const contestant of present) {
        const before = best.get(contestant);
        if (before !== undefined && (before.failure !== undefined || before.seconds > SLOW_SECONDS)) continue;
        stderr.write(`${name}, round ${round} of ${rounds}: ${contestant.id}\n`);
        const result = await runAlone(jobOf(contestant, documents, homepage, checkedHomepage));
        if (result.complaints) stderr.write(result.complaints);
        best.set(contestant, before === undefined ? result : better(before, result));
      }
    }
    return present.map((contestant) => ({ ...contestant, ...best.get(contestant) }));
  });
  return {
    contestants: withRatios(results, documents),
    absent: contestants.filter((contestant) => !isHere(contestant)).map(({ id }) => id),
    disagreements: disagreements(results, documents.pages, checked.pages),
    found: { pages: documents.pages, checksum: results[0].checksum },
  };
}

function jobOf({ module, task, over, findsPages = true }, { files }, homepage, checkedHomepage) {
  const inMemory = over === 'memory';
  return {
    module,
    task,
    work: inMemory ? { inMemory, files } : { homepage },
    check: findsPages ? (inMemory ? { inMemory } : { homepage: checkedHomepage }) : undefined,
  };
}

/** The faster of two results; memory is a peak, so the lower of two counts. What was found must not change. */
function better(before, result) {
  if (result.failure !== undefined) return result;
  const faster = result.seconds < before.seconds ? result : before;
  return {
    ...faster,
    isStable:
      before.isStable && result.isStable && before.sum === result.sum && before.checksum === result.checksum,
    cpuSeconds: Math.min(before.cpuSeconds, result.cpuSeconds),
    peakBytes: Math.min(before.peakBytes, result.peakBytes),
  };
}

function withRatios(results, { pages, bytes }) {
  return results.map((result) => {
    if (result.failure !== undefined) return result;
    const ours = results.find(({ id }) => id === result.versus) ?? results[0];
    return {
      ...result,
      pagesPerSecond: result.findsPages === false ? undefined : pages / result.seconds,
      megabytesPerSecond: bytes / 1e6 / result.seconds,
      timesOurs: result.seconds / ours.seconds,
      cpuTimesOurs: result.cpuSeconds / ours.cpuSeconds,
    };
  });
}

/** What is wrong, in sentences; none if all found the same pages with the same values. */
function disagreements(results, pages, checkedPages) {
  const [ours] = results;
  if (ours.failure !== undefined) return [`Ours failed: ${ours.failure}.`];
  return results.flatMap((result) => {
    if (result.failure !== undefined || result.findsPages === false || result.isUnreliable) return [];
    const who = `${result.name}, ${result.task},`;
    if (!result.isStable) return [`${who} did not find the same each time.`];
    if (result.count !== pages) return [`${who} found ${result.count} pages of ${pages}.`];
    if (result.sum !== ours.sum) return [`${who} found other values.`];
    if (result.checkedCount !== checkedPages || result.checksum !== ours.checksum) {
      return [`${who} found other pages: ${result.checkedCount}, checksum ${result.checksum}.`];
    }
    return [];
  });
}
