/**
 * The options in crawl.json, under the names of the command line. Some decide what a crawl finds: `usp crawl` continues
 * a crawl only with the same values. Some of these decide which pages a crawl lists: `usp diff` compares these values.
 */
import { FLAGGED, optionValue } from '../options/flagged-options.ts';
import { defaultOf } from '../options/option-table.ts';

/** The flags that decide what a crawl finds and are not options of the library, by their names in crawl.json. */
export const CRAWL_FLAGS = {
  include: '--include',
  exclude: '--exclude',
  hosts: '--hosts',
  since: '--since',
  until: '--until',
  undated: '--undated',
  sitemapInclude: '--sitemap-include',
  sitemapExclude: '--sitemap-exclude',
  agent: '--agent',
  onlyAllowed: '--only-allowed',
  archives: '--archives',
  previous: '--previous',
  freshOnly: '--fresh-only',
} as const;

type CrawlOptions = Readonly<Record<string, unknown>>;

/** The values that decide what a crawl finds, by flag. A flag with its default value equals an absent flag. */
export function shapeOf(options: CrawlOptions): ReadonlyMap<string, unknown> {
  const shape = new Map<string, unknown>();
  for (const [name, flag] of Object.entries(CRAWL_FLAGS)) shape.set(flag, options[name]);
  // The defaults of the filters.
  shape.set('--undated', options['undated'] ?? 'drop');
  shape.set('--hosts', options['hosts'] ?? 'any');
  for (const { row, flag, attribute } of FLAGGED) {
    if (row.isPace === true) continue;
    const value = options[attribute];
    shape.set(flag, value === undefined ? defaultOf(row, 'sites') : optionValue(row, value));
  }
  return shape;
}

/** The values that decide which pages a crawl lists, by flag. An absent filter is undefined. */
export function choiceOf(options: CrawlOptions): Readonly<Record<string, unknown>> {
  const shape = shapeOf(options);
  const { since, until, agent, onlyAllowed } = options;
  const undated = shape.get('--undated');
  // With another value of these flags a crawl may find other sitemaps. Limits are left out: the line of a site says
  // whether a limit stopped it.
  const places = FLAGGED.filter(({ row }) => row.flag.group === 'place' && row.least === undefined);
  return {
    '--include': options['include'],
    '--exclude': options['exclude'],
    '--hosts': options['hosts'] === 'any' ? undefined : options['hosts'],
    '--sample': options['sample'],
    // A crawl without this flag leaves out pages that a crawl with it lists.
    '--list-alternates': options['listAlternates'] === true ? undefined : false,
    '--since': since === undefined ? undefined : [since, undated],
    '--until': until === undefined ? undefined : [until, undated],
    '--only-allowed': onlyAllowed === true ? agent : undefined,
    '--sitemap-include': options['sitemapInclude'],
    '--sitemap-exclude': options['sitemapExclude'],
    ...Object.fromEntries(places.map(({ flag }) => [flag, shape.get(flag)])),
  };
}
