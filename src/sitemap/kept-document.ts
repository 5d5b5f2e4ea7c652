/**
 * A document as a tree keeps it: its bytes, and the head of the response that it came with. The head is kept in front
 * of the bytes, in the spool or in an archive, so that fifty thousand documents need hardly any memory. What they come
 * from is open as long as a tree reads from it.
 */

import type { DocumentOptions } from '../parse/detection/document-start.ts';
import { SitemapException } from '../problems/errors.ts';

/** Why something is missing at the end of a document, in the words of WARC. */
export type TruncatedBy = 'length' | 'disconnect' | 'unspecified';

export interface KeptFacts {
  /** The URL that responded, its charset, and what else parsing needs to know. */
  readonly options: DocumentOptions;
  /** When it was requested, in milliseconds since the epoch; absent where it was not fetched. */
  readonly requestedAt: number | undefined;
  /** Absent where all of it arrived. */
  readonly truncatedBy: TruncatedBy | undefined;
}

/**
 * A document that can be read any number of times, with what it came with. Its chunks are those of its body: a reader
 * must not change a chunk, and may use it only until it asks for the next one.
 */
export interface KeptDocument extends KeptFacts {
  chunks(): Iterable<Uint8Array>;
  /** Does not block: what is on disk is read in the background, and between chunks others get their turn. */
  chunksAsync(): AsyncIterable<Uint8Array>;
  /** A digest of its body with the name of its algorithm, where it is known without reading it. */
  readonly digest?: string | undefined;
  /** The bytes of its body, after all decoding. */
  readonly bytes: number;
  /** Status line and headers, each with CRLF behind it, as Latin-1 text; empty where it was not fetched. */
  head(): Promise<string>;
  /**
   * Reads all of it, unless that was done before, and rejects with `archive-damaged` where it is not what was saved.
   * Its head alone is read without that. Absent where nothing can be damaged.
   */
  check?(): Promise<void>;
  /**
   * Where its bytes come from: a tree that shows it uses that, and closes what `use` returns when it is closed itself.
   */
  readonly shared: SharedSource;
}

/** Whether an error says that a document is not what was saved. */
export function isDamage(error: unknown): boolean {
  return error instanceof SitemapException && error.code === 'archive-damaged';
}

export interface DocumentStore extends Closes {
  /** Those that no node shows, for an archive: redirects, failures, and what is not a sitemap. */
  readonly responses?: Iterable<KeptDocument>;
}

export interface KeptValidators {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** The record of a document that was not read, which is kept from one run to the next. */
export interface UnreadRecord {
  /** How many runs have not read it since it was read last. */
  readonly runs: number;
  /** How many of them saw a 404. */
  readonly notFound?: number | undefined;
  /** The run that declared it first, where it was never read to its end. */
  readonly declaredIn?: number | undefined;
  /** Where nothing declares it any more: since which run, and the URLs of the indexes that did; '' for the site. */
  readonly undeclared?: { readonly since: number; readonly parents: readonly string[] } | undefined;
}

/** What is known of the fetch behind a node; one object for a URL, shared by all nodes that show it. */
export interface FetchFacts {
  /** Absent where it could not be read. */
  readonly document?: KeptDocument | undefined;
  /** The redirects that led to it, in order. */
  readonly hops?: readonly KeptDocument[] | undefined;
  /**
   * When the document was last found to be the same, in milliseconds since the epoch; absent where that was not asked
   * after it was read. A document that could not be checked keeps the time of its last good read.
   */
  readonly checkedAt?: number | undefined;
  /** The validators of the response that said so, where they are not those of the document's own. */
  readonly validators?: KeptValidators | undefined;
  /** Absent where it was read. */
  readonly unread?: UnreadRecord | undefined;
  /** From the first request to the end of the document, pauses between attempts included. */
  readonly durationMs?: number | undefined;
}

/** Whether two series of chunks have the same bytes; a chunk is used only until the next one is asked for. */
export async function haveEqualBytes(
  a: AsyncIterable<Uint8Array>,
  b: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const others = b[Symbol.asyncIterator]();
  let other: Uint8Array = new Uint8Array(0);
  const hasMore = async (): Promise<boolean> => {
    while (other.length === 0) {
      const { done, value } = await others.next();
      if (done === true) return false;
      other = value;
    }
    return true;
  };
  try {
    for await (const chunk of a) {
      for (let at = 0; at < chunk.length; ) {
        if (!(await hasMore())) return false;
        const length = Math.min(chunk.length - at, other.length);
        if (Buffer.compare(chunk.subarray(at, at + length), other.subarray(0, length)) !== 0) return false;
        at += length;
        other = other.subarray(length);
      }
    }
    return !(await hasMore());
  } finally {
    await others.return?.();
  }
}

export interface Closes {
  close(): void;
}

export function treeClosed(): SitemapException {
  return new SitemapException(
    'The tree is closed, and its pages cannot be read any more. Read them before close(), or before the ' +
      'block of its `using` ends.',
    { code: 'tree-closed' },
  );
}

/** A file or spool shared by trees, open while it has users. */
export interface SharedSource {
  /** Whether it is there anyway, and may be kept open; a spool exists for its tree alone, and is copied from. */
  readonly isArchive: boolean;
  /** Counts another user, until the result is closed. @throws SitemapException with code `tree-closed` */
  use(): Closes;
}

/** Counts users, and reports when the last of them has closed its use. A use that was collected is no longer counted. */
export class Users {
  readonly #onLast: () => void;
  count = 0;

  constructor(onLast: () => void) {
    this.#onLast = onLast;
  }

  add(): Closes {
    this.count++;
    let isOpen = true;
    const use = {
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        abandoned.unregister(use);
        if (--this.count === 0) this.#onLast();
      },
    };
    abandoned.register(use, new WeakRef(this), use);
    return use;
  }

  /** @internal The collected use closes nothing; it only stops counting. */
  forget(): void {
    this.count--;
  }
}

const abandoned = new FinalizationRegistry<WeakRef<Users>>((users) => users.deref()?.forget());
