/**
 * The child process of the search in `linear.test.ts`.
 *
 *     node search-hostile.mjs SEED SHAPES  →  [{"perByte": 31.4, "document": "<urlset …"}]
 */
import { searchForWork } from './search-work.ts';

const [seed, shapes] = process.argv.slice(2).map(Number);
process.stdout.write(JSON.stringify(await searchForWork({ seed: seed ?? 1, shapes: shapes ?? 100 })));
