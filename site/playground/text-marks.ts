/** Which parts of a row findings point at. */
import type { FindingRow, Mark } from './messages.ts';

/** A place in a document's text that a finding points at. */
export interface Place {
  readonly offset: number;
  readonly severity: Mark['severity'];
  readonly finding: number;
}

/** How many marks a row shows: more would be one blur, and take long to draw. */
const MOST_MARKS = 50;

/** The places of all findings by document, each list in the order of the text. */
export function placesOf(findings: readonly FindingRow[]): ReadonlyMap<number, readonly Place[]> {
  const places = new Map<number, Place[]>();
  for (const [finding, { document, offset, severity }] of findings.entries()) {
    if (document === undefined || offset === undefined) continue;
    const list = places.get(document);
    if (list === undefined) places.set(document, [{ offset, severity, finding }]);
    else list.push({ offset, severity, finding });
  }
  for (const list of places.values()) list.sort((left, right) => left.offset - right.offset);
  return places;
}

const encoder = new TextEncoder();

/** The marks of a row. One at a place; the first of them is the worst, since findings are sorted by severity. */
export function marksIn(places: readonly Place[], start: number, end: number, text: string): readonly Mark[] {
  const marks: Mark[] = [];
  let last = 0;
  for (let index = firstFrom(places, start); index < places.length; index++) {
    const { offset, severity, finding } = places[index]!;
    if (offset > end || (offset === end && end > start) || marks.length === MOST_MARKS) break;
    const from = unitsBefore(text, offset - start);
    if (from < last) continue;
    const to = Math.max(endOfWord(text, from), from + 1);
    marks.push({ from, to, severity, finding });
    last = to;
  }
  return marks;
}

function firstFrom(places: readonly Place[], offset: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle]!.offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many UTF-16 code units the first bytes of a text are. */
function unitsBefore(text: string, bytes: number): number {
  const { read } = encoder.encodeInto(text, new Uint8Array(bytes));
  return read;
}

/** A tag up to its `>`, a value up to the next tag, a line of text as a whole. */
function endOfWord(text: string, from: number): number {
  const stop = text[from] === '<' ? text.indexOf('>', from) + 1 : text.indexOf('<', from + 1);
  return stop <= 0 ? text.length : stop;
}
