/** What to do where a set of sitemaps cannot be written into a folder. */
import { SitemapException } from '../../index.ts';
import { UsageError } from '../endings.ts';

const HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'file-exists': 'give -o another folder, or move that file away.',
    'directory-in-use': 'wait for its end, or give -o another folder.',
  }),
);

export function withHint(error: unknown): unknown {
  if (!(error instanceof SitemapException) || !HINTS.has(error.code)) return error;
  return new UsageError(error.message, { hint: HINTS.get(error.code), cause: error });
}
