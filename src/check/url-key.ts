/** When two URLs are the same page, and which need no closer look. */
import { parsedUrl } from '../url.ts';

// What `new URL` leaves as it is: a lower-case host with a letter in its last part, no port, no dot segments, no
// character that it would encode. Some URLs that are ordinary as well fail the test; they only take longer.
const HOST = /(?:[a-z0-9-]+\.)*[a-z0-9-]*[a-z][a-z0-9-]*/.source;
const REST = /(?:[\w\-~!$&'()*+,;=:@?]|\/(?![.%/])|(?<!\/)\.|(?<!\/)%[0-9A-Fa-f]{2})*/.source;
const ORDINARY = new RegExp(`^https?://${HOST}/(?!/)${REST}$`);

// Several rules ask about each URL, one after the other.
let lastUrl = '';
let isLastOrdinary = false;

/** Whether a URL is its own key and has nothing in it that rules about its characters look for, but for a query. */
export function isOrdinary(url: string): boolean {
  if (url === lastUrl) return isLastOrdinary;
  isLastOrdinary = ORDINARY.test(url);
  lastUrl = url;
  return isLastOrdinary;
}

/**
 * What URLs are compared by: `new URL(url).href` without its fragment. What is not a URL is its own key. The usual URL
 * is found to be ordinary, since this is asked of every URL of a site.
 */
export function urlKey(url: string): string {
  return isOrdinary(url) ? url : normalized(url);
}

function normalized(url: string): string {
  const parsed = parsedUrl(url);
  if (parsed === undefined) return url;
  parsed.hash = '';
  return parsed.href;
}
