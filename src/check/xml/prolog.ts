/** What comes before the root: the XML declaration, the DOCTYPE; and how instructions begin, wherever they are. */
import {
  isCharacter,
  isName,
  isXmlSpace,
  MORE,
  NAME_PATTERN,
  nameEnd,
  startsWith,
  TOKEN_PATTERN,
  textOf,
} from './characters.ts';
import { excerpt, quoted, type ReadingContext } from './fault.ts';
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
    const { fault, isFinal } = this.#context;
    const close = findDoctypeEnd(bytes, at + '<!DOCTYPE'.length, end);
    if (close === -1) {
      if (!isFinal) return MORE;
      fault('bad-doctype', 'The DOCTYPE is not closed.', at);
      return end;
    }
    if (!isAllowed || this.#hasDoctype)
      fault('bad-doctype', 'A DOCTYPE is only allowed once, before the root element.', at);
    else this.#read(textOf(bytes, at, close + 1), at);
    return close + 1;
  }

  #read(text: string, at: number): void {
    const { fault, entities } = this.#context;
    this.#hasDoctype = true;
    const { faultAt, declaresNamespaces } = new Doctype(text, entities);
    this.mayDeclarePrefixes = declaresNamespaces;
    if (this.#isStandalone) entities.isIncomplete = false;
    if (faultAt === undefined) return;
    const before = new TextEncoder().encode(text.slice(0, faultAt)).length;
    fault('bad-doctype', 'The DOCTYPE is not well-formed here.', at + before);
  }

  /** Whether the instruction whose name begins at a place is the XML declaration, at the very start. */
  isDeclaration(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#context.base + from === 2 && textOf(bytes, from, to) === 'xml';
  }

  /** The XML declaration at a place. @returns the place behind it; `MORE` if the bytes end before */
  declaration(bytes: Uint8Array, at: number, end: number): number {
    const { fault, isFinal } = this.#context;
    let close = at + 1;
    // One that is not closed ends where the next tag begins.
    while (close < end && bytes[close] !== GREATER && bytes[close] !== LESS) close++;
    if (close === end && !isFinal) return MORE;
    const isClosed =
      bytes[close] === GREATER && bytes[close - 1] === QUESTION && close < end && close > at + 6;
    if (!isClosed) {
      fault('bad-declaration', 'The XML declaration must end with "?>".', at);
      return bytes[close] === GREATER && close < end ? close + 1 : close;
    }
    const text = textOf(bytes, at + 5, close - 1);
    const { encoding, standalone } = readDeclaration(text, (code, message) => fault(code, message, at));
    this.#context.isAsciiOnly = /^(?:us-)?ascii$/i.test(encoding ?? '');
    // No declaration outside the document matters then.
    this.#isStandalone = standalone === 'yes';
    return close + 1;
  }

  /** The name of any other instruction. @returns the place behind the name; `MORE` if the bytes end before */
  instruction(bytes: Uint8Array, at: number, end: number, hasRoot: boolean): number {
    const { fault, isFinal } = this.#context;
    const from = at + 2;
    const to = nameEnd(bytes, from, end);
    if (!isFinal && (to === end || (bytes[to] === QUESTION && to + 1 === end))) return MORE;
    const name = textOf(bytes, from, to);
    // In any case of letters the name is reserved.
    if (/^xml$/i.test(name)) fault('xml-declaration-late', lateMessage(name, hasRoot), at);
    else if (!isName(bytes, from, to)) fault('bad-instruction', 'A "<?" must be followed by a name.', at);
    // Namespaces in XML, section 7.
    else if (name.includes(':'))
      fault('bad-instruction', `The name of the instruction <?${excerpt(name)} has a colon.`, at);
    else if (to < end && !isXmlSpace(bytes[to]) && !startsWith(bytes, to, end, '?>')) {
      const message = `The instruction <?${excerpt(name)} needs a space behind its name.`;
      fault('bad-instruction', message, at);
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

const GAP = '[ \\t\\r\\n]';
const VALUE = `${GAP}*=${GAP}*(?:"([^"]*)"|'([^']*)')`;
const SHAPE = new RegExp(
  `^${GAP}+version${VALUE}(?:(${GAP}+)encoding${VALUE})?(?:(${GAP}+)standalone${VALUE})?${GAP}*$`,
);

function readDeclaration(
  text: string,
  report: (code: 'bad-declaration' | 'unknown-charset', message: string) => void,
): { encoding: string | undefined; standalone: string | undefined } {
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
  return { encoding, standalone };
}

/** What no standard of the web has, few XML parsers have; they have to know UTF-8 and UTF-16 alone. */
function isKnownEncoding(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== '';
  } catch {
    return false;
  }
}

/**
 * A document type declaration and its internal subset (XML 1.0, sections 2.8, 3.2, 3.3, 4.2 and 4.7): whether it is
 * well-formed, and which entities it declares. Nothing that it names is fetched or expanded.
 */

/** The place of the `>` that ends a declaration whose `<!DOCTYPE` starts at a place; -1 if the bytes end before. */
function findDoctypeEnd(bytes: Uint8Array, from: number, end: number): number {
  let inSubset = false;
  for (let at = from; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === 0x22 || byte === 0x27) at = bytes.indexOf(byte, at + 1);
    else if (byte === 0x3c && bytes[at + 1] === 0x21 && bytes[at + 2] === 0x2d && bytes[at + 3] === 0x2d) {
      at = indexOfPair(bytes, 0x2d, at + 4);
    } else if (byte === 0x3c && bytes[at + 1] === 0x3f) at = indexOfPair(bytes, 0x3f, at + 2);
    else if (byte === 0x5b) inSubset = true;
    else if (byte === 0x5d) inSubset = false;
    else if (byte === 0x3e && !inSubset) return at;
    if (at === -1 || at >= end) return -1;
  }
  return -1;
}

