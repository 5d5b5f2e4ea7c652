/**
 * Raw tag names → the numbers of a format's tags.
 *
 * A format lists its tags once (`{'sitemap:loc': 3, 'image:loc': 12}`). What `<i:loc>` means depends on
 * the prefixes in scope, which rarely change: so each scope remembers, by the bytes of the raw name, what
 * it resolved to, and a frequent tag costs one look-up in a small table and no string.
 */
import type { ProblemList } from '../../problems/problem-list.ts';
import { asciiString, TextDecoding } from '../values/text.ts';
import type { Attributes } from './attributes.ts';
import { readNamespace, usualMeaning, type Vocabulary } from './namespaces.ts';

/** The tags of a format, by vocabulary and local name in lower case. The numbers start at 1; 0 is "unknown". */
export type TagTable = Readonly<Record<string, number>>;

/** Longer names are unknown without a look. */
const MAX_NAME_BYTES = 64;
/** So many raw names a scope remembers; the rest are resolved each time. */
const MAX_REMEMBERED = 256;
const SLOTS = 1024;
/** So many scopes are remembered; real documents have one to five. */
const MAX_SCOPES = 64;
/** So deep may namespaces be declared inside each other, and so many prefixes be bound at once. */
const MAX_BINDINGS = 256;
const MAX_URI_LENGTH = 256;

/** What a scope remembers of a raw name. */
interface Remembered {
  readonly bytes: Uint8Array;
  readonly tag: number;
}

/** Prefixes and the namespaces they are bound to, and what raw names mean under them. */
class Scope {
  readonly bindings: ReadonlyMap<string, string>;
  readonly slots: (Remembered | undefined)[] = new Array<Remembered | undefined>(SLOTS).fill(undefined);
  count = 0;

  constructor(bindings: ReadonlyMap<string, string>) {
    this.bindings = bindings;
  }
}

/** Resolves the tag names of one document. */
export class Names {
  readonly #tags: TagTable;
  readonly #home: Vocabulary;
  readonly #problems: ProblemList;
  readonly #scopes = new Map<string, Scope>();
  readonly #outer: { readonly scope: Scope; readonly depth: number }[] = [];
  readonly #decoding = new TextDecoding();
  readonly #reported = new Set<string>();
  /** The namespace of the root, whatever it is: what is in it belongs to the format. */
  #rootNamespace: string | undefined;
  #scope: Scope = new Scope(new Map());
  /** The depth at which namespaces were declared last, or -1. */
  #deepest = -1;

  /** `home` is the vocabulary of the format itself: what names without a namespace belong to. */
  constructor(tags: TagTable, home: Vocabulary, problems: ProblemList) {
    this.#tags = tags;
    this.#home = home;
    this.#problems = problems;
  }

  /** Whether names without a prefix are the format's own, and nothing is wrong with that. */
  get isHomeUnprefixed(): boolean {
    return this.#isHome(this.#scope.bindings.get(''));
  }

  /** The number of the tag that these bytes name, or 0. */
  find(bytes: Uint8Array, start: number, end: number, offset: number): number {
    const length = end - start;
    if (length > MAX_NAME_BYTES || length === 0) return 0;
    const slots = this.#scope.slots;
    // Length and three letters tell the names of our formats apart; a real hash costs twice as much a tag.
    let slot =
      (length * 67 + bytes[start]! * 31 + bytes[start + (length >> 1)]! * 7 + bytes[end - 1]!) & (SLOTS - 1);
    for (;;) {
      const known = slots[slot];
      if (known === undefined) break;
      if (isSame(known.bytes, bytes, start, length)) return known.tag;
      slot = (slot + 1) & (SLOTS - 1);
    }
    const tag = this.#resolve(asciiString(bytes, start, end), offset);
    if (this.#scope.count < MAX_REMEMBERED) {
      this.#scope.count++;
      slots[slot] = { bytes: bytes.slice(start, end), tag };
    }
    return tag;
  }

