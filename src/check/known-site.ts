/** What is known of a whole site while its documents are checked one after the other: pure, and small per page. */

import { compileRobots, type RobotsRules } from './robots.ts';
import type { RelatedPlace } from './rule.ts';
import { Clusters, SiteUrls } from './site-urls.ts';
import { UrlMark } from './url-mark.ts';

/** What sort of sitemap a document is: pages may be listed once in each. */
export type SitemapSort = 'plain' | 'news' | 'image' | 'video' | 'feed';

interface KnownDocument {
  readonly name: string;
  sort: SitemapSort;
  /** Whether all of it was read. */
  isComplete: boolean;
  /** Whether it has alternates that must be looked at once more. */
  hasAlternates: boolean;
}

export interface DeclaredSitemap {
  /** The kind of its node. */
  readonly kind: string;
  /** Where it redirects to. */
  readonly redirectedTo?: string | undefined;
  /** Why it could not be read. */
  readonly failure?: { readonly code: string; readonly reason: string } | undefined;
}

/** A date in an index, until the newest page of its sitemap is known. */
export interface PendingLastmod {
  readonly text: string;
  /** Where the date is. */
  readonly place: RelatedPlace;
}

interface SiteOptions {
  /** Whose rules of robots.txt count. @default Googlebot */
  readonly agent?: string | undefined;
  /** Whether the documents are all of the site: then a page that is in none of them is not listed. */
  readonly isWhole: boolean;
}

/** How many hosts are remembered that pages are listed on; no site has so many. */
const MOST_HOSTS = 100_000;

export class Site {
  readonly agent: string;
  readonly isWhole: boolean;
  readonly urls: SiteUrls = new SiteUrls();
  readonly mark: UrlMark = new UrlMark();
  /** How many pages are listed, each once. */
  distinctPages = 0;
  /** The documents that were checked, by number. */
  readonly documents: KnownDocument[] = [];
  readonly clusters: Clusters = new Clusters();
  /** The origins that pages are listed on. */
  readonly origins: Set<string> = new Set();
  /** Where each sitemap is declared first, by its key. */
  readonly declared: Map<string, string> = new Map();
  readonly #pending = new Map<string, PendingLastmod[]>();
  readonly #robots = new Map<string, RobotsRules>();
  #lastOrigin = '';
  #lastRules: RobotsRules | undefined;

  constructor({ agent = 'Googlebot', isWhole }: SiteOptions) {
    this.agent = agent;
    this.isWhole = isWhole;
  }

  /** Takes in the robots.txt of an origin. */
  addRobots(url: string, text: Uint8Array): void {
    const { origin } = new URL(url);
    this.#robots.set(origin, compileRobots(text, this.agent));
    this.#lastOrigin = '';
  }

  /** The rules for a URL; undefined where the robots.txt of its origin was not read. */
  robotsFor(url: string): RobotsRules | undefined {
    // Of millions of pages nearly all are on the origin of the page before.
    if (this.#lastOrigin !== '' && url.startsWith(this.#lastOrigin)) return this.#lastRules;
    const origin = URL.canParse(url) ? new URL(url).origin : '';
    if (origin !== '' && this.origins.size < MOST_HOSTS) this.origins.add(origin);
    this.#lastOrigin = `${origin}/`;
    this.#lastRules = this.#robots.get(origin);
    return this.#lastRules;
  }

  /** Gives a document its number. */
  addDocument(name: string): number {
    return this.documents.push({ name, sort: 'plain', isComplete: false, hasAlternates: false }) - 1;
  }

  /** Remembers the date that an index gives a sitemap. */
  addPending(key: string, pending: PendingLastmod): void {
    const known = this.#pending.get(key);
    if (known === undefined) this.#pending.set(key, [pending]);
    else known.push(pending);
  }

  /** The dates that indexes give a sitemap, once. */
  takePending(keys: readonly string[]): readonly PendingLastmod[] {
    return keys.flatMap((key) => {
      const pending = this.#pending.get(key) ?? [];
      this.#pending.delete(key);
      return pending;
    });
  }
}
