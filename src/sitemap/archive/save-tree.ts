/**
 * Saves a tree as a WARC file: its documents, then its nodes. tree-records.ts says what is known of each.
 *
 * Every document is read twice, since its digests come before it; neither time more of it is held than a few pieces.
 */

import { VERSION } from '../../options/version.ts';
import { checkSignal } from '../../problems/arguments.ts';
import { SitemapException } from '../../problems/errors.ts';
import { checkNames } from '../../problems/option-names.ts';
import { fileTrouble, ReplacedFile } from '../../runtime/files.ts';
import { FairShare } from '../../runtime/time.ts';
import type { KeptDocument } from '../kept-document.ts';
import { checkIsSitemap, type InvalidSitemap, internalsOf, type Sitemap, walkTree } from '../sitemap.ts';
import { valuesToObject } from '../tree-json.ts';
import { ArchivedDocument } from './archived-document.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchivedDocumentFields,
  type ArchivedNode,
  endRecord,
  NODES_URI,
} from './tree-records.ts';
import {
  Digest,
  pathOf,
  type RecordFields,
  RecordFile,
  type RecordPlace,
  recordHead,
} from './warc-writer.ts';

/** How a tree is saved. */
export interface SaveTreeOptions {
  /** An `AbortSignal` that ends the call: its reason is thrown, and the path keeps what it has. @default none */
  readonly signal?: { throwIfAborted(): void } | undefined;
}

/**
 * Saves a tree, or any node with all below it, as a WARC 1.1 file: `….warc` plain, everything else with one gzip member
 * for each record. Whatever happens, the path then holds the whole new file or what it held before.
 *
 * @example
 * ```ts
 * await saveTree(tree, 'example.org.warc.gz');
 * const again = await loadTree('example.org.warc.gz');
 * ```
 *
 * @throws SitemapException with code `archive-unwritable`, `archive-damaged` where a document of a loaded tree is
 *   damaged, or `tree-closed` where the tree's documents are gone
 */
export async function saveTree(
  tree: Sitemap,
  path: string | URL,
  options: SaveTreeOptions = {},
): Promise<void> {
  checkIsSitemap(tree, 'saveTree');
  const name = pathOf(path, 'saveTree');
  checkNames(options, ['signal']);
  const { signal } = options;
  checkSignal(signal);
  signal?.throwIfAborted();
  try {
    const file = await ReplacedFile.open(name);
    const write = async (bytes: Uint8Array): Promise<void> => {
      signal?.throwIfAborted();
      await file.write(bytes);
    };
    try {
      await writeArchive(tree, { write }, !/\.warc$/i.test(name), signal);
      signal?.throwIfAborted();
      await file.finish();
    } finally {
      await file.discard();
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof SitemapException) throw cause;
    throw new SitemapException(`The tree could not be saved to ${name}: ${fileTrouble(cause, name)}.`, {
      code: 'archive-unwritable',
      cause,
    });
  }
}

async function writeArchive(
  tree: Sitemap,
  file: Pick<ReplacedFile, 'write'>,
  isGzip: boolean,
  signal: SaveTreeOptions['signal'],
): Promise<void> {
  const records = new RecordFile(file, { isGzip });
  const date = Date.now();
  const info = Buffer.from(
    `software: ultimate-sitemap-parser/${VERSION}\r\nformat: WARC File Format 1.1\r\nconformsTo: ` +
      `https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n`,
  );
  await writeBlock(records, { type: 'warcinfo', date, contentType: 'application/warc-fields' }, [info]);
  const lines = await nodeLines(tree, new DocumentRecords(records, isGzip), signal);
  // What is in the file has a digest of its own: a reader checks it before it inflates anything.
  const digest = new Digest();
  const watched = new RecordFile(
    { write: (bytes) => file.write(digest.update(bytes) && bytes) },
    { isGzip },
    records.offset,
  );
  const fields = { type: 'metadata', date, targetUri: NODES_URI, contentType: 'application/json' } as const;
  const { offset, length } = await writeBlock(watched, fields, lines);
  await file.write(endRecord({ offset, length, digest: digest.end() }, date, { isGzip }));
}

/** Writes a record whose block is in memory. */
function writeBlock(
  records: RecordFile,
  fields: RecordFields,
  block: readonly Uint8Array[],
): Promise<RecordPlace> {
  const digest = new Digest();
  for (const chunk of block) digest.update(chunk);
  const sha1 = digest.end();
  const length = block.reduce((sum, chunk) => sum + chunk.length, 0);
  const head = Buffer.from(recordHead(fields, length, { block: sha1, payload: sha1 }));
  return records.write(head, block);
}

/** Writes the documents of a tree, each once, however many nodes show it, and remembers where. */
class DocumentRecords {
  readonly documents: ArchivedDocumentFields[] = [];
  readonly #file: RecordFile;
  readonly #isGzip: boolean;
  readonly #numbers = new Map<KeptDocument, number>();
  readonly #heads = new Map<string, number>();

  constructor(file: RecordFile, isGzip: boolean) {
    this.#file = file;
    this.#isGzip = isGzip;
  }

  /** The number of a response that leads to a document, or to none. Chains that share their last hops share records. */
  async numberOfHead(response: KeptDocument): Promise<number> {
    const url = response.options.url ?? '';
    const number = this.#heads.get(url) ?? (await this.numberOf(response));
    this.#heads.set(url, number);
    return number;
  }

  async numberOf(document: KeptDocument): Promise<number> {
    const savedNumber = this.#numbers.get(document);
    if (savedNumber !== undefined) return savedNumber;
    const isCopied =
      document instanceof ArchivedDocument && document.isAsSaved && document.isGzip === this.#isGzip;
    const fields = isCopied ? await this.#copy(document) : await this.#record(document);
    const number = this.documents.push(fields) - 1;
    this.#numbers.set(document, number);
    return number;
  }

