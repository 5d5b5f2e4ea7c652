/** `usp check`: a site, archives, or local files. */
import { type Command, Option } from 'commander';
import { moment, pageSample, ruleTexts } from '../args/check-values.ts';
import * as value from '../args/option-values.ts';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Actions } from './actions.ts';
import { messageOptions, networkOptions, PATTERN_HELP, placeOptions } from './options.ts';

/** In the order of the help; the first is the default. */
const FORMATS = ['text', 'unix', 'json', 'ndjson', 'csv', 'sarif', 'github'];

const CHECK_FORMAT_HELP = `Formats:
  text    findings below their document, and what to fix first
  unix    file:line:column: severity: message [rule]
  json    all findings and their numbers as one document
  ndjson  one finding per line, as JSON
  csv     one finding per row
  sarif   SARIF 2.1.0, for code hosts and editors
  github  annotations of GitHub Actions`;

export function addCheck(program: Command, actions: Actions): void {
  const check = program
    .command('check')
    .summary('say what is wrong with sitemaps, and where')
    .description(
      'Say what is wrong with the sitemaps of a site, in a saved tree or in files: where, and how bad it is.',
    )
    .argument('<input...>', "a site's URL, a saved tree, or files of one site; '-' for stdin")
    .showHelpAfterError('(usp check --help shows all options)')
    .action((inputs: readonly string[], options: object) => actions.check(inputs, options));
  check
    .option('--sitemap', 'the URL is a sitemap: check it and those below')
    .option('--url <url>', 'the URL of the file, to compare its pages with');
  judgingOptions(check, 'error');
  check
    .option('--write-baseline <file>', 'write the findings to this file, and exit with 0')
    .optionsGroup('Output:')
    .addOption(
      new Option('-f, --format <format>', 'how to print it, see below (default: text)')
        .choices(FORMATS)
        .default(FORMATS[0]),
    )
    .option('-o, --output <file>', 'write to a file, which is replaced at the end')
    .option('--all', 'text: show every finding, not the first 10 of a rule')
    .optionsGroup('Filters:')
    .option('--sitemap-include <pattern>', 'fetch only sitemaps whose URL matches', value.patterns)
    .option('--sitemap-exclude <pattern>', 'fetch no sitemaps whose URL matches', value.patterns);
  placeOptions(check);
  networkOptions(check);
  messageOptions(check);
  check.addHelpText('after', `\n${CHECK_FORMAT_HELP}\n\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);
}

/** What is judged and how, for `check` and `report`. @param failOn - the default of `--fail-on` */
export function judgingOptions(command: Command, failOn: 'error' | 'never'): void {
  command
    .option('--now <date>', 'the time to compare the dates of files with (default: now)', moment)
    .option('--agent <name>', 'whose rules of robots.txt count (default: Googlebot)')
    .option('--pages <n>', 'also request N pages of the site, or all', pageSample)
    .optionsGroup('Rules:')
    .option('--rule <name=severity>', 'set a rule to off, info, warning or error; repeatable', ruleTexts)
    .option('--config <file>', 'a JSON file with rules, overrides, failOn, agent')
    .option('--baseline <file>', 'do not show the findings that are in this file')
    .addOption(
      new Option('--fail-on <severity>', `exit with 5 from this severity on (default: ${failOn})`).choices([
        ...['error', 'warning', 'info', 'never'],
      ]),
    )
    .option('--max-warnings <n>', 'exit with 5 if there are more warnings', value.wholeNumber(0));
}
