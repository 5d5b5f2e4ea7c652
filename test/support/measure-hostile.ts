/**
 * The child process of `linear.test.ts`: how much work a hostile document is. Time is no measure on a machine that
 * others use, so work is counted: how often each block of the code was run, as V8's precise coverage knows it, and
 * how many bytes and characters were handed to what runs natively. The count is the same on every run.
 *
 * A process of its own, so that the coverage and the counting stay in it, and so that a hang can be ended.
 *
 *     node measure-hostile.mjs SHAPE '[{"size": 20000, "chunk": 1}]'  →  [[420000, 4190000]]
 */
import { Session } from 'node:inspector/promises';
import { parseSitemap } from '../../src/parse/index.ts';
import { HOSTILE_SHAPES, hostileDocument } from './hostile-shapes.ts';

const TIMES = 10;
const session = new Session();
let handedToNatives = 0;

/** What it takes to read so many bytes of the shape. */
async function workOf(shape: string, size: number, chunk: number): Promise<number> {
  const document = hostileDocument(shape, size);
  // Taking the coverage sets it back to zero.
  await session.post('Profiler.takePreciseCoverage');
  handedToNatives = 0;
  const parse = parseSitemap(chunksOf(document, chunk), {
    url: `https://example.org${HOSTILE_SHAPES[shape]?.path ?? '/sitemap.xml'}`,
  });
  for (const item of parse)
    if (item.type === 'page' && item.page.url === '') throw new Error('a page without a URL');
  const natives = handedToNatives;
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const functions = result.filter(({ url }) => url === import.meta.url).flatMap((script) => script.functions);
  const blocks = functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
  return blocks + natives;
}

function* chunksOf(document: Uint8Array, chunk: number): Generator<Uint8Array> {
  const length = chunk === 0 ? document.length : chunk;
  for (let start = 0; start < document.length; start += length)
    yield document.subarray(start, start + length);
}

/** Coverage sees one call where a native runs over a whole array: these calls are weighed by what they run over. */
function countNatives(): void {
  const bytes: unknown = Object.getPrototypeOf(Uint8Array.prototype);
  for (const searched of [bytes, String.prototype, Array.prototype])
    weigh(searched, ['indexOf'], searchLength);
  for (const copied of [bytes, String.prototype, Array.prototype]) weigh(copied, ['slice'], resultLength);
  weigh(bytes, ['set', 'copyWithin'], argumentLength);
  weigh(bytes, ['fill', 'includes', 'lastIndexOf', 'reverse', 'join'], lengthOf);
  weigh(TextDecoder.prototype, ['decode'], argumentLength);
  weigh(TextEncoder.prototype, ['encode', 'encodeInto'], argumentLength);
  weigh(RegExp.prototype, ['exec', 'test'], matchLength);
  weigh(String, ['fromCharCode', 'fromCodePoint'], (_, codes) => codes.length);
  weigh(String.prototype, ['includes', 'split', 'trim', 'toLowerCase'], lengthOf);
  weigh(String.prototype, ['replace', 'replaceAll', 'match', 'search'], lengthOf);
  weigh(Array.prototype, ['shift', 'unshift', 'splice', 'concat', 'includes', 'join'], lengthOf);
}

type Weight = (self: unknown, args: readonly unknown[], result: unknown) => number;

const argumentLength: Weight = (_, [argument]) => lengthOf(argument);
const resultLength: Weight = (_self, _args, result) => lengthOf(result);
// A global expression is run once per match, by what is weighed already.
const matchLength: Weight = (self, [text]) => (self instanceof RegExp && self.global ? 0 : lengthOf(text));
// A search stops where it finds something.
const searchLength: Weight = (self, [, from], found) => {
  const start = typeof from === 'number' ? from : 0;
  return Math.max(0, (typeof found === 'number' && found >= 0 ? found + 1 : lengthOf(self)) - start);
};

function weigh(owner: unknown, names: readonly string[], weight: Weight): void {
  if ((typeof owner !== 'object' && typeof owner !== 'function') || owner === null)
    throw new Error('nothing to weigh');
  for (const name of names) {
    const native: unknown = Reflect.get(owner, name);
    if (typeof native !== 'function') throw new Error(`there is no ${name}`);
    const value = function (this: unknown, ...args: unknown[]): unknown {
      const result: unknown = Reflect.apply(native, this, args);
      handedToNatives += weight(this, args, result);
      return result;
    };
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  }
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || !('length' in value)) return 0;
  return typeof value.length === 'number' ? value.length : 0;
}

function checked(feed: unknown): { size: number; chunk: number } {
  if (typeof feed === 'object' && feed !== null && 'size' in feed && 'chunk' in feed) {
    if (typeof feed.size === 'number' && typeof feed.chunk === 'number')
      return { size: feed.size, chunk: feed.chunk };
  }
  throw new Error('a feed is {size, chunk}');
}

session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
countNatives();

const [name = '', feeds = '[]'] = process.argv.slice(2);
const asked: unknown = JSON.parse(feeds);
const counts: (readonly [number, number])[] = [];
for (const feed of Array.isArray(asked) ? asked : []) {
  const { size, chunk } = checked(feed);
  counts.push([await workOf(name, size, chunk), await workOf(name, size * TIMES, chunk)]);
}
process.stdout.write(JSON.stringify(counts));
