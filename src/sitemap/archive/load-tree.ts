/**
 * Loads a tree from its archive: the end of the file says where the nodes are, and these where the documents are. Every
 * line of the nodes is checked: a file may hold anything. What it costs is bounded by the number of nodes, and no line
 * is used before it is counted.
 */

import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import { type HostMap, hostMapOf } from '../../options/host-map.ts';
import { OPTIONS } from '../../options/option-table.ts';
import { resolveOptions, SHAPING_OPTIONS } from '../../options/resolve.ts';
import { isIndexKind, isPagesKind } from '../../parse/model/kinds.ts';
import { checkSignal } from '../../problems/arguments.ts';
import { badOption, SitemapException, SitemapXMLParsingException } from '../../problems/errors.ts';
import { checkNames } from '../../problems/option-names.ts';
import { errorCode, fileTrouble } from '../../runtime/files.ts';
import { FairShare } from '../../runtime/time.ts';
import type { FetchFacts, KeptValidators } from '../kept-document.ts';
import { DocumentPages, NO_PAGES, type PageSource } from '../page-source.ts';
import { documentNode, IndexWebsiteSitemap, InvalidSitemap, makeTop, type Sitemap } from '../sitemap.ts';
import { ArchivedDocument, ArchiveFile } from './archived-document.ts';
import {
  type ArchivedError,
  type ArchivedNode,
  ArchiveFault,
  type ArchiveHeader,
  archiveDamaged,
  archiveTooLarge,
  isArchivedDocument,
  isArchivedNode,
  MOST_END_BYTES,
  readEndRecord,
  readHeader,
} from './tree-records.ts';
import { digestOf, pathOf, RECORD_END } from './warc-writer.ts';

/** How an archive is loaded, and what it may cost. */
export interface LoadTreeOptions {
  /** Read every document now, and check its digest. Otherwise a damaged one is found when it is read. @default false */
  readonly verify?: boolean | undefined;
  /** The most sitemaps that the tree may have. @default 50000 */
  readonly maxSitemaps?: number | undefined;
  /**
   * How many levels of indexes the tree may have, as `maxDepth` of a crawl. @default what the archive says its crawl
   * had, at most 1000
   */
  readonly maxDepth?: number | undefined;
  /** The most bytes that one document may have. @default 104857600 (100 MiB) */
  readonly maxSitemapBytes?: number | undefined;
  /** Give problems their line and column. @default false */
  readonly problemPositions?: boolean | undefined;
  /** Hosts that stand for others: URLs on the first one are read as on the second one. @default none */
  readonly mapHosts?: Readonly<Record<string, string>> | undefined;
  /** An `AbortSignal` that ends the call; its reason is thrown. @default none */
  readonly signal?: { throwIfAborted(): void } | undefined;
}

/** Bytes of the record with the nodes: this many, and more for each node that the tree may have. */
const NODE_RECORD_BYTES = { atLeast: 16 * 1024 * 1024, perNode: 4096, most: 480 * 1024 * 1024 } as const;

const LOAD_OPTIONS: readonly (keyof LoadTreeOptions)[] = [
  'verify',
  'maxSitemaps',
  'maxDepth',
  'maxSitemapBytes',
  'problemPositions',
  'mapHosts',
  'signal',
];

const NODES_TOO_LARGE = 'the record of its nodes is too large';

const unzip = promisify<Uint8Array, object, Buffer>(gunzip);

/**
 * Loads a tree that {@link saveTree} saved. It equals the saved one. Its documents are read from the file when its
 * pages are walked; the file stays open until the tree is closed.
 *
 * @throws SitemapException with code `archive-unreadable` (no such file), `archive-format` (not an archive of a tree),
 *   `archive-version` (of another version), `archive-limit` (larger than the options allow) or `archive-damaged`
 */
