/**
 * How much work a document is. Time is not a measure on a machine that others use, so work is counted: how often
 * each block of the code was run, as V8's precise coverage knows it, and how many bytes and characters were handed
 * to what runs natively. The count is the same on every run.
 *
 * Coverage and counting change the process that they are in: only a child process, bundled into one file, may start
 * them.
 */
import { Session } from 'node:inspector/promises';
import { checkSitemap } from '../../src/check/index.ts';
import { parseSitemap } from '../../src/parse/index.ts';

const session = new Session();
let handedToNatives = 0;

let isCounting = false;

/** Starts the counting; there is no way back. */
export async function startCounting(): Promise<void> {
  if (isCounting) return;
  isCounting = true;
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  countNatives();
}

/** What is done with a document: its pages are walked, or it is checked. */
export type Work = 'walk' | 'check';

export function isWork(word: unknown): word is Work {
  return word === 'walk' || word === 'check';
}

/** What it takes to read a document that arrives in chunks of a size; 0 is all at once. */
export function workOf(
  document: Uint8Array,
  chunk: number,
  path: string,
  work: Work = 'walk',
): Promise<number> {
  const options = { url: `https://example.org${path}` };
  return countedWork(() => {
    if (work === 'check') {
      for (const { message } of checkSitemap([...chunksOf(document, chunk)], options))
        if (message === '') throw new Error('a finding without a message');
    } else {
      for (const item of parseSitemap(chunksOf(document, chunk), options))
        if (item.type === 'page' && item.page.url === '') throw new Error('a page without a URL');
    }
  });
}

/** What some work takes. */
export async function countedWork(work: () => unknown): Promise<number> {
  // Taking the coverage sets it back to zero.
  await session.post('Profiler.takePreciseCoverage');
  handedToNatives = 0;
  await work();
  const natives = handedToNatives;
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const functions = result.filter(({ url }) => url === import.meta.url).flatMap((script) => script.functions);
  const blocks = functions
    .flatMap(({ ranges }) => ranges.map(({ count }) => count))
    .reduce((sum, count) => sum + count, 0);
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
  weigh(Map.prototype, ['set'], () => 1);
  weigh(JSON, ['stringify'], resultLength);
  weigh(Array.prototype, ['shift', 'unshift', 'splice', 'concat', 'includes', 'join'], lengthOf);
}

/** `from` is where an expression started that remembers its place. */
type Weight = (self: unknown, args: readonly unknown[], result: unknown, from: number) => number;

const argumentLength: Weight = (_, [argument]) => lengthOf(argument);
const resultLength: Weight = (_self, _args, result) => lengthOf(result);
// A global expression runs from where the last match ended to the end of the next one. A sticky one looks at one place
// only, and `split` makes one of any expression and tries it at every place: weighed by the whole text, it would hide
// all other work.
const matchLength: Weight = (self, [text], result, from) => {
  if (!(self instanceof RegExp)) return 0;
  if (self.sticky) return Array.isArray(result) ? lengthOf(result[0]) : 1;
  const isFound = result !== null && result !== false;
  return Math.max(0, (self.global && isFound ? self.lastIndex : lengthOf(text)) - from);
};
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
      const from = this instanceof RegExp && this.global ? this.lastIndex : 0;
      const result: unknown = Reflect.apply(native, this, args);
      handedToNatives += weight(this, args, result, from);
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
