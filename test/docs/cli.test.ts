/** docs/cli.md is made from the commands, and every command line in the docs is one that `usp` takes. */
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { CSV_COLUMNS } from '../../src/cli/render/csv.ts';
import { FORMAT_NAMES } from '../../src/cli/render/formats.ts';
import { codeBlocksOf, docPage, docPages, pageWrittenBy, tableRows } from '../support/docs-pages.ts';

const PAGE = docPage('cli.md');

/** The commands, doing nothing but saying no by an exception. */
function program(): Command {
  const nothing = async (): Promise<void> => {};
  const usp = createProgram('0.0.0', { ls: nothing, parse: nothing, load: nothing, completion: nothing });
  for (const command of [usp, ...usp.commands]) {
    command.exitOverride().configureOutput({ writeErr() {}, writeOut() {} });
  }
  return usp;
}

test('the page is current (node scripts/cli-reference.js --write)', async () => {
  expect(PAGE).toBe(await pageWrittenBy('cli-reference.js'));
});

describe('every option of', () => {
  test.each(program().commands.map((command) => [command.name(), command] as const))(
    'usp %s',
    (name, command) => {
      const [, section = ''] = PAGE.split(`<!-- begin: usp ${name} -->`);
      const flags = tableRows(section.split('<!-- end')[0] ?? '').map(([cell = '']) =>
        cell.replaceAll('`', ''),
      );
      for (const option of command.options) expect(flags).toContain(option.flags);
    },
  );
});

test('every format and every column is there', () => {
  const names = tableRows(PAGE).map(([cell = '']) => cell.replaceAll('`', ''));
  expect(names).toEqual(expect.arrayContaining([...FORMAT_NAMES]));
  for (const column of CSV_COLUMNS) expect(PAGE).toContain(`\`${column}\``);
});

/** The words of a command line; quotes are all the shell that the docs use. */
function wordsOf(line: string): readonly string[] {
  const [command = ''] = line.split(/ (?:[|>#]|&&) ?/);
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}

const LINES = docPages().flatMap((page) =>
  codeBlocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code, where }) =>
      code
        .split('\n')
        .filter((line) => /^(?:npx )?usp /.test(line) && !/[<[]/.test(line))
        .map((line) => [where, line] as const),
    ),
);

test('there are command lines', () => {
  expect(LINES.length).toBeGreaterThan(10);
});

describe('usp takes', () => {
  test.each(LINES)('%s: %s', async (_, line) => {
    const words = wordsOf(line).filter((word) => word !== 'npx' && word !== 'usp');
    await expect(program().parseAsync(words, { from: 'user' })).resolves.toBeDefined();
  });
});
