/** Pages and sub-sitemaps as the list shows them. */
import type { SitemapEntry, SitemapPage } from '../../src/parse/index.ts';
import type { ItemRow } from './messages.ts';

/** The row of a page. */
export function pageRow(page: SitemapPage, offset: number | undefined): ItemRow {
  const { newsStory, images, videos, alternates, changeFrequency, declaredPriority } = page;
  const more = [
    newsStory?.title,
    counted(images.length, 'image'),
    counted(videos.length, 'video'),
    counted(alternates.length, 'alternate'),
    changeFrequency,
    declaredPriority === undefined ? undefined : `priority ${declaredPriority}`,
  ];
  return {
    url: page.url,
    lastModified: page.lastModifiedText ?? page.lastModified?.toISOString(),
    more: more.filter((word) => word !== undefined && word !== '').join(', '),
    offset,
  };
}

/** The row of a sub-sitemap. */
export function sitemapRow({ url, lastModified }: SitemapEntry, offset: number | undefined): ItemRow {
  return { url, lastModified: lastModified?.toISOString(), more: '', offset };
}

function counted(count: number, word: string): string | undefined {
  if (count === 0) return undefined;
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}
