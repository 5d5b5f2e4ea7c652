/** §16 `reciprocal`: a page names those that name it, each language once. */
import { expect, test } from 'vitest';
import { ReturnAlternates } from '../../src/write/return-alternates.ts';
import type { WritablePage } from '../../src/write/writable-page.ts';

const url = (name: string): string => `https://example.org/${name}`;
/** A page that names itself and the German page. */
const page = (name: string, language: string): WritablePage => ({
  url: url(name),
  alternates: [
    { hreflang: language, href: url(name) },
    { hreflang: 'de', href: url('de') },
  ],
});

test.each<[string, readonly WritablePage[], readonly string[], readonly string[]]>([
  ['two languages', [page('en', 'en'), page('fr', 'fr')], ['de de', 'en en', 'fr fr'], []],
  ['one language twice', [page('en', 'en'), page('us', 'en')], ['de de', 'en en'], ['us']],
  ['one language in other letters', [page('en', 'en'), page('us', 'EN')], ['de de', 'en en'], ['us']],
  ['one page twice', [page('en', 'en'), page('en', 'en')], ['de de', 'en en'], []],
  [
    'one page twice, with another between',
    [page('en', 'en'), page('fr', 'fr'), page('en', 'en')],
    ['de de', 'en en', 'fr fr'],
    [],
  ],
  [
    'one language, by pages that come twice',
    [page('en', 'en'), page('us', 'en'), page('fr', 'fr'), page('us', 'en')],
    ['de de', 'en en', 'fr fr'],
    ['us'],
  ],
])('the pages that name a page: %s', (_what, pages, expected, notNamed) => {
  const problems: string[] = [];
  const alternates = new ReturnAlternates(({ message }) => void problems.push(message));
  for (const each of pages) alternates.note(each);
  const named = alternates.completed({ url: url('de') }) ?? [];
  expect(named.map(({ hreflang, href }) => `${hreflang} ${href.slice(url('').length)}`)).toEqual(expected);
  expect(problems).toEqual(notNamed.map((name) => expect.stringContaining(`${url(name)} cannot be named`)));
});

test('what a page calls itself counts more than what a page before it calls it', () => {
  const alternates = new ReturnAlternates(() => {});
  alternates.note({
    url: url('a'),
    alternates: [
      { hreflang: 'en', href: url('a') },
      { hreflang: 'de', href: url('b') },
    ],
  });
  alternates.note({
    url: url('b'),
    alternates: [
      { hreflang: 'de-AT', href: url('b') },
      { hreflang: 'fr', href: url('c') },
    ],
  });
  expect(alternates.completed({ url: url('c') })).toEqual([
    { hreflang: 'fr', href: url('c') },
    { hreflang: 'de-AT', href: url('b') },
  ]);
});

test.each<[string, readonly WritablePage[], string, readonly string[], readonly string[]]>([
  [
    'the default is not a language of a page',
    [
      {
        url: url('en'),
        alternates: [
          { hreflang: 'X-Default', href: url('en') },
          { hreflang: 'x-default', href: url('de') },
        ],
      },
    ],
    'en',
    [],
    [],
  ],
  [
    'a page that is named as the default only',
    [{ url: url('en'), alternates: [{ hreflang: 'X-default', href: url('de') }] }],
    'de',
    [],
    ['hreflang-no-self de', 'hreflang-no-return de'],
  ],
  [
    'the first of two words of others',
    [
      {
        url: url('en'),
        alternates: [
          { hreflang: 'en', href: url('en') },
          { hreflang: 'de', href: url('x') },
        ],
      },
      {
        url: url('fr'),
        alternates: [
          { hreflang: 'fr', href: url('fr') },
          { hreflang: 'at', href: url('x') },
        ],
      },
    ],
    'x',
    ['de x', 'en en', 'fr fr'],
    [],
  ],
  [
    'one that names all already',
    [
      page('en', 'en'),
      {
        url: url('de'),
        alternates: [
          { hreflang: 'de', href: url('de') },
          { hreflang: 'en', href: `${url('en')}#a` },
        ],
      },
    ],
    'de',
    [],
    [],
  ],
  [
    'one whose language another page has',
    [page('en', 'en'), { url: url('de'), alternates: [{ hreflang: 'DE', href: url('other') }] }],
    'de',
    ['DE other', 'en en'],
    ['hreflang-no-self de'],
  ],
  ['one that nothing names', [page('en', 'en')], 'alone', [], []],
])('what a page lacks: %s', (_what, pages, name, expected, codes) => {
  const problems: string[] = [];
  const alternates = new ReturnAlternates(({ code, url: of, dropped }) => {
    expect(dropped).toBeUndefined();
    problems.push(`${code} ${of.slice(url('').length)}`);
  });
  for (const each of pages) alternates.note(each);
  const input = pages.find((each) => each.url === url(name)) ?? { url: url(name) };
  const named = alternates.completed(input) ?? [];
  expect(named.map(({ hreflang, href }) => `${hreflang} ${href.slice(url('').length)}`)).toEqual(expected);
  expect(problems).toEqual(codes);
});
