/** Rules about the alternates of one entry. Return links, which need the whole site, are in return-links.ts. */

import { clip } from '../../text/wording.ts';
import { parsedUrl } from '../../url.ts';
import { judgeLanguageTag, type TagVerdict } from '../language-codes.ts';
import { type ListedUrl, urlKey } from '../ordinary-url.ts';
import { type DocumentRule, type RuleName, type RuleNames, type RuleRows, ruleRows } from '../rule.ts';

const GOOGLE = 'https://developers.google.com/search/docs/specialty/international/localized-versions';
/** How many alternates of an entry are compared with its URL; an entry with more is not checked. */
const MOST_ALTERNATES = 5000;
/** How many codes have their verdict remembered. */
const MOST_CODES = 1000;

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
      'An hreflang is a valid code of BCP 47 that search engines do not read: a group of countries ' +
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
    what: 'A page has two alternates with the same code.',
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

export const hreflang: DocumentRule = (document) => {
  const verdicts = new Map<string, TagVerdict>();
  /** The alternates of the entry that have an address: their codes in lower case, and their addresses. */
  const codes = new Set<string>();
  const hrefs: string[] = [];
  let count = 0;

  const report = (rule: RuleName, message: string, offset: number): void =>
    document.report({ rule, message, offset });
  const judge = (text: string, offset: number): void => {
    const verdict = verdicts.get(text) ?? judgeLanguageTag(text);
    if (verdicts.size < MOST_CODES) verdicts.set(text, verdict);
    if (verdict.is === 'valid') return;
    const rule = verdict.is === 'wrong' ? 'hreflang-bad-code' : 'hreflang-unsupported';
    report(rule, `hreflang="${clip(text, 40)}": ${verdict.because}.`, offset);
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
    codes.clear();
    hrefs.length = 0;
    count = 0;
  };

  return {
    link({ code, codeOffset, href }, offset) {
      if (code === undefined) return;
      count++;
      judge(code, codeOffset);
      const shortCode = clip(code, 40);
      if (href === '') {
        report('hreflang-no-href', `The alternate for "${shortCode}" has no href.`, offset);
        return;
      }
      const lower = code.toLowerCase();
      if (hrefs.length < MOST_ALTERNATES) hrefs.push(href);
      if (code !== '' && codes.has(lower))
        report('hreflang-repeated', `The page has two alternates with hreflang="${shortCode}".`, codeOffset);
      else if (codes.size < MOST_ALTERNATES) codes.add(lower);
    },
    location: (page, offset) => {
      if (count === 0) return;
      if (hrefs.length < MOST_ALTERNATES && !includes(page) && !document.isOnlyCounted('hreflang-no-self')) {
        const explanation =
          count === 1 ? 'one alternate, and it is not' : `${count} alternates, and none of them is`;
        report('hreflang-no-self', `The page has ${explanation} the page itself.`, offset);
      }
      end();
    },
    endTags: { 'sitemap:url': end },
  };
};
