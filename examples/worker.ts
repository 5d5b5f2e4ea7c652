// The pure core on the body of a Response, as in a worker or a browser: no Node, no network of its own.
//
//     npx tsx examples/worker.ts https://example.org/sitemap.xml
import { parseSitemap } from 'ultimate-sitemap-parser/parse';

const [url = 'https://example.org/sitemap.xml'] = process.argv.slice(2);

const response = await fetch(url);
if (response.body === null) throw new Error(`${url} has no body`);
// What is gzipped is the caller's to inflate: response.body.pipeThrough(new DecompressionStream('gzip'))
const parse = parseSitemap(response.body, { url: response.url });
for await (const item of parse) {
  console.log(item.type === 'page' ? `page ${item.page.url}` : `sitemap ${item.sitemap.url}`);
}
