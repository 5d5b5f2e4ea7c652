/**
 * The head of an HTML page: its links and meta tags, and what the `Link:` header of a page says besides it.
 *
 * Of HTML it has what decides where tags are: comments, elements whose content is text, quotes. The scanner of XML
 * finds other tags than browsers do where a page has one of these. `htmlparser2` was measured for this: 45 ms of CPU to
 * load, 10 ms where it is bundled, and 50 kB more in a browser.
 */
import { parsedUrl } from '../../url.ts';
import { asciiString, TextDecoding } from '../values/text.ts';
import { Attributes, isSpace } from '../xml/attributes.ts';

/** How much of a page is read: heads of a megabyte exist, but say early what search engines need. */
const MAX_HTML_BYTES = 512 * 1024;
/** How much of a tag is looked at. */
const MAX_TAG_BYTES = 64 * 1024;
/** More than the name of any element that matters here. */
const MAX_NAME_BYTES = 16;

/** Their content is text up to their end tag, whatever it looks like; browsers that run scripts read no `noscript`. */
const RAW_TEXT: ReadonlySet<string> = new Set(
  'iframe noembed noframes noscript script style textarea title xmp'.split(' '),
);

const LT = 0x3c;
const GT = 0x3e;
const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
const EQUALS = 0x3d;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const SPACE = 0x20;
/** `<!--`, `-->` and `--!>`, each as one number. */
const COMMENT_START = 0x3c212d2d;
const COMMENT_END = 0x2d2d3e;
const COMMENT_END_BANG = 0x2d2d213e;

const State = { text: 0, tagStart: 1, tag: 2, declaration: 3, comment: 4, rawText: 5 } as const;
type State = (typeof State)[keyof typeof State];

/** Where in a tag it is, outside of quotes. */
const Place = { name: 0, afterEquals: 1, value: 2 } as const;
type Place = (typeof Place)[keyof typeof Place];

type AttributeOf = (name: string) => string | undefined;

interface TagHandler {
  /** A start tag, by its name in lower case. */
  open(name: string, attribute: AttributeOf): void;
  close(name: string): void;
}

/** Finds the tags of HTML, byte by byte: in linear time, however the page is cut into chunks. */
class TagScanner {
  readonly #handler: TagHandler;
  readonly #attributes = new Attributes();
  readonly #decoding = new TextDecoding();
  #state: State = State.text;
  /** The last four bytes as one number. */
  #recent = 0;
  /** How many bytes of the tag, the declaration or the comment have passed. */
  #length = 0;
  /** What was read of a tag, from its `<` on. */
  #tag: number[] = [];
  #place: Place = Place.name;
  #quote = 0;
  /** The element whose content is text. */
  #rawText = '';
  /** Whether a `<!--` is open in a script, and whether a `<script` is open in that: its end tag does not end the script. */
  #isEscaped = false;
  #isDoubleEscaped = false;

  constructor(handler: TagHandler) {
    this.#handler = handler;
  }

  write(chunk: Uint8Array): void {
    for (const byte of chunk) this.#take(byte);
  }

  #take(byte: number): void {
    this.#recent = (this.#recent << 8) | byte;
    this.#length++;
    switch (this.#state) {
      case State.text:
        if (byte === LT) this.#beginTag();
        break;
      case State.tagStart:
        this.#takeTagStart(byte);
        break;
      case State.tag:
        this.#takeTag(byte);
        break;
      case State.declaration:
        if (this.#recent === COMMENT_START && this.#length === 4) this.#enter(State.comment);
        else if (byte === GT) this.#state = State.text;
        break;
      case State.comment:
        if (this.#isCommentOver()) this.#state = State.text;
        break;
      case State.rawText:
        this.#takeRawText(byte);
        break;
    }
  }

  #enter(state: State): void {
    this.#state = state;
    this.#length = 0;
  }

