/** `usp completion`: a script for a shell. */
import { Argument, type Command } from 'commander';
import type { Actions } from './actions.ts';

/** The shells with a completion script. */
const SHELLS: readonly string[] = ['bash', 'zsh', 'fish'];

export function addCompletion(program: Command, actions: Actions): void {
  program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action((shell: string) => actions.completion(shell))
    .addHelpText(
      'after',
      `
Put it where your shell looks for it:
  usp completion bash > ~/.local/share/bash-completion/completions/usp
  usp completion zsh  > ~/.zfunc/_usp        (a folder in your fpath)
  usp completion fish > ~/.config/fish/completions/usp.fish`,
    );
}
