/**
 * The child process of `linear.test.ts`: how much work hostile shapes are, for a small and a large document.
 *
 *     node measure-hostile.mjs walk 10 '[["<<<<", [{"size": 20000, "chunk": 1}]]]'  →  {"<<<<": [[420000, 4190000]]}
 */
import { isWork, startCounting, workOf } from './counted-work.ts';
import { HOSTILE_SHAPES, hostileDocument } from './hostile-shapes.ts';

const [work, times, cases = '[]'] = process.argv.slice(2);
if (!isWork(work)) throw new Error('the work is walk or check');
/** How many times as large the large document is. */
const factor = Number(times);

function checked(feed: unknown): { size: number; chunk: number } {
  if (typeof feed === 'object' && feed !== null && 'size' in feed && 'chunk' in feed) {
    if (typeof feed.size === 'number' && typeof feed.chunk === 'number')
      return { size: feed.size, chunk: feed.chunk };
  }
  throw new Error('a feed is {size, chunk}');
}

await startCounting();
const asked: unknown = JSON.parse(cases);
const counts: Record<string, (readonly [number, number])[]> = {};
for (const [name, feeds] of Array.isArray(asked) ? asked : []) {
  const path = HOSTILE_SHAPES[name]?.path ?? '/sitemap.xml';
  const own: (readonly [number, number])[] = [];
  for (const feed of feeds) {
    const { size, chunk } = checked(feed);
    own.push([
      await workOf(hostileDocument(name, size), chunk, path, work),
      await workOf(hostileDocument(name, size * factor), chunk, path, work),
    ]);
  }
  counts[name] = own;
}
process.stdout.write(JSON.stringify(counts));
