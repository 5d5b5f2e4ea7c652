/** What the process of a crawl and its children say to each other. */
import type { PartFormat } from './output/part-writer.ts';
import type { Batch } from './publisher.ts';

/** What a child needs to know before it gets sites. */
export interface ProcessSettings {
  /** The flags of the command line: the child makes its options of them. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** The folder of the crawl. */
  readonly crawl: string;
  /** The folder for parts. */
  readonly folder: string;
  readonly format: PartFormat;
  readonly sitesAtOnce: number;
  readonly publishEveryMs: number;
  readonly archives: boolean;
  /** The folder of an earlier crawl, with archives. */
  readonly previous: string | undefined;
}

/** From the parent. */
export type ToProcess =
  | { readonly type: 'settings'; readonly settings: ProcessSettings }
  | { readonly type: 'site'; readonly site: string }
  /** Another worker may have the site: it is dropped. */
  | { readonly type: 'abort'; readonly site: string }
  /** No more sites will come: the child finishes what it has, and exits. */
  | { readonly type: 'end' };

/** From the child. */
export type FromProcess =
  | { readonly type: 'ready' }
  /** A site is crawled, and waits for its batch: there is room for another. */
  | { readonly type: 'crawled'; readonly site: string; readonly warning?: string | undefined }
  /** A site that was aborted. */
  | { readonly type: 'dropped'; readonly site: string }
  | { readonly type: 'batch'; readonly batch: Batch }
  /** The child cannot go on: a full disk. */
  | { readonly type: 'stuck'; readonly reason: string };
