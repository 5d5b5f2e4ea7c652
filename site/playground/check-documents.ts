/** What is wrong with the documents. */
import type { Severity } from '../../src/check/rule.ts';
import { positionsOf } from '../../src/problems/position.ts';
import type { FindingRow } from './messages.ts';
import type { ReadDocument } from './read-document.ts';

/** A document to check. */
export interface Checked {
  readonly id: number;
  readonly name: string;
  readonly read: ReadDocument;
}

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** The findings of all documents: the worst first, then in the order of the documents and of their text. */
export function findingsOf(documents: readonly Checked[]): readonly FindingRow[] {
  const findings = documents.flatMap(problemsOf);
  const rank = new Map(documents.map(({ id }, index) => [id, index]));
  const place = ({ document }: FindingRow): number => rank.get(document ?? 0) ?? -1;
  return findings.sort(
    (left, right) =>
      ORDER[left.severity] - ORDER[right.severity] ||
      place(left) - place(right) ||
      (left.offset ?? -1) - (right.offset ?? -1),
  );
}

function problemsOf({ id, name, read }: Checked): FindingRow[] {
  const { allProblems: problems, text } = read;
  const positions = positionsOf(
    [text],
    problems.map(({ offset = 0 }) => offset),
  );
  return problems.map(({ code, message, offset }, index) => ({
    rule: code,
    severity: 'warning',
    message,
    document: id,
    documentName: name,
    line: offset === undefined ? undefined : positions[index]?.line,
    column: offset === undefined ? undefined : positions[index]?.column,
    offset,
    page: undefined,
    count: undefined,
    related: [],
  }));
}
