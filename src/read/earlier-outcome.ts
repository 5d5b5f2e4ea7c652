/**
 * What a document of an earlier tree is, where it is shown again: an index is parsed for its children, pages are not.
 */
import { pieces } from '../parse/chunks.ts';
import { DocumentParser } from '../parse/document-parser.ts';
import type { EarlierDocument } from '../sitemap/previous.ts';
import type { Carried } from './document-reader.ts';
import { Entries, type EntryAllowance } from './entry-allowance.ts';
import type { IndexOutcome, PagesOutcome } from './outcome.ts';

/** The outcome of a document of an earlier tree, without what a reader keeps or hands on. */
export async function earlierOutcome(
  earlier: EarlierDocument,
  { freshness, problem }: Carried,
  allowance: EntryAllowance,
): Promise<IndexOutcome | PagesOutcome> {
  const { kind, url, status, truncated, problems } = earlier;
  const read = {
    url,
    redirected: false,
    status,
    bytes: earlier.document.bytes,
    problems: problem === undefined ? problems.kept : [...problems.kept, problem],
    problemCount: problems.count + (problem === undefined ? 0 : 1),
    truncated,
    freshness,
  };
  if (kind !== 'robots-txt' && kind !== 'index-xml')
    return { type: 'pages', kind, pages: undefined, ...read };
  const { kept, leftOut } = await entriesOf(earlier, allowance);
  return { type: 'index', kind, entries: kept, leftOut, ...read };
}

/** The children that an index declares. */
async function entriesOf({ document }: EarlierDocument, allowance: EntryAllowance): Promise<Entries> {
  const parser = new DocumentParser(document.options);
  const entries = new Entries(allowance);
  for await (const chunk of document.chunksAsync()) {
    for (const piece of pieces(chunk)) {
      parser.write(piece);
      entries.add(parser.takeSitemaps());
    }
  }
  parser.end(document.truncatedBy !== undefined);
  entries.add(parser.takeSitemaps());
  return entries;
}
