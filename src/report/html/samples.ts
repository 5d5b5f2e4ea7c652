/** A sample of the pages of each sitemap. */
import { count, number } from '../../problems/wording.ts';
import type { SampledPage, SitemapSample, TreeSummary } from '../summary/summary.ts';
import { BUDGETS, ByteBudget } from './byte-budget.ts';
import { day, escaped, link, originOf, shortened, untrusted } from './markup.ts';

/** The last section. */
export function samplesSection({ samples, url }: TreeSummary): string {
  const origin = originOf(url);
  const budget = new ByteBudget(BUDGETS.samples);
  const rows = fitted(samples, origin, budget);
  const groups = samples.map((sample, index) => {
    const shown = rows[index] ?? [];
    return shown.length === 0
      ? ''
      : `<tbody>${headRow(sample, shown.length, origin)}${shown.join('')}</tbody>`;
  });
  const pages = rows.reduce((sum, group) => sum + group.length, 0);
  const sitemaps = rows.filter((group) => group.length > 0).length;
  const note =
    pages === 0
      ? '<p class="empty">There is no page.</p>'
      : `<p class="note">${count(pages, 'page')} of ${count(sitemaps, 'sitemap')}, at even ` +
        `distances. usp ls lists all.</p>` +
        '<table class="samples" data-search="samples"><thead><tr><th scope="col">Page</th>' +
        '<th scope="col">Last modified</th><th scope="col">More</th></tr>' +
        `</thead>${groups.join('')}</table>`;
  return `<section id="samples"><h2>Sample of pages</h2>${note}</section>`;
}

/** As many rows as fit: the first of every sitemap before the second of any. */
function fitted(samples: readonly SitemapSample[], origin: string, budget: ByteBudget): readonly string[][] {
  const rows: string[][] = samples.map(() => []);
  const most = Math.max(0, ...samples.map(({ pages }) => pages.length));
  for (let round = 0; round < most; round++) {
    for (const [index, sample] of samples.entries()) {
      const page = sample.pages[round];
      if (page === undefined) continue;
      const row = pageRow(page, origin);
      const head = round === 0 ? `<tbody>${headRow(sample, 0, origin)}</tbody>` : '';
      if (!budget.takes(head + row)) return rows;
      rows[index]!.push(row);
    }
  }
  return rows;
}

function headRow({ sitemap, of }: SitemapSample, shown: number, origin: string): string {
  const many = shown < of ? `${number(shown)} of ${count(of, 'page')}` : count(of, 'page');
  return (
    `<tr class="of"><th colspan="3" scope="rowgroup">${link(sitemap, shortened(sitemap, origin))} ` +
    `<span class="facts">${many}</span></th></tr>`
  );
}

function pageRow(page: SampledPage, origin: string): string {
  const { url, lastModified } = page;
  const time =
    lastModified === undefined
      ? ''
      : `<time datetime="${escaped(lastModified)}">${escaped(day(lastModified))}</time>`;
  return `<tr><td>${link(url, shortened(url, origin))}</td><td>${time}</td><td>${more(page)}</td></tr>`;
}

function more({ title, priority, changeFrequency, images, videos, alternates }: SampledPage): string {
  const facts = [
    title === undefined ? '' : untrusted(title, 80),
    priority === undefined ? '' : `priority ${priority}`,
    changeFrequency === undefined ? '' : escaped(changeFrequency),
    images === 0 ? '' : count(images, 'image'),
    videos === 0 ? '' : count(videos, 'video'),
    alternates === 0 ? '' : count(alternates, 'alternate'),
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}
