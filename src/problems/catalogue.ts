/**
 * Every code that a problem or a failure can have, with what it means. Codes are stable: programs may match on them.
 */

/** What parsing can find wrong with a document. A test compares the table with `docs/problem-codes.md`. */
export const PARSE_PROBLEMS = {
  'bad-change-frequency': 'A changefreq that is not one of the seven words; left out.',
  'bad-date': 'A date that is impossible, ambiguous or unknown; left out.',
  'bad-number': 'A value of an extension should be a number, and is not; left out.',
  'bad-priority': 'A priority that is not a number from 0 to 1; 0.5 is used.',
  'bare-ampersand': 'An `&` that starts no entity, read as a literal `&`.',
  'control-character': 'Control characters that XML forbids, removed.',
  doctype: 'A DOCTYPE, skipped: its entities are neither expanded nor fetched.',
  'double-escaped-url': 'A URL with `&amp;amp;` (or `&amp;` in CDATA), read as `&`.',
  'empty-loc': 'The loc (or link) of an entry or an image, or its license, is empty; dropped.',
  'entity-dropped': 'A reference to an entity that only a DOCTYPE could define; removed.',
  'entry-without-loc': 'An entry with no loc (or link) at all; dropped.',
  'entry-without-root': 'Entries are outside of a root; they were still read.',
  'inside-html': 'The sitemap is inside an HTML page; read from there.',
  'invalid-bytes': 'Bytes that are invalid in the charset, read as U+FFFD.',
  'junk-after-root': 'Something follows the end of the root; it was ignored.',
  'line-not-a-url': 'A line of a text sitemap that is not a URL; skipped.',
  'literal-less-than': 'A `<` in text that starts no tag, read as a literal `<`.',
  'loc-outside-entry': 'A loc is outside of any entry; it was read as an entry of its own.',
  'missing-namespace': 'The root has no namespace; read as if it had the right one.',
  'mis-nested-tag': 'A closing tag closes nothing that is open; it was ignored.',
  'nested-root': 'A root is inside the root; its entries were read with the outer ones.',
  'nesting-too-deep': 'Tags are nested more than 256 deep.',
  'not-http-url': 'A URL that is not http or https; dropped.',
  'other-entry-kind': 'Page entries in an index, or sitemap entries in a urlset; not followed.',
  'oversized-url': 'A URL of more than 8,192 characters; dropped.',
  'relative-url': 'A relative URL, resolved against the sitemap’s own.',
  'robots-line-skipped':
    'A Sitemap line of a robots.txt without a URL, or words in one that are not a URL; skipped.',
  'second-root': 'A second root follows the first; its entries are read too.',
  'several-locs': 'Several loc in one entry or image; each was read as one of its own.',
  'tag-cut-short': 'A tag without its `>`; the next `<` ended it.',
  template:
    'An address that is an unrendered template or source code; a relative one is dropped, an absolute one kept.',
  'text-before-root': 'Text before the root; skipped.',
  'text-entry': 'An entry has a URL as its text, and no loc; it was read as its loc.',
  'too-many-extensions':
    'The images, videos, news and alternates of one entry take more than 1 MiB; the rest are counted and dropped.',
  truncated: 'The document ends too early; complete entries are kept.',
  'unclosed-tag': 'A tag was never closed; it was closed where the next one starts.',
  'undeclared-prefix': 'A namespace prefix that was never declared; read by its name.',
  'unknown-charset': 'An unknown charset label; ignored.',
  'unresolvable-url': 'A URL that cannot be resolved; dropped.',
  'upper-case-tag': 'Tags are not in the case of the format; still read.',
  'value-too-long': 'A value (or tag) of more than 64 KiB was truncated there.',
  'wrong-charset': 'The declared charset contradicts the bytes; it was ignored.',
  'wrong-namespace': 'A namespace is not exactly the right one; read as if it were.',
} as const;

/** The code of a problem inside one document. */
export type ParseProblemCode = keyof typeof PARSE_PROBLEMS;

/** The problems of the parser that cost an entry, a URL in one, or more; all others cost a value at most. */
const DROPPING_CODES: ReadonlySet<string> = new Set<ParseProblemCode>([
  'empty-loc',
  'entry-without-loc',
  'line-not-a-url',
  'not-http-url',
  'other-entry-kind',
  'oversized-url',
  'robots-line-skipped',
  'template',
  'truncated',
  'unresolvable-url',
]);

