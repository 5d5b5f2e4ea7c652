/** What is wrong with the alternates of one entry; whether they return is for the whole site to say. */

import type { TagAttribute } from '../../parse/listener.ts';
import { judgeLanguageTag, type TagVerdict } from '../codes/language-tag.ts';
import type {
  CheckedDocument,
  CheckedKind,
  DocumentListener,
  DocumentRule,
  RuleRow,
  RuleRows,
} from '../rule.ts';
import { urlKey } from '../url-key.ts';
import { EntryReports } from './entry-reports.ts';

const GOOGLE = 'https://developers.google.com/search/docs/specialty/international/localized-versions';
const DOCUMENTS: readonly CheckedKind[] = ['pages-xml'];
/** The alternates of an entry that are compared with its address; an entry with more gets no verdict. */
const MOST_ALTERNATES = 5000;
const MOST_VERDICTS = 1000;

export type HreflangRule =
  | 'hreflang-bad-code'
  | 'hreflang-unsupported'
  | 'hreflang-no-self'
  | 'hreflang-repeated'
  | 'hreflang-no-href';

const HREFLANG = {
  about: 'hreflang',
  severity: 'warning',
  documents: DOCUMENTS,
  source: GOOGLE,
} as const satisfies Partial<RuleRow>;

export const HREFLANG_RULES: RuleRows<HreflangRule> = {
  'hreflang-bad-code': {
    ...HREFLANG,
    severity: 'error',
    explanation: {
      what:
        'An hreflang is not a language of ISO 639-1, with or without a script of ISO 15924 and a country of ' +
        'ISO 3166-1. `x-default` is allowed, and the case of letters does not matter.',
      why: 'Search engines ignore this alternate, so the wrong language may be shown to people.',
      fix:
        'Write the language first, then the country, with a hyphen: `en-GB`, not `en-UK` or `en_GB`; `ja`, ' +
        'not `jp`.',
    },
    bad: '<xhtml:link rel="alternate" hreflang="en-UK" href="https://example.org/uk/"/>',
    good: '<xhtml:link rel="alternate" hreflang="en-GB" href="https://example.org/uk/"/>',
  },
  'hreflang-unsupported': {
    ...HREFLANG,
    explanation: {
      what:
        'An hreflang is a right code of BCP 47 that search engines do not read: a group of countries ' +
        '(`es-419`, `en-EU`), a language of three letters (`fil`), a variant.',
      why: 'Search engines ignore this alternate, or the part that they do not read.',
      fix: 'Write the language alone, or one alternate for each country.',
    },
    bad: '<xhtml:link rel="alternate" hreflang="es-419" href="https://example.org/latam/"/>',
    good:
      '<xhtml:link rel="alternate" hreflang="es-MX" href="https://example.org/latam/"/>\n' +
      '<xhtml:link rel="alternate" hreflang="es-AR" href="https://example.org/latam/"/>',
  },
  'hreflang-no-self': {
    ...HREFLANG,
    explanation: {
      what: 'The alternates of a page do not include the page itself.',
      why: 'Each page must list all versions, its own among them. Otherwise search engines may ignore the group.',
      fix: 'Add an alternate with the page’s own language and URL.',
    },
    bad: '<loc>https://example.org/</loc>\n<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/"/>',
    good:
      '<loc>https://example.org/</loc>\n' +
      '<xhtml:link rel="alternate" hreflang="en" href="https://example.org/"/>\n' +
      '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/"/>',
  },
  'hreflang-repeated': {
    ...HREFLANG,
    explanation: {
      what: 'A page has two alternates with one code.',
      why: 'Search engines can use only one of them, and may ignore both.',
      fix: 'Keep one alternate for each code.',
    },
    bad:
      '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/"/>\n' +
      '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/at/"/>',
    good:
      '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/"/>\n' +
      '<xhtml:link rel="alternate" hreflang="de-AT" href="https://example.org/at/"/>',
  },
  'hreflang-no-href': {
    ...HREFLANG,
    explanation: {
      what: 'An alternate has no href, or an empty one.',
      why: 'It names no page: search engines ignore it, so this language is missing.',
      fix: 'Write the URL of the page in this language, or remove the alternate.',
    },
    bad: '<xhtml:link rel="alternate" hreflang="de" href=""/>',
    good: '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/"/>',
  },
};

