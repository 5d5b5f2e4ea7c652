/** A tree → the lines of its archive, while it is walked over. */
import { SitemapException } from '../../errors.ts';
import { isPagesKind } from '../kind.ts';
import type { PageSource } from '../page-source.ts';
import { type InvalidSitemap, partsOf, type Sitemap } from '../sitemap.ts';
import { walkTree } from '../walk-tree.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchivedDocument,
  type ArchivedEnd,
  type ArchivedError,
  type ArchivedSitemap,
} from './format.ts';

/** So many characters are put together before they are handed out. */
const PIECE = 64 * 1024;

/** The archive's text, in pieces; each page is in memory only while its batch is written. */
export async function* archiveText(tree: Sitemap): AsyncGenerator<string, void, undefined> {
  const documents = new Map<PageSource, number>();
  const count = { sitemaps: 0, pages: 0 };
  let text = line({ format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION });
  for (const { sitemap: node, depth } of walkTree(tree)) {
    count.sitemaps++;
    const { source } = partsOf(node);
    const isFirst = isPagesKind(node.kind) && !documents.has(source);
    if (isFirst) documents.set(source, documents.size);
    text += line({ sitemap: archived(node, depth, documents.get(source)) });
    if (isFirst) {
      let pages = 0;
      for await (const batch of source.batchesAsync()) {
        pages += batch.length;
        for (const page of batch) text += line(page);
        if (text.length >= PIECE) {
          yield text;
          text = '';
        }
      }
      count.pages += pages;
      text += line({ document: { ...summaryOf(source), pages } });
    }
    if (text.length >= PIECE) {
      yield text;
      text = '';
    }
  }
  const end: ArchivedEnd = count;
  yield text + line({ end });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function summaryOf({ problems, problemCount, truncated }: PageSource): Omit<ArchivedDocument, 'pages'> {
  return { problems, problemCount, truncated };
}

// `JSON.stringify` leaves out what is undefined.
function archived(node: Sitemap, depth: number, document: number | undefined): ArchivedSitemap {
  const { problems, problemCount } = partsOf(node);
  return {
    depth,
    kind: node.kind,
    url: node.url,
    declaredUrl: node.declaredUrl,
    lastModified: node.lastModified?.toISOString(),
    ...(isPagesKind(node.kind) && { document }),
    ...(problemCount > 0 && { problems, problemCount }),
    ...(node.truncated && { truncated: true }),
    status: node.status,
    ...(node.kind === 'invalid' && reasonOf(node)),
    complete: node.complete,
    stopped: node.stopped,
  };
}

function reasonOf({ code, reason, option, error }: InvalidSitemap): Partial<ArchivedSitemap> {
  return { code, reason, option, error: error instanceof Error ? archivedError(error) : undefined };
}

function archivedError(error: Error): ArchivedError {
  const { name, message } = error;
  return { name, message, code: error instanceof SitemapException ? error.code : undefined };
}
