/** `usp diff`: what is new, changed or gone between two saved trees, or two sitemap files. Nothing is fetched. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diffPages } from '../../diff/diff-pages.ts';
import type { Sitemap } from '../../index.ts';
import { EXIT, UsageError } from '../endings.ts';
import { checkIsSitemap, fileSitemap, treeIfSaved } from '../input.ts';
import type { CommandIO, CommandRun } from '../io.ts';
import { openChangeListing, reportChanges } from '../output/change-listing.ts';
import type { ChangeFlags } from '../program/flags.ts';

export const diff: CommandRun<readonly [string, string], ChangeFlags> = async (
  [earlier, later],
  options,
  io,
  reporter,
) => {
  const areCrawls = await Promise.all([earlier, later].map((path) => isCrawlFolder(path)));
  if (areCrawls.every(Boolean)) {
    const { diffCrawlFolders } = await import('./diff-folders.ts');
    return diffCrawlFolders([earlier, later], options, io, reporter);
  }
  if (areCrawls.some(Boolean)) throw new UsageError('A crawl is compared with another crawl: two folders.');
  if (options.format === 'parquet') throw new UsageError('Only two crawls are compared as parquet.');
  const listing = await openChangeListing(options, io);
  const before = await readTree(earlier, io);
  const after = await readTree(later, io);
  const { include, exclude, compare } = options;
  const changes = diffPages(before, after, {
    include,
    exclude,
    compare,
    // Only this format shows how many are the same, and counting them reads documents that need not be read.
    countSame: options.format === 'json',
    signal: io.signal,
  });
  const printed = await listing.print(changes);
  await listing.finish();
  reportChanges(reporter, before, after, changes.counts);
  return options.exitCode === true && printed > 0 ? EXIT.differences : EXIT.ok;
};

async function isCrawlFolder(path: string): Promise<boolean> {
  return (await stat(join(path, 'crawl.json')).catch(() => undefined)) !== undefined;
}

/** @throws UsageError for a file that is neither a saved tree nor a list of pages */
async function readTree(file: string, io: CommandIO): Promise<Sitemap> {
  const hints: Record<string, string> = /^https?:\/\//i.test(file)
    ? { 'archive-unreadable': `usp ls ${file} --save FILE saves a site; usp diff compares two files.` }
    : {};
  const tree = (await treeIfSaved(file, io, hints)) ?? (await fileSitemap(file, io));
  checkIsSitemap(file, tree);
  const isIndex = tree.kind === 'index-xml' || tree.kind === 'robots-txt';
  if (isIndex && tree.url.startsWith('file:')) {
    const what = tree.kind === 'index-xml' ? 'an index' : 'a robots.txt';
    throw new UsageError(`${file} is ${what}, which lists no pages.`, {
      hint: 'usp ls URL --save FILE saves a site with all its sitemaps, for usp diff.',
    });
  }
  return tree;
}
