/** Tables of docs/reliability.md, made from the tables of the tests. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const PAGE = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));

/**
 * Expects a table between `<!-- begin: name -->` and its end, or writes it there if the environment has WRITE_DOCS=1.
 */
export function expectTable(
  name: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const table = [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
  const [begin, end] = [`<!-- begin: ${name} -->\n\n`, `\n\n<!-- end: ${name} -->`];
  const [before = '', rest = ''] = readFileSync(PAGE, 'utf8').split(begin);
  const [shown, after = ''] = rest.split(end);
  if (process.env['WRITE_DOCS'] === '1') writeFileSync(PAGE, before + begin + table + end + after);
  else expect(shown).toBe(table);
}
