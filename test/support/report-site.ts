/** A site with something for every part of a report, on a real server. */
import type { ScriptedServer } from '../server/scripted-server.ts';
import { startServer } from '../server/scripted-server.ts';

const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml" ' +
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';

interface Entry {
  readonly loc: string;
  readonly lastmod?: string;
  readonly more?: string;
}

export function document(entries: readonly Entry[]): string {
  const urls = entries.map(
    ({ loc, lastmod, more = '' }) =>
      `<url><loc>${loc}</loc>${lastmod === undefined ? '' : `<lastmod>${lastmod}</lastmod>`}${more}</url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><urlset ${NAMESPACES}>${urls.join('')}</urlset>`;
}

/** Blog posts of four years, products in two levels of folders, two languages, one sitemap that is not there. */
export async function reportSite(): Promise<ScriptedServer> {
  const server = await startServer({});
  const { origin } = server;
  const posts: Entry[] = [];
  for (let n = 0; n < 60; n++) {
    const month = String((n % 5) + 1).padStart(2, '0');
    posts.push({
      loc: `${origin}/blog/${2008 + (n % 4)}/post-${n}`,
      lastmod: `${2008 + (n % 4)}-${month}-0${(n % 7) + 1}`,
    });
  }
  const products: Entry[] = Array.from({ length: 12 }, (_, n) => ({
    loc: `${origin}/shop/${n % 2 === 0 ? 'chairs' : 'tables'}/item-${n}`,
    more: `<image:image><image:loc>${origin}/i/${n}.jpg</image:loc></image:image>`,
  }));
  const link = (code: string, path: string): string =>
    `<xhtml:link rel="alternate" hreflang="${code}" href="${origin}${path}"/>`;
  const languages: Entry[] = [
    { loc: `${origin}/en`, more: link('en', '/en') + link('de', '/de') + link('fr', '/fr') },
    { loc: `${origin}/de`, lastmod: '2999-01-01', more: link('de', '/de') },
  ];
  Object.assign(server.site, {
    '/robots.txt': ['/index.xml'],
    '/index.xml': [['/blog.xml', '2011-05-06'], '/shop.xml', '/languages.xml', '/gone.xml'],
    '/blog.xml': document(posts),
    '/shop.xml': document(products),
    '/languages.xml': document(languages),
  });
  return server;
}
