/** This library, as it is published, at default settings. */
import { readFileSync } from 'node:fs';
import { sitemapTreeForHomepage, streamPages } from '../../dist/index.js';
import { parseSitemap } from '../../dist/parse/index.js';

export const name = 'ultimate-sitemap-parser';
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const URL_OF_DOCUMENTS = 'https://www.example.com/sitemap.xml';

/** Any document in memory: each page's url, date, priority, frequency. */
export function pages({ documents }, reader) {
  for (const document of documents) {
    for (const item of parseSitemap(document, { url: URL_OF_DOCUMENTS })) {
      if (item.type === 'page') readPage(item.page, reader);
    }
  }
}

/** The same, and what the extensions say. */
export function rich({ documents }, reader) {
  for (const document of documents) {
    for (const item of parseSitemap(document, { url: URL_OF_DOCUMENTS })) {
      if (item.type !== 'page') continue;
      const { page } = item;
      readPage(page, reader);
      readStory(page.newsStory, reader);
      for (const { loc, title, caption } of page.images) reader.image(loc, title, caption);
      for (const video of page.videos) {
        reader.video(
          video.thumbnailLoc,
          video.title,
          video.description,
          video.contentLoc,
          video.duration,
          video.publicationDate,
        );
      }
      for (const { hreflang, href } of page.alternates) reader.alternate(hreflang, href);
    }
  }
}

/** A feed's pages are stories. */
export function feed({ documents }, reader) {
  for (const document of documents) {
    for (const item of parseSitemap(document, { url: URL_OF_DOCUMENTS })) {
      if (item.type !== 'page') continue;
      readPage(item.page, reader);
      readStory(item.page.newsStory, reader);
    }
  }
}

/** The whole tree of a site, then a walk over its pages. */
export async function tree({ homepage }, reader) {
  const site = await sitemapTreeForHomepage(homepage);
  for (const page of site.allPages()) readPage(page, reader);
  site.close();
}

/** The pages of a site as they arrive, one by one. */
export async function stream({ homepage }, reader) {
  for await (const { page } of streamPages(homepage)) readPage(page, reader);
}

/** The pages of a site as they arrive, in batches. */
export async function batches({ homepage }, reader) {
  for await (const batch of streamPages(homepage).batches()) {
    for (const { page } of batch) readPage(page, reader);
  }
}

function readPage(page, reader) {
  reader.page(page.url, page.lastModified, page.priority, page.changeFrequency);
}

function readStory(story, reader) {
  reader.news(story.title, story.publicationName, story.publicationLanguage, story.publishDate);
}
