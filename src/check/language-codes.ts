/**
 * The codes of languages (ISO 639), scripts (ISO 15924) and countries (ISO 3166-1), as the package iso-codes 4.15 lists
 * them.
 *
 * The facts are those of the registration authorities. Languages: two letters (ISO 639-1) and three letters (ISO 639-2,
 * both the bibliographic and the terminological codes) of the Library of Congress,
 * https://www.loc.gov/standards/iso639-2/, and three letters (ISO 639-3) of SIL, https://iso639-3.sil.org/. Scripts:
 * the Unicode Consortium, https://www.unicode.org/iso15924/. Countries:
 * https://www.iso.org/iso-3166-country-codes.html, without codes that are only reserved (UK, EU). `Intl` cannot check
 * codes: it accepts any three letters, and replaces wrong codes.
 */

const TWO_LETTERS =
  'aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de ' +
  'dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ' +
  'ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu ' +
  'lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu ' +
  'rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to ' +
  'tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu';

/** One bit for each of the 26 × 26 × 26 codes, in their order. */
const THREE_LETTERS =
  '/+3f/v//v9v7//7a9x88V2+Xe/j/9/9wvwP//8sFhVL5//3////39/////////fj6f///0y0Cn7//3/////3///P/99v9PFwXeef' +
  'FAcg3/0fbskh+P//3///f///f/////////////d/7///7/+/z////b//7f////6/////79////v//3f////+///////3///13///' +
  '///////+///f///f+f//7v///////zu9/cWtLUDsnMFDLAwlQQBQRADA///+n7RCRdaTJIj3e+cXVlV5Dhw3f/Pv/+9dOGUIAAD8' +
  '/7////9+Nz7Hh8//AYEAsAWAAAAAAANQAECSIdD9d//e/l4EAAJkjRnB33sjAAAA323OIuXZ8/5//8+dFEEEhgDRAPDHZV/WmV63' +
  '7e8DAAIAAADAV1pHkmkBLtZ7dN//fwAAAAEEVgMAALAUB1EUGgABAAAQEUkAAGAQAAAAEAAARAQAEIAFEAAABQCAKAQAABDVLRBk' +
  'FyRTtdW/480DAIAAQBAAAAAABBc5Ad3XkSGYpwAABECCAAABBAAAAAIBQABEAACw/u85AAIAAAAEAAAAAAAgAEAEAAAAAgAAABCj' +
  'qgUAAAAABCAEpggEAAiBUAAACDEGQAAAAABAQAf1QxAIBAAAAOC7sxMAgAARAAAAAAAAAAAAAAAA///f7//fz4OiwP/fJ+9f5wMQ' +
  'ILDFgEUlmwPfud8D0EiQAQ7Bt5Ncyziyf/9t+f//fwQIAAEhEnzP/Q+FT0QAAAT//9/W6Bv0N6MNAAAge3kCB4QA8P///wAYBYEA' +
  'AACAELQcIQAAAAAAEEAABAi0/qcMQAAAkSQEbABg8P//d/YYBZ/bbgMAEQAAAEAFNb6CKAQABFHi//8/BQkIBUAAAAAAEAEABAAA' +
  'AAAhAmzjSRSJIMBHkAcAAADMUEAkhUeEQCAQACEAUIgRANHs71Q1DQFpDn3rMwgAIAVAEQAAAFBElknW3afBRpf7ABAACACAAEBF' +
  'AAECAAFAgAACCPjr1zvEnRYAAAwEASAg2aIBAAAAEkQAAAQQ8J2VEwSAAAHQFkAAEPCQYkzSAgFKAEYEgAgAACDAAIAGAAgAAAAA' +
  '8NjvFQIIAAABAAAAABABABAAAAD///9///////9//+/2////////P/f/3////////3////7//////////////f/f3//3/9//////' +
  '/777//////9/////////7///7//r/fv/////9d//v/+/3d//vJgFLP8H8Pv/fwAIAMN9GwbmcvDv/39EIjCfex79/1by/z7f8g6V' +
  '9///R4ABAgAgQFWfip/5bhGHUfj3/3dAAQXRWFwAQAAQBAIAIAqA//////7////////v/7//f/////////ff//f//997////////' +
  '/f+////7///f333///f///f/////////f////3/f/7/vt/9/3//n////9/72f///f/////f/X/9/n/7///9//38CggTfv///1+//' +
  '//f/4p7n//f/dn3F////////3v+/fw+nUQbEl9Bdr6b//f9jXUv///8/IBQAV1HCZfUN8v//30IFxQUAIgB0aRAYBUEAAQYAAAAA' +
  'AFFgBQQBAAAGESAAGAWS8f1nawaVBkft2k2de4MEYkAAFUIAAABUx/lfEM7JRt/3ExEAIAAAAJAAAAAAAAoQAAFAAPDff799vk//' +
  'v0AUhGGw/316BAIASS0UJv/t8a/vPwAAAsfgHny//b379/z3///0/e9B9HcQAAFAf/+33flfBYbv9Tf9HQAAAENxQgBAAAABQxkg' +
  'CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP+951fuE10I' +
  'wUAh+hcBgAAAAADw/v+/ACMAIAAACAAAMLXjEAAAABEkFgABAjCCowFQAAGDEUgAAADw39+/EqoQ//hSAIAgAAAAAEAQAgI8ABBC' +
  'EGFf3zEAAAABXAIgAAABAEIBIAAA/3//////L9/ez737p///f0tAEPF96/33///7//9v8XvxP/9/////9///9/3f//3//1f/b4F1' +
  'n/z3///////+/19XZ+9fUBBy//+fFZ8VB33GfaGS9f//f/+////93f//vfbf/z9AmAK/7//n9v58/v9/0D4Ve7j/vv//9v/393P/' +
  '/+7/99f97y+Av8X//v/f///////9//97Bh93//nbXc99Frnqe6AeIAAwAgQkSAQAAEDUBgQAAAQABAAwCQZQAAgAQAAkAAQAENx4' +
  '100PFE/xFmTVSAoAAgBAAAgAAAD89+sfWEhBJKAEABASQCIAEAAAAAAAAAEAAAiAEBC/b5MAAQAAAAAAAADAgC8AAAAAAAAKAAAA' +
  'wIfCAgAAAAH+GAIAEvD/eT8AJQAACAoAAAAAAABAABADAAkgAAABAACDAAAAAAEAAAAAAAAAAAAAAAD////Pfr4REAAAkgFGzfle' +
  'AAEAMBQEURABBPY/MgUEALCAIFV1n33fccx41UP112cUAQAAAAAACPfbH1RgA2gFEIs4ugEAADAAJEQAABACMQIBAADw9f+X17xQ' +
  '1nh6FVAFpITpQQAAAGsZUnRA6SCQYpIAAAJ/7/9/hVP07///8N3HTPVC/P//HwCAwFaMFp/7N33v/7WkrwFEGAFdTkoIUCgw4IAQ' +
  'ICQA////T/4BBogKQBYBABULPgEAABCQaUUCAgHpv78CAAAQ1KfRVJ5E3v2HZrFVINSj2DA9gAAAAEzwEcWEb1AAIlB/v8sHACAQ' +
  'hLJFEAZEAAASAhEA8P/9fwUCFokAAAAIABAMAgAAAACDMAIshAExwAMkAAAAy+Q6BsgE8P//fxYBAYRQB/z//w8BAEAQOAEBHBJA' +
  '4XYWiAMQAAAAAQAAAAAAIiQKQIAAAA==';

