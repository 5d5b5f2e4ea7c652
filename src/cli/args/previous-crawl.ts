/** `--previous DIR`: the folder of an earlier crawl with archives. */
import { folderOfCrawl, readDescription } from '../../batch/crawl-folder.ts';
import { SitemapException } from '../../index.ts';
import { fileTrouble } from '../../runtime/files.ts';
import { UsageError } from '../messages/failure.ts';

/**
 * Checks that a folder is what `--previous` needs: without archives every document would be fetched, and nobody would
 * know why.
 *
 * @throws UsageError
 */
export async function checkPrevious(folder: string | undefined): Promise<void> {
  if (folder === undefined) return;
  const found = await readDescription(folderOfCrawl(folder)).catch((cause: unknown) => {
    if (cause instanceof SitemapException) throw cause;
    throw new UsageError(`${folder} cannot be read: ${fileTrouble(cause, folder)}.`, { cause });
  });
  const hint = 'give --previous the folder of an earlier usp crawl --archives.';
  if (found === undefined) throw new UsageError(`There is no crawl in ${folder}.`, { hint });
  if (found.options['archives'] !== true) {
    throw new UsageError(`The crawl in ${folder} has no archives.`, { hint });
  }
}
