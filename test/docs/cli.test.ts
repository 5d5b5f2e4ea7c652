/** docs/cli.md is made from the commands, and every command line in the docs is one that `usp` takes. */
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program/program.ts';
import { CSV_COLUMNS } from '../../src/cli/render/formats.ts';
import { codeBlocksOf, docPage, docPages, pageWrittenBy, readme, tableRows } from '../support/docs-pages.ts';

const PAGE = docPage('cli.md');

/** The commands without their actions; a wrong command line throws. */
function program(): Command {
  const usp = createProgram('0.0.0', async () => {});
  for (const command of [usp, ...usp.commands]) {
    command.exitOverride().configureOutput({ writeErr() {}, writeOut() {} });
  }
  return usp;
}

test('the page is current (node scripts/cli-reference.js --write)', async () => {
  expect(PAGE).toBe(await pageWrittenBy('cli-reference.js'));
});

describe('the page has every option of', () => {
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

test('the page has every format and every column', () => {
  const names = tableRows(PAGE).map(([cell = '']) => cell.replaceAll('`', ''));
  const [ls] = program().commands;
  const formats = ls?.options.find(({ short }) => short === '-f')?.argChoices ?? [];
  expect(formats.length).toBeGreaterThan(5);
  expect(names).toEqual(expect.arrayContaining(formats));
  for (const column of [...CSV_COLUMNS.pages, ...CSV_COLUMNS.sitemaps])
    expect(PAGE).toContain(`\`${column}\``);
});

/** How a command line of the docs begins: where the package is installed, and where it is not. */
const COMMAND = /^(?:npx ultimate-sitemap-parser|usp) /;

/** The arguments of a command line; the docs use no shell syntax but quotes. */
function argumentsOf(line: string): readonly string[] {
  const [command = ''] = line.replace(COMMAND, '').split(/ (?:[|>#]|&&) ?/);
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}

const LINES = [readme(), ...docPages()].flatMap((page) =>
  codeBlocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code, where }) =>
      code
        .split('\n')
        .filter((line) => COMMAND.test(line) && !/[<[]| --version$/.test(line))
        .map((line) => [where, line] as const),
    ),
);

test('the pages have command lines', () => {
  expect(LINES.length).toBeGreaterThan(10);
});

describe('usp takes', () => {
  test.each(LINES)('%s: %s', async (_, line) => {
    await expect(program().parseAsync([...argumentsOf(line)], { from: 'user' })).resolves.toBeDefined();
  });
});

test('no command line begins with npx usp, which is another package outside of a project', () => {
  for (const page of [readme(), ...docPages()]) {
    for (const { code, where } of codeBlocksOf(page)) expect(code, where).not.toContain('npx usp');
  }
});
