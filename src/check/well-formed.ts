/**
 * Checks whether a document is well-formed XML 1.0 with namespaces, and finds the places that an XML parser would
 * refuse.
 *
 * The parser of this library accepts nearly everything; other programs do not. This reader is as strict as they are,
 * except inside a DOCTYPE, which sitemaps do not need: there it looks only for forbidden characters. After a fault it
 * continues, so that one `&` does not hide the next.
 *
 * It takes the text as UTF-8 in chunks of any size. For regular expressions the bytes become a string with one
 * character for each byte, so indexes in it are offsets. A token that has not arrived as a whole waits for more, up to
 * a limit.
 */
import { latin1String } from '../parse/values/text.ts';
import { isName, nameEnd } from './xml/characters.ts';
import { excerpt, type FaultCode, quoted, type ReportFault } from './xml/fault.ts';
import { checkDeclaration, checkInstruction, doctypeEnd } from './xml/prolog.ts';
import { checkReference, type Entities, entitiesOf } from './xml/references.ts';
import { checkAttributes, checkPrefix, Prefixes, tagEnd } from './xml/tag.ts';

/** A tag, text or comment that is longer is refused; libxml2 refuses those of more than 10 million bytes. */
const LONGEST_TOKEN = 8 * 1024 * 1024;
/** libxml2 refuses deeper documents, and the parser of this library stops at the same depth. */
const MOST_LEVELS = 256;
/** Returned if more bytes are needed to go on. */
const MORE = -1;

/** Must be checked everywhere: references, the end of CDATA, and characters that XML forbids. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML forbids.
const SPECIAL = /&|\]\]>|[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]/g;
const NOT_SPACE = /[^ \t\r\n]/g;
const LITERAL = `(?:"[^"]*"|'[^']*')`;
/** The text between the brackets is not checked. */
const DOCTYPE = new RegExp(
  `^<!DOCTYPE\\s+[^\\s[<>"']+(?:\\s+(?:SYSTEM|PUBLIC\\s+${LITERAL})\\s+${LITERAL})?\\s*(?:\\[[^]*\\]\\s*)?>$`,
);
const NAME_START = /[A-Za-z_:\x80-\xff]/;

const SPACE = '[ \\t\\r\\n]';
const NAME = '[A-Za-z_][\\w.-]*';
const NOT_SIMPLE = '<&\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\xef';
const SIMPLE_TEXT = `[^\\]${NOT_SIMPLE}]*(?:&(?:amp|lt|gt|quot|apos);[^\\]${NOT_SIMPLE}]*)*`;
/** How many levels the fast path reads: an entry, a video or news story, its publication, and the name of that. */
const SIMPLE_LEVELS = 4;
/** How many prefixes the pattern has; elements with other prefixes take the slow path. */
const MOST_PREFIXES = 8;

/**
 * The fast path matches elements in which nothing can be wrong. They have at most four attributes, each once and
 * without a prefix. Elements have no prefix, or one that is declared.
 */
function simpleElements(prefixes: readonly string[]): RegExp {
  const name = prefixes.length === 0 ? NAME : `(?:(?:${prefixes.join('|')}):)?${NAME}`;
  let groups = 0;
  const element = (levels: number): string => {
    const tag = ++groups;
    const attribute = ++groups;
    const attributes =
      `(?:${SPACE}+(?!xmlns)(${NAME})="[^"${NOT_SIMPLE}]*"` +
      `(?![^<>]*${SPACE}\\${attribute}${SPACE}*=)){0,4}`;
    const inside = levels === 1 ? SIMPLE_TEXT : `(?:${SIMPLE_TEXT}|(?:${element(levels - 1)})+${SPACE}*)`;
    return `${SPACE}*<(${name})${attributes}${SPACE}*(?:/>|>${inside}</\\${tag}>)`;
  };
  return new RegExp(`(?:${element(SIMPLE_LEVELS)})+`, 'y');
}

/** The last pattern, with its prefixes: most documents of a site have the same ones. */
let lastSimple = { prefixes: '', pattern: simpleElements([]) };

function simpleElementsFor(declared: readonly string[]): RegExp {
  const usual = declared.filter((prefix) => /^[A-Za-z_]\w*$/.test(prefix)).slice(0, MOST_PREFIXES);
  const prefixes = usual.join(' ');
  if (prefixes !== lastSimple.prefixes) lastSimple = { prefixes, pattern: simpleElements(usual) };
  return lastSimple.pattern;
}

type Section = 'a comment' | 'CDATA' | 'an instruction';

