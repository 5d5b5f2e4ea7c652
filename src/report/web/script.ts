/**
 * The script of a report adds search, drilling, permalinks and an export. Without it everything can be read, too.
 */
import { BYTE_ORDER_MARK, csvLines } from '../../text/csv-lines.ts';
import { createElement, type NamedView, offerDrilling } from './drill.ts';

const COLUMNS = ['sitemap', 'url', 'lastModified', 'more'] as const;

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    findings: 'Filter findings',
    sitemaps: 'Search sitemaps',
    samples: 'Filter pages',
  }),
);

const texts = new WeakMap<HTMLElement, string>();

document.documentElement.classList.add('script');
const views = [...offerSearch(), ...offerDrilling()];
offerExport();
offerAffected();
openForPrint();
watchAddress(new Map(views));

/** A button that saves the sample as CSV: the rows that the filter shows. */
function offerExport(): void {
  const table = document.querySelector<HTMLTableElement>('table.samples');
  const search = table?.previousElementSibling;
  if (table === null || !search) return;
  search.append(button('Export as CSV', () => download('pages.csv', [[...COLUMNS], ...rowsOf(table)])));
}

function button(textContent: string, onclick: () => void, className = ''): HTMLButtonElement {
  return createElement('button', { type: 'button', className, textContent, onclick });
}

function rowsOf(table: HTMLTableElement): string[][] {
  const rows: string[][] = [];
  for (const group of table.tBodies) {
    if (group.hidden) continue;
    const sitemap = addressIn(group.querySelector('.of'));
    for (const row of group.querySelectorAll<HTMLTableRowElement>('tr:not(.of)')) {
      if (row.hidden) continue;
      const [page = null, date, more] = row.cells;
      const time = date?.querySelector('time')?.dateTime ?? '';
      rows.push([sitemap, addressIn(page), time, more?.textContent ?? '']);
    }
  }
  return rows;
}

/** The whole address if it is a link, else the text that is shown. */
function addressIn(cell: Element | null): string {
  const link = cell?.querySelector('a');
  return link?.getAttribute('href') ?? cell?.querySelector('bdi')?.textContent ?? '';
}

function download(name: string, rows: readonly (readonly string[])[]): void {
  const href = URL.createObjectURL(new Blob([BYTE_ORDER_MARK + csvLines(rows)], { type: 'text/csv' }));
  createElement('a', { download: name, href }).click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** A button in each rule that saves the affected addresses of the report; it says how many more there are. */
function offerAffected(): void {
  // `affectedData` wrote it.
  const lists = JSON.parse(document.getElementById('affected-data')?.textContent ?? '{}') as Readonly<
    Record<string, { readonly urls: readonly string[]; readonly more: number }>
  >;
  for (const rule of document.querySelectorAll<HTMLElement>('details.rule')) {
    const name = rule.querySelector('summary code')?.textContent ?? '';
    const { urls, more } = lists[name] ?? { urls: [], more: 0 };
    if (urls.length === 0) continue;
    const rest = more > 0 ? `, ${more} more are not in this report` : '';
    const words = `Save the list of affected addresses (${urls.length}${rest})`;
    const save = (): void => download(`${name}.csv`, [['url'], ...urls.map((url) => [url])]);
    rule.querySelector('.inside')?.append(button(words, save, 'save'));
  }
}

/** Unfolds everything for print. The style does that in browsers that support it. */
function openForPrint(): void {
  let folded: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open])')];
    for (const details of folded) details.open = true;
  });
  addEventListener('afterprint', () => {
    for (const details of folded) details.open = false;
  });
}

/** A field above the findings, the sitemaps and the samples that hides rows that do not match. */
function offerSearch(): readonly NamedView[] {
  return [...document.querySelectorAll<HTMLElement>('[data-search]')].map((list) => {
    const name = list.dataset['search'] ?? '';
    const { field, input, status } = searchField(name);
    list.before(field);
    const filter = filterOf(list);
    const show = (query: string): void => {
      input.value = query;
      const { shown, all } = filter(query.trim().toLowerCase());
      status.textContent = query.trim() === '' ? '' : `${shown} of ${all} shown`;
    };
    input.addEventListener('input', () => {
      show(input.value);
      remember(input.value === '' ? `#${name}` : `#${name}=${encodeURIComponent(input.value)}`);
    });
    return [
      name,
      (query: string): void => {
        show(query);
        field.scrollIntoView();
      },
    ] as const;
  });
}

