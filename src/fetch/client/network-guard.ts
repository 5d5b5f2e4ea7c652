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
import { hostOf, isPublicAddress, isSameSite, portOf, unbracketed } from '../../url.ts';
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
  /** Whether a URL is on a host that the caller named beside the site, which may be private too. @default none is */
  readonly isHere?: ((url: URL) => boolean) | undefined;
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
  readonly #isHere: (url: URL) => boolean;
  readonly #resolve: Resolve;
  readonly #isPublic: (address: string) => boolean;
  // Decided once, at the site's first connection: a site that was public may not turn private later.
  #siteIsPrivate: boolean | undefined;
  /** The https port that the site itself has redirected to. */
  #upgrade: string | undefined;

  constructor(options: NetworkGuardOptions) {
    this.#site = options.site;
    this.#allowAll = options.allowPrivateNetworks;
    this.#isHere = options.isHere ?? (() => false);
    this.#resolve = options.resolve ?? resolveBySystem;
    this.#isPublic = options.isPublic ?? isPublicAddress;
  }

  /**
   * Who may use a connection to `url` that this guard permits. A site that is not private at first must not become so
   * later, so even a second site of the same host and port needs its own decision and its own connections.
   */
  shares(url: URL): SharedBy {
    if (this.#allowAll) return 'unguarded';
    return this.#isOwn(url) || this.#isHere(url) ? this.ownConnections : 'everyone';
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
    if (this.#allowAll || this.#isHere(url) || addresses.length === 0) return addresses;
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
