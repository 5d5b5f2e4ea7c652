/** `usp rules`: the table of rules as text, for those who have no documentation beside them. */
import { ruleNamed } from '../../check/configuration.ts';
import type { RuleName } from '../../check/rule.ts';
import { firstSentence, RULES } from '../../check/rule-table.ts';
import { safeText } from '../../text/safe-text.ts';
import { wrongSetting } from '../args/check-settings.ts';
import { oneLine } from '../render/finding-format.ts';

export function rules(names: readonly string[]): string {
  return names.length === 0 ? list() : names.map((name) => explained(ruleOf(name))).join('\n');
}

function ruleOf(name: string): RuleName {
  try {
    return ruleNamed(name);
  } catch (cause) {
    throw wrongSetting('', cause);
  }
}

function list(): string {
  const rows = Object.entries(RULES);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(
    ([name, row]) =>
      `${name.padEnd(width)}  ${row.severity.padEnd('warning'.length)}  ${plain(firstSentence(row))}\n`,
  );
  return lines.join('');
}

function explained(name: RuleName): string {
  const { severity, explanation, bad, good, source } = RULES[name];
  const { what, why, fix } = explanation;
  return `${name} (${severity})
  ${plain(what)}
  Why: ${plain(why)}
  Fix: ${plain(fix)}
  Instead of
${indented(bad)}
  write
${indented(good)}
  Source: ${source}
`;
}

/** Without the marks of Markdown. */
function plain(text: string): string {
  return oneLine(text).replaceAll('`', '');
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${safeText(line, 'terminal')}`)
    .join('\n');
}
