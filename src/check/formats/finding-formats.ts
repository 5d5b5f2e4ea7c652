/** The formats of findings by name, and those that need no state: one line for each finding, or JSON. */
import { safeText } from '../../problems/safe-text.ts';
import type { Finding } from '../finding.ts';
import { type FindingFormat, messageWithPage, shownLine } from './finding-format.ts';
import { github } from './github.ts';
import { sarif } from './sarif.ts';
import { textFormat } from './text-format.ts';

export type { FindingWriter, FormatOptions } from './finding-format.ts';

export type FindingFormatName = 'text' | 'unix' | 'json' | 'ndjson' | 'csv' | 'sarif' | 'github';

/** `file:line:column: severity: message [rule]`, as compilers write it and editors read it. */
const unix: FindingFormat = () => ({
  begin: () => '',
  finding: (finding) => {
    const { document, line = 1, column = 1, severity, rule } = finding;
    const place = `${shownLine(document) || 'stdin'}:${line}:${column}`;
    return `${place}: ${severity}: ${shownLine(messageWithPage(finding))} [${rule}]\n`;
  },
  end: () => '',
});

const ndjson: FindingFormat = () => ({
  begin: () => '',
  finding: (finding) => `${inJson(finding)}\n`,
  end: () => '',
});

/** `{"findings": […], "summary": {…}}`, a finding a line. */
const json: FindingFormat = () => {
  let isFirst = true;
  return {
    begin: () => '{"findings": [',
    finding: (finding) => {
      const comma = isFirst ? '' : ',';
      isFirst = false;
      return `${comma}\n${inJson(finding)}`;
    },
    end: ({ summary, hidden }) => {
      const all = hidden === undefined ? summary : { ...summary, hidden };
      return `${isFirst ? '' : '\n'}],\n"summary": ${inJson(all)}}\n`;
    },
  };
};

/** The columns, in order; new ones are added at the end. */
const FINDING_COLUMNS: readonly Exclude<keyof Finding, 'related'>[] = [
  'severity',
  'rule',
  'message',
  'document',
  'line',
  'column',
  'offset',
  'page',
  'count',
];

const csv: FindingFormat = ({ isTerminal = false }) => ({
  begin: () => `${FINDING_COLUMNS.join(',')}\n`,
  finding: (finding) => {
    const row = FINDING_COLUMNS.map((column) => cell(finding[column])).join(',');
    const safe = safeText(row, 'csv');
    return `${isTerminal ? safeText(safe, 'terminal') : safe}\n`;
  },
  end: () => '',
});

function inJson(value: object): string {
  return safeText(JSON.stringify(value), 'json');
}

function cell(value: string | number | undefined): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  // A spreadsheet would take it for a formula.
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Each format by the name that `--format` takes; the first is the default. */
export const FINDING_FORMATS: Readonly<Record<FindingFormatName, FindingFormat>> = {
  text: textFormat,
  unix,
  json,
  ndjson,
  csv,
  sarif,
  github,
};
