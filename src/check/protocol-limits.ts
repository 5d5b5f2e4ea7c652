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
