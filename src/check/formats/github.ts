/**
 * `github`: annotations of GitHub Actions. GitHub shows ten of each level, so they are aggregated: one for a rule in a
 * local file, and one for a rule in all documents of a site. `file` is given for local files only: for others there is
 * nothing to show it at.
 */
import { safeText } from '../../problems/safe-text.ts';
import { count, number } from '../../problems/wording.ts';
import type { Finding } from '../finding.ts';
import type { Severity } from '../rule.ts';
import { timesOf } from '../rule-table.ts';
import {
  type CheckOutcome,
  counts,
  type FindingFormat,
  type FindingWriter,
  type FormatOptions,
  isUrl,
  messageWithPage,
} from './finding-format.ts';

const MOST_SHOWN = 10;
const LEVELS = { error: 'error', warning: 'warning', info: 'notice' } as const satisfies Record<
  Severity,
  string
>;

interface Annotation {
  readonly first: Finding;
  readonly documents: Set<string>;
  times: number;
}

export const github: FindingFormat = (options) => new GithubWriter(options);

class GithubWriter implements FindingWriter {
  readonly #isLocal: (document: string) => boolean;
  readonly #annotations = new Map<string, Annotation>();

  constructor({ isLocal = (document) => !isUrl(document) }: FormatOptions) {
    this.#isLocal = isLocal;
  }

  begin(): string {
    return '';
  }

  finding(finding: Finding): string {
    const { rule, severity, document } = finding;
    const key = `${severity} ${rule} ${this.#isLocal(document) ? document : ''}`;
    const known = this.#annotations.get(key);
    if (known === undefined) {
      this.#annotations.set(key, { first: finding, documents: new Set([document]), times: timesOf(finding) });
    } else {
      known.times += timesOf(finding);
      if (known.documents.size < 100_000) known.documents.add(document);
    }
    return '';
  }

  end({ summary, hidden = 0 }: CheckOutcome): string {
    const lines = (['error', 'warning', 'info'] as const).flatMap((severity) => this.#level(severity));
    const found = counts(summary) || 'Nothing found';
    const known = hidden === 0 ? '' : ` (${count(hidden, 'known finding')} not shown)`;
    return `${lines.join('')}${found} in ${count(summary.documents, 'document')}${known}.\n`;
  }

  #level(severity: Severity): string[] {
    const all = [...this.#annotations.values()].filter(({ first }) => first.severity === severity);
    const worst = all.sort((a, b) => b.times - a.times);
    const shown = worst.length > MOST_SHOWN ? worst.slice(0, MOST_SHOWN - 1) : worst;
    const lines = shown.map((annotation) => this.#line(annotation));
    const rest = worst.slice(shown.length);
    if (rest.length > 0) {
      const names = [...new Set(rest.map(({ first }) => first.rule))].join(', ');
      lines.push(`::${LEVELS[severity]} title=usp check::${safeText(`Also: ${names}.`, 'annotation')}\n`);
    }
    return lines;
  }

  #line({ first, documents, times }: Annotation): string {
    const { severity, document, line, column, rule } = first;
    const isLocal = this.#isLocal(document);
    const place = isLocal ? `file=${safeText(document, 'property')},` : '';
    const where = isLocal && line !== undefined ? `line=${line},col=${column},` : '';
    const position = line === undefined ? '' : `:${line}:${column}`;
    const at = isLocal ? '' : ` ${document}${position}`;
    const inDocuments = documents.size > 1 ? ` in ${count(documents.size, 'document')}` : '';
    const more = times > 1 ? ` (${number(times)} times${inDocuments})` : '';
    const text = safeText(`${messageWithPage(first)}${more}${at}`, 'annotation');
    return `::${LEVELS[severity]} ${place}${where}title=${safeText(rule, 'property')}::${text}\n`;
  }
}
