/** One document through its rules: bytes in, findings out. */
import { DocumentParser } from '../parse/document-parser.ts';
import type { ParseListener } from '../parse/listener.ts';
import type { DocumentKind } from '../parse/model/kind.ts';
import type { Description } from '../parse/opening/describe.ts';
import type { DocumentOptions } from '../parse/opening/opening.ts';
import { Places } from '../problems/places.ts';
import type { Position } from '../problems/position.ts';
import type { Problem } from '../problems/problem-list.ts';
import { DocumentFindings } from './document-findings.ts';
import type { DocumentReader } from './document-reader.ts';
import { EventRouter } from './event-router.ts';
import type { Finding } from './finding.ts';
import type { CheckedDocument, DocumentRule, Report } from './rule.ts';
import { isRuleName, type RuleName } from './rule-table.ts';
import { Utf8Validator } from './utf8-validator.ts';

/** What is known of a document besides its content. */
export interface DocumentFacts extends Pick<CheckedDocument, 'now' | 'isFetched' | 'declaredBy'> {
  /** What findings call it: its URL, or the name of its file. */
  readonly name: string;
  readonly options: DocumentOptions;
  /** See {@link Utf8Validator}. */
  readonly isAscii?: ((bytes: Uint8Array) => boolean) | undefined;
}

/** The problems of a text that is not known to be a sitemap that are kept until it is; the rest are counted. */
const MOST_HELD = 1000;

/** Checks one document: {@link write} chunks, {@link end} it. */
export class DocumentCheck implements CheckedDocument<RuleName> {
  readonly name: string;
  readonly url: string | undefined;
  readonly now: number;
  readonly isFetched: boolean;
  readonly declaredBy: ReadonlySet<string>;
  readonly #places = new Places();
  readonly #findings: DocumentFindings;
  readonly #router: EventRouter;
  readonly #parser: DocumentParser;
  readonly #utf8: Utf8Validator | undefined;
  readonly #reader: DocumentReader | undefined;
  readonly #held: Problem[] = [];
  #heldBack = 0;
  #bytes = 0;
  #locations = 0;

  /**
   * @param rules - the rules that look at it
   * @param emit - gets each finding
   * @param reader - reads along
   */
  constructor(
    facts: DocumentFacts,
    rules: readonly DocumentRule<RuleName>[],
    emit: (finding: Finding) => void,
    reader?: DocumentReader,
  ) {
    this.#reader = reader;
    const { name, options, now, isFetched, declaredBy, isAscii } = facts;
    this.name = name;
    this.url = options.url;
    this.now = now;
    this.isFetched = isFetched;
    this.declaredBy = declaredBy;
    this.#findings = new DocumentFindings(name, this.#places, emit);
    this.#router = new EventRouter(rules.map((rule) => rule(this)));
    this.#utf8 = options.isUtf8 === true ? undefined : new Utf8Validator(isAscii);
    // Field by field: see the note on objects in CONTRIBUTING.md.
    this.#parser = new DocumentParser({
      url: options.url,
      charset: options.charset,
      isUtf8: options.isUtf8,
      isRobotsPath: options.isRobotsPath,
      problemPositions: options.problemPositions,
      sought: options.sought,
      listener: this.#listener(),
      onProblem: (problem) => this.#problem(problem),
    });
  }

  #listener(): ParseListener {
    const { startNames, valueNames, parsed, root, startTag, value, endTag, location, plainEntry } =
      this.#router.events;
    return {
      isAll: this.#reader === undefined,
      startNames,
      valueNames,
      parsed,
      root,
      startTag,
      value,
      endTag,
      location: (url, offset, isRepeated) => {
        if (!isRepeated) this.#locations++;
        location(url, offset, isRepeated);
      },
      plainEntry:
        plainEntry === undefined
          ? undefined
          : (entry) => {
              plainEntry(entry);
              if (!entry.isRepeated) this.#locations++;
            },
      text: (chunk) => {
        this.#places.write(chunk);
        this.#router.text(chunk);
      },
    };
  }

  get kind(): DocumentKind | undefined {
    return this.#parser.kind ?? this.#parser.detectedKind;
  }

  /** How many pages it lists, each once. */
  get pageCount(): number {
    const { kind } = this;
    return kind === 'index-xml' || kind === 'robots-txt' ? 0 : this.#locations;
  }

  /** What it is instead of a sitemap; undefined where it is one. */
  get description(): Description | undefined {
    return this.#parser.description;
  }

  /** The offsets whose places are not known any more; {@link end} takes them. */
  get unplaced(): readonly number[] {
    return this.#findings.unplaced;
  }

  place(offset: number): Position | undefined {
    return this.#places.at(offset);
  }

  counts(rule: RuleName, cause?: string): boolean {
    return this.#findings.counts(rule, cause);
  }

  report(report: Report<RuleName>): void {
    this.#findings.report(report);
  }

  /** Takes in bytes in whatever charset the document is in, after all decompression. */
  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#utf8?.write(chunk);
    this.#parser.write(chunk);
    this.#taken();
  }

  /** Ends the document for its rules; `isCut` where the rest of it never arrived. {@link end} must follow. */
  close(isCut = false): void {
    this.#utf8?.end();
    this.#parser.end(isCut);
    this.#taken();
    this.#reader?.end(this.#parser);
    const { kind, charset } = this.#parser;
    this.#router.end({
      kind,
      charset,
      truncated: isCut || this.#parser.truncated,
      bytes: this.#bytes,
      isUtf8: this.#utf8?.isValid ?? true,
    });
  }

  /** Gives the rest of the findings, with the places of the {@link unplaced} ones, where they could be found. */
  end(positions?: readonly Position[]): void {
    this.#findings.end(positions);
  }

  /** Hands on the pages, where a reader wants them, and reports what was held back until the kind is known. */
  #taken(): void {
    const pages = this.#parser.takePages();
    if (pages.length > 0) this.#reader?.pages(pages);
    this.#parser.takeSitemaps();
    const { kind } = this.#parser;
    if (kind === undefined || this.#held.length === 0) return;
    const held = this.#held.splice(0);
    if (kind === 'invalid') return;
    for (const problem of held) this.#report(problem);
    const last = held.at(-1)!;
    if (this.#heldBack > 0 && isRuleName(last.code)) {
      const message = `${this.#heldBack} more problems before the first URL of the document.`;
      this.report({ rule: last.code, message });
    }
  }

  #problem(problem: Problem): void {
    if (this.#parser?.kind !== undefined || isSure(this.#parser?.detectedKind)) this.#report(problem);
    else if (this.#held.length < MOST_HELD) this.#held.push(problem);
    else this.#heldBack++;
  }

  #report(problem: Problem): void {
    const { code, message, offset } = problem;
    if (this.#router.claims(problem) || !isRuleName(code)) return;
    this.report({ rule: code, message, offset });
  }
}

/** Whether a document of this kind is a sitemap whatever comes; a text needs a URL first. */
function isSure(kind: DocumentKind | undefined): boolean {
  return kind !== undefined && kind !== 'pages-text' && kind !== 'invalid';
}
