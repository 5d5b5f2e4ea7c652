/**
 * What a check needs of a document and a page does not have: where things are written, what was dropped as a
 * repetition, tags without content. All offsets are those of {@link Problem.offset}.
 */

/** An attribute of a tag, decoded. */
export interface TagAttribute {
  /** As written, prefix included. */
  readonly name: string;
  readonly value: string;
  /** Where the value begins, without its quote. */
  readonly offset: number;
}

/**
 * Hears of the entries of a document as they are parsed, in the order of the document. Names are those of a
 * format's table: vocabulary and local name in lower case, whatever prefix was written (`sitemap:url`, `image:loc`,
 * `news:title`, `atom:entry`). Only known tags are reported, and only in entries of the document's own kind.
 */
export interface ParseListener {
  /** Whether nothing is made of the entries but events: no pages, no sub-sitemaps. @default false */
  readonly isAll?: boolean | undefined;
  /** The names of the start tags that it wants to hear of. @default all of them */
  readonly startNames?: ReadonlySet<string> | undefined;
  /** The names of the values that it wants to hear of. @default all of them */
  readonly valueNames?: ReadonlySet<string> | undefined;
  /** The text of the document as UTF-8, without a byte order mark, before anything in it is reported. */
  text?(chunk: Uint8Array): void;
  /** The start tag of the document's root, with its name as written. */
  root?(name: string, offset: number, attributes: readonly TagAttribute[]): void;
  /** The start tag of an entry, a group, a value or an empty tag. */
  startTag?(name: string, offset: number, attributes: readonly TagAttribute[]): void;
  /**
   * The text of a value, decoded and trimmed, empty or not; `offset` is that of the text, or of the tag if it is
   * empty.
   */
  value?(name: string, text: string, offset: number): void;
  /** A group or an entry has ended: at its end tag, or where it was closed for want of one. */
  endTag?(name: string, offset: number): void;
  /**
   * An address that makes a page or a sub-sitemap, resolved, and where it is written. One that `isRepeated` was
   * there before and is dropped.
   */
  location?(url: string, offset: number, isRepeated: boolean): void;
}

export const NO_ATTRIBUTES: readonly TagAttribute[] = Object.freeze([]);
