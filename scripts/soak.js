/**
 * `npm run soak`: many hours of work in a short time, on loopback only. Many small sites at once, random schedules of
 * faults, and then both again and again while memory, sockets, timers and files are counted. Sites that change and break
 * are updated, and what was printed is compared with the site after every run. Crawls of many sites are killed and go on, and
 * so are workers, which share nothing with others where mount namespaces can be made, their crawl and their Redis.
 * Archives are damaged, and those who save them killed. It ends by itself, with a summary; it fails if a page is lost, a
 * call hangs or something stays open.
 *
 *     node scripts/soak.js [--seconds 60] [--sites 10000] [--schedules 1000] [--shapes 2000] [--updates 6000]
 *                          [--crawls 20] [--worker-sites 1500] [--worker-kills 25] [--worker-pages 2000000]
 *                          [--archives 1000] [--at-once 100] [--from-seed 0]
 *     node scripts/soak.js --seed 123        one schedule again: a failure names its seed
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryUsage } from 'node:process';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readArguments } from './arguments.js';
import { removeProxies } from './proxies.js';
import { importSource } from './source.js';

removeProxies();
const { values } = readArguments(import.meta.url, {
  options: {
    seconds: { type: 'string', default: '60' },
    sites: { type: 'string', default: '10000' },
    schedules: { type: 'string', default: '1000' },
    shapes: { type: 'string', default: '2000' },
    updates: { type: 'string', default: '6000' },
    crawls: { type: 'string', default: '20' },
    'worker-sites': { type: 'string', default: '1500' },
    'worker-kills': { type: 'string', default: '25' },
    'worker-pages': { type: 'string', default: '2000000' },
    archives: { type: 'string', default: '1000' },
    'at-once': { type: 'string', default: '100' },
    'from-seed': { type: 'string', default: '0' },
    seed: { type: 'string' },
  },
});
const [seconds, sites, schedules, shapes, updates, crawls, archives, atOnce, fromSeed] = [
  values.seconds,
  values.sites,
  values.schedules,
  values.shapes,
  values.updates,
  values.crawls,
  values.archives,
  values['at-once'],
  values['from-seed'],
].map(Number);

const MIB = 1024 * 1024;
const RUNS_OF_A_SITE = 20;
const USP = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
/** How much the heap may grow from the first third of the soak to the last: caches fill. */
const MOST_GROWTH_MIB = 16;
const MOST_RSS_GROWTH_MIB = 96;
/** Blocks of code and bytes handed to natives, for each byte of a hostile document: see test/parse/linear.test.ts. */
const MOST_WORK_PER_BYTE = { walk: 100, check: 400 };

// One bundle, so that they share the library and the tally.
const {
  Tally,
  crawlManySites,
  crawlUnderKills,
  faultyArchive,
  noteLeaks,
  openNow,
  runSchedule,
  searchForWork,
  simulateUpdates,
  workersUnderKills,
} = await importSource('../test/support/soak-parts.ts');
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

const tally = new Tally();
process.on('unhandledRejection', (reason) => {
  tally.unhandled++;
  tally.complain(`unhandled rejection: ${reason instanceof Error ? reason.stack : reason}`);
});
const before = await openNow();

if (values.seed !== undefined) {
  await runSchedule(Number(values.seed), tally);
} else {
  await stage(`${sites.toLocaleString('en')} sites, ${atOnce} at once`, () =>
    crawlManySites({ to: sites, atOnce }, tally),
  );
  await stage(`${schedules.toLocaleString('en')} schedules of faults, ${atOnce} at once`, () =>
    runSchedules(fromSeed, fromSeed + schedules),
  );
  await stage(`${updates.toLocaleString('en')} updates of sites that change and break`, () =>
    updateSites(updates),
  );
  await stage(`${crawls} crawls of 60 sites, each killed four times`, async () => {
    for (let at = 0; at < crawls; at++) await crawlUnderKills(fromSeed + at, USP, tally);
  });
  const [workerSites, workerKills, largePages] = ['sites', 'kills', 'pages'].map((name) =>
    Number(values[`worker-${name}`]),
  );
  await stage(
    `${workerSites.toLocaleString('en')} sites and one of ${largePages.toLocaleString('en')} pages by three workers, ` +
      `with ${workerKills} kills`,
    async () => {
      const wanted = { sites: workerSites, kills: workerKills, largePages };
      console.log(`  ${await workersUnderKills(fromSeed, USP, tally, wanted)}`);
    },
  );
  await stage(`${archives.toLocaleString('en')} archives under kills and faults`, () =>
    damageArchives(archives),
  );
  await stage(`the same again and again for ${seconds} s`, () => soak(seconds * 1000));
}
await noteLeaks(tally, before);
// Last: the counting changes the process.
if (values.seed === undefined) {
  await stage(`${shapes.toLocaleString('en')} hostile shapes, searched for work`, () => searchShapes(shapes));
}

