/** One start tag with attributes: its syntax, repeated attributes, and the namespaces that it declares and uses. */
import {
  AMPERSAND,
  CONTROL,
  HIGH,
  isXmlSpace,
  MORE,
  nameEnd,
  PLAIN,
  plainTextEnd,
  skipSpace,
  TEXT_CLASS,
  textOf,
  type XmlName,
  type XmlNames,
} from './characters.ts';
import { quoted } from './fault.ts';
import { readCharacter } from './markup-sections.ts';
import { type ReferenceContext, readReference } from './references.ts';

const EQUALS = 0x3d;
const DOUBLE = 0x22;
const SINGLE = 0x27;
const GREATER = 0x3e;
const SLASH = 0x2f;
const LESS = 0x3c;
const XMLNS = 'http://www.w3.org/2000/xmlns/';
const XML = 'http://www.w3.org/XML/1998/namespace';

export interface XmlTagEnd {
  /** The place of the `>`, or of the `<` that cuts it. */
  readonly at: number;
  readonly isCut: boolean;
  /** Whether it is cut inside a quoted value. */
  readonly isInValue: boolean;
}

/** The end of the tag whose inside begins at a place; undefined if the bytes end before. */
export function findTagEnd(bytes: Uint8Array, from: number, end: number): XmlTagEnd | undefined {
  for (let at = from; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === GREATER) return { at, isCut: false, isInValue: false };
    if (byte === LESS) return { at, isCut: true, isInValue: false };
    // A quote only opens a value behind "=": <a b'> has none.
    if ((byte === DOUBLE || byte === SINGLE) && isBehindEquals(bytes, at, from)) {
      at++;
      while (at < end && bytes[at] !== byte && bytes[at] !== LESS) at++;
      if (at < end && bytes[at] === LESS) return { at, isCut: true, isInValue: true };
    }
  }
  return undefined;
}

function isBehindEquals(bytes: Uint8Array, quote: number, from: number): boolean {
  let at = quote - 1;
  while (at > from && isXmlSpace(bytes[at])) at--;
  return bytes[at] === EQUALS;
}

let scopes = 0;

/** The namespace prefixes that are declared where the reader is; a lookup costs the same however many there are. */
export class Prefixes {
  /** Another number where a prefix may mean something else, in any document. */
  scope: number = ++scopes;
  readonly #namespaces = new Map<string, string>([['xml', XML]]);
  /** What was declared, with what the prefix stood for before. */
  readonly #declared: {
    readonly depth: number;
    readonly prefix: string;
    readonly before: string | undefined;
  }[] = [];
  readonly #reported = new Set<string>();

  declare(depth: number, prefix: string, uri: string): void {
    this.scope = ++scopes;
    this.#declared.push({ depth, prefix, before: this.#namespaces.get(prefix) });
    this.#namespaces.set(prefix, uri);
  }

  /** Forgets what elements deeper than this have declared. */
  leave(depth: number): void {
    for (
      let last = this.#declared.at(-1);
      last !== undefined && last.depth > depth;
      last = this.#declared.at(-1)
    ) {
      this.#declared.pop();
      this.scope = ++scopes;
      if (last.before === undefined) this.#namespaces.delete(last.prefix);
      else this.#namespaces.set(last.prefix, last.before);
    }
  }

  uriOf(prefix: string): string | undefined {
    return this.#namespaces.get(prefix);
  }

  /** Whether an undeclared prefix is new: each is reported once, since one missing declaration is one mistake. */
  isNew(prefix: string): boolean {
    if (this.#reported.has(prefix) || this.#reported.size >= 1000) return false;
    this.#reported.add(prefix);
    return true;
  }
}

export interface TagContext extends ReferenceContext {
  readonly prefixes: Prefixes;
  readonly names: XmlNames;
  readonly attributes: AttributeList;
  readonly depth: number;
}

