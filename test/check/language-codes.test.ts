/** §12: the codes of languages, scripts and countries come from tables, not from `Intl`. */
import { expect, test } from 'vitest';
import {
  isLanguage,
  isRegion,
  isScript,
  isThreeLetterLanguage,
  judgeLanguageTag,
} from '../../src/check/language-codes.ts';

const VALID = 'de de-AT DE-at en-GB zh-Hans zh-hant-tw sr-Latn x-default X-Default uk nb iw-not'
  .split(' ')
  .slice(0, -1);
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
