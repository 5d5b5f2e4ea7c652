// The titles of all news stories as NDJSON: one JSON object per line, for jq or a database.
//
//     npx tsx examples/news-titles.ts https://example.org
import { streamPages } from 'ultimate-sitemap-parser';

const [homepage = 'https://example.org/'] = process.argv.slice(2);

for await (const { page } of streamPages(homepage)) {
  if (page.newsStory?.title === undefined) continue;
  const { title, publishDate, publicationName } = page.newsStory;
  console.log(JSON.stringify({ title, publishDate, publicationName, url: page.url }));
}
