/** What was read of a document as a JSON file. */
import type { FindingRow } from './messages.ts';
import type { ReadDocument } from './read-document.ts';

/** How many items are turned into text at a time. */
const BATCH = 5000;

/** Written in parts, so that no text is larger than a batch. */
export function jsonOf(
  url: string | undefined,
  read: ReadDocument | undefined,
  findings: readonly FindingRow[],
): Blob {
  const head = JSON.stringify({
    url,
    kind: read?.kind,
    reason: read?.reason,
    truncated: read?.truncated,
    problems: read?.problems,
  });
  const items: readonly unknown[] = [...(read?.pages ?? []), ...(read?.sitemaps ?? [])];
  const parts = [
    `${head.slice(0, -1)},\n"items":[`,
    ...batches(items),
    '],\n"findings":[',
    ...batches(findings.map(({ documentName, ...finding }) => ({ ...finding, document: documentName }))),
    ']}\n',
  ];
  return new Blob(parts, { type: 'application/json' });
}

function* batches(values: readonly unknown[]): Generator<string> {
  for (let from = 0; from < values.length; from += BATCH) {
    const batch = values.slice(from, from + BATCH).map((value) => JSON.stringify(value));
    yield `${from === 0 ? '\n' : ',\n'}${batch.join(',\n')}`;
  }
}
