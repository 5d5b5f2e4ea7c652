/**
 * The sites that are crawled, on loopback and in a process of its own: its work is nobody's CPU time. Each site has a
 * port, a robots.txt, an index and its documents, read from disk as they are asked for.
 *
 * Started by site-server.js, which hands it a list of `{ files, others, tiny, delayMs, limit, restart }` and gets the
 * homepages back; and, for each message, how many requests there were, how many of them were refused, and how many
 * bytes of bodies were sent. The message `change` adds a page to the first document of every site, `change-all` to each
 * document, and `replace` gives all documents the contents of `others`. Documents have an ETag, and get a 304.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { argv } from 'node:process';

const CONTENT_TYPES = { xml: 'application/xml', txt: 'text/plain', gz: 'application/gzip' };

const sites = JSON.parse(argv[2]);
let requests = 0;
let refused = 0;
let bytes = 0;
let version = 0;
let changed = 'none';
process.send(await Promise.all(sites.map(serve)));
process.on('message', (message) => {
  if (message !== 'counts') {
    version++;
    changed = message;
  }
  process.send({ requests, refused, bytes });
});
// Whoever started it is gone, however it went.
process.on('disconnect', () => process.exit());

function serve({ files, others, tiny, delayMs, limit, restart }) {
  const { promise, resolve } = withResolvers();
  const isAllowed = limit === undefined ? () => true : leakyBucket(limit);
  let untilRestart = restart?.afterRequests;
  const server = createServer((request, response) => {
    requests++;
    if (untilRestart !== undefined && --untilRestart === 0) return goDown(restart.ms);
    if (!isAllowed()) {
      refused++;
      return send(response, 'text/html', 'Service Temporarily Unavailable\n', 503);
    }
    setTimeout(() => answer(request, response).catch(() => response.destroy()), delayMs);
  });
  const paths = new Map(files.map((file, index) => [`/sitemap-${index + 1}.${extensionOf(file)}`, file]));
  const replaced = new Map([...paths.keys()].map((path, index) => [path, others[index]]));
  // So many sitemaps of a page each: too many for files.
  for (let index = 1; index <= tiny; index++) paths.set(`/sitemap-${index}.xml`, index);
  let homepage = '';

  /** As a restart does it: connections break, new ones are refused, and later everything is as before. */
  function goDown(ms) {
    const { port } = server.address();
    server.close();
    server.closeAllConnections();
    setTimeout(() => server.listen(port, '127.0.0.1'), ms);
  }

  async function answer({ url, headers }, response) {
    const isChanged = changed === 'change' ? url === [...paths.keys()][0] : changed !== 'none';
    const etag = `"${isChanged ? version : 0}"`;
    const isKnown = paths.has(url) || url === '/robots.txt' || url === '/index.xml';
    if (isKnown) response.setHeader('etag', etag);
    if (isKnown && headers['if-none-match'] === etag) return response.writeHead(304).end();
    if (url === '/robots.txt') {
      return send(response, 'text/plain', `User-agent: *\nSitemap: ${homepage}index.xml\n`);
    }
    if (url === '/index.xml') return send(response, 'application/xml', indexOf([...paths.keys()]));
    const file = (changed === 'replace' ? replaced : paths).get(url);
    if (file === undefined) return send(response, 'text/plain', 'Not found\n', 404);
    if (typeof file === 'number') return send(response, 'application/xml', tinyUrlset(homepage, file));
    // At once rather than as a stream: the server must not be what is measured.
    const body = await readFile(file);
    return send(
      response,
      CONTENT_TYPES[file.split('.').at(-1)],
      isChanged && changed !== 'replace' ? withAnother(body, url) : body,
    );
  }

  /** A document of URLs with one more. */
  const withAnother = (body, url) => {
    const end = body.lastIndexOf('</urlset>');
    const page = Buffer.from(`<url><loc>${new URL(url, homepage)}/page-${version}</loc></url>`);
    return Buffer.concat([body.subarray(0, end), page, body.subarray(end)]);
  };

  const indexOf = (children) =>
    `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${children.map((path) => `  <sitemap><loc>${new URL(path, homepage)}</loc></sitemap>`).join('\n')}
</sitemapindex>
`;

  server.listen(0, '127.0.0.1');
  server.once('listening', () => {
    homepage = `http://127.0.0.1:${server.address().port}/`;
    resolve(homepage);
  });
  return promise;
}

function send(response, contentType, body, status = 200) {
  const length = Buffer.byteLength(body);
  bytes += length;
  response.writeHead(status, { 'content-type': contentType, 'content-length': length });
  response.end(body);
}

/** nginx's `limit_req rate=<perSecond>r/s burst=<burst> nodelay`. */
function leakyBucket({ perSecond, burst }) {
  let [excess, last] = [0, Date.now()];
  return () => {
    const now = Date.now();
    const next = Math.max(0, excess - ((now - last) / 1000) * perSecond) + 1;
    const isAllowed = next <= burst + 1;
    [excess, last] = [isAllowed ? next : next - 1, now];
    return isAllowed;
  };
}

/** `xml`, `txt`, `xml.gz`. */
function extensionOf(file) {
  return /\.(\w+(?:\.gz)?)$/.exec(file)[1];
}

// Promise.withResolvers needs Node 22.
function withResolvers() {
  const result = {};
  result.promise = new Promise((resolve) => {
    result.resolve = resolve;
  });
  return result;
}

function tinyUrlset(homepage, number) {
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${homepage}page-${number}</loc></url></urlset>`;
}
