// Your own web client: any function with the shape of `fetch`. This one adds a token for one host, and keeps what it
// fetched, so that the second call sends no request.
//
//     npx tsx examples/cached-client.ts https://example.org
import { sitemapTreeForHomepage, type WebClient } from 'ultimate-sitemap-parser';

const [homepage = 'https://example.org/'] = process.argv.slice(2);
const { host } = new URL(homepage);
const cache = new Map<string, () => Response>();
let requests = 0;

const client: WebClient = async (url, request) => {
  const known = cache.get(url);
  if (known !== undefined) return known();
  requests++;
  // A client decides which host gets which headers: a token must not go to other hosts.
  const headers = new Headers(request.headers);
  if (new URL(url).host === host) headers.set('authorization', 'Bearer example-token');
  const response = await fetch(url, { ...request, headers });
  const body = response.body === null ? null : await response.arrayBuffer();
  const copy = () => new Response(body, { status: response.status, headers: response.headers });
  // A request that failed may succeed the next time.
  if (response.status < 500) cache.set(url, copy);
  return copy();
};

for (const turn of ['first', 'second']) {
  requests = 0;
  const tree = await sitemapTreeForHomepage(homepage, { webClient: client });
  const pages = [...tree.allPages()].length;
  console.log(`${turn} call: ${pages} pages, ${requests === 0 ? 'no request' : 'over the network'}`);
  tree.close();
}
