/**
 * Values in the form of sitemaps: text that XML allows, escaped once; W3C dates; decimal numbers; URLs in the form of
 * RFC 3986. Changes and values that are left out are reported.
 */

import { PROTOCOL_LIMITS } from '../check/protocol-limits.ts';
import type { RuleName } from '../check/rule.ts';
import { MAX_URL_LENGTH, ReportedValues } from '../parse/reported-values.ts';
import { hasTimeOfDay, parseDate, timeOfDate } from '../parse/values/date.ts';
import { isDropping, type ParseProblemCode } from '../problems/catalogue.ts';
import { ProblemList } from '../problems/problem-list.ts';
import { clip, number } from '../text/wording.ts';
import { isPrivateHost, parsedUrl } from '../url.ts';

/**
 * The code of a problem of a page that is written: that of a problem of the parser, or the name of a rule of `usp
 * check`.
 */
export type WriteProblemCode = ParseProblemCode | RuleName | 'field-repeated' | 'unknown-field';

/** Called with each problem; `isDropped` if the value was left out, not repaired. */
export type ReportProblem = (code: WriteProblemCode, message: string, isDropped?: boolean) => void;

/** A value has at most 64 KiB. A text of this length always fits, in any alphabet and escaped. */
const ALWAYS_FITS = 10_922;
const MOST_VALUE_BYTES = 65_536;

// The protocol asks for all five to be escaped.
const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  }),
);

// JavaScript gives values of any type, whatever the types of the fields say.

export function isGiven<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

/** Whether the value is an address: a text, or a `URL`, which the types do not mention. */
export function isTextOrUrl(value: unknown): value is string {
  return typeof value === 'string' || value instanceof URL;
}

/** The text of a text, a number or a `URL`; empty for other values. */
export function givenText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || value instanceof URL ? String(value) : '';
}

/** A number, or a text that is one; else `NaN`. */
export function givenNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

/** A list; a value that is not a list becomes its only item. */
export function givenList<Item>(value: readonly Item[] | null | undefined): readonly Item[] {
  if (Array.isArray(value)) return value;
  // Not a list, whatever its type says.
  return isGiven(value) ? [value as Item] : [];
}

/** An object; another value becomes an object without the fields that are read. */
export function givenFields<Fields extends object>(value: Fields): Fields {
  return typeof value === 'object' && value !== null ? value : Object(value);
}

export function describeInput(value: unknown): string {
  const isOpaque = typeof value === 'object' && value !== null && !(value instanceof Date);
  return clip(isOpaque ? 'an object' : String(value), 100);
}

/** Characters that are not ASCII, or must be escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const NOT_PLAIN = /[&<>"'\0-\x08\x0b-\x1f\x80-\uffff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const NOT_AS_IT_IS = /[&<>"'\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]/;
/** The characters that XML 1.0 forbids. With the flag `u`, only a surrogate without its other half matches. */
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]+/gu;

const encoder = new TextEncoder();

export function encodedText(text: string): Uint8Array {
  return encoder.encode(text);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES.get(character)!);
}

/**
 * A text for XML, without characters that XML forbids; empty if nothing is left.
 *
 * @param encoded - encodes a text that is not plain ASCII for the document
 */
export function textInXml(value: string, report: ReportProblem, encoded?: (text: string) => string): string {
  if (value === '') return '';
  if (value.length <= ALWAYS_FITS && !NOT_PLAIN.test(value) && !hasSpaceAround(value)) return value;
  const trimmed = value.trim();
  const isAsItIs = trimmed.length <= ALWAYS_FITS && !NOT_AS_IT_IS.test(trimmed);
  const xml = isAsItIs ? trimmed : repaired(trimmed, report);
  return encoded === undefined ? xml : encoded(xml);
}

function repaired(text: string, report: ReportProblem): string {
  const lines = text.replace(/\r\n?/g, '\n');
  const clean = withoutForbidden(lines).trim();
  if (clean.length !== lines.length)
    report('control-character', 'Characters that XML forbids were left out.');
  const whole = escaped(clean);
  if (clean.length <= ALWAYS_FITS || encodedText(whole).length <= MOST_VALUE_BYTES) return whole;
  report('value-too-long', 'A text of more than 64 KiB was shortened.');
  return escaped(withoutForbidden(clean.slice(0, ALWAYS_FITS)));
}

/** Whether there may be something to trim. */
function hasSpaceAround(text: string): boolean {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  return !(first > 0x20 && first < 0x7f && last > 0x20 && last < 0x7f);
}

function withoutForbidden(text: string): string {
  return text.replace(FORBIDDEN, '');
}

/** The rules about dates that are not in the form of the W3C, one for each kind of date. */
export type DateRule = 'lastmod-not-w3c' | 'news-date-not-w3c' | 'video-date-not-w3c';

