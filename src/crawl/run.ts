/** Runs one call's crawl and leaves nothing behind, however it ends. */

import { SitemapException } from '../errors.ts';
import type { ResolvedOptions } from '../options/resolve.ts';
import { onAbort } from '../runtime/abort.ts';
import type { Crawl } from './crawl.ts';

/** Runs `work`; ends all that is open when it is done, has failed, or the caller aborts. */
export async function runCrawl<Node, Result>(
  crawl: Crawl<Node>,
  { signal }: ResolvedOptions,
  work: (crawl: Crawl<Node>) => Promise<Result>,
): Promise<Result> {
  let stopListening = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stopListening = onAbort(signal, (reason) =>
      reject(reason ?? new SitemapException('The call was aborted.', { code: 'aborted' })),
    );
  });
  // Where the signal is aborted already, nothing waits for this yet.
  aborted.catch(() => {});
  try {
    signal?.throwIfAborted();
    const result = work(crawl);
    // After an abort nothing waits for the work any more, which then fails with its documents.
    result.catch(() => {});
    return await Promise.race([result, aborted]);
  } finally {
    stopListening();
    await crawl.close();
  }
}
