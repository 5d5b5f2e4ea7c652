/** The rows of a finished crawl, a part at a time. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { SitemapException } from '../index.ts';
import { fileTrouble } from '../runtime/files.ts';
import { type CrawlDescription, type CrawlFolder, folderOfCrawl, readDescription } from './crawl-folder.ts';
import { readTable } from './output/parts.ts';
import type { Field, Row } from './output/table-file.ts';

export interface FinishedCrawl {
  readonly folder: CrawlFolder;
  readonly description: CrawlDescription;
}

/** @throws SitemapException where a folder is not a finished crawl */
export async function finishedCrawl(path: string): Promise<FinishedCrawl> {
  const folder = folderOfCrawl(path);
  const description = await readDescription(folder);
  if (description === undefined) {
    throw new SitemapException(`There is no crawl in ${path}.`, { code: 'not-a-crawl' });
  }
  if (description.state !== 'done') {
    const message = `The crawl in ${path} is not finished. Run the same usp crawl command again.`;
    throw new SitemapException(message, { code: 'crawl-unfinished' });
  }
  return { folder, description };
}

/**
 * Reads the file of a part.
 *
 * @throws SitemapException with code `part-damaged` where it cannot be read
 */
export async function* readPart<Piece>(
  { folder }: FinishedCrawl,
  part: string,
  piecesOf: (path: string) => AsyncIterable<Piece>,
  signal: AbortSignal,
): AsyncGenerator<Piece, void, undefined> {
  const path = join(folder.path, part);
  try {
    // A link may lead to a file that is not of the crawl, and a pipe has no end.
    if (!(await lstat(path)).isFile()) throw new Error('it is not a file');
    for await (const piece of piecesOf(path)) {
      signal.throwIfAborted();
      yield piece;
    }
  } catch (cause) {
    signal.throwIfAborted();
    const message =
      `${path} cannot be read: ${fileTrouble(cause)}. ` +
      'Run the same usp crawl command with --verify to crawl its sites again.';
    throw new SitemapException(message, { code: 'part-damaged', cause });
  }
}

export function rowsOfPart(
  crawl: FinishedCrawl,
  part: string,
  columns: readonly Field[],
  signal: AbortSignal,
): AsyncGenerator<readonly Row[], void, undefined> {
  return readPart(
    crawl,
    part,
    (path) => readTable(path, crawl.description.format, columns, { skipEmpty: true }),
    signal,
  );
}
