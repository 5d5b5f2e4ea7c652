/** What the worker holds between two runs: the documents, what they list, and what is wrong with them. */
import type { Severity } from '../../src/check/rule.ts';
import { Checker } from './checker.ts';
import {
  addressOf,
  fillAddresses,
  type HeldDocument,
  itemCount,
  itemRow,
  type OnProgress,
} from './held-document.ts';
import { jsonOf } from './json.ts';
import {
  ALL,
  type DocumentResult,
  type FindingRow,
  type Input,
  type InputDocument,
  type ItemRow,
  type ListName,
  type RowPlace,
  type RunResult,
  type TextRow,
} from './messages.ts';
import { type OpenedSource, openSource } from './open-source.ts';
import { Pacer } from './pause.ts';
import { readDocument } from './read-document.ts';
import { repairedDocument } from './repair-document.ts';
import { marksIn, type Place, placesOf } from './text-marks.ts';
import { TextRows } from './text-rows.ts';

/** What a run asks and tells while it goes on. */
export interface RunEvents {
  isCurrent(): boolean;
  readonly onProgress: OnProgress;
  /** The documents are read; their findings are not known yet. */
  onRead(result: RunResult): void;
}

/** How long the page waits for findings before it shows the rest: less would make it flicker. */
const PATIENCE_MS = 150;

const NOTHING: OpenedSource = { bytes: new Uint8Array(0), isText: true, damage: undefined };

/** One user's documents. */
export class Session {
  readonly #checker = new Checker();
  #documents: readonly HeldDocument[] = [];
  #findings: readonly FindingRow[] = [];
  #repairs: readonly FindingRow[] = [];
  #places: ReadonlyMap<number, readonly Place[]> = new Map();
  #filtered = new Map<string, readonly number[]>();
  #columns = 120;

