/** What scripts/soak.js and its small form in the tests are made of: one file, for one bundle. */
export { crawlManySites } from './many-sites.ts';
export { runSchedule } from './schedules.ts';
export { searchForWork } from './search-work.ts';
export { noteLeaks, openNow, Tally } from './tally.ts';
