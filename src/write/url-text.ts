/** URLs in the form that RFC 3986 asks for. Nothing is changed in a URL that has this form. */
import { ReportedValues } from '../parse/reported-values.ts';
import { ProblemList } from '../problems/problem-list.ts';
import { isPrivateHost, parsedUrl } from '../url.ts';
import { encodedText, escaped, type Report, withoutForbidden } from './value-text.ts';

/** What the protocol allows for the URL of a page. */
export const MOST_OF_PAGE = 2048;
/** What is read of any other URL. */
const MOST_OF_OTHER = 8192;

/** All characters that need neither an encoding nor an escape, wherever they are behind the host. */
const NOT_SAFE = /[^\w\-.~!$()*+,;=:@/?]/;
/** Origins that are remembered: images, videos and alternates are mostly of a few hosts. */
const MOST_ORIGINS = 8;
const PARTS = /^(https?:\/\/)([^/?#\\]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;
/** A host as it is written in any URL: what `new URL` leaves as it is, but for capitals. */
const PLAIN_HOST = /^(?:[a-z\d.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;
/** `new URL` takes more than a host may have by RFC 3986. */
const NOT_IN_HOST = /[^\w\-.~!$&'()*+,;=%:[\]]/;
const NOT_ALLOWED = /%(?![\dA-F]{2})|[^\w\-.~!$&'()*+,;=:@/?%]/giu;

const DROPPING: ReadonlySet<string> = new Set([
  'empty-loc',
  'not-http-url',
  'oversized-url',
  'unresolvable-url',
]);

export class UrlText {
  readonly #report: Report;
  readonly #values: ReportedValues;
  readonly #ownHost: string | undefined;
  /** The beginning of the last page whose host was found to be right, up to the slash. */
  #origin = '\n';
  /** The same of other URLs. */
  readonly #otherOrigins: string[] = [];

  /** @param base - the address that the document will have: relative URLs are resolved against it */
  constructor(base: string | undefined, report: Report) {
    this.#report = report;
    this.#ownHost = base === undefined ? undefined : parsedUrl(base)?.host;
    const problems = new ProblemList(({ code, message }) =>
      report(code as Parameters<Report>[0], message, DROPPING.has(code)),
    );
    this.#values = new ReportedValues(base, problems);
  }

  /** The URL of a page, escaped for XML; undefined, with a problem, where it cannot be written. */
  page(text: string): string | undefined {
    if (text.startsWith(this.#origin) && text.length <= MOST_OF_PAGE && !NOT_SAFE.test(text)) return text;
    const url = this.#inForm(text);
    if (url === undefined) return undefined;
    if (url.length > MOST_OF_PAGE) {
      const length = url.length.toLocaleString('en');
      this.#report('url-too-long', `The URL has ${length} characters, of which 2,048 are allowed.`, true);
      return undefined;
    }
    const end = url.indexOf('/', 8) + 1;
    const origin = url.slice(0, end);
    if (origin === '' || origin !== this.#origin) {
      const { host, hostname } = new URL(url);
      if (host !== this.#ownHost && isPrivateHost(hostname)) {
        this.#report('url-not-public', `The URL is on ${hostname}, which the public cannot reach.`, true);
        return undefined;
      }
      if (origin !== '' && !NOT_SAFE.test(origin)) this.#origin = origin;
    }
    return escaped(url);
  }

  /** Any other URL, escaped for XML. */
  other(text: string): string | undefined {
    const isKnown = this.#isOfKnownOrigin(text);
    if (isKnown && text.length <= MOST_OF_OTHER && !NOT_SAFE.test(text)) return text;
    const url = this.#inForm(text);
    if (url === undefined) return undefined;
    if (url.length > MOST_OF_OTHER) {
      this.#report('oversized-url', 'A URL is longer than 8 KiB, and was dropped.', true);
      return undefined;
    }
    if (!isKnown && url === text) this.#remember(url.slice(0, url.indexOf('/', 8) + 1));
    return escaped(url);
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

  /** As reading has it: white space removed, escaped once, absolute; and with an encoding where one is needed. */
  #inForm(text: string): string | undefined {
    const clean = withoutForbidden(text);
    if (clean.length !== text.length)
      this.#report('control-character', 'Characters that XML forbids were left out of a URL.');
    const url = this.#values.url(clean, 0);
    if (url === undefined) return undefined;
    const [, scheme = '', authority = '', path = '', query = '', fragment = ''] = PARTS.exec(url) ?? [];
    const host = this.#host(authority, parsedUrl(url));
    if (host === '' || NOT_IN_HOST.test(host)) {
      this.#report('unresolvable-url', `A URL is not valid, and was dropped: ${url.slice(0, 200)}`, true);
      return undefined;
    }
    const written = `${scheme}${host}${encoded(path.replaceAll('\\', '/'))}${encoded(query)}`;
    const whole = fragment === '' ? written : `${written}#${encoded(fragment.slice(1))}`;
    if (whole !== url && !authority.includes('@')) this.#encodedAs(url, whole);
    return whole;
  }

  /** The host as it is written; empty where the text is not a URL. */
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
    const message = `A URL was encoded as ${whole.slice(0, 200)}`;
    this.#report(isAscii ? 'url-not-encoded' : 'url-not-ascii', message);
  }
}

function encoded(part: string): string {
  return part.replace(NOT_ALLOWED, (character) => {
    const written = encodeURIComponent(character);
    return written === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : written;
  });
}