  /** Takes in the namespaces that a tag declares; `depth` is the tag's own. */
  declare(attributes: Attributes, depth: number): void {
    if (this.#outer.length >= MAX_BINDINGS) return;
    let bindings: Map<string, string> | undefined;
    for (let index = 0; index < attributes.count; index++) {
      if (!attributes.declaresNamespace(index)) continue;
      const name = attributes.name(index);
      if (name.length > 5 && name[5] !== ':') continue;
      bindings ??= new Map(this.#scope.bindings);
      if (bindings.size < MAX_BINDINGS) {
        bindings.set(name.slice(6), attributes.value(index, this.#decoding).slice(0, MAX_URI_LENGTH));
      }
    }
    if (bindings === undefined) return;
    this.#outer.push({ scope: this.#scope, depth });
    this.#deepest = depth;
    const key = JSON.stringify([...bindings]);
    let scope = this.#scopes.get(key);
    if (scope === undefined) {
      scope = new Scope(bindings);
      if (this.#scopes.size < MAX_SCOPES) this.#scopes.set(key, scope);
    }
    this.#scope = scope;
  }

  /** Forgets what was declared at `depth` or deeper. Asked at every tag, and there is hardly ever anything. */
  leave(depth: number): void {
    if (this.#deepest < depth) return;
    for (;;) {
      const last = this.#outer.at(-1);
      this.#deepest = last?.depth ?? -1;
      if (last === undefined || last.depth < depth) return;
      this.#scope = last.scope;
      this.#outer.pop();
    }
  }

  /** Takes the root's namespace for the format's own, and says what is wrong with it. */
  enterRoot(rawName: string, offset: number): void {
    const colon = rawName.indexOf(':');
    const prefix = colon === -1 ? '' : rawName.slice(0, colon);
    const uri = this.#scope.bindings.get(prefix) ?? '';
    this.#rootNamespace = uri;
    this.#checkCase(rawName, offset);
    // Names that were looked up while the root was not known yet may mean something else now.
    for (const scope of [this.#scope, ...this.#scopes.values()]) {
      scope.slots.fill(undefined);
      scope.count = 0;
    }
    if (uri === '') {
      if (this.#home === 'rss' && prefix === '') return;
      this.#problems.addOnce(
        'missing-namespace',
        'The root has no namespace; it was read all the same.',
        offset,
      );
      return;
    }
    const reading = readNamespace(uri);
    if (reading?.exact === true && isAtHome(reading.vocabulary, this.#home)) return;
    this.#wrongNamespace(uri, offset);
  }

  #resolve(rawName: string, offset: number): number {
    const name = rawName.toLowerCase();
    const colon = name.indexOf(':');
    const prefix = colon === -1 ? '' : rawName.slice(0, colon);
    const local = colon === -1 ? name : name.slice(colon + 1);
    const vocabulary = this.#vocabularyOf(prefix, local, offset);
    if (vocabulary === undefined) return 0;
    const tag = this.#tags[`${vocabulary}:${local}`] ?? 0;
    if (tag !== 0) this.#checkCase(rawName, offset);
    return tag;
  }

  #checkCase(rawName: string, offset: number): void {
    const written = rawName.slice(rawName.indexOf(':') + 1);
    if (written === written.toLowerCase() || MIXED_CASE.has(written)) return;
    this.#problems.addOnce(
      'upper-case-tag',
      `Tags are written as <${rawName}>; their case was ignored.`,
      offset,
    );
  }

  #vocabularyOf(prefix: string, local: string, offset: number): Vocabulary | undefined {
    const uri = this.#scope.bindings.get(prefix);
    if (uri === undefined && prefix !== '') {
      const meaning = usualMeaning(prefix);
      if (meaning === undefined || this.#tags[`${meaning}:${local}`] === undefined) return undefined;
      if (!this.#reported.has(prefix)) {
        this.#reported.add(prefix);
        this.#problems.add(
          'undeclared-prefix',
          `The prefix "${prefix}:" is used but never declared; it was read as the ${meaning} extension.`,
          offset,
        );
      }
      return meaning;
    }
    if (this.#isHome(uri)) return this.#home;
    const reading = readNamespace(uri);
    if (reading === undefined) return undefined;
    if (!reading.exact && this.#tags[`${reading.vocabulary}:${local}`] !== undefined)
      this.#wrongNamespace(uri, offset);
    return isAtHome(reading.vocabulary, this.#home) ? this.#home : reading.vocabulary;
  }

  #isHome(uri: string | undefined): uri is '' | undefined {
    return uri === undefined || uri === '' || uri === this.#rootNamespace;
  }

  #wrongNamespace(uri: string, offset: number): void {
    if (this.#reported.has(uri) || this.#reported.size > 100) return;
    this.#reported.add(uri);
    this.#problems.add(
      'wrong-namespace',
      `The namespace "${uri.slice(0, 200)}" is not exactly the right one; it was read by its meaning.`,
      offset,
    );
  }
}

// RSS 1.0 wraps items of the RSS vocabulary in a root of RDF's.
function isAtHome(vocabulary: Vocabulary, home: Vocabulary): boolean {
  return vocabulary === home || (home === 'rss' && vocabulary === 'rdf');
}

/** Names that are written with capitals by their own specifications. */
const MIXED_CASE = new Set(['RDF', 'pubDate', 'starRating']);

function isSame(known: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (known.length !== length) return false;
  for (let at = 0; at < length; at++) if (known[at] !== bytes[start + at]) return false;
  return true;
}
