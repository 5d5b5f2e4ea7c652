/** `usp completion SHELL`: a completion script, made from the commands themselves. */
import type { Command, Option } from 'commander';
import { RULES } from '../../check/rule-table.ts';
import { UsageError } from '../messages/endings.ts';

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** What its argument is: one of these words, a file, or neither. */
  readonly words: readonly string[];
  readonly takesFile: boolean;
}

interface CompletedOption {
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  readonly takesFile: boolean;
  readonly choices: readonly string[];
}

/** What its first argument is called where that may be a file. */
const FILE_ARGUMENTS: readonly string[] = ['file', 'before', 'input', 'sites'];

export function completion(shell: string, program: Command): string {
  const write = WRITERS[shell];
  if (write === undefined) throw new UsageError(`There is no completion for ${shell}.`);
  const commands = program.commands.map(completed);
  const help = {
    name: 'help',
    summary: 'show help for a command',
    options: [],
    words: commands.map(({ name }) => name),
    takesFile: false,
  };
  return write([...commands, help]);
}

function completed(command: Command): Completed {
  const [argument] = command.registeredArguments;
  return {
    name: command.name(),
    summary: command.summary(),
    options: [...command.options.map(completedOption), HELP],
    words: command.name() === 'rules' ? Object.keys(RULES) : (argument?.argChoices ?? []),
    takesFile: FILE_ARGUMENTS.includes(argument?.name() ?? ''),
  };
}

function completedOption(option: Option): CompletedOption {
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
    description: option.description,
    takesValue: option.required || option.optional,
    takesFile: /<(?:file|dir)>/.test(option.flags),
    choices: option.argChoices ?? [],
  };
}

const HELP: CompletedOption = {
  flags: ['-h', '--help'],
  description: 'show this help',
  takesValue: false,
  takesFile: false,
  choices: [],
};

const WRITERS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = { bash, zsh, fish };

function bash(commands: readonly Completed[]): string {
  const values = commands.flatMap(({ options }) => options).filter(({ takesValue }) => takesValue);
  const flagsOf = (wanted: (option: CompletedOption) => boolean): string =>
    [...new Set(values.filter(wanted).flatMap(({ flags }) => flags))].join('|');
  // By command: the formats of one are not those of another.
  const choices = commands.flatMap(({ name, options }) =>
    options
      .filter((option) => option.choices.length > 0)
      .map((option) => {
        const flags = option.flags.map((flag) => `'${name} ${flag}'`).join('|');
        return `    ${flags}) COMPREPLY=($(compgen -W '${option.choices.join(' ')}' -- "$word")); return ;;`;
      }),
  );
  const cases = commands.map(({ name, options, words, takesFile }) => {
    const all = [...options.flatMap(({ flags }) => flags), ...words].join(' ');
    const files = takesFile ? '; _usp_files "$word"' : '';
    return `    ${name}) COMPREPLY=($(compgen -W '${all}' -- "$word"))${files} ;;`;
  });
  // Line by line, since the names of files have spaces and stars in them; and without mapfile, which macOS has not.
  return `# bash completion for usp
_usp_files() {
  local file
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$1")
}
_usp() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')} --help --version' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} $before" in
${choices.join('\n')}
  esac
  case "$before" in
    ${flagsOf(({ takesFile }) => takesFile)}) _usp_files "$word"; return ;;
    ${flagsOf(({ takesFile, choices: words }) => !takesFile && words.length === 0)}) return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
}
complete -o filenames -F _usp usp
`;
}

function zsh(commands: readonly Completed[]): string {
  const quoted = (text: string): string => text.replaceAll("'", "'\\''");
  // In a description, brackets and colons are zsh's own.
  const described = (text: string): string => quoted(text).replaceAll(/[[\]:]/g, '\\$&');
  const option = ({ flags, description, takesValue, takesFile, choices }: CompletedOption): string => {
    const action = takesFile ? '_files' : choices.length > 0 ? `(${choices.join(' ')})` : ' ';
    const names = flags.length > 1 ? `'(${flags.join(' ')})'{${flags.join(',')}}` : `${flags[0]}`;
    return `        ${names}'[${described(description)}]${takesValue ? `:value:${action}` : ''}'`;
  };
  const branch = ({ name, options, words, takesFile }: Completed): string => {
    const rest = takesFile ? '_files' : words.length > 0 ? `(${words.join(' ')})` : ' ';
    const specs = [...options.map(option), `        '*:argument:${rest}'`];
    return `      ${name})\n      _arguments \\\n${specs.join(' \\\n')}\n      ;;`;
  };
  return `#compdef usp
_usp() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
${commands.map(branch).join('\n')}
  esac
}
_usp "$@"
`;
}

function fish(commands: readonly Completed[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const flags = (option: CompletedOption): string =>
    option.flags
      .map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
      .join(' ');
  const value = ({ takesValue, takesFile, choices }: CompletedOption): string => {
    if (takesFile) return ' -r -F';
    if (choices.length > 0) return ` -x -a ${quoted(choices.join(' '))}`;
    return takesValue ? ' -x' : '';
  };
  const lines = ['# fish completion for usp', 'complete -c usp -f'];
  for (const { name, summary, options, words, takesFile } of commands) {
    const isUsed = `-n '__fish_seen_subcommand_from ${name}'`;
    lines.push(`complete -c usp -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`);
    if (takesFile) lines.push(`complete -c usp ${isUsed} -F`);
    if (words.length > 0) lines.push(`complete -c usp ${isUsed} -a ${quoted(words.join(' '))}`);
    for (const option of options) {
      lines.push(
        `complete -c usp ${isUsed} ${flags(option)}${value(option)} -d ${quoted(option.description)}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}
