/** The changes of a site that is read for the first time: every page is added, each once. */
import type { DiffCounts, PageChange } from '../../index.ts';
import { pageFilter, SeenUrls, type Sitemap, type UrlPattern, walkTree } from '../../index.ts';
import type { Changes } from './change-listing.ts';

/** Which pages are listed. */
export interface AddedOptions {
  readonly include?: readonly UrlPattern[] | undefined;
  readonly exclude?: readonly UrlPattern[] | undefined;
}

/** All pages of a tree, as changes. */
export class AllAdded implements Changes {
  readonly #tree: Sitemap;
  readonly #options: AddedOptions;
  #added = 0;

  constructor(tree: Sitemap, { include = [], exclude = [] }: AddedOptions) {
    this.#tree = tree;
    this.#options = { include, exclude };
  }

  get counts(): DiffCounts {
    return { added: this.#added, removed: 0, changed: 0, same: 0, unknown: 0 };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<PageChange, void, undefined> {
    const { include = [], exclude = [] } = this.#options;
    const whyNot = include.length + exclude.length === 0 ? undefined : pageFilter({ include, exclude });
    const seen = new SeenUrls();
    for (const { sitemap } of walkTree(this.#tree)) {
      for await (const page of sitemap.pages) {
        if (whyNot?.(page) !== undefined || !seen.add(page.url)) continue;
        this.#added++;
        yield { type: 'added', page, sitemap };
      }
    }
  }
}
