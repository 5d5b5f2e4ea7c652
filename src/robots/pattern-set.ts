/**
 * Finds the first of many patterns that matches a path, in one pass over the path.
 *
 * A robots.txt of 500 KiB may have tens of thousands of patterns, and a site has millions of pages. So patterns are not
 * tried one after the other. Their texts between the `*` are the words of one automaton (Aho and Corasick, 1975), which
 * says at each character of the path which words end there. Patterns that begin with the same words are one sequence up
 * to there. A sequence waits for its next words, and is looked at only when one of them ends. The leftmost place of a
 * word leaves the most for those behind it, so a sequence never goes back. The work is the bytes of the patterns at
 * most, and for each character the words that end there: these are endings of each other, so n bytes have √(2n) at
 * most.
 */

/** The texts between the `*` of a pattern: of `/a*b`, `/a` and `b`. All characters are ASCII. */
export interface Pattern {
  readonly texts: readonly string[];
  /** Whether it ends where the path ends. */
  readonly isAnchored: boolean;
}

class Word {
  readonly number: number;
  readonly length: number;
  /** The longest other word that is at the end of it. */
  readonly shorter: Word | undefined;
  /** What begins with it at the start of a path, anywhere, and anywhere behind the slash that every path begins with. */
  start: Sequence | undefined = undefined;
  anywhere: Sequence | undefined = undefined;
  afterSlash: Sequence | undefined = undefined;
  /** What waits for it in the path with this number: the last one, which leads to the others. */
  run = 0;
  waiting: Sequence | undefined = undefined;

  constructor(number: number, length: number, shorter: Word | undefined) {
    this.number = number;
    this.length = length;
    this.shorter = shorter;
  }
}

interface End {
  readonly pattern: number;
  /** What the path ends with, anywhere behind the words; or else the words are all of it. */
  readonly text: string | undefined;
}

/** One word behind those of another sequence: some patterns begin with it. */
class Sequence {
  readonly number: number;
  readonly parent: Sequence | undefined;
  readonly word: Word | undefined;
  /** The first pattern that begins with it. */
  readonly first: number;
  /** What is left of the patterns that have no more words, in their order. */
  readonly ends: End[] = [];
  /** Those with one word more, in the order of their patterns. */
  readonly longer: Sequence[] = [];
  /** How much of the path with this number was read when it ended. */
  run = 0;
  at = 0;
  nextWaiting: Sequence | undefined = undefined;

  constructor(number: number, parent: Sequence | undefined, word: Word | undefined, first: number) {
    this.number = number;
    this.parent = parent;
    this.word = word;
    this.first = first;
  }
}

export class PatternSet {
  readonly #size: number;
  readonly #words: WordFinder;
  readonly #root: Sequence;
  #sequences = 0;
  /** The number of the path that is looked at: what is known of another one does not count. */
  #run = 0;

