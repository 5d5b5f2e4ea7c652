/** `--from-warc FILE`, once or more often. */
import { SitemapException, type WebClient, warcClient } from '../../index.ts';
import { UsageError } from '../messages/failure.ts';

/** The client for WARC files. What is wrong with a file is reported before anything is requested. */
export async function openWarc(files: readonly string[]): Promise<WebClient> {
  try {
    const client = warcClient(files);
    const { signal } = new AbortController();
    const request = { method: 'GET', redirect: 'manual', headers: {}, signal } as const;
    await client('about:blank', request).catch(unlessNotThere);
    return client;
  } catch (error) {
    if (error instanceof SitemapException) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

function unlessNotThere(error: unknown): void {
  if (!(error instanceof SitemapException && error.code === 'not-in-archive')) throw error;
}
