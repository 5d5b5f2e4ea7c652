/** `usp rules`: what the rules of `usp check` mean. */
import type { Command } from 'commander';
import type { Actions } from './actions.ts';

export function addRules(program: Command, actions: Actions): void {
  program
    .command('rules')
    .summary('explain the rules of usp check')
    .description(
      'List the rules of usp check, or explain some of them: what each means, why, and how to fix it.',
    )
    .argument('[rule...]', 'the names of rules (default: list all)')
    .showHelpAfterError('(usp rules lists all rules)')
    .action((names: readonly string[]) => actions.rules(names));
}
