/** The commands of `usp` and their flags. `--help`, the completions and the documentation are made from them. */
import { Argument, Command, Option } from 'commander';
import { FLAGGED, type FlaggedRow } from '../../options/flagged-options.ts';
import { defaultOf, type OptionUse } from '../../options/option-table.ts';
import { number } from '../../text/wording.ts';
import { duration, parseAddress, VALUES, wholeNumber } from '../args/option-values.ts';
import { EXIT_MEANINGS, type ExitCodes, exitCodeHelp, worstCodeHelp } from '../endings.ts';
import type { CommandRun } from '../io.ts';
import * as flags from './flags.ts';

/** Runs a command; passed in, so that a command line can be read without it. */
export type RunCommand = (row: CommandRow, argument: unknown, options: object) => Promise<void>;

type HelpOf = Readonly<Record<string, string>>;

interface CommandRow {
  /** What it does, loaded when it is used. */
  readonly load?: () => Promise<CommandRun<never, never>>;
  /** A command without options may print a text instead. */
  readonly print?: (argument: never, program: Command) => Promise<string>;
  /** Whether it finishes its current work when the user interrupts it, and says so. */
  readonly isFinishing?: boolean;
  readonly summary: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** The line below an error. @default that `--help` shows all options */
  readonly hint?: string | undefined;
  readonly flags?: readonly flags.FlagGroups[];
  readonly required?: readonly string[];
  /** Whose defaults its options have. @default those of a single site */
  readonly use?: OptionUse;
  /** Help of this command instead of the shared text, by flag or library option. An empty text removes the flag. */
  readonly helpOf?: HelpOf;
  readonly help?: readonly string[];
  /** Exit codes in addition to 2, 70 and 130. An empty text removes one of those. */
  readonly exits: ExitCodes;
  /** Whether it has several inputs, each with an exit code. */
  readonly hasSeveralInputs?: boolean;
}

/** Commander types the second argument of a reader by what the reader returns; for all of them that is unknown. */
type Reader = (text: string) => unknown;

const argument = (
  name: string,
  description: string,
  parseValue?: (text: string, before: never) => unknown,
): Argument =>
  parseValue === undefined
    ? new Argument(name, description)
    : new Argument(name, description).argParser(parseValue as Reader);

const REMEMBERED_HELP = `The file remembers the site and where to look, so that usp update FILE is enough from
the second time on; options that you give replace the remembered ones. Headers, cookies,
proxies and keys are not saved: give them each time.`;

const QUEUE_KEY_HELP = `With --queue, the environment variable USP_QUEUE_KEY may hold a secret that usp crawl and all
workers share: data of others in Redis is then detected. Several crawls can share one Redis
if each has a name: --queue redis://host?crawl=NAME.`;

const PATTERN_HELP =
  'A PATTERN is a part of the URL (/blog/), a glob over the whole URL if it has a *\n' +
  '(*.html), or re: and a regular expression (re:/\\d{4}/). Repeatable.';

const TIME_HELP = 'A time is a number in the unit of its flag, or has a unit: 30s, 15m, 2h, 2d.';

