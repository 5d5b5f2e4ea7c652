/** Checks one document with its rules: takes bytes, and emits findings. */

import type { Description } from '../parse/detection/detect.ts';
import type { DocumentOptions } from '../parse/detection/document-start.ts';
import { DocumentParser } from '../parse/document-parser.ts';
import { pieces } from '../parse/given-input.ts';
import type { EndHandler, ParseListener, StartHandler, ValueHandler } from '../parse/listener.ts';
import type { DocumentKind } from '../parse/model/item.ts';
import { isIndexKind } from '../parse/model/kinds.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { NO_ATTRIBUTES } from '../parse/xml/attributes.ts';
import { Places, type Position } from '../problems/position.ts';
import type { Problem } from '../problems/problem-list.ts';
import { clip, count } from '../text/wording.ts';
import { DocumentFindings } from './document-findings.ts';
import { EntryPages } from './entry-pages.ts';
import type { Finding } from './finding.ts';
import { AlternateLink, ListedUrl } from './ordinary-url.ts';
import {
  type CheckedDocument,
  type DocumentListener,
  type DocumentRule,
  type ParserProblem,
  type Report,
  type RuleName,
  XML_KINDS,
} from './rule.ts';
import { ruleOfProblem } from './rule-table.ts';
import { FAULT_RULES } from './xml/fault.ts';
import { Utf8Validator } from './xml/utf8-validator.ts';

/** @internal */
export interface DocumentToRead extends Pick<CheckedDocument, 'now' | 'isFetched' | 'declaredBy'> {
  /** Its name in findings: its URL, or the name of its file. */
  readonly name: string;
  readonly options: DocumentOptions;
}

/** Gets the pages of a document while it is checked, so that it need not be parsed again. */
export interface DocumentObserver {
  pages(pages: readonly SitemapPage[]): void;
  /** Called at the end of the document, with the problems that the parser noticed. */
  end(noticed: { readonly problems: readonly Problem[]; readonly problemCount: number }): void;
}

/** How many problems of a text are kept until it is known to be a sitemap; the rest are counted. */
const MOST_HELD = 1000;
const ENTRIES: ReadonlySet<string> = new Set(['sitemap:url', 'sitemap:sitemap', 'rss:item', 'atom:entry']);

/** @internal */
export class DocumentCheck implements CheckedDocument {
  readonly name: string;
  readonly url: string | undefined;
  readonly now: number;
  readonly isFetched: boolean;
  readonly declaredBy: ReadonlySet<string>;
  readonly #places = new Places();
  readonly #findings: DocumentFindings;
  readonly #listeners: readonly DocumentListener[];
  readonly #parser: DocumentParser;
  readonly #utf8: Utf8Validator | undefined;
  #reader: DocumentObserver | undefined;
  readonly #onEnd: (() => void) | undefined;
  readonly #emit: (finding: Finding) => void;
  readonly #earlyProblems: ParserProblem[] = [];
  readonly #entries = new EntryPages();
  /** The offsets of values and tags that were cut off: other problems there follow from that. */
  readonly #cut = new Set<number | undefined>();
  #heldBack = 0;
  /** The position of the first byte that is not UTF-8. */
  #invalidPosition: Position | undefined;
  #hasFailed = false;
  #bytes = 0;
  /** How many bytes of text have arrived. */
  #textBytes = 0;
  #locations = 0;

