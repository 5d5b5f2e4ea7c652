/**
 * Reads the head of an HTML page, its links and meta tags, and the `Link:` header of a page.
 *
 * Of HTML it has what decides where tags are: comments, elements whose content is text, quotes. The scanner of XML
 * finds other tags than browsers do where a page has one of these. `htmlparser2` was measured for this: 45 ms of CPU to
 * load, 10 ms where it is bundled, and 50 kB more in a browser.
 */
import { parsedUrl } from '../../url.ts';
import { SLASH, SPACE } from '../values/byte-codes.ts';
import { latin1String, TextDecoding } from '../values/text.ts';
import { Window } from '../window.ts';
import { Attributes } from '../xml/attributes.ts';

/** How much of a page is read: heads of a megabyte exist, but say early what search engines need. */
const MAX_HTML_BYTES = 512 * 1024;
/** More than the name of any element that matters here, and than any mark in raw text. */
const MAX_NAME_BYTES = 16;

/** Their content is text up to their end tag, whatever it looks like; browsers that run scripts read no `noscript`. */
const RAW_TEXT: ReadonlySet<string> = new Set(
  'iframe noembed noframes noscript script style textarea title xmp'.split(' '),
);

// For a text with a character for each byte, where `\s` would take a part of a character for a space.
const COMMENT = /<!--(?:-?>|.*?--!?>)/sy;
const TAG_NAME = /<\/?([a-z][^\t-\r />]*)/iy;
/** What is behind `=`, without the quote at its end. */
const ATTRIBUTE_VALUE = /[\t-\r ]*(?:"[^"]*|'[^']*|[^\t-\r >]*)/y;
/** Whether a script ends at its end tag depends on the comments in it. */
const SCRIPT_MARKS = /<!--(?=[^->]|-[^>])|-->|<\/?script(?=[\t-\r />])/gi;

type AttributeOf = (name: string) => string | undefined;

interface TagHandler {
  /** A start tag, by its name in lower case. */
  open(name: string, attribute: AttributeOf): void;
  close(name: string): void;
}

/** Finds the tags of HTML. What is not all there waits: see window.ts. */
class TagScanner {
  readonly #handler: TagHandler;
  readonly #attributes = new Attributes();
  readonly #decoding = new TextDecoding();
  readonly #window = new Window();
  /** Finds what matters in the element whose content is text: its end tag, and the marks in a script. */
  #rawText: RegExp | undefined;
  /** Whether a `<!--` is open in a script, and a `<script` in that, whose end tag does not end the script. */
  #isEscaped = false;
  #isDoubleEscaped = false;

  constructor(handler: TagHandler) {
    this.#handler = handler;
  }

  write(chunk: Uint8Array): void {
    if (this.#window.add(chunk)) this.look();
  }

  /** Looks at what waits, also where there is hardly more of it than at the last look. */
  look(): void {
    this.#window.keepFrom(this.#read(this.#window.bytes));
  }

  /** Reads as far as it can; returns where something begins that is not all there. */
  #read(bytes: Uint8Array): number {
    const text = latin1String(bytes);
    for (let at = 0; ; ) {
      if (this.#rawText !== undefined) at = this.#skipRawText(this.#rawText, text, at);
      if (this.#rawText !== undefined) return at;
      const lt = text.indexOf('<', at);
      if (lt === -1) return text.length;
      at = endOfMarkup(text, lt);
      if (at === -1) return lt;
      TAG_NAME.lastIndex = lt;
      const name = TAG_NAME.exec(text)?.[1];
      if (name !== undefined) this.#tag(name, new Uint8Array(bytes.subarray(lt, at)));
    }
  }

  #tag(rawName: string, bytes: Uint8Array): void {
    const name = rawName.slice(0, MAX_NAME_BYTES).toLowerCase();
    if (bytes[1] === SLASH) {
      this.#handler.close(name);
      return;
    }
    if (RAW_TEXT.has(name)) {
      this.#rawText = name === 'script' ? SCRIPT_MARKS : new RegExp(`</${name}(?=[\\t-\\r />])`, 'gi');
      this.#isEscaped = false;
      this.#isDoubleEscaped = false;
    }
    // Instead of its `>`: a slash in front of that belongs to a value without quotes.
    bytes[bytes.length - 1] = SPACE;
    this.#attributes.read(bytes, 1 + rawName.length, bytes.length);
    this.#handler.open(name, (attribute) => this.#attributes.get(attribute, this.#decoding)?.trim());
  }

  /** The offset of the end tag of raw text; without one, the offset to go on from. */
  #skipRawText(marks: RegExp, text: string, from: number): number {
    let at = from;
    marks.lastIndex = from;
    for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
      const [mark] = match;
      at = marks.lastIndex;
      if (mark === '<!--' || mark === '-->') {
        this.#isEscaped = mark === '<!--';
        this.#isDoubleEscaped &&= this.#isEscaped;
      } else if (mark[1] !== '/') this.#isDoubleEscaped = this.#isEscaped;
      else if (this.#isDoubleEscaped) this.#isDoubleEscaped = false;
      else {
        this.#rawText = undefined;
        return match.index;
      }
    }
    return Math.max(at, text.length - MAX_NAME_BYTES);
  }
}