/** The end of `-->` or `?>`. */
function indexOfPair(bytes: Uint8Array, before: number, from: number): number {
  for (let at = bytes.indexOf(0x3e, from); at !== -1; at = bytes.indexOf(0x3e, at + 1)) {
    if (bytes[at - 1] === before && (before === 0x3f || (bytes[at - 2] === before && at - 2 >= from)))
      return at;
  }
  return -1;
}

/** Thrown inside this file only: the first fault ends the reading. */
class DoctypeFault extends Error {}

// Each matches one token: a pattern for a whole declaration would need a stack as long as the declaration.
const SPACE = /[ \t\r\n]+/y;
const MAYBE_SPACE = /[ \t\r\n]*/y;
const CLOSE = /[ \t\r\n]*>/y;
const NAME = new RegExp(NAME_PATTERN, 'uy');
const PARAMETER = new RegExp(`${NAME_PATTERN};`, 'uy');
const TOKEN = new RegExp(TOKEN_PATTERN, 'uy');
const LITERAL = /"[^"]*"|'[^']*'/y;
const PUBLIC_ID = /"[ \r\na-zA-Z0-9\-'()+,./:=?;!*#@$_%]*"|'[ \r\na-zA-Z0-9\-()+,./:=?;!*#@$_%]*'/y;
const REFERENCE = new RegExp(`&(?:#x([0-9a-fA-F]+)|#([0-9]+)|${NAME_PATTERN});`, 'gu');
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

class Doctype {
  /** Whether it gives attributes default values that may declare namespaces. */
  declaresNamespaces = false;
  /** At which character of the text it is not well-formed; undefined where it is. */
  faultAt: number | undefined;
  readonly #entities: Entities;
  /** The parameter entities; without a value where it is external, or was read. */
  readonly #parameters = new Map<string, string | undefined>();
  #text: string;
  #at = '<!DOCTYPE'.length;

  constructor(text: string, entities: Entities) {
    this.#text = text;
    this.#entities = entities;
    if (!this.#isReadBy(() => this.#read())) this.faultAt = Math.min(this.#at, text.length);
  }

  #isReadBy(read: () => void): boolean {
    try {
      read();
      return this.#at === this.#text.length;
    } catch (error) {
      if (error instanceof DoctypeFault) return false;
      throw error;
    }
  }