function searchField(name: string) {
  const id = `search-${name}`;
  const input = createElement('input', { type: 'search', id, autocomplete: 'off', spellcheck: false });
  const label = createElement('label', { htmlFor: id, textContent: NAMES.get(name) ?? 'Filter' });
  const status = createElement('span', { role: 'status' });
  return { field: createElement('div', { className: 'search' }, label, input, status), input, status };
}

interface FilterCounts {
  readonly shown: number;
  readonly all: number;
}

function filterOf(list: HTMLElement): (query: string) => FilterCounts {
  if (list.matches('table')) return (query) => filterTable(list, query);
  if (list.matches('.tree')) return treeFilter(list);
  return (query) => {
    const rules = list.querySelectorAll<HTMLElement>(':scope > *');
    return filterItems([...rules], query);
  };
}

function filterItems(items: readonly HTMLElement[], query: string): FilterCounts {
  let shown = 0;
  for (const item of items) {
    item.hidden = !textOf(item).includes(query);
    if (!item.hidden) shown++;
  }
  return { shown, all: items.length };
}

function filterTable(table: HTMLElement, query: string): FilterCounts {
  let shown = 0;
  let all = 0;
  for (const group of table.querySelectorAll<HTMLElement>('tbody')) {
    const [head, ...rows] = group.querySelectorAll<HTMLElement>(':scope > *');
    const isAll = head !== undefined && textOf(head).includes(query);
    const result = isAll ? filterItems(rows, '') : filterItems(rows, query);
    group.hidden = result.shown === 0;
    shown += result.shown;
    all += result.all;
  }
  return { shown, all };
}

/** A row is shown if it matches, or a row above or below it does. */
function treeFilter(tree: HTMLElement): (query: string) => FilterCounts {
  const rows = [...tree.querySelectorAll<HTMLElement>('li:not(.left-out)')];
  /** The rows that were unfolded before the search; undefined if there is none. */
  let unfolded: ReadonlySet<Element> | undefined;
  return (query) => {
    if (query !== '') unfolded ??= new Set(tree.querySelectorAll('details[open]'));
    const matching = new Set(rows.filter((row) => ownText(row).includes(query)));
    const visible = new Set<Element>();
    for (const row of matching) {
      for (
        let at: Element | null = row;
        at !== null && at !== tree && !visible.has(at);
        at = at.parentElement
      )
        visible.add(at);
      for (const below of row.querySelectorAll('li')) visible.add(below);
    }
    for (const row of rows) {
      row.hidden = !visible.has(row);
      const details = row.querySelector<HTMLDetailsElement>(':scope > details');
      const hasMatchBelow =
        query !== '' && [...row.querySelectorAll<HTMLElement>('li')].some((li) => matching.has(li));
      if (details === null) continue;
      if (query !== '') details.open = hasMatchBelow;
      else if (unfolded !== undefined) details.open = unfolded.has(details);
    }
    if (query === '') unfolded = undefined;
    return { shown: matching.size, all: rows.length };
  };
}

function ownText(row: HTMLElement): string {
  return textOf(row.querySelector<HTMLElement>(':scope > details > summary') ?? row);
}

function textOf(element: HTMLElement): string {
  const cached = texts.get(element);
  if (cached !== undefined) return cached;
  const text = (element.textContent ?? '').toLowerCase();
  texts.set(element, text);
  return text;
}

/**
 * Shows the state in the address, and keeps the address up to date: `#rule-url-repeated` for an unfolded rule,
 * `#dates=2024-05` for a chart, `#sitemaps=blog` for a search.
 */
function watchAddress(views: ReadonlyMap<string, NamedView[1]>): void {
  const follow = (): void => {
    const [, name = '', state = ''] = /^#(\w+)=(.*)$/s.exec(location.hash) ?? [];
    const show = views.get(name);
    if (show !== undefined) show(decoded(state));
    else unfold(decoded(location.hash.slice(1)));
  };
  addEventListener('hashchange', follow);
  follow();
  for (const details of document.querySelectorAll<HTMLDetailsElement>('details[id]')) {
    details.querySelector('summary')?.addEventListener('click', () => {
      // The click opens it after this handler.
      if (!details.open) remember(`#${details.id}`);
    });
  }
}

/** Puts a state into the address without a step in the history. */
function remember(hash: string): void {
  history.replaceState(null, '', hash);
}

function unfold(id: string): void {
  const target = id === '' ? null : document.getElementById(id);
  for (let at: Element | null = target; at !== null; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
  target?.scrollIntoView();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