export const hreflang: DocumentRule<HreflangRule> = (document): DocumentListener => {
  const alternates = new Alternates(document);
  return {
    startTags: { 'xhtml:link': (offset, attributes) => alternates.link(offset, attributes) },
    location: (url, offset) => alternates.location(url, offset),
    endTags: { 'sitemap:url': () => alternates.end() },
    // They have no alternates.
    ignoresPlainPages: true,
  };
};

class Alternates {
  readonly #document: CheckedDocument<HreflangRule>;
  readonly #reports: EntryReports<HreflangRule>;
  readonly #verdicts = new Map<string, TagVerdict>();
  readonly #hrefs: string[] = [];
  readonly #codes = new Set<string>();
  #count = 0;

  constructor(document: CheckedDocument<HreflangRule>) {
    this.#document = document;
    this.#reports = new EntryReports(document);
  }

  link(offset: number, attributes: readonly TagAttribute[]): void {
    let code: TagAttribute | undefined;
    let href = '';
    let rel = '';
    for (const attribute of attributes) {
      if (attribute.name === 'hreflang') code = attribute;
      else if (attribute.name === 'href') href = attribute.value.trim();
      else if (attribute.name === 'rel') rel = attribute.value.trim();
    }
    // Links without a language are for other devices.
    if (code === undefined || (rel !== 'alternate' && rel.toLowerCase() !== 'alternate')) return;
    this.#count++;
    const written = code.value.trim();
    this.#judge(written, code.offset);
    if (href === '') {
      const message = `The alternate for "${written.slice(0, 40)}" has no href.`;
      this.#reports.add({ rule: 'hreflang-no-href', message, offset });
      return;
    }
    if (this.#hrefs.length < MOST_ALTERNATES) this.#hrefs.push(href);
    this.#compare(written, code.offset);
  }

  #judge(written: string, offset: number): void {
    const verdict = this.#verdictOn(written);
    if (verdict.is === 'valid') return;
    const rule = verdict.is === 'wrong' ? 'hreflang-bad-code' : 'hreflang-unsupported';
    this.#reports.add({ rule, message: `hreflang="${written.slice(0, 40)}": ${verdict.because}.`, offset });
  }

  #compare(written: string, offset: number): void {
    const code = written.toLowerCase();
    if (code !== '' && this.#codes.has(code)) {
      const message = `hreflang="${written.slice(0, 40)}" is there twice for one page.`;
      this.#reports.add({ rule: 'hreflang-repeated', message, offset });
    } else if (this.#codes.size < MOST_ALTERNATES) this.#codes.add(code);
  }

  #verdictOn(code: string): TagVerdict {
    const known = this.#verdicts.get(code);
    if (known !== undefined) return known;
    const verdict = judgeLanguageTag(code);
    if (this.#verdicts.size < MOST_VERDICTS) this.#verdicts.set(code, verdict);
    return verdict;
  }

  location(url: string, offset: number): void {
    if (this.#count === 0) return;
    if (this.#hrefs.length < MOST_ALTERNATES && !this.#includes(url)) {
      const isOne = this.#count === 1;
      const found = isOne ? 'one alternate, and it is not' : `${this.#count} alternates, and none of them is`;
      const message = `The page has ${found} the page itself.`;
      this.#reports.add({ rule: 'hreflang-no-self', message, offset });
    }
    this.#reports.flush(url);
    this.#clear();
  }

  #includes(url: string): boolean {
    // Nearly always the two are written alike.
    if (this.#hrefs.includes(url)) return true;
    const key = urlKey(url);
    const base = this.#document.url ?? url;
    return this.#hrefs.some((href) => {
      const whole = /^https?:\/\//i.test(href) || !URL.canParse(href, base) ? href : new URL(href, base).href;
      return urlKey(whole) === key;
    });
  }

  end(): void {
    this.#reports.flush();
    this.#clear();
  }

  #clear(): void {
    this.#hrefs.length = 0;
    this.#codes.clear();
    this.#count = 0;
  }
}
