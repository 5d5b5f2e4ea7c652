/** sitemap (sitemap.js) as a writer, as its documentation uses it. */
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { SitemapAndIndexStream, SitemapStream } from 'sitemap';
import { pagesToWrite } from '../documents/writable.js';

export { prepare } from './our-writer.js';
export { name, version } from './sitemap-js.js';

const HOST = 'https://www.example.com';

/** Files of so many pages with an index. */
export async function set({ folder, gzip, perFile, ...pages }) {
  mkdirSync(folder, { recursive: true });
  const stream = new SitemapAndIndexStream({
    limit: perFile,
    getSitemapStream(number) {
      const sitemap = new SitemapStream({ hostname: HOST });
      const name = `sitemap-${number + 1}.xml${gzip ? '.gz' : ''}`;
      const file = createWriteStream(join(folder, name));
      const written = gzip ? sitemap.pipe(createGzip()).pipe(file) : sitemap.pipe(file);
      return [`${HOST}/${name}`, sitemap, written];
    },
  });
  const items = Readable.from(pagesToWrite({ ...pages, shape: 'sitemap.js' }));
  await pipeline(items, stream, createWriteStream(join(folder, 'sitemap.xml')));
}

/** The same files without an index, one stream after the other. */
export async function streams({ folder, gzip, perFile, ...pages }) {
  mkdirSync(folder, { recursive: true });
  const all = pagesToWrite({ ...pages, shape: 'sitemap.js' });
  for (let number = 1; (number - 1) * perFile < pages.count; number++) {
    const sitemap = new SitemapStream({ hostname: HOST });
    const file = createWriteStream(join(folder, `sitemap-${number}.xml${gzip ? '.gz' : ''}`));
    const items = Readable.from(take(all, perFile));
    await (gzip ? pipeline(items, sitemap, createGzip(), file) : pipeline(items, sitemap, file));
  }
}

/** Not a loop over the generator, which would end it. */
function* take(all, count) {
  for (let taken = 0; taken < count; taken++) {
    const { value, done } = all.next();
    if (done) return;
    yield value;
  }
}
