/**
 * Serves examples/demo-site on loopback. Its files say https://demo.example, so that they can be read as they are; on
 * the way out that becomes the address they are served at, inside gzip too.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';

/** The address that the files have in place of their own. */
export const PLACEHOLDER = 'https://demo.example';

const FOLDER = new URL('../examples/demo-site/', import.meta.url);
const TYPES = {
  html: 'text/html',
  xml: 'application/xml',
  rss: 'application/rss+xml',
  gz: 'application/gzip',
};

/** Starts the server on a free port: `{ origin, close }`. */
export async function serveDemoSite() {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const origin = `http://127.0.0.1:${server.address().port}`;
    readFile(fileOf(pathname)).then(
      (bytes) => {
        const type =
          TYPES[pathname.split('.').at(-1)] ?? (pathname.endsWith('/') ? TYPES.html : 'text/plain');
        response.writeHead(200, { 'content-type': type }).end(atHome(bytes, origin));
      },
      () => response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.\n'),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

// A path that has been through a URL has no `..` left that could lead out of the folder, unless it is encoded.
function fileOf(pathname) {
  const path = decodeURIComponent(pathname);
  const url = new URL(`.${path.endsWith('/') ? `${path}index.html` : path}`, FOLDER);
  return url.href.startsWith(FOLDER.href) ? fileURLToPath(url) : fileURLToPath(new URL('none', FOLDER));
}

function atHome(bytes, origin) {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = (isGzip ? gunzipSync(bytes) : bytes).toString('utf8').replaceAll(PLACEHOLDER, origin);
  return isGzip ? gzipSync(text) : Buffer.from(text);
}
