/** The listing of `usp ls`: pages or a tree in, the chosen format out. */
import { type AddAlternates, Alternates, sampledFrom } from '../../filter/alternates.ts';
import { PageChoice } from '../../filter/page-choice.ts';
import { hostsOfTree } from '../../filter/site-hosts.ts';
import { type Sitemap, type SitemapPlace, walkTree } from '../../index.ts';
import { isPagesKind } from '../../parse/model/kinds.ts';
import { SeenUrls } from '../../parse/seen-urls.ts';
import { urlKey } from '../../url.ts';
import { EXIT, type ExitCode, isDamage, UsageError } from '../endings.ts';
import type { CommandIO, Reporter } from '../io.ts';
import { type PageAndSitemap, PageFilter } from '../page-filter.ts';
import type { ListingFlags, PageFlags } from '../program/flags.ts';
import {
  csv,
  csvOfSitemaps,
  json,
  type LineFormat,
  ndjson,
  ndjsonOfSitemaps,
  pages,
  type Style,
  type TreeFormat,
  tabtree,
  tree,
} from '../render/formats.ts';
import { checkCsvFlags, ListingOutput, type OutputOptions } from './output.ts';

export type ListingOptions = ListingFlags & PageFlags & OutputOptions;

export interface ListedSite {
  /** What `--strip-url` removes from the start of URLs, but for its last slash. */
  readonly base: string;
  /** The name of the site, where several are listed. */
  readonly site?: string | undefined;
}

/** Pages per write: few, so that their strings die young. */
const AT_ONCE = 128;

/** What a format lists, as `--no-pages` and the format decide it. */
type ChosenFormat =
  | { readonly of: 'pages'; readonly format: LineFormat<PageAndSitemap> }
  | { readonly of: 'sitemaps'; readonly format: LineFormat<SitemapPlace> }
  | { readonly of: 'tree'; readonly format: TreeFormat };

/** What needs more than others is loaded when it is used. */
type Formats<Format> = ReadonlyMap<string, () => Format | Promise<Format>>;

const PAGE_FORMATS: Formats<LineFormat<PageAndSitemap>> = new Map(
  Object.entries<() => LineFormat<PageAndSitemap> | Promise<LineFormat<PageAndSitemap>>>({
    pages: () => pages,
    ndjson: () => ndjson,
    csv: () => csv,
    sitemap: async () => (await import('../render/sitemap-format.ts')).sitemapFormat(),
  }),
);

const SITEMAP_FORMATS: Formats<LineFormat<SitemapPlace>> = new Map(
  Object.entries<() => LineFormat<SitemapPlace> | Promise<LineFormat<SitemapPlace>>>({
    ndjson: () => ndjsonOfSitemaps,
    csv: () => csvOfSitemaps,
  }),
);

const TREE_FORMATS: Formats<TreeFormat> = new Map(
  Object.entries<() => TreeFormat | Promise<TreeFormat>>({
    tabtree: () => tabtree,
    tree: () => tree,
    json: () => json,
    summary: async () => (await import('../render/summary.ts')).summary,
    'summary-json': async () => (await import('../render/summary.ts')).summaryJson,
  }),
);

export class Listing {
  readonly #options: ListingOptions;
  readonly #output: ListingOutput;
  readonly #format: ChosenFormat;
  readonly #seen: SeenUrls | undefined;
  #isStarted = false;

  private constructor(options: ListingOptions, output: ListingOutput, format: ChosenFormat) {
    this.#options = options;
    this.#output = output;
    this.#format = format;
    // A sitemap lists each page once.
    this.#seen = options.unique === true || options.format === 'sitemap' ? new SeenUrls() : undefined;
  }

  /** @throws UsageError for options that contradict each other, or an output that cannot be written */
  static async open(options: ListingOptions, io: CommandIO): Promise<Listing> {
    if (options.sample !== undefined && options.maxPages !== undefined)
      throw new UsageError('--sample and --max-pages cannot be combined.');
    checkCsvFlags(options, [options.format]);
    const format = await chosenFormat(options);
    return new Listing(options, await ListingOutput.open(options, io), format);
  }

  /** Whether pages are printed one by one as they come, so that no tree is needed. */
  get isOfPages(): boolean {
    return this.#format.of === 'pages';
  }

