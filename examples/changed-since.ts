// Only pages that changed since a date. Sitemaps that their index declares to be older are not fetched.
//
//     npx tsx examples/changed-since.ts https://example.org 2024-05-01
//
// This trusts the dates of the site, and keeps nothing. new-pages.ts compares with the last run instead.
import { streamPages } from 'ultimate-sitemap-parser';

const [homepage = 'https://example.org/', date = '2024-05-01'] = process.argv.slice(2);

const pages = streamPages(homepage, { since: date });
for await (const { page } of pages) {
  const changed = page.lastModified ?? page.newsStory?.publishDate;
  console.log(changed?.toISOString(), page.url);
}

// A site that was down has not stopped changing: the next run must begin at the same date.
const failed = pages.invalidSitemaps.filter(({ code, status }) => code !== 'recursion' && status !== 404);
if (failed.length > 0 || pages.problems.length > 0) {
  for (const { reason } of failed) console.error(reason);
  for (const { message } of pages.problems) console.error(message);
  console.error(`Not everything could be read: run it again, since ${date}.`);
  process.exitCode = 1;
}
