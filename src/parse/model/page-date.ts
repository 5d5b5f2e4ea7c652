/**
 * What the date of a page is, for filters, summaries and reports: that of its last change; else that of its story,
 * since a news sitemap dates its stories, not its pages.
 */
import type { SitemapPage } from './page.ts';

export function dateOf({ lastModified, newsStory }: SitemapPage): Date | undefined {
  return lastModified ?? newsStory?.publishDate;
}

/** The date of {@link dateOf} as written. */
export function dateTextOf({ lastModified, lastModifiedText, newsStory }: SitemapPage): string | undefined {
  return lastModified === undefined ? newsStory?.publishDateText : lastModifiedText;
}
