/** Pages as a set of sitemaps in a directory: files, and an index where there is more than one. */
import { PROTOCOL_LIMITS } from '../check/protocol-limits.ts';
import { BOOLEAN, checkFunction, checkIterable, checkSignal, checkValue } from '../problems/arguments.ts';
import { badInput, badOption, SitemapException } from '../problems/errors.ts';
import { checkNames } from '../problems/option-names.ts';
import { itemsUnlessAborted } from '../runtime/abort.ts';
import { FairShare } from '../runtime/time.ts';
import { parsedUrl, urlArgumentText } from '../url.ts';
import { encodedPath } from './layout.ts';
import { ReturnAlternates } from './return-alternates.ts';
import { SitemapSet, type WrittenFile } from './sitemap-set.ts';
import { checkNews, type WritablePages } from './sitemap-xml.ts';
import { givenPage, UnusedFields, type WritablePage, type WriteProblem } from './writable-page.ts';

/** Options of {@link writeSitemaps}. */
export interface WriteSitemapsOptions {
  /** The address of the directory: `https://example.org/`. The index lists the files below it. */
  readonly baseUrl: string | URL;
  /** How many pages a file may have: from 1 to 50,000. @default 50,000 */
  readonly maxUrls?: number | undefined;
  /** How many bytes a file may have before compression. @default 52,428,800 (50 MiB) */
  readonly maxBytes?: number | undefined;
  /** Compresses all files; their names end in `.gz`. @default false */
  readonly gzip?: boolean | undefined;
  /** The names of the files where there are several; `{n}` is the number, from 1. @default 'sitemap-{n}.xml' */
  readonly names?: string | undefined;
  /** The name of the index, or of the only file: its address stays the same. @default 'sitemap.xml' */
  readonly index?: string | undefined;
  /** `fresh`: news that are older than two days are left out; their pages stay. @default 'all' */
  readonly news?: 'all' | 'fresh' | undefined;
  /**
   * Completes the alternates in both directions: a page that is named by another names it too, and itself. This reads
   * the pages twice, and takes memory for each page with alternates.
   *
   * @default false
   */
  readonly reciprocal?: boolean | undefined;
  /** Writes into a directory with other files. These are never replaced. @default false */
  readonly force?: boolean | undefined;
  /** Called with everything that was repaired or left out, while its page is written; with fields at the end. */
  readonly onProblem?: ((problem: WriteProblem) => void) | undefined;
  /** Ends the writing: the call throws its reason, and the old set stays. */
  readonly signal?: AbortSignal | undefined;
}

/** A file that was written, and its address. */
export interface WrittenSitemap extends WrittenFile {
  readonly url: string;
}

/** What {@link writeSitemaps} has written. */
export interface WrittenSitemaps {
  /** The address to declare in robots.txt: that of the index, or of the only file. */
  readonly url: string;
  /** How many pages the files have. */
  readonly pages: number;
  /** All files of the set, the index last. */
  readonly files: readonly WrittenSitemap[];
  /** Files of an earlier set that were removed. */
  readonly removed: readonly string[];
  /** What was repaired or left out: the first 1,000. */
  readonly problems: readonly WriteProblem[];
  /** How many problems there are of each code. */
  readonly problemCounts: Readonly<Record<string, number>>;
}

const MOST_PROBLEMS = 1000;
const NO_PAGES =
  'writeSitemaps needs pages: an iterable of objects with a "url" or a "loc", or a function that gives it.';
const OPTIONS: readonly (keyof WriteSitemapsOptions)[] = [
  'baseUrl',
  'maxUrls',
  'maxBytes',
  'gzip',
  'names',
  'index',
  'news',
  'reciprocal',
  'force',
  'onProblem',
  'signal',
];

/**
 * Writes pages as sitemaps into a directory, which need not exist. It reads them once, and takes 20 bytes of memory for
 * each.
 *
 * Whatever happens, the directory has the whole old set or the whole new one: new files are complete before the first
 * of them takes its name, the index takes its name last, and then what is not needed any more is removed. If the
 * process is killed in between, the next call completes the set first. Files whose content is the same are not touched.
 * Which files belong to the set is kept in `.usp-sitemaps.json`.
 *
 * @param pages - pages that were read, or plain objects with a `url` or a `loc`; a function that gives them, where they
 * are read twice
 * @throws SitemapException with a code: `directory-not-empty`, `file-exists`, `directory-in-use`, `unwritable`,
 * `bad-manifest`; `no-pages` where nothing can be written; `bad-option`
 *
 * @example
 * ```typescript
 * import { collectPages } from 'ultimate-sitemap-parser';
 * import { writeSitemaps } from 'ultimate-sitemap-parser/write';
 *
 * const { pages } = await collectPages('https://example.org/');
 * const written = await writeSitemaps(pages, './public', { baseUrl: 'https://example.org/' });
 * console.log(`Sitemap: ${written.url}`);
 * ```
 */
