/** `tree`: the sitemaps in box-drawing characters, each with what it is and how many pages it has. */

import { SeenUrls, type Sitemap, walkTree } from '../../index.ts';
import { count, KIND_NAMES, number, pagesInWords } from '../../problems/wording.ts';
import { problemsShown } from '../messages/site-messages.ts';
import type { PageFilter } from '../page-filter.ts';
import { sitemapName, type TreeFormat, type TreeStyle } from './formats.ts';

/** Counts the pages of a tree, and how many of them are distinct: a page may be in several sitemaps. */
class PageCounter {
  readonly #filter: PageFilter;
  readonly #signal: AbortSignal;
  /** Not needed for one document: it lists each page once. */
  readonly #seen: SeenUrls | undefined;
  /** The listed pages of each document: one at several places of the tree counts once. */
  readonly #counted = new Map<string, number>();
  pages = 0;

  constructor(tree: Sitemap, { filter, signal }: TreeStyle) {
    this.#filter = filter;
    this.#signal = signal;
    const documents = new Set<string>();
    for (const { sitemap } of walkTree(tree))
      if (sitemap.kind.startsWith('pages-')) documents.add(sitemap.url);
    this.#seen = documents.size > 1 ? new SeenUrls() : undefined;
  }

  get distinct(): number {
    return this.#seen?.size ?? this.pages;
  }

  async count(sitemap: Sitemap): Promise<number> {
    const known = this.#counted.get(sitemap.url);
    if (known !== undefined) return known;
    let listed = 0;
    // Not by `pageCount`, which reads the document in one go, and would not hear of an interruption.
    for await (const batch of sitemap.pages.batchesAsync()) {
      this.#signal.throwIfAborted();
      const kept = this.#filter.isOpen ? batch : this.#filter.keep(batch, (page) => page);
      listed += kept.length;
      for (const { url } of this.#seen === undefined ? [] : kept) this.#seen?.add(url);
    }
    this.#counted.set(sitemap.url, listed);
    this.pages += listed;
    return listed;
  }
}

export const tree: TreeFormat = async function* (top, style) {
  const { paint } = style;
  const sitemaps = new Set<string>();
  let unreadable = 0;
  const counter = new PageCounter(top, style);
  /** For each level down to the current node: whether the node there is the last child of its parent. */
  const isLastAt: boolean[] = [];
  for (const { sitemap: node, depth, isLast } of walkTree(top)) {
    isLastAt.length = depth;
    if (depth > 0) isLastAt[depth - 1] = isLast;
    const url = paint('blue', sitemapName(node, style));
    if (node.kind === 'website') {
      yield `${url}\n`;
      continue;
    }
    const branch = paint('dim', branchOf(isLastAt));
    if (node.kind === 'invalid') {
      // A child of a local document: it was not requested.
      if (node.code === 'not-fetched') {
        yield `${branch}${url} ${paint('dim', '(not fetched)')}\n`;
        continue;
      }
      unreadable++;
      yield `${branch}${url} ${paint('red', `(${whyUnreadable(node)})`)}\n`;
      continue;
    }
    if (node.kind !== 'robots-txt') sitemaps.add(node.url);
    const pages = style.withPages && node.kind.startsWith('pages-') ? await pagesNote(node, counter) : '';
    const notes = [
      ...[KIND_NAMES[node.kind], pages, node.freshness ?? '', redirectNote(node, style)],
      problemNote(node, style),
    ];
    yield `${branch}${url} ${paint('green', `(${notes.filter((note) => note !== '').join(', ')})`)}\n`;
  }
  const total = [
    count(sitemaps.size, 'sitemap'),
    style.withPages ? pagesInWords(counter.pages, counter.distinct) : '',
  ];
  if (unreadable > 0) total.push(`${number(unreadable)} unreadable`);
  yield `\n${total.filter((part) => part !== '').join(', ')}\n`;
};

function branchOf(isLastAt: readonly boolean[]): string {
  return isLastAt
    .map((isLast, index) => {
      if (index < isLastAt.length - 1) return isLast ? '    ' : '│   ';
      return isLast ? '└── ' : '├── ';
    })
    .join('');
}

async function pagesNote(node: Sitemap, counter: PageCounter): Promise<string> {
  const listed = await counter.count(node);
  const all = count(node.pageCount, 'page');
  return listed === node.pageCount ? all : `${number(listed)} of ${all}`;
}

function whyUnreadable(node: Sitemap & { readonly kind: 'invalid' }): string {
  const why = node.status === undefined ? node.code.replaceAll('-', ' ') : `HTTP ${node.status}`;
  return `unreadable: ${why}`;
}

function redirectNote({ declaredUrl }: Sitemap, { shorten }: TreeStyle): string {
  return declaredUrl === undefined ? '' : `redirected from ${shorten(declaredUrl)}`;
}

function problemNote(node: Sitemap, { withPages }: TreeStyle): string {
  const problems = problemsShown(node, withPages);
  return problems === 0 ? '' : count(problems, 'problem');
}