export async function loadTree(path: string | URL, options: LoadTreeOptions = {}): Promise<Sitemap> {
  const name = pathOf(path, 'loadTree');
  checkNames(options, LOAD_OPTIONS);
  const { signal } = options;
  const { verify, ...limits } = checked(options);
  signal?.throwIfAborted();
  let use: { close(): void } | undefined;
  try {
    const file = new ArchiveFile(name);
    use = file.use();
    const savedBlock = await nodeBlock(file, limits);
    const block = limits.hosts?.bytes(savedBlock) ?? savedBlock;
    const reader = new NodeReader(block, file, { ...limits, signal });
    const tree = await reader.tree();
    try {
      if (verify) for (const document of reader.documents) await document.verify(signal);
    } catch (error) {
      tree.close();
      throw error;
    }
    return tree;
  } catch (cause) {
    signal?.throwIfAborted();
    throw loadFailure(name, cause);
  } finally {
    use?.close();
  }
}

async function nodeBlock(file: ArchiveFile, { maxSitemaps }: ReadLimits): Promise<Uint8Array> {
  const tail = new Uint8Array(Math.min(file.size, MOST_END_BYTES));
  const isRead = await file.content.read(tail, file.size - tail.length);
  const endRecord = isRead ? readEndRecord(tail) : undefined;
  if (endRecord === undefined) throw await withoutEnd(file);
  const { end, isGzip, bytes } = endRecord;
  const { atLeast, perNode, most } = NODE_RECORD_BYTES;
  const limit = Math.min(most, atLeast + perNode * maxSitemaps);
  if (end.offset + end.length + bytes !== file.size)
    throw archiveDamaged('its end does not fit its beginning');
  if (end.length > limit) throw archiveTooLarge(NODES_TOO_LARGE);
  const storedBytes = new Uint8Array(end.length);
  if (!(await file.content.read(storedBytes, end.offset))) throw archiveDamaged('it is shorter than it says');
  if (digestOf(storedBytes) !== end.digest) throw archiveDamaged('the record of its nodes was changed');
  const record = isGzip ? await inflated(storedBytes, limit) : Buffer.from(storedBytes.buffer);
  const start = record.indexOf(RECORD_END);
  if (start === -1) throw archiveDamaged(`the record at byte ${end.offset} has no block`);
  return record.subarray(start + RECORD_END.length, -RECORD_END.length);
}

async function inflated(bytes: Uint8Array, limit: number): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: limit });
  } catch (cause) {
    const isTooLarge = errorCode(cause) === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge
      ? archiveTooLarge(NODES_TOO_LARGE)
      : archiveDamaged('the record of its nodes cannot be inflated', cause);
  }
}

/** As much of the beginning of a file as shows what it is. */
const HEAD_BYTES = 64 * 1024;

const OWN_SOFTWARE = 'software: ultimate-sitemap-parser/';

/** What a file without our last record is. */
async function withoutEnd(file: ArchiveFile): Promise<ArchiveFault> {
  const raw = new Uint8Array(Math.min(file.size, HEAD_BYTES));
  await file.content.read(raw, 0);
  if (raw.length === 0) return notAnArchive('it is empty');
  const isGzip = raw[0] === 0x1f && (raw.length === 1 || raw[1] === 0x8b);
  const start = isGzip ? await beginningOf(raw) : raw;
  if (start === undefined) return notAnArchive('it is gzip, but cannot be inflated');
  const head = Buffer.from(start).toString('latin1');
  if (!head.startsWith('WARC/1.') && !'WARC/1.1'.startsWith(head)) {
    return notAnArchive(`it is ${isGzip ? 'gzip, but ' : ''}not a WARC file`);
  }
  // What the first record says, as far as it is there: the file may be cut within it.
  const [, info = '', next] = head.split('\r\n\r\n');
  const mayBeOurs = next === undefined && OWN_SOFTWARE.startsWith(info);
  if (!mayBeOurs && !head.includes(`\n${OWN_SOFTWARE}`)) {
    return new ArchiveFault(
      'it is a WARC file that saveTree did not write; warcClient (usp ls --from-warc) reads it',
      { code: 'archive-format', option: 'webClient' },
    );
  }
  return archiveDamaged('its end is missing');
}

