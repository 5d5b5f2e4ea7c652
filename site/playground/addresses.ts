/** The address of a document that the user gave none: an index or a robots.txt among the others may name it. */

/** What is known of a document for this. */
export interface Addressed {
  readonly name: string;
  readonly url: string | undefined;
  /** The addresses that it lists, where it is an index or a robots.txt. */
  readonly children: readonly string[];
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
    const match =
      name === 'robots.txt' ? robotsOf(documents, listed) : listed.find(({ url }) => fileName(url) === name);
    if (match !== undefined) found.set(document, match);
  }
  return found;
}

/** A robots.txt is that of the site that another document is on, or that its own lines name. */
function robotsOf(
  documents: readonly Addressed[],
  listed: readonly FoundAddress[],
): FoundAddress | undefined {
  const given = documents.find(({ url }) => url !== undefined);
  const site =
    given?.url === undefined
      ? listed.find(({ url }) => URL.canParse(url))
      : { url: given.url, from: given.name };
  return site && { url: new URL('/robots.txt', site.url).href, from: site.from };
}

/** The last part of a path or of an address, without what a server adds to it. */
function fileName(path: string): string {
  const [bare = ''] = path.split(/[?#]/, 1);
  return (bare.split(/[\\/]/).at(-1) ?? '').toLowerCase();
}
