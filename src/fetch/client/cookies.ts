/**
 * The cookies of one call (RFC 6265, in part). Some sites set a cookie with a redirect and look for it at its target;
 * without it they redirect in circles.
 *
 * A cookie goes back to the origin that set it, and to no other, whatever its `Domain` says: a sitemap may list any
 * host. `Domain` is read only to refuse a cookie that is meant for another host. The jar is bounded in number and size,
 * lives as long as the call, and is neither logged nor saved.
 */

/** Most cookies of one origin, as in browsers. */
const MOST_OF_AN_ORIGIN = 50;
const MOST_BYTES = 4096;
/** The bytes of all cookies of one origin: most servers refuse a longer header. */
const MOST_BYTES_OF_AN_ORIGIN = 8192;
/** The cookies of an origin that was not used for the longest time are forgotten first. */
const MOST_ORIGINS = 256;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly secure: boolean;
  readonly expires: number;
}

export class CookieJar {
  /** In the order of their last use. */
  readonly #origins = new Map<string, Map<string, Cookie>>();
  readonly #now: () => number;
  /** How often a cookie was set to a new value, or removed. A redirect back to a URL is not a circle after a change. */
  changes = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The value of the Cookie header for a URL, without the cookies that the header of the caller has. */
  headerFor(url: URL, callerHeader = ''): string | undefined {
    const cookies = this.#cookiesOf(url.origin);
    const callerNames = new Set(
      callerHeader === '' ? [] : callerHeader.split(';').map((pair) => halvesOf(pair)[0]),
    );
    const pairs = [...(cookies?.values() ?? [])]
      .filter(({ expires }) => expires > this.#now())
      .filter(({ secure }) => !secure || url.protocol === 'https:')
      .filter(({ path, name }) => isBelow(url.pathname, path) && !callerNames.has(name))
      // RFC 6265 §5.4: longer paths first.
      .sort((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => (name === '' ? value : `${name}=${value}`));
    const all = callerHeader === '' ? pairs : [callerHeader, ...pairs];
    return all.length === 0 ? undefined : all.join('; ');
  }

  /** Keeps the cookies of a response; each text is the value of one Set-Cookie header. */
  store(url: URL, texts: readonly string[]): void {
    for (const text of texts) {
      const cookie = cookieOf(text, url, this.#now());
      if (cookie !== undefined) this.#put(url.origin, cookie);
    }
  }

  #put(origin: string, cookie: Cookie): void {
    const cookies = this.#cookiesOf(origin) ?? new Map<string, Cookie>();
    this.#origins.set(origin, cookies);
    const key = `${cookie.name};${cookie.path}`;
    const before = cookies.get(key);
    const isOver = cookie.expires <= this.#now();
    if (isOver ? before !== undefined : before?.value !== cookie.value) this.changes++;
    cookies.delete(key);
    if (!isOver) cookies.set(key, cookie);
    while (cookies.size > MOST_OF_AN_ORIGIN || bytesOf(cookies) > MOST_BYTES_OF_AN_ORIGIN) {
      cookies.delete(cookies.keys().next().value!);
    }
    if (this.#origins.size > MOST_ORIGINS) this.#origins.delete(this.#origins.keys().next().value!);
  }

  /** The cookies of an origin, which becomes the one that was used last. */
  #cookiesOf(origin: string): Map<string, Cookie> | undefined {
    const cookies = this.#origins.get(origin);
    if (cookies === undefined) return undefined;
    this.#origins.delete(origin);
    this.#origins.set(origin, cookies);
    return cookies;
  }
}

/** One Set-Cookie header; undefined where the cookie is not to be kept. */
function cookieOf(text: string, url: URL, now: number): Cookie | undefined {
  const [pair = '', ...rest] = text.split(';');
  const [name, value] = pair.includes('=') ? halvesOf(pair) : ['', pair.trim()];
  if (name === '' && value === '') return undefined;
  if (name.length + value.length > MOST_BYTES || !isPrintable(name + value)) return undefined;
  const attributes = new Map<string, string>();
  for (const part of rest) {
    const [attribute, setting] = halvesOf(part);
    attributes.set(attribute.toLowerCase(), setting);
  }
  const secure = attributes.has('secure');
  if (secure && url.protocol !== 'https:') return undefined;
  if (!isFor(url.hostname, attributes.get('domain') ?? '')) return undefined;
  const path = attributes.get('path') ?? '';
  return {
    name,
    value,
    secure,
    path: path.startsWith('/') ? path : defaultPath(url.pathname),
    expires: expiryOf(attributes, now),
  };
}

/** Max-Age wins over Expires; one that cannot be read is ignored. */
function expiryOf(attributes: ReadonlyMap<string, string>, now: number): number {
  const maxAge = attributes.get('max-age') ?? '';
  if (/^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0 ? 0 : now + Number(maxAge) * 1000;
  const expires = Date.parse(attributes.get('expires') ?? '');
  return Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires;
}

/** Name and value around the first `=`, trimmed. */
function halvesOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return at === -1 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

// A header is sent with these bytes and no others.
function isPrintable(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** Whether a host may set a cookie for this domain (RFC 6265 §5.1.3). */
function isFor(host: string, domain: string): boolean {
  const suffix = domain.toLowerCase().replace(/^\./, '');
  return suffix === '' || host === suffix || host.endsWith(`.${suffix}`);
}

/** RFC 6265 §5.1.4: the directory of the URL. */
function defaultPath(pathname: string): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')));
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}

function bytesOf(cookies: ReadonlyMap<string, Cookie>): number {
  let bytes = 0;
  for (const { name, value } of cookies.values()) bytes += name.length + value.length + 3;
  return bytes;
}
