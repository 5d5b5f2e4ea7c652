// A web client of one's own: any function shaped like `fetch`. This one adds a token for one host, and keeps what it
// fetched, so that the second call asks the network for nothing.
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
  // A client decides for itself who gets which headers: a token must not go to other hosts.
  const headers = new Headers(request.headers);
  if (new URL(url).host === host) headers.set('authorization', 'Bearer example-token');
  const response = await fetch(url, { ...request, headers });
  const body = response.body === null ? null : await response.arrayBuffer();
  const answer = () => new Response(body, { status: response.status, headers: response.headers });
  // What failed may work the next time.
  if (response.status < 500) cache.set(url, answer);
  return answer();
};

for (const turn of ['first', 'second']) {
  requests = 0;
  const tree = await sitemapTreeForHomepage(homepage, { webClient: client });
  const pages = [...tree.allPages()].length;
  console.log(`${turn} call: ${pages} pages, ${requests === 0 ? 'no request' : 'over the network'}`);
  tree.close();
}
