/**
 * The table of rules in docs/specification.md §12 is that of the code: every name, severity, and what is aggregated.
 */
import { expect, test } from 'vitest';
import type { RuleName } from '../../src/check/rule.ts';
import { RULES } from '../../src/check/rule-table.ts';
import { PARSE_PROBLEMS } from '../../src/problems/catalogue.ts';
import { docPage } from '../support/docs-pages.ts';

const SEVERITIES = { E: 'error', W: 'warning', I: 'info' } as const;

interface Stated {
  readonly severity: string;
  readonly aggregated: boolean;
}

/** What the table says; a list of names that ends with a letter has that severity for all of them. */
function table(): ReadonlyMap<string, Stated> {
  const [, section = ''] = /\n## 12\. .*?\n(\| About \|.*?)\n\n/s.exec(docPage('specification.md')) ?? [];
  const stated = new Map<string, Stated>();
  const names = /((?:`[a-z\d-]+`, )*`[a-z\d-]+`) ([EWI])\b( \*agg\*)?/g;
  for (const [, list = '', letter, aggregated] of section.matchAll(names)) {
    const severity = SEVERITIES[letter as keyof typeof SEVERITIES];
    for (const [, name = ''] of list.matchAll(/`([a-z\d-]+)`/g)) {
      stated.set(name, { severity, aggregated: aggregated !== undefined });
    }
  }
  return stated;
}

test('every rule of the table exists, with its severity', () => {
  const stated = table();
  expect(stated.size).toBeGreaterThan(70);
  for (const [name, { severity, aggregated }] of stated) {
    const rule = RULES[name as RuleName];
    expect({ name, severity: rule?.severity, aggregated: rule?.aggregated ?? false }).toEqual({
      name,
      severity,
      aggregated,
    });
  }
});

test('every rule that is not a problem of the parser is in the table', () => {
  const stated = table();
  const missing = Object.keys(RULES).filter(
    (name) => !stated.has(name) && !Object.hasOwn(PARSE_PROBLEMS, name),
  );
  expect(missing).toEqual([]);
});

test('problems of the parser are rules: errors, or warnings', () => {
  const others = Object.keys(PARSE_PROBLEMS).filter((code) => !Object.hasOwn(RULES, code));
  // They are the rules `not-utf-8` and `url-too-long`.
  expect(others).toEqual(['invalid-bytes', 'oversized-url']);
  for (const code of Object.keys(PARSE_PROBLEMS)) {
    expect(RULES[code as RuleName]?.severity ?? 'warning').not.toBe('info');
  }
});
