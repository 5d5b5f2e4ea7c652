/**
 * A document type declaration and its internal subset (XML 1.0, sections 2.8, 3.2, 3.3, 4.2 and 4.7): whether it is
 * well-formed, and which entities it declares. Nothing that it names is fetched or expanded.
 */
import { isCharacter, NAME_PATTERN, TOKEN_PATTERN } from './characters.ts';
import type { Entities } from './entities.ts';

const QUOTES = /["']/;

/** The place of the `>` that ends a declaration whose `<!DOCTYPE` starts at a place; -1 if the bytes end before. */
export function findDoctypeEnd(bytes: Uint8Array, from: number, end: number): number {
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

/** What a declaration says. */
export interface Doctype {
  /** What is wrong, and at which character of the text. */
  readonly fault?: { readonly message: string; readonly at: number } | undefined;
  /** Whether it gives attributes default values that may declare namespaces. */
  readonly declaresNamespaces: boolean;
}

/** Thrown inside this file only: the first fault ends the reading. */
class DoctypeFault extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Reads a whole declaration, from `<!DOCTYPE` to its `>`. */
export function readDoctype(text: string, entities: Entities): Doctype {
  const reader = new DoctypeReader(text, entities);
  try {
    reader.read();
    return { declaresNamespaces: reader.declaresNamespaces };
  } catch (error) {
    if (!(error instanceof DoctypeFault)) throw error;
    return {
      fault: { message: error.message, at: error.at },
      declaresNamespaces: reader.declaresNamespaces,
    };
  }
}

class DoctypeReader {
  declaresNamespaces = false;
  readonly #text: string;
  readonly #entities: Entities;
  /** The internal parameter entities. */
  readonly #parameters: Map<string, string>;
  #at = '<!DOCTYPE'.length;

  constructor(text: string, entities: Entities, parameters: Map<string, string> = new Map()) {
    this.#text = text;
    this.#entities = entities;
    this.#parameters = parameters;
  }

  read(): void {
    this.#space('<!DOCTYPE');
    this.#take(NAME, 'the name of the root');
    if (this.#try(SPACE) !== undefined && this.#externalId('optional')) this.#entities.isIncomplete = true;
    this.#try(SPACE);
    if (this.#try(/\[/y) !== undefined) {
      this.#subset();
      this.#take(/\]/y, '"]"');
      this.#try(SPACE);
    }
    this.#take(/>/y, '">"');
    if (this.#at !== this.#text.length) this.#fail('The DOCTYPE is not complete');
  }

  #subset(): void {
    for (;;) {
      this.#try(SPACE);
      const start = this.#at;
      if (this.#text[start] === ']' || start >= this.#text.length) return;
      const reference = this.#try(PE_REFERENCE);
      if (reference !== undefined) this.#parameter(reference.slice(1, -1));
      else if (this.#try(/<!--/y) !== undefined) this.#comment();
      else if (this.#try(/<\?/y) !== undefined) this.#instruction();
      else if (this.#try(/<!ELEMENT/y) !== undefined) this.#element();
      else if (this.#try(/<!ATTLIST/y) !== undefined) this.#attributes();
      else if (this.#try(/<!ENTITY/y) !== undefined) this.#entity();
      else if (this.#try(/<!NOTATION/y) !== undefined) this.#notation();
      else this.#fail('This is not a declaration that a DOCTYPE can have');
    }
  }

  /** A parameter entity in place of declarations: those of an internal one must be well-formed by themselves. */
  #parameter(name: string): void {
    this.#entities.isIncomplete = true;
    const value = this.#parameters.get(name);
    if (value === undefined) return;
    // Each is looked at once, so that entities that contain entities cost no more than their own text.
    this.#parameters.delete(name);
    const inner = new DoctypeReader(` ${value}`, this.#entities, this.#parameters);
    if (!inner.isSubset()) this.#fail(`"%${name};" does not stand for declarations`);
  }

  /** Whether the text, behind its first character, is nothing but declarations. */
  isSubset(): boolean {
    this.#at = 1;
    try {
      this.#subset();
      return this.#at === this.#text.length;
    } catch (error) {
      if (error instanceof DoctypeFault) return false;
      throw error;
    }
  }

  #comment(): void {
    const end = this.#text.indexOf('--', this.#at);
    if (end === -1 || this.#text[end + 2] !== '>') this.#fail('A comment must not contain "--"');
    this.#characters(this.#text.slice(this.#at, end));
    this.#at = end + 3;
  }

  #instruction(): void {
    const name = this.#take(NAME, 'the name of an instruction');
    if (/^xml$/i.test(name)) this.#fail('An XML declaration is not allowed here');
    const end = this.#text.indexOf('?>', this.#at);
    if (end === -1 || (end > this.#at && !/\s/.test(this.#text[this.#at]!)))
      this.#fail('An instruction is not complete');
    this.#at = end + 2;
  }

  #element(): void {
    this.#space('<!ELEMENT');
    this.#take(NAME, 'the name of an element');
    this.#space('the name');
    if (this.#try(/EMPTY|ANY/y) === undefined) this.#model();
    this.#close();
  }

  /** `(#PCDATA | a | b)*`, or any nesting of `(a, b?, (c | d)+)`; no recursion, so that depth costs no stack. */
  #model(): void {
    this.#take(/\(/y, '"("');
    this.#try(SPACE);
    if (this.#try(/#PCDATA/y) !== undefined) {
      let names = 0;
      for (this.#try(SPACE); this.#try(/\|/y) !== undefined; this.#try(SPACE)) {
        this.#try(SPACE);
        this.#take(NAME, 'the name of an element');
        names++;
      }
      this.#take(names > 0 ? /\)\*/y : /\)\*?/y, names > 0 ? '")*"' : '")"');
      return;
    }
    const separators: (string | undefined)[] = [undefined];
    while (separators.length > 0) {
      this.#try(SPACE);
      if (this.#try(/\(/y) !== undefined) {
        separators.push(undefined);
        continue;
      }
      this.#take(NAME, 'the name of an element');
      this.#try(/[?*+]/y);
      // A group may end here, and the one around it too.
      for (;;) {
        this.#try(SPACE);
        if (this.#try(/\)/y) === undefined) break;
        this.#try(/[?*+]/y);
        separators.pop();
        if (separators.length === 0) return;
      }
      const separator = this.#take(/[|,]/y, '"," or "|"');
      if ((separators.at(-1) ?? separator) !== separator) this.#fail('"," and "|" cannot be mixed');
      separators[separators.length - 1] = separator;
    }
  }

  #attributes(): void {
    this.#space('<!ATTLIST');
    this.#take(NAME, 'the name of an element');
    while (this.#try(SPACE) !== undefined && this.#text[this.#at] !== '>') {
      const name = this.#take(NAME, 'the name of an attribute');
      if (/^xmlns(?::|$)/.test(name)) this.declaresNamespaces = true;
      this.#space('the name');
      this.#type();
      this.#space('the type');
      if (this.#try(/#REQUIRED|#IMPLIED/y) !== undefined) continue;
      if (this.#try(/#FIXED/y) !== undefined) this.#space('#FIXED');
      const value = this.#literal();
      if (value.includes('<')) this.#fail('"<" is not allowed in the value of an attribute');
      this.#references(value);
    }
    this.#take(/>/y, '">"');
  }

  #type(): void {
    if (this.#try(/CDATA|IDREFS?|ID|ENTITY|ENTITIES|NMTOKENS?/y) !== undefined) return;
    const isNotation = this.#try(/NOTATION/y) !== undefined;
    if (isNotation) this.#space('NOTATION');
    this.#take(/\(/y, 'the type of an attribute');
    do {
      this.#try(SPACE);
      this.#take(isNotation ? NAME : TOKEN, 'a value');
      this.#try(SPACE);
    } while (this.#try(/\|/y) !== undefined);
    this.#take(/\)/y, '")"');
  }

  #entity(): void {
    this.#space('<!ENTITY');
    const isParameter = this.#try(/%/y) !== undefined;
    if (isParameter) this.#space('"%"');
    const name = this.#take(NAME, 'the name of an entity');
    if (name.includes(':')) this.#fail('The name of an entity must not have a colon');
    this.#space('the name');
    if (QUOTES.test(this.#text[this.#at] ?? '')) {
      const value = this.#literal();
      if (value.includes('%')) this.#fail('"%" is not allowed in the value of an entity here');
      this.#references(value);
      if (isParameter) this.#parameters.set(name, resolved(value));
      else this.#entities.declare(name, { value: resolved(value) });
    } else {
      this.#externalId('required');
      const isUnparsed = !isParameter && this.#try(/\s+NDATA\s+/y) !== undefined;
      if (isUnparsed) this.#take(NAME, 'the name of a notation');
      if (!isParameter) this.#entities.declare(name, { isUnparsed });
    }
    this.#close();
  }

  #notation(): void {
    this.#space('<!NOTATION');
    this.#take(NAME, 'the name of a notation');
    this.#space('the name');
    if (this.#try(/PUBLIC\s+/y) !== undefined) {
      this.#publicId();
      if (this.#try(/\s+(?=["'])/y) !== undefined) this.#literal();
    } else this.#externalId('required');
    this.#close();
  }

  #externalId(need: 'optional' | 'required'): boolean {
    if (this.#try(/PUBLIC/y) !== undefined) {
      this.#space('PUBLIC');
      this.#publicId();
      this.#space('the public identifier');
    } else if (this.#try(/SYSTEM/y) !== undefined) this.#space('SYSTEM');
    else if (need === 'optional') return false;
    else this.#fail('SYSTEM, PUBLIC or a value in quotes is missing');
    this.#literal();
    return true;
  }

  #publicId(): void {
    const value = this.#literal();
    if (!/^[ \r\na-zA-Z0-9\-'()+,./:=?;!*#@$_%]*$/.test(value)) this.#fail('This is not a public identifier');
  }

  #literal(): string {
    const quote = this.#take(/["']/y, 'a value in quotes');
    const end = this.#text.indexOf(quote, this.#at);
    if (end === -1) this.#fail('A value has no closing quote');
    const value = this.#text.slice(this.#at, end);
    this.#characters(value);
    this.#at = end + 1;
    return value;
  }

  #characters(value: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids.
    if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(value))
      this.#fail('This has a character that XML forbids');
  }

  #references(value: string): void {
    const rest = value.replace(REFERENCE, (whole, hex?: string, digits?: string) => {
      const code =
        hex !== undefined ? Number.parseInt(hex, 16) : digits !== undefined ? Number(digits) : 0x20;
      return isCharacter(code) ? '' : whole;
    });
    if (rest.includes('&')) this.#fail('A value has an "&" that does not start a reference');
  }

  #space(behind: string): void {
    if (this.#try(SPACE) === undefined) this.#fail(`There must be a space behind ${behind}`);
  }

  #close(): void {
    this.#try(SPACE);
    this.#take(/>/y, '">"');
  }

  #take(pattern: RegExp, what: string): string {
    return this.#try(pattern) ?? this.#fail(`${what} is missing`);
  }

  #try(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #fail(message: string): never {
    throw new DoctypeFault(
      `The DOCTYPE is not well-formed: ${message}.`,
      Math.min(this.#at, this.#text.length),
    );
  }
}

const SPACE = /[ \t\r\n]+/y;
const NAME = new RegExp(NAME_PATTERN, 'uy');
const TOKEN = new RegExp(TOKEN_PATTERN, 'uy');
const PE_REFERENCE = new RegExp(`%${NAME_PATTERN};`, 'uy');
const REFERENCE = new RegExp(`&(?:#x([0-9a-fA-F]+)|#([0-9]+)|${NAME_PATTERN});`, 'gu');

/** The value with its character references replaced: what the entity stands for (XML 1.0, section 4.5). */
function resolved(value: string): string {
  return value.replace(/&#(?:x([0-9a-fA-F]+)|([0-9]+));/g, (_whole, hex?: string, digits?: string) =>
    String.fromCodePoint(hex === undefined ? Number(digits) : Number.parseInt(hex, 16)),
  );
}
