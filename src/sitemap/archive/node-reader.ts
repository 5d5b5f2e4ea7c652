/**
 * The record with the nodes → the tree. Every line is checked: a file may hold anything. What it costs is bounded by
 * the number of nodes, and no line is used before it is counted.
 */
import { SitemapException, SitemapXMLParsingException } from '../../errors.ts';
import { SHAPING_OPTIONS } from '../../options/resolve.ts';
import { FairShare } from '../../runtime/time.ts';
import type { Closes } from '../closeable.ts';
import type { FetchFacts, KeptValidators } from '../kept-document.ts';
import { isIndexKind, isPagesKind } from '../node-fields.ts';
import { DocumentPages, NO_PAGES, type PageSource } from '../page-source.ts';
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  makeTop,
  PAGES_CLASSES,
  type Sitemap,
} from '../sitemap.ts';
import { ArchivedDocument, type ArchiveFile } from './archived-document.ts';
import {
  type ArchivedError,
  type ArchivedNode,
  type ArchiveHeader,
  archiveDamaged,
  archiveTooLarge,
  isArchivedDocument,
  isArchivedNode,
  readHeader,
} from './tree-records.ts';

export interface ReadLimits {
  readonly maxSitemaps: number;
  readonly maxSitemapBytes: number;
  /** Whether problems get a line and a column. */
  readonly problemPositions: boolean;
  readonly signal?: { throwIfAborted(): void } | undefined;
}

interface ReadNodes {
  readonly tree: Sitemap;
  readonly documents: readonly ArchivedDocument[];
}

/** The most redirects for one node, and its document. */
const DOCUMENTS_PER_NODE = 12;

/** What a site may have besides: robots.txt and the known paths that were tried, with their redirects. */
const MOST_UNSHOWN = 1000;

/** The most bytes of one node: it is parsed in one turn of the event loop. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Makes the tree. @throws SitemapException with code `archive-damaged`, `archive-version` or `archive-limit` */
export async function readNodes(
  block: Uint8Array,
  file: ArchiveFile,
  limits: ReadLimits,
): Promise<ReadNodes> {
  const lines = new Lines(block);
  const share = new FairShare();
  const turn = async (): Promise<void> => {
    if (share.isUsedUp) await share.turn();
    limits.signal?.throwIfAborted();
  };
  const header = headerOf(lines.next());
  const most = limits.maxSitemaps + 1;
  const mostDocuments = most * DOCUMENTS_PER_NODE + MOST_UNSHOWN;
  const documents: ArchivedDocument[] = [];
  let end = 0;
  for (let line = lines.next(); line !== '],"nodes":['; line = lines.next()) {
    if (documents.length === mostDocuments)
      throw archiveTooLarge(`it has more than ${mostDocuments} documents`);
    const document = documentOf(parsed(line, lines), file, limits);
    // Or a small file could show one large record a million times.
    const { offset, length } = document.fields;
    if (offset < end) throw archiveDamaged(`two documents share the record at byte ${offset}`);
    end = offset + length;
    documents.push(document);
    await turn();
  }
  const builder = new TreeBuilder(documents);
  let count = 0;
  for (let line = lines.next(); line !== ']}'; line = lines.next()) {
    if (++count > most) throw archiveTooLarge(`it has more than ${limits.maxSitemaps} sitemaps`);
    const node = parsed(line, lines);
    if (!isArchivedNode(node)) throw archiveDamaged(`line ${lines.number} is not a sitemap`);
    builder.add(node, lines.number);
    await turn();
  }
  if (!lines.isOver) throw archiveDamaged('something is behind the end of the nodes');
  return { tree: builder.tree(header, file.use()), documents };
}

class Lines {
  readonly #block: Uint8Array;
  #at = 0;
  number = 0;

  constructor(block: Uint8Array) {
    this.#block = block;
  }

  get isOver(): boolean {
    return this.#at === this.#block.length;
  }

  next(): string {
    const end = this.#block.indexOf(NEWLINE, this.#at);
    if (end === -1) throw archiveDamaged('the nodes have no end');
    if (end - this.#at > MAX_LINE_BYTES) throw archiveDamaged(`line ${this.number + 1} is too long`);
    this.number++;
    const line = Buffer.from(this.#block.subarray(this.#at, end)).toString('utf8');
    this.#at = end + 1;
    return line;
  }
}

function parsed(line: string, { number }: Lines): unknown {
  return json(line.endsWith(',') ? line.slice(0, -1) : line, number);
}

function json(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw archiveDamaged(`line ${number} is not JSON`, cause);
  }
}

function headerOf(line: string): ArchiveHeader {
  const { origin, run } = readHeader(json(`${line}]}`, 1));
  return { origin: origin && { ...origin, options: shapingAlone(origin.options) }, run };
}

/** Only options that shape a tree: a file must not choose a proxy, or turn off what protects the caller. */
function shapingAlone(options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    SHAPING_OPTIONS.filter((name) => Object.hasOwn(options, name)).map(
      (name) => [name, options[name]] as const,
    ),
  );
}

