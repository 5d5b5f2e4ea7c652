/** `usp parse`: one local document. */
import type { Command } from 'commander';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Actions } from './actions.ts';
import { FORMAT_HELP, messageOptions, outputOptions, PATTERN_HELP, pageFilterOptions } from './options.ts';

export function addParse(program: Command, actions: Actions): void {
  const parse = program
    .command('parse')
    .summary('list one local document')
    .description('List one document from a file or stdin: a sitemap, a feed or a robots.txt, gzipped or not.')
    .argument('<file>', "the document; '-' for stdin")
    .showHelpAfterError('(usp parse --help shows all options)')
    .action((file: string, options: object) => actions.parse(file, options));
  parse.option('--url <url>', "the document's own URL, to resolve relative ones");
  outputOptions(parse);
  pageFilterOptions(parse);
  messageOptions(parse);
  parse.addHelpText('after', `\n${FORMAT_HELP}\n\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);
}
