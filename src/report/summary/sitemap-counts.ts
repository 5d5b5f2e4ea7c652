/** Counts sitemaps: of which kinds, why some could not be read, and what the parser noticed. */
import type { Problem } from '../../problems/problem-list.ts';
import type { SitemapKind } from '../../sitemap/kind.ts';
import { partsOf, type Sitemap } from '../../sitemap/sitemap.ts';
import { cut } from './page-sample.ts';
import type { FailureCount, ProblemCount, SitemapTotals, TreeSummary } from './summary.ts';

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Failures of what was not requested. */
const NOT_FETCHED: ReadonlySet<string> = new Set(['limit', 'not-fetched']);

/** What the parser noticed in a document. */
export interface Noticed {
  /** At most a hundred. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
}

/** Counts sitemaps. */
export class SitemapCounts {
  readonly #kinds: Partial<Record<SitemapKind, number>> = {};
  readonly #totals: Mutable<Omit<SitemapTotals, 'kinds'>> = {
    count: 0,
    unreadable: 0,
    notFetched: 0,
    truncated: 0,
    stale: 0,
  };
  readonly #failures = new Map<string, Mutable<FailureCount>>();
  readonly #problems = new Map<string, Mutable<ProblemCount>>();
  #problemCount = 0;
  #bytes = 0;
  #readAt = Number.POSITIVE_INFINITY;

  /**
   * @param isRepeated - whether its document was counted at another place of the tree
   * @param noticed - its problems, which to ask itself for may mean to parse its document
   */
  add(sitemap: Sitemap, isRepeated: boolean, noticed: Noticed): void {
    const totals = this.#totals;
    this.#kinds[sitemap.kind] = (this.#kinds[sitemap.kind] ?? 0) + 1;
    if (sitemap.kind === 'invalid') this.#addFailure(sitemap);
    else if (sitemap.kind !== 'website') totals.count++;
    if (isRepeated) return;
    if (sitemap.truncated) totals.truncated++;
    if (sitemap.freshness === 'stale') totals.stale++;
    this.#bytes += sitemap.bytes ?? 0;
    const { requestedAt } = partsOf(sitemap).facts?.document ?? {};
    if (requestedAt !== undefined) this.#readAt = Math.min(this.#readAt, requestedAt);
    this.#problemCount += noticed.problemCount;
    for (const { code, message } of noticed.problems) {
      const known = this.#problems.get(code);
      if (known !== undefined) known.count++;
      else this.#problems.set(code, { code, count: 1, url: cut(sitemap.url), message: cut(message) });
    }
  }

  #addFailure({ code, status, url, reason }: Sitemap & { readonly kind: 'invalid' }): void {
    if (NOT_FETCHED.has(code)) this.#totals.notFetched++;
    else this.#totals.unreadable++;
    const key = `${code} ${status ?? ''}`;
    const known = this.#failures.get(key);
    if (known !== undefined) known.count++;
    else {
      const failure = { code, count: 1, url: cut(url), reason: cut(reason) };
      this.#failures.set(key, status === undefined ? failure : { ...failure, status });
    }
  }

  summary(): Pick<TreeSummary, 'readAt' | 'sitemaps' | 'bytes' | 'failures' | 'problems'> {
    const mostFirst = (a: { readonly count: number }, b: { readonly count: number }): number =>
      b.count - a.count;
    return {
      ...(Number.isFinite(this.#readAt) && { readAt: new Date(this.#readAt).toISOString() }),
      sitemaps: { ...this.#totals, kinds: this.#kinds },
      bytes: this.#bytes,
      failures: [...this.#failures.values()].sort(mostFirst),
      problems: { count: this.#problemCount, codes: [...this.#problems.values()].sort(mostFirst) },
    };
  }
}
