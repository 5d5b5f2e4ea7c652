/**
 * What is new, changed or gone between two crawls of many sites.
 *
 * What a missing row does not show is not claimed. A site that is `complete` in both crawls is compared row by row. Where
 * it is not, or the crawls looked for sitemaps in different ways, its archives are compared, if both crawls have them:
 * documents that one side could not read claim nothing (src/diff). Without archives such a site gets no removals. Nor
 * does one whose rows in the later crawl are fewer by a filter of that crawl alone or by `maxPages`; where that is so in
 * the earlier crawl, it gets no additions. A site that only one crawl has is added or removed as a whole.
 *
 * Rows are sorted by a hash of site and URL into files of about 200,000 rows, which are then compared one after the
 * other. So memory depends on the number of sites (16 bytes for each of a few sets), not on that of pages.
 */
import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pageFilter } from '../filter/filter-pages.ts';
import {
  COMPARED_FIELDS,
  type ComparedField,
  diffPages,
  type EarlierPage,
  loadTree,
  type PageChange,
  SeenUrls,
  type Sitemap,
  SitemapException,
  SitemapPage,
} from '../index.ts';
import { OWN_ARCHIVE_SITEMAPS } from '../options/option-table.ts';
import { fileTrouble } from '../runtime/files.ts';
import {
  archiveOf,
  type CrawlDescription,
  type CrawlFolder,
  folderOfCrawl,
  readDescription,
} from './crawl-folder.ts';
import { linesIn, type SiteLine } from './journal.ts';
import { COLUMNS, readTable } from './output/parts.ts';
import { type Field, optional, type Row, required } from './output/table-file.ts';

export const CHANGE_COLUMNS: readonly Field[] = [
  required('change', 'text'),
  required('site', 'text'),
  required('sitemap', 'text'),
  required('url', 'text'),
  // What differs, where the page has changed.
  optional('fields', { list: 'text' }),
  optional('lastModified', 'timestamp'),
  optional('priority', 'number'),
  optional('changeFrequency', 'text'),
  // The same in the earlier crawl, where the page has changed.
  optional('lastModifiedBefore', 'timestamp'),
  optional('priorityBefore', 'number'),
  optional('changeFrequencyBefore', 'text'),
];

