/** What comes before the root: the XML declaration, the DOCTYPE; and how instructions begin, wherever they are. */
import { isName, isXmlSpace, MORE, nameEnd, textOf } from './characters.ts';
import { Doctype, findDoctypeEnd } from './doctype.ts';
import { type ReadingContext, shown } from './fault.ts';
import type { Entities } from './references.ts';

const GREATER = 0x3e;
const LESS = 0x3c;
const QUESTION = 0x3f;

interface PrologContext extends ReadingContext {
  readonly entities: Entities;
}

export class XmlProlog {
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
    const { faultAt, declaresNamespaces } = new Doctype(text, entities);
    if (declaresNamespaces || entities.isIncomplete) this.mayDeclarePrefixes = true;
    if (this.#isStandalone) entities.isIncomplete = false;
    if (faultAt === undefined) return;
    const before = new TextEncoder().encode(text.slice(0, faultAt)).length;
    report('bad-doctype', 'The DOCTYPE is not well-formed here.', offset + before);
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
    else if (to < end && !isXmlSpace(bytes[to]) && bytes[to] !== QUESTION) {
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

/** The XML declaration: `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`. */

const SPACE = '[ \\t\\r\\n]';
const VALUE = `${SPACE}*=${SPACE}*(?:"([^"]*)"|'([^']*)')`;
const SHAPE = new RegExp(
  `^${SPACE}+version${VALUE}(?:(${SPACE}+)encoding${VALUE})?(?:(${SPACE}+)standalone${VALUE})?${SPACE}*$`,
);

/** What is wrong with the text between `<?xml` and `?>`; undefined if nothing is. */
function faultInDeclaration(text: string): string | undefined {
  const match = SHAPE.exec(text);
  if (match === null) {
    if (!/\bversion\b/.test(text)) return 'The XML declaration needs version="1.0".';
    return 'The XML declaration must be <?xml version="1.0" encoding="UTF-8"?>, in this order, each value in quotes.';
  }
  const version = match[1] ?? match[2]!;
  if (!/^1\.[0-9]+$/.test(version)) return `The XML version must be 1.0, not "${version.slice(0, 40)}".`;
  const encoding = match[4] ?? match[5];
  if (encoding !== undefined && !/^[A-Za-z][A-Za-z0-9._-]*$/.test(encoding)) {
    return `The encoding "${encoding.slice(0, 40)}" in the XML declaration is not a name.`;
  }
  if (encoding !== undefined && !isKnownEncoding(encoding)) {
    return `The encoding "${encoding.slice(0, 40)}" in the XML declaration does not exist: write UTF-8.`;
  }
  const standalone = match[7] ?? match[8];
  if (standalone !== undefined && standalone !== 'yes' && standalone !== 'no') {
    return `standalone in the XML declaration must be yes or no, not "${standalone.slice(0, 40)}".`;
  }
  return undefined;
}

/** What no standard of the web has, XML parsers do not have either; but for UCS-2 and UCS-4, which XML names. */
function isKnownEncoding(name: string): boolean {
  if (/^iso-10646-ucs-[24]$/i.test(name)) return true;
  try {
    return new TextDecoder(name).encoding !== '';
  } catch {
    return false;
  }
}

/** Whether it says that no declaration outside the document matters. */
function isStandalone(text: string): boolean {
  return /standalone[ \t\r\n]*=[ \t\r\n]*["']yes["']/.test(text);
}
