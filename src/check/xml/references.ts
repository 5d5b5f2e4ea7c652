/** References in text and in attribute values: `&amp;`, `&#233;`, `&name;`. */
import { namedCharacters } from '../../parse/values/entities.ts';
import { isCharacter, MORE, nameEnd, textOf, type XmlNames } from './characters.ts';
import { quoted, type ReadingContext, type ReportFault } from './fault.ts';

/** Longer names of entities are not looked for: an `&` so far from its `;` is one that was not escaped. */
const LONGEST_NAME = 1000;
const HASH = 0x23;
const SEMICOLON = 0x3b;
const LETTER_X = 0x78;
/** No character has this number, nor one that is larger. */
const TOO_LARGE = 0x110000;
const PREDEFINED: ReadonlySet<string> = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);

export interface ReferenceContext extends ReadingContext {
  readonly entities: Entities;
  readonly names: XmlNames;
  /** What is wrong with the content of an entity; in an attribute value it can have no `<`. */
  content(name: string, value: string, isInAttribute: boolean): string | undefined;
}

/**
 * Checks the reference whose `&` is at a place.
 *
 * @returns the place behind it, which for a bare `&` is the next byte; `MORE` if the bytes may end inside of it
 */
export function readReference(
  context: ReferenceContext,
  bytes: Uint8Array,
  at: number,
  end: number,
  place: 'text' | 'attribute',
): number {
  const { fault } = context;
  // Behind the end there may be bytes of an earlier chunk.
  const isNumber = at + 1 < end && bytes[at + 1] === HASH;
  const from = isNumber ? at + 2 : at + 1;
  const to = nameEnd(bytes, from, Math.min(end, from + LONGEST_NAME));
  // The bytes of an attribute are all there.
  if (to === end && place === 'text' && !context.isFinal) return MORE;
  const isClosed = to > from && to < end && bytes[to] === SEMICOLON;
  if (isNumber) {
    if (isClosed) checkNumber(bytes, from, to, fault, at);
    else {
      const message = () =>
        `${quoted(textOf(bytes, at, to))} is not a character reference: it needs digits and ";".`;
      fault('bad-reference', message, at);
    }
    return isClosed ? to + 1 : at + 1;
  }
  // Of a name that was seen before there is a string already.
  const name = to > from ? context.names.at(bytes, from, to) : undefined;
  if (isClosed && name?.isValid === true) {
    checkName(name.text, context, at, place);
    return to + 1;
  }
  if (name !== undefined && !isClosed && PREDEFINED.has(name.text)) {
    fault('bare-ampersand', () => `"&${name.text}" has no ";" behind it: write "&${name.text};".`, at);
  } else {
    fault('bare-ampersand', 'This "&" must be written as "&amp;".', at);
  }
  return at + 1;
}

/** The number of a character reference, in digits or behind an `x`. */
function checkNumber(bytes: Uint8Array, from: number, to: number, fault: ReportFault, start: number): void {
  const isHex = bytes[from] === LETTER_X;
  let code = 0;
  for (let at = isHex ? from + 1 : from; at < to; at++) {
    const digit = digitOf(bytes[at]!);
    code = digit < (isHex ? 16 : 10) ? Math.min(code * (isHex ? 16 : 10) + digit, TOO_LARGE) : Number.NaN;
  }
  if (Number.isNaN(code) || (isHex && to === from + 1)) {
    const message = () =>
      `"&#${textOf(bytes, from, to)};" is not a character reference: write "&#233;" or "&#xE9;".`;
    fault('bad-reference', message, start);
  } else if (!isCharacter(code)) {
    const message = () => `"&#${textOf(bytes, from, to)};" names a character that XML forbids: remove it.`;
    fault('bad-reference', message, start);
  }
}

/** The value of a digit up to `f`; 16 for what is not one. */
function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 16;
}

function checkName(name: string, context: ReferenceContext, at: number, place: 'text' | 'attribute'): void {
  if (PREDEFINED.has(name)) return;
  const { entities, fault, base } = context;
  const entity = entities.get(name);
  if (entity === undefined) {
    // With an external DTD that is not read, this is not for us to say.
    if (!entities.isIncomplete) fault('unknown-entity', () => unknown(name), at);
    return;
  }
  if (entity.isUnparsed === true) {
    fault('bad-reference', `"&${name};" refers to an entity that is not text (NDATA).`, at);
  } else if (entity.value === undefined) {
    if (place === 'attribute') {
      fault(
        'bad-reference',
        `"&${name};" refers to an external entity, which is forbidden in an attribute.`,
        at,
      );
    }
  } else if (entities.isRecursive(name)) {
    fault('entity-expansion', `The entity "&${name};" contains itself.`, at);
  } else if (!entities.use(name, base + at)) {
    fault(
      'entity-expansion',
      `The entity "&${name};" makes the text far longer than the document: XML parsers refuse that.`,
      at,
    );
  } else {
    const why = context.content(name, entity.value, place === 'attribute');
    if (why !== undefined) fault('bad-reference', `The entity "&${name};" is not well-formed: ${why}`, at);
  }
}

function unknown(name: string): string {
  const character = namedCharacters().get(name);
  if (character === undefined) {
    return `The entity ${quoted(`&${name};`)} is not defined. XML has only &amp; &lt; &gt; &quot; and &apos;.`;
  }
  // A character that cannot be seen is better written as a number.
  const itself = /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? `"${character}" or ` : '';
  return `The entity "&${name};" is HTML and not defined in XML: write ${itself}"&#${character.codePointAt(0)};".`;
}

interface Entity {
  /** What it stands for, character references resolved; undefined for an external one. */
  readonly value?: string | undefined;
  readonly isUnparsed?: boolean;
}

/** More than this many characters, ten times what the document has, is a bomb: XML parsers refuse it. */
const LARGEST_EXPANSION = 1_000_000;
const REFERENCE = /&([^#;&\s][^;&\s]*);/g;

/** The general entities that a document's own DTD declares. Nothing is ever expanded: their sizes are computed. */
export class Entities {
  readonly #declared = new Map<string, Entity>();
  readonly #sizes = new Map<string, number>();
  #expanded = 0;
  /** Whether some declarations were not read: an external subset, or a reference to a parameter entity. */
  isIncomplete = false;

  declare(name: string, entity: Entity): void {
    // The first declaration is binding (XML 1.0, section 4.2).
    if (!this.#declared.has(name)) this.#declared.set(name, entity);
  }

  get(name: string): Entity | undefined {
    return this.#declared.get(name);
  }

  /** Counts a reference; false once the document would expand to far more than it has. */
  use(name: string, offset: number): boolean {
    this.#expanded += this.#sizeOf(name, new Set());
    return this.#expanded <= LARGEST_EXPANSION || this.#expanded <= 10 * offset;
  }

  isRecursive(name: string): boolean {
    return this.#sizeOf(name, new Set()) === Number.POSITIVE_INFINITY;
  }

  #sizeOf(name: string, above: Set<string>): number {
    const known = this.#sizes.get(name);
    if (known !== undefined) return known;
    if (above.has(name)) return Number.POSITIVE_INFINITY;
    const value = this.#declared.get(name)?.value ?? '';
    // As deep as anyone means to nest them; beyond it the stack would be ours.
    if (above.size > 500) return Number.POSITIVE_INFINITY;
    above.add(name);
    let size = value.length;
    for (const [whole, inner] of value.matchAll(REFERENCE)) {
      size += this.#sizeOf(inner!, above) - whole.length;
    }
    above.delete(name);
    this.#sizes.set(name, size);
    return size;
  }
}
