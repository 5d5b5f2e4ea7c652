/** What is wrong with the alternates of one entry; whether they return is for the whole site to say. */
import { parsedUrl } from '../../url.ts';
import { judgeLanguageTag, type TagVerdict } from '../language-codes.ts';
import { type ListedUrl, urlKey } from '../ordinary-url.ts';
import { type DocumentRule, type RuleName, type RuleNames, type RuleRows, ruleRows } from '../rule.ts';

const GOOGLE = 'https://developers.google.com/search/docs/specialty/international/localized-versions';
/** The alternates of an entry that are compared with its address; an entry with more gets no verdict. */
const MOST_ALTERNATES = 5000;
/** The codes that are remembered from entry to entry, and within one. */
const MOST_CODES = 1000;
const MOST_OF_ENTRY = MOST_CODES + 2 * MOST_ALTERNATES;

const HREFLANG = {
  severity: 'warning',
  about: 'hreflang',
  documents: ['pages-xml'],
  source: GOOGLE,
} as const;

export const HREFLANG_RULES: RuleRows<RuleNames['hreflang']> = ruleRows(HREFLANG, {
  'hreflang-bad-code': {
    severity: 'error',
    what:
      'An hreflang is not a language of ISO 639-1, with or without a script of ISO 15924 and a country of ' +
      'ISO 3166-1. `x-default` is allowed, and the case of letters does not matter.',
    why: 'Search engines ignore this alternate, so the wrong language may be shown to people.',
    fix:
      'Write the language first, then the country, with a hyphen: `en-GB`, not `en-UK` or `en_GB`; `ja`, ' +
      'not `jp`.',
    bad: '<xhtml:link rel="alternate" hreflang="en-UK" href="https://example.org/uk/"/>',
    good: '<xhtml:link rel="alternate" hreflang="en-GB" href="https://example.org/uk/"/>',
  },
  'hreflang-unsupported': {
    what:
      'An hreflang is a right code of BCP 47 that search engines do not read: a group of countries ' +
      '(`es-419`, `en-EU`), a language of three letters (`fil`), a variant.',
    why: 'Search engines ignore this alternate, or the part that they do not read.',
    fix: 'Write the language alone, or one alternate for each country.',
    bad: '<xhtml:link rel="alternate" hreflang="es-419" href="https://example.org/latam/"/>',
    good:
      '<xhtml:link rel="alternate" hreflang="es-MX" href="https://example.org/latam/"/>\n' +
      '<xhtml:link rel="alternate" hreflang="es-AR" href="https://example.org/latam/"/>',
  },
  'hreflang-no-self': {
    what: 'The alternates of a page do not include the page itself.',
    why: 'Each page must list all versions, its own among them. Otherwise search engines may ignore the group.',
    fix: 'Add an alternate with the page’s own language and URL.',
    bad: '<loc>https://example.org/</loc>\n<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/"/>',
    good:
      '<loc>https://example.org/</loc>\n' +
      '<xhtml:link rel="alternate" hreflang="en" href="https://example.org/"/>\n' +
      '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/"/>',
  },
  'hreflang-repeated': {
    what: 'A page has two alternates with one code.',
    why: 'Search engines can use only one of them, and may ignore both.',
    fix: 'Keep one alternate for each code.',
    bad:
      '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/"/>\n' +
      '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/at/"/>',
    good:
      '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/"/>\n' +
      '<xhtml:link rel="alternate" hreflang="de-AT" href="https://example.org/at/"/>',
  },
  'hreflang-no-href': {
    what: 'An alternate has no href, or an empty one.',
    why: 'It names no page: search engines ignore it, so this language is missing.',
    fix: 'Write the URL of the page in this language, or remove the alternate.',
    bad: '<xhtml:link rel="alternate" hreflang="de" href=""/>',
    good: '<xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/"/>',
  },
});

/** A code as it is written in one way. */
interface KnownCode {
  readonly verdict: TagVerdict;
  /** Of all ways to write it: the number of the last entry that has it. */
  readonly seen: { entry: number };
}

export const hreflang: DocumentRule = (document) => {
  const known = new Map<string, KnownCode>();
  const hrefs: string[] = [];
  let entry = 1;
  let count = 0;
  /** How many of them have an address, and how many of those another code than those before. */
  let named = 0;
  let codes = 0;

  const report = (rule: RuleName, message: string, offset: number): void =>
    document.report({ rule, message, offset, isOfEntry: true });
  const codeOf = (written: string): KnownCode => {
    const code = known.get(written);
    if (code !== undefined) return code;
    const lower = written.toLowerCase();
    const added = {
      verdict: judgeLanguageTag(written),
      seen: lower === written ? { entry: 0 } : codeOf(lower).seen,
    };
    if (known.size < MOST_OF_ENTRY) known.set(written, added);
    return added;
  };
  const judge = (verdict: TagVerdict, written: string, offset: number): void => {
    if (verdict.is === 'valid') return;
    const rule = verdict.is === 'wrong' ? 'hreflang-bad-code' : 'hreflang-unsupported';
    report(rule, `hreflang="${written.slice(0, 40)}": ${verdict.because}.`, offset);
  };
  const compare = ({ seen }: KnownCode, written: string, offset: number): void => {
    if (written !== '' && seen.entry === entry) {
      const message = `hreflang="${written.slice(0, 40)}" is there twice for one page.`;
      report('hreflang-repeated', message, offset);
    } else if (codes < MOST_ALTERNATES) {
      codes++;
      seen.entry = entry;
    }
  };
  const includes = ({ url, key }: ListedUrl): boolean => {
    const base = document.url ?? url;
    return hrefs.some((href) => {
      if (href === url) return true;
      const whole = (/^https?:\/\//i.test(href) ? undefined : parsedUrl(href, base)?.href) ?? href;
      return urlKey(whole) === key;
    });
  };
  const end = (): void => {
    if (count === 0) return;
    if (hrefs.length > 0) hrefs.length = 0;
    entry++;
    count = 0;
    named = 0;
    codes = 0;
    // Only a hostile document has so many.
    if (known.size > MOST_CODES) known.clear();
  };

  return {
    link({ code: written, codeOffset, href }, offset) {
      if (written === undefined) return;
      count++;
      if (href === '') {
        // Not remembered: however many there are, a code that is there twice with an address is reported.
        judge(known.get(written)?.verdict ?? judgeLanguageTag(written), written, codeOffset);
        report('hreflang-no-href', `The alternate for "${written.slice(0, 40)}" has no href.`, offset);
        return;
      }
      const code = codeOf(written);
      judge(code.verdict, written, codeOffset);
      if (++named <= MOST_ALTERNATES) hrefs.push(href);
      compare(code, written, codeOffset);
    },
    location: (page, offset) => {
      if (count === 0) return;
      if (named < MOST_ALTERNATES && !includes(page) && !document.counts('hreflang-no-self')) {
        const found =
          count === 1 ? 'one alternate, and it is not' : `${count} alternates, and none of them is`;
        report('hreflang-no-self', `The page has ${found} the page itself.`, offset);
      }
      end();
    },
    endTags: { 'sitemap:url': end },
  };
};
