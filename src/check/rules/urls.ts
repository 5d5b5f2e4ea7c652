/** Rules about single URLs of a document. */
import { clip, number } from '../../text/wording.ts';
import { isListedSitemap, isPrivateHost, parsedUrl } from '../../url.ts';
import type { ListedUrl } from '../ordinary-url.ts';
import { PROTOCOL_LIMITS } from '../protocol-limits.ts';
import {
  type CheckedDocument,
  type DocumentRule,
  oneOrMany,
  PAGE_KINDS,
  PROTOCOL,
  type RuleName,
  type RuleNames,
  type RuleRows,
  ruleRows,
} from '../rule.ts';

const LISTS = [...PAGE_KINDS, 'index-xml', 'robots-txt'] as const;

const URL_RULE = { severity: 'warning', about: 'urls', documents: PAGE_KINDS, source: PROTOCOL } as const;
const LOCATION = { source: `${PROTOCOL}#location`, aggregated: true };

export const URL_RULES: RuleRows<RuleNames['urls']> = ruleRows(URL_RULE, {
  'url-too-long': {
    severity: 'error',
    source: `${PROTOCOL}#locdef`,
    documents: LISTS,
    what: 'A URL has more than 2,048 characters.',
    why: 'The protocol requires fewer. Search engines ignore the entry, and many servers refuse the request.',
    fix: 'Give the page a shorter address, usually by leaving out parameters.',
    bad: '<loc>https://example.org/?filter=… 2,100 characters</loc>',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'url-not-public': {
    severity: 'error',
    documents: LISTS,
    what:
      'A URL is on localhost or on an IP address that is not public (of a private network, reserved, or for ' +
      'examples), or it contains a user name or a password. Not reported if the sitemap itself is on that host, as ' +
      'on a developer’s machine.',
    why: 'No search engine can fetch it. Everyone can read a password in a sitemap.',
    fix: 'Use the public address of the site. It is often a setting of the program that writes the sitemap.',
    bad: '<loc>http://localhost:3000/about</loc>',
    good: '<loc>https://example.org/about</loc>',
  },
  'url-other-host': {
    ...LOCATION,
    what:
      'A URL is on another host than the sitemap; `www.example.org` and `example.org` are two hosts. Not ' +
      'reported if the robots.txt of that host declares the sitemap, or an index above it.',
    why: 'Search engines ignore URLs of other hosts, unless those hosts have agreed.',
    fix: 'List the URLs of the sitemap’s own host, or declare the sitemap in the robots.txt of the other host.',
    bad: 'In https://example.org/sitemap.xml:\n<loc>https://shop.example.org/shoes</loc>',
    good: 'In https://example.org/sitemap.xml:\n<loc>https://example.org/shoes</loc>',
  },
  'url-other-scheme': {
    ...LOCATION,
    what:
      'A URL is http and the sitemap is https, or the other way round. Not reported if the robots.txt ' +
      'of its own scheme declares the sitemap, or an index above it.',
    why: 'The protocol counts them as two sites. Such URLs usually redirect, which costs a request for each page.',
    fix: 'Write the URLs with https.',
    bad: 'In https://example.org/sitemap.xml:\n<loc>http://example.org/shoes</loc>',
    good: 'In https://example.org/sitemap.xml:\n<loc>https://example.org/shoes</loc>',
  },
  'url-outside-directory': {
    ...LOCATION,
    severity: 'info',
    what:
      'A URL is not below the directory of the sitemap. Not reported if robots.txt declares the ' +
      'sitemap, or an index above it.',
    why:
      'By the protocol, a sitemap in `/catalog/` may list pages in `/catalog/` only. A declaration in ' +
      'robots.txt lifts that.',
    fix: 'Declare the sitemap in robots.txt, or move it to the root of the site.',
    bad: 'In https://example.org/catalog/sitemap.xml:\n<loc>https://example.org/about</loc>',
    good: 'In https://example.org/sitemap.xml:\n<loc>https://example.org/about</loc>',
  },
  'url-not-encoded': {
    documents: LISTS,
    source: `${PROTOCOL}#escaping`,
    what:
      'A URL has an ASCII character that URLs must not contain, such as a space, or a `%` without two ' +
      'hexadecimal digits after it.',
    why: 'Programs repair such URLs in different ways, so they may request different pages.',
    fix: 'Percent-encode the character: a space is `%20`, a `%` is `%25`.',
    bad: '<loc>https://example.org/red shoes</loc>',
    good: '<loc>https://example.org/red%20shoes</loc>',
  },
  'url-not-ascii': {
    severity: 'info',
    documents: LISTS,
    source: `${PROTOCOL}#escaping`,
    aggregated: true,
    what: 'A URL has characters beyond ASCII.',
    why: 'The protocol asks for percent-encoding (RFC 3986). Search engines read both.',
    fix: 'Percent-encode the characters as UTF-8: `é` is `%C3%A9`.',
    bad: '<loc>https://example.org/café</loc>',
    good: '<loc>https://example.org/caf%C3%A9</loc>',
  },
  'url-fragment': {
    source: 'https://developers.google.com/search/docs/crawling-indexing/url-structure',
    what: 'A URL has a fragment, the part after `#`.',
    why: 'Search engines drop it: for them it is the same page.',
    fix: 'List the URL without the fragment, once.',
    bad: '<loc>https://example.org/faq#delivery</loc>',
    good: '<loc>https://example.org/faq</loc>',
  },
  'url-tracking-parameter': {
    source: 'https://developers.google.com/search/docs/crawling-indexing/url-structure',
    aggregated: true,
    what: 'A URL has a parameter that only tells where a visitor comes from: `utm_…`, `gclid`, `fbclid` and others.',
    why: 'It names a copy of the page. Visits are counted wrongly, and search engines crawl the page twice.',
    fix: 'List the URL without the parameter.',
    bad: '<loc>https://example.org/shoes?utm_source=sitemap</loc>',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'url-session-id': {
    source: 'https://developers.google.com/search/docs/crawling-indexing/url-structure',
    aggregated: true,
    what: 'A URL has the identifier of a session: `PHPSESSID`, `jsessionid`, `sid` and others.',
    why: 'Every visit gives the same page another address, which search engines crawl again and again.',
    fix: 'List the URL without the identifier, and keep sessions in cookies.',
    bad: '<loc>https://example.org/shoes;jsessionid=0A1B2C3D4E5F</loc>',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'url-double-slash': {
    source: 'https://developers.google.com/search/docs/crawling-indexing/url-structure',
    aggregated: true,
    what: 'The path of a URL has two slashes in a row.',
    why: 'It usually comes from joining two parts. The same page has another address with one slash.',
    fix: 'Write one slash, and redirect the other address to it.',
    bad: '<loc>https://example.org//shoes</loc>',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'url-not-a-page': {
    documents: ['pages-xml', 'pages-text'],
    aggregated: true,
    what:
      'A URL is that of a style sheet, a script, a font, an archive, or of an image, sound or video file. Images ' +
      'are not reported in image sitemaps, nor videos in video sitemaps.',
    why: 'Search results lead to pages. Such files are found from the pages that use them.',
    fix: 'List the page that shows the file. Name images and videos in the extensions made for them.',
    bad: '<loc>https://example.org/theme/style.css</loc>',
    good: '<loc>https://example.org/shoes</loc>',
  },
  'sitemap-listed-as-page': {
    documents: ['pages-xml'],
    source: `${PROTOCOL}#index`,
    aggregated: true,
    what:
      'A `<urlset>` lists sitemaps: addresses on its own host that end in `.xml` or `.xml.gz`, with `sitemap` in the ' +
      'last part of the path.',
    why: 'A `<urlset>` lists pages. Search engines do not read the sitemaps that it lists, nor the pages in them.',
    fix: 'List the sitemaps in a `<sitemapindex>`, or declare them in robots.txt. `--follow-listed` reads them anyway.',
    bad: '<urlset>\n  <url><loc>https://example.org/sitemap-posts.xml</loc></url>\n</urlset>',
    good: '<sitemapindex>\n  <sitemap><loc>https://example.org/sitemap-posts.xml</loc></sitemap>\n</sitemapindex>',
  },
  'url-other-origin': {
    ...LOCATION,
    severity: 'info',
    what:
      'Pages have another protocol or host than the robots.txt that declares their sitemap. Reported where the ' +
      'sitemap is on the host of the pages; see `url-other-host` and `url-other-scheme` for the rest.',
    why: 'The robots.txt of the pages’ own host counts for them, and it does not declare the sitemap.',
    fix: 'Use one protocol and host for robots.txt, sitemaps and pages, or declare the sitemap there too.',
    bad: 'In https://example.org/robots.txt:\nSitemap: https://www.example.org/sitemap.xml',
    good: 'In https://example.org/robots.txt:\nSitemap: https://example.org/sitemap.xml',
  },
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const NOT_ENCODED = /[\x00-\x20"<>\\^`{|}\x7f]|%(?![0-9A-Fa-f]{2})/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything in ASCII
const NOT_ASCII = /[^\x00-\x7f]/;
const TRACKING_PARAMETERS =
  'utm_[a-z_]+ gclid gclsrc dclid gbraid wbraid srsltid _ga _gl fbclid igshid msclkid yclid ttclid twclid li_fat_id ' +
  'mc_cid mc_eid mkt_tok';
// `sid` may have other meanings: only with a long value it is a session.
const SESSION_PARAMETERS =
  'phpsessid jsessionid aspsessionid[a-z]* asp\\.net_sessionid cfid cftoken oscsid zenid sessid session_?id ' +
  'sid(?==[\\w-]{16})';
const SESSION = new RegExp(`[?&;](${SESSION_PARAMETERS.replaceAll(' ', '|')})=`, 'i');
/** Two slashes in a path, but not those of a URL inside the path. */
const DOUBLE_SLASH = /^[^:/?#]+:\/\/[^?#]*[^:/?#]\/\//;
type FileSort = 'file' | 'image' | 'media';
const FILES: ReadonlyMap<string, FileSort> = new Map([
  ...sorted('file', 'css js mjs json map woff woff2 ttf otf eot ico zip rar 7z tar gz tgz exe dmg apk iso'),
  ...sorted('image', 'jpg jpeg png gif webp avif svg tiff'),
  ...sorted('media', 'mp3 mp4 m4a m4v webm ogg oga ogv wav flac avi mov mkv'),
]);
const EXTENSION = /^\w+:\/\/[^/?#]*\/[^?#]*\.([a-z0-9]{2,5})(?=[?#]|$)/i;
const TRACKING = new RegExp(`[?&;](${TRACKING_PARAMETERS.replaceAll(' ', '|')})=`, 'i');

/** The message for one URL, and for many. */
type Words = readonly [one: string, many: string];

const has = (what: string): Words => [`The URL has ${what}`, `URLs have ${what}`];
const is = (what: string): Words => [`The URL is ${what}`, `URLs are ${what}`];

const EACH_TRACKING = new RegExp(`([?&;])(?:${TRACKING_PARAMETERS.replaceAll(' ', '|')})=[^&;#]*`, 'gi');

export function withoutTracking(url: string): string {
  if (!TRACKING.test(url)) return url;
  // The rest of a query starts with its first separator.
  const cleanUrl = url.replace(EACH_TRACKING, (_parameter, separator) => (separator === '?' ? '?' : ''));
  return cleanUrl.replace(/\?[&;]+/, '?').replace(/\?(?=#|$)/, '');
}

export const urls: DocumentRule = (document) => {
  const judge = new UrlJudge(document);
  return {
    startTags: { 'image:image': () => judge.shows('image'), 'video:video': () => judge.shows('media') },
    location: (url, offset) => judge.location(url, offset),
    // The same rule reports a URL that the parser dropped because it is far too long.
    problem({ code, offset }) {
      // Atom allows relative links.
      if (code === 'relative-url' && document.kind === 'pages-atom') return true;
      if (code !== 'oversized-url') return false;
      judge.tooLong('A URL has more than 8,192 characters', offset);
      return true;
    },
  };
};

/** Matches no URL. */
const NO_ORIGIN = '\n';

/** Judges the URLs of one document. */
class UrlJudge {
  readonly #document: CheckedDocument;
  /** The URL of the document. */
  readonly #url: URL | undefined;
  /** The start of the document's URL, with a slash: most URLs start with it, and are not parsed. */
  readonly #origin: string;
  readonly #directory: string;
  /** Whether robots.txt declares the document, but not that of the document's own origin. */
  readonly #hasOtherRobots: boolean;
  /** Whether pages on the same host must be below the directory. */
  readonly #isBound: boolean;
  /** The sorts of files that entries show as images or videos. Such files may be listed as pages. */
  readonly #shownSorts = new Set<FileSort>();
  /** The last URL of another origin. */
  #last: URL | undefined;
  #lastOrigin = NO_ORIGIN;

  constructor(document: CheckedDocument) {
    this.#document = document;
    const url = document.url === undefined ? undefined : parsedUrl(document.url);
    const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
    const { declaredBy } = document;
    this.#url = url;
    this.#origin = isWeb ? `${url.protocol}//${url.host}/` : NO_ORIGIN;
    this.#directory = isWeb ? url.pathname.replace(/[^/]*$/, '') : '/';
    this.#hasOtherRobots = isWeb && declaredBy.size > 0 && !declaredBy.has(this.#origin.slice(0, -1));
    this.#isBound = isWeb && this.#directory !== '/' && !declaredBy.has(url.host);
  }

  /** Notes that an entry shows an image or a video: an image sitemap may list images as pages. */
  shows(sort: FileSort): void {
    this.#shownSorts.add(sort);
  }

  location(listedUrl: ListedUrl, offset: number): void {
    const { url } = listedUrl;
    const parsed = listedUrl.isOrdinary ? undefined : parsedUrl(url);
    if (!listedUrl.isOrdinary && parsed === undefined) {
      const message = `The URL is not valid, and no program can request it: ${clip(url, 200)}`;
      this.#document.report({ rule: 'unresolvable-url', message, offset, page: url });
      return;
    }
    if (url.length > PROTOCOL_LIMITS.urlCharacters)
      this.tooLong(`The URL has ${number(url.length)} characters`, offset, url);
    this.#file(url, offset);
    if (parsed === undefined) this.#ordinary(listedUrl, offset);
    else {
      this.#text(url, offset);
      this.#place(parsed, url, offset);
    }
  }

  tooLong(what: string, offset: number | undefined, page?: string): void {
    this.#document.report({ rule: 'url-too-long', message: `${what}; 2,048 are allowed.`, offset, page });
  }

  /** The fast path for most URLs, which need no parser. */
  #ordinary({ url, origin }: ListedUrl, offset: number): void {
    if (url.includes('?') || url.includes(';')) this.#parameters(url, offset);
    if (origin === this.#origin) {
      if (this.#hasOtherRobots) this.#otherThanRobots(url, offset);
      const isInside = !this.#isBound || url.startsWith(this.#directory, origin.length - 1);
      if (!isInside) this.#outsideDirectory(url, offset);
      return;
    }
    // If one page is on another host, usually all are.
    if (origin !== this.#lastOrigin) {
      this.#last = new URL(url);
      this.#lastOrigin = origin;
    }
    if (this.#last !== undefined) this.#place(this.#last, url, offset);
  }

  #file(url: string, offset: number): void {
    if (!this.#listsPages) return;
    if (this.#document.kind === 'pages-xml' && isListedSitemap(url, this.#url?.host || undefined)) {
      this.#aggregated('sitemap-listed-as-page', '', url, offset, () => [
        'The URL is that of a sitemap, not of a page',
        'URLs are those of sitemaps, not of pages',
      ]);
      return;
    }
    const extension = EXTENSION.exec(url)?.[1]?.toLowerCase() ?? '';
    const sort = FILES.get(extension);
    if (sort === undefined || this.#shownSorts.has(sort)) return;
    this.#aggregated('url-not-a-page', extension, url, offset, () => [
      `The URL is that of a .${extension} file, not of a page`,
      `URLs are those of .${extension} files, not of pages`,
    ]);
  }

  #text(url: string, offset: number): void {
    const document = this.#document;
    const bad = NOT_ENCODED.exec(url)?.[0];
    if (bad !== undefined) {
      const what =
        bad === ' '
          ? 'a space'
          : bad === '%'
            ? 'a "%" without two hexadecimal digits'
            : printableCharacter(bad);
      const message = `The URL contains ${what}, which must be percent-encoded: ${url}`;
      document.report({ rule: 'url-not-encoded', message, offset, page: url });
    }
    if (NOT_ASCII.test(url))
      this.#aggregated('url-not-ascii', '', url, offset, () => has('characters beyond ASCII'));
    if (document.kind !== 'index-xml' && url.includes('#')) {
      const message = `The URL has a fragment, which search engines drop: ${url}`;
      document.report({ rule: 'url-fragment', message, offset, page: url });
    }
    if (document.kind !== 'index-xml' && DOUBLE_SLASH.test(url)) {
      this.#aggregated('url-double-slash', '', url, offset, () => [
        'The path of the URL has two slashes in a row',
        'URLs have two slashes in a row in their path',
      ]);
    }
    this.#parameters(url, offset);
  }

  #parameters(url: string, offset: number): void {
    if (this.#document.kind === 'index-xml') return;
    const session = SESSION.exec(url)?.[1];
    if (session !== undefined) {
      const words = (): Words => has(`the session identifier "${session}"`);
      this.#aggregated('url-session-id', session.toLowerCase(), url, offset, words);
    }
    const parameter = TRACKING.exec(url)?.[1];
    if (parameter === undefined) return;
    const words = (): Words => has(`the tracking parameter "${parameter}"`);
    this.#aggregated('url-tracking-parameter', parameter.toLowerCase(), url, offset, words);
  }

  #place(parsed: URL, url: string, offset: number): void {
    const document = this.#document;
    const { host, hostname, protocol, username, password } = parsed;
    const documentUrl = this.#url;
    const isOwnHost = host === documentUrl?.host;
    if (username !== '' || password !== '') {
      const message = `The URL contains a user name${password === '' ? '' : ' and a password'}; it is on ${host}.`;
      document.report({ rule: 'url-not-public', message, offset });
    } else if (isPrivateHost(hostname) && !isOwnHost) {
      const message = `The URL is on ${hostname}, which the public cannot reach: ${url}`;
      document.report({ rule: 'url-not-public', message, offset, page: url });
      // That it is on another host would be a second finding about the same fact.
      return;
    }
    if (documentUrl === undefined || !this.#listsPages) return;
    if (isOwnHost && protocol !== documentUrl.protocol) {
      // http and https have a robots.txt each, which is not about pages of the other.
      if (document.declaredBy.has(parsed.origin)) return;
      const words = (): Words =>
        is(`${protocol.slice(0, -1)}, but the sitemap is ${documentUrl.protocol.slice(0, -1)}`);
      this.#aggregated('url-other-scheme', '', url, offset, words);
      return;
    }
    if (isOwnHost && this.#hasOtherRobots) this.#otherThanRobots(url, offset);
    if (document.declaredBy.has(host)) return;
    if (!isOwnHost) {
      const words = (): Words => is(`on ${host}, but the sitemap is on ${documentUrl.host}`);
      this.#aggregated('url-other-host', host, url, offset, words);
    } else if (this.#isBound && !parsed.pathname.startsWith(this.#directory))
      this.#outsideDirectory(url, offset);
  }

  #outsideDirectory(url: string, offset: number): void {
    const words = (): Words => is(`not below ${this.#directory}, where the sitemap is`);
    if (this.#listsPages) this.#aggregated('url-outside-directory', '', url, offset, words);
  }

  #otherThanRobots(url: string, offset: number): void {
    if (!this.#listsPages) return;
    const declaring = [...this.#document.declaredBy].find((by) => by.includes('://'));
    const origin = this.#origin.slice(0, -1);
    this.#aggregated('url-other-origin', '', url, offset, () =>
      is(`on ${origin}, but the robots.txt that declares the sitemap is on ${declaring}`),
    );
  }

  /** The URLs in an index have rules of their own; a feed may link to anything. */
  get #listsPages(): boolean {
    const { kind } = this.#document;
    return kind === 'pages-xml' || kind === 'pages-text';
  }

  /** Makes one finding for all URLs of a cause; `words` is called for the first few only. */
  #aggregated(rule: RuleName, cause: string, url: string, offset: number, words: () => Words): void {
    if (this.#document.isOnlyCounted(rule, cause)) return;
    const [one, many] = words();
    const message = `${one}: ${url}`;
    const total = oneOrMany(message, (count) => `${count} ${many}; the first is ${url}`);
    this.#document.report({ rule, cause, message, total, offset, page: url });
  }
}

function sorted(sort: FileSort, extensions: string): [string, FileSort][] {
  return extensions.split(' ').map((extension) => [extension, sort]);
}

function printableCharacter(character: string): string {
  return character < '!' || character === '\x7f'
    ? `the control character U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
    : `"${character}"`;
}
