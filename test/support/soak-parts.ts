/** The parts of scripts/soak.js and of its small form in the tests, in one file for one bundle. */
export { faultyArchive } from './archive-faults.ts';
export { crawlManySites } from './many-sites.ts';
export { runSchedule } from './schedules.ts';
export { searchForWork } from './search-work.ts';
export { crawlUnderKills } from './soak-crawls.ts';
export { workersUnderKills } from './soak-workers.ts';
export { noteLeaks, openNow, Tally } from './tally.ts';
export { simulateUpdates } from './update-simulation.ts';
