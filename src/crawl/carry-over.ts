/**
 * Documents that nothing declares any more (specification §11.2). An index that replaces `post.xml` by `post-1.xml`
 * says that the pages are listed elsewhere now; where `post-1.xml` cannot be read at that moment, they would be lost.
 * So what the earlier tree read, and this run was not led to, is kept as stale until
 *
 * 1. every index that the earlier tree read could be read, and
 * 2. every document that was declared since then below its former parents, at any depth, was read, or is gone.
 *
 * Where all its former parents are gone, or left out by a filter or an option, it goes with them.
 */
import type { ResolvedOptions } from '../options/resolve.ts';
import type { Problem } from '../problems/problem-list.ts';
import type { Outcome } from '../read/outcome.ts';
import { type EarlierDocument, THE_SITE } from '../sitemap/previous.ts';
import { count } from '../text/wording.ts';
import { documentKey } from '../url.ts';
import { Lineage } from './lineage.ts';
import { isCut, isGone, type Revisit } from './revisit.ts';

/** The state of an index of the earlier tree, from the one that tells most to the one that tells least. */
const STATES = ['read', 'unread', 'gone'] as const;
type State = (typeof STATES)[number];

/** A document that was never read: it may list what another one listed. */
interface NewDocument {
  readonly declaredIn: number;
  readonly lineage: Lineage;
  /** Whether it was not requested because there is room only for documents of the earlier tree. */
  readonly lacksRoom: boolean;
}

/** What the crawl was led to. */
interface CrawledUrls {
  /** Whether a URL was declared, also where it was not requested. */
  readonly isDeclared: (url: string) => boolean;
  readonly isRequested: (url: string) => boolean;
}

export interface CrawlEnd {
  readonly isFull: boolean;
  /** Whether the options let a URL be tried that nothing declares. */
  readonly mayTry: (url: string) => boolean;
  /** Adds a document to the tree, and what it declares. */
  readonly show: (earlier: EarlierDocument) => Promise<void>;
}

/** Notes the outcome of each place, and decides in the end about documents that the crawl did not reach. */
export class CarryOver {
  readonly #revisit: Revisit;
  readonly #crawledUrls: CrawledUrls;
  readonly #indexes = new Map<string, State>();
  /** What the tree has without a request too: a stale or trusted redirect leads to it, or nothing declares it. */
  readonly #shownUrls = new Set<string>();
  readonly #unreadNew: NewDocument[] = [];

  constructor(revisit: Revisit, crawledUrls: CrawledUrls) {
    this.#revisit = revisit;
    this.#crawledUrls = crawledUrls;
  }

  /** Notes the outcome of a place. @param lineage - its ancestors */
  note(url: string, outcome: Outcome, lineage: Lineage): void {
    const { previous, options } = this.#revisit;
    const state = stateOf(outcome, options);
    const earlier = previous.document(url);
    if (earlier !== undefined && outcome.type !== 'invalid') this.#shownUrls.add(documentKey(outcome.url));
    if (earlier?.isIndex === true) {
      for (const each of [url, earlier.url]) this.#noteIndex(documentKey(each), state);
    }
    const declaredIn = outcome.facts?.unread?.declaredIn;
    if (state !== 'unread' || declaredIn === undefined || lineage === Lineage.top) return;
    this.#unreadNew.push({ declaredIn, lineage, lacksRoom: false });
  }

  /** Notes that children of an index were left out. @param lineage - their ancestors */
  noteNoRoom(lineage: Lineage): void {
    this.#unreadNew.push({ declaredIn: this.#revisit.run, lineage, lacksRoom: true });
  }

  noteUnreadLink(): void {
    this.#unreadNew.push({ declaredIn: this.#revisit.run, lineage: Lineage.top, lacksRoom: false });
  }

