/**
 * Problems are data, not exceptions: what is wrong with a document, beside everything that could still be read from it.
 */
import { clip } from '../text/wording.ts';
import type { ProblemCode } from './catalogue.ts';
import type { Position } from './position.ts';

/** One thing that is wrong with a document, a fetch or a tree. */
export interface Problem {
  /**
   * A stable kebab-case word for programs; `docs/problem-codes.md` lists them all. An archive that another version has
   * saved may have other codes.
   */
  readonly code: ProblemCode;
  /** A sentence for people: what was found, and what was done about it. */
  readonly message: string;
  /**
   * Where: the value it is about, or else its start tag, as a byte offset into the text in UTF-8, from 0 behind a byte
   * order mark. Absent where it is about the whole document.
   */
  readonly offset?: number;
  /** The line of that place, from 1, where positions were asked for (`problemPositions`). */
  readonly line?: number;
  /** The column of that place in UTF-16 code units, from 1, where positions were asked for. */
  readonly column?: number;
  /** The option that would change it, where there is one: `maxSitemapBytes`, `allowPrivateNetworks`. */
  readonly option?: string;
  /** The code of the failure behind it, of `robots-txt-failed`, `known-path-failed` and `homepage-links-failed`. */
  readonly failure?: string;
  /** The HTTP status of that failure, where there was a response. */
  readonly status?: number;
  /** How many documents it is about, where that may be more than one. */
  readonly documents?: number;
  /** Whether the URL that it is about was kept, where its code mostly means that it was dropped: `template`. */
  readonly kept?: boolean;
}

export type ProblemFacts = Pick<Problem, 'option' | 'failure' | 'status' | 'documents' | 'kept'>;

export function factsOfFailure(failure: {
  readonly code: string;
  readonly status?: number | undefined;
  readonly option?: string | undefined;
}): ProblemFacts {
  const { code, status, option } = failure;
  return {
    failure: code,
    ...(status !== undefined && { status }),
    ...(option !== undefined && { option }),
  };
}

/** How many problems one document keeps; the rest are counted. */
const MAX_KEPT = 100;

/** How many characters of a message are kept: it may quote a document. */
const MAX_MESSAGE = 1000;

/** Where an offset is; undefined where that is not known any more. */
export type Locate = (offset: number) => Position | undefined;

/**
 * Called with every problem as it is found, also with those that are only counted. The subject is what the message
 * quotes or names, for programs: a namespace, a URL as written, the name of a value.
 */
export type ProblemListener = (problem: Problem, subject: string | undefined) => void;

/** Collects one document's problems: keeps a hundred, counts them all. */
export class ProblemList {
  readonly #onProblem: ProblemListener | undefined;
  readonly #locate: Locate | undefined;
  readonly #kept: Problem[] = [];
  readonly #countOfCode = new Map<string, number>();
  #count = 0;

  constructor(onProblem?: ProblemListener, locate?: Locate) {
    this.#onProblem = onProblem;
    this.#locate = locate;
  }

  /** The problems kept, in the order they were found; the first of every code is among them. */
  get kept(): readonly Problem[] {
    return this.#kept;
  }

  /** How many problems there were, kept or not. */
  get count(): number {
    return this.#count;
  }

  /** @param subject - for the listener: see {@link ProblemListener} */
  add(code: ProblemCode, message: string, offset?: number, facts?: ProblemFacts, subject?: string): void {
    this.#add(code, message, offset, facts, subject);
  }

  /** Adds a problem that was found before, perhaps by another version, which may have other codes. */
  addProblem({ code, message, offset, ...facts }: Problem): void {
    this.#add(code, message, offset, facts);
  }

  #add(code: ProblemCode, message: string, offset?: number, facts?: ProblemFacts, subject?: string): void {
    this.#count++;
    this.#onProblem?.(this.#problem(code, message, offset, facts), subject);
    const earlierCount = this.#countOfCode.get(code) ?? 0;
    this.#countOfCode.set(code, earlierCount + 1);
    if (this.#kept.length >= MAX_KEPT) {
      if (earlierCount > 0) return;
      this.#makeRoom();
    }
    this.#kept.push(this.#problem(code, flat(message), offset, facts));
  }

  /** Adds a problem unless one of its code was added before: for what is true of a document, not of a place. */
  addOnce(code: ProblemCode, message: string, offset?: number, facts?: ProblemFacts): void {
    if (!this.#countOfCode.has(code)) this.add(code, message, offset, facts);
  }

  // Names are added one by one: a literal that spreads an object has a hidden class of its own each time.
  #problem(code: ProblemCode, text: string, offset?: number, facts?: ProblemFacts): Problem {
    // A message may quote a value, which may have half a character.
    const message = clip(text, MAX_MESSAGE).toWellFormed();
    const problem: { -readonly [Field in keyof Problem]: Problem[Field] } = { code, message };
    if (offset !== undefined) {
      problem.offset = offset;
      const position = this.#locate?.(offset);
      if (position !== undefined) {
        problem.line = position.line;
        problem.column = position.column;
      }
    }
    return facts === undefined ? problem : Object.assign(problem, facts);
  }

  // A flood of one code must not hide the first of another: the youngest repetition gives way.
  #makeRoom(): void {
    const codes = new Map<string, number>();
    for (const { code } of this.#kept) codes.set(code, (codes.get(code) ?? 0) + 1);
    const victim = this.#kept.findLastIndex(({ code }) => (codes.get(code) ?? 0) > 1);
    this.#kept.splice(victim === -1 ? this.#kept.length - 1 : victim, 1);
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * A copy that shares no memory with the document that the message quotes: a JavaScript substring keeps all of its
 * parent.
 */
function flat(message: string): string {
  return decoder.decode(encoder.encode(message.slice(0, MAX_MESSAGE + 1)));
}
