/** §13: the links of pages to their translations, by language. */
import { expect, test } from 'vitest';
import { Fingerprint, FingerprintTable } from '../../src/parse/fingerprint-table.ts';
import { LanguageLinks } from '../../src/summary/language-links.ts';

const linksTo = (...codes: readonly string[]) =>
  codes.map((hreflang, at) => ({ hreflang, href: `https://a.test/${hreflang}/${at}` }));

async function languagesOf(...pages: readonly (readonly string[])[]) {
  const links = new LanguageLinks(new FingerprintTable());
  pages.forEach((codes, at) => {
    links.add(1_000_000 + at, linksTo(...codes));
  });
  return links.summary(() => false);
}

test('a code is its first 35 characters in small letters', async () => {
  const code = 'X'.repeat(35);
  const { languages } = await languagesOf([`${code}A`, `${code}b`], [code.toLowerCase(), 'x'.repeat(34)]);
  expect(languages.map(({ language, links }) => [language, links])).toEqual([
    ['x'.repeat(35), 3],
    ['x'.repeat(34), 1],
  ]);
});

test('beyond 500 languages, new ones are "other", and known ones count on', async () => {
  const codes = Array.from({ length: 502 }, (_, at) => `l${at}`);
  const pages = [
    codes.slice(0, 200),
    codes.slice(200, 400),
    codes.slice(400),
    ['L499', 'L0', 'L501', 'l501'],
  ];
  const { languages, notChecked } = await languagesOf(...pages);
  const counts = new Map(languages.map(({ language, links }) => [language, links]));
  expect([counts.size, notChecked]).toEqual([501, 0]);
  expect(['l0', 'l1', 'l499', 'l500', 'l501', 'other'].map((code) => counts.get(code))).toEqual([
    2,
    1,
    2,
    undefined,
    undefined,
    4,
  ]);
});

test('the language with the most links that are not returned comes first, then not listed, then all', async () => {
  const urls = new FingerprintTable();
  const print = new Fingerprint();
  const numberOf = (href: string): number => urls.add(print.take(href));
  const links = new LanguageLinks(urls);
  const href = (path: string): string => `https://a.test/${path}`;
  const [from, back] = [numberOf(href('from')), numberOf(href('back'))];
  const paths = [
    'a lost-1',
    'b lost-2',
    'b back',
    'c lost-3',
    'c lost-4',
    'd there-1',
    'e there-1',
    'e there-2',
    'f back',
  ];
  links.add(
    from,
    paths.map((each) => ({ hreflang: each.slice(0, 1), href: href(each.slice(2)) })),
  );
  links.add(back, [{ hreflang: 'f', href: href('from') }]);
  const listed = new Set(['from', 'back', 'there-1', 'there-2'].map((path) => numberOf(href(path))));
  const { pages, languages } = await links.summary((number) => listed.has(number));
  expect(pages).toBe(2);
  expect(languages.map((each) => Object.values(each))).toEqual([
    ['e', 2, 0, 2, 0],
    ['d', 1, 0, 1, 0],
    ['c', 2, 0, 0, 2],
    ['b', 2, 1, 0, 1],
    ['a', 1, 0, 0, 1],
    ['f', 2, 2, 0, 0],
  ]);
});

test('links of a page beyond 200 are not checked, and links of its second declaration are', async () => {
  const urls = new FingerprintTable();
  const links = new LanguageLinks(urls);
  links.add(900, linksTo(...Array.from({ length: 201 }, () => 'de')));
  links.add(900, linksTo('fr'));
  links.add(901, linksTo(...Array.from({ length: 200 }, () => 'it')));
  const { pages, languages, notChecked } = await links.summary(() => true);
  expect([pages, notChecked]).toEqual([2, 1]);
  expect(Object.fromEntries(languages.map(({ language, links: count }) => [language, count]))).toEqual({
    de: 201,
    it: 200,
    fr: 1,
  });
});
