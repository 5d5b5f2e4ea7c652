/** The commands of `usp` and their options: what `--help`, the completions and the documentation are made from. */

import { Argument, Command } from 'commander';
import { TABLE_FORMATS } from '../../batch/output/table-file.ts';
import { DIVISIONS } from '../../write/layout.ts';
import { parseAddress } from '../args/address.ts';
import * as value from '../args/option-values.ts';
import { EXIT_CODE_HELP } from '../exit-codes.ts';
import {
  agentOptions,
  CHANGE_FORMAT_HELP,
  CHANGE_FORMAT_NAMES,
  changeOptions,
  choice,
  FORMAT_HELP,
  filterOptions,
  formatChoice,
  messageOptions,
  networkOptions,
  outputOptions,
  PATTERN_HELP,
  pageFilterOptions,
  placeOptions,
  secretOptions,
  sitemapFilterOptions,
  verbosityOptions,
} from './shared-options.ts';

export type CommandName =
  | 'ls'
  | 'parse'
  | 'load'
  | 'update'
  | 'diff'
  | 'check'
  | 'fix'
  | 'rules'
  | 'report'
  | 'crawl'
  | 'worker'
  | 'mcp'
  | 'completion';

/** Runs a command; passed in, so that each is loaded only when it is used. */
export type RunCommand = (name: CommandName, argument: unknown, options: object) => Promise<void>;

interface CommandRow {
  readonly summary: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** What is said below an error. @default that `--help` shows all options */
  readonly hint?: string | undefined;
  readonly options?: (command: Command) => void;
  /** What is printed below its help. */
  readonly help?: readonly string[];
}

const argument = (
  name: string,
  description: string,
  read?: (text: string, before: never) => unknown,
): Argument =>
  read === undefined
    ? new Argument(name, description)
    : new Argument(name, description).argParser(read as (text: string) => unknown);

const REMEMBERED_HELP = `The file remembers the site and where to look, so that usp update FILE is enough from
the second time on; given options win, and are remembered. Headers, cookies, proxies
and keys are not saved: give them each time.`;

/** In the order of the help; the first is the default. */
const CHECK_FORMATS = ['text', 'unix', 'json', 'ndjson', 'csv', 'sarif', 'github'];

const CHECK_FORMAT_HELP = `Formats:
  text    findings below their document, and what to fix first
  unix    file:line:column: severity: message [rule]
  json    all findings and their numbers as one document
  ndjson  one finding per line, as JSON
  csv     one finding per row
  sarif   SARIF 2.1.0, for code hosts and editors
  github  annotations of GitHub Actions`;

const FIX_FORMAT_HELP = `Formats:
  text  what was dropped and changed below its document, then rules and files
  json  everything as one document`;

const COMPLETION_HELP = `Put it where your shell looks for it:
  usp completion bash > ~/.local/share/bash-completion/completions/usp
  usp completion zsh  > ~/.zfunc/_usp        (a folder in your fpath)
  usp completion fish > ~/.config/fish/completions/usp.fish`;

const LISTING_HELP = [FORMAT_HELP, PATTERN_HELP, EXIT_CODE_HELP];
const FAIL_ON = ['error', 'warning', 'info', 'never'];
const SHELLS = ['bash', 'zsh', 'fish'];
const QUEUE = '--queue <url>';