/** What the first bytes of gzip data inflate to, as far as they do: behind them may be damage, or other bytes. */
async function beginningOf(raw: Uint8Array): Promise<Uint8Array | undefined> {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 16 * 1024 * 1024 };
  for (let length = raw.length; length > 0; length >>= 1) {
    const json = await unzip(raw.subarray(0, length), options).catch(() => undefined);
    if (json !== undefined && (json.length > 0 || length === raw.length)) return json;
  }
  return undefined;
}

const HEADLINES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'archive-format': 'is not a saved tree',
    'archive-version': 'was saved by another version',
    'archive-damaged': 'is damaged, save the tree again',
    'archive-limit': 'is larger than allowed',
  }),
);

function loadFailure(name: string, cause: unknown): SitemapException {
  const fault = cause instanceof ArchiveFault ? cause : undefined;
  // An error about a document already names the file.
  if (cause instanceof SitemapException && fault === undefined) return cause;
  const code = fault?.code ?? 'archive-unreadable';
  const headline = HEADLINES.get(code) ?? 'could not be read';
  return new SitemapException(`${name} ${headline}: ${fileTrouble(cause, name)}.`, {
    code,
    option: fault?.option,
    url: fault?.url,
    cause,
  });
}

function notAnArchive(why: string): ArchiveFault {
  return new ArchiveFault(why, { code: 'archive-format' });
}

function checked({ verify = false, signal, ...options }: LoadTreeOptions): ReadLimits & { verify: boolean } {
  if (typeof verify !== 'boolean') throw badOption('The option "verify" must be true or false.', 'verify');
  checkSignal(signal);
  const resolved = resolveOptions(options, 'sitemap');
  const { maxSitemaps, maxSitemapBytes, problemPositions } = resolved;
  const hosts = hostMapOf(resolved);
  return { verify, maxSitemaps, maxDepth: options.maxDepth, maxSitemapBytes, problemPositions, hosts };
}

export interface ReadLimits {
  readonly maxSitemaps: number;
  /** Undefined for what the archive says. */
  readonly maxDepth?: number | undefined;
  readonly maxSitemapBytes: number;
  /** Whether problems get a line and a column. */
  readonly problemPositions: boolean;
  readonly hosts?: HostMap | undefined;
  readonly signal?: { throwIfAborted(): void } | undefined;
}

/** The most redirects for one node, and its document. */
const DOCUMENTS_PER_NODE = 12;

/** What a site may have in addition: robots.txt and the known paths that were tried, with their redirects. */
const MOST_UNSHOWN = 1000;

/** The most bytes of one node: it is parsed in one turn of the event loop. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

interface OpenNode {
  readonly node: ArchivedNode;
  readonly children: Sitemap[];
}

/** @internal The record with the nodes → the tree. */
export class NodeReader {
  readonly documents: ArchivedDocument[] = [];
  readonly #block: Uint8Array;
  readonly #file: ArchiveFile;
  readonly #limits: ReadLimits;
  readonly #share = new FairShare();
  /** Where the next line begins, and the number of the last one. */
  #at = 0;
  #line = 0;
  readonly #sources = new Map<ArchivedDocument, PageSource>();
  readonly #shownDocuments = new Set<ArchivedDocument>();
  /** From the top to the node that was read last; its length is the depth of that node's children. */
  readonly #open: OpenNode[] = [];

  constructor(block: Uint8Array, file: ArchiveFile, limits: ReadLimits) {
    this.#block = block;
    this.#file = file;
    this.#limits = limits;
  }

