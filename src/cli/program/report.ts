/** `usp report`: a site as a page to look at. */
import type { Command } from 'commander';
import * as value from '../args/option-values.ts';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Actions } from './actions.ts';
import { judgingOptions } from './check.ts';
import { messageOptions, networkOptions, PATTERN_HELP, placeOptions } from './options.ts';

export function addReport(program: Command, actions: Actions): void {
  const report = program
    .command('report')
    .summary('write a report of a site as one HTML file')
    .description('Write a report of a site as one HTML file: what to fix first, findings, sitemaps, charts.')
    .argument('<input>', "the site's URL, or a saved tree")
    .showHelpAfterError('(usp report --help shows all options)')
    .action((input: string, options: object) => actions.report(input, options));
  report.option('--sitemap', 'the URL is a sitemap: report it and those below');
  judgingOptions(report, 'never');
  report
    .optionsGroup('Output:')
    .option('-o, --output <file>', 'where to write it, which is replaced at the end')
    .option('--before <file>', 'an earlier saved tree: show what changed since')
    .option('--open', 'open the report in a browser')
    .optionsGroup('Filters:')
    .option('--sitemap-include <pattern>', 'fetch only sitemaps whose URL matches', value.patterns)
    .option('--sitemap-exclude <pattern>', 'fetch no sitemaps whose URL matches', value.patterns);
  placeOptions(report);
  networkOptions(report);
  messageOptions(report);
  report.addHelpText('after', `\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);
}