  #noteIndex(key: string, state: State): void {
    const cached = this.#indexes.get(key);
    if (cached === undefined || STATES.indexOf(state) < STATES.indexOf(cached)) this.#indexes.set(key, state);
  }

  /** Shows what is kept, an index before what it declares. Returns what is to be said about the rest. */
  async end({ isFull, mayTry, show }: CrawlEnd): Promise<readonly Problem[]> {
    const isEveryIndexRead = ![...this.#indexes.values()].includes('unread');
    const unreadNew = this.#unreadNew.filter(({ lacksRoom }) => !(lacksRoom && isFull));
    const leftOut: string[] = [];
    const keeps = (earlier: EarlierDocument): boolean => {
      const parents = [...earlier.parents].filter((key) => this.#isThere(key));
      if (parents.length === 0 || (!earlier.isIndex && this.#revisit.isTooOld(earlier))) return false;
      if (parents.every((key) => key === THE_SITE) && !mayTry(earlier.url)) {
        leftOut.push(earlier.url);
        return false;
      }
      if (!isEveryIndexRead) return true;
      const since = earlier.facts.unread?.undeclared?.since ?? this.#revisit.run;
      return unreadNew.some(
        ({ declaredIn, lineage }) =>
          declaredIn >= since && parents.some((key) => key === THE_SITE || lineage.hasKey(key)),
      );
    };
    const isAsked = ({ url, requestedUrls }: EarlierDocument): boolean =>
      [url, ...requestedUrls].some((each) => this.#isAsked(each));

    let waiting = [...this.#revisit.previous.documents].filter((earlier) => !isAsked(earlier));
    const undecided = new Set(waiting.map(({ url }) => documentKey(url)));
    // Indexes may list each other: where each waits for another one, the first goes first.
    for (let isStuck = false; waiting.length > 0; ) {
      const later: EarlierDocument[] = [];
      for (const earlier of waiting) {
        const isEarly = [...earlier.parents].some((key) => undecided.has(key));
        if (isEarly && !isStuck) {
          later.push(earlier);
          continue;
        }
        isStuck = false;
        undecided.delete(documentKey(earlier.url));
        if (!isAsked(earlier) && keeps(earlier) && (await earlier.isIntact())) await show(earlier);
      }
      isStuck = later.length === waiting.length;
      waiting = later;
    }
    return [...this.#leftOut(leftOut), ...this.#revisit.notKept];
  }

  /** Whether an index is in the tree, so that what it declared may be declared elsewhere below it. */
  #isThere(key: string): boolean {
    const state = this.#indexes.get(key);
    return key === THE_SITE || state === 'read' || state === 'unread';
  }

  #isAsked(url: string): boolean {
    return this.#crawledUrls.isDeclared(url) || this.#crawledUrls.isRequested(url);
  }

  #leftOut(notTried: readonly string[]): readonly Problem[] {
    const { isDeclared, isRequested } = this.#crawledUrls;
    const notRequested = [...this.#revisit.previous.documents]
      .filter(({ url }) => !isRequested(url) && !this.#shownUrls.has(documentKey(url)))
      // Where it is behind a redirect, an index declares the URL that leads to it.
      .filter(({ url, requestedUrls }) =>
        [url, ...requestedUrls].some((each) => isDeclared(each) && !isRequested(each)),
      )
      .map(({ url }) => url);
    const [first, ...others] = [...notTried, ...notRequested];
    if (first === undefined) return [];
    const which = others.length === 0 ? first : `${first} and ${count(others.length, 'other sitemap')}`;
    const message = `${which} of the earlier tree: left out by a filter, a limit or another option.`;
    return [{ code: 'not-kept', message }];
  }
}

function stateOf(outcome: Outcome, options: ResolvedOptions): State {
  if (outcome.type !== 'invalid') {
    return outcome.freshness === 'stale' || isCut(outcome) ? 'unread' : 'read';
  }
  // Without `unread`, the document is not wanted at this place, or is read at another one.
  return outcome.facts?.unread === undefined || isGone(outcome, options) ? 'gone' : 'unread';
}
