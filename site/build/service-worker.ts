/** The service worker: after one visit, the playground works without a network. */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes `sw.js` into the built site. Its text differs with every build, so that browsers notice a new one. */
export async function writeServiceWorker(folder: string, base: string): Promise<void> {
  const playground = await readFile(join(folder, 'playground.html'), 'utf8');
  const linked = [...playground.matchAll(/(?:href|src)="([^"]+\.(?:js|css|woff2|svg|webmanifest))"/g)];
  const assets = await readdir(join(folder, 'assets'), { recursive: true });
  // What the playground loads by itself is not in its HTML: its code, its workers and its examples.
  const own = assets.filter((name) => /playground\..*js$|worker-.*js$|\.(?:xml|txt|rss|atom|gz)$/.test(name));
  const files = [
    `${base}playground.html`,
    ...linked.map(([, path = '']) => path),
    ...own.map((name) => `${base}assets/${name.replaceAll('\\', '/')}`),
  ];
  const list = [...new Set(files)].sort();
  const version = createHash('sha256').update(playground).update(list.join()).digest('hex').slice(0, 16);
  await writeFile(join(folder, 'sw.js'), program(`site-${version}`, list));
}

/** Pages come from the network where there is one; files with a hash in their name never change. */
function program(name: string, files: readonly string[]): string {
  return `const NAME = ${JSON.stringify(name)};
const FILES = ${JSON.stringify(files)};
self.addEventListener('install', (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES)));
});
self.addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    for (const other of await caches.keys()) if (other.startsWith('site-') && other !== NAME) await caches.delete(other);
    await self.clients.claim();
  })());
});
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(NAME);
    const kept = () => cache.match(request, { ignoreSearch: true, ignoreVary: true });
    if (url.pathname.includes('/assets/')) {
      const found = await kept();
      if (found) return found;
    }
    try {
      const response = await fetch(request);
      if (response.ok) await cache.put(request, response.clone());
      return response;
    } catch (error) {
      const found = await kept();
      if (found) return found;
      throw error;
    }
  })());
});
`;
}
