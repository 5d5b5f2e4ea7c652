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
export function describePages(pages: number, distinct: number): string {
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

/** Most characters of a text in summaries and findings; what is shown is shorter. A report links no longer URL. */
export const LONGEST_TEXT = 2048;
/** Most characters of a sentence for agents that quotes a site. */
export const LONGEST_SENTENCE = 500;
/** Most characters that the reason of a failure quotes of a server's words. */
export const LONGEST_QUOTE = 200;

/** The beginning of a text, and `…` where there is more of it. No character is cut in half. */
export function clip(text: string, most: number): string;
export function clip(text: string | undefined, most: number): string | undefined;
export function clip(text: string | undefined, most: number): string | undefined {
  if (text === undefined || text.length <= most) return text;
  const start = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  // A new string, since a substring keeps the whole one alive: a server may send 64 KiB for each of 50,000 URLs.
  return `${DECODER.decode(ENCODER.encode(start))}…`;
}

const ENCODER = new TextEncoder();
// Keeps a byte order mark at the start of a text.
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** The name that begins with the input, or the one with the fewest letters to change; undefined where none is near. */
export function nearestName(input: string, names: Iterable<string>): string | undefined {
  const word = input.toLowerCase().replaceAll('_', '-').slice(0, 100);
  let nearest: string | undefined;
  // One letter of a short word must stay: else it is as near to any other short word.
  let least = Math.min(Math.max(2, word.length / 3) + 1, word.length);
  for (const name of names) {
    const other = name.toLowerCase();
    // The same words in another order are nearer than their letters say.
    const far =
      word !== '' && other.startsWith(word)
        ? 0
        : Math.min(editDistance(word, other), editDistance(sortedWords(word), sortedWords(other)) + 1);
    if (far < least) {
      least = far;
      nearest = name;
    }
  }
  return nearest;
}

function sortedWords(name: string): string {
  return name.split('-').sort().join('-');
}

/** How many letters must be changed, added or removed (Levenshtein). */
function editDistance(from: string, to: string): number {
  let before = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const now = [row];
    for (let column = 1; column <= to.length; column++) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1;
      now.push(Math.min(now[column - 1]! + 1, before[column]! + 1, before[column - 1]! + change));
    }
    before = now;
  }
  return before.at(-1)!;
}
