/** From JSON back to pages: what `page.toJSON()` says is all that a page is. */
import { SitemapNewsStory, type SitemapNewsStoryJSON } from '../parse/extensions/news.ts';
import { SitemapVideo, type SitemapVideoJSON } from '../parse/extensions/video.ts';
import { type PageExtensions, SitemapPage, type SitemapPageJSON } from '../parse/page.ts';

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
    typeof value['url'] === 'string' &&
    typeof value['priority'] === 'number' &&
    isMaybe(value['lastModified'], isText) &&
    isMaybe(value['lastModifiedText'], isText) &&
    isMaybe(value['changeFrequency'], isText) &&
    isMaybe(value['newsStory'], isNewsStory) &&
    isMaybe(value['images'], isListOf(isImage)) &&
    isMaybe(value['videos'], isListOf(isVideo)) &&
    isMaybe(value['alternates'], isListOf(isAlternate))
  );
}

/** Whether something is an object with members, not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isMaybe = (value: unknown, check: Check): boolean => value === undefined || check(value);
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isTexts = isListOf(isText);

const isNewsStory: Check = (value) =>
  isRecord(value) && Object.values(value).every((field) => isText(field) || isTexts(field));
const isImage: Check = (value) =>
  isRecord(value) && isText(value['loc']) && Object.values(value).every(isText);
const isVideo: Check = (value) =>
  isRecord(value) && isMaybe(value['tags'], isTexts) && isMaybe(value['prices'], isListOf(isRecord));
const isAlternate: Check = (value) => isRecord(value) && isText(value['hreflang']) && isText(value['href']);
