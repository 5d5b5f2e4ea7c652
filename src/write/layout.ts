/** The files of a set of sitemaps: their names, from the URLs of documents or from pages, and their addresses. */
import { urlKey } from '../check/ordinary-url.ts';
import type { SitemapPage } from '../parse/model/page.ts';
import { parsedUrl, unescaped, webUrl } from '../url.ts';
import type { Division } from './divisions.ts';

/** What a name on any file system may not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const UNSAFE = /[\x00-\x1f\x7f<>:"/\\|?*]+/g;
/** A name, and its ending. */
const ENDING = /^(.*?)((?:\.xml)?(?:\.gz)?)$/s;
/** Devices of Windows, whatever comes after a dot. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?= *(?:\.|$))/i;
/** In bytes. File systems take 255, and an ending and a number may follow. */
const LONGEST_PART = 200;
/** In bytes, of the whole name: a path may have 4,096 on Linux and 1,024 on macOS, with the folder of the set. */
const LONGEST_PATH = 600;

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
  /** By a name that is taken: the number to try next, so that many documents of one name do not try all of them. */
  readonly #numbers = new Map<string, number>();
  readonly #folders = new Set<string>();
  /** The origins that files are on, by name, and the folder of the origin. */
  readonly #origins = new Map<string, { readonly origin: string; readonly folder: string }>();
  /** The paths of documents as their addresses encode them, by the name of the file. */
  readonly #spelled = new Map<string, string>();
  readonly #renamed = new Set<string>();

  constructor(options: LayoutOptions) {
    this.#options = options;
  }

  /**
   * The names of the files for documents, by their URLs, or by the names of their own files where they have none.
   * Documents whose names need no change come first, so that no other takes theirs.
   */
  namesOf(addresses: readonly string[]): readonly string[] {
    const preferred = addresses.map(filePathOf);
    const isChanged = ({ path, original }: FilePath): number => (path.join('/') === original ? 0 : 1);
    const inOrder = [...preferred].sort((a, b) => isChanged(a) - isChanged(b));
    const names = new Map(inOrder.map((each) => [each, this.#nameOf(each)]));
    return preferred.map((each) => names.get(each)!);
  }

  #nameOf({ path, original, url }: FilePath): string {
    const name = this.nameOf(path, url?.origin);
    const folder = this.#origins.get(name)?.folder ?? '';
    const inFolder = folder === '' ? original : `${folder}/${original}`;
    if (name !== inFolder && name !== `${inFolder}.gz`) this.#renamed.add(name);
    else if (url !== undefined && name === inFolder) this.#spelled.set(name, url.pathname.slice(1));
    return name;
  }

  /** Whether it is not the name that the document had, but for the ending `.gz`. */
  isRenamed(name: string): boolean {
    return this.#renamed.has(name);
  }

  /** A name in the folder of an origin. */
  nameOf(path: readonly string[], origin: string | undefined): string {
    const folder = origin !== undefined && this.#options.byHost ? safeSegment(new URL(origin).host) : '';
    const whole = [...(folder === '' ? [] : [folder]), ...path].join('/');
    const isLong = Buffer.byteLength(whole) > LONGEST_PATH;
    const name = this.#take(isLong ? [folder, path.at(-1)].filter(Boolean).join('/') : whole);
    if (origin !== undefined) this.#origins.set(name, { origin, folder });
    return name;
  }

  /** The name of a further file of the same document: `a.xml` → `a-2.xml`. */
  next(name: string, number: number): string {
    return this.placeWith(this.#take(numbered(name, number)), name);
  }

  /** Notes that a file is on the origin of another one. */
  placeWith(file: string, name: string): string {
    const place = this.#origins.get(name);
    if (place !== undefined) this.#origins.set(file, place);
    return file;
  }

  originOf(name: string): string | undefined {
    return this.#origins.get(name)?.origin;
  }

  /** The address of a file. @param origin - that of files whose documents have none */
  addressOf(name: string, origin: string | undefined): string | undefined {
    const { baseUrl } = this.#options;
    const place = this.#origins.get(name) ?? (origin === undefined ? undefined : { origin, folder: '' });
    const folder = place === undefined || place.folder === '' ? '' : `${place.folder}/`;
    const path = this.#spelled.get(name) ?? encodedPath(name.slice(folder.length));
    if (baseUrl !== undefined)
      return new URL(`./${encodedPath(folder)}${path}`, baseUrl.replace(/\/?$/, '/')).href;
    return place && new URL(`/${path}`, place.origin).href;
  }

  #take(preferred: string): string {
    const name = this.#options.gzip === true && !preferred.endsWith('.gz') ? `${preferred}.gz` : preferred;
    let free = name;
    // A file `a.xml` and a folder `a.xml` cannot both be there.
    if (foldersOf(keyOf(name)).some((folder) => this.#names.has(folder))) free = inOneSegment(name);
    const first = free;
    let number = this.#numbers.get(keyOf(first)) ?? 2;
    while (this.#isTaken(free)) free = numbered(first, number++);
    this.#numbers.set(keyOf(first), number);
    this.#names.add(keyOf(free));
    for (const folder of foldersOf(keyOf(free))) this.#folders.add(folder);
    return free;
  }

  #isTaken(name: string): boolean {
    const key = keyOf(name);
    return this.#names.has(key) || this.#folders.has(key);
  }
}

/**
 * Names with the same key are one file on some file systems: capitals, and accents in two encodings, are the same
 * there.
 */
function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** `a/b/c.xml` → `a`, `a/b` */
export function foldersOf(name: string): readonly string[] {
  return Array.from(name.matchAll(/\//g), ({ index }) => name.slice(0, index));
}

/** A name without folders, which has the end of its last segment in any case. */
function inOneSegment(name: string): string {
  const [, stem = '', ending = ''] = ENDING.exec(name) ?? [];
  return shortened(stem.replaceAll('/', '-')) + ending;
}

/** The name of a further file: `a.xml` → `a-2.xml` */
export function numbered(name: string, number: number): string {
  return name.replace(ENDING, `$1-${number}$2`);
}

/** The name of the first file, of that of a further one: `a-2.xml` → `a.xml` */
export function unnumbered(name: string): string {
  return name.replace(/-\d+(?=(?:\.xml)?(?:\.gz)?$)/, '');
}

/** What a path may have as it is stays so. */
export function encodedPath(path: string): string {
  return encodeURI(path).replaceAll(/[?#]/g, encodeURIComponent);
}

interface FilePath {
  readonly path: readonly string[];
  /** The path that the document has itself. */
  readonly original: string;
  readonly url: URL | undefined;
}

function filePathOf(address: string): FilePath {
  const url = webUrl(address);
  if (url === undefined) {
    const original = address.split(/[\\/]/).at(-1) ?? '';
    return { path: [fileName(original, '')], original, url };
  }
  const segments = url.pathname.split('/').filter((part) => part !== '');
  const last = segments.pop() ?? 'sitemap.xml';
  const path = [...segments.map(safeSegment), fileName(unescaped(last), unescaped(url.search.slice(1)))];
  const original = url.pathname.slice(1).split('/').map(unescaped).join('/') + url.search;
  return { path, original, url };
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

function safeSegment(segment: string): string {
  const safe = shortened(unescaped(segment).replace(UNSAFE, '-'));
  // Names that begin with a dot are hidden, and `..` leads out of the folder.
  return (
    safe
      .replace(/^\.+/, '_')
      .replace(/[. ]+$/, '')
      .replace(DEVICE, '_$&') || '_'
  );
}

/** `sitemap.php`, `page=2&lang=en` → `sitemap-page-2-lang-en.xml`; `a.xml.gz` stays as it is. */
function fileName(last: string, query: string): string {
  const gzip = /\.gz$/i.test(last) ? '.gz' : '';
  const stem = last.slice(0, last.length - gzip.length).replace(/\.[a-z]\w{0,5}$/i, '');
  const words = query.replace(/[^\p{L}\p{N}._~-]+/gu, '-').replace(/^-|-$/g, '');
  const name = safeSegment([stem === '' ? 'sitemap' : stem, words].filter((part) => part !== '').join('-'));
  return `${name}.xml${gzip}`;
}

/** The name of the group that a page belongs to in a new division. */
export function groupNameOf(page: SitemapPage, division: Division | undefined): string {
  switch (division) {
    case 'host':
      return parsedUrl(page.url)?.host ?? '';
    case 'language': {
      const key = urlKey(page.url);
      const hreflang = page.alternates.find(({ href }) => urlKey(href) === key)?.hreflang;
      return hreflang ?? page.newsStory?.publicationLanguage ?? 'other';
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

/** The name of a group as a part of a file's name. */
export function wordInName(groupName: string): string {
  return safeSegment(groupName.toLowerCase().replace(/[^\p{L}\p{N}._~-]+/gu, '-'));
}
