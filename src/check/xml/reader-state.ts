/** What a reader keeps while bytes arrive: open elements, how tags do not fit those, in words, and bytes that wait. */
import type { RawTag } from '../../parse/xml/raw-tags.ts';
import { isSame, type XmlName } from './characters.ts';
import { excerpt, type ReportFault } from './fault.ts';
import type { XmlTagEnd } from './tag.ts';

/** libxml2 refuses deeper documents, and the parser of this library stops at the same depth. */
export const MOST_LEVELS = 256;

export class OpenElements {
  depth = 0;
  readonly #names: XmlName[] = [];
  readonly #offsets: Float64Array = new Float64Array(MOST_LEVELS + 1);
  readonly #endTags: (RawTag | undefined)[] = [];

  push(name: XmlName, offset: number, endTag?: RawTag): void {
    this.#offsets[this.depth] = offset;
    this.#endTags[this.depth] = endTag;
    this.#names[this.depth++] = name;
  }

  /** The end tag of the innermost element in its usual form, where that is known. */
  get endTag(): RawTag | undefined {
    return this.#endTags[this.depth - 1];
  }

  pop(): void {
    this.depth--;
  }

  isInnermost(bytes: Uint8Array, from: number, to: number): boolean {
    return this.depth > 0 && isSame(this.#names[this.depth - 1]!.bytes, bytes, from, to);
  }

  /** The innermost level with this name; -1 if there is none. */
  levelOf(name: string): number {
    let level = this.depth - 1;
    while (level >= 0 && this.#names[level]!.text !== name) level--;
    return level;
  }

  nameAt(level: number): string {
    return this.#names[level]!.text;
  }

  /** Where its start tag is in the document. */
  offsetAt(level: number): number {
    return this.#offsets[level]!;
  }
}

/** What the rest of the document is missing where it ends: inside one of these, or inside elements. */
export type XmlSection = 'comment' | 'cdata' | 'instruction';

const SECTIONS: Readonly<Record<XmlSection, string>> = {
  comment: 'a comment',
  cdata: 'CDATA',
  instruction: 'an instruction',
};

/** A closing tag that does not close the innermost element. @returns the level that it closes; -1 for none */
export function reportMismatch(fault: ReportFault, elements: OpenElements, name: string, at: number): number {
  const level = elements.levelOf(name);
  const inner = elements.depth - 1;
  if (level === -1) {
    const open = () => (inner < 0 ? '' : `: <${elements.nameAt(inner)}> is open here`);
    const related = inner < 0 ? undefined : elements.offsetAt(inner);
    fault('mis-nested-tag', () => `</${excerpt(name)}> closes nothing${open()}.`, at, related);
    return level;
  }
  const message = `</${excerpt(name)}> comes before the closing tag of <${excerpt(elements.nameAt(inner))}>.`;
  fault('unclosed-tag', message, at, elements.offsetAt(inner));
  return level;
}

/** A start tag that another tag cuts short. */
export function reportCut(fault: ReportFault, name: string, at: number, cut: XmlTagEnd): void {
  if (cut.isInValue) {
    const message = `A value in the tag <${name}> has a "<" or no closing quote: write "&lt;", or close it.`;
    fault('less-than-in-attribute', message, cut.at);
  } else fault('tag-cut-short', `The tag <${name}> has no ">" before the next "<".`, at);
}

export function reportUnfinished(
  fault: ReportFault,
  elements: OpenElements,
  section: XmlSection | undefined,
  at: number,
): void {
  const inner = elements.depth - 1;
  if (section !== undefined) fault('truncated', `The document ends inside ${SECTIONS[section]}.`, at);
  else {
    const name = excerpt(elements.nameAt(inner));
    fault('truncated', `The document ends before </${name}>.`, at, elements.offsetAt(inner));
  }
}

/** The bytes that wait for more: the start of a tag, of a character, of a reference. */
export class HeldBytes {
  /** Longer than {@link length}: what is behind it are bytes of before. */
  bytes: Uint8Array = new Uint8Array(0);
  length = 0;
  /** How many bytes there must be before it is worth trying again; doubled each time, so that the work is linear. */
  #needed = 0;

  get isReady(): boolean {
    return this.length >= this.#needed;
  }

  add(chunk: Uint8Array): void {
    const length = this.length + chunk.length;
    if (length > this.bytes.length) {
      const larger = new Uint8Array(length * 2);
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(chunk, this.length);
    this.length = length;
  }

  /** Keeps what waits for more, in memory of its own: the caller may use the chunk's again. */
  keep(bytes: Uint8Array, from: number, end: number): void {
    this.#needed = (end - from) * 2;
    if (bytes === this.bytes) {
      bytes.copyWithin(0, from, end);
      this.length = end - from;
      return;
    }
    this.length = 0;
    if (from < end) this.add(bytes.subarray(from, end));
  }

  clear(): void {
    this.bytes = new Uint8Array(0);
    this.length = 0;
  }
}
