/** The options that several commands share, group by group, and what is printed below their help. */
import { type Command, Option } from 'commander';
import { changeTypes, comparedFields } from '../args/change-values.ts';
import * as value from '../args/option-values.ts';

/** The names of the formats, in the order of the help; the first is the default. */
export const FORMAT_NAMES: readonly string[] = [
  'tabtree',
  'pages',
  'tree',
  'json',
  'ndjson',
  'csv',
  'summary',
  'summary-json',
];
const CHANGE_FORMAT_NAMES = ['changes', 'pages', 'ndjson', 'csv', 'json'];

export const PATTERN_HELP: string =
  'A PATTERN is a part of the URL (/blog/), a glob over the whole URL if it has a *\n' +
  '(*.html), or re: and a regular expression (re:/\\d{4}/). Repeatable.';

export const FORMAT_HELP: string = `Formats:
  tabtree  sitemaps and pages, nested by tabs
  pages    one URL per line
  tree     a drawn tree of the sitemaps, with page counts
  json     the whole tree as one document
  ndjson   one page per line, as JSON; with --no-pages one sitemap per line
  csv      one page per row; with --no-pages one sitemap per row
  summary  what there is in numbers: dates, folders, languages, failures;
           summary-json the same as one document`;

export const CHANGE_FORMAT_HELP: string = `Formats:
  changes  + added, - removed, ~ changed and in what
  pages    the URLs that were added or changed, one per line
  ndjson   one change per line, as JSON
  csv      one change per row
  json     all changes and their numbers as one document`;

export function outputOptions(command: Command): void {
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

export function changeOptions(command: Command): void {
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

export function pageFilterOptions(command: Command): void {
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

export function filterOptions(command: Command): void {
  pageFilterOptions(command);
  command
    .option('--sitemap-include <pattern>', 'fetch only sitemaps whose URL matches', value.patterns)
    .option('--sitemap-exclude <pattern>', 'fetch no sitemaps whose URL matches', value.patterns);
}

/** @param known - when known paths are requested unless the user says otherwise */
export function placeOptions(
  command: Command,
  { known = 'always' }: { readonly known?: 'always' | 'if-none-declared' } = {},
): void {
  command
    .optionsGroup('Where to look:')
    .option('-r, --no-robots', 'do not read robots.txt')
    .option('-k, --no-known', 'do not request known paths such as /sitemap.xml')
    .addOption(
      new Option('--known <when>', `when to request them (default: ${known})`).choices([
        'always',
        'if-none-declared',
      ]),
    )
    .option('--known-path <path>', 'also request this path; repeatable', value.paths)
    .option('--homepage-links', 'also fetch sitemaps that the homepage links to')
    .option('--no-normalize', 'keep the path of the URL, and look below it')
    .option('--max-sitemaps <n>', 'stop after N sitemaps (default: 50,000)', value.wholeNumber(1))
    .option('--max-depth <n>', 'follow N levels of indexes (default: 11)', value.wholeNumber(0));
}

/** @param timeout - what is said about `--timeout` */
export function networkOptions(
  command: Command,
  {
    timeout = 'time for one site; what was found is printed',
    hasWarc = true,
  }: { readonly timeout?: string; readonly hasWarc?: boolean } = {},
): void {
  command
    .optionsGroup('Network:')
    .option('--timeout <seconds>', timeout, value.seconds('more'))
    .option('--retries <n>', 'attempts after the first one (default: 4)', value.wholeNumber(0))
    .option('--concurrency <n>', 'requests at once (default: 16)', value.wholeNumber(1))
    .option('--wait <seconds>', 'pause between requests to one host', value.seconds('zero'))
    .option('--random-wait', 'vary --wait from half to one and a half times')
    .option('--user-agent <text>', 'the User-Agent header')
    .option('-H, --header <header>', "'Name: value', sent to the site only; repeatable", value.headers);
  if (hasWarc) {
    command.addOption(
      new Option('--from-warc <file>', 'read a WARC file instead of the web').conflicts([
        ...['proxy', 'insecure', 'allowPrivate', 'cookies', 'cacert', 'cert', 'key'],
      ]),
    );
  }
  command
    .option('--proxy <url>', "an http, https or socks5 URL, or 'none'", value.proxy)
    .option('--cookies', 'keep cookies, each for the origin that set it')
    .option('--cacert <file>', 'trust the certificates in a PEM file too', value.contentOf)
    .option('--cert <file>', 'client certificate in PEM, sent to the site only', value.contentOf)
    .option('--key <file>', 'its private key, if not in the same file', value.contentOf)
    .option('--insecure', 'accept invalid certificates')
    .option('--allow-private', 'let sitemaps lead to private networks');
}

export function messageOptions(command: Command): void {
  command.optionsGroup('Messages:').option('--strict', 'exit with 4 if a declared sitemap is unreadable');
  verbosityOptions(command);
}

export function verbosityOptions(command: Command): void {
  command
    .optionsGroup('Messages:')
    .addOption(new Option('-q, --quiet', 'no messages and no progress').conflicts('verbose'))
    .option('-v, --verbose', 'more messages; -vv for all', (_text: string, before: number) => before + 1, 0)
    .option('-l, --log-file <file>', 'append the whole log to a file')
    .optionsGroup('Help:')
    .helpOption('-h, --help', 'show this help');
}
