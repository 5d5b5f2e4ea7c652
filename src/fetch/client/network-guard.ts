/**
 * Which addresses may be connected to (BEHAVIOUR §9). A sitemap is untrusted input: it must not make a server that
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
 *
 * Ranges: everything that IANA's special-purpose registries call not globally reachable, plus multicast and the
 * documentation ranges. IPv6 forms that carry an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) are as public
 * as the address inside.
 *
 * @packageDocumentation
 */
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { hostOf, portOf, unbracketed } from '../../url.ts';
import { FetchError } from '../failure.ts';

/** An address of a host: declared here, so that our types do not need those of Node. */
export interface HostAddress {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/** Looks up all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly HostAddress[]>;

const SPECIAL = new BlockList();
for (const range of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]) {
  const [network, bits] = range.split('/');
  SPECIAL.addSubnet(network!, Number(bits), 'ipv4');
}
for (const range of [
  ...['::/128', '::1/128', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64', '2001::/23', '2001:db8::/32'],
  ...['3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]) {
  const [network, bits] = range.split('/');
  SPECIAL.addSubnet(network!, Number(bits), 'ipv6');
}

/** Whether an IP address, in any spelling that Node accepts, belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  if (isIPv4(plain)) return !SPECIAL.check(plain, 'ipv4');
  const words = ipv6Words(plain);
  if (words === undefined) return false;
  const inside = embeddedIPv4(words);
  if (inside !== undefined) return isPublicAddress(inside);
  return !SPECIAL.check(plain, 'ipv6');
}

/** The eight 16-bit words of an IPv6 address; the URL parser knows every spelling. */
function ipv6Words(address: string): readonly number[] | undefined {
  if (isIP(address) !== 6) return undefined;
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const words = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [first, last] = [words(head), words(tail ?? '')];
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

function embeddedIPv4(words: readonly number[]): string | undefined {
  const dotted = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  const [a, b, c, d, e, f, g, h] = words as [number, number, number, number, number, number, number, number];
  if (a === 0x2002) return dotted(b, c); // 6to4
  if (a === 0x64 && b === 0xff9b && (c | d | e | f) === 0) return dotted(g, h); // NAT64
  if (a === 0x2001 && b === 0) return dotted(g ^ 0xffff, h ^ 0xffff); // Teredo
  if ((a | b | c | d) !== 0) return undefined;
  if (e === 0 && f === 0xffff) return dotted(g, h); // IPv4-mapped
  if (e === 0xffff && f === 0) return dotted(g, h); // IPv4-translated
  if (e === 0 && f === 0 && (g !== 0 || h > 1)) return dotted(g, h); // IPv4-compatible
  return undefined;
}

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

/** The guard of one site; see the module's description. */
export class NetworkGuard {
  /** The number of this guard, which marks the connections that only its site may use. */
  readonly ownConnections: SharedBy = guards++;
  readonly #site: string;
  readonly #allowAll: boolean;
  readonly #resolve: Resolve;
  readonly #isPublic: (address: string) => boolean;
  // Decided once, at the site's first connection: a site that was public may not turn private later.
  #siteIsPrivate: boolean | undefined;

  constructor(options: NetworkGuardOptions) {
    this.#site = placeOf(options.site);
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
    return placeOf(url) === this.#site ? this.ownConnections : 'everyone';
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
    if (placeOf(url) === this.#site) {
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

/** Host and port: the site itself may be private, not every port of its machine. */
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
