/** The commands of `usp` and their options: what `--help`, the completions and the documentation are made from. */
import { Argument, Command, Option } from 'commander';
import * as value from './args/option-values.ts';
import { EXIT_CODE_HELP } from './exit-codes.ts';
import { FORMAT_NAMES } from './render/formats.ts';

/** What the commands do; handed in, so that what they do is loaded when it is done. */
export interface Actions {
  ls(urls: readonly URL[], options: object): Promise<void>;
  parse(file: string, options: object): Promise<void>;
  load(file: string, options: object): Promise<void>;
  completion(shell: string): Promise<void>;
}

/** The shells that there are completions for. */
const SHELLS: readonly string[] = ['bash', 'zsh', 'fish'];

const PATTERN_HELP =
  'A PATTERN is a part of the URL (/blog/), with a * a glob over the whole URL\n' +
  '(*.html), or re: and a regular expression (re:/\\d{4}/). It may be given often.';

const FORMAT_HELP = `Formats:
  tabtree  sitemaps and pages, nested by tabs
  pages    one URL a line
  tree     sitemaps in a drawn tree, with page counts
  json     the whole tree as one document
  ndjson   one page a line, as JSON
  csv      one page a row`;

/** The whole command line. */
export function createProgram(version: string, actions: Actions): Command {
  const program = new Command('usp')
    .description('Find every sitemap of a site and list every page in it, broken ones included.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('(usp --help shows what there is)')
    // Choices and defaults are in the words where they matter; repeated behind them they only make lines long.
    .configureHelp({ optionDescription: ({ description }) => description })
    .addHelpText('after', `\n${EXIT_CODE_HELP}\n\nStart with:\n  usp ls https://example.org -f tree`);

  const ls = program
    .command('ls')
    .summary('list the sitemaps and pages of a site')
    .description('List the sitemaps and pages of a site, or of several in turn.')
    .argument('<url...>', "the site's address; with --sitemap, a sitemap's", value.addresses)
    .showHelpAfterError('(usp ls --help shows all options)')
    .action((urls: readonly URL[], options: object) => actions.ls(urls, options));
  ls.option('--sitemap', 'the URL is a sitemap: list what is in it');
  outputOptions(ls);
  ls.option('--save <file>', 'save the tree as a WARC file, for usp load');
  filterOptions(ls);
  placeOptions(ls);
  networkOptions(ls);
  messageOptions(ls);
  ls.addHelpText('after', `\n${FORMAT_HELP}\n\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);

  const parse = program
    .command('parse')
    .summary('list one local document')
    .description('List one document from a file or stdin: a sitemap, a feed or a robots.txt, gzipped or not.')
    .argument('<file>', "the document; '-' for stdin")
    .showHelpAfterError('(usp parse --help shows all options)')
    .action((file: string, options: object) => actions.parse(file, options));
  parse.option('--url <url>', "the document's address, to resolve relative URLs");
  outputOptions(parse);
  pageFilterOptions(parse);
  messageOptions(parse);
  parse.addHelpText('after', `\n${FORMAT_HELP}\n\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);

  const load = program
    .command('load')
    .summary('list a saved tree')
    .description('List a tree that usp ls --save saved.')
    .argument('<file>', 'the saved tree')
    .showHelpAfterError('(usp load --help shows all options)')
    .action((file: string, options: object) => actions.load(file, options));
  load.option('--verify', 'check every document before anything is printed');
  outputOptions(load);
  pageFilterOptions(load);
  messageOptions(load);
  load.addHelpText('after', `\n${FORMAT_HELP}\n\n${PATTERN_HELP}\n\n${EXIT_CODE_HELP}`);

  program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action((shell: string) => actions.completion(shell))
    .addHelpText(
      'after',
      `
Put it where your shell looks:
  usp completion bash > ~/.local/share/bash-completion/completions/usp
  usp completion zsh  > ~/.zfunc/_usp        (a folder in your fpath)
  usp completion fish > ~/.config/fish/completions/usp.fish`,
    );
  return program;
}

function outputOptions(command: Command): void {
  command
    .optionsGroup('Output:')
    .addOption(
      new Option('-f, --format <format>', 'how to print it, see below (default: tabtree)')
        .choices(FORMAT_NAMES)
        .default(FORMAT_NAMES[0]),
    )
    .option('-o, --output <file>', 'to a file, which appears when it is whole')
    .option('-u, --strip-url', "print URLs without the site's address")
    .option('--no-pages', 'sitemaps only')
    .option('--unique', 'each page once')
    .option('--ordered', "in the tree's order, not as pages arrive");
}

function pageFilterOptions(command: Command): void {
  command
    .optionsGroup('Filters:')
    .option('--since <when>', 'changed since a date, 24h, 7d, yesterday (UTC)', value.since)
    .option('--include <pattern>', 'only pages that match', value.patterns)
    .option('--exclude <pattern>', 'no pages that match', value.patterns)
    .option('--max-pages <n>', 'so many pages, then stop', value.wholeNumber(1));
}

function filterOptions(command: Command): void {
  pageFilterOptions(command);
  command
    .option('--sitemap-include <pattern>', 'follow only sitemaps that match', value.patterns)
    .option('--sitemap-exclude <pattern>', 'follow no sitemaps that match', value.patterns);
}

function placeOptions(command: Command): void {
  command
    .optionsGroup('Where to look:')
    .option('-r, --no-robots', 'do not read robots.txt')
    .option('-k, --no-known', 'do not try the usual places')
    .option('--known-path <path>', 'another place to try', value.paths)
    .option('--homepage-links', "also follow the homepage's links to sitemaps")
    .option('--no-normalize', 'keep the path of the URL, and look below it')
    .option('--max-sitemaps <n>', 'so many sitemaps (default: 50,000)', value.wholeNumber(1))
    .option('--max-depth <n>', 'so many levels of indexes (default: 11)', value.wholeNumber(0));
}

function networkOptions(command: Command): void {
  command
    .optionsGroup('Network:')
    .option('--timeout <seconds>', 'stop a site after so long, with what was found', value.seconds('more'))
    .option('--concurrency <n>', 'requests at once (default: 16, 6 to one host)', value.wholeNumber(1))
    .option('--wait <seconds>', 'between requests to one host', value.seconds('zero'))
    .option('--random-wait', 'half to one and a half times --wait')
    .option('--user-agent <text>', 'who we say we are')
    .option('-H, --header <header>', "'Name: value', sent to the site only", value.headers)
    .addOption(
      new Option('--from-warc <file>', 'read a WARC file instead of the web').conflicts([
        ...['proxy', 'insecure', 'allowPrivate'],
      ]),
    )
    .option('--proxy <url>', "http, https or socks5 URL, or 'none'", value.proxy)
    .option('--insecure', 'do not check certificates')
    .option('--allow-private', 'let sitemaps lead to private networks');
}

function messageOptions(command: Command): void {
  command
    .optionsGroup('Messages:')
    .option('--strict', 'exit with 4 if something could not be read')
    .addOption(new Option('-q, --quiet', 'no messages, no progress').conflicts('verbose'))
    .option('-v, --verbose', 'say more; -vv says all', (_text: string, before: number) => before + 1, 0)
    .option('-l, --log-file <file>', 'add the whole log to a file')
    .optionsGroup('Help:')
    .helpOption('-h, --help', 'show this help');
}