  /** @throws SitemapException with code `archive-damaged`, `archive-version` or `archive-limit` */
  async tree(): Promise<Sitemap> {
    const header = shaping(readHeader(this.#json(`${this.#next()}]}`)));
    const { maxSitemaps } = this.#limits;
    const mostDocuments = (maxSitemaps + 1) * DOCUMENTS_PER_NODE + MOST_UNSHOWN;
    for (let line = this.#next(); line !== '],"nodes":['; line = this.#next()) {
      if (this.documents.length === mostDocuments)
        throw archiveTooLarge(`it has more than ${mostDocuments} documents`);
      this.#addDocument(this.#json(line));
      await this.#turn();
    }
    const levels = this.#limits.maxDepth ?? levelsOf(header);
    let count = 0;
    for (let line = this.#next(); line !== ']}'; line = this.#next()) {
      if (++count > maxSitemaps + 1) throw archiveTooLarge(`it has more than ${maxSitemaps} sitemaps`);
      this.#addNode(this.#json(line), levels);
      await this.#turn();
    }
    if (this.#at !== this.#block.length) throw archiveDamaged('something is behind the end of the nodes');
    this.#closeTo(1);
    const [root] = this.#open;
    if (root === undefined) throw archiveDamaged('it has no sitemap');
    const { complete, stopped } = root.node;
    const tree = this.#createNode(root);
    // No function here may refer to this reader: the tree would keep it, and with it the bytes of all nodes.
    const shownDocuments = this.#shownDocuments;
    const responses = this.documents.filter((document) => !shownDocuments.has(document));
    const use = this.#file.use();
    makeTop(tree, { ...header, complete, stopped, documents: { responses, close: () => use.close() } });
    return tree;
  }

  #next(): string {
    const end = this.#block.indexOf(NEWLINE, this.#at);
    if (end === -1) throw archiveDamaged('the nodes have no end');
    this.#line++;
    if (end - this.#at > MAX_LINE_BYTES) throw archiveDamaged(`line ${this.#line} is too long`);
    const line = Buffer.from(this.#block.subarray(this.#at, end)).toString('utf8');
    this.#at = end + 1;
    return line;
  }

  #json(line: string): unknown {
    try {
      return JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line);
    } catch (cause) {
      throw archiveDamaged(`line ${this.#line} is not JSON`, cause);
    }
  }

  async #turn(): Promise<void> {
    if (this.#share.isUsedUp) await this.#share.turn();
    this.#limits.signal?.throwIfAborted();
  }

  #addDocument(fields: unknown): void {
    if (!isArchivedDocument(fields)) throw archiveDamaged('a document is not described as it should be');
    const { url, bytes, offset } = fields;
    const { maxSitemapBytes } = this.#limits;
    if (bytes > maxSitemapBytes) {
      throw new ArchiveFault(`${url} has ${bytes} bytes, more than ${maxSitemapBytes} (maxSitemapBytes)`, {
        code: 'archive-limit',
        option: 'maxSitemapBytes',
        url,
      });
    }
    const document = new ArchivedDocument(this.#file, fields, this.#limits);
    // Or a small file could show one large record a million times.
    const before = this.documents.at(-1)?.fields;
    if (before !== undefined && offset < before.offset + before.length)
      throw archiveDamaged(`two documents share the record at byte ${offset}`);
    this.documents.push(document);
  }

  #addNode(node: unknown, levels: number): void {
    if (!isArchivedNode(node)) throw archiveDamaged(`line ${this.#line} is not a sitemap`);
    if (node.depth > levels + LEVELS_AROUND) {
      const why = `it is nested more than ${levels} levels deep (maxDepth)`;
      throw new ArchiveFault(why, { code: 'archive-limit', option: 'maxDepth' });
    }
    // The first one stays open to the end: another at its depth has no place.
    this.#closeTo(Math.max(1, node.depth));
    const parent = this.#open.at(-1)?.node;
    if (this.#open.length !== node.depth || (parent !== undefined && !isIndexKind(parent.kind)))
      throw archiveDamaged(`line ${this.#line} has a depth that nothing leads to`);
    this.#open.push({ node, children: [] });
  }

  #closeTo(depth: number): void {
    while (this.#open.length > depth) {
      const node = this.#open.pop();
      if (node !== undefined) this.#open.at(-1)?.children.push(this.#createNode(node));
    }
  }

  #createNode({ node, children }: OpenNode): Sitemap {
    const { kind, lastModified, complete = false, code = '', reason = '' } = node;
    const fields = {
      ...node,
      lastModified: lastModified === undefined ? undefined : new Date(lastModified),
      facts: this.#facts(node),
      pages: this.#pages(node),
      subSitemaps: children,
    };
    if (kind === 'website') return new IndexWebsiteSitemap({ ...fields, complete });
    if (kind !== 'invalid') return documentNode(kind, fields);
    return new InvalidSitemap({ ...fields, code, reason, error: restored(node.error, node.url) });
  }

