/** What the tables of bombs (byte-bombs.ts, token-bombs.ts, site-bombs.ts) have in common. */

import { robots } from './documents.ts';
import type { Body, Report, Trap } from './victim.ts';

export const MIB: number = 1024 * 1024;

export const ROOT = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
export const PAGE = '<url><loc>https://example.org/the-same-page</loc></url>\n';

export interface Bomb {
  readonly name: string;
  /** The damage that it does to a careless reader, for docs/reliability.md. */
  readonly does: string;
  /** What the server sends for a path; undefined is a 404. */
  readonly site: (path: string, origin: string) => Trap | Body | undefined;
  readonly options?: object;
  readonly expected: Partial<Report>;
  /** What a stream reports, where it differs: a stream has no nodes to show problems of documents on. */
  readonly streamed?: Partial<Report>;
  /** Whether only a tree meets it: where tree and stream run the same code, one of them is enough. */
  readonly treeOnly?: true;
  /** Checks the paths that were requested. */
  readonly requested?: (paths: readonly string[]) => void;
}

/** A table of bombs, each divided by `scale`; 1 is the full size. */
export type Bombs = (scale: number) => readonly Bomb[];

/** Options for a small bomb of a MiB and a little more that must be read to its end. */
export const atLeastTwoMib = (scale: number): object => (scale > 50 ? { maxSitemapBytes: 2 * MIB } : {});

/** A site with one sitemap, declared in robots.txt. */
export const one =
  (sitemap: (origin: string) => Trap | Body): Bomb['site'] =>
  (path, origin) =>
    path === '/robots.txt'
      ? robots(`${origin}/bomb.xml`)
      : path === '/bomb.xml'
        ? sitemap(origin)
        : undefined;

export function* times<Piece>(count: number, piece: Piece): Generator<Piece> {
  for (let number = 0; number < count; number++) yield piece;
}
