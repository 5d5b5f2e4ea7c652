/** One document, repaired as `usp fix` does it: the new file, and what is different in it. */

import { PROTOCOL_LIMITS } from '../../src/check/protocol-limits.ts';
import { pieces } from '../../src/parse/given-input.ts';
import { BestDated } from '../../src/write/best-dated.ts';
import { type PlacedPage, type Repair, RepairReader } from '../../src/write/repair.ts';
import { indexXml, URLSET_END, urlsetStart, type WritableSitemap } from '../../src/write/sitemap-xml.ts';
import { EntryWriter } from '../../src/write/url-entry.ts';
import { UrlText } from '../../src/write/value-text.ts';
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
  if (pages.length + read.sitemaps.length === 0 || read.kind === 'robots-txt') return undefined;
  const parts = read.kind === 'index-xml' ? [writtenIndex(held, add)] : written(pages, reader, url);
  differences.sort((a, b) => (a.offset ?? 0) - (b.offset ?? 0));
  return { file: new Blob(parts, { type: 'application/xml' }), differences };
}

/** The index without what no index may list: an address of more than 2,048 characters, more than 50,000 sitemaps. */
function writtenIndex({ input, read }: HeldDocument, add: (repair: Repair) => void): string {
  let offset: number | undefined;
  const report = (action: Repair['action'], rule: string, message: string): void =>
    add({ action, rule, message, document: input.name, ...(offset !== undefined && { offset }) });
  const urls = new UrlText(undefined, (code, message, isDropped) =>
    report(isDropped === true ? 'dropped' : 'changed', code, message),
  );
  const sitemaps: WritableSitemap[] = [];
  for (const [index, { url, lastModifiedText }] of read.sitemaps.entries()) {
    offset = read.offsets[index];
    if (sitemaps.length === PROTOCOL_LIMITS.entries) {
      report(
        'dropped',
        'index-over-50000',
        'The rest of the sitemaps needs another index: usp fix writes it.',
      );
      break;
    }
    if (urls.sitemap(url) !== undefined) sitemaps.push({ url, lastModified: lastModifiedText });
  }
  return indexXml(sitemaps);
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
    namespaces |= writer.usedNamespaces;
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
