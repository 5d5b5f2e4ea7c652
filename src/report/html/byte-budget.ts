/** The bytes that a section may have: a report has at most a megabyte, whatever the size of the site. */

/** Bytes of a report's sections. Together with the script and the style they stay below 1,000,000. */
export const BUDGETS = {
  verdict: 20_000,
  fixFirst: 30_000,
  changes: 60_000,
  findings: 180_000,
  sitemaps: 330_000,
  charts: 130_000,
  drilling: 60_000,
  samples: 150_000,
} as const;

/** What is left of a budget. */
export class ByteBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Whether a piece fits, which then counts. */
  takes(piece: string): boolean {
    const bytes = Buffer.byteLength(piece);
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  /** As many pieces as fit, in order. */
  fill(pieces: Iterable<string>): string[] {
    const kept: string[] = [];
    for (const piece of pieces) {
      if (!this.takes(piece)) break;
      kept.push(piece);
    }
    return kept;
  }
}