  #facts(node: ArchivedNode): FetchFacts | undefined {
    const { document, hops, durationMs, checkedAt, validators, unread } = node;
    if ([document, hops, durationMs, unread].every((fact) => fact === undefined)) return undefined;
    return {
      document: document === undefined ? undefined : this.#document(document),
      hops: hops?.map((number) => this.#document(number)),
      checkedAt: checkedAt === undefined ? undefined : Date.parse(checkedAt),
      validators: validators && headerSafe(validators),
      unread,
      durationMs,
    };
  }

  #pages({ kind, document }: ArchivedNode): PageSource {
    if (!isPagesKind(kind) || document === undefined) return NO_PAGES;
    const archived = this.#document(document);
    const source = this.#sources.get(archived) ?? new DocumentPages(archived);
    this.#sources.set(archived, source);
    return source;
  }

  #document(number: number): ArchivedDocument {
    const document = this.documents[number];
    if (document === undefined) throw archiveDamaged(`it has no document ${number}`);
    this.#shownDocuments.add(document);
    return document;
  }
}

/** The site itself, and what was not fetched below the last level. */
const LEVELS_AROUND = 2;

/** Walks over a tree, and texts that are made of it, take memory for each level. */
const MOST_LEVELS = 1000;

/** How many levels of indexes an archive says its crawl followed. That of a part of a tree says nothing. */
function levelsOf({ origin }: ArchiveHeader): number {
  const levels =
    origin === undefined ? MOST_LEVELS : (origin.options['maxDepth'] ?? OPTIONS.maxDepth.default);
  return Math.min(MOST_LEVELS, Number.isSafeInteger(levels) ? Number(levels) : 0);
}

/** Only options that shape a tree: a file must not choose a proxy, or turn off what protects the caller. */
function shaping({ origin, run }: ArchiveHeader): ArchiveHeader {
  if (origin === undefined) return { origin, run };
  const names = SHAPING_OPTIONS.filter((name) => Object.hasOwn(origin.options, name));
  const options = Object.fromEntries(names.map((name) => [name, origin.options[name]]));
  return { origin: { ...origin, options }, run };
}

/** Validators become headers of requests: what a header cannot hold is left out. */
function headerSafe({ etag, lastModified }: KeptValidators): KeptValidators {
  const safe = (text: string | undefined): string | undefined =>
    text !== undefined && /^[\t\x20-\x7e\x80-\xff]{1,1000}$/.test(text) ? text : undefined;
  return { etag: safe(etag), lastModified: safe(lastModified) };
}

/** The exception again, as far as it can be told from outside: its class, message and code. */
function restored(error: ArchivedError | undefined, url: string): SitemapException | undefined {
  if (error === undefined) return undefined;
  const options = { code: error.code ?? 'unknown', url };
  return error.name === 'SitemapXMLParsingException'
    ? new SitemapXMLParsingException(error.message, options)
    : new SitemapException(error.message, options);
}
