/** §10: the scripts of `usp completion`, line by line. Shells read them in test/cli/completion.test.ts. */
import { Argument, Command, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { RULES } from '../../../src/check/rule-table.ts';
import { completion } from '../../../src/cli/commands/completion.ts';

function program(): Command {
  const top = new Command('usp');
  top
    .command('one')
    .summary("a 'word' and [more]: this")
    .addArgument(new Argument('<input...>', 'x'))
    .addOption(new Option('-f, --format <format>', 'the [format]: one').choices(['a', 'b-c']))
    .addOption(new Option('-o, --output <file>', "the user's file"))
    .addOption(new Option('--dir <dir>', 'a folder'))
    .addOption(new Option('--many <n>', 'how many'))
    .addOption(new Option('-q, --quiet', 'say \\nothing'));
  top
    .command('two')
    .summary('words')
    .addArgument(new Argument('<shell>', 'x').choices(['x', 'y']));
  top.command('three').summary('nothing');
  top.command('rules').summary('rules').addArgument(new Argument('[rule...]', 'x'));
  return top;
}

const HELP = '-h --help';

describe('bash', () => {
  const text = completion('bash', program());

  test('has the commands, and what the help adds', () => {
    expect(text).toContain('compgen -W \'one two three rules help --help --version\' -- "$word"');
  });

  test('has the words of a command, and files where its argument may be one', () => {
    expect(text).toContain(
      `    one) COMPREPLY=($(compgen -W '-f --format -o --output --dir --many -q --quiet ${HELP}' -- "$word")); _usp_files "$word" ;;\n`,
    );
    expect(text).toContain(`    two) COMPREPLY=($(compgen -W '${HELP} x y' -- "$word")) ;;\n`);
    expect(text).toContain(`    three) COMPREPLY=($(compgen -W '${HELP}' -- "$word")) ;;\n`);
    expect(text).toContain(
      `    rules) COMPREPLY=($(compgen -W '${HELP} ${Object.keys(RULES).join(' ')}' -- "$word")) ;;\n`,
    );
    expect(text).toContain(`    help) COMPREPLY=($(compgen -W 'one two three rules' -- "$word")) ;;\n`);
  });

  test('has the values of a flag: words, files, or neither', () => {
    expect(text).toContain(
      `    'one -f'|'one --format') COMPREPLY=($(compgen -W 'a b-c' -- "$word")); return ;;\n`,
    );
    expect(text).toContain('    -o|--output|--dir) _usp_files "$word"; return ;;\n    --many) return ;;\n');
  });
});

test('zsh has a line for each flag, with its other form, its description and its value', () => {
  const text = completion('zsh', program());
  for (const line of [
    "    'one:a '\\''word'\\'' and [more]: this'",
    "    'help:show help for a command'",
    `        '(-f --format)'{-f,--format}'[the \\[format\\]\\: one]:value:(a b-c)' \\`,
    `        '(-o --output)'{-o,--output}'[the user'\\''s file]:value:_files' \\`,
    `        --dir'[a folder]:value:_files' \\`,
    `        --many'[how many]:value: ' \\`,
    `        '(-q --quiet)'{-q,--quiet}'[say \\nothing]' \\`,
    `        '(-h --help)'{-h,--help}'[show this help]' \\`,
    "        '*:argument:_files'",
    "        '*:argument:(x y)'",
    "        '*:argument: '",
  ])
    expect(text.split('\n')).toContain(line);
});

test('fish has a line for each command and flag', () => {
  const text = completion('fish', program());
  const of = (name: string): string => `complete -c usp -n '__fish_seen_subcommand_from ${name}'`;
  for (const line of [
    'complete -c usp -f',
    "complete -c usp -n __fish_use_subcommand -a one -d 'a \\'word\\' and [more]: this'",
    `${of('one')} -F`,
    `${of('one')} -s f -l format -x -a 'a b-c' -d 'the [format]: one'`,
    `${of('one')} -s o -l output -r -F -d 'the user\\'s file'`,
    `${of('one')} -l dir -r -F -d 'a folder'`,
    `${of('one')} -l many -x -d 'how many'`,
    `${of('one')} -s q -l quiet -d 'say \\\\nothing'`,
    `${of('one')} -s h -l help -d 'show this help'`,
    `${of('two')} -a 'x y'`,
    `${of('help')} -a 'one two three rules'`,
  ])
    expect(text.split('\n')).toContain(line);
  for (const name of ['two', 'three', 'rules', 'help']) expect(text).not.toContain(`${of(name)} -F`);
});