/** The place behind the comment, declaration or tag at a `<`, or behind a bare `<`; -1 where more is needed. */
function endOfMarkup(text: string, lt: number): number {
  if (text.startsWith('<!--', lt)) {
    COMMENT.lastIndex = lt;
    return COMMENT.test(text) ? COMMENT.lastIndex : -1;
  }
  const [first = '', second = ''] = text.slice(lt + 1, lt + 3);
  if (first === '' || (first === '/' && second === '')) return -1;
  if (/[a-z]/i.test(first === '/' ? second : first)) return endOfTag(text, lt + 2);
  return /[!?/]/.test(first) ? text.indexOf('>', lt + 2) + 1 || -1 : lt + 1;
}

/** Behind the `>` of a tag, or -1; what is in quotes behind `=` does not end it. */
function endOfTag(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '>') return at + 1;
    if (text[at] !== '=') continue;
    ATTRIBUTE_VALUE.lastIndex = at + 1;
    const [value = ''] = ATTRIBUTE_VALUE.exec(text) ?? [];
    // At the quote, or in front of what is behind the value.
    at += /^[\t-\r ]*["']/.test(value) ? value.length + 1 : value.length;
  }
  return -1;
}

/** A link to another document, from the head of a page or from a `Link:` header (RFC 8288). */
export interface PageLink {
  /** As written. */
  readonly href: string;
  /** In lower case. */
  readonly rel: readonly string[];
  readonly type: string;
  /** Whether it has a language, a medium or a type: as a canonical page, Google does not take it then. */
  readonly isOfVersion: boolean;
}

const OF_VERSION = ['hreflang', 'lang', 'media', 'type'];

export interface HtmlHead {
  /** Whether the head was read to its end, which may be that of the page. */
  readonly isComplete: boolean;
  /** What its links are relative to: the first `<base>`, or the URL of the page. */
  readonly baseUrl: string;
  readonly links: readonly PageLink[];
  /** The names are in lower case. */
  readonly metas: readonly { readonly name: string; readonly content: string }[];
}

/** Reads a page no further than its head. @param url - that of the page */
export async function readHead(chunks: AsyncIterable<Uint8Array>, url: string): Promise<HtmlHead> {
  const links: PageLink[] = [];
  const metas: { name: string; content: string }[] = [];
  let base: string | undefined;
  let templates = 0;
  let isOver = false;
  const scanner = new TagScanner({
    open(name, attribute) {
      // What is in a template is not a part of the page.
      if (name === 'template') templates++;
      if (isOver || templates > 0) return;
      const href = attribute('href');
      if (name === 'body') isOver = true;
      else if (name === 'base') base ??= href;
      else if (name === 'meta')
        metas.push({
          name: attribute('name')?.toLowerCase() ?? '',
          content: attribute('content') ?? '',
        });
      else if (name === 'link' && href !== undefined)
        links.push({
          href,
          rel: relationsOf(attribute('rel')),
          type: attribute('type') ?? '',
          isOfVersion: OF_VERSION.some((each) => attribute(each) !== undefined),
        });
    },
    close(name) {
      if (templates === 0) isOver ||= name === 'head';
      else if (name === 'template') templates--;
    },
  });
  const head = (isComplete: boolean): HtmlHead => ({
    isComplete,
    baseUrl: baseUrlOf(base, url),
    links,
    metas,
  });
  let remaining = MAX_HTML_BYTES;
  for await (const chunk of chunks) {
    scanner.write(chunk.subarray(0, remaining));
    remaining -= chunk.length;
    if (remaining <= 0) scanner.look();
    // The page may end here, and its head with it.
    if (isOver || remaining < 0) return head(isOver);
  }
  scanner.look();
  return head(true);
}

function baseUrlOf(base: string | undefined, url: string): string {
  const resolved = base === undefined ? undefined : parsedUrl(base, url);
  return resolved !== undefined && /^https?:$/.test(resolved.protocol) ? resolved.href : url;
}

function relationsOf(rel = ''): readonly string[] {
  return rel.toLowerCase().split(/\s+/);
}

/** In quotes may be anything, and a backslash before each character. */
const QUOTED = /"(?:[^"\\]|\\.)*"/.source;
const HEADER_LINK = new RegExp(`<([^<>]*)>((?:[^,<"]|${QUOTED})*)`, 'gs');
const PARAMETER = new RegExp(`;\\s*([^\\s;="]+)\\s*=\\s*(${QUOTED}|[^;"]*)`, 'gs');

/** The links of a `Link:` header. They are relative to the URL of the page, whatever its `<base>` says. */
export function linksOfHeader(header: string): PageLink[] {
  return Array.from(header.slice(0, 16_384).matchAll(HEADER_LINK), ([, href = '', parameters = '']) => ({
    href,
    rel: relationsOf(parameterOf(parameters, 'rel')),
    type: parameterOf(parameters, 'type'),
    isOfVersion: OF_VERSION.some((each) => parameterOf(parameters, each) !== ''),
  }));
}

function parameterOf(parameters: string, name: string): string {
  for (const [, key = '', value = ''] of parameters.matchAll(PARAMETER)) {
    if (key.toLowerCase() !== name) continue;
    return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/gs, '$1') : value.trim();
  }
  return '';
}
