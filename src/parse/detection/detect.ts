/**
 * What kind of sitemap a document is. The content decides, never a content type or an extension:
 *
 *     starts with "<"? ── yes ──► XML: the root element picks the format
 *         │ no
 *     path ends in /robots.txt? ── yes ──► robots.txt
 *         │ no
 *     plain text
 *
 * One step past that: a known root in the first 64 KiB behind the prolog is found even behind text or inside an HTML
 * page, unless a line that is a URL comes before it.
 */

import type { ParseProblemCode } from '../../problems/catalogue.ts';
import { clip } from '../../text/wording.ts';
import { isUrlLine } from '../formats/lines.ts';
import type { XmlKind } from '../model/item.ts';
import { LT } from '../values/byte-codes.ts';
import { decodeCdata, latin1String, TextDecoding } from '../values/text.ts';
import { Attributes, isSpace } from '../xml/attributes.ts';
import type { Prolog } from '../xml/entry-format.ts';
import { DOCTYPE_SKIPPED, Scanner, type ScannerHandler, type TagEnd } from '../xml/scanner.ts';
import { readNamespace } from '../xml/tag-names.ts';
import { isCsv } from './csv.ts';

/** How far behind the prolog of a document a root is looked for. */
const DETECTION_WINDOW = 64 * 1024;
/** How far into a document, whatever is before its root: so much of it waits in memory. */
const LONGEST_START = 1024 * 1024;

export type Detection =
  | { readonly kind: XmlKind; readonly root: FoundRoot }
  | { readonly kind: 'robots-txt' }
  /** Confirmed by a line that is a URL; without a single one, it is what the description says. */
  | { readonly kind: 'pages-text'; readonly isConfirmed: boolean; readonly otherwise: Description }
  | { readonly kind: 'invalid'; readonly description: Description };

const KIND_OF_ROOT: Readonly<Record<RootName, XmlKind>> = {
  urlset: 'pages-xml',
  url: 'pages-xml',
  sitemapindex: 'index-xml',
  sitemap: 'index-xml',
  rss: 'pages-rss',
  rdf: 'pages-rss',
  feed: 'pages-atom',
};

/**
 * Detects the kind of a document by its first bytes, in UTF-8; undefined while more of them are needed.
 *
 * @param isRobotsPath - whether its path ends in `/robots.txt`
 * @param isForRobots - whether it is one unless it is a sitemap
 */
export function detect(
  bytes: Uint8Array,
  isComplete: boolean,
  isRobotsPath: boolean,
  isForRobots = false,
): Detection | undefined {
  const firstBytes = bytes.subarray(0, LONGEST_START);
  const start = skipSpace(firstBytes);
  const isEmpty = start === firstBytes.length;
  if (isEmpty && !isComplete && bytes.length < LONGEST_START) return undefined;

  const startsLikeXml = firstBytes[start] === LT;
  if (!startsLikeXml && (isRobotsPath || (isForRobots && isEmpty))) return { kind: 'robots-txt' };

  const signature = knownSignature(firstBytes);
  if (signature !== undefined) return { kind: 'invalid', description: signature };
  const search = findRoot(firstBytes, start, isComplete);
  const { root, head, isAll } = search;
  // The last line counts only if nothing follows it.
  const isLastLineWhole = isComplete && root === undefined && head.length === bytes.length;
  const lines = startsLikeXml ? [] : linesOf(head.subarray(start, root?.prolog.rootOffset), isLastLineWhole);
  const hasUrlLine = lines.some(isUrlLine);
  if (root !== undefined && !hasUrlLine) return { kind: KIND_OF_ROOT[root.name], root };
  // Whether it is CSV data is decided by all that is looked at, however it arrives.
  if (!isAll) return undefined;
  const description = describe(search);
  if (!hasUrlLine) {
    if (description.what !== 'text') return { kind: 'invalid', description };
    if (isForRobots) return { kind: 'robots-txt' };
  }
  if (isCsv(lines)) return { kind: 'invalid', description: CSV };
  return { kind: 'pages-text', isConfirmed: hasUrlLine, otherwise: description };
}

