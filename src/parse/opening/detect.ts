/**
 * What kind of sitemap a document is. The content decides, never a content type or an extension:
 *
 *     starts with "<"? ── yes ──► XML: the root element picks the format
 *         │ no
 *     path ends in /robots.txt? ── yes ──► robots.txt
 *         │ no
 *     plain text
 *
 * One step past that: a known root in the first 64 KiB is found even behind text or inside an HTML page, unless
 * a line that is a URL comes before it.
 */

import { isUrlLine } from '../formats/plain-text.ts';
import type { XmlKind } from '../model/item.ts';
import { decodeCdata, TextDecoding } from '../values/text.ts';
import { type FoundRoot, findRoot, type RootName } from './root-finder.ts';

/** How far into a document a root is looked for. */
const DETECTION_WINDOW = 64 * 1024;

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
 * @param isForRobots - whether that of the URL does which redirects to it
 */
export function detect(
  bytes: Uint8Array,
  isComplete: boolean,
  isRobotsPath: boolean,
  isForRobots = false,
): Detection | undefined {
  const isAll = isComplete || bytes.length >= DETECTION_WINDOW;
  const head = bytes.subarray(0, DETECTION_WINDOW);
  const start = skipSpace(head);
  const isEmpty = start === head.length;
  if (isEmpty && !isAll) return undefined;

  const startsLikeXml = head[start] === 0x3c;
  if (!startsLikeXml && (isRobotsPath || (isForRobots && isEmpty))) return { kind: 'robots-txt' };

  const { root, firstElement } = findRoot(head, start);
  // The last line counts only if nothing follows it.
  const isLastLineWhole = isComplete && root === undefined && head.length === bytes.length;
  if (!startsLikeXml && hasUrlLine(head.subarray(start, root?.prolog.rootOffset), isLastLineWhole)) {
    return { kind: 'pages-text', isConfirmed: true, otherwise: describe(head, firstElement) };
  }
  if (root !== undefined) return { kind: KIND_OF_ROOT[root.name], root };
  if (!isAll) return undefined;

  const description = describe(head, firstElement);
  if (description.what !== 'text') return { kind: 'invalid', description };
  if (isForRobots) return { kind: 'robots-txt' };
  return { kind: 'pages-text', isConfirmed: false, otherwise: description };
}

export function isRobotsTxt(url: string | undefined): boolean {
  return url !== undefined && /^[^?#]*\/robots\.txt(?:[?#]|$)/i.test(url);
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

function hasUrlLine(head: Uint8Array, isLastLineWhole: boolean): boolean {
  const lines = decodeCdata(head, 0, head.length, new TextDecoding()).split(/[\r\n]/);
  if (!isLastLineWhole) lines.pop();
  return lines.some((line) => isUrlLine(line.trim()));
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
    | 'binary'
    | 'text';
  /** The rest of a sentence that begins with "It is …". */
  readonly words: string;
}

const SIGNATURES: readonly (readonly [string, string])[] = [
  ['%PDF-', 'a PDF file'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['\x89PNG', 'a PNG image'],
  ['GIF8', 'a GIF image'],
  ['\xff\xd8\xff', 'a JPEG image'],
];

const BOT_WALL: readonly RegExp[] = [
  /captcha|cf-chl|challenge-platform|just a moment|attention required|access denied|request unsuccessful/i,
  /verify (?:that )?you are (?:a )?human|are you a robot|enable javascript and cookies|ddos protection/i,
];
const LOGIN = /type\s*=\s*["']?password|<title>[^<]*(?:log ?in|sign ?in)/i;
const META_REFRESH = /http-equiv\s*=\s*["']?refresh["']?[^>]*url\s*=\s*["']?([^"'>\s]+)/i;

function describe(head: Uint8Array, firstElement: string | undefined): Description {
  // Latin-1 keeps every byte; nothing beyond ASCII is looked for.
  const text = latin1(head.subarray(0, 16 * 1024));
  const start = text.replace(/^(?:\xef\xbb\xbf|\s)+/, '');
  if (start === '') return { what: 'empty', words: 'empty' };
  if (text.startsWith('\x1f\x8b')) {
    return { what: 'gzip', words: 'compressed with gzip; decompress it first (DecompressionStream does it)' };
  }
  if (start.startsWith('version https://git-lfs')) {
    return { what: 'git-lfs', words: 'a Git LFS pointer; the file itself was not deployed' };
  }
  for (const [signature, words] of SIGNATURES) {
    if (text.startsWith(signature)) return { what: 'binary', words };
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
    const name = firstElement.slice(0, 50);
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
    return { what: 'html', words: `an HTML page that sends browsers on to ${target.slice(0, 200)}` };
  }
  return { what: 'html', words: 'an HTML page' };
}

function withoutComments(text: string): string {
  return text.replace(/^(?:\s*(?:<!--[\s\S]*?-->|<\?[^>]*>))+\s*/, '');
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return text;
}