/** The attributes of the tag that is being read; one list for all tags, so that none is made for each. */
export class AttributeList {
  length = 0;
  hasPrefix = false;
  readonly names: XmlName[] = [];
  readonly places: number[] = [];
  /** The same names, for a tag with many: comparing each with each would be quadratic. */
  #set: Set<string> | undefined;

  clear(): void {
    this.length = 0;
    this.hasPrefix = false;
    this.#set = undefined;
  }

  /** Adds one; false if it is there already. */
  add(name: XmlName, at: number): boolean {
    if (this.length === 8) this.#set = new Set(this.names.slice(0, 8).map(({ text }) => text));
    const isKnown = this.#set === undefined ? this.#has(name) : this.#set.has(name.text);
    if (isKnown) return false;
    this.#set?.add(name.text);
    this.hasPrefix ||= name.prefix !== undefined;
    this.names[this.length] = name;
    this.places[this.length++] = at;
    return true;
  }

  #has(name: XmlName): boolean {
    for (let index = 0; index < this.length; index++) {
      const other = this.names[index]!;
      if (other === name || other.text === name.text) return true;
    }
    return false;
  }
}

/**
 * Where a tag ends whose attributes, from `start` on, are in the usual way of writing, with plain values and without
 * prefixes; `MORE` where they must be looked at.
 */
export function plainAttributesEnd(
  { attributes, names }: TagContext,
  bytes: Uint8Array,
  view: DataView,
  start: number,
  end: number,
): number {
  attributes.clear();
  for (let before = start; ; ) {
    const at = skipSpace(bytes, before, end);
    if (at + 1 >= end) return MORE;
    if (bytes[at] === GREATER) return at + 1;
    if (bytes[at] === SLASH) return bytes[at + 1] === GREATER ? at + 2 : MORE;
    const to = nameEnd(bytes, at, end);
    if (at === before || to === at || to + 1 >= end || bytes[to] !== EQUALS) return MORE;
    const name = names.at(bytes, at, to);
    if (!name.isValid || name.prefix !== undefined || name.text === 'xmlns' || !attributes.add(name, at))
      return MORE;
    const quote = bytes[to + 1]!;
    if (quote !== DOUBLE && quote !== SINGLE) return MORE;
    const close = plainTextEnd(bytes, view, to + 2, end, quote);
    if (close >= end || bytes[close] !== quote) return MORE;
    before = close + 1;
  }
}

export function readAttributes(context: TagContext, bytes: Uint8Array, from: number, end: number): void {
  const { fault, attributes, names } = context;
  attributes.clear();
  for (let at = skipSpace(bytes, from, end); at < end; at = skipSpace(bytes, at, end)) {
    if (!isXmlSpace(bytes[at - 1])) {
      fault('attribute-syntax', 'There must be a space before this attribute.', at);
    }
    const to = nameEnd(bytes, at, end);
    const name = to === at ? undefined : names.at(bytes, at, to);
    if (name?.isValid !== true) {
      const behind = wordEnd(bytes, at, end);
      const start = at;
      const message = () =>
        `${quoted(textOf(bytes, start, behind))} is not an attribute: write name="value".`;
      fault('attribute-syntax', message, at);
      at = behind;
      continue;
    }
    if (!attributes.add(name, at)) {
      fault('attribute-repeated', () => `The attribute "${name.text}" is already in this tag: keep one.`, at);
    }
    at = readValue(context, bytes, name.text, at, to, end);
  }
  if (attributes.hasPrefix) checkPrefixes(context);
}