/** Whether a problem of the parser cost an entry, or a URL in one. */
export function isDropping({
  code,
  kept = false,
}: {
  readonly code: string;
  readonly kept?: boolean | undefined;
}): boolean {
  return DROPPING_CODES.has(code) && !kept;
}

/**
 * Every code that fetching a document can leave on it: what arrived is kept, and this says what did not.
 */
export const FETCH_PROBLEMS = {
  'bad-checksum':
    'The checksum or length behind gzip or deflate data contradicts the content, which is kept.',
  'changed-on-retry':
    'A retry after a broken connection gave other content; truncated where the first attempt broke.',
  'connection-broke':
    'The connection broke inside the document, at every attempt; the longest result is kept.',
  'encoding-damaged':
    'A deflate, br or zstd content encoding is truncated or corrupt; what could be decoded is kept.',
  'gzip-corrupt': 'The gzip data is corrupt; what is before the fault is kept.',
  'gzip-trailing-bytes': 'Bytes that are not gzip follow the gzip data; ignored.',
  'gzip-truncated': 'The gzip data ends too early; what could be inflated is kept.',
  'partial-content':
    'The server sent a part of the document (206), although the request was for all of it; the rest is missing.',
  'too-large':
    'The document exceeds `maxSitemapBytes`, or its compressed body exceeds twice that; truncated there.',
  'unknown-content-encoding': 'An unknown content encoding, which the request did not accept; read as it is.',
  'wrong-content-encoding': 'The content encoding that was declared is not the body’s; read as it is.',
} as const;

/** The code of a problem that fetching left on a document. */
export type FetchProblemCode = keyof typeof FETCH_PROBLEMS;

/** Every code that a crawl can leave on the root of a tree or on a document, with what it means. */
export const CRAWL_PROBLEMS = {
  'cut-by-limit':
    'A limit of the call (`maxTimeMs`) was reached while the document was arriving; what had arrived is kept.',
  'homepage-links-failed': 'The homepage could not be read for its links (`useHomepageLinks`).',
  'known-path-failed': 'A known path failed other than by “not found”, or is an HTML page.',
  'not-kept':
    'Documents of `previous` are not in the tree: a filter or an option leaves them out, or they were stale too long.',
  'robots-txt-failed': 'robots.txt failed other than by “not found”; what it declares is unknown.',
  'sitemaps-elsewhere':
    'The robots.txt of the host declares sitemaps that are not below the homepage, which is a path; not read.',
  stale: 'The document could not be read this time, and is shown as `previous` has it (`staleIfError`).',
  'too-many-sitemaps':
    'Children of an index were left out, because a limit was reached (`maxSitemaps`, `maxTimeMs`).',
} as const;

/** The code of a problem that a crawl left. */
export type CrawlProblemCode = keyof typeof CRAWL_PROBLEMS;

/**
 * Every `code` of an `InvalidSitemap`: why a URL gave no sitemap. Stable, like the problem codes.
 */
export const FAILURES = {
  'bad-response': 'The response is not HTTP, breaks its rules, or is damaged before it shows what it is.',
  'bad-url': 'The URL is not an http or https URL with a host.',
  'host-down': 'The host could not be connected to earlier in the same call; not tried again.',
  'http-status': 'The server responded with a status other than success; `status` has it.',
  limit: 'Not fetched, because a limit of the call was reached first.',
  'max-depth': 'Nested deeper than `maxDepth` levels.',
  'not-a-sitemap': 'The document is neither a sitemap nor a feed; the reason says what it is.',
  'not-fetched': 'A child of a document that was read without a network.',
  'not-in-archive': 'Not in the WARC files that are read instead of the web; the reason names them.',
  'private-network': 'The address is not a public one; see `allowPrivateNetworks`.',
  proxy:
    'The proxy refused, or broke its own protocol, or its variable in the environment is not the URL of a proxy.',
  'rate-limited': 'The server asks to come back later than is reasonable to wait; the reason has the time.',
  recursion: 'The sitemap is one of its own ancestors, or redirects to one.',
  redirects: 'Too many redirects, a loop, one without a target, or one to a URL that is not http(s).',
  refused: 'The host refused the connection.',
  reset: 'The connection broke before anything useful arrived.',
  timeout: 'Connecting, the next byte, or the whole document took too long.',
  tls: 'TLS failed: an invalid certificate, or no version in common.',
  unreachable: 'There is no route to the host.',
  unresolved: 'The host name does not resolve.',
  'web-client':
    'The custom web client failed, other than by the network; its response is malformed; or too many files are open.',
} as const;