const COMMANDS: Readonly<Record<CommandName, CommandRow>> = {
  ls: {
    summary: 'list the sitemaps and pages of a site',
    description: 'List the sitemaps and pages of a site, or of several in turn.',
    arguments: [argument('<url...>', "the site's URL; with --sitemap, a sitemap's", value.addresses)],
    options(command) {
      command.option('--sitemap', 'the URL is a sitemap: list it and those below');
      outputOptions(command);
      command.option('--save <file>', 'also save the tree as a WARC file, for usp load');
      filterOptions(command);
      placeOptions(command);
      networkOptions(command);
      messageOptions(command);
    },
    help: LISTING_HELP,
  },
  parse: {
    summary: 'list one local document',
    description: 'List one document from a file or stdin: a sitemap, a feed or a robots.txt, gzipped or not.',
    arguments: [argument('<file>', "the document; '-' for stdin")],
    options(command) {
      command.option('--url <url>', "the document's own URL, to resolve relative ones");
      localListingOptions(command);
    },
    help: LISTING_HELP,
  },
  load: {
    summary: 'list a saved tree',
    description: 'List a tree that usp ls --save wrote.',
    arguments: [argument('<file>', 'the saved tree')],
    options(command) {
      command.option('--verify', 'check every document before anything is printed');
      localListingOptions(command);
    },
    help: LISTING_HELP,
  },
  update: {
    summary: 'read a saved site again, and print what changed',
    description: 'Read a saved site again, print which pages are new, changed or gone, and save it.',
    arguments: [
      argument('<file>', 'the saved tree; made the first time'),
      argument('[url]', "the site's URL, needed the first time", parseAddress),
    ],
    options(command) {
      command
        .option('--sitemap', 'the URL is a sitemap: read it and those below')
        .option('--dry-run', 'save nothing')
        .option('--trust-lastmod', 'do not request sitemaps whose declared date is the same')
        .option(
          '--gone-after <runs>',
          'a sitemap is gone after this many runs with a 404 (2)',
          value.wholeNumber(1),
        )
        .option('--max-stale <days>', 'keep what cannot be read no longer than this', value.days);
      changeOptions(command);
      agentOptions(command);
      command.option('--no-only-allowed', 'all pages again');
      sitemapFilterOptions(command);
      placeOptions(command);
      command
        .option('--robots', 'read robots.txt again')
        .option('--normalize', 'look for the whole site again')
        .option('--no-homepage-links', 'not those of the homepage any more');
      networkOptions(command);
      messageOptions(command);
    },
    help: [REMEMBERED_HELP, CHANGE_FORMAT_HELP, PATTERN_HELP, EXIT_CODE_HELP],
  },
  diff: {
    summary: 'print what changed between two saved trees',
    description:
      'Print which pages are new, changed or gone between two saved trees, two sitemap files, ' +
      'or the folders of two crawls.',
    arguments: [
      argument('<before>', 'the earlier tree, sitemap or crawl'),
      argument('<after>', 'the later one'),
    ],
    options(command) {
      changeOptions(command, [...CHANGE_FORMAT_NAMES, 'parquet']);
      verbosityOptions(command);
    },
    help: [CHANGE_FORMAT_HELP, PATTERN_HELP, EXIT_CODE_HELP],
  },
  check: {
    summary: 'say what is wrong with sitemaps, and where',
    description:
      'Say what is wrong with the sitemaps of a site, in a saved tree or in files: where, and how bad it is.',
    arguments: [argument('<input...>', "a site's URL, a saved tree, or files of one site; '-' for stdin")],
    options(command) {
      command
        .option('--sitemap', 'the URL is a sitemap: check it and those below')
        .option('--url <url>', 'the URL of the file, to compare its pages with');
      judgingOptions(command, 'error');
      command
        .option('--write-baseline <file>', 'write the findings to this file, and exit with 0')
        .option('--fix', 'checks change nothing: names usp fix')
        .optionsGroup('Output:')
        .addOption(formatChoice('how to print it, see below (default: text)', CHECK_FORMATS))
        .option('-o, --output <file>', 'write to a file, which is replaced at the end')
        .option('--all', 'text: show every finding, not the first 10 of a rule')
        .optionsGroup('Filters:');
      sitemapFilterOptions(command);
      placeOptions(command);
      networkOptions(command);
      messageOptions(command);
    },
    help: [CHECK_FORMAT_HELP, PATTERN_HELP, EXIT_CODE_HELP],
  },
  fix: {
    summary: 'write repaired sitemaps to a folder',
    description:
      'Read the sitemaps of sites, in saved trees or in files, however broken, and write a valid set of them to a ' +
      'folder. Print what was dropped or changed, where it was and why.',
    arguments: [argument('<input...>', "sites' URLs, saved trees, or sitemap files; '-' for stdin")],
    options(command) {
      command
        .option('--sitemap', 'the URL is a sitemap: repair it and those below')
        .option('--url <url>', 'the URL of the file, to resolve relative ones')
        .option('--partial', 'write the rest where something could not be read')
        .optionsGroup('Output:')
        .requiredOption('-o, --output <dir>', 'the folder of the sitemaps')
        .addOption(formatChoice('how to print what was done (default: text)', ['text', 'json']))
        .option('--all', 'text: show everything, not the first 10 of a rule')
        .option('--force', 'write to a folder that has other files, which stay')
        .addOption(
          choice('--layout <layout>', 'keep the files of the input, or divide anew (default: keep)', [
            ...['keep', 'new'],
          ]),
        )
        .addOption(choice('--by <what>', 'with --layout new: files for each of these', DIVISIONS))
        .option(
          '--max-urls <n>',
          'the most pages of a file, at most 50,000 (default: 50,000)',
          value.wholeNumber(1),
        )
        .option('--gzip', 'gzip all files')
        .option('--base <url>', 'the address of the folder, for indexes and robots.txt')
        .optionsGroup('Opinions:')
        .option('--keep-duplicates', 'keep repeated pages, not the best-dated alone')
        .option('--drop-tracking', 'remove utm_…, gclid and others from URLs')
        .option('--https', 'write http URLs as https')
        .option('--canonical-slash', 'of /a and /a/ keep one')
        .option('--drop-other-hosts', 'drop pages on other hosts than the site')
        .option('--drop-blocked', 'drop pages that robots.txt forbids to fetch')
        .option('--pages <n>', 'request N pages of the site, or all, for the next two', value.pageSample)
        .option('--drop-dead', 'drop pages that are gone, redirect or say noindex')
        .option('--lastmod-from-head', "take dates from the pages' own Last-Modified")
        .option('--agent <name>', 'whose rules of robots.txt count (default: Googlebot)');
      placeOptions(command);
      networkOptions(command);
      verbosityOptions(command);
    },
    help: [FIX_FORMAT_HELP, EXIT_CODE_HELP],
  },
  rules: {
    summary: 'explain the rules of usp check',
    description:
      'List the rules of usp check, or explain some of them: what each means, why, and how to fix it.',
    arguments: [argument('[rule...]', 'the names of rules (default: list all)')],
    hint: '(usp rules lists all rules)',
  },
  report: {
    summary: 'write a report of a site as one HTML file',
    description:
      'Write a report of a site or a sitemap as one HTML file: what to fix first, findings, sitemaps, charts.',
    arguments: [argument('<input>', "the site's URL, a saved tree, or a sitemap file; '-' for stdin")],
    options(command) {
      command.option('--sitemap', 'the URL is a sitemap: report it and those below');
      judgingOptions(command, 'never');
      command
        .optionsGroup('Output:')
        .option('-o, --output <file>', 'where to write it, which is replaced at the end')
        .option('--before <file>', 'an earlier saved tree: show what changed since')
        .option('--title <text>', "what the report is called (default: the site's host)")
        .option('--logo <file>', 'an image for its head: PNG, JPEG, GIF, WebP or SVG, at most 256 KiB')
        .option('--open', 'open the report in a browser')
        .optionsGroup('Filters:');
      sitemapFilterOptions(command);
      placeOptions(command);
      networkOptions(command);
      messageOptions(command);
    },
    help: [PATTERN_HELP, EXIT_CODE_HELP],
  },
  crawl: {
    summary: 'read the sitemaps of many sites into a table',
    description:
      'Read the sitemaps of all sites of a list, and write their pages to a folder. ' +
      'Killed or interrupted, the same command goes on where it was.',
    arguments: [argument('<sites>', "a file with one URL or host per line; '-' for stdin")],
    options(command) {
      command
        .optionsGroup('Output:')
        .requiredOption('-o, --output <dir>', 'the folder of the crawl')
        .addOption(formatChoice('parquet, ndjson or csv (default: parquet)', TABLE_FORMATS))
        .option('--archives', "keep each site's documents as a WARC file")
        .option('--previous <dir>', 'an earlier crawl with archives: fetch what changed')
        .option('--fresh-only', 'with --previous: leave out what cannot be read this time')
        .option('--retry-failed', 'crawl the failed sites of the folder again')
        .option('--verify', 'read all rows of the folder, and crawl sites again whose rows are damaged')
        .optionsGroup('The list:')
        .option('--column <name>', 'the sites are in this column of a CSV or TSV file')
        .option('--strict', 'stop if a line of the list is not a site')
        .optionsGroup('Work:');
      workOptions(command);
      command.option(QUEUE, 'a Redis or Valkey URL: workers do the crawling');
      filterOptions(command);
      placeOptions(command, { known: 'if-none-declared' });
      networkOptions(command, { help: { maxTimeMs: 'time for one site (default: 3,600)' }, hasWarc: false });
      logOptions(command);
    },
    help: [PATTERN_HELP, EXIT_CODE_HELP],
  },
  worker: {
    summary: 'crawl the sites that usp crawl --queue hands out',
    description:
      'Crawl the sites that usp crawl --queue hands out, until all are finished. ' +
      'Run as many as you like, on as many machines as see the folder.',
    arguments: [],
    options(command) {
      command
        .optionsGroup('Work:')
        .requiredOption(QUEUE, 'the same Redis or Valkey URL as usp crawl has')
        .requiredOption('-o, --output <dir>', 'the same folder as usp crawl has');
      workOptions(command);
      secretOptions(command);
      logOptions(command);
    },
    help: [EXIT_CODE_HELP],
  },
  mcp: {
    summary: 'serve agents over stdin and stdout',
    description:
      'Serve agents over stdin and stdout, with the Model Context Protocol: ' +
      'they find sitemaps, list pages and changes, and check sites. Needs the package @modelcontextprotocol/server.',
    arguments: [],
    options(command) {
      command
        .optionsGroup('Output:')
        .option('--archives <dir>', 'where changes_since keeps an archive of each site')
        .optionsGroup('Limits:')
        .option(
          '--calls-at-once <n>',
          'calls at once; one more is refused (default: 16)',
          value.wholeNumber(1),
        )
        .option('--call-time <seconds>', 'a call ends within this time (default: 45)', value.wholeNumber(1))
        .option('--result-bytes <n>', 'size of a result (default: 40,000)', value.wholeNumber(1))
        .option('--keep <minutes>', 'how long what was read is kept (default: 15)', value.wholeNumber(0))
        .option('--max-pages <n>', 'stop after N pages of a site (default: 2,000,000)', value.wholeNumber(1));
      const help = {
        maxSitemaps: 'stop after N sitemaps of a site (default: 10,000)',
        maxTimeMs: 'time for one site (default: 600)',
        allowPrivateNetworks: 'let agents and sitemaps lead to private networks',
      };
      placeOptions(command, { help });
      networkOptions(command, { help, hasWarc: false });
      verbosityOptions(command);
    },
    help: [EXIT_CODE_HELP],
  },
  completion: {
    summary: 'print a completion script for a shell',
    description: 'Print a completion script for a shell.',
    arguments: [argument('<shell>', 'which shell').choices(SHELLS)],
    hint: undefined,
    help: [COMPLETION_HELP],
  },
};

