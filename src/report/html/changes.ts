/** What changed since an earlier tree. */
import type { DiffCounts, PageChange } from '../../diff/page-change.ts';
import { number } from '../../problems/wording.ts';
import { cut } from '../summary/page-sample.ts';
import { BUDGETS, ByteBudget } from './byte-budget.ts';
import { day, escaped, link, originOf, shortened } from './markup.ts';

const MOST_EXAMPLES = 50;

/** A change that is shown. */
interface ShownChange {
  readonly url: string;
  readonly note: string;
}

type ChangeType = PageChange['type'];

/** Changes, of which the first of each kind are kept. */
export class Changes {
  readonly #shown: Record<ChangeType, ShownChange[]> = { added: [], changed: [], removed: [] };

  add(change: PageChange): void {
    const shown = this.#shown[change.type];
    if (shown.length < MOST_EXAMPLES) shown.push({ url: cut(change.page.url), note: noteOf(change) });
  }

  /** The section. @param since - when the earlier tree was read */
  section(counts: DiffCounts, since: string | undefined, siteUrl: string): string {
    const origin = originOf(siteUrl);
    const groups = (['added', 'changed', 'removed'] as const).map((type) => {
      // Each its own part, so that one cannot crowd out the others.
      const budget = new ByteBudget(BUDGETS.changes / 3);
      const items = budget.fill(
        this.#shown[type].map(({ url, note }) => `<li>${link(url, shortened(url, origin))}${note}</li>`),
      );
      const left = counts[type] - items.length;
      const more = left === 0 ? '' : `<li class="left-out">and ${number(left)} more: usp diff lists all</li>`;
      if (counts[type] === 0) return `<p class="none"><strong>0</strong> ${type}</p>`;
      return (
        `<details id="changes-${type}"><summary><strong>${number(counts[type])}</strong> ${type}</summary>` +
        `<ul class="changed">${items.join('')}${more}</ul></details>`
      );
    });
    const unknown =
      counts.unknown === 0
        ? ''
        : `<p class="note">${number(counts.unknown)} pages are in neither list: a document that lists them ` +
          'could not be read in one of the two runs.</p>';
    const heading = since === undefined ? 'Changes' : `Changes since ${escaped(day(since))}`;
    return `<section id="changes"><h2>${heading}</h2>${groups.join('')}${unknown}</section>`;
  }
}

function noteOf(change: PageChange): string {
  if (change.type !== 'changed') return '';
  const { before, page, fields } = change;
  const others = fields.filter((field) => field !== 'lastModified').join(', ');
  if (!fields.includes('lastModified')) return ` <span class="facts">${others}</span>`;
  const text = (date: Date | undefined): string => (date === undefined ? 'no date' : day(date.toISOString()));
  const dates = `lastmod ${text(before.lastModified)} → ${text(page.lastModified)}`;
  return ` <span class="facts">${others === '' ? dates : `${dates}, ${others}`}</span>`;
}
