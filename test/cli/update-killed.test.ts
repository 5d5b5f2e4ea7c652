/** §11.4: `usp update` is killed at random moments: the file is the old one or the new one, and no change is lost. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { loadTree } from '../../src/index.ts';
import { build, runBinary, start } from '../support/cli-binary.ts';
import { usp } from '../support/cli-world.ts';
import { siteOf } from '../support/crawled-site.ts';
import { robots, urlset } from '../support/documents.ts';
import { folder } from '../support/folder.ts';
import { Chance } from '../support/random.ts';
import { sized } from '../support/tier.ts';

// More of them: UPDATE_KILLS=50.
const ROUNDS = Number(process.env['UPDATE_KILLS'] ?? sized({ fast: 1, full: 4, strong: 12 }));
const DOCUMENTS = 6;
const PAGES = 500;

beforeAll(build);

/** The pages of an archive, every document checked. */
async function pagesOf(file: string): Promise<ReadonlySet<string>> {
  using tree = await loadTree(file, { verify: true });
  return new Set(Array.from(tree.allPages(), ({ url }) => url));
}

test(`killed at ${ROUNDS === 1 ? 'a random moment' : `${ROUNDS} random moments`}, it loses no change, and reports none as seen`, {
  timeout: 300_000,
}, async () => {
  const chance = new Chance(Date.now());
  const server = await siteOf((origin) => ({
    '/robots.txt': robots(...Array.from({ length: DOCUMENTS }, (_, number) => `${origin}/${number}.xml`)),
  }));
  const { origin } = server;
  /** In each round the last document has another page, and another document does not change. */
  const publish = (round: number): string => {
    for (let number = 0; number < DOCUMENTS; number++) {
      const pages = Array.from({ length: PAGES }, (_, page) => `${origin}/${number}/${page}`);
      const isLast = number === DOCUMENTS - 1;
      server.site[`/${number}.xml`] = urlset(...pages, ...(isLast ? [`${origin}/round-${round}`] : []));
    }
    return `${origin}/round-${round}`;
  };
  const file = join(folder(), 'site.warc.gz');
  let before = publish(0);
  const startedAt = performance.now();
  const first = await runBinary(['update', file, origin, '--no-known', '-q']);
  const takes = performance.now() - startedAt;
  expect([first.code, first.stderr]).toEqual([0, '']);

  for (let round = 1; round <= ROUNDS; round++) {
    const old = readFileSync(file);
    const after = publish(round);
    const changes = `+ ${after}\n- ${before}\n`;
    const running = start(['update', file, origin, '-q']);
    await delay(chance.next() * takes * 1.1);
    running.child.kill('SIGKILL');
    const killed = await running.finished;

    const isOld = readFileSync(file).equals(old);
    const pages = await pagesOf(file);
    expect(pages.size).toBe(DOCUMENTS * PAGES + 1);
    // Where the file is the new one, its changes were printed before.
    expect([pages.has(before), pages.has(after)]).toEqual([isOld, !isOld]);
    if (!isOld) expect(killed.stdout).toBe(changes);
    // What was not saved is printed by the next run, which takes over the lock of the dead one. It is not killed, so it
    // can run in this process.
    const next = await usp(['update', file, origin, '-q']);
    expect([next.code, next.stderr, next.stdout]).toEqual([0, '', isOld ? changes : '']);
    expect((await pagesOf(file)).has(after)).toBe(true);
    // Nor does the dead one leave anything behind: neither its lock nor half an archive.
    expect(readdirSync(dirname(file))).toEqual(['site.warc.gz']);
    before = after;
  }
});
