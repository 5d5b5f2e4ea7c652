/** JSON text that is too long to be parsed as a whole: its values one by one. */

const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, COMMA] = [9, 10, 13, 32, 34, 44];
const [LIST, BACKSLASH, LIST_END, OBJECT, OBJECT_END] = [91, 92, 93, 123, 125];

/**
 * Takes JSON in pieces, gives the text of each value: of the items of a list at the top, or of values that follow each
 * other, as NDJSON and jq have them. What is not JSON is given too, up to where it may end.
 */
export class JsonValues {
  #text = '';
  #depth = 0;
  #isInList = false;
  #isInValue = false;
  #isQuoted = false;
  #isEscaped = false;

  *values(text: string): Generator<string, void, undefined> {
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (!this.#isInValue) {
        if (isBetween(code)) continue;
        if (code === (this.#isInList ? LIST_END : LIST)) {
          this.#isInList = !this.#isInList;
          continue;
        }
        this.#isInValue = true;
        start = at;
      }
      const end = this.#endAt(code, at, this.#text === '' && at === start);
      if (end === undefined) continue;
      yield this.#take(text.slice(start, end));
      at = end - 1;
    }
    if (this.#isInValue) this.#text += text.slice(start);
  }

  /** The length of a value whose end has not come yet. */
  get waiting(): number {
    return this.#text.length;
  }

  /** The last value, and whether its end, or that of the list, is missing. */
  end(): { readonly value: string | undefined; readonly isCut: boolean } {
    const isCut = this.#isInList || this.#isQuoted || this.#depth > 0;
    return { value: this.#isInValue ? this.#take('') : undefined, isCut };
  }

  #take(rest: string): string {
    const value = this.#text + rest;
    this.#text = '';
    this.#isInValue = false;
    return value;
  }

  /** Where the value ends that has this character; undefined where it goes on. */
  #endAt(code: number, at: number, isFirst: boolean): number | undefined {
    if (this.#isQuoted) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) {
        this.#isQuoted = false;
        if (this.#depth === 0) return at + 1;
      }
      return undefined;
    }
    if (code === QUOTE) this.#isQuoted = true;
    else if (code === OBJECT || code === LIST) this.#depth++;
    else if (code === OBJECT_END || code === LIST_END) {
      // The end of the list around it, or one that closes nothing.
      if (this.#depth === 0) return isFirst ? at + 1 : at;
      if (--this.#depth === 0) return at + 1;
    } else if (this.#depth === 0 && isBetween(code)) return at;
    return undefined;
  }
}

function isBetween(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === COMMA || code === RETURN || code === TAB;
}
