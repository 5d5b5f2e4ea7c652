/**
 * The flags of `usp`, one row each, in groups below their headings: the help of a flag, and how its value is read.
 * {@link FlagsOf} derives the types of their values from the rows. Flags that set an option of the library are in the
 * table of options (src/options/option-table.ts).
 */
import type { VALUES } from '../args/option-values.ts';

/** A list of words, or a name of `VALUES`, which has a reader or a list of words. */
export type FlagValue = readonly string[] | keyof typeof VALUES;
/** Everything that is known about a flag. */
export interface FlagFacts {
  readonly help: string;
  /** @default a text if the flag takes a value, the name of a file or a folder for `<file>` and `<dir>` */
  readonly value?: FlagValue;
  /** The option of the library that it sets: messages about the option name the flag. */
  readonly option?: string;
  /** It names a file or a folder that the command writes. */
  readonly isWritten?: boolean;
}
/** A row is a help text, a help text and a value, or all facts. */
export type FlagRow = string | readonly [help: string, value: FlagValue] | FlagFacts;
/** By the flags as commander takes them. */
type FlagRows = Readonly<Record<string, FlagRow>>;
/** By heading. A text instead of rows: the options of the library in this group, or those that may hold a secret. */
export type FlagGroups = Readonly<Record<string, FlagRows | 'place' | 'filter' | 'network' | 'secret'>>;

/** The flags as a command gets them: `--max-urls <n>` is `maxUrls`; undefined if it was not given. */
export type FlagsOf<Groups extends FlagGroups> = FlagValues<AllOf<Groups[keyof Groups]>>;

type AllOf<Rows> = (Rows extends unknown ? (each: Rows) => void : never) extends (all: infer All) => void
  ? All
  : never;
type FlagValues<Rows> = {
  readonly [Flags in keyof Rows as Attribute<Flags>]?: Value<Flags, Rows[Flags]> | undefined;
};
type Attribute<Flags> = Flags extends `${string}--${infer Words}` ? Camel<WithoutNo<FirstOf<Words>>> : never;
type FirstOf<Words> = Words extends `${infer First} ${string}` ? First : Words;
type WithoutNo<Name> = Name extends `no-${infer Positive}` ? Positive : Name;
type Camel<Name> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name & string;
type Value<Flags, Row> = Row extends readonly [string, infer Kind] | { readonly value: infer Kind }
  ? ParsedValue<Kind extends keyof typeof VALUES ? (typeof VALUES)[Kind] : Kind>
  : Flags extends `${string}<${string}`
    ? string
    : boolean;
type ParsedValue<Kind> = Kind extends readonly (infer Word)[]
  ? Word
  : Kind extends (...text: never) => infer Result
    ? Result
    : never;

export const VERBOSITY = {
  'Messages:': {
    '-q, --quiet': 'no messages and no progress',
    '-v, --verbose': ['more messages; -vv for all', 'times'],
    '-l, --log-file <file>': { help: 'append the whole log to a file', isWritten: true },
  },
} as const;
export type Verbosity = FlagsOf<typeof VERBOSITY>;

export const STRICT = {
  'Messages:': { '--strict': 'exit with 4 if a declared sitemap is unreadable' },
} as const;

/** The first format is the default, here and below. */
export const LISTING = {
  'Output:': {
    '-f, --format <format>': [
      'output format, see below (default: tabtree)',
      ['tabtree', 'pages', 'tree', 'json', 'ndjson', 'csv', 'summary', 'summary-json', 'sitemap'],
    ],
    '-o, --output <file>': { help: 'write to a file, which is replaced at the end', isWritten: true },
    '-u, --strip-url': "print URLs without the site's address",
    '--no-pages': 'list sitemaps only',
    '--unique': 'list each page once',
    '--ordered': "list pages in the tree's order, not as they arrive",
    '--csv-raw': 'write csv cells as they are: formulas and CI commands stay active',
  },
} as const;
export type ListingFlags = FlagsOf<typeof LISTING> & FlagsOf<typeof CSV> & FlagsOf<typeof STRICT>;

/** For every command that prints CSV. */
export const CSV = {
  'Output:': {
    '--bom': 'csv: begin with a byte order mark, so that Excel reads UTF-8',
    '--separator <sign>': [
      'csv: between cells a comma, a semicolon or tab: , ; tab (default: ,)',
      'separator',
    ],
  },
} as const;

