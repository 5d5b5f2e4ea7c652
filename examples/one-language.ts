// Only one language of a site that has the language in the path of its URLs. Other sitemaps are not fetched.
//
//     npx tsx examples/one-language.ts https://example.org de
import { streamPages } from 'ultimate-sitemap-parser';

const [homepage = 'https://example.org/', language = 'en'] = process.argv.slice(2);

const pages = streamPages(homepage, {
  // The indexes that robots.txt declares belong to all languages, so only their children are filtered.
  recurseCallback: (url, _level, _parents, { parent }) =>
    parent.kind === 'robots-txt' || !/\/(?:en|de|fr)\//.test(url) || url.includes(`/${language}/`),
});
for await (const { page } of pages) {
  if (page.url.includes(`/${language}/`)) console.log(page.url);
}
