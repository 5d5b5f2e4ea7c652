// Only pages that changed since a date. Sitemaps that their index declares to be older are not fetched.
//
//     npx tsx examples/changed-since.ts https://example.org 2024-05-01
import { streamPages } from 'ultimate-sitemap-parser';

const [homepage = 'https://example.org/', date = '2024-05-01'] = process.argv.slice(2);
const since = new Date(date);

const pages = streamPages(homepage, {
  recurseCallback: (_url, _level, _parents, { entry }) =>
    entry.lastModified === undefined || entry.lastModified >= since,
});
for await (const { page } of pages) {
  const changed = page.lastModified ?? page.newsStory?.publishDate;
  if (changed !== undefined && changed >= since) console.log(changed.toISOString(), page.url);
}
