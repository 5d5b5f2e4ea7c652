/**
 * Trees → a valid set of sitemaps. Documents are read twice: once for which of repeated pages is kept, and once to
 * write. Neither pages nor documents are held.
 */

import { isPagesKind } from '../parse/model/kinds.ts';
import { internalsOf } from '../sitemap/sitemap.ts';
import { isPrivateHost, parsedUrl, webUrl } from '../url.ts';
import { BestDated } from './best-dated.ts';
import type { Division } from './divisions.ts';
import { KeepStrategy } from './keep-strategy.ts';
import { NewStrategy } from './new-strategy.ts';
import { judged, type Opinions } from './opinions.ts';
import { everyUrl } from './repair.ts';
import { RepairRun } from './repair-run.ts';
import type { SitemapSet } from './sitemap-set.ts';
import { type RepairInput, SourceDocuments } from './source-documents.ts';

export interface RepairTreeOptions {
  readonly layout: 'keep' | 'new';
  readonly by?: Division | undefined;
  readonly maxUrls?: number | undefined;
  readonly gzip?: boolean | undefined;
  readonly baseUrl?: string | undefined;
  readonly keepDuplicates?: boolean | undefined;
  readonly opinions: Opinions;
  readonly signal?: AbortSignal | undefined;
}

export class TreeRepair {
  readonly #sources: SourceDocuments;
  readonly #options: RepairTreeOptions;
  readonly #best: BestDated | undefined;
  /** Where documents without an address belong, if there are some. */
  #origin: string | undefined;

  static async open(inputs: readonly RepairInput[], options: RepairTreeOptions): Promise<TreeRepair> {
    return new TreeRepair(await SourceDocuments.of(inputs, options.signal), options);
  }

  private constructor(sources: SourceDocuments, options: RepairTreeOptions) {
    this.#sources = sources;
    this.#options = options;
    if (options.keepDuplicates === true) return;
    const canonicalSlash = options.opinions.canonicalSlash === true;
    this.#best = new BestDated({ bySort: options.layout === 'keep', canonicalSlash });
  }

  /** What indexes list and no input has, of indexes that were read without a network. */
  get unread(): readonly string[] {
    return this.#sources.notFetched;
  }

  /** Reads all pages for the first time. */
  async survey(): Promise<void> {
    const best = this.#best;
    const isOriginNeeded = !this.#sources.all.every(({ address }) => webUrl(address));
    const origins = isOriginNeeded ? new Map<string, number>() : undefined;
    if (best === undefined && origins === undefined) return;
    for (const { sitemap, name } of this.#sources.all) {
      if (!isPagesKind(sitemap.kind)) continue;
      best?.startNoting(name);
      const batches = internalsOf(sitemap).source.batchesAsync(this.#options.signal, everyUrl());
      for await (const batch of batches) {
        for (const each of batch) {
          const page = judged(each, this.#options.opinions, () => {});
          if (page === undefined) continue;
          best?.note(page);
          if (origins !== undefined) countOrigin(page.url, origins);
        }
      }
    }
    best?.endNoting();
    this.#origin = origins && mainOrigin(origins);
  }

  /** Reads all documents again, and writes the files into a set. */
  write(set: SitemapSet): RepairRun {
    const [address] = this.#sources.all.flatMap((source) => webUrl(source.address) ?? []);
    const options = { ...this.#options, origin: this.#origin ?? address?.origin };
    return new RepairRun(this.#sources, {
      ...options,
      best: this.#best,
      strategy: (callbacks) =>
        options.layout === 'keep'
          ? new KeepStrategy(this.#sources, set, { ...options, ...callbacks })
          : new NewStrategy(set, { ...options, ...callbacks }),
    });
  }
}

/** The most origins that are counted. */
const MOST_ORIGINS = 1000;

function countOrigin(url: string, counts: Map<string, number>): void {
  const origin = /^https?:\/\/[^/?#]+/i.exec(url)?.[0];
  if (origin === undefined) return;
  const times = counts.get(origin);
  if (times !== undefined || counts.size < MOST_ORIGINS) counts.set(origin, (times ?? 0) + 1);
}

/** The origin of most pages; a private one only where there is no other. */
function mainOrigin(counts: ReadonlyMap<string, number>): string | undefined {
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([origin]) => parsedUrl(origin));
  return (sorted.find((url) => url !== undefined && !isPrivateHost(url.hostname)) ?? sorted[0])?.origin;
}
