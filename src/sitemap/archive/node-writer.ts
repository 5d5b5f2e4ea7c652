/** The nodes of a tree → the lines of the record that holds them. The documents are written on the way. */
import { SitemapException } from '../../errors.ts';
import { isPagesKind } from '../kind.ts';
import { DocumentPages } from '../page-source.ts';
import { type InvalidSitemap, partsOf, type Sitemap } from '../sitemap.ts';
import { walkTree } from '../walk-tree.ts';
import type { DocumentRecords } from './document-records.ts';
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, type ArchivedError, type ArchivedNode } from './node-record.ts';

/** Lines are put together until they have this many characters. */
const CHUNK = 64 * 1024;

/** The JSON of a tree's nodes, in chunks of lines. */
export async function nodeLines(tree: Sitemap, documents: DocumentRecords): Promise<readonly Uint8Array[]> {
  const nodes = new Lines();
  for (const { sitemap, depth } of walkTree(tree)) nodes.add(await archivedNode(sitemap, depth, documents));
  const all = new Lines();
  for (const document of documents.written) all.add(document);
  const { origin } = partsOf(tree).top ?? {};
  const header = JSON.stringify({ format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, origin });
  return [
    Buffer.from(`${header.slice(0, -1)},"documents":[\n`),
    ...all.end(),
    Buffer.from('],"nodes":[\n'),
    ...nodes.end(),
    Buffer.from(']}\n'),
  ];
}

/** Objects in lines, with a comma behind each but the last. */
class Lines {
  readonly #chunks: Buffer[] = [];
  #text = '';
  #separator = '';

  add(object: object): void {
    this.#text += this.#separator + JSON.stringify(object);
    this.#separator = ',\n';
    if (this.#text.length >= CHUNK) this.#keep();
  }

  end(): readonly Buffer[] {
    if (this.#separator !== '') this.#text += '\n';
    this.#keep();
    return this.#chunks;
  }

  #keep(): void {
    if (this.#text !== '') this.#chunks.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

// `JSON.stringify` leaves out what is undefined.
async function archivedNode(node: Sitemap, depth: number, documents: DocumentRecords): Promise<ArchivedNode> {
  const { problems, problemCount, facts } = partsOf(node);
  const hops: number[] = [];
  for (const hop of facts?.hops ?? []) hops.push(await documents.numberOfHop(hop));
  const document = await numberOfDocument(node, documents);
  return {
    depth,
    kind: node.kind,
    url: node.url,
    declaredUrl: node.declaredUrl,
    lastModified: node.lastModified?.toISOString(),
    document,
    ...(hops.length > 0 && { hops }),
    ...(problemCount > 0 && { problems, problemCount }),
    ...(node.truncated && { truncated: true }),
    bytes: node.bytes,
    status: node.status,
    freshness: node.freshness,
    durationMs: facts?.durationMs,
    ...(facts?.checkedAt !== undefined && { checkedAt: new Date(facts.checkedAt).toISOString() }),
    validators: facts?.validators,
    ...(node.filteredUrls.length > 0 && { filteredUrls: node.filteredUrls }),
    ...(node.kind === 'invalid' && reasonOf(node)),
    complete: node.complete,
    stopped: node.stopped,
    ...(node.kind === 'website' && { triedPaths: node.triedPaths }),
  };
}

async function numberOfDocument(node: Sitemap, documents: DocumentRecords): Promise<number | undefined> {
  const { source, facts } = partsOf(node);
  if (facts?.document !== undefined) return documents.numberOf(facts.document);
  return isPagesKind(node.kind) && source instanceof DocumentPages
    ? documents.numberOfLocal(source)
    : undefined;
}

function reasonOf({ code, reason, option, error }: InvalidSitemap): Partial<ArchivedNode> {
  return { code, reason, option, error: error instanceof Error ? archivedError(error) : undefined };
}

function archivedError(error: Error): ArchivedError {
  const { name, message } = error;
  return { name, message, code: error instanceof SitemapException ? error.code : undefined };
}
