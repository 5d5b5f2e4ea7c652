/** The faults that `npm run mutate` plants: what each operator makes of a line. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { faultsIn, OPERATOR_NAMES } from '../scripts/planted-faults.js';

/** What an operator makes of a module, one fault at a time. */
function planted(operator: string, source: string): string[] {
  return [...faultsIn(source)]
    .filter((fault) => fault.operator === operator)
    .map(({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end));
}

const CASES: Readonly<Record<string, readonly (readonly [source: string, ...faults: string[]])[]>> = {
  'shifted-border': [
    ['if (at < most) {}', 'if (at <= most) {}'],
    ['if (at >= most) {}', 'if (at > most) {}'],
    ['const most = 1_000;', 'const most = 1001;'],
  ],
  flipped: [
    ['a === b;', 'a !== b;'],
    ['size += more;', 'size -= more;'],
    ['let isOpen = true;', 'let isOpen = false;'],
  ],
  'ignored-flag': [
    ['if (isNew && !isKept(at)) {}', 'if (isNew && true) {}'],
    ['return a || b.some((c) => c);', 'return a || false;'],
    ['f(a || b, c);', 'f(a || false, c);'],
    [`const text = \`\${a && b} c\`;`, `const text = \`\${a && true} c\`;`],
  ],
  'older-for-newer': [
    ['versions.at(-1);', 'versions.at(0);'],
    ['versions.findLast(isGood);', 'versions.find(isGood);'],
    ['Math.max(a, b);', 'Math.min(a, b);'],
    ['if (one.time > other.time) {}', 'if (one.time < other.time) {}'],
    ['this.#first ??= document;', 'this.#first = document;'],
    ['if (size > most) {}'],
  ],
  'swapped-dates': [
    ['endOfDate(time, text) <= read;', '((time) => time)(time, text) <= read;'],
    [
      'const { from, to } = [o.since, o.until];',
      'const { from, to } = [o.until, o.until];',
      'const { from, to } = [o.since, o.since];',
    ],
    ['waiting.since < now;'],
    ['function endOfDate(time) {}'],
  ],
  'length-for-byte-length': [
    ['size += Buffer.byteLength(JSON.stringify(url)) + 1;', 'size += (JSON.stringify(url)).length + 1;'],
  ],
  'dropped-await': [
    ['await file.close();', ' file.close();'],
    ['for await (const a of b) {}'],
    ['await using file = open();'],
  ],
  'swapped-arguments': [['copy(from, to, size);', 'copy(to, from, size);'], ['function copy(from, to) {}']],
  'skipped-reset': [
    ['for (const a of b) { this.#count = 0; }', 'for (const a of b) { ; }'],
    ['if (isEnd) lines = [];', 'if (isEnd) ;'],
    ['function reset() { seen = new Set(); }', 'function reset() { ; }'],
    ['class Counter { count = 0; }'],
    ['let count = 0;'],
  ],
  'not-invalidated': [
    ['{ this.#rules.delete(origin); }', '{ ; }'],
    ['{ this.#rules = undefined; }', '{ ; }'],
    ['class Rules { rules = undefined; }'],
  ],
  'dropped-cleanup': [
    ['try { a(); } finally { this.isBusy = false; }', 'try { a(); } finally { ; }'],
    ['{ await file.close(); }', '{ ; }'],
    ['class Pages { return() { this.#read(); return END; } }', 'class Pages { return() { ; return END; } }'],
    ['const stop = onAbort(signal, end);', 'const stop = (() => () => undefined)(signal, end);'],
  ],
  'dropped-statement': [
    ['{ pages.push(page); }', '{ ; }'],
    ['{ this.#size = size; }', '{ ; }'],
    ['{ const size = sizeOf(page); return size; }'],
    [`const isRegex = /a(b)="/.test(text) ? \`\${a}\` : f({ a: b(1) });`],
  ],
};

describe.each(OPERATOR_NAMES)('%s', (operator) => {
  test.each(CASES[operator]!)('%s', (source, ...faults) => {
    expect(planted(operator, source)).toEqual(faults);
  });
});

test('every operator is named in the help of the script', () => {
  const script = readFileSync(new URL('../scripts/mutate.js', import.meta.url), 'utf8');
  const help = script.slice(0, script.indexOf(' */'));
  const names = [...help.matchAll(/^ \* {5}([a-z][\w-]*) {2,}\S/gm)].map(([, name]) => name);
  expect(names).toEqual(OPERATOR_NAMES);
});