console.log(`\n${tally}`);
for (const reason of tally.reasons) console.log(`\n${reason}`);
for (const complaint of tally.complaints) console.error(`\n${complaint}`);
if (!tally.isClean) {
  console.error('\nA schedule is repeated with: node scripts/soak.js --seed <its seed>');
  process.exitCode = 1;
}

async function stage(what, work) {
  const from = Date.now();
  await work();
  const rss = Math.round(memoryUsage().rss / MIB);
  console.log(`${what}: ${((Date.now() - from) / 1000).toFixed(0)} s, ${rss} MiB`);
}

/** A document that is much work for its size is named with its beginning, to be made a row of hostile-shapes.ts. */
async function searchShapes(count) {
  for (const [work, most] of Object.entries(MOST_WORK_PER_BYTE)) {
    const [worst] = await searchForWork({ work, seed: fromSeed + 1, shapes: count / 2 });
    console.log(`  at most ${worst.perByte.toFixed(0)} for each byte to ${work}`);
    if (worst.perByte > most)
      tally.complain(`${worst.perByte.toFixed(0)} work for each byte: ${JSON.stringify(worst.document)}`);
  }
}

/** A fault names the seed of its site: `UPDATE_SEED=<seed> UPDATE_SITES=1 npx vitest run test/crawl/update-law.test.ts`. */
async function updateSites(runs) {
  const folder = mkdtempSync(join(tmpdir(), 'usp-soak-'));
  try {
    const sites = Math.ceil(runs / RUNS_OF_A_SITE);
    const { counts, faults } = await simulateUpdates({
      seeds: Array.from({ length: sites }, (_, at) => fromSeed + at),
      runs: RUNS_OF_A_SITE,
      file: join(folder, 'site.warc.gz'),
    });
    console.log(`  ${JSON.stringify(counts)}`);
    for (const fault of faults) tally.complain(fault);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One after the other: each looks at what is left in its folder. */
async function damageArchives(count) {
  const folder = mkdtempSync(join(tmpdir(), 'usp-soak-'));
  try {
    for (let seed = fromSeed; seed < fromSeed + count; seed++) {
      await faultyArchive(seed, join(folder, 'tree.warc.gz'), tally);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runSchedules(from, to) {
  let seed = from;
  const worker = async () => {
    while (seed < to) await runSchedule(seed++, tally);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Runs small rounds until the time is over. Memory that grows from round to round is a leak. */
async function soak(ms) {
  const rounds = [];
  const end = Date.now() + ms;
  for (let round = 0; Date.now() < end; round++) {
    const from = sites + round * 200;
    const seed = fromSeed + schedules + round * 20;
    await Promise.all([
      crawlManySites({ from, to: from + 200, atOnce: 20 }, tally),
      runSchedules(seed, seed + 20),
    ]);
    await noteLeaks(tally, before);
    collectGarbage();
    const { heapUsed, rss } = memoryUsage();
    rounds.push({ heap: heapUsed / MIB, rss: rss / MIB });
  }
  const third = Math.floor(rounds.length / 3);
  if (third === 0) {
    console.log('  too few rounds to see growth; give it more --seconds');
    return;
  }
  for (const [name, most] of [
    ['heap', MOST_GROWTH_MIB],
    ['rss', MOST_RSS_GROWTH_MIB],
  ]) {
    const [first, last] = [rounds.slice(0, third), rounds.slice(-third)].map((part) =>
      median(part.map((of) => of[name])),
    );
    console.log(
      `  ${name}: ${first.toFixed(0)} MiB in the first third of ${rounds.length} rounds, ${last.toFixed(0)} MiB in the last`,
    );
    if (last - first > most)
      tally.complain(`${name} grows: ${first.toFixed(0)} MiB, then ${last.toFixed(0)} MiB`);
  }
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
