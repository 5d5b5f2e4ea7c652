/** The options that several commands share, group by group, and what is printed below their help. */
import { type Command, Option } from 'commander';
import type { OptionRow } from '../../options/option-table.ts';
import { number } from '../../problems/wording.ts';
import { FLAGGED, type Flagged } from '../args/option-flags.ts';
import * as value from '../args/option-values.ts';
import { changeTypes, comparedFields } from '../args/option-values.ts';

/** The names of the formats, in the order of the help; the first is the default. */
export const FORMAT_NAMES: readonly string[] = [
  ...['tabtree', 'pages', 'tree', 'json', 'ndjson', 'csv', 'summary', 'summary-json', 'sitemap'],
];
export const CHANGE_FORMAT_NAMES: readonly string[] = ['changes', 'pages', 'ndjson', 'csv', 'json'];

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
           summary-json the same as one document
  sitemap  each page once, as one urlset that is valid`;

export const CHANGE_FORMAT_HELP: string = `Formats:
  changes  + added, - removed, ~ changed and in what
  pages    the URLs that were added or changed, one per line
  ndjson   one change per line, as JSON
  csv      one change per row
  json     all changes and their numbers as one document`;

export function choice(flags: string, help: string, choices: readonly string[]): Option {
  return new Option(flags, help).choices(choices);
}

/** The first format is the default. */
export function formatChoice(help: string, formats: readonly string[]): Option {
  return choice('-f, --format <format>', help, formats).default(formats[0]);
}

export function outputOptions(command: Command): void {
  command
    .optionsGroup('Output:')
    .addOption(formatChoice('output format, see below (default: tabtree)', FORMAT_NAMES))
    .option('-o, --output <file>', 'write to a file, which is replaced at the end')
    .option('-u, --strip-url', "print URLs without the site's address")
    .option('--no-pages', 'list sitemaps only')
    .option('--unique', 'list each page once')
    .option('--ordered', "pages in the tree's order, not as they arrive")
    .option('--csv-raw', 'do not defuse formulas in csv');
}

export function changeOptions(command: Command, formats: readonly string[] = CHANGE_FORMAT_NAMES): void {
  command
    .optionsGroup('Output:')
    .addOption(formatChoice('how to print it, see below (default: changes)', formats))
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
    .option(
      '--since <when>',
      'pages changed since a date, 24h, 7d, yesterday',
      value.moment('--since', '90m, 24h, 7d, 2w'),
    )
    .addOption(
      choice('--undated <what>', 'with --since: keep or drop pages without a date', ['keep', 'drop']),
    )
    .option('--include <pattern>', 'only pages whose URL matches', value.patterns)
    .option('--exclude <pattern>', 'no pages whose URL matches', value.patterns);
  addOptionFlags(command, 'filter', {});
}

/** Who may fetch the pages. */
export function agentOptions(command: Command): void {
  command
    .option('--agent <name>', 'add whether this crawler may fetch each page, by robots.txt')
    .option('--only-allowed', 'with --agent: no pages that robots.txt disallows for it');
}

export function filterOptions(command: Command): void {
  pageFilterOptions(command);
  agentOptions(command);
  sitemapFilterOptions(command);
}

export function sitemapFilterOptions(command: Command): void {
  command
    .option('--sitemap-include <pattern>', 'fetch only sitemaps whose URL matches', value.patterns)
    .option('--sitemap-exclude <pattern>', 'fetch no sitemaps whose URL matches', value.patterns);
}

interface FlagVariants {
  /** When known paths are requested unless the user says otherwise. */
  readonly known?: 'always' | 'if-none-declared';
  /** What is said about options that mean something else here, by their names. */
  readonly help?: Readonly<Record<string, string>>;
  readonly hasWarc?: boolean;
}

export function placeOptions(command: Command, variants: FlagVariants = {}): void {
  command.optionsGroup('Where to look:');
  addOptionFlags(command, 'place', variants);
}

export function networkOptions(command: Command, variants: FlagVariants = {}): void {
  command.optionsGroup('Network:');
  addOptionFlags(command, 'network', variants);
}

/** Those of a crawl whose values are not in its folder: a worker is given them too. */
export function secretOptions(command: Command): void {
  command.optionsGroup('Network:');
  for (const { name, row } of FLAGGED)
    if (row.isSecret)
      command.addOption(withReader(new Option(row.flag.flags, 'where usp crawl has it too'), name, row));
}

const READERS: Readonly<Record<string, (text: string, before: never) => unknown>> = {
  extraKnownPaths: value.paths,
  headers: value.headers,
  proxy: value.proxy,
  ca: value.contentOf,
  cert: value.contentOf,
  key: value.contentOf,
  webClient: (file, before: readonly string[] = []) => [...before, file],
};

function addOptionFlags(command: Command, group: Flagged['flag']['group'], variants: FlagVariants): void {
  const { hasWarc = true } = variants;
  for (const { name, row } of FLAGGED) {
    if (row.flag.group !== group || (name === 'webClient' && !hasWarc)) continue;
    if (name === 'useKnownPaths')
      command.option('-k, --no-known', 'do not request known paths such as /sitemap.xml');
    const option = new Option(row.flag.flags, helpOf(name, row, variants));
    if (name === 'useKnownPaths') option.choices(['always', 'if-none-declared']);
    if (name === 'webClient') option.conflicts(clientAttributes());
    command.addOption(withReader(option, name, row));
  }
}

function withReader(option: Option, name: string, row: OptionRow): Option {
  const read = READERS[name] ?? numberReader(row);
  return read === undefined ? option : option.argParser(read as (text: string) => unknown);
}

function helpOf(name: string, row: Flagged, { known = 'always', help = {} }: FlagVariants): string {
  if (name === 'useKnownPaths') return `${row.flag.help} (default: ${known})`;
  const own = help[name];
  if (own !== undefined) return own;
  const byDefault = typeof row.default === 'number' && row.default > 0 ? row.default : undefined;
  return byDefault === undefined ? row.flag.help : `${row.flag.help} (default: ${number(byDefault)})`;
}

function numberReader({ least, isTime }: OptionRow): ((text: string) => number) | undefined {
  if (least === undefined) return undefined;
  return isTime === true ? value.seconds(least === 0 ? 'zero' : 'more') : value.wholeNumber(least);
}

function clientAttributes(): string[] {
  return FLAGGED.filter(({ row }) => row.isOfDefaultClient).map(({ attribute }) => attribute);
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
