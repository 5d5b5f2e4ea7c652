/**
 * An `xhtml:link`, of which two rules ask nearly the same. Most are written alike, with a language and an ordinary URL:
 * those are read from their bytes, once. Of any other, each rule reads the attributes.
 */
import type { Attributes, TagAttribute } from '../parse/listener.ts';
import { isPlainWord, repeatedString } from '../parse/values/text.ts';
import { NO_ATTRIBUTES } from '../parse/xml/attributes.ts';
import { signsOf } from '../robots/robots-rules.ts';
import { parsedUrl } from '../url.ts';
import { OrdinaryUrl } from './ordinary-url.ts';
import { urlKey } from './url-key.ts';
import { UrlMark, wordOf } from './url-mark.ts';

const AMPERSAND = signsOf('&');
const [HREF, LANG] = [wordOf('href'), wordOf('lang')];
const [ALTE, RNAT, LETTER_E] = [wordOf('alte'), wordOf('rnat'), 0x65];
const REL = wordOf('rel=');

export class AlternateLink extends OrdinaryUrl {
  /** Whether it has nothing but `rel="alternate"`, a language and an ordinary URL, each once. */
  isPlain = false;
  /** Of a plain one: its language, as written. */
  code = '';
  /** Where that is written. */
  codeOffset = 0;
  /** Of a plain one: the fingerprint of its URL. */
  readonly mark: UrlMark = new UrlMark();
  #attributes: Attributes = NO_ATTRIBUTES;
  #list: readonly TagAttribute[] | undefined;

  take(attributes: Attributes): void {
    this.#attributes = attributes;
    this.#list = undefined;
    this.isPlain = attributes.view !== undefined && this.#readPlain(attributes, attributes.view);
    if (this.isPlain) this.markWith(this.mark);
  }

  get attributes(): readonly TagAttribute[] {
    this.#list ??= this.#attributes.list();
    return this.#list;
  }

  /** The key of the page that it names as an alternate; undefined where it names none. */
  key(base: string | undefined): string | undefined {
    if (this.isPlain) return this.url;
    let href: string | undefined;
    let isAlternate = false;
    let hasLanguage = false;
    for (const { name, value } of this.attributes) {
      switch (name.toLowerCase()) {
        case 'rel':
          isAlternate = value.trim().toLowerCase() === 'alternate';
          break;
        case 'hreflang':
          hasLanguage = value.trim() !== '';
          break;
        case 'href':
          href = value.trim();
          break;
      }
    }
    if (!isAlternate || !hasLanguage || href === undefined || href === '') return undefined;
    if (/^https?:/.test(href)) return urlKey(href);
    const whole = base === undefined ? undefined : parsedUrl(href, base);
    return whole === undefined ? undefined : urlKey(whole.href);
  }

  #readPlain(attributes: Attributes, view: DataView): boolean {
    if (attributes.count !== 3) return false;
    const { bytes } = attributes;
    let hrefStart = 0;
    let hrefEnd = 0;
    let codeStart = 0;
    let codeEnd = 0;
    let hasRel = false;
    for (let at = 0; at < 12; at += 4) {
      const name = attributes.edge(at);
      const start = attributes.edge(at + 2);
      const end = attributes.edge(at + 3);
      // Their names differ in their lengths, so three of them are one of each.
      switch (attributes.edge(at + 1) - name) {
        case 3:
          if (view.getInt32(name, true) !== REL || !isAlternate(view, start, end)) return false;
          hasRel = true;
          break;
        case 4:
          if (view.getInt32(name, true) !== HREF) return false;
          hrefStart = start;
          hrefEnd = end;
          break;
        case 8:
          if (view.getInt32(name, true) !== HREF || view.getInt32(name + 4, true) !== LANG) return false;
          codeStart = start;
          codeEnd = end;
          break;
        default:
          return false;
      }
    }
    if (!hasRel || codeStart === codeEnd || !isPlainWord(bytes, codeStart, codeEnd)) return false;
    this.read(bytes, view, hrefStart, hrefEnd);
    if (!this.isOrdinary || (this.signs & AMPERSAND) !== 0) return false;
    this.code = repeatedString(bytes, codeStart, codeEnd);
    this.codeOffset = attributes.base + codeStart;
    return true;
  }
}

function isAlternate(view: DataView, start: number, end: number): boolean {
  return (
    end - start === 9 &&
    view.getInt32(start, true) === ALTE &&
    view.getInt32(start + 4, true) === RNAT &&
    view.getUint8(start + 8) === LETTER_E
  );
}
