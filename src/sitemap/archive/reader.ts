/** The lines of an archive → the tree. Every line is checked: what is damaged is found now, not on some later walk. */
import { SitemapException, SitemapXMLParsingException } from '../../errors.ts';
import { isIndexKind, isPagesKind } from '../kind.ts';
import { isPageJSON } from '../page-json.ts';
import { NO_PAGES, type PageSource } from '../page-source.ts';
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXMLSitemap,
  InvalidSitemap,
  PagesAtomSitemap,
  PagesRSSSitemap,
  PagesTextSitemap,
  PagesXMLSitemap,
  type Sitemap,
} from '../sitemap.ts';
import type { Spool, SpoolWriter } from '../spool/spool.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchivedError,
  type ArchivedSitemap,
  isArchivedDocument,
  isArchivedEnd,
  isArchivedSitemap,
} from './format.ts';
import { isRecord } from './json-shape.ts';
import { ArchivedPages } from './lines.ts';

/** A node whose children are still to come. */
interface OpenNode {
  readonly line: ArchivedSitemap;
  readonly children: Sitemap[];
}

/** A document whose pages are being read. */
interface OpenDocument {
  readonly writer: SpoolWriter;
  /** Not yet handed on. */
  lines: string[];
  count: number;
}

/** Takes in an archive line by line. */
export class ArchiveReader {
  readonly #spool: Spool;
  readonly #documents: PageSource[] = [];
  /** From the top to the node that was read last; its length is the depth of that node's children. */
  readonly #open: OpenNode[] = [];
  #hasHeader = false;
  #isOver = false;
  #pages: OpenDocument | undefined;
  /** What the spool asks to be waited for. */
  #room: Promise<void> | undefined;
  #lineCount = 0;
  #sitemapCount = 0;
  #pageCount = 0;

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  line(text: string): void {
    this.#lineCount++;
    const value = this.#parsed(text);
    if (!this.#hasHeader) this.#header(value);
    else if (this.#isOver) throw this.#damaged('stands behind the end');
    else if (this.#pages !== undefined) this.#insideDocument(value, text);
    else if (isArchivedSitemap(value['sitemap'])) this.#sitemap(value['sitemap']);
    else if (isArchivedEnd(value['end'])) this.#end(value['end'].sitemaps, value['end'].pages);
    else throw this.#damaged('is neither a sitemap nor the end');
  }

  /** Hands the pages that were read on to the spool, and waits until it has room for more. */
  async flush(): Promise<void> {
    if (this.#pages !== undefined) this.#hand(this.#pages);
    const room = this.#room;
    this.#room = undefined;
    await room;
  }

  /** The tree; its top owns the spool. */
  tree(): Sitemap {
    if (!this.#hasHeader) throw notAnArchive('it is empty');
    const [top] = this.#open;
    if (!this.#isOver || top === undefined) {
      throw new SitemapException('it ends before its last line', { code: 'archive-damaged' });
    }
    return this.#made(top, this.#spool);
  }

  #parsed(text: string): Readonly<Record<string, unknown>> {
    try {
      const value: unknown = JSON.parse(text);
      if (isRecord(value)) return value;
    } catch {
      // Said below, in the same words.
    }
    throw this.#hasHeader
      ? this.#damaged('is not a JSON object')
      : notAnArchive('its first line is not JSON');
  }

  #header({ format, version }: Readonly<Record<string, unknown>>): void {
    if (format !== ARCHIVE_FORMAT || typeof version !== 'number' || !(version >= 1)) {
      throw notAnArchive(`its first line does not name the format "${ARCHIVE_FORMAT}"`);
    }
    if (version > ARCHIVE_VERSION) {
      throw new SitemapException(
        `it has version ${version} of the format, and this ultimate-sitemap-parser reads version ${ARCHIVE_VERSION}; update the package`,
        { code: 'archive-version' },
      );
    }
    this.#hasHeader = true;
  }

  #sitemap(line: ArchivedSitemap): void {
    this.#closeTo(line.depth);
    const parent = this.#open.at(-1);
    if (this.#open.length !== line.depth || (parent === undefined) !== (this.#sitemapCount === 0)) {
      throw this.#damaged('has a depth that no sitemap before it leads to');
    }
    if (parent !== undefined && !isIndexKind(parent.line.kind)) throw this.#damaged('stands below no index');
    this.#sitemapCount++;
    this.#open.push({ line, children: [] });
    const { kind, document = -1 } = line;
    if (!isPagesKind(kind) || document < this.#documents.length) return;
    if (document !== this.#documents.length) throw this.#damaged('names a document that is not there');
    this.#pages = { writer: this.#spool.writer(), lines: [], count: 0 };
  }

  #hand(pages: OpenDocument): void {
    if (pages.lines.length === 0) return;
    const text = `${pages.lines.join('\n')}\n`;
    pages.lines = [];
    this.#room = pages.writer.write(Buffer.from(text, 'utf8')) ?? this.#room;
  }

  #insideDocument(value: Readonly<Record<string, unknown>>, text: string): void {
    const pages = this.#pages;
    if (pages === undefined) return;
    if (isPageJSON(value)) {
      pages.lines.push(text);
      pages.count++;
      return;
    }
    const { document } = value;
    if (!isArchivedDocument(document)) throw this.#damaged('is neither a page nor the end of its document');
    if (document.pages !== pages.count) throw this.#damaged('counts other pages than stand before it');
    this.#hand(pages);
    this.#pageCount += pages.count;
    this.#documents.push(new ArchivedPages(pages.writer.end(), { ...document, pageCount: pages.count }));
    this.#pages = undefined;
  }

  #end(sitemaps: number, pages: number): void {
    if (sitemaps !== this.#sitemapCount || pages !== this.#pageCount) {
      throw this.#damaged('counts other sitemaps or pages than there are');
    }
    this.#closeTo(1);
    this.#isOver = true;
  }

  #closeTo(depth: number): void {
    while (this.#open.length > depth) {
      const node = this.#open.pop();
      const parent = this.#open.at(-1);
      // A second top is found by its depth, before anything is lost.
      if (node !== undefined) parent?.children.push(this.#made(node, undefined));
    }
  }

  #made({ line, children }: OpenNode, spool: Spool | undefined): Sitemap {
    const { url, declaredUrl, problems, problemCount, complete, stopped, truncated, status } = line;
    const lastModified = line.lastModified === undefined ? undefined : new Date(line.lastModified);
    const of = { url, declaredUrl, lastModified, problems, problemCount, truncated, status };
    const fields = { ...of, spool, complete, stopped };
    const index = { ...fields, subSitemaps: children };
    const pages = { ...fields, pages: this.#documents[line.document ?? -1] ?? NO_PAGES };
    switch (line.kind) {
      case 'website':
        return new IndexWebsiteSitemap({ ...index, complete: complete ?? false });
      case 'robots-txt':
        return new IndexRobotsTxtSitemap(index);
      case 'index-xml':
        return new IndexXMLSitemap(index);
      case 'pages-xml':
        return new PagesXMLSitemap(pages);
      case 'pages-text':
        return new PagesTextSitemap(pages);
      case 'pages-rss':
        return new PagesRSSSitemap(pages);
      case 'pages-atom':
        return new PagesAtomSitemap(pages);
      case 'invalid': {
        const { code = '', reason = '', option } = line;
        return new InvalidSitemap({
          ...fields,
          code,
          reason,
          status,
          option,
          error: restored(line.error, line.url),
        });
      }
    }
  }

  #damaged(what: string): SitemapException {
    return new SitemapException(`line ${this.#lineCount} ${what}`, { code: 'archive-damaged' });
  }
}

function notAnArchive(why: string): SitemapException {
  return new SitemapException(why, { code: 'archive-format' });
}

/** The exception again, as far as it can be told from outside: its class, message and code. */
function restored(error: ArchivedError | undefined, url: string): SitemapException | undefined {
  if (error === undefined) return undefined;
  const options = { code: error.code ?? 'unknown', url };
  return error.name === 'SitemapXMLParsingException'
    ? new SitemapXMLParsingException(error.message, options)
    : new SitemapException(error.message, options);
}
