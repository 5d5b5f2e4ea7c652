/**
 * What every floor must agree on about URLs: how one is shown, requested and compared, its host and port, and the
 * credentials in it. No import, and nothing of Node.
 */

/**
 * The key of a document: two URLs with the same key are one request. Normalised, without the fragment and without
 * userinfo, neither of which is ever sent. A text that is not a URL is its own key.
 */
export function documentKey(url: string): string {
  // Called several times in a row for one document, so the last key is cached.
  if (url !== lastKey.url) lastKey = { url, key: keyOf(url) };
  return lastKey.key;
}

let lastKey = { url: '', key: '' };

function keyOf(url: string): string {
  const parsed = parsedUrl(url);
  if (parsed === undefined) return url;
  const { href } = asRequested(parsed);
  // One string instead of an equal copy: it is kept for each of 50,000 sitemaps.
  return href === url ? url : href;
}

/** A text that begins like this is a URL, whatever follows: `URL.canParse` is not needed. */
const CERTAIN = /^https?:\/\/(?:(?!xn--)[a-z\d-]+\.)*[a-z]{2,}(?::\d{1,4})?\//;

/**
 * The URL that a text is, resolved against a base; undefined where it is not a URL. Use this, never `URL.canParse`:
 * once V8 has optimised its call, Node 20 takes Latin-1 for UTF-8 there, and calls `https://münchen.example/` no URL.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  if (base === undefined && CERTAIN.test(text)) return new URL(text);
  const isUrl = URL.canParse(inAscii(text), base === undefined ? undefined : inAscii(base));
  return isUrl ? new URL(text, base) : undefined;
}

/** {@link parsedUrl} for http and https only; undefined for every other scheme. */
export function webUrl(text: string): URL | undefined {
  return /^https?:/i.test(text) ? parsedUrl(text) : undefined;
}

/**
 * The URL that people mean by a host alone. `localhost:3000` parses as it is, with the scheme `localhost:`; so does
 * `example.org:8080`.
 */
