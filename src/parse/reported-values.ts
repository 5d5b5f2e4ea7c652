/** Text → value, and a problem of the document where it is not one. */
import type { ParseProblemCode } from '../problems/catalogue.ts';
import type { ProblemFacts, ProblemList } from '../problems/problem-list.ts';
import { clip } from '../text/wording.ts';
import { parseDate } from './values/date.ts';
import { parseNumber } from './values/number.ts';
import { type TextDecoding, TextProblem } from './values/text.ts';
import {
  hasScheme,
  hasTemplate,
  isHttpUrl,
  isTemplate,
  resolveUrl,
  tidyUrl,
  withoutQuotes,
} from './values/written-url.ts';

/**
 * Longer URLs are dropped. Sitemaps may have 2,048 characters, and hardly any server takes a request line of more
 * than 8 KiB, so nothing that could be fetched is lost; thousands of URLs of 64 KiB each would fill the memory.
 */
export const MAX_URL_LENGTH: number = 8 * 1024;

const URL_KEPT: ProblemFacts = { kept: true };

export class ReportedValues {
  readonly problems: ProblemList;
  /** What relative URLs are resolved against: the document's own, unless an `xml:base` says otherwise. */
  base: string | undefined;

  constructor(base: string | undefined, problems: ProblemList) {
    this.base = base;
    this.problems = problems;
  }

  /** The URL that `text` is, as written unless it is relative; undefined where it is not a URL. */
  url(text: string, offset: number): string | undefined {
    const tidy = tidyUrl(text);
    // By the letter it would be the document itself.
    if (tidy === '') {
      this.problems.add('empty-loc', 'A URL is empty, and was dropped.', offset);
      return undefined;
    }
    if (tidy.length > MAX_URL_LENGTH) {
      this.#badUrl('oversized-url', 'longer than 8 KiB, and was dropped:', tidy, offset);
      return undefined;
    }
    // Escaped twice or more, or escaped inside CDATA: no URL means a literal `&amp;`.
    const url = tidy.replace(/&(?:amp;)+/g, '&');
    if (url !== tidy) this.#badUrl('double-escaped-url', 'escaped twice; it was read as', url, offset);
    if (isHttpUrl(url)) return this.absolute(url, offset);
    const bare = withoutQuotes(url);
    if (bare !== url) {
      this.#badUrl('relative-url', 'in quotes or brackets, and was read without them:', url, offset);
      return this.absolute(bare, offset);
    }
    if (hasScheme(url) && !/^https?:/i.test(url)) {
      this.#badUrl('not-http-url', 'not an http or https URL, and was dropped:', url, offset);
      return undefined;
    }
    if (isTemplate(url)) {
      this.#badUrl('template', 'an unrendered template or source code, and was dropped:', url, offset);
      return undefined;
    }
    if (this.base === undefined) {
      const why = 'relative, and without the option "url" there is nothing to resolve it against:';
      this.#badUrl('unresolvable-url', why, url, offset, { option: 'url' });
      return undefined;
    }
    const resolved = resolveUrl(url, this.base);
    if (resolved === undefined || !isHttpUrl(resolved)) {
      this.#badUrl('unresolvable-url', 'not a URL, and was dropped:', url, offset);
      return undefined;
    }
    this.#badUrl('relative-url', `relative, and was resolved to ${clip(resolved, 200)}:`, url, offset);
    return resolved;
  }

  /** An absolute URL, as it is; one with a part of a template is reported. */
  absolute(url: string, offset: number): string {
    if (hasTemplate(url))
      this.#badUrl('template', 'an unrendered template or source code, and was kept:', url, offset, URL_KEPT);
    return url;
  }

  #badUrl(code: ParseProblemCode, what: string, url: string, offset: number, facts?: ProblemFacts): void {
    this.problems.add(code, `A URL is ${what} ${clip(url, 200)}`, offset, facts, url);
  }

  /** Milliseconds since 1970, UTC; NaN where the text is not a date. */
  date(text: string, offset: number): number {
    const time = parseDate(text);
    if (Number.isNaN(time)) {
      const message = `"${clip(text, 100)}" is not a date that can be understood; it was left out.`;
      this.problems.add('bad-date', message, offset);
    }
    return time;
  }

  /** A number that is not negative; undefined where the text is not one. */
  number(text: string, name: string, highest: number, offset: number): number | undefined {
    const value = parseNumber(text);
    if (value >= 0 && value <= highest) return value;
    const message = `"${clip(text, 100)}" is not a ${name}; it was left out.`;
    this.problems.add('bad-number', message, offset, undefined, name);
    return undefined;
  }
}

/** Reports the problems that have added up in the decoding of texts, and clears them. */
export function reportTextProblems(decoding: TextDecoding, list: ProblemList, offset: number): void {
  const { problems } = decoding;
  if (problems === 0) return;
  decoding.problems = 0;
  for (const [bit, code, message] of TEXT_PROBLEMS)
    if ((problems & bit) !== 0) list.add(code, message, offset);
}

export const INVALID_BYTES = 'Bytes that are not valid in the charset were read as U+FFFD.';

const TEXT_PROBLEMS: readonly (readonly [bit: number, code: ParseProblemCode, message: string])[] = [
  [TextProblem.bareAmpersand, 'bare-ampersand', 'An "&" that starts no entity was read as a literal "&".'],
  [TextProblem.controlCharacter, 'control-character', 'Control characters were removed from a value.'],
  [TextProblem.invalidBytes, 'invalid-bytes', INVALID_BYTES],
  [
    TextProblem.entityDropped,
    'entity-dropped',
    'A reference to an entity that only a DOCTYPE could define was removed.',
  ],
];