  #beginTag(): void {
    this.#state = State.tagStart;
    this.#length = 1;
    this.#tag = [LT];
  }

  /** Behind `<` or `</`. */
  #takeTagStart(byte: number): void {
    const isEndTag = this.#tag.length === 2;
    if (isLetter(byte)) {
      this.#tag.push(byte);
      this.#enterTag();
    } else if (isEndTag) this.#state = byte === GT ? State.text : State.declaration;
    else if (byte === SLASH) this.#tag.push(byte);
    else if (byte === BANG || byte === QUESTION) this.#state = State.declaration;
    else if (byte === LT) this.#beginTag();
    else this.#state = State.text;
  }

  #enterTag(): void {
    this.#state = State.tag;
    this.#place = Place.name;
    this.#quote = 0;
  }

  #takeTag(byte: number): void {
    if (this.#quote !== 0) {
      if (byte === this.#quote) this.#quote = 0;
    } else if (byte === GT) {
      this.#endTag();
      return;
    } else if (isSpace(byte)) {
      if (this.#place === Place.value) this.#place = Place.name;
    } else if (this.#place === Place.afterEquals) {
      const isQuote = byte === DOUBLE_QUOTE || byte === SINGLE_QUOTE;
      if (isQuote) this.#quote = byte;
      this.#place = isQuote ? Place.name : Place.value;
    } else if (this.#place === Place.name && byte === EQUALS) this.#place = Place.afterEquals;
    if (this.#tag.length < MAX_TAG_BYTES) this.#tag.push(byte);
  }

  #endTag(): void {
    // A slash behind a value without quotes belongs to the value, unless something is between them.
    const bytes = Uint8Array.from([...this.#tag, SPACE]);
    this.#state = State.text;
    const isEndTag = bytes[1] === SLASH;
    const start = isEndTag ? 2 : 1;
    let end = start;
    while (!isSpace(bytes[end]!) && bytes[end] !== SLASH) end++;
    const name = asciiString(bytes, start, Math.min(end, start + MAX_NAME_BYTES)).toLowerCase();
    if (isEndTag) {
      this.#handler.close(name);
      return;
    }
    if (RAW_TEXT.has(name)) this.#beginRawText(name);
    this.#attributes.read(bytes, end, bytes.length);
    this.#handler.open(name, (wanted) => this.#attributes.get(wanted, this.#decoding)?.trim());
  }

  /** `<!-->` and `<!--->` are comments, too. */
  #isCommentOver(): boolean {
    if ((this.#recent & 0xffffff) === COMMENT_END) return true;
    return this.#recent === COMMENT_END_BANG && this.#length >= 4;
  }

  #beginRawText(name: string): void {
    this.#state = State.rawText;
    this.#rawText = name;
    this.#tag = [];
    this.#isEscaped = false;
    this.#isDoubleEscaped = false;
  }

  #takeRawText(byte: number): void {
    if (this.#rawText === 'script') this.#noteEscape();
    if (byte === LT) this.#tag = [LT];
    else if (this.#tag.length === 0) return;
    else if (isSpace(byte) || byte === GT || (byte === SLASH && this.#tag.length > 1)) this.#endWord(byte);
    else if (this.#tag.length < MAX_NAME_BYTES) this.#tag.push(byte);
    else this.#tag = [];
  }

  #noteEscape(): void {
    if (this.#recent === COMMENT_START) this.#isEscaped = true;
    else if ((this.#recent & 0xffffff) === COMMENT_END) {
      this.#isEscaped = false;
      this.#isDoubleEscaped = false;
    }
  }

  /** What may be a tag in raw text has a name; `byte` is behind it. */
  #endWord(byte: number): void {
    const word = asciiString(Uint8Array.from(this.#tag), 0, this.#tag.length).toLowerCase();
    if (word === `</${this.#rawText}` && !this.#isDoubleEscaped) {
      this.#enterTag();
      this.#takeTag(byte);
      return;
    }
    if (word === `</${this.#rawText}`) this.#isDoubleEscaped = false;
    else if (word === `<${this.#rawText}`) this.#isDoubleEscaped = this.#isEscaped;
    this.#tag = [];
  }
}

function isLetter(byte: number): boolean {
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x7a;
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
  let left = MAX_HTML_BYTES;
  for await (const chunk of chunks) {
    scanner.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (isOver || left <= 0) return head(isOver);
  }
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
