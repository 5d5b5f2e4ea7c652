/**
 * All the ways in which XML lets one say the same: prefixes, quotes, entities, CDATA, comments, instructions, unknown
 * tags, white space. Which one is taken is read from a tape of choices, which fast-check makes and shrinks: a shorter
 * tape with smaller numbers is a simpler document (0 is the plain choice, and a tape that ran out reads as zeros).
 */
import { NAMESPACES, type Vocabulary } from './saxes-extraction.ts';

export type Attributes = readonly (readonly [name: string, value: string])[];

const PREFIXES = ['s', 'image', 'news', 'video', 'xhtml', 'n1', 'a-b.c', 'ü', '_', 'loc', 'url'];
const UNKNOWN = ['zork', 'plugh', 'x-y.z', 'größe', 'locs', 'ur', 'lastmodified', 'i'.repeat(40)];
/** Known names, which mean nothing in a namespace that is not ours. */
const LOOK_ALIKES = ['loc', 'url', 'title', 'link', 'urlset', 'item', 'image'];
const COMMENTS = ['', ' x ', ' <url><loc>https://example.org/no</loc></url> ', '- &amp; "', ' ]]> ?> ', "'>"];
const INSTRUCTIONS = ['p', 'p x="1"', 'p ? > ?', 'p <loc>no</loc> &', 'xml-stylesheet href="s.xsl"', 'p "'];
const SPACES = ['', ' ', '\n', '\t', '\r\n  ', '\n\n\n'];
const JUNK = ['', 'text', 'a &amp; b', '&#233;&#x1F600;', '<![CDATA[<url>&]]]]>', '日本語', '1 > 0', '"\''];
const JUNK_ATTRIBUTES = ['', 'x="1"', "x-y = '\">&lt;/>'", 'ü="&#10;\n&amp;"'];

/** Writes well-formed XML, as the tape has it. */
export class XmlWriter {
  readonly #tape: Uint8Array;
  #at = 0;
  readonly #pool: string[];
  /** The prefix that a vocabulary has in scope; '' is the default namespace. */
  readonly prefixes: Map<Vocabulary, string> = new Map();

  constructor(tape: Uint8Array) {
    this.#tape = tape;
    const turn = this.choice(PREFIXES.length);
    this.#pool = [...PREFIXES.slice(turn), ...PREFIXES.slice(0, turn)].reverse();
  }

  tag(vocabulary: Vocabulary, local: string, content: () => string, attributes: Attributes = []): string {
    const outer = this.prefixes.get(vocabulary);
    const prefix = outer ?? (this.choice(2) === 0 ? '' : this.newPrefix());
    this.prefixes.set(vocabulary, prefix);
    const all = outer === undefined ? [...attributes, declarationOf([vocabulary, prefix])] : attributes;
    const name = prefix === '' ? local : `${prefix}:${local}`;
    const written = all
      .map(([key, value]) => ` ${key}${this.pick(['=', ' = '])}${this.#quoted(value)}`)
      .join('');
    const inside = content();
    if (outer === undefined) this.prefixes.delete(vocabulary);
    const start = `<${name}${written}${this.pick(['', ' ', '\n'])}`;
    return inside === '' && this.choice(2) === 0
      ? `${start}/>`
      : `${start}>${inside}</${name}${this.pick(['', ' '])}>`;
  }

  /** One value, as text, entities, CDATA, with comments, instructions and unknown tags in between. */
  text(value: string): string {
    const characters = [...value];
    let out = '';
    while (characters.length > 0) {
      const run = characters.splice(0, characters.length - this.choice(characters.length));
      const mode = this.choice(9);
      if (mode === 1) out += this.#references(run);
      else if (mode === 2) out += `<![CDATA[${run.join('').replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
      else if (mode === 3) out += `${this.#remark()}${run.map(escaped).join('')}`;
      else if (mode === 4) out += this.#unknown(run.map(escaped).join(''));
      else out += run.map(escaped).join('');
    }
    return out;
  }

  #quoted(value: string): string {
    const quote = this.pick(['"', "'"]);
    if (this.choice(3) === 1) return `${quote}${this.#references([...value])}${quote}`;
    const plain = (character: string) =>
      character === quote || character === '&' || character === '<' ? escaped(character) : character;
    return `${quote}${[...value].map(plain).join('')}${quote}`;
  }

  /** How a run of characters is written as numeric entities: one choice a run, or the tape would be used up by it. */
  #references(run: readonly string[]): string {
    const style = this.choice(3);
    const written = (code: number) =>
      style === 0
        ? `${code}`
        : style === 1
          ? `x${code.toString(16)}`
          : `x00${code.toString(16).toUpperCase()}`;
    return run.map((character) => `&#${written(character.codePointAt(0) ?? 0)};`).join('');
  }

  noise(depth: number): string {
    const mode = this.choice(8);
    if (mode === 1) return this.misc();
    if (mode === 2 && depth > 0) {
      const junk = `${this.noise(depth - 1)}${this.pick(JUNK)}${this.noise(depth - 1)}`;
      const rebound = this.pick(['', ' xmlns="urn:example:other"', ' xmlns=""']);
      return rebound === '' ? this.#unknown(junk) : this.#plain(this.pick(UNKNOWN), rebound, junk);
    }
    return mode < 6 ? this.space() : '';
  }

  /** What may stand anywhere outside a tag, even before the root. */
  misc(): string {
    return this.choice(3) === 0 ? this.space() : this.#remark();
  }

  #remark(): string {
    return this.choice(2) === 0 ? `<!--${this.pick(COMMENTS)}-->` : `<?${this.pick(INSTRUCTIONS)}?>`;
  }

  wrapped(xml: string): string {
    return this.choice(12) === 1 ? this.#unknown(xml) : xml;
  }

  /** A tag of no meaning; it rebinds nothing that what it holds may need. */
  #unknown(content: string): string {
    if (this.choice(2) === 0) return this.#plain(this.pick(UNKNOWN), '', content);
    const name = this.choice(4) === 0 ? this.pick(LOOK_ALIKES) : this.pick(UNKNOWN);
    return this.#plain(`q9:${name}`, ' xmlns:q9="urn:example:q9"', content);
  }

  #plain(name: string, declaration: string, content: string): string {
    const start = `<${name}${declaration} ${this.pick(JUNK_ATTRIBUTES)}`;
    return content === '' ? `${start}/>` : `${start}>${content}</${name}>`;
  }

  space(): string {
    return this.pick(SPACES);
  }

  newPrefix(): string {
    return this.#pool.pop() ?? `p${this.#at}`;
  }

  choice(options: number): number {
    return options < 2 ? 0 : (this.#tape[this.#at++] ?? 0) % options;
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.choice(values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  times<Value>(fewerThan: number, make: () => Value): Value[] {
    return Array.from({ length: this.choice(fewerThan) }, make);
  }

  shuffled<Value>(values: readonly Value[]): Value[] {
    const rest = [...values];
    return values.flatMap(() => rest.splice(this.choice(rest.length), 1));
  }
}

/** The attribute that binds a prefix. */
export function declarationOf([vocabulary, prefix]: readonly [Vocabulary, string]): readonly [
  string,
  string,
] {
  return [prefix === '' ? 'xmlns' : `xmlns:${prefix}`, NAMESPACES[vocabulary]];
}

// `]]>` may not stand in text, so every `>` is escaped there; attributes hold the literal ones.
function escaped(character: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': 'amp',
    '<': 'lt',
    '>': 'gt',
    '"': 'quot',
    "'": 'apos',
  };
  const name = names[character];
  return name === undefined ? character : `&${name};`;
}