const twoLetters: ReadonlySet<string> = new Set(TWO_LETTERS.split(' '));
let threeLetters: string | undefined;

/** Whether ISO 639-1 has the code: two letters, in any case. */
export function isLanguage(code: string): boolean {
  return twoLetters.has(code.toLowerCase());
}

/** Whether ISO 639-2 or 639-3 has the code: three letters, in any case. */
export function isThreeLetterLanguage(code: string): boolean {
  if (!/^[a-z]{3}$/i.test(code)) return false;
  const [first, second, third] = [...code.toLowerCase()].map((letter) => letter.charCodeAt(0) - 97);
  const bit = (first! * 26 + second!) * 26 + third!;
  threeLetters ??= atob(THREE_LETTERS);
  return ((threeLetters.charCodeAt(bit >> 3) >> (bit & 7)) & 1) === 1;
}

const SCRIPTS =
  'Adlm Afak Aghb Ahom Arab Aran Armi Armn Avst Bali Bamu Bass Batk Beng Bhks Blis Bopo Brah Brai Bugi ' +
  'Buhd Cakm Cans Cari Cham Cher Cirt Copt Cprt Cyrl Cyrs Deva Dsrt Dupl Egyd Egyh Egyp Elba Ethi Geok ' +
  'Geor Glag Goth Gran Grek Gujr Guru Hanb Hang Hani Hano Hans Hant Hatr Hebr Hira Hluw Hmng Hrkt Hung ' +
  'Inds Ital Jamo Java Jpan Jurc Kali Kana Khar Khmr Khoj Kitl Kits Knda Kore Kpel Kthi Lana Laoo Latf ' +
  'Latg Latn Leke Lepc Limb Lina Linb Lisu Loma Lyci Lydi Mahj Mand Mani Marc Maya Mend Merc Mero Mlym ' +
  'Modi Mong Moon Mroo Mtei Mult Mymr Narb Nbat Newa Nkgb Nkoo Nshu Ogam Olck Orkh Orya Osge Osma Palm ' +
  'Pauc Perm Phag Phli Phlp Phlv Phnx Piqd Plrd Prti Qaaa Qabx Rjng Roro Runr Samr Sara Sarb Saur Sgnw ' +
  'Shaw Shrd Sidd Sind Sinh Sora Sund Sylo Syrc Syre Syrj Syrn Tagb Takr Tale Talu Taml Tang Tavt Telu ' +
  'Teng Tfng Tglg Thaa Thai Tibt Tirh Ugar Vaii Visp Wara Wole Xpeo Xsux Yiii Zinh Zmth Zsye Zsym Zxxx ' +
  'Zyyy Zzzz';