/** Reads one document: {@link write} its bytes, then {@link end}. Faults are reported as they are found. */
export class WellFormedReader {
  readonly #report: ReportFault;
  /** The text that is not read yet, and the offset of its start. */
  #text = '';
  #base = 0;
  /** How long the text must be before the next attempt; doubled each time, so that the work is linear. */
  #needed = 0;
  #isFinal = false;
  /** True once nothing more is read. */
  #isOver = false;
  /** The elements that are open, and where their start tags are. */
  readonly #names: string[] = [];
  readonly #offsets: number[] = [];
  readonly #prefixes = new Prefixes();
  /** The pattern of the fast path, with the prefixes of the root. */
  #simple = lastSimple.pattern;
  #entities: Entities | undefined;
  /** Where the root element is; -1 before it. */
  #rootAt = -1;
  /** Whether text before and after the root was reported. */
  #reportedBefore = false;
  #reportedAfter = false;
  /** Where the last search has found {@link SPECIAL}. */
  #specialAt = -1;
  /** Whether the declaration names ASCII, and there was nothing else so far. */
  #isAsciiOnly = false;

  constructor(report: ReportFault) {
    this.#report = report;
  }

  readonly #fault: ReportFault = (code, message, at, related) =>
    this.#report(code, message, this.#base + at, related);

