/** The sitemaps and feeds that the homepage itself names, in its head and its `Link:` header. */
import type { DocumentFetcher } from '../fetch/fetch-document.ts';
import { HtmlLinks, linksOfHeader } from '../parse/html-links.ts';
import type { Problem } from '../problem.ts';

/** What the homepage names. */
export interface HomepageLinks {
  readonly urls: readonly string[];
  readonly problems: readonly Problem[];
}

/** Fetches the homepage and reads its links; it is read no further than its head. */
export async function homepageLinks(
  fetcher: DocumentFetcher,
  homepage: string,
  signal: AbortSignal,
): Promise<HomepageLinks> {
  const document = await fetcher.fetch(homepage, { signal });
  if (!document.ok) {
    const message = `The homepage could not be read for its links. ${document.reason}`;
    return { urls: [], problems: [{ code: 'homepage-links-failed', message }] };
  }
  const links = new HtmlLinks(document.url);
  for await (const chunk of document.bytes()) {
    links.write(chunk);
    if (links.isOver) break;
  }
  const fromHeader = linksOfHeader(document.header('link') ?? '', document.url);
  return { urls: [...new Set([...fromHeader, ...links.urls])], problems: [] };
}
