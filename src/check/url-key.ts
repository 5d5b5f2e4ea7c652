/** When two URLs are the same page. */

// What `new URL` leaves as it is: a lower-case host, no port, no dot segments, no character that it would encode. Some
// URLs that are normal as well fail the test; they only take longer.
const NORMAL = /^https?:\/\/[a-z0-9-]+(?:\.[a-z0-9-]*[a-z][a-z0-9-]*)+\/(?!\.)[\w\-~!$&'()*+,;=:@/%?]*$/;
const DOTS = /\/\.|\/%2e/i;

/**
 * What URLs are compared by: `new URL(url).href` without its fragment. What is not a URL is its own key. The usual URL
 * is found to be normal as it is, since this is asked of every URL of a site.
 */
export function urlKey(url: string): string {
  return isNormal(url) ? url : normalized(url);
}

/** Whether a URL is its own key, as far as that is cheap to know. */
function isNormal(url: string): boolean {
  return NORMAL.test(url) && !DOTS.test(url);
}

function normalized(url: string): string {
  try {
    const parsed = new URL(url);
    parsed.hash = '';
    return parsed.href;
  } catch {
    return url;
  }
}