  /** The filter for the pages of one site. @param counting - whether distinct pages are counted */
  filter(counting: { readonly distinct: boolean } = { distinct: false }): PageFilter {
    return new PageFilter(this.#options, this.#seen, counting);
  }

  /** Prints pages as they arrive; ends when there are no more, or when `--max-pages` is reached. */
  async printPages(
    batches: AsyncIterable<readonly PageAndSitemap[]>,
    site: ListedSite,
    filter: PageFilter,
  ): Promise<void> {
    if (this.#format.of !== 'pages') return;
    const { format } = this.#format;
    const style = this.#style(site, filter);
    await this.#start(format.begin?.(style));
    for await (const batch of batches) {
      const items = filter.keep(batch, ({ page }) => page);
      for (let at = 0; at < items.length; at += AT_ONCE) {
        const lines = items.slice(at, at + AT_ONCE).map((item) => format.item(item, style));
        await this.#output.write(lines.join(''));
      }
      if (filter.isFull) break;
    }
  }

  async printTree(tree: Sitemap, site: ListedSite, filter: PageFilter): Promise<void> {
    const { of, format } = this.#format;
    filter.site = hostsOfTree(tree);
    const { sample, listAlternates, ordered = false } = this.#options;
    const alternates =
      listAlternates === true ? await Alternates.of(tree.allPages().batchesAsync()) : undefined;
    if (sample !== undefined)
      filter.sampleKeys = await this.#sampleKeys(tree, filter, sample, alternates?.pass());
    filter.addAlternates = alternates?.pass();
    if (of === 'sitemaps') await this.#printSitemaps(tree, site, format);
    else if (of === 'tree') await this.#printWhole(tree, site, filter, format);
    else await this.printPages(pagesOfTree(tree, ordered, filter.addAlternates), site, filter);
  }

  /** Reads the pages for the first time: which are in the sample, after all filters. */
  async #sampleKeys(
    tree: Sitemap,
    { site, verdictOf }: PageFilter,
    size: number,
    addAlternates: AddAlternates | undefined,
  ): Promise<Set<string>> {
    const choice = new PageChoice<undefined>(size);
    const filter = Object.assign(new PageFilter(this.#options, undefined), { site, verdictOf });
    for await (const batch of pagesOfTree(tree, false, addAlternates))
      for (const { page, sitemap } of filter.keep(batch, (item) => item.page))
        choice.note(sampledFrom(page, sitemap.url), urlKey(page.url), () => undefined);
    return choice.keys;
  }

  async #printSitemaps(tree: Sitemap, site: ListedSite, format: LineFormat<SitemapPlace>): Promise<void> {
    const style = this.#style(site);
    await this.#start(format.begin?.(style));
    for (const place of walkTree(tree)) {
      if (place.sitemap.kind !== 'website') await this.#output.write(format.item(place, style));
    }
  }

  async #printWhole(tree: Sitemap, site: ListedSite, filter: PageFilter, format: TreeFormat): Promise<void> {
    const style = {
      ...this.#style(site, filter),
      filter,
      withPages: this.#options.pages !== false,
      signal: this.#output.signal,
    };
    // An empty line between the trees of two sites; a document of JSON is one line.
    if (this.#isStarted && ['tree', 'summary'].includes(this.#options.format)) await this.#output.write('\n');
    this.#isStarted = true;
    let isBegun = false;
    try {
      for await (const piece of format(tree, style)) {
        await this.#output.write(piece);
        isBegun = true;
      }
    } catch (error) {
      // The document of the next input begins its own line.
      if (isBegun && this.#options.format === 'json' && isDamage(error)) await this.#output.write('\n');
      throw error;
    }
  }

  async #start(header = ''): Promise<void> {
    if (!this.#isStarted) await this.#output.write(header);
    this.#isStarted = true;
  }

  #style({ base, site }: ListedSite, filter?: PageFilter): Style {
    const prefix = base.replace(/\/+$/, '');
    const isShort = this.#options.stripUrl === true;
    return {
      isShort,
      shorten: isShort ? (url) => stripUrl(url, prefix) : (url) => url,
      site,
      verdictOf: filter?.verdictOf,
      ...this.#output.csv,
      paint: this.#output.paint,
    };
  }

  /** @returns `noneFound` if the format needs a page, and there is none: then an existing file stays */
  async finish(reporter: Reporter): Promise<ExitCode> {
    const { of, format } = this.#format;
    if (this.#isStarted && of === 'pages') await this.#output.write(format.end?.() ?? '');
    const { notes = [], isEmpty = false } = (this.#isStarted && of === 'pages' && format.remarks?.()) || {};
    for (const note of notes) reporter.say(note);
    if (isEmpty) {
      reporter.error('there is no page to write; a sitemap has at least one.');
      return EXIT.noneFound;
    }
    await this.#output.finish();
    return EXIT.ok;
  }
}

async function chosenFormat({ format, pages: withPages, stripUrl }: ListingOptions): Promise<ChosenFormat> {
  if (format === 'sitemap' && stripUrl === true)
    throw new UsageError('-u (--strip-url) leaves relative URLs, which a sitemap may not have.');
  const [ofPages, ofSitemaps, ofTree] = [
    PAGE_FORMATS.get(format),
    SITEMAP_FORMATS.get(format),
    TREE_FORMATS.get(format),
  ];
  if (withPages === false && ofSitemaps !== undefined) return { of: 'sitemaps', format: await ofSitemaps() };
  if (withPages === false && (ofPages !== undefined || format.startsWith('summary'))) {
    throw new UsageError(`--no-pages leaves nothing to print with the format ${format}.`, {
      hint: '-f tabtree, tree, json, csv and ndjson list sitemaps too.',
    });
  }
  return ofPages === undefined
    ? { of: 'tree', format: await ofTree!() }
    : { of: 'pages', format: await ofPages() };
}

/** @param withRepeats - whether a sitemap at several places of the tree is listed at each */
async function* pagesOfTree(
  tree: Sitemap,
  withRepeats: boolean,
  addAlternates: AddAlternates = (pages) => pages,
): AsyncGenerator<readonly PageAndSitemap[], void, undefined> {
  const urls = new Set<string>();
  for (const { sitemap } of walkTree(tree)) {
    if (!isPagesKind(sitemap.kind) || (!withRepeats && urls.has(sitemap.url))) continue;
    urls.add(sitemap.url);
    for await (const batch of sitemap.pages.batchesAsync())
      yield addAlternates(batch).map((page) => ({ page, sitemap }));
  }
}

/** A URL without the site's address at its start; the address itself becomes `/`. */
export function stripUrl(url: string, prefix: string): string {
  if (!url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  if (rest === '') return '/';
  return /^[/?#]/.test(rest) ? rest : url;
}
