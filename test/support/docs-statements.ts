/** The numbered statements of the process, in docs/specification.md: each is the title of the test that holds it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { docPage } from './docs-pages.ts';

const TESTS = join(import.meta.dirname, '../docs');

/** A list item that begins with its number, up to the next item or an empty line. */
const STATEMENT = /^ *- \*\*(P\d+\.\d+)\*\* ([\s\S]*?)(?=\n *\n|\n *-|\n\d|$(?![\s\S]))/gm;

/** The statements of the page, in its order: `P1.1` → the sentences. */
export const STATEMENTS: ReadonlyMap<string, string> = new Map(
  Array.from(docPage('specification.md').matchAll(STATEMENT), ([, id = '', text = '']) => [
    id,
    text.replaceAll(/\s+/g, ' ').replaceAll('`', ''),
  ]),
);

/** The title of a test: the statement of the page that it holds. */
export function statement(id: string): string {
  const text = STATEMENTS.get(id);
  if (text === undefined) throw new TypeError(`The page has no statement ${id}.`);
  return `${id} ${text}`;
}

/** The statements that the tests of the page hold, in their order. */
export function statementsHeld(): readonly string[] {
  return readdirSync(TESTS)
    .filter((name) => /^fetch-and-parse-process.*\.test\.ts$/.test(name))
    .flatMap((name) => {
      const calls = readFileSync(join(TESTS, name), 'utf8').matchAll(/\bstatement\('(P\d+\.\d+)'\)/g);
      return Array.from(calls, ([, id = '']) => id);
    });
}
