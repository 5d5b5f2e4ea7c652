/**
 * The child process of `linear.test.ts`: how much work a hostile shape is, for a small and a large document.
 *
 *     node measure-hostile.mjs SHAPE '[{"size": 20000, "chunk": 1}]'  →  [[420000, 4190000]]
 */
import { startCounting, workOf } from './counted-work.ts';
import { HOSTILE_SHAPES, hostileDocument } from './hostile-shapes.ts';

const TIMES = 10;

function checked(feed: unknown): { size: number; chunk: number } {
  if (typeof feed === 'object' && feed !== null && 'size' in feed && 'chunk' in feed) {
    if (typeof feed.size === 'number' && typeof feed.chunk === 'number')
      return { size: feed.size, chunk: feed.chunk };
  }
  throw new Error('a feed is {size, chunk}');
}

await startCounting();
const [name = '', feeds = '[]'] = process.argv.slice(2);
const path = HOSTILE_SHAPES[name]?.path ?? '/sitemap.xml';
const asked: unknown = JSON.parse(feeds);
const counts: (readonly [number, number])[] = [];
for (const feed of Array.isArray(asked) ? asked : []) {
  const { size, chunk } = checked(feed);
  counts.push([
    await workOf(hostileDocument(name, size), chunk, path),
    await workOf(hostileDocument(name, size * TIMES), chunk, path),
  ]);
}
process.stdout.write(JSON.stringify(counts));
