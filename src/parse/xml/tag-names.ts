/**
 * Raw tag names → the numbers of a format's tags.
 *
 * A format lists its tags once (`{'sitemap:loc': 3, 'image:loc': 12}`). What `<i:loc>` means depends on
 * the prefixes in scope, which rarely change: so each scope has a number, by which a {@link RawTag} knows whether its
 * meaning is still the same.
 *
 * The web does not spell namespaces well, so a namespace is known by its meaning: scheme, `www.`, case, white space and
 * a trailing slash do not count, nor does the version at its end. Only the exact spellings are free of a problem.
 * Prefixes that are undeclared, or bound to an unknown namespace, are read by their usual meaning.
 */
import type { ProblemList } from '../../problems/problem-list.ts';
import { clip } from '../../text/wording.ts';
import { asciiString, TextDecoding } from '../values/text.ts';
import type { Attributes } from './attributes.ts';

/** A vocabulary: the first part of the names in a format's table (`image:loc`). */
export type Vocabulary =
  | 'sitemap'
  | 'news'
  | 'image'
  | 'video'
  | 'xhtml'
  | 'rss'
  | 'atom'
  | 'rdf'
  | 'dc'
  | 'media';

/** What a namespace is taken for, and whether it was spelled exactly. */
interface NamespaceReading {
  readonly vocabulary: Vocabulary;
  readonly exact: boolean;
}

const GOOGLE = 'http://www.google.com/schemas/sitemap';
const EXACT: ReadonlyMap<string, Vocabulary> = new Map<string, Vocabulary>([
  ['http://www.sitemaps.org/schemas/sitemap/0.9', 'sitemap'],
  [`${GOOGLE}/0.84`, 'sitemap'],
  [`${GOOGLE}-news/0.9`, 'news'],
  [`${GOOGLE}-image/1.1`, 'image'],
  [`${GOOGLE}-video/1.1`, 'video'],
  ['http://www.w3.org/1999/xhtml', 'xhtml'],
  ['http://backend.userland.com/rss2', 'rss'],
  ['http://purl.org/rss/1.0/', 'rss'],
  ['http://my.netscape.com/rdf/simple/0.9/', 'rss'],
  ['http://channel.netscape.com/rdf/simple/0.9/', 'rss'],
  ['http://www.w3.org/2005/Atom', 'atom'],
  ['http://purl.org/atom/ns#', 'atom'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://search.yahoo.com/mrss/', 'media'],
]);

// Matched against the URI in lower case, without scheme, `www.` and white space.
const LOOSE: readonly (readonly [RegExp, Vocabulary])[] = [
  [/sitemap-news\b/, 'news'],
  [/sitemap-image\b/, 'image'],
  [/sitemap-video\b/, 'video'],
  [/^(?:sitemaps\.org|google\.com)\/schemas\/sitemap(?:\/|$)/, 'sitemap'],
  [/^w3\.org\/(?:1999|tr)\/xhtml/, 'xhtml'],
  [/^(?:backend|blogs)\.userland\.com\/rss/, 'rss'],
  // Not its modules, which live below its namespace (content:encoded, l:link, …).
  [/^purl\.org\/(?:net\/)?rss(?!\/1\.0\/modules)/, 'rss'],
  [/^purl\.org\/atom/, 'atom'],
  [/^w3\.org\/2005\/atom/, 'atom'],
  [/^w3\.org\/1999\/02\/22-rdf-syntax-ns/, 'rdf'],
  [/^purl\.org\/dc\/(?:elements|terms)/, 'dc'],
  [/^(?:search\.yahoo\.com|video\.search\.yahoo\.com)\/mrss/, 'media'],
];

/** What a declared namespace is taken for, if for anything. */
export function readNamespace(uri: string): NamespaceReading | undefined {
  const exact = EXACT.get(uri);
  if (exact !== undefined) return { vocabulary: exact, exact: true };
  const bare = uri
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:)?\/\//, '')
    .replace(/^www\./, '');
  for (const [pattern, vocabulary] of LOOSE) if (pattern.test(bare)) return { vocabulary, exact: false };
  return undefined;
}

/** What a prefix is taken for that no known namespace is declared for, if for anything. */
export function usualMeaning(prefix: string): Vocabulary | undefined {
  const name = prefix.toLowerCase();
  return LOOSE.find(([, vocabulary]) => vocabulary === name)?.[1];
}

/** The tags of a format, by vocabulary and local name in lower case. The numbers start at 1; 0 is "unknown". */
type TagTable = Readonly<Record<string, number>>;

