/** A field above the findings, the sitemaps and the samples that leaves only what matches. */
import { type Place, remember } from './permalinks.ts';

const NAMES: Readonly<Record<string, string>> = {
  findings: 'Filter findings',
  sitemaps: 'Search sitemaps',
  samples: 'Filter pages',
};

export function offerSearch(): readonly Place[] {
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
  const field = document.createElement('div');
  field.className = 'search';
  const label = document.createElement('label');
  const input = document.createElement('input');
  const status = document.createElement('span');
  input.type = 'search';
  input.id = `search-${name}`;
  input.autocomplete = 'off';
  input.spellcheck = false;
  label.htmlFor = input.id;
  label.textContent = NAMES[name] ?? 'Filter';
  status.setAttribute('role', 'status');
  field.append(label, input, status);
  return { field, input, status };
}

interface Filtered {
  readonly shown: number;
  readonly all: number;
}

function filterOf(list: HTMLElement): (query: string) => Filtered {
  if (list.matches('table')) return (query) => filterTable(list, query);
  if (list.matches('.tree')) return treeFilter(list);
  return (query) => {
    const rules = [...list.children] as HTMLElement[];
    return filterItems(rules, query);
  };
}

function filterItems(items: readonly HTMLElement[], query: string): Filtered {
  let shown = 0;
  for (const item of items) {
    item.hidden = !textOf(item).includes(query);
    if (!item.hidden) shown++;
  }
  return { shown, all: items.length };
}

function filterTable(table: HTMLElement, query: string): Filtered {
  let shown = 0;
  let all = 0;
  for (const group of table.querySelectorAll<HTMLElement>('tbody')) {
    const [head, ...rows] = [...group.children] as HTMLElement[];
    const isAll = head !== undefined && textOf(head).includes(query);
    const found = isAll ? filterItems(rows, '') : filterItems(rows, query);
    group.hidden = found.shown === 0;
    shown += found.shown;
    all += found.all;
  }
  return { shown, all };
}

/** A row is shown if it matches, or if one above or below it does. */
function treeFilter(tree: HTMLElement): (query: string) => Filtered {
  const rows = [...tree.querySelectorAll<HTMLElement>('li:not(.left-out)')];
  const folded = new Map(rows.map((row) => [row, row.querySelector('details')?.open ?? false]));
  return (query) => {
    const matching = new Set(rows.filter((row) => ownText(row).includes(query)));
    const kept = new Set<Element>();
    for (const row of matching) {
      for (let at: Element | null = row; at !== null && at !== tree && !kept.has(at); at = at.parentElement)
        kept.add(at);
      for (const below of row.querySelectorAll('li')) kept.add(below);
    }
    for (const row of rows) {
      row.hidden = !kept.has(row);
      const details = row.querySelector<HTMLDetailsElement>(':scope > details');
      const hasMatchBelow =
        query !== '' && [...row.querySelectorAll<HTMLElement>('li')].some((li) => matching.has(li));
      if (details !== null) details.open = query === '' ? (folded.get(row) ?? false) : hasMatchBelow;
    }
    return { shown: matching.size, all: rows.length };
  };
}

function ownText(row: HTMLElement): string {
  return textOf(row.querySelector<HTMLElement>(':scope > details > summary') ?? row);
}

const texts = new WeakMap<HTMLElement, string>();

function textOf(element: HTMLElement): string {
  const known = texts.get(element);
  if (known !== undefined) return known;
  const text = (element.textContent ?? '').toLowerCase();
  texts.set(element, text);
  return text;
}
