/** The formats of findings by name, and those that need no state: one line for each finding, or JSON. */

import type { Finding } from '../../check/finding.ts';
import { type CheckOutcome, type FindingFormat, messageWithPage, shownLine } from './finding-format.ts';
import { github } from './github.ts';
import { csvOf, jsonDocument, ndjsonOf, type RowStyle } from './item-format.ts';
import { markdown } from './markdown.ts';
import { sarif } from './sarif.ts';
import { textFormat } from './text-format.ts';

export type { FindingWriter, FormatOptions } from './finding-format.ts';

export type FindingFormatName = 'text' | 'unix' | 'json' | 'ndjson' | 'csv' | 'sarif' | 'github' | 'markdown';

/** `file:line:column: severity: message [rule]`, as compilers write it and editors read it. */
const unix: FindingFormat = () => ({
  item: (finding) => {
    const { document, line = 1, column = 1, severity, rule } = finding;
    const place = `${shownLine(document) || 'stdin'}:${line}:${column}`;
    return `${place}: ${severity}: ${shownLine(messageWithPage(finding))} [${rule}]\n`;
  },
});

const ndjson: FindingFormat = () => ndjsonOf((finding) => finding);

/** `{"findings":[…],"summary":{…}}`, a finding a line. */
const json: FindingFormat = () =>
  jsonDocument<Finding, RowStyle, CheckOutcome>(
    'findings',
    (finding) => finding,
    ({ summary, hidden }) => ({ summary: hidden === undefined ? summary : { ...summary, hidden } }),
  );

const csv: FindingFormat = () =>
  csvOf<Finding, RowStyle>({
    severity: ({ severity }) => severity,
    rule: ({ rule }) => rule,
    message: ({ message }) => message,
    document: ({ document }) => document,
    line: ({ line }) => line,
    column: ({ column }) => column,
    offset: ({ offset }) => offset,
    page: ({ page }) => page,
    count: ({ count }) => count,
  });

/** Each format by the name that `--format` takes; the first is the default. */
export const FINDING_FORMATS: Readonly<Record<FindingFormatName, FindingFormat>> = {
  text: textFormat,
  unix,
  json,
  ndjson,
  csv,
  sarif,
  github,
  markdown,
};

export function isFindingFormat(name: string): name is FindingFormatName {
  return Object.hasOwn(FINDING_FORMATS, name);
}
