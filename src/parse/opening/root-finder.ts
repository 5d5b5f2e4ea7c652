/**
 * Finds where the sitemap begins in a document that may begin with anything: a declaration, comments, a
 * DOCTYPE, a PHP warning, a browser's words, a whole HTML page around it.
 *
 * Comments, CDATA and escaped text hide nothing from us that we want: a scanner skips them. Scripts do
 * (a page that writes its sitemap in JavaScript is not one).
 */

import type { ParseProblemCode } from '../../problems/catalogue.ts';
import { asciiString, TextDecoding } from '../values/text.ts';
import { Attributes, isSpace } from '../xml/attributes.ts';
import type { Prolog } from '../xml/entry-format.ts';
import { DOCTYPE_SKIPPED, Scanner, type ScannerHandler, type TagEnd } from '../xml/scanner.ts';
import { readNamespace } from '../xml/tag-names.ts';

export type RootName = 'urlset' | 'sitemapindex' | 'rss' | 'feed' | 'rdf' | 'url' | 'sitemap';

interface PrologProblem {
  readonly code: ParseProblemCode;
  readonly message: string;
  readonly offset: number;
}

export interface FoundRoot {
  readonly name: RootName;
  readonly prolog: Prolog;
  readonly problems: readonly PrologProblem[];
}

interface RootSearch {
  readonly root: FoundRoot | undefined;
  /** The name of the first element, as written. */
  readonly firstElement: string | undefined;
}

/** How much is scanned at a time: there is no need to scan on behind the root. */
const STEP = 2048;

export function findRoot(head: Uint8Array, start: number): RootSearch {
  const search = new Search(start);
  for (let at = start; at < head.length && search.root === undefined; at += STEP) {
    search.scanner.write(head.subarray(at, at + STEP));
  }
  return search;
}

const HTML_NAMES: ReadonlySet<string> = new Set(
  (
    'html head body meta link title base div span p br hr h1 h2 h3 ' +
    'a b i em strong font center pre code ul ol li table tr td'
  ).split(' '),
);
const RAW_TEXT = new Set(['script', 'style', 'textarea']);

class Search implements RootSearch, ScannerHandler {
  readonly scanner: Scanner;
  root: FoundRoot | undefined;
  firstElement: string | undefined;
  readonly #attributes = new Attributes();
  readonly #problems: PrologProblem[] = [];
  #hasDoctype = false;
  #textAt = -1;
  #hasPage = false;
  #rawText: string | undefined;

  constructor(start: number) {
    this.scanner = new Scanner(this, this.#attributes, start);
  }

  openTag(nameStart: number, nameEnd: number, _how: TagEnd, start: number): undefined {
    if (this.root !== undefined || this.#rawText !== undefined) return;
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
    if (rootName !== undefined) this.#found(rootName, this.scanner.offsetOf(start));
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
    if (at < end) this.#textAt = this.scanner.offsetOf(at);
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

  chunkEnd(): void {}

  #name(start: number, end: number): string {
    return asciiString(this.scanner.bytes, start, Math.min(end, start + 100));
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
    const namespace = this.#attributes.get('xmlns', new TextDecoding());
    return namespace === undefined || readNamespace(namespace)?.vocabulary === 'sitemap';
  }

  #found(name: RootName, rootOffset: number): void {
    const isInsideHtml = this.#hasPage;
    if (isInsideHtml) {
      this.#note('inside-html', 'The sitemap is inside an HTML page; it was read from there.', 0);
    } else if (this.#textAt !== -1) {
      this.#note('text-before-root', 'Text before the root was skipped.', this.#textAt);
    }
    const hasRoot = name !== 'url' && name !== 'sitemap';
    this.root = {
      name,
      prolog: { rootOffset, hasRoot, hasDoctype: this.#hasDoctype, isInsideHtml },
      // Those of the root itself are found again by what reads it from here on.
      problems: this.#problems.filter(({ offset }) => offset < rootOffset),
    };
  }
}
