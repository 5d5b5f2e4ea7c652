/** Counts sitemaps by kind, failures by reason, and problems by code. */
import { isPagesKind, type SitemapKind } from '../parse/model/kinds.ts';
import type { Problem } from '../problems/problem-list.ts';
import { placesOf } from '../sitemap/node-fields.ts';
import { internalsOf, type Sitemap } from '../sitemap/sitemap.ts';
import { clip, LONGEST_TEXT } from '../text/wording.ts';
import type {
  FailureCount,
  LimitHistogram,
  Mutable,
  ProblemCount,
  SitemapTotals,
  TreeSummary,
} from './tree-summary.ts';

const NOT_FETCHED: ReadonlySet<string> = new Set(['limit', 'not-fetched']);

export interface NoticedProblems {
  /** At most a hundred. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
}

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

  /**
   * @param isRepeated - whether its document was counted at another place of the tree
   * @param noticed - its problems; `sitemap.problems` may have to parse the document
   */
  add(sitemap: Sitemap, isRepeated: boolean, noticed: NoticedProblems): void {
    const totals = this.#totals;
    if (sitemap.kind === 'invalid') this.#addFailure(sitemap);
    if (isRepeated) return;
    this.#kinds[sitemap.kind] = (this.#kinds[sitemap.kind] ?? 0) + 1;
    if (sitemap.kind === 'index-xml' || isPagesKind(sitemap.kind)) totals.count++;
    if (sitemap.truncated) totals.truncated++;
    if (sitemap.freshness === 'stale') totals.stale++;
    this.#bytes += sitemap.bytes ?? 0;
    this.#problemCount += noticed.problemCount;
    for (const { code, message } of noticed.problems) {
      const ofCode = this.#problems.get(code);
      if (ofCode !== undefined) ofCode.count++;
      else
        this.#problems.set(code, {
          code,
          count: 1,
          url: clip(sitemap.url, LONGEST_TEXT),
          message: clip(message, LONGEST_TEXT),
        });
    }
  }

  #addFailure({ code, status, url, reason, option }: Sitemap & { readonly kind: 'invalid' }): void {
    if (NOT_FETCHED.has(code)) this.#totals.notFetched++;
    else this.#totals.unreadable++;
    const key = `${code} ${status ?? ''}`;
    const ofFailure = this.#failures.get(key);
    if (ofFailure !== undefined) ofFailure.count++;
    else {
      this.#failures.set(key, {
        code,
        ...(status !== undefined && { status }),
        count: 1,
        url: clip(url, LONGEST_TEXT),
        reason: clip(reason, LONGEST_TEXT),
        ...(option !== undefined && { option }),
      });
    }
  }

  summary(): Pick<TreeSummary, 'sitemaps' | 'bytes' | 'failures' | 'problems'> {
    const mostFirst = (a: { readonly count: number }, b: { readonly count: number }): number =>
      b.count - a.count;
    return {
      sitemaps: { ...this.#totals, kinds: this.#kinds },
      bytes: this.#bytes,
      failures: [...this.#failures.values()].sort(mostFirst),
      problems: { count: this.#problemCount, codes: [...this.#problems.values()].sort(mostFirst) },
    };
  }
}

/** When the first document of a tree was requested; undefined if none was. */
export function firstRequest(tree: Sitemap): string | undefined {
  let first = Number.POSITIVE_INFINITY;
  for (const { sitemap } of placesOf(tree)) {
    const { requestedAt = first } = internalsOf(sitemap).facts?.document ?? {};
    first = Math.min(first, requestedAt);
  }
  return Number.isFinite(first) ? new Date(first).toISOString() : undefined;
}

const STEPS = 10;

/** Counts sitemaps by how much of a limit they use. */
export class LimitCounts {
  readonly #limit: number;
  readonly #within: number[] = new Array<number>(STEPS).fill(0);
  #over = 0;
  #largest: { readonly url: string; readonly value: number } | undefined;
  sitemaps = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(url: string, value: number): void {
    this.sitemaps++;
    if (this.#largest === undefined || value > this.#largest.value) this.#largest = { url, value };
    if (value > this.#limit) this.#over++;
    // A value on a border belongs to the lower step: a full sitemap is within its limit.
    else this.#within[Math.max(0, Math.ceil((value / this.#limit) * STEPS) - 1)]!++;
  }

  summary(): LimitHistogram {
    return {
      within: this.#within,
      over: this.#over,
      ...(this.#largest !== undefined && { largest: this.#largest }),
    };
  }
}
