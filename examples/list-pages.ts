// Every page of a site, in the order of its sitemaps.
//
//     npx tsx examples/list-pages.ts https://example.org
import { sitemapTreeForHomepage } from 'ultimate-sitemap-parser';

const [homepage = 'https://example.org/'] = process.argv.slice(2);

const tree = await sitemapTreeForHomepage(homepage);
for (const page of tree.allPages()) console.log(page.url);

for (const sitemap of tree.allSitemaps()) {
  if (sitemap.kind === 'invalid') console.error(`not read: ${sitemap.reason}`);
}