  /** A record of another archive is copied as it is. */
  async #copy(document: ArchivedDocument): Promise<ArchivedDocumentFields> {
    const { offset } = this.#file;
    for await (const chunk of document.storedChunks()) await this.#file.copy(chunk);
    return { ...document.fields, offset };
  }

  async #record(document: KeptDocument): Promise<ArchivedDocumentFields> {
    const { options, requestedAt, truncatedBy: truncated } = document;
    const isFetched = requestedAt !== undefined;
    const isMapped = document instanceof ArchivedDocument && !document.isAsSaved;
    const length = isMapped ? await lengthOf(document) : document.bytes;
    const httpHead = isFetched ? `${await document.head()}Content-Length: ${length}\r\n\r\n` : '';
    const block = new Digest().update(Buffer.from(httpHead, 'latin1'));
    const payload = new Digest();
    let bytes = 0;
    for await (const chunk of document.chunksAsync()) {
      block.update(chunk);
      payload.update(chunk);
      bytes += chunk.length;
    }
    const digest = payload.end();
    const head = recordHead(
      {
        type: isFetched ? 'response' : 'resource',
        date: requestedAt ?? Date.now(),
        targetUri: options.url || 'urn:ultimate-sitemap-parser:document',
        contentType: isFetched ? 'application/http;msgtype=response' : 'application/octet-stream',
        truncated,
      },
      httpHead.length + bytes,
      { block: block.end(), payload: digest },
    );
    const before = Buffer.concat([Buffer.from(head), Buffer.from(httpHead, 'latin1')]);
    const place = await this.#file.write(before, document.chunksAsync());
    return {
      ...options,
      requestedAt: isFetched ? new Date(requestedAt).toISOString() : undefined,
      truncated,
      bytes,
      digest,
      ...place,
    };
  }
}

/** The JSON of a tree's nodes, in chunks of lines. The documents are written on the way. */
async function nodeLines(
  tree: Sitemap,
  documents: DocumentRecords,
  signal: SaveTreeOptions['signal'],
): Promise<readonly Uint8Array[]> {
  const { origin, run, documents: extraDocuments } = internalsOf(tree).top ?? {};
  // Before the documents: of two responses of one URL the last counts, and a document is better than a failure.
  for (const response of extraDocuments?.responses ?? []) await documents.numberOfHead(response);
  const nodes = await linesOf(archivedNodes(tree, documents, signal));
  const header = JSON.stringify({ format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, origin, run });
  return [
    Buffer.from(`${header.slice(0, -1)},"documents":[\n`),
    ...(await linesOf(documents.documents)),
    Buffer.from('],"nodes":[\n'),
    ...nodes,
    Buffer.from(']}\n'),
  ];
}

/** Lines are put together until they have this many characters. */
const LINES_CHUNK = 64 * 1024;

/** Objects in lines, with a comma behind each but the last. */
async function linesOf(objects: Iterable<object> | AsyncIterable<object>): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = [];
  let text = '';
  let separator = '';
  for await (const object of objects) {
    text += separator + JSON.stringify(object);
    separator = ',\n';
    if (text.length < LINES_CHUNK) continue;
    chunks.push(Buffer.from(text));
    text = '';
  }
  if (separator !== '') chunks.push(Buffer.from(`${text}\n`));
  return chunks;
}

async function* archivedNodes(
  tree: Sitemap,
  documents: DocumentRecords,
  signal: SaveTreeOptions['signal'],
): AsyncGenerator<ArchivedNode, void, undefined> {
  const share = new FairShare();
  for (const { sitemap, depth } of walkTree(tree)) {
    yield await archivedNode(sitemap, depth, documents);
    // Nodes without a document wait for nothing.
    if (share.isUsedUp) await share.turn();
    signal?.throwIfAborted();
  }
}

// `JSON.stringify` leaves out what is undefined.
async function archivedNode(node: Sitemap, depth: number, documents: DocumentRecords): Promise<ArchivedNode> {
  const { problems, problemCount, facts, source } = internalsOf(node);
  const hops: number[] = [];
  for (const hop of facts?.hops ?? []) hops.push(await documents.numberOfHead(hop));
  const document = facts?.document ?? source.document;
  return {
    depth,
    kind: node.kind,
    ...valuesToObject(node),
    document: document && (await documents.numberOf(document)),
    ...(hops.length > 0 && { hops }),
    ...(problemCount > 0 && { problems: [...problems], problemCount }),
    durationMs: facts?.durationMs,
    ...(facts?.checkedAt !== undefined && { checkedAt: new Date(facts.checkedAt).toISOString() }),
    validators: facts?.validators,
    unread: facts?.unread,
    ...(node.filteredUrls.length > 0 && { filteredUrls: node.filteredUrls }),
    ...(node.kind === 'invalid' && failureOf(node)),
    ...(node.kind === 'website' && { triedPaths: node.triedPaths, redirectedTo: node.redirectedTo }),
  };
}

function failureOf({ option, isHtml, error }: InvalidSitemap): Partial<ArchivedNode> {
  const failure = { option, ...(isHtml && { isHtml }) };
  if (!(error instanceof Error)) return failure;
  const { name, message } = error;
  return {
    ...failure,
    error: { name, message, code: error instanceof SitemapException ? error.code : undefined },
  };
}

async function lengthOf(document: KeptDocument): Promise<number> {
  let length = 0;
  for await (const chunk of document.chunksAsync()) length += chunk.length;
  return length;
}
