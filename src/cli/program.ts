/** The commands of `usp` and their options: what `--help`, the completions and the documentation are made from. */
import { Argument, Command, Option } from 'commander';
import { changeTypes, comparedFields } from './args/change-values.ts';
import * as value from './args/option-values.ts';
import { EXIT_CODE_HELP } from './exit-codes.ts';
import { CHANGE_FORMAT_NAMES } from './render/changes/formats.ts';
import { FORMAT_NAMES } from './render/formats.ts';

/** What the commands do; passed in, so that each is loaded only when it is used. */
export interface Actions {
  ls(urls: readonly URL[], options: object): Promise<void>;
  parse(file: string, options: object): Promise<void>;
  load(file: string, options: object): Promise<void>;
  diff(files: readonly [string, string], options: object): Promise<void>;
  completion(shell: string): Promise<void>;
}

/** The shells with a completion script. */
const SHELLS: readonly string[] = ['bash', 'zsh', 'fish'];

const PATTERN_HELP =
  'A PATTERN is a part of the URL (/blog/), a glob over the whole URL if it has a *\n' +
  '(*.html), or re: and a regular expression (re:/\\d{4}/). Repeatable.';

const FORMAT_HELP = `Formats:
  tabtree  sitemaps and pages, nested by tabs
  pages    one URL per line
  tree     a drawn tree of the sitemaps, with page counts
  json     the whole tree as one document
  ndjson   one page per line, as JSON; with --no-pages one sitemap per line
  csv      one page per row; with --no-pages one sitemap per row`;

const CHANGE_FORMAT_HELP = `Formats:
  changes  + added, - removed, ~ changed and in what
  pages    the URLs that were added or changed, one per line
  ndjson   one change per line, as JSON
  csv      one change per row
  json     all changes and their numbers as one document`;

/** The whole command line. */
export function createProgram(version: string, actions: Actions): Command {
  const program = new Command('usp')
    .description('Find every sitemap of a site, also broken ones, and list every page in them.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('(usp --help lists the commands)')
    // The descriptions name choices and defaults where they matter; repeated after them they only make lines long.
    .configureHelp({ optionDescription: ({ description }) => description })
    .addHelpText('after', `\n${EXIT_CODE_HELP}\n\nStart with:\n  usp ls example.org -f tree`);

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
  return program;
}

function outputOptions(command: Command): void {
  command
    .optionsGroup('Output:')
    .addOption(
      new Option('-f, --format <format>', 'output format, see below (default: tabtree)')
        .choices(FORMAT_NAMES)
        .default(FORMAT_NAMES[0]),
    )
    .option('-o, --output <file>', 'write to a file, which is replaced at the end')
    .option('-u, --strip-url', "print URLs without the site's address")
    .option('--no-pages', 'list sitemaps only')
    .option('--unique', 'list each page once')
    .option('--ordered', "pages in the tree's order, not as they arrive")
    .option('--csv-raw', 'do not defuse formulas in csv');
}

function changeOptions(command: Command): void {
  command
    .optionsGroup('Output:')
    .addOption(
      new Option('-f, --format <format>', 'how to print it, see below (default: changes)')
        .choices(CHANGE_FORMAT_NAMES)
        .default(CHANGE_FORMAT_NAMES[0]),
    )
    .option('-o, --output <file>', 'write to a file, which is replaced at the end')
    .option('--only <kinds>', 'of added, removed, changed, with commas', changeTypes)
    .option('--exit-code', 'exit with 5 if there are differences')
    .optionsGroup('Filters:')
    .option('--include <pattern>', 'only pages that match', value.patterns)
    .option('--exclude <pattern>', 'no pages that match', value.patterns)
    .option('--compare <fields>', 'only these make a page changed: lastmod,images,…', comparedFields);
}

function pageFilterOptions(command: Command): void {
  command
    .optionsGroup('Filters:')
    .option('--since <when>', 'pages changed since a date, 24h, 7d, yesterday', value.since)
    .addOption(
      new Option('--undated <what>', 'with --since: keep or drop pages without a date').choices([
        'keep',
        'drop',
      ]),
    )
    .option('--include <pattern>', 'only pages whose URL matches', value.patterns)
    .option('--exclude <pattern>', 'no pages whose URL matches', value.patterns)
    .option('--max-pages <n>', 'stop after N pages', value.wholeNumber(1));
}

function filterOptions(command: Command): void {
  pageFilterOptions(command);
  command
    .option('--sitemap-include <pattern>', 'fetch only sitemaps whose URL matches', value.patterns)
    .option('--sitemap-exclude <pattern>', 'fetch no sitemaps whose URL matches', value.patterns);
}

function placeOptions(command: Command): void {
  command
    .optionsGroup('Where to look:')
    .option('-r, --no-robots', 'do not read robots.txt')
    .option('-k, --no-known', 'do not request known paths such as /sitemap.xml')
    .option('--known-path <path>', 'also request this path; repeatable', value.paths)
    .option('--homepage-links', 'also fetch sitemaps that the homepage links to')
    .option('--no-normalize', 'keep the path of the URL, and look below it')
    .option('--max-sitemaps <n>', 'stop after N sitemaps (default: 50,000)', value.wholeNumber(1))
    .option('--max-depth <n>', 'follow N levels of indexes (default: 11)', value.wholeNumber(0));
}

function networkOptions(command: Command): void {
  command
    .optionsGroup('Network:')
    .option('--timeout <seconds>', 'time for one site; what was found is printed', value.seconds('more'))
    .option('--retries <n>', 'attempts after the first one (default: 4)', value.wholeNumber(0))
    .option('--concurrency <n>', 'requests at once (default: 16, 6 to one host)', value.wholeNumber(1))
    .option('--wait <seconds>', 'pause between requests to one host', value.seconds('zero'))
    .option('--random-wait', 'vary --wait from half to one and a half times')
    .option('--user-agent <text>', 'the User-Agent header')
    .option('-H, --header <header>', "'Name: value', sent to the site only; repeatable", value.headers)
    .addOption(
      new Option('--from-warc <file>', 'read a WARC file instead of the web').conflicts([
        ...['proxy', 'insecure', 'allowPrivate', 'cookies', 'cacert', 'cert', 'key'],
      ]),
    )
    .option('--proxy <url>', "an http, https or socks5 URL, or 'none'", value.proxy)
    .option('--cookies', 'keep cookies, each for the origin that set it')
    .option('--cacert <file>', 'trust the certificates in a PEM file too', value.contentOf)
    .option('--cert <file>', 'client certificate in PEM, sent to the site only', value.contentOf)
    .option('--key <file>', 'its private key, if not in the same file', value.contentOf)
    .option('--insecure', 'accept invalid certificates')
    .option('--allow-private', 'let sitemaps lead to private networks');
}

function messageOptions(command: Command): void {
  command.optionsGroup('Messages:').option('--strict', 'exit with 4 if a declared sitemap is unreadable');
  verbosityOptions(command);
}

function verbosityOptions(command: Command): void {
  command
    .optionsGroup('Messages:')
    .addOption(new Option('-q, --quiet', 'no messages and no progress').conflicts('verbose'))
    .option('-v, --verbose', 'more messages; -vv for all', (_text: string, before: number) => before + 1, 0)
    .option('-l, --log-file <file>', 'append the whole log to a file')
    .optionsGroup('Help:')
    .helpOption('-h, --help', 'show this help');
}
