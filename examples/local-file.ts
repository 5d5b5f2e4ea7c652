// A sitemap from a local file, gzipped or not. Nothing is fetched.
//
//     npx tsx examples/local-file.ts examples/demo-site/products/tables.xml.gz
import { sitemapFromFile } from 'ultimate-sitemap-parser';

const [file = 'examples/demo-site/products/tables.xml.gz'] = process.argv.slice(2);

const sitemap = await sitemapFromFile(file, { url: 'https://demo.example/products/tables.xml.gz' });
console.log(`${sitemap.kind}, ${sitemap.pageCount} pages, ${sitemap.problemCount} problems`);
for (const { url, lastModified } of sitemap.pages) console.log(url, lastModified?.toISOString());
