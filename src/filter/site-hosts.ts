/** The hosts of a site, and whether a page is on one of them. Ports, schemes and `www.` do not count. */

import { bareHost, parsedUrl, webUrl } from '../url.ts';
import type { SitePageOptions } from './filter-options.ts';

type Hosts = NonNullable<SitePageOptions['hosts']>;

export class SiteHosts {
  readonly #hosts = new Set<string>();
  /** The scheme and host of the last page: the next one mostly has the same. */
  #start = '';
  #host = '';

  /** @param urls - of the site; those that are not http(s) do not count */
  constructor(urls: Iterable<string | undefined> = []) {
    for (const url of urls) if (url !== undefined) this.add(url);
  }

  add(url: string): void {
    const parsed = webUrl(url);
    if (parsed !== undefined) this.#hosts.add(bareHost(parsed));
  }

  /** Whether no host is known, so that no page can be on it. */
  get isEmpty(): boolean {
    return this.#hosts.size === 0;
  }

  /** Two sites with the same text have the same hosts. */
  get text(): string {
    return [...this.#hosts].sort().join(' ');
  }

  /** Whether a page is on a host of the site; with `subdomains` also below one. */
  has(url: string, hosts: Hosts): boolean {
    if (hosts === 'any') return true;
    const host = this.#hostOf(url);
    if (hosts === 'same') return this.#hosts.has(host);
    for (let at = 0; at !== -1; at = nextLabel(host, at)) if (this.#hosts.has(host.slice(at))) return true;
    return false;
  }

  #hostOf(url: string): string {
    // No host goes on behind the first slash after `http://`.
    const start = url.slice(0, url.indexOf('/', 'https://'.length) + 1);
    if (start === '' || start !== this.#start) {
      const parsed = parsedUrl(url);
      this.#start = start;
      this.#host = parsed === undefined ? '' : bareHost(parsed);
    }
    return this.#host;
  }
}

/** What a node of a tree says about its site. */
interface SiteNode {
  readonly url: string;
  readonly declaredUrl: string | undefined;
  readonly redirectedTo?: readonly string[];
}

/** The URLs of a site or a sitemap, and where they redirect to. */
export function siteUrls({ url, declaredUrl, redirectedTo = [] }: SiteNode): readonly (string | undefined)[] {
  return [url, declaredUrl, ...redirectedTo];
}

export function hostsOfTree(tree: SiteNode): SiteHosts {
  return new SiteHosts(siteUrls(tree));
}

/** Where the next label of a host begins; -1 behind the last. */
function nextLabel(host: string, at: number): number {
  const dot = host.indexOf('.', at);
  return dot === -1 ? -1 : dot + 1;
}
