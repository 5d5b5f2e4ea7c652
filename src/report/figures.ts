/** The charts, each with its data as a table, and what the script needs to drill down. */

import { count, number } from '../problems/wording.ts';
import type { FolderSummary, LimitHistogram, TreeSummary } from '../summary/tree-summary.ts';
import {
  type ChartData,
  type DateData,
  dateChart,
  drawn,
  type FolderData,
  folderChart,
  tableRows,
} from './charts.ts';
import { BUDGETS, escaped, link, originOf, share, shortened, untrusted } from './markup.ts';

export interface DrillData {
  readonly dates: DateData;
  readonly folders: FolderData;
}

/** Languages that the chart shows; the table has all of them up to this number. */
const MOST_LANGUAGES = 30;

export function chartsSection(site: TreeSummary, drill: DrillData): string {
  const figures = [
    datesFigure(site, drill),
    foldersFigure(drill),
    limitsFigure(site),
    languagesFigure(site),
    carried(site),
  ];
  return `<section id="charts"><h2>Pages and limits</h2><div class="figures">${figures.join('')}</div></section>`;
}

export function drillData({ lastModified, folders }: TreeSummary): DrillData {
  return { dates: dateData(lastModified.years), folders: folderData(folders) };
}

function dateData(years: TreeSummary['lastModified']['years']): DateData {
  let left = BUDGETS.drilling / 2;
  const fits = (part: unknown): boolean => {
    left -= JSON.stringify(part).length + 1;
    return left >= 0;
  };
  // The newest years are looked into first.
  const newestFirst = years.toReversed().map(({ year, pages, months }) => {
    const withDays = months.map(
      ({ month, pages: inMonth, days }) =>
        [month, inMonth, days.map((one) => [one.day, one.pages] as const)] as const,
    );
    if (fits(withDays)) return [year, pages, withDays] as const;
    const withoutDays = withDays.map(([month, inMonth]) => [month, inMonth, []] as const);
    return [year, pages, fits(withoutDays) ? withoutDays : []] as const;
  });
  return newestFirst.reverse();
}

/** Level by level: the upper folders are looked into first. */
function folderData(top: FolderSummary): FolderData {
  let left = BUDGETS.drilling / 2;
  type Mutable = [string, number, number, number, Mutable[]];
  const dataOf = ({ name, pages, direct, other }: FolderSummary): Mutable => [name, pages, direct, other, []];
  const root = dataOf(top);
  let level: { readonly data: Mutable; readonly folder: FolderSummary }[] = [{ data: root, folder: top }];
  while (level.length > 0) {
    const below: typeof level = [];
    for (const { data, folder } of level) {
      const children = folder.folders.map((one) => ({ data: dataOf(one), folder: one }));
      left -= JSON.stringify(children.map((one) => one.data)).length;
      if (left < 0) return root;
      data[4] = children.map((one) => one.data);
      below.push(...children);
    }
    level = below;
  }
  return root;
}

interface Figure {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly chart: ChartData;
  readonly head: readonly string[];
  readonly beside?: string;
  readonly drills?: 'dates' | 'folders';
}

function figure({ id, title, note, chart, head, beside = '', drills }: Figure): string {
  const columns = head
    .map((name, index) => `<th scope="col"${index === 0 ? '' : ' class="n"'}>${name}</th>`)
    .join('');
  return (
    `<figure id="${id}"${drills === undefined ? '' : ` data-drill="${drills}"`}><figcaption>` +
    `<h3>${title}</h3><div class="note">${note}</div></figcaption>` +
    `<div class="with-beside"><div class="drawing">${drawn(chart)}</div>${beside}</div>` +
    `<details class="data"><summary>Data as a table</summary><table><thead><tr>${columns}</tr></thead>` +
    `<tbody>${tableRows(chart)}</tbody></table></details></figure>`
  );
}

function datesFigure({ lastModified }: TreeSummary, { dates }: DrillData): string {
  const { dated, undated, future, oldest, newest } = lastModified;
  const beside =
    `<ul class="beside"><li><strong data-number="dated">${number(dated)}</strong> dated` +
    `${newest === undefined ? '' : `, <span class="range">${oldest} to ${newest}</span>`}</li>` +
    `<li><strong data-number="undated">${number(undated)}</strong> without a date</li>` +
    `<li><strong data-number="future">${number(future)}</strong> in the future</li></ul>`;
  const chart = dateChart(dates, '') as ChartData;
  const only = onlyColumn(chart);
  if (dated === 0 || only !== undefined)
    return inWords({
      id: 'chart-dates',
      title: 'Pages by last modification',
      sentence: only === undefined ? 'No page has a date.' : `All dates are of ${escaped(only.name)}.`,
      beside,
    });
  return figure({
    id: 'chart-dates',
    title: 'Pages by last modification',
    note: 'By the date that the sitemaps say, in UTC.',
    chart,
    beside,
    head: ['When', 'Pages'],
    drills: 'dates',
  });
}

