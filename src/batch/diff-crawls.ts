/**
 * Compares two crawls of many sites: which pages were added, changed or removed.
 *
 * Only what is certain is reported. A site that is `complete` in both crawls is compared row by row. Otherwise, or if
 * the crawls looked for sitemaps in different ways, its archives are compared, if both crawls have them: nothing is
 * reported about documents that one side could not read (src/diff). Without archives no removals of such a site are
 * reported. Nor are they if only the later crawl has a filter, or if `maxPages` cut its rows; if that is so in the
 * earlier crawl, no additions are reported. A site that only one crawl has is added or removed as a whole.
 *
 * Sites with equal rows are not compared (equal-sites.ts). The other rows are sorted by a hash of site and URL into
 * files of about 50,000 rows, which are then compared one after the other. So memory depends on the number of sites
 * (16 bytes for each of a few sets), not on that of pages.
 */
import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_PAGES_COUNTED } from '../diff/diff-run.ts';
import {
  type ChangeRow,
  changeRow,
  HASHED_FIELDS,
  type RowValues,
  rowOfChange,
} from '../diff/page-change.ts';
import { pageFilter } from '../filter/filter-pages.ts';
import {
  type ComparedField,
  type DiffCounts,
  diffPages,
  loadTree,
  type Sitemap,
  SitemapException,
  SitemapPage,
} from '../index.ts';
import { OWN_ARCHIVE_SITEMAPS } from '../options/option-table.ts';
import { SeenUrls } from '../parse/seen-urls.ts';
import { fileTrouble, removeAll } from '../runtime/files.ts';
import { archiveOf } from './crawl-folder.ts';
import { choiceOf } from './crawl-options.ts';
import { type FinishedCrawl, finishedCrawl, rowsOfPart } from './crawl-rows.ts';
import { equalSites } from './equal-sites.ts';
import { linesIn, type SiteLine } from './journal.ts';
import { COLUMNS } from './output/parts.ts';
import type { Row } from './output/table-file.ts';

