/** §12: the alternates of one entry: what is said of each, and what does not reach the next entry. */
import { expect, test } from 'vitest';
import { checkSitemap, type Finding } from '../../src/check/index.ts';

const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"';
const SITE = 'https://example.org/';

/** An alternate in a language, of a path or a URL. */
function link(code: string, href: string): string {
  return `<xhtml:link rel="alternate" hreflang="${code}" href="${/^[a-z]+$/.test(href) ? SITE + href : href}"/>`;
}
const page = (path: string, ...links: readonly string[]): string =>
  `<url><loc>${SITE}${path}</loc>${links.join('')}</url>\n`;

/** The findings about alternates of a sitemap of these entries, each on a line of its own from line 2 on. */
function findingsOf(
  entries: readonly string[],
  url: string | null = `${SITE}maps/a.xml`,
): readonly Finding[] {
  const text = `<urlset ${NAMESPACES}>\n${entries.join('')}</urlset>`;
  return [...checkSitemap(text, { url: url ?? undefined })].filter(({ rule }) => rule.startsWith('hreflang'));
}
const said = (...entries: readonly string[]): readonly string[] =>
  findingsOf(entries).map(({ line, rule, message }) => `${line} ${rule}: ${message}`);

test.each([
  ['its URL', [`${SITE}en`], true],
  ['its URL in another form', ['https://EXAMPLE.org:443/./en#top'], true],
  ['its URL in capitals', ['HTTPS://example.org/en'], true],
  ['its path', ['/en'], true],
  ['a path from the sitemap', ['../en'], true],
  ['the URL without its protocol', ['//example.org/en'], true],
  ['it as the second', [`${SITE}de`, ` ${SITE}en `], true],
  ['a path that is beside the sitemap', ['./en'], false],
  ['another page', [`${SITE}de`], false],
  ['it with a slash', [`${SITE}en/`], false],
  ['it by http', ['http://example.org/en'], false],
  ['it in another case', [`${SITE}EN`], false],
])('a page that names %s: is among its alternates or not', (_what, hrefs, isThere) => {
  const links = hrefs.map((href, at) => link(['en', 'de', 'fr'][at]!, href));
  const words =
    hrefs.length === 1 ? 'one alternate, and it is not' : `${hrefs.length} alternates, and none of them is`;
  expect(said(page('en', ...links))).toEqual(
    isThere ? [] : [`2 hreflang-no-self: The page has ${words} the page itself.`],
  );
});

test('without an address of the sitemap, paths are those of the page', () => {
  expect(findingsOf([page('en', link('en', '/en'))], null)).toEqual([]);
  expect(findingsOf([page('en', link('en', '/de'))], null)).toMatchObject([{ rule: 'hreflang-no-self' }]);
});

test('each language that is there again is a finding, in any case, at its code', () => {
  const links = [
    link('en', 'en'),
    link('de', 'a'),
    link('DE', 'b'),
    link('de-AT', 'c'),
    link('de', 'd'),
    link('En', 'e'),
  ];
  const found = findingsOf([page('en', ...links)]);
  expect(found.map(({ message }) => message)).toEqual(
    ['DE', 'de', 'En'].map((code) => `The page has two alternates with hreflang="${code}".`),
  );
  const text = `<urlset ${NAMESPACES}>\n${page('en', ...links)}`;
  expect(found.map(({ offset }) => text.slice(offset, offset! + 3))).toEqual(['DE"', 'de"', 'En"']);
});

test('the languages and addresses of an entry are not those of the next', () => {
  const own = (path: string): string => page(path, link('en', path), link('de', 'de'));
  expect(said(own('a'), own('b'))).toEqual([]);
  expect(said(own('a'), page('b', link('en', 'a')), page('c'))).toEqual([
    '3 hreflang-no-self: The page has one alternate, and it is not the page itself.',
    `3 hreflang-no-return: ${SITE}b names ${SITE}a as an alternate, but is not named in return.`,
  ]);
  // The alternates before the address are those of the same entry.
  const before = `<url>${link('en', 'a')}<loc>${SITE}a</loc></url>\n`;
  expect(said(before, before.replaceAll('/a', '/b'))).toEqual([]);
});

test('an alternate without an address is a finding, and counts for nothing else', () => {
  const none = '<xhtml:link rel="alternate" hreflang="de"/>';
  expect(said(page('en', link('en', 'en'), none, link('de', ''), link('de', 'de')))).toEqual([
    '2 hreflang-no-href: The alternate for "de" has no href.',
    '2 hreflang-no-href: The alternate for "de" has no href.',
  ]);
  expect(said(page('en', none))).toEqual([
    '2 hreflang-no-href: The alternate for "de" has no href.',
    '2 hreflang-no-self: The page has one alternate, and it is not the page itself.',
  ]);
});

test('every use of a wrong code is a finding, and so is an empty one', () => {
  expect(
    said(page('en', link('en', 'en'), link('en-UK', 'a')), page('b', link('en-UK', 'b'), link('fil', 'c'))),
  ).toEqual([
    '2 hreflang-bad-code: hreflang="en-UK": "UK" is not the code of a country in ISO 3166-1; "GB" is probably meant.',
    '3 hreflang-bad-code: hreflang="en-UK": "UK" is not the code of a country in ISO 3166-1; "GB" is probably meant.',
    '3 hreflang-unsupported: hreflang="fil": "fil" has three letters, and search engines read the codes of ISO 639-1, which have two.',
  ]);
  expect(said(page('en', link('', 'en'), link('', 'en')))).toEqual([
    '2 hreflang-bad-code: hreflang="": it is empty.',
    '2 hreflang-bad-code: hreflang="": it is empty.',
  ]);
});

test('a long code is cut in messages', () => {
  const [finding] = findingsOf([page('en', link('x'.repeat(41), 'en'))]);
  expect(finding?.message).toContain(`hreflang="${'x'.repeat(40)}…": `);
});

test('links that are not alternates are not judged', () => {
  const others =
    '<xhtml:link rel="stylesheet" hreflang="xx" href="a"/><xhtml:link rel="alternate" href="b"/>';
  expect(said(page('en', others))).toEqual([]);
});