export function withScheme(text: string): string {
  if (/^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:[/?#]\S*)?$/i.test(text)) return `http://${text}`;
  if (/^[^\s/:@?#[\]]+(?:\.[^\s/:@?#[\]]+)+\.?(?::\d+)?(?:[/?#]\S*)?$/.test(text)) return `https://${text}`;
  return text.startsWith('//') ? `https:${text}` : text;
}

/** The URL argument of a caller as text, for messages. `String` throws for an object without a prototype. */
export function urlArgumentText(url: unknown): string {
  try {
    return String(url);
  } catch {
    return '[object Object]';
  }
}

/** Encodes what is not ASCII as the URL parser would: the result is a URL exactly if the text is one. */
function inAscii(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text.toWellFormed().replace(/[^\0-\x7f]/gu, encodeURIComponent);
}

/** A URL as it is requested: without a fragment and userinfo. The same object where there is neither. */
export function asRequested(url: URL): URL {
  if (!url.href.includes('#') && !hasUserinfo(url)) return url;
  const plain = new URL(url);
  plain.hash = '';
  return withoutUserinfo(plain);
}

/** A URL without its user and password. The same object where there are none. */
export function withoutUserinfo(url: URL): URL {
  if (!hasUserinfo(url)) return url;
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

// A password may have a `/`, a `?` or a `#` that is not escaped: then the text is not a URL, and only `host:80/` is a
// port. The bounds keep it linear: a sitemap may declare such texts, of any length.
const BEFORE_AT = /^((?:[a-z][a-z\d+.-]*:)?\/\/)?(?:[^/?#]{0,200}:(?!\d*[/?#]).{0,200}|[^/?#]*)@/is;

/** A text that was meant to be a URL, as it may be shown: what is before an `@` may be a password. */
export function shownUrl(text: string): string {
  // Called for each child of each index: parsing every URL here would take longer than all the rest.
  if (!text.includes('@')) return text;
  const url = parsedUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return text.replace(BEFORE_AT, '$1…@');
  if (!hasUserinfo(url)) return text;
  const plain = text.replace(/^(https?:\/\/)[^/?#\\]*@/i, '$1');
  return plain === text ? withoutUserinfo(url).href : plain;
}

/** A message with its URLs as {@link shownUrl} shows them. */
export function withShownUrls(message: string): string {
  if (!message.includes('@')) return message;
  return message.replaceAll(
    /(?<!\S)(["'(]?)((?:https?:)?\/\/\S+)/gi,
    (_, before: string, url: string) => before + shownUrl(url),
  );
}

function hasUserinfo({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** The host's name or address; an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return unbracketed(hostname);
}

/** A host without the brackets that an IPv6 address has in a URL. */
export function unbracketed(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

export function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

/**
 * Whether `url` may get what is meant for `site`: the same host and port, with or without `www.`, or its upgrade from
 * http to https at the default ports.
 */
export function isSameSite(site: URL, url: URL): boolean {
  if (bareHost(site) !== bareHost(url)) return false;
  if (site.protocol === url.protocol) return site.port === url.port;
  return site.protocol === 'http:' && site.port === '' && url.protocol === 'https:' && url.port === '';
}

/** The host without `www.` and without a dot at its end. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^www\./, '').replace(/\.$/, '');
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** The credentials in a URL; undefined where there are none. */
export function credentialsOf(url: URL): Credentials | undefined {
  if (!hasUserinfo(url)) return undefined;
  return { user: unescaped(url.username), password: unescaped(url.password) };
}

/** The value of an Authorization (or Proxy-Authorization) header for the credentials in a URL. */
export function basicAuthorization(url: URL): string | undefined {
  const credentials = credentialsOf(url);
  if (credentials === undefined) return undefined;
  const bytes = new TextEncoder().encode(`${credentials.user}:${credentials.password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** The text with its percent escapes decoded; unchanged where these are not UTF-8. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a host is not public: `localhost`, `10.0.0.1`, `[fd00::1]`. Names are not looked up. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return (host.startsWith('[') || isIpv4(host)) && !isPublicAddress(unbracketed(host));
}

function isIpv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(text);
}

// Not a `BlockList`, which makes an object of Node for each address: this is asked several times for each request.
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((range) => {
  const [network = '', bits] = range.split('/');
  return { network: ipv4Number(network), mask: -1 << (32 - Number(bits)) };
});

/**
 * Whether an IP address, in any spelling that Node accepts, belongs to the public internet.
 *
 * IPv4: all but what IANA's special-purpose registry calls not globally reachable, multicast, the documentation ranges,
 * and the one address that Azure gives to the host of every virtual machine.
 *
 * IPv6: the global unicast range alone (2000::/3), without what its registry calls special. Everything else is
 * reserved, local or multicast. An address that carries an IPv4 address (mapped, NAT64, 6to4, Teredo, ISATAP) is at
 * most as public as the address inside: the packet may end there.
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  if (isIpv4(plain)) {
    const number = ipv4Number(plain);
    return !SPECIAL_IPV4.some(({ network, mask }) => (number & mask) === network);
  }
  const words = ipv6Words(plain);
  if (words === undefined) return false;
  const inside = tunnelledIPv4(words);
  if (inside !== undefined) return inside.length > 0 && inside.every(isPublicAddress);
  const end = isatapIPv4(words);
  if (end !== undefined && !isPublicAddress(end)) return false;
  return isGlobalUnicast(words);
}

/** 2000::/3 without 2001::/23, 2001:db8::/32, 3ffe::/16 and 3fff::/20. */
function isGlobalUnicast([a = 0, b = 0]: readonly number[]): boolean {
  if (a === 0x2001) return b >= 0x200 && b !== 0xdb8;
  if (a === 0x3fff) return b >= 0x1000;
  return (a & 0xe000) === 0x2000 && a !== 0x3ffe;
}

/** The address as a signed 32-bit number, as bitwise operators give it. */
function ipv4Number(address: string): number {
  return address.split('.').reduce((number, byte) => (number << 8) | Number(byte), 0);
}

/** The eight 16-bit words of an IPv6 address; the URL parser knows every spelling. */
export function ipv6Words(address: string): readonly number[] | undefined {
  const canonical = parsedUrl(`http://[${address}]/`)?.hostname.slice(1, -1);
  if (canonical === undefined) return undefined;
  const [head = '', tail] = canonical.split('::');
  const words = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [first, last] = [words(head), words(tail ?? '')];
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

/** The IPv4 addresses that an IPv6 address may lead to: several where it does not say which. */
function tunnelledIPv4(words: readonly number[]): readonly string[] | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words;
  if (a === 0x2002) return [dotted(b, c)]; // 6to4
  if (a === 0x64 && b === 0xff9b && (c | d | e | f) === 0) return [dotted(g, h)]; // NAT64
  if (a === 0x64 && b === 0xff9b && c === 1) return localNat64IPv4(words);
  if (a === 0x2001 && b === 0) return [dotted(g ^ 0xffff, h ^ 0xffff)]; // Teredo
  if ((a | b | c | d | e) === 0 && f === 0xffff) return [dotted(g, h)]; // IPv4-mapped
  return undefined;
}

/**
 * NAT64 of a network's own (RFC 8215): its prefix may have 48, 56, 64 or 96 bits, and the address is behind it, around
 * an octet that is not used (RFC 6052 §2.2). A candidate that cannot be the address of a host is left out.
 */
function localNat64IPv4([, , , d = 0, e = 0, f = 0, g = 0, h = 0]: readonly number[]): readonly string[] {
  const [low, high] = [e & 255, f >> 8];
  return [
    dotted(d, (low << 8) | high),
    dotted(((d & 255) << 8) | low, f),
    dotted((low << 8) | high, ((f & 255) << 8) | (g >> 8)),
    dotted(g, h),
  ].filter((address) => {
    const first = Number.parseInt(address, 10);
    return first > 0 && first < 224;
  });
}

/** The IPv4 address in an interface identifier of ISATAP (RFC 5214 §6.1), under any prefix. */
function isatapIPv4([, , , , e = 0, f = 0, g = 0, h = 0]: readonly number[]): string | undefined {
  return (e & ~0x0300) === 0 && f === 0x5efe ? dotted(g, h) : undefined;
}

function dotted(high: number, low: number): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/**
 * Whether the URL of a page looks like that of a sitemap: `.xml` or `.xml.gz` at its end, and `sitemap` in the last
 * part of the path.
 *
 * @param host - the host that it must be on, with the port; undefined for any
 */
export function isListedSitemap(url: string, host: string | undefined): boolean {
  // Nearly every page ends here: only the rest is parsed.
  if (!/\.xml(?:\.gz)?$/i.test(url)) return false;
  const parsed = webUrl(url);
  if (parsed === undefined || (host !== undefined && parsed.host !== host)) return false;
  const { pathname, search, hash } = parsed;
  const name = pathname.slice(pathname.lastIndexOf('/') + 1);
  return search === '' && hash === '' && name.toLowerCase().includes('sitemap');
}

/** Whether a path ends as that of a sitemap, a feed or a robots.txt does. */
export function looksLikeSitemap(path: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return /\.(?:xml|rss|atom|txt|gz)$|^sitemap/.test(file);
}

// What `new URL` leaves as it is: a lower-case host with a letter in its last part, which is not a number as `0x7f` is,
// no port, no dot segments, no character that it would encode (a `'` of a query is one). Some URLs that are ordinary as
// well fail the test; they only take longer.
const HOST = /(?![^/]*xn--)(?:[a-z0-9-]+\.)*(?!0x)(?=[0-9-]*[a-z])[a-z0-9-]+/.source;
const REST = /(?:[\w\-~!$&()*+,;=:@?]|\/(?![.%/])|(?<!\/)\.|(?<!\/)%[0-9A-Fa-f]{2})*/.source;
const ORDINARY = new RegExp(`^https?://${HOST}/(?!/)${REST}$`);

/**
 * What URLs are compared by: `new URL(url).href` without its fragment. What is not a URL is its own key. Most URLs are
 * ordinary and need no parsing: this is called for every URL of a site.
 */
export function urlKey(url: string): string {
  if (isOrdinaryUrl(url)) return url;
  const parsed = parsedUrl(url);
  if (parsed === undefined) return url;
  parsed.hash = '';
  return parsed.href;
}

export function isOrdinaryUrl(url: string): boolean {
  return ORDINARY.test(url);
}
