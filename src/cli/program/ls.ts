/** `usp ls`: a site, or several in turn. */
import type { Command } from 'commander';
import * as value from '../args/option-values.ts';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Actions } from './actions.ts';
import {
  FORMAT_HELP,
  filterOptions,
  messageOptions,
  networkOptions,
  outputOptions,
  PATTERN_HELP,
  placeOptions,
} from './options.ts';

export function addLs(program: Command, actions: Actions): void {
  const ls = program
    .command('ls')
    .summary('list the sitemaps and pages of a site')
    .description('List the sitemaps and pages of a site, or of several in turn.')
    .argument('<url...>', "the site's URL; with --sitemap, a sitemap's", value.addresses)
    .showHelpAfterError('(usp ls --help shows all options)')
    .action((urls: readonly URL[], options: object) => actions.ls(urls, options));
  ls.option('--sitemap', 'the URL is a sitemap: list it and those below');
  outputOptions(ls);
  ls.option('--save <file>', 'also save the tree as a WARC file, for usp load');
  filterOptions(ls);
  placeOptions(ls);
  networkOptions(ls);
  messageOptions(ls);
  ls.addHelpText('after', `\n${FORMAT_HELP}\n\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);
}