export const CHANGES = {
  'Output:': {
    '-o, --output <file>': { help: 'write to a file, which is replaced at the end', isWritten: true },
    '--only <kinds>': ['print only these kinds: added,removed,changed', 'changeTypes'],
    '--exit-code': 'exit with 5 if there are differences',
  },
  'Filters:': {
    '--include <pattern>': ['only pages that match', 'patterns'],
    '--exclude <pattern>': ['no pages that match', 'patterns'],
    '--compare <fields>': ['compare only these fields: lastmod,images,…', 'comparedFields'],
  },
} as const;
export type ChangeFlags = FlagsOf<typeof CHANGES> & FlagsOf<typeof CSV> & { readonly format: string };

export const PAGE_FILTERS = {
  'Filters:': {
    '--since <when>': {
      help: 'only pages changed since this time: a date, 24h, 7d, yesterday',
      value: 'since',
      option: 'since',
    },
    '--until <when>': ['only pages changed before this time: a date, 24h, 7d, yesterday', 'until'],
    '--undated <what>': ['with --since or --until: keep or drop undated pages', ['keep', 'drop']],
    '--include <pattern>': ['only pages whose URL matches', 'patterns'],
    '--exclude <pattern>': ['no pages whose URL matches', 'patterns'],
    '--hosts <which>': ['only pages on the host of the site, or also on subdomains', 'hosts'],
  },
} as const;

/** Who may fetch the pages. */
export const AGENT = {
  'Filters:': {
    '--agent <name>': 'add whether robots.txt lets this crawler fetch each page',
    '--only-allowed': 'with --agent: no pages that robots.txt disallows for it',
  },
} as const;
export type PageFlags = Omit<FlagsOf<typeof PAGE_FILTERS>, 'since' | 'until'> &
  FlagsOf<typeof AGENT> & {
    readonly since?: Date | undefined;
    readonly until?: Date | undefined;
    readonly maxPages?: number | undefined;
    readonly sample?: number | undefined;
    readonly listAlternates?: boolean | undefined;
  };

export const SITEMAP_FILTERS = {
  'Filters:': {
    '--sitemap-include <pattern>': {
      help: 'fetch only sitemaps whose URL matches',
      value: 'patterns',
      option: 'sitemapInclude',
    },
    '--sitemap-exclude <pattern>': {
      help: 'fetch no sitemaps whose URL matches',
      value: 'patterns',
      option: 'sitemapExclude',
    },
  },
} as const;
export type SitemapFlags = FlagsOf<typeof SITEMAP_FILTERS> & Pick<PageFlags, 'since'>;

/** The flags of library options that commands read themselves; all others go to the library unchanged. */
export interface CrawlFlags {
  readonly normalize?: boolean | undefined;
  /** When known paths are requested; `false` is `--no-known`. */
  readonly known?: 'always' | 'if-none-declared' | boolean | undefined;
  readonly knownPath?: readonly string[] | undefined;
  readonly homepageLinks?: boolean | undefined;
  readonly followListed?: boolean | undefined;
  readonly robots?: boolean | undefined;
  /** Seconds, for one site. */
  readonly timeout?: number | undefined;
  readonly maxSitemaps?: number | undefined;
  readonly maxDepth?: number | undefined;
  /** A file that everything is read from, instead of the web. */
  readonly fromWarc?: readonly string[] | undefined;
  /** Public hosts, by those that stand for them. */
  readonly mapHost?: Readonly<Record<string, string>> | undefined;
}

export interface SiteFlags extends CrawlFlags, SitemapFlags, FlagsOf<typeof STRICT> {
  /** Each URL is a sitemap, not a homepage. */
  readonly sitemap?: boolean | undefined;
}

/** A host that stands for another one. */
export const MAP_HOSTS = {
  'Network:': {
    '--map-host <here=public>': {
      help: 'read HERE as if it were PUBLIC: two hosts, with ports; repeatable',
      value: 'hostMap',
      option: 'mapHosts',
    },
  },
} as const;

