/** What `ultimate-sitemap-parser/write` is where there are no files: in a browser. */
import { SitemapException } from '../problems/errors.ts';

export { SitemapException } from '../problems/errors.ts';
export { indexXml, sitemapXml } from './sitemap-xml.ts';

export async function writeSitemaps(): Promise<never> {
  throw new SitemapException(
    'writeSitemaps writes files, and a browser has none. Use sitemapXml and indexXml.',
    {
      code: 'no-files',
    },
  );
}
