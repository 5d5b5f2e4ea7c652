/** docs/security.md and docs/reliability.md: every promise names its test, and every test that they name exists. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/cli-binary.ts';

const PAGES = ['docs/security.md', 'docs/reliability.md'];
const TEST_FILE = /`(test\/[^`]+)`/g;

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The text below a heading, up to the next. */
function section(page: string, heading: string): string {
  const [, text = ''] = textOf(page).split(`\n## ${heading}\n`);
  return text.split('\n## ')[0]!;
}

/** What begins with bold words: a paragraph, or an item of a list. */
const promisesIn = (text: string): readonly string[] =>
  text.split(/\n\n|\n(?=- )/).filter((part) => /^(?:- )?\*\*/.test(part.trim()));

/** The rows of the tables whose last column is the test. */
const rowsIn = (text: string): readonly string[] =>
  text
    .split('\n\n')
    .filter((part) => /\| (?:Test|Where it is tested) \|\n/.test(part))
    .flatMap((part) => part.trim().split('\n').slice(2));

const PROMISES = [
  ...promisesIn(section('docs/security.md', 'What we promise')),
  ...promisesIn(section('docs/reliability.md', 'What is promised')),
  ...rowsIn(textOf('docs/reliability.md')),
];

test('there are promises to look at', () => expect(PROMISES.length).toBeGreaterThan(40));

test.each(PROMISES)('%s', (promise) => {
  expect(promise).toMatch(TEST_FILE);
});

test.each(PAGES)('every test that %s names exists', (page) => {
  const named = Array.from(textOf(page).matchAll(TEST_FILE), ([, file = '']) => file);
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});
