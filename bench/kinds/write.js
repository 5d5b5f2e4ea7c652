/** Pages written as sitemaps: everybody writes the same pages into files, and what is in the files is read and compared. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as ours from '../contestants/ours.js';
import { CheckingReader } from '../measure/readers.js';
import { takeTurns } from '../measure/turns.js';

export async function measureWrite({ name, pages, contestants }, rounds) {
  const parent = mkdtempSync(join(tmpdir(), 'usp-bench-'));
  try {
    const jobs = contestants.map(({ module, task, ...more }) => ({
      ...more,
      job: { module, task, work: { ...pages, folder: join(parent, more.id) } },
    }));
    const results = await takeTurns(name, jobs, rounds);
    const written = results.map(({ id }) => readBack(join(parent, id), pages));
    return {
      contestants: results.map((result, index) => ({
        ...result,
        pagesPerSecond: pages.count / result.seconds,
        diskBytes: written[index].bytes,
      })),
      disagreements: written.flatMap(({ count, checksum }, index) =>
        count === pages.count && checksum === written[0].checksum
          ? []
          : [`${results[index].id} wrote ${count} pages of ${pages.count}, checksum ${checksum}.`],
      ),
      found: { pages: pages.count, checksum: written[0].checksum },
    };
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** What is in the files of a folder, and how large they are. */
function readBack(folder, { isRich }) {
  const reader = new CheckingReader();
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    if (!/\.xml(?:\.gz)?$/.test(name)) continue;
    const path = join(folder, name);
    bytes += statSync(path).size;
    const document = name.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path);
    (isRich ? ours.rich : ours.pages)({ documents: [document] }, reader);
  }
  return { count: reader.count, checksum: reader.checksum, bytes };
}
