/**
 * Fills in docs/cli.md from the commands of `usp` themselves: their arguments and options, the formats' columns and the
 * exit codes.
 *
 *     node scripts/cli-reference.js [--write]
 */
import { argv } from 'node:process';
import { deliver, filled, table } from './deliver.js';
import { importSource } from './source.js';

const { createProgram } = await importSource('cli/program/program.ts');
const { CSV_COLUMNS } = await importSource('cli/render/formats.ts');
const { EXIT_MEANINGS } = await importSource('cli/endings.ts');

const program = createProgram('', async () => {});
const commands = Object.fromEntries(
  program.commands.map((command) => [`usp ${command.name()}`, commandText(command)]),
);
deliver(
  'cli.md',
  filled('cli.md', {
    usp: table(
      ['Command', ''],
      program.commands.map((command) => [
        `[\`${usage(command)}\`](#usp-${command.name()})`,
        sentence(command.summary()),
      ]),
    ),
    ...commands,
    'csv columns': CSV_COLUMNS.pages.map((column) => `\`${column}\``).join(', '),
    'csv sitemap columns': CSV_COLUMNS.sitemaps.map((column) => `\`${column}\``).join(', '),
    'exit codes': table(
      ['Code', 'Meaning'],
      Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code, sentence(meaning)]),
    ),
  }),
  argv,
);

function commandText(command) {
  const groups = new Map();
  for (const option of command.options) {
    const group = option.helpGroupHeading?.replace(/:$/, '') ?? 'Options';
    groups.set(group, [...(groups.get(group) ?? []), option]);
  }
  const parts = [command.description(), `\`\`\`sh\n${usage(command)}\n\`\`\``];
  const rows = command.registeredArguments.map((argument) => [
    `\`${argument.name()}\``,
    described(argument.description, argument.argChoices),
  ]);
  if (rows.length > 0) parts.push(table(['Argument', ''], rows));
  for (const [group, options] of groups) {
    const lines = options.map((option) => [
      `\`${option.flags}\``,
      described(option.description, option.argChoices),
    ]);
    parts.push(table([group, ''], lines));
  }
  return parts.join('\n\n');
}

function usage(command) {
  const flags = command.options.length > 0 ? ' [options]' : '';
  const names = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? ` <${name}>` : ` [${name}]`;
  });
  return `usp ${command.name()}${flags}${names.join('')}`;
}

function described(description, choices) {
  const words = choices === undefined ? '' : ` (${choices.map((choice) => `\`${choice}\``).join(', ')})`;
  return `${sentence(description)}${words}`;
}

function sentence(text) {
  return text.startsWith('http') ? text : `${text[0].toUpperCase()}${text.slice(1)}`;
}
