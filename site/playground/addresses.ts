/** The address of a document that the user gave none: an index or a robots.txt among the others may name it. */

/** What is known of a document for this. */
export interface Addressed {
  readonly name: string;
  readonly url: string | undefined;
  /** The addresses that it lists, where it is an index or a robots.txt. */
  readonly children: readonly string[];
  /** The first page that it lists. */
  readonly page: string | undefined;
}

/** An address, and the document that names it. */
export interface FoundAddress {
  readonly url: string;
  readonly from: string;
}

/** Finds the addresses of documents without one, by the names of their files. */
export function findAddresses(documents: readonly Addressed[]): ReadonlyMap<Addressed, FoundAddress> {
  const listed = documents.flatMap(({ name, children }) => children.map((url) => ({ url, from: name })));
  const found = new Map<Addressed, FoundAddress>();
  for (const document of documents) {
    if (document.url !== undefined) continue;
    const name = fileName(document.name);
    const match = isRobotsName(name)
      ? robotsOf(documents, listed)
      : listed.find(({ url }) => fileName(url) === name);
    if (match !== undefined) found.set(document, match);
  }
  return found;
}

/** Whether a file without an address is a robots.txt. */
export function isRobotsName(name: string): boolean {
  return fileName(name) === 'robots.txt';
}

/** A robots.txt is that of the site that another document is on, that its own lines name, or that has the first page. */
function robotsOf(
  documents: readonly Addressed[],
  listed: readonly FoundAddress[],
): FoundAddress | undefined {
  const sites = [
    ...documents.map(({ name, url }) => ({ url, from: name })),
    ...listed,
    ...documents.map(({ name, page }) => ({ url: page, from: name })),
  ];
  for (const { url, from } of sites) {
    if (url !== undefined && URL.canParse(url)) return { url: new URL('/robots.txt', url).href, from };
  }
  return undefined;
}

/** The last part of a path or of an address, without what a server adds to it. */
function fileName(path: string): string {
  const [bare = ''] = path.split(/[?#]/, 1);
  return (bare.split(/[\\/]/).at(-1) ?? '').toLowerCase();
}
