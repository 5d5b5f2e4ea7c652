/**
 * Requests pages of a tree, with the politeness, the guard and the limits of sitemaps.
 *
 * Where not all are wanted, they are those with the smallest SHA-256 of their URL, one of each sitemap first. So the
 * choice of a site is the same every time, and a page stays in it as long as it is listed.
 */

import { createHash } from 'node:crypto';
import type { DocumentFetcher } from '../fetch/fetch-document.ts';
import { isIndexKind } from '../problems/kinds.ts';
import type { AgentRules } from '../robots/robots-rules.ts';
import type { StopSignal } from '../runtime/abort.ts';
import type { PageResult } from './finding.ts';
import { urlKey } from './ordinary-url.ts';
import type { CheckedDocument, DocumentListener, RelatedPlace } from './rule.ts';
import { judgeFailure, judgeResponse, type PageReport } from './rules/pages.ts';

export interface PlacedPage {
  readonly url: string;
  readonly place: RelatedPlace;
}

interface ChosenPage extends PlacedPage {
  readonly digest: string;
}

export class PageChoice {
  readonly #size: number;
  /** The smallest of all pages, and at most as many others: no order, and a URL may be twice. */
  #smallest: ChosenPage[] = [];
  /** What a digest must be below. */
  #limit = 'g';
  readonly #ofDocuments: ChosenPage[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  readonly rule = (document: CheckedDocument): DocumentListener => {
    let best: ChosenPage | undefined;
    const location = (url: string, offset: number): void => {
      const { kind } = document;
      if (isIndexKind(kind)) return;
      const digest = createHash('sha256').update(urlKey(url)).digest('hex');
      const isBest = best === undefined || digest < best.digest;
      const isSmall = digest < this.#limit;
      if (!isBest && !isSmall) return;
      const place = { document: document.name, offset, ...document.place(offset) };
      const page = { url, digest, place };
      if (isBest) best = page;
      if (!isSmall) return;
      this.#smallest.push(page);
      // So each page costs a logarithm, however many are wanted.
      if (this.#smallest.length >= 2 * this.#size + 100) this.#shrink();
    };
    return {
      location,
      plainPage: ({ entry }) => location(entry.url, entry.urlOffset),
      end: () => {
        if (best !== undefined) this.#ofDocuments.push(best);
      },
    };
  };

  get pages(): readonly ChosenPage[] {
    this.#shrink();
    return distinct([...this.#ofDocuments.sort(byDigest), ...this.#smallest]).slice(0, this.#size);
  }

  #shrink(): void {
    this.#smallest = distinct(this.#smallest.sort(byDigest)).slice(0, this.#size);
    if (this.#smallest.length === this.#size) this.#limit = this.#smallest.at(-1)!.digest;
  }
}

/** Pages with different URLs; the first place of each is kept. */
function distinct(pages: readonly ChosenPage[]): ChosenPage[] {
  const byUrl = new Map<string, ChosenPage>();
  for (const page of pages) if (!byUrl.has(page.digest)) byUrl.set(page.digest, page);
  return [...byUrl.values()];
}

function byDigest(a: ChosenPage, b: ChosenPage): number {
  return a.digest < b.digest ? -1 : a.digest > b.digest ? 1 : 0;
}

export interface JudgedPage extends PlacedPage {
  readonly result: PageResult;
  readonly reports: readonly PageReport[];
  readonly lastModified?: string | undefined;
}

export function judgePages(
  pages: AsyncIterable<PlacedPage> | Iterable<PlacedPage>,
  fetcher: DocumentFetcher,
  robots: AgentRules,
  { concurrency, signal }: { readonly concurrency: number; readonly signal: StopSignal | undefined },
): AsyncGenerator<JudgedPage, void, undefined> {
  return inOrder(pages, concurrency, async ({ url, place }) => {
    const fetched = await fetcher.fetch(url, { signal });
    if (fetched.type === 'failed') {
      const reports = judgeFailure(url, fetched);
      const result = reports[0]?.rule ?? 'not-requested';
      return { url, place, reports, result: resultOf(url, result, fetched.status) };
    }
    const reports = fetched.type === 'document' ? await judgeResponse(url, fetched, robots.agent) : [];
    // What a page says about itself is not heard by crawlers that must not fetch it.
    const isBlocked = robots.of(url)?.disallowing(url) !== undefined;
    const result = isBlocked ? 'page-blocked' : (reports[0]?.rule ?? 'indexable');
    const status = result === 'page-redirected' || result === 'page-unreachable' ? undefined : 200;
    const lastModified =
      fetched.type === 'document' ? (fetched.header('last-modified') ?? undefined) : undefined;
    return { url, place, reports, result: resultOf(url, result, status), lastModified };
  });
}

function resultOf(url: string, result: PageResult['result'], status: number | undefined): PageResult {
  return { result, ...(status !== undefined && { status }), count: 1, examples: [url] };
}

/** Works on items several at a time, and yields the results in their order. */
async function* inOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const running: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // Seen by whoever awaits it in its turn; until then it must not end the process.
      result.catch(() => {});
      running.push(result);
      if (running.length >= atOnce) yield await running.shift()!;
    }
    while (running.length > 0) yield await running.shift()!;
  } finally {
    await Promise.allSettled(running);
  }
}