export interface CrawlDiffOptions {
  readonly compare: readonly ComparedField[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly signal: AbortSignal;
  /** Called with each site that is not complete in both crawls, or whose rows `maxPages` cut in one of them. */
  readonly onUnsettled: (site: string, why: 'incomplete' | 'cut') => void;
  /** Called once, if flags that are not the same in both crawls make additions or removals unknown. */
  readonly onOtherFlags: (flags: readonly string[]) => void;
  /** Called with a number of pages that are not known to be added or removed. */
  readonly onUnknown: (pages: number) => void;
}

interface PageFacts {
  readonly site: string;
  readonly sitemap: string;
  readonly url: string;
  /** What is compared: a time in milliseconds, a struct or a list as its hash. */
  readonly values: Readonly<Partial<Record<ComparedField, unknown>>>;
}

const COLUMN_AT = new Map(COLUMNS.map(({ name }, at) => [name, at]));

/**
 * The rows of {@link CHANGE_COLUMNS}, a few hundred at a time.
 *
 * @throws SitemapException where a folder is not a finished crawl
 */
export async function* diffCrawls(
  before: string,
  after: string,
  options: CrawlDiffOptions,
): AsyncGenerator<readonly Row[], void, undefined> {
  const crawls = [await finishedCrawl(before), await finishedCrawl(after)] as const;
  const plan = await planOf(crawls, options);
  const whyNot = pageFilter({ include: options.include, exclude: options.exclude })?.();
  const isLeftOut = (url: string): boolean => whyNot?.(new SitemapPage({ url })) !== undefined;
  const spill = await createSpill(crawls);
  try {
    for (const [at, crawl] of crawls.entries()) {
      for await (const pages of pagesOf(crawl, options.signal)) {
        await spill.add(
          at,
          pages.filter(({ site, url }) => !plan.byArchive.has(site) && !isLeftOut(url)),
        );
      }
    }
    for await (const [earlier, later] of spill.buckets()) {
      options.signal.throwIfAborted();
      yield changesBetween(earlier, later, plan, options);
    }
  } finally {
    await spill.remove();
  }
  for await (const { site } of linesIn(crawls[1].folder))
    if (plan.byArchive.has(site)) yield* changesOfArchives(site, crawls, options);
}

interface FinishedCrawl {
  readonly folder: CrawlFolder;
  readonly description: CrawlDescription;
}

async function finishedCrawl(path: string): Promise<FinishedCrawl> {
  const folder = folderOfCrawl(path);
  const description = await readDescription(folder);
  if (description === undefined) {
    throw new SitemapException(`There is no crawl in ${path}.`, { code: 'not-a-crawl' });
  }
  if (description.state !== 'done') {
    const message = `The crawl in ${path} is not finished: run the same usp crawl again, to its end.`;
    throw new SitemapException(message, { code: 'crawl-unfinished' });
  }
  return { folder, description };
}

interface Plan {
  /** Sites of both crawls whose archives are compared. */
  readonly byArchive: SeenUrls;
  /** Sites of both crawls of which additions are not known. */
  readonly additionsUnknown: SeenUrls;
  /** Sites of both crawls of which removals are not known. */
  readonly removalsUnknown: SeenUrls;
}

async function planOf(
  [before, after]: readonly [FinishedCrawl, FinishedCrawl],
  { onUnsettled, onOtherFlags }: CrawlDiffOptions,
): Promise<Plan> {
  const [inBefore, incomplete, cut, archived] = [
    new SeenUrls(),
    new SeenUrls(),
    new SeenUrls(),
    new SeenUrls(),
  ];
  const [byArchive, additionsUnknown, removalsUnknown] = [new SeenUrls(), new SeenUrls(), new SeenUrls()];
  const [chosenBefore, chosenAfter] = [choiceOf(before), choiceOf(after)];
  const onlyBefore = flagsOfOne(chosenBefore, chosenAfter);
  const onlyAfter = flagsOfOne(chosenAfter, chosenBefore);
  const isEveryPage = !hasPageFilter(before) && !hasPageFilter(after);
  for await (const line of linesIn(before.folder)) {
    inBefore.add(line.site);
    if (line.outcome !== 'complete') incomplete.add(line.site);
    if (isCut(line, before)) cut.add(line.site);
    if (line.archive !== undefined) archived.add(line.site);
  }
  for await (const line of linesIn(after.folder)) {
    const { site } = line;
    if (!inBefore.has(site)) continue;
    const isIncomplete = line.outcome !== 'complete' || incomplete.has(site);
    const [isCutBefore, isCutAfter] = [cut.has(site), isCut(line, after)];
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

/** Whether the pages of an archive are more than the rows of its site, however few those are. */
function hasPageFilter({ description: { options } }: FinishedCrawl): boolean {
  return ['include', 'exclude', 'since', 'until', 'onlyAllowed'].some((name) => options[name] !== undefined);
}

/** Whether a site may have more pages than its rows: with as many as `maxPages`, the crawl looked for no more. */
function isCut({ pages }: SiteLine, { description: { options } }: FinishedCrawl): boolean {
  const { maxPages } = options;
  return typeof maxPages === 'number' && pages >= maxPages;
}

/** By flag, what decides which pages a crawl lists. A filter that is not there, which leaves out nothing, is undefined. */
type Choice = Readonly<Record<string, unknown>>;

function choiceOf({ description: { options } }: FinishedCrawl): Choice {
  const { since, until, undated = 'drop', agent, onlyAllowed } = options;
  return {
    '--include': options['include'],
    '--exclude': options['exclude'],
    '--since': since === undefined ? undefined : [since, undated],
    '--until': until === undefined ? undefined : [until, undated],
    '--only-allowed': onlyAllowed === true ? agent : undefined,
    '--sitemap-include': options['sitemapInclude'],
    '--sitemap-exclude': options['sitemapExclude'],
    // Each value of these may find sitemaps that another one does not.
    '--no-robots': options['robots'] ?? true,
    '--known': options['known'] ?? 'if-none-declared',
    '--known-path': options['knownPath'] ?? [],
    '--homepage-links': options['homepageLinks'] ?? false,
    '--no-normalize': options['normalize'] ?? true,
  };
}

/** The flags by which a crawl may leave out pages that another one lists. */
function flagsOfOne(choice: Choice, other: Choice): readonly string[] {
  return Object.keys(choice).filter(
    (flag) => choice[flag] !== undefined && JSON.stringify(choice[flag]) !== JSON.stringify(other[flag]),
  );
}

async function* pagesOf(
  { folder, description }: FinishedCrawl,
  signal: AbortSignal,
): AsyncGenerator<readonly PageFacts[], void, undefined> {
  const parts = new Set<string>();
  for await (const line of linesIn(folder)) for (const part of line.parts) parts.add(part);
  for (const part of parts) {
    try {
      for await (const rows of readTable(join(folder.path, part), description.format)) {
        signal.throwIfAborted();
        yield rows.map(factsOf);
      }
    } catch (cause) {
      signal.throwIfAborted();
      const message =
        `${join(folder.path, part)} cannot be read: ${fileTrouble(cause)}. ` +
        'The same usp crawl with --verify crawls its sites again.';
      throw new SitemapException(message, { code: 'part-damaged', cause });
    }
  }
}

function factsOf(row: Row): PageFacts {
  const value = (name: string): unknown => row[COLUMN_AT.get(name) ?? -1];
  return {
    site: String(value('site')),
    sitemap: String(value('sitemap')),
    url: String(value('url')),
    values: Object.fromEntries(COMPARED_FIELDS.map((field) => [field, comparable(field, value(field))])),
  };
}

/** The same from every format: in CSV all is text, and in NDJSON a time is. */
function comparable(field: ComparedField, value: unknown): unknown {
  if (value === undefined || field === 'changeFrequency') return value;
  if (field === 'lastModified') return new Date(value as Date | string).getTime();
  return field === 'priority' ? Number(value) : hashOf(field, value);
}

/** The hash of a struct or a list, which is JSON in CSV. Alternates are a set. */
function hashOf(field: ComparedField, value: unknown): string {
  const plain: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  const json = (part: unknown): string => JSON.stringify(part, (_name, inner) => inner ?? undefined);
  const text = field === 'alternates' && Array.isArray(plain) ? plain.map(json).sort().join() : json(plain);
  return createHash('sha256').update(text).digest('base64').slice(0, 12);
}

const BUCKET_ROWS = 200_000;
const MOST_BUCKETS = 4_096;
const BUFFERED_CHARACTERS = 16 * 1024;

/** Rows in temporary files: all of one URL of one site in the same one. */
async function createSpill(crawls: readonly FinishedCrawl[]) {
  const rows = crawls.reduce((sum, { description }) => sum + description.finished.pages, 0);
  const size = Math.min(MOST_BUCKETS, Math.ceil(rows / BUCKET_ROWS) + 1);
  const waiting = Array.from({ length: size }, () => '');
  const fail = (cause: unknown): never => {
    const message = `Rows cannot be sorted in ${tmpdir()}: ${fileTrouble(cause)}. TMPDIR names another folder for them.`;
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
          const [crawl, page] = JSON.parse(line) as [0 | 1, PageFacts];
          sides[crawl].push(page);
        }
        await rm(path);
        yield sides;
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function keyOf({ site, url }: PageFacts): string {
  return `${site}\n${url}`;
}

/** Where a crawl lists a page several times, its first row counts. */
function changesBetween(
  earlier: readonly PageFacts[],
  later: readonly PageFacts[],
  { additionsUnknown, removalsUnknown }: Plan,
  { compare, onUnknown }: CrawlDiffOptions,
): readonly Row[] {
  const left = new Map<string, PageFacts>();
  for (const page of earlier) if (!left.has(keyOf(page))) left.set(keyOf(page), page);
  const seen = new Set<string>();
  const changes: Row[] = [];
  let unknown = 0;
  const claim = (type: 'added' | 'removed', page: PageFacts, isUnknown: boolean): void => {
    if (isUnknown) unknown++;
    else changes.push(changeRow(type, page));
  };
  for (const page of later) {
    const key = keyOf(page);
    if (seen.has(key)) continue;
    seen.add(key);
    const old = left.get(key);
    left.delete(key);
    if (old === undefined) claim('added', page, additionsUnknown.has(page.site));
    else {
      const fields = compare.filter((field) => old.values[field] !== page.values[field]);
      if (fields.length > 0) changes.push(changeRow('changed', page, { fields, values: old.values }));
    }
  }
  for (const page of left.values()) claim('removed', page, removalsUnknown.has(page.site));
  onUnknown(unknown);
  return changes;
}

function changeRow(
  type: PageChange['type'],
  { site, sitemap, url, values }: PageFacts,
  before?: Pick<PageFacts, 'values'> & { readonly fields: readonly ComparedField[] },
): Row {
  return [type, site, sitemap, url, before?.fields, ...shown(values), ...shown(before?.values ?? {})];
}

function shown({ lastModified, priority, changeFrequency }: PageFacts['values']): Row {
  const date = typeof lastModified === 'number' ? new Date(lastModified) : undefined;
  return [date, priority, changeFrequency];
}

async function* changesOfArchives(
  site: string,
  [earlierCrawl, laterCrawl]: readonly [FinishedCrawl, FinishedCrawl],
  { compare, include, exclude, signal, onUnknown }: CrawlDiffOptions,
): AsyncGenerator<readonly Row[], void, undefined> {
  const load = ({ folder }: FinishedCrawl): Promise<Sitemap> =>
    loadTree(join(folder.path, archiveOf(site)), { maxSitemaps: OWN_ARCHIVE_SITEMAPS });
  const earlier = await load(earlierCrawl);
  try {
    const later = await load(laterCrawl);
    try {
      const changes = diffPages(earlier, later, {
        compare,
        include,
        exclude,
        countSame: false,
        damaged: 'unknown',
        signal,
      });
      for await (const { type, page, sitemap, before: old, fields } of changes) {
        const before = old === undefined ? undefined : { fields, values: shownValues(old) };
        const facts = { site, sitemap: sitemap.url, url: page.url, values: shownValues(page) };
        yield [changeRow(type, facts, before)];
      }
      onUnknown(changes.counts.unknown);
    } finally {
      later.close();
    }
  } finally {
    earlier.close();
  }
}

function shownValues({ lastModified, priority, changeFrequency }: EarlierPage): PageFacts['values'] {
  return { lastModified: lastModified?.getTime(), priority, changeFrequency };
}
