/** From JSON back to pages: what `page.toJSON()` says is all that a page is. */
import { SitemapNewsStory, type SitemapNewsStoryJSON } from '../parse/extensions/news.ts';
import { SitemapVideo, type SitemapVideoJSON } from '../parse/extensions/video.ts';
import { type PageExtensions, SitemapPage, type SitemapPageJSON } from '../parse/model/page.ts';
import { type Check, isListOf, isMaybe, isNumber, isRecord, isText } from './archive/json-shape.ts';

/**
 * Makes a page of its JSON; the page's own JSON is the same again.
 *
 * @example
 * ```ts
 * pageFromJSON(JSON.parse(JSON.stringify(page)))
 * ```
 */
export function pageFromJSON(json: SitemapPageJSON): SitemapPage {
  const { url, priority, lastModified, changeFrequency } = json;
  return new SitemapPage({
    url,
    priority,
    changeFrequency,
    lastModifiedTime: timeOf(lastModified),
    // The text is left out of JSON only where it is exactly the date's ISO form.
    lastModifiedText: json.lastModifiedText ?? lastModified,
    extensions: extensionsFrom(json),
  });
}

function extensionsFrom(json: SitemapPageJSON): PageExtensions | undefined {
  const { newsStory, images, videos, alternates } = json;
  // Most pages have none, and share one empty set.
  if (newsStory === undefined && images === undefined && videos === undefined && alternates === undefined) {
    return undefined;
  }
  return {
    newsStory: newsStory === undefined ? undefined : newsStoryFrom(newsStory),
    images: frozen(images ?? []),
    videos: Object.freeze((videos ?? []).map(videoFrom)),
    alternates: frozen(alternates ?? []),
  };
}

function newsStoryFrom({ publishDate, ...fields }: SitemapNewsStoryJSON): SitemapNewsStory {
  return new SitemapNewsStory({ ...fields, publishTime: timeOf(publishDate) });
}

function videoFrom({ expirationDate, publicationDate, ...fields }: SitemapVideoJSON): SitemapVideo {
  return new SitemapVideo({
    ...fields,
    expirationTime: timeOf(expirationDate),
    publicationTime: timeOf(publicationDate),
  });
}

function timeOf(iso: string | undefined): number | undefined {
  const time = iso === undefined ? Number.NaN : Date.parse(iso);
  return Number.isNaN(time) ? undefined : time;
}

function frozen<Item>(items: readonly Item[]): readonly Item[] {
  return Object.freeze(items.map((item) => Object.freeze(item)));
}

/** Whether something that was read from a file can be made into a page. */
export function isPageJSON(value: unknown): value is SitemapPageJSON {
  return (
    isRecord(value) &&
    isText(value['url']) &&
    isNumber(value['priority']) &&
    isMaybe(value['lastModified'], isText) &&
    isMaybe(value['lastModifiedText'], isText) &&
    isMaybe(value['changeFrequency'], isText) &&
    isMaybe(value['newsStory'], isNewsStory) &&
    isMaybe(value['images'], (list) => isListOf(list, isImage)) &&
    isMaybe(value['videos'], (list) => isListOf(list, isVideo)) &&
    isMaybe(value['alternates'], (list) => isListOf(list, isAlternate))
  );
}

const isTexts: Check = (value) => isListOf(value, isText);
const isNewsStory: Check = (value) =>
  isRecord(value) &&
  isMaybe(value['genres'], isTexts) &&
  isMaybe(value['keywords'], isTexts) &&
  isMaybe(value['stockTickers'], isTexts);
const isImage: Check = (value) => isRecord(value) && isText(value['loc']);
const isVideo: Check = (value) =>
  isRecord(value) &&
  isMaybe(value['tags'], isTexts) &&
  isMaybe(value['prices'], (list) => isListOf(list, isRecord));
const isAlternate: Check = (value) => isRecord(value) && isText(value['hreflang']) && isText(value['href']);
