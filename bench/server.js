/**
 * The sites that are crawled, on loopback and in a process of its own: its work is nobody's CPU time. Each site has a
 * port, a robots.txt, an index and its documents, read from disk as they are asked for.
 *
 * Started by site-server.js, which hands it a list of `{ files, delayMs }` and gets the homepages back.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { argv } from 'node:process';

const CONTENT_TYPES = { xml: 'application/xml', txt: 'text/plain', gz: 'application/gzip' };

const sites = JSON.parse(argv[2]);
process.send(await Promise.all(sites.map(serve)));
// Whoever started it is gone, however it went.
process.on('disconnect', () => process.exit());

function serve({ files, delayMs }) {
  const { promise, resolve } = withResolvers();
  const server = createServer((request, response) => {
    setTimeout(() => answer(request, response).catch(() => response.destroy()), delayMs);
  });
  const paths = new Map(files.map((file, index) => [`/sitemap-${index + 1}.${extensionOf(file)}`, file]));
  let homepage = '';

  async function answer({ url }, response) {
    if (url === '/robots.txt') {
      return send(response, 'text/plain', `User-agent: *\nSitemap: ${homepage}index.xml\n`);
    }
    if (url === '/index.xml') return send(response, 'application/xml', indexOf([...paths.keys()]));
    const file = paths.get(url);
    if (file === undefined) return send(response, 'text/plain', 'Not found\n', 404);
    // At once rather than as a stream: the server must not be what is measured.
    return send(response, CONTENT_TYPES[file.split('.').at(-1)], await readFile(file));
  }

  const indexOf = (children) =>
    `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${children.map((path) => `  <sitemap><loc>${new URL(path, homepage)}</loc></sitemap>`).join('\n')}
</sitemapindex>
`;

  server.listen(0, '127.0.0.1', () => {
    homepage = `http://127.0.0.1:${server.address().port}/`;
    resolve(homepage);
  });
  return promise;
}

function send(response, contentType, body, status = 200) {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
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
