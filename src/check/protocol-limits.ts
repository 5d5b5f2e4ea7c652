/** What the protocol allows, and Google for its extensions: rules report what is more, and no more is written. */
export const PROTOCOL_LIMITS = {
  /** Of a sitemap, or an index. */
  entries: 50_000,
  /** Of a document, after decompression. */
  bytes: 52_428_800,
  /** Of the URL of a page. */
  urlCharacters: 2048,
  /** Of a sitemap. */
  newsStories: 1000,
  /** Of a page. */
  images: 1000,
  /** Of a video. */
  tags: 32,
  /** Of a video. */
  durationSeconds: 28_800,
  /** Of a video. */
  descriptionCharacters: 2048,
} as const;

/** The namespaces of the extensions, by their usual prefixes, as they must be written. */
export const EXTENSION_NAMESPACES = {
  image: 'http://www.google.com/schemas/sitemap-image/1.1',
  video: 'http://www.google.com/schemas/sitemap-video/1.1',
  news: 'http://www.google.com/schemas/sitemap-news/0.9',
  xhtml: 'http://www.w3.org/1999/xhtml',
} as const;
