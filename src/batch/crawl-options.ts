/**
 * The options in crawl.json, as the command line names them: which decide what a crawl finds, so that `usp crawl` goes
 * on with the same ones, and which of these decide what pages it lists, so that two crawls can be compared.
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

/** What decides what a crawl finds, by flag. A default that is given is the same as none. */
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

/** What decides which pages a crawl lists, by flag. A filter that was not given is undefined. */
export function choiceOf(options: CrawlOptions): Readonly<Record<string, unknown>> {
  const shape = shapeOf(options);
  const { since, until, agent, onlyAllowed } = options;
  const undated = shape.get('--undated');
  // Each value of these may find sitemaps that another one does not. A limit shows at the sites that it stopped.
  const places = FLAGGED.filter(({ row }) => row.flag.group === 'place' && row.least === undefined);
  return {
    '--include': options['include'],
    '--exclude': options['exclude'],
    '--hosts': options['hosts'] === 'any' ? undefined : options['hosts'],
    '--sample': options['sample'],
    // Without it a crawl leaves out what another one lists.
    '--list-alternates': options['listAlternates'] === true ? undefined : false,
    '--since': since === undefined ? undefined : [since, undated],
    '--until': until === undefined ? undefined : [until, undated],
    '--only-allowed': onlyAllowed === true ? agent : undefined,
    '--sitemap-include': options['sitemapInclude'],
    '--sitemap-exclude': options['sitemapExclude'],
    ...Object.fromEntries(places.map(({ flag }) => [flag, shape.get(flag)])),
  };
}
