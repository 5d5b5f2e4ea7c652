/**
 * What a crawl of many sites needs of the library besides its public API: trees that share one network, so that a host
 * has one pace whatever the number of sites there, and one budget of memory.
 *
 * @packageDocumentation
 */
import type { SharedBySites } from './crawl/tree-crawl.ts';
import { createNetwork } from './fetch/network.ts';
import type { StreamOptions } from './options/options.ts';
import { type ResolvedOptions, resolveOptions } from './options/resolve.ts';
import type { IndexWebsiteSitemap } from './sitemap/sitemap.ts';
import { SpoolMemory } from './sitemap/spool/memory.ts';
import { treeOfSite } from './tree.ts';

/** Trees of many sites, one after the other or at once. */
export class SitePool {
  readonly #options: ResolvedOptions;
  readonly #shared: SharedBySites;

  /** @throws SitemapException with code `bad-option` */
  constructor(options: StreamOptions) {
    this.#options = resolveOptions(options, 'stream');
    this.#shared = {
      network: createNetwork(this.#options),
      spoolMemory: new SpoolMemory(this.#options.spoolMemoryBytes),
    };
  }

  /** The tree of one site. `own` are the options that are not those of all sites. */
  tree(homepage: string | URL, own: Partial<ResolvedOptions>): Promise<IndexWebsiteSitemap> {
    return treeOfSite(homepage, { ...this.#options, ...own }, this.#shared);
  }

  /** Ends everything that is open for any site. */
  close(): Promise<void> {
    return this.#shared.network.close();
  }
}
