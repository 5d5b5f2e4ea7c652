/** What comes before the root: the XML declaration, the DOCTYPE; and how instructions begin, wherever they are. */
import { isName, isSpace, MORE, nameEnd, textOf } from './characters.ts';
import { faultInDeclaration, isStandalone } from './declaration.ts';
import { findDoctypeEnd, readDoctype } from './doctype.ts';
import type { Entities } from './entities.ts';
import { type Report, shown } from './fault.ts';

const GREATER = 0x3e;
const LESS = 0x3c;
const QUESTION = 0x3f;

/** What the reader of a prolog knows of the document. */
export interface PrologContext {
  readonly report: Report;
  readonly entities: Entities;
  /** The offset of the document's byte that has index 0. */
  readonly base: number;
  /** Whether no more bytes come. */
  readonly isFinal: boolean;
}

/** The prolog of one document. */
export class Prolog {
  readonly #context: PrologContext;
  #hasDoctype = false;
  #isStandalone = false;
  /** Whether the DOCTYPE declares namespaces, or may do so where it cannot be read. */
  mayDeclarePrefixes = false;

  constructor(context: PrologContext) {
    this.#context = context;
  }

  /**
   * The DOCTYPE at a place.
   *
   * @param isAllowed - whether there may be one here
   * @returns the place behind it; `MORE` if the bytes end before
   */
  doctype(bytes: Uint8Array, at: number, end: number, isAllowed: boolean): number {
    const { report, base, isFinal } = this.#context;
    const close = findDoctypeEnd(bytes, at + '<!DOCTYPE'.length, end);
    if (close === -1) {
      if (!isFinal) return MORE;
      report('bad-doctype', 'The DOCTYPE is not closed.', base + at);
      return end;
    }
    if (!isAllowed || this.#hasDoctype)
      report('bad-doctype', 'A DOCTYPE is only allowed once, before the root element.', base + at);
    else this.#read(textOf(bytes, at, close + 1), base + at);
    return close + 1;
  }

  #read(text: string, offset: number): void {
    const { report, entities } = this.#context;
    this.#hasDoctype = true;
    const { fault, declaresNamespaces } = readDoctype(text, entities);
    if (declaresNamespaces || entities.isIncomplete) this.mayDeclarePrefixes = true;
    if (this.#isStandalone) entities.isIncomplete = false;
    if (fault !== undefined) {
      const before = new TextEncoder().encode(text.slice(0, fault.at)).length;
      report('bad-doctype', fault.message, offset + before);
    }
  }

  /** Whether the instruction whose name begins at a place is the XML declaration, at the very start. */
  isDeclaration(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#context.base + from === 2 && textOf(bytes, from, to) === 'xml';
  }

  /** The XML declaration at a place. @returns the place behind it; `MORE` if the bytes end before */
  declaration(bytes: Uint8Array, at: number, end: number): number {
    const { report, base, isFinal } = this.#context;
    let close = at + 1;
    // One that is not closed ends where the next tag begins.
    while (close < end && bytes[close] !== GREATER && bytes[close] !== LESS) close++;
    if (close === end && !isFinal) return MORE;
    const isClosed =
      bytes[close] === GREATER && bytes[close - 1] === QUESTION && close < end && close > at + 6;
    if (!isClosed) {
      report('bad-declaration', 'The XML declaration must end with "?>".', base + at);
      return bytes[close] === GREATER && close < end ? close + 1 : close;
    }
    const text = textOf(bytes, at + 5, close - 1);
    const message = faultInDeclaration(text);
    if (message !== undefined) report('bad-declaration', message, base + at);
    this.#isStandalone = isStandalone(text);
    return close + 1;
  }

  /** The name of any other instruction. @returns the place behind the name; `MORE` if the bytes end before */
  instruction(bytes: Uint8Array, at: number, end: number, hasRoot: boolean): number {
    const { report, base, isFinal } = this.#context;
    const from = at + 2;
    const to = nameEnd(bytes, from, end);
    if (to === end && !isFinal) return MORE;
    const name = textOf(bytes, from, to);
    // In any case of letters the name is reserved.
    if (/^xml$/i.test(name)) report('xml-declaration-late', lateMessage(name, hasRoot), base + at);
    else if (!isName(bytes, from, to))
      report('bad-instruction', 'A "<?" must be followed by a name.', base + at);
    else if (to < end && !isSpace(bytes[to]) && bytes[to] !== QUESTION) {
      const message = `The instruction <?${shown(name)} needs a space behind its name.`;
      report('bad-instruction', message, base + at);
    }
    return to;
  }
}

function lateMessage(name: string, isBehindRoot: boolean): string {
  if (name !== 'xml')
    return `<?${name} is reserved: the XML declaration is written in small letters, at the very start.`;
  const what = isBehindRoot ? 'the start of the root element' : 'something';
  return (
    `The XML declaration must be the very first thing in the document, but ${what} comes before it ` +
    '(a space or an empty line is enough).'
  );
}