export async function writeSitemaps(
  pages: WritablePages | (() => WritablePages),
  directory: string | URL,
  options: WriteSitemapsOptions,
): Promise<WrittenSitemaps> {
  const { address, names, index, limits } = resolved(options);
  const isPath = directory instanceof URL ? directory.protocol === 'file:' : typeof directory === 'string';
  if (!isPath || directory === '')
    throw badInput('writeSitemaps needs the path of a directory, a string or a file: URL.');
  const { signal, force } = options;
  const problems: WriteProblem[] = [];
  const problemCounts: Record<string, number> = {};
  const onProblem = (problem: WriteProblem): void => {
    problemCounts[problem.code] = (problemCounts[problem.code] ?? 0) + 1;
    if (problems.length < MOST_PROBLEMS) problems.push(problem);
    options.onProblem?.(problem);
  };
  const alternates = options.reciprocal === true ? new ReturnAlternates(onProblem) : undefined;
  if (alternates !== undefined) {
    const again = typeof pages === 'function' ? pages : repeatable(pages);
    await forEach(again(), signal, (page) => alternates.note(page));
  }
  const set = await SitemapSet.open(directory, { force, signal });
  try {
    const naming = (number: number, count: number): string => (count === 1 ? index : names(number));
    const unusedFields = new UnusedFields();
    const group = set.group(naming, { ...limits, onProblem, unusedFields });
    await forEach(typeof pages === 'function' ? pages() : pages, signal, (page) =>
      group.add(page, alternates?.completed(page)),
    );
    const files = await group.end();
    // They are few, and the first to look at.
    const { problems: ofFields } = unusedFields;
    for (const problem of ofFields) {
      problemCounts[problem.code] = (problemCounts[problem.code] ?? 0) + 1;
      options.onProblem?.(problem);
    }
    problems.unshift(...ofFields);
    problems.length = Math.min(problems.length, MOST_PROBLEMS);
    if (files.length === 0) {
      const why = problems.length === 0 ? '' : ` The first problem: ${problems[0]?.message}`;
      throw new SitemapException(
        `There is no page that can be written; the directory stays as it is.${why}`,
        {
          code: 'no-pages',
        },
      );
    }
    if (files.length > 1)
      await set.addIndex(
        index,
        files.map(({ name, lastModified }) => ({ url: address(name), lastModified })),
      );
    const result = await set.commit();
    return {
      url: address(index),
      pages: files.reduce((sum, { entries }) => sum + entries, 0),
      files: result.files.map((file) => ({ ...file, url: address(file.name) })),
      removed: result.removed,
      problems,
      problemCounts,
    };
  } catch (error) {
    await set.discard();
    throw error;
  }
}

// Not `for await` for both: it would wait once for each of a million pages.
async function forEach(
  pages: WritablePages,
  signal: AbortSignal | undefined,
  take: (page: WritablePage) => Promise<void> | undefined | void,
): Promise<void> {
  checkIterable(pages, NO_PAGES);
  const share = new FairShare();
  if (Symbol.iterator in pages) {
    for (const row of pages) {
      const waiting = take(givenPage(row)) ?? share.dueTurn();
      if (waiting !== undefined) await waiting;
      signal?.throwIfAborted();
    }
  } else {
    for await (const row of itemsUnlessAborted(pages, signal))
      await (take(givenPage(row)) ?? share.dueTurn());
  }
}

function repeatable(pages: WritablePages): () => WritablePages {
  checkIterable(pages, NO_PAGES);
  const iterator = Symbol.iterator in pages ? pages[Symbol.iterator]() : pages[Symbol.asyncIterator]();
  if (!Object.is(iterator, pages)) return () => pages;
  throw badOption(
    'With "reciprocal" the pages are read twice: give an array, or a function that gives them.',
    'reciprocal',
  );
}

/** @throws SitemapException with the code `bad-option` */
function resolved(options: WriteSitemapsOptions = { baseUrl: '' }) {
  checkNames(options, OPTIONS);
  const {
    baseUrl,
    maxUrls = PROTOCOL_LIMITS.entries,
    maxBytes = PROTOCOL_LIMITS.bytes,
    gzip = false,
    news,
  } = options;
  const base = parsedUrl(urlArgumentText(baseUrl));
  if (base === undefined || !/^https?:$/.test(base.protocol) || base.search + base.hash !== '')
    throw badOption(
      'The option "baseUrl" must be the http or https address that the directory will have, without a query: ' +
        'https://example.org/ for files at the top of a site.',
      'baseUrl',
    );
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  if (!isWhole(maxUrls, 1, PROTOCOL_LIMITS.entries))
    throw badOption('The option "maxUrls" must be a whole number from 1 to 50,000.', 'maxUrls');
  if (!isWhole(maxBytes, 1000, PROTOCOL_LIMITS.bytes))
    throw badOption('The option "maxBytes" must be a whole number from 1,000 to 52,428,800.', 'maxBytes');
  checkNews(news);
  checkSignal(options.signal);
  checkFunction(options.onProblem, 'onProblem');
  for (const name of ['gzip', 'reciprocal', 'force'] as const) checkValue(name, BOOLEAN, options[name]);
  const ending = gzip ? '.gz' : '';
  const { names = 'sitemap-{n}.xml', index = 'sitemap.xml' } = options;
  if (typeof names !== 'string' || !names.includes('{n}'))
    throw badOption('The option "names" must have {n} in it, for the number.', 'names');
  if (typeof index !== 'string') throw badOption('The option "index" must be the name of a file.', 'index');
  return {
    address: (name: string): string => new URL(encodedPath(name), base).href,
    names: (number: number): string => withEnding(names.replaceAll('{n}', String(number)), ending),
    index: withEnding(index, ending),
    limits: { maxUrls, maxBytes, news, url: base.href },
  };
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}

function withEnding(name: string, ending: string): string {
  return name.endsWith(ending) ? name : name + ending;
}
