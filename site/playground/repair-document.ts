/** One document, repaired as `usp fix` does it: the new file, and what is different in it. */

import { pieces } from '../../src/parse/given-input.ts';
import { BestDated, type PlacedPage, type Repair, RepairReader } from '../../src/write/repair.ts';
import { indexXml, URLSET_END, urlsetStart } from '../../src/write/sitemap-xml.ts';
import { EntryWriter } from '../../src/write/url-entry.ts';
import type { HeldDocument } from './held-document.ts';
import type { FindingRow } from './messages.ts';

export interface RepairedDocument {
  readonly file: Blob;
  /** What is different, in the order of the text. */
  readonly differences: readonly FindingRow[];
}

/** Undefined for what is not a sitemap: there is nothing to write. */
export function repairedDocument(held: HeldDocument): RepairedDocument | undefined {
  const { input, opened, url, read } = held;
  const differences: FindingRow[] = [];
  const add = (repair: Repair): void => void differences.push(rowOf(repair, input.id));
  const options = { url, charset: undefined, isUtf8: opened.isText };
  const reader = new RepairReader({ name: input.name, options }, add);
  const pages: PlacedPage[] = [];
  for (const piece of pieces(opened.bytes)) pages.push(...reader.write(piece));
  pages.push(...reader.end());
  const parts =
    read.kind === 'index-xml'
      ? [indexXml(read.sitemaps.map((each) => ({ ...each, lastModified: each.lastModifiedText })))]
      : written(pages, reader, url);
  if (pages.length + read.sitemaps.length === 0 || read.kind === 'robots-txt') return undefined;
  differences.sort((a, b) => (a.offset ?? 0) - (b.offset ?? 0));
  return { file: new Blob(parts, { type: 'application/xml' }), differences };
}

function written(pages: readonly PlacedPage[], reader: RepairReader, url: string | undefined): string[] {
  const best = new BestDated({ bySort: false, canonicalSlash: false });
  best.startNoting('');
  for (const { page } of pages) best.note(page);
  best.endNoting();
  let current: PlacedPage | undefined;
  const writer = new EntryWriter({
    url,
    onProblem: ({ code, message, dropped }) => {
      if (current !== undefined)
        reader.report(dropped === 'page' ? 'dropped' : 'changed', code, message, current);
    },
  });
  const entries: string[] = [];
  let namespaces = 0;
  for (const placed of pages) {
    current = placed;
    const repeated = best.reasonToDrop(placed.page);
    const entry = repeated === undefined ? writer.entry(placed.page) : undefined;
    if (repeated !== undefined) reader.report(repeated.action, repeated.rule, repeated.message, placed);
    if (entry === undefined) continue;
    entries.push(entry);
    namespaces |= writer.used;
  }
  return [urlsetStart(namespaces), ...entries, URLSET_END];
}

function rowOf(
  { action, rule, message, document, line, column, offset, page, count }: Repair,
  id: number,
): FindingRow {
  return {
    rule,
    severity: action === 'dropped' ? 'error' : 'warning',
    message: `${action === 'dropped' ? 'Dropped' : 'Changed'}: ${message}`,
    document: id,
    documentName: document,
    line,
    column,
    offset,
    page,
    count,
    related: undefined,
  };
}
