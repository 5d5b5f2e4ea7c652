/** Sets of URLs, by their fingerprints: some 20 bytes for a URL of any length. */
import { Fingerprint, FingerprintTable, type Print } from './fingerprint-table.ts';

const NOTHING = new Uint8Array(0);
const NO_VIEW = new DataView(NOTHING.buffer);

/**
 * Remembers which URLs were there before.
 *
 * Two different URLs are taken for one with a probability of about n²/2⁹⁷: below 10⁻¹⁴ for fifty million URLs.
 */
export class SeenUrls {
  /** The fingerprint that was taken last. */
  protected readonly print: Fingerprint = new Fingerprint();
  readonly #table = new FingerprintTable();
  #view: DataView = NO_VIEW;
  #viewed: Uint8Array = NOTHING;

  /** How many different URLs there were. */
  get size(): number {
    return this.#table.size;
  }

  /** Adds a URL; returns whether it is new. */
  add(url: string): boolean {
    this.print.take(url);
    return this.addMarked();
  }

  /** Whether a URL was added before. */
  has(url: string): boolean {
    return this.#table.find(this.print.take(url)) !== -1;
  }

  /**
   * Takes the fingerprint of a URL in UTF-8 bytes, for {@link addMarked}. Returns whether it is plain:
   * eight bytes or more of printable ASCII, without `&` and without what templates have (`{`, `'`), so that the bytes
   * are the URL, and nothing is wrong with it.
   */
  markBytes(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#viewed !== bytes) {
      this.#viewed = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    return this.print.takeBytes(bytes, this.#view, start, end);
  }

  /** Adds the URL whose fingerprint was taken last; returns whether it is new. */
  addMarked(): boolean {
    const { size } = this.#table;
    return this.#table.add(this.print) === size;
  }
}

/**
 * URLs that are looked for in documents. It takes the place of the URLs that a document had before: where that says
 * "not new", a parser makes nothing of an entry, and so it ignores all pages but those that are looked for. What is
 * left of the others is a fingerprint, which is taken of their bytes. Any number of documents may be read with it.
 */
export class SoughtUrls extends SeenUrls {
  readonly #isSought: (print: Print) => boolean;

  constructor(isSought: (print: Print) => boolean) {
    super();
    this.#isSought = isSought;
  }

  override addMarked(): boolean {
    return this.#isSought(this.print);
  }
}
