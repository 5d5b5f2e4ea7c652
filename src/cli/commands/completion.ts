/** `usp completion SHELL`: a completion script, made from the commands themselves. */
import { type Command, Option } from 'commander';
import { RULES } from '../../check/rule-table.ts';

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly Option[];
  /** What its argument is: one of these words, a file, or neither. */
  readonly words: readonly string[];
  readonly takesFile: boolean;
}

/** @param shell - one of the choices of its argument */
export function completion(shell: string, program: Command): string {
  const commands = program.commands.map(completed);
  const words = commands.map(({ name }) => name);
  const help = { name: 'help', summary: 'show help for a command', options: [], words, takesFile: false };
  return WRITERS.get(shell)!([...commands, help]);
}

function completed(command: Command): Completed {
  const [argument] = command.registeredArguments;
  const words = command.name() === 'rules' ? Object.keys(RULES) : (argument?.argChoices ?? []);
  return {
    name: command.name(),
    summary: command.summary(),
    options: [...command.options, new Option('-h, --help', 'show this help')],
    words,
    // An argument that is not one of some words may be a file.
    takesFile: argument !== undefined && words.length === 0,
  };
}

function flagsOf({ short, long }: Option): readonly string[] {
  return [short, long].filter((flag) => flag !== undefined && flag !== null);
}

function takesFile({ flags }: Option): boolean {
  return /<(?:file|dir)>/.test(flags);
}

function choicesOf({ argChoices = [] }: Option): readonly string[] {
  return argChoices;
}

const WRITERS: ReadonlyMap<string, (commands: readonly Completed[]) => string> = new Map(
  Object.entries({ bash, zsh, fish }),
);

function bash(commands: readonly Completed[]): string {
  const values = commands.flatMap(({ options }) => options).filter(({ required }) => required);
  const flagsWith = (isWanted: (option: Option) => boolean): string =>
    [...new Set(values.filter(isWanted).flatMap(flagsOf))].join('|');
  // By command: the formats of one are not those of another.
  const choices = commands.flatMap(({ name, options }) =>
    options
      .filter((option) => choicesOf(option).length > 0)
      .map((option) => {
        const flags = flagsOf(option)
          .map((flag) => `'${name} ${flag}'`)
          .join('|');
        return `    ${flags}) COMPREPLY=($(compgen -W '${choicesOf(option).join(' ')}' -- "$word")); return ;;`;
      }),
  );
  const cases = commands.map(({ name, options, words, takesFile: isFile }) => {
    const all = [...options.flatMap(flagsOf), ...words].join(' ');
    const files = isFile ? '; _usp_files "$word"' : '';
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
    ${flagsWith(takesFile)}) _usp_files "$word"; return ;;
    ${flagsWith((option) => !takesFile(option) && choicesOf(option).length === 0)}) return ;;
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
  const spec = (option: Option): string => {
    const [flags, choices] = [flagsOf(option), choicesOf(option)];
    const action = takesFile(option) ? '_files' : choices.length > 0 ? `(${choices.join(' ')})` : ' ';
    const names = flags.length > 1 ? `'(${flags.join(' ')})'{${flags.join(',')}}` : `${flags[0]}`;
    return `        ${names}'[${described(option.description)}]${option.required ? `:value:${action}` : ''}'`;
  };
  const branch = ({ name, options, words, takesFile: isFile }: Completed): string => {
    const rest = isFile ? '_files' : words.length > 0 ? `(${words.join(' ')})` : ' ';
    const specs = [...options.map(spec), `        '*:argument:${rest}'`];
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
  const flags = (option: Option): string =>
    flagsOf(option)
      .map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
      .join(' ');
  const value = (option: Option): string => {
    if (takesFile(option)) return ' -r -F';
    const choices = choicesOf(option).join(' ');
    if (choices !== '') return ` -x -a ${quoted(choices)}`;
    return option.required ? ' -x' : '';
  };
  const lines = ['# fish completion for usp', 'complete -c usp -f'];
  for (const { name, summary, options, words, takesFile: isFile } of commands) {
    const isUsed = `-n '__fish_seen_subcommand_from ${name}'`;
    lines.push(`complete -c usp -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`);
    if (isFile) lines.push(`complete -c usp ${isUsed} -F`);
    if (words.length > 0) lines.push(`complete -c usp ${isUsed} -a ${quoted(words.join(' '))}`);
    for (const option of options) {
      lines.push(
        `complete -c usp ${isUsed} ${flags(option)}${value(option)} -d ${quoted(option.description)}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}
