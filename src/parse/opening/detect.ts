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
import type { XmlKind } from '../model/kind.ts';
import { decodeCdata, TextDecoding } from '../values/text.ts';
import { type Description, describe } from './describe.ts';
import { type FoundRoot, findRoot, type RootName } from './root-finder.ts';

/** How far into a document a root is looked for. */
const DETECTION_WINDOW = 64 * 1024;

/** What a document turned out to be. */
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
 */
export function detect(bytes: Uint8Array, isComplete: boolean, isRobotsPath: boolean): Detection | undefined {
  const isAll = isComplete || bytes.length >= DETECTION_WINDOW;
  const head = bytes.subarray(0, DETECTION_WINDOW);
  const start = skipSpace(head);
  if (start === head.length && !isAll) return undefined;

  const startsLikeXml = head[start] === 0x3c;
  if (!startsLikeXml && isRobotsPath) return { kind: 'robots-txt' };

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
  return { kind: 'pages-text', isConfirmed: false, otherwise: description };
}

/** Whether a URL is that of a robots.txt. */
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
