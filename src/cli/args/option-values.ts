/**
 * Turns the text of an option or an argument into its value. An invalid text is reported before anything starts, with a
 * hint if there is one.
 */
import { statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { TABLE_FORMATS } from '../../batch/output/table-file.ts';
import { HOSTS, parsePattern, parseWhen } from '../../filter/filter-values.ts';
import type { ComparedField, PageChange } from '../../index.ts';
import { HostMap } from '../../options/host-map.ts';
import { proxyUrl } from '../../options/network-values.ts';
import { isConnectionHeader } from '../../options/option-table.ts';
import type { CsvSeparator } from '../../text/csv-lines.ts';
import { parsedUrl, shownUrl, withScheme } from '../../url.ts';
import { DIVISIONS } from '../../write/divisions.ts';
import { UsageError } from '../endings.ts';

export const CHANGE_TYPES: readonly PageChange['type'][] = ['added', 'removed', 'changed'];

/** By the names that sitemaps use, and by those of the library. */
const FIELDS: ReadonlyMap<string, ComparedField> = new Map([
  ['lastmod', 'lastModified'],
  ['priority', 'priority'],
  ['changefreq', 'changeFrequency'],
  ['news', 'newsStory'],
  ['images', 'images'],
  ['videos', 'videos'],
  ['alternates', 'alternates'],
  ['lastModified', 'lastModified'],
  ['changeFrequency', 'changeFrequency'],
  ['newsStory', 'newsStory'],
]);

/** The hint for patterns that match no URL: a glob is compared with the whole URL, not with its path. */
export function hintsAtPatterns(options: object): readonly string[] {
  return Object.entries(options).flatMap(([name, patterns]) => {
    if (!/^(?:sitemap)?(?:in|ex)clude$/i.test(name)) return [];
    const flag = `--${name.replace('sitemap', 'sitemap-').toLowerCase()}`;
    const globs = [patterns].flat().filter((pattern) => /^\/.*\*/.test(pattern));
    return globs.map(
      (glob) =>
        `${flag} ${glob} matches nothing, since a pattern with a * is compared with the whole URL: try *${glob}`,
    );
  });
}

/** A time, and the text of the user: `24h` is another time in each run. */
export class TimeArgument extends Date {
  readonly text: string;

  constructor(time: number, text: string) {
    super(time);
    this.text = text;
  }
}

/**
 * The values of flags, by the name in the row of a flag: a function that reads the text, or the words to choose from.
 */
export const VALUES = {
  divisions: DIVISIONS as typeof DIVISIONS,
  hosts: HOSTS as typeof HOSTS,
  tableFormats: TABLE_FORMATS as typeof TABLE_FORMATS,
  fromZero: (text: string): number => wholeNumber(text, 0),
  fromOne: (text: string): number => wholeNumber(text, 1),
  moreSeconds: (text: string): number => duration(text, 's', 1),
  minutes: (text: string): number => duration(text, 'm'),
  days: (text: string): number => duration(text, 'd'),
  times: (_text: string, before: number): number => before + 1,
  separator(text: string): CsvSeparator {
    if (text === ',' || text === ';') return text;
    if (/^(?:tab|\t|\\t)$/i.test(text)) return '\t';
    throw new InvalidArgumentError("It must be ',', ';' or tab.");
  },
  /** Refuses an empty text, as `-o "$DIR"` is if the variable is not set. */
  path(text: string): string {
    if (text !== '') return text;
    throw new InvalidArgumentError('It must be the name of a file or a folder.');
  },
  /** An address that is printed or written: without a user and a password. */
  shownUrl: (text: string): string => shownUrl(text),
  /** Repeatable. The command reads them: it has the table of rules, for example. */
  texts: (text: string, before: readonly string[] = []): readonly string[] => [...before, text],
  patterns(text: string, before: readonly string[] = []): readonly string[] {
    try {
      parsePattern(text);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError(why, {
        hint: 'a part of the URL, a glob with *, or re: and a regular expression.',
        cause,
      });
    }
    return [...before, text];
  },
  since: (text: string): TimeArgument => moment(text, '--since', '90m, 24h, 7d, 2w'),
  until: (text: string): TimeArgument => moment(text, '--until', '90m, 24h, 7d, 2w'),
  now: (text: string): Date => moment(text, '--now', '24h, 7d'),
  paths(text: string, before: readonly string[] = []): readonly string[] {
    if (text === '') throw new InvalidArgumentError('It must be a path, such as sitemaps/main.xml.');
    return [...before, text];
  },
  /** `Name: value`, repeatable. A message about it does not repeat it, since headers carry secrets. */
  headers(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined || /[\r\n\0]/.test(value)) {
      throw new UsageError("-H needs 'Name: value', in one line.", { hint: "as -H 'Accept-Language: de'" });
    }
    if (isConnectionHeader(name))
      throw new UsageError(`-H cannot set ${name}: it belongs to the connection.`);
    return { ...before, [name]: value };
  },
  /** `HERE=PUBLIC`, repeatable. */
  hostMap(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    const [, here = '', other = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const hint =
      'as --map-host staging.example.org=www.example.org, or http://localhost:3000=https://www.example.org';
    if (here === '' || other === '')
      throw new UsageError('--map-host needs HERE=PUBLIC, two hosts.', { hint });
    if (Object.hasOwn(before, here)) throw new UsageError(`--map-host names ${here} twice.`, { hint });
    const all = { ...before, [here]: other };
    try {
      return new HostMap(all) && all;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError(why.replace('The option "mapHosts"', '--map-host'), { hint, cause });
    }
  },
  proxy(text: string): string | false {
    if (text === 'none') return false;
    if (proxyUrl(text) !== undefined) return text;
    throw new InvalidArgumentError("It must be an http:, https: or socks5: URL, or 'none'.");
  },
  /** `--pages 100` or `--pages all` */
  pageSample(text: string): number | 'all' {
    if (text === 'all') return 'all';
    try {
      return wholeNumber(text, 1);
    } catch {
      throw new InvalidArgumentError('It must be a whole number, 1 or more, or all.');
    }
  },
  changeTypes: (text: string): readonly PageChange['type'][] =>
    valuesOfList(text, new Map(CHANGE_TYPES.map((type) => [type, type]))),
  comparedFields: (text: string): readonly ComparedField[] => valuesOfList(text, FIELDS),
};

/** A whole number from `least` on; `50,000` and `50_000` are read too. */
export function wholeNumber(text: string, least: number): number {
  const digits = text.replaceAll(/[_,](?=\d{3})/g, '');
  const value = Number(digits);
  if (/^\d+$/.test(digits) && Number.isSafeInteger(value) && value >= least) return value;
  throw new InvalidArgumentError(`It must be a whole number, ${least} or more.`);
}

/** The milliseconds of each unit, and its name. */
const UNITS = {
  s: [1000, 'seconds'],
  m: [60_000, 'minutes'],
  h: [3_600_000, 'hours'],
  d: [86_400_000, 'days'],
} as const;

/**
 * A duration, also with a fraction: `30s`, `15m`, `2h`, `2d`, or a number in the unit of the flag.
 *
 * @param least - the shortest time in milliseconds
 * @returns a number in the unit of the flag
 */
export function duration(text: string, unit: keyof typeof UNITS, least = 0): number {
  const [, digits, letter = unit] = /^(\d*\.?\d+)([smhd])?$/.exec(text) ?? [];
  const [size, name] = UNITS[unit];
  const ms = Number(digits) * UNITS[letter as keyof typeof UNITS][0];
  if (ms >= least) return ms / size;
  const above = least === 0 ? '' : ' above zero';
  throw new InvalidArgumentError(
    `It must be a number of ${name}${above}, or a time such as 30s, 15m, 2h, 2d.`,
  );
}

/** A date, or a time before now. @param spans - examples for the message */
function moment(text: string, flag: string, spans: string): TimeArgument {
  const time = parseWhen(text, Date.now());
  if (time !== undefined) return new TimeArgument(time, text);
  throw new UsageError(`${flag}: "${text}" is not a date or a time.`, {
    hint: `a date (2024-05-06, 2024-05-06T08:00Z), a time before now (${spans}), today or yesterday.`,
  });
}

function valuesOfList<Value>(text: string, values: ReadonlyMap<string, Value>): readonly Value[] {
  return text.split(',').map((word) => {
    const value = values.get(word.trim());
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`"${word.trim()}" is not one of ${[...values.keys()].join(', ')}.`);
  });
}