/** Exit codes about the sites that a command reads. */
const { 1: noneFound, 3: stopped, 6: unreachable } = EXIT_MEANINGS;
const strict = 'with --strict: something declared could not be read';
const SITE_EXITS: ExitCodes = { 1: noneFound.replace(/ \(.*/, ''), 3: stopped, 4: strict, 6: unreachable };
const FINDINGS = 'there are findings at or above --fail-on, or too many warnings';
const DIFFERENCES = 'there are differences, and --exit-code is given';

const FORMAT_HELP = `Formats:
  tabtree  sitemaps and pages, nested by tabs
  pages    one URL per line
  tree     a drawn tree of the sitemaps, with page counts
  json     the whole tree as one document
  ndjson   one page per line, as JSON; with --no-pages one sitemap per line
  csv      one page per row; with --no-pages one sitemap per row
  summary  the site in numbers: dates, folders, languages, failures;
           summary-json prints the same numbers as one JSON document
  sitemap  one valid urlset that lists each page once`;

const CHANGE_FORMAT_HELP = `Formats:
  changes  + added, - removed, ~ changed and in what
  pages    the URLs that were added or changed, one per line
  ndjson   one change per line, as JSON
  csv      one change per row
  json     all changes and their counts as one document
  parquet  one change per row, as a table (with -o)`;

const CHECK_FORMAT_HELP = `Formats:
  text      findings below their document, and what to fix first
  unix      file:line:column: severity: message [rule]
  json      all findings and their counts as one document
  ndjson    one finding per line, as JSON
  csv       one finding per row
  sarif     SARIF 2.1.0, for code hosts and editors
  github    annotations of GitHub Actions
  markdown  the summary of a CI job: counts, and a table of what to fix first`;

const FIX_FORMAT_HELP = `Formats:
  text  what was dropped and changed below its document, then rules and files
  json  everything as one document`;

const ROW_HELP = `Columns and keys with these names are read: url or loc, lastmod, changefreq, priority,
images, videos, alternates, alternate:de (any language), news, news:title and others, and the
columns of usp ls -f csv. --column url=Link says that the URLs are in the column "Link".`;

const COMPLETION_HELP = `Put it where your shell looks for it:
  usp completion bash > ~/.local/share/bash-completion/completions/usp
  usp completion zsh  > ~/.zfunc/_usp        (a folder in your fpath)
  usp completion fish > ~/.config/fish/completions/usp.fish`;

const SHELLS = ['bash', 'zsh', 'fish'];

const sitemapFlag = (does: string): flags.FlagGroups => ({
  'Options:': { '--sitemap': `the URL is a sitemap: ${does} it and those below` },
});
const urlFlag = (help: string): flags.FlagGroups => ({ 'Options:': { '--url <url>': [help, 'shownUrl'] } });
const CHANGE_FORMAT: flags.FlagGroups = {
  'Output:': {
    '-f, --format <format>': [
      'how to print it, see below (default: changes)',
      ['changes', 'pages', 'ndjson', 'csv', 'json', 'parquet'],
    ],
  },
};

const PAGE_FILTERS: readonly flags.FlagGroups[] = [flags.PAGE_FILTERS, { 'Filters:': 'filter' }];
const PLACE: flags.FlagGroups = { 'Where to look:': 'place' };
const NETWORK: flags.FlagGroups = { 'Network:': 'network' };
/** How the sitemaps of a site are found and fetched. */
const SITE: readonly flags.FlagGroups[] = [flags.SITEMAP_FILTERS, PLACE, NETWORK];
const MESSAGES = [flags.STRICT, flags.VERBOSITY];

const COMMANDS: Readonly<Record<string, CommandRow>> = {
  ls: {
    load: async () => (await import('../commands/ls.ts')).ls,
    summary: 'list the sitemaps and pages of sites, files or saved trees',
    description:
      'List the sitemaps and pages of sites, of sitemap files or of saved trees. ' +
      'A name that is both a file and a host means the file; with https:// it means the site.',
    arguments: [argument('<input...>', "sites' URLs, saved trees, or sitemap files; '-' for stdin")],
    flags: [
      sitemapFlag('list'),
      flags.LOCAL,
      flags.LISTING,
      flags.CSV,
      flags.SAVE,
      ...PAGE_FILTERS,
      flags.AGENT,
      ...SITE,
      flags.MAP_HOSTS,
      ...MESSAGES,
    ],
    help: [FORMAT_HELP, PATTERN_HELP, TIME_HELP],
    exits: {
      0: EXIT_MEANINGS[0],
      ...SITE_EXITS,
      1: 'a site has no readable sitemap, or a file is not a sitemap',
    },
    hasSeveralInputs: true,
  },
  update: {
    load: async () => (await import('../commands/update.ts')).update,
    summary: 'read a saved site again, and print what changed',
    description: 'Read a saved site again, print which pages are new, changed or gone, and save it.',
    arguments: [
      argument('<file>', 'the saved tree; the first run creates it'),
      argument('[url]', "the site's URL, needed the first time", parseAddress),
    ],
    flags: [
      sitemapFlag('read'),
      flags.UPDATE,
      CHANGE_FORMAT,
      flags.CHANGES,
      flags.CSV,
      flags.AGENT,
      flags.ALL_PAGES,
      flags.SITEMAP_FILTERS,
      PLACE,
      flags.PLACES_AGAIN,
      NETWORK,
      ...MESSAGES,
    ],
    help: [REMEMBERED_HELP, CHANGE_FORMAT_HELP, PATTERN_HELP, TIME_HELP],
    exits: { 0: 'the site was read', ...SITE_EXITS, 5: DIFFERENCES },
  },
  diff: {
    load: async () => (await import('../commands/diff.ts')).diff,
    summary: 'print what changed between two sites, saved trees, files or crawls',
    description:
      'Print which pages are new, changed or gone between two of these: sites, saved trees, sitemap files; ' +
      'or between the folders of two crawls.',
    arguments: [
      argument('<before>', "a site's URL, a saved tree, a sitemap file or a crawl; '-' for stdin"),
      argument('<after>', 'the later input, in one of the same forms'),
    ],
    flags: [
      sitemapFlag('read'),
      CHANGE_FORMAT,
      flags.CHANGES,
      flags.CSV,
      ...SITE,
      flags.MAP_HOSTS,
      ...MESSAGES,
    ],
    help: [CHANGE_FORMAT_HELP, PATTERN_HELP, TIME_HELP],
    exits: { 0: 'both inputs were compared', ...SITE_EXITS, 5: DIFFERENCES },
  },
  check: {
    load: async () => (await import('../commands/check.ts')).check,
    summary: 'say what is wrong with sitemaps, and where',
    description:
      'Say what is wrong with the sitemaps of a site, in a saved tree or in files: where, and how bad it is.',
    arguments: [argument('<input...>', "a site's URL, a saved tree, or files of one site; '-' for stdin")],
    flags: [
      sitemapFlag('check'),
      urlFlag('the URL of the file, to compare its pages with'),
      flags.JUDGING,
      flags.CHECK,
      flags.CSV,
      ...SITE,
      flags.MAP_HOSTS,
      ...MESSAGES,
    ],
    help: [CHECK_FORMAT_HELP, PATTERN_HELP, TIME_HELP],
    exits: { 0: 'nothing was found at or above --fail-on', ...SITE_EXITS, 5: FINDINGS },
    hasSeveralInputs: true,
  },
  fix: {
    load: async () => (await import('../commands/fix.ts')).fix,
    summary: 'write repaired sitemaps to a folder',
    description:
      'Read the sitemaps of sites, in saved trees or in files, however broken, and write a valid set of them to a ' +
      'folder. Print what was dropped or changed, where it was and why.',
    arguments: [argument('<input...>', "sites' URLs, saved trees, or sitemap files; '-' for stdin")],
    flags: [
      sitemapFlag('repair'),
      urlFlag('the URL of the file, to resolve relative ones'),
      flags.FIX,
      PLACE,
      NETWORK,
      flags.MAP_HOSTS,
      flags.VERBOSITY,
    ],
    required: ['output'],
    help: [FIX_FORMAT_HELP, TIME_HELP],
    exits: {
      0: 'the sitemaps were written',
      1: 'there is no sitemap, or no page to write',
      3: stopped.replace(/;.*/, ''),
      4: 'something could not be read, and --partial is not given',
      6: unreachable,
    },
    hasSeveralInputs: true,
  },
  write: {
    load: async () => (await import('../commands/write.ts')).write,
    summary: 'write sitemaps of rows: CSV, JSON, a list of URLs',
    description:
      'Write rows as a valid set of sitemaps to a folder: CSV, TSV, NDJSON, JSON, or a text with one URL per line. ' +
      'Print the rows that are refused, with their numbers, and what else was changed or left out.',
    arguments: [argument('<rows...>', "files with rows; '-' for stdin")],
    flags: [flags.WRITE, flags.VERBOSITY],
    required: ['output', 'base'],
    help: [ROW_HELP],
    exits: { 0: 'the sitemaps were written', 1: 'there is no page to write' },
  },
  rules: {
    print: async (names) => (await import('../commands/rules.ts')).rules(names),
    summary: 'explain the rules of usp check',
    description:
      'List the rules of usp check, or explain some of them: what each means, why, and how to fix it.',
    arguments: [argument('[rule...]', 'the names of rules (default: list all)')],
    hint: '(usp rules lists all rules)',
    exits: { 0: 'the rules were printed' },
  },
  report: {
    load: async () => (await import('../commands/report.ts')).report,
    summary: 'write a report of a site as one HTML file',
    description:
      'Write a report of a site or of sitemap files as one HTML file: what to fix first, findings, sitemaps, charts.',
    arguments: [argument('<input...>', "the site's URL, a saved tree, or files of one site; '-' for stdin")],
    flags: [sitemapFlag('report'), flags.JUDGING, flags.REPORT, ...SITE, ...MESSAGES],
    helpOf: { '--fail-on <severity>': 'exit with 5 from this severity on (default: never)' },
    help: [PATTERN_HELP, TIME_HELP],
    exits: { 0: 'the report was written', ...SITE_EXITS, 5: FINDINGS },
  },
  crawl: {
    load: async () => (await import('../commands/crawl.ts')).crawl,
    isFinishing: true,
    summary: 'read the sitemaps of many sites into a table',
    description:
      'Read the sitemaps of all sites of a list, and write their pages to a folder. ' +
      'If it is killed or interrupted, the same command continues. Lines that are not sites are reported and skipped.',
    arguments: [argument('<sites>', "a file with one URL or host per line; '-' for stdin")],
    flags: [
      flags.CRAWL,
      flags.WORK,
      flags.QUEUE,
      ...PAGE_FILTERS,
      flags.AGENT,
      ...SITE,
      flags.LOG_FORMAT,
      flags.VERBOSITY,
    ],
    required: ['output'],
    use: 'sites',
    helpOf: {
      maxPages: 'write the first N pages of each site',
      sample: 'write N pages of each site, from all its sitemaps; the same every time',
      maxSitemaps: 'stop after N sitemaps of a site',
      maxTimeMs: 'stop reading a site after this time',
      concurrency: 'send at most N requests at once to one host, of 128 in all',
      webClient: '',
    },
    help: [PATTERN_HELP, TIME_HELP, QUEUE_KEY_HELP],
    exits: { 0: 'all sites are finished, even if some failed' },
  },
  worker: {
    load: async () => (await import('../commands/worker.ts')).worker,
    isFinishing: true,
    summary: 'crawl the sites that usp crawl --queue hands out',
    description:
      'Crawl the sites that usp crawl --queue hands out, until all are finished. ' +
      'Run any number of workers, on any machine that reaches Redis: they need no folder of the crawl.',
    arguments: [],
    flags: [flags.WORKER, flags.WORK, { 'Network:': 'secret' }, flags.LOG_FORMAT, flags.VERBOSITY],
    required: ['queue'],
    hint: '(a worker needs no folder, so it has no -o; usp worker --help shows all options)',
    help: [TIME_HELP, QUEUE_KEY_HELP],
    exits: { 0: 'all sites are finished' },
  },
  mcp: {
    load: async () => (await import('../commands/mcp.ts')).mcp,
    summary: 'serve agents over stdin and stdout',
    description:
      'Serve agents over stdin and stdout, with the Model Context Protocol: ' +
      'they find sitemaps, list pages and changes, and check sites. Needs the package @modelcontextprotocol/server.',
    arguments: [],
    flags: [flags.MCP, { 'Limits:': 'filter' }, PLACE, NETWORK, flags.MAP_HOSTS, flags.VERBOSITY],
    use: 'agents',
    helpOf: {
      maxPages: 'stop after N pages of a site',
      sample: '',
      listAlternates: '',
      maxSitemaps: 'stop after N sitemaps of a site',
      maxTimeMs: 'stop reading a site after this time',
      allowPrivateNetworks: 'let agents and sitemaps lead to private networks',
      webClient: '',
    },
    help: [TIME_HELP],
    exits: { 0: 'the client has ended the connection, or usp was interrupted', 130: '' },
  },
  completion: {
    print: async (shell, program) => (await import('../commands/completion.ts')).completion(shell, program),
    summary: 'print a completion script for a shell',
    description: 'Print a completion script for a shell.',
    arguments: [argument('<shell>', 'which shell').choices(SHELLS)],
    hint: undefined,
    help: [COMPLETION_HELP],
    exits: { 0: 'the script was printed' },
  },
};

function addFlags(
  command: Command,
  { flags: groups = [], required = [], helpOf = {}, use }: CommandRow,
): void {
  for (const [heading, rows] of groups.flatMap((each) => Object.entries(each))) {
    command.optionsGroup(heading);
    const options =
      typeof rows === 'string'
        ? libraryOptions(rows, helpOf, use)
        : Object.entries(rows).map(([names, row]) => commandOption(names, row, helpOf));
    for (const option of options)
      command.addOption(option.makeOptionMandatory(required.includes(option.attributeName())));
  }
  command.optionsGroup('Help:').helpOption('-h, --help', 'show this help');
}

/** Reads the text of a flag as its row says; that of `<file>` and `<dir>` as a path. */
function newOption(names: string, help: string, value: flags.FlagValue | Reader | undefined): Option {
  const option = new Option(names, help);
  const isPath = value === undefined && /<(?:file|dir)>$/.test(names);
  const reader = isPath ? VALUES.path : typeof value === 'string' ? VALUES[value] : value;
  if (typeof reader === 'function') option.argParser(reader as Reader);
  else if (reader !== undefined) option.choices(reader);
  return option;
}

function commandOption(names: string, row: flags.FlagRow, helpOf: HelpOf): Option {
  const { help, value } = factsOf(row);
  const option = newOption(names, helpOf[names] ?? help, value);
  if (option.short === '-f') option.default(option.argChoices?.[0]);
  if (option.short === '-v') option.default(0);
  return option.short === '-q' ? option.conflicts('verbose') : option;
}

function factsOf(row: flags.FlagRow): flags.FlagFacts {
  if (typeof row === 'string') return { help: row };
  return 'help' in row ? row : { help: row[0], value: row[1] };
}

function libraryOptions(group: string, helpOf: HelpOf, use: OptionUse | undefined): readonly Option[] {
  if (group === 'secret')
    return FLAGGED.filter(({ row }) => row.isSecret).map(({ row }) =>
      newOption(row.flag.flags, 'needed if usp crawl was started with it', readerOf(row)),
    );
  const ofDefaultClient = FLAGGED.filter(({ row }) => row.isOfDefaultClient).map(
    ({ attribute }) => attribute,
  );
  const rows = FLAGGED.filter(({ name, row }) => row.flag.group === group && helpOf[name] !== '');
  return rows.flatMap(({ name, row }) => {
    const { flags: names, off } = row.flag;
    const option = newOption(
      names,
      `${helpOf[name] ?? row.flag.help}${defaultText(row, use)}`,
      readerOf(row),
    );
    if (name === 'webClient') option.conflicts(ofDefaultClient);
    return off === undefined ? [option] : [new Option(off.flags, off.help), option];
  });
}

/** How the value of an option is read. */
function readerOf({ flag, least, isTime }: FlaggedRow): flags.FlagValue | Reader | undefined {
  // The table of options does not know the names of `VALUES`; a test reads each.
  if (flag.value !== undefined) return flag.value as keyof typeof VALUES;
  if (flag.words !== undefined) return Object.keys(flag.words);
  if (least === undefined) return undefined;
  return (text) => (isTime === true ? duration(text, 's', least) : wholeNumber(text, least));
}

/** The default as a user would write it; empty if it is not a word or a number above 0. */
function defaultText(row: FlaggedRow, use: OptionUse | undefined): string {
  const value = defaultOf(row, use);
  const [word] = Object.entries(row.flag.words ?? {}).find(([, meaning]) => meaning === value) ?? [];
  if (word !== undefined) return ` (default: ${word})`;
  if (typeof value !== 'number' || value === 0) return '';
  return ` (default: ${number(row.isTime === true ? value / 1000 : value)})`;
}

function addCommand(program: Command, name: string, row: CommandRow, run: RunCommand): void {
  const command = program.command(name).summary(row.summary).description(row.description);
  for (const each of row.arguments) command.addArgument(each);
  const { hint } = { hint: `(usp ${name} --help shows all options)`, ...row };
  if (hint !== undefined) command.showHelpAfterError(hint);
  if (row.flags !== undefined) addFlags(command, row);
  const exits = `${exitCodeHelp(row.exits)}${row.hasSeveralInputs === true ? `\n  ${worstCodeHelp(row.exits)}` : ''}`;
  command.addHelpText('after', `\n${[...(row.help ?? []), exits].join('\n\n')}`);
  command.action(() => {
    const { processedArgs } = command;
    // Commander sets the attribute of --no-robots to `true` by default. What a saved tree or crawl remembers wins over
    // that.
    const explicit = Object.entries(command.opts()).filter(
      ([flag, value]) => value !== true || command.getOptionValueSource(flag) !== 'default',
    );
    const isList = row.arguments.length > 1;
    return run(row, isList ? processedArgs : processedArgs[0], Object.fromEntries(explicit));
  });
}

/** The command line. @param commandName - the first word: if it is a command, the others are left out */
export function createProgram(version: string, run: RunCommand, commandName = ''): Command {
  const program = new Command('usp')
    .description('Find every sitemap of a site, also broken ones, and list every page in them.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('(usp --help lists the commands)')
    // The descriptions name choices and defaults where they matter; repeated after them they only make lines long.
    .configureHelp({
      optionDescription: ({ description }) => description,
      subcommandTerm: (command) => `${command.name()} ${command.usage()}`,
    })
    .addHelpText(
      'after',
      `\n${exitCodeHelp()}\n  ${worstCodeHelp()}\n\nStart with:\n  usp ls example.org -f tree`,
    );
  const commands = Object.entries(COMMANDS);
  const alone = commands.filter(([name]) => name === commandName);
  const isAlone = alone.length > 0 && commandName !== 'completion';
  for (const [name, row] of isAlone ? alone : commands) addCommand(program, name, row, run);
  return program;
}