function localListingOptions(command: Command): void {
  outputOptions(command);
  pageFilterOptions(command);
  messageOptions(command);
}

/** What is judged and how, for `check` and `report`. @param failOn - the default of `--fail-on` */
function judgingOptions(command: Command, failOn: 'error' | 'never'): void {
  command
    .option(
      '--now <date>',
      'the time to compare the dates of files with (default: now)',
      value.moment('--now', '24h, 7d'),
    )
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
      choice('--fail-on <severity>', `exit with 5 from this severity on (default: ${failOn})`, FAIL_ON),
    )
    .option('--max-warnings <n>', 'exit with 5 if there are more warnings', value.wholeNumber(0));
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
    .addOption(choice('--log-format <format>', 'text or json (default: text)', ['text', 'json']));
  verbosityOptions(command);
}

function addCommand(program: Command, name: CommandName, run: RunCommand): void {
  const row = COMMANDS[name];
  const command = program.command(name).summary(row.summary).description(row.description);
  for (const each of row.arguments) command.addArgument(each);
  const { hint } = { hint: `(usp ${name} --help shows all options)`, ...row };
  if (hint !== undefined) command.showHelpAfterError(hint);
  row.options?.(command);
  if (row.help !== undefined) command.addHelpText('after', `\n${row.help.join('\n\n')}`);
  command.action(() => {
    const { processedArgs } = command;
    // Commander makes what --no-robots turns off `true`. What a saved tree or crawl remembers wins over that.
    const given = Object.entries(command.opts()).filter(
      ([flag, value]) => value !== true || command.getOptionValueSource(flag) !== 'default',
    );
    const isList = row.arguments.length > 1;
    return run(name, isList ? processedArgs : processedArgs[0], Object.fromEntries(given));
  });
}

/** The command line. @param asked - the first word: if it is a command, the others are left out */
export function createProgram(version: string, run: RunCommand, asked = ''): Command {
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
  for (const name of Object.keys(COMMANDS) as CommandName[]) {
    if (!isAlone || name === asked) addCommand(program, name, run);
  }
  return program;
}