function readValue(
  context: TagContext,
  bytes: Uint8Array,
  name: string,
  from: number,
  to: number,
  end: number,
): number {
  const { fault } = context;
  const equals = skipSpace(bytes, to, end);
  if (bytes[equals] !== EQUALS || equals >= end) {
    const message = () => `The attribute "${name}" has no value: write ${name}="…".`;
    fault('attribute-syntax', message, from);
    return to;
  }
  const open = skipSpace(bytes, equals + 1, end);
  const quote = bytes[open];
  if (open >= end || (quote !== DOUBLE && quote !== SINGLE)) {
    const behind = open >= end ? end : wordEnd(bytes, open, end);
    fault(
      'attribute-syntax',
      () => `The value of "${name}" must be in quotes: ${name}=${quoted(textOf(bytes, open, behind))}.`,
      open < end ? open : from,
    );
    return behind;
  }
  let close = open + 1;
  while (close < end) {
    const kind = TEXT_CLASS[bytes[close]!]!;
    if (kind === PLAIN) {
      if (bytes[close] === quote) break;
      close++;
    } else close = readOdd(context, bytes, close, end, kind);
  }
  // Without a closing quote the tag is cut by the next "<", which is reported there.
  if (close >= end) return end;
  if (name.startsWith('xmlns')) declare(context, name, textOf(bytes, open + 1, close), from);
  return close + 1;
}

/** One byte of a value that is not plain: a reference, or a character to look at. */
function readOdd(context: TagContext, bytes: Uint8Array, at: number, end: number, kind: number): number {
  if (kind === HIGH || kind === CONTROL) return readCharacter(context, bytes, at, end, true);
  return kind === AMPERSAND ? readReference(context, bytes, at, end, 'attribute') : at + 1;
}

/** The end of what a person would take for one word of a tag. */
function wordEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && !isXmlSpace(bytes[at])) at++;
  return at === from ? from + 1 : at;
}

function declare({ prefixes, depth, fault }: TagContext, name: string, value: string, at: number): void {
  const uri = value.trim();
  if (name === 'xmlns') {
    prefixes.declare(depth, '', uri);
    if (uri === XML || uri === XMLNS)
      fault('bad-namespace', `The namespace ${quoted(uri)} cannot be the default one.`, at);
    return;
  }
  if (name[5] !== ':') return;
  const prefix = name.slice(6);
  if (uri === '') fault('bad-namespace', `The prefix "${prefix}" is declared with an empty namespace.`, at);
  else if (prefix === 'xmlns' || (prefix === 'xml') !== (uri === XML) || uri === XMLNS) {
    fault(
      'bad-namespace',
      `The prefix "${prefix}" cannot be declared with the namespace ${quoted(uri)}.`,
      at,
    );
  }
  prefixes.declare(depth, prefix, uri === '' ? ' ' : uri);
}

function checkPrefixes(context: TagContext): void {
  const { fault, prefixes, attributes } = context;
  const used = new Map<string, Set<string>>();
  for (let index = 0; index < attributes.length; index++) {
    const name = attributes.names[index]!;
    if (name.prefix === undefined || name.prefix === 'xmlns') continue;
    const at = attributes.places[index]!;
    checkPrefix(context, name, at);
    const uri = prefixes.uriOf(name.prefix);
    if (uri === undefined) continue;
    const local = name.text.slice(name.prefix.length + 1);
    const uris = used.get(local);
    if (uris === undefined) used.set(local, new Set([uri]));
    else if (uris.has(uri)) {
      const message = `The attribute "${name.text}" is in this tag twice, with two prefixes of one namespace.`;
      fault('attribute-repeated', message, at);
    } else uris.add(uri);
  }
}

export function checkPrefix({ fault, prefixes }: TagContext, name: XmlName, at: number): void {
  const { text, prefix = '', isQualified } = name;
  if (!isQualified) {
    const message = () =>
      `${quoted(text)} is not a name with a prefix: one ":" between two names is allowed.`;
    fault('bad-name', message, at);
  } else if (prefixes.uriOf(prefix) === undefined && prefixes.isNew(prefix)) {
    const message =
      `The prefix "${prefix}" of ${quoted(text)} is not declared: add xmlns:${prefix}="…" to the root ` +
      'element.';
    fault('undeclared-prefix', message, at);
  }
}
