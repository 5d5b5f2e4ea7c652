/** What comes before the root: the XML declaration, the DOCTYPE; and how instructions begin, wherever they are. */
import { isName, isXmlSpace, MORE, nameEnd, startsWith, textOf } from './characters.ts';
import { Doctype, findDoctypeEnd } from './doctype.ts';
import { quoted, type ReadingContext, shown } from './fault.ts';
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
  /** Whether the DOCTYPE declares namespaces by default values of attributes. */
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
    this.mayDeclarePrefixes = declaresNamespaces;
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
    checkDeclaration(text, (code, message) => report(code, message, base + at));
    this.#context.isAsciiOnly = /encoding[ \t\r\n]*=[ \t\r\n]*["'](?:us-)?ascii["']/i.test(text);
    this.#isStandalone = isStandalone(text);
    return close + 1;
  }

  /** The name of any other instruction. @returns the place behind the name; `MORE` if the bytes end before */
  instruction(bytes: Uint8Array, at: number, end: number, hasRoot: boolean): number {
    const { report, base, isFinal } = this.#context;
    const from = at + 2;
    const to = nameEnd(bytes, from, end);
    if (!isFinal && (to === end || (bytes[to] === QUESTION && to + 1 === end))) return MORE;
    const name = textOf(bytes, from, to);
    // In any case of letters the name is reserved.
    if (/^xml$/i.test(name)) report('xml-declaration-late', lateMessage(name, hasRoot), base + at);
    else if (!isName(bytes, from, to))
      report('bad-instruction', 'A "<?" must be followed by a name.', base + at);
    // Namespaces in XML, section 7.
    else if (name.includes(':'))
      report('bad-instruction', `The name of the instruction <?${shown(name)} has a colon.`, base + at);
    else if (to < end && !isXmlSpace(bytes[to]) && !startsWith(bytes, to, end, '?>')) {
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

function checkDeclaration(
  text: string,
  report: (code: 'bad-declaration' | 'unknown-charset', message: string) => void,
): void {
  const [matched, ...groups] = SHAPE.exec(text) ?? [];
  const [version = '', encoding, standalone] = [0, 3, 6].map((at) => groups[at] ?? groups[at + 1]);
  if (matched === undefined) {
    const parts = 'in this order, each value in quotes';
    const message = /\bversion\b/.test(text)
      ? `The XML declaration must be <?xml version="1.0" encoding="UTF-8"?>, ${parts}.`
      : 'The XML declaration needs version="1.0".';
    report('bad-declaration', message);
  } else if (!/^1\.[0-9]+$/.test(version)) {
    report('bad-declaration', `The XML version must be 1.0, not ${quoted(version)}.`);
  } else if (encoding !== undefined && !/^[A-Za-z][A-Za-z0-9._-]*$/.test(encoding)) {
    report('bad-declaration', `The encoding ${quoted(encoding)} in the XML declaration is not a name.`);
  } else if (standalone !== undefined && standalone !== 'yes' && standalone !== 'no') {
    report(
      'bad-declaration',
      `standalone in the XML declaration must be yes or no, not ${quoted(standalone)}.`,
    );
  } else if (encoding !== undefined && !isKnownEncoding(encoding)) {
    const message = `The encoding ${quoted(encoding)} is not one that XML parsers have to know: write UTF-8.`;
    report('unknown-charset', message);
  }
}

/** What no standard of the web has, few XML parsers have; they have to know UTF-8 and UTF-16 alone. */
function isKnownEncoding(name: string): boolean {
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