const scripts: ReadonlySet<string> = new Set(SCRIPTS.toLowerCase().split(' '));

/** Whether ISO 15924 has the code: four letters, in any case. */
export function isScript(code: string): boolean {
  return scripts.has(code.toLowerCase());
}

const REGIONS =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT ' +
  'BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ' +
  'ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT ' +
  'HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS ' +
  'LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI ' +
  'NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG ' +
  'SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG ' +
  'UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

const regions: ReadonlySet<string> = new Set(REGIONS.split(' '));

/** Whether ISO 3166-1 has the code: two letters, in any case. */
export function isRegion(code: string): boolean {
  return regions.has(code.toUpperCase());
}

/** Whether a code is valid, wrong, or valid by BCP 47 but not supported by search engines. */
export type TagVerdict =
  | { readonly is: 'valid' }
  | { readonly is: 'wrong' | 'unsupported'; readonly because: string };

const VALID: TagVerdict = { is: 'valid' };

/** Corrections of codes: people write that of a country instead of a language, or a withdrawn one. */
const LANGUAGE_MEANT: ReadonlyMap<string, string> = new Map(
  Object.entries({
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
  }),
);
const REGION_MEANT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    UK: 'GB',
    EL: 'GR',
    SP: 'ES',
    EN: 'GB or US',
    JA: 'JP',
  }),
);

/** What is wrong with the code of a language and region, as `hreflang` has it: `de`, `zh-Hant-TW`, `x-default`. */
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
  const correction = LANGUAGE_MEANT.get(language.toLowerCase());
  const isCountry = isRegion(language) && rest.length === 0;
  const country = isCountry ? ', but that of a country' : '';
  const hint = correction === undefined ? '' : `; "${correction}" is probably meant`;
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
  // The common code for Kosovo: ISO 3166-1 has none.
  if (/^xk$/i.test(region))
    return unsupported('"XK" is not among the codes of ISO 3166-1 that search engines read');
  if (/^[a-z]{2}$/i.test(region)) {
    if (!isRegion(region)) {
      const correction = REGION_MEANT.get(region.toUpperCase());
      const hint = correction === undefined ? '' : `; "${correction}" is probably meant`;
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
