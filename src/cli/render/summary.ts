/** `summary`: what there is, in numbers; `summary-json`: the same for programs. */
import { type FolderSummary, summarize, type TreeSummary } from '../../index.ts';
import { bytes, count, describePages, list, number } from '../../text/wording.ts';
import { inFlags } from '../args/option-flags.ts';
import type { TreeFormat, TreeStyle } from './formats.ts';

const BAR = 24;
/** Rows of a table; a terminal has few. */
const MOST_ROWS = 12;

export const summary: TreeFormat = async function* (top, style) {
  yield summaryText(await summarized(top, style), style);
};

export const summaryJson: TreeFormat = async function* (top, style) {
  yield `${JSON.stringify(await summarized(top, style))}\n`;
};

function summarized(top: Parameters<TreeFormat>[0], { filter, signal }: TreeStyle): Promise<TreeSummary> {
  if (filter.isOpen) return summarize(top, { signal });
  return summarize(top, {
    signal,
    keep: (pages) => (filter.isFull ? [] : filter.keepPages(pages)),
  });
}

type Row = readonly [name: string, value: number];

function summaryText(site: TreeSummary, { shorten }: TreeStyle): string {
  const { pages, lastModified: dates, languages, limits } = site;
  const sections = [
    `${site.url || 'stdin'}\n${completeness(site)}`,
    facts([
      ['sitemaps', describeSitemaps(site)],
      ['pages', describePages(pages.count, pages.distinct)],
      ['size', bytes(site.bytes)],
      ['dates', describeDates(site)],
      ['contents', describeContents(site)],
      ['problems', site.problems.count === 0 ? '' : number(site.problems.count)],
    ]),
    table(
      'Pages by last modification',
      dates.years.map(({ year, pages }): Row => [String(year), pages]).reverse(),
    ),
    table('Pages by folder', foldersOf(site.folders)),
    limits.entries.over + limits.bytes.over === 0
      ? ''
      : `Over a limit\n  ${number(limits.entries.over)} over 50,000 entries, ${number(limits.bytes.over)} over 50 MiB`,
    table(
      'Links between languages that are not returned',
      languages.languages.map(({ language, notReturned }): Row => [language, notReturned]).filter(hasPages),
    ),
    indentedList(
      'Could not be read',
      site.failures.map(
        ({ reason, option, count: times }) =>
          `${number(times)} × ${shortenedIn(inFlags(reason, option), shorten)}`,
      ),
    ),
    indentedList(
      'Problems',
      site.problems.codes.map(
        ({ code, count: times, url }) => `${number(times)} × ${code}, as in ${shorten(url) || 'stdin'}`,
      ),
    ),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function completeness({ complete, stopped, sitemaps }: TreeSummary): string {
  if (stopped !== undefined) return `incomplete: ${inFlags(stopped.message, stopped.limit)}`;
  if (complete === undefined) return 'read without a network';
  if (complete) return 'complete: everything that is declared was read';
  return `incomplete: ${count(sitemaps.unreadable + sitemaps.notFetched, 'sitemap')} could not be read`;
}

function describeSitemaps({ sitemaps }: TreeSummary): string {
  const { unreadable, notFetched, truncated, stale } = sitemaps;
  const parts: readonly (readonly [number, string])[] = [
    [unreadable, 'unreadable'],
    [notFetched, 'not fetched'],
    [truncated, 'truncated'],
    [stale, 'stale'],
  ];
  const notes = parts.filter(([value]) => value > 0).map(([value, name]) => `${number(value)} ${name}`);
  return number(sitemaps.count) + (notes.length === 0 ? '' : ` (${notes.join(', ')})`);
}

function describeDates({ lastModified }: TreeSummary): string {
  const { oldest, newest, undated, future } = lastModified;
  const range = newest === undefined ? 'none' : `${oldest} to ${newest}`;
  const notes = [
    undated > 0 ? `${number(undated)} undated` : '',
    future > 0 ? `${number(future)} in the future` : '',
  ];
  return [range, ...notes.filter((note) => note !== '')].join('; ');
}

function describeContents({ news, feeds, images, videos, languages }: TreeSummary): string {
  const parts: readonly (readonly [number, string])[] = [
    [news.pages, count(news.pages, 'news story', 'news stories')],
    [feeds.items, count(feeds.items, 'item of feeds', 'items of feeds')],
    [images.images, count(images.images, 'image')],
    [videos.videos, count(videos.videos, 'video')],
    [languages.pages, `${count(languages.pages, 'page')} in other languages`],
  ];
  return list(parts.filter(([value]) => value > 0).map(([, words]) => words));
}

function foldersOf({ folders, direct, other }: FolderSummary): readonly Row[] {
  const rows: Row[] = folders.map(({ name, pages }) => [name.includes('://') ? name : `/${name}/`, pages]);
  rows.push(['/', direct], ['other', other]);
  return rows.filter(hasPages);
}

function hasPages([, value]: Row): boolean {
  return value > 0;
}

function facts(rows: readonly (readonly [string, string])[]): string {
  return rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name.padEnd(10)}${value}`)
    .join('\n');
}

function table(title: string, rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  const width = Math.min(40, Math.max(...rows.slice(0, MOST_ROWS).map(([name]) => name.length)));
  const most = Math.max(...rows.map(([, value]) => value));
  const digits = number(most).length;
  const lines = rows.map(([name, value]) => {
    const bar = '█'.repeat(Math.max(1, Math.round((value / most) * BAR)));
    return `${name.padEnd(width)}  ${number(value).padStart(digits)}  ${bar}`;
  });
  return indentedList(title, lines);
}

function indentedList(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const more = lines.length - MOST_ROWS;
  const rows = lines.slice(0, MOST_ROWS).map((line) => `  ${line}`);
  return [title, ...rows, ...(more > 0 ? [`  and ${number(more)} more`] : [])].join('\n');
}

function shortenedIn(sentence: string, shorten: (url: string) => string): string {
  return sentence.replace(/^https?:\/\/\S+(?=:? )/, (url) => shorten(url));
}
