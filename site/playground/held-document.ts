/** The documents of a run, with everything that is known of them. */
import { findAddresses } from './addresses.ts';
import { pageRow, sitemapRow } from './item-rows.ts';
import type { InputDocument, ItemRow } from './messages.ts';
import type { OpenedSource } from './open-source.ts';
import type { Pacer } from './pause.ts';
import { type ReadDocument, readDocument } from './read-document.ts';
import type { TextRows } from './text-rows.ts';

/** A document with everything that is known of it. */
export interface HeldDocument {
  readonly input: InputDocument;
  readonly opened: OpenedSource;
  url: string | undefined;
  urlFrom: string | undefined;
  read: ReadDocument;
  rows: TextRows;
  failure: string | undefined;
}

/** Hears of the items that were read so far. */
export type OnProgress = (name: string, items: number) => void;

/** Reads documents again whose address another document names: relative URLs and robots.txt depend on it. */
export async function fillAddresses(
  documents: readonly HeldDocument[],
  pacer: Pacer,
  onProgress: OnProgress,
): Promise<void> {
  const addressed = documents.map(({ input, url, read }) => ({
    name: input.name,
    url,
    children: read.sitemaps.map((sitemap) => sitemap.url),
    page: read.pages[0]?.url,
  }));
  const found = findAddresses(addressed);
  for (const [index, held] of documents.entries()) {
    const address = found.get(addressed[index]!);
    if (address === undefined) continue;
    held.url = address.url;
    held.urlFrom = address.from;
    const place = { name: held.input.name, url: held.url };
    held.read = await readDocument(held.opened, place, pacer, (items) => onProgress(place.name, items));
  }
}

/** The address that the user gave, if it is one. */
export function addressOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).href : undefined;
}

/** How many pages or sub-sitemaps a document lists. */
export function itemCount({ pages, sitemaps }: ReadDocument): number {
  return pages.length + sitemaps.length;
}

/** One of them. */
export function itemRow({ pages, sitemaps, offsets }: ReadDocument, index: number): ItemRow {
  const page = pages[index];
  return page === undefined
    ? sitemapRow(sitemaps[index - pages.length]!, offsets[index])
    : pageRow(page, offsets[index]);
}
