/**
 * Which addresses may be connected to (Specification §9). A sitemap is untrusted input: it must not make a server that
 * parses it send requests to its own metadata service, database or neighbours.
 *
 * The default client asks {@link NetworkGuard.lookup} for every connection, and connects only to what it returns, so a
 * name that resolves differently the second time gains nothing. IP literals never reach a resolver, so they are checked
 * by {@link NetworkGuard.checkLiteral}, which needs no network and is all that can be done behind a proxy or a custom
 * client. Spellings (decimal, octal, hex, full-width digits) need no special care here: `URL` has already made them one
 * canonical address.
 *
 * A guard belongs to one site, but connections are shared by many: {@link NetworkGuard.shares} says which sites may use
 * a connection that this guard has permitted.
 */
import { lookup as systemLookup } from 'node:dns';
import { isIP, isIPv4 } from 'node:net';
import { hostOf, isSameSite, portOf, unbracketed } from '../../url.ts';
import { FetchError } from '../fetch-failure.ts';

/** An address of a host: declared here, so that our types do not need those of Node. */
export interface HostAddress {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

export type Resolve = (hostname: string) => Promise<readonly HostAddress[]>;

export interface NetworkGuardOptions {
  /** The homepage, or the sitemap that the call is about: only it may be private. */
  readonly site: URL;
  readonly allowPrivateNetworks: boolean;
  /** @default the system's resolver */
  readonly resolve?: Resolve | undefined;
  /** Which addresses are public; for tests, which have loopback only. @default isPublicAddress */
  readonly isPublic?: ((address: string) => boolean) | undefined;
}

/**
 * Who may use a connection again: every site (its address is public), every site that allows private networks, or the
 * one site that it was made for, by its number.
 */
export type SharedBy = 'everyone' | 'unguarded' | number;

let guards = 0;

export class NetworkGuard {
  /** The number of this guard, which marks the connections that only its site may use. */
  readonly ownConnections: SharedBy = guards++;
  readonly #site: URL;
  readonly #allowAll: boolean;
  readonly #resolve: Resolve;
  readonly #isPublic: (address: string) => boolean;
  // Decided once, at the site's first connection: a site that was public may not turn private later.
  #siteIsPrivate: boolean | undefined;
  /** The https port that the site itself has redirected to. */
  #upgrade: string | undefined;

  constructor(options: NetworkGuardOptions) {
    this.#site = options.site;
    this.#allowAll = options.allowPrivateNetworks;
    this.#resolve = options.resolve ?? resolveBySystem;
    this.#isPublic = options.isPublic ?? isPublicAddress;
  }

  /**
   * Who may use a connection to `url` that this guard permits. A site that is not private at first must not become so
   * later, so even a second site of the same host and port needs its own decision and its own connections.
   */
  shares(url: URL): SharedBy {
    if (this.#allowAll) return 'unguarded';
    return this.#isOwn(url) ? this.ownConnections : 'everyone';
  }

  /**
   * Notes a redirect. Where the site itself leads from http to https at its own host, that port is the site, too:
   * development servers have neither port 80 nor 443. Only the first one counts, so that a site cannot open all ports.
   */
  redirected(from: URL, to: URL): void {
    const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname;
    if (isUpgrade && placeOf(from) === placeOf(this.#site)) this.#upgrade ??= placeOf(to);
  }

  /** Whether a URL is of the site itself, which alone may be private: as it is for headers, and its https upgrade. */
  #isOwn(url: URL): boolean {
    if (placeOf(url) === placeOf(this.#site) || isSameSite(this.#site, url)) return true;
    return url.protocol === 'https:' && placeOf(url) === this.#upgrade;
  }

  /** Throws when `url`'s host is a literal address (or `localhost`) that may not be connected to. */
  checkLiteral(url: URL): void {
    const address = literalOf(url.hostname);
    if (address !== undefined) this.#allowed(url, [{ address, family: isIPv4(address) ? 4 : 6 }]);
  }

  /** The addresses that a connection to `url` may use; throws when all of them are refused. */
  async lookup(url: URL): Promise<readonly HostAddress[]> {
    const name = hostOf(url);
    const family = isIP(name);
    return this.#allowed(url, family === 0 ? await this.#resolve(name) : [{ address: name, family }]);
  }

  #allowed(url: URL, addresses: readonly HostAddress[]): readonly HostAddress[] {
    if (this.#allowAll || addresses.length === 0) return addresses;
    const open = addresses.filter(({ address }) => this.#isPublic(address));
    if (this.#isOwn(url)) {
      this.#siteIsPrivate ??= open.length === 0;
      if (this.#siteIsPrivate) return addresses;
    }
    if (open.length > 0) return open;
    const where = addresses[0]!.address;
    throw new FetchError(
      'private-network',
      `${where === url.hostname ? where : `${url.hostname} (${where})`} is not a public address; ` +
        'the option "allowPrivateNetworks" permits it',
      { connected: false, option: 'allowPrivateNetworks' },
    );
  }
}

function placeOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

/** The address of a host name that needs no resolver: an IP literal, or RFC 6761's localhost. */
function literalOf(hostname: string): string | undefined {
  const name = unbracketed(hostname);
  if (isIP(name) !== 0) return name;
  return /(^|\.)localhost\.?$/.test(name) ? '127.0.0.1' : undefined;
}

export const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });

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
  if (isIPv4(plain)) {
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

/** The address as 32 bits, with a sign, as the operators for bits have it. */
function ipv4Number(address: string): number {
  return address.split('.').reduce((number, byte) => (number << 8) | Number(byte), 0);
}

/** The eight 16-bit words of an IPv6 address; the URL parser knows every spelling. */
export function ipv6Words(address: string): readonly number[] | undefined {
  if (isIP(address) !== 6) return undefined;
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const words = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [first, last] = [words(head), words(tail ?? '')];
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

/** The IPv4 address that an IPv6 address leads to as a whole. Several where it is one of them. */
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
 * an octet that is not used (RFC 6052 §2.2). What cannot be the address of a host is not the place of one.
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
