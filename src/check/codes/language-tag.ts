/** What is wrong with the code of a language and region, as `hreflang` has it: `de`, `zh-Hant-TW`, `x-default`. */
import { isLanguage, isRegion, isScript, isThreeLetterLanguage } from './iso-codes.ts';

/** What a code is: understood, wrong, or right by BCP 47 and still not understood by search engines. */
export type TagVerdict =
  | { readonly is: 'valid' }
  | { readonly is: 'wrong' | 'unsupported'; readonly because: string };

const VALID: TagVerdict = { is: 'valid' };

/** What people mean who write the code of a country, or one that was withdrawn. */
const LANGUAGE_MEANT: Readonly<Record<string, string>> = {
  cn: 'zh',
  cz: 'cs',
  dk: 'da',
  ge: 'ka',
  gr: 'el',
  il: 'he',
  ir: 'fa',
  jp: 'ja',
  rs: 'sr',
  sh: 'sr-Latn, hr or bs',
  ua: 'uk',
  us: 'en-US',
  gb: 'en-GB',
  vn: 'vi',
  iw: 'he',
  in: 'id (or a language of India with -IN)',
};
const REGION_MEANT: Readonly<Record<string, string>> = {
  UK: 'GB',
  EL: 'GR',
  SP: 'ES',
  EN: 'GB or US',
  JA: 'JP',
};

export function judgeLanguageTag(tag: string): TagVerdict {
  if (/^x-default$/i.test(tag)) return VALID;
  if (tag === '') return wrong('it is empty');
  if (tag.includes('_')) return wrong(`it must have "-" instead of "_": ${tag.replaceAll('_', '-')}`);
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/i.test(tag))
    return wrong('it is not a code such as de, de-AT or zh-Hant-TW');
  const [language = '', ...rest] = tag.split('-');
  return judgeLanguage(language, rest) ?? judgeRest(rest);
}

function judgeLanguage(language: string, rest: readonly string[]): TagVerdict | undefined {
  if (isLanguage(language)) return undefined;
  if (isThreeLetterLanguage(language)) {
    return unsupported(
      `"${language}" has three letters, and search engines read the codes of ISO 639-1, which have two`,
    );
  }
  const meant = LANGUAGE_MEANT[language.toLowerCase()];
  const isCountry = isRegion(language) && rest.length === 0;
  const country = isCountry ? ', but that of a country' : '';
  const hint = meant === undefined ? '' : `; "${meant}" is probably meant`;
  return wrong(`"${language}" is not the code of a language in ISO 639-1${country}${hint}`);
}

function judgeRest(rest: readonly string[]): TagVerdict {
  let at = 0;
  const script = rest[at];
  if (script !== undefined && /^[a-z]{4}$/i.test(script)) {
    if (!isScript(script)) return wrong(`"${script}" is not the code of a script in ISO 15924`);
    at++;
  }
  const region = rest[at];
  if (region === undefined) return VALID;
  if (/^\d{3}$/.test(region)) {
    return unsupported(
      `"${region}" is a group of countries, and search engines read the codes of single countries`,
    );
  }
  if (/^eu$/i.test(region))
    return unsupported('"EU" is not a country, and search engines read the codes of countries');
  // In use everywhere, and assigned by its users: ISO 3166-1 has no code for Kosovo.
  if (/^xk$/i.test(region))
    return unsupported('"XK" is not among the codes of ISO 3166-1 that search engines read');
  if (/^[a-z]{2}$/i.test(region)) {
    if (!isRegion(region)) {
      const meant = REGION_MEANT[region.toUpperCase()];
      const hint = meant === undefined ? '' : `; "${meant}" is probably meant`;
      return wrong(`"${region}" is not the code of a country in ISO 3166-1${hint}`);
    }
    at++;
  }
  const more = rest[at];
  if (more === undefined) return VALID;
  // Variants (ca-valencia, de-1996), extensions (-u-…), private use (-x-…) and extended languages (zh-yue).
  const isKnownShape =
    /^(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}|[a-z0-9])$/i.test(more) || (at === 0 && /^[a-z]{3}$/i.test(more));
  if (isKnownShape)
    return unsupported(`search engines read a language, a script and a country, and not "${more}"`);
  return wrong(`"${more}" is neither a script nor a country`);
}

function wrong(because: string): TagVerdict {
  return { is: 'wrong', because };
}

function unsupported(because: string): TagVerdict {
  return { is: 'unsupported', because };
}
