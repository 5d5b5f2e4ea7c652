/**
 * What checks need beyond pages: places, repetitions, empty tags. All offsets are those of {@link Problem.offset}.
 */

import type { PlainDate } from './values/w3c-date.ts';
import type { Attributes, TagAttribute } from './xml/attributes.ts';

export type { Attributes, TagAttribute };

/** A value, valid during the call: its text is made when it is asked for. */
export interface EventValue {
  /** Where its text begins, or the tag if it is empty. */
  readonly offset: number;
  readonly textLength: number;
  /** Decoded and trimmed, empty or not. */
  text(): string;
  /** Reads a date in one of the usual forms; returns false if it has another form. */
  plainDate(date: PlainDate): boolean;
}

/** Called with a start tag. The attributes are valid during the call. */
export type StartHandler = (offset: number, attributes: Attributes) => void;
export type ValueHandler = (value: EventValue) => void;
export type EndHandler = (offset: number) => void;

/**
 * Gets the entries of a document as they are parsed, in the order of the document. Names are those of a format's table:
 * vocabulary and local name in lower case, for any written prefix (`sitemap:url`, `image:loc`, `news:title`,
 * `atom:entry`). Only in entries of the document's own kind.
 */
export interface ParseListener {
  /** Whether entries give events only: no pages, no sub-sitemaps. @default false */
  readonly isAll?: boolean | undefined;
  /** The text of the document as UTF-8, without a byte order mark, before anything in it is reported. */
  text?(chunk: Uint8Array): void;
  /** All of the text so far was parsed, and what is in it has been reported, but for an entry that has not ended. */
  parsed?(chunk: Uint8Array): void;
  /** The start tag of the document's root, with its name as written. */
  root?(name: string, offset: number, attributes: readonly TagAttribute[]): void;
  /** A start tag inside an entry, but in no value, that the format does not know: its name as written. */
  readonly unknownTag?: ((name: string, offset: number) => void) | undefined;
  /** The handler for start tags of an entry, a group, a value or an empty tag; asked once for each name. */
  startTag?(name: string): StartHandler | undefined;
  /** The handler for values of a tag; asked once for each name. */
  value?(name: string): ValueHandler | undefined;
  /** The handler for the end of groups and entries: at their end tag, or where they were closed for want of one. */
  endTag?(name: string): EndHandler | undefined;
  /**
   * An address that makes a page or a sub-sitemap, resolved, and where it is written. One that `isRepeated` was
   * there before and is dropped.
   */
  location?(url: string, offset: number, isRepeated: boolean): void;
}
