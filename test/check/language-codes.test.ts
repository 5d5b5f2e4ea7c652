/** §12: the codes of languages, scripts and countries come from tables, not from `Intl`. */
import { expect, test } from 'vitest';
import {
  isLanguage,
  isRegion,
  isScript,
  isThreeLetterLanguage,
  judgeLanguageTag,
} from '../../src/check/language-codes.ts';

const VALID =
  'de DE de-AT DE-at en-gb en-GB zh-Hans zh-HANS zh-hant-tw zh-Hant-TW sr-Latn sr-Latn-RS x-default X-Default uk nb'.split(
    ' ',
  );
const WRONG = [
  '',
  'en_US',
  'en-UK',
  'jp',
  'cn',
  'us',
  'xx',
  'english',
  'en-Latn1x-y!',
  'en-XX',
  'zh-Abcd',
  'de-',
  '-de',
  'en US',
  'en-US-GB',
  'xyz-foo',
  'qqq',
  ' de',
  'de ',
  'de\nfr',
  'de--AT',
  'x-defaults',
  'x',
  'd',
  'de-12',
  'de-1234567890',
  'de-abcdefghi',
  'de-Latn-XX',
  'de-Latn-UK',
  'zh-Abcd-TW',
  'de-AT-XX',
  'de-AT-yue',
  'de-Latn-yue',
];
const UNSUPPORTED = [
  'es-419',
  'en-EU',
  'fil',
  'fil-PH',
  'ca-valencia',
  'de-1996',
  'zh-yue',
  'en-US-x-foo',
  'sq-XK',
  'sq-xk',
  'en-eu',
  'en-Latn-EU',
  'es-Latn-419',
  'FIL',
  'sr-Latn-XK',
  'de-AT-1996',
  'de-Latn-DE-1996',
  'de-1abc',
  'de-abcde',
  'de-abcdefgh',
  'de-x-foo',
  'de-a-foo',
  'zh-YUE',
];

test.each(VALID)('hreflang %s is right', (tag) => expect(judgeLanguageTag(tag)).toEqual({ is: 'valid' }));
test.each(WRONG)('hreflang "%s" is wrong', (tag) => expect(judgeLanguageTag(tag).is).toBe('wrong'));
test.each(UNSUPPORTED)('hreflang %s is not supported', (tag) =>
  expect(judgeLanguageTag(tag).is).toBe('unsupported'),
);

test('a mistake that is frequent gets a hint', () => {
  expect(judgeLanguageTag('en-UK')).toMatchObject({
    because: expect.stringContaining('"GB" is probably meant'),
  });
  expect(judgeLanguageTag('jp')).toMatchObject({
    because: expect.stringContaining(', but that of a country; "ja" is probably meant'),
  });
  expect(judgeLanguageTag('pt_BR')).toMatchObject({ because: expect.stringContaining('pt-BR') });
});

