/** docs/check-rules.md has exactly the rules of the code, each with all that the table says of it. */
import { expect, test } from 'vitest';
import { RULES } from '../../src/check/rule-table.ts';
import { docPage, pageWrittenBy } from '../support/docs-pages.ts';

const PAGE = docPage('check-rules.md');

test('the page is current (node scripts/check-rules.js --write)', async () => {
  expect(PAGE).toBe(await pageWrittenBy('check-rules.js'));
});

test('every rule has a paragraph, and every paragraph a rule', () => {
  const headings = Array.from(PAGE.matchAll(/^### `(.+)`$/gm), ([, name]) => name);
  expect(headings.sort()).toEqual(Object.keys(RULES).sort());
});

test('every rule says what, why and how to fix it, in whole sentences', () => {
  for (const [name, { explanation, bad, good, source }] of Object.entries(RULES)) {
    for (const text of Object.values(explanation))
      expect([name, text]).toEqual([name, expect.stringMatching(/^\S.*[.)]$/s)]);
    expect([name, bad]).not.toEqual([name, good]);
    expect([name, URL.canParse(source)]).toEqual([name, true]);
  }
});

test('the specification names every rule that is not a problem of the parser', () => {
  const specification = docPage('specification.md');
  const problems = docPage('problem-codes.md');
  for (const name of Object.keys(RULES)) {
    const isNamed = specification.includes(`\`${name}\``) || problems.includes(`\`${name}\``);
    expect([name, isNamed]).toEqual([name, true]);
  }
});
