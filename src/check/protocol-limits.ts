/**
 * The limits of the protocol, and of Google for its extensions: rules report documents that exceed them, and writers
 * keep to them.
 */
export const PROTOCOL_LIMITS = {
  /** Entries of a sitemap, or of an index. */
  entries: 50_000,
  /** Bytes of a document, after decompression. */
  bytes: 52_428_800,
  /** Characters of the URL of a page. */
  urlCharacters: 2048,
  /** News stories in a sitemap. */
  newsStories: 1000,
  /** Images of a page. */
  images: 1000,
  /** Tags of a video. */
  tags: 32,
  /** Length of a video. */
  durationSeconds: 28_800,
  /** Characters of the description of a video. */
  descriptionCharacters: 2048,
} as const;

/** The namespaces of the extensions, by their usual prefixes, as they must be written. */
export const EXTENSION_NAMESPACES = {
  image: 'http://www.google.com/schemas/sitemap-image/1.1',
  video: 'http://www.google.com/schemas/sitemap-video/1.1',
  news: 'http://www.google.com/schemas/sitemap-news/0.9',
  xhtml: 'http://www.w3.org/1999/xhtml',
} as const;
