/**
 * What the report's script adds to its HTML: search, drilling, permalinks, an export. Everything is readable without.
 */
import { offerDrilling } from './drill.ts';
import { watchAddress } from './permalinks.ts';
import { offerSearch } from './search.ts';

const COLUMNS = ['sitemap', 'url', 'lastModified', 'more'] as const;

document.documentElement.classList.add('script');
const places = [...offerSearch(), ...offerDrilling()];
offerExport();
offerAffected();
openForPrint();
watchAddress(new Map(places));

/** A button that saves the sample as CSV: the rows that the filter shows. */
function offerExport(): void {
  const table = document.querySelector<HTMLTableElement>('table.samples');
  const search = table?.previousElementSibling;
  if (table === null || !search) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Export as CSV';
  button.addEventListener('click', () => download('pages.csv', [[...COLUMNS], ...rowsOf(table)]));
  search.append(button);
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

/** The whole address where it is linked, else what is shown. */
function addressIn(cell: Element | null): string {
  const link = cell?.querySelector('a');
  return link?.getAttribute('href') ?? cell?.querySelector('bdi')?.textContent ?? '';
}

function download(name: string, rows: readonly (readonly string[])[]): void {
  const lines = rows.map((cells) => cells.map(cellOf).join(','));
  const link = document.createElement('a');
  link.download = name;
  link.href = URL.createObjectURL(new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' }));
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A cell, defused where a spreadsheet would take it for a formula. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A button in each rule that saves the addresses it is about: those that the report has, and how many it has not. */
function offerAffected(): void {
  const lists = JSON.parse(document.getElementById('affected-data')?.textContent ?? '{}') as Readonly<
    Record<string, { readonly urls: readonly string[]; readonly more: number }>
  >;
  for (const rule of document.querySelectorAll<HTMLElement>('details.rule')) {
    const name = rule.querySelector('summary code')?.textContent ?? '';
    const { urls, more } = lists[name] ?? { urls: [], more: 0 };
    if (urls.length === 0) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'save';
    const rest = more > 0 ? `, ${more} more do not fit` : '';
    button.textContent = `Save the list of affected addresses (${urls.length}${rest})`;
    button.addEventListener('click', () => download(`${name}.csv`, [['url'], ...urls.map((url) => [url])]));
    rule.querySelector('.inside')?.append(button);
  }
}

/** On paper nothing can be unfolded. The style does the same in browsers that can. */
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