  /** @param patterns - the first that matches is found */
  constructor(patterns: readonly Pattern[]) {
    this.#size = patterns.length;
    const sequences = new Map<number, Sequence>();
    const all = patterns.map(({ texts, isAnchored }) => {
      const [start = '', ...words] = texts;
      return { start, text: isAnchored ? words.pop() : '', words };
    });
    this.#words = new WordFinder(new Set(all.flatMap(({ start, words }) => [start, ...words])));
    this.#root = this.#addChild(undefined, undefined, 0);
    for (const [pattern, { start, words, text }] of all.entries()) {
      let sequence = this.#root;
      const first = this.#words.word(start);
      if (first !== undefined) sequence = first.start ??= this.#addChild(sequence, first, pattern);
      for (const word of words.map((each) => this.#words.word(each))) {
        if (word === undefined) continue;
        const key = sequence.number * this.#words.size + word.number;
        const longer = sequences.get(key) ?? this.#addChild(sequence, word, pattern);
        if (!sequences.has(key)) {
          sequences.set(key, longer);
          if (sequence === this.#root) word.anywhere = longer;
          else if (sequence === this.#words.word('/')?.start) word.afterSlash = longer;
          else sequence.longer.push(longer);
        }
        sequence = longer;
      }
      sequence.ends.push({ pattern, text });
    }
  }

  #addChild(parent: Sequence | undefined, word: Word | undefined, first: number): Sequence {
    return new Sequence(this.#sequences++, parent, word, first);
  }

  /** The index of the first pattern that matches a path of ASCII characters; the number of patterns if none does. */
  firstMatch(path: string): number {
    const run = ++this.#run;
    let best = this.#size;

    const wait = (word: Word, sequence: Sequence): void => {
      sequence.nextWaiting = word.run === run ? word.waiting : undefined;
      word.run = run;
      word.waiting = sequence;
    };
    const reach = (sequence: Sequence, at: number): void => {
      if (sequence.first >= best || sequence.run === run) return;
      sequence.run = run;
      sequence.at = at;
      for (const { pattern, text } of sequence.ends) {
        if (pattern >= best) break;
        const remaining = path.length - at;
        if (text === undefined ? remaining === 0 : remaining >= text.length && path.endsWith(text))
          best = pattern;
      }
      for (const longer of sequence.longer) {
        if (longer.first >= best) break;
        wait(longer.word!, longer);
      }
    };

    const isRooted = path.startsWith('/');
    reach(this.#root, 0);
    let state = 0;
    for (let at = 1; at <= path.length; at++) {
      state = this.#words.after(state, path.charCodeAt(at - 1));
      for (let word = this.#words.endingAt(state); word !== undefined; word = word.shorter) {
        if (word.start !== undefined && word.length === at) reach(word.start, at);
        if (word.anywhere !== undefined) reach(word.anywhere, at);
        if (word.afterSlash !== undefined && isRooted && word.length < at) reach(word.afterSlash, at);
        if (word.run !== run) continue;
        let one = word.waiting;
        word.waiting = undefined;
        while (one !== undefined) {
          const next: Sequence | undefined = one.nextWaiting;
          // A word that begins before the end of the one before it is waited for again.
          if (at - word.length < one.parent!.at) wait(word, one);
          else reach(one, at);
          one = next;
        }
      }
    }
    return best;
  }
}

/** Finds which of many words end at each character of a text. State 0 has read nothing that a word begins with. */
class WordFinder {
  readonly #byText = new Map<string, Word>();
  /** The state behind a state and a character, and behind state 0. */
  readonly #next = new Map<number, number>();
  readonly #fromZero: number[] = new Array(128).fill(0);
  /** The state of the longest other ending of what a state has read. */
  readonly #shorter: number[] = [0];
  /** The longest word that ends at a state. */
  readonly #ending: (Word | undefined)[] = [undefined];

  /** Words are added all at once and character by character: a state needs those of shorter texts. */
  constructor(words: Iterable<string>) {
    let open = Array.from(words, (text) => ({ text, state: 0 }));
    for (let depth = 0; open.length > 0; depth++) {
      const longer = open.filter(({ text }) => text.length > depth);
      for (const { text, state } of open) if (text.length === depth) this.#end(state, text);
      for (const one of longer) one.state = this.#child(one.state, one.text.charCodeAt(depth));
      open = longer;
    }
  }

  get size(): number {
    return this.#byText.size;
  }

  /** Undefined where a text is empty. */
  word(text: string): Word | undefined {
    return this.#byText.get(text);
  }

  after(from: number, code: number): number {
    for (let state = from; state !== 0; state = this.#shorter[state]!) {
      const next = this.#next.get(state * 128 + code);
      if (next !== undefined) return next;
    }
    return this.#fromZero[code]!;
  }

  endingAt(state: number): Word | undefined {
    return this.#ending[state];
  }

  #end(state: number, text: string): void {
    if (text === '') return;
    const word = new Word(this.#byText.size, text.length, this.#ending[state]);
    this.#byText.set(text, word);
    this.#ending[state] = word;
  }

  #child(parent: number, code: number): number {
    const child = parent === 0 ? this.#fromZero[code]! : (this.#next.get(parent * 128 + code) ?? 0);
    if (child !== 0) return child;
    const shorter = parent === 0 ? 0 : this.after(this.#shorter[parent]!, code);
    const state = this.#shorter.push(shorter) - 1;
    this.#ending.push(this.#ending[shorter]);
    if (parent === 0) this.#fromZero[code] = state;
    else this.#next.set(parent * 128 + code, state);
    return state;
  }
}