const DAY = 86_400_000;
const ZONE = '(?:Z|[+-](?:(?:0\\d|1[0-3]):[0-5]\\d|14:00))';
const W3C_DATE = new RegExp(
  `^\\d{4}(?:-\\d\\d(?:-\\d\\d(?:${ZONE}|T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?${ZONE})?)?)?$`,
);
const NO_ZONE = /T[\d:.]+$/;
const MONTH_ONLY = /^\s*[a-z]+\.?,? \d{4}\s*$/i;

/** A date in the form of the W3C, with the precision of the input, and its time. */
export class DateText {
  text = '';
  time: number = Number.NaN;
  // The last input: dates are often sorted, and many pages have the same date.
  #input: string | undefined;

  /** Reads a date. Returns false, with a problem, if it is not a date. */
  read(value: Date | string, rule: DateRule, report: ReportProblem): boolean {
    if (typeof value === 'string' && value === this.#input) return true;
    this.#input = undefined;
    this.time = typeof value === 'string' ? parseDate(value) : timeOfDate(value);
    if (typeof value === 'string' && !Number.isNaN(this.time) && W3C_DATE.test(value)) {
      this.text = value;
      this.#input = value;
      return true;
    }
    const iso = isoText(this.time);
    if (iso === undefined) {
      report(
        'bad-date',
        `"${describeInput(value)}" is not a date that can be understood; it was left out.`,
        true,
      );
      return false;
    }
    this.text = typeof value === 'string' ? inW3cForm(value.trim(), this.time, iso, rule, report) : iso;
    return true;
  }
}

function inW3cForm(text: string, time: number, iso: string, rule: DateRule, report: ReportProblem): string {
  if (W3C_DATE.test(text)) return text;
  if (W3C_DATE.test(`${text}Z`) && NO_ZONE.test(text)) {
    if (rule === 'lastmod-not-w3c')
      report('lastmod-no-zone', `${text} has no time zone; it was read as UTC.`);
    return `${text}Z`;
  }
  const isDay = time % DAY === 0 && !hasTimeOfDay(text);
  const dateText = isDay ? iso.slice(0, MONTH_ONLY.test(text) ? 7 : 10) : iso;
  report(rule, `"${clip(text, 100)}" is not a W3C date; it was written as ${dateText}.`);
  return dateText;
}

/** Years from 1 to 9999, with seconds, and with milliseconds if they are not zero. */
function isoText(time: number): string | undefined {
  if (!(time >= -62_135_596_800_000 && time <= 253_402_300_799_999)) return undefined;
  const iso = new Date(time).toISOString();
  return iso.endsWith('.000Z') ? `${iso.slice(0, 19)}Z` : iso;
}

/** A number without an exponent, which `xs:decimal` does not have. */
export function decimalText(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}

/** Characters that need an encoding or an escape after the host. */
const NOT_SAFE = /[^\w\-.~!$()*+,;=:@/?]/;
/** Characters that need more than an encoding. */
const NOT_SIMPLE = /[\s\0-\x20"#%&'<>[\\\]^`{|}\x7f-\xa0\ufffe\uffff]/;
/** How many origins are remembered: images, videos and alternates are mostly on a few hosts. */
const MOST_ORIGINS = 8;
const PARTS = /^(https?:\/\/)([^/?#\\]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;
/** A host that `new URL` does not change, except for capitals. */
const PLAIN_HOST = /^(?:[a-z\d.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;
/** `new URL` accepts more characters than RFC 3986 allows in a host. */
const NOT_IN_HOST = /[^\w\-.~!$&'()*+,;=%:[\]]/;
const NOT_ALLOWED = /%(?![\dA-F]{2})|[^\w\-.~!$&'()*+,;=:@/?%]/giu;

/** Writes URLs in the form of RFC 3986. A URL in this form is not changed. */
export class UrlText {
  readonly #report: ReportProblem;
  readonly #values: ReportedValues;
  readonly #ownHost: string | undefined;
  /** The hosts of the last page and of the document, for a message; undefined if they are equal. */
  otherHost: string | undefined;
  /** The start of the last page with a valid host, up to the slash. */
  #origin = '\n'; // Matches no URL.
  /** The starts of other URLs with a valid host. */
  readonly #otherOrigins: string[] = [];

  /** @param base - the address that the document will have: relative URLs are resolved against it */
  constructor(base: string | undefined, report: ReportProblem) {
    this.#report = report;
    this.#ownHost = base === undefined ? undefined : parsedUrl(base)?.host;
    // The codes of its problems are those of the parser.
    const problems = new ProblemList((problem) =>
      report(problem.code as WriteProblemCode, problem.message, isDropping(problem)),
    );
    this.#values = new ReportedValues(base, problems);
  }

  /** The URL of a page, escaped for XML; undefined, with a problem, if it cannot be written. */
  page(text: string): string | undefined {
    const plain = text.startsWith(this.#origin)
      ? this.#plain(text, PROTOCOL_LIMITS.urlCharacters)
      : undefined;
    if (plain !== undefined) return plain;
    const url = this.#inLocation(text);
    if (url === undefined) return undefined;
    const end = url.indexOf('/', 8) + 1;
    const origin = url.slice(0, end);
    if (origin === '' || origin !== this.#origin) {
      const { host, hostname } = new URL(url);
      if (host !== this.#ownHost && isPrivateHost(hostname)) {
        this.#report('url-not-public', `The URL is on ${hostname}, which the public cannot reach.`, true);
        return undefined;
      }
      const isOther = this.#ownHost !== undefined && host !== this.#ownHost;
      this.otherHost = isOther ? `${host}, and the sitemap on ${this.#ownHost}` : undefined;
      this.#origin = origin === '' || NOT_SAFE.test(origin) ? '\n' : origin;
    }
    return escaped(url);
  }

  /** The URL of a sitemap in an index: it may be on any host. */
  sitemap(text: string): string | undefined {
    const url = this.#inLocation(text);
    return url === undefined ? undefined : escaped(url);
  }

  /** Any other URL, escaped for XML. */
  other(text: string): string | undefined {
    const isKnown = this.#isOfKnownOrigin(text);
    const plain = isKnown ? this.#plain(text, MAX_URL_LENGTH) : undefined;
    if (plain !== undefined) return plain;
    const url = this.#inForm(text);
    if (url === undefined) return undefined;
    if (url.length > MAX_URL_LENGTH) {
      this.#report('oversized-url', 'A URL is longer than 8 KiB, and was dropped.', true);
      return undefined;
    }
    const origin = url.slice(0, url.indexOf('/', 8) + 1);
    if (!isKnown && text.startsWith(origin)) this.#remember(origin);
    return escaped(url);
  }

  /** The fast path, for a URL with a valid origin. Undefined if the slow path is needed. */
  #plain(text: string, most: number): string | undefined {
    if (text.length > most) return undefined;
    if (!NOT_SAFE.test(text)) return text;
    if (NOT_SIMPLE.test(text) || !text.isWellFormed()) return undefined;
    const url = encodeURI(text);
    if (url.length > most) return undefined;
    this.#report('url-not-ascii', `A URL was encoded as ${clip(url, 200)}`);
    return url;
  }

  /** In the form and with the length that the protocol requires. */
  #inLocation(text: string): string | undefined {
    const url = this.#inForm(text);
    if (url === undefined || url.length <= PROTOCOL_LIMITS.urlCharacters) return url;
    const length = number(url.length);
    this.#report('url-too-long', `The URL has ${length} characters, of which 2,048 are allowed.`, true);
    return undefined;
  }

  #isOfKnownOrigin(text: string): boolean {
    for (const origin of this.#otherOrigins) if (text.startsWith(origin)) return true;
    return false;
  }

  #remember(origin: string): void {
    if (origin === '') return;
    this.#otherOrigins.unshift(origin);
    if (this.#otherOrigins.length > MOST_ORIGINS) this.#otherOrigins.pop();
  }

  /** As the parser reads it: without white space, escaped once, absolute. Then encoded, if needed. */
  #inForm(text: string): string | undefined {
    const clean = withoutForbidden(text);
    if (clean.length !== text.length)
      this.#report('control-character', 'Characters that XML forbids were left out of a URL.');
    const url = this.#values.url(clean, 0);
    if (url === undefined) return undefined;
    const [, scheme = '', authority = '', path = '', query = '', fragment = ''] = PARTS.exec(url) ?? [];
    const host = this.#host(authority, parsedUrl(url));
    if (host === '' || NOT_IN_HOST.test(host)) {
      this.#report('unresolvable-url', `A URL is not valid, and was dropped: ${clip(url, 200)}`, true);
      return undefined;
    }
    const urlText = `${scheme}${host}${encoded(path.replaceAll('\\', '/'))}${encoded(query)}`;
    const whole = fragment === '' ? urlText : `${urlText}#${encoded(fragment.slice(1))}`;
    if (whole !== url && !authority.includes('@')) this.#encodedAs(url, whole);
    return whole;
  }

  /** The host as it is written; empty if the text is not a URL. */
  #host(authority: string, url: URL | undefined): string {
    if (url === undefined) return '';
    if (authority.includes('@')) {
      this.#report('url-not-public', 'A user name or a password was left out of a URL.');
    }
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    return PLAIN_HOST.test(host) ? host : url.host;
  }

  #encodedAs(url: string, whole: string): void {
    const isAscii = encodedText(url).length === url.length;
    const message = `A URL was encoded as ${clip(whole, 200)}`;
    this.#report(isAscii ? 'url-not-encoded' : 'url-not-ascii', message);
  }
}

function encoded(part: string): string {
  return part.replace(NOT_ALLOWED, (character) => {
    const encodedCharacter = encodeURIComponent(character);
    return encodedCharacter === character
      ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
      : encodedCharacter;
  });
}