function documentOf(value: unknown, file: ArchiveFile, limits: ReadLimits): ArchivedDocument {
  if (!isArchivedDocument(value)) throw archiveDamaged('a document is not described as it should be');
  if (value.bytes > limits.maxSitemapBytes) {
    throw new SitemapException(
      `${value.url} has ${value.bytes} bytes, more than ${limits.maxSitemapBytes} (maxSitemapBytes)`,
      { code: 'archive-limit', option: 'maxSitemapBytes', url: value.url },
    );
  }
  return new ArchivedDocument(file, value, limits);
}

interface OpenNode {
  readonly node: ArchivedNode;
  readonly children: Sitemap[];
}

class TreeBuilder {
  readonly #documents: readonly ArchivedDocument[];
  readonly #sources = new Map<ArchivedDocument, PageSource>();
  readonly #shown = new Set<ArchivedDocument>();
  /** From the top to the node that was read last; its length is the depth of that node's children. */
  readonly #open: OpenNode[] = [];

  constructor(documents: readonly ArchivedDocument[]) {
    this.#documents = documents;
  }

  add(node: ArchivedNode, line: number): void {
    const isFirst = this.#open.length === 0;
    if (isFirst !== (node.depth === 0))
      throw archiveDamaged(`line ${line} has a depth that nothing leads to`);
    this.#closeTo(node.depth);
    const parent = this.#open.at(-1)?.node;
    if (this.#open.length !== node.depth || (parent !== undefined && !isIndexKind(parent.kind))) {
      throw archiveDamaged(`line ${line} has a depth that nothing leads to`);
    }
    this.#open.push({ node, children: [] });
  }

  tree(header: ArchiveHeader, use: Closes): Sitemap {
    this.#closeTo(1);
    const [root] = this.#open;
    if (root === undefined) throw archiveDamaged('it has no sitemap');
    const { complete, stopped } = root.node;
    const tree = this.#made(root);
    const responses = this.#documents.filter((document) => !this.#shown.has(document));
    const documents = { responses, close: () => use.close() };
    makeTop(tree, { ...header, complete, stopped, documents });
    return tree;
  }

  #closeTo(depth: number): void {
    while (this.#open.length > depth) {
      const closed = this.#open.pop();
      if (closed !== undefined) this.#open.at(-1)?.children.push(this.#made(closed));
    }
  }

  #made({ node, children }: OpenNode): Sitemap {
    const { lastModified, code = '', reason = '', complete, stopped, triedPaths } = node;
    const fields = {
      ...{ url: node.url, declaredUrl: node.declaredUrl, problems: node.problems },
      ...{ problemCount: node.problemCount, truncated: node.truncated, bytes: node.bytes },
      ...{ status: node.status, freshness: node.freshness, facts: this.#facts(node), complete, stopped },
      lastModified: lastModified === undefined ? undefined : new Date(lastModified),
    };
    const index = { ...fields, subSitemaps: children, filteredUrls: node.filteredUrls };
    switch (node.kind) {
      case 'website':
        return new IndexWebsiteSitemap({ ...index, complete: complete ?? false, triedPaths });
      case 'robots-txt':
        return new IndexRobotsTxtSitemap(index);
      case 'index-xml':
        return new IndexXMLSitemap(index);
      case 'invalid': {
        const { option, error } = node;
        return new InvalidSitemap({ ...fields, code, reason, option, error: restored(error, node.url) });
      }
      default:
        return new PAGES_CLASSES[node.kind]({ ...fields, pages: this.#pages(node) });
    }
  }

  #facts(node: ArchivedNode): FetchFacts | undefined {
    const { document, hops, durationMs, checkedAt, validators, unread } = node;
    if ([document, hops, durationMs, unread].every((fact) => fact === undefined)) return undefined;
    return {
      ...(document !== undefined && { document: this.#document(document) }),
      ...(hops !== undefined && { hops: hops.map((number) => this.#document(number)) }),
      ...(durationMs !== undefined && { durationMs }),
      ...(checkedAt !== undefined && { checkedAt: Date.parse(checkedAt) }),
      ...(validators !== undefined && { validators: headerSafe(validators) }),
      ...(unread !== undefined && { unread }),
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
    const document = this.#documents[number];
    if (document === undefined) throw archiveDamaged(`it has no document ${number}`);
    this.#shown.add(document);
    return document;
  }
}

/** Validators become headers of requests: what a header cannot hold is left out, whoever wrote the file. */
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