  /**
   * @param rules - the rules to check it with
   * @param emit - gets each finding
   * @param reader - gets its pages
   * @param onEnd - called after the last finding
   */
  constructor(
    facts: DocumentToRead,
    rules: readonly DocumentRule[],
    emit: (finding: Finding) => void,
    reader?: DocumentObserver,
    onEnd?: () => void,
  ) {
    this.#reader = reader;
    this.#onEnd = onEnd;
    this.#emit = emit;
    const { name, options, now, isFetched, declaredBy } = facts;
    this.name = name;
    this.url = options.url;
    this.now = now;
    this.isFetched = isFetched;
    this.declaredBy = declaredBy;
    this.#findings = new DocumentFindings(name, this.#places, emit);
    this.#listeners = rules.map((rule) => rule(this));
    this.#utf8 = options.isUtf8 === true ? undefined : new Utf8Validator();
    // Field by field: see "Objects that are made for each document" in docs/memory.md.
    this.#parser = new DocumentParser({
      url: options.url,
      charset: options.charset,
      isUtf8: options.isUtf8,
      isRobotsPath: options.isRobotsPath,
      problemPositions: options.problemPositions,
      sought: options.sought,
      listener: this.#listener(),
      onProblem: (problem, subject) =>
        this.#problem(subject === undefined ? problem : { ...problem, subject }),
    });
  }

  #listener(): ParseListener {
    const listeners = this.#listeners;
    const linkHandlers = listeners.flatMap(({ link }) => link ?? []);
    const handleLink: StartHandler = (offset, attributes) => {
      const link = new AlternateLink(attributes);
      for (const handle of linkHandlers) handle(link, offset);
    };
    const links = linkHandlers.length === 0 ? [] : [{ 'xhtml:link': handleLink }];
    const starts = byName<StartHandler>([...listeners.map(({ startTags }) => startTags), ...links]);
    const values = byName<ValueHandler>(listeners.map(({ values }) => values));
    const ends = byName<EndHandler>(listeners.map(({ endTags }) => endTags));
    // Functions instead of methods: a lookup in objects of many shapes takes longer than most of these functions.
    const located = listeners.flatMap(({ location }) => location ?? []);
    const readTo = listeners.find((each) => each.readTo !== undefined)?.readTo;
    return {
      isAll: this.#reader === undefined,
      parsed(chunk) {
        for (const { parsed } of listeners) parsed?.(chunk);
      },
      root(name, offset, attributes) {
        for (const { root } of listeners) root?.(name, offset, attributes);
      },
      unknownTag: listeners.find(({ unknownTag }) => unknownTag !== undefined)?.unknownTag,
      startTag: (name) => {
        const isEntry = ENTRIES.has(name);
        const handlers = starts.get(name);
        if (handlers === undefined) return isEntry ? (offset) => this.#entries.start(offset) : undefined;
        return (offset, attributes) => {
          if (isEntry) this.#entries.start(offset);
          const whole = this.#isCut(offset) ? NO_ATTRIBUTES : attributes;
          for (const handle of handlers) handle(offset, whole);
        };
      },
      value: (name) => together(values.get(name)),
      endTag: (name) => {
        const handle = together(ends.get(name));
        if (!ENTRIES.has(name)) return handle;
        return (offset) => {
          handle?.(offset);
          this.#entries.end(offset);
        };
      },
      location: (url, offset, isRepeated) => {
        if (!isRepeated) this.#locations++;
        const listedUrl = new ListedUrl(url);
        for (const handle of located) handle(listedUrl, offset, isRepeated);
        this.#entries.locate(url, offset);
      },
      text: (chunk) => {
        this.#places.write(chunk);
        this.#textBytes += chunk.length;
        this.#entries.forget(readTo?.() ?? Number.POSITIVE_INFINITY);
        for (const { text } of listeners) text?.(chunk);
      },
    };
  }

  get kind(): DocumentKind | undefined {
    return this.#parser.kind ?? this.#parser.detectedKind;
  }

  /** How many different pages it lists. */
  get pageCount(): number {
    const { kind } = this;
    return isIndexKind(kind) ? 0 : this.#locations;
  }

  /** What it is instead of a sitemap; undefined if it is a sitemap. */
  get description(): Description | undefined {
    return this.#parser.description;
  }

  place(offset: number): Position | undefined {
    return this.#places.at(offset);
  }

  isOnlyCounted(rule: RuleName, cause?: string): boolean {
    return this.#findings.isOnlyCounted(rule, cause);
  }

  #isCut(offset: number | undefined): boolean {
    return this.#cut.size > 0 && this.#cut.has(offset);
  }

  report(report: Report): void {
    const { rule, cause, severity, page, count } = report;
    // If a rule is broken everywhere, the number of cases is enough.
    const isOneCase = severity === undefined && page === undefined && count === undefined;
    if (isOneCase && !this.#isCut(report.offset) && this.isOnlyCounted(rule, cause)) return;
    this.withPage(report, (withPage) => this.#findings.report(withPage));
  }

  withPage(report: Report, deliver: (report: Report) => void): void {
    const { rule, offset } = report;
    // What was cut off is not judged, but for its faults: for them it is read whole.
    if (this.#isCut(offset) && rule !== 'value-too-long' && !FAULT_RULES.has(rule)) return;
    // The position is taken now: it may be too far back when the page is known.
    const position = report.position ?? (offset === undefined ? undefined : this.place(offset));
    const placed = { ...report, position };
    if (isEntryKind(this.kind)) this.#entries.add(placed, deliver);
    else deliver(placed);
  }

  /** Takes bytes in the charset of the document, after all decompression. */
  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#guard(() => {
      this.#utf8?.write(chunk);
      // Positions are known only for a while, so that of an invalid byte is taken after each piece.
      for (const piece of pieces(chunk)) {
        this.#parser.write(piece);
        this.#noteInvalid();
      }
      this.#takeParsed();
    });
  }

  #noteInvalid(): void {
    if (this.#utf8?.isValid !== false || this.#invalidPosition !== undefined) return;
    const offset = this.#utf8.invalidAt(this.#parser.charset) ?? Number.POSITIVE_INFINITY;
    if (offset < this.#textBytes) this.#invalidPosition = this.place(offset);
  }

  /** Ends the document, and emits the rest of the findings. @param isCut - the rest of the document never arrived */
  end(isCut = false): void {
    this.#guard(() => {
      this.#utf8?.end();
      this.#parser.end(isCut);
      for (const listener of this.#listeners) listener.textEnd?.();
      this.#entries.close();
      this.#takeParsed();
      this.#endReader();
      const { kind, charset } = this.#parser;
      const end = {
        kind,
        charset,
        truncated: isCut || this.#parser.truncated,
        bytes: this.#bytes,
        isUtf8: this.#utf8?.isValid ?? true,
        invalidAt: this.#utf8?.invalidAt(charset),
        invalidPosition: this.#invalidPosition,
      };
      for (const listener of this.#listeners) listener.end?.(end);
    });
    // Ended after a fault too; else the summary reads the document again and counts twice.
    this.#endReader();
    this.#guard(() => this.#findings.end());
    this.#onEnd?.();
  }

  #endReader(): void {
    this.#reader?.end(this.#parser);
    this.#reader = undefined;
  }

  /** An error of a rule becomes a finding of this document, and does not end the check of other documents. */
  #guard(step: () => void): void {
    if (this.#hasFailed) return;
    try {
      step();
    } catch (error) {
      this.#hasFailed = true;
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      const message = `The check of this document ended here because of an internal error (${clip(reason, 200)}).`;
      this.#emit({ rule: 'check-failed', severity: 'error', message, document: this.name });
    }
  }

  /** Passes pages on to the reader, and reports the problems that waited for the kind of the document. */
  #takeParsed(): void {
    this.#handOn();
    this.#parser.takeSitemaps();
    const { kind } = this.#parser;
    if (kind === undefined || this.#earlyProblems.length === 0) return;
    const problems = this.#earlyProblems.splice(0);
    if (kind === 'invalid') return;
    for (const problem of problems) this.#report(problem);
    if (this.#heldBack > 0) {
      const message = `${count(this.#heldBack, 'more problem')} before the first URL of the document.`;
      this.report({ rule: ruleOfProblem(problems.at(-1)!.code), message, count: this.#heldBack });
    }
  }

  #handOn(): void {
    const pages = this.#parser.takePages();
    if (pages.length > 0) this.#reader?.pages(pages);
  }

  #problem(problem: ParserProblem): void {
    if (problem.code === 'value-too-long') this.#cut.add(problem.offset);
    if (this.#parser?.kind !== undefined || isSure(this.#parser?.detectedKind)) this.#report(problem);
    else if (this.#earlyProblems.length < MOST_HELD)
      this.#earlyProblems.push({ ...problem, position: this.place(problem.offset ?? 0) });
    else this.#heldBack++;
  }

  #report(problem: ParserProblem): void {
    const { code, message, offset, position } = problem;
    // All listeners get the problem, even if one of them reports it under its own name.
    let isReported = false;
    for (const listener of this.#listeners) if (listener.problem?.(problem) === true) isReported = true;
    if (isReported) return;
    this.report({ rule: ruleOfProblem(code), message, offset, position });
  }
}

/** Whether a document of this kind is certainly a sitemap; a text needs a URL first. */
function isSure(kind: DocumentKind | undefined): boolean {
  return kind !== undefined && kind !== 'pages-text' && kind !== 'invalid';
}

/** Whether a document of this kind has entries with tags. */
function isEntryKind(kind: DocumentKind | undefined): boolean {
  return kind !== undefined && kind !== 'invalid' && XML_KINDS.includes(kind);
}

function byName<Handler>(
  tables: readonly (Readonly<Record<string, Handler>> | undefined)[],
): ReadonlyMap<string, readonly Handler[]> {
  const handlers = new Map<string, Handler[]>();
  for (const table of tables) {
    for (const [name, handle] of Object.entries(table ?? {})) {
      const others = handlers.get(name);
      if (others === undefined) handlers.set(name, [handle]);
      else others.push(handle);
    }
  }
  return handlers;
}

/** Joins handlers into one; most lists have one. */
function together<Event>(
  handlers: readonly ((event: Event) => void)[] | undefined,
): ((event: Event) => void) | undefined {
  if (handlers === undefined || handlers.length === 1) return handlers?.[0];
  return (event) => {
    for (const handle of handlers) handle(event);
  };
}
