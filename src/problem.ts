/**
 * Problems are data, not exceptions: what is odd about a document, beside everything that could still
 * be read from it.
 *
 * @packageDocumentation
 */

/**
 * Every code a parsed document can carry, with what it means. Codes are stable: programs may match on
 * them. `docs/problem-codes.md` is held to this table by a test.
 */
export const PARSE_PROBLEMS = {
  'bad-change-frequency': 'A changefreq that is none of the seven words; left out.',
  'bad-date': 'A date that is impossible, ambiguous or unknown; left out.',
  'bad-number': 'A number in an extension that is not one; left out.',
  'bad-priority': 'A priority that is not a number from 0 to 1; 0.5 is used.',
  'bare-ampersand': 'An `&` that starts no entity, read as a literal `&`.',
  'control-character': 'Control characters that XML forbids, removed.',
  doctype: 'A DOCTYPE, skipped: its entities are neither expanded nor fetched.',
  'double-escaped-url': 'A URL with `&amp;amp;` (or `&amp;` in CDATA), read as `&`.',
  'empty-loc': 'An entry whose loc (or link) is empty; dropped.',
  'entity-dropped': 'A reference to an entity that only a DOCTYPE could define; removed.',
  'entry-without-loc': 'An entry with no loc (or link) at all; dropped.',
  'entry-without-root': 'Entries that stand outside the root, or with no root at all; read as if inside.',
  'inside-html': 'The sitemap stands inside an HTML page; read from there.',
  'invalid-bytes': 'Bytes that are invalid in the charset, read as U+FFFD.',
  'junk-after-root': 'Something stands after the root was closed; ignored.',
  'line-not-a-url': 'A line of a text sitemap that is not a URL; skipped.',
  'literal-less-than': 'A `<` in text that starts no tag, read as a literal `<`.',
  'loc-outside-entry': 'A loc that stands in no entry; read as an entry of its own.',
  'missing-namespace': 'The root has no namespace; read as if it had the right one.',
  'mis-nested-tag': 'A closing tag that closes nothing that is open; ignored.',
  'nested-root': 'A root inside the root; its entries are read as the outer one’s.',
  'nesting-too-deep': 'Tags nested more than 256 deep.',
  'not-http-url': 'A URL that is not http or https; dropped.',
  'other-entry-kind': 'Page entries in an index, or sitemap entries in a urlset; not followed.',
  'relative-url': 'A relative URL, resolved against the sitemap’s own.',
  'robots-line-skipped': 'A Sitemap line of a robots.txt without a usable URL; skipped.',
  'second-root': 'A second root after the first; its entries are read too.',
  'several-locs': 'Several loc in one entry; each is an entry.',
  'tag-cut-short': 'A tag that the next `<` ends before its `>`.',
  'text-before-root': 'Text before the root; skipped.',
  'text-entry': 'An entry with a URL as its own text and no loc; that is its loc.',
  truncated: 'The document ends too early; complete entries are kept.',
  'unclosed-tag': 'A tag that is never closed; closed where the next one starts.',
  'undeclared-prefix': 'A namespace prefix that was never declared; read by its name.',
  'unknown-charset': 'A charset label that nobody knows; passed over.',
  'unresolvable-url': 'A URL that cannot be resolved; dropped.',
  'upper-case-tag': 'Tags in another case than the format’s; read all the same.',
  'value-too-long': 'A value (or tag) over 64 KiB; cut there.',
  'wrong-charset': 'The charset that was claimed contradicts the bytes; passed over.',
  'wrong-namespace': 'A namespace that is not exactly the right one; read by its meaning.',
} as const;

/** The code of a problem inside one document. */
export type ParseProblemCode = keyof typeof PARSE_PROBLEMS;

/** One thing that is odd about a document, a fetch or a tree. */
export interface Problem {
  /** A stable kebab-case word for programs; `docs/problem-codes.md` lists them all. */
  readonly code: string;
  /** A sentence for people: what was found, and what was done about it. */
  readonly message: string;
  /** Where, as a byte offset into the document in UTF-8; absent where it is about the whole. */
  readonly offset?: number;
}

/** How many problems one document keeps; the rest are counted. */
const MAX_KEPT = 100;

/** Collects one document's problems: keeps a hundred, counts them all. */
export class ProblemList {
  readonly #kept: Problem[] = [];
  readonly #seen = new Map<string, number>();
  #count = 0;

  /** The problems kept, in the order they were found; the first of every code is among them. */
  get kept(): readonly Problem[] {
    return this.#kept;
  }

  /** How many problems there were, kept or not. */
  get count(): number {
    return this.#count;
  }

  add(code: string, message: string, offset?: number): void {
    this.#count++;
    const seen = this.#seen.get(code) ?? 0;
    this.#seen.set(code, seen + 1);
    if (this.#kept.length >= MAX_KEPT) {
      if (seen > 0) return;
      this.#makeRoom();
    }
    this.#kept.push(offset === undefined ? { code, message } : { code, message, offset });
  }

  /** Adds a problem unless one of its code was added before: for what is true of a document, not of a place. */
  addOnce(code: string, message: string, offset?: number): void {
    if (!this.#seen.has(code)) this.add(code, message, offset);
  }

  // A flood of one code must not hide the first of another: the youngest repetition gives way.
  #makeRoom(): void {
    const codes = new Map<string, number>();
    for (const { code } of this.#kept) codes.set(code, (codes.get(code) ?? 0) + 1);
    const victim = this.#kept.findLastIndex(({ code }) => (codes.get(code) ?? 0) > 1);
    this.#kept.splice(victim === -1 ? this.#kept.length - 1 : victim, 1);
  }
}