/** The code of an `InvalidSitemap`. */
export type FailureCode = keyof typeof FAILURES;

/** The code of any problem: each has a row in one of the tables. */
export type ProblemCode = ParseProblemCode | FetchProblemCode | CrawlProblemCode;

const TRUNCATING: ReadonlySet<string> = new Set<ProblemCode>([
  'changed-on-retry',
  'connection-broke',
  'cut-by-limit',
  'encoding-damaged',
  'gzip-corrupt',
  'gzip-truncated',
  'partial-content',
  'too-large',
  'truncated',
]);

/** Whether something is missing at the end of a document, by the codes of its problems. */
export function isTruncated(problems: readonly { readonly code: string }[]): boolean {
  return problems.some(({ code }) => TRUNCATING.has(code));
}

/** The problems that say that something of a sitemap is missing: its end, or some of its children. */
export function missingParts<Each extends { readonly code: string }>(
  problems: readonly Each[],
): readonly Each[] {
  return problems.filter(({ code }) => TRUNCATING.has(code) || code === 'too-many-sitemaps');
}

/** Failures without a response that could be used. */
const SILENT: ReadonlySet<string> = new Set<FailureCode>([
  'bad-response',
  'host-down',
  'limit',
  'private-network',
  'proxy',
  'rate-limited',
  'redirects',
  'refused',
  'reset',
  'timeout',
  'tls',
  'unreachable',
  'unresolved',
  'web-client',
]);

interface Failure {
  readonly code?: string | undefined;
  readonly status?: number | undefined;
}

/** Whether a failure says that there is no such document. */
export function isMissing({ code, status }: Failure): boolean {
  return code === 'http-status' && (status === 404 || status === 410);
}

/** Failures of documents that were never requested: left out by choice or by a limit, or the call ended before. */
const NEVER_REQUESTED: ReadonlySet<string> = new Set<FailureCode>([
  'limit',
  'max-depth',
  'not-fetched',
  'not-in-archive',
  'private-network',
  'proxy',
  'web-client',
]);

/** Whether a failure is not one of the site: the document was never requested. */
export function isNeverRequested(code: string): boolean {
  return NEVER_REQUESTED.has(code);
}

/** Whether a failure says nothing about what the site has: there was no response, or none but a refusal or an error. */
export function saysNothing(code: string, status: number | undefined): boolean {
  return code === 'http-status' ? !isMissing({ code, status }) : SILENT.has(code);
}

/** What is needed of an unread sitemap, or of a problem of a site. */
interface Failed {
  readonly code: string;
  readonly failure?: string | undefined;
  readonly status?: number | undefined;
  readonly documents?: number | undefined;
}

/**
 * Whether a site without a readable sitemap may have some: every failure says nothing about what it has.
 *
 * @param unreadSitemaps - the sitemaps that could not be read
 * @param problems - those of the site itself
 * @param knownPaths - how many known paths were requested
 */
export function isNothingKnown(
  unreadSitemaps: readonly Failed[],
  problems: readonly Failed[],
  knownPaths: number,
): boolean {
  const failed = problems.filter(({ failure }) => failure !== undefined);
  if (!failed.every(({ failure, status }) => saysNothing(failure!, status))) return false;
  if (!unreadSitemaps.every(({ code, status }) => saysNothing(code, status))) return false;
  if (unreadSitemaps.length > 0 || failed.some(({ code }) => code === 'stale')) return true;
  // A known path that responds with 404 leaves no problem, but it is a response.
  const failures = failed.filter(({ code }) => code === 'known-path-failed');
  const failedPaths = failures.reduce((sum, { documents = 1 }) => sum + documents, 0);
  return failed.length > 0 && failedPaths >= knownPaths;
}