/** The rules and how they are judged, for `check` and `report`. */
export const JUDGING = {
  'Options:': {
    '--now <date>': ['compare the dates of files with this time (default: now)', 'now'],
    '--agent <name>': 'apply the robots.txt rules for this crawler (default: Googlebot)',
    '--request-pages <n>': ['also request N pages of the site, or all', 'pageSample'],
  },
  'Rules:': {
    '--rule <name=severity>': ['set a rule to off, info, warning or error; repeatable', 'texts'],
    '--config <file>': 'a JSON file with rules, overrides, failOn, agent',
    '--baseline <file>': 'do not show the findings that are in this file',
    '--fail-on <severity>': [
      'exit with 5 from this severity on (default: error)',
      ['error', 'warning', 'info', 'never'],
    ],
    '--max-warnings <n>': ['exit with 5 if there are more warnings', 'fromZero'],
  },
} as const;

export const SAVE = {
  'Output:': {
    '--save <file>': { help: 'also save the tree as a WARC file, for usp ls', isWritten: true },
  },
} as const;

/** Flags of inputs that are read without a network. */
export const LOCAL = {
  'Options:': {
    '--url <url>': {
      help: "a file's own URL, to resolve relative ones",
      value: 'shownUrl',
      option: 'url',
    },
    '--verify': 'check every document of a saved tree before anything is printed',
  },
} as const;

export const UPDATE = {
  'Filters:': { '--hosts <which>': ['only pages on the host of the site, or also on subdomains', 'hosts'] },
  'Options:': {
    '--dry-run': 'print the changes, and save nothing',
    '--trust-lastmod': 'do not request sitemaps whose declared date is the same',
    '--gone-after <runs>': ['drop a sitemap after N runs with a 404 (default: 2)', 'fromOne'],
    '--max-stale <days>': {
      help: 'drop sitemaps that could not be read for this many days',
      value: 'days',
      option: 'maxStaleMs',
    },
  },
} as const;

/** Flags that cancel options which a saved tree remembers. */
export const ALL_PAGES = { 'Filters:': { '--no-only-allowed': 'cancel the saved --only-allowed' } } as const;
export const PLACES_AGAIN = {
  'Where to look:': {
    '--robots': 'cancel the saved --no-robots',
    '--normalize': 'cancel the saved --no-normalize: read the whole site',
    '--no-homepage-links': 'cancel the saved --homepage-links',
    '--no-follow-listed': 'cancel the saved --follow-listed',
  },
} as const;

export const CHECK = {
  'Rules:': {
    '--write-baseline <file>': {
      help: 'write the findings to this file, and exit with 0',
      isWritten: true,
    },
  },
  'Output:': {
    '-f, --format <format>': [
      'how to print it, see below (default: text)',
      ['text', 'unix', 'json', 'ndjson', 'csv', 'sarif', 'github', 'markdown'],
    ],
    '-o, --output <file>': { help: 'write to a file, which is replaced at the end', isWritten: true },
    '--also <format=file>': {
      help: 'also write the findings to a file, in this format; repeatable',
      value: 'texts',
      isWritten: true,
    },
    '--all': 'text: show the first 100 of a rule, not the first 10',
  },
} as const;

export const FIX = {
  'Options:': { '--partial': 'write the sitemaps even if something could not be read' },
  'Output:': {
    '-o, --output <dir>': { help: 'the folder of the sitemaps', isWritten: true },
    '-f, --format <format>': ['how to print what was done (default: text)', ['text', 'json']],
    '--all': 'text: show everything, not the first 10 of a rule',
    '--force': { help: 'write to a folder that has other files, which stay', option: 'force' },
    '--layout <layout>': ['keep the files of the input, or make new ones (default: keep)', ['keep', 'new']],
    '--by <what>': ['with --layout new: separate files by this', 'divisions'],
    '--max-urls <n>': ['write at most N pages to a file (default and limit: 50,000)', 'fromOne'],
    '--gzip': 'gzip all files',
    '--base <url>': ['the address of the folder, for indexes and robots.txt', 'shownUrl'],
  },
  'Opinions:': {
    '--keep-duplicates': 'keep every entry of a repeated page, not only one',
    '--drop-tracking': 'remove utm_…, gclid and others from URLs',
    '--https': 'write http URLs as https',
    '--canonical-slash': 'keep only one of /a and /a/',
    '--drop-other-hosts': 'drop pages on other hosts than the site',
    '--drop-blocked': 'drop pages that robots.txt forbids to fetch',
    '--request-pages <n>': ['request N pages of the site, or all; the next two flags need it', 'pageSample'],
    '--drop-dead': 'drop pages that are gone, redirect or say noindex',
    '--lastmod-from-head': "take dates from the pages' own Last-Modified",
    '--agent <name>': 'apply the robots.txt rules for this crawler (default: Googlebot)',
  },
} as const;