function foldersFigure({ folders }: DrillData): string {
  const chart = folderChart(folders, '') as ChartData;
  const [only, ...others] = chart.bars;
  if (only === undefined) return '';
  if (others.length === 0)
    return inWords({
      id: 'chart-folders',
      title: 'Pages by folder',
      sentence: `All pages are in ${untrusted(only.name)}.`,
    });
  return figure({
    id: 'chart-folders',
    title: 'Pages by folder',
    note: 'The largest folders of the paths; digits are shown as <code>{n}</code>.',
    chart,
    head: ['Folder', 'Pages'],
    drills: 'folders',
  });
}

function limitsFigure(site: TreeSummary): string {
  const { limits } = site;
  if (limits.sitemaps === 0) return '';
  return [
    limitFigure(limits.entries, site, {
      id: 'chart-entries',
      title: 'Sitemaps by number of entries',
      of: 'entries',
      limit: '50,000 entries that a sitemap may have',
    }),
    limitFigure(limits.bytes, site, {
      id: 'chart-bytes',
      title: 'Sitemaps by size',
      of: 'bytes',
      limit: '50 MiB that a sitemap may have without compression',
    }),
  ].join('');
}

function limitFigure(
  histogram: LimitHistogram,
  { limits, url }: TreeSummary,
  { id, title, of, limit }: Pick<Figure, 'id' | 'title'> & { readonly of: string; readonly limit: string },
): string {
  const { largest } = histogram;
  const chart = limitChart(histogram, of);
  const only = onlyColumn(chart);
  const most =
    largest === undefined
      ? ''
      : ` The largest has ${number(largest.value)}: ${link(largest.url, shortened(largest.url, originOf(url)))}`;
  if (only !== undefined) {
    const who = limits.sitemaps === 1 ? 'The sitemap uses' : `All ${number(limits.sitemaps)} sitemaps use`;
    return inWords({ id, title, sentence: `${who} ${only.name} of the ${limit}.${most}` });
  }
  return figure({
    id,
    title,
    note: `In percent of the ${limit}.${most}`,
    chart,
    head: ['Of the limit', 'Sitemaps'],
  });
}

function onlyColumn({ bars }: ChartData): ChartData['bars'][number] | undefined {
  const [only, ...others] = bars.filter(({ values }) => values[0]! > 0);
  return others.length === 0 ? only : undefined;
}

/** A figure that would have one bar, as a sentence. */
function inWords({
  id,
  title,
  sentence,
  beside = '',
}: Pick<Figure, 'id' | 'title' | 'beside'> & { readonly sentence: string }): string {
  return `<figure id="${id}"><figcaption><h3>${title}</h3></figcaption>${beside}<p class="empty">${sentence}</p></figure>`;
}

function limitChart({ within, over }: LimitHistogram, of: string): ChartData {
  const columns = within.map((value, index) => {
    const label = `${(index + 1) * 10}`;
    return { label, values: [value], name: `up to ${label} %` };
  });
  return {
    form: 'columns',
    title: `Sitemaps by ${of}, in percent of the limit`,
    bars: [...columns, { label: 'over', values: [over], name: 'over the limit', isOver: true }],
    unit: 'sitemap',
    limitBefore: columns.length,
  };
}

function languagesFigure({ languages }: TreeSummary): string {
  if (languages.languages.length === 0) return '';
  const shown = languages.languages.slice(0, MOST_LANGUAGES);
  const left = languages.languages.length - shown.length;
  const chart: ChartData = {
    form: 'rows',
    unit: 'link',
    title: `Links between languages, ${shown.length} languages`,
    parts: ['returned', 'not-returned', 'not-listed'],
    isShare: true,
    bars: shown.map(({ language, returned, notReturned, notListed }) => ({
      name: language,
      values: [returned, notReturned, notListed],
    })),
  };
  const notes = [
    `${count(languages.pages, 'page has', 'pages have')} links to other languages. A link is returned if ` +
      'the other page links back.',
    left > 0
      ? `${count(left, 'more language')} with fewer faults ${left === 1 ? 'is' : 'are'} not shown.`
      : '',
    languages.notChecked > 0
      ? `${number(languages.notChecked)} links were not checked: there are too many.`
      : '',
  ];
  const legend =
    '<ul class="legend"><li><i class="returned"></i>returned</li><li><i class="not-returned"></i>not returned</li>' +
    '<li><i class="not-listed"></i>not listed in what was read</li></ul>';
  return figure({
    id: 'chart-languages',
    title: 'Languages',
    note: `${notes.filter((note) => note !== '').join(' ')}${legend}`,
    chart,
    head: ['Language', 'Returned', 'Not returned', 'Not listed'],
  });
}

function carried({ news, feeds, images, videos, pages }: TreeSummary): string {
  const facts: readonly (readonly [number: number, name: string, id: string])[] = [
    [news.pages, `news stories, on ${share(news.pages, pages.count)} of the pages`, 'news'],
    ...(feeds.items === 0 ? [] : [[feeds.items, 'items of feeds', 'feeds'] as const]),
    [images.images, `images, on ${count(images.pages, 'page')}`, 'images'],
    [videos.videos, `videos, on ${count(videos.pages, 'page')}`, 'videos'],
  ];
  const items = facts.map(
    ([value, name, id]) => `<li><strong data-number="${id}">${number(value)}</strong> ${name}</li>`,
  );
  return (
    '<section id="carried" class="carried"><h3>News, images and videos</h3>' +
    `<ul class="beside">${items.join('')}</ul></section>`
  );
}
