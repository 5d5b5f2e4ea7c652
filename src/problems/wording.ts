/** Numbers, sizes and times as people read them. */

/** `2600000` → `2,600,000`. By hand: to make the first `Intl.NumberFormat` takes longer than to start. */
export function number(value: number): string {
  return String(value).replaceAll(/(?<!\.\d*)\B(?=(?:\d{3})+(?!\d))/g, ',');
}

/** `1 page`, `2,600,000 pages` */
export function count(value: number, one: string, many: string = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** `8 pages`, and `8 pages (4 distinct)` where some are listed more than once */
export function pagesInWords(pages: number, distinct: number): string {
  return `${count(pages, 'page')}${distinct < pages ? ` (${number(distinct)} distinct)` : ''}`;
}

/** `3.4 MB` */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let size = value;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** `0:07`, `12:34`, `1:02:03` */
export function elapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const hours = Math.floor(seconds / 3600);
  const [minutes, rest] = parts.map((part) => String(part).padStart(2, '0'));
  return hours > 0 ? `${hours}:${minutes}:${rest}` : `${Number(minutes)}:${rest}`;
}

/** `a`, `a and b`, `a, b and c` */
export function list(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
