/** Which files a set of sitemaps has: their names, made from the URLs of documents or from pages, and their addresses. */
import type { SitemapPage } from '../parse/model/page.ts';
import { parsedUrl } from '../url.ts';

/** How pages are divided anew. */
export const DIVISIONS = ['host', 'language', 'folder', 'lastmod-year'] as const;
export type Division = (typeof DIVISIONS)[number];

/** What a name on any file system may not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const UNSAFE = /[\x00-\x1f\x7f<>:"/\\|?*]+/g;
/** In bytes. File systems take 255, and an ending and a number may follow. */
const LONGEST_PART = 200;

interface LayoutOptions {
  /** Where the files will be; by default each on the host of its document. */
  readonly baseUrl?: string | undefined;
  readonly gzip?: boolean | undefined;
  /** Whether each host has a folder of its own. */
  readonly byHost: boolean;
}

/** Gives out names, each once, whatever the file system thinks of capitals. */
export class Layout {
  readonly #options: LayoutOptions;
  readonly #names = new Set<string>();
  readonly #folders = new Set<string>();
  /** The origins that files are on, by name, and the folder that stands for the origin. */
  readonly #origins = new Map<string, { readonly origin: string; readonly folder: string }>();

  constructor(options: LayoutOptions) {
    this.#options = options;
  }

  /** The name of the file for a document, by its URL, or by the name of its own file where it has none. */
  nameOf(address: string): string {
    const url = /^https?:/i.test(address) ? parsedUrl(address) : undefined;
    if (url === undefined) return this.#take(fileName(address.split(/[\\/]/).at(-1) ?? '', ''));
    const parts = url.pathname.split('/').filter((part) => part !== '');
    const last = parts.pop() ?? 'sitemap.xml';
    const path = [...parts.map(safePart), fileName(decoded(last), decoded(url.search.slice(1)))];
    return this.named(path, url.origin);
  }

  /** A name in the folder of an origin. */
  named(path: readonly string[], origin: string | undefined): string {
    const folder = origin !== undefined && this.#options.byHost ? safePart(new URL(origin).host) : '';
    const name = this.#take([...(folder === '' ? [] : [folder]), ...path].join('/'));
    if (origin !== undefined) this.#origins.set(name, { origin, folder });
    return name;
  }

  /** The name of a further file of the same document: `a.xml` → `a-2.xml`. */
  next(name: string, number: number): string {
    const next = this.#take(numbered(name, number));
    const place = this.#origins.get(name);
    if (place !== undefined) this.#origins.set(next, place);
    return next;
  }

  originOf(name: string): string | undefined {
    return this.#origins.get(name)?.origin;
  }

  /** The address of a file. @param origin - that of files whose documents have none */
  addressOf(name: string, origin: string | undefined): string | undefined {
    const { baseUrl } = this.#options;
    const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
    if (baseUrl !== undefined) return new URL(encoded(name), withSlash(baseUrl)).href;
    const place = this.#origins.get(name) ?? (origin === undefined ? undefined : { origin, folder: '' });
    if (place === undefined) return undefined;
    const path = place.folder === '' ? name : name.slice(place.folder.length + 1);
    return new URL(`/${encoded(path)}`, place.origin).href;
  }

  #take(wanted: string): string {
    const name = this.#options.gzip === true && !wanted.endsWith('.gz') ? `${wanted}.gz` : wanted;
    let free = name;
    // A file `a.xml` and a folder `a.xml` cannot both be there.
    if (foldersOf(name).some((folder) => this.#names.has(folder))) free = name.replaceAll('/', '-');
    const unnumbered = free;
    for (let number = 2; this.#isTaken(free); number++) free = numbered(unnumbered, number);
    this.#names.add(free.toLowerCase());
    for (const folder of foldersOf(free)) this.#folders.add(folder);
    return free;
  }

  #isTaken(name: string): boolean {
    const key = name.toLowerCase();
    return this.#names.has(key) || this.#folders.has(key);
  }
}

function foldersOf(name: string): readonly string[] {
  const parts = name.toLowerCase().split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

function numbered(name: string, number: number): string {
  return name.replace(/((?:\.xml)?(?:\.gz)?)$/, `-${number}$1`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** As many whole characters as there is room for. */
function shortened(text: string): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > LONGEST_PART) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function safePart(part: string): string {
  const safe = shortened(decoded(part).replace(UNSAFE, '-'));
  // Names that begin with a dot are hidden, and `..` leads out of the folder.
  return safe.replace(/^\.+/, '_').replace(/[. ]+$/, '') || '_';
}

/** `sitemap.php`, `page=2&lang=en` → `sitemap-page-2-lang-en.xml`; `a.xml.gz` stays as it is. */
function fileName(last: string, query: string): string {
  const [, stem = '', gzip = ''] = /^(.*?)(?:\.[a-z]\w{0,5})?(\.gz)?$/is.exec(last) ?? [];
  const words = query.replace(/[^\p{L}\p{N}._~-]+/gu, '-').replace(/^-|-$/g, '');
  const name = safePart([stem === '' ? 'sitemap' : stem, words].filter((part) => part !== '').join('-'));
  return `${name}.xml${gzip.toLowerCase()}`;
}

/** The part of a new division that a page belongs to. */
export function partOf(page: SitemapPage, division: Division | undefined): string {
  switch (division) {
    case 'host':
      return parsedUrl(page.url)?.origin ?? '';
    case 'language': {
      const own = page.alternates.find(({ href }) => href === page.url)?.hreflang;
      return own ?? page.newsStory?.publicationLanguage ?? 'other';
    }
    case 'folder': {
      const [, first = '', second] = parsedUrl(page.url)?.pathname.split('/') ?? [];
      return second === undefined || first === '' ? 'root' : first;
    }
    case 'lastmod-year':
      return page.lastModified?.getUTCFullYear().toString() ?? 'undated';
    case undefined:
      return '';
  }
}

/** A part's name as a part of a file's name. */
export function wordOf(part: string): string {
  return safePart(part.toLowerCase().replace(/[^\p{L}\p{N}._~-]+/gu, '-'));
}
