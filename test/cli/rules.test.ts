/** `usp rules`: the table of rules, for those who have no documentation beside them. */
import { describe, expect, test } from 'vitest';
import { RULES } from '../../src/check/rule-table.ts';
import { usp } from '../support/cli-world.ts';

describe('usp rules', () => {
  test('lists every rule with its severity, a line each', async () => {
    const { code, stdout, stderr } = await usp(['rules']);
    expect([code, stderr]).toEqual([0, '']);
    const rows = stdout.trimEnd().split('\n');
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 2))).toEqual(
      Object.entries(RULES).map(([name, { severity }]) => [name, severity]),
    );
    for (const row of rows) expect(row).toMatch(/[a-z0-9].*\.$/);
  });

  test('explains every rule: what, why, how to fix it, an example and the source', async () => {
    const { code, stdout } = await usp(['rules', ...Object.keys(RULES)]);
    expect(code).toBe(0);
    const parts = stdout.split('\n\n');
    for (const [at, [name, { severity, source }]] of Object.entries(RULES).entries()) {
      expect(parts[at]).toMatch(new RegExp(`^${name} \\(${severity}\\)\\n {2}\\S`));
      for (const heading of ['Why: ', 'Fix: ', 'Instead of', 'write', 'Source: '])
        expect(parts[at]).toContain(`\n  ${heading}`);
      expect(parts[at]?.trimEnd().endsWith(source)).toBe(true);
    }
    // Examples have control characters in them, and explanations the marks of Markdown.
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|`/u);
  });

  test.each([
    ['bare-amp', 'bare-ampersand'],
    ['lastmod-in-future', 'lastmod-future'],
  ])('a rule that there is not is refused with the nearest: %s', async (written, meant) => {
    const { code, stdout, stderr } = await usp(['rules', written]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`There is no rule "${written}"; did you mean "${meant}"?`);
    expect(stderr).toContain('usp rules lists all rules');
  });

  test('where none is near, usp rules lists them', async () => {
    const { stderr } = await usp(['rules', 'foo']);
    expect(stderr).toBe('usp: There is no rule "foo".\nhint: usp rules lists all rules.\n');
  });
});
