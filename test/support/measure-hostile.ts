/**
 * The child process of `linear.test.ts`: how much work hostile shapes are, for a small and a large document.
 *
 *     node measure-hostile.mjs 10 '[["<<<<", [{"size": 20000, "chunk": 1}]]]'  →  {"<<<<": [[420000, 4190000]]}
 */
import { startCounting, workOf } from './counted-work.ts';
import { HOSTILE_SHAPES, hostileDocument } from './hostile-shapes.ts';

/** How many times as large the large document is. */
const times = Number(process.argv[2]);

function checked(feed: unknown): { size: number; chunk: number } {
  if (typeof feed === 'object' && feed !== null && 'size' in feed && 'chunk' in feed) {
    if (typeof feed.size === 'number' && typeof feed.chunk === 'number')
      return { size: feed.size, chunk: feed.chunk };
  }
  throw new Error('a feed is {size, chunk}');
}

await startCounting();
const asked: unknown = JSON.parse(process.argv[3] ?? '[]');
const counts: Record<string, (readonly [number, number])[]> = {};
for (const [name, feeds] of Array.isArray(asked) ? asked : []) {
  const path = HOSTILE_SHAPES[name]?.path ?? '/sitemap.xml';
  const own: (readonly [number, number])[] = [];
  for (const feed of feeds) {
    const { size, chunk } = checked(feed);
    own.push([
      await workOf(hostileDocument(name, size), chunk, path),
      await workOf(hostileDocument(name, size * times), chunk, path),
    ]);
  }
  counts[name] = own;
}
process.stdout.write(JSON.stringify(counts));