export const WRITE = {
  'Rows:': {
    '--column <field=name>': ['read a field from this column or key, or column number; repeatable', 'texts'],
    '--strict-rows': 'write nothing if a row is refused',
  },
  'Output:': {
    '-o, --output <dir>': { help: 'the folder of the sitemaps', isWritten: true },
    '--base <url>': {
      help: 'the address that the folder will have: https://example.org/',
      value: 'shownUrl',
      option: 'baseUrl',
    },
    '-f, --format <format>': ['how to print what was done (default: text)', ['text', 'json']],
    '--all': 'text: show all problems, not the first of each kind',
    '--force': { help: 'write to a folder that has other files, which stay', option: 'force' },
    '--max-urls <n>': {
      help: 'write at most N pages to a file (default and limit: 50,000)',
      value: 'fromOne',
      option: 'maxUrls',
    },
    '--max-bytes <n>': {
      help: 'write at most N bytes to a file, uncompressed (default and limit: 52,428,800)',
      value: 'fromOne',
      option: 'maxBytes',
    },
    '--gzip': 'gzip all files; their names end in .gz',
    '--names <name>': {
      help: 'the names of several files, with {n} (default: sitemap-{n}.xml)',
      option: 'names',
    },
    '--index <name>': {
      help: 'the name of the index, or of the only file (default: sitemap.xml)',
      option: 'index',
    },
    '--news <which>': ['all, or fresh: leave out news older than two days', ['all', 'fresh']],
    '--reciprocal': 'add the return links that alternates lack; reads the rows twice',
  },
} as const;

export const REPORT = {
  'Output:': {
    '-o, --output <file>': { help: 'the file to write, which is replaced at the end', isWritten: true },
    '--before <file>': 'an earlier saved tree: show what changed since',
    '--title <text>': "the title of the report (default: the site's host)",
    '--logo <file>': 'an image for its head: PNG, JPEG, GIF, WebP or SVG, at most 256 KiB',
  },
} as const;

export const CRAWL = {
  'Output:': {
    '-o, --output <dir>': { help: 'the folder of the crawl', isWritten: true },
    '-f, --format <format>': ['parquet, ndjson or csv (default: parquet)', 'tableFormats'],
    '--archives': "keep each site's documents as a WARC file",
    '--previous <dir>': 'an earlier crawl with archives: fetch only what changed since',
    '--fresh-only': 'with --previous: leave out sitemaps that cannot be read this time',
    '--retry-failed': 'crawl the failed sites of the folder again',
    '--verify': 'read all rows of the folder, and crawl sites with damaged rows again',
  },
  'The list:': {
    '--column <name>': 'the sites are in this column of a CSV or TSV file',
    '--strict-list': 'stop if a line of the list is not a site',
  },
} as const;

export const QUEUE = {
  'Work:': { '--queue <url>': 'a Redis or Valkey URL: workers do the crawling' },
} as const;

export const WORKER = {
  'Work:': {
    '--queue <url>': 'the same Redis or Valkey URL as usp crawl has',
  },
} as const;

export const WORK = {
  'Work:': {
    '--processes <n>': ['use N processes (default: the number of cores)', 'fromOne'],
    '--sites-at-once <n>': ['crawl N sites at once in each process (default: 32)', 'fromOne'],
    '--publish-every <seconds>': ['write finished sites every N seconds (default: 30)', 'moreSeconds'],
  },
} as const;

export const LOG_FORMAT = {
  'Messages:': { '--log-format <format>': ['text or json (default: text)', ['text', 'json']] },
} as const;
export type WorkFlags = FlagsOf<typeof WORK> & FlagsOf<typeof LOG_FORMAT>;

export const MCP = {
  'Output:': { '--archive-dir <dir>': 'where changes_since keeps an archive of each site' },
  'Limits:': {
    '--calls-at-once <n>': ['refuse a call while N others run (default: 16)', 'fromOne'],
    '--call-time <seconds>': ['end a call within this time (default: 45)', 'moreSeconds'],
    '--result-bytes <n>': ['return at most N bytes as a result (default: 40,000)', 'fromOne'],
    '--keep <minutes>': ['keep a site for N minutes after its last use (default: 15)', 'minutes'],
  },
} as const;
