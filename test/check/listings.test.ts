/** §12 url-in-several-sitemaps: a page in two sitemaps of the same sort, whatever else their entries have. */
import { expect, test } from 'vitest';
import { checkSitemaps } from '../../src/check/index.ts';

const SITE = 'https://example.org/';
const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" ' +
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"';
const EXTENSIONS = { news: '<news:news/>', image: '<image:image/>', video: '<video:video/>' };

/** @param extensions - of the two pages that it lists, each */
function urlset(...extensions: readonly (readonly (keyof typeof EXTENSIONS)[])[]): string {
  const urls = extensions.map(
    (names, at) => `<url><loc>${SITE}${at}</loc>${names.map((name) => EXTENSIONS[name]).join('')}</url>`,
  );
  return `<urlset ${NAMESPACES}>${urls.join('')}</urlset>`;
}

const SORTS = {
  plain: [urlset([], [])],
  news: [urlset(['news'], ['news']), urlset(['news', 'image'], []), urlset(['image'], ['video', 'news'])],
  image: [urlset(['image'], ['image']), urlset([], ['image'])],
  video: [urlset(['video'], [])],
};

const rows = Object.entries(SORTS).flatMap(([sort, documents]) =>
  documents.flatMap((first, at) =>
    Object.entries(SORTS).flatMap(([other, others]) =>
      others.map(
        (second, number) => [`${sort} ${at}`, `${other} ${number}`, first, second, sort === other] as const,
      ),
    ),
  ),
);

test.each(rows)('a page of the sitemaps %s and %s', (_first, _second, first, second, isShared) => {
  const findings = checkSitemaps([
    { url: `${SITE}a.xml`, content: first },
    { url: `${SITE}b.xml`, content: second },
  ]);
  const shared = [...findings].filter(({ rule }) => rule === 'url-in-several-sitemaps');
  expect(shared.map(({ count }) => count)).toEqual(isShared ? [2] : []);
});
