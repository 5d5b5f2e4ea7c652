/** `usp load`: a saved tree. */
import type { Command } from 'commander';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Actions } from './actions.ts';
import { FORMAT_HELP, messageOptions, outputOptions, PATTERN_HELP, pageFilterOptions } from './options.ts';

export function addLoad(program: Command, actions: Actions): void {
  const load = program
    .command('load')
    .summary('list a saved tree')
    .description('List a tree that usp ls --save wrote.')
    .argument('<file>', 'the saved tree')
    .showHelpAfterError('(usp load --help shows all options)')
    .action((file: string, options: object) => actions.load(file, options));
  load.option('--verify', 'check every document before anything is printed');
  outputOptions(load);
  pageFilterOptions(load);
  messageOptions(load);
  load.addHelpText('after', `\n${FORMAT_HELP}\n\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);
}