  get #hasRoot(): boolean {
    return this.#rootAt !== -1;
  }

  /** The offset up to which all faults were reported. */
  get readTo(): number {
    return this.#isOver ? Number.POSITIVE_INFINITY : this.#base;
  }

  /** Takes the next bytes of the text, which starts after a byte order mark. */
  write(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#text += latin1String(chunk);
    if (this.#text.length >= this.#needed) this.#run();
  }

  end(): void {
    this.#isFinal = true;
    if (!this.#isOver) this.#run();
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#names.length > 0) {
      const name = excerpt(this.#names.at(-1)!);
      this.#fault('truncated', `The document ends before </${name}>.`, 0, this.#offsets.at(-1));
    } else if (!this.#hasRoot) this.#report('no-root', 'The document has no root element.', 0);
  }

  #run(): void {
    const { length } = this.#text;
    this.#specialAt = -1;
    let at = 0;
    while (at < length && !this.#isOver) {
      const next = this.#token(at);
      if (next === MORE) break;
      at = next;
    }
    this.#text = this.#isOver ? '' : this.#text.slice(at);
    this.#base += at;
    this.#needed = 2 * this.#text.length;
    if (this.#text.length > LONGEST_TOKEN)
      this.#stop('too-long', 'A tag or text of more than 8 MiB starts here: XML parsers refuse it.', 0);
  }

  /** Reads text, or markup. @returns the index after it; `MORE` if it has not ended */
  #token(at: number): number {
    const text = this.#text;
    // Only start tags and text can take the fast path.
    if (text[at] !== '<' || (text[at + 1] ?? '') >= 'A') {
      const behind = this.#passSimple(at);
      if (behind !== at) return behind;
    }
    if (text[at] === '<') return this.#markup(at);
    const lt = text.indexOf('<', at);
    if (lt === -1 && !this.#isFinal) return MORE;
    const end = lt === -1 ? text.length : lt;
    if (this.#names.length > 0) this.#look(at, end, 'text');
    else this.#outside(at, end);
    return end;
  }

  /** Skips elements by the fast path. @returns the index after them; `at` if there are none */
  #passSimple(at: number): number {
    const depth = this.#names.length;
    if (depth === 0 || depth > MOST_LEVELS - SIMPLE_LEVELS || this.#isAsciiOnly) return at;
    this.#simple.lastIndex = at;
    return this.#simple.test(this.#text) ? this.#simple.lastIndex : at;
  }

  /** Checks the references and characters in a part of the text. A section has no references, and may have `]]>`. */
  #look(from: number, to: number, where: 'text' | 'tag' | 'section'): void {
    const text = this.#text;
    if (this.#isAsciiOnly) this.#lookForAscii(from, to);
    for (let at = this.#nextSpecial(from); at < to; at = this.#nextSpecial(at + 1)) {
      const first = text[at]!;
      if (first === '&') {
        if (where !== 'section') checkReference(text, at, this.#entities, this.#fault);
      } else if (first === ']') {
        if (where === 'text')
          this.#fault('cdata-end-in-text', '"]]>" is not allowed in text: write "]]&gt;".', at);
      } else {
        const isControl = first < ' ';
        const what = isControl ? 'control character' : 'character';
        const code = isControl ? codeOf(first) : text[at + 2] === '\xbe' ? 'FFFE' : 'FFFF';
        const message = `The ${what} U+${code} is forbidden in XML: remove it.`;
        this.#fault(isControl ? 'control-character' : 'forbidden-character', message, at);
      }
    }
  }

  #nextSpecial(from: number): number {
    if (this.#specialAt < from) {
      SPECIAL.lastIndex = from;
      this.#specialAt = SPECIAL.exec(this.#text)?.index ?? Number.POSITIVE_INFINITY;
    }
    return this.#specialAt;
  }

  #lookForAscii(from: number, to: number): void {
    const at = this.#text.slice(from, to).search(/[\x80-\xff]/);
    if (at === -1) return;
    this.#isAsciiOnly = false;
    const message = 'This is not ASCII, which the XML declaration names as the encoding: write UTF-8 there.';
    this.#fault('forbidden-character', message, from + at);
  }

  /** Text outside the root is reported once. */
  #outside(from: number, to: number): void {
    NOT_SPACE.lastIndex = from;
    const at = NOT_SPACE.exec(this.#text)?.index ?? to;
    if (at >= to) return;
    if (this.#hasRoot) {
      if (!this.#reportedAfter)
        this.#fault('junk-after-root', 'Nothing but comments may follow the root element.', at);
      this.#reportedAfter = true;
    } else {
      const what = 'There is text, or an invisible character, before the root element: remove it.';
      if (!this.#reportedBefore) this.#fault('text-before-root', what, at);
      this.#reportedBefore = true;
    }
  }

  #markup(at: number): number {
    const text = this.#text;
    const second = text[at + 1];
    if (second === undefined && !this.#isFinal) return MORE;
    if (second === '/') return this.#endTag(at);
    if (second === '!') return this.#declaration(at);
    if (second === '?') return this.#instruction(at);
    if (second !== undefined && NAME_START.test(second)) return this.#startTag(at);
    this.#fault('literal-less-than', 'This "<" must be written as "&lt;".', at);
    return at + 1;
  }

  #startTag(at: number): number {
    const text = this.#text;
    const to = nameEnd(text, at + 1);
    const name = text.slice(at + 1, to);
    if (text[to] === '>') {
      this.#open(name, at);
      return to + 1;
    }
    const { end, isCut, isInValue } = tagEnd(text, to);
    if (end === text.length) return this.#isFinal ? this.#cut(at) : MORE;
    const isEmpty = !isCut && text[end - 1] === '/';
    const inside = isEmpty ? end - 1 : end;
    if (!/[ \t\r\n]/.test(text[to]!) && to !== inside) {
      this.#fault('bad-name', () => `${quoted(text[to]!)} cannot be in the name of a tag.`, to);
    }
    const depth = this.#names.length;
    if (depth < MOST_LEVELS) {
      checkAttributes(text, to, inside, { prefixes: this.#prefixes, depth: depth + 1, fault: this.#fault });
      this.#look(to, end, 'tag');
    }
    if (isInValue) {
      const message = () =>
        `A value in the tag <${excerpt(name)}> has a "<" or no closing quote: write "&lt;", or close it.`;
      this.#fault('less-than-in-attribute', message, end);
    } else if (isCut) {
      const message = () => `The tag <${excerpt(name)}> has no ">" before the next "<".`;
      this.#fault('tag-cut-short', message, at);
    }
    this.#open(name, at);
    if (isEmpty) this.#close();
    return isCut ? end : end + 1;
  }

  #open(name: string, at: number): void {
    if (this.#names.length >= MOST_LEVELS) {
      const message = `Tags are nested more than ${MOST_LEVELS} deep: XML parsers refuse that.`;
      this.#stop('nesting-too-deep', message, at);
      return;
    }
    if (!isName(name))
      this.#fault('bad-name', () => `${quoted(name)} is not a name that a tag can have.`, at);
    if (name.includes(':') && this.#entities?.mayDeclarePrefixes !== true)
      checkPrefix(this.#prefixes, name, at + 1, this.#fault);
    if (this.#names.length === 0) {
      const message = () => `<${excerpt(name)}> is a second root element: a document has one.`;
      if (this.#hasRoot) this.#fault('second-root', message, at, this.#rootAt);
      else this.#rootAt = this.#base + at;
      this.#simple = simpleElementsFor(this.#prefixes.declared);
    }
    this.#names.push(name);
    this.#offsets.push(this.#base + at);
  }

  #close(): void {
    this.#names.pop();
    this.#offsets.pop();
    this.#prefixes.leave(this.#names.length);
  }

  #endTag(at: number): number {
    const text = this.#text;
    const open = this.#names.at(-1);
    if (open !== undefined && text.startsWith(open, at + 2) && text[at + 2 + open.length] === '>') {
      this.#close();
      return at + open.length + 3;
    }
    const to = nameEnd(text, at + 2);
    const name = text.slice(at + 2, to);
    NOT_SPACE.lastIndex = to;
    const close = NOT_SPACE.exec(text)?.index;
    if (close === undefined) return this.#isFinal ? this.#cut(at) : MORE;
    if (name === '') {
      this.#fault('bad-name', 'A closing tag needs a name: </loc>.', at);
      return text[close] === '>' ? close + 1 : close;
    }
    let behind = close + 1;
    if (text[close] === '<') {
      this.#fault('tag-cut-short', () => `The closing tag </${excerpt(name)}> has no ">".`, at);
      behind = close;
    } else if (text[close] !== '>') {
      const { end, isCut } = tagEnd(text, close);
      if (end === text.length) return this.#isFinal ? this.#cut(at) : MORE;
      const message = () => `The closing tag </${excerpt(name)}> can have nothing but its name.`;
      this.#fault('attribute-syntax', message, close);
      behind = isCut ? end : end + 1;
    }
    if (name !== open) this.#mismatch(name, at);
    else this.#close();
    return behind;
  }

  /** A closing tag that does not close the innermost element. */
  #mismatch(name: string, at: number): void {
    const level = this.#names.lastIndexOf(name);
    const inner = this.#names.at(-1);
    const related = this.#offsets.at(-1);
    if (level === -1) {
      const open = (): string => (inner === undefined ? '' : `: <${excerpt(inner)}> is open here`);
      this.#fault('mis-nested-tag', () => `</${excerpt(name)}> closes nothing${open()}.`, at, related);
      return;
    }
    const message = () => `</${excerpt(name)}> comes before the closing tag of <${excerpt(inner ?? '')}>.`;
    this.#fault('unclosed-tag', message, at, related);
    while (this.#names.length > level) this.#close();
  }

  #cut(at: number): number {
    const tag = quoted(this.#text.slice(at, at + 100));
    this.#fault('truncated', `The document ends inside the tag ${tag}.`, at);
    this.#isOver = true;
    return this.#text.length;
  }

  #declaration(at: number): number {
    const text = this.#text;
    if (text.startsWith('<!--', at)) {
      const end = this.#section(at + 4, '-->', 'a comment');
      for (let dash = text.indexOf('--', at + 4); dash !== -1 && dash < end - 3; ) {
        this.#fault('bad-comment', 'A comment must not contain "--".', dash);
        // In "--->" the last two dashes end the comment all the same.
        dash = text.indexOf('--', dash + (text[dash + 2] === '-' ? 1 : 2));
      }
      return end;
    }
    if (text.startsWith('<![CDATA[', at)) {
      const end = this.#section(at + 9, ']]>', 'CDATA');
      if (end !== MORE && this.#names.length === 0)
        this.#fault('cdata-outside-root', 'CDATA is only allowed inside the root element.', at);
      return end;
    }
    if (text.startsWith('<!DOCTYPE', at)) return this.#doctype(at);
    if (text.length - at < 9 && !this.#isFinal) return MORE;
    this.#fault('literal-less-than', 'This "<!" starts neither a comment nor CDATA.', at);
    return at + 2;
  }

  /**
   * Reads the rest of a comment, CDATA or instruction.
   *
   * @returns the index after its end; `MORE` if that has not arrived
   */
  #section(from: number, ending: string, what: Section): number {
    const endAt = this.#text.indexOf(ending, from);
    if (endAt === -1 && !this.#isFinal) return MORE;
    const end = endAt === -1 ? this.#text.length : endAt + ending.length;
    this.#look(from, end, 'section');
    if (endAt === -1) {
      this.#fault('truncated', `The document ends inside ${what}.`, end);
      this.#isOver = true;
    }
    return end;
  }

  #doctype(at: number): number {
    const text = this.#text;
    const end = doctypeEnd(text, at);
    if (end === MORE && !this.#isFinal) return MORE;
    if (end === MORE) this.#fault('bad-doctype', 'The DOCTYPE is not closed.', at);
    else if (this.#hasRoot || this.#entities !== undefined)
      this.#fault('bad-doctype', 'A DOCTYPE is only allowed once, before the root element.', at);
    else {
      const doctype = text.slice(at, end);
      if (!DOCTYPE.test(doctype)) this.#fault('bad-doctype', 'The DOCTYPE is not well-formed.', at);
      this.#look(at, end, 'section');
      this.#entities = entitiesOf(doctype);
    }
    return end === MORE ? text.length : end;
  }

  #instruction(at: number): number {
    const text = this.#text;
    const to = nameEnd(text, at + 2);
    if (to + 1 >= text.length && !this.#isFinal) return MORE;
    if (this.#base + at === 0 && text.slice(2, to) === 'xml') {
      const close = text.slice(1).search(/[<>]/) + 1;
      if (close === 0) return MORE;
      this.#isAsciiOnly = checkDeclaration(text.slice(0, close + 1), this.#fault);
      return text[close] === '>' ? close + 1 : close;
    }
    const end = this.#section(to, '?>', 'an instruction');
    if (end !== MORE) checkInstruction(text, at, to, this.#hasRoot, this.#fault);
    return end;
  }

  #stop(code: FaultCode, message: string, at: number): void {
    this.#fault(code, message, at);
    this.#isOver = true;
  }
}

function codeOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
}
