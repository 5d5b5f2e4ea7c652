/**
 * Checks a start tag with attributes: its syntax, repeated attributes, and the namespaces that it declares and uses.
 */
import { isName } from './characters.ts';
import { excerpt, quoted, type ReportFault } from './fault.ts';

const XMLNS = 'http://www.w3.org/2000/xmlns/';
const XML = 'http://www.w3.org/XML/1998/namespace';
/** How many undeclared prefixes are reported. */
const MOST_REPORTED = 1000;

export interface XmlTagEnd {
  /** The index of the `>`, or of the `<` that cuts the tag; the end of the text if there is neither. */
  readonly end: number;
  readonly isCut: boolean;
  /** Whether it is cut inside a quoted value. */
  readonly isInValue: boolean;
}

/** A value in quotes, or without the closing quote. A quote only opens a value after "=": <a b'> has no value. */
const VALUE_OR_END = /=[ \t\r\n]*(?:"[^"<]*("?)|'[^'<]*('?))|[<>]/g;

/** The end of a tag. @param from - an index inside the tag */
export function tagEnd(text: string, from: number): XmlTagEnd {
  VALUE_OR_END.lastIndex = from;
  for (let match = VALUE_OR_END.exec(text); match !== null; match = VALUE_OR_END.exec(text)) {
    const [whole, double, single] = match;
    if (whole === '>' || whole === '<') return { end: match.index, isCut: whole === '<', isInValue: false };
    const end = VALUE_OR_END.lastIndex;
    const isCut = !double && !single;
    if (isCut) return { end, isCut, isInValue: true };
  }
  return { end: text.length, isCut: false, isInValue: false };
}

/** The namespace prefixes that are declared at the current place. */
export class Prefixes {
  readonly #namespaces = new Map<string, string>([['xml', XML]]);
  /** Declarations, each with the earlier namespace of its prefix. */
  readonly #declared: {
    readonly depth: number;
    readonly prefix: string;
    readonly before: string | undefined;
  }[] = [];
  readonly #reported = new Set<string>();

  declare(depth: number, prefix: string, uri: string): void {
    this.#declared.push({ depth, prefix, before: this.#namespaces.get(prefix) });
    this.#namespaces.set(prefix, uri);
  }

  /** Forgets the declarations of elements deeper than this. */
  leave(depth: number): void {
    while ((this.#declared.at(-1)?.depth ?? 0) > depth) {
      const { prefix, before } = this.#declared.pop()!;
      if (before === undefined) this.#namespaces.delete(prefix);
      else this.#namespaces.set(prefix, before);
    }
  }

  get declared(): readonly string[] {
    return [...this.#namespaces.keys()];
  }

  uriOf(prefix: string): string | undefined {
    return this.#namespaces.get(prefix);
  }

  /** Whether an undeclared prefix is new: each is reported once, since one missing declaration is one mistake. */
  isNew(prefix: string): boolean {
    if (this.#reported.has(prefix) || this.#reported.size >= MOST_REPORTED) return false;
    this.#reported.add(prefix);
    return true;
  }
}

interface AttributeContext {
  readonly prefixes: Prefixes;
  readonly depth: number;
  readonly fault: ReportFault;
}

/** White space, a name, a `=` and a value; each may be missing. */
const ATTRIBUTE = /([ \t\r\n]*)([\w:.\-\x80-\xff]*)([ \t\r\n]*=[ \t\r\n]*)?("[^"<]*"|'[^'<]*')?/y;

/** Checks the attributes of a tag, which are from `from` to `to`. */
export function checkAttributes(text: string, from: number, to: number, context: AttributeContext): void {
  const { fault } = context;
  const names = new Map<string, number>();
  for (let at = from; ; ) {
    ATTRIBUTE.lastIndex = at;
    const [, space = '', name = '', equals, value] = ATTRIBUTE.exec(text)!;
    const behind = ATTRIBUTE.lastIndex;
    const start = at + space.length;
    if (start >= to) break;
    if (space === '') fault('attribute-syntax', 'There must be a space before this attribute.', start);
    at = start + name.length;
    if (!isName(name)) {
      at = wordEnd(text, start, to);
      const word = text.slice(start, at);
      const message = () => `${quoted(word)} is not an attribute: write name="value".`;
      fault('attribute-syntax', message, start);
      continue;
    }
    if (names.has(name))
      fault(
        'attribute-repeated',
        () => `The attribute "${excerpt(name)}" is already in this tag: keep one.`,
        start,
      );
    names.set(name, start);
    const open = at + (equals?.length ?? 0);
    if (equals === undefined || open > to) {
      const message = () => `The attribute "${excerpt(name)}" has no value: write ${excerpt(name)}="…".`;
      fault('attribute-syntax', message, start);
    } else if (value !== undefined) {
      at = behind;
      if (name.startsWith('xmlns')) declare(context, name, value.slice(1, -1), start);
    } else if (/["']/.test(text[open] ?? '') && open < to) {
      // Without a closing quote the tag is cut by the next "<", which is reported there.
      at = to;
    } else {
      at = open >= to ? to : wordEnd(text, open, to);
      const word = text.slice(open, at);
      fault(
        'attribute-syntax',
        () => `The value of "${excerpt(name)}" must be in quotes: ${excerpt(name)}=${quoted(word)}.`,
        open < to ? open : start,
      );
    }
  }
  checkPrefixes(context, names);
}

/** The end of a word in a tag: the next white space. */
function wordEnd(text: string, from: number, to: number): number {
  const length = text.slice(from, to).search(/[ \t\r\n]/);
  return length === -1 ? to : from + Math.max(length, 1);
}

function declare(
  { prefixes, depth, fault }: AttributeContext,
  name: string,
  value: string,
  at: number,
): void {
  const uri = value.trim();
  if (name === 'xmlns') {
    if (uri === XML || uri === XMLNS)
      fault('bad-namespace', `The namespace ${quoted(uri)} cannot be the default one.`, at);
    return;
  }
  if (name[5] !== ':') return;
  const prefix = name.slice(6);
  if (uri === '')
    fault('bad-namespace', `The prefix ${quoted(prefix)} is declared with an empty namespace.`, at);
  else if (prefix === 'xmlns' || (prefix === 'xml') !== (uri === XML) || uri === XMLNS) {
    const message = `The prefix ${quoted(prefix)} cannot be declared with the namespace ${quoted(uri)}.`;
    fault('bad-namespace', message, at);
  }
  prefixes.declare(depth, prefix, uri === '' ? ' ' : uri);
}

function checkPrefixes({ prefixes, fault }: AttributeContext, names: ReadonlyMap<string, number>): void {
  const expandedNames = new Set<string>();
  for (const [name, at] of names) {
    const prefix = prefixOf(name);
    if (prefix === undefined || prefix === 'xmlns') continue;
    checkPrefix(prefixes, name, at, fault);
    const uri = prefixes.uriOf(prefix);
    const expanded = `${uri} ${name.slice(prefix.length)}`;
    const message = () =>
      `The attribute "${excerpt(name)}" is in this tag twice, with two prefixes of one namespace.`;
    if (uri !== undefined && expandedNames.has(expanded)) fault('attribute-repeated', message, at);
    expandedNames.add(expanded);
  }
}

/** The part before the first colon; undefined without one. */
function prefixOf(name: string): string | undefined {
  const colon = name.indexOf(':');
  return colon === -1 ? undefined : name.slice(0, colon);
}

export function checkPrefix(prefixes: Prefixes, name: string, at: number, fault: ReportFault): void {
  const prefix = prefixOf(name) ?? '';
  const isQualified = prefix !== '' && /^[^:\-.\d][^:]*$/.test(name.slice(prefix.length + 1));
  if (!isQualified) {
    const message = () =>
      `${quoted(name)} is not a name with a prefix: one ":" between two names is allowed.`;
    fault('bad-name', message, at);
  } else if (prefixes.uriOf(prefix) === undefined && prefixes.isNew(prefix)) {
    const [shortPrefix, whole] = [excerpt(prefix), quoted(name)];
    const message =
      `The prefix "${shortPrefix}" of ${whole} is not declared: ` +
      `add xmlns:${shortPrefix}="…" to the root element.`;
    fault('undeclared-prefix', message, at);
  }
}
