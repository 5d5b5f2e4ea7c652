/**
 * Which of the few vocabularies of sitemaps and feeds a namespace means.
 *
 * The web does not spell namespaces well, so a namespace is known by its meaning: scheme, `www.`, case,
 * white space and a trailing slash do not count, nor does the version at its end. Only the exact
 * spellings are free of a problem. Undeclared prefixes are read by their usual meaning.
 */

/** A vocabulary: the first part of the names in a format's table (`image:loc`). */
export type Vocabulary =
  | 'sitemap'
  | 'news'
  | 'image'
  | 'video'
  | 'xhtml'
  | 'rss'
  | 'atom'
  | 'rdf'
  | 'dc'
  | 'media';

/** What a namespace is taken for, and whether it was spelled exactly. */
export interface NamespaceReading {
  readonly vocabulary: Vocabulary;
  readonly exact: boolean;
}

const EXACT: ReadonlyMap<string, Vocabulary> = new Map<string, Vocabulary>([
  ['http://www.sitemaps.org/schemas/sitemap/0.9', 'sitemap'],
  ['http://www.google.com/schemas/sitemap/0.84', 'sitemap'],
  ['http://www.google.com/schemas/sitemap-news/0.9', 'news'],
  ['http://www.google.com/schemas/sitemap-image/1.1', 'image'],
  ['http://www.google.com/schemas/sitemap-video/1.1', 'video'],
  ['http://www.w3.org/1999/xhtml', 'xhtml'],
  ['http://backend.userland.com/rss2', 'rss'],
  ['http://purl.org/rss/1.0/', 'rss'],
  ['http://my.netscape.com/rdf/simple/0.9/', 'rss'],
  ['http://channel.netscape.com/rdf/simple/0.9/', 'rss'],
  ['http://www.w3.org/2005/Atom', 'atom'],
  ['http://purl.org/atom/ns#', 'atom'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://search.yahoo.com/mrss/', 'media'],
]);

// Matched against the URI in lower case, without scheme, `www.` and white space.
const LOOSE: readonly (readonly [RegExp, Vocabulary])[] = [
  [/^google\.com\/schemas\/sitemap-news\b/, 'news'],
  [/^google\.com\/schemas\/sitemap-image\b/, 'image'],
  [/^google\.com\/schemas\/sitemap-video\b/, 'video'],
  [/^(?:sitemaps\.org|google\.com)\/schemas\/sitemap(?:\/|$)/, 'sitemap'],
  [/^w3\.org\/(?:1999|tr)\/xhtml/, 'xhtml'],
  [/^(?:backend|blogs)\.userland\.com\/rss/, 'rss'],
  [/^purl\.org\/(?:net\/)?rss/, 'rss'],
  [/^purl\.org\/atom/, 'atom'],
  [/^w3\.org\/2005\/atom/, 'atom'],
  [/^w3\.org\/1999\/02\/22-rdf-syntax-ns/, 'rdf'],
  [/^purl\.org\/dc\/(?:elements|terms)/, 'dc'],
  [/^(?:search\.yahoo\.com|video\.search\.yahoo\.com)\/mrss/, 'media'],
];

// Modules of RSS 1.0 live below its namespace and are not ours (content:encoded, l:link, …).
const NOT_RSS = /^purl\.org\/rss\/1\.0\/modules/;

const USUAL_PREFIXES: ReadonlyMap<string, Vocabulary> = new Map<string, Vocabulary>([
  ['news', 'news'],
  ['image', 'image'],
  ['video', 'video'],
  ['xhtml', 'xhtml'],
  ['atom', 'atom'],
  ['rdf', 'rdf'],
  ['dc', 'dc'],
  ['media', 'media'],
]);

/** What a declared namespace is taken for, if for anything. */
export function readNamespace(uri: string): NamespaceReading | undefined {
  const exact = EXACT.get(uri);
  if (exact !== undefined) return { vocabulary: exact, exact: true };
  const bare = uri
    .trim()
    .toLowerCase()
    .replace(/^(?:https?:)?\/\//, '')
    .replace(/^www\./, '');
  if (NOT_RSS.test(bare)) return undefined;
  for (const [pattern, vocabulary] of LOOSE) if (pattern.test(bare)) return { vocabulary, exact: false };
  return undefined;
}

/** What an undeclared prefix is taken for, if for anything. */
export function usualMeaning(prefix: string): Vocabulary | undefined {
  return USUAL_PREFIXES.get(prefix.toLowerCase());
}
