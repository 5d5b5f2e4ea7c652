/** What is wrong with the documents: the checks of the library, over all of them together. */
import { checkSitemaps } from '../../src/check/check-sitemap.ts';
import type { Finding } from '../../src/check/finding.ts';
import type { Severity } from '../../src/check/rule.ts';
import type { FindingRow } from './messages.ts';
import type { OpenedSource } from './open-source.ts';

/** A document to check. */
export interface Checked {
  readonly id: number;
  /** No two documents have the same. */
  readonly name: string;
  readonly url: string | undefined;
  readonly opened: OpenedSource;
}

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** The findings of all documents: the worst first, then in the order of the documents and of their text. */
export function findingsOf(documents: readonly Checked[], now: number | undefined): readonly FindingRow[] {
  const check = checkSitemaps(
    documents.map(({ name, url, opened: { bytes, isText } }) => ({
      name,
      url,
      // A text of the user is UTF-8, whatever it says of itself.
      content: isText ? new TextDecoder().decode(bytes) : bytes,
    })),
    { now },
  );
  const ids = new Map(documents.map(({ id, name }) => [name, id]));
  const findings = Array.from(check, (finding) => rowOf(finding, ids));
  const rank = new Map(documents.map(({ id }, index) => [id, index]));
  const place = ({ document }: FindingRow): number => rank.get(document ?? 0) ?? -1;
  return findings.sort(
    (left, right) =>
      ORDER[left.severity] - ORDER[right.severity] ||
      place(left) - place(right) ||
      (left.offset ?? -1) - (right.offset ?? -1),
  );
}

function rowOf(finding: Finding, ids: ReadonlyMap<string, number>): FindingRow {
  const { rule, severity, message, document, line, column, offset, page, count, related } = finding;
  return {
    rule,
    severity,
    message,
    document: ids.get(document),
    documentName: document,
    line,
    column,
    offset,
    page,
    count,
    related,
  };
}
