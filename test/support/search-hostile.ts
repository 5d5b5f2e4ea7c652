/**
 * The child process of the search in `linear.test.ts`.
 *
 *     node search-hostile.mjs walk|check SEED SHAPES  →  [{"perByte": 31.4, "document": "<urlset …"}]
 */
import { isWork } from './counted-work.ts';
import { searchForWork } from './search-work.ts';

const [work, ...numbers] = process.argv.slice(2);
if (!isWork(work)) throw new Error('the work is walk or check');
const [seed = 1, shapes = 100] = numbers.map(Number);
process.stdout.write(JSON.stringify(await searchForWork({ work, seed, shapes })));