  /**
   * Reads and checks all documents. Gives undefined where `isCurrent` says that a newer run has begun. Where the checks
   * take a while, `onRead` gets what is known before them, so that it can be shown.
   */
  async run(input: Input, columns: number, events: RunEvents): Promise<RunResult | undefined> {
    const started = performance.now();
    const pacer = new Pacer();
    this.#checker.cancel();
    const documents: HeldDocument[] = [];
    for (const document of input.documents) {
      documents.push(await this.#open(document, columns, pacer, events.onProgress));
      if (!events.isCurrent()) return undefined;
    }
    await fillAddresses(documents, pacer, events.onProgress);
    if (!events.isCurrent()) return undefined;
    const checked = this.#checker.check({
      documents: documents
        .filter((held) => held.failure === undefined && !isBlank(held))
        .map(({ input: each, url }) => ({ ...each, url })),
      now: input.now,
    });
    const show = (findings: readonly FindingRow[]): RunResult => {
      this.#hold(documents, columns, findings);
      return this.#result(performance.now() - started);
    };
    if ((await Promise.race([checked, delay(PATIENCE_MS)])) === undefined && events.isCurrent()) {
      events.onRead(show([]));
    }
    const findings = await checked;
    return events.isCurrent() ? show(findings) : undefined;
  }

  /** A part of a list. */
  rows(
    list: ListName,
    document: number,
    severity: Severity | undefined,
    from: number,
    to: number,
  ): readonly (TextRow | ItemRow | FindingRow)[] {
    if (list === 'findings') {
      const indices = this.#indices(document, severity).slice(from, to);
      return indices.map((index) => this.#findings[index]!);
    }
    if (list === 'repairs') return this.#repairs.slice(from, to);
    const held = this.#held(document);
    if (held === undefined) return [];
    const end = Math.min(to, list === 'text' ? held.rows.count : itemCount(held.read));
    return Array.from({ length: Math.max(0, end - from) }, (_, index) =>
      list === 'text' ? this.#textRow(held, from + index) : itemRow(held.read, from + index),
    );
  }

  /** Where an offset is in the view of a document's text. */
  place(document: number, offset: number): RowPlace {
    const held = this.#held(document);
    if (held === undefined) return { row: 0, column: 0 };
    const row = held.rows.rowAt(offset);
    const { start } = held.rows.row(row);
    const before = new TextDecoder().decode(held.read.text.subarray(start, offset));
    return { row, column: before.length };
  }

  /** Cuts all texts into rows again, for another width of the view; gives the numbers of rows by document. */
  wrap(columns: number): readonly (readonly [document: number, rows: number])[] {
    if (columns !== this.#columns) {
      this.#columns = columns;
      for (const held of this.#documents) held.rows = new TextRows(held.read.text, columns);
    }
    return this.#documents.map(({ input, rows }) => [input.id, rows.count] as const);
  }

  /** The text of a document. */
  text(document: number): string {
    return new TextDecoder().decode(this.#held(document)?.read.text ?? new Uint8Array(0));
  }

  /** What was read of a document, as JSON in a file. */
  json(document: number): Blob {
    const held = this.#held(document);
    const findings = this.#findings.filter((finding) => finding.document === document);
    return jsonOf(held?.url, held?.read, findings);
  }

  /** Repairs a document; the text has marks at what is different then. Undefined for what is not a sitemap. */
  repair(document: number): { readonly file: Blob; readonly differences: number } | undefined {
    const held = this.#held(document);
    const repaired = held === undefined ? undefined : repairedDocument(held);
    if (repaired === undefined) return undefined;
    this.#repairs = repaired.differences;
    this.mark('repairs');
    return { file: repaired.file, differences: repaired.differences.length };
  }

  mark(list: 'findings' | 'repairs'): void {
    this.#places = placesOf(list === 'repairs' ? this.#repairs : this.#findings);
  }

  #hold(documents: readonly HeldDocument[], columns: number, findings: readonly FindingRow[]): void {
    this.#documents = documents;
    this.#columns = columns;
    this.#findings = findings;
    this.#repairs = [];
    this.#filtered = new Map();
    this.#places = placesOf(findings);
  }

  async #open(
    input: InputDocument,
    columns: number,
    pacer: Pacer,
    onProgress: OnProgress,
  ): Promise<HeldDocument> {
    const known = this.#held(input.id);
    let opened = NOTHING;
    let failure: string | undefined;
    try {
      // Changing an address must not inflate the file again.
      opened = known?.input.source === input.source ? known.opened : await openSource(input.source);
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    const url = addressOf(input.url);
    const place = { name: input.name, url };
    const read = await readDocument(opened, place, pacer, (items) => onProgress(input.name, items));
    return { input, opened, url, urlFrom: undefined, read, rows: new TextRows(read.text, columns), failure };
  }

  #textRow({ input, rows }: HeldDocument, index: number): TextRow {
    const { text, line, start, end } = rows.row(index);
    return { text, line, marks: marksIn(this.#places.get(input.id) ?? [], start, end, text) };
  }

  #indices(document: number, severity: Severity | undefined): readonly number[] {
    const key = `${document} ${severity}`;
    const known = this.#filtered.get(key);
    if (known !== undefined) return known;
    const indices = [...this.#findings.keys()].filter((index) => {
      const finding = this.#findings[index]!;
      return (
        (document === ALL || finding.document === document) &&
        (severity === undefined || finding.severity === severity)
      );
    });
    this.#filtered.set(key, indices);
    return indices;
  }

  #held(document: number): HeldDocument | undefined {
    return this.#documents.find(({ input }) => input.id === document);
  }

  #result(milliseconds: number): RunResult {
    return {
      documents: this.#documents.map((held) => this.#documentResult(held)),
      findings: this.#findings.length,
      counts: countsOf(this.#findings),
      pages: this.#documents.reduce((sum, { read }) => sum + read.pages.length, 0),
      milliseconds,
    };
  }

  #documentResult(held: HeldDocument): DocumentResult {
    const { input, opened, url, urlFrom, read, rows, failure } = held;
    return {
      id: input.id,
      url,
      urlFrom,
      kind: read.kind,
      reason: failure ?? (isBlank(held) ? undefined : (read.reason ?? opened.damage)),
      bytes: read.text.length,
      lines: rows.lines,
      rows: rows.count,
      items: itemCount(read),
      counts: countsOf(this.#findings.filter(({ document }) => document === input.id)),
    };
  }
}

/** A field in which nothing is written yet; an empty file is a document that is empty. */
function isBlank({ input, read }: HeldDocument): boolean {
  return 'text' in input.source && read.text.length === 0;
}

function delay(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function countsOf(findings: readonly FindingRow[]): Record<Severity, number> {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity]++;
  return counts;
}
