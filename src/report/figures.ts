/** The charts, each with its data as a table, and the data that the script needs to drill down. */

import type { FolderSummary, LimitHistogram, TreeSummary } from '../summary/tree-summary.ts';
import { count, number } from '../text/wording.ts';
import { type ChartData, chartMarkup, type DrillData, folderChart, tableRows, yearsChart } from './charts.ts';
import {
  BUDGETS,
  ByteBudget,
  dataText,
  escaped,
  link,
  originOf,
  share,
  shortened,
  untrusted,
} from './markup.ts';

/** How many languages the chart and its table show. */
const MOST_LANGUAGES = 30;

export function chartsSection(site: TreeSummary, drill: DrillData): string {
  const figures = [
    datesFigure(site, drill),
    foldersFigure(drill),
    ...LIMITS.map((limit) => limitFigure(site, limit)),
    languagesFigure(site),
    extensionsSection(site),
  ];
  return `<section id="charts"><h2>Pages and limits</h2><div class="figures">${figures.join('')}</div></section>`;
}

export function drillData({ lastModified, folders }: TreeSummary): DrillData {
  return { dates: dateData(lastModified.years), folders: folderData(folders) };
}

function dateData(years: TreeSummary['lastModified']['years']): DrillData['dates'] {
  const budget = new ByteBudget(BUDGETS.drilling / 2);
  const fits = (part: unknown): boolean => budget.takes(`${JSON.stringify(part)},`);
  // If the budget is too small, the newest years keep their details.
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

/** Level by level: if the budget is too small, the upper folders keep their details. */
function folderData(top: FolderSummary): DrillData['folders'] {
  let budget = BUDGETS.drilling / 2;
  type Mutable = [string, number, number, number, Mutable[]];
  const dataOf = ({ name, pages, direct, other }: FolderSummary): Mutable => [name, pages, direct, other, []];
  const root = dataOf(top);
  let level: { readonly data: Mutable; readonly folder: FolderSummary }[] = [{ data: root, folder: top }];
  while (level.length > 0) {
    const below: typeof level = [];
    for (const { data, folder } of level) {
      const children = folder.folders.map((one) => ({ data: dataOf(one), folder: one }));
      budget -= Buffer.byteLength(dataText(children.map((one) => one.data)));
      if (budget < 0) return root;
      data[4] = children.map((one) => one.data);
      below.push(...children);
    }
    level = below;
  }
  return root;
}

interface Figure {
  readonly name: string;
  readonly title: string;
  readonly note: string;
  readonly chart: ChartData;
  readonly head: readonly string[];
  /** The text instead of a chart with one bar, by the name of that bar. */
  readonly textForOneBar?: (only: string | undefined) => string;
  readonly beside?: string;
  /** Whether a click on a bar shows its details. */
  readonly drills?: boolean;
}

function figure({
  name,
  title,
  note,
  chart,
  head,
  textForOneBar,
  beside = '',
  drills = false,
}: Figure): string {
  const caption = `<figcaption><h3>${title}</h3>`;
  const [only, ...others] = chart.bars.filter(({ values }) => values[0]! > 0);
  if (textForOneBar !== undefined && others.length === 0) {
    const sentence = `<p class="empty">${textForOneBar(only?.name)}</p>`;
    return `<figure id="chart-${name}">${caption}</figcaption>${beside}${sentence}</figure>`;
  }
  const columns = head
    .map((column, index) => `<th scope="col"${index === 0 ? '' : ' class="n"'}>${column}</th>`)
    .join('');
  return (
    `<figure id="chart-${name}"${drills ? ` data-drill="${name}"` : ''}>` +
    `${caption}<div class="note">${note}</div></figcaption>` +
    `<div class="with-beside"><div class="drawing">${chartMarkup(chart)}</div>${beside}</div>` +
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
  return figure({
    name: 'dates',
    title: 'Pages by last modification',
    note: 'By the date in the sitemaps, in UTC.',
    chart: yearsChart(dates),
    head: ['When', 'Pages'],
    textForOneBar: (only) =>
      only === undefined ? 'No page has a date.' : `All dates are in ${escaped(only)}.`,
    beside,
    drills: true,
  });
}

function foldersFigure({ folders }: DrillData): string {
  const chart = folderChart(folders, '');
  if (chart === undefined || chart.bars.length === 0) return '';
  return figure({
    name: 'folders',
    title: 'Pages by folder',
    note: 'The largest folders in the paths of pages. Digits are shown as <code>{n}</code>.',
    chart,
    head: ['Folder', 'Pages'],
    textForOneBar: (only = '') => `All pages are in ${untrusted(only)}.`,
    drills: true,
  });
}

interface Limit {
  readonly of: 'entries' | 'bytes';
  readonly title: string;
  readonly limit: string;
}

const LIMITS: readonly Limit[] = [
  {
    of: 'entries',
    title: 'Sitemaps by number of entries',
    limit: 'limit of 50,000 entries for each sitemap',
  },
  {
    of: 'bytes',
    title: 'Sitemaps by size',
    limit: 'limit of 50 MiB for each sitemap, uncompressed',
  },
];

function limitFigure({ limits, url }: TreeSummary, { of, title, limit }: Limit): string {
  const { sitemaps, [of]: histogram } = limits;
  if (sitemaps === 0) return '';
  const { largest } = histogram;
  const most =
    largest === undefined
      ? ''
      : ` The largest has ${number(largest.value)}: ${link(largest.url, shortened(largest.url, originOf(url)))}`;
  const who = sitemaps === 1 ? 'The sitemap uses' : `All ${number(sitemaps)} sitemaps use`;
  return figure({
    name: of,
    title,
    note: `In percent of the ${limit}.${most}`,
    chart: limitChart(histogram, of),
    head: ['Of the limit', 'Sitemaps'],
    textForOneBar: (only) => `${who} ${only} of the ${limit}.${most}`,
  });
}

function limitChart({ within, over }: LimitHistogram, of: string): ChartData {
  const columns = within.map((value, index) => {
    const label = `${(index + 1) * 10}`;
    return { label, values: [value], name: `up to ${label} %` };
  });
  return {
    form: 'columns',
    title: `Sitemaps by ${of}, in percent of the limit`,
    bars: [...columns, { label: 'over', values: [over], name: 'more than 100 %', isOver: true }],
    unit: 'sitemap',
    limitBefore: columns.length,
  };
}

function languagesFigure({ languages }: TreeSummary): string {
  if (languages.languages.length === 0) return '';
  const shownLanguages = languages.languages.slice(0, MOST_LANGUAGES);
  const hiddenCount = languages.languages.length - shownLanguages.length;
  const chart: ChartData = {
    form: 'rows',
    unit: 'link',
    title: `Links between languages, ${shownLanguages.length} languages`,
    segments: ['returned', 'not-returned', 'not-listed'],
    isShare: true,
    bars: shownLanguages.map(({ language, returned, notReturned, notListed }) => ({
      name: language,
      values: [returned, notReturned, notListed],
    })),
  };
  const notes = [
    `${count(languages.pages, 'page has', 'pages have')} links to other languages. A link is returned if ` +
      'the other page links back.',
    hiddenCount > 0
      ? `${count(hiddenCount, 'more language')} with fewer faults ${hiddenCount === 1 ? 'is' : 'are'} not shown.`
      : '',
    languages.notChecked > 0
      ? `${number(languages.notChecked)} links were not checked: there are too many.`
      : '',
  ];
  const legend =
    '<ul class="legend"><li><i class="returned"></i>returned</li><li><i class="not-returned"></i>not returned</li>' +
    '<li><i class="not-listed"></i>not listed in the sitemaps that were read</li></ul>';
  return figure({
    name: 'languages',
    title: 'Languages',
    note: `${notes.filter((note) => note !== '').join(' ')}${legend}`,
    chart,
    head: ['Language', 'Returned', 'Not returned', 'Not listed'],
  });
}

function extensionsSection({ news, feeds, images, videos, pages }: TreeSummary): string {
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
