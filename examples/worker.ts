// The parser alone, on the body of a Response, as in a worker or a browser: nothing from Node, no network of its own.
//
//     npx tsx examples/worker.ts https://example.org/sitemap.xml
import { parseSitemap } from 'ultimate-sitemap-parser/parse';

const [url = 'https://example.org/sitemap.xml'] = process.argv.slice(2);

const response = await fetch(url);
if (response.body === null) throw new Error(`${url} has no body`);
// The parser does not inflate gzip; do that first: response.body.pipeThrough(new DecompressionStream('gzip'))
const parse = parseSitemap(response.body, { url: response.url });
for await (const item of parse) {
  console.log(item.type === 'page' ? `page ${item.page.url}` : `sitemap ${item.sitemap.url}`);
}
