/** The commands of `usp` and their options: what `--help`, the completions and the documentation are made from. */

import { Argument, Command, Option } from 'commander';
import { TABLE_FORMATS } from '../../batch/output/table-file.ts';
import * as value from '../args/option-values.ts';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import type { Actions } from './actions.ts';
import {
  CHANGE_FORMAT_HELP,
  CHANGE_FORMAT_NAMES,
  changeOptions,
  FORMAT_HELP,
  filterOptions,
  messageOptions,
  networkOptions,
  outputOptions,
  PATTERN_HELP,
  pageFilterOptions,
  placeOptions,
  secretOptions,
  verbosityOptions,
} from './shared-options.ts';
import { addUpdate } from './update-command.ts';

function addLs(program: Command, actions: Actions): void {
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

function addParse(program: Command, actions: Actions): void {
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

function addLoad(program: Command, actions: Actions): void {
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

function addDiff(program: Command, actions: Actions): void {
  const diff = program
    .command('diff')
    .summary('print what changed between two saved trees')
    .description(
      'Print which pages are new, changed or gone between two saved trees, two sitemap files, or the folders of two crawls.',
    )
    .argument('<before>', 'the earlier tree, sitemap or crawl')
    .argument('<after>', 'the later one')
    .showHelpAfterError('(usp diff --help shows all options)')
    .action((before: string, after: string, options: object) => actions.diff([before, after], options));
  changeOptions(diff);
  const format = diff.options.find((option) => option.attributeName() === 'format');
  format?.choices([...CHANGE_FORMAT_NAMES, 'parquet']);
  verbosityOptions(diff);
  diff.addHelpText('after', `\n${CHANGE_FORMAT_HELP}\n\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);
}

function addRules(program: Command, actions: Actions): void {
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

function addReport(program: Command, actions: Actions): void {
  const report = program
    .command('report')
    .summary('write a report of a site as one HTML file')
    .description(
      'Write a report of a site or a sitemap as one HTML file: what to fix first, findings, sitemaps, charts.',
    )
    .argument('<input>', "the site's URL, a saved tree, or a sitemap file; '-' for stdin")
    .showHelpAfterError('(usp report --help shows all options)')
    .action((input: string, options: object) => actions.report(input, options));
  report.option('--sitemap', 'the URL is a sitemap: report it and those below');
  judgingOptions(report, 'never');
  report
    .optionsGroup('Output:')
    .option('-o, --output <file>', 'where to write it, which is replaced at the end')
    .option('--before <file>', 'an earlier saved tree: show what changed since')
    .option('--title <text>', "what the report is called (default: the site's host)")
    .option('--logo <file>', 'an image for its head: PNG, JPEG, GIF, WebP or SVG, at most 256 KiB')
    .option('--open', 'open the report in a browser')
    .optionsGroup('Filters:')
    .option('--sitemap-include <pattern>', 'fetch only sitemaps whose URL matches', value.patterns)
    .option('--sitemap-exclude <pattern>', 'fetch no sitemaps whose URL matches', value.patterns);
  placeOptions(report);
  networkOptions(report);
  messageOptions(report);
  report.addHelpText('after', `\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);
}

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

function addCheck(program: Command, actions: Actions): void {
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
function judgingOptions(command: Command, failOn: 'error' | 'never'): void {
  command
    .option('--now <date>', 'the time to compare the dates of files with (default: now)', value.moment)
    .option('--agent <name>', 'whose rules of robots.txt count (default: Googlebot)')
    .option('--pages <n>', 'also request N pages of the site, or all', value.pageSample)
    .optionsGroup('Rules:')
    .option(
      '--rule <name=severity>',
      'set a rule to off, info, warning or error; repeatable',
      value.ruleTexts,
    )
    .option('--config <file>', 'a JSON file with rules, overrides, failOn, agent')
    .option('--baseline <file>', 'do not show the findings that are in this file')
    .addOption(
      new Option('--fail-on <severity>', `exit with 5 from this severity on (default: ${failOn})`).choices([
        ...['error', 'warning', 'info', 'never'],
      ]),
    )
    .option('--max-warnings <n>', 'exit with 5 if there are more warnings', value.wholeNumber(0));
}

const QUEUE = '--queue <url>';

function addCrawl(program: Command, actions: Actions): void {
  const crawl = program
    .command('crawl')
    .summary('read the sitemaps of many sites into a table')
    .description(
      'Read the sitemaps of all sites of a list, and write their pages to a folder. ' +
        'Killed or interrupted, the same command goes on where it was.',
    )
    .argument('<sites>', "a file with one URL or host per line; '-' for stdin")
    .showHelpAfterError('(usp crawl --help shows all options)')
    .action((sites: string, options: object) => actions.crawl(sites, options));
  crawl
    .optionsGroup('Output:')
    .requiredOption('-o, --output <dir>', 'the folder of the crawl')
    .addOption(
      new Option('-f, --format <format>', 'parquet, ndjson or csv (default: parquet)')
        .choices(TABLE_FORMATS)
        .default(TABLE_FORMATS[0]),
    )
    .option('--archives', "keep each site's documents as a WARC file")
    .option('--previous <dir>', 'an earlier crawl with archives: fetch what changed')
    .option('--fresh-only', 'with --previous: leave out what cannot be read this time')
    .option('--retry-failed', 'crawl the failed sites of the folder again')
    .option('--verify', 'read all rows of the folder, and crawl sites again whose rows are damaged')
    .optionsGroup('The list:')
    .option('--column <name>', 'the sites are in this column of a CSV or TSV file')
    .option('--strict', 'stop if a line of the list is not a site')
    .optionsGroup('Work:');
  workOptions(crawl);
  crawl.option(QUEUE, 'a Redis or Valkey URL: workers do the crawling');
  filterOptions(crawl);
  placeOptions(crawl, { known: 'if-none-declared' });
  networkOptions(crawl, { timeout: 'time for one site (default: 3,600)', hasWarc: false });
  logOptions(crawl);
  crawl.addHelpText('after', `\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);
}

function addWorker(program: Command, actions: Actions): void {
  const worker = program
    .command('worker')
    .summary('crawl the sites that usp crawl --queue hands out')
    .description(
      'Crawl the sites that usp crawl --queue hands out, until all are finished. ' +
        'Run as many as you like, on as many machines as see the folder.',
    )
    .showHelpAfterError('(usp worker --help shows all options)')
    .action((options: object) => actions.worker(undefined, options));
  worker
    .optionsGroup('Work:')
    .requiredOption(QUEUE, 'the same Redis or Valkey URL as usp crawl has')
    .requiredOption('-o, --output <dir>', 'the same folder as usp crawl has');
  workOptions(worker);
  secretOptions(worker);
  logOptions(worker);
  worker.addHelpText('after', `\n${EXIT_CODE_HELP}`);
}

function workOptions(command: Command): void {
  command
    .option('--processes <n>', 'processes (default: the number of cores)', value.wholeNumber(1))
    .option('--sites-at-once <n>', 'sites at once in each process (default: 32)', value.wholeNumber(1))
    .option('--publish-every <seconds>', 'how long finished sites wait (default: 30)', value.seconds('more'));
}

function logOptions(command: Command): void {
  command
    .optionsGroup('Messages:')
    .addOption(new Option('--log-format <format>', 'text or json (default: text)').choices(['text', 'json']));
  verbosityOptions(command);
}

const SHELLS: readonly string[] = ['bash', 'zsh', 'fish'];

function addCompletion(program: Command, actions: Actions): void {
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

const COMMANDS: Readonly<Record<string, (program: Command, actions: Actions) => void>> = {
  ls: addLs,
  parse: addParse,
  load: addLoad,
  update: addUpdate,
  diff: addDiff,
  check: addCheck,
  rules: addRules,
  report: addReport,
  crawl: addCrawl,
  worker: addWorker,
  completion: addCompletion,
};

/** The command line. @param asked - the first word: if it is a command, the others are left out */
export function createProgram(version: string, actions: Actions, asked = ''): Command {
  const program = new Command('usp')
    .description('Find every sitemap of a site, also broken ones, and list every page in them.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('(usp --help lists the commands)')
    // The descriptions name choices and defaults where they matter; repeated after them they only make lines long.
    .configureHelp({ optionDescription: ({ description }) => description })
    .addHelpText('after', `\n${EXIT_CODE_HELP}\n\nStart with:\n  usp ls example.org -f tree`);
  const isAlone = Object.hasOwn(COMMANDS, asked) && asked !== 'completion';
  for (const [name, add] of Object.entries(COMMANDS)) if (!isAlone || name === asked) add(program, actions);
  return program;
}