  #read(): void {
    const forbidden = FORBIDDEN.exec(this.#text);
    this.#take(SPACE, NAME);
    if (this.#try(SPACE) !== undefined && this.#try(/(?=SYSTEM|PUBLIC)/y) !== undefined) {
      this.#externalId();
      this.#entities.isIncomplete = true;
    }
    this.#take(MAYBE_SPACE);
    if (this.#try(/\[/y) !== undefined) {
      this.#subset();
      this.#take(/\]/y);
    }
    this.#take(CLOSE);
    if (forbidden !== null) {
      this.#at = forbidden.index;
      throw new DoctypeFault();
    }
  }

  #subset(): void {
    for (;;) {
      this.#take(MAYBE_SPACE);
      switch (this.#try(/<!--|<\?|<!(?:ELEMENT|ATTLIST|ENTITY|NOTATION)|%/y)) {
        case '<!--':
          this.#upTo('--');
          this.#take(/>/y);
          break;
        case '<?':
          this.#take(/(?!xml[ \t\r\n?])/iy, NAME, /(?=[ \t\r\n]|\?>)/y);
          this.#upTo('?>');
          break;
        case '<!ELEMENT':
          this.#take(SPACE, NAME, SPACE);
          if (this.#try(/EMPTY|ANY/y) === undefined) this.#contentModel();
          this.#take(CLOSE);
          break;
        case '<!ATTLIST':
          this.#attributes();
          break;
        case '<!ENTITY':
          this.#entity();
          break;
        case '<!NOTATION':
          this.#take(SPACE, NAME, SPACE);
          if (this.#try(/PUBLIC/y) === undefined) this.#externalId();
          else {
            this.#take(SPACE, PUBLIC_ID);
            if (this.#try(/[ \t\r\n]+(?=["'])/y) !== undefined) this.#take(LITERAL);
          }
          this.#take(CLOSE);
          break;
        case '%':
          this.#parameter(this.#take(PARAMETER).slice(0, -1));
          break;
        default:
          return;
      }
    }
  }

  /** A parameter entity in place of declarations: those of an internal one must be well-formed by themselves. */
  #parameter(name: string): void {
    // Not forbidden by the specification, but by libxml2.
    if (!this.#parameters.has(name) && !this.#entities.isIncomplete) throw new DoctypeFault();
    this.#entities.isIncomplete = true;
    const value = this.#parameters.get(name);
    if (value === undefined) return;
    // Each is looked at once, so that entities that contain entities cost no more than their own text.
    this.#parameters.set(name, undefined);
    const [text, at] = [this.#text, this.#at];
    this.#text = value;
    this.#at = 0;
    const isSubset = this.#isReadBy(() => this.#subset());
    this.#text = text;
    this.#at = at;
    if (!isSubset) throw new DoctypeFault();
  }

  /** `(#PCDATA | a | b)*`, or any nesting of `(a, b?, (c | d)+)`; no recursion, so that depth costs no stack. */
  #contentModel(): void {
    this.#take(/\(/y, MAYBE_SPACE);
    if (this.#try(/#PCDATA/y) !== undefined) {
      let names = 0;
      for (; this.#try(/[ \t\r\n]*\|/y) !== undefined; names++) this.#take(MAYBE_SPACE, NAME);
      this.#take(names > 0 ? /[ \t\r\n]*\)\*/y : /[ \t\r\n]*\)\*?/y);
      return;
    }
    const separators: (string | undefined)[] = [undefined];
    while (separators.length > 0) {
      while (this.#try(/[ \t\r\n]*\(/y) !== undefined) separators.push(undefined);
      this.#take(MAYBE_SPACE, NAME, /[?*+]?/y);
      // A group may end here, and the one around it too.
      while (separators.length > 0 && this.#try(/[ \t\r\n]*\)[?*+]?/y) !== undefined) separators.pop();
      if (separators.length === 0) return;
      this.#take(MAYBE_SPACE);
      const separator = separators.at(-1);
      const found = this.#take(separator === undefined ? /[|,]/y : separator === ',' ? /,/y : /\|/y);
      separators[separators.length - 1] = found;
    }
  }

  #attributes(): void {
    this.#take(SPACE, NAME);
    while (this.#try(SPACE) !== undefined && this.#text[this.#at] !== '>') {
      if (/^xmlns(?::|$)/.test(this.#take(NAME))) this.declaresNamespaces = true;
      this.#take(SPACE);
      if (this.#try(/CDATA|IDREFS?|ID|ENTITY|ENTITIES|NMTOKENS?/y) === undefined) {
        const isNotation = this.#try(/NOTATION[ \t\r\n]+/y) !== undefined;
        const value = isNotation ? NAME : TOKEN;
        this.#take(/\(/y, MAYBE_SPACE, value);
        while (this.#try(/[ \t\r\n]*\|/y) !== undefined) this.#take(MAYBE_SPACE, value);
        this.#take(/[ \t\r\n]*\)/y);
      }
      this.#take(SPACE);
      if (this.#try(/#REQUIRED|#IMPLIED/y) !== undefined) continue;
      if (this.#try(/#FIXED/y) !== undefined) this.#take(SPACE);
      this.#value(/</);
    }
    this.#take(/>/y);
  }

  #entity(): void {
    this.#take(SPACE);
    const isParameter = this.#try(/%[ \t\r\n]+/y) !== undefined;
    const name = this.#take(NAME);
    // Namespaces in XML, section 7.
    if (name.includes(':')) throw new DoctypeFault();
    this.#take(SPACE);
    if (this.#try(/(?=["'])/y) !== undefined) {
      const value = resolved(this.#value(/%/));
      if (isParameter) this.#parameters.set(name, value);
      else this.#entities.declare(name, { value });
    } else {
      this.#externalId();
      const isUnparsed = !isParameter && this.#try(/[ \t\r\n]+NDATA[ \t\r\n]+/y) !== undefined;
      if (isUnparsed) this.#take(NAME);
      if (isParameter) this.#parameters.set(name, undefined);
      else this.#entities.declare(name, { isUnparsed });
    }
    this.#take(CLOSE);
  }

  #externalId(): void {
    if (this.#take(/PUBLIC|SYSTEM/y) === 'PUBLIC') this.#take(SPACE, PUBLIC_ID);
    this.#take(SPACE, LITERAL);
  }

  /** A value in quotes, in which every `&` starts a reference. */
  #value(forbidden: RegExp): string {
    const value = this.#take(LITERAL).slice(1, -1);
    const rest = value.replace(REFERENCE, (whole, hex?: string, digits?: string) =>
      hex === undefined && digits === undefined ? '' : isCharacter(codeOf(hex, digits)) ? '' : whole,
    );
    if (forbidden.test(value) || rest.includes('&')) throw new DoctypeFault();
    return value;
  }

  #upTo(end: string): void {
    const found = this.#text.indexOf(end, this.#at);
    if (found === -1) throw new DoctypeFault();
    this.#at = found + end.length;
  }

  /** What all of them match, one behind the other; returns the last. */
  #take(...patterns: readonly RegExp[]): string {
    let found: string | undefined;
    for (const pattern of patterns) {
      found = this.#try(pattern);
      if (found === undefined) throw new DoctypeFault();
    }
    return found ?? '';
  }

  #try(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

/** The value with its character references replaced: what the entity stands for (XML 1.0, section 4.5). */
function resolved(value: string): string {
  return value.replace(/&#(?:x([0-9a-fA-F]+)|([0-9]+));/g, (_whole, hex?: string, digits?: string) =>
    String.fromCodePoint(codeOf(hex, digits)),
  );
}

function codeOf(hex: string | undefined, digits: string | undefined): number {
  return hex === undefined ? Number(digits) : Number.parseInt(hex, 16);
}
