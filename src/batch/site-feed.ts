/**
 * The sites that a child process got from its parent, as they are asked for, each with the tree of an earlier crawl.
 */
import { join } from 'node:path';
import { loadTree, type Sitemap } from '../reading.ts';
import { fileTrouble } from '../runtime/files.ts';
import { CrawlFolder } from './crawl-folder.ts';
import type { SiteToCrawl } from './crawl-sites.ts';

/** A site that waits or is crawled. */
interface FedSite {
  readonly url: string;
  readonly own: AbortController;
  /** Whether the tree of an earlier crawl was loaded. */
  hasPrevious: boolean;
  /** Why the archive of an earlier crawl is not used. */
  previousProblem: string | undefined;
}

export class SiteFeed implements AsyncIterable<SiteToCrawl> {
  readonly #waiting: FedSite[] = [];
  readonly #running = new Map<string, FedSite>();
  readonly #previous: string | undefined;
  #isEnded = false;
  #wake = (): void => {};

  /** @param previous - the folder of an earlier crawl with archives */
  constructor(previous: string | undefined) {
    this.#previous = previous;
  }

  /** How many sites wait or are crawled. */
  get size(): number {
    return this.#waiting.length + this.#running.size;
  }

  add(url: string): void {
    this.#add({ url, own: new AbortController(), hasPrevious: false, previousProblem: undefined });
  }

  #add(site: FedSite): void {
    this.#waiting.push(site);
    this.#wake();
  }

  /** No more sites will be added; those that run may still be crawled again. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  abort(url: string): void {
    this.#running.get(url)?.own.abort(new Error('another worker has the site'));
  }

  isAborted(url: string): boolean {
    return this.#running.get(url)?.own.signal.aborted === true;
  }

  previousProblem(url: string): string | undefined {
    return this.#running.get(url)?.previousProblem;
  }

  finish(url: string): void {
    this.#running.delete(url);
    this.#wake();
  }

  /** Lets a site be crawled again without the archive of the earlier crawl; false where it was crawled without one. */
  again(url: string, why: unknown): boolean {
    const site = this.#running.get(url);
    if (site === undefined || !site.hasPrevious) return false;
    this.#running.delete(url);
    this.#add({ ...site, hasPrevious: false, previousProblem: this.#unused(url, fileTrouble(why)) });
    return true;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SiteToCrawl, void, undefined> {
    for (;;) {
      const site = this.#waiting.shift();
      if (site !== undefined) {
        this.#running.set(site.url, site);
        yield { url: site.url, signal: site.own.signal, previous: () => this.#load(site) };
        continue;
      }
      if (this.#isEnded && this.#running.size === 0) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The tree that an earlier crawl kept of a site. One that cannot be read is not worth a failure: all is fetched. */
  async #load(site: FedSite): Promise<Sitemap | undefined> {
    if (this.#previous === undefined || site.previousProblem !== undefined) return undefined;
    try {
      const tree = await loadTree(this.#archiveOf(site.url));
      site.hasPrevious = true;
      return tree;
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      // A site that is new, or had no sitemap.
      const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
      if (!isMissing) site.previousProblem = this.#unused(site.url, fileTrouble(cause));
      return undefined;
    }
  }

  #archiveOf(url: string): string {
    return join(this.#previous ?? '', CrawlFolder.archiveOf(url));
  }

  #unused(url: string, why: string): string {
    return `${this.#archiveOf(url)} was not used, so all was fetched: ${why.replace(/\.$/, '')}.`;
  }
}
