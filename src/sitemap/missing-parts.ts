/** What is missing in the tree of a site: documents that could not be read, or not to their end. */
import { missingParts } from '../problems/catalogue.ts';
import { type IndexWebsiteSitemap, type Sitemap, walkTree } from './sitemap.ts';

/** Something that {@link collectPages} did not read. */
export interface MissingPart {
  /** The document, or the site. */
  readonly url: string;
  /** A stable kebab-case word: see the problem codes. */
  readonly code: string;
  /** A sentence for people, with the URL. */
  readonly message: string;
}

/** Each document once, also where it is at several places of the tree. */
export function missingOf(tree: IndexWebsiteSitemap): readonly MissingPart[] {
  const missing = new Map<string, MissingPart>();
  const add = ({ url }: Sitemap, code: string, message: string): void => {
    const namedMessage = message.includes(url) ? message : `${url}: ${message}`;
    missing.set(`${url} ${namedMessage}`, { url, code, message: namedMessage });
  };
  for (const { sitemap } of walkTree(tree)) {
    const { kind, problems } = sitemap;
    if (sitemap.kind === 'invalid') add(sitemap, sitemap.code, sitemap.reason);
    const stale = problems.filter(({ code }) => code === 'stale');
    for (const { code, message } of kind === 'website' ? problems : [...missingParts(problems), ...stale])
      add(sitemap, code, message);
  }
  return [...missing.values()];
}
