/** One document, parsed: its text, and what it lists. */

import { decodedText } from '../../src/parse/detection/document-start.ts';
import { DocumentParser } from '../../src/parse/document-parser.ts';
import { pieces } from '../../src/parse/given-input.ts';
import type { Problem, SitemapEntry, SitemapPage } from '../../src/parse/index.ts';
import { isRobotsName } from './addresses.ts';
import { joined, type OpenedSource } from './open-source.ts';
import type { Pacer } from './pause.ts';

/** A document that was read. */
export interface ReadDocument {
  readonly kind: string;
  readonly reason: string | undefined;
  readonly truncated: boolean;
  /** The text as UTF-8, without a byte order mark: what offsets count in. */
  readonly text: Uint8Array;
  readonly pages: readonly SitemapPage[];
  readonly sitemaps: readonly SitemapEntry[];
  /** Where each page or sub-sitemap is written; empty where that is not known of all. */
  readonly offsets: readonly number[];
  /** The problems that the library keeps. */
  readonly problems: readonly Problem[];
}

/** How the page hears of progress. */
export type OnItems = (items: number) => void;

/** Parses a document as the library does, and remembers where its entries are. */
export async function readDocument(
  { bytes, isText }: OpenedSource,
  { name, url }: { readonly name: string; readonly url: string | undefined },
  pacer: Pacer,
  onItems: OnItems,
): Promise<ReadDocument> {
  const offsets: number[] = [];
  const parser = new DocumentParser({
    url,
    charset: undefined,
    isUtf8: isText,
    isRobotsPath: url === undefined ? isRobotsName(name) : undefined,
    listener: {
      location: (_, offset, isRepeated) => {
        if (!isRepeated) offsets.push(offset);
      },
    },
  });
  const pages: SitemapPage[] = [];
  const sitemaps: SitemapEntry[] = [];
  const take = (): void => {
    for (const page of parser.takePages()) pages.push(page);
    for (const sitemap of parser.takeSitemaps()) sitemaps.push(sitemap);
  };
  for (const piece of pieces(isText ? withoutMark(bytes) : bytes)) {
    parser.write(piece);
    take();
    if (parser.kind === 'invalid') break;
    if (pacer.isDue) {
      onItems(pages.length + sitemaps.length);
      await pacer.pause();
    }
  }
  if (parser.kind !== 'invalid') parser.end();
  take();
  const { kind = 'invalid', reason, truncated } = parser;
  return {
    kind,
    reason,
    truncated,
    text: isText ? withoutMark(bytes) : textOf(bytes),
    pages,
    sitemaps,
    offsets: offsets.length === pages.length + sitemaps.length ? offsets : [],
    problems: parser.problems,
  };
}

/** The text that offsets count in, in one piece. */
function textOf(bytes: Uint8Array): Uint8Array {
  const chunks = [...decodedText(pieces(bytes))];
  return joined(
    chunks,
    chunks.reduce((sum, chunk) => sum + chunk.length, 0),
  );
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
