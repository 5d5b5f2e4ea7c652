/**
 * What every floor must agree on about URLs: how one is shown, requested and compared, its host and port, and the
 * credentials in it. No import, and nothing of Node.
 */

/**
 * The key of a document: two URLs with the same key are one request. Normalised, without the fragment and without
 * userinfo, neither of which is ever sent. A text that is not a URL is its own key.
 */
export function documentKey(url: string): string {
  // A document's is asked for at every step of its way, often several times in a row.
  if (url !== lastKey.url) lastKey = { url, key: keyOf(url) };
  return lastKey.key;
}

let lastKey = { url: '', key: '' };

function keyOf(url: string): string {
  const parsed = parsedUrl(url);
  if (parsed === undefined) return url;
  const { href } = asRequested(parsed);
  // The same text, not an equal one: each is kept for each of 50,000 sitemaps.
  return href === url ? url : href;
}

/** What begins like this is a URL, whatever follows: no need to ask first. */
const CERTAIN = /^https?:\/\/(?:(?!xn--)[a-z\d-]+\.)*[a-z]{2,}(?::\d{1,4})?\//;

/**
 * The URL that a text is, resolved against a base; undefined where it is not a URL. Ask this, never `URL.canParse`:
 * once V8 has optimised its call, Node 20 takes Latin-1 for UTF-8 there, and calls `https://münchen.example/` no URL.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  if (base === undefined && CERTAIN.test(text)) return new URL(text);
  const isUrl = URL.canParse(inAscii(text), base === undefined ? undefined : inAscii(base));
  return isUrl ? new URL(text, base) : undefined;
}

/** The same for a URL of the web alone: not that of a file, say. */
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

/** What a caller gave as a URL, as text. Not every object becomes one: that without a prototype throws. */
export function givenUrlText(url: unknown): string {
  try {
    return String(url);
  } catch {
    return '[object Object]';
  }
}

/** Other letters as the parser of URLs would encode or decode them: whether a text is a URL stays the same. */
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
  // Asked for each child of each index at each of its places: parsing URLs there would take longer than all the rest.
  if (!text.includes('@')) return text;
  const url = parsedUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return text.replace(BEFORE_AT, '$1…@');
  if (!hasUserinfo(url)) return text;
  const plain = text.replace(/^(https?:\/\/)[^/?#\\]*@/i, '$1');
  return plain === text ? withoutUserinfo(url).href : plain;
}

function hasUserinfo({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** The host's name or address; of an IPv6 address without its brackets. */
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

function bareHost(url: URL): string {
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

/** Without its escapes; as it is, where these are not UTF-8. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether the public cannot reach a host: `localhost`, `10.0.0.1`, `[fd00::1]`. Names are not looked up. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) && isPrivateIpv4(host.split('.').map(Number));
}

// RFC 6890: this host, private, shared, loopback, link-local, benchmarking, multicast and reserved.
function isPrivateIpv4([a = 0, b = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  if (a === 100) return b >= 64 && b <= 127;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b <= 31;
  if (a === 192) return b === 168;
  return a === 198 && (b === 18 || b === 19);
}

// `new URL` writes an address in its shortest form, one with an IPv4 address in it in hexadecimal.
function isPrivateIpv6(address: string): boolean {
  if (address === '::' || address === '::1') return true;
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (mapped !== null) {
    const high = Number.parseInt(mapped[1]!, 16);
    return isPrivateIpv4([high >> 8, high & 0xff]);
  }
  // fc00::/7 is private, fe80::/10 is link-local, ff00::/8 is multicast.
  return /^f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]|f[0-9a-f]{2}):/.test(address);
}