/** The most characters that a host name can have (RFC 1035). */
const LONGEST_HOST = 253;

/**
 * The URL of a site. Without a scheme it is https, as in a browser; for this machine itself, http.
 *
 * @throws UsageError if the text is not an http(s) URL with a host
 */
export function parseAddress(text: string): URL {
  const url = addressInList(text);
  if (url !== undefined) return url;
  throw new UsageError(`"${shownUrl(text)}" is not an http or https URL.`);
}

/** The URL of a site in a list, by the rules of {@link parseAddress}; undefined for other texts. */
export function addressInList(text: string): URL | undefined {
  // `new URL` removes these characters, so the second column of a line would become a part of the host.
  const url = /[\t\r\n]/.test(text.trim()) ? undefined : parsedUrl(withScheme(text));
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol);
  return isWeb && url.hostname !== '' && url.hostname.length <= LONGEST_HOST ? url : undefined;
}

/** The error for a first word that is not a command but an input of `usp ls`; undefined for other words. */
export function forgottenCommand(text: string): UsageError | undefined {
  const isInput = /^https?:\/\//i.test(text) || withScheme(text) !== text || isFile(text);
  const printable = shownUrl(text);
  return isInput
    ? new UsageError(`unknown command '${printable}'.`, { hint: `usp ls ${printable}` })
    : undefined;
}

function isFile(text: string): boolean {
  try {
    return statSync(text).isFile();
  } catch {
    return false;
  }
}