/** Longer names are unknown without a look, and so are longer prefixes. */
const MAX_NAME_BYTES = 64;
/** How many scopes are remembered; real documents have one to five. */
const MAX_SCOPES = 64;
/** How much of the declarations of one tag is worth remembering. */
const MAX_KEY_LENGTH = 4096;
/** How many declarations may be in force at once; further ones are ignored. */
const MAX_BINDINGS = 256;
const MAX_URI_LENGTH = 256;
/** A namespace may be written in references to characters, which are longer than what they mean. */
const MAX_URI_BYTES = 8 * MAX_URI_LENGTH;

interface Binding {
  readonly uri: string;
  readonly reading: NamespaceReading | undefined;
}

let scopes = 0;

/**
 * What raw names mean below a tag that declares namespaces. It is found again by what the tag declares: no work is
 * done for the declarations further out, however many there are.
 */
class Scope {
  readonly number: number = ++scopes;
  /** What prefixes are bound to; those of the scopes further out are inherited. */
  readonly bindings: Record<string, Binding | undefined>;
  /** How many declarations are in force. */
  readonly declared: number;
  /** The namespace of names without a prefix, where it is one of web pages. */
  readonly pages: string | undefined;
  /** The scopes of tags inside of it, by what they declare. */
  readonly inner: Map<string, Scope> | undefined;

  constructor(outer: Scope | undefined, declarations: readonly Declaration[], isRemembered: boolean) {
    this.bindings = Object.create(outer?.bindings ?? null);
    for (const [prefix, uri] of declarations) this.bindings[prefix] = { uri, reading: readNamespace(uri) };
    const home = this.bindings['']?.uri;
    this.pages = home !== undefined && OF_WEB_PAGES.has(home) ? home : undefined;
    this.declared = (outer?.declared ?? 0) + declarations.length;
    this.inner = isRemembered ? new Map() : undefined;
  }
}

type Declaration = readonly [prefix: string, uri: string];