test.each([
  ...Object.entries({
    'cn dk cz': ['zh', 'da', 'cs'],
    'ge gr il': ['ka', 'el', 'he'],
    'ir jp rs': ['fa', 'ja', 'sr'],
    'ua us gb': ['uk', 'en-US', 'en-GB'],
    'vn JP': ['vi', 'ja'],
  }).flatMap(([codes, meant]) =>
    codes
      .split(' ')
      .map((code, at) => [
        code,
        `"${code}" is not the code of a language in ISO 639-1, but that of a country; "${meant[at]}" is probably meant`,
      ]),
  ),
  ['jp-JP', '"jp" is not the code of a language in ISO 639-1; "ja" is probably meant'],
  ['iw', '"iw" is not the code of a language in ISO 639-1; "he" is probably meant'],
  ['fx', '"fx" is not the code of a language in ISO 639-1'],
  ['mx', '"mx" is not the code of a language in ISO 639-1, but that of a country'],
  ['en-UK', '"UK" is not the code of a country in ISO 3166-1; "GB" is probably meant'],
  ['en-uk', '"uk" is not the code of a country in ISO 3166-1; "GB" is probably meant'],
  ['el-EL', '"EL" is not the code of a country in ISO 3166-1; "GR" is probably meant'],
  ['es-SP', '"SP" is not the code of a country in ISO 3166-1; "ES" is probably meant'],
  ['en-EN', '"EN" is not the code of a country in ISO 3166-1; "GB or US" is probably meant'],
  ['ja-JA', '"JA" is not the code of a country in ISO 3166-1; "JP" is probably meant'],
  ['en-Latn-XX', '"XX" is not the code of a country in ISO 3166-1'],
  ['zh-Abcd-TW', '"Abcd" is not the code of a script in ISO 15924'],
  ['zh_Hant_TW', 'it must have "-" instead of "_": zh-Hant-TW'],
  ['', 'it is empty'],
  ['en us', 'it is not a code such as de, de-AT or zh-Hant-TW'],
  ['en-US-GB', '"GB" is neither a script nor a country'],
  ['de-12', '"12" is neither a script nor a country'],
  ['fil-PH', '"fil" has three letters, and search engines read the codes of ISO 639-1, which have two'],
  ['es-419', '"419" is a group of countries, and search engines read the codes of single countries'],
  ['en-eu', '"EU" is not a country, and search engines read the codes of countries'],
  ['sq-XK', '"XK" is not among the codes of ISO 3166-1 that search engines read'],
  ['de-AT-1996', 'search engines read a language, a script and a country, and not "1996"'],
])('what is wrong with the hreflang "%s": %s', (tag, because) => {
  expect(judgeLanguageTag(tag)).toMatchObject({ because });
});

test('every code that Intl can name is in the tables, and they have no others of its shape', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  // Reserved, private and former codes, which Intl names or replaces.
  const otherRegions =
    'AC AN BU CP CQ CS CT DD DG DY EA EU EZ FQ FX HV IC JT MI NH NQ NT PC PU PZ QO QU RH SU TA TP UK UN VD WK XA XB XK YD YU ZR ZZ'.split(
      ' ',
    );
  for (const code of pairs.map((pair) => pair.toUpperCase())) {
    if (!otherRegions.includes(code))
      expect([code, isRegion(code)]).toEqual([code, regions.of(code) !== undefined]);
  }
  const otherLanguages = 'in iw ji jw mo bh aj'.split(' ');
  for (const code of pairs) {
    if (isLanguage(code) && !otherLanguages.includes(code))
      expect([code, languages.of(code) !== undefined]).toEqual([code, true]);
  }
  // Former codes, which Intl replaces, and one that is deprecated.
  const missing = pairs.filter((code) => languages.of(code) !== undefined && !isLanguage(code));
  expect(missing.filter((code) => !/^(?:in|iw|ji|jw|mo|bh|sh|tl)$/.test(code))).toEqual([]);
});

test('every script that Intl can name is in the table', () => {
  const names = new Intl.DisplayNames('en', { type: 'script', fallback: 'none' });
  const common =
    'Arab Armn Beng Bopo Brai Cans Cher Cyrl Deva Ethi Geor Grek Gujr Guru Hang Hani Hans Hant Hebr Hira Jpan Kana ' +
    'Khmr Knda Kore Laoo Latn Mlym Mong Mymr Olck Orya Sinh Syrc Taml Telu Tfng Thaa Thai Tibt Vaii Yiii Zyyy Zzzz';
  for (const code of common.split(' ')) {
    expect([code, names.of(code) !== undefined]).toEqual([code, true]);
    expect([code, isScript(code), isScript(code.toLowerCase())]).toEqual([code, true, true]);
  }
});

test('languages have three letters too, in both sets of ISO 639-2', () => {
  for (const code of ['deu', 'ger', 'fil', 'yue', 'cmn', 'ZHO', 'chi', 'mul', 'und'])
    expect([code, isThreeLetterLanguage(code)]).toEqual([code, true]);
  for (const code of ['qqq', 'xyz1', 'de', '', 'en-'])
    expect([code, isThreeLetterLanguage(code)]).toEqual([code, false]);
});

test('scripts are known in any case', () => {
  expect(['Latn', 'hans', 'HANT', 'Cyrl'].every(isScript)).toBe(true);
  expect(isScript('Abcd')).toBe(false);
});
