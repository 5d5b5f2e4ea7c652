/**
 * `sarif`: SARIF 2.1.0 (OASIS), what code hosts and editors read. They refuse more than some thousand results, so the
 * worst are written, and a notification says how many are left out.
 */

import { knownPage } from '../../check/baseline.ts';
import type { Finding } from '../../check/finding.ts';
import { type RelatedPlace, type RuleName, SEVERITIES, type Severity } from '../../check/rule.ts';
import { RULES } from '../../check/rule-table.ts';
import { count, number } from '../../text/wording.ts';
import { parsedUrl } from '../../url.ts';
import { type FindingFormat, isUrl, messageWithPage, oneLine } from './finding-format.ts';

const MOST_RESULTS = 5000;
const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
const HOME = 'https://www.npmjs.com/package/ultimate-sitemap-parser';
const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<
  Severity,
  string
>;

export const sarif: FindingFormat = ({ version = '0.0.0' }) => {
  /** The first findings of each severity, no more than can be written. */
  const findings: Readonly<Record<Severity, Finding[]>> = { error: [], warning: [], info: [] };
  const fingerprints = new Map<string, number>();
  let total = 0;

  /** Equal for one finding in two runs, whatever its line is then; several of a kind are numbered. */
  const fingerprint = (finding: Finding): string => {
    const key = JSON.stringify([finding.rule, finding.document, knownPage(finding) ?? '']);
    const times = (fingerprints.get(key) ?? 0) + 1;
    fingerprints.set(key, times);
    return `${hash(key, 0x811c9dc5)}${hash(key, 0x01000193)}:${times}`;
  };
  const result = (finding: Finding, ruleIndex: number): object => {
    const { rule, severity, document, line, column, page, count: entries, related = [] } = finding;
    return {
      ruleId: rule,
      ruleIndex,
      level: LEVELS[severity],
      message: { text: messageWithPage(finding) },
      locations: [{ physicalLocation: physicalLocation({ document, line, column }) }],
      ...(related.length > 0 && {
        relatedLocations: related.map((place, index) => ({
          id: index,
          physicalLocation: physicalLocation(place),
          ...(place.message !== undefined && { message: { text: oneLine(place.message) } }),
        })),
      }),
      partialFingerprints: { 'finding/v1': fingerprint(finding) },
      ...(entries !== undefined && { occurrenceCount: entries }),
      ...(page !== undefined && { properties: { page } }),
    };
  };

  return {
    item(finding) {
      total++;
      const alike = findings[finding.severity];
      if (alike.length < MOST_RESULTS) alike.push(finding);
      return '';
    },
    end({ summary: { complete, stopped } }) {
      const worst = SEVERITIES.flatMap((severity) => findings[severity]).slice(0, MOST_RESULTS);
      const rules = [...new Set(worst.map(({ rule }) => rule))].sort();
      const remaining = total - worst.length;
      const notes = [
        remaining > 0
          ? `${count(remaining, 'finding is', 'findings are')} left out: the worst ${number(MOST_RESULTS)} are listed.`
          : '',
        complete ? '' : `The check is not complete${stopped === undefined ? '' : ` (${stopped.limit})`}.`,
      ];
      const notifications = notes
        .filter((text) => text !== '')
        .map((text) => ({ level: 'warning', message: { text } }));
      const run = {
        tool: {
          driver: {
            name: 'usp check',
            version,
            semanticVersion: version,
            informationUri: HOME,
            rules: rules.map(descriptor),
          },
        },
        invocations: [{ executionSuccessful: true, toolExecutionNotifications: notifications }],
        columnKind: 'utf16CodeUnits',
        newlineSequences: ['\r\n', '\n', '\r'],
        results: worst.map((finding) => result(finding, rules.indexOf(finding.rule))),
      };
      const log = JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, undefined, 1);
      return `${log}\n`;
    },
  };
};

function descriptor(rule: RuleName): object {
  const { severity, explanation, source, bad, good } = RULES[rule];
  const { what, why, fix } = explanation;
  return {
    id: rule,
    shortDescription: { text: plain(what) },
    fullDescription: { text: plain(`${what} ${why}`) },
    helpUri: source,
    help: {
      text: plain(`${what} ${why} ${fix}`),
      markdown: `${what} ${why}\n\n${fix}\n\nInstead of:\n\n${fenced(bad)}\n\nWrite:\n\n${fenced(good)}`,
    },
    defaultConfiguration: { level: LEVELS[severity] },
  };
}

function fenced(text: string): string {
  return `\`\`\`xml\n${text}\n\`\`\``;
}

function plain(markdown: string): string {
  return oneLine(markdown.replaceAll('`', ''));
}

function physicalLocation({
  document,
  line,
  column,
}: Pick<RelatedPlace, 'document'> & {
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}): object {
  return {
    artifactLocation: { uri: uriOf(document) },
    ...(line !== undefined && {
      region: { startLine: line, ...(column !== undefined && { startColumn: column }) },
    }),
  };
}

function uriOf(document: string): string {
  if (isUrl(document)) return parsedUrl(document)?.href ?? encodeURI(document.toWellFormed());
  const path = document.replaceAll('\\', '/') || 'stdin';
  // A name with a colon would be taken for a scheme.
  return path
    .toWellFormed()
    .split('/')
    .map((part) => encodeURIComponent(part))
    .join('/');
}

/** FNV-1a with 32 bits. */
function hash(text: string, start: number): string {
  let value = start;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}
