/**
 * `github`: annotations of GitHub Actions. GitHub shows ten of each level, so they are aggregated: one for a rule in a
 * local file, and one for a rule in all documents of a site. `file` is given for local files only: for others there is
 * nothing to show it at.
 */
import type { Finding } from '../../check/finding.ts';
import { describeEntries } from '../../check/findings-by-rule.ts';
import { SEVERITIES, type Severity } from '../../check/rule.ts';
import { findingsOf } from '../../check/rule-table.ts';
import { safeText } from '../../text/safe-text.ts';
import { count } from '../../text/wording.ts';
import { describeCounts, type FindingFormat, isUrl, messageWithPage } from './finding-format.ts';

const MOST_SHOWN = 10;
const LEVELS = { error: 'error', warning: 'warning', info: 'notice' } as const satisfies Record<
  Severity,
  string
>;

interface Annotation {
  readonly first: Finding;
  readonly documents: Set<string>;
  findings: number;
  entries: number;
}

export const github: FindingFormat = ({ isLocal = (document) => !isUrl(document) }) => {
  const annotations = new Map<string, Annotation>();

  const lineOf = ({ first, documents, findings, entries }: Annotation): string => {
    const { severity, document, line, column, rule } = first;
    const isHere = isLocal(document);
    const place = isHere ? `file=${safeText(document, 'property')},` : '';
    const where = isHere && line !== undefined ? `line=${line},col=${column},` : '';
    const position = line === undefined ? '' : `:${line}:${column}`;
    const at = isHere ? '' : ` ${document}${position}`;
    const numbers = [
      count(findings, 'finding'),
      describeEntries(findings, entries),
      documents.size > 1 ? `in ${count(documents.size, 'document')}` : '',
    ];
    const more = findings > 1 ? ` (${numbers.filter((part) => part !== '').join(', ')})` : '';
    const text = safeText(`${messageWithPage(first)}${more}${at}`, 'annotation');
    return `::${LEVELS[severity]} ${place}${where}title=${safeText(rule, 'property')}::${text}\n`;
  };
  const linesOf = (severity: Severity): string[] => {
    const all = [...annotations.values()].filter(({ first }) => first.severity === severity);
    const worst = all.sort((a, b) => b.entries - a.entries);
    const shown = worst.length > MOST_SHOWN ? worst.slice(0, MOST_SHOWN - 1) : worst;
    const names = [...new Set(worst.slice(shown.length).map(({ first }) => first.rule))].join(', ');
    if (names === '') return shown.map(lineOf);
    const rest = `::${LEVELS[severity]} title=usp check::${safeText(`Also: ${names}.`, 'annotation')}\n`;
    return [...shown.map(lineOf), rest];
  };

  return {
    item(finding) {
      const { rule, severity, document, count: entries = 1 } = finding;
      const key = `${severity} ${rule} ${isLocal(document) ? document : ''}`;
      const annotation = annotations.get(key) ?? {
        first: finding,
        documents: new Set(),
        findings: 0,
        entries: 0,
      };
      annotations.set(key, annotation);
      annotation.findings += findingsOf(finding);
      annotation.entries += entries;
      if (annotation.documents.size < 100_000) annotation.documents.add(document);
      return '';
    },
    end(outcome) {
      const { summary, hidden = 0 } = outcome;
      const lines = SEVERITIES.flatMap(linesOf);
      const knownFindings = hidden === 0 ? '' : ` (${count(hidden, 'known finding')} not shown)`;
      return `${lines.join('')}${describeCounts(outcome)} in ${count(summary.documents, 'document')}${knownFindings}.\n`;
    },
  };
};
