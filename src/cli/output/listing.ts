/** What `ls`, `parse` and `load` have in common: pages or a tree in, the chosen format out. */
import { SeenUrls, type Sitemap, type SitemapPage, walkTree } from '../../index.ts';
import { strippable, stripUrl } from '../args/address.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type ListedPage, PageFilter, type PageFlags } from '../filter/page-filter.ts';
import type { CliIO } from '../io.ts';
import { UsageError } from '../messages/endings.ts';
import type { Reporter } from '../messages/reporter.ts';
import type { PageFormat, SitemapFormat, Style, TreeFormat } from '../render/format.ts';
import { PAGE_FORMATS, SITEMAP_FORMATS, sitemapRows, TREE_FORMATS } from '../render/formats.ts';
import { ListingOutput, type OutputOptions } from './output.ts';

export interface ListingOptions extends PageFlags, OutputOptions {
  readonly stripUrl?: boolean | undefined;
  /** `--no-pages` makes it false. */
  readonly pages?: boolean | undefined;
  readonly unique?: boolean | undefined;
  readonly ordered?: boolean | undefined;
  readonly strict?: boolean | undefined;
}

export interface ListedSite {
  /** What `--strip-url` removes from the start of URLs. */
  readonly base: string;
  /** The name of the site, where several are listed. */
  readonly site?: string | undefined;
}

/** How many pages are written at once: what is small is collected before it gets old. */
const AT_ONCE = 128;

interface Formats {
  readonly page: PageFormat | undefined;
  readonly sitemap: SitemapFormat | undefined;
  readonly tree: TreeFormat | undefined;
}

/** One command's listing: of one site or several. */
export class Listing {
  readonly #options: ListingOptions;
  readonly #output: ListingOutput;
  readonly #formats: Formats;
  readonly #seen: SeenUrls | undefined;
  #isStarted = false;

  private constructor(options: ListingOptions, output: ListingOutput, formats: Formats) {
    this.#options = options;
    this.#output = output;
    this.#formats = formats;
    // A sitemap lists each page once.
    this.#seen = options.unique === true || options.format === 'sitemap' ? new SeenUrls() : undefined;
  }

  /** @throws UsageError for options that contradict each other, or an output that cannot be written */
  static async open(options: ListingOptions, io: CliIO): Promise<Listing> {
    const formats = await formatsOf(options);
    return new Listing(options, await ListingOutput.open(options, io), formats);
  }

  /** Whether pages are printed one by one as they come, so that no tree is needed. */
  get isOfPages(): boolean {
    return this.#formats.page !== undefined;
  }

  /** The filter for the pages of one site. @param counting - whether distinct pages are counted */
  filter(counting: { readonly distinct: boolean } = { distinct: false }): PageFilter {
    return new PageFilter(this.#options, this.#seen, counting);
  }

  /** Prints pages as they arrive; ends when there are no more, or when `--max-pages` is reached. */
  async printPages(
    batches: AsyncIterable<readonly ListedPage[]>,
    site: ListedSite,
    filter: PageFilter,
  ): Promise<void> {
    const { page: format } = this.#formats;
    if (format === undefined) return;
    const style = this.#style(site, filter);
    await this.#start(format.header(style));
    for await (const batch of batches) {
      const kept = filter.keep(batch, pageOf);
      for (let at = 0; at < kept.length; at += AT_ONCE) {
        await this.#output.write(format.lines(kept.slice(at, at + AT_ONCE), style));
      }
      if (filter.isFull) break;
    }
  }

  async printTree(tree: Sitemap, site: ListedSite, filter: PageFilter): Promise<void> {
    const { sitemap, tree: format } = this.#formats;
    if (sitemap !== undefined) await this.#printSitemaps(tree, site, sitemap);
    else if (format !== undefined) await this.#printWhole(tree, site, filter, format);
    else await this.printPages(pagesOfTree(tree, this.#options.ordered === true), site, filter);
  }

  async #printSitemaps(tree: Sitemap, site: ListedSite, format: SitemapFormat): Promise<void> {
    const style = this.#style(site);
    await this.#start(format.header(style));
    for (const row of sitemapRows(tree)) {
      await this.#output.write(format.lines([row], style));
    }
  }

  async #printWhole(tree: Sitemap, site: ListedSite, filter: PageFilter, format: TreeFormat): Promise<void> {
    const style = {
      ...this.#style(site, filter),
      filter,
      withPages: this.#options.pages !== false,
      hasColour: this.#output.hasColour,
      signal: this.#output.signal,
    };
    // An empty line between the trees of two sites; a document of JSON is one line.
    if (this.#isStarted && ['tree', 'summary'].includes(this.#options.format)) await this.#output.write('\n');
    this.#isStarted = true;
    for await (const piece of format(tree, style)) {
      await this.#output.write(piece);
    }
  }

  async #start(header: string): Promise<void> {
    if (!this.#isStarted) await this.#output.write(header);
    this.#isStarted = true;
  }

  #style({ base, site }: ListedSite, filter?: PageFilter): Style {
    const prefix = strippable(base);
    const isShort = this.#options.stripUrl === true;
    return {
      isShort,
      shorten: isShort ? (url) => stripUrl(url, prefix) : (url) => url,
      site,
      verdictOf: filter?.verdictOf,
      isRaw: this.#options.csvRaw === true,
    };
  }

  /** @returns `noneFound` where the format needs a page, and there is none: a file stays what it was before */
  async finish(reporter: Reporter): Promise<ExitCode> {
    const end = this.#isStarted ? this.#formats.page?.end?.() : undefined;
    if (end !== undefined) await this.#output.write(end.text);
    for (const note of end?.notes ?? []) reporter.say(note);
    if (end?.isEmpty === true) {
      reporter.error('there is no page to write; a sitemap has at least one.');
      return EXIT.noneFound;
    }
    await this.#output.finish();
    return EXIT.ok;
  }

  async discard(): Promise<void> {
    await this.#output.discard();
  }
}

async function formatsOf({ format, pages, stripUrl }: ListingOptions): Promise<Formats> {
  if (format === 'sitemap' && stripUrl === true)
    throw new UsageError('-u (--strip-url) leaves relative URLs, which a sitemap may not have.');
  const isInventory = pages === false && SITEMAP_FORMATS[format] !== undefined;
  const isOfPages = PAGE_FORMATS[format] !== undefined || format.startsWith('summary');
  if (pages === false && !isInventory && isOfPages) {
    throw new UsageError(`--no-pages leaves nothing to print with the format ${format}.`, {
      hint: '-f tabtree, tree, json, csv and ndjson list sitemaps too.',
    });
  }
  const [page, sitemap, tree] = await Promise.all([
    isInventory ? undefined : PAGE_FORMATS[format]?.(),
    isInventory ? SITEMAP_FORMATS[format]?.() : undefined,
    TREE_FORMATS[format]?.(),
  ]);
  return { page, sitemap, tree };
}

function pageOf({ page }: ListedPage): SitemapPage {
  return page;
}

/** @param withRepeats - whether a sitemap at several places of the tree is listed at each */
async function* pagesOfTree(
  tree: Sitemap,
  withRepeats: boolean,
): AsyncGenerator<readonly ListedPage[], void, undefined> {
  const listed = new Set<string>();
  for (const { sitemap } of walkTree(tree)) {
    if (!sitemap.kind.startsWith('pages-') || (!withRepeats && listed.has(sitemap.url))) continue;
    listed.add(sitemap.url);
    for await (const batch of sitemap.pages.batchesAsync()) yield batch.map((page) => ({ page, sitemap }));
  }
}
