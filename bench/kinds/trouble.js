/** A server in trouble: what is found counts, and how many requests it took. One pass for each contestant. */
import { stderr } from 'node:process';
import { documentsOf } from '../documents/store.js';
import { passAlone } from '../measure/processes.js';
import { isHere } from '../requirements.js';
import { withSites } from '../site-server.js';

/** For each contestant what it found, the requests that the server saw, and those that it refused. */
export async function measureTrouble({ name, set, delayMs, limit, restart, contestants }) {
  const { files, pages } = documentsOf(set);
  const present = contestants.filter(isHere);
  const results = [];
  for (const contestant of present) {
    stderr.write(`${name}: ${contestant.id}\n`);
    const { module, task } = contestant;
    // A server of its own: nothing of one contestant's trouble is another's.
    const result = await withSites([{ files, delayMs, limit, restart }], async ([homepage], counts) => ({
      ...(await passAlone({ module, task, work: { homepage } })),
      ...(await counts()),
    }));
    results.push({ ...contestant, ...result });
  }
  return {
    contestants: results,
    absent: contestants.filter((contestant) => !isHere(contestant)).map(({ id }) => id),
    disagreements: results
      .filter(({ module, count }) => module === 'ours.js' && count !== pages)
      .map(({ id, count, failure }) => `${id} found ${count ?? failure} of ${pages} pages.`),
    pageCount: pages,
  };
}
