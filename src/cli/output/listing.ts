/** What `ls`, `parse` and `load` have in common: pages or a tree in, the chosen format out. */
import { SeenUrls, type Sitemap, type SitemapPage } from '../../index.ts';
import { strippable, stripUrl } from '../args/address.ts';
import { type ListedPage, PageFilter, type PageFlags } from '../filter/page-filter.ts';
import { type CliIO, hasColour } from '../io.ts';
import { escapeForTerminal } from '../messages/escape.ts';
import { UsageError } from '../messages/failure.ts';
import type { PageFormat, Style, TreeFormat } from '../render/format.ts';
import { PAGE_FORMATS, TREE_FORMATS } from '../render/formats.ts';
import { openOutput } from './open-output.ts';
import type { Output } from './output.ts';

/** The options of a listing. */
export interface ListingOptions extends PageFlags {
  readonly format: string;
  readonly output?: string | undefined;
  readonly stripUrl?: boolean | undefined;
  /** `--no-pages` makes it false. */
  readonly pages?: boolean | undefined;
  readonly unique?: boolean | undefined;
  readonly ordered?: boolean | undefined;
  readonly strict?: boolean | undefined;
}

/** So many pages are written at once: what is small is collected before it gets old. */
const AT_ONCE = 128;

/** One command's listing: of one site or several. */
export class Listing {
  readonly #options: ListingOptions;
  readonly #io: CliIO;
  readonly #output: Output;
  readonly #pageFormat: PageFormat | undefined;
  readonly #treeFormat: TreeFormat | undefined;
  readonly #seen: SeenUrls | undefined;
  #isStarted = false;

  private constructor(
    options: ListingOptions,
    io: CliIO,
    output: Output,
    formats: { readonly page: PageFormat | undefined; readonly tree: TreeFormat | undefined },
  ) {
    this.#options = options;
    this.#io = io;
    this.#output = output;
    this.#pageFormat = formats.page;
    this.#treeFormat = formats.tree;
    this.#seen = options.unique === true ? new SeenUrls() : undefined;
  }

  /** @throws UsageError for options that contradict each other, or an output that cannot be written */
  static async open(options: ListingOptions, io: CliIO): Promise<Listing> {
    const { format, output, pages } = options;
    const [page, tree] = await Promise.all([PAGE_FORMATS[format]?.(), TREE_FORMATS[format]?.()]);
    if (page !== undefined && pages === false) {
      throw new UsageError(`--no-pages leaves nothing to print with the format ${format}.`, {
        hint: '-f tabtree, tree and json show sitemaps too.',
      });
    }
    return new Listing(options, io, await openOutput(output, io), { page, tree });
  }

  /** Whether pages are printed one by one as they come, so that no tree is needed. */
  get isOfPages(): boolean {
    return this.#pageFormat !== undefined;
  }

  /** The filter for the pages of one site. */
  filter(): PageFilter {
    return new PageFilter(this.#options, this.#seen);
  }

  /** Prints pages as they arrive; ends when there are no more, or when `--max-pages` is reached. */
  async printPages(
    batches: AsyncIterable<readonly ListedPage[]>,
    base: string,
    filter: PageFilter,
  ): Promise<void> {
    const format = this.#pageFormat;
    if (format === undefined) return;
    const style = this.#style(base);
    if (!this.#isStarted) await this.#output.write(format.header);
    this.#isStarted = true;
    for await (const batch of batches) {
      this.#io.signal.throwIfAborted();
      const kept = filter.keep(batch, pageOf);
      for (let at = 0; at < kept.length; at += AT_ONCE) {
        await this.#output.write(format.lines(kept.slice(at, at + AT_ONCE), style));
      }
      if (filter.isFull) break;
    }
  }

  /** Prints a tree, or its pages in its order. */
  async printTree(tree: Sitemap, base: string, filter: PageFilter): Promise<void> {
    if (this.#treeFormat === undefined) {
      await this.printPages(pagesOfTree(tree, this.#options.ordered === true), base, filter);
      return;
    }
    const style = {
      ...this.#style(base),
      filter,
      withPages: this.#options.pages !== false,
      hasColour: this.#output.isTerminal && hasColour(this.#io, 'stdout'),
    };
    // A line between the trees of two sites; lines of JSON stand for themselves.
    if (this.#isStarted && this.#options.format === 'tree') await this.#output.write('\n');
    this.#isStarted = true;
    for await (const piece of this.#treeFormat(tree, style)) {
      this.#io.signal.throwIfAborted();
      await this.#output.write(piece);
    }
  }

  #style(base: string): Style {
    const prefix = strippable(base);
    const isShort = this.#options.stripUrl === true;
    return {
      isShort,
      shorten: isShort ? (url) => stripUrl(url, prefix) : (url) => url,
      defuse: this.#output.isTerminal ? escapeForTerminal : (text) => text,
    };
  }

  /** All is printed: a file takes its name. */
  async finish(): Promise<void> {
    await this.#output.finish();
  }

  /** Nothing is kept: a file stays what it was. */
  async discard(): Promise<void> {
    await this.#output.discard();
  }
}

function pageOf({ page }: ListedPage): SitemapPage {
  return page;
}

/** @param withRepeats - whether a sitemap that stands at several places is listed at each */
async function* pagesOfTree(
  tree: Sitemap,
  withRepeats: boolean,
): AsyncGenerator<readonly ListedPage[], void, undefined> {
  const listed = new Set<string>();
  for (const node of [tree, ...tree.allSitemaps()]) {
    if (!node.kind.startsWith('pages-') || (!withRepeats && listed.has(node.url))) continue;
    listed.add(node.url);
    for await (const batch of node.pages.batchesAsync()) yield batch.map((page) => ({ page, sitemap: node }));
  }
}
