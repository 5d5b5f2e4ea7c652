/**
 * Fills in the tables of docs/problem-codes.md from those of the code.
 *
 *     node scripts/problem-codes.js [--write]
 */
import { argv } from 'node:process';
import { deliver, filled, table } from './deliver.js';
import { importSource } from './source.js';

const { PARSE_PROBLEMS, FETCH_PROBLEMS, CRAWL_PROBLEMS, FAILURES } =
  await importSource('problems/catalogue.ts');

const page = filled('problem-codes.md', {
  PARSE_PROBLEMS: codes(PARSE_PROBLEMS),
  FETCH_PROBLEMS: codes(FETCH_PROBLEMS),
  CRAWL_PROBLEMS: codes(CRAWL_PROBLEMS),
  FAILURES: codes(FAILURES),
});
deliver('problem-codes.md', page, argv);

function codes(problems) {
  const rows = Object.entries(problems).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return table(['Code', 'Meaning'], rows);
}
