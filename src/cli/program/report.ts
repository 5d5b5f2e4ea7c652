/** `usp report`: a site as a page to look at. */
import type { Command } from 'commander';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Actions } from './actions.ts';
import { messageOptions, networkOptions, placeOptions } from './options.ts';

export function addReport(program: Command, actions: Actions): void {
  const report = program
    .command('report')
    .summary('write a report of a site as one HTML file')
    .description('Write a report of a site as one HTML file: what to fix first, findings, sitemaps, charts.')
    .argument('<site>', "the site's URL, or a saved tree")
    .showHelpAfterError('(usp report --help shows all options)')
    .action((site: string, options: object) => actions.report(site, options));
  report
    .option('--sitemap', 'the URL is a sitemap: report it and those below')
    .optionsGroup('Output:')
    .option('-o, --output <file>', 'where to write it, which is replaced at the end')
    .option('--before <file>', 'an earlier saved tree: show what changed since')
    .option('--open', 'open the report in a browser');
  placeOptions(report);
  networkOptions(report);
  messageOptions(report);
  report.addHelpText('after', `\n${EXIT_CODE_HELP}`);
}
