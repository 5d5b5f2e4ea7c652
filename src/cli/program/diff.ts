/** `usp diff`: two saved trees, or two sitemap files. */
import type { Command } from 'commander';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Actions } from './actions.ts';
import { CHANGE_FORMAT_HELP, changeOptions, PATTERN_HELP, verbosityOptions } from './options.ts';

export function addDiff(program: Command, actions: Actions): void {
  const diff = program
    .command('diff')
    .summary('print what changed between two saved trees')
    .description('Print which pages are new, changed or gone between two saved trees, or two sitemap files.')
    .argument('<before>', 'the earlier tree or sitemap')
    .argument('<after>', 'the later one')
    .showHelpAfterError('(usp diff --help shows all options)')
    .action((before: string, after: string, options: object) => actions.diff([before, after], options));
  changeOptions(diff);
  verbosityOptions(diff);
  diff.addHelpText('after', `\n${CHANGE_FORMAT_HELP}\n\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);
}
