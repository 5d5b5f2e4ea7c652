/** `--from-warc FILE`. */
import { SitemapException, type WebClient, warcClient } from '../../index.ts';
import { UsageError } from '../messages/failure.ts';

/** The client for a WARC file. What is wrong with the file is reported before anything is requested. */
export async function openWarc(file: string): Promise<WebClient> {
  try {
    const client = warcClient(file);
    const { signal } = new AbortController();
    await client('about:blank', { method: 'GET', redirect: 'manual', headers: {}, signal });
    return client;
  } catch (error) {
    if (error instanceof SitemapException) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
