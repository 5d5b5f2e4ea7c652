/**
 * `markdown`: a page for the summary of a CI job. The counts, then a table of what to fix first, with places and
 * advice.
 *
 * Code hosts refuse long ones (GitHub those over 1 MiB), so the rows and the texts in them are limited.
 */

import type { Finding } from '../../check/finding.ts';
import { FindingsByRule } from '../../check/findings-by-rule.ts';
import { findingsOf, RULES } from '../../check/rule-table.ts';
import { clip, count } from '../../text/wording.ts';
import {
  describeCounts,
  describeHidden,
  describeRequested,
  describeScope,
  type FindingFormat,
  messageWithPage,
  shownLine,
} from './finding-format.ts';

const MOST_ROWS = 100;
const MOST_OF_RULE = 5;
const LONGEST_TEXT = 500;

export const markdown: FindingFormat = () => {
  const rules = new FindingsByRule(MOST_OF_RULE);
  return {
    item(finding) {
      rules.add(finding);
      return '';
    },
    end(outcome) {
      const { summary } = outcome;
      const verdict = `**${describeCounts(outcome)}**${describeScope(summary)}${describeHidden(outcome)}`;
      const requested = describeRequested(summary);
      const findings = rules.byUrgency.flatMap(({ examples }) => examples);
      const shown = findings.slice(0, MOST_ROWS);
      const { error, warning, info } = summary.counts;
      const unlisted = shown.reduce((rest, each) => rest - findingsOf(each), error + warning + info);
      const parts = ['## Check of sitemaps', verdict, requested, tableOf(shown)];
      if (unlisted > 0)
        parts.push(`${count(unlisted, 'more finding is', 'more findings are')} not in this table.`);
      return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
    },
  };
};

function tableOf(findings: readonly Finding[]): string {
  if (findings.length === 0) return '';
  const rows = findings.map((finding) => {
    const { rule, severity } = finding;
    const fix = RULES[rule].explanation.fix.replaceAll('|', '\\|');
    return `| ${severity} | ${placeOf(finding)} | ${inMarkdown(messageWithPage(finding))} | ${fix} | \`${rule}\` |`;
  });
  return [
    '| | Where | What is wrong | How to fix it | Rule |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function placeOf({ document, line, column }: Finding): string {
  const position = line === undefined ? '' : `:${line}:${column}`;
  return code(`${clip(shownLine(document) || 'stdin', LONGEST_TEXT)}${position}`);
}

/** A text of a document: nothing in it is Markdown or HTML, and no URL of it a link. */
function inMarkdown(text: string): string {
  return clip(shownLine(text), LONGEST_TEXT)
    .split(/(\b(?:https?:\/\/|www\.)[^\s"]*[^\s".,:;!?)])/)
    .map((part, at) => (at % 2 === 1 ? code(part) : escaped(part)))
    .join('');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_[\]|~#!@:]/g, '\\$&');
}

function code(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}