export function isRobotsTxt(url: string | undefined): boolean {
  return url !== undefined && /^[^?#]*\/robots\.txt(?:[?#]|$)/i.test(url);
}

/** As `/shop-robots.txt` or `/get?file=robots.txt`, which may as well be the name of a list of URLs. */
export function endsInRobotsTxt(url: string | undefined): boolean {
  return url !== undefined && /robots\.txt(?:[?#]|$)/i.test(url);
}

// White space, and BOMs: one is usual, and two happen where files are joined.
function skipSpace(head: Uint8Array): number {
  let at = 0;
  for (;;) {
    if (head[at]! <= 0x20 && head[at] !== 0) at++;
    else if (head[at] === 0xef && head[at + 1] === 0xbb && head[at + 2] === 0xbf) at += 3;
    else return Math.min(at, head.length);
  }
}

/** The lines that are not empty, without white space around them. */
function linesOf(head: Uint8Array, isLastLineWhole: boolean): readonly string[] {
  const lines = decodeCdata(head, 0, head.length, new TextDecoding()).split(/[\r\n]/);
  if (!isLastLineWhole) lines.pop();
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

export interface Description {
  /** A stable word. */
  readonly what:
    | 'empty'
    | 'html'
    | 'bot-wall'
    | 'login'
    | 'other-xml'
    | 'gzip'
    | 'git-lfs'
    | 'json'
    | 'csv'
    | 'binary'
    | 'text';
  /** The rest of a sentence that begins with "It is …". */
  readonly words: string;
}

/** Why a document is not a sitemap. @param name - its URL, or another name */
export function notASitemapReason(name: string, { words }: Description): string {
  return `${name} is not a sitemap or feed: it is ${words}.`;
}

/** Whether it is an HTML page: an error page, a login form, a bot wall. */
export function isHtmlPage({ what }: Description): boolean {
  return what === 'html' || what === 'bot-wall' || what === 'login';
}

const CSV: Description = {
  what: 'csv',
  words: 'CSV data with columns, not a list of URLs; `usp write` makes sitemaps of rows (docs/writing.md)',
};

const SIGNATURES: readonly (readonly [string, string])[] = [
  ['%PDF-', 'a PDF file'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x89PNG', 'a PNG image'],
  ['GIF8', 'a GIF image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  // The sitemaps inside it are those of a site, each with a URL of its own.
  ['WARC/1.', 'a WARC file; warcClient (usp ls --from-warc) reads it'],
];

/** Whatever is inside such a file, it is not a sitemap behind some text. */
function knownSignature(head: Uint8Array): Description | undefined {
  const text = latin1String(head.subarray(0, 8));
  const [, words] = SIGNATURES.find(([signature]) => text.startsWith(signature)) ?? [];
  return words === undefined ? undefined : { what: 'binary', words };
}

const BOT_WALL: readonly RegExp[] = [
  /captcha|cf-chl|challenge-platform|just a moment|attention required|access denied|request unsuccessful/i,
  /verify (?:that )?you are (?:a )?human|are you a robot|enable javascript and cookies|ddos protection/i,
];
const LOGIN = /type\s*=\s*["']?password|<title>[^<]*(?:log ?in|sign ?in)/i;
const META_REFRESH = /http-equiv\s*=\s*["']?refresh["']?[^>]*url\s*=\s*["']?([^"'>\s]+)/i;

const DESCRIBED_BYTES = 16 * 1024;

/** Whatever comes behind it, it is not waited for. */
const BLANK: Description = {
  what: 'empty',
  words: 'white space in all of its first 1 MiB, and no more is looked at (too-large)',
};

function describe({ head, firstElement, contentStart }: RootSearch): Description {
  // Latin-1 keeps every byte; nothing beyond ASCII is looked for. A long prolog says nothing.
  const from = contentStart < DESCRIBED_BYTES || contentStart >= head.length ? 0 : contentStart;
  const text = latin1String(head.subarray(from, from + DESCRIBED_BYTES));
  const start = text.replace(/^(?:\xef\xbb\xbf|\s)+/, '');
  if (start === '') return head.length < LONGEST_START ? { what: 'empty', words: 'empty' } : BLANK;
  if (text.startsWith('\x1f\x8b')) {
    return { what: 'gzip', words: 'compressed with gzip; decompress it first (DecompressionStream does it)' };
  }
  if (start.startsWith('version https://git-lfs')) {
    return { what: 'git-lfs', words: 'a Git LFS pointer; the file itself was not deployed' };
  }
  if (text.includes('\0')) return { what: 'binary', words: 'binary data' };
  if (
    /^<(?:!doctype\s+html|html|head|body)\b/i.test(withoutComments(start)) ||
    firstElement?.toLowerCase() === 'html'
  ) {
    return describeHtml(text);
  }
  if (start.startsWith('<')) {
    if (firstElement === undefined) return { what: 'other-xml', words: 'XML without any element' };
    const name = clip(firstElement, 50);
    return { what: 'other-xml', words: `XML of another kind: its root is <${name}>` };
  }
  if (/^[[{]/.test(start)) return { what: 'json', words: 'JSON' };
  return { what: 'text', words: 'text without a single URL on a line of its own' };
}

function describeHtml(text: string): Description {
  if (BOT_WALL.some((words) => words.test(text)))
    return { what: 'bot-wall', words: 'an HTML page that looks like a bot wall' };
  if (LOGIN.test(text)) return { what: 'login', words: 'an HTML page that looks like a login form' };
  const target = META_REFRESH.exec(text)?.[1];
  if (target !== undefined) {
    return { what: 'html', words: `an HTML page that sends browsers on to ${clip(target, 200)}` };
  }
  return { what: 'html', words: 'an HTML page' };
}

function withoutComments(text: string): string {
  return text.replace(/^(?:\s*(?:<!--[\s\S]*?-->|<\?[^>]*>))+\s*/, '');
}

// Where the sitemap begins in a document that may begin with anything: a declaration, comments, a DOCTYPE, a PHP
// warning, a browser's words, a whole HTML page around it. Comments, CDATA and escaped text hide nothing from us that
// we want: a scanner skips them. Scripts do (a page that writes its sitemap in JavaScript is not one).

type RootName = 'urlset' | 'sitemapindex' | 'rss' | 'feed' | 'rdf' | 'url' | 'sitemap';

interface PrologProblem {
  readonly code: ParseProblemCode;
  readonly message: string;
  readonly offset: number;
}

interface FoundRoot {
  readonly name: RootName;
  /** With its prefix; absent for a list of entries without a root. */
  readonly writtenName: string | undefined;
  readonly prolog: Prolog;
  readonly problems: readonly PrologProblem[];
}

interface RootSearch {
  readonly root: FoundRoot | undefined;
  /** The name of the first element, as written. */
  readonly firstElement: string | undefined;
  /** What it was looked for in. */
  readonly head: Uint8Array;
  /** Where in that the first text or element is. */
  readonly contentStart: number;
  /** Whether more bytes cannot change the result. */
  readonly isAll: boolean;
}

/** How much is scanned at a time: there is no need to scan on behind the root. */
const STEP = 2048;

/** Looks for the root in all that has arrived, which has doubled since the last look: see window.ts. */
function findRoot(firstBytes: Uint8Array, start: number, isComplete: boolean): RootSearch {
  const search = new Search(start);
  const end = (): number => Math.min(firstBytes.length, search.windowEnd);
  for (let at = start; at < end() && search.root === undefined; at += STEP) {
    search.scanner.write(firstBytes.subarray(at, Math.min(at + STEP, end())));
  }
  const isAll = isComplete || end() === search.windowEnd;
  // What it has waited with is all that there is. Before that, what is not closed may still be.
  if (isAll && search.root === undefined) search.scanner.end();
  const { root, firstElement, windowEnd, contentStart = LONGEST_START } = search;
  // A long text is heard of as a whole, so more may have been scanned by then.
  const isInWindow = root !== undefined && root.prolog.rootOffset < windowEnd;
  const head = firstBytes.subarray(0, end());
  return { root: isInWindow ? root : undefined, firstElement, contentStart, head, isAll };
}

const HTML_NAMES: ReadonlySet<string> = new Set(
  (
    'html head body meta link title base div span p br hr h1 h2 h3 ' +
    'a b i em strong font center pre code ul ol li table tr td'
  ).split(' '),
);
const RAW_TEXT = new Set(['script', 'style', 'textarea']);

class Search implements ScannerHandler {
  readonly scanner: Scanner;
  root: FoundRoot | undefined;
  firstElement: string | undefined;
  /** Where the prolog ends: white space, comments, instructions and a DOCTYPE. */
  contentStart: number | undefined;
  readonly #attributes = new Attributes();
  readonly #decoding = new TextDecoding();
  readonly #problems: PrologProblem[] = [];
  #hasDoctype = false;
  #textAt = -1;
  #hasPage = false;
  #rawText: string | undefined;

  constructor(start: number) {
    this.scanner = new Scanner(this, this.#attributes, start);
  }

  /** How far the root is looked for: behind the prolog, whose end may not be known yet. */
  get windowEnd(): number {
    return Math.min((this.contentStart ?? LONGEST_START) + DETECTION_WINDOW, LONGEST_START);
  }

  openTag(nameStart: number, nameEnd: number, _how: TagEnd, start: number): undefined {
    if (this.root !== undefined || this.#rawText !== undefined) return;
    this.contentStart ??= this.scanner.offsetOf(start);
    const name = this.#name(nameStart, nameEnd);
    const local = name.slice(name.indexOf(':') + 1).toLowerCase();
    if (RAW_TEXT.has(local)) {
      this.#rawText = local;
      this.firstElement ??= name;
      return;
    }
    if (local === 'html' || local === 'body') this.#hasPage = true;
    const rootName = this.#rootName(local, name);
    this.firstElement ??= name;
    if (rootName !== undefined) this.#setRoot(rootName, name, this.scanner.offsetOf(start));
  }

  closeTag(nameStart: number, nameEnd: number): undefined {
    if (this.#rawText !== undefined && this.#name(nameStart, nameEnd).toLowerCase() === this.#rawText) {
      this.#rawText = undefined;
    }
  }

  text(start: number, end: number): void {
    if (this.root !== undefined || this.#textAt !== -1 || this.#rawText !== undefined) return;
    let at = start;
    while (at < end && isSpace(this.scanner.bytes[at]!)) at++;
    if (at === end) return;
    this.#textAt = this.scanner.offsetOf(at);
    this.contentStart ??= this.#textAt;
  }

  cdata(): void {}

  doctype(start: number): void {
    if (this.root === undefined && !this.#hasDoctype) {
      this.#hasDoctype = true;
      this.#note('doctype', DOCTYPE_SKIPPED, this.scanner.offsetOf(start));
    }
  }

  problem(code: ParseProblemCode, message: string, start: number): void {
    // A "<" in the text before the root goes with that text.
    if (this.root !== undefined || this.#rawText !== undefined || code === 'literal-less-than') return;
    this.#note(code, message, this.scanner.offsetOf(start));
  }

  #name(start: number, end: number): string {
    return decodeCdata(this.scanner.bytes, start, Math.min(end, start + 100), this.#decoding);
  }

  #note(code: ParseProblemCode, message: string, offset: number): void {
    if (!this.#problems.some((problem) => problem.code === code))
      this.#problems.push({ code, message, offset });
  }

  #rootName(local: string, name: string): RootName | undefined {
    const isFirst = this.firstElement === undefined;
    switch (local) {
      case 'urlset':
      case 'sitemapindex':
        return local;
      // Other vocabularies have elements of these names somewhere inside.
      case 'rss':
      case 'feed':
        return isFirst || HTML_NAMES.has(this.firstElement?.toLowerCase() ?? '') ? local : undefined;
      case 'rdf':
        return isFirst ? local : undefined;
      case 'url':
      case 'sitemap':
        return isFirst && (name === local || name === local.toUpperCase()) && this.#isOurs()
          ? local
          : undefined;
      default:
        return undefined;
    }
  }

  // ASP.NET's <siteMap> and its like say by their namespace that they are something else.
  #isOurs(): boolean {
    const namespace = this.#attributes.get('xmlns', this.#decoding);
    return namespace === undefined || readNamespace(namespace)?.vocabulary === 'sitemap';
  }

  #setRoot(name: RootName, writtenName: string, rootOffset: number): void {
    const isInsideHtml = this.#hasPage;
    if (isInsideHtml) {
      this.#note('inside-html', 'The sitemap is inside an HTML page; it was read from there.', 0);
    } else if (this.#textAt !== -1) {
      this.#note('text-before-root', 'Text before the root was skipped.', this.#textAt);
    }
    const hasRoot = name !== 'url' && name !== 'sitemap';
    this.root = {
      name,
      writtenName: hasRoot ? writtenName : undefined,
      prolog: { rootOffset, hasRoot, hasDoctype: this.#hasDoctype, isInsideHtml },
      // The parser reads the root again, and finds the problems of the root itself.
      problems: this.#problems.filter(({ offset }) => offset < rootOffset),
    };
  }
}
