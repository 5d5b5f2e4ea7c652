// Only one language of a site whose addresses have it in their path: what is not wanted is never fetched.
//
//     npx tsx examples/one-language.ts https://example.org de
import { streamPages } from 'ultimate-sitemap-parser';

const [homepage = 'https://example.org/', language = 'en'] = process.argv.slice(2);

const pages = streamPages(homepage, {
  // robots.txt names indexes that belong to all languages, so only what an index lists is looked at.
  recurseCallback: (url, _level, _parents, { parent }) =>
    parent.kind === 'robots-txt' || !/\/(?:en|de|fr)\//.test(url) || url.includes(`/${language}/`),
});
for await (const { page } of pages) {
  if (page.url.includes(`/${language}/`)) console.log(page.url);
}
