// Reads a site again, prints which pages are new, changed or gone since the last run, and saves it for the next one.
// What has not changed is not downloaded again, and what cannot be read this time is kept as it was.
//
//     npx tsx examples/new-pages.ts https://example.org example.org.warc.gz     (and again tomorrow)
//
// On the command line: usp update example.org.warc.gz https://example.org
import { existsSync } from 'node:fs';
import { diffPages, loadTree, saveTree, sitemapTreeForHomepage } from 'ultimate-sitemap-parser';

const [homepage = 'https://example.org/', file = 'site.warc.gz'] = process.argv.slice(2);

// A damaged file throws, and stays as it is.
const previous = existsSync(file) ? await loadTree(file) : undefined;
const today = await sitemapTreeForHomepage(homepage, { previous, staleIfError: true });

if (previous === undefined) {
  const pages = new Set(Array.from(today.allPages(), ({ url }) => url));
  console.log(`${pages.size} pages, read for the first time`);
} else {
  // What could not be read is in `today` as it was, so nothing is unknown (`plain`).
  const changes = diffPages(previous, today, { plain: true });
  for await (const { type, page } of changes) console.log(`${type}: ${page.url}`);
  const { added, removed, changed } = changes.counts;
  console.log(`${added} added, ${removed} removed, ${changed} changed`);
}

// Saved after the changes were printed: whatever happens in between, none is lost. A site that is down saves nothing.
const isRead = [...today.allSitemaps()].some(
  ({ kind, freshness }) => kind !== 'invalid' && freshness !== 'stale',
);
if (isRead) await saveTree(today, file);
previous?.close();
today.close();
