// Saves today's tree, and lists the pages that are new since the last run.
//
//     npx tsx examples/new-pages.ts https://example.org example.org.warc.gz     (and again tomorrow)
import { existsSync } from 'node:fs';
import { loadTree, SeenUrls, saveTree, sitemapTreeForHomepage } from 'ultimate-sitemap-parser';

const [homepage = 'https://example.org/', file = 'site.warc.gz'] = process.argv.slice(2);

// Sixteen bytes per URL: millions of them fit into memory.
const known = new SeenUrls();
if (existsSync(file)) {
  const before = await loadTree(file);
  for await (const page of before.allPages()) known.add(page.url);
  before.close();
}
const before = known.size;

const today = await sitemapTreeForHomepage(homepage);
for await (const page of today.allPages()) {
  if (known.add(page.url) && before > 0) console.log(`new: ${page.url}`);
}
console.log(`${known.size - before} new pages, ${before} known before`);
// A tree with unreadable sitemaps would make tomorrow's list wrong.
if (today.complete || !existsSync(file)) await saveTree(today, file);
today.close();