export class Names {
  readonly #tags: TagTable;
  readonly #home: Vocabulary;
  readonly #problems: ProblemList;
  /** The scopes that were left for those further in, each with the depth of the tag that this was for. */
  readonly #outer: { readonly scope: Scope; readonly depth: number }[] = [];
  #scopeCount = 0;
  readonly #decoding = new TextDecoding();
  readonly #reported = new Set<string>();
  /** The namespace of the root, whatever it is: what is in it belongs to the format. */
  #rootNamespace: string | undefined;
  readonly #outermost: Scope = new Scope(undefined, [], true);
  #scope = this.#outermost;
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
    return this.#isHome(this.#scope.bindings['']?.uri);
  }

  /** Whether names without a prefix are those of web pages here, in a document of another vocabulary. */
  get isInWebPage(): boolean {
    const { pages } = this.#scope;
    return pages !== undefined && pages !== this.#rootNamespace;
  }

  /** Whether a tag of the format may be one of a web page, too. */
  isInPages(tag: string): boolean {
    return !tag.startsWith(this.#home) || IN_WEB_PAGES.has(tag.slice(this.#home.length + 1));
  }

  /** Forgets what was declared by the tags of a web page that was never closed. */
  leaveWebPage(): void {
    while (this.isInWebPage && this.#deepest !== -1) this.leave(this.#deepest);
  }

  /** What names mean here: another number where they may mean something else, in any document. */
  get scope(): number {
    return this.#scope.number;
  }

  /** The number of the tag that these bytes name, or 0. */
  find(bytes: Uint8Array, start: number, end: number, offset: number): number {
    const length = end - start;
    if (length > MAX_NAME_BYTES || length === 0) return 0;
    return this.#resolve(asciiString(bytes, start, end), offset);
  }

  /** Takes in the namespaces that a tag declares; `depth` is the tag's own. */
  declare(attributes: Attributes, depth: number): void {
    if (!attributes.declareNamespaces) return;
    const declarations: Declaration[] = [];
    for (let index = 0; index < attributes.count; index++) {
      if (!attributes.declaresNamespace(index)) continue;
      if (this.#scope.declared + declarations.length >= MAX_BINDINGS) break;
      const name = attributes.name(index, MAX_NAME_BYTES + 1);
      if (name.length > MAX_NAME_BYTES || (name.length > 5 && name[5] !== ':')) continue;
      const uri = attributes.value(index, this.#decoding, MAX_URI_BYTES);
      // A prefix cannot be bound to no namespace.
      if (uri === '' && name.length > 5) continue;
      declarations.push([name.slice(6), uri.slice(0, MAX_URI_LENGTH)]);
    }
    if (declarations.length === 0) return;
    this.#outer.push({ scope: this.#scope, depth });
    this.#deepest = depth;
    this.#scope = this.#innerScope(declarations);
  }

  #innerScope(declarations: readonly Declaration[]): Scope {
    const key = JSON.stringify(declarations);
    const { inner } = this.#scope;
    const cached = inner?.get(key);
    if (cached !== undefined) return cached;
    const isRemembered = this.#scopeCount < MAX_SCOPES && key.length <= MAX_KEY_LENGTH && inner !== undefined;
    const scope = new Scope(this.#scope, declarations, isRemembered);
    if (isRemembered) {
      this.#scopeCount++;
      inner.set(key, scope);
    }
    return scope;
  }

  /** Forgets what was declared at `depth` or deeper. Asked at every tag, and there is hardly ever anything. */
  leave(depth: number): void {
    while (this.#deepest >= depth) {
      const outer = this.#outer.pop();
      if (outer !== undefined) this.#scope = outer.scope;
      this.#deepest = this.#outer.at(-1)?.depth ?? -1;
    }
  }

  /** Takes the root's namespace for the format's own, and says what is wrong with it. */
  enterRoot(rawName: string, offset: number): void {
    const colon = rawName.indexOf(':');
    const prefix = colon === -1 ? '' : rawName.slice(0, colon);
    const uri = this.#scope.bindings[prefix]?.uri ?? '';
    this.#rootNamespace = uri;
    // Undeclared, it is that of the format's own names all the same, behind the root too.
    if (uri === '') this.#outermost.bindings[prefix] = { uri, reading: undefined };
    this.#checkCase(rawName, offset);
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
    const localName = rawName.slice(rawName.indexOf(':') + 1);
    if (localName === localName.toLowerCase() || MIXED_CASE.has(localName)) return;
    this.#problems.addOnce(
      'upper-case-tag',
      `Tags are written as <${rawName}>; their case was ignored.`,
      offset,
    );
  }

  #vocabularyOf(prefix: string, local: string, offset: number): Vocabulary | undefined {
    const binding = this.#scope.bindings[prefix];
    if (binding === undefined ? prefix === '' : this.#isHome(binding.uri)) return this.#home;
    // No page has such a tag, so those of a page around it were never closed.
    if (prefix === '' && this.isInWebPage && this.#isOurs(local)) return this.#home;
    const reading = binding?.reading;
    if (reading === undefined) return this.#usualMeaning(prefix, local, binding?.uri, offset);
    if (!reading.exact && this.#tags[`${reading.vocabulary}:${local}`] !== undefined)
      this.#wrongNamespace(binding!.uri, offset);
    return isAtHome(reading.vocabulary, this.#home) ? this.#home : reading.vocabulary;
  }

  #usualMeaning(
    prefix: string,
    local: string,
    uri: string | undefined,
    offset: number,
  ): Vocabulary | undefined {
    const meaning = usualMeaning(prefix);
    if (meaning === undefined || this.#tags[`${meaning}:${local}`] === undefined) return undefined;
    if (uri !== undefined) {
      // Something else has the name where the extension has another prefix.
      const { bindings } = this.#scope;
      for (const other in bindings) if (bindings[other]?.reading?.vocabulary === meaning) return undefined;
      this.#wrongNamespace(uri, offset);
    } else if (!this.#reported.has(prefix)) {
      this.#reported.add(prefix);
      this.#problems.add(
        'undeclared-prefix',
        `The prefix "${prefix}:" is used but never declared; it was read as the ${meaning} extension.`,
        offset,
      );
    }
    return meaning;
  }

  /** Whether the format has a tag of this name, and web pages do not. */
  #isOurs(local: string): boolean {
    const tag = `${this.#home}:${local}`;
    return this.#tags[tag] !== undefined && !this.isInPages(tag);
  }

  #isHome(uri: string | undefined): boolean {
    return uri === undefined || uri === '' || uri === this.#rootNamespace;
  }

  #wrongNamespace(uri: string, offset: number): void {
    if (this.#reported.has(uri) || this.#reported.size > 100) return;
    this.#reported.add(uri);
    const message = `The namespace "${clip(uri, 200)}" is not exactly the right one; it was read as if it were.`;
    this.#problems.add('wrong-namespace', message, offset, undefined, uri);
  }
}

// RSS 1.0 wraps items of the RSS vocabulary in a root of RDF's.
function isAtHome(vocabulary: Vocabulary, home: Vocabulary): boolean {
  return vocabulary === home || (home === 'rss' && vocabulary === 'rdf');
}

/** Names that are written with capitals by their own specifications. */
const MIXED_CASE = new Set(['RDF', 'pubDate', 'starRating']);

/** Namespaces that are not ours, and are in feeds all the same, with the text of pages. */
const OF_WEB_PAGES = new Set([
  'http://www.w3.org/1999/xhtml',
  'http://www.w3.org/2000/svg',
  'http://www.w3.org/1998/Math/MathML',
]);

/** Names of ours that web pages have, too. */
const IN_WEB_PAGES = new Set(['image', 'link', 'source', 'summary', 'title', 'video']);