export interface CrawlDiffOptions {
  readonly compare: readonly ComparedField[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Whether all equal pages are counted. Then the pages of equal sites and documents are compared, too. */
  readonly countSame: boolean;
  readonly signal: AbortSignal;
  /** Called with each site that is not complete in both crawls, or whose rows `maxPages` cut in one of them. */
  readonly onUnsettled: (site: string, why: 'incomplete' | 'cut') => void;
  /** Called once, if flags that are not the same in both crawls make additions or removals unknown. */
  readonly onOtherFlags: (flags: readonly string[]) => void;
}

type Counts = { -readonly [Count in keyof DiffCounts]: number };

/** The values of a row that are compared: a time in milliseconds, a struct or a list as its hash. */
interface PageFacts extends Readonly<Partial<Record<ComparedField, string | number | undefined>>> {
  readonly site: string;
  readonly sitemap: string;
  readonly url: string;
  readonly lastModified?: number | undefined;
  readonly priority: number;
  readonly changeFrequency?: string | undefined;
}

const COLUMN_AT = new Map(COLUMNS.map(({ name }, at) => [name, at]));

/**
 * The changes between the crawls in two folders, in no particular order.
 *
 * @throws SitemapException while it is iterated, if a folder is not a finished crawl
 */
export function diffCrawls(
  before: string,
  after: string,
  options: CrawlDiffOptions,
): AsyncIterable<ChangeRow> & { readonly counts: DiffCounts } {
  const counts: Counts = { ...NO_PAGES_COUNTED };
  return { counts, [Symbol.asyncIterator]: () => changes(before, after, options, counts) };
}

async function* changes(
  before: string,
  after: string,
  options: CrawlDiffOptions,
  counts: Counts,
): AsyncGenerator<ChangeRow, void, undefined> {
  const crawls = [await finishedCrawl(before), await finishedCrawl(after)] as const;
  const plan = await planOf(crawls, options);
  const whyNot = pageFilter({ include: options.include, exclude: options.exclude })?.();
  const isLeftOut = (url: string): boolean => whyNot?.(new SitemapPage({ url })) !== undefined;
  const equal = options.countSame ? new SeenUrls() : await equalSites(...crawls, options.signal);
  const isNotCompared = (site: string): boolean => plan.byArchive.has(site) || equal.has(site);
  const spill = await createSpill(crawls);
  try {
    for (const [at, crawl] of crawls.entries()) {
      for await (const pages of pagesOf(crawl, isNotCompared, options.signal)) {
        await spill.add(
          at,
          pages.filter(({ url }) => !isLeftOut(url)),
        );
      }
    }
    for await (const [earlier, later] of spill.buckets()) {
      options.signal.throwIfAborted();
      yield* changesBetween(earlier, later, plan, options.compare, counts);
    }
  } finally {
    await spill.remove();
  }
  for await (const { site } of linesIn(crawls[1].folder))
    if (plan.byArchive.has(site)) yield* changesOfArchives(site, crawls, options, counts);
}

interface Plan {
  /** Sites of both crawls whose archives are compared. */
  readonly byArchive: SeenUrls;
  readonly additionsUnknown: SeenUrls;
  readonly removalsUnknown: SeenUrls;
}

async function planOf(
  [before, after]: readonly [FinishedCrawl, FinishedCrawl],
  { onUnsettled, onOtherFlags }: CrawlDiffOptions,
): Promise<Plan> {
  const [inBefore, incomplete, empty] = [new SeenUrls(), new SeenUrls(), new SeenUrls()];
  const [cut, archived] = [new SeenUrls(), new SeenUrls()];
  const [byArchive, additionsUnknown, removalsUnknown] = [new SeenUrls(), new SeenUrls(), new SeenUrls()];
  const [chosenBefore, chosenAfter] = [
    choiceOf(before.description.options),
    choiceOf(after.description.options),
  ];
  const onlyBefore = narrowingFlags(chosenBefore, chosenAfter);
  const onlyAfter = narrowingFlags(chosenAfter, chosenBefore);
  const isEveryPage = !hasPageFilter(before) && !hasPageFilter(after);
  for await (const line of linesIn(before.folder)) {
    inBefore.add(line.site);
    if (isPartial(line)) incomplete.add(line.site);
    if (line.pages === 0) empty.add(line.site);
    if (isCut(line)) cut.add(line.site);
    if (line.archive !== undefined) archived.add(line.site);
  }
  for await (const line of linesIn(after.folder)) {
    const { site } = line;
    // A site that has no row in either crawl has nothing to lose.
    if (!inBefore.has(site) || (line.pages === 0 && empty.has(site))) continue;
    const isIncomplete = isPartial(line) || incomplete.has(site);
    const [isCutBefore, isCutAfter] = [cut.has(site), isCut(line)];
    const isAdditionUnknown = isCutBefore || onlyBefore.length > 0;
    const isRemovalUnknown = isIncomplete || isCutAfter || onlyAfter.length > 0;
    if (!isAdditionUnknown && !isRemovalUnknown) continue;
    const isArchived = line.archive !== undefined && archived.has(site);
    if (isArchived && isEveryPage && !isCutBefore && !isCutAfter) {
      byArchive.add(site);
      continue;
    }
    if (isAdditionUnknown) additionsUnknown.add(site);
    if (isRemovalUnknown) removalsUnknown.add(site);
    if (isIncomplete) onUnsettled(site, 'incomplete');
    else if (isCutBefore || isCutAfter) onUnsettled(site, 'cut');
  }
  const flags = [...new Set([...onlyBefore, ...onlyAfter])];
  if (flags.length > 0 && additionsUnknown.size + removalsUnknown.size > 0) onOtherFlags(flags);
  return { byArchive, additionsUnknown, removalsUnknown };
}

/** Whether a flag can make the rows of a site differ from the pages in its archive. */
function hasPageFilter({ description: { options } }: FinishedCrawl): boolean {
  const names = ['include', 'exclude', 'since', 'until', 'onlyAllowed', 'hosts', 'sample', 'listAlternates'];
  return names.some((name) => options[name] !== undefined);
}

/** Whether `maxPages` ended the rows of a site, which may then have more pages. */
function isCut({ stopped }: SiteLine): boolean {
  return stopped?.limit === 'maxPages';
}

/** Whether sitemaps of a site are missing, not only rows. */
function isPartial(line: SiteLine): boolean {
  return line.outcome !== 'complete' && !(line.code === 'limit' && isCut(line));
}

/** The flags by which a crawl may leave out pages that the other crawl lists. */
function narrowingFlags(
  choice: ReturnType<typeof choiceOf>,
  other: ReturnType<typeof choiceOf>,
): readonly string[] {
  return Object.keys(choice).filter(
    (flag) => choice[flag] !== undefined && JSON.stringify(choice[flag]) !== JSON.stringify(other[flag]),
  );
}

/** The rows of all sites that are not left out. */
async function* pagesOf(
  crawl: FinishedCrawl,
  isLeftOut: (site: string) => boolean,
  signal: AbortSignal,
): AsyncGenerator<readonly PageFacts[], void, undefined> {
  const parts = new Set<string>();
  for await (const line of linesIn(crawl.folder))
    if (!isLeftOut(line.site)) for (const part of line.parts) parts.add(part);
  for (const part of parts)
    for await (const rows of rowsOfPart(crawl, part, COLUMNS, signal))
      yield rows.filter(([site]) => !isLeftOut(String(site))).map(factsOf);
}

/** The values of a row, the same for every format: in CSV all values are text, in NDJSON times are. */
function factsOf(row: Row): PageFacts {
  const value = (name: string): unknown => row[COLUMN_AT.get(name) ?? -1];
  const text = (name: string): string | undefined => {
    const cell = value(name);
    return cell === undefined ? undefined : String(cell);
  };
  const time = value('lastModified');
  const lastModified =
    time === undefined ? undefined : new Date(time instanceof Date ? time : String(time)).getTime();
  if (Number.isNaN(lastModified)) throw new Error('a row has an invalid date');
  return {
    site: String(value('site')),
    sitemap: String(value('sitemap')),
    url: String(value('url')),
    lastModified,
    // The default of the protocol.
    priority: Number(value('priority') ?? 0.5),
    changeFrequency: text('changeFrequency'),
    ...Object.fromEntries(HASHED_FIELDS.map((field) => [field, hashOf(field, value(field))])),
  };
}

/** The hash of a struct or a list. In CSV the value is JSON text. The order of alternates does not matter. */
function hashOf(field: ComparedField, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const plain: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  const json = (part: unknown): string =>
    JSON.stringify(part, (name, inner) => (name.endsWith('Text') ? undefined : (inner ?? undefined)));
  const text = field === 'alternates' && Array.isArray(plain) ? plain.map(json).sort().join() : json(plain);
  return createHash('sha256').update(text).digest('base64').slice(0, 12);
}

const BUCKET_ROWS = 50_000;
const MOST_BUCKETS = 4_096;
const BUFFERED_CHARACTERS = 16 * 1024;

/** Rows in temporary files. All rows of one URL of one site are in the same file. */
async function createSpill(crawls: readonly FinishedCrawl[]) {
  const rows = crawls.reduce((sum, { description }) => sum + description.finished.pages, 0);
  const size = Math.min(MOST_BUCKETS, Math.ceil(rows / BUCKET_ROWS) + 1);
  const waiting = Array.from({ length: size }, () => '');
  const fail = (cause: unknown): never => {
    const why = fileTrouble(cause);
    const message = `Rows cannot be sorted in ${tmpdir()}: ${why}. Set TMPDIR to another folder.`;
    throw new SitemapException(message, { code: 'folder-unwritable', cause });
  };
  const folder = await mkdtemp(join(tmpdir(), 'usp-diff-')).catch(fail);
  const flush = async (bucket: number): Promise<void> => {
    const text = waiting[bucket] ?? '';
    waiting[bucket] = '';
    await appendFile(join(folder, String(bucket)), text).catch(fail);
  };
  return {
    async add(crawl: number, pages: readonly PageFacts[]): Promise<void> {
      for (const page of pages) {
        const bucket = createHash('sha1').update(keyOf(page)).digest().readUInt32LE() % size;
        const text = `${waiting[bucket]}${JSON.stringify([crawl, page])}\n`;
        waiting[bucket] = text;
        if (text.length > BUFFERED_CHARACTERS) await flush(bucket);
      }
    },
    /** The rows of both crawls, a file at a time. */
    async *buckets(): AsyncGenerator<readonly [readonly PageFacts[], readonly PageFacts[]], void, undefined> {
      for (const bucket of waiting.keys()) {
        await flush(bucket);
        const path = join(folder, String(bucket));
        const sides: [PageFacts[], PageFacts[]] = [[], []];
        for (const line of (await readFile(path, 'utf8')).split('\n')) {
          if (line === '') continue;
          // Written by `add`.
          const [crawl, page] = JSON.parse(line) as [0 | 1, PageFacts];
          sides[crawl].push(page);
        }
        await rm(path);
        yield sides;
      }
    },
    remove: () => removeAll(folder),
  };
}

function keyOf({ site, url }: PageFacts): string {
  return `${site}\n${url}`;
}

/** If a crawl lists a page several times, its first row counts. */
function* changesBetween(
  earlier: readonly PageFacts[],
  later: readonly PageFacts[],
  { additionsUnknown, removalsUnknown }: Plan,
  compare: readonly ComparedField[],
  counts: Counts,
): Generator<ChangeRow, void, undefined> {
  const unmatched = new Map<string, PageFacts>();
  for (const page of earlier) if (!unmatched.has(keyOf(page))) unmatched.set(keyOf(page), page);
  const seen = new Set<string>();
  for (const page of later) {
    const key = keyOf(page);
    if (seen.has(key)) continue;
    seen.add(key);
    const old = unmatched.get(key);
    unmatched.delete(key);
    const fields = old === undefined ? [] : compare.filter((field) => old[field] !== page[field]);
    if (old === undefined) yield* certainChange('added', page, additionsUnknown, counts);
    else if (fields.length === 0) counts.same++;
    else {
      counts.changed++;
      yield changeRow({
        ...page,
        type: 'changed',
        page: comparedValues(page),
        fields,
        before: comparedValues(old),
      });
    }
  }
  for (const page of unmatched.values()) yield* certainChange('removed', page, removalsUnknown, counts);
}

function* certainChange(
  type: 'added' | 'removed',
  page: PageFacts,
  unknown: SeenUrls,
  counts: Counts,
): Generator<ChangeRow, void, undefined> {
  const isUnknown = unknown.has(page.site);
  counts[isUnknown ? 'unknown' : type]++;
  if (!isUnknown) yield changeRow({ ...page, type, page: comparedValues(page), fields: undefined });
}

function comparedValues({ lastModified: time, priority, changeFrequency }: PageFacts): RowValues {
  return { lastModified: time === undefined ? undefined : new Date(time), priority, changeFrequency };
}

async function* changesOfArchives(
  site: string,
  [earlierCrawl, laterCrawl]: readonly [FinishedCrawl, FinishedCrawl],
  { onUnsettled: _sites, onOtherFlags: _flags, ...options }: CrawlDiffOptions,
  counts: Counts,
): AsyncGenerator<ChangeRow, void, undefined> {
  const load = ({ folder }: FinishedCrawl): Promise<Sitemap> =>
    loadTree(join(folder.path, archiveOf(site)), { maxSitemaps: OWN_ARCHIVE_SITEMAPS });
  const earlier = await load(earlierCrawl);
  try {
    const later = await load(laterCrawl);
    try {
      const changed = diffPages(earlier, later, { ...options, damaged: 'unknown' });
      for await (const change of changed) yield rowOfChange(change, site);
      for (const name of COUNT_NAMES) counts[name] += changed.counts[name];
    } finally {
      later.close();
    }
  } finally {
    earlier.close();
  }
}

const COUNT_NAMES = ['added', 'removed', 'changed', 'same', 'unknown'] as const;
