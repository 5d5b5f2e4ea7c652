/** What an index or a robots.txt declares: each sitemap at the place where it is written. */
import { documentKey } from '../url.ts';
import { ROBOTS_LIMIT_BYTES } from './robots.ts';
import type { CheckedDocument, DocumentEnd, DocumentListener } from './rule.ts';
import type { RuleName } from './rule-table.ts';
import type { DeclaredSitemap, Site } from './site.ts';

/** What was not fetched by choice, and says nothing about the sitemap. */
const NOT_FETCHED: ReadonlySet<string> = new Set(['limit', 'max-depth', 'private-network', 'not-fetched']);

/** The sitemaps that a document declares, by their keys. */
export type DeclaredSitemaps = ReadonlyMap<string, DeclaredSitemap>;

/** Listens to the declarations of one document. */
export class Declarations implements DocumentListener {
  readonly #site: Site;
  readonly #document: CheckedDocument<RuleName>;
  readonly #sitemaps: DeclaredSitemaps;
  readonly #own: URL | undefined;
  #lastmod: { readonly text: string; readonly offset: number } | undefined;

  readonly startTags: NonNullable<DocumentListener['startTags']> = {
    'sitemap:sitemap': () => {
      this.#lastmod = undefined;
    },
  };

  readonly values: NonNullable<DocumentListener['values']> = {
    'sitemap:lastmod': (text, offset) => {
      if (text !== '') this.#lastmod = { text, offset };
    },
  };

  /** @param sitemaps - what became of the sitemaps that it declares, as far as that is known */
  constructor(site: Site, document: CheckedDocument<RuleName>, sitemaps: DeclaredSitemaps) {
    this.#site = site;
    this.#document = document;
    this.#sitemaps = sitemaps;
    const { url } = document;
    this.#own = url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
  }

  /** Only indexes and robots.txt declare something. */
  readonly ignoresPlainPages = true;

  location(url: string, offset: number): void {
    const { kind } = this.#document;
    if (kind !== 'index-xml' && kind !== 'robots-txt') return;
    const key = documentKey(url);
    if (kind === 'index-xml') {
      this.#place(url, offset);
      this.#pendingLastmod(key);
    }
    const state = this.#sitemaps.get(key);
    if (state?.failure?.code === 'recursion') {
      const message = `The index leads back to itself, or to an index above it: ${url}`;
      this.#report('sitemap-recursion', message, offset);
      return;
    }
    if (kind === 'index-xml' && state?.kind === 'index-xml') {
      this.#report('nested-index', `The index lists another index: ${url}`, offset);
    }
    const earlier = this.#site.declared.get(key);
    if (earlier === undefined) {
      this.#site.declared.set(key, this.#document.name);
      this.#blocked(url, offset);
      if (state !== undefined) this.#state(url, state, offset);
    } else {
      const where = earlier === this.#document.name ? 'before in this document' : `in ${earlier}`;
      this.#report('sitemap-repeated', `The sitemap is also declared ${where}: ${url}`, offset);
    }
  }

  // In robots.txt this has a rule of its own.
  problem({ code, message, offset }: { code: string; message: string; offset?: number }): boolean {
    // Without an address of its own, as that of a file, it cannot be resolved either.
    const isRelative =
      code === 'relative-url' || (code === 'unresolvable-url' && / is relative,/.test(message));
    if (!isRelative || this.#document.kind !== 'robots-txt') return false;
    const own = message
      .replace(/^A URL/, 'The URL of a Sitemap line')
      .replace(/, and without .* against:/, ':');
    this.#report('robots-relative-sitemap', own, offset);
    return true;
  }

  end({ kind, bytes }: DocumentEnd): void {
    if (kind !== 'robots-txt' || bytes <= ROBOTS_LIMIT_BYTES) return;
    const size = bytes.toLocaleString('en');
    this.#report('robots-over-500-kib', `robots.txt has ${size} bytes; Google reads the first 512,000.`);
  }

  #place(url: string, offset: number): void {
    const own = this.#own;
    if (own === undefined || !URL.canParse(url)) return;
    const { host, pathname } = new URL(url);
    const directory = own.pathname.replace(/[^/]*$/, '');
    if (host !== own.host) {
      const message = `The sitemap is on ${host}, but the index is on ${own.host}: ${url}`;
      this.#report('sitemap-other-host', message, offset);
    } else if (!pathname.startsWith(directory)) {
      const message = `The sitemap is not below ${directory}, where the index is: ${url}`;
      this.#report('sitemap-outside-directory', message, offset);
    }
  }

  #pendingLastmod(key: string): void {
    if (this.#lastmod === undefined) return;
    const { text, offset } = this.#lastmod;
    const place = { document: this.#document.name, offset, ...this.#document.place(offset) };
    this.#site.addPending(key, { text, place });
    this.#lastmod = undefined;
  }

  #blocked(url: string, offset: number): void {
    const line = this.#site.robotsFor(url)?.disallowing(url);
    if (line === undefined) return;
    const { agent } = this.#site;
    const message =
      `The sitemap is disallowed for ${agent} by "Disallow: ${line.pattern}" (line ${line.line} of ` +
      `robots.txt): ${url}`;
    this.#report('sitemap-blocked', message, offset);
  }

  #state(url: string, { redirectedTo, failure }: DeclaredSitemap, offset: number): void {
    if (redirectedTo !== undefined) {
      this.#report('sitemap-redirected', `The sitemap redirects to ${redirectedTo}: ${url}`, offset);
    }
    if (failure !== undefined) {
      const rule = failureRule(failure);
      if (rule !== undefined) this.#report(rule, failure.reason, offset);
    }
  }

  #report(rule: RuleName, message: string, offset?: number): void {
    this.#document.report({ rule, message, offset });
  }
}

/** The rule for a sitemap that could not be read; undefined where it was not fetched by choice. */
export function failureRule({ code, reason }: { code: string; reason: string }): RuleName | undefined {
  if (NOT_FETCHED.has(code)) return undefined;
  if (code === 'recursion') return 'sitemap-recursion';
  if (code === 'not-a-sitemap' && / it is an HTML page/.test(reason)) return 'sitemap-is-html';
  return 'sitemap-unreadable';
}
